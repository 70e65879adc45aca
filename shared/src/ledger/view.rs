//! The money of a lead as people of the business see it.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use super::{Kind, Method, Status, balance};
use crate::{
    db::{AsConn, q, qb},
    error::{Error, Result},
    id::{CustomerId, InvoiceId, JobId, LeadId, OrgId, PaymentId},
    invoice,
    money::Cents,
    work::UNDO,
};

/// The money of one lead. Amounts are US dollars.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeadMoney {
    /// By the approved estimate, else by the open one, and by the approved change orders; null without.
    pub agreed: Option<Cents>,
    /// How much of it is by change orders; below nothing where they take something off.
    pub change_orders: Cents,
    pub invoiced: Cents,
    /// What came in and stayed.
    pub collected: Cents,
    pub refunded: Cents,
    pub written_off: Cents,
    pub owed: Cents,
    /// Paid beyond what is due; nothing where nothing was agreed or invoiced.
    pub credit: Cents,
    /// What is left to pay of the approved deposit.
    pub deposit_due: Cents,
    pub deposit_paid: Cents,
    /// Newest first; without what was taken back.
    pub payments: Vec<PaymentView>,
    pub invoices: Vec<InvoiceSummary>,
}

/// A row of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentView {
    pub id: PaymentId,
    pub lead_id: LeadId,
    /// `RCP-1001`; null for what was written off.
    pub number: Option<String>,
    pub kind: Kind,
    pub method: Method,
    pub amount: Cents,
    /// In the business's zone.
    pub received_on: NaiveDate,
    /// "Check 1042".
    pub reference: Option<String>,
    pub note: Option<String>,
    pub status: Status,
    /// The payment that it gives back.
    pub refund_of: Option<PaymentId>,
    /// Who recorded it, by name.
    pub by: Option<String>,
    pub created_at: DateTime<Utc>,
    /// Whether it can still be taken back.
    pub undoable: bool,
    /// Until when; null when it cannot.
    pub undo_until: Option<DateTime<Utc>>,
    /// How much of it can be given back.
    pub refundable: Cents,
    pub allocations: Vec<Allocation>,
}

/// The part of a payment that pays an invoice; below nothing for what a refund took back from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Allocation {
    pub invoice_id: InvoiceId,
    pub number: Option<String>,
    pub amount: Cents,
}

/// How an invoice stands today.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InvoiceState {
    Draft,
    Preparing,
    Open,
    /// Its day has passed.
    Overdue,
    Paid,
    Void,
}

impl InvoiceState {
    /// As it stands in lists for spreadsheets.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Preparing => "preparing",
            Self::Open => "open",
            Self::Overdue => "overdue",
            Self::Paid => "paid",
            Self::Void => "void",
        }
    }

    fn of(status: invoice::Status, is_late: bool) -> Self {
        match status {
            invoice::Status::Draft => Self::Draft,
            invoice::Status::Preparing => Self::Preparing,
            invoice::Status::Open if is_late => Self::Overdue,
            invoice::Status::Open => Self::Open,
            invoice::Status::Paid => Self::Paid,
            invoice::Status::Void => Self::Void,
        }
    }
}

/// An invoice as a row of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvoiceSummary {
    pub id: InvoiceId,
    /// `INV-1001`; a draft has none.
    pub number: Option<String>,
    pub customer: String,
    pub customer_id: CustomerId,
    pub lead_id: LeadId,
    pub job_id: Option<JobId>,
    pub status: InvoiceState,
    pub total: Cents,
    pub paid: Cents,
    pub balance: Cents,
    pub issued_on: Option<NaiveDate>,
    pub due_on: Option<NaiveDate>,
    /// 0 until it is overdue.
    pub days_overdue: i64,
    pub is_reminded: bool,
    pub promised_on: Option<NaiveDate>,
    pub disputed_at: Option<DateTime<Utc>>,
    pub viewed_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

/// `RCP-1001`.
#[must_use]
pub(super) fn receipt_number(number: i64) -> String {
    format!("RCP-{number}")
}

/// As it was issued: the prefix of then stands in what it says.
fn invoice_number(number: Option<i64>, content: &serde_json::Value) -> Option<String> {
    Some(format!("{}{}", content["prefix"].as_str().unwrap_or("INV-"), number?))
}

