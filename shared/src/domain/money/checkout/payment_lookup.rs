//! Entries of Stripe's lists of pages and their payments.

use super::{COLUMNS, CheckoutSession, build_settle_task, card_refund, dispute};
use crate::{
    domain::tenancy::org::OrgContext,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q, qb},
        error::Result,
        id::{CheckoutId, OrgId},
        tasks::NewTask,
    },
    providers::payments::{Stripe, StripeCredentials, StripeDispute, StripeError, StripeRefund},
};

#[must_use]
pub(crate) fn build_recheck_task(origin: &ClockRng, org: OrgId, id: CheckoutId, why: &str) -> NewTask {
    build_settle_task(origin, (org, id), &format!("{why}:{}", origin.now().timestamp()))
}

pub(crate) async fn find_by_payment(
    conn: &mut dyn AsConn,
    org: OrgId,
    payment: &str,
) -> Result<Option<CheckoutSession>> {
    Ok(qb!(conn, fetch_optional as CheckoutSession, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM checkout WHERE org_id = ").push_bind(org);
        b.push(" AND payment_provider_id = ").push_bind(payment);
    })?)
}

pub(crate) async fn apply_payment_disputes(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    visit: &CheckoutSession,
    disputes: &[StripeDispute],
) -> Result<()> {
    dispute::apply_disputes(tx, ctx, visit, disputes).await
}

/// Stores Stripe's id of a page of which only the payment was known.
pub async fn record_page_id(tx: &mut Tx, visit: &CheckoutSession, page: &str) -> Result<()> {
    let sql = "UPDATE checkout SET provider_id = $3 WHERE org_id = $1 AND id = $2 AND provider_id IS NULL";
    q!(tx, execute, sql, visit.org_id, visit.id, page)?;
    Ok(())
}

#[derive(Clone, Debug, Default)]
pub struct ReturnedFunds {
    pub refunds: Vec<StripeRefund>,
    /// Empty when the key may not read them; the nightly comparison reports that.
    pub disputes: Vec<StripeDispute>,
    /// Both lists were read.
    pub is_whole: bool,
}

/// Never called inside a transaction.
pub async fn fetch_returned_funds(
    stripe: &Stripe,
    keys: &StripeCredentials,
    payment: &str,
) -> Result<ReturnedFunds, StripeError> {
    let refunds = stripe.list_refunds(keys, payment).await?;
    match stripe.list_disputes(keys, payment).await {
        Ok(disputes) => Ok(ReturnedFunds { refunds, disputes, is_whole: true }),
        Err(StripeError::Key(_) | StripeError::Refused(_)) => {
            Ok(ReturnedFunds { refunds, disputes: Vec::new(), is_whole: false })
        }
        Err(e) => Err(e),
    }
}

/// Books what went back of a payment, wherever it was requested.
pub async fn apply_returned_funds(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    payment: &str,
    back: &ReturnedFunds,
) -> Result<()> {
    // Disputes first: the alert on a refund that failed says what is left of the payment.
    if let Some(visit) = find_by_payment(&mut *tx, ctx.profile.org.id, payment).await? {
        dispute::apply_disputes(&mut *tx, ctx, &visit, &back.disputes).await?;
    }
    card_refund::apply_refunds(tx, ctx, payment, (&back.refunds, back.is_whole)).await
}

/// Names the payment of a charge on its page, found by the payment or by the page's id, and returns the page and its
/// status.
pub(crate) async fn attach_payment(
    tx: &mut Tx,
    org: OrgId,
    payment: &str,
    page: CheckoutId,
) -> Result<Option<(CheckoutId, String)>> {
    let sql = "UPDATE checkout SET payment_provider_id = COALESCE(payment_provider_id, $2)
         WHERE org_id = $1 AND (payment_provider_id = $2 OR id = $3) RETURNING id, status";
    Ok(q!(tx, fetch_optional as (CheckoutId, String), sql, org, payment, page)?)
}
