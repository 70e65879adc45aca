//! Pages that must not be paid on any more: what is due has changed while they were open, or the business has changed its
//! account at Stripe. They are expired there; what was paid a moment before is noted, and is a credit.

use super::{COLUMNS, Checkout, Due, Subject, card_refund, look_at};
use crate::{
    domain::{
        intake::lead::Intake,
        messaging::alert::{self, NewAlert},
        tenancy::org::keys,
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q, qb},
        error::Result,
        id::{CheckoutId, LeadId, OrgId},
        secret::SecretKey,
        tasks::{self, NewTask},
    },
    providers::payments::Keys,
};

/// What is to be done about a page.
#[derive(Clone, Debug)]
pub enum Closing {
    /// It may stay: what is due is what it asks for, or it is closed already.
    Stays,
    /// To be expired at Stripe.
    Expire(Box<Checkout>),
}

/// A look at whether a page is to be expired.
pub(super) fn look(origin: &Origin, org: OrgId, id: CheckoutId) -> NewTask {
    NewTask {
        org: Some(org),
        kind: tasks::Kind::ExpireCheckout,
        subject: Some(id.0),
        run_at: origin.now(),
        unique_key: format!("checkout:{id}:close:{}", origin.uuid()),
    }
}

/// The money of a lead has changed: each of its open pages is looked at, whether it still asks for what is due.
pub(crate) async fn look_at_open(tx: &mut Tx, origin: &Origin, org: OrgId, lead: LeadId) -> Result<()> {
    let sql = "SELECT id FROM checkout WHERE org_id = $1 AND lead_id = $2 AND status IN ('opening', 'open')";
    let open = q!(&mut *tx, fetch_all scalar CheckoutId, sql, org, lead)?;
    if open.is_empty() {
        return Ok(());
    }
    tasks::enqueue(tx, origin, open.into_iter().map(|id| look(origin, org, id)).collect()).await.map(|_| ())
}

/// Nobody is to pay this paper now, whatever is due: its open page is expired.
pub(crate) async fn expire_subject(tx: &mut Tx, origin: &Origin, org: OrgId, subject: Subject) -> Result<()> {
    let sql = "UPDATE checkout SET is_closing = TRUE WHERE org_id = $1 AND about_id = $2
         AND status IN ('opening', 'open') RETURNING id";
    let open = q!(&mut *tx, fetch_all scalar CheckoutId, sql, org, subject.id())?;
    if open.is_empty() {
        return Ok(());
    }
    tasks::enqueue(tx, origin, open.into_iter().map(|id| look(origin, org, id)).collect()).await.map(|_| ())
}

/// Another account is in force from now on, or none: pages of the one before are handed out no more, and expired with its
/// keys, which are kept for that for a day. To be called before the new ones are put in place.
///
/// # Errors
/// When the database is away.
pub async fn change_account(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    org: OrgId,
    new: Option<&Keys>,
) -> Result<()> {
    let Some(old) = keys::stripe(&mut *tx, secret, org).await? else { return Ok(()) };
    let account = old.account();
    let named = new.map(Keys::account);
    if named.as_deref() == Some(account.as_str()) {
        return Ok(());
    }
    if let (Some(new), Some(named)) = (new, &named)
        && new.is_same_key(&old)
    {
        return rename(tx, org, &account, named).await;
    }
    keys::keep_former(&mut *tx, origin, secret, org, &old).await?;
    let named = "UPDATE checkout SET account = $2 WHERE org_id = $1 AND account IS NULL";
    q!(&mut *tx, execute, named, org, &account)?;
    let named = "UPDATE payment SET account = $2 WHERE org_id = $1 AND account IS NULL AND kind = 'payment'
         AND provider_id IS NOT NULL";
    q!(&mut *tx, execute, named, org, &account)?;
    card_refund::look_after_leaving(&mut *tx, origin, org).await?;
    let sql = "UPDATE checkout SET status = 'expired', url = NULL, is_closing = TRUE
         WHERE org_id = $1 AND account = $2 AND (status = 'opening' OR (status = 'open' AND url IS NOT NULL))
         RETURNING id";
    let open = q!(&mut *tx, fetch_all scalar CheckoutId, sql, org, &account)?;
    // What a bank works on cannot be called back: nobody pays it again, and it is followed as long as the keys are there.
    let sql = "SELECT id FROM checkout WHERE org_id = $1 AND account = $2 AND status = 'open'";
    let at_bank = q!(&mut *tx, fetch_all scalar CheckoutId, sql, org, &account)?;
    let mut looks: Vec<NewTask> = open.into_iter().map(|id| look(origin, org, id)).collect();
    looks.extend(at_bank.into_iter().map(|id| look_at(origin, org, id, "moved")));
    if looks.is_empty() {
        return Ok(());
    }
    tasks::enqueue(tx, origin, looks).await.map(|_| ())
}

