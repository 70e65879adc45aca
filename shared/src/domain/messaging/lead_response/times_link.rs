//! Link of a request to the page with the next free times.

use chrono::Duration;

use crate::{
    domain::{intake::lead::NewLead, tenancy::org::OrgContext},
    platform::{
        access_link::{self, LinkKind, copy::NewFormLink},
        db::Tx,
        error::Result,
        id::{LinkId, TouchId},
    },
};

/// Validity of the link.
const TIMES_LINK_TTL: Duration = Duration::days(30);

/// None where no times are offered for the request. A held request about an open lead has a link that leads to no lead,
/// because its answer looks like any other.
pub(super) fn build_times_link(
    intake: &OrgContext<'_>,
    new: &NewLead,
    touch: TouchId,
    hides_lead: bool,
) -> Option<NewFormLink> {
    let origin = intake.origin;
    intake.profile.offered_minutes(&new.service, &new.zip).filter(|_| new.is_form())?;
    let subject = if hides_lead { origin.random_uuid() } else { touch.0 };
    let expires = origin.now() + TIMES_LINK_TTL;
    Some(access_link::copy::build_form_link(origin, intake.profile.org.id, (LinkKind::FreeTimes, subject), expires))
}

/// Address for the messages, in which each recipient gets a token of their own.
pub(super) fn build_times_url(intake: &OrgContext<'_>, link: LinkId) -> String {
    intake.public_url.join(&access_link::build_path(intake.secret, link, LinkKind::FreeTimes))
}

/// The same for a stored request.
pub(super) async fn ensure_times_url(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    new: &NewLead,
    touch: Option<TouchId>,
) -> Result<Option<String>> {
    let offered = intake.profile.offered_minutes(&new.service, &new.zip).filter(|_| new.is_form());
    let Some((_, touch)) = offered.zip(touch) else { return Ok(None) };
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let expires = Some(origin.now() + TIMES_LINK_TTL);
    let link = access_link::ensure_link(tx, origin, org, LinkKind::FreeTimes, touch.0, expires).await?;
    Ok(Some(build_times_url(intake, link)))
}
