//! One checkout: from the tap on "Pay" to the URL of Stripe's page, and the schedule of looks at it.

use chrono::Duration;

use super::{COLUMNS, CheckoutEvidence, CheckoutSession, PaymentDue, PaymentSubject};
use crate::{
    documents::template::Language,
    platform::{
        clock::ClockRng,
        db::{Tx, insert_row, q, qb},
        email_address::EmailAddress,
        error::{Error, Result},
        id::{CheckoutId, OrgId},
        tasks::{self, NewTask},
    },
    providers::payments::{
        NewCheckoutSession, PaidPaper, Stripe, StripeCheckoutSession, StripeCheckoutStatus, StripeCredentials,
        StripeDispute, StripeError, StripeRefundStatus,
    },
};

/// Lifetime of a page: Stripe's maximum less the clock difference.
const PAGE_LIFETIME: Duration = Duration::hours(23);
/// Minimum time left on a page that is handed out: entering a card takes time.
const MIN_REMAINING: Duration = Duration::minutes(10);
/// Allowed difference between Stripe's clock and ours.
const CLOCK_SKEW: Duration = Duration::minutes(10);
/// Delays of the looks, should no webhook come. The last is after the page's end.
const CHECK_DELAYS: [Duration; 5] =
    [Duration::minutes(3), Duration::minutes(15), Duration::hours(1), Duration::hours(6), Duration::hours(24)];

#[derive(Clone, Debug)]
pub enum CheckoutStart {
    /// To be opened at Stripe under its id; when repeated, Stripe answers with the same page.
    Open(CheckoutSession),
    /// A page of another amount is open: close it first, then begin again.
    Close(CheckoutSession),
}

/// Stores a new checkout, or finds the one under way. `account` is the Stripe account in force: pages of another are
/// not handed out.
pub async fn begin_checkout(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    due: &PaymentDue,
    account: &str,
) -> Result<CheckoutStart> {
    tx.guard_writable(org);
    let now = origin.now();
    let (about, about_id) = (due.subject.as_str(), due.subject.id());
    insert_row!(
        &mut *tx,
        execute,
        checkout {
            org_id: org,
            id: CheckoutId(origin.random_uuid()),
            lead_id: due.lead,
            about,
            about_id,
            amount_cents: due.amount,
            status: "opening",
            created_at: now,
            expires_at: now + PAGE_LIFETIME,
            account,
        },
        "ON CONFLICT (org_id, about_id) WHERE status IN ('opening', 'open') DO NOTHING"
    )?;
    let found = qb!(&mut *tx, fetch_optional as CheckoutSession, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM checkout WHERE org_id = ").push_bind(org);
        b.push(" AND about_id = ").push_bind(about_id).push(" AND status IN ('opening', 'open')");
    })?;
    let found = found.ok_or_else(|| Error::Internal("a visit to the pay page is gone".into()))?;
    // A payment at the bank cannot be cancelled.
    if found.is_awaiting_bank() {
        return Ok(CheckoutStart::Open(found));
    }
    let is_fit = super::close::matches_due(&found, Some(due), Some(account))
        && found.expires_at > now + MIN_REMAINING
        && !found.is_closing;
    if !is_fit {
        return Ok(CheckoutStart::Close(found));
    }
    tasks::enqueue(tx, origin, build_check_tasks(&found)).await?;
    Ok(CheckoutStart::Open(found))
}

fn build_check_tasks(visit: &CheckoutSession) -> Vec<NewTask> {
    let at = |(n, after): (usize, &Duration)| NewTask {
        org: Some(visit.org_id),
        kind: tasks::TaskKind::SettleCheckout,
        subject: Some(visit.id.0),
        run_at: visit.created_at + *after,
        unique_key: format!("checkout:{}:look:{n}", visit.id),
    };
    CHECK_DELAYS.iter().enumerate().map(at).collect()
}

/// Interval between looks at a page of a former account.
const FORMER_CHECK_INTERVAL: Duration = Duration::hours(6);

/// The nightly comparison does not cover a payment at the bank in an account no longer in force: it is looked at until
/// it ends or the keys are deleted.
pub async fn enqueue_former_account_check(
    tx: &mut Tx,
    origin: &ClockRng,
    visit: &CheckoutSession,
    evidence: &CheckoutEvidence,
) -> Result<()> {
    if evidence.session.status != StripeCheckoutStatus::Processing {
        return Ok(());
    }
    let next = origin.now() + FORMER_CHECK_INTERVAL;
    let unique_key = format!("checkout:{}:former:{}", visit.id, next.timestamp());
    let look = NewTask { run_at: next, unique_key, ..build_settle_task(origin, (visit.org_id, visit.id), "former") };
    tasks::enqueue(tx, origin, vec![look]).await.map(|_| ())
}

pub(crate) fn build_settle_task(origin: &ClockRng, (org, id): (OrgId, CheckoutId), why: &str) -> NewTask {
    NewTask {
        org: Some(org),
        kind: tasks::TaskKind::SettleCheckout,
        subject: Some(id.0),
        run_at: origin.now(),
        unique_key: format!("checkout:{id}:{why}"),
    }
}

/// Ids that a page carries to Stripe, as text.
#[derive(Clone, Debug)]
pub struct SessionRequestIds {
    key: String,
    reference: String,
    org: String,
    lead: String,
    paper: String,
}

impl SessionRequestIds {
    #[must_use]
    pub fn of_visit(visit: &CheckoutSession) -> Self {
        Self {
            key: format!("checkout:{}", visit.id),
            reference: visit.id.to_string(),
            org: visit.org_id.to_string(),
            lead: visit.lead_id.to_string(),
            paper: visit.about_id.to_string(),
        }
    }
}

