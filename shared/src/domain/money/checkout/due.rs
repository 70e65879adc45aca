//! The amount that the holder of a link may pay by card now.

use uuid::Uuid;

use super::{
    PaymentSubject,
    document_title::{DocumentLabel, DocumentName},
};
use crate::{
    documents::template::Language,
    domain::{
        money::{estimate::content::load_recipient, ledger},
        tenancy::org::OrgContext,
    },
    platform::{
        db::{AsConn, q},
        email_address::EmailAddress,
        error::{Error, Result},
        id::{EstimateId, InvoiceId, LeadId, OrgId},
        money::Cents,
    },
};

/// Stripe's minimum charge in US dollars (docs.stripe.com/currencies, minimum charge amounts).
const MIN_CHARGE: Cents = Cents(50);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentDue {
    pub lead: LeadId,
    pub subject: PaymentSubject,
    pub amount: Cents,
    /// "Invoice INV-1001", in the language of the paper.
    pub title: String,
    pub email: Option<EmailAddress>,
    pub language: Language,
}

/// None when nothing is open, or less than Stripe's minimum.
/// Errors: [`Error::NotFound`] when the org has no such paper.
pub async fn find_payment_due(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    subject: PaymentSubject,
) -> Result<Option<PaymentDue>> {
    let org = ctx.profile.org.id;
    let (lead, amount, named) = match subject {
        PaymentSubject::Invoice(id) => {
            let sql =
                "SELECT lead_id, CAST(CASE WHEN status = 'open' THEN total_cents - paid_cents ELSE 0 END AS BIGINT),
                     content, number
                 FROM invoice WHERE org_id = $1 AND id = $2";
            let (lead, open, named) = load_open_amount(&mut *conn, sql, org, id.0).await?;
            (lead, deduct_pending_transfers(&mut *conn, org, (lead, id), open).await?, named)
        }
        PaymentSubject::Deposit(id) => {
            let (lead, named) = load_estimate_label(&mut *conn, org, id).await?;
            let deposit = find_deposit(&mut *conn, org, lead, id).await?;
            (lead, deposit.map_or(Cents::ZERO, |deposit| deposit.due), named)
        }
    };
    if amount < MIN_CHARGE {
        return Ok(None);
    }
    let who = load_recipient(conn, org, lead).await?;
    let title = named.title(who.language());
    Ok(Some(PaymentDue { lead, subject, amount, title, language: who.language(), email: who.to.email }))
}

/// Open amount of an invoice less payments at the bank for other papers of the lead: a deposit whose transfer takes
/// days pays an invoice that went out meanwhile.
pub(crate) async fn deduct_pending_transfers(
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
    let owed = ledger::load_balance(conn, org, lead).await?.owed;
    Ok(open.min(Cents((owed.0 - under_way.0).max(0))))
}

/// Whether the deposit of an approved estimate or change order was paid in full and not returned.
/// Errors: [`Error::NotFound`] when the org has no such paper.
pub async fn is_deposit_paid(conn: &mut dyn AsConn, org: OrgId, id: EstimateId) -> Result<bool> {
    let (lead, _) = load_estimate_label(&mut *conn, org, id).await?;
    Ok(find_deposit(conn, org, lead, id).await?.is_some_and(|deposit| deposit.paid == deposit.amount))
}

async fn load_estimate_label(conn: &mut dyn AsConn, org: OrgId, id: EstimateId) -> Result<(LeadId, DocumentLabel)> {
    let sql = "SELECT lead_id, total_cents, content, number FROM estimate WHERE org_id = $1 AND id = $2";
    let (lead, _, named) = load_open_amount(conn, sql, org, id.0).await?;
    Ok((lead, named))
}

/// None before approval, and where no deposit is asked for.
async fn find_deposit(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    id: EstimateId,
) -> Result<Option<ledger::EstimateDeposit>> {
    let all = ledger::list_deposits(conn, org, lead).await?;
    Ok(all.into_iter().find(|deposit| deposit.estimate == id))
}

async fn load_open_amount(
    conn: &mut dyn AsConn,
    sql: &'static str,
    org: OrgId,
    id: Uuid,
) -> Result<(LeadId, Cents, DocumentLabel)> {
    let row = q!(conn, fetch_optional as (LeadId, Cents, sqlx::types::Json<DocumentName>, Option<i64>), sql, org, id)?;
    let (lead, amount, content, number) = row.ok_or(Error::NotFound)?;
    Ok((lead, amount, content.0.to_label(number)))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaymentOffer {
    Nothing,
    /// Amount due; the business takes no cards.
    Owed(Cents),
    Pay(Cents),
    /// The customer has paid, and the bank has not answered.
    Underway,
}

/// `takes_cards`: whether the business has keys.
pub async fn load_payment_offer(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    subject: PaymentSubject,
    takes_cards: bool,
) -> Result<PaymentOffer> {
    let sql = "SELECT EXISTS (SELECT 1 FROM checkout WHERE org_id = $1 AND about_id = $2 AND status = 'open' AND url IS NULL)";
    if q!(&mut *conn, fetch_one scalar bool, sql, ctx.profile.org.id, subject.id())? {
        return Ok(PaymentOffer::Underway);
    }
    let offer = if takes_cards { PaymentOffer::Pay } else { PaymentOffer::Owed };
    Ok(find_payment_due(conn, ctx, subject).await?.map_or(PaymentOffer::Nothing, |due| offer(due.amount)))
}
