//! Received payments: "Mark as Paid", in full or in part.

use chrono::{Duration, NaiveDate};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{
    PaymentKind, PaymentMethod, PaymentStatus, PaymentView, load_balance,
    recalculate::{LedgerChange, PaidDeclaration, apply_change},
    receipt::{self, ReceiptOption},
    view,
};
use crate::{
    domain::tenancy::{
        activity_log::{self, ActivityActor, EventKind, NewEvent},
        org::OrgProfile,
    },
    platform::{
        clock::ClockRng,
        db::{Tx, batch::insert_all, batch_row, q},
        error::{Error, FieldErrors, Result},
        field_schemas,
        id::{CustomerId, EstimateId, EventId, InvoiceId, LeadId, OrgId, PaymentId},
        live::{self, Topic},
        money::Cents,
        sequence::{self, NumberSeries},
        text,
    },
};

/// Error text for an invalid amount (product: Mark as Paid).
pub const NO_AMOUNT: &str = "Please enter a valid payment amount";
const MAX_REFERENCE_LEN: usize = 60;
const MAX_NOTE_LEN: usize = 500;
/// Earlier payment dates are refused.
const MIN_DATE: NaiveDate = NaiveDate::from_ymd_opt(2000, 1, 1).expect("a day");

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPayment {
    pub lead: LeadId,
    pub amount: Cents,
    pub received_on: NaiveDate,
    pub method: PaymentMethod,
    pub reference: Option<String>,
    pub note: Option<String>,
    /// Invoice to pay; without it, the one due first.
    pub invoice: Option<InvoiceId>,
    pub estimate: Option<EstimateId>,
    /// The provider's id, for card payments.
    pub provider_id: Option<String>,
    /// A part only: the rest stays owed.
    pub partial: bool,
    pub receipt: ReceiptOption,
}

/// A payment to be recorded.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PaidRequest)]
pub struct PaymentForm {
    /// US dollars, above 0.
    // Any JSON, so that an invalid amount gets the product's own error text.
    #[serde(default)]
    #[schema(value_type = f64, required, minimum = 0.01, maximum = 100_000_000)]
    pub amount: Value,
    /// `2026-11-21`, tomorrow at the latest; today when absent.
    pub date: Option<String>,
    /// other when absent.
    pub method: Option<PaymentMethod>,
    /// "Check 1042".
    #[schema(schema_with = field_schemas::nullable_line::<60>)]
    pub reference: Option<String>,
    #[schema(schema_with = field_schemas::nullable_text::<500>)]
    pub note: Option<String>,
    /// The invoice it is for; what is due first when absent.
    #[schema(value_type = Option<uuid::Uuid>)]
    pub invoice_id: Option<InvoiceId>,
    /// A partial payment: the rest stays owed. Otherwise the lead is Paid, and what is left is written off.
    pub partial: Option<bool>,
    /// Whether a receipt goes out by email; as the settings say when absent.
    pub receipt: Option<bool>,
}

/// Amount above zero, or an error on the field.
pub(super) fn parse_amount(typed: &Value, errors: &mut FieldErrors) -> Cents {
    let read = Cents::deserialize(typed).ok().filter(|cents| *cents > Cents::ZERO);
    if read.is_none() {
        errors.add("amount", NO_AMOUNT);
    }
    read.unwrap_or_default()
}

pub(super) fn parse_method(typed: Option<PaymentMethod>, errors: &mut FieldErrors) -> PaymentMethod {
    let method = typed.unwrap_or_default();
    if method == PaymentMethod::None {
        errors.add("method", "Choose how it was paid");
    }
    method
}

pub(super) fn parse_note(typed: Option<&str>, errors: &mut FieldErrors) -> Option<String> {
    text::multi_line("note", typed, MAX_NOTE_LEN).parse_optional(errors)
}

fn parse_date(typed: Option<&str>, today: NaiveDate, errors: &mut FieldErrors) -> NaiveDate {
    let Some(typed) = typed.map(str::trim).filter(|text| !text.is_empty()) else { return today };
    let read = NaiveDate::parse_from_str(typed, "%Y-%m-%d").ok();
    let fits = read.filter(|day| (MIN_DATE..=today + Duration::days(1)).contains(day));
    if fits.is_none() {
        errors.add("date", "Please choose the day on which it was paid");
    }
    fits.unwrap_or(today)
}

impl PaymentForm {
    /// Validates the form. `today` is in the business's time zone.
    /// Errors: [`Error::Invalid`], naming every field that does not fit.
    pub fn to_new_payment(&self, lead: LeadId, today: NaiveDate) -> Result<NewPayment> {
        let mut errors = FieldErrors::default();
        let new = NewPayment {
            lead,
            amount: parse_amount(&self.amount, &mut errors),
            received_on: parse_date(self.date.as_deref(), today, &mut errors),
            method: parse_method(self.method, &mut errors),
            reference: text::single_line("reference", self.reference.as_deref(), MAX_REFERENCE_LEN)
                .parse_optional(&mut errors),
            note: parse_note(self.note.as_deref(), &mut errors),
            invoice: self.invoice_id,
            estimate: None,
            provider_id: None,
            partial: self.partial.unwrap_or_default(),
            receipt: self.receipt.into(),
        };
        errors.into_result()?;
        Ok(new)
    }
}

