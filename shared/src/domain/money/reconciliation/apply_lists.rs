//! Effects of one page of a list on the ledger.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;

use super::{
    ReconciliationRun,
    difference::{end_difference, record_difference},
};
use crate::{
    domain::{
        money::{
            checkout::{self, CheckoutSession},
            ledger::stripe_fields,
        },
        tenancy::org::OrgContext,
    },
    platform::{
        db::{AsConn, Tx, insert_row, q},
        error::Result,
        id::{CheckoutId, OrgId},
        money::Cents,
        tasks,
    },
    providers::payments::{
        DOLLARS, Expandable, StripeDispute, StripeRefund,
        records::{BalanceTransaction, DisputeRecord, RefundRecord, StripeCharge, StripePayout},
    },
};

fn from_unix_seconds(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).unwrap_or_default()
}

/// Stores the charge id on each of our payments; a payment missing in the ledger is looked at, which records it. Other
/// charges are ignored: the account may serve other programs.
pub async fn apply_charges(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    look: &ReconciliationRun,
    page: &[StripeCharge],
) -> Result<()> {
    for charge in page.iter().filter(|one| one.livemode != Some(false) && one.is_succeeded()) {
        let Some(payment) = charge.payment_intent_id() else { continue };
        if stripe_fields::store_charge(&mut *tx, look.org_id, payment, &charge.id, &look.account).await? {
            fill_listed_payout(&mut *tx, look, &charge.id).await?;
        } else {
            handle_unrecorded_charge(&mut *tx, ctx, look, charge, payment).await?;
        }
    }
    Ok(())
}

/// The lines of a payout are read once, perhaps before the payment or the refund was booked: its payout is then known
/// from the stored line.
async fn fill_listed_payout(tx: &mut Tx, look: &ReconciliationRun, source: &str) -> Result<()> {
    let sql = "SELECT payout_id FROM stripe_transaction WHERE org_id = $1 AND source = $2 AND payout_id IS NOT NULL
         ORDER BY made_at, id LIMIT 1";
    let listed = q!(&mut *tx, fetch_optional scalar String, sql, look.org_id, source)?;
    let Some(payout) = listed else { return Ok(()) };
    stripe_fields::fill_payout(tx, look.org_id, source, &payout).await
}

/// A payment of ours missing in the ledger: its page is looked at.
async fn handle_unrecorded_charge(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    look: &ReconciliationRun,
    charge: &StripeCharge,
    payment: &str,
) -> Result<()> {
    let marked = charge.metadata.checkout.as_deref().and_then(|text| text.parse::<Uuid>().ok());
    let page = CheckoutId(marked.unwrap_or_default());
    match checkout::attach_payment(&mut *tx, look.org_id, payment, page).await? {
        // Reported when it came in: it is not in dollars, and a person books it.
        Some((_, status)) if status == "foreign" => Ok(()),
        Some((id, _)) => {
            let task = checkout::build_recheck_task(ctx.origin, look.org_id, id, &format!("reconcile:{payment}"));
            tasks::enqueue(tx, ctx.origin, vec![task]).await.map(|_| ())
        }
        None if charge.metadata.org.as_deref() == Some(&look.org_id.to_string()) => {
            handle_unknown_page(tx, ctx, look, charge, payment).await
        }
        None => Ok(()),
    }
}

/// A payment for the business whose page is not in the books: with a paper or a lead that they know, its page is stored
/// again and looked at. Otherwise a person decides.
async fn handle_unknown_page(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    look: &ReconciliationRun,
    charge: &StripeCharge,
    payment: &str,
) -> Result<()> {
    let is_foreign = charge.currency != DOLLARS;
    if is_foreign {
        // Earlier versions called its amount dollars.
        end_difference(&mut *tx, look.org_id, ("unknown_payment", payment)).await?;
    }
    let kind = if is_foreign { "foreign_payment" } else { "unknown_payment" };
    let (difference, held) = ((kind, payment), charge.unrefunded_amount());
    // It went back in full: Stripe holds as much of it as the books.
    if held == Cents::ZERO {
        return end_difference(tx, look.org_id, difference).await;
    }
    match checkout::recreate_page(&mut *tx, ctx, &look.account, (charge, payment)).await? {
        Some(id) => {
            let task = checkout::build_recheck_task(ctx.origin, look.org_id, id, &format!("reconcile:{payment}"));
            tasks::enqueue(tx, ctx.origin, vec![task]).await.map(|_| ())
        }
        None => record_difference(tx, ctx, look, difference, None, (held, Cents::ZERO)).await,
    }
}

/// Books the refunds of our payments, wherever they were requested.
pub async fn apply_refunds(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    look: &ReconciliationRun,
    page: Vec<RefundRecord>,
) -> Result<()> {
    let mut by_payment: BTreeMap<String, Vec<StripeRefund>> = BTreeMap::new();
    for one in page.into_iter().filter(|one| one.currency == DOLLARS) {
        let Some(payment) = one.payment_intent.as_ref().map(|named| named.id().to_owned()) else { continue };
        by_payment.entry(payment).or_default().push(one.into());
    }
    for (payment, refunds) in by_payment {
        if is_own_payment(&mut *tx, look, &payment).await? {
            // Further refunds may be on the next page, and disputes are read later.
            let listed = (refunds.as_slice(), false);
            checkout::apply_provider_refunds(&mut *tx, ctx.origin, ctx.profile, &payment, listed).await?;
            for refund in &refunds {
                store_listed_return(&mut *tx, look, &payment, &refund.id).await?;
                fill_listed_payout(&mut *tx, look, &refund.id).await?;
            }
        }
    }
    Ok(())
}

