//! Change orders: what a customer agrees to beside what was agreed before, once the wall is open. Each names the job that
//! it changes and stands beside the others; approved, it adds to what was agreed and to what is to be done.
//!
//! What it is reckoned on is the approved estimates, else the open one, else what the job is worth: whoever signs a change
//! order signs the new total on it as well.

use serde::{Deserialize, Serialize};

use crate::{
    documents::{pdf, template::Language},
    domain::work::{
        activity,
        crew::notice::{self, Change as CrewChange},
        job,
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{JobId, LeadId, OrgId},
        money::Cents,
    },
};

mod agreed;
mod end;
mod extra;
mod preview;
pub mod view;

pub use agreed::{Agreed, sum};
pub(super) use agreed::{But, agreed, misfit};
pub(crate) use end::{restored_with, withdrawn_with};
pub use extra::{ExtraLine, ExtraWork};
pub(crate) use extra::{of_crew, of_job as extra_work};
pub use preview::{Preview, PreviewView, read};
pub use view::{ChangeOrderLine, ChangeOrderSummary, JobAgreed};

const CANCELLED: &str = "This job was cancelled. Restore it first.";
const NOTHING: &str = "Nothing was agreed for this job yet. Make an estimate, or say what the job is worth.";

/// What a change order changes, as it stood when it was issued: its paper says so for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Change {
    /// The number of the job.
    pub job: i64,
    /// What had been agreed, oldest first.
    pub before: Vec<Agreed>,
}

impl Change {
    /// What is agreed in all with so much more.
    pub(crate) fn with(&self, total: Cents) -> Cents {
        [sum(&self.before), total].into_iter().sum()
    }

    pub(super) fn drawn(self, language: Language) -> pdf::ChangePart {
        let before = self.before.iter().map(|part| (part.label(self.job, language), part.total)).collect();
        pdf::ChangePart { job: self.job, before }
    }
}

/// The ground of a change of this job over `total`. `own` is the number that is continued, as it is stored. The caller
/// holds the lead.
///
/// # Errors
/// [`Error::Conflict`] with why the job cannot be changed so.
pub(super) async fn begun(
    conn: &mut dyn AsConn,
    org: OrgId,
    (lead, job): (LeadId, JobId),
    own: Option<i64>,
    total: Cents,
) -> Result<Change> {
    let found = job::find(&mut *conn, org, job).await?;
    if found.status == job::Status::Cancelled {
        return Err(Error::Conflict(CANCELLED));
    }
    let before = agreed(&mut *conn, org, (lead, job), But { number: own, since: None }).await?;
    if before.is_empty() {
        return Err(Error::Conflict(NOTHING));
    }
    let misfit = misfit(conn, org, (lead, job), sum(&before), total).await?;
    misfit.map_or(Ok(()), |misfit| Err(Error::Conflict(misfit.said())))?;
    Ok(Change { job: found.number, before })
}

/// What follows for the job when a change order of it was approved: what it is worth, and its crew hears of it. The
/// caller holds the lead.
pub(super) async fn approved(tx: &mut Tx, origin: &Origin, org: OrgId, job: JobId) -> Result<()> {
    let was = activity::job_before(&mut *tx, org, job).await?;
    q!(
        &mut *tx,
        execute,
        "UPDATE job SET changes_cents = (SELECT CAST(COALESCE(SUM(a.total_cents), 0) AS BIGINT) FROM estimate e
                 JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
                 WHERE e.org_id = $1 AND e.job_id = $2 AND e.status = 'approved'),
             version = version + 1, updated_at = $3
         WHERE org_id = $1 AND id = $2",
        org,
        job,
        origin.now()
    )?;
    tx.mark_dirty(org, job);
    let crew = job::find(&mut *tx, org, job).await?.crew_id;
    let told = CrewChange { job, crews: [crew, None], was: Some(was), fields: vec!["extraWork"], by: None };
    notice::changed(tx, origin, org, told).await
}
