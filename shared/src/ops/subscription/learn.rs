//! Takes a picture of a subscription in, whether it came by itself or was asked for.

use uuid::Uuid;

use super::{COLUMNS, Fact, House, Subscribed, attempt, claim, standing, warn};
use crate::{
    platform::{
        db::{Tx, q, qb},
        error::Result,
        id::{DemoRequestId, OrgId, SubscriptionId},
        live::{self, Topic},
    },
    providers::payments::billing::Subscription,
};

/// Notes what is said of a subscription; `fact` is its picture. What is older than what is known changes nothing. Holds
/// the row to the end of the transaction, so two that come at once are taken one after the other.
pub async fn learn(tx: &mut Tx, house: House<'_>, told: &Subscription, fact: Fact) -> Result<Subscribed> {
    let new = SubscriptionId(house.origin.uuid());
    let mut row = held(tx, house, (new, told), &fact).await?;
    let had_begun = row.id != new && row.fact.has_begun();
    row.fact = row.fact.and(fact);
    row.livemode = told.livemode.or(row.livemode);
    if let Some(card) = told.card() {
        (row.card_brand, row.card_last4, row.card_expires) = (Some(card.brand), Some(card.last4), Some(card.expires));
    }
    store(tx, house, &row).await?;
    if row.fact.has_begun() && !had_begun {
        attempt::forget_others(tx, house.origin, &row).await?;
    }
    attempt::tell_of_two(tx, house, &row).await?;
    match row.org_id {
        Some(org) => {
            live::announce(tx, house.origin, org, Topic::Settings, org.0, None).await?;
            warn::owners(tx, house, org).await?;
        }
        None if row.fact.has_begun() => claim::invite(tx, house, &row).await?,
        None => {}
    }
    Ok(row)
}

/// The row of a subscription, made when nobody heard of it before.
async fn held(
    tx: &mut Tx,
    house: House<'_>,
    (id, told): (SubscriptionId, &Subscription),
    fact: &Fact,
) -> Result<Subscribed> {
    // Whoever has the account at Stripe may write anything there: only what there is is believed.
    let org = there(tx, "org", told.org()).await?.map(OrgId);
    let request = there(tx, "demo_request", told.request()).await?.map(DemoRequestId);
    let now = house.origin.now();
    Ok(qb!(tx, fetch_one as Subscribed, |b| {
        b.push("INSERT INTO subscription (id, org_id, request_id, provider_id, customer_id, fact_at, is_answer, status, plan,");
        b.push(" period_start, period_end, trial_end, cancel_at, ended_at, for_nonpayment, has_begun, created_at) VALUES (");
        b.push_bind(id).push(", ").push_bind(org).push(", ").push_bind(request).push(", ");
        b.push_bind(told.id.as_str()).push(", ").push_bind(told.customer.id()).push(", ");
        b.push_bind(fact.at).push(", ").push_bind(fact.is_answer).push(", ").push_bind(fact.status).push(", ");
        b.push_bind(fact.plan).push(", ").push_bind(fact.period_start).push(", ").push_bind(fact.period_end).push(", ");
        b.push_bind(fact.trial_end).push(", ").push_bind(fact.cancel_at).push(", ").push_bind(fact.ended_at).push(", ");
        b.push_bind(fact.for_nonpayment).push(", ").push_bind(fact.has_begun()).push(", ").push_bind(now);
        // A row that is there is held, and belongs from now on to whom Stripe names, if it belonged to nobody.
        b.push(") ON CONFLICT (provider_id) DO UPDATE SET org_id = COALESCE(subscription.org_id, excluded.org_id),");
        b.push(" request_id = COALESCE(subscription.request_id, excluded.request_id) RETURNING ").push(COLUMNS);
    })?)
}

async fn there(tx: &mut Tx, table: &'static str, id: Option<Uuid>) -> Result<Option<Uuid>> {
    let Some(id) = id else { return Ok(None) };
    Ok(qb!(tx, fetch_optional scalar Uuid, |b| {
        b.push("SELECT id FROM ").push(table).push(" WHERE id = ").push_bind(id);
    })?)
}

async fn store(tx: &mut Tx, house: House<'_>, row: &Subscribed) -> Result<()> {
    let fact = &row.fact;
    let counts = row.livemode.zip(house.is_live).is_none_or(|(its, ours)| its == ours);
    q!(
        tx,
        execute,
        "UPDATE subscription SET fact_at = $2, is_answer = $3, status = $4, plan = $5, period_start = $6, period_end = $7,
             trial_end = $8, cancel_at = $9, ended_at = $10, for_nonpayment = $11, has_begun = $12, read_only_from = $13,
             card_brand = $14, card_last4 = $15, card_expires = $16, owed_since = $17, livemode = $18, counts = $19
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
        fact.has_begun(),
        standing::read_only_from(fact),
        row.card_brand.as_deref(),
        row.card_last4.as_deref(),
        row.card_expires.as_deref(),
        fact.owed_since,
        row.livemode,
        counts
    )?;
    Ok(())
}
