//! Reminder of the open invoice.

use chrono::NaiveDate;
use sqlx::FromRow;

use super::{NextReminder, ReminderContext, ReminderSubject, ReminderWording};
use crate::{
    domain::{
        messaging::{
            automation::decide_skip,
            message::{self, MessageChannel},
        },
        money::invoice::dunning,
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::InvoiceId,
        money::Cents,
    },
};

#[derive(FromRow)]
struct OpenInvoiceRow {
    id: InvoiceId,
    balance: Cents,
    due_on: Option<NaiveDate>,
    promised_on: Option<NaiveDate>,
    is_disputed: bool,
}

/// The one due first.
pub(super) async fn find_open_invoice(
    conn: &mut dyn AsConn,
    look: &ReminderContext<'_>,
) -> Result<Option<NextReminder>> {
    let found = q!(
        &mut *conn,
        fetch_optional as OpenInvoiceRow,
        "SELECT id, total_cents - paid_cents AS balance, due_on, promised_on, disputed_at IS NOT NULL AS is_disputed
         FROM invoice WHERE org_id = $1 AND lead_id = $2 AND status = 'open' AND paid_cents < total_cents
         ORDER BY due_on, created_at, id LIMIT 1",
        look.org_id(),
        look.lead
    )?;
    let Some(invoice) = found else { return Ok(None) };
    let composed = dunning::compose_manual_reminder(&mut *conn, look.intake, &look.partner, invoice.id).await?;
    let Some((wording, variables, subject)) = composed else { return Ok(None) };
    let today = look.intake.origin.now().with_timezone(&look.intake.profile.org.zone()).date_naive();
    let number = variables.invoice_number.clone().unwrap_or_default();
    let not_reminded = dunning::why_not_reminded(invoice.is_disputed, invoice.promised_on, today);
    let decision = if let Some(why) = not_reminded {
        decide_skip(super::RULE, MessageChannel::Sms, &why, serde_json::json!({"disputed": invoice.is_disputed}))
    } else if let Some(what) = message::why_document_waits(conn, look.intake, look.lead, invoice.id.0).await? {
        look.refuse_unsent_document(&number, &what)
    } else {
        // Sent by a person, as is the invoice itself.
        let kind = message::MessageKind::Invoice;
        look.compose_decision(&ReminderWording { wording, kind, subject: &subject, variables: &variables })?
    };
    let due = invoice.due_on.map(|on| format!(", due {}", on.format("%b %-d, %Y"))).unwrap_or_default();
    let why = format!("{} of invoice {number} are open{due}.", invoice.balance.format_usd());
    Ok(Some(NextReminder {
        what: ReminderSubject::Payment,
        id: invoice.id.0,
        job: None,
        why,
        decision,
        expires_at: None,
    }))
}
