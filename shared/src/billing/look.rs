//! When Stripe is asked how a subscription stands: after its news, some minutes after one was begun, and from time to
//! time, so an install without an endpoint, or one whose endpoint was away, knows it too.

use chrono::{DateTime, Duration, Utc};

use super::Subscribed;
use crate::{
    clock::Origin,
    db::{Db, Tx, q},
    error::Result,
    id::{OrgId, SubscriptionId},
    tasks::{self, Kind, NewTask},
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

/// From time to time: each one that is not over, once in every `span`. Any number of workers may do it.
///
/// # Errors
/// When the database is away.
pub async fn plan(db: &Db, origin: &Origin, span: Duration) -> Result<()> {
    let mut tx = db.begin().await?;
    let sql = "SELECT id, org_id FROM subscription WHERE status NOT IN ('canceled', 'incomplete_expired')";
    let all = q!(&mut tx, fetch_all as (SubscriptionId, Option<OrgId>), sql)?;
    let turn = origin.now().timestamp() / span.num_seconds().max(1);
    for of in all {
        tasks::enqueue(&mut tx, origin, vec![task(of, origin.now(), &format!("turn {turn}"))]).await?;
    }
    tx.commit().await
}
