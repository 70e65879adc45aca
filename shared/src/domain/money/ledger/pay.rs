//! Money that came in: "Mark as Paid", whole or in part.

use chrono::{Duration, NaiveDate};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Kind, Method, PaymentView, Status, balance,
    receipt::{self, Wish},
    settle::{Change, Said, reckon},
    view,
};
use crate::{
    domain::{
        tenancy::org::Profile,
        work::activity::{self, Doer, EventKind, NewEvent},
    },
    platform::{
        clock::Origin,
        db::{
            Tx,
            batch::{Insert, insert_all, values},
            q,
        },
        error::{Error, FieldErrors, Result},
        id::{CustomerId, EstimateId, EventId, InvoiceId, LeadId, OrgId, PaymentId},
        live::{self, Topic},
        money::Cents,
        sequence::{self, Series},
        text,
    },
};

/// Said of an amount that is none (product: Mark as Paid).
pub const NO_AMOUNT: &str = "Please enter a valid payment amount";
const LONGEST_REFERENCE: usize = 60;
const LONGEST_NOTE: usize = 500;
/// Before this nobody was paid.
const FIRST_YEAR: NaiveDate = NaiveDate::from_ymd_opt(2000, 1, 1).expect("a day");

/// Money to be put into the ledger of a lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPayment {
    pub lead: LeadId,
    pub amount: Cents,
    pub received_on: NaiveDate,
    pub method: Method,
    pub reference: Option<String>,
    pub note: Option<String>,
    /// What it is for; without it, what is due first.
    pub invoice: Option<InvoiceId>,
    /// The estimate whose deposit it is.
    pub estimate: Option<EstimateId>,
    /// The provider's id of it, when it came by card.
    pub provider_id: Option<String>,
    /// Not everything, and not said to be: what is left stays owed.
    pub partial: bool,
    pub receipt: Wish,
}

/// "Mark as Paid" as it was typed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PaidForm {
    /// Anything, so that what is no amount is told in the product's own words.
    pub amount: Value,
    /// `2026-11-21`; today when absent.
    pub date: Option<String>,
    pub method: Option<Method>,
    /// "Check 1042".
    pub reference: Option<String>,
    pub note: Option<String>,
    pub invoice_id: Option<InvoiceId>,
    pub partial: Option<bool>,
    /// Whether a receipt goes to the customer; as the settings say when absent.
    pub receipt: Option<bool>,
}

/// An amount above nothing, or what is said instead.
pub(super) fn amount(typed: &Value, errors: &mut FieldErrors) -> Cents {
    let read = Cents::deserialize(typed).ok().filter(|cents| *cents > Cents::ZERO);
    if read.is_none() {
        errors.add("amount", NO_AMOUNT);
    }
    read.unwrap_or_default()
}

/// How it changed hands, as a person may say it.
pub(super) fn method(typed: Option<Method>, errors: &mut FieldErrors) -> Method {
    let method = typed.unwrap_or_default();
    if method == Method::None {
        errors.add("method", "Choose how it was paid");
    }
    method
}

/// Why it was paid or given back, in somebody's own words.
pub(super) fn note(typed: Option<&str>, errors: &mut FieldErrors) -> Option<String> {
    text::lines("note", typed, LONGEST_NOTE).optional(errors)
}

fn day(typed: Option<&str>, today: NaiveDate, errors: &mut FieldErrors) -> NaiveDate {
    let Some(typed) = typed.map(str::trim).filter(|text| !text.is_empty()) else { return today };
    let read = NaiveDate::parse_from_str(typed, "%Y-%m-%d").ok();
    let fits = read.filter(|day| (FIRST_YEAR..=today + Duration::days(1)).contains(day));
    if fits.is_none() {
        errors.add("date", "Please choose the day on which it was paid");
    }
    fits.unwrap_or(today)
}

