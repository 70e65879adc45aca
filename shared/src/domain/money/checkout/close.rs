//! Closing of Stripe pages whose amount due or account has changed. They are expired at Stripe; a payment made just
//! before is recorded: what is not due is credit.

use super::{COLUMNS, CheckoutSession, PaymentDue, PaymentSubject, build_recheck_task, card_refund};
use crate::{
    domain::{
        messaging::alert::{self, NewAlert},
        money::{ledger::stripe_fields, reconciliation},
        tenancy::org::{self, OrgContext},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q, qb},
        error::Result,
        id::{CheckoutId, LeadId, OrgId},
        secret::SecretKey,
        tasks::{self, NewTask},
    },
    providers::payments::StripeCredentials,
};

#[derive(Clone, Debug)]
pub enum CloseDecision {
    /// The amount is still right, or the page is closed already.
    KeepOpen,
    Expire(Box<CheckoutSession>),
}

/// Why a page is still open at Stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseFailure {
    /// Stripe was asked, and kept it open.
    Refused,
    /// There is no key that reaches the account of the page.
    NoAccess,
    /// Stripe refuses the key in force: the page is closed with the next one.
    KeyRefused,
    /// The same for a connected account, which is reached with the key of the install.
    ConnectionRefused,
}

impl CloseFailure {
    fn alert_text(self) -> &'static str {
        match self {
            Self::Refused => {
                "Stripe did not close it. The customer may still pay there for up to 24 hours. Look in that Stripe account."
            }
            Self::NoAccess => {
                "Toolbox has no access to the Stripe account in which it was opened. The customer may still pay there for up to 24 hours. Look in that Stripe account."
            }
            Self::KeyRefused => {
                "Stripe refuses your key. The customer may still pay there for up to 24 hours. Put a new key in Settings, Card payments, and the page is closed."
            }
            Self::ConnectionRefused => {
                "Stripe does not let Toolbox into your account now. The customer may still pay there for up to 24 hours. We try again until then."
            }
        }
    }
}

pub(super) fn build_expire_task(origin: &ClockRng, org: OrgId, id: CheckoutId) -> NewTask {
    NewTask {
        org: Some(org),
        kind: tasks::TaskKind::ExpireCheckout,
        subject: Some(id.0),
        run_at: origin.now(),
        unique_key: format!("checkout:{id}:close:{}", origin.uuid_v7()),
    }
}

async fn enqueue_expiry(tx: &mut Tx, origin: &ClockRng, org: OrgId, open: Vec<CheckoutId>) -> Result<()> {
    if open.is_empty() {
        return Ok(());
    }
    tasks::enqueue(tx, origin, open.into_iter().map(|id| build_expire_task(origin, org, id)).collect())
        .await
        .map(|_| ())
}

/// The lead's money changed: checks each of its open pages against the amount due.
pub(crate) async fn enqueue_expiry_checks(tx: &mut Tx, origin: &ClockRng, org: OrgId, lead: LeadId) -> Result<()> {
    let sql = "SELECT id FROM checkout WHERE org_id = $1 AND lead_id = $2 AND status IN ('opening', 'open')";
    let open = q!(&mut *tx, fetch_all scalar CheckoutId, sql, org, lead)?;
    enqueue_expiry(tx, origin, org, open).await
}

/// New keys were entered: pages that the former key of the same account could not close are closed now.
pub async fn enqueue_expiry_with_new_keys(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    let sql = "SELECT id FROM checkout WHERE org_id = $1 AND status IN ('opening', 'open')";
    let open = q!(&mut *tx, fetch_all scalar CheckoutId, sql, org)?;
    enqueue_expiry(tx, origin, org, open).await
}

/// Another payment for the same paper is at the bank: the paper's open page is not handed out any more, and is expired.
pub(super) async fn expire_other_page(tx: &mut Tx, origin: &ClockRng, visit: &CheckoutSession) -> Result<()> {
    let sql = "UPDATE checkout SET status = 'expired', url = NULL, is_closing = TRUE
         WHERE org_id = $1 AND about_id = $2 AND id <> $3
             AND (status = 'opening' OR (status = 'open' AND url IS NOT NULL)) RETURNING id";
    let open = q!(&mut *tx, fetch_all scalar CheckoutId, sql, visit.org_id, visit.about_id, visit.id)?;
    enqueue_expiry(tx, origin, visit.org_id, open).await
}

