//! Card refunds: requested at Stripe after the one-minute undo period, and followed until they are settled.

use chrono::{DateTime, Duration, Utc};

use super::{
    ReturnedFunds, double_refund,
    open_alerts::{alert_refund_made, end_open_alerts},
};
use crate::{
    domain::{
        messaging::alert::{self, NewAlert},
        money::{
            connected_account,
            ledger::{PaymentStatus, card},
        },
        tenancy::org::{FORMER_KEYS_RETENTION, OrgContext, OrgProfile},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{OrgId, PaymentId},
        tasks::{self, NewTask},
    },
    providers::payments::{StripeError, StripeRefund, StripeRefundStatus, UNKNOWN_KEY, is_about_key},
};

/// Delays after which a pending refund is looked at again.
const CHECK_DELAYS: [Duration; 4] = [Duration::hours(1), Duration::days(1), Duration::days(4), Duration::days(10)];

/// Keys whose retention is over are deleted every ten minutes.
const KEYS_DELETED_WITHIN: Duration = Duration::minutes(15);

/// Reason for not asking Stripe: the account that took the payment is no longer connected.
pub const NOT_CONNECTED: &str = "is no longer set up";

/// Ledger note on refunds made in Stripe's dashboard.
pub(crate) const REFUNDED_IN_STRIPE: &str = "made in Stripe";

/// Added to the alert on a failed refund when nothing else went back.
const STILL_THERE: &str = "The money is still yours to give back.";

/// The same where Stripe's lists of refunds and disputes were not both read.
const UNSEEN: &str =
    "The money may have gone back in another way, which we could not see: look in Stripe before you give it back.";

pub type CardRefund = card::PendingCardRefund;

impl From<StripeRefundStatus> for PaymentStatus {
    fn from(status: StripeRefundStatus) -> Self {
        match status {
            StripeRefundStatus::Pending => Self::Pending,
            StripeRefundStatus::Succeeded => Self::Settled,
            StripeRefundStatus::Failed => Self::Failed,
        }
    }
}

/// The refund to request or to look at; none when it is over or was undone.
pub async fn find_pending(conn: &mut dyn AsConn, org: OrgId, id: PaymentId) -> Result<Option<CardRefund>> {
    card::find_pending_refund(conn, org, id).await
}

/// Whether Stripe's list may still decide. An outage is temporary, and a refused key is replaced. Nobody replaces the key
/// of a former account.
#[must_use]
pub fn can_query_provider<T>(answer: &Result<T, StripeError>, is_former_account: bool) -> bool {
    match answer {
        Err(StripeError::Key(_)) => !is_former_account,
        Err(StripeError::Refused(_)) => false,
        Ok(_) | Err(StripeError::Retry { .. }) => true,
    }
}

/// Stores whether Stripe can be asked, if that changed.
pub async fn record_reachability(
    tx: &mut Tx,
    origin: &ClockRng,
    refund: &CardRefund,
    is_reachable: bool,
) -> Result<()> {
    card::record_reachability(tx, origin, refund, is_reachable).await
}

/// Until when Stripe is asked about a refund of a former account; none without an end. After it the business may state
/// the outcome.
pub async fn query_deadline(
    conn: &mut dyn AsConn,
    secret: &crate::platform::secret::SecretKey,
    refund: &CardRefund,
) -> Result<Option<DateTime<Utc>>> {
    let since =
        crate::domain::tenancy::org::account_replaced_since(conn, secret, refund.org_id, refund.account.as_deref())
            .await?;
    Ok(since.map(|since| since + FORMER_KEYS_RETENTION))
}

/// A look outside the schedule. `why` distinguishes it from other looks.
pub async fn enqueue_check(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, id): (OrgId, PaymentId),
    run_at: DateTime<Utc>,
    why: &str,
) -> Result<()> {
    let look = NewTask {
        org: Some(org),
        kind: tasks::TaskKind::RefundCard,
        subject: Some(id.0),
        run_at,
        unique_key: format!("refund:{id}:{why}:{}", origin.now().timestamp()),
    };
    tasks::enqueue(tx, origin, vec![look]).await.map(|_| ())
}

/// The account that holds these payments is disconnected: looks now and after its keys are deleted, so that the
/// business is asked to check in Stripe.
pub(super) async fn enqueue_checks_after_disconnect(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    let forgotten = FORMER_KEYS_RETENTION + KEYS_DELETED_WITHIN;
    enqueue_checks(tx, origin, org, &[("left", Duration::zero()), ("forgotten", forgotten)]).await
}

