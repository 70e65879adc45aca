//! A visit to Stripe's page, from the tap on "Pay" to the page's address, and when it is looked at again.

use chrono::Duration;

use super::{COLUMNS, Checkout, Due, Evidence};
use crate::{
    documents::template::Language,
    platform::{
        clock::Origin,
        db::{Tx, q, qb},
        error::{Error, Result},
        id::{CheckoutId, OrgId},
        tasks::{self, NewTask},
    },
    providers::payments::{Dispute, Keys, NewSession, PayError, Session, Standing, Stripe},
};

/// How long a page stays open: the longest Stripe allows, less what the clocks may differ.
const OPEN_FOR: Duration = Duration::hours(23);
/// A page that ends sooner is not handed out any more: nobody types a card number in less.
const ENOUGH: Duration = Duration::minutes(10);
/// How far Stripe's clock and ours may be apart.
const CLOCKS: Duration = Duration::minutes(10);
/// When a visit is looked at again, should nobody tell us of it. The last is after its end.
const LOOKS: [Duration; 5] =
    [Duration::minutes(3), Duration::minutes(15), Duration::hours(1), Duration::hours(6), Duration::hours(24)];

/// What [`begin`] found.
#[derive(Clone, Debug)]
pub enum Begun {
    /// To be opened at Stripe under its id, whether for the first time or once more: Stripe answers with the same page.
    Open(Checkout),
    /// A page of another amount is open: it is to be closed first, and then begun anew.
    Close(Checkout),
}

/// Writes down that somebody goes to pay, or finds the visit that is under way.
///
/// `account` is the Stripe account in force: a page of another one is not handed out.
pub async fn begin(tx: &mut Tx, origin: &Origin, org: OrgId, due: &Due, account: &str) -> Result<Begun> {
    tx.guard_writable(org);
    let now = origin.now();
    let (about, about_id) = (due.subject.about(), due.subject.id());
    q!(
        &mut *tx,
        execute,
        "INSERT INTO checkout
             (org_id, id, lead_id, about, about_id, amount_cents, status, created_at, expires_at, account)
         VALUES ($1, $2, $3, $4, $5, $6, 'opening', $7, $8, $9)
         ON CONFLICT (org_id, about_id) WHERE status IN ('opening', 'open') DO NOTHING",
        org,
        CheckoutId(origin.random_uuid()),
        due.lead,
        about,
        about_id,
        due.amount,
        now,
        now + OPEN_FOR,
        account
    )?;
    let found = qb!(&mut *tx, fetch_optional as Checkout, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM checkout WHERE org_id = ").push_bind(org);
        b.push(" AND about_id = ").push_bind(about_id).push(" AND status IN ('opening', 'open')");
    })?;
    let found = found.ok_or_else(|| Error::Internal("a visit to the pay page is gone".into()))?;
    // The customer did their part, and nobody calls the bank back.
    if found.is_at_bank() {
        return Ok(Begun::Open(found));
    }
    let is_fit = super::close::is_right(&found, Some(due), Some(account))
        && found.expires_at > now + ENOUGH
        && !found.is_closing;
    if !is_fit {
        return Ok(Begun::Close(found));
    }
    tasks::enqueue(tx, origin, looks(&found)).await?;
    Ok(Begun::Open(found))
}

/// The looks at a visit of which nobody tells us.
fn looks(visit: &Checkout) -> Vec<NewTask> {
    let at = |(n, after): (usize, &Duration)| NewTask {
        org: Some(visit.org_id),
        kind: tasks::Kind::SettleCheckout,
        subject: Some(visit.id.0),
        run_at: visit.created_at + *after,
        unique_key: format!("checkout:{}:look:{n}", visit.id),
    };
    LOOKS.iter().enumerate().map(at).collect()
}

/// How long a page of a former account rests between looks.
const FORMER_REST: Duration = Duration::hours(6);

/// A bank works on a page of an account that is not in force: no nightly comparison finds it, so it is looked at until it
/// ends, or its keys are forgotten.
pub async fn follow_former(tx: &mut Tx, origin: &Origin, visit: &Checkout) -> Result<()> {
    let sql =
        "SELECT EXISTS (SELECT 1 FROM checkout WHERE org_id = $1 AND id = $2 AND status = 'open' AND url IS NULL)";
    if !q!(&mut *tx, fetch_one scalar bool, sql, visit.org_id, visit.id)? {
        return Ok(());
    }
    let next = origin.now() + FORMER_REST;
    let unique_key = format!("checkout:{}:former:{}", visit.id, next.timestamp());
    let look = NewTask { run_at: next, unique_key, ..look_now(origin, (visit.org_id, visit.id), "former") };
    tasks::enqueue(tx, origin, vec![look]).await.map(|_| ())
}

