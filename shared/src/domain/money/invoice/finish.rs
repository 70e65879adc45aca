//! Issuing of an invoice: number and day, PDF, opening, payments made ahead, and sending.

use chrono::{Duration, TimeDelta};
use sqlx::types::Json;

use super::{
    InvoiceStatus, agreed, announce_invoice,
    content::InvoiceSnapshot,
    dunning,
    invoice_draft::check_still_valid,
    org_today,
    render::RenderedInvoice,
    row::InvoiceRecord,
    send::{InvoiceDelivery, record_own_phone_sending, send_invoice},
};
use crate::{
    conflicts::ConflictCode,
    domain::{
        messaging::message,
        money::{
            estimate::{
                DocumentSendResult,
                content::{DeliveryChannels, load_recipient},
            },
            ledger,
        },
        tenancy::{activity_log::ActivityActor, org::OrgContext},
        work::pipeline,
    },
    platform::{
        access_link,
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, EventId, InvoiceId, OrgId},
        money::Cents,
        sequence::{self, NumberSeries},
        tasks::{self, NewTask},
    },
};

/// Time that the caller has to finish before the task takes over.
const TASK_TAKEOVER_DELAY: Duration = Duration::seconds(30);

/// First half: the draft gets its number and never changes again. Its customer does not see it yet.
/// Errors: [`Error::NotFound`], or [`Error::Conflict`] when it is no draft, or the amounts it was calculated from have
/// changed.
pub async fn begin_issue(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: InvoiceId,
    ways: DeliveryChannels,
    by: &ActivityActor,
) -> Result<()> {
    let (origin, profile) = (ctx.origin, ctx.profile);
    let org = profile.org.id;
    let lead = super::find_lead_id(&mut *tx, org, id).await?;
    pipeline::lock_stage(tx, org, lead).await?;
    let row = InvoiceRecord::get(&mut *tx, org, id).await?;
    if row.status != InvoiceStatus::Draft {
        return Err(ConflictCode::InvoiceAlreadyIssued.into_error());
    }
    check_still_valid(&mut *tx, org, &row).await?;
    let total = agreed::document_total(&row.content.paper);
    if total <= Cents::ZERO {
        return Err(ConflictCode::InvoiceWithoutTotal.into_error());
    }
    let asker = load_recipient(&mut *tx, org, lead).await?;
    let link = access_link::ensure_link(tx, origin, org, access_link::LinkKind::Invoice, id.0, None).await?;
    let content = InvoiceSnapshot {
        link: Some(link),
        ways: Some(ways),
        sent_by: by.account_id(),
        ahead: ledger::list_prepayments(tx, org, lead, total).await?,
        ..row.content.0.with_current_parties(profile, &asker)
    };
    let invoicing = &profile.settings.invoicing;
    let today = org_today(ctx);
    let due_on = row.due_on.unwrap_or(today + TimeDelta::days(invoicing.terms_days)).max(today);
    let number = sequence::next_number(&mut *tx, org, NumberSeries::Invoice).await?;
    q!(
        &mut *tx,
        execute,
        "UPDATE invoice SET status = $3, number = $4, content = $5, total_cents = $6, issued_on = $7, due_on = $8,
             reminders_enabled = $9
         WHERE org_id = $1 AND id = $2",
        org,
        id,
        InvoiceStatus::Preparing,
        number,
        Json(content),
        total,
        today,
        due_on,
        invoicing.dunning
    )?;
    let task = NewTask {
        org: Some(org),
        kind: tasks::TaskKind::FinalizeDocument,
        subject: Some(id.0),
        run_at: origin.now() + TASK_TAKEOVER_DELAY,
        unique_key: format!("finalize_document:{id}"),
    };
    tasks::enqueue(tx, origin, vec![task]).await?;
    announce_invoice(tx, origin, org, id, lead).await
}