/// New keys were entered: refunds in doubt because Stripe refused the old key are asked about now.
pub async fn enqueue_checks_with_new_keys(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    enqueue_checks(tx, origin, org, &[("keys", Duration::zero())]).await
}

/// One look per reason for each refund that was requested and has no known outcome.
async fn enqueue_checks(tx: &mut Tx, origin: &ClockRng, org: OrgId, looks: &[(&str, Duration)]) -> Result<()> {
    let sql = "SELECT id FROM payment WHERE org_id = $1 AND kind = 'refund' AND status IN ('pending', 'unknown')
         AND undone_at IS NULL AND attempted_at IS NOT NULL";
    for id in q!(&mut *tx, fetch_all scalar PaymentId, sql, org)? {
        for (why, after) in looks {
            enqueue_check(&mut *tx, origin, (org, id), origin.now() + *after, why).await?;
        }
    }
    Ok(())
}

/// Stored before Stripe is asked: from now on the refund may have been made, even if the answer is lost. `is_anew` uses
/// a new idempotency key. Returns the key; none when the refund was undone, settled or first asked for by another run
/// meanwhile.
pub async fn record_attempt(
    tx: &mut Tx,
    origin: &ClockRng,
    refund: &CardRefund,
    is_anew: bool,
) -> Result<Option<String>> {
    let step = i64::from(is_anew);
    let key = card::record_refund_attempt(tx, origin, refund, step).await?;
    Ok(key.map(|no| match no {
        0 => format!("refund:{}", refund.id),
        no => format!("refund:{}:{no}", refund.id),
    }))
}

/// Stripe accepted the refund or reported its status. One that failed is applied before, with all that Stripe lists of
/// the payment.
pub async fn record_accepted(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    refund: &CardRefund,
    accepted: &StripeRefund,
) -> Result<()> {
    let is_first = refund.provider_id.is_none();
    apply_provider_status(tx, origin, profile, refund.id, (accepted, false)).await?;
    if !is_first || accepted.status != StripeRefundStatus::Pending {
        return Ok(());
    }
    let look = |(n, after): (usize, &Duration)| NewTask {
        org: Some(refund.org_id),
        kind: tasks::TaskKind::RefundCard,
        subject: Some(refund.id.0),
        run_at: origin.now() + *after,
        unique_key: format!("refund:{}:look:{n}", refund.id),
    };
    tasks::enqueue(tx, origin, CHECK_DELAYS.iter().enumerate().map(look).collect()).await.map(|_| ())
}

/// A refusal of a refund by Stripe.
#[derive(Clone, Copy, Debug)]
pub struct RefundRefusal<'a> {
    /// Completes "Stripe …".
    pub why: &'a str,
    /// This run has requested the refund.
    pub was_requested: bool,
    /// What went back of the payment without showing this refund, and was noted; none where Stripe's list was not read.
    pub returned: Option<&'a ReturnedFunds>,
}

/// Stripe will not refund. True when the refund failed. It stays in doubt where it was requested and Stripe's list was
/// not read, or where another run has requested it since `refund` was read.
pub async fn record_failed(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    refund: &CardRefund,
    refusal: RefundRefusal<'_>,
) -> Result<bool> {
    let RefundRefusal { why, was_requested, returned } = refusal;
    let is_known = was_requested || refund.attempted_at.is_some();
    if card::was_refund_requested(&mut *tx, refund).await? && (returned.is_none() || !is_known) {
        record_unknown(tx, origin, profile, refund, why).await?;
        return Ok(false);
    }
    let is_seen = returned.is_some_and(|returned| returned.is_whole);
    if card::apply_refund_status(&mut *tx, origin, refund.org_id, refund.id, None, PaymentStatus::Failed)
        .await?
        .is_some()
    {
        let of = (refund.id, refund.amount_cents);
        end_open_alerts(&mut *tx, origin, refund.org_id, of, (PaymentStatus::Failed, is_seen)).await?;
        alert_refund_failed(tx, origin, profile, refund.id, (why, is_seen)).await?;
    }
    Ok(true)
}

