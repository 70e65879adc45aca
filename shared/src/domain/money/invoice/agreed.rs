//! Agreed work and what was billed of it before: the lines still to be invoiced.

use std::collections::BTreeSet;

use sqlx::{FromRow, types::Json};

use crate::{
    conflicts::ConflictCode,
    documents::{
        line_items::{DocumentContent, LineItem, OptionSelection},
        template::Language,
    },
    domain::{
        intake::lead::localized_service,
        money::{
            estimate::{self, EstimateKind, content::EstimateSnapshot as Estimate},
            ledger::{BilledContent, CountedChangeOrder},
        },
    },
    platform::{
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{EstimateId, InvoiceId, JobId, LeadId, OrgId},
        money::Cents,
    },
};

mod remaining;

pub(super) use remaining::{ChangesSinceFinal, changes_since_final, document_total, remaining_document, sum_invoiced};

use remaining::inline_discount;

/// Limit of lines on an invoice; beyond it each paper is one line. Lines for earlier invoices come in addition.
const MAX_LINES: usize = 150;

/// The chosen part of an estimate or change order, or the value of a job without an estimate.
#[derive(Clone, Debug)]
pub(crate) struct AcceptedDocument {
    /// None for the value of a job.
    pub id: Option<EstimateId>,
    pub number: Option<String>,
    pub changes: Option<JobId>,
    pub title: Option<String>,
    /// Only lines that count, with no choices left open.
    pub paper: DocumentContent,
}

#[derive(FromRow)]
struct AcceptedEstimateRow {
    id: EstimateId,
    job_id: Option<JobId>,
    status: estimate::EstimateStatus,
    content: Json<Estimate>,
    option_id: Option<String>,
    add_ons: Option<Json<BTreeSet<String>>>,
}

impl AcceptedEstimateRow {
    fn into_accepted(self) -> AcceptedDocument {
        let Json(content) = self.content;
        let selection = match self.add_ons {
            Some(Json(add_ons)) => OptionSelection { option_id: self.option_id, add_ons },
            None => content.paper.recommended_selection(),
        };
        let paper = apply_selection(&content.paper, &selection);
        let number = Some(content.number);
        AcceptedDocument { id: Some(self.id), number, changes: self.job_id, title: content.title, paper }
    }
}

/// The selected lines as a paper of their own with the same total.
fn apply_selection(paper: &DocumentContent, selection: &OptionSelection) -> DocumentContent {
    let lines = paper.lines.iter().filter(|line| line.is_counted(selection));
    let fixed = |line: &LineItem| LineItem { is_optional: false, option_id: None, ..line.clone() };
    DocumentContent { lines: lines.map(fixed).collect(), discount: paper.discount, ..DocumentContent::default() }
}

/// The approved estimates of a lead, else the newest open one; `only` selects one of them.
/// Errors: [`Error::Conflict`] when that one is neither approved nor open.
async fn list_accepted_estimates(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    only: Option<EstimateId>,
) -> Result<Vec<AcceptedDocument>> {
    let rows = q!(
        conn,
        fetch_all as AcceptedEstimateRow,
        "SELECT e.id, e.job_id, e.status, e.content, a.option_id, a.add_ons FROM estimate e
         LEFT JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE e.org_id = $1 AND e.lead_id = $2 AND e.job_id IS NULL AND e.status IN ('approved', 'open')
         ORDER BY e.created_at DESC, e.id DESC",
        org,
        lead
    )?;
    if let Some(only) = only {
        let found = rows.into_iter().find(|row| row.id == only);
        let row = found.ok_or(ConflictCode::EstimateNotCounted.into_error())?;
        return Ok(vec![row.into_accepted()]);
    }
    let is_approved = |row: &AcceptedEstimateRow| row.status == estimate::EstimateStatus::Approved;
    if rows.iter().any(is_approved) {
        let mut approved: Vec<AcceptedDocument> =
            rows.into_iter().filter(is_approved).map(AcceptedEstimateRow::into_accepted).collect();
        approved.reverse();
        return Ok(approved);
    }
    Ok(rows.into_iter().take(1).map(AcceptedEstimateRow::into_accepted).collect())
}

