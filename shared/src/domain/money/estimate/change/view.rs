//! Change orders of a job as shown to the business, with the agreed totals.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    super::{
        EstimateStatus,
        view::{EstimateView, list_for_changed_job},
    },
    AgreedDocument, AgreedExclusions,
    extra::format_quantity,
    list_agreed_parts, sum_agreed,
};
use crate::{
    documents::line_items::{LineItem, OptionSelection},
    domain::{tenancy::org::OrgContext, work::job},
    platform::{
        db::AsConn,
        error::Result,
        id::{EstimateId, FileId, JobId},
        money::Cents,
    },
};

/// What is agreed for a job. Amounts are US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobAgreed)]
pub struct JobAgreedTotals {
    /// By the approved estimates, else by the open one, else what the job is worth.
    pub estimate: Option<Cents>,
    /// By the approved change orders; below nothing where they take something off.
    pub change_orders: Cents,
    /// Both together.
    pub total: Option<Cents>,
    /// Of change orders that wait for an answer; none of it is agreed.
    pub open: Cents,
}

/// A change order as the job's page lists it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeOrderSummary {
    pub id: EstimateId,
    /// `CO-1001`, the second version `CO-1001-2`.
    pub number: String,
    pub version: i64,
    pub status: EstimateStatus,
    pub title: Option<String>,
    /// What counts of it: once approved, as it was chosen.
    pub lines: Vec<ChangeOrderLine>,
    /// US dollars; below nothing where it takes something off.
    pub total: Cents,
    /// US dollars, due on approval.
    pub deposit: Cents,
    pub issued_on: NaiveDate,
    pub expires_on: Option<NaiveDate>,
    pub created_at: DateTime<Utc>,
    pub sent_at: Option<DateTime<Utc>>,
    /// Why the last sending has not left: "Waiting to send: it is night there". Null when it left.
    pub unsent: Option<String>,
    pub viewed_at: Option<DateTime<Utc>>,
    /// When it was approved or declined.
    pub answered_at: Option<DateTime<Utc>>,
    /// Who signed it, by name.
    pub answered_by: Option<String>,
    pub decline_reason: Option<String>,
    /// Where the customer reads and approves it; null when that address was revoked.
    pub link: Option<String>,
    pub file_id: Option<FileId>,
    pub signed_file_id: Option<FileId>,
    pub can_send: bool,
    pub can_revise: bool,
    pub can_withdraw: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ChangeOrderLine {
    pub name: String,
    /// "2.5 hour"; null when it is one.
    pub quantity: Option<String>,
    /// US dollars, after its own discount and without tax.
    pub amount: Cents,
}

/// Agreed totals of a job and its change orders, newest first, without replaced versions.
pub(crate) async fn load_for_job(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    job: &job::Job,
) -> Result<(JobAgreedTotals, Vec<ChangeOrderSummary>)> {
    let org = ctx.profile.org.id;
    let agreed = list_agreed_parts(&mut *conn, org, (job.lead_id, job.id), AgreedExclusions::default()).await?;
    let all = list_for_changed_job(conn, ctx, job.id).await?;
    let open = all.iter().filter(|change| change.status == EstimateStatus::Open).map(|change| change.total).sum();
    let current_versions = all
        .into_iter()
        .filter(|change| !matches!(change.status, EstimateStatus::Replaced | EstimateStatus::Superseded));
    let shown = current_versions.map(|change| ChangeOrderSummary::from_view(change, job.status)).collect();
    Ok((JobAgreedTotals::from_parts(agreed, open), shown))
}

/// Every version, newest first.
/// Errors: [`crate::platform::error::Error::NotFound`] when the org has no such job.
pub async fn list_versions(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, id: JobId) -> Result<Vec<EstimateView>> {
    job::find(&mut *conn, ctx.profile.org.id, id).await?;
    list_for_changed_job(conn, ctx, id).await
}

impl JobAgreedTotals {
    fn from_parts(agreed: Vec<AgreedDocument>, open: Cents) -> Self {
        let total = (!agreed.is_empty()).then(|| sum_agreed(&agreed));
        let (changes, before): (Vec<AgreedDocument>, Vec<AgreedDocument>) =
            agreed.into_iter().partition(|part| part.is_change);
        let estimate = (!before.is_empty()).then(|| sum_agreed(&before));
        Self { estimate, change_orders: sum_agreed(&changes), total, open }
    }
}

impl ChangeOrderSummary {
    fn from_view(change: EstimateView, job: job::JobState) -> Self {
        use EstimateStatus::{Approved, Declined, Expired, Open};
        let paper = &change.content.paper;
        let selection = match &change.approval {
            Some(approval) => {
                OptionSelection { option_id: approval.option_id.clone(), add_ons: approval.add_ons.clone() }
            }
            None => paper.recommended_selection(),
        };
        let line = |line: &LineItem| ChangeOrderLine {
            name: line.name.clone(),
            quantity: format_quantity(line),
            amount: paper.net_price_of(line),
        };
        let lines = paper.lines.iter().filter(|line| line.is_counted(&selection)).map(line).collect();
        let can_be_changed = job != job::JobState::Cancelled;
        Self {
            id: change.id,
            number: change.number,
            version: change.version,
            status: change.status,
            title: change.content.title,
            lines,
            total: change.total,
            deposit: change.deposit,
            issued_on: change.issued_on,
            expires_on: change.expires_on,
            created_at: change.created_at,
            sent_at: change.sent_at,
            unsent: change.unsent,
            viewed_at: change.viewed_at,
            answered_at: change.approved_at.or(change.declined_at),
            answered_by: change.approval.map(|approval| approval.name),
            decline_reason: change.decline_reason,
            link: change.link,
            file_id: change.file_id,
            signed_file_id: change.signed_file_id,
            can_send: change.status == Open,
            can_revise: can_be_changed && matches!(change.status, Open | Expired | Declined | Approved),
            can_withdraw: matches!(change.status, Open | Expired),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn job_total_adds_change_orders_to_estimate_if_any() {
        let part = |number: &str, is_change, cents| AgreedDocument {
            number: Some(number.into()),
            is_change,
            total: Cents(cents),
        };
        let all = JobAgreedTotals::from_parts(vec![part("EST-1001", false, 100), part("CO-1001", true, -30)], Cents(5));
        let wanted = JobAgreedTotals {
            estimate: Some(Cents(100)),
            change_orders: Cents(-30),
            total: Some(Cents(70)),
            open: Cents(5),
        };
        assert_eq!(all, wanted);
        assert_eq!(JobAgreedTotals::from_parts(vec![], Cents::ZERO), JobAgreedTotals::default());
        let bare = JobAgreedTotals::from_parts(vec![part("CO-1001", true, 30)], Cents::ZERO);
        assert_eq!((bare.estimate, bare.total), (None, Some(Cents(30))));
    }
}
