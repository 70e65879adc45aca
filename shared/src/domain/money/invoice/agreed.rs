//! What was agreed with the customer and what was billed of it before: the lines that are still to be invoiced.

use std::collections::BTreeSet;

use serde::Deserialize;
use sqlx::{FromRow, types::Json};

use crate::{
    documents::{
        line_items::{Line, Paper, Selection},
        template::Language,
    },
    domain::{
        intake::lead::form::service_in,
        money::{
            estimate::{self, Sort, content::Content as Estimate},
            ledger::Counted,
        },
    },
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        id::{EstimateId, InvoiceId, JobId, LeadId, OrgId},
        money::Cents,
    },
};

mod rest;

pub(super) use rest::{Since, billed, rest, since, total};

use rest::settled;

/// Lines that one invoice names; where they would be more, each paper is one. What was invoiced before comes beside them.
const MOST_LINES: usize = 150;

/// An estimate or a change order, as far as it was chosen; or what a job is worth, where no estimate was made.
#[derive(Clone, Debug)]
pub(crate) struct Accepted {
    /// None: what a job is worth.
    pub id: Option<EstimateId>,
    /// `EST-1001`.
    pub number: Option<String>,
    /// The job that a change order changes.
    pub changes: Option<JobId>,
    pub title: Option<String>,
    /// What counts of it, and nothing that could still be chosen.
    pub paper: Paper,
}

#[derive(FromRow)]
struct Row {
    id: EstimateId,
    job_id: Option<JobId>,
    status: estimate::Status,
    content: Json<Estimate>,
    option_id: Option<String>,
    add_ons: Option<Json<BTreeSet<String>>>,
}

impl Row {
    fn accepted(self) -> Accepted {
        let Json(content) = self.content;
        let selection = match self.add_ons {
            Some(Json(add_ons)) => Selection { option_id: self.option_id, add_ons },
            None => content.paper.recommended(),
        };
        let paper = chosen(&content.paper, &selection);
        let number = Some(content.number);
        Accepted { id: Some(self.id), number, changes: self.job_id, title: content.title, paper }
    }
}

/// What counts under a selection, as a paper of its own with the same total.
fn chosen(paper: &Paper, selection: &Selection) -> Paper {
    let lines = paper.lines.iter().filter(|line| line.counts(selection));
    let fixed = |line: &Line| Line { is_optional: false, option_id: None, ..line.clone() };
    Paper { lines: lines.map(fixed).collect(), discount: paper.discount, ..Paper::default() }
}

/// The approved estimates of a lead, else the newest that is open; or this one, whichever it is.
///
/// # Errors
/// [`Error::Conflict`] when this one is not there, or nothing is to be had by it any more.
pub(crate) async fn estimates(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    only: Option<EstimateId>,
) -> Result<Vec<Accepted>> {
    let rows = q!(
        conn,
        fetch_all as Row,
        "SELECT e.id, e.job_id, e.status, e.content, a.option_id, a.add_ons FROM estimate e
         LEFT JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE e.org_id = $1 AND e.lead_id = $2 AND e.job_id IS NULL AND e.status IN ('approved', 'open')
         ORDER BY e.created_at DESC, e.id DESC",
        org,
        lead
    )?;
    if let Some(only) = only {
        let found = rows.into_iter().find(|row| row.id == only);
        let row = found.ok_or(Error::Conflict("This estimate is not open any more. Choose the one that counts."))?;
        return Ok(vec![row.accepted()]);
    }
    let is_approved = |row: &Row| row.status == estimate::Status::Approved;
    if rows.iter().any(is_approved) {
        let mut approved: Vec<Accepted> = rows.into_iter().filter(is_approved).map(Row::accepted).collect();
        approved.reverse();
        return Ok(approved);
    }
    Ok(rows.into_iter().take(1).map(Row::accepted).collect())
}

/// The approved change orders of a lead, in the order in which they were signed. An open one is no agreement.
async fn changes(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<Accepted>> {
    let rows = q!(
        conn,
        fetch_all as Row,
        "SELECT e.id, e.job_id, e.status, e.content, a.option_id, a.add_ons FROM estimate e
         JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE e.org_id = $1 AND e.lead_id = $2 AND e.job_id IS NOT NULL AND e.status = 'approved' ORDER BY a.at, e.id",
        org,
        lead
    )?;
    Ok(rows.into_iter().map(Row::accepted).collect())
}

/// What a lead's invoices are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Of {
    pub lead: LeadId,
    /// The job that is billed.
    pub job: Option<JobId>,
    /// Of the estimates this one alone.
    pub only: Option<EstimateId>,
}

/// Everything that was agreed: the estimates, else what the jobs are worth, and the approved change orders.
///
/// # Errors
/// As [`estimates`].
pub(super) async fn accepted(conn: &mut dyn AsConn, org: OrgId, of: Of, language: Language) -> Result<Vec<Accepted>> {
    let mut accepted = estimates(&mut *conn, org, of.lead, of.only).await?;
    let changes = changes(&mut *conn, org, of.lead).await?;
    if accepted.is_empty() {
        let jobs: BTreeSet<JobId> = changes.iter().filter_map(|change| change.changes).chain(of.job).collect();
        for job in jobs {
            accepted.extend(by_job(&mut *conn, org, job, language).await?);
        }
    }
    accepted.extend(changes);
    Ok(accepted)
}

