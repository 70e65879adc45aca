//! What follows in money from the events of a job.

use futures::future::{BoxFuture, FutureExt, ready};

use super::{
    estimate::change::{restore_for_job, withdraw_for_cancelled_job},
    invoice::complete::schedule_billing,
    ledger::recalculate_lead,
};
use crate::{
    domain::{tenancy::activity_log::ActivityActor, work::listener::JobEvent},
    platform::{
        clock::ClockRng,
        db::Tx,
        error::Result,
        id::{LeadId, OrgId},
    },
};

/// Listener of the jobs.
pub(crate) fn handle_money_of_job<'a>(
    tx: &'a mut Tx,
    origin: &'a ClockRng,
    org: OrgId,
    event: JobEvent<'a>,
) -> BoxFuture<'a, Result<()>> {
    match event {
        JobEvent::Completed { event, .. } => Box::pin(schedule_billing(tx, origin, org, event)),
        JobEvent::Cancelled { job, event, by } => Box::pin(withdraw_for_cancelled_job(tx, origin, org, job, event, by)),
        JobEvent::Repriced { lead, by } => Box::pin(recalculate_for_job(tx, origin, org, lead, by)),
        JobEvent::Restored { lead, job, event } => Box::pin(restore_for_job(tx, origin, org, (lead, job), event)),
        JobEvent::Reopened { .. } | JobEvent::ChangeUndone(_) => ready(Ok(())).boxed(),
    }
}

/// Change orders without an estimate rest on the value of their job: it decides what is due, also of their deposits.
async fn recalculate_for_job(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    lead: LeadId,
    by: &ActivityActor,
) -> Result<()> {
    recalculate_lead(tx, origin, org, lead, by).await.map(|_| ())
}