/// Approved change orders of a lead, in the order of signing. Open ones are not agreed.
async fn list_accepted_change_orders(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<AcceptedDocument>> {
    let rows = q!(
        conn,
        fetch_all as AcceptedEstimateRow,
        "SELECT e.id, e.job_id, e.status, e.content, a.option_id, a.add_ons FROM estimate e
         JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE e.org_id = $1 AND e.lead_id = $2 AND e.job_id IS NOT NULL AND e.status = 'approved' ORDER BY a.at, e.id",
        org,
        lead
    )?;
    Ok(rows.into_iter().map(AcceptedEstimateRow::into_accepted).collect())
}

#[derive(Clone, Copy, Debug)]
pub(super) struct BillingScope {
    pub lead: LeadId,
    pub job: Option<JobId>,
    /// Only this one of the estimates.
    pub only: Option<EstimateId>,
}

/// Lines of the approved estimates; empty while none is.
pub(crate) async fn list_approved_lines(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<Vec<LineItem>> {
    let sql = "SELECT EXISTS (SELECT 1 FROM estimate WHERE org_id = $1 AND lead_id = $2 AND job_id IS NULL
         AND status = 'approved')";
    if !q!(&mut *tx, fetch_one scalar bool, sql, org, lead)? {
        return Ok(Vec::new());
    }
    let papers = list_accepted_estimates(tx, org, lead, None).await?;
    Ok(papers.into_iter().flat_map(|estimate| estimate.paper.lines).collect())
}

/// The estimates, else the values of the jobs, and the approved change orders.
/// Errors: as [`list_accepted_estimates`].
pub(super) async fn list_accepted_documents(
    conn: &mut dyn AsConn,
    org: OrgId,
    of: BillingScope,
    language: Language,
) -> Result<Vec<AcceptedDocument>> {
    let mut accepted = list_accepted_estimates(&mut *conn, org, of.lead, of.only).await?;
    let changes = list_accepted_change_orders(&mut *conn, org, of.lead).await?;
    if accepted.is_empty() {
        let jobs: BTreeSet<JobId> = changes.iter().filter_map(|change| change.changes).chain(of.job).collect();
        for job in jobs {
            accepted.extend(accepted_from_job_value(&mut *conn, org, job, language).await?);
        }
    }
    accepted.extend(changes);
    Ok(accepted)
}

/// Value of a job that has no estimate.
async fn accepted_from_job_value(
    conn: &mut dyn AsConn,
    org: OrgId,
    job: JobId,
    language: Language,
) -> Result<Option<AcceptedDocument>> {
    let sql = "SELECT value_cents, service FROM job WHERE org_id = $1 AND id = $2";
    let found = q!(conn, fetch_optional as (Option<Cents>, String), sql, org, job)?;
    let (value, service) = found.ok_or(Error::NotFound)?;
    let service = localized_service(language, if service == "other" { "" } else { &service });
    let words = match (language, service) {
        (Language::En, "") => "Work as discussed".to_owned(),
        (Language::En, service) => format!("Work as discussed: {service}"),
        (Language::Es, "") => "Trabajo acordado".to_owned(),
        (Language::Es, service) => format!("Trabajo acordado: {service}"),
    };
    let words: String = words.chars().take(200).collect();
    let value = value.filter(|value| *value > Cents::ZERO);
    Ok(value.map(|value| {
        let paper = DocumentContent::with_single_line(&words, value);
        AcceptedDocument { id: None, number: None, changes: None, title: None, paper }
    }))
}

/// An issued invoice that is not void.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PriorInvoice {
    pub id: InvoiceId,
    pub number: String,
    pub total: Cents,
    /// Final invoice: nothing agreed before it is asked for any more.
    pub is_final: bool,
    /// Change orders that it was calculated with.
    pub changes: Vec<CountedChangeOrder>,
}

/// Issued invoices of a lead, oldest first, including those whose PDF is being made.
pub(super) async fn list_prior_invoices(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<PriorInvoice>> {
    let rows = q!(
        conn,
        fetch_all as (InvoiceId, i64, Json<BilledContent>, Cents),
        "SELECT id, number, content, total_cents FROM invoice
         WHERE org_id = $1 AND lead_id = $2 AND status IN ('preparing', 'open', 'paid') AND number IS NOT NULL
         ORDER BY number, id",
        org,
        lead
    )?;
    let shown = |(id, number, Json(content), total): (InvoiceId, i64, Json<BilledContent>, Cents)| PriorInvoice {
        id,
        number: format!("{}{number}", content.prefix),
        total,
        is_final: content.is_final,
        changes: content.changes,
    };
    Ok(rows.into_iter().map(shown).collect())
}

/// Change orders that count now; an invoice calculated with them stores them.
pub(super) async fn list_counted_change_orders(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
) -> Result<Vec<CountedChangeOrder>> {
    Ok(list_accepted_change_orders(conn, org, lead).await?.iter().filter_map(to_counted).collect())
}

fn to_counted(change: &AcceptedDocument) -> Option<CountedChangeOrder> {
    change.changes?;
    Some(CountedChangeOrder { id: change.id?, number: change.number.clone()?, total: document_total(&change.paper) })
}

pub(super) fn combine_documents(accepted: &[AcceptedDocument], language: Language) -> Option<DocumentContent> {
    match accepted {
        [] => None,
        [one] if one.changes.is_none() => Some(one.paper.clone()),
        several => {
            let bases = several.iter().filter(|one| one.changes.is_none()).count();
            let named = |one: &AcceptedDocument| match one.changes {
                // Discounts of several papers cannot be combined: each paper becomes one line.
                None if bases > 1 => vec![as_single_line(one, language)],
                None => inline_discount(&one.paper).lines,
                Some(_) => change_order_lines(one),
            };
            let lines: Vec<LineItem> = several.iter().flat_map(named).collect();
            let lines = match lines.len() {
                0..=MAX_LINES => lines,
                _ => several.iter().map(|one| as_single_line(one, language)).collect(),
            };
            Some(DocumentContent { lines: renumber_lines(lines), ..DocumentContent::default() })
        }
    }
}

fn change_order_lines(one: &AcceptedDocument) -> Vec<LineItem> {
    let number = one.number.as_deref().unwrap_or_default();
    let named = |line: LineItem| {
        let name: String = format!("{number}: {}", line.name).chars().take(200).collect();
        LineItem { name, ..line }
    };
    inline_discount(&one.paper).lines.into_iter().map(named).collect()
}

fn as_single_line(one: &AcceptedDocument, language: Language) -> LineItem {
    let word = EstimateKind::from_job(one.changes).display_title(language);
    let name = match (&one.number, one.paper.lines.first()) {
        (Some(number), _) => format!("{word} {number}"),
        (None, Some(line)) => line.name.clone(),
        (None, None) => word.to_owned(),
    };
    LineItem { name, unit: "each".to_owned(), unit_price: document_total(&one.paper), ..LineItem::default() }
}

/// New ids, unique across several papers.
fn renumber_lines(lines: Vec<LineItem>) -> Vec<LineItem> {
    let numbered = |(at, line): (usize, LineItem)| LineItem { id: (at + 1).to_string(), ..line };
    lines.into_iter().enumerate().map(numbered).collect()
}

#[cfg(test)]
mod tests;
