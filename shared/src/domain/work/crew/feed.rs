//! Address of a crew's calendar: it changes on request of the office, when a member leaves, and with the first proof of
//! the business.

use futures::future::{BoxFuture, FutureExt, ready};

use crate::{
    domain::{
        messaging::alert::{self, AlertKind, NewAlert},
        tenancy::{account::AccessEvent, org},
    },
    platform::{
        access_link,
        clock::ClockRng,
        db::{Tx, q},
        error::{Error, Result},
        id::{CrewId, LinkId, OrgId},
        live::{self, Topic},
    },
};

const CREWS: &str = "/app/settings?tab=organization";

/// Listener of the ends of access: the calendar addresses open without an account.
pub(crate) fn handle_access_event<'a>(
    tx: &'a mut Tx,
    origin: &'a ClockRng,
    org: OrgId,
    event: AccessEvent<'a>,
) -> BoxFuture<'a, Result<()>> {
    match event {
        AccessEvent::CrewsLeft(crews) => Box::pin(rotate_for_departed_member(tx, origin, org, crews)),
        AccessEvent::FirstProof => Box::pin(revoke_all_feeds(tx, origin, org)),
        AccessEvent::StrangerSuspected { .. } => ready(Ok(())).boxed(),
    }
}

/// Replaces the calendar address of a crew; the previous one stops working.
pub async fn rotate_feed_link(tx: &mut Tx, origin: &ClockRng, org: OrgId, crew: CrewId) -> Result<LinkId> {
    let held = q!(&mut *tx, execute, "UPDATE crew SET name = name WHERE org_id = $1 AND id = $2", org, crew)?;
    if held == 0 {
        return Err(Error::NotFound);
    }
    let link = access_link::rotate_link(&mut *tx, origin, org, access_link::LinkKind::CrewFeed, crew.0, None).await?;
    live::publish_event(tx, origin, org, Topic::Crew, crew.0, None).await?;
    Ok(link)
}

/// Revokes the calendar addresses of all crews. Each crew gets a new one when the office looks
/// (`create_missing_feeds`): a moment after the proof, so that it is not listed as older than the proof.
async fn revoke_all_feeds(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    let crews = access_link::revoke_kind(&mut *tx, org, access_link::LinkKind::CrewFeed, origin.now()).await?;
    for crew in crews {
        live::publish_event(&mut *tx, origin, org, Topic::Crew, crew, None).await?;
    }
    Ok(())
}

/// Creates missing addresses: of the earliest crews, and of those whose address ended with a proof.
pub async fn create_missing_feeds(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    let without = q!(
        &mut *tx,
        fetch_all scalar CrewId,
        "SELECT c.id FROM crew c WHERE c.org_id = $1 AND NOT EXISTS (SELECT 1 FROM access_link k WHERE k.org_id = c.org_id
             AND k.kind = 'crew_feed' AND k.subject_id = c.id AND k.revoked_at IS NULL)",
        org
    )?;
    for crew in without {
        access_link::ensure_link(&mut *tx, origin, org, access_link::LinkKind::CrewFeed, crew.0, None).await?;
    }
    Ok(())
}

/// Replaces the addresses when a person leaves: the feed opens without an account. Where the old one was in use, the
/// business is asked to distribute the new one.
pub(crate) async fn rotate_for_departed_member(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    crews: &[CrewId],
) -> Result<()> {
    for crew in crews {
        let sql = "SELECT first_seen_at IS NOT NULL FROM access_link WHERE org_id = $1 AND kind = 'crew_feed'
            AND subject_id = $2 AND revoked_at IS NULL";
        let was_read = q!(&mut *tx, fetch_optional scalar bool, sql, org, *crew)?;
        let new = rotate_feed_link(&mut *tx, origin, org, *crew).await?;
        if was_read == Some(true) {
            notify_office(&mut *tx, origin, org, *crew, new).await?;
        }
    }
    Ok(())
}

async fn notify_office(tx: &mut Tx, origin: &ClockRng, org: OrgId, crew: CrewId, new: LinkId) -> Result<()> {
    let name = crate::domain::work::crew::find_crew_name(&mut *tx, org, Some(crew)).await?.unwrap_or_default();
    let Some(found) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::load_profile(&mut *tx, found).await?;
    let title = format!("New calendar address: {name}");
    let body = "Someone left this crew, so the old address no longer works. Give the new one to the rest of the crew.";
    let alert = NewAlert::new(AlertKind::ScheduleChanged, format!("feed:{new}"), title, body.to_owned());
    alert::raise_alert(tx, origin, &profile, NewAlert { path: Some(CREWS.to_owned()), ..alert }).await?;
    Ok(())
}