/// What a job is worth, where nothing was agreed by an estimate.
async fn by_job(conn: &mut dyn AsConn, org: OrgId, job: JobId, language: Language) -> Result<Option<Accepted>> {
    let sql = "SELECT value_cents, service FROM job WHERE org_id = $1 AND id = $2";
    let found = q!(conn, fetch_optional as (Option<Cents>, String), sql, org, job)?;
    let (value, service) = found.ok_or(Error::NotFound)?;
    let service = service_in(language, if service == "other" { "" } else { &service });
    let words = match (language, service) {
        (Language::En, "") => "Work as discussed".to_owned(),
        (Language::En, service) => format!("Work as discussed: {service}"),
        (Language::Es, "") => "Trabajo acordado".to_owned(),
        (Language::Es, service) => format!("Trabajo acordado: {service}"),
    };
    let words: String = words.chars().take(200).collect();
    let value = value.filter(|value| *value > Cents::ZERO);
    Ok(value.map(|value| {
        let paper = Paper::one_line(&words, value);
        Accepted { id: None, number: None, changes: None, title: None, paper }
    }))
}

/// What of the content of an earlier invoice is read here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Issued {
    prefix: String,
    is_final: bool,
    changes: Vec<Counted>,
}

impl Default for Issued {
    fn default() -> Self {
        Self { prefix: "INV-".to_owned(), is_final: false, changes: Vec::new() }
    }
}

/// An invoice that was issued and not taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Before {
    pub id: InvoiceId,
    pub number: String,
    pub total: Cents,
    /// The last one: what was agreed until then is not asked for any more.
    pub is_final: bool,
    /// The change orders that counted when it was reckoned.
    pub changes: Vec<Counted>,
}

/// The issued invoices of a lead, oldest first; also those whose PDF is still being made.
pub(super) async fn before(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<Before>> {
    let rows = q!(
        conn,
        fetch_all as (InvoiceId, i64, Json<Issued>, Cents),
        "SELECT id, number, content, total_cents FROM invoice
         WHERE org_id = $1 AND lead_id = $2 AND status IN ('preparing', 'open', 'paid') AND number IS NOT NULL
         ORDER BY number, id",
        org,
        lead
    )?;
    let shown = |(id, number, Json(content), total): (InvoiceId, i64, Json<Issued>, Cents)| Before {
        id,
        number: format!("{}{number}", content.prefix),
        total,
        is_final: content.is_final,
        changes: content.changes,
    };
    Ok(rows.into_iter().map(shown).collect())
}

/// The change orders that count now: what an invoice that is reckoned with them says of it.
pub(super) async fn counted(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<Counted>> {
    Ok(changes(conn, org, lead).await?.iter().filter_map(count).collect())
}

fn count(change: &Accepted) -> Option<Counted> {
    change.changes?;
    Some(Counted { id: change.id?, number: change.number.clone()?, total: total(&change.paper) })
}

/// The agreed work as one paper.
pub(super) fn together(accepted: &[Accepted], language: Language) -> Option<Paper> {
    match accepted {
        [] => None,
        [one] if one.changes.is_none() => Some(one.paper.clone()),
        several => {
            let bases = several.iter().filter(|one| one.changes.is_none()).count();
            let named = |one: &Accepted| match one.changes {
                // Discounts of several papers cannot stand on one: each is one line.
                None if bases > 1 => vec![as_one_line(one, language)],
                None => settled(&one.paper).lines,
                Some(_) => of_change(one),
            };
            let lines: Vec<Line> = several.iter().flat_map(named).collect();
            let lines = match lines.len() {
                0..=MOST_LINES => lines,
                _ => several.iter().map(|one| as_one_line(one, language)).collect(),
            };
            Some(Paper { lines: numbered(lines), ..Paper::default() })
        }
    }
}

/// The lines of a change order, each with its number.
fn of_change(one: &Accepted) -> Vec<Line> {
    let number = one.number.as_deref().unwrap_or_default();
    let named = |line: Line| {
        let name: String = format!("{number}: {}", line.name).chars().take(200).collect();
        Line { name, ..line }
    };
    settled(&one.paper).lines.into_iter().map(named).collect()
}

fn as_one_line(one: &Accepted, language: Language) -> Line {
    let word = Sort::of(one.changes).title(language);
    let name = match (&one.number, one.paper.lines.first()) {
        (Some(number), _) => format!("{word} {number}"),
        (None, Some(line)) => line.name.clone(),
        (None, None) => word.to_owned(),
    };
    Line { name, unit: "each".to_owned(), unit_price: total(&one.paper), ..Line::default() }
}

/// Lines of several papers under ids of their own.
fn numbered(lines: Vec<Line>) -> Vec<Line> {
    let numbered = |(at, line): (usize, Line)| Line { id: (at + 1).to_string(), ..line };
    lines.into_iter().enumerate().map(numbered).collect()
}

#[cfg(test)]
mod tests;
