//! Money that goes back to a card: asked for once the minute of grace is over, and followed until it has arrived.

use chrono::{DateTime, Duration, Utc};

use super::twice;
use crate::{
    domain::{
        intake::lead::Intake,
        messaging::alert::{self, NewAlert},
        money::ledger::{Status, card},
        tenancy::org::Profile,
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{OrgId, PaymentId},
        tasks::{self, NewTask},
    },
    providers::payments::{PayError, Refund, RefundStanding, UNKNOWN_KEY},
};

/// When a refund that Stripe works on is looked at again.
const LOOKS: [Duration; 4] = [Duration::hours(1), Duration::days(1), Duration::days(4), Duration::days(10)];

/// After so long the keys of a former account are forgotten.
const AFTER_FORMER: Duration = Duration::hours(28);

/// Why nobody can be asked: the account that took the payment is not connected any more.
pub const NOT_CONNECTED: &str = "is not set up any more";

/// The note of what was refunded on Stripe's own pages.
pub(crate) const IN_STRIPE: &str = "made in Stripe";

/// Said of a refund that failed, where nothing else went back.
const STILL_THERE: &str = "The money is still yours to give back.";

/// The same where Stripe's lists could not be read.
const UNSEEN: &str =
    "We could not see in Stripe whether the money has gone back in another way: look there before you give it back.";

/// A refund on its way.
pub type CardRefund = card::Waiting;

impl From<RefundStanding> for Status {
    fn from(standing: RefundStanding) -> Self {
        match standing {
            RefundStanding::Pending => Self::Pending,
            RefundStanding::Succeeded => Self::Settled,
            RefundStanding::Failed => Self::Failed,
        }
    }
}

/// The refund that is to be asked for, or looked at; none when it is over or was taken back.
pub async fn due(conn: &mut dyn AsConn, org: OrgId, id: PaymentId) -> Result<Option<CardRefund>> {
    card::waiting(conn, org, id).await
}

/// Whether Stripe can be asked how a refund ended, by its answer to a look at its list. What is only away answers later.
#[must_use]
pub fn can_be_asked<T>(answer: &Result<T, PayError>) -> bool {
    !matches!(answer, Err(PayError::Key(_) | PayError::Refused(_)))
}

/// Notes whether Stripe can be asked how a refund ended, where that has changed.
pub async fn reach(tx: &mut Tx, origin: &Origin, refund: &CardRefund, is_reachable: bool) -> Result<()> {
    card::reach(tx, origin, refund, is_reachable).await
}

/// Until when Stripe is asked how a refund ended whose account is not in force any more; none where that has no end. Then
/// the business may say it.
pub async fn asked_until(
    conn: &mut dyn AsConn,
    secret: &crate::platform::secret::SecretKey,
    refund: &CardRefund,
) -> Result<Option<DateTime<Utc>>> {
    let since =
        crate::domain::tenancy::org::keys::former_since(conn, secret, refund.org_id, refund.account.as_deref()).await?;
    Ok(since.map(|since| since + AFTER_FORMER))
}

/// A look at how a refund stands, beside those that are planned. `why` tells it from other looks.
pub async fn look_at(
    tx: &mut Tx,
    origin: &Origin,
    (org, id): (OrgId, PaymentId),
    run_at: DateTime<Utc>,
    why: &str,
) -> Result<()> {
    let look = NewTask {
        org: Some(org),
        kind: tasks::Kind::RefundCard,
        subject: Some(id.0),
        run_at,
        unique_key: format!("refund:{id}:{why}:{}", origin.now().timestamp()),
    };
    tasks::enqueue(tx, origin, vec![look]).await.map(|_| ())
}

/// The account that holds the payments of these refunds is left: they are looked at once its keys are forgotten, so that
/// whoever must look in Stripe is told.
pub(super) async fn look_after_leaving(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    look_at_all(tx, origin, org, &[("left", Duration::zero()), ("forgotten", AFTER_FORMER)]).await
}

/// Keys were entered: what was in doubt because Stripe refused the key before is asked now.
pub async fn look_with_new_keys(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    look_at_all(tx, origin, org, &[("keys", Duration::zero())]).await
}

/// A look at each refund that Stripe was asked for and whose end is not known, for each reason after its time.
async fn look_at_all(tx: &mut Tx, origin: &Origin, org: OrgId, looks: &[(&str, Duration)]) -> Result<()> {
    let sql = "SELECT id FROM payment WHERE org_id = $1 AND kind = 'refund' AND status IN ('pending', 'unknown')
         AND undone_at IS NULL AND attempted_at IS NOT NULL";
    for id in q!(&mut *tx, fetch_all scalar PaymentId, sql, org)? {
        for (why, after) in looks {
            look_at(&mut *tx, origin, (org, id), origin.now() + *after, why).await?;
        }
    }
    Ok(())
}