/// The same key as before, of which Stripe says now whose account it is.
async fn rename(tx: &mut Tx, org: OrgId, before: &str, now: &str) -> Result<()> {
    let sql = "UPDATE checkout SET account = $3 WHERE org_id = $1 AND account = $2";
    q!(&mut *tx, execute, sql, org, before, now)?;
    let sql = "UPDATE payment SET account = $3 WHERE org_id = $1 AND account = $2";
    q!(tx, execute, sql, org, before, now)?;
    Ok(())
}

/// Whether a page is to be expired. `account` is the one in force.
///
/// # Errors
/// When the database is away.
pub async fn closing(
    conn: &mut dyn AsConn,
    house: &Intake<'_>,
    id: CheckoutId,
    account: Option<&str>,
) -> Result<Closing> {
    let org = house.profile.org.id;
    let found = qb!(&mut *conn, fetch_optional as Checkout, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM checkout WHERE org_id = ").push_bind(org);
        b.push(" AND id = ").push_bind(id);
    })?;
    let Some(visit) = found else { return Ok(Closing::Stays) };
    if visit.is_closing {
        return Ok(Closing::Expire(Box::new(visit)));
    }
    // A bank that works on it is not called back.
    if !visit.is_open() || visit.is_at_bank() {
        return Ok(Closing::Stays);
    }
    let due = super::due(conn, house, visit.subject()).await?;
    Ok(if is_right(&visit, due.as_ref(), account) { Closing::Stays } else { Closing::Expire(Box::new(visit)) })
}

/// Whether a page asks for what is due, in the account in force.
pub(super) fn is_right(visit: &Checkout, due: Option<&Due>, account: Option<&str>) -> bool {
    due.is_some_and(|due| due.amount == visit.amount_cents) && account.is_some_and(|account| visit.is_of(account))
}

/// It is closed at Stripe, or was never opened there.
///
/// # Errors
/// When the database is away.
pub async fn closed(tx: &mut Tx, visit: &Checkout) -> Result<()> {
    let sql = "UPDATE checkout SET is_closing = FALSE,
             status = CASE WHEN status IN ('opening', 'open') AND provider_id IS NULL THEN 'expired' ELSE status END
         WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, visit.org_id, visit.id)?;
    Ok(())
}

/// Its account is not reached any more, or Stripe refused, so it stays open there until it ends by itself: the business is
/// told.
///
/// # Errors
/// When the database is away.
pub async fn not_closed(tx: &mut Tx, house: &Intake<'_>, visit: &Checkout) -> Result<()> {
    let sql = "UPDATE checkout SET is_closing = FALSE, url = NULL,
             status = CASE WHEN status IN ('opening', 'open') THEN 'expired' ELSE status END
         WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, visit.org_id, visit.id)?;
    let alert = NewAlert {
        lead: Some(visit.lead_id),
        ..NewAlert::new(
            alert::Kind::PaymentFailed,
            format!("checkout:{}:not-closed", visit.id),
            format!("A Stripe page over {} could not be closed", visit.amount_cents.shown()),
            "Stripe did not close it. The customer may still pay there for up to 24 hours. Look in that Stripe account."
                .to_owned(),
        )
    };
    alert::raise(tx, house.origin, house.profile, alert).await.map(|_| ())
}

/// A bank still worked on it, and the account that it is of is not reached any more: how it ends is seen by the business
/// alone, and the customer may pay again.
///
/// # Errors
/// When the database is away.
pub async fn out_of_sight(tx: &mut Tx, house: &Intake<'_>, visit: &Checkout) -> Result<()> {
    let sql =
        "UPDATE checkout SET status = 'expired' WHERE org_id = $1 AND id = $2 AND status = 'open' AND url IS NULL";
    if q!(&mut *tx, execute, sql, visit.org_id, visit.id)? == 0 {
        return Ok(());
    }
    let alert = NewAlert {
        lead: Some(visit.lead_id),
        ..NewAlert::new(
            alert::Kind::PaymentFailed,
            format!("checkout:{}:out-of-sight", visit.id),
            format!("A bank payment of {} can no longer be followed", visit.amount_cents.shown()),
            "It was on its way in the Stripe account that you used before. Look there. If it arrives, mark it as paid: until \
             then the customer is asked to pay again."
                .to_owned(),
        )
    };
    alert::raise(tx, house.origin, house.profile, alert).await.map(|_| ())
}