#[derive(FromRow)]
struct Row {
    id: PaymentId,
    lead_id: LeadId,
    number: Option<i64>,
    kind: Kind,
    method: Method,
    amount_cents: Cents,
    received_on: NaiveDate,
    reference: Option<String>,
    note: Option<String>,
    status: Status,
    refund_of: Option<PaymentId>,
    by_name: Option<String>,
    provider_id: Option<String>,
    created_at: DateTime<Utc>,
}

#[derive(FromRow)]
struct Part {
    payment_id: PaymentId,
    invoice_id: InvoiceId,
    cents: Cents,
    number: Option<i64>,
    content: Json<serde_json::Value>,
}

/// The rows of a lead, newest first, without what was taken back.
pub(crate) async fn payments(
    conn: &mut impl AsConn,
    org: OrgId,
    lead: LeadId,
    now: DateTime<Utc>,
) -> Result<Vec<PaymentView>> {
    let rows = q!(
        &mut *conn,
        fetch_all as Row,
        "SELECT p.id, p.lead_id, p.number, p.kind, p.method, p.amount_cents, p.received_on, p.reference, p.note, p.status, p.refund_of,
             a.name AS by_name, p.provider_id, p.created_at
         FROM payment p LEFT JOIN account a ON a.org_id = p.org_id AND a.id = p.account_id
         WHERE p.org_id = $1 AND p.lead_id = $2 AND p.undone_at IS NULL ORDER BY p.created_at DESC, p.id DESC",
        org,
        lead
    )?;
    let parts = q!(
        conn,
        fetch_all as Part,
        "SELECT l.payment_id, l.invoice_id, l.cents, i.number, i.content FROM allocation l
         JOIN payment p ON p.org_id = l.org_id AND p.id = l.payment_id
         JOIN invoice i ON i.org_id = l.org_id AND i.id = l.invoice_id
         WHERE l.org_id = $1 AND p.lead_id = $2 ORDER BY i.number, i.id",
        org,
        lead
    )?;
    Ok(rows.iter().map(|row| row.view(&rows, &parts, now)).collect())
}

impl Row {
    fn view(&self, all: &[Self], parts: &[Part], now: DateTime<Utc>) -> PaymentView {
        let refunds = all.iter().filter(|row| row.refund_of == Some(self.id) && row.status != Status::Failed);
        let back: i64 = refunds.map(|row| row.amount_cents.0).sum();
        let can_go_back = self.kind == Kind::Payment && self.status == Status::Settled;
        let until = self.created_at + UNDO;
        let undoable = self.kind != Kind::WriteOff && self.provider_id.is_none() && back == 0 && now <= until;
        let allocations = parts.iter().filter(|part| part.payment_id == self.id).map(|part| Allocation {
            invoice_id: part.invoice_id,
            number: invoice_number(part.number, &part.content),
            amount: part.cents,
        });
        PaymentView {
            id: self.id,
            lead_id: self.lead_id,
            number: self.number.map(receipt_number),
            kind: self.kind,
            method: self.method,
            amount: self.amount_cents,
            received_on: self.received_on,
            reference: self.reference.clone(),
            note: self.note.clone(),
            status: self.status,
            refund_of: self.refund_of,
            by: self.by_name.clone(),
            created_at: self.created_at,
            undoable,
            undo_until: undoable.then_some(until),
            refundable: if can_go_back { Cents(self.amount_cents.0 - back) } else { Cents::ZERO },
            allocations: allocations.collect(),
        }
    }
}

/// One row of the ledger.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such row, or it was taken back.
pub async fn payment(conn: &mut impl AsConn, org: OrgId, id: PaymentId, now: DateTime<Utc>) -> Result<PaymentView> {
    let lead = "SELECT lead_id FROM payment WHERE org_id = $1 AND id = $2";
    let lead = q!(&mut *conn, fetch_optional scalar LeadId, lead, org, id)?.ok_or(Error::NotFound)?;
    let all = payments(conn, org, lead, now).await?;
    all.into_iter().find(|row| row.id == id).ok_or(Error::NotFound)
}

