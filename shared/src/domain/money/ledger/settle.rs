//! Makes what stands on a lead and its invoices true after every change of the ledger: nobody else writes it.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Balance, Kind, Method,
    allocation::{Bill, Books},
    balance,
};
use crate::{
    domain::{
        growth::review,
        intake::lead::Stage,
        messaging::{
            followup::{self, About},
            message,
        },
        money::{checkout, invoice},
        tenancy::org,
        work::{
            activity::Doer,
            pipeline::{self, Cause},
        },
    },
    platform::{
        access_link, business_hours,
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{EventId, InvoiceId, LeadId, OrgId, PaymentId},
        live::{self, Topic},
        money::Cents,
    },
};

/// Shown of a payment of another day, so that it is that day in the business's zone.
const NOON: NaiveTime = NaiveTime::from_hms_opt(12, 0, 0).expect("a time of the day");

/// What a person said about the whole, beside the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Nothing,
    /// That it is paid.
    Paid,
    /// And that it is not after all.
    NotPaid,
}

/// One change of the ledger.
pub(super) struct Change<'a> {
    pub lead: LeadId,
    pub by: &'a Doer,
    /// The event of it: undone, it brings back what it stopped.
    pub event: Option<EventId>,
    /// A payment and the invoice that it is for.
    pub first: Option<(PaymentId, InvoiceId)>,
    pub said: Said,
}

impl<'a> Change<'a> {
    pub fn new(lead: LeadId, by: &'a Doer) -> Self {
        Self { lead, by, event: None, first: None, said: Said::Nothing }
    }
}

/// Reckons a lead's money anew: the parts that pay its invoices, their status, what was collected, and whether it is
/// paid. To be called after an estimate or an invoice changed what is due.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such lead.
pub async fn settle(tx: &mut Tx, origin: &Origin, org: OrgId, lead: LeadId, by: &Doer) -> Result<Balance> {
    reckon(tx, origin, org, &Change::new(lead, by)).await.map(|(balance, _)| balance)
}

/// The same after a change that is said. True as well: by it the lead became paid.
pub(super) async fn reckon(tx: &mut Tx, origin: &Origin, org: OrgId, change: &Change<'_>) -> Result<(Balance, bool)> {
    let stage = pipeline::hold(tx, org, change.lead).await?;
    let mut books = Books::load(tx, org, change.lead).await?;
    if let Some((payment, invoice)) = change.first {
        books.put(payment, invoice);
    }
    books.settle();
    books.save(tx, org).await?;
    // Which invoice a payment paid decides what it came after.
    tx.mark_dirty(org, change.lead);
    write_invoices(tx, origin, org, change, &books).await?;
    let balance = balance(&mut *tx, org, change.lead).await?;
    let collected = collected(tx, org, change.lead, &balance).await?;
    let sql = "UPDATE lead SET collected_cents = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, change.lead, collected)?;
    let became_paid = match (stage == Stage::Paid, is_paid(stage, &balance, change.said)) {
        (false, true) => pays(tx, origin, org, change).await?,
        (true, false) => goes_back(tx, origin, org, change).await?,
        _ => false,
    };
    if became_paid {
        review::ask::paid(tx, origin, org, change.lead).await?;
    }
    // A page that asks for what is not due any more is expired.
    checkout::look_at_open(tx, origin, org, change.lead).await?;
    live::announce(tx, origin, org, Topic::Lead, change.lead.0, None).await?;
    Ok((balance, became_paid))
}

/// Where nothing was agreed, it is paid when somebody says so, and as long as something of it stays.
fn is_paid(stage: Stage, balance: &Balance, said: Said) -> bool {
    let stays = stage == Stage::Paid && balance.due == Cents::ZERO && balance.received() > Cents::ZERO;
    match said {
        Said::Nothing => balance.is_settled() || stays,
        Said::Paid => balance.owed == Cents::ZERO,
        Said::NotPaid => balance.is_settled(),
    }
}

/// Nothing stands there as long as nothing was ever paid.
async fn collected(tx: &mut Tx, org: OrgId, lead: LeadId, balance: &Balance) -> Result<Option<Cents>> {
    let known = "SELECT EXISTS (SELECT 1 FROM payment WHERE org_id = $1 AND lead_id = $2 AND kind = 'payment'
         AND status = 'settled' AND undone_at IS NULL)";
    let was_paid = q!(tx, fetch_one scalar bool, known, org, lead)?;
    Ok(was_paid.then(|| balance.received()))
}

async fn write_invoices(tx: &mut Tx, origin: &Origin, org: OrgId, change: &Change<'_>, books: &Books) -> Result<()> {
    for bill in &books.bills {
        let paid = Cents(books.paid(bill.id));
        let status = if paid == bill.total_cents { "paid" } else { "open" };
        if paid == bill.paid_cents && status == bill.status {
            continue;
        }
        let settled_at = (status == "paid").then(|| origin.now());
        q!(
            &mut *tx,
            execute,
            "UPDATE invoice SET paid_cents = $3, status = $4, settled_at = $5 WHERE org_id = $1 AND id = $2",
            org,
            bill.id,
            paid,
            status,
            settled_at
        )?;
        if status == "paid" {
            let why = "the invoice was paid";
            followup::stop(&mut *tx, origin, org, bill.id.0, why, change.event).await?;
            message::stop_ended(&mut *tx, origin, org, bill.id.0, why).await?;
            access_link::settled(tx, origin, org, access_link::Kind::Invoice, bill.id.0).await?;
        } else if bill.status == "paid" {
            opened_again(tx, origin, org, bill.id).await?;
        }
        live::announce(tx, origin, org, Topic::Invoice, bill.id.0, Some(change.lead.0)).await?;
    }
    Ok(())
}