/// Stores to which payment a listed refund or dispute belongs: a line without an amount, with the payment as its
/// source. So its lines are compared also where the ledger has no row for it.
async fn store_listed_return(tx: &mut Tx, look: &ReconciliationRun, payment: &str, id: &str) -> Result<()> {
    insert_row!(
        tx,
        execute,
        stripe_transaction {
            org_id: look.org_id,
            id,
            kind: "listed_return",
            amount_cents: Cents::ZERO,
            fee_cents: Cents::ZERO,
            currency: DOLLARS,
            source: payment,
            made_at: look.started_at,
        },
        "ON CONFLICT (org_id, id) DO NOTHING"
    )?;
    Ok(())
}

async fn is_own_payment(conn: &mut dyn AsConn, look: &ReconciliationRun, payment: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM payment WHERE org_id = $1 AND provider_id = $2 AND kind = 'payment'
         AND status = 'settled')";
    Ok(q!(conn, fetch_one scalar bool, sql, look.org_id, payment)?)
}

pub async fn list_disputed_payments(
    conn: &mut dyn AsConn,
    look: &ReconciliationRun,
    page: &[DisputeRecord],
) -> Result<Vec<String>> {
    let named: BTreeSet<&str> = page.iter().filter_map(|one| one.payment_intent.as_ref().map(Expandable::id)).collect();
    let mut ours = Vec::new();
    for payment in named {
        if is_own_payment(&mut *conn, look, payment).await? {
            ours.push(payment.to_owned());
        }
    }
    Ok(ours)
}

pub async fn apply_disputes(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    look: &ReconciliationRun,
    (payment, disputes): (&str, &[StripeDispute]),
) -> Result<()> {
    for dispute in disputes {
        store_listed_return(&mut *tx, look, payment, &dispute.id).await?;
    }
    let found: Option<CheckoutSession> = checkout::find_by_payment(&mut *tx, look.org_id, payment).await?;
    match found {
        Some(visit) => checkout::apply_payment_disputes(tx, ctx, &visit, disputes).await,
        None => Ok(()),
    }
}

/// A payout whose lines Stripe is still putting together is left to a later run: its lines are read once.
pub async fn apply_payouts(tx: &mut Tx, look: &ReconciliationRun, page: &[StripePayout]) -> Result<()> {
    let is_listed =
        |one: &&StripePayout| one.livemode != Some(false) && one.currency == DOLLARS && !one.is_incomplete();
    for one in page.iter().filter(is_listed) {
        let arrives_on: NaiveDate = from_unix_seconds(one.arrival_date).date_naive();
        q!(
            &mut *tx,
            execute,
            "INSERT INTO stripe_payout (org_id, id, amount_cents, status, arrives_on, is_unread, made_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (org_id, id) DO UPDATE SET status = excluded.status, arrives_on = excluded.arrives_on",
            look.org_id,
            &one.id,
            Cents::from(one.amount),
            &one.status,
            arrives_on,
            one.automatic,
            from_unix_seconds(one.created)
        )?;
    }
    Ok(())
}

pub async fn find_unread_payout(conn: &mut dyn AsConn, look: &ReconciliationRun) -> Result<Option<String>> {
    let sql =
        "SELECT id FROM stripe_payout WHERE org_id = $1 AND is_unread = TRUE AND made_at >= $2 ORDER BY id LIMIT 1";
    Ok(q!(conn, fetch_optional scalar String, sql, look.org_id, look.since)?)
}

/// With its last page the payout counts as read.
pub async fn store_payout_lines(
    tx: &mut Tx,
    look: &ReconciliationRun,
    payout: &str,
    page: &[BalanceTransaction],
    is_last: bool,
) -> Result<()> {
    for one in page {
        upsert_transaction(&mut *tx, look, one, Some(payout)).await?;
        if let Some(source) = one.source_id() {
            stripe_fields::store_payout(&mut *tx, look.org_id, source, payout).await?;
        }
    }
    if is_last {
        mark_payout_read(tx, look.org_id, payout).await?;
    }
    Ok(())
}

/// Its lines were read, or Stripe refuses them: they are not asked for again.
pub async fn mark_payout_read(tx: &mut Tx, org: OrgId, payout: &str) -> Result<()> {
    let sql = "UPDATE stripe_payout SET is_unread = FALSE WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, org, payout)?;
    Ok(())
}

/// The account changes: Stripe would refuse the lines of its payouts to the keys of another. Where the same account
/// comes back, its payouts are listed and read anew.
pub(crate) async fn discard_unread_payouts(tx: &mut Tx, org: OrgId) -> Result<()> {
    q!(tx, execute, "DELETE FROM stripe_payout WHERE org_id = $1 AND is_unread = TRUE", org)?;
    Ok(())
}

pub async fn store_transactions(tx: &mut Tx, look: &ReconciliationRun, page: &[BalanceTransaction]) -> Result<()> {
    for one in page {
        upsert_transaction(&mut *tx, look, one, None).await?;
    }
    Ok(())
}

async fn upsert_transaction(
    tx: &mut Tx,
    look: &ReconciliationRun,
    one: &BalanceTransaction,
    payout: Option<&str>,
) -> Result<()> {
    let Some(source) = one.source_id() else { return Ok(()) };
    insert_row!(
        tx,
        execute,
        stripe_transaction {
            org_id: look.org_id,
            id: &one.id,
            kind: &one.kind,
            amount_cents: Cents::from(one.amount),
            fee_cents: Cents::from(one.fee),
            currency: &one.currency,
            source,
            payout_id: payout,
            made_at: from_unix_seconds(one.created),
        },
        "ON CONFLICT (org_id, id) DO UPDATE SET payout_id = COALESCE(excluded.payout_id,
             stripe_transaction.payout_id)"
    )?;
    Ok(())
}