impl PaidForm {
    /// What was typed, once it fits. `today` is the business's.
    ///
    /// # Errors
    /// [`Error::Invalid`], naming every field that does not fit.
    pub fn check(&self, lead: LeadId, today: NaiveDate) -> Result<NewPayment> {
        let mut errors = FieldErrors::default();
        let new = NewPayment {
            lead,
            amount: amount(&self.amount, &mut errors),
            received_on: day(self.date.as_deref(), today, &mut errors),
            method: method(self.method, &mut errors),
            reference: text::line("reference", self.reference.as_deref(), LONGEST_REFERENCE).optional(&mut errors),
            note: note(self.note.as_deref(), &mut errors),
            invoice: self.invoice_id,
            estimate: None,
            provider_id: None,
            partial: self.partial.unwrap_or_default(),
            receipt: self.receipt.into(),
        };
        errors.finish()?;
        Ok(new)
    }
}

/// Records money that came in. Unless it is said to be a part, the lead is paid by it: what is then still owed is
/// written off, in a row of its own. The caller writes the audit line.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such lead; [`Error::Invalid`] when the invoice is none of its open ones.
pub async fn pay(tx: &mut Tx, origin: &Origin, profile: &Profile, new: &NewPayment, by: &Doer) -> Result<PaymentView> {
    let org = profile.org.id;
    let customer = held(tx, org, new.lead).await?;
    if let Some(invoice) = new.invoice {
        check_invoice(tx, org, new.lead, invoice).await?;
    }
    let id = PaymentId(origin.uuid());
    let number = sequence::take(tx, org, Series::Receipt).await?;
    let before = balance(&mut *tx, org, new.lead).await?;
    let rest = Cents((before.owed.0 - new.amount.0).max(0));
    let given_up = Some(rest).filter(|rest| !new.partial && *rest > Cents::ZERO);
    let event = activity::record(tx, origin, org, event(origin, new, id, number, given_up, by)).await?;
    let paid = Entry {
        id,
        lead: new.lead,
        customer,
        kind: Kind::Payment,
        method: new.method,
        amount: new.amount,
        received_on: new.received_on,
        reference: new.reference.as_deref(),
        note: new.note.as_deref(),
        refund_of: None,
        estimate: new.estimate,
        number: Some(number),
        provider_id: new.provider_id.as_deref(),
        status: Status::Settled,
        event,
    };
    enter(tx, origin, org, &paid, by).await?;
    if let Some(rest) = given_up {
        let id = PaymentId(origin.uuid());
        let rest = Entry { id, amount: rest, kind: Kind::WriteOff, note: Some("marked as paid"), ..Entry::bare(&paid) };
        enter(tx, origin, org, &rest, by).await?;
    }
    let change = Change {
        event: Some(event),
        first: new.invoice.map(|invoice| (id, invoice)),
        said: if new.partial { Said::Nothing } else { Said::Paid },
        ..Change::new(new.lead, by)
    };
    let (_, became_paid) = reckon(tx, origin, org, &change).await?;
    if became_paid {
        note_made_paid(tx, org, event).await?;
    }
    receipt::decide(tx, origin, profile, id, new).await?;
    view::payment(tx, org, id, origin.now()).await
}

/// Whose lead it is; nobody else changes its money until the transaction ends.
async fn held(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<CustomerId> {
    let sql = "UPDATE lead SET stage = stage WHERE org_id = $1 AND id = $2 RETURNING customer_id";
    q!(tx, fetch_optional scalar CustomerId, sql, org, lead)?.ok_or(Error::NotFound)
}

async fn check_invoice(tx: &mut Tx, org: OrgId, lead: LeadId, invoice: InvoiceId) -> Result<()> {
    let sql = "SELECT EXISTS (SELECT 1 FROM invoice WHERE org_id = $1 AND id = $2 AND lead_id = $3
         AND status IN ('open', 'paid'))";
    if q!(tx, fetch_one scalar bool, sql, org, invoice, lead)? {
        return Ok(());
    }
    let mut errors = FieldErrors::default();
    errors.add("invoiceId", "This is none of the customer's open invoices");
    Err(Error::Invalid(errors))
}

fn event(
    origin: &Origin,
    new: &NewPayment,
    id: PaymentId,
    number: i64,
    given_up: Option<Cents>,
    by: &Doer,
) -> NewEvent {
    NewEvent {
        subject: Some(id.0),
        detail: json!({
            "amount": new.amount, "method": new.method, "receivedOn": new.received_on, "partial": new.partial,
            "number": view::receipt_number(number), "writtenOff": given_up,
        }),
        ..NewEvent::new(new.lead, EventKind::PaymentRecorded, origin.now(), by.clone())
    }
}