/// Written down before Stripe is asked: from now on it may be done, whatever becomes of the answer. With `is_anew` the
/// key before is used up. The idempotency key; none when it was taken back or settled meanwhile.
pub async fn attempt(tx: &mut Tx, origin: &Origin, refund: &CardRefund, is_anew: bool) -> Result<Option<String>> {
    let step = i64::from(is_anew);
    let key = card::attempted(tx, origin, refund.org_id, refund.id, step).await?;
    Ok(key.map(|no| match no {
        0 => format!("refund:{}", refund.id),
        no => format!("refund:{}:{no}", refund.id),
    }))
}

/// Stripe has taken it, or said how it stands.
pub async fn made(tx: &mut Tx, origin: &Origin, profile: &Profile, refund: &CardRefund, said: &Refund) -> Result<()> {
    let is_first = refund.provider_id.is_none();
    stand(tx, origin, profile, refund.id, said).await?;
    if !is_first || said.standing != RefundStanding::Pending {
        return Ok(());
    }
    let look = |(n, after): (usize, &Duration)| NewTask {
        org: Some(refund.org_id),
        kind: tasks::Kind::RefundCard,
        subject: Some(refund.id.0),
        run_at: origin.now() + *after,
        unique_key: format!("refund:{}:look:{n}", refund.id),
    };
    tasks::enqueue(tx, origin, LOOKS.iter().enumerate().map(look).collect()).await.map(|_| ())
}

/// Stripe will certainly not do it. `why` completes "Stripe …". To be called after what went back of the payment was
/// noted; `is_seen` where Stripe's lists of that were read.
pub async fn failed(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    refund: &CardRefund,
    (why, is_seen): (&str, bool),
) -> Result<()> {
    if card::stands(&mut *tx, origin, refund.org_id, refund.id, None, Status::Failed).await?.is_some() {
        tell(tx, origin, profile, refund.id, (why, if is_seen { STILL_THERE } else { UNSEEN })).await?;
    }
    Ok(())
}

/// It may have been made, and Stripe does not say: nobody gives the money back a second time, and its list is looked at
/// until it does. The business is told once, should a second try not make it clear.
pub async fn unknown(tx: &mut Tx, origin: &Origin, profile: &Profile, refund: &CardRefund, why: &str) -> Result<()> {
    card::stands(&mut *tx, origin, refund.org_id, refund.id, None, Status::Unknown).await?;
    // The first time it is asked again within seconds, and nearly always clear then.
    if refund.attempted_at.is_none() {
        return Ok(());
    }
    let title = format!("A refund of {} is in doubt", refund.amount_cents.shown());
    // As it stands now: whether Stripe can be asked was noted a moment ago.
    let stands = due(&mut *tx, refund.org_id, refund.id).await?;
    let (key, body) = doubt(refund, why, stands.is_some_and(|stands| stands.is_unreachable));
    let alert = NewAlert {
        lead: Some(refund.lead_id),
        ..NewAlert::new(alert::Kind::PaymentFailed, format!("refund:{}:{key}", refund.id), title, body)
    };
    alert::raise(tx, origin, profile, alert).await.map(|_| ())
}

/// Which doubt it is, and what is said of it.
fn doubt(refund: &CardRefund, why: &str, is_unreachable: bool) -> (&'static str, String) {
    if why == NOT_CONNECTED {
        let body = format!(
            "The Stripe account that took the payment is not connected any more, so Toolbox cannot ask whether the refund was made. Do not give the money back a second time: look in Stripe at payment {}, then mark the refund as refunded or not refunded on the request. If the same account is connected again in Settings, Money, it becomes clear by itself in the next night.",
            refund.payment
        );
        return ("unreachable", body);
    }
    if is_unreachable || why == UNKNOWN_KEY {
        let (why, first) = match why {
            UNKNOWN_KEY => ("refuses the key", "Put a new key in Settings, Money, or look"),
            why => (why, "Look"),
        };
        let body = format!(
            "We cannot ask Stripe: it {why}. The refund may have been made already: do not give the money back a second time. {first} in Stripe at payment {}, then mark the refund as refunded or not refunded on the request.",
            refund.payment
        );
        return ("refused-key", body);
    }
    let body = format!(
        "Stripe {why}. It may have been made already: do not give the money back a second time. We look at Stripe's own list until it is clear."
    );
    ("unknown", body)
}

/// It could not be asked for so far. Once it has waited for an hour the business is told. `why` is a sentence.
pub async fn late(tx: &mut Tx, origin: &Origin, profile: &Profile, refund: &CardRefund, why: &str) -> Result<()> {
    // As it stands now: what is in doubt is told as that.
    let Some(refund) = due(&mut *tx, refund.org_id, refund.id).await? else { return Ok(()) };
    let is_late = origin.now() - refund.created_at >= card::LATE;
    if !is_late || refund.status != Status::Pending || refund.provider_id.is_some() {
        return Ok(());
    }
    let alert = NewAlert {
        lead: Some(refund.lead_id),
        ..NewAlert::new(
            alert::Kind::PaymentFailed,
            format!("refund:{}:late", refund.id),
            format!("A refund of {} has not left yet", refund.amount_cents.shown()),
            format!("{why}. It is tried again until Stripe takes it: do not give the money back a second time."),
        )
    };
    alert::raise(tx, origin, profile, alert).await.map(|_| ())
}

