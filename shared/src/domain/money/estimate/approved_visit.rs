//! The visit for the work of an approved estimate: its customer picks the time, after the deposit where the business
//! wants it first.

use chrono::{DateTime, NaiveDate, Utc};

use crate::{
    conflicts::ConflictCode,
    documents::template::Language,
    domain::{
        money::ledger,
        tenancy::org::OrgContext,
        work::{
            booking::{self, ApprovedWork, ChosenTime, WorkChoice, WorkPlan},
            pipeline,
        },
    },
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::{EstimateId, LeadId, OrgId},
        money::Cents,
    },
};

/// What the page of an approved estimate offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitChoice {
    pub plan: WorkPlan,
    deposit: Cents,
    is_deposit_first: bool,
}

impl VisitChoice {
    /// None where nothing is due.
    #[must_use]
    pub fn deposit_due(&self) -> Option<Cents> {
        Some(self.deposit).filter(|due| *due > Cents::ZERO)
    }

    /// Whether a time can be chosen once the deposit is paid.
    #[must_use]
    pub fn waits_for_deposit(&self) -> bool {
        self.is_deposit_first && self.deposit_due().is_some() && matches!(self.plan, WorkPlan::Open(_))
    }
}

/// None unless it is an approved estimate that nothing replaced; change orders belong to a job that has its visit.
async fn find_approved_work(conn: &mut dyn AsConn, org: OrgId, id: EstimateId) -> Result<Option<ApprovedWork>> {
    let sql = "SELECT e.lead_id, a.at FROM estimate e
         JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE e.org_id = $1 AND e.id = $2 AND e.status = 'approved' AND e.job_id IS NULL";
    let found = q!(conn, fetch_optional as (LeadId, DateTime<Utc>), sql, org, id)?;
    Ok(found.map(|(lead, approved_at)| ApprovedWork { lead, approved_at }))
}

async fn load_deposit_due(conn: &mut dyn AsConn, org: OrgId, (id, lead): (EstimateId, LeadId)) -> Result<Cents> {
    let deposits = ledger::list_deposits(conn, org, lead).await?;
    Ok(deposits.iter().find(|deposit| deposit.estimate == id).map_or(Cents::ZERO, |deposit| deposit.due))
}

/// None where the estimate is not approved.
pub async fn load_visit_choice(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    id: EstimateId,
    from: Option<NaiveDate>,
    language: Language,
) -> Result<Option<VisitChoice>> {
    let org = ctx.profile.org.id;
    let Some(work) = find_approved_work(&mut *conn, org, id).await? else { return Ok(None) };
    let deposit = load_deposit_due(&mut *conn, org, (id, work.lead)).await?;
    let plan = booking::load_work_plan(conn, ctx, work, from, language).await?;
    Ok(Some(VisitChoice { plan, deposit, is_deposit_first: ctx.profile.settings.booking.deposit_first }))
}

/// Plans the work at the chosen time.
///
/// # Errors
/// `Error::Invalid`, naming the address; `Error::Conflict` when the time is no longer free, or none can be chosen.
pub async fn choose_visit_time(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: EstimateId,
    chosen: &ChosenTime<'_>,
) -> Result<WorkChoice> {
    let org = ctx.profile.org.id;
    let closed = || ConflictCode::BookingOff.into_error();
    let seen = find_approved_work(&mut *tx, org, id).await?.ok_or_else(closed)?;
    pipeline::lock_stage(&mut *tx, org, seen.lead).await?;
    // It may have been withdrawn or replaced meanwhile.
    let work = find_approved_work(&mut *tx, org, id).await?.ok_or_else(closed)?;
    let is_deposit_first = ctx.profile.settings.booking.deposit_first;
    if is_deposit_first && load_deposit_due(&mut *tx, org, (id, work.lead)).await? > Cents::ZERO {
        return Err(closed());
    }
    booking::plan_approved_work(tx, ctx, work, chosen).await
}
