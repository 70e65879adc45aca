//! What becomes of the open change orders of a job that is cancelled, and of those again when that is taken back.

use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

use super::super::{
    announce,
    manual::{Taken, take_back},
};
use crate::{
    domain::{messaging::followup, work::activity::Doer},
    platform::{
        access_link,
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{EstimateId, EventId, JobId, LeadId, OrgId},
    },
};

const WHY: &str = "the job was cancelled";

/// The job was cancelled by `event`: what waits for an answer is taken back. The caller holds the lead.
pub(crate) async fn withdrawn_with(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    job: JobId,
    event: EventId,
    by: &Doer,
) -> Result<()> {
    let sql = "SELECT id FROM estimate WHERE org_id = $1 AND job_id = $2 AND status = 'open' ORDER BY created_at, id";
    for id in q!(&mut *tx, fetch_all scalar EstimateId, sql, org, job)? {
        take_back(tx, origin, org, id, Taken { reason: WHY, with: Some(event), by }).await?;
    }
    Ok(())
}

/// The cancelling was taken back within its minute: what it took back waits again. The caller holds the lead.
pub(crate) async fn restored_with(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    (lead, job): (LeadId, JobId),
    event: EventId,
) -> Result<()> {
    for (taken, id) in taken_with(&mut *tx, org, job, event).await? {
        let sql = "UPDATE estimate SET status = 'open', settled_at = NULL
             WHERE org_id = $1 AND id = $2 AND status = 'withdrawn'";
        q!(&mut *tx, execute, sql, org, id)?;
        let sql = "UPDATE work_event SET undone_at = $3 WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, sql, org, taken, origin.now())?;
        followup::undone(tx, origin, org, taken, "the job goes on").await?;
        if access_link::in_force(&mut *tx, org, access_link::Kind::Estimate, id.0).await?.is_some() {
            access_link::ensure(tx, origin, org, access_link::Kind::Estimate, id.0, None).await?;
        }
        announce(tx, origin, org, id, lead).await?;
    }
    Ok(())
}

/// What was taken back together with the job, by the events of it.
async fn taken_with(
    conn: &mut dyn AsConn,
    org: OrgId,
    job: JobId,
    event: EventId,
) -> Result<Vec<(EventId, EstimateId)>> {
    let rows = q!(
        conn,
        fetch_all as (EventId, Option<Uuid>, Json<Value>),
        "SELECT id, subject_id, detail FROM work_event WHERE org_id = $1 AND job_id = $2
             AND kind = 'change_order_withdrawn' AND undone_at IS NULL",
        org,
        job
    )?;
    let with = event.to_string();
    let taken = |(id, subject, detail): (EventId, Option<Uuid>, Json<Value>)| {
        let is_its = detail.0["with"].as_str() == Some(with.as_str());
        subject.filter(|_| is_its).map(|subject| (id, EstimateId(subject)))
    };
    Ok(rows.into_iter().filter_map(taken).collect())
}
