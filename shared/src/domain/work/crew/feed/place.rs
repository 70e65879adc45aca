//! Where a crew's calendar is: the address changes when the office asks for it, when somebody leaves the crew, and with the
//! first proof of the business.

use crate::{
    domain::{
        messaging::alert::{self, Kind, NewAlert},
        tenancy::org,
    },
    platform::{
        access_link,
        clock::Origin,
        db::{Tx, q},
        error::{Error, Result},
        id::{CrewId, LinkId, OrgId},
        live::{self, Topic},
    },
};

/// Where the office finds the addresses.
const CREWS: &str = "/app/settings?tab=organization";

/// A new address for the calendar of a crew; the one before opens nothing any more.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such crew.
pub async fn rotate(tx: &mut Tx, origin: &Origin, org: OrgId, crew: CrewId) -> Result<LinkId> {
    let held = q!(&mut *tx, execute, "UPDATE crew SET name = name WHERE org_id = $1 AND id = $2", org, crew)?;
    if held == 0 {
        return Err(Error::NotFound);
    }
    let link = access_link::rotate(&mut *tx, origin, org, access_link::Kind::CrewFeed, crew.0, None).await?;
    live::announce(tx, origin, org, Topic::Crew, crew.0, None).await?;
    Ok(link)
}

/// The calendars of all crews open nothing by the addresses that were handed out. Each crew gets a new address when the
/// office looks (`complete`): a moment later than the proof, so that it is not listed as made before it.
pub(crate) async fn end_all(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    let sql = "UPDATE link SET revoked_at = $2 WHERE org_id = $1 AND kind = 'crew_feed' AND revoked_at IS NULL
         RETURNING subject_id";
    for crew in q!(&mut *tx, fetch_all scalar CrewId, sql, org, origin.now())? {
        live::announce(&mut *tx, origin, org, Topic::Crew, crew.0, None).await?;
    }
    Ok(())
}

/// Addresses for the crews that have none yet: each has one from its beginning, but for those of the first days,
/// and those whose address ended with a proof.
pub async fn complete(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    let without = q!(
        &mut *tx,
        fetch_all scalar CrewId,
        "SELECT c.id FROM crew c WHERE c.org_id = $1 AND NOT EXISTS (SELECT 1 FROM link k WHERE k.org_id = c.org_id
             AND k.kind = 'crew_feed' AND k.subject_id = c.id AND k.revoked_at IS NULL)",
        org
    )?;
    for crew in without {
        access_link::ensure(&mut *tx, origin, org, access_link::Kind::CrewFeed, crew.0, None).await?;
    }
    Ok(())
}

/// Somebody is in these crews no more. Whoever has the address of a calendar reads it without an account, so each gets
/// a new one; where phones read the old one the business is told to hand the new one out.
pub(crate) async fn left(tx: &mut Tx, origin: &Origin, org: OrgId, crews: &[CrewId]) -> Result<()> {
    for crew in crews {
        let sql = "SELECT first_seen_at IS NOT NULL FROM link WHERE org_id = $1 AND kind = 'crew_feed'
            AND subject_id = $2 AND revoked_at IS NULL";
        let was_read = q!(&mut *tx, fetch_optional scalar bool, sql, org, *crew)?;
        let new = rotate(&mut *tx, origin, org, *crew).await?;
        if was_read == Some(true) {
            tell_office(&mut *tx, origin, org, *crew, new).await?;
        }
    }
    Ok(())
}

async fn tell_office(tx: &mut Tx, origin: &Origin, org: OrgId, crew: CrewId, new: LinkId) -> Result<()> {
    let name = crate::domain::work::crew::name(&mut *tx, org, Some(crew)).await?.unwrap_or_default();
    let Some(found) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::profile(&mut *tx, found).await?;
    let title = format!("New calendar address: {name}");
    let body =
        "Somebody left this crew, so the old address opens nothing any more. Give the new one to those who stay.";
    let told = NewAlert::new(Kind::ScheduleChanged, format!("feed:{new}"), title, body.to_owned());
    alert::raise(tx, origin, &profile, NewAlert { path: Some(CREWS.to_owned()), ..told }).await?;
    Ok(())
}