/// Expires the open page, even if its amount is still due.
pub(crate) async fn expire_open_page(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    subject: PaymentSubject,
) -> Result<()> {
    let sql = "UPDATE checkout SET is_closing = TRUE WHERE org_id = $1 AND about_id = $2
         AND status IN ('opening', 'open') RETURNING id";
    let open = q!(&mut *tx, fetch_all scalar CheckoutId, sql, org, subject.id())?;
    enqueue_expiry(tx, origin, org, open).await
}

/// Expires all open pages of the lead, even if their amount is still due. A payment at the bank cannot be cancelled.
pub(crate) async fn expire_lead_pages(tx: &mut Tx, origin: &ClockRng, org: OrgId, lead: LeadId) -> Result<()> {
    let sql = "UPDATE checkout SET is_closing = TRUE WHERE org_id = $1 AND lead_id = $2
         AND status IN ('opening', 'open') AND (status = 'opening' OR url IS NOT NULL) RETURNING id";
    let open = q!(&mut *tx, fetch_all scalar CheckoutId, sql, org, lead)?;
    enqueue_expiry(tx, origin, org, open).await
}

/// Another account comes into force, or none: pages of the previous one are no longer handed out, and are expired with
/// its keys, which are kept for a day for that. Its payments are not compared any more, and an alert says so. Call it
/// before the new keys are stored, with the lock of the business.
pub async fn switch_account(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    org: OrgId,
    new: Option<&StripeCredentials>,
) -> Result<()> {
    let Some(old) = org::load_stripe_keys(&mut *tx, secret, org).await? else { return Ok(()) };
    let account = old.account_key();
    let named = new.map(StripeCredentials::account_key);
    if named.as_deref() == Some(account.as_str()) {
        return Ok(());
    }
    if let (Some(new), Some(named)) = (new, &named)
        && new.is_same_key(&old)
    {
        return rename_account(tx, org, &account, named).await;
    }
    org::store_former_stripe_keys(&mut *tx, origin, secret, org, &old).await?;
    reconciliation::discard_unread_payouts(&mut *tx, org).await?;
    let sql = "UPDATE checkout SET account = $2 WHERE org_id = $1 AND account IS NULL";
    q!(&mut *tx, execute, sql, org, &account)?;
    stripe_fields::fill_account(&mut *tx, org, &account).await?;
    reconciliation::record_account_left(&mut *tx, origin, org, (&account, named.as_deref())).await?;
    card_refund::enqueue_checks_after_disconnect(&mut *tx, origin, org).await?;
    let sql = "UPDATE checkout SET status = 'expired', url = NULL, is_closing = TRUE
         WHERE org_id = $1 AND account = $2 AND (status = 'opening' OR (status = 'open' AND url IS NOT NULL))
         RETURNING id";
    let open = q!(&mut *tx, fetch_all scalar CheckoutId, sql, org, &account)?;
    // A payment at the bank cannot be cancelled: it is not offered again, and is followed while the keys exist.
    let sql = "SELECT id FROM checkout WHERE org_id = $1 AND account = $2 AND status = 'open'";
    let at_bank = q!(&mut *tx, fetch_all scalar CheckoutId, sql, org, &account)?;
    let mut looks: Vec<NewTask> = open.into_iter().map(|id| build_expire_task(origin, org, id)).collect();
    looks.extend(at_bank.into_iter().map(|id| build_recheck_task(origin, org, id, "moved")));
    if looks.is_empty() {
        return Ok(());
    }
    tasks::enqueue(tx, origin, looks).await.map(|_| ())
}

/// The key is unchanged; Stripe now names its account.
async fn rename_account(tx: &mut Tx, org: OrgId, before: &str, now: &str) -> Result<()> {
    let sql = "UPDATE checkout SET account = $3 WHERE org_id = $1 AND account = $2";
    q!(&mut *tx, execute, sql, org, before, now)?;
    stripe_fields::rename_account(tx, org, before, now).await
}

