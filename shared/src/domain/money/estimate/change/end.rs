//! Open change orders of a job when it is cancelled, and when that is undone.

use sqlx::types::Json;
use uuid::Uuid;

use super::super::{
    announce_estimate,
    manual::{Withdrawal, WithdrawnDetail, apply_withdrawal},
};
use crate::{
    domain::{
        messaging::followup,
        tenancy::activity_log::{self, ActivityActor},
    },
    platform::{
        access_link,
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{EstimateId, EventId, JobId, LeadId, OrgId},
    },
};

const WITHDRAW_REASON: &str = "the job was cancelled";

/// The job was cancelled by `event`: withdraws its open change orders. The caller holds the lock of the lead.
pub(crate) async fn withdraw_for_cancelled_job(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    job: JobId,
    event: EventId,
    by: &ActivityActor,
) -> Result<()> {
    let sql = "SELECT id FROM estimate WHERE org_id = $1 AND job_id = $2 AND status = 'open' ORDER BY created_at, id";
    for id in q!(&mut *tx, fetch_all scalar EstimateId, sql, org, job)? {
        apply_withdrawal(tx, origin, org, id, Withdrawal { reason: WITHDRAW_REASON, with: Some(event), by }).await?;
    }
    Ok(())
}

/// The cancellation was undone within its minute: reopens what it withdrew. The caller holds the lock of the lead.
pub(crate) async fn restore_for_job(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (lead, job): (LeadId, JobId),
    event: EventId,
) -> Result<()> {
    for (taken, id) in list_withdrawn_by_event(&mut *tx, org, job, event).await? {
        let sql = "UPDATE estimate SET status = 'open', settled_at = NULL
             WHERE org_id = $1 AND id = $2 AND status = 'withdrawn'";
        q!(&mut *tx, execute, sql, org, id)?;
        activity_log::withdraw_entry(&mut *tx, org, taken, origin.now()).await?;
        followup::revert_event(tx, origin, org, taken, "the job goes on").await?;
        if access_link::find_active(&mut *tx, org, access_link::LinkKind::Estimate, id.0).await?.is_some() {
            access_link::ensure_link(tx, origin, org, access_link::LinkKind::Estimate, id.0, None).await?;
        }
        announce_estimate(tx, origin, org, id, lead).await?;
    }
    Ok(())
}

/// Change orders withdrawn together with the job, by its events.
async fn list_withdrawn_by_event(
    conn: &mut dyn AsConn,
    org: OrgId,
    job: JobId,
    event: EventId,
) -> Result<Vec<(EventId, EstimateId)>> {
    let rows = q!(
        conn,
        fetch_all as (EventId, Option<Uuid>, Json<WithdrawnDetail>),
        "SELECT id, subject_id, detail FROM work_event WHERE org_id = $1 AND job_id = $2
             AND kind = 'change_order_withdrawn' AND undone_at IS NULL",
        org,
        job
    )?;
    let taken = |(id, subject, detail): (EventId, Option<Uuid>, Json<WithdrawnDetail>)| {
        subject.filter(|_| detail.with == Some(event)).map(|subject| (id, EstimateId(subject)))
    };
    Ok(rows.into_iter().filter_map(taken).collect())
}
