//! Invoice as shown to its customer at the link.

use chrono::NaiveDate;
use serde_json::{Value, json};

use super::{InvoiceStatus, announce_invoice, content::InvoiceSnapshot, org_today, row::InvoiceRecord};
use crate::{
    documents::{
        line_items::{DocumentContent, DocumentTotals},
        recipient_name::name_on_document,
        template::Language,
    },
    domain::{
        messaging::{
            alert::{self, NewAlert},
            conversation::{self, CustomerQuestion},
            followup,
        },
        money::ledger::{PaymentView, receipt::PaymentReceipt, view as ledger},
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent},
            org::OrgContext,
        },
        work::{file, pipeline},
    },
    platform::{
        access_link::{self, AccessLink},
        db::{AsConn, Tx, q},
        email_address::EmailAddress,
        error::{Error, FieldErrors, Result},
        id::{FileId, InvoiceId, PaymentId},
        money::Cents,
        text,
    },
};

#[derive(Clone, Debug)]
pub struct PublicInvoice {
    pub status: InvoiceStatus,
    content: InvoiceSnapshot,
    pub number: String,
    pub issued_on: Option<NaiveDate>,
    pub due_on: Option<NaiveDate>,
    /// Past its due date, with an open balance.
    pub is_overdue: bool,
    pub totals: DocumentTotals,
    pub balance: Cents,
    /// Payments put to it, oldest first, each with its part.
    pub paid: Vec<(PaymentView, Cents)>,
    pub file: Option<FileId>,
}

impl PublicInvoice {
    #[must_use]
    pub fn language(&self) -> Language {
        self.content.language
    }

    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.content.title.as_deref()
    }

    #[must_use]
    pub fn source_numbers(&self) -> Option<&str> {
        self.content.about.as_deref()
    }

    /// Cleaned here too, for papers from before the rule.
    #[must_use]
    pub fn customer(&self) -> String {
        let to = &self.content.to;
        name_on_document(&to.name, to.phone.as_deref(), to.email.as_deref())
    }

    #[must_use]
    pub fn paper(&self) -> &DocumentContent {
        &self.content.paper
    }

    #[must_use]
    pub fn how_to_pay(&self) -> Option<&str> {
        self.content.how_to_pay.as_deref()
    }
}

/// None while its PDF is being made.
/// Errors: [`Error::NotFound`] when the org has no such invoice.
pub async fn load_public_invoice(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    id: InvoiceId,
) -> Result<Option<PublicInvoice>> {
    let (org, now) = (ctx.profile.org.id, ctx.origin.now());
    let row = InvoiceRecord::get(&mut *conn, org, id).await?;
    let Some(number) =
        row.display_number().filter(|_| !matches!(row.status, InvoiceStatus::Draft | InvoiceStatus::Preparing))
    else {
        return Ok(None);
    };
    let rows = ledger::list_payments(conn, org, row.lead, now).await?;
    let part = |paid: PaymentView| {
        let part = paid.allocations.iter().find(|part| part.invoice_id == id)?.amount;
        Some((paid, part))
    };
    let mut paid: Vec<(PaymentView, Cents)> = rows.into_iter().filter_map(part).collect();
    paid.reverse();
    let late = row.due_on.is_some_and(|due_on| org_today(ctx) > due_on);
    Ok(Some(PublicInvoice {
        status: row.status,
        number,
        issued_on: row.issued_on,
        due_on: row.due_on,
        is_overdue: late && row.status == InvoiceStatus::Open,
        balance: row.balance(),
        file: row.file_id,
        paid,
        totals: row.content.paper.compute_totals(&row.content.paper.recommended_selection()),
        content: row.content.0,
    }))
}

/// [`Error::NotFound`] unless the payment was put to this invoice.
pub async fn load_receipt(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    (id, payment): (InvoiceId, PaymentId),
) -> Result<PaymentReceipt> {
    let bill = load_public_invoice(&mut *conn, ctx, id).await?.ok_or(Error::NotFound)?;
    if !bill.paid.iter().any(|(paid, _)| paid.id == payment) {
        return Err(Error::NotFound);
    }
    PaymentReceipt::for_payment(conn, ctx.profile, payment, ctx.origin.now()).await
}

/// The customer viewed it for longer than a link scanner does.
pub async fn record_view(tx: &mut Tx, ctx: &OrgContext<'_>, link: &AccessLink) -> Result<()> {
    let (now, org) = (ctx.origin.now(), ctx.profile.org.id);
    let id = InvoiceId(link.subject_id);
    access_link::record_view(tx, now, link).await?;
    let first = "UPDATE invoice SET viewed_at = $3 WHERE org_id = $1 AND id = $2 AND viewed_at IS NULL";
    if q!(&mut *tx, execute, first, org, id, now)? == 0 {
        return Ok(());
    }
    let row = InvoiceRecord::get(&mut *tx, org, id).await?;
    if let Some(file) = row.file_id {
        file::mark_viewed(&mut *tx, org, file, now).await?;
    }
    record_customer_event(tx, ctx, &row, EventKind::InvoiceViewed, json!({"number": row.display_number()})).await?;
    announce_invoice(tx, ctx.origin, org, id, row.lead).await
}

/// The question is stored in the conversation, where it can be answered by text or email.
/// Errors: [`Error::NotFound`], or [`Error::Invalid`] without a question.
pub async fn record_question(tx: &mut Tx, ctx: &OrgContext<'_>, id: InvoiceId, question: Option<&str>) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let mut fields = FieldErrors::default();
    let question =
        text::multi_line("question", question, 2000).parse_required("Please write your question", &mut fields);
    fields.into_result()?;
    let lead = super::find_lead_id(&mut *tx, org, id).await?;
    pipeline::lock_stage(&mut *tx, org, lead).await?;
    let row = InvoiceRecord::get(&mut *tx, org, id).await?;
    let number = row.display_number().ok_or(Error::NotFound)?;
    let partner = followup::load_recipient(&mut *tx, ctx, lead).await?;
    let asked = CustomerQuestion {
        lead,
        customer: partner.customer,
        name: &row.content.to.name,
        email: partner.email.as_ref().map(EmailAddress::as_str),
        subject: &format!("Question about {number}"),
        words: &format!("{number}: {question}"),
    };
    let Some(message) = conversation::record_question(&mut *tx, ctx, asked).await? else { return Ok(()) };
    let detail = json!({"number": number});
    record_customer_event(tx, ctx, &row, EventKind::InvoiceAsked, detail).await?;
    let title = format!("{} asks about invoice {number}", row.content.to.name);
    let key = format!("invoice:{id}:asked:{message}");
    let asks = NewAlert::new(alert::AlertKind::InvoiceAsked, key, title, conversation::truncate_for_alert(&question));
    alert::raise_alert(tx, origin, ctx.profile, NewAlert { lead: Some(lead), ..asks }).await?;
    announce_invoice(tx, origin, org, id, lead).await
}

async fn record_customer_event(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    row: &InvoiceRecord,
    kind: EventKind,
    detail: Value,
) -> Result<()> {
    let by = ActivityActor::Customer { name: row.content.to.name.clone() };
    let event = NewEvent {
        job: row.job,
        subject: Some(row.id.0),
        detail,
        ..NewEvent::new(row.lead, kind, ctx.origin.now(), by)
    };
    activity_log::record_event(tx, ctx.origin, ctx.profile.org.id, event).await.map(|_| ())
}
