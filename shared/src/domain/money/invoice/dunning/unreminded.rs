//! Invoices without reminders: the effect of ticking each, and ticking them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{
    SENT_TO_UNCONFIRMED,
    days::reminder_calendar,
    insert_reminders,
    row::{self, ReminderInvoiceRow},
    words::compose_reminder,
};
use crate::{
    conflicts::ConflictCode,
    domain::{
        messaging::{
            followup,
            message::{self, MessageChannel, MessageDraft},
        },
        money::invoice::{self, InvoiceStatus, announce_invoice, row::InvoiceRecord as Invoice},
        tenancy::org::OrgContext,
        work::pipeline,
    },
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::{InvoiceId, LeadId, OrgId},
        money::Cents,
    },
};

const MAX_LISTED: i64 = 500;

/// What ticking an invoice would cause.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvoiceReminder {
    pub invoice_id: InvoiceId,
    pub number: String,
    pub customer: String,
    /// What is still to be paid, in US dollars.
    pub balance: Cents,
    pub days_overdue: i64,
    /// When they would be reminded.
    pub dates: Vec<DateTime<Utc>>,
    /// The way the first reminder would go; null when none is open.
    pub channel: Option<MessageChannel>,
    /// What the first would say; null when none would leave.
    pub text: Option<String>,
    /// Why none would leave.
    pub cannot: Option<String>,
}

#[derive(FromRow)]
struct UnremindedInvoiceRow {
    id: InvoiceId,
    lead_id: LeadId,
    customer: String,
}

pub async fn list_unreminded(conn: &mut dyn AsConn, intake: &OrgContext<'_>) -> Result<Vec<InvoiceReminder>> {
    let org = intake.profile.org.id;
    let rows = q!(
        &mut *conn,
        fetch_all as UnremindedInvoiceRow,
        "SELECT i.id, i.lead_id, c.name AS customer FROM invoice i
         JOIN customer c ON c.org_id = i.org_id AND c.id = i.customer_id
         WHERE i.org_id = $1 AND i.status = 'open' AND i.reminders_enabled = FALSE AND i.disputed_at IS NULL
         ORDER BY i.due_on, i.number LIMIT $2",
        org,
        MAX_LISTED
    )?;
    let mut reminders = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(invoice) = row::find_invoice(&mut *conn, org, row.id.0).await? else { continue };
        reminders.push(preview_reminder(&mut *conn, intake, row, &invoice).await?);
    }
    Ok(reminders)
}

async fn preview_reminder(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    row: UnremindedInvoiceRow,
    invoice: &ReminderInvoiceRow,
) -> Result<InvoiceReminder> {
    let (now, zone) = (intake.origin.now(), intake.profile.org.zone());
    let today = now.with_timezone(&zone).date_naive();
    let calendar = reminder_calendar(intake.profile, invoice.due_on, invoice.promised_on);
    let steps = calendar.map(|calendar| calendar.catch_up_steps(now)).unwrap_or_default();
    let first = steps.first().map(|step| step.due_at.with_timezone(&zone).date_naive());
    let is_withdrawn = message::is_withdrawn(&mut *conn, intake.profile.org.id, row.lead_id, row.id.0).await?;
    let decision = match first.filter(|_| !is_withdrawn) {
        Some(day) => {
            let partner = followup::load_recipient(conn, intake, row.lead_id).await?;
            Some(compose_reminder(intake, &partner, invoice, day, "foreseen")?)
        }
        None => None,
    };
    let draft = decision.as_ref().and_then(|decision| decision.message.as_ref());
    let why_none = || decision.as_ref().filter(|one| one.message.is_none()).map(|one| one.reason.clone());
    Ok(InvoiceReminder {
        invoice_id: row.id,
        number: invoice.display_number(),
        customer: row.customer,
        balance: invoice.balance(),
        days_overdue: invoice.due_on.map_or(0, |due_on| (today - due_on).num_days().max(0)),
        dates: steps.iter().map(|step| step.due_at).collect(),
        channel: draft.map(MessageDraft::channel),
        text: draft.map(|draft| draft.body.clone()),
        cannot: is_withdrawn.then(|| SENT_TO_UNCONFIRMED.to_owned()).or_else(why_none),
    })
}

/// Turns on reminders for these invoices. Returns for how many something was planned; one that has reminders is
/// unchanged.
/// Errors: `Error::NotFound` when the org has no such invoice, `Error::Conflict` when one does not wait for
/// payment.
pub async fn enable_reminders(tx: &mut Tx, ctx: &OrgContext<'_>, ids: &[InvoiceId]) -> Result<usize> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let mut planned = 0;
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        let lead = invoice::find_lead_id(&mut *tx, org, id).await?;
        pipeline::lock_stage(tx, org, lead).await?;
        let row = Invoice::get(&mut *tx, org, id).await?;
        if row.status != InvoiceStatus::Open {
            return Err(ConflictCode::InvoiceNotDue.into_error());
        }
        if row.reminders_enabled {
            continue;
        }
        q!(&mut *tx, execute, "UPDATE invoice SET reminders_enabled = TRUE WHERE org_id = $1 AND id = $2", org, id)?;
        let calendar =
            reminder_calendar(ctx.profile, row.due_on, row.promised_on).filter(|_| row.disputed_at.is_none());
        let steps = calendar.map(|calendar| calendar.catch_up_steps(origin.now())).unwrap_or_default();
        insert_reminders(tx, origin, org, &row, &steps, None).await?;
        planned += usize::from(!steps.is_empty());
        announce_invoice(tx, origin, org, id, lead).await?;
    }
    Ok(planned)
}

pub(crate) async fn count_unreminded(conn: &mut dyn AsConn, org: OrgId) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM invoice WHERE org_id = $1 AND status = 'open' AND reminders_enabled = FALSE";
    Ok(q!(conn, fetch_one scalar i64, sql, org)?)
}
