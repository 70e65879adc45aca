//! Money that went back, and payments that are taken back because they never were.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::{FromRow, types::Json};

use super::{
    Balance, Kind, Method, PaymentView, Status, balance, card, pay,
    pay::{Entry, enter},
    settle::{Change, Said, reckon},
    view,
};
use crate::{
    domain::{
        messaging::{followup, message},
        tenancy::org::Profile,
        work::{
            activity::{self, Doer, EventKind, NewEvent, UNDO},
            pipeline,
        },
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{CustomerId, EventId, LeadId, OrgId, PaymentId},
        live::{self, Topic},
        money::Cents,
        sequence::{self, Series},
        tasks::{self, NewTask},
    },
};

/// The money leaves when the minute of grace is surely over.
const GRACE: chrono::Duration = chrono::Duration::seconds(1);

/// Said of what is not asked for again.
const FORGIVEN: &str = "taken off the bill";

/// A refund as it was typed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RefundForm {
    /// What is left of the payment when absent.
    pub amount: Value,
    /// As it was paid when absent.
    pub method: Option<Method>,
    pub note: Option<String>,
    /// It comes off the bill as well: nobody asks for it again. Otherwise what went back is owed again.
    pub forgive: Option<bool>,
}

/// Money to be given back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRefund {
    pub amount: Option<Cents>,
    pub method: Option<Method>,
    pub note: Option<String>,
    pub forgive: bool,
}

impl RefundForm {
    /// What was typed, once it fits.
    ///
    /// # Errors
    /// [`Error::Invalid`], naming every field that does not fit.
    pub fn check(&self) -> Result<NewRefund> {
        let mut errors = FieldErrors::default();
        let new = NewRefund {
            amount: (!self.amount.is_null()).then(|| pay::amount(&self.amount, &mut errors)),
            method: self.method.map(|method| pay::method(Some(method), &mut errors)),
            note: pay::note(self.note.as_deref(), &mut errors),
            forgive: self.forgive.unwrap_or_default(),
        };
        errors.finish()?;
        Ok(new)
    }
}

/// A stored row, as far as it matters for what becomes of it.
#[derive(Clone, Debug, FromRow)]
pub(super) struct Stored {
    pub lead_id: LeadId,
    pub customer_id: CustomerId,
    pub kind: Kind,
    method: Method,
    pub status: Status,
    provider_id: Option<String>,
    pub amount_cents: Cents,
    pub event_id: Option<EventId>,
    created_at: DateTime<Utc>,
    attempted_at: Option<DateTime<Utc>>,
    pub undone_at: Option<DateTime<Utc>>,
}

impl Stored {
    /// A refund of which Stripe was never heard.
    pub fn is_unheard(&self) -> bool {
        self.kind == Kind::Refund && self.provider_id.is_none()
    }
}

/// A row, with its lead held until the transaction ends.
pub(super) async fn held(tx: &mut Tx, org: OrgId, id: PaymentId) -> Result<Stored> {
    let lead = "SELECT lead_id FROM payment WHERE org_id = $1 AND id = $2";
    let lead = q!(&mut *tx, fetch_optional scalar LeadId, lead, org, id)?.ok_or(Error::NotFound)?;
    pipeline::hold(tx, org, lead).await?;
    // Read again: it may have been taken back while we waited.
    Ok(q!(
        tx,
        fetch_one as Stored,
        "SELECT lead_id, customer_id, kind, method, status, provider_id, amount_cents, event_id, created_at,
             attempted_at, undone_at
         FROM payment WHERE org_id = $1 AND id = $2",
        org,
        id
    )?)
}

/// What went back of a payment, or is on its way.
async fn refunded(conn: &mut dyn AsConn, org: OrgId, id: PaymentId) -> Result<Cents> {
    let sql = "SELECT CAST(COALESCE(SUM(amount_cents), 0) AS BIGINT) FROM payment
         WHERE org_id = $1 AND refund_of = $2 AND status <> 'failed' AND undone_at IS NULL";
    Ok(q!(conn, fetch_one scalar Cents, sql, org, id)?)
}

