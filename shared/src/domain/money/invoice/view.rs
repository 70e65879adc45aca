//! Invoices as shown to the business.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{content::InvoiceSnapshot, org_today, row::InvoiceRecord};
use crate::{
    documents::line_items::{DocumentContent, DocumentTotals},
    domain::{
        messaging::{
            followup::{self, FollowUpView},
            message,
        },
        money::ledger::{InvoiceSummary, PaymentStatus, PaymentView, view as ledger},
        tenancy::org::OrgContext,
        work::activity::{self, EventView},
    },
    platform::{
        access_link,
        db::{AsConn, qb},
        error::{Error, Result},
        id::{EstimateId, FileId, InvoiceId, PaymentId},
    },
};

/// One invoice with everything about it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvoiceView {
    #[serde(flatten)]
    pub summary: InvoiceSummary,
    pub estimate_id: Option<EstimateId>,
    /// When it last went out; null when it was only issued.
    pub sent_at: Option<DateTime<Utc>>,
    /// Why the last sending has not left: "Waiting to send: it is night there". Null when it left.
    pub unsent: Option<String>,
    /// When it was paid or voided.
    pub settled_at: Option<DateTime<Utc>>,
    pub content: InvoiceContent,
    pub totals: DocumentTotals,
    /// What was put to it, newest first, with the refunds of it that are on their way, in doubt or failed.
    pub payments: Vec<PaymentView>,
    /// What reminds of it.
    pub follow_ups: Vec<FollowUpView>,
    /// Where the customer reads it; null for a draft.
    pub link: Option<String>,
    pub file_id: Option<FileId>,
    /// What happened to it, oldest first.
    pub events: Vec<EventView>,
}

/// What it says.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvoiceContent {
    /// What it is for: "Plumbing".
    pub title: Option<String>,
    /// What it follows from: "EST-1001".
    pub about: Option<String>,
    /// It is the last one: nothing beyond the invoices is asked for any more.
    pub is_final: bool,
    pub how_to_pay: Option<String>,
    #[serde(flatten)]
    pub paper: DocumentContent,
}

impl From<InvoiceSnapshot> for InvoiceContent {
    fn from(content: InvoiceSnapshot) -> Self {
        Self {
            title: content.title,
            about: content.about,
            is_final: content.billed.is_final,
            how_to_pay: content.how_to_pay,
            paper: content.paper,
        }
    }
}

fn is_allocated_to(paid: &PaymentView, id: InvoiceId) -> bool {
    paid.allocations.iter().any(|part| part.invoice_id == id)
}

/// A refund of one of these payments that is on its way, in doubt or failed: it takes nothing back from the invoice.
fn is_unsettled_refund(paid: &PaymentView, of: &BTreeSet<PaymentId>) -> bool {
    paid.status != PaymentStatus::Settled && paid.refund_of.is_some_and(|payment| of.contains(&payment))
}

/// Errors: [`Error::NotFound`] when the org has no such invoice.
pub async fn load_view(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, id: InvoiceId) -> Result<InvoiceView> {
    let (org, now) = (ctx.profile.org.id, ctx.origin.now());
    let found = qb!(&mut *conn, fetch_optional as ledger::InvoiceSummaryRow, |b| {
        b.push(ledger::INVOICE_SUMMARY_SQL)
            .push(" WHERE i.org_id = ")
            .push_bind(org)
            .push(" AND i.id = ")
            .push_bind(id);
    })?;
    let summary = found.ok_or(Error::NotFound)?.into_summary(org_today(ctx));
    let row = InvoiceRecord::get(&mut *conn, org, id).await?;
    let mut payments = ledger::list_payments(&mut *conn, org, row.lead, now).await?;
    let own: BTreeSet<PaymentId> =
        payments.iter().filter(|paid| is_allocated_to(paid, id)).map(|paid| paid.id).collect();
    payments.retain(|paid| own.contains(&paid.id) || is_unsettled_refund(paid, &own));
    let mut events = activity::list_lead_events(&mut *conn, org, row.lead).await?;
    events.retain(|event| event.subject_id == Some(id.0));
    let link = access_link::find_active(&mut *conn, org, access_link::LinkKind::Invoice, id.0).await?;
    let path = link.map(|link| access_link::build_path(ctx.secret, link, access_link::LinkKind::Invoice));
    let last = message::load_last_document_send(&mut *conn, org, row.lead, id.0, now).await?;
    let content = row.content.0;
    Ok(InvoiceView {
        summary,
        estimate_id: row.estimate,
        sent_at: last.left_at.or(row.sent_at.filter(|_| !last.is_withdrawn)),
        unsent: last.unsent,
        settled_at: row.settled_at,
        totals: content.paper.compute_totals(&content.paper.recommended_selection()),
        content: content.into(),
        payments,
        follow_ups: followup::list_steps(conn, org, id.0).await?,
        link: path.map(|path| ctx.public_url.join(&path)),
        file_id: row.file_id,
        events,
    })
}
