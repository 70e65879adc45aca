//! Paying by card: what the holder of a link may pay, the visit to Stripe's page, and what became of it.
//!
//! Stripe is never called inside a transaction. A visit is written down first ([`begin`]), opened at Stripe under its
//! own id as idempotency key, and its address noted ([`opened`]); two taps on "Pay" are one visit. What Stripe says of
//! it later only tells us to look: [`note`] makes the ledger true from what Stripe itself answers, as often as it is
//! called, in whatever order its news come in.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::{Error, Result},
    estimate::{Sort, content::asker},
    id::{CheckoutId, EstimateId, InvoiceId, LeadId, OrgId},
    lead::Intake,
    ledger,
    money::Cents,
    providers::payments::{Keys, NewSession, PayError, Session, Standing, Stripe},
    tasks::{self, NewTask},
    template::Language,
};

mod card_refund;
pub(crate) mod chase;
mod dispute;
mod event;
mod named;
mod settle;

pub use card_refund::{CardRefund, due as refund_due, failed as refund_failed, made as refund_made};
pub use event::take;
pub(crate) use named::Named;
pub use settle::{Evidence, note};

use named::Called;

/// How long a page stays open: the longest Stripe allows, less what the clocks may differ.
const OPEN_FOR: Duration = Duration::hours(23);
/// A page that ends sooner is not handed out any more: nobody types a card number in less.
const ENOUGH: Duration = Duration::minutes(10);
/// When a visit is looked at again, should nobody tell us of it. The last is after its end.
const LOOKS: [Duration; 5] =
    [Duration::minutes(3), Duration::minutes(15), Duration::hours(1), Duration::hours(6), Duration::hours(24)];
/// Below this Stripe takes no payment in dollars (docs.stripe.com/currencies, minimum charge amounts).
const LEAST: Cents = Cents(50);

/// What is paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    Invoice(InvoiceId),
    /// The deposit of an approved estimate.
    Deposit(EstimateId),
}

impl Subject {
    fn about(self) -> &'static str {
        match self {
            Self::Invoice(_) => "invoice",
            Self::Deposit(_) => "estimate",
        }
    }

    fn id(self) -> Uuid {
        match self {
            Self::Invoice(id) => id.0,
            Self::Deposit(id) => id.0,
        }
    }
}

/// What may be paid now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    pub lead: LeadId,
    pub subject: Subject,
    pub amount: Cents,
    /// "Invoice INV-1001", in the language of the paper.
    pub title: String,
    pub email: Option<String>,
    pub language: Language,
}

