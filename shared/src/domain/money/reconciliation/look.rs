//! What one page of a list means for the books.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;

use super::{Look, compare::differs};
use crate::{
    domain::{
        intake::lead::Intake,
        money::checkout::{self, Checkout},
    },
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::CheckoutId,
        money::Cents,
        tasks,
    },
    providers::payments::{
        DOLLARS, Dispute, Named, Refund,
        records::{Charge, DisputeRecord, Payout, RefundRecord, Transaction},
    },
};

fn instant(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).unwrap_or_default()
}

/// Charges: each payment of ours gets Stripe's name of its charge; one that was never noted is looked at, which notes it.
/// Charges that are none of ours are left alone: the account may serve other programs.
pub async fn charges(tx: &mut Tx, house: &Intake<'_>, look: &Look, page: &[Charge]) -> Result<()> {
    for charge in page.iter().filter(|one| one.livemode != Some(false) && one.is_taken()) {
        let Some(payment) = charge.payment() else { continue };
        let sql = "UPDATE payment SET charge_id = $3, account = COALESCE(account, $4)
             WHERE org_id = $1 AND provider_id = $2 AND kind = 'payment'";
        let known = q!(&mut *tx, execute, sql, look.org_id, payment, &charge.id, &look.account)?;
        if known == 0 {
            unnoted(&mut *tx, house, look, charge, payment).await?;
        }
    }
    Ok(())
}

/// A payment of ours that is not in the books: the page that it was made on is looked at.
async fn unnoted(tx: &mut Tx, house: &Intake<'_>, look: &Look, charge: &Charge, payment: &str) -> Result<()> {
    let marked = charge.metadata.checkout.as_deref().and_then(|text| text.parse::<Uuid>().ok());
    let sql = "UPDATE checkout SET payment_provider_id = COALESCE(payment_provider_id, $2)
         WHERE org_id = $1 AND (payment_provider_id = $2 OR id = $3) RETURNING id, status";
    let found = q!(
        &mut *tx,
        fetch_optional as (CheckoutId, String),
        sql,
        look.org_id,
        payment,
        CheckoutId(marked.unwrap_or_default())
    )?;
    match found {
        // Told when it came in: it is no dollars, and a person books it.
        Some((_, status)) if status == "foreign" => Ok(()),
        Some((id, _)) => {
            let task = checkout::look_at(house.origin, look.org_id, id, &format!("reconcile:{payment}"));
            tasks::enqueue(tx, house.origin, vec![task]).await.map(|_| ())
        }
        None if charge.metadata.org.as_deref() == Some(&look.org_id.to_string()) => {
            differs(tx, house, look, ("unknown_payment", payment), None, (charge.left(), Cents::ZERO)).await
        }
        None => Ok(()),
    }
}

/// Refunds, wherever they were asked for: those of our payments stand in the books.
pub async fn refunds(tx: &mut Tx, house: &Intake<'_>, look: &Look, page: Vec<RefundRecord>) -> Result<()> {
    let mut by_payment: BTreeMap<String, Vec<Refund>> = BTreeMap::new();
    for one in page.into_iter().filter(|one| one.currency == DOLLARS) {
        let Some(payment) = one.payment_intent.as_ref().map(|named| named.id().to_owned()) else { continue };
        by_payment.entry(payment).or_default().push(one.into());
    }
    for (payment, refunds) in by_payment {
        if is_ours(&mut *tx, look, &payment).await? {
            checkout::refunds_noted(&mut *tx, house.origin, house.profile, &payment, &refunds).await?;
        }
    }
    Ok(())
}

async fn is_ours(conn: &mut dyn AsConn, look: &Look, payment: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM payment WHERE org_id = $1 AND provider_id = $2 AND kind = 'payment'
         AND status = 'settled')";
    Ok(q!(conn, fetch_one scalar bool, sql, look.org_id, payment)?)
}

/// Which of our payments a page of disputes is about.
pub async fn dispute_payments(conn: &mut dyn AsConn, look: &Look, page: &[DisputeRecord]) -> Result<Vec<String>> {
    let named: BTreeSet<&str> = page.iter().filter_map(|one| one.payment_intent.as_ref().map(Named::id)).collect();
    let mut ours = Vec::new();
    for payment in named {
        if is_ours(&mut *conn, look, payment).await? {
            ours.push(payment.to_owned());
        }
    }
    Ok(ours)
}

/// All disputes of one of our payments, as Stripe lists them now.
pub async fn disputed(
    tx: &mut Tx,
    house: &Intake<'_>,
    look: &Look,
    (payment, disputes): (&str, &[Dispute]),
) -> Result<()> {
    let found: Option<Checkout> = checkout::of_payment(&mut *tx, look.org_id, payment).await?;
    match found {
        Some(visit) => checkout::disputes_noted(tx, house, &visit, disputes).await,
        None => Ok(()),
    }
}

/// Payouts: money on its way to the business's bank.
pub async fn payouts(tx: &mut Tx, look: &Look, page: &[Payout]) -> Result<()> {
    for one in page.iter().filter(|one| one.livemode != Some(false) && one.currency == DOLLARS) {
        let arrives_on: NaiveDate = instant(one.arrival_date).date_naive();
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
            instant(one.created)
        )?;
    }
    Ok(())
}

/// A payout whose lines are still to be read.
pub async fn unread_payout(conn: &mut dyn AsConn, look: &Look) -> Result<Option<String>> {
    let sql =
        "SELECT id FROM stripe_payout WHERE org_id = $1 AND is_unread = TRUE AND made_at >= $2 ORDER BY id LIMIT 1";
    Ok(q!(conn, fetch_optional scalar String, sql, look.org_id, look.since)?)
}

/// What a payout holds; with its last page it is read.
pub async fn lines(tx: &mut Tx, look: &Look, payout: &str, page: &[Transaction], is_last: bool) -> Result<()> {
    for one in page {
        store(&mut *tx, look, one, Some(payout)).await?;
        let sql = "UPDATE payment SET payout_id = $3 WHERE org_id = $1 AND (charge_id = $2 OR provider_id = $2)";
        if let Some(source) = one.of() {
            q!(&mut *tx, execute, sql, look.org_id, source, payout)?;
        }
    }
    if is_last {
        let sql = "UPDATE stripe_payout SET is_unread = FALSE WHERE org_id = $1 AND id = $2";
        q!(tx, execute, sql, look.org_id, payout)?;
    }
    Ok(())
}

/// Lines of Stripe's books.
pub async fn transactions(tx: &mut Tx, look: &Look, page: &[Transaction]) -> Result<()> {
    for one in page {
        store(&mut *tx, look, one, None).await?;
    }
    Ok(())
}

async fn store(tx: &mut Tx, look: &Look, one: &Transaction, payout: Option<&str>) -> Result<()> {
    let Some(source) = one.of() else { return Ok(()) };
    q!(
        tx,
        execute,
        "INSERT INTO stripe_transaction (org_id, id, kind, amount_cents, fee_cents, currency, source, payout_id, made_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (org_id, id) DO UPDATE
             SET payout_id = COALESCE(excluded.payout_id, stripe_transaction.payout_id)",
        look.org_id,
        &one.id,
        &one.kind,
        Cents::from(one.amount),
        Cents::from(one.fee),
        &one.currency,
        source,
        payout,
        instant(one.created)
    )?;
    Ok(())
}
