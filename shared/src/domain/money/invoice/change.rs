//! Changes to an issued invoice other than payment: void, promise, dispute.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde_json::{Value, json};

use super::{InvoiceStatus, announce_invoice, dunning, org_today, row::InvoiceRecord};
use crate::{
    conflicts::ConflictCode,
    domain::{
        messaging::{followup, message},
        money::{
            checkout, ledger,
            listener::{LeadMoneyEvent, notify_money_listeners},
        },
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent},
            org::OrgContext,
        },
        work::pipeline,
    },
    platform::{
        access_link,
        db::{Tx, q},
        error::{Error, FieldErrors, Result},
        id::{EventId, InvoiceId, MessageId, OrgId},
        money::Cents,
        text,
    },
};

/// Limit of a promised day, in days from today.
const MAX_PROMISE_DAYS: i64 = 366;
const NOT_OPEN: Error = ConflictCode::InvoiceNotOpen.into_error();

/// Locks the lead until the end of the transaction.
async fn lock_invoice(tx: &mut Tx, org: OrgId, id: InvoiceId) -> Result<InvoiceRecord> {
    let lead = super::find_lead_id(&mut *tx, org, id).await?;
    pipeline::lock_stage(tx, org, lead).await?;
    InvoiceRecord::get(tx, org, id).await
}

async fn record_event(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    row: &InvoiceRecord,
    kind: EventKind,
    detail: Value,
    by: &ActivityActor,
) -> Result<EventId> {
    let event = NewEvent {
        job: row.job,
        subject: Some(row.id.0),
        detail,
        ..NewEvent::new(row.lead, kind, ctx.origin.now(), by.clone())
    };
    activity_log::record_event(tx, ctx.origin, ctx.profile.org.id, event).await
}

/// Voids an invoice. It keeps its number, its unsent messages are dropped, and what was paid of it becomes the
/// customer's credit: it pays other open invoices of their work or the next one, or is refunded.
/// Errors: [`Error::NotFound`], [`Error::Invalid`] without a reason, [`Error::Conflict`] when it has not gone out or
/// was voided before.
pub async fn void_invoice(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: InvoiceId,
    reason: Option<&str>,
    by: &ActivityActor,
) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    super::find_lead_id(&mut *tx, org, id).await?;
    let mut fields = FieldErrors::default();
    let reason = text::multi_line("reason", reason, 1000).parse_required("Please say why", &mut fields);
    fields.into_result()?;
    let row = lock_invoice(tx, org, id).await?;
    match row.status {
        InvoiceStatus::Open | InvoiceStatus::Paid => {}
        InvoiceStatus::Draft => return Err(ConflictCode::DraftNotVoidable.into_error()),
        InvoiceStatus::Preparing => {
            return Err(ConflictCode::DocumentPreparing.into_error());
        }
        InvoiceStatus::Void => return Err(ConflictCode::AlreadyVoided.into_error()),
    }
    let sql = "UPDATE invoice SET status = $3, settled_at = $4, paid_cents = 0 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, InvoiceStatus::Void, origin.now())?;
    let credit = (row.paid_cents > Cents::ZERO).then_some(row.paid_cents);
    let detail = json!({"number": row.display_number(), "reason": reason, "credit": credit});
    let event = record_event(tx, ctx, &row, EventKind::InvoiceVoided, detail, by).await?;
    followup::cancel_plans(tx, origin, org, id.0, "the invoice was voided", Some(event)).await?;
    cancel_messages(tx, ctx, id).await?;
    access_link::schedule_expiry(tx, origin, org, access_link::LinkKind::Invoice, id.0).await?;
    ledger::recalculate_lead(tx, origin, org, row.lead, by).await?;
    announce_invoice(tx, origin, org, id, row.lead).await
}

async fn cancel_messages(tx: &mut Tx, ctx: &OrgContext<'_>, id: InvoiceId) -> Result<()> {
    let org = ctx.profile.org.id;
    let sql = "SELECT id FROM message WHERE org_id = $1 AND about_id = $2 AND status IN ('queued', 'held')";
    for waiting in q!(&mut *tx, fetch_all scalar MessageId, sql, org, id)? {
        message::cancel_unsent(tx, ctx.origin, org, waiting, "the invoice was voided").await?;
    }
    Ok(())
}