/// Second half, once the file is stored: opens it, applies payments made ahead and sends it. True when this call did
/// it; repeated, it does nothing.
/// Errors: [`Error::NotFound`] when the org has no such invoice.
pub async fn finish_issue(tx: &mut Tx, ctx: &OrgContext<'_>, drawn: &RenderedInvoice) -> Result<bool> {
    let (origin, org, id) = (ctx.origin, ctx.profile.org.id, drawn.id);
    let lead = super::find_lead_id(&mut *tx, org, id).await?;
    pipeline::lock_stage(tx, org, lead).await?;
    let row = InvoiceRecord::get(&mut *tx, org, id).await?;
    if row.status != InvoiceStatus::Preparing {
        return Ok(false);
    }
    let by = find_issuer(&mut *tx, org, row.content.sent_by).await?;
    let file = drawn.store_pdf(tx, origin, org, (lead, row.job), row.content.sent_by).await?;
    let sql = "UPDATE invoice SET status = $3, file_id = $4 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, InvoiceStatus::Open, file)?;
    ledger::apply_credit(tx, origin, org, id, &by).await?;
    // Read again after the ledger changed it.
    let row = InvoiceRecord::get(&mut *tx, org, id).await?;
    let ways = row.content.ways.unwrap_or(DeliveryChannels { email: true, text: true });
    let parcel = InvoiceDelivery::from_record(tx, ctx, &row, file, ways).await?;
    let (_, event) = send_invoice(tx, ctx, &parcel, "issued", &by).await?;
    if row.reminders_enabled && row.status == InvoiceStatus::Open {
        dunning::schedule_reminders(tx, origin, ctx.profile, id, Some(event)).await?;
    }
    announce_invoice(tx, origin, org, id, lead).await?;
    Ok(true)
}

async fn find_issuer(conn: &mut dyn AsConn, org: OrgId, account: Option<AccountId>) -> Result<ActivityActor> {
    let Some(id) = account else { return Ok(ActivityActor::System) };
    let sql = "SELECT name FROM account WHERE org_id = $1 AND id = $2";
    let name = q!(conn, fetch_optional scalar String, sql, org, id)?;
    Ok(name.map_or(ActivityActor::System, |name| ActivityActor::Account { id, name }))
}

/// Errors: [`Error::NotFound`], or [`Error::Conflict`] with why it cannot be sent.
pub async fn resend_invoice(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: InvoiceId,
    ways: DeliveryChannels,
    by: &ActivityActor,
) -> Result<DocumentSendResult> {
    let org = ctx.profile.org.id;
    let lead = super::find_lead_id(&mut *tx, org, id).await?;
    pipeline::lock_stage(tx, org, lead).await?;
    let row = InvoiceRecord::get(&mut *tx, org, id).await?;
    check_sendable(row.status)?;
    let file = row.file_id.ok_or_else(|| Error::Internal(format!("invoice {id} is open without its file")))?;
    let parcel = InvoiceDelivery::from_record(tx, ctx, &row, file, ways).await?;
    // Each press is a sending of its own.
    let turn = format!("again:{}", ctx.origin.uuid_v7());
    let (delivery, _) = send_invoice(tx, ctx, &parcel, &turn, by).await?;
    message::replace_waiting_messages(tx, ctx.origin, (org, id.0), &delivery.sent_messages()).await?;
    announce_invoice(tx, ctx.origin, org, id, lead).await?;
    Ok(delivery)
}

/// Marks an invoice as sent by a text from somebody's own phone, which the caller has stored. The caller holds the lock
/// of the lead. None where it can be sent no more, and for a paid one: it asks for nothing.
pub(in crate::domain::money) async fn mark_sent_from_own_phone(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: InvoiceId,
    by: &ActivityActor,
) -> Result<Option<EventId>> {
    let row = InvoiceRecord::get(&mut *tx, ctx.profile.org.id, id).await?;
    if row.status == InvoiceStatus::Paid || check_sendable(row.status).is_err() {
        return Ok(None);
    }
    let event = record_own_phone_sending(tx, ctx, &row, by).await?;
    announce_invoice(tx, ctx.origin, ctx.profile.org.id, id, row.lead).await?;
    Ok(Some(event))
}

fn check_sendable(status: InvoiceStatus) -> Result<()> {
    let refused = match status {
        InvoiceStatus::Open | InvoiceStatus::Paid => return Ok(()),
        InvoiceStatus::Draft | InvoiceStatus::Preparing => ConflictCode::DocumentPreparing,
        InvoiceStatus::Void => ConflictCode::InvoiceVoided,
    };
    Err(refused.into())
}

pub async fn is_draft(conn: &mut dyn AsConn, org: OrgId, id: InvoiceId) -> Result<bool> {
    Ok(InvoiceRecord::get(conn, org, id).await?.status == InvoiceStatus::Draft)
}

/// Makes a new link; the old one stops working.
/// Errors: [`Error::NotFound`], or [`Error::Conflict`] for a draft, which has none.
pub async fn rotate_link(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: InvoiceId) -> Result<()> {
    let lead = super::find_lead_id(&mut *tx, org, id).await?;
    if access_link::find_active(&mut *tx, org, access_link::LinkKind::Invoice, id.0).await?.is_none() {
        return Err(ConflictCode::InvoiceWithoutLink.into_error());
    }
    access_link::rotate_link(&mut *tx, origin, org, access_link::LinkKind::Invoice, id.0, None).await?;
    announce_invoice(tx, origin, org, id, lead).await
}
