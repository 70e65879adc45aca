//! Stored row of an invoice.

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::{FromRow, types::Json};

use super::{InvoiceStatus, content::InvoiceSnapshot};
use crate::platform::{
    db::{AsConn, q},
    error::{Error, Result},
    id::{EstimateId, FileId, InvoiceId, JobId, LeadId, OrgId},
    money::Cents,
};

#[derive(Clone, Debug, FromRow)]
pub(super) struct InvoiceRecord {
    pub id: InvoiceId,
    #[sqlx(rename = "lead_id")]
    pub lead: LeadId,
    #[sqlx(rename = "job_id")]
    pub job: Option<JobId>,
    #[sqlx(rename = "estimate_id")]
    pub estimate: Option<EstimateId>,
    pub number: Option<i64>,
    pub status: InvoiceStatus,
    pub content: Json<InvoiceSnapshot>,
    pub total_cents: Cents,
    pub paid_cents: Cents,
    pub issued_on: Option<NaiveDate>,
    pub due_on: Option<NaiveDate>,
    pub file_id: Option<FileId>,
    pub sent_at: Option<DateTime<Utc>>,
    pub settled_at: Option<DateTime<Utc>>,
    pub promised_on: Option<NaiveDate>,
    pub disputed_at: Option<DateTime<Utc>>,
    pub reminders_enabled: bool,
}

impl InvoiceRecord {
    /// Errors: [`Error::NotFound`] when the org has no such invoice.
    pub async fn get(conn: &mut dyn AsConn, org: OrgId, id: InvoiceId) -> Result<Self> {
        q!(
            conn,
            fetch_optional as Self,
            "SELECT id, lead_id, job_id, estimate_id, number, status, content, total_cents, paid_cents,
                 issued_on, due_on, file_id, sent_at, settled_at, promised_on, disputed_at, reminders_enabled
             FROM invoice WHERE org_id = $1 AND id = $2",
            org,
            id
        )?
        .ok_or(Error::NotFound)
    }

    /// `INV-1001`; a draft has none.
    pub fn display_number(&self) -> Option<String> {
        self.content.billed.display_number(self.number)
    }

    pub fn balance(&self) -> Cents {
        Cents((self.total_cents.0 - self.paid_cents.0).max(0))
    }
}