/// What was paid is not any more.
async fn opened_again(tx: &mut Tx, origin: &Origin, org: OrgId, invoice: InvoiceId) -> Result<()> {
    if access_link::in_force(&mut *tx, org, access_link::Kind::Invoice, invoice.0).await?.is_some() {
        access_link::ensure(tx, origin, org, access_link::Kind::Invoice, invoice.0, None).await?;
    }
    invoice::dunning::rest(tx, org, invoice).await
}

async fn pays(tx: &mut Tx, origin: &Origin, org: OrgId, change: &Change<'_>) -> Result<bool> {
    let lead = change.lead;
    let moved = pipeline::advance(tx, origin, org, lead, Stage::Paid, Cause::PaidInFull, change.by, None).await?;
    if moved.is_none() {
        return Ok(false);
    }
    let at = paid_at(tx, origin, org, lead).await?;
    q!(&mut *tx, execute, "UPDATE lead SET paid_at = $3 WHERE org_id = $1 AND id = $2", org, lead, at)?;
    followup::stop_for_lead(tx, origin, org, lead, About::Estimate, "it was paid", change.event).await?;
    Ok(true)
}

async fn goes_back(tx: &mut Tx, origin: &Origin, org: OrgId, change: &Change<'_>) -> Result<bool> {
    let lead = change.lead;
    let to = pipeline::before_paid(&mut *tx, org, lead).await?;
    pipeline::advance(tx, origin, org, lead, to, Cause::PaymentUndone, change.by, None).await?;
    q!(tx, execute, "UPDATE lead SET paid_at = NULL WHERE org_id = $1 AND id = $2", org, lead)?;
    Ok(false)
}

/// Now, unless the last of the money came on another day.
async fn paid_at(conn: &mut dyn AsConn, origin: &Origin, org: OrgId, lead: LeadId) -> Result<DateTime<Utc>> {
    let last = q!(
        &mut *conn,
        fetch_optional scalar chrono::NaiveDate,
        "SELECT received_on FROM payment WHERE org_id = $1 AND lead_id = $2 AND kind = 'payment' AND status = 'settled'
             AND undone_at IS NULL ORDER BY received_on DESC LIMIT 1",
        org,
        lead
    )?;
    let zone = org::find(conn, org).await?.ok_or(Error::NotFound)?.zone();
    let (now, today) = (origin.now(), origin.now().with_timezone(&zone).date_naive());
    Ok(last.filter(|day| *day != today).map_or(now, |day| business_hours::instant(zone, day.and_time(NOON))))
}

/// What was paid ahead pays an invoice that has just been issued, the oldest payment first. Returns how much of it.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such invoice.
pub async fn apply_credit(tx: &mut Tx, origin: &Origin, org: OrgId, invoice: InvoiceId, by: &Doer) -> Result<Cents> {
    let lead = "SELECT lead_id FROM invoice WHERE org_id = $1 AND id = $2";
    let lead = q!(&mut *tx, fetch_optional scalar LeadId, lead, org, invoice)?.ok_or(Error::NotFound)?;
    settle(tx, origin, org, lead, by).await?;
    let paid = "SELECT paid_cents FROM invoice WHERE org_id = $1 AND id = $2";
    Ok(q!(tx, fetch_one scalar Cents, paid, org, invoice)?)
}

/// Money that was paid before there was an invoice for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ahead {
    pub on: NaiveDate,
    pub method: Method,
    pub reference: Option<String>,
    /// As much of it as the invoice takes.
    pub amount: Cents,
}

/// What would pay an invoice over `total` if it were issued now, the oldest payment first. The caller holds the lead.
pub async fn ahead(tx: &mut Tx, org: OrgId, lead: LeadId, total: Cents) -> Result<Vec<Ahead>> {
    let mut books = Books::load(tx, org, lead).await?;
    let id = InvoiceId(Uuid::nil());
    books.bills.push(Bill { id, total_cents: total, paid_cents: Cents::ZERO, status: "open".to_owned() });
    let mut found = Vec::new();
    for row in books.rows.clone().iter().filter(|row| row.kind != Kind::Refund) {
        let before = books.paid(id);
        books.put(row.id, id);
        let part = Cents(books.paid(id) - before);
        if part > Cents::ZERO {
            let sql = "SELECT received_on, method, reference FROM payment WHERE org_id = $1 AND id = $2";
            let (on, method, reference) =
                q!(&mut *tx, fetch_one as (NaiveDate, Method, Option<String>), sql, org, row.id)?;
            found.push(Ahead { on, method, reference, amount: part });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_paid_when_nothing_is_owed_or_when_somebody_says_so() {
        let balance = |due: i64, paid: i64| Balance {
            due: Cents(due),
            paid: Cents(paid),
            owed: Cents((due - paid).max(0)),
            ..Balance::default()
        };
        let table = [
            (Stage::Done, balance(100, 100), Said::Nothing, true),
            (Stage::Done, balance(100, 99), Said::Nothing, false),
            (Stage::Paid, balance(100, 99), Said::Nothing, false),
            (Stage::New, balance(0, 50), Said::Nothing, false),
            (Stage::New, balance(0, 50), Said::Paid, true),
            (Stage::Paid, balance(0, 50), Said::Nothing, true),
            (Stage::Paid, balance(0, 50), Said::NotPaid, false),
            (Stage::Paid, balance(0, 0), Said::Nothing, false),
            (Stage::Paid, balance(100, 100), Said::NotPaid, true),
        ];
        for (stage, balance, said, wanted) in table {
            assert_eq!(is_paid(stage, &balance, said), wanted, "{stage:?} {balance:?} {said:?}");
        }
    }
}