/// An invoice as a list reads it.
#[derive(FromRow)]
pub(crate) struct InvoiceRow {
    pub id: InvoiceId,
    number: Option<i64>,
    customer: String,
    customer_id: CustomerId,
    lead_id: LeadId,
    job_id: Option<JobId>,
    status: invoice::Status,
    content: Json<serde_json::Value>,
    total_cents: Cents,
    paid_cents: Cents,
    issued_on: Option<NaiveDate>,
    due_on: Option<NaiveDate>,
    is_reminded: bool,
    promised_on: Option<NaiveDate>,
    disputed_at: Option<DateTime<Utc>>,
    viewed_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

/// What an [`InvoiceRow`] is read from.
pub(crate) const INVOICE_ROWS: &str =
    "SELECT i.id, i.number, c.name AS customer, i.customer_id, i.lead_id, i.job_id, i.status, i.content, i.total_cents,
         i.paid_cents, i.issued_on, i.due_on, i.is_reminded, i.promised_on, i.disputed_at, i.viewed_at, i.created_at
     FROM invoice i JOIN customer c ON c.org_id = i.org_id AND c.id = i.customer_id";

impl InvoiceRow {
    /// As people read it on `today`, which decides what is overdue.
    pub(crate) fn view(self, today: NaiveDate) -> InvoiceSummary {
        // What was taken back asks for nothing.
        let asked = if self.status == invoice::Status::Void { Cents::ZERO } else { self.total_cents };
        let late = self
            .due_on
            .filter(|_| self.status == invoice::Status::Open)
            .map_or(0, |due| (today - due).num_days().max(0));
        InvoiceSummary {
            id: self.id,
            number: invoice_number(self.number, &self.content),
            customer: self.customer,
            customer_id: self.customer_id,
            lead_id: self.lead_id,
            job_id: self.job_id,
            status: InvoiceState::of(self.status, late > 0),
            total: self.total_cents,
            paid: self.paid_cents,
            balance: Cents((asked.0 - self.paid_cents.0).max(0)),
            issued_on: self.issued_on,
            due_on: self.due_on,
            days_overdue: late,
            is_reminded: self.is_reminded,
            promised_on: self.promised_on,
            disputed_at: self.disputed_at,
            viewed_at: self.viewed_at,
            created_at: self.created_at,
        }
    }
}

async fn invoices(conn: &mut impl AsConn, org: OrgId, lead: LeadId, today: NaiveDate) -> Result<Vec<InvoiceSummary>> {
    let rows = qb!(conn, fetch_all as InvoiceRow, |b| {
        b.push(INVOICE_ROWS).push(" WHERE i.org_id = ").push_bind(org).push(" AND i.lead_id = ").push_bind(lead);
        b.push(" ORDER BY i.created_at DESC, i.id DESC");
    })?;
    Ok(rows.into_iter().map(|row| row.view(today)).collect())
}

/// The deposit of what was approved.
async fn deposit(conn: &mut impl AsConn, org: OrgId, lead: LeadId) -> Result<Cents> {
    Ok(q!(
        conn,
        fetch_one scalar Cents,
        "SELECT CAST(COALESCE(SUM(a.deposit_cents), 0) AS BIGINT) FROM estimate e
         JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE e.org_id = $1 AND e.lead_id = $2 AND e.status = 'approved'",
        org,
        lead
    )?)
}

/// Everything about the money of a lead. `today` is the business's.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such lead.
pub async fn money(
    conn: &mut impl AsConn,
    org: OrgId,
    lead: LeadId,
    now: DateTime<Utc>,
    today: NaiveDate,
) -> Result<LeadMoney> {
    let known = "SELECT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND id = $2)";
    if !q!(&mut *conn, fetch_one scalar bool, known, org, lead)? {
        return Err(Error::NotFound);
    }
    let balance = balance(&mut *conn, org, lead).await?;
    let deposit = deposit(&mut *conn, org, lead).await?;
    let received = balance.received();
    Ok(LeadMoney {
        agreed: balance.agreed,
        change_orders: balance.changes,
        invoiced: balance.invoiced,
        collected: received,
        refunded: balance.refunded,
        written_off: balance.written_off,
        owed: balance.owed,
        credit: if balance.due == Cents::ZERO { Cents::ZERO } else { balance.credit },
        deposit_due: Cents((deposit.0 - received.0).max(0)),
        deposit_paid: deposit.min(received),
        payments: payments(&mut *conn, org, lead, now).await?,
        invoices: invoices(conn, org, lead, today).await?,
    })
}