/// The refund may have been made and Stripe does not say: it is not repeated, and Stripe's list is looked at until it
/// is clear. The business is notified once, if a second try leaves it unclear.
pub async fn record_unknown(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    refund: &CardRefund,
    why: &str,
) -> Result<()> {
    card::apply_refund_status(&mut *tx, origin, refund.org_id, refund.id, None, PaymentStatus::Unknown).await?;
    // The first time it is asked again within seconds, and is nearly always clear then.
    if refund.attempted_at.is_none() {
        return Ok(());
    }
    let title = format!("A refund of {} is in doubt", refund.amount_cents.format_usd());
    // Read again: reachability was stored a moment ago.
    let pending_refund = find_pending(&mut *tx, refund.org_id, refund.id).await?;
    let is_unreachable = pending_refund.is_some_and(|pending_refund| pending_refund.is_unreachable);
    let is_connected = connected_account::is_connected(&mut *tx, refund.org_id, refund.account.as_deref()).await?;
    let (key, body) = describe_doubt(refund, why, (is_unreachable, is_connected));
    let alert = NewAlert {
        lead: Some(refund.lead_id),
        ..NewAlert::new(alert::AlertKind::PaymentFailed, format!("refund:{}:{key}", refund.id), title, body)
    };
    alert::raise_alert(tx, origin, profile, alert).await.map(|_| ())
}

/// A connected account has no key of the business.
fn describe_doubt(
    refund: &CardRefund,
    why: &str,
    (is_unreachable, is_connected): (bool, bool),
) -> (&'static str, String) {
    if why == NOT_CONNECTED {
        let body = format!(
            "The Stripe account that took the payment is no longer connected, so Toolbox cannot ask whether the refund was made. Do not give the money back a second time: look in Stripe at payment {}, then mark the refund as refunded or not refunded on the request. If the same account is connected again in Settings, Card payments, it becomes clear by itself soon after.",
            refund.payment
        );
        return ("unreachable", body);
    }
    let words = if why == UNKNOWN_KEY { "refuses the key" } else { why };
    if is_unreachable {
        let body = format!(
            "We cannot ask Stripe: it {words}. The refund may have been made already: do not give the money back a second time. Look in Stripe at payment {}, then mark the refund as refunded or not refunded on the request.",
            refund.payment
        );
        return ("unreachable", body);
    }
    if is_about_key(why) {
        let mend = if is_connected {
            "Ask the person who runs your Toolbox: once Stripe takes its key again, the refund settles by itself."
        } else {
            "Put a new key in Settings, Card payments, and the refund settles by itself."
        };
        let body = format!(
            "We cannot ask Stripe: it {words}. The refund may have been made already: do not give the money back a second time. {mend}"
        );
        return ("refused-key", body);
    }
    let body = format!(
        "Stripe {why}. It may have been made already: do not give the money back a second time. We look at Stripe's own list until it is clear."
    );
    ("unknown", body)
}

/// The refund could not be requested so far; the business is notified after one hour. `why` is a full sentence.
pub async fn alert_if_overdue(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    refund: &CardRefund,
    why: &str,
) -> Result<()> {
    // Read again: a refund in doubt has its own alert.
    let Some(refund) = find_pending(&mut *tx, refund.org_id, refund.id).await? else { return Ok(()) };
    let is_late = origin.now() - refund.created_at >= card::LATE_REFUND_AFTER;
    if !is_late || refund.status != PaymentStatus::Pending || refund.provider_id.is_some() {
        return Ok(());
    }
    let alert = NewAlert {
        lead: Some(refund.lead_id),
        ..NewAlert::new(
            alert::AlertKind::PaymentFailed,
            format!("refund:{}:late", refund.id),
            format!("A refund of {} has not left yet", refund.amount_cents.format_usd()),
            format!("{why}. It is tried again until Stripe takes it: do not give the money back a second time."),
        )
    };
    alert::raise_alert(tx, origin, profile, alert).await.map(|_| ())
}

/// Books every refund that Stripe lists for a payment, also those made in Stripe. `is_whole`: these are all of them, and
/// its disputes were booked before.
pub async fn apply_provider_refunds(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    payment: &str,
    (refunds, is_whole): (&[StripeRefund], bool),
) -> Result<()> {
    // Those that failed come last: their alert says what the others leave.
    let (failed, others): (Vec<_>, Vec<_>) =
        refunds.iter().partition(|refund| refund.status == StripeRefundStatus::Failed);
    for refund in others.into_iter().chain(failed) {
        let own = refund.reference.as_deref().and_then(|text| text.parse().ok()).map(PaymentId);
        match card::find_refund_id(&mut *tx, profile.org.id, own, &refund.id).await? {
            Some(id) => apply_provider_status(tx, origin, profile, id, (refund, is_whole)).await?,
            None if refund.status == StripeRefundStatus::Failed => {}
            None => {
                let update = (refund.id.as_str(), refund.amount, refund.status.into());
                if let Some(id) =
                    card::record_external_refund(&mut *tx, origin, profile, payment, update, REFUNDED_IN_STRIPE).await?
                {
                    double_refund::alert_double_refund(&mut *tx, origin, profile, (payment, id)).await?;
                }
            }
        }
    }
    Ok(())
}

