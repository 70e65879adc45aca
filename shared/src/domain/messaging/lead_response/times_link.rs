//! Link of a request to the page with the next free times.

use chrono::Duration;

use crate::{
    domain::{
        intake::lead::{LeadReceipt, NewLead},
        tenancy::org::OrgContext,
    },
    platform::{
        access_link::{self, LinkKind, copy::NewFormLink},
        db::{Tx, batch::Insert},
        error::Result,
        id::{LinkId, TouchId},
    },
};

/// Validity of the link.
const TIMES_LINK_TTL: Duration = Duration::days(30);

/// None where no times are offered for the request. A held request about an open lead has a link that leads to no lead,
/// because its answer looks like any other.
fn build_times_link<'a>(
    intake: &OrgContext<'_>,
    new: &NewLead,
    touch: TouchId,
    hides_lead: bool,
) -> Option<NewFormLink<'a>> {
    let origin = intake.origin;
    intake.profile.offered_minutes(&new.service, &new.zip).filter(|_| new.is_form())?;
    let subject = if hides_lead { origin.random_uuid() } else { touch.0 };
    let expires = origin.now() + TIMES_LINK_TTL;
    Some(access_link::copy::build_form_link(origin, intake.profile.org.id, (LinkKind::FreeTimes, subject), expires))
}

/// Adds the link to the request's receipt and rows. Returns its address for the messages.
pub(super) fn attach_times_link<'a>(
    intake: &OrgContext<'_>,
    new: &NewLead,
    (touch, hides_lead): (TouchId, bool),
    receipt: &mut LeadReceipt,
    rows: &mut Vec<Insert<'a>>,
) -> Option<String> {
    let times: NewFormLink<'a> = build_times_link(intake, new, touch, hides_lead)?;
    receipt.times_path = Some(access_link::build_path(intake.secret, times.form_copy, LinkKind::FreeTimes));
    rows.extend(times.rows);
    Some(build_times_url(intake, times.link))
}

/// Address for the messages, in which each recipient gets a token of their own.
fn build_times_url(intake: &OrgContext<'_>, link: LinkId) -> String {
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
