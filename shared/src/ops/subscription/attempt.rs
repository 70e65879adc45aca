//! One subscription for each payer: unpaid ones begun beside it are ended at Stripe before they can be paid; where two
//! were paid for all the same, the operators are notified.

use super::{BillingContext, SubscriptionRecord};
use crate::{
    domain::{
        intake::demo_request,
        tenancy::{
            install_mail::{self, InstallMail},
            org,
        },
    },
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::Result,
        id::{DemoRequestId, OrgId, SubscriptionId},
        tasks::{self, NewTask, TaskKind},
    },
};

/// A business begins again: unpaid subscriptions of its other requests are ended.
pub async fn cancel_older_attempts(tx: &mut Tx, origin: &ClockRng, org: OrgId, request: DemoRequestId) -> Result<()> {
    let sql = "SELECT id FROM subscription WHERE status = 'incomplete' AND org_id = $1
         AND (request_id IS NULL OR request_id <> $2)";
    let older = q!(&mut *tx, fetch_all scalar SubscriptionId, sql, org, request)?;
    enqueue_cancellations(tx, origin, Some(org), older).await
}

/// After a first payment: all other unpaid subscriptions of the payer are ended.
pub(super) async fn cancel_other_attempts(tx: &mut Tx, origin: &ClockRng, paid: &SubscriptionRecord) -> Result<()> {
    let others = match (paid.org_id, paid.request_id) {
        (Some(org), _) => {
            let sql = "SELECT id FROM subscription WHERE status = 'incomplete' AND id <> $1 AND org_id = $2";
            q!(&mut *tx, fetch_all scalar SubscriptionId, sql, paid.id, org)?
        }
        // A payer without a business is identified by email address.
        (None, Some(request)) => {
            let sql = "SELECT s.id FROM subscription s JOIN demo_request r ON r.id = s.request_id
                 WHERE s.status = 'incomplete' AND s.id <> $1 AND s.org_id IS NULL
                     AND r.email = (SELECT o.email FROM demo_request o WHERE o.id = $2)";
            q!(&mut *tx, fetch_all scalar SubscriptionId, sql, paid.id, request)?
        }
        (None, None) => return Ok(()),
    };
    enqueue_cancellations(tx, origin, paid.org_id, others).await
}

async fn enqueue_cancellations(
    tx: &mut Tx,
    origin: &ClockRng,
    org: Option<OrgId>,
    ids: Vec<SubscriptionId>,
) -> Result<()> {
    let task = |id: SubscriptionId| NewTask {
        org,
        kind: TaskKind::CancelSubscriptionAttempt,
        subject: Some(id.0),
        run_at: origin.now(),
        unique_key: format!("cancel_subscription_attempt:{id}"),
    };
    tasks::enqueue(tx, origin, ids.into_iter().map(task).collect()).await.map(|_| ())
}

/// Tells the operators once when two paid subscriptions go on for one business, or for a payer without one.
pub(super) async fn notify_double_subscription(
    tx: &mut Tx,
    ctx: BillingContext<'_>,
    one: &SubscriptionRecord,
) -> Result<()> {
    if !one.is_ongoing() {
        return Ok(());
    }
    let (whose, on) = match (one.org_id, one.request_id) {
        (Some(org), _) => {
            let sql = "SELECT provider_id FROM subscription WHERE is_counted = TRUE AND has_begun = TRUE
                 AND status <> 'canceled' AND org_id = $1 ORDER BY created_at, provider_id";
            let named = org::find(&mut *tx, org).await?.map(|org| org.name);
            (named, q!(&mut *tx, fetch_all scalar String, sql, org)?)
        }
        (None, Some(request)) => {
            let sql = "SELECT s.provider_id FROM subscription s JOIN demo_request r ON r.id = s.request_id
                 WHERE s.is_counted = TRUE AND s.has_begun = TRUE AND s.status <> 'canceled' AND s.org_id IS NULL
                     AND r.email = (SELECT o.email FROM demo_request o WHERE o.id = $1) ORDER BY s.created_at, s.provider_id";
            let named = demo_request::find(&mut *tx, request).await?.map(|request| request.org_name);
            (named, q!(&mut *tx, fetch_all scalar String, sql, request)?)
        }
        (None, None) => return Ok(()),
    };
    if on.len() < 2 {
        return Ok(());
    }
    enqueue_double_subscription_email(tx, ctx, &whose.unwrap_or_default(), &on).await
}

async fn enqueue_double_subscription_email(
    tx: &mut Tx,
    ctx: BillingContext<'_>,
    whose: &str,
    on: &[String],
) -> Result<()> {
    let subject = format!("Two subscriptions are paid for: {whose}");
    let body = format!(
        "{whose} pays for more than one subscription: {}.\n\nEnd all but one at Stripe, and give the payment back there: \
         nothing here does it by itself.",
        on.join(", ")
    );
    for to in ctx.operators {
        let key = format!("double:{}:{to}", on.join("+"));
        let mail = InstallMail { to, subject: &subject, body: &body, links: &[], key: &key };
        install_mail::enqueue_mail(tx, ctx.origin, ctx.secret, &mail).await?;
    }
    Ok(())
}
