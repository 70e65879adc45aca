//! What the holder of a link may pay by card now.

use uuid::Uuid;

use super::{
    Subject,
    named::{Called, Named},
};
use crate::{
    documents::template::Language,
    domain::{
        intake::lead::Intake,
        money::{estimate::content::asker, ledger},
    },
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        id::{EstimateId, InvoiceId, LeadId, OrgId},
        money::Cents,
    },
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
            let (lead, open, named) = open_amount(&mut *conn, sql, org, id.0).await?;
            (lead, beside_transfers(&mut *conn, org, (lead, id), open).await?, named)
        }
        Subject::Deposit(id) => {
            let (lead, named) = offer(&mut *conn, org, id).await?;
            let deposit = deposit(&mut *conn, org, lead, id).await?;
            (lead, deposit.map_or(Cents::ZERO, |deposit| deposit.due), named)
        }
    };
    if amount < LEAST {
        return Ok(None);
    }
    let who = asker(conn, org, lead).await?;
    let title = named.title(who.language());
    Ok(Some(Due { lead, subject, amount, title, language: who.language(), email: who.to.email }))
}

/// What of an open invoice may be paid beside what banks work on for other papers of the lead: a deposit whose transfer
/// takes days pays an invoice that went out meanwhile.
async fn beside_transfers(
    conn: &mut dyn AsConn,
    org: OrgId,
    (lead, id): (LeadId, InvoiceId),
    open: Cents,
) -> Result<Cents> {
    let sql = "SELECT CAST(COALESCE(SUM(amount_cents), 0) AS BIGINT) FROM checkout
         WHERE org_id = $1 AND lead_id = $2 AND about_id <> $3 AND status = 'open' AND url IS NULL";
    let under_way = q!(&mut *conn, fetch_one scalar Cents, sql, org, lead, id)?;
    if under_way == Cents::ZERO || open == Cents::ZERO {
        return Ok(open);
    }
    let owed = ledger::balance(conn, org, lead).await?.owed;
    Ok(open.min(Cents((owed.0 - under_way.0).max(0))))
}

/// Whether the deposit of an approved estimate or change order has come in, and stayed.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such paper.
pub async fn deposit_is_paid(conn: &mut dyn AsConn, org: OrgId, id: EstimateId) -> Result<bool> {
    let (lead, _) = offer(&mut *conn, org, id).await?;
    Ok(deposit(conn, org, lead, id).await?.is_some_and(|deposit| deposit.paid == deposit.amount))
}

/// The lead of an estimate or a change order, and how it is called.
async fn offer(conn: &mut dyn AsConn, org: OrgId, id: EstimateId) -> Result<(LeadId, Called)> {
    let sql = "SELECT lead_id, total_cents, content, number FROM estimate WHERE org_id = $1 AND id = $2";
    let (lead, _, named) = open_amount(conn, sql, org, id.0).await?;
    Ok((lead, named))
}

/// The deposit of a paper; none before it is approved, and where it asks for none.
async fn deposit(conn: &mut dyn AsConn, org: OrgId, lead: LeadId, id: EstimateId) -> Result<Option<ledger::Deposit>> {
    let all = ledger::deposits(conn, org, lead).await?;
    Ok(all.into_iter().find(|deposit| deposit.estimate == id))
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