/// `urls`: the customer's page after payment and after leaving.
#[must_use]
pub fn build_session_request<'a>(
    visit: &CheckoutSession,
    due: &'a PaymentDue,
    ids: &'a SessionRequestIds,
    urls: (&'a str, &'a str),
) -> NewCheckoutSession<'a> {
    NewCheckoutSession {
        key: &ids.key,
        amount: visit.amount_cents,
        title: &due.title,
        email: due.email.as_ref().map(EmailAddress::as_str),
        language: match due.language {
            Language::En => "en",
            Language::Es => "es",
        },
        success_url: urls.0,
        cancel_url: urls.1,
        reference: &ids.reference,
        org: &ids.org,
        lead: &ids.lead,
        paper: match visit.subject() {
            PaymentSubject::Invoice(_) => PaidPaper::Invoice(&ids.paper),
            PaymentSubject::Deposit(_) => PaidPaper::Estimate(&ids.paper),
        },
        expires_at: visit.expires_at,
    }
}

/// Stores the URL of the page. A page closed meanwhile is expired.
pub async fn record_opened(
    tx: &mut Tx,
    origin: &ClockRng,
    visit: &CheckoutSession,
    session: &StripeCheckoutSession,
    keys: &StripeCredentials,
) -> Result<()> {
    let sql = "UPDATE checkout SET provider_id = $3, livemode = $5,
             url = CASE WHEN status IN ('opening', 'open') THEN $4 ELSE NULL END,
             is_closing = CASE WHEN status IN ('opening', 'open') THEN is_closing ELSE TRUE END,
             status = CASE WHEN status = 'opening' THEN 'open' ELSE status END
         WHERE org_id = $1 AND id = $2 AND (provider_id IS NULL OR provider_id = $3) RETURNING is_closing";
    let livemode = session.livemode.unwrap_or(!keys.is_test_mode());
    let is_closing =
        q!(&mut *tx, fetch_optional scalar bool, sql, visit.org_id, visit.id, &session.id, &session.url, livemode)?;
    if is_closing == Some(true) {
        let look = super::close::build_expire_task(origin, visit.org_id, visit.id);
        tasks::enqueue(tx, origin, vec![look]).await?;
    }
    Ok(())
}

/// Stripe refused to open it, or a look found no page: it is over, and the next checkout has its own idempotency key.
/// In doubt the checkout and its key stay.
pub async fn mark_open_failed(tx: &mut Tx, visit: &CheckoutSession) -> Result<()> {
    let sql = "UPDATE checkout SET status = 'failed' WHERE org_id = $1 AND id = $2 AND status = 'opening'";
    q!(tx, execute, sql, visit.org_id, visit.id)?;
    Ok(())
}

/// Finds, by our id, the page that Stripe made although it answered with a server error. Never called inside a
/// transaction.
pub async fn find_open_page(
    stripe: &Stripe,
    keys: &StripeCredentials,
    visit: &CheckoutSession,
) -> Result<Option<StripeCheckoutSession>, StripeError> {
    Ok(find_page(stripe, keys, visit).await?.filter(|page| page.status == StripeCheckoutStatus::Open))
}

/// The same, for a page of any status.
pub async fn find_page(
    stripe: &Stripe,
    keys: &StripeCredentials,
    visit: &CheckoutSession,
) -> Result<Option<StripeCheckoutSession>, StripeError> {
    let since = (visit.created_at - CLOCK_SKEW).timestamp();
    let wanted = (visit.id.to_string(), visit.payment_provider_id.as_deref());
    stripe.find_checkout_session(keys, (&wanted.0, wanted.1), since).await
}

/// Reads the page's status, the refunds of its payment and the disputes where it `may_be_disputed`. They are also read
/// where a refund failed: the money may have gone back by one. Never called inside a transaction. None when the page was
/// never opened at Stripe.
pub async fn fetch_evidence(
    stripe: &Stripe,
    keys: &StripeCredentials,
    visit: &CheckoutSession,
    may_be_disputed: bool,
) -> Result<Option<CheckoutEvidence>, StripeError> {
    let Some(page) = &visit.provider_id else { return Ok(None) };
    let session = stripe.fetch_checkout_session(keys, page).await?;
    let payment = session.payment.as_deref().filter(|_| session.status == StripeCheckoutStatus::Paid);
    let refunds = match payment {
        Some(payment) => stripe.list_refunds(keys, payment).await?,
        None => Vec::new(),
    };
    let has_failed_refund = refunds.iter().any(|one| one.status == StripeRefundStatus::Failed);
    let disputes = match payment.filter(|_| may_be_disputed || has_failed_refund) {
        Some(payment) => fetch_disputes(stripe, keys, payment).await?,
        None => Some(Vec::new()),
    };
    Ok(Some(CheckoutEvidence { session, refunds, disputes }))
}

/// None when the key, which opened the page, may not read disputes: the payment is recorded all the same.
async fn fetch_disputes(
    stripe: &Stripe,
    keys: &StripeCredentials,
    payment: &str,
) -> Result<Option<Vec<StripeDispute>>, StripeError> {
    match stripe.list_disputes(keys, payment).await {
        Ok(found) => Ok(Some(found)),
        Err(StripeError::Key(_)) => Ok(None),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_poll_comes_after_checkout_session_closes() {
        assert!(
            CHECK_DELAYS.is_sorted()
                && CHECK_DELAYS[CHECK_DELAYS.len() - 1] > PAGE_LIFETIME
                && PAGE_LIFETIME < Duration::hours(24)
        );
    }
}