/// A visit to Stripe's page.
#[derive(Clone, Debug, FromRow)]
pub struct Checkout {
    pub org_id: OrgId,
    pub id: CheckoutId,
    pub lead_id: LeadId,
    about: String,
    about_id: Uuid,
    pub amount_cents: Cents,
    /// opening, open, paid, expired or failed.
    pub status: String,
    /// Stripe's id of the page.
    pub provider_id: Option<String>,
    pub url: Option<String>,
    /// Stripe's id of the payment.
    pub payment_provider_id: Option<String>,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

const COLUMNS: &str = "org_id, id, lead_id, about, about_id, amount_cents, status, provider_id, url,
    payment_provider_id, created_at, expires_at";

impl Checkout {
    #[must_use]
    pub fn subject(&self) -> Subject {
        match self.about.as_str() {
            "invoice" => Subject::Invoice(InvoiceId(self.about_id)),
            _ => Subject::Deposit(EstimateId(self.about_id)),
        }
    }
}

/// What can be paid by card for this now; none when nothing is open, or too little for a card.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such paper.
pub async fn due(conn: &mut impl AsConn, house: &Intake<'_>, subject: Subject) -> Result<Option<Due>> {
    let (org, now) = (house.profile.org.id, house.origin.now());
    let (lead, amount, named) = match subject {
        Subject::Invoice(id) => {
            let sql =
                "SELECT lead_id, CAST(CASE WHEN status = 'open' THEN total_cents - paid_cents ELSE 0 END AS BIGINT),
                     content, number
                 FROM invoice WHERE org_id = $1 AND id = $2";
            open_amount(&mut *conn, sql, org, id.0).await?
        }
        Subject::Deposit(id) => {
            let sql = "SELECT lead_id, CAST(CASE WHEN status = 'approved' THEN 1 ELSE 0 END AS BIGINT), content, number
                 FROM estimate WHERE org_id = $1 AND id = $2";
            let (lead, is_approved, named) = open_amount(&mut *conn, sql, org, id.0).await?;
            let money = ledger::money(&mut *conn, org, lead, now, ledger::today(house.profile, now)).await?;
            let deposit = if is_approved > Cents::ZERO { money.deposit_due.min(money.owed) } else { Cents::ZERO };
            // What is due on the estimate is asked for there.
            let deposit = match named.sort {
                Some(Sort::ChangeOrder) => deposit.min(own_deposit(&mut *conn, org, id).await?),
                _ => deposit,
            };
            (lead, deposit, named)
        }
    };
    if amount < LEAST {
        return Ok(None);
    }
    let who = asker(conn, org, lead).await?;
    let title = named.title(who.language());
    Ok(Some(Due { lead, subject, amount, title, language: who.language(), email: who.email }))
}

/// What of its own deposit nobody has paid for it yet.
async fn own_deposit(conn: &mut impl AsConn, org: OrgId, id: EstimateId) -> Result<Cents> {
    let left = q!(
        conn,
        fetch_optional scalar Cents,
        "SELECT CAST(a.deposit_cents - (SELECT COALESCE(SUM(p.amount_cents), 0) FROM payment p
                 WHERE p.org_id = $1 AND p.estimate_id = $2 AND p.kind = 'payment' AND p.status = 'settled'
                     AND p.undone_at IS NULL) AS BIGINT)
         FROM approval a WHERE a.org_id = $1 AND a.estimate_id = $2",
        org,
        id
    )?;
    Ok(left.unwrap_or_default().max(Cents::ZERO))
}

async fn open_amount(
    conn: &mut impl AsConn,
    sql: &'static str,
    org: OrgId,
    id: Uuid,
) -> Result<(LeadId, Cents, Called)> {
    let row = q!(conn, fetch_optional as (LeadId, Cents, sqlx::types::Json<Named>, Option<i64>), sql, org, id)?;
    let (lead, amount, content, number) = row.ok_or(Error::NotFound)?;
    Ok((lead, amount, content.0.called(number)))
}

/// What [`begin`] found.
#[derive(Clone, Debug)]
pub enum Begun {
    /// To be opened at Stripe under its id, whether for the first time or once more: Stripe answers with the same page.
    Open(Checkout),
    /// A page of another amount is open: it is to be closed first, and then begun anew.
    Close(Checkout),
}

/// Writes down that somebody goes to pay, or finds the visit that is under way.
pub async fn begin(tx: &mut Tx, origin: &Origin, org: OrgId, due: &Due) -> Result<Begun> {
    let now = origin.now();
    let (about, about_id) = (due.subject.about(), due.subject.id());
    q!(
        &mut *tx,
        execute,
        "INSERT INTO checkout (org_id, id, lead_id, about, about_id, amount_cents, status, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, 'opening', $7, $8)
         ON CONFLICT (org_id, about_id) WHERE status IN ('opening', 'open') DO NOTHING",
        org,
        CheckoutId(origin.random_uuid()),
        due.lead,
        about,
        about_id,
        due.amount,
        now,
        now + OPEN_FOR
    )?;
    let found = crate::db::qb!(&mut *tx, fetch_optional as Checkout, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM checkout WHERE org_id = ").push_bind(org);
        b.push(" AND about_id = ").push_bind(about_id).push(" AND status IN ('opening', 'open')");
    })?;
    let found = found.ok_or_else(|| Error::Internal("a visit to the pay page is gone".into()))?;
    let is_fit = found.amount_cents == due.amount && found.expires_at > now + ENOUGH;
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

