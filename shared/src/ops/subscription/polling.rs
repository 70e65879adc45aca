//! Schedule of looks at subscriptions in Stripe: after an event, some minutes after one was begun, and periodically,
//! for installs whose endpoint is missing or was down.

use chrono::{DateTime, Duration, Utc};

use super::SubscriptionRecord;
use crate::{
    platform::{
        clock::ClockRng,
        db::{Db, Tx, q},
        error::Result,
        id::{OrgId, SubscriptionId},
        tasks::{self, NewTask, TaskKind},
    },
    providers::payments::StripeCredentials,
};

/// After a subscription was begun: the payer is on the page, or comes back to it.
const POLL_DELAYS_AFTER_START: [Duration; 5] =
    [Duration::minutes(1), Duration::minutes(5), Duration::minutes(30), Duration::hours(3), Duration::hours(25)];

fn poll_task(of: (SubscriptionId, Option<OrgId>), run_at: DateTime<Utc>, why: &str) -> NewTask {
    let (id, org) = of;
    let unique_key = format!("settle_subscription:{id}:{why}");
    NewTask { org, kind: TaskKind::SettleSubscription, subject: Some(id.0), run_at, unique_key }
}

/// At once, because of an event.
pub async fn enqueue_poll_now(
    tx: &mut Tx,
    origin: &ClockRng,
    of: (SubscriptionId, Option<OrgId>),
    event: &str,
) -> Result<()> {
    tasks::enqueue(tx, origin, vec![poll_task(of, origin.now(), event)]).await.map(|_| ())
}

/// Within the day after it was begun.
pub async fn enqueue_polls_after_start(tx: &mut Tx, origin: &ClockRng, made: &SubscriptionRecord) -> Result<()> {
    let of = (made.id, made.org_id);
    let looks = POLL_DELAYS_AFTER_START.iter().enumerate();
    let wanted = looks.map(|(n, after)| poll_task(of, origin.now() + *after, &format!("begun {n}"))).collect();
    tasks::enqueue(tx, origin, wanted).await.map(|_| ())
}

/// Periodic looks: at each subscription that is not over, once in every `span`, and at one whose business became
/// read-only since then, so that its owners are notified. Safe with any number of workers. Subscriptions of the other
/// mode (test or live) stop counting, and count again when its keys return.
pub async fn schedule_polls(db: &Db, origin: &ClockRng, keys: &StripeCredentials, span: Duration) -> Result<()> {
    let mut tx = db.begin().await?;
    let counts = "UPDATE subscription SET is_counted = (livemode = $1) WHERE livemode IS NOT NULL AND is_counted <> (livemode = $1)";
    q!(&mut tx, execute, counts, !keys.is_test_mode())?;
    let all = q!(
        &mut tx,
        fetch_all as (SubscriptionId, Option<OrgId>),
        "SELECT id, org_id FROM subscription WHERE is_counted = TRUE AND (status NOT IN ('canceled', 'incomplete_expired')
             OR (has_begun = TRUE AND read_only_from > $1 AND read_only_from <= $2))",
        origin.now() - span * 2,
        origin.now()
    )?;
    let turn = origin.now().timestamp() / span.num_seconds().max(1);
    for of in all {
        tasks::enqueue(&mut tx, origin, vec![poll_task(of, origin.now(), &format!("turn {turn}"))]).await?;
    }
    tx.commit().await
}
