//! What is agreed for a job, paper by paper, and how much a change may take off it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};

use super::super::Status;
use crate::{
    documents::template::Language,
    domain::money::ledger,
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        id::{JobId, LeadId, OrgId},
        money::Cents,
    },
};

/// One part of what was agreed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Agreed {
    /// `EST-1001`; none for what the job is worth, where no estimate was made.
    pub number: Option<String>,
    pub is_change: bool,
    pub total: Cents,
}

/// All of it together.
#[must_use]
pub fn sum(agreed: &[Agreed]) -> Cents {
    agreed.iter().map(|part| part.total).sum()
}

impl Agreed {
    /// "Agreed before: EST-1001".
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

/// What is left out of what was agreed.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::domain::money::estimate) struct But {
    /// The versions of this number, as it is stored.
    pub number: Option<i64>,
    /// Change orders that were approved then or later.
    pub since: Option<DateTime<Utc>>,
}

#[derive(FromRow)]
struct Paper {
    number: i64,
    job_id: Option<JobId>,
    status: Status,
    content: Json<Named>,
    total_cents: Cents,
    at: Option<DateTime<Utc>>,
}

#[derive(Deserialize)]
struct Named {
    number: String,
}

impl Paper {
    fn agreed(self) -> Agreed {
        Agreed { number: Some(self.content.0.number), is_change: self.job_id.is_some(), total: self.total_cents }
    }
}

/// What is agreed for a job, paper by paper: by the estimates of its lead and every approved change order of them; where
/// there is no estimate by what the job is worth and its own change orders.
pub(in crate::domain::money::estimate) async fn agreed(
    conn: &mut dyn AsConn,
    org: OrgId,
    (lead, job): (LeadId, JobId),
    but: But,
) -> Result<Vec<Agreed>> {
    let papers = q!(
        &mut *conn,
        fetch_all as Paper,
        "SELECT e.number, e.job_id, e.status, e.content, COALESCE(a.total_cents, e.total_cents) AS total_cents, a.at
         FROM estimate e LEFT JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE e.org_id = $1 AND e.lead_id = $2 AND e.status IN ('approved', 'open') ORDER BY e.created_at, e.id",
        org,
        lead
    )?;
    let (changes, estimates): (Vec<Paper>, Vec<Paper>) = papers.into_iter().partition(|paper| paper.job_id.is_some());
    let mut agreed = by_estimates(estimates);
    let has_estimate = !agreed.is_empty();
    if !has_estimate {
        let worth = "SELECT value_cents FROM job WHERE org_id = $1 AND id = $2";
        let worth = q!(conn, fetch_optional scalar Option<Cents>, worth, org, job)?.ok_or(Error::NotFound)?;
        let worth = worth.filter(|worth| *worth > Cents::ZERO);
        agreed.extend(worth.map(|total| Agreed { number: None, is_change: false, total }));
    }
    let counts = |paper: &Paper| {
        paper.status == Status::Approved
            && Some(paper.number) != but.number
            && but.since.is_none_or(|since| paper.at.is_some_and(|at| at < since))
            && (has_estimate || paper.job_id == Some(job))
    };
    agreed.extend(changes.into_iter().filter(counts).map(Paper::agreed));
    Ok(agreed)
}

/// The approved ones, else the newest that is open.
fn by_estimates(mut papers: Vec<Paper>) -> Vec<Agreed> {
    if papers.iter().any(|paper| paper.status == Status::Approved) {
        papers.retain(|paper| paper.status == Status::Approved);
    } else {
        papers = papers.pop().into_iter().collect();
    }
    papers.into_iter().map(Paper::agreed).collect()
}

/// Why a change takes off too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::domain::money::estimate) enum Misfit {
    MoreThanAgreed,
    MoreThanIsLeft,
}

impl Misfit {
    pub(super) fn said(self) -> &'static str {
        match self {
            Self::MoreThanAgreed => "That takes off more than was agreed.",
            Self::MoreThanIsLeft => "More than that has been invoiced already. Void an invoice first.",
        }
    }
}

/// Whether what is agreed would come to less than nothing, or fall below what was billed of it. `before` is without the
/// version of the same change order that is in force.
pub(in crate::domain::money::estimate) async fn misfit(
    conn: &mut dyn AsConn,
    org: OrgId,
    (lead, job): (LeadId, JobId),
    before: Cents,
    total: Cents,
) -> Result<Option<Misfit>> {
    let now = sum(&agreed(&mut *conn, org, (lead, job), But::default()).await?);
    let after = [before, total].into_iter().sum::<Cents>();
    if after < Cents::ZERO {
        return Ok(Some(Misfit::MoreThanAgreed));
    }
    if after >= now {
        return Ok(None);
    }
    let balance = ledger::balance(conn, org, lead).await?;
    let is_billed = balance.is_final || after < balance.invoiced;
    Ok(is_billed.then_some(Misfit::MoreThanIsLeft))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper(number: i64, status: Status, cents: i64) -> Paper {
        let named = Named { number: format!("EST-{number}") };
        let total_cents = Cents(cents);
        Paper { number, job_id: None, status, content: Json(named), total_cents, at: None }
    }

    #[test]
    fn what_was_signed_counts_else_the_newest_that_waits() {
        let sums = |papers: Vec<Paper>| sum(&by_estimates(papers)).0;
        assert_eq!(sums(vec![]), 0);
        assert_eq!(sums(vec![paper(1, Status::Open, 100), paper(2, Status::Open, 250)]), 250);
        let mixed = vec![paper(1, Status::Approved, 100), paper(2, Status::Open, 250), paper(3, Status::Approved, 30)];
        assert_eq!(sums(mixed), 130);
    }

    #[test]
    fn what_was_agreed_before_is_named_in_the_customers_language() {
        let part = |number: Option<&str>| Agreed { number: number.map(Into::into), is_change: false, total: Cents(1) };
        assert_eq!(part(Some("EST-1001")).label(1007, Language::En), "Agreed before: EST-1001");
        assert_eq!(part(None).label(1007, Language::En), "Agreed before: job 1007");
        assert_eq!(part(Some("CO-1001")).label(1007, Language::Es), "Acordado antes: CO-1001");
        assert_eq!(part(None).label(1007, Language::Es), "Acordado antes: trabajo 1007");
    }
}
