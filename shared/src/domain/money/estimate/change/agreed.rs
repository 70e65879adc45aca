//! Agreed amounts of a job, paper by paper, and the limit of what a change may take off.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};

use super::super::EstimateStatus;
use crate::{
    conflicts::ConflictCode,
    documents::template::Language,
    domain::money::ledger,
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        id::{JobId, LeadId, OrgId},
        money::Cents,
    },
};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgreedDocument {
    /// `EST-1001`; none for the value of a job without an estimate.
    pub number: Option<String>,
    pub is_change: bool,
    pub total: Cents,
}

#[must_use]
pub fn sum_agreed(agreed: &[AgreedDocument]) -> Cents {
    agreed.iter().map(|part| part.total).sum()
}

impl AgreedDocument {
    #[must_use]
    pub fn label(&self, job: i64, language: Language) -> String {
        let (words, of_job) = match language {
            Language::En => ("Agreed before", "job"),
            Language::Es => ("Acordado antes", "trabajo"),
        };
        match &self.number {
            Some(number) => format!("{words}: {number}"),
            None => format!("{words}: {of_job} {job}"),
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(in crate::domain::money::estimate) struct AgreedExclusions {
    /// Versions of this number, in its stored form.
    pub number: Option<i64>,
    /// Change orders approved at this time or later.
    pub since: Option<DateTime<Utc>>,
}

#[derive(FromRow)]
struct AgreedEstimateRow {
    number: i64,
    job_id: Option<JobId>,
    status: EstimateStatus,
    content: Json<NumberedContent>,
    total_cents: Cents,
    at: Option<DateTime<Utc>>,
}

#[derive(Deserialize)]
struct NumberedContent {
    number: String,
}

impl AgreedEstimateRow {
    fn into_part(self) -> AgreedDocument {
        AgreedDocument {
            number: Some(self.content.0.number),
            is_change: self.job_id.is_some(),
            total: self.total_cents,
        }
    }
}

/// Agreed amounts, paper by paper: the estimates of the lead and all its approved change orders; without an estimate
/// the value of the job and its own change orders.
pub(in crate::domain::money::estimate) async fn list_agreed_parts(
    conn: &mut dyn AsConn,
    org: OrgId,
    (lead, job): (LeadId, JobId),
    but: AgreedExclusions,
) -> Result<Vec<AgreedDocument>> {
    let papers = q!(
        &mut *conn,
        fetch_all as AgreedEstimateRow,
        "SELECT e.number, e.job_id, e.status, e.content, COALESCE(a.total_cents, e.total_cents) AS total_cents, a.at
         FROM estimate e LEFT JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE e.org_id = $1 AND e.lead_id = $2 AND e.status IN ('approved', 'open') ORDER BY e.created_at, e.id",
        org,
        lead
    )?;
    let (changes, estimates): (Vec<AgreedEstimateRow>, Vec<AgreedEstimateRow>) =
        papers.into_iter().partition(|paper| paper.job_id.is_some());
    let mut agreed = select_estimates(estimates);
    let has_estimate = !agreed.is_empty();
    if !has_estimate {
        let worth = "SELECT value_cents FROM job WHERE org_id = $1 AND id = $2";
        let worth = q!(conn, fetch_optional scalar Option<Cents>, worth, org, job)?.ok_or(Error::NotFound)?;
        let worth = worth.filter(|worth| *worth > Cents::ZERO);
        agreed.extend(worth.map(|total| AgreedDocument { number: None, is_change: false, total }));
    }
    let counts = |paper: &AgreedEstimateRow| {
        paper.status == EstimateStatus::Approved
            && Some(paper.number) != but.number
            && but.since.is_none_or(|since| paper.at.is_some_and(|at| at < since))
            && (has_estimate || paper.job_id == Some(job))
    };
    agreed.extend(changes.into_iter().filter(counts).map(AgreedEstimateRow::into_part));
    Ok(agreed)
}

/// The approved estimates, else the newest open one.
fn select_estimates(mut papers: Vec<AgreedEstimateRow>) -> Vec<AgreedDocument> {
    if papers.iter().any(|paper| paper.status == EstimateStatus::Approved) {
        papers.retain(|paper| paper.status == EstimateStatus::Approved);
    } else {
        papers = papers.pop().into_iter().collect();
    }
    papers.into_iter().map(AgreedEstimateRow::into_part).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::domain::money::estimate) enum ReductionError {
    MoreThanAgreed,
    MoreThanIsLeft,
}

impl ReductionError {
    pub(super) fn conflict_code(self) -> ConflictCode {
        match self {
            Self::MoreThanAgreed => ConflictCode::ReductionAboveAgreed,
            Self::MoreThanIsLeft => ConflictCode::ReductionAboveRest,
        }
    }
}

/// Whether the agreed total would fall below zero or below what was billed of it. `before` excludes the version of the
/// same change order that is in force.
pub(in crate::domain::money::estimate) async fn check_reduction(
    conn: &mut dyn AsConn,
    org: OrgId,
    (lead, job): (LeadId, JobId),
    before: Cents,
    total: Cents,
) -> Result<Option<ReductionError>> {
    let now = sum_agreed(&list_agreed_parts(&mut *conn, org, (lead, job), AgreedExclusions::default()).await?);
    let after = [before, total].into_iter().sum::<Cents>();
    if after < Cents::ZERO {
        return Ok(Some(ReductionError::MoreThanAgreed));
    }
    if after >= now {
        return Ok(None);
    }
    let balance = ledger::load_balance(conn, org, lead).await?;
    let is_billed = balance.is_final || after < balance.invoiced;
    Ok(is_billed.then_some(ReductionError::MoreThanIsLeft))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper(number: i64, status: EstimateStatus, cents: i64) -> AgreedEstimateRow {
        let named = NumberedContent { number: format!("EST-{number}") };
        let total_cents = Cents(cents);
        AgreedEstimateRow { number, job_id: None, status, content: Json(named), total_cents, at: None }
    }

    #[test]
    fn agreed_sum_counts_approved_estimates_or_else_newest_open_one() {
        let sums = |papers: Vec<AgreedEstimateRow>| sum_agreed(&select_estimates(papers)).0;
        assert_eq!(sums(vec![]), 0);
        assert_eq!(sums(vec![paper(1, EstimateStatus::Open, 100), paper(2, EstimateStatus::Open, 250)]), 250);
        let mixed = vec![
            paper(1, EstimateStatus::Approved, 100),
            paper(2, EstimateStatus::Open, 250),
            paper(3, EstimateStatus::Approved, 30),
        ];
        assert_eq!(sums(mixed), 130);
    }

    #[test]
    fn earlier_agreed_amount_label_uses_customer_language() {
        let part =
            |number: Option<&str>| AgreedDocument { number: number.map(Into::into), is_change: false, total: Cents(1) };
        assert_eq!(part(Some("EST-1001")).label(1007, Language::En), "Agreed before: EST-1001");
        assert_eq!(part(None).label(1007, Language::En), "Agreed before: job 1007");
        assert_eq!(part(Some("CO-1001")).label(1007, Language::Es), "Acordado antes: CO-1001");
        assert_eq!(part(None).label(1007, Language::Es), "Acordado antes: trabajo 1007");
    }
}
