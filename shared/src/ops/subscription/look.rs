//! When Stripe is asked how a subscription stands: after its news, some minutes after one was begun, and from time to
//! time, so an install without an endpoint, or one whose endpoint was away, knows it too.

use chrono::{DateTime, Duration, Utc};

use super::Subscribed;
use crate::{
    platform::{
        clock::Origin,
        db::{Db, Tx, q},
        error::Result,
        id::{OrgId, SubscriptionId},
        tasks::{self, Kind, NewTask},
    },
    providers::payments::Keys,
};

/// After a subscription was begun: the payer is at the page now, or comes back to it.
const AFTER_BEGINNING: [Duration; 5] =
    [Duration::minutes(1), Duration::minutes(5), Duration::minutes(30), Duration::hours(3), Duration::hours(25)];

fn task(of: (SubscriptionId, Option<OrgId>), run_at: DateTime<Utc>, why: &str) -> NewTask {
    let (id, org) = of;
    let unique_key = format!("settle_subscription:{id}:{why}");
    NewTask { org, kind: Kind::SettleSubscription, subject: Some(id.0), run_at, unique_key }
}

/// At once, because of an event of Stripe's.
pub async fn now(tx: &mut Tx, origin: &Origin, of: (SubscriptionId, Option<OrgId>), event: &str) -> Result<()> {
    tasks::enqueue(tx, origin, vec![task(of, origin.now(), event)]).await.map(|_| ())
}

/// Within the day after it was begun.
pub async fn begun(tx: &mut Tx, origin: &Origin, made: &Subscribed) -> Result<()> {
    let of = (made.id, made.org_id);
    let looks = AFTER_BEGINNING.iter().enumerate();
    let wanted = looks.map(|(n, after)| task(of, origin.now() + *after, &format!("begun {n}"))).collect();
    tasks::enqueue(tx, origin, wanted).await.map(|_| ())
}

/// From time to time: each one that is not over, once in every `span`, and one whose business only reads since then, so
/// its owners hear of it. Any number of workers may do it. What is of the world of other keys counts no more, and does
/// again when they come back.
///
/// # Errors
/// When the database is away.
pub async fn plan(db: &Db, origin: &Origin, keys: &Keys, span: Duration) -> Result<()> {
    let mut tx = db.begin().await?;
    let counts =
        "UPDATE subscription SET counts = (livemode = $1) WHERE livemode IS NOT NULL AND counts <> (livemode = $1)";
    q!(&mut tx, execute, counts, !keys.is_test())?;
    let all = q!(
        &mut tx,
        fetch_all as (SubscriptionId, Option<OrgId>),
        "SELECT id, org_id FROM subscription WHERE counts = TRUE AND (status NOT IN ('canceled', 'incomplete_expired')
             OR (has_begun = TRUE AND read_only_from > $1 AND read_only_from <= $2))",
        origin.now() - span * 2,
        origin.now()
    )?;
    let turn = origin.now().timestamp() / span.num_seconds().max(1);
    for of in all {
        tasks::enqueue(&mut tx, origin, vec![task(of, origin.now(), &format!("turn {turn}"))]).await?;
    }
    tx.commit().await
}
