//! Outcome of a Stripe page: updates the ledger and the papers and tells people, from Stripe's answer.

use serde_json::json;

use super::{CheckoutSession, PaymentSubject, bank_transfer, close, dispute, event, payment_retry};
use crate::{
    documents::template::Language,
    domain::{
        messaging::{
            alert::{self, NewAlert},
            automation, followup, message,
        },
        money::ledger::{self, NewPayment, PaymentMethod, receipt::ReceiptOption, stripe_fields},
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent},
            org::OrgContext,
        },
    },
    platform::{
        db::{Tx, q},
        error::Result,
        id::{EstimateId, OrgId},
    },
    providers::payments::{StripeCheckoutSession, StripeCheckoutStatus, StripeDispute, StripeRefund},
};

const EVENT: &str = "payment_failed";

#[derive(Clone, Debug)]
pub struct CheckoutEvidence {
    pub session: StripeCheckoutSession,
    pub refunds: Vec<StripeRefund>,
    /// Disputes, if they were asked for; none when the key may not read them.
    pub disputes: Option<Vec<StripeDispute>>,
}

/// Idempotent: a payment is recorded once.
pub async fn settle_checkout(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    visit: &CheckoutSession,
    evidence: &CheckoutEvidence,
) -> Result<()> {
    let org = ctx.profile.org.id;
    // Locks the row until the end of the transaction, so that concurrent calls wait.
    let sql = "UPDATE checkout SET payment_provider_id = COALESCE($3, payment_provider_id)
         WHERE org_id = $1 AND id = $2 RETURNING status";
    let payment = &evidence.session.payment;
    let is_test = evidence.session.livemode.or(visit.livemode) == Some(false);
    let Some(status) = q!(&mut *tx, fetch_optional scalar String, sql, org, visit.id, payment)? else { return Ok(()) };
    match evidence.session.status {
        StripeCheckoutStatus::Paid if matches!(status.as_str(), "paid" | "foreign") => {}
        StripeCheckoutStatus::Paid if !evidence.session.is_in_usd() => {
            alert_foreign_currency(tx, ctx, visit, evidence).await?;
        }
        StripeCheckoutStatus::Paid if is_test => record_test_paid(tx, ctx, visit, evidence).await?,
        StripeCheckoutStatus::Paid => record_paid(tx, ctx, visit, evidence).await?,
        StripeCheckoutStatus::Failed if !matches!(status.as_str(), "paid" | "failed") => {
            handle_failed(tx, ctx, visit).await?;
        }
        StripeCheckoutStatus::Processing if matches!(status.as_str(), "opening" | "open" | "expired") => {
            bank_transfer::record_processing(&mut *tx, ctx, visit).await?;
        }
        StripeCheckoutStatus::Expired if matches!(status.as_str(), "opening" | "open") => {
            close_page(tx, visit, "expired").await?;
        }
        _ => {}
    }
    // Test mode moved no money that could go back.
    let Some(payment) = payment.as_ref().filter(|_| !is_test && evidence.session.is_in_usd()) else {
        return Ok(());
    };
    let visit = CheckoutSession { payment_provider_id: Some(payment.clone()), ..visit.clone() };
    // Before the refunds: the alert on one that failed says what is left of the payment.
    apply_dispute_evidence(&mut *tx, ctx, &visit, evidence).await?;
    let is_whole = evidence.disputes.is_some();
    super::card_refund::apply_refunds(tx, ctx, payment, (&evidence.refunds, is_whole)).await
}

async fn apply_dispute_evidence(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    visit: &CheckoutSession,
    evidence: &CheckoutEvidence,
) -> Result<()> {
    if let Some(disputes) = &evidence.disputes {
        return dispute::apply_disputes(tx, ctx, visit, disputes).await;
    }
    // Without an event of a dispute they were asked for because of a failed refund.
    if event::has_dispute_events(&mut *tx, ctx.profile.org.id).await? {
        dispute::alert_unreadable_disputes(tx, ctx, visit).await?;
    }
    Ok(())
}

