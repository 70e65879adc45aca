//! What becomes of an invoice that has gone out, beside being paid: taken back, promised, disputed.

use chrono::{NaiveDate, TimeDelta};
use serde_json::{Value, json};

use super::{Status, announce, dunning, row::Row, today};
use crate::{
    domain::{
        growth::review,
        intake::lead::Intake,
        messaging::{followup, message},
        money::{checkout, ledger},
        work::{
            activity::{self, Doer, EventKind, NewEvent},
            pipeline,
        },
    },
    platform::{
        access_link,
        db::{Tx, q},
        error::{Error, FieldErrors, Result},
        id::{EventId, InvoiceId, MessageId, OrgId},
        money::Cents,
        text,
    },
};

/// A promise further away than this is none.
const LONGEST_PROMISE: i64 = 366;
const NOT_OPEN: Error = Error::Conflict("Only an invoice that waits for payment can be changed so.");

/// An invoice, with its lead held until the end of the transaction.
async fn held(tx: &mut Tx, org: OrgId, id: InvoiceId) -> Result<Row> {
    let lead = super::lead_of(&mut *tx, org, id).await?;
    pipeline::hold(tx, org, lead).await?;
    Row::get(tx, org, id).await
}

async fn record(
    tx: &mut Tx,
    house: &Intake<'_>,
    row: &Row,
    kind: EventKind,
    detail: Value,
    by: &Doer,
) -> Result<EventId> {
    let event = NewEvent {
        job: row.job,
        subject: Some(row.id.0),
        detail,
        ..NewEvent::new(row.lead, kind, house.origin.now(), by.clone())
    };
    activity::record(tx, house.origin, house.profile.org.id, event).await
}

/// Takes an invoice back. It keeps its number, what was to be said of it is not, and what was paid of it is the
/// customer's again: it pays what else is open of their work or the next invoice, or is refunded.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Invalid`] without a reason, [`Error::Conflict`] when it has not gone out or was
/// voided before.
pub async fn void(tx: &mut Tx, house: &Intake<'_>, id: InvoiceId, reason: Option<&str>, by: &Doer) -> Result<()> {
    let (origin, org) = (house.origin, house.profile.org.id);
    super::lead_of(&mut *tx, org, id).await?;
    let mut fields = FieldErrors::default();
    let reason = text::lines("reason", reason, 1000).required("Please say why", &mut fields);
    fields.finish()?;
    let row = held(tx, org, id).await?;
    match row.status {
        Status::Open | Status::Paid => {}
        Status::Draft => return Err(Error::Conflict("A draft is deleted, not voided.")),
        Status::Preparing => return Err(Error::Conflict("It is being made right now. Please try again in a moment.")),
        Status::Void => return Err(Error::Conflict("It was voided already.")),
    }
    let sql = "UPDATE invoice SET status = $3, settled_at = $4, paid_cents = 0 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, Status::Void, origin.now())?;
    let credit = (row.paid_cents > Cents::ZERO).then_some(row.paid_cents);
    let detail = json!({"number": row.shown(), "reason": reason, "credit": credit});
    let event = record(tx, house, &row, EventKind::InvoiceVoided, detail, by).await?;
    followup::stop(tx, origin, org, id.0, "the invoice was voided", Some(event)).await?;
    stop_messages(tx, house, id).await?;
    access_link::settled(tx, origin, org, access_link::Kind::Invoice, id.0).await?;
    ledger::settle(tx, origin, org, row.lead, by).await?;
    announce(tx, origin, org, id, row.lead).await
}

/// What was still to leave about it does not.
async fn stop_messages(tx: &mut Tx, house: &Intake<'_>, id: InvoiceId) -> Result<()> {
    let org = house.profile.org.id;
    let sql = "SELECT id FROM message WHERE org_id = $1 AND about_id = $2 AND status IN ('queued', 'held')";
    for waiting in q!(&mut *tx, fetch_all scalar MessageId, sql, org, id)? {
        message::drop_unsent(tx, house.origin, org, waiting, "the invoice was voided").await?;
    }
    Ok(())
}

