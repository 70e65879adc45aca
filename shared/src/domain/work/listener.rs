//! Events of jobs that later domains act on, in the same transaction.

use futures::future::BoxFuture;

use super::job::Job;
use crate::{
    domain::tenancy::{activity_log::ActivityActor, org::OrgProfile},
    platform::{
        clock::ClockRng,
        db::{AsConn, Handler, Tx},
        error::Result,
        id::{EventId, JobId, LeadId, OrgId},
    },
};

#[derive(Clone, Copy, Debug)]
pub enum JobEvent<'a> {
    Completed {
        profile: &'a OrgProfile,
        job: &'a Job,
        event: EventId,
    },
    /// A completed job is not completed any more.
    Reopened {
        job: JobId,
        event: EventId,
    },
    Cancelled {
        job: JobId,
        event: EventId,
        by: &'a ActivityActor,
    },
    /// The office changed what the job is worth.
    Repriced {
        lead: LeadId,
        by: &'a ActivityActor,
    },
    /// A change of a job or of a lead's stage was undone.
    ChangeUndone(EventId),
    /// After [`Self::ChangeUndone`], when the job is as before.
    Restored {
        lead: LeadId,
        job: JobId,
        event: EventId,
    },
}

pub type JobListener = for<'a> fn(&'a mut Tx, &'a ClockRng, OrgId, JobEvent<'a>) -> BoxFuture<'a, Result<()>>;

/// Found by [`AsConn::handlers`]; called in this order.
pub struct JobListeners(pub &'static [JobListener]);

impl Handler for JobListeners {}

pub(super) async fn notify_job_listeners(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    event: JobEvent<'_>,
) -> Result<()> {
    for listener in tx.handlers().find_handler::<JobListeners>()?.0 {
        listener(&mut *tx, origin, org, event).await?;
    }
    Ok(())
}
