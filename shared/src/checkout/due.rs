//! What the holder of a link may pay by card now.

use uuid::Uuid;

use super::Subject;
use crate::{
    db::{AsConn, q},
    error::{Error, Result},
    estimate::content::asker,
    id::{LeadId, OrgId},
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
pub async fn due(conn: &mut impl AsConn, house: &Intake<'_>, subject: Subject) -> Result<Option<Due>> {
    let (org, now) = (house.profile.org.id, house.origin.now());
    let (lead, amount, number) = match subject {
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
            let (lead, is_approved, number) = open_amount(&mut *conn, sql, org, id.0).await?;
            let money = ledger::money(&mut *conn, org, lead, now, ledger::today(house.profile, now)).await?;
            let deposit = if is_approved > Cents::ZERO { money.deposit_due.min(money.owed) } else { Cents::ZERO };
            (lead, deposit, number)
        }
    };
    if amount < LEAST {
        return Ok(None);
    }
    let who = asker(conn, org, lead).await?;
    let title = title(subject, who.language(), &number);
    Ok(Some(Due { lead, subject, amount, title, language: who.language(), email: who.email }))
}

async fn open_amount(
    conn: &mut impl AsConn,
    sql: &'static str,
    org: OrgId,
    id: Uuid,
) -> Result<(LeadId, Cents, String)> {
    let row = q!(conn, fetch_optional as (LeadId, Cents, sqlx::types::Json<Named>, Option<i64>), sql, org, id)?;
    let (lead, amount, content, number) = row.ok_or(Error::NotFound)?;
    Ok((lead, amount, content.0.shown(number)))
}

/// As much of a paper's content as names it.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Named {
    /// Of an estimate, whole: `EST-1001-2`.
    number: Option<String>,
    /// Of an invoice, whose number stands beside it.
    prefix: String,
}

impl Named {
    pub(crate) fn is_estimate(&self) -> bool {
        self.number.is_some()
    }

    pub(crate) fn shown(&self, number: Option<i64>) -> String {
        match (&self.number, number) {
            (Some(whole), _) => whole.clone(),
            (None, Some(number)) => format!("{}{number}", self.prefix),
            (None, None) => String::new(),
        }
    }
}

pub(super) fn title(subject: Subject, language: Language, number: &str) -> String {
    match (subject, language) {
        (Subject::Invoice(_), Language::En) => format!("Invoice {number}"),
        (Subject::Invoice(_), Language::Es) => format!("Factura {number}"),
        (Subject::Deposit(_), Language::En) => format!("Deposit for estimate {number}"),
        (Subject::Deposit(_), Language::Es) => format!("Anticipo del presupuesto {number}"),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{EstimateId, InvoiceId};

    #[test]
    fn what_is_paid_is_named_in_the_language_of_the_paper() {
        let (invoice, deposit) = (Subject::Invoice(InvoiceId(Uuid::nil())), Subject::Deposit(EstimateId(Uuid::nil())));
        let table = [
            (invoice, Language::En, "Invoice INV-1001"),
            (invoice, Language::Es, "Factura INV-1001"),
            (deposit, Language::En, "Deposit for estimate INV-1001"),
            (deposit, Language::Es, "Anticipo del presupuesto INV-1001"),
        ];
        for (subject, language, wanted) in table {
            assert_eq!(title(subject, language, "INV-1001"), wanted);
        }
    }
}
