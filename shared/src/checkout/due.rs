//! What the holder of a link may pay by card now.

use uuid::Uuid;

use super::{
    Subject,
    named::{Called, Named},
};
use crate::{
    db::{AsConn, q},
    error::{Error, Result},
    estimate::{Sort, content::asker},
    id::{EstimateId, LeadId, OrgId},
    lead::Intake,
    ledger,
    money::Cents,
    template::Language,
};

/// Below this Stripe takes no payment in dollars (docs.stripe.com/currencies, minimum charge amounts).
const LEAST: Cents = Cents(50);

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

/// What can be paid by card for this now; none when nothing is open, or too little for a card.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such paper.
pub async fn due(conn: &mut dyn AsConn, house: &Intake<'_>, subject: Subject) -> Result<Option<Due>> {
    let org = house.profile.org.id;
    let (lead, amount, named) = match subject {
        Subject::Invoice(id) => {
            let sql =
                "SELECT lead_id, CAST(CASE WHEN status = 'open' THEN total_cents - paid_cents ELSE 0 END AS BIGINT),
                     content, number
                 FROM invoice WHERE org_id = $1 AND id = $2";
            open_amount(&mut *conn, sql, org, id.0).await?
        }
        Subject::Deposit(id) => {
            let (lead, is_approved, named) = approved(&mut *conn, org, id).await?;
            let (left, owed) = deposit_left(&mut *conn, house, (lead, id), named.sort).await?;
            (lead, if is_approved { left.min(owed) } else { Cents::ZERO }, named)
        }
    };
    if amount < LEAST {
        return Ok(None);
    }
    let who = asker(conn, org, lead).await?;
    let title = named.title(who.language());
    Ok(Some(Due { lead, subject, amount, title, language: who.language(), email: who.to.email }))
}

/// Whether the deposit of an approved estimate or change order has come in: nothing is left of it, and nothing went
/// back.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such paper.
pub async fn deposit_is_paid(conn: &mut dyn AsConn, house: &Intake<'_>, id: EstimateId) -> Result<bool> {
    let (lead, is_approved, named) = approved(&mut *conn, house.profile.org.id, id).await?;
    let (left, _) = deposit_left(&mut *conn, house, (lead, id), named.sort).await?;
    Ok(is_approved && left == Cents::ZERO && !went_back(conn, house.profile.org.id, lead, id).await?)
}

/// Whether anything was refunded of what was paid for it.
async fn went_back(conn: &mut dyn AsConn, org: OrgId, lead: LeadId, id: EstimateId) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM payment r JOIN payment p ON p.org_id = r.org_id AND p.id = r.refund_of
             WHERE r.org_id = $1 AND r.lead_id = $2 AND r.status = 'settled' AND r.undone_at IS NULL
                 AND p.estimate_id = $3)",
        org,
        lead,
        id
    )?)
}

/// The lead of an estimate or a change order, and whether it is approved.
async fn approved(conn: &mut dyn AsConn, org: OrgId, id: EstimateId) -> Result<(LeadId, bool, Called)> {
    let sql = "SELECT lead_id, CAST(CASE WHEN status = 'approved' THEN 1 ELSE 0 END AS BIGINT), content, number
         FROM estimate WHERE org_id = $1 AND id = $2";
    let (lead, is_approved, named) = open_amount(conn, sql, org, id.0).await?;
    Ok((lead, is_approved > Cents::ZERO, named))
}

/// What is left to pay of a deposit, and what is owed in all.
async fn deposit_left(
    conn: &mut dyn AsConn,
    house: &Intake<'_>,
    (lead, id): (LeadId, EstimateId),
    sort: Option<Sort>,
) -> Result<(Cents, Cents)> {
    let (org, now) = (house.profile.org.id, house.origin.now());
    let money = ledger::money(&mut *conn, org, lead, now, ledger::today(house.profile, now)).await?;
    // What is due on the estimate is asked for there, and what is due on a change order on that.
    let own = match sort {
        Some(Sort::ChangeOrder) => own_deposit(conn, org, id).await?,
        _ => plain_deposit(conn, org, lead, money.collected).await?,
    };
    Ok((money.deposit_due.min(own), money.owed))
}

/// What of its own deposit nobody has paid for it yet.
async fn own_deposit(conn: &mut dyn AsConn, org: OrgId, id: EstimateId) -> Result<Cents> {
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

/// What is left of the deposits of a lead's estimates, without its change orders and what was paid for those.
async fn plain_deposit(conn: &mut dyn AsConn, org: OrgId, lead: LeadId, collected: Cents) -> Result<Cents> {
    let left = q!(
        conn,
        fetch_one scalar Cents,
        "SELECT CAST((SELECT COALESCE(SUM(a.deposit_cents), 0) FROM estimate e
                 JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
                 WHERE e.org_id = $1 AND e.lead_id = $2 AND e.status = 'approved' AND e.job_id IS NULL)
             + (SELECT COALESCE(SUM(CASE p.kind WHEN 'refund' THEN -p.amount_cents ELSE p.amount_cents END), 0)
                 FROM payment p LEFT JOIN payment o ON o.org_id = p.org_id AND o.id = p.refund_of
                 JOIN estimate c ON c.org_id = p.org_id AND c.id = COALESCE(o.estimate_id, p.estimate_id)
                 WHERE p.org_id = $1 AND p.lead_id = $2 AND c.job_id IS NOT NULL AND p.kind IN ('payment', 'refund')
                     AND p.status = 'settled' AND p.undone_at IS NULL)
             - $3 AS BIGINT)",
        org,
        lead,
        collected
    )?;
    Ok(left.max(Cents::ZERO))
}

async fn open_amount(
    conn: &mut dyn AsConn,
    sql: &'static str,
    org: OrgId,
    id: Uuid,
) -> Result<(LeadId, Cents, Called)> {
    let row = q!(conn, fetch_optional as (LeadId, Cents, sqlx::types::Json<Named>, Option<i64>), sql, org, id)?;
    let (lead, amount, content, number) = row.ok_or(Error::NotFound)?;
    Ok((lead, amount, content.0.called(number)))
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
    conn: &mut dyn AsConn,
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
