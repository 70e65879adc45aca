//! Messages about an invoice: whether they are still of use, and whether their words are still true.

use chrono::{DateTime, NaiveDate, Utc};
use futures::future::BoxFuture;
use sqlx::FromRow;
use uuid::Uuid;

use super::{InvoiceStatus, dunning, named_amount::names_other_amount};
use crate::{
    documents::template::Language,
    domain::{
        messaging::{
            followup,
            message::{self, ClaimedMessage, MessageKind, MessageSubject, ResendObstacle},
        },
        money::checkout::{self, payment_retry},
        tenancy::org,
    },
    platform::{
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{EstimateId, InvoiceId, LeadId, OrgId},
        money::Cents,
    },
};

/// Words that ask for an amount other than the one due are never sent.
const OTHER_AMOUNT: &str = "it names an amount that is no longer due";
const DEPOSIT_PAID: &str = "it was paid";

pub struct InvoiceMessages;

impl MessageSubject for InvoiceMessages {
    fn message_kinds(&self) -> &'static [MessageKind] {
        &[MessageKind::Invoice, MessageKind::Dunning]
    }

    fn why_obsolete<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        message: &'a ClaimedMessage,
        about: Uuid,
        now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Option<&'static str>>> {
        Box::pin(why_invoice_obsolete(conn, message, about, now))
    }

    fn find_resend_obstacle<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        message: &'a ClaimedMessage,
        about: Uuid,
        now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Option<ResendObstacle>>> {
        Box::pin(find_invoice_obstacle(conn, message, about, now))
    }

    fn subject_name<'a>(
        &'a self,
        tx: &'a mut Tx,
        org: OrgId,
        about: Uuid,
        language: Language,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(checkout::load_document_title(tx, org, about, language))
    }
}

/// What decides about the messages of an invoice.
#[derive(FromRow)]
struct MessageInvoiceRow {
    id: InvoiceId,
    lead_id: LeadId,
    status: InvoiceStatus,
    settled_at: Option<DateTime<Utc>>,
    balance: Cents,
    promised_on: Option<NaiveDate>,
    is_disputed: bool,
    reminders_enabled: bool,
}

impl MessageInvoiceRow {
    async fn find(conn: &mut dyn AsConn, org: OrgId, about: Uuid) -> Result<Option<Self>> {
        Ok(q!(
            conn,
            fetch_optional as Self,
            "SELECT id, lead_id, status, settled_at, total_cents - paid_cents AS balance, promised_on,
                 disputed_at IS NOT NULL AS is_disputed, reminders_enabled
             FROM invoice WHERE org_id = $1 AND id = $2",
            org,
            about
        )?)
    }

    async fn is_other_amount_named(&self, conn: &mut dyn AsConn, message: &ClaimedMessage) -> Result<bool> {
        names_other_amount(conn, message, (self.lead_id, self.id), self.balance).await
    }
}

async fn why_invoice_obsolete(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<&'static str>> {
    use InvoiceStatus::{Draft, Open, Paid, Preparing, Void};
    let Some(invoice) = MessageInvoiceRow::find(&mut *conn, message.org_id, about).await? else {
        return Ok(is_deposit_paid(conn, message, about).await?.then_some(DEPOSIT_PAID));
    };
    match invoice.status {
        Void => Ok(Some("the invoice was voided")),
        Paid if message.is_obsolete_since(invoice.settled_at) => Ok(Some("the invoice was paid")),
        Open => why_reminder_obsolete(conn, message, &invoice, message.local_date(now)).await,
        Draft | Preparing | Paid => Ok(None),
    }
}

/// Of a waiting reminder. The invoice itself leaves all the same: its page shows what is due.
async fn why_reminder_obsolete(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    invoice: &MessageInvoiceRow,
    today: NaiveDate,
) -> Result<Option<&'static str>> {
    let why = if invoice.is_disputed {
        "the customer disputes it"
    } else if invoice.promised_on.is_some_and(|promised| today <= promised) {
        "they promised to pay"
    } else if invoice.is_other_amount_named(&mut *conn, message).await? {
        OTHER_AMOUNT
    } else {
        return Ok(None);
    };
    Ok(is_reminder(conn, message).await?.then_some(why))
}

async fn find_invoice_obstacle(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<ResendObstacle>> {
    use InvoiceStatus::{Draft, Open, Paid, Preparing, Void};
    let Some(invoice) = MessageInvoiceRow::find(&mut *conn, message.org_id, about).await? else {
        let is_paid = is_deposit_paid(conn, message, about).await?;
        return Ok(is_paid.then(|| ResendObstacle::with_reason(DEPOSIT_PAID, false)));
    };
    let on = invoice.settled_at.map_or_else(String::new, |at| format!(" on {}", message.format_local_day(at)));
    Ok(match invoice.status {
        Paid => {
            let may_override = !is_reminder(conn, message).await?;
            Some(ResendObstacle::with_reason(format!("this invoice was paid{on}"), may_override))
        }
        Void => Some(ResendObstacle::with_reason(format!("this invoice was voided{on}"), false)),
        Draft | Preparing => Some(ResendObstacle::with_reason("this invoice is not issued yet", false)),
        Open => find_open_obstacle(conn, message, &invoice, message.local_date(now)).await?,
    })
}

/// A dispute and a promise are answers to a reminder, so that it is not repeated. The invoice itself may be.
async fn find_open_obstacle(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    invoice: &MessageInvoiceRow,
    today: NaiveDate,
) -> Result<Option<ResendObstacle>> {
    let answer = dunning::why_not_reminded(invoice.is_disputed, invoice.promised_on, today);
    if let Some(why) = &answer
        && is_reminder(&mut *conn, message).await?
    {
        return Ok(Some(ResendObstacle::with_reason(why.clone(), false)));
    }
    if invoice.is_other_amount_named(&mut *conn, message).await? {
        return Ok(Some(ResendObstacle::with_reason(OTHER_AMOUNT, false)));
    }
    let why = match answer {
        Some(why) => Some(why),
        None => why_rule_is_off(conn, message, invoice).await?.map(ToOwned::to_owned),
    };
    Ok(why.map(|why| ResendObstacle::with_reason(why, true)))
}

/// Why the rule of a reminder no longer reminds of this invoice. Questions about a refused card have no such switch.
async fn why_rule_is_off(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    invoice: &MessageInvoiceRow,
) -> Result<Option<&'static str>> {
    if message.kind != MessageKind::Dunning {
        return Ok(None);
    }
    let step = followup::find_step_of_message(&mut *conn, message.org_id, message.id).await?;
    if step.is_some_and(|step| payment_retry::is_retry_step(&step)) {
        return Ok(None);
    }
    let Some(business) = org::find(&mut *conn, message.org_id).await? else { return Ok(None) };
    let profile = org::load_profile(conn, business).await?;
    Ok(dunning::why_reminders_off(invoice.reminders_enabled, profile.settings.invoicing.dunning))
}

/// Written by a rule, or sent by a person as a reminder.
async fn is_reminder(conn: &mut dyn AsConn, message: &ClaimedMessage) -> Result<bool> {
    Ok(message.kind == MessageKind::Dunning || message::is_manual_reminder(conn, message.org_id, message.id).await?)
}

/// Of a question about the refused card for a deposit, which is about an estimate.
async fn is_deposit_paid(conn: &mut dyn AsConn, message: &ClaimedMessage, about: Uuid) -> Result<bool> {
    match checkout::is_deposit_paid(conn, message.org_id, EstimateId(about)).await {
        Err(Error::NotFound) => Ok(false),
        found => found,
    }
}