async fn close_page(tx: &mut Tx, visit: &CheckoutSession, status: &str) -> Result<()> {
    let sql = "UPDATE checkout SET status = $3, url = NULL WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, visit.org_id, visit.id, status)?;
    Ok(())
}

/// Late evidence of a payment overrides every earlier status.
async fn record_paid(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    visit: &CheckoutSession,
    evidence: &CheckoutEvidence,
) -> Result<()> {
    let (origin, profile) = (ctx.origin, ctx.profile);
    close_page(tx, visit, "paid").await?;
    let name = followup::load_recipient(&mut *tx, ctx, visit.lead_id).await?.name;
    let amount = evidence.session.amount;
    let new = NewPayment {
        lead: visit.lead_id,
        amount,
        received_on: ledger::org_today(profile, origin.now()),
        method: PaymentMethod::Card,
        reference: None,
        note: None,
        invoice: find_payable_invoice(tx, profile.org.id, visit).await?,
        estimate: find_known_estimate(tx, profile.org.id, visit).await?,
        // A page without a payment id cannot be refunded; the page's id still prevents recording it twice.
        provider_id: Some(evidence.session.payment.clone().unwrap_or_else(|| evidence.session.id.clone())),
        partial: true,
        receipt: ReceiptOption::AsUsual,
    };
    let by = ActivityActor::Customer { name: name.clone() };
    let recorded = ledger::record_payment(&mut *tx, origin, profile, &new, &by).await?;
    stripe_fields::store_account(&mut *tx, profile.org.id, recorded.id, visit.account.as_deref()).await?;
    let number = recorded.number.unwrap_or_default();
    let body = format!("{}, receipt {number}", describe_subject(visit, tx, profile.org.id).await?);
    let credit = ledger::load_card_credit(&mut *tx, profile.org.id, visit.lead_id).await?;
    let body = match credit.give_back.filter(|one| one.payment_id == recorded.id) {
        Some(more) => format!(
            "{body}. {} of it was no longer due, so it is a credit. Refund it with one tap, or keep it for the next invoice.",
            more.amount.format_usd()
        ),
        None => body,
    };
    let title = format!("{name} paid {} by card", amount.format_usd());
    raise_checkout_alert(tx, ctx, visit, ("paid", alert::AlertKind::PaymentReceived), title, body).await
}

async fn raise_checkout_alert(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    visit: &CheckoutSession,
    (what, kind): (&str, alert::AlertKind),
    title: String,
    body: String,
) -> Result<()> {
    let alert = NewAlert {
        lead: Some(visit.lead_id),
        ..NewAlert::new(kind, format!("checkout:{}:{what}", visit.id), title, body)
    };
    alert::raise_alert(tx, ctx.origin, ctx.profile, alert).await.map(|_| ())
}

/// Stripe's test mode: no money moved, so nothing is settled. The payment is shown and marked.
async fn record_test_paid(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    visit: &CheckoutSession,
    evidence: &CheckoutEvidence,
) -> Result<()> {
    close_page(tx, visit, "paid").await?;
    let StripeCheckoutSession { amount, id, payment, .. } = &evidence.session;
    let provider_id = payment.as_ref().unwrap_or(id);
    ledger::card::record_test_payment(&mut *tx, ctx.origin, ctx.profile, visit.lead_id, (*amount, provider_id)).await?;
    let name = followup::load_recipient(&mut *tx, ctx, visit.lead_id).await?.name;
    let title = format!("Test payment: {name}, {}", amount.format_usd());
    let body = "It was paid in Stripe's test mode, so no money moved. Nothing in your books has changed.".to_owned();
    raise_checkout_alert(tx, ctx, visit, ("paid", alert::AlertKind::PaymentReceived), title, body).await
}

/// Only US dollars are ever asked for, so something was changed at Stripe: a person must look at once.
async fn alert_foreign_currency(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    visit: &CheckoutSession,
    evidence: &CheckoutEvidence,
) -> Result<()> {
    close_page(tx, visit, "foreign").await?;
    let currency = evidence.session.currency.to_uppercase();
    let title = format!("A card payment came in {currency}, not in US dollars");
    let body = format!(
        "{}. It is not in your books, and the invoice is still open. Look at it in Stripe, then mark it as paid or refund it there.",
        describe_subject(visit, tx, ctx.profile.org.id).await?
    );
    raise_checkout_alert(tx, ctx, visit, ("foreign", alert::AlertKind::PaymentFailed), title, body).await
}

