//! Invoices as rows of a list.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use crate::{
    domain::money::{invoice, ledger::BilledContent},
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::{CustomerId, InvoiceId, JobId, LeadId, OrgId},
        money::Cents,
        text_enum::display_serialized,
    },
};

/// State of an invoice today.
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

// As in CSV files.
display_serialized!(InvoiceState);

impl InvoiceState {
    fn from_status(status: invoice::InvoiceStatus, is_late: bool) -> Self {
        match status {
            invoice::InvoiceStatus::Draft => Self::Draft,
            invoice::InvoiceStatus::Preparing => Self::Preparing,
            invoice::InvoiceStatus::Open if is_late => Self::Overdue,
            invoice::InvoiceStatus::Open => Self::Open,
            invoice::InvoiceStatus::Paid => Self::Paid,
            invoice::InvoiceStatus::Void => Self::Void,
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
    #[serde(rename = "isReminded")]
    pub reminders_enabled: bool,
    pub promised_on: Option<NaiveDate>,
    pub disputed_at: Option<DateTime<Utc>>,
    pub viewed_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

#[derive(FromRow)]
pub(crate) struct InvoiceSummaryRow {
    pub id: InvoiceId,
    number: Option<i64>,
    customer: String,
    customer_id: CustomerId,
    lead_id: LeadId,
    job_id: Option<JobId>,
    status: invoice::InvoiceStatus,
    content: Json<BilledContent>,
    pub total_cents: Cents,
    paid_cents: Cents,
    issued_on: Option<NaiveDate>,
    pub due_on: Option<NaiveDate>,
    reminders_enabled: bool,
    promised_on: Option<NaiveDate>,
    disputed_at: Option<DateTime<Utc>>,
    viewed_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

pub(crate) const INVOICE_SUMMARY_SQL: &str =
    "SELECT i.id, i.number, c.name AS customer, i.customer_id, i.lead_id, i.job_id, i.status, i.content, i.total_cents,
         i.paid_cents, i.issued_on, i.due_on, i.reminders_enabled, i.promised_on, i.disputed_at, i.viewed_at, i.created_at
     FROM invoice i JOIN customer c ON c.org_id = i.org_id AND c.id = i.customer_id";

impl InvoiceSummaryRow {
    /// `today` decides what is overdue.
    pub(crate) fn into_summary(self, today: NaiveDate) -> InvoiceSummary {
        // A void invoice asks for nothing.
        let asked = if self.status == invoice::InvoiceStatus::Void { Cents::ZERO } else { self.total_cents };
        let late = self
            .due_on
            .filter(|_| self.status == invoice::InvoiceStatus::Open)
            .map_or(0, |due| (today - due).num_days().max(0));
        InvoiceSummary {
            id: self.id,
            number: self.content.display_number(self.number),
            customer: self.customer,
            customer_id: self.customer_id,
            lead_id: self.lead_id,
            job_id: self.job_id,
            status: InvoiceState::from_status(self.status, late > 0),
            total: self.total_cents,
            paid: self.paid_cents,
            balance: Cents((asked.0 - self.paid_cents.0).max(0)),
            issued_on: self.issued_on,
            due_on: self.due_on,
            days_overdue: late,
            reminders_enabled: self.reminders_enabled,
            promised_on: self.promised_on,
            disputed_at: self.disputed_at,
            viewed_at: self.viewed_at,
            created_at: self.created_at,
        }
    }
}

pub(super) async fn list_invoices(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    today: NaiveDate,
) -> Result<Vec<InvoiceSummary>> {
    let rows = qb!(conn, fetch_all as InvoiceSummaryRow, |b| {
        b.push(INVOICE_SUMMARY_SQL).push(" WHERE i.org_id = ").push_bind(org).push(" AND i.lead_id = ").push_bind(lead);
        b.push(" ORDER BY i.created_at DESC, i.id DESC");
    })?;
    Ok(rows.into_iter().map(|row| row.into_summary(today)).collect())
}
