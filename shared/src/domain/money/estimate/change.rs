//! Change orders: additions that a customer approves once the work has begun. Each names the job it changes and is
//! independent of the others; approved, it adds to what was agreed and to the work to be done.
//!
//! Its base is the approved estimates, else the open one, else the value of the job. The customer signs the new total
//! too.

use serde::{Deserialize, Serialize};

use crate::{
    conflicts::ConflictCode,
    documents::{pdf, template::Language},
    domain::work::{
        activity,
        crew::{self, CrewJobChange as CrewChange},
        job,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx},
        error::Result,
        id::{JobId, LeadId, OrgId},
        money::Cents,
    },
};

mod agreed;
mod end;
mod extra;
mod preview;
pub mod view;

pub use agreed::{AgreedDocument, sum_agreed};
pub(super) use agreed::{AgreedExclusions, check_reduction, list_agreed_parts};
pub(crate) use end::{restore_for_job, withdraw_for_cancelled_job};
pub use extra::{ExtraLine, ExtraWork};
pub(crate) use extra::{list_extra_work_for_crew, list_extra_work_for_job as extra_work};
pub use preview::{ChangeOrderDraft, ChangeOrderPreview, build_draft};
pub use view::{ChangeOrderLine, ChangeOrderSummary, JobAgreedTotals};

/// The base of a change order at its issue; its PDF keeps stating it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChangeOrderBase {
    pub job: i64,
    /// What had been agreed, oldest first.
    pub before: Vec<AgreedDocument>,
}

impl ChangeOrderBase {
    /// The agreed total with `total` added.
    pub(crate) fn total_with(&self, total: Cents) -> Cents {
        [sum_agreed(&self.before), total].into_iter().sum()
    }

    pub(super) fn into_pdf_part(self, language: Language) -> pdf::ChangeOrderContext {
        let before = self.before.iter().map(|part| (part.label(self.job, language), part.total)).collect();
        pdf::ChangeOrderContext { job: self.job, before }
    }
}

/// Base of a change of `total` on this job. `own` is the continued number in its stored form. The caller holds the lock
/// of the lead.
/// Errors: `Error::Conflict` with why the job cannot be changed so.
pub(super) async fn prepare_change_order(
    conn: &mut dyn AsConn,
    org: OrgId,
    (lead, job): (LeadId, JobId),
    own: Option<i64>,
    total: Cents,
) -> Result<ChangeOrderBase> {
    let found = job::find(&mut *conn, org, job).await?;
    if found.status == job::JobState::Cancelled {
        return Err(ConflictCode::JobCancelled.into_error());
    }
    let before = list_agreed_parts(&mut *conn, org, (lead, job), AgreedExclusions { number: own, since: None }).await?;
    if before.is_empty() {
        return Err(ConflictCode::NothingAgreed.into_error());
    }
    let misfit = check_reduction(conn, org, (lead, job), sum_agreed(&before), total).await?;
    if let Some(misfit) = misfit {
        return Err(misfit.conflict_code().into());
    }
    Ok(ChangeOrderBase { job: found.number, before })
}

/// Effects of an approved change order on its job: the value changes, and the crew is notified. The caller holds the
/// lock of the lead.
pub(super) async fn apply_approval(tx: &mut Tx, origin: &ClockRng, org: OrgId, job: JobId) -> Result<()> {
    let was = activity::snapshot_job(&mut *tx, org, job).await?;
    job::refresh_changes_amount(&mut *tx, org, job, origin.now()).await?;
    tx.mark_dirty(org, job);
    let crew = job::find(&mut *tx, org, job).await?.crew_id;
    let change = CrewChange { job, crews: [crew, None], was: Some(was), fields: vec!["extraWork"], by: None };
    crew::record_job_change(tx, origin, org, change).await
}