/// Stripe has news of it: look at once.
pub(crate) fn look_now(origin: &Origin, visit: &Checkout, why: &str) -> NewTask {
    NewTask {
        org: Some(visit.org_id),
        kind: tasks::Kind::SettleCheckout,
        subject: Some(visit.id.0),
        run_at: origin.now(),
        unique_key: format!("checkout:{}:{why}", visit.id),
    }
}

/// What Stripe is asked for. `back` is where the customer comes from and returns to.
#[must_use]
pub fn asked<'a>(
    visit: &Checkout,
    due: &'a Due,
    (key, reference): (&'a str, &'a str),
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
        expires_at: visit.expires_at,
    }
}

/// Notes the address of the page.
pub async fn opened(tx: &mut Tx, visit: &Checkout, session: &Session) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE checkout SET status = 'open', provider_id = $3, url = $4
         WHERE org_id = $1 AND id = $2 AND status IN ('opening', 'open')",
        visit.org_id,
        visit.id,
        &session.id,
        &session.url
    )?;
    Ok(())
}

/// Stripe would not open it: it is over, so that a new one can be tried.
pub async fn not_opened(tx: &mut Tx, visit: &Checkout, error: &PayError) -> Result<()> {
    if matches!(error, PayError::Retry { .. }) {
        return Ok(());
    }
    let sql = "UPDATE checkout SET status = 'failed' WHERE org_id = $1 AND id = $2 AND status = 'opening'";
    q!(tx, execute, sql, visit.org_id, visit.id)?;
    Ok(())
}

/// Asks Stripe how a visit stands, with what went back of its payment. Never inside a transaction. None when it was
/// never opened there.
///
/// # Errors
/// [`PayError`].
pub async fn ask(stripe: &Stripe, keys: &Keys, visit: &Checkout) -> Result<Option<Evidence>, PayError> {
    let Some(page) = &visit.provider_id else { return Ok(None) };
    let session = stripe.session(keys, page).await?;
    let refunds = match &session.payment {
        Some(payment) if session.standing == Standing::Paid => stripe.refunds(keys, payment).await?,
        _ => Vec::new(),
    };
    Ok(Some(Evidence { session, refunds }))
}

/// What the holder of a link is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offered {
    /// Nothing is due.
    Nothing,
    /// So much is due, and the business takes no cards.
    Owed(Cents),
    /// So much can be paid by card.
    Pay(Cents),
    /// They did their part, and the bank has not answered yet.
    Underway,
}

/// What the holder of a link may do now. `takes_cards` is whether the business has keys.
pub async fn offered(
    conn: &mut impl AsConn,
    house: &Intake<'_>,
    subject: Subject,
    takes_cards: bool,
) -> Result<Offered> {
    let sql = "SELECT EXISTS (SELECT 1 FROM checkout WHERE org_id = $1 AND about_id = $2 AND status = 'open' AND url IS NULL)";
    if q!(&mut *conn, fetch_one scalar bool, sql, house.profile.org.id, subject.id())? {
        return Ok(Offered::Underway);
    }
    let offer = if takes_cards { Offered::Pay } else { Offered::Owed };
    Ok(due(conn, house, subject).await?.map_or(Offered::Nothing, |due| offer(due.amount)))
}

/// A visit by its id, which nobody guesses.
pub async fn find(conn: &mut impl AsConn, id: CheckoutId) -> Result<Option<Checkout>> {
    Ok(crate::db::qb!(conn, fetch_optional as Checkout, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM checkout WHERE id = ").push_bind(id);
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_is_looked_at_once_more_after_its_end() {
        assert!(LOOKS.is_sorted() && LOOKS[LOOKS.len() - 1] > OPEN_FOR && OPEN_FOR < Duration::hours(24));
    }
}