/// By this very payment the lead became paid: taken back, the lead is not, even where nothing was agreed.
async fn note_made_paid(tx: &mut Tx, org: OrgId, event: EventId) -> Result<()> {
    let sql = "SELECT detail FROM work_event WHERE org_id = $1 AND id = $2";
    let mut detail = q!(&mut *tx, fetch_one scalar sqlx::types::Json<Value>, sql, org, event)?;
    detail.0["madePaid"] = json!(true);
    q!(tx, execute, "UPDATE work_event SET detail = $3 WHERE org_id = $1 AND id = $2", org, event, detail)?;
    Ok(())
}

/// A row of the ledger, to be written once and never changed in its amount.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub id: PaymentId,
    pub lead: LeadId,
    pub customer: CustomerId,
    pub kind: Kind,
    pub method: Method,
    pub status: Status,
    pub amount: Cents,
    pub received_on: NaiveDate,
    pub reference: Option<&'a str>,
    pub note: Option<&'a str>,
    pub refund_of: Option<PaymentId>,
    pub estimate: Option<EstimateId>,
    pub number: Option<i64>,
    pub provider_id: Option<&'a str>,
    pub event: EventId,
}

impl<'a> Entry<'a> {
    /// Another row of the same event: no money moved, so it has no number, and nothing to be traced by.
    pub(super) fn bare(of: &Entry<'a>) -> Self {
        Self {
            method: Method::None,
            reference: None,
            note: None,
            refund_of: None,
            estimate: None,
            number: None,
            provider_id: None,
            ..*of
        }
    }
}

/// Writes a row, and tells the browsers that look.
pub(super) async fn enter(tx: &mut Tx, origin: &Origin, org: OrgId, entry: &Entry<'_>, by: &Doer) -> Result<()> {
    let row = Insert::into(
        "payment (org_id, id, lead_id, customer_id, kind, method, amount_cents, received_on, reference, note, status,
             refund_of, estimate_id, number, provider_id, account_id, event_id, created_at)",
    )
    .row(values![
        org,
        entry.id,
        entry.lead,
        entry.customer,
        entry.kind,
        entry.method,
        entry.amount,
        entry.received_on,
        entry.reference,
        entry.note,
        entry.status,
        entry.refund_of,
        entry.estimate,
        entry.number,
        entry.provider_id,
        by.account(),
        entry.event,
        origin.now()
    ]);
    insert_all(tx, &[row, live::event(origin, org, Topic::Payment, entry.id.0, Some(entry.lead.0))]).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(form: Value) -> Result<NewPayment> {
        let form: PaidForm = serde_json::from_value(form).unwrap();
        form.check(LeadId(uuid::Uuid::nil()), NaiveDate::from_ymd_opt(2026, 11, 21).unwrap())
    }

    #[test]
    fn only_an_amount_is_needed() {
        for amount in [json!(1250.5), json!("1250.50"), json!("$1,250.50")] {
            let new = checked(json!({ "amount": amount })).unwrap();
            assert_eq!((new.amount, new.method, new.partial), (Cents(125_050), Method::Other, false));
            assert_eq!(new.received_on.to_string(), "2026-11-21");
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let words = |form: Value| match checked(form) {
            Err(Error::Invalid(errors)) => errors.said(),
            other => panic!("{other:?}"),
        };
        for amount in [json!(null), json!(0), json!(-5), json!(1.005), json!("much"), json!(true), json!("")] {
            assert_eq!(words(json!({ "amount": amount })), [("amount", NO_AMOUNT.to_owned())], "{amount}");
        }
        for date in ["2026-11-23", "1999-12-31", "21.11.2026"] {
            assert_eq!(words(json!({"amount": 1, "date": date}))[0].0, "date", "{date}");
        }
        assert_eq!(words(json!({"amount": 1, "method": "none"}))[0].0, "method");
        assert_eq!(words(json!({"amount": 1, "reference": "x".repeat(61)}))[0].0, "reference");
    }

    #[test]
    fn tomorrow_may_be_today_somewhere() {
        let new = checked(json!({"amount": 1, "date": "2026-11-22"})).unwrap();
        assert_eq!(new.received_on.to_string(), "2026-11-22");
    }
}