/// Stores or clears the day by which the customer promised to pay: reminders pause until then and restart after it.
/// Errors: [`Error::NotFound`], [`Error::Invalid`], [`Error::Conflict`] when it does not wait for payment.
pub async fn set_promised_date(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: InvoiceId,
    on: Option<&str>,
    by: &ActivityActor,
) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    super::find_lead_id(&mut *tx, org, id).await?;
    let day = parse_promised_date(on, org_today(ctx))?;
    let row = lock_invoice(tx, org, id).await?;
    if row.status != InvoiceStatus::Open {
        return Err(NOT_OPEN);
    }
    if row.promised_on == day {
        return Ok(());
    }
    q!(&mut *tx, execute, "UPDATE invoice SET promised_on = $3 WHERE org_id = $1 AND id = $2", org, id, day)?;
    let detail = json!({"number": row.display_number(), "on": day});
    let event = record_event(tx, ctx, &row, EventKind::PromiseSet, detail, by).await?;
    let why = if day.is_some() { "they promised to pay" } else { "the promise was taken away" };
    followup::cancel_plans(tx, origin, org, id.0, why, Some(event)).await?;
    if row.reminders_enabled && row.disputed_at.is_none() {
        dunning::schedule_reminders(tx, origin, ctx.profile, id, Some(event)).await?;
    }
    // Expires a page opened before the promise, so that it is not paid by mistake; "Pay" opens another one.
    if day.is_some() {
        checkout::expire_open_page(tx, origin, org, checkout::PaymentSubject::Invoice(id)).await?;
    }
    announce_invoice(tx, origin, org, id, row.lead).await
}

fn parse_promised_date(typed: Option<&str>, today: NaiveDate) -> Result<Option<NaiveDate>> {
    let Some(typed) = typed.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let last = today + TimeDelta::days(MAX_PROMISE_DAYS);
    let day = NaiveDate::parse_from_str(typed, "%Y-%m-%d").ok().filter(|day| (today..=last).contains(day));
    if day.is_none() {
        let mut fields = FieldErrors::default();
        fields.add("on", "Please choose a day from today on, within a year");
        fields.into_result()?;
    }
    Ok(day)
}

/// Stores or clears a dispute by the customer: reminders pause meanwhile.
/// Errors: [`Error::NotFound`], [`Error::Invalid`], [`Error::Conflict`] when it does not wait for payment.
pub async fn set_disputed(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: InvoiceId,
    (is_disputed, reason): (bool, Option<&str>),
    by: &ActivityActor,
) -> Result<()> {
    let org = ctx.profile.org.id;
    super::find_lead_id(&mut *tx, org, id).await?;
    let mut fields = FieldErrors::default();
    let reason = text::multi_line("reason", reason, 1000).parse_optional(&mut fields);
    fields.into_result()?;
    let row = lock_invoice(tx, org, id).await?;
    if row.status != InvoiceStatus::Open {
        return Err(NOT_OPEN);
    }
    apply_dispute(tx, ctx, &row, (is_disputed, reason), by).await
}

/// Stores or clears a bank dispute of its payment, on open and paid invoices.
pub(crate) async fn set_payment_disputed(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: InvoiceId,
    is_disputed: bool,
) -> Result<()> {
    let row = lock_invoice(tx, ctx.profile.org.id, id).await?;
    if !matches!(row.status, InvoiceStatus::Open | InvoiceStatus::Paid) {
        return Ok(());
    }
    let reason = is_disputed.then(|| "the card payment is disputed with their bank".to_owned());
    apply_dispute(tx, ctx, &row, (is_disputed, reason), &ActivityActor::System).await
}

async fn apply_dispute(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    row: &InvoiceRecord,
    (is_disputed, reason): (bool, Option<String>),
    by: &ActivityActor,
) -> Result<()> {
    let (origin, org, id) = (ctx.origin, ctx.profile.org.id, row.id);
    if row.disputed_at.is_some() == is_disputed {
        return Ok(());
    }
    let at = is_disputed.then(|| origin.now());
    q!(&mut *tx, execute, "UPDATE invoice SET disputed_at = $3 WHERE org_id = $1 AND id = $2", org, id, at)?;
    let detail = json!({"number": row.display_number(), "isDisputed": is_disputed, "reason": reason});
    let event = record_event(tx, ctx, row, EventKind::DisputeSet, detail, by).await?;
    if is_disputed {
        followup::cancel_plans(&mut *tx, origin, org, id.0, "the customer disputes it", Some(event)).await?;
        notify_money_listeners(&mut *tx, origin, org, LeadMoneyEvent::Disputed(row.lead)).await?;
    } else if row.reminders_enabled && row.status == InvoiceStatus::Open {
        dunning::schedule_reminders(tx, origin, ctx.profile, id, Some(event)).await?;
    }
    announce_invoice(tx, origin, org, id, row.lead).await
}

/// What the ledger counts as paid on an invoice.
pub(crate) async fn store_paid_amount(
    tx: &mut Tx,
    org: OrgId,
    id: InvoiceId,
    paid: Cents,
    (status, settled_at): (InvoiceStatus, Option<DateTime<Utc>>),
) -> Result<()> {
    let sql = "UPDATE invoice SET paid_cents = $3, status = $4, settled_at = $5 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, org, id, paid, status, settled_at)?;
    Ok(())
}
