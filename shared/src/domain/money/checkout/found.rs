//! What is found in Stripe's lists of pages and their payments.

use super::{COLUMNS, Checkout, card_refund, dispute, look_now};
use crate::{
    domain::intake::lead::Intake,
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q, qb},
        error::Result,
        id::{CheckoutId, OrgId},
        tasks::NewTask,
    },
    providers::payments::{Dispute, Keys, PayError, Refund, Stripe},
};

/// A look at a page, because of something that was found.
#[must_use]
pub(crate) fn look_at(origin: &Origin, org: OrgId, id: CheckoutId, why: &str) -> NewTask {
    look_now(origin, (org, id), &format!("{why}:{}", origin.now().timestamp()))
}

/// The page on which a payment was made.
pub(crate) async fn of_payment(conn: &mut dyn AsConn, org: OrgId, payment: &str) -> Result<Option<Checkout>> {
    Ok(qb!(conn, fetch_optional as Checkout, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM checkout WHERE org_id = ").push_bind(org);
        b.push(" AND payment_provider_id = ").push_bind(payment);
    })?)
}

/// What Stripe lists of the disputes of a page's payment stands in the books.
pub(crate) async fn disputes_noted(
    tx: &mut Tx,
    house: &Intake<'_>,
    visit: &Checkout,
    disputes: &[Dispute],
) -> Result<()> {
    dispute::note(tx, house, visit, disputes).await
}

/// Notes Stripe's id of a page of which only its payment was known.
pub async fn page_found(tx: &mut Tx, visit: &Checkout, page: &str) -> Result<()> {
    let sql = "UPDATE checkout SET provider_id = $3 WHERE org_id = $1 AND id = $2 AND provider_id IS NULL";
    q!(tx, execute, sql, visit.org_id, visit.id, page)?;
    Ok(())
}

/// What Stripe says went back of a payment.
#[derive(Clone, Debug, Default)]
pub struct WentBack {
    pub refunds: Vec<Refund>,
    /// None where the key may not read them: the nightly comparison says so.
    pub disputes: Vec<Dispute>,
    /// Both lists were read.
    pub is_whole: bool,
}

/// Asks what went back of a payment. Never inside a transaction.
///
/// # Errors
/// [`PayError`].
pub async fn what_went_back(stripe: &Stripe, keys: &Keys, payment: &str) -> Result<WentBack, PayError> {
    let refunds = stripe.refunds(keys, payment).await?;
    match stripe.disputes(keys, payment).await {
        Ok(disputes) => Ok(WentBack { refunds, disputes, is_whole: true }),
        Err(PayError::Key(_) | PayError::Refused(_)) => Ok(WentBack { refunds, disputes: Vec::new(), is_whole: false }),
        Err(e) => Err(e),
    }
}

/// What went back of a payment stands in the books.
///
/// # Errors
/// When the database is away.
pub async fn went_back_noted(tx: &mut Tx, house: &Intake<'_>, payment: &str, back: &WentBack) -> Result<()> {
    card_refund::note(&mut *tx, house, payment, &back.refunds).await?;
    match of_payment(&mut *tx, house.profile.org.id, payment).await? {
        Some(visit) => dispute::note(tx, house, &visit, &back.disputes).await,
        None => Ok(()),
    }
}