/// What Stripe lists of a payment stands in the books, whoever asked for it.
pub async fn note_all(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    payment: &str,
    refunds: &[Refund],
) -> Result<()> {
    for refund in refunds {
        let own = refund.reference.as_deref().and_then(|text| text.parse().ok()).map(PaymentId);
        match card::known(&mut *tx, profile.org.id, own, &refund.id).await? {
            Some(id) => stand(tx, origin, profile, id, refund).await?,
            None if refund.standing == RefundStanding::Failed => {}
            None => {
                let told = (refund.id.as_str(), refund.amount, refund.standing.into());
                if let Some(id) = card::found(&mut *tx, origin, profile, payment, told, IN_STRIPE).await? {
                    twice::tell(&mut *tx, origin, profile, (payment, id)).await?;
                }
            }
        }
    }
    Ok(())
}

async fn stand(tx: &mut Tx, origin: &Origin, profile: &Profile, id: PaymentId, said: &Refund) -> Result<()> {
    let to = said.standing.into();
    match card::stands(&mut *tx, origin, profile.org.id, id, Some(&said.id), to).await? {
        Some(_) if to == Status::Failed => {
            tell(tx, origin, profile, id, ("could not bring it to the card", STILL_THERE)).await
        }
        Some(Status::Failed) => tell_made(tx, origin, profile, id).await,
        _ => Ok(()),
    }
}

/// What was called not refunded, by Stripe's answer or by the business, was refunded.
async fn tell_made(tx: &mut Tx, origin: &Origin, profile: &Profile, id: PaymentId) -> Result<()> {
    let refund = crate::domain::money::ledger::payment(&mut *tx, profile.org.id, id, origin.now()).await?;
    let alert = NewAlert {
        lead: Some(refund.lead_id),
        ..NewAlert::new(
            alert::Kind::PaymentFailed,
            format!("refund:{id}:made"),
            format!("A refund of {} was made after all", refund.amount.shown()),
            "Your books said that it was not made. Stripe lists it, and your books are corrected. If you gave the money back in another way since, it went back twice.".to_owned(),
        )
    };
    alert::raise(tx, origin, profile, alert).await.map(|_| ())
}

/// `rest` is what becomes of the money where nothing of it went back without us.
async fn tell(tx: &mut Tx, origin: &Origin, profile: &Profile, id: PaymentId, (why, rest): (&str, &str)) -> Result<()> {
    let refund = crate::domain::money::ledger::payment(&mut *tx, profile.org.id, id, origin.now()).await?;
    let body = refund.already_returned.unwrap_or_else(|| format!("Stripe {why}. {rest}"));
    let alert = NewAlert {
        lead: Some(refund.lead_id),
        ..NewAlert::new(
            alert::Kind::PaymentFailed,
            format!("refund:{id}:failed"),
            format!("A refund of {} did not go through", refund.amount.shown()),
            body,
        )
    };
    alert::raise(tx, origin, profile, alert).await.map(|_| ())
}

/// Makes the ledger say what Stripe says went back of a payment, wherever it was asked for.
pub(super) async fn note(tx: &mut Tx, house: &Intake<'_>, payment: &str, refunds: &[Refund]) -> Result<()> {
    note_all(tx, house.origin, house.profile, payment, refunds).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::payments::Doubt;

    #[test]
    fn a_refused_key_cannot_ask_and_an_outage_can_later() {
        let retry = |doubt: Doubt| PayError::Retry { reason: "does not answer".into(), after: None, doubt };
        assert!(can_be_asked(&Ok(())));
        for doubt in [Doubt::NotDone, Doubt::Unclear, Doubt::Stored { is_replayed: true }] {
            assert!(can_be_asked::<()>(&Err(retry(doubt))), "{doubt:?}");
        }
        assert!(!can_be_asked::<()>(&Err(PayError::Key(UNKNOWN_KEY.into()))));
        assert!(!can_be_asked::<()>(&Err(PayError::Refused("knows no such payment".into()))));
    }

    #[test]
    fn what_is_said_of_a_doubt_is_what_can_be_done_about_it() {
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
            status: Status::Unknown,
            created_at: DateTime::UNIX_EPOCH,
        };
        let (key, body) = doubt(&refund, UNKNOWN_KEY, true);
        assert!(body.starts_with("We cannot ask Stripe: it refuses the key. "), "{body}");
        assert!(
            body.contains("Put a new key in Settings, Money, or look in Stripe at payment pi_1, then mark"),
            "{body}"
        );
        assert_eq!((key, doubt(&refund, UNKNOWN_KEY, false).1), ("refused-key", body));
        let (_, body) = doubt(&refund, "says that this key may not do that", true);
        assert!(body.contains("it says that this key may not do that. ") && body.contains("time. Look in"), "{body}");
        let (key, body) = doubt(&refund, "failed to answer", false);
        assert_eq!(key, "unknown");
        assert!(body.ends_with("We look at Stripe's own list until it is clear."), "{body}");
    }
}