/// Notes by when the customer promised to pay, or that there is no such promise: reminders rest until then, and begin
/// anew after it.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Invalid`], [`Error::Conflict`] when it does not wait for payment.
pub async fn promise(tx: &mut Tx, house: &Intake<'_>, id: InvoiceId, on: Option<&str>, by: &Doer) -> Result<()> {
    let (origin, org) = (house.origin, house.profile.org.id);
    super::lead_of(&mut *tx, org, id).await?;
    let day = promised(on, today(house))?;
    let row = held(tx, org, id).await?;
    if row.status != Status::Open {
        return Err(NOT_OPEN);
    }
    if row.promised_on == day {
        return Ok(());
    }
    q!(&mut *tx, execute, "UPDATE invoice SET promised_on = $3 WHERE org_id = $1 AND id = $2", org, id, day)?;
    let detail = json!({"number": row.shown(), "on": day});
    let event = record(tx, house, &row, EventKind::PromiseSet, detail, by).await?;
    let why = if day.is_some() { "they promised to pay" } else { "the promise was taken away" };
    followup::stop(tx, origin, org, id.0, why, Some(event)).await?;
    if row.is_reminded && row.disputed_at.is_none() {
        dunning::plan(tx, origin, house.profile, id, Some(event)).await?;
    }
    // A page that was open before the promise is not paid on by mistake; a tap on "Pay" opens another one.
    if day.is_some() {
        checkout::expire_subject(tx, origin, org, checkout::Subject::Invoice(id)).await?;
    }
    announce(tx, origin, org, id, row.lead).await
}

fn promised(typed: Option<&str>, today: NaiveDate) -> Result<Option<NaiveDate>> {
    let Some(typed) = typed.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let last = today + TimeDelta::days(LONGEST_PROMISE);
    let day = NaiveDate::parse_from_str(typed, "%Y-%m-%d").ok().filter(|day| (today..=last).contains(day));
    if day.is_none() {
        let mut fields = FieldErrors::default();
        fields.add("on", "Please choose a day from today on, within a year");
        fields.finish()?;
    }
    Ok(day)
}

/// Notes that the customer disputes it, or does so no more: reminders rest meanwhile.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Invalid`], [`Error::Conflict`] when it does not wait for payment.
pub async fn dispute(
    tx: &mut Tx,
    house: &Intake<'_>,
    id: InvoiceId,
    (is_disputed, reason): (bool, Option<&str>),
    by: &Doer,
) -> Result<()> {
    let org = house.profile.org.id;
    super::lead_of(&mut *tx, org, id).await?;
    let mut fields = FieldErrors::default();
    let reason = text::lines("reason", reason, 1000).optional(&mut fields);
    fields.finish()?;
    let row = held(tx, org, id).await?;
    if row.status != Status::Open {
        return Err(NOT_OPEN);
    }
    set_dispute(tx, house, &row, (is_disputed, reason), by).await
}

/// Notes that the payer of it disputes the payment with their bank, or does so no more; whether it is open or paid.
pub(crate) async fn contested(tx: &mut Tx, house: &Intake<'_>, id: InvoiceId, is_disputed: bool) -> Result<()> {
    let row = held(tx, house.profile.org.id, id).await?;
    if !matches!(row.status, Status::Open | Status::Paid) {
        return Ok(());
    }
    let reason = is_disputed.then(|| "the card payment is disputed with their bank".to_owned());
    set_dispute(tx, house, &row, (is_disputed, reason), &Doer::System).await
}

async fn set_dispute(
    tx: &mut Tx,
    house: &Intake<'_>,
    row: &Row,
    (is_disputed, reason): (bool, Option<String>),
    by: &Doer,
) -> Result<()> {
    let (origin, org, id) = (house.origin, house.profile.org.id, row.id);
    if row.disputed_at.is_some() == is_disputed {
        return Ok(());
    }
    let at = is_disputed.then(|| origin.now());
    q!(&mut *tx, execute, "UPDATE invoice SET disputed_at = $3 WHERE org_id = $1 AND id = $2", org, id, at)?;
    let detail = json!({"number": row.shown(), "isDisputed": is_disputed, "reason": reason});
    let event = record(tx, house, row, EventKind::DisputeSet, detail, by).await?;
    if is_disputed {
        followup::stop(&mut *tx, origin, org, id.0, "the customer disputes it", Some(event)).await?;
        review::ask::lead_changed(&mut *tx, origin, org, row.lead).await?;
    } else if row.is_reminded && row.status == Status::Open {
        dunning::plan(tx, origin, house.profile, id, Some(event)).await?;
    }
    announce(tx, origin, org, id, row.lead).await
}
