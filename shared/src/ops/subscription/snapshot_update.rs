//! Storing of a subscription's snapshot, from an event or from an answer of Stripe.

use uuid::Uuid;

use super::{
    BillingContext, COLUMNS, SubscriptionRecord, SubscriptionSnapshot, attempt, claim, lifecycle, owner_notice,
};
use crate::{
    platform::{
        db::{Tx, batch_row, q, qb},
        error::Result,
        id::{DemoRequestId, OrgId, SubscriptionId},
        live::{self, Topic},
    },
    providers::payments::billing::StripeSubscription,
};

/// Stores a snapshot of a subscription, given as `fact`. One older than the stored one changes nothing. Locks the row
/// until the end of the transaction, so that concurrent calls are taken in turn.
pub async fn apply_snapshot(
    tx: &mut Tx,
    ctx: BillingContext<'_>,
    fetched: &StripeSubscription,
    fact: SubscriptionSnapshot,
) -> Result<SubscriptionRecord> {
    let new = SubscriptionId(ctx.origin.uuid_v7());
    let mut row = upsert_and_lock(tx, ctx, (new, fetched), &fact).await?;
    let had_begun = row.id != new && row.fact.has_started();
    row.fact = row.fact.merge_update(fact);
    row.livemode = fetched.livemode.or(row.livemode);
    if let Some(card) = fetched.card() {
        (row.card_brand, row.card_last4, row.card_expires) = (Some(card.brand), Some(card.last4), Some(card.expires));
    }
    update_subscription(tx, ctx, &row).await?;
    if row.fact.has_started() && !had_begun {
        attempt::cancel_other_attempts(tx, ctx.origin, &row).await?;
    }
    attempt::notify_double_subscription(tx, ctx, &row).await?;
    match row.org_id {
        Some(org) => {
            live::publish_event(tx, ctx.origin, org, Topic::Settings, org.0, None).await?;
            owner_notice::notify_owners(tx, ctx, org).await?;
        }
        None if row.fact.has_started() => claim::send_claim_invite(tx, ctx, &row).await?,
        None => {}
    }
    Ok(row)
}

/// Row of a subscription, created when it is unknown.
async fn upsert_and_lock(
    tx: &mut Tx,
    ctx: BillingContext<'_>,
    (id, fetched): (SubscriptionId, &StripeSubscription),
    fact: &SubscriptionSnapshot,
) -> Result<SubscriptionRecord> {
    // The metadata can be edited in the Stripe account: only ids that exist here are accepted.
    let org = find_existing_id(tx, "org", fetched.org_id()).await?.map(OrgId);
    let request = find_existing_id(tx, "demo_request", fetched.request_id()).await?.map(DemoRequestId);
    let now = ctx.origin.now();
    let row = batch_row!(subscription {
        id,
        org_id: org,
        request_id: request,
        provider_id: fetched.id.as_str(),
        customer_id: fetched.customer.id(),
        fact_at: fact.at,
        is_answer: fact.is_answer,
        status: fact.status,
        plan: fact.plan,
        period_start: fact.period_start,
        period_end: fact.period_end,
        trial_end: fact.trial_end,
        cancel_at: fact.cancel_at,
        ended_at: fact.ended_at,
        for_nonpayment: fact.for_nonpayment,
        has_begun: fact.has_started(),
        created_at: now,
    });
    Ok(qb!(tx, fetch_one as SubscriptionRecord, |b| {
        row.push_to(&mut b);
        // An existing row is locked, and gets the owner that Stripe names if it had none.
        b.push(" ON CONFLICT (provider_id) DO UPDATE SET org_id = COALESCE(subscription.org_id, excluded.org_id),");
        b.push(" request_id = COALESCE(subscription.request_id, excluded.request_id) RETURNING ").push(COLUMNS);
    })?)
}

async fn find_existing_id(tx: &mut Tx, table: &'static str, id: Option<Uuid>) -> Result<Option<Uuid>> {
    let Some(id) = id else { return Ok(None) };
    Ok(qb!(tx, fetch_optional scalar Uuid, |b| {
        b.push("SELECT id FROM ").push(table).push(" WHERE id = ").push_bind(id);
    })?)
}

async fn update_subscription(tx: &mut Tx, ctx: BillingContext<'_>, row: &SubscriptionRecord) -> Result<()> {
    let fact = &row.fact;
    let counts = row.livemode.zip(ctx.is_live).is_none_or(|(its, ours)| its == ours);
    q!(
        tx,
        execute,
        "UPDATE subscription SET fact_at = $2, is_answer = $3, status = $4, plan = $5, period_start = $6, period_end = $7,
             trial_end = $8, cancel_at = $9, ended_at = $10, for_nonpayment = $11, has_begun = $12, read_only_from = $13,
             card_brand = $14, card_last4 = $15, card_expires = $16, owed_since = $17, livemode = $18, is_counted = $19
         WHERE id = $1",
        row.id,
        fact.at,
        fact.is_answer,
        fact.status,
        fact.plan,
        fact.period_start,
        fact.period_end,
        fact.trial_end,
        fact.cancel_at,
        fact.ended_at,
        fact.for_nonpayment,
        fact.has_started(),
        lifecycle::read_only_from(fact),
        row.card_brand.as_deref(),
        row.card_last4.as_deref(),
        row.card_expires.as_deref(),
        fact.owed_since,
        row.livemode,
        counts
    )?;
    Ok(())
}