/// None when the invoice can take no money any more, and for a deposit: the payment is then credit of the lead.
async fn find_payable_invoice(
    tx: &mut Tx,
    org: OrgId,
    visit: &CheckoutSession,
) -> Result<Option<crate::platform::id::InvoiceId>> {
    let PaymentSubject::Invoice(id) = visit.subject() else { return Ok(None) };
    let sql = "SELECT EXISTS (SELECT 1 FROM invoice WHERE org_id = $1 AND id = $2 AND status IN ('open', 'paid'))";
    Ok(q!(tx, fetch_one scalar bool, sql, org, id)?.then_some(id))
}

/// None where the books come from a copy without it, and for an invoice.
async fn find_known_estimate(tx: &mut Tx, org: OrgId, visit: &CheckoutSession) -> Result<Option<EstimateId>> {
    let PaymentSubject::Deposit(id) = visit.subject() else { return Ok(None) };
    let sql = "SELECT id FROM estimate WHERE org_id = $1 AND id = $2";
    Ok(q!(tx, fetch_optional scalar EstimateId, sql, org, id)?)
}

async fn describe_subject(visit: &CheckoutSession, tx: &mut Tx, org: OrgId) -> Result<String> {
    let (table, subject) = match visit.subject() {
        PaymentSubject::Invoice(id) => ("SELECT content, number FROM invoice WHERE org_id = $1 AND id = $2", id.0),
        PaymentSubject::Deposit(id) => ("SELECT content, number FROM estimate WHERE org_id = $1 AND id = $2", id.0),
    };
    let found = q!(tx, fetch_optional as (sqlx::types::Json<super::DocumentName>, Option<i64>), table, org, subject)?;
    // Books that come from a copy may not know it.
    let missing = || "A document that is not in your books".to_owned();
    Ok(found.map_or_else(missing, |(content, number)| content.0.to_label(number).title(Language::En)))
}

/// The bank declined after the customer had left: customer and business are notified.
async fn handle_failed(tx: &mut Tx, ctx: &OrgContext<'_>, visit: &CheckoutSession) -> Result<()> {
    let (origin, profile) = (ctx.origin, ctx.profile);
    close_page(tx, visit, "failed").await?;
    // What was on its way is asked for again, also by other papers.
    close::enqueue_expiry_checks(&mut *tx, origin, profile.org.id, visit.lead_id).await?;
    let partner = followup::load_recipient(&mut *tx, ctx, visit.lead_id).await?;
    let event = NewEvent {
        subject: Some(visit.id.0),
        detail: json!({"amount": visit.amount_cents}),
        ..NewEvent::new(visit.lead_id, EventKind::PaymentFailed, origin.now(), ActivityActor::System)
    };
    activity_log::record_event(&mut *tx, origin, profile.org.id, event).await?;
    let about = describe_subject(visit, tx, profile.org.id).await?;
    let alert = NewAlert {
        lead: Some(visit.lead_id),
        ..NewAlert::new(
            alert::AlertKind::PaymentFailed,
            format!("checkout:{}:failed", visit.id),
            format!("{}'s card payment did not go through", partner.name),
            format!("{} for {about}", visit.amount_cents.format_usd()),
        )
    };
    alert::raise_alert(tx, origin, profile, alert).await?;
    let key = format!("checkout:{}:failed", visit.id);
    let notice = payment_retry::RetryNotice {
        subject: visit.subject(),
        amount: visit.amount_cents,
        kind: message::MessageKind::Invoice,
        key: &key,
    };
    let decided = payment_retry::compose_retry_notice(&mut *tx, ctx, &partner, notice).await?;
    automation::apply_decisions(&mut *tx, origin, profile.org.id, visit.lead_id, EVENT, decided).await?;
    payment_retry::schedule_retries(tx, ctx, visit).await
}