/// `account` is the one in force.
pub async fn decide_close(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    id: CheckoutId,
    account: Option<&str>,
) -> Result<CloseDecision> {
    let org = ctx.profile.org.id;
    let found = qb!(&mut *conn, fetch_optional as CheckoutSession, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM checkout WHERE org_id = ").push_bind(org);
        b.push(" AND id = ").push_bind(id);
    })?;
    let Some(visit) = found else { return Ok(CloseDecision::KeepOpen) };
    if visit.is_closing {
        return Ok(CloseDecision::Expire(Box::new(visit)));
    }
    // A payment at the bank cannot be cancelled.
    if !visit.is_open() || visit.is_awaiting_bank() {
        return Ok(CloseDecision::KeepOpen);
    }
    let due = super::find_payment_due(conn, ctx, visit.subject()).await?;
    Ok(if matches_due(&visit, due.as_ref(), account) {
        CloseDecision::KeepOpen
    } else {
        CloseDecision::Expire(Box::new(visit))
    })
}

pub(super) fn matches_due(visit: &CheckoutSession, due: Option<&PaymentDue>, account: Option<&str>) -> bool {
    due.is_some_and(|due| due.amount == visit.amount_cents)
        && account.is_some_and(|account| visit.belongs_to_account(account))
}

/// The page was expired or completed at Stripe, or never opened there. An alert that it could not be closed ends.
pub async fn mark_closed(tx: &mut Tx, origin: &ClockRng, visit: &CheckoutSession) -> Result<()> {
    let sql = "UPDATE checkout SET is_closing = FALSE,
             status = CASE WHEN status IN ('opening', 'open') AND provider_id IS NULL THEN 'expired' ELSE status END
         WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, visit.org_id, visit.id)?;
    let title = format!("The Stripe page over {} is closed", visit.amount_cents.format_usd());
    let words = (title.as_str(), "Customers cannot pay on it now.");
    alert::end_alert(tx, origin, visit.org_id, &not_closed_key(visit), words).await
}

fn not_closed_key(visit: &CheckoutSession) -> String {
    format!("checkout:{}:not-closed", visit.id)
}

/// The account is unreachable or Stripe refused: the page stays open there until it expires. The business is notified.
pub async fn record_close_failed(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    visit: &CheckoutSession,
    failure: CloseFailure,
) -> Result<()> {
    let sql = "UPDATE checkout SET is_closing = FALSE, url = NULL,
             status = CASE WHEN status IN ('opening', 'open') THEN 'expired' ELSE status END
         WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, visit.org_id, visit.id)?;
    alert_not_closed(tx, ctx, visit, failure).await
}

/// Once for each page. One that is tried again stays as it is.
pub async fn alert_not_closed(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    visit: &CheckoutSession,
    failure: CloseFailure,
) -> Result<()> {
    let title = format!("A Stripe page over {} could not be closed", visit.amount_cents.format_usd());
    let body = failure.alert_text().to_owned();
    let alert = NewAlert {
        lead: Some(visit.lead_id),
        ..NewAlert::new(alert::AlertKind::PaymentFailed, not_closed_key(visit), title, body)
    };
    alert::raise_alert(tx, ctx.origin, ctx.profile, alert).await.map(|_| ())
}

/// The payment was at the bank and its account is no longer reachable: only the business can see the outcome, and the
/// customer may pay again.
pub async fn record_untrackable(tx: &mut Tx, ctx: &OrgContext<'_>, visit: &CheckoutSession) -> Result<()> {
    let sql =
        "UPDATE checkout SET status = 'expired' WHERE org_id = $1 AND id = $2 AND status = 'open' AND url IS NULL";
    if q!(&mut *tx, execute, sql, visit.org_id, visit.id)? == 0 {
        return Ok(());
    }
    // Other papers of the lead ask for this money again.
    enqueue_expiry_checks(&mut *tx, ctx.origin, visit.org_id, visit.lead_id).await?;
    let alert = NewAlert {
        lead: Some(visit.lead_id),
        ..NewAlert::new(
            alert::AlertKind::PaymentFailed,
            format!("checkout:{}:out-of-sight", visit.id),
            format!("A bank payment of {} can no longer be followed", visit.amount_cents.format_usd()),
            "It was on its way in the Stripe account that you used before. Look there. If it arrives, mark it as paid: until \
             then the customer is asked to pay again."
                .to_owned(),
        )
    };
    alert::raise_alert(tx, ctx.origin, ctx.profile, alert).await.map(|_| ())
}