/// Records a payment. Unless it is a part, the lead becomes paid: what is still owed is written off in a row of its
/// own. The caller writes the audit line.
/// Errors: [`Error::NotFound`] when the org has no such lead; [`Error::Invalid`] when the invoice is none of its open
/// ones.
pub async fn record_payment(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    new: &NewPayment,
    by: &ActivityActor,
) -> Result<PaymentView> {
    let org = profile.org.id;
    let customer = lock_lead(tx, org, new.lead).await?;
    if let Some(invoice) = new.invoice {
        check_invoice(tx, org, new.lead, invoice).await?;
    }
    let id = PaymentId(origin.uuid_v7());
    let number = sequence::next_number(tx, org, NumberSeries::Receipt).await?;
    let before = load_balance(&mut *tx, org, new.lead).await?;
    let rest = Cents((before.owed.0 - new.amount.0).max(0));
    let given_up = Some(rest).filter(|rest| !new.partial && *rest > Cents::ZERO);
    let event =
        activity_log::record_event(tx, origin, org, payment_event(origin, new, id, number, given_up, by)).await?;
    let paid = LedgerEntry {
        id,
        lead: new.lead,
        customer,
        kind: PaymentKind::Payment,
        method: new.method,
        amount: new.amount,
        received_on: new.received_on,
        reference: new.reference.as_deref(),
        note: new.note.as_deref(),
        refund_of: None,
        estimate: new.estimate,
        number: Some(number),
        provider_id: new.provider_id.as_deref(),
        status: PaymentStatus::Settled,
        event,
    };
    insert_entry(tx, origin, org, &paid, by).await?;
    if let Some(rest) = given_up {
        let id = PaymentId(origin.uuid_v7());
        let rest = LedgerEntry {
            id,
            amount: rest,
            kind: PaymentKind::WriteOff,
            note: Some("marked as paid"),
            ..LedgerEntry::without_movement(&paid)
        };
        insert_entry(tx, origin, org, &rest, by).await?;
    }
    let change = LedgerChange {
        event: Some(event),
        first: new.invoice.map(|invoice| (id, invoice)),
        declaration: if new.partial { PaidDeclaration::Nothing } else { PaidDeclaration::Paid },
        ..LedgerChange::new(new.lead, by)
    };
    let (_, became_paid) = apply_change(tx, origin, org, &change).await?;
    if became_paid {
        activity_log::mark_made_paid(tx, org, event).await?;
    }
    receipt::decide_receipt(tx, origin, profile, id, new).await?;
    view::load_payment(tx, org, id, origin.now()).await
}

/// Returns the customer, and locks the lead until the end of the transaction.
async fn lock_lead(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<CustomerId> {
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

fn payment_event(
    origin: &ClockRng,
    new: &NewPayment,
    id: PaymentId,
    number: i64,
    given_up: Option<Cents>,
    by: &ActivityActor,
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

/// A ledger row. Its amount never changes.
#[derive(Clone, Copy)]
pub(super) struct LedgerEntry<'a> {
    pub id: PaymentId,
    pub lead: LeadId,
    pub customer: CustomerId,
    pub kind: PaymentKind,
    pub method: PaymentMethod,
    pub status: PaymentStatus,
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

impl<'a> LedgerEntry<'a> {
    /// Another row of the same event: no money moved, so it has no number and no reference.
    pub(super) fn without_movement(of: &LedgerEntry<'a>) -> Self {
        Self {
            method: PaymentMethod::None,
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

/// Writes a row and notifies open browsers.
pub(super) async fn insert_entry(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    entry: &LedgerEntry<'_>,
    by: &ActivityActor,
) -> Result<()> {
    let row = batch_row!(payment {
        org_id: org,
        id: entry.id,
        lead_id: entry.lead,
        customer_id: entry.customer,
        kind: entry.kind,
        method: entry.method,
        amount_cents: entry.amount,
        received_on: entry.received_on,
        reference: entry.reference,
        note: entry.note,
        status: entry.status,
        refund_of: entry.refund_of,
        estimate_id: entry.estimate,
        number: entry.number,
        provider_id: entry.provider_id,
        account_id: by.account_id(),
        event_id: entry.event,
        created_at: origin.now(),
    });
    insert_all(tx, &[row, live::build_event_insert(origin, org, Topic::Payment, entry.id.0, Some(entry.lead.0))]).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::IntoMessages;

    fn checked(form: Value) -> Result<NewPayment> {
        let form: PaymentForm = serde_json::from_value(form).unwrap();
        form.to_new_payment(LeadId(uuid::Uuid::nil()), NaiveDate::from_ymd_opt(2026, 11, 21).unwrap())
    }

    #[test]
    fn payment_form_requires_only_an_amount() {
        for amount in [json!(1250.5), json!("1250.50"), json!("$1,250.50")] {
            let new = checked(json!({ "amount": amount })).unwrap();
            assert_eq!((new.amount, new.method, new.partial), (Cents(125_050), PaymentMethod::Other, false));
            assert_eq!(new.received_on.to_string(), "2026-11-21");
        }
    }

    #[test]
    fn invalid_payment_fields_are_reported_by_name() {
        let words = |form: Value| match checked(form) {
            Err(Error::Invalid(errors)) => errors.into_messages(),
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
    fn payment_date_may_be_one_day_ahead() {
        let new = checked(json!({"amount": 1, "date": "2026-11-22"})).unwrap();
        assert_eq!(new.received_on.to_string(), "2026-11-22");
    }
}