/// Stripe has news of it: look at once.
pub(crate) fn look_now(origin: &Origin, (org, id): (OrgId, CheckoutId), why: &str) -> NewTask {
    NewTask {
        org: Some(org),
        kind: tasks::Kind::SettleCheckout,
        subject: Some(id.0),
        run_at: origin.now(),
        unique_key: format!("checkout:{id}:{why}"),
    }
}

/// What Stripe is asked for. `back` is where the customer comes from and returns to.
#[must_use]
pub fn asked<'a>(
    visit: &Checkout,
    due: &'a Due,
    (key, reference, org): (&'a str, &'a str, &'a str),
    urls: (&'a str, &'a str),
) -> NewSession<'a> {
    NewSession {
        key,
        amount: visit.amount_cents,
        title: &due.title,
        email: due.email.as_deref(),
        language: match due.language {
            Language::En => "en",
            Language::Es => "es",
        },
        success_url: urls.0,
        cancel_url: urls.1,
        reference,
        org,
        expires_at: visit.expires_at,
    }
}

/// Notes the address of the page. One that was not to be opened any more meanwhile is expired.
pub async fn opened(tx: &mut Tx, origin: &Origin, visit: &Checkout, session: &Session, keys: &Keys) -> Result<()> {
    let sql = "UPDATE checkout SET provider_id = $3, livemode = $5,
             url = CASE WHEN status IN ('opening', 'open') THEN $4 ELSE NULL END,
             is_closing = CASE WHEN status IN ('opening', 'open') THEN is_closing ELSE TRUE END,
             status = CASE WHEN status = 'opening' THEN 'open' ELSE status END
         WHERE org_id = $1 AND id = $2 AND (provider_id IS NULL OR provider_id = $3) RETURNING is_closing";
    let livemode = session.livemode.unwrap_or(!keys.is_test());
    let is_closing =
        q!(&mut *tx, fetch_optional scalar bool, sql, visit.org_id, visit.id, &session.id, &session.url, livemode)?;
    if is_closing == Some(true) {
        let look = super::close::look(origin, visit.org_id, visit.id);
        tasks::enqueue(tx, origin, vec![look]).await?;
    }
    Ok(())
}

/// Stripe would not open it, certainly or after a look at what is there: it is over, and the next one has a key of its
/// own. In doubt the visit stays, and its key with it.
pub async fn not_opened(tx: &mut Tx, visit: &Checkout) -> Result<()> {
    let sql = "UPDATE checkout SET status = 'failed' WHERE org_id = $1 AND id = $2 AND status = 'opening'";
    q!(tx, execute, sql, visit.org_id, visit.id)?;
    Ok(())
}

/// What Stripe made under a visit whose answer was an error of Stripe's own: the page that bears our id of it. Never
/// inside a transaction.
///
/// # Errors
/// [`PayError`].
pub async fn look_for(stripe: &Stripe, keys: &Keys, visit: &Checkout) -> Result<Option<Session>, PayError> {
    Ok(look_for_paid(stripe, keys, visit).await?.filter(|page| page.standing == Standing::Open))
}

/// The same, however the page stands.
///
/// # Errors
/// [`PayError`].
pub async fn look_for_paid(stripe: &Stripe, keys: &Keys, visit: &Checkout) -> Result<Option<Session>, PayError> {
    let since = (visit.created_at - CLOCKS).timestamp();
    stripe.find_page(keys, &visit.id.to_string(), since).await
}

/// Asks Stripe how a visit stands, with what went back of its payment and, where it `may_be_disputed`, what its payer's
/// bank says. Never inside a transaction. None when it was never opened there.
///
/// # Errors
/// [`PayError`].
pub async fn ask(
    stripe: &Stripe,
    keys: &Keys,
    visit: &Checkout,
    may_be_disputed: bool,
) -> Result<Option<Evidence>, PayError> {
    let Some(page) = &visit.provider_id else { return Ok(None) };
    let session = stripe.session(keys, page).await?;
    let payment = session.payment.as_deref().filter(|_| session.standing == Standing::Paid);
    let refunds = match payment {
        Some(payment) => stripe.refunds(keys, payment).await?,
        None => Vec::new(),
    };
    let disputes = match payment.filter(|_| may_be_disputed) {
        Some(payment) => disputes(stripe, keys, payment).await?,
        None => Some(Vec::new()),
    };
    Ok(Some(Evidence { session, refunds, disputes }))
}

/// None when the key, which opened the page a moment ago, may not ask that: the payment itself is noted all the same.
async fn disputes(stripe: &Stripe, keys: &Keys, payment: &str) -> Result<Option<Vec<Dispute>>, PayError> {
    match stripe.disputes(keys, payment).await {
        Ok(found) => Ok(Some(found)),
        Err(PayError::Key(_)) => Ok(None),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_is_looked_at_once_more_after_its_end() {
        assert!(LOOKS.is_sorted() && LOOKS[LOOKS.len() - 1] > OPEN_FOR && OPEN_FOR < Duration::hours(24));
    }
}
