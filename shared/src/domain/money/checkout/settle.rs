//! What became of a visit to the pay page: the ledger, the papers and the people are told what Stripe answers.

use serde_json::json;

use super::{Checkout, Subject, dispute, payment_retry};
use crate::{
    documents::template::Language,
    domain::{
        intake::lead::Intake,
        messaging::{
            alert::{self, NewAlert},
            automation,
            followup::compose,
            message,
        },
        money::ledger::{self, Method, NewPayment, receipt::Wish},
        work::activity::{self, Doer, EventKind, NewEvent},
    },
    platform::{
        db::{Tx, q},
        error::Result,
        id::OrgId,
    },
    providers::payments::{Dispute, Refund, Session, Standing},
};

const EVENT: &str = "payment_failed";

/// What Stripe itself answered.
#[derive(Clone, Debug)]
pub struct Evidence {
    pub session: Session,
    /// What went back of the payment, where there was one.
    pub refunds: Vec<Refund>,
    /// What its payer disputes, if that was asked; none when the key may not ask.
    pub disputes: Option<Vec<Dispute>>,
}

/// Makes the ledger true. Whoever says it, and however often, a payment is recorded once.
pub async fn note(tx: &mut Tx, house: &Intake<'_>, visit: &Checkout, evidence: &Evidence) -> Result<()> {
    let org = house.profile.org.id;
    // Held until the end: two that come to tell the same wait for each other.
    let sql = "UPDATE checkout SET payment_provider_id = COALESCE($3, payment_provider_id)
         WHERE org_id = $1 AND id = $2 RETURNING status";
    let payment = &evidence.session.payment;
    let is_test = evidence.session.livemode.or(visit.livemode) == Some(false);
    let Some(status) = q!(&mut *tx, fetch_optional scalar String, sql, org, visit.id, payment)? else { return Ok(()) };
    match evidence.session.standing {
        Standing::Paid if matches!(status.as_str(), "paid" | "foreign") => {}
        Standing::Paid if !evidence.session.is_in_dollars() => foreign(tx, house, visit, evidence).await?,
        Standing::Paid if is_test => paid_in_test(tx, house, visit, evidence).await?,
        Standing::Paid => paid(tx, house, visit, evidence).await?,
        Standing::Failed if !matches!(status.as_str(), "paid" | "failed") => failed(tx, house, visit).await?,
        // Stripe's page is closed; nobody is sent there again, and nobody is asked to pay once more.
        Standing::Underway if matches!(status.as_str(), "opening" | "open") => end(tx, visit, "open").await?,
        Standing::Expired if matches!(status.as_str(), "opening" | "open") => end(tx, visit, "expired").await?,
        _ => {}
    }
    // In test mode nothing moved that could go back.
    let Some(payment) = payment.as_ref().filter(|_| !is_test && evidence.session.is_in_dollars()) else {
        return Ok(());
    };
    super::card_refund::note(&mut *tx, house, payment, &evidence.refunds).await?;
    let visit = Checkout { payment_provider_id: Some(payment.clone()), ..visit.clone() };
    contested(tx, house, &visit, evidence).await
}

/// What the payer's bank says of it.
async fn contested(tx: &mut Tx, house: &Intake<'_>, visit: &Checkout, evidence: &Evidence) -> Result<()> {
    match &evidence.disputes {
        Some(disputes) => dispute::note(tx, house, visit, disputes).await,
        None => dispute::unseen(tx, house, visit).await,
    }
}

/// The page is closed: nobody is sent there again.
async fn end(tx: &mut Tx, visit: &Checkout, status: &str) -> Result<()> {
    let sql = "UPDATE checkout SET status = $3, url = NULL WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, visit.org_id, visit.id, status)?;
    Ok(())
}

/// Money has come in: late evidence of it wins over everything that was thought before.
async fn paid(tx: &mut Tx, house: &Intake<'_>, visit: &Checkout, evidence: &Evidence) -> Result<()> {
    let (origin, profile) = (house.origin, house.profile);
    end(tx, visit, "paid").await?;
    let name = compose::partner(&mut *tx, house, visit.lead_id).await?.name;
    let amount = evidence.session.amount;
    let new = NewPayment {
        lead: visit.lead_id,
        amount,
        received_on: ledger::today(profile, origin.now()),
        method: Method::Card,
        reference: None,
        note: None,
        invoice: payable(tx, profile.org.id, visit).await?,
        estimate: match visit.subject() {
            Subject::Deposit(id) => Some(id),
            Subject::Invoice(_) => None,
        },
        // A page without a payment behind it cannot be refunded, but what it took was taken once.
        provider_id: Some(evidence.session.payment.clone().unwrap_or_else(|| evidence.session.id.clone())),
        partial: true,
        receipt: Wish::AsUsual,
    };
    let by = Doer::Customer { name: name.clone() };
    let recorded = ledger::pay(&mut *tx, origin, profile, &new, &by).await?;
    let held = "UPDATE payment SET account = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, held, profile.org.id, recorded.id, &visit.account)?;
    let number = recorded.number.unwrap_or_default();
    let body = format!("{}, receipt {number}", about(visit, tx, profile.org.id).await?);
    let credit = ledger::card_credit(&mut *tx, profile.org.id, visit.lead_id).await?;
    let body = match credit.give_back.filter(|one| one.payment_id == recorded.id) {
        Some(more) => format!(
            "{body}. {} of it was not due any more: it is a credit. Give it back with one tap, or keep it for the next invoice.",
            more.amount.shown()
        ),
        None => body,
    };
    let title = format!("{name} paid {} by card", amount.shown());
    tell(tx, house, visit, ("paid", alert::Kind::PaymentReceived), title, body).await
}