/// Gives money of a payment back. The caller writes the audit line.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Conflict`] or [`Error::Clash`] when there is not so much to give back.
pub async fn refund(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    of: PaymentId,
    new: &NewRefund,
    by: &Doer,
) -> Result<PaymentView> {
    let (org, now) = (profile.org.id, origin.now());
    let paid = held(tx, org, of).await?;
    if paid.kind != Kind::Payment || paid.status != Status::Settled || paid.undone_at.is_some() {
        return Err(Error::Conflict("Only a payment that was received can be refunded."));
    }
    let left = Cents(paid.amount_cents.0 - refunded(&mut *tx, org, of).await?.0);
    let amount = new.amount.unwrap_or(left);
    if left <= Cents::ZERO {
        return Err(Error::Conflict("All of this payment was refunded already."));
    }
    if amount > left {
        return Err(Error::Clash(format!("Only {} of this payment can be refunded.", left.shown())));
    }
    let method = new.method.unwrap_or(paid.method);
    // What came by card through the pay page goes back to it, once the minute of grace is over and Stripe has done it.
    let to_card = method == Method::Card && paid.provider_id.is_some();
    let (id, number) = (PaymentId(origin.uuid()), sequence::take(tx, org, Series::Receipt).await?);
    let event = NewEvent {
        subject: Some(id.0),
        detail: json!({"amount": amount, "method": method, "refundOf": of, "number": view::receipt_number(number)}),
        ..NewEvent::new(paid.lead_id, EventKind::Refunded, now, by.clone())
    };
    let event = activity::record(tx, origin, org, event).await?;
    let entry = Entry {
        id,
        lead: paid.lead_id,
        customer: paid.customer_id,
        kind: Kind::Refund,
        method,
        amount,
        received_on: today(profile, now),
        reference: None,
        note: new.note.as_deref(),
        refund_of: Some(of),
        estimate: None,
        number: Some(number),
        provider_id: None,
        status: if to_card { Status::Pending } else { Status::Settled },
        event,
    };
    let forgiven = if new.forgive { to_forgive(tx, org, paid.lead_id, amount).await? } else { Cents::ZERO };
    enter(tx, origin, org, &entry, by).await?;
    if forgiven > Cents::ZERO {
        // It has the status of the refund: what never arrives at a card is not given up either.
        let id = PaymentId(origin.uuid());
        let rest = Entry { id, amount: forgiven, kind: Kind::WriteOff, note: Some(FORGIVEN), ..Entry::bare(&entry) };
        enter(tx, origin, org, &rest, by).await?;
    }
    if to_card {
        tasks::enqueue(tx, origin, to_card_tasks(org, id, now).into()).await?;
    }
    reckon(tx, origin, org, &Change { event: Some(event), ..Change::new(paid.lead_id, by) }).await?;
    view::payment(tx, org, id, now).await
}

/// How much of `amount` would be owed again once it went back.
async fn to_forgive(tx: &mut Tx, org: OrgId, lead: LeadId, amount: Cents) -> Result<Cents> {
    let under_way = q!(
        &mut *tx,
        fetch_one scalar Cents,
        "SELECT CAST(COALESCE(SUM(CASE kind WHEN 'refund' THEN amount_cents ELSE -amount_cents END), 0) AS BIGINT)
         FROM payment WHERE org_id = $1 AND lead_id = $2 AND kind IN ('refund', 'write_off')
             AND status IN ('pending', 'unknown')
             AND undone_at IS NULL",
        org,
        lead
    )?;
    Ok(owed_by(&balance(tx, org, lead).await?, under_way, amount))
}

/// Not what the customer had paid too much, as far as that is not on its way back already.
fn owed_by(before: &Balance, under_way: Cents, amount: Cents) -> Cents {
    if before.due == Cents::ZERO {
        return Cents::ZERO;
    }
    let rest = before.due.0 - before.kept.0 - before.written_off.0 + under_way.0;
    Cents((rest + amount.0).max(0) - rest.max(0))
}

/// It leaves once the minute of grace is over. An hour later at the latest somebody hears of one that has not left.
fn to_card_tasks(org: OrgId, id: PaymentId, now: DateTime<Utc>) -> [NewTask; 2] {
    let at = |run_at: DateTime<Utc>, unique_key: String| NewTask {
        org: Some(org),
        kind: tasks::Kind::RefundCard,
        subject: Some(id.0),
        run_at,
        unique_key,
    };
    [at(now + UNDO + GRACE, format!("refund:{id}")), at(now + card::LATE, format!("refund:{id}:late"))]
}