async fn apply_provider_status(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    id: PaymentId,
    (refund, is_whole): (&StripeRefund, bool),
) -> Result<()> {
    let (org, to) = (profile.org.id, refund.status.into());
    let before = card::apply_refund_status(&mut *tx, origin, org, id, Some(&refund.id), to).await?;
    if before.is_some() {
        end_open_alerts(&mut *tx, origin, org, (id, refund.amount), (to, true)).await?;
    }
    match before {
        Some(_) if to == PaymentStatus::Failed => {
            alert_refund_failed(tx, origin, profile, id, ("could not bring it to the card", is_whole)).await
        }
        Some(PaymentStatus::Failed) => alert_refund_made(tx, origin, profile, id).await,
        _ => Ok(()),
    }
}

/// `is_seen`: all that went back of the payment is booked.
async fn alert_refund_failed(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    id: PaymentId,
    (why, is_seen): (&str, bool),
) -> Result<()> {
    let rest = if is_seen { STILL_THERE } else { UNSEEN };
    let refund = crate::domain::money::ledger::load_payment(&mut *tx, profile.org.id, id, origin.now()).await?;
    let body = refund.already_returned.unwrap_or_else(|| format!("Stripe {why}. {rest}"));
    let alert = NewAlert {
        lead: Some(refund.lead_id),
        ..NewAlert::new(
            alert::AlertKind::PaymentFailed,
            format!("refund:{id}:failed"),
            format!("A refund of {} did not go through", refund.amount.format_usd()),
            body,
        )
    };
    alert::raise_alert(tx, origin, profile, alert).await.map(|_| ())
}

pub(super) async fn apply_refunds(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    payment: &str,
    refunds: (&[StripeRefund], bool),
) -> Result<()> {
    apply_provider_refunds(tx, ctx.origin, ctx.profile, payment, refunds).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::payments::{KEY_NOT_ALLOWED, RequestOutcome};

    #[test]
    fn stripe_decides_until_it_does_not_know_the_payment_or_refuses_a_former_key() {
        let retry = |doubt: RequestOutcome| StripeError::Retry { reason: "does not answer".into(), after: None, doubt };
        assert!(can_query_provider(&Ok(()), true));
        for doubt in [RequestOutcome::NotDone, RequestOutcome::Unclear, RequestOutcome::Stored { is_replayed: true }] {
            assert!(can_query_provider::<()>(&Err(retry(doubt)), true), "{doubt:?}");
        }
        for is_former in [false, true] {
            let refused = Err(StripeError::Key(UNKNOWN_KEY.into()));
            assert_eq!(can_query_provider::<()>(&refused, is_former), !is_former);
            let unknown = Err(StripeError::Refused("knows no such payment".into()));
            assert!(!can_query_provider::<()>(&unknown, is_former));
        }
    }

    #[test]
    fn doubt_notice_matches_the_action_still_possible() {
        let refund = CardRefund {
            org_id: OrgId(uuid::Uuid::nil()),
            lead_id: crate::platform::id::LeadId(uuid::Uuid::nil()),
            id: PaymentId(uuid::Uuid::nil()),
            amount_cents: crate::platform::money::Cents(5_000),
            payment: "pi_1".into(),
            paid_cents: crate::platform::money::Cents(12_000),
            provider_id: None,
            account: None,
            attempted_at: None,
            is_unreachable: false,
            status: PaymentStatus::Unknown,
            created_at: DateTime::UNIX_EPOCH,
        };
        for (why, words) in
            [(UNKNOWN_KEY, "it refuses the key. "), (KEY_NOT_ALLOWED, "it says that this key may not do that. ")]
        {
            let (key, body) = describe_doubt(&refund, why, (false, false));
            assert!(body.starts_with(&format!("We cannot ask Stripe: {words}")), "{body}");
            assert!(
                body.ends_with("Put a new key in Settings, Card payments, and the refund settles by itself."),
                "{body}"
            );
            assert_eq!(key, "refused-key");
            let (_, body) = describe_doubt(&refund, why, (false, true));
            assert!(body.contains(words) && body.contains("Ask the person who runs your Toolbox"), "{body}");
            assert!(!body.contains("Put a new key"), "{body}");
            let (key, body) = describe_doubt(&refund, why, (true, false));
            assert!(body.contains(words) && body.contains("time. Look in Stripe at payment pi_1, then mark"), "{body}");
            assert_eq!(key, "unreachable");
        }
        let (key, body) = describe_doubt(&refund, "failed to answer", (false, true));
        assert_eq!(key, "unknown");
        assert!(body.ends_with("We look at Stripe's own list until it is clear."), "{body}");
    }
}