async fn tell(
    tx: &mut Tx,
    house: &Intake<'_>,
    visit: &Checkout,
    (what, kind): (&str, alert::Kind),
    title: String,
    body: String,
) -> Result<()> {
    let alert = NewAlert {
        lead: Some(visit.lead_id),
        ..NewAlert::new(kind, format!("checkout:{}:{what}", visit.id), title, body)
    };
    alert::raise(tx, house.origin, house.profile, alert).await.map(|_| ())
}

/// Stripe's test mode: no money moved, so nothing is settled by it. It is shown and marked.
async fn paid_in_test(tx: &mut Tx, house: &Intake<'_>, visit: &Checkout, evidence: &Evidence) -> Result<()> {
    end(tx, visit, "paid").await?;
    let Session { amount, id, payment, .. } = &evidence.session;
    let provider_id = payment.as_ref().unwrap_or(id);
    ledger::card::paid_in_test(&mut *tx, house.origin, house.profile, visit.lead_id, (*amount, provider_id)).await?;
    let name = compose::partner(&mut *tx, house, visit.lead_id).await?.name;
    let title = format!("Test payment: {name}, {}", amount.shown());
    let body = "It was paid in Stripe's test mode, so no money moved. Nothing in your books has changed.".to_owned();
    tell(tx, house, visit, ("paid", alert::Kind::PaymentReceived), title, body).await
}

/// Nothing but dollars is ever asked for, so somebody changed something at Stripe: a person must look, at once.
async fn foreign(tx: &mut Tx, house: &Intake<'_>, visit: &Checkout, evidence: &Evidence) -> Result<()> {
    end(tx, visit, "foreign").await?;
    let currency = evidence.session.currency.to_uppercase();
    let title = format!("A card payment came in {currency}, not in US dollars");
    let body = format!(
        "{}. It is not in your books, and the invoice is still open. Look at it in Stripe, then mark it as paid or refund it there.",
        about(visit, tx, house.profile.org.id).await?
    );
    tell(tx, house, visit, ("foreign", alert::Kind::PaymentFailed), title, body).await
}

/// The invoice it is for, if it can still take money; else the payment is credit of the lead.
async fn payable(tx: &mut Tx, org: OrgId, visit: &Checkout) -> Result<Option<crate::platform::id::InvoiceId>> {
    let Subject::Invoice(id) = visit.subject() else { return Ok(None) };
    let sql = "SELECT EXISTS (SELECT 1 FROM invoice WHERE org_id = $1 AND id = $2 AND status IN ('open', 'paid'))";
    Ok(q!(tx, fetch_one scalar bool, sql, org, id)?.then_some(id))
}

/// "Invoice INV-1001".
async fn about(visit: &Checkout, tx: &mut Tx, org: OrgId) -> Result<String> {
    let (table, subject) = match visit.subject() {
        Subject::Invoice(id) => ("SELECT content, number FROM invoice WHERE org_id = $1 AND id = $2", id.0),
        Subject::Deposit(id) => ("SELECT content, number FROM estimate WHERE org_id = $1 AND id = $2", id.0),
    };
    let (content, number) = q!(tx, fetch_one as (sqlx::types::Json<super::Named>, Option<i64>), table, org, subject)?;
    Ok(content.0.called(number).title(Language::En))
}

/// The bank said no after the customer had gone: they and the business are told.
async fn failed(tx: &mut Tx, house: &Intake<'_>, visit: &Checkout) -> Result<()> {
    let (origin, profile) = (house.origin, house.profile);
    end(tx, visit, "failed").await?;
    let partner = compose::partner(&mut *tx, house, visit.lead_id).await?;
    let event = NewEvent {
        subject: Some(visit.id.0),
        detail: json!({"amount": visit.amount_cents}),
        ..NewEvent::new(visit.lead_id, EventKind::PaymentFailed, origin.now(), Doer::System)
    };
    activity::record(&mut *tx, origin, profile.org.id, event).await?;
    let about = about(visit, tx, profile.org.id).await?;
    let alert = NewAlert {
        lead: Some(visit.lead_id),
        ..NewAlert::new(
            alert::Kind::PaymentFailed,
            format!("checkout:{}:failed", visit.id),
            format!("{}'s card payment did not go through", partner.name),
            format!("{} for {about}", visit.amount_cents.shown()),
        )
    };
    alert::raise(tx, origin, profile, alert).await?;
    let key = format!("checkout:{}:failed", visit.id);
    let said = payment_retry::Said {
        subject: visit.subject(),
        amount: visit.amount_cents,
        kind: message::Kind::Invoice,
        key: &key,
    };
    let decided = payment_retry::said(&mut *tx, house, &partner, said).await?;
    automation::carry_out(&mut *tx, origin, profile.org.id, visit.lead_id, EVENT, decided).await?;
    payment_retry::plan(tx, house, visit).await
}