/// Takes a payment or a refund back that was recorded within the last minute, with what followed from it. The caller
/// writes the audit line. Returns its lead.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it is too late.
pub async fn undo(tx: &mut Tx, origin: &Origin, org: OrgId, id: PaymentId, by: &Doer) -> Result<LeadId> {
    let (row, now) = (held(tx, org, id).await?, origin.now());
    check(tx, org, id, &row, now).await?;
    let lead = row.lead_id;
    let made_paid = match row.event_id {
        Some(event) => unmake(tx, origin, org, event, by).await?,
        None => false,
    };
    q!(
        &mut *tx,
        execute,
        "UPDATE payment SET undone_at = $4
         WHERE org_id = $1 AND (id = $2 OR (event_id = $3 AND kind = 'write_off')) AND undone_at IS NULL",
        org,
        id,
        row.event_id,
        now
    )?;
    let event = NewEvent {
        subject: Some(id.0),
        detail: json!({"amount": row.amount_cents, "kind": row.kind}),
        ..NewEvent::new(lead, EventKind::PaymentUndone, now, by.clone())
    };
    let event = activity::record(tx, origin, org, event).await?;
    let said = if made_paid { Said::NotPaid } else { Said::Nothing };
    reckon(tx, origin, org, &Change { event: Some(event), said, ..Change::new(lead, by) }).await?;
    live::announce(tx, origin, org, Topic::Payment, id.0, Some(lead.0)).await?;
    Ok(lead)
}

async fn check(conn: &mut dyn AsConn, org: OrgId, id: PaymentId, row: &Stored, now: DateTime<Utc>) -> Result<()> {
    if row.undone_at.is_some() {
        return Err(Error::Conflict("It was taken back already."));
    }
    if row.kind == Kind::WriteOff {
        return Err(Error::Conflict("It goes back together with its payment."));
    }
    if row.provider_id.is_some() {
        return Err(Error::Conflict("Stripe has moved this money already. Refund it instead of taking it back."));
    }
    // By its clock the worker may be ahead of us: it has asked, and the answer may be lost.
    if row.attempted_at.is_some() {
        return Err(Error::Conflict("Stripe was asked to pay this back already. It cannot be undone."));
    }
    if now - row.created_at > UNDO {
        return Err(Error::Conflict("That was more than a minute ago."));
    }
    if refunded(conn, org, id).await? > Cents::ZERO {
        return Err(Error::Conflict("Money of it was refunded. Take that back first."));
    }
    Ok(())
}

/// What followed from the event does not happen, and what it stopped goes on. True: by it the lead had become paid.
async fn unmake(tx: &mut Tx, origin: &Origin, org: OrgId, event: EventId, by: &Doer) -> Result<bool> {
    let sql = "UPDATE work_event SET undone_at = $3 WHERE org_id = $1 AND id = $2 RETURNING detail";
    let detail = q!(&mut *tx, fetch_optional scalar Json<Value>, sql, org, event, origin.now())?;
    let why = format!("undone by {}", by.name());
    message::stop_of_event(tx, origin, org, event, &why).await?;
    followup::undone(tx, origin, org, event, &why).await?;
    Ok(detail.is_some_and(|detail| detail["madePaid"] == true))
}

/// The day on which something is recorded, in the business's zone.
#[must_use]
pub fn today(profile: &Profile, now: DateTime<Utc>) -> NaiveDate {
    now.with_timezone(&profile.org.zone()).date_naive()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_paid_too_much_is_not_forgiven() {
        let before =
            |due: i64, credit: i64| Balance { due: Cents(due), kept: Cents(due + credit), ..Balance::default() };
        for (due, credit, under_way, amount, forgiven) in [
            (1000, 0, 0, 300, 300),
            (1000, 100, 0, 300, 200),
            (1000, 300, 0, 300, 0),
            (1000, 300, 300, 300, 300),
            (1000, 300, 100, 300, 100),
            (0, 0, 0, 300, 0),
        ] {
            let found = owed_by(&before(due, credit), Cents(under_way), Cents(amount));
            assert_eq!(found, Cents(forgiven), "{due} {credit} {under_way} {amount}");
        }
    }
}
