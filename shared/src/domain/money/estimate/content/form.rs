//! Estimate form and its validation.

use chrono::{NaiveDate, TimeDelta};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{super::EstimateKind, LeadRecipient};
use crate::{
    documents::{
        line_items::{DepositRule, DocumentContent, DocumentForm, MinTotal, PercentOrAmountForm},
        template::Language,
    },
    domain::tenancy::org::{DepositPolicy, OrgProfile},
    platform::{
        error::{FieldErrors, Result},
        money::{Cents, DecimalInput},
        text::single_line,
    },
};

/// Error text for an invalid amount (product: Generate Estimate PDF).
pub const NO_AMOUNT: &str = "Please enter a valid estimate amount";
/// 100 million dollars: a check against typing errors.
const MAX_AMOUNT: Cents = Cents(10_000_000_000);
const MAX_TITLE: usize = 120;

/// An estimate as it was asked for: either one amount, or lines.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EstimateRequest)]
pub struct EstimateForm {
    /// US dollars above 0: an estimate of one line, over exactly this amount.
    // Any JSON is accepted, so that an invalid amount gets the product's own error text.
    #[schema(value_type = Option<f64>)]
    pub quoted_total: Option<Value>,
    /// What it is for. Absent is the service that was asked for.
    #[schema(max_length = 120)]
    pub title: Option<String>,
    #[serde(flatten)]
    pub paper: DocumentForm,
    /// The last day on which it can be approved. Absent is what the settings say, null is without end.
    #[serde(default, deserialize_with = "crate::platform::text::given")]
    #[schema(value_type = Option<NaiveDate>)]
    pub expires_on: Option<Option<String>>,
    /// What is due on approval. Absent is what the settings say, of a change order none; null is none.
    #[serde(default, deserialize_with = "crate::platform::text::given")]
    #[schema(value_type = Option<PercentOrAmountForm>)]
    pub deposit: Option<Option<PercentOrAmountForm>>,
    #[serde(default)]
    pub send: DeliveryChannelsForm,
}

/// How it is to reach the customer; every way that is not refused.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[schema(as = PaperWays)]
pub struct DeliveryChannelsForm {
    pub email: Option<bool>,
    pub text: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryChannels {
    pub email: bool,
    pub text: bool,
}

impl From<DeliveryChannelsForm> for DeliveryChannels {
    fn from(form: DeliveryChannelsForm) -> Self {
        Self { email: form.email.unwrap_or(true), text: form.text.unwrap_or(true) }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct NewEstimate {
    pub paper: DocumentContent,
    /// Subject, where the lines do not state it.
    pub title: Option<String>,
    pub deposit: DepositRule,
    pub issued_on: NaiveDate,
    pub expires_on: Option<NaiveDate>,
    pub ways: DeliveryChannels,
}

pub struct EstimateFormContext<'a> {
    pub profile: &'a OrgProfile,
    pub asker: &'a LeadRecipient,
    pub sort: EstimateKind,
    /// In the business's time zone.
    pub today: NaiveDate,
}

impl EstimateForm {
    /// Validates the form and adds defaults from the settings.
    /// Errors: [`crate::platform::error::Error::Invalid`], naming every field that does not fit.
    pub fn to_new_estimate(&self, reader: &EstimateFormContext<'_>) -> Result<NewEstimate> {
        let mut fields = FieldErrors::default();
        let settings = &reader.profile.settings.estimates;
        let title = single_line("title", self.title.as_deref(), MAX_TITLE).parse_optional(&mut fields);
        let mut typed = self.paper.clone();
        typed.terms = typed.terms.or_else(|| settings.terms().map(ToOwned::to_owned));
        let amount = self.quoted_total.as_ref().filter(|amount| !amount.is_null());
        let paper = parse_document(&typed, (amount, title.as_deref()), reader, &mut fields);
        let deposit = match (&self.deposit, reader.sort) {
            (None, EstimateKind::Estimate) => default_deposit(settings.deposit),
            (None, EstimateKind::ChangeOrder) => DepositRule::None,
            (Some(form), _) => PercentOrAmountForm::parse_validated(form.as_ref(), "deposit", &mut fields),
        };
        let expires_on = match &self.expires_on {
            None => (settings.valid_days > 0).then(|| reader.today + TimeDelta::days(settings.valid_days)),
            Some(typed) => parse_expiry(typed.as_deref(), reader.today, &mut fields),
        };
        if deposit != DepositRule::None && fields.0.is_empty() && !is_payable(&paper) {
            fields.add("deposit", "What takes something off asks for no deposit");
        }
        fields.into_result()?;
        // A single line states the subject itself.
        let service = || amount.is_none().then(|| reader.asker.service_name()).flatten().map(ToOwned::to_owned);
        let title = if amount.is_some() { None } else { title.or_else(service) };
        Ok(NewEstimate { paper, title, deposit, issued_on: reader.today, expires_on, ways: self.send.into() })
    }
}

fn parse_document(
    typed: &DocumentForm,
    (amount, title): (Option<&Value>, Option<&str>),
    reader: &EstimateFormContext<'_>,
    fields: &mut FieldErrors,
) -> DocumentContent {
    if reader.sort == EstimateKind::ChangeOrder && !typed.options.is_empty() {
        fields.add("options", "A change order has no options: write its lines");
        return DocumentContent::default();
    }
    let least = match reader.sort {
        EstimateKind::Estimate => MinTotal::Positive,
        EstimateKind::ChangeOrder => MinTotal::Unrestricted,
    };
    match amount {
        None if typed.lines.is_empty() => {
            fields.add("quotedTotal", NO_AMOUNT);
            DocumentContent::default()
        }
        None => typed.to_document_with_minimum(least, fields),
        Some(_) if !typed.lines.is_empty() => {
            fields.add("quotedTotal", "Send either an amount or lines");
            DocumentContent::default()
        }
        Some(amount) => build_single_line(amount, typed, title, reader, fields),
    }
}

fn is_payable(paper: &DocumentContent) -> bool {
    paper.compute_totals(&paper.recommended_selection()).total > Cents::ZERO
}

fn build_single_line(
    amount: &Value,
    typed: &DocumentForm,
    title: Option<&str>,
    reader: &EstimateFormContext<'_>,
    fields: &mut FieldErrors,
) -> DocumentContent {
    let typed_amount = serde_json::from_value::<DecimalInput>(amount.clone()).ok();
    let total =
        typed_amount.and_then(|amount| amount.to_cents()).filter(|total| (Cents(1)..=MAX_AMOUNT).contains(total));
    let Some(total) = total else {
        fields.add("quotedTotal", NO_AMOUNT);
        return DocumentContent::default();
    };
    let words = title.map_or_else(|| default_line_name(reader), ToOwned::to_owned);
    let words: String = words.chars().take(200).collect();
    let line = DocumentContent::with_single_line(&words, total);
    let frame =
        DocumentForm { lines: Vec::new(), options: Vec::new(), discount: None, recommended: None, ..typed.clone() };
    let mut faults = FieldErrors::default();
    let DocumentContent { notes, terms, .. } = frame.to_document(&mut faults);
    // Only these were typed; errors about missing lines are dropped.
    for (field, message) in faults.0.into_iter().filter(|(field, _)| matches!(field.as_ref(), "notes" | "terms")) {
        fields.add(field, message);
    }
    DocumentContent { notes, terms, ..line }
}

/// "Work as discussed: Plumbing"; of a change order "Extra work: Plumbing".
fn default_line_name(reader: &EstimateFormContext<'_>) -> String {
    let words = match (reader.sort, reader.asker.language()) {
        (EstimateKind::Estimate, Language::En) => "Work as discussed",
        (EstimateKind::Estimate, Language::Es) => "Trabajo acordado",
        (EstimateKind::ChangeOrder, Language::En) => "Extra work",
        (EstimateKind::ChangeOrder, Language::Es) => "Trabajo adicional",
    };
    match reader.asker.service_name() {
        Some(work) => format!("{words}: {work}"),
        None => words.to_owned(),
    }
}

fn default_deposit(deposit: DepositPolicy) -> DepositRule {
    match deposit {
        DepositPolicy::None => DepositRule::None,
        DepositPolicy::Percent(percent) => DepositRule::Percent(percent),
        DepositPolicy::Amount(amount) => DepositRule::Amount(amount),
    }
}

fn parse_expiry(typed: Option<&str>, today: NaiveDate, fields: &mut FieldErrors) -> Option<NaiveDate> {
    let typed = typed.map(str::trim).filter(|text| !text.is_empty())?;
    let day = NaiveDate::parse_from_str(typed, "%Y-%m-%d").ok().filter(|day| *day >= today);
    if day.is_none() {
        fields.add("expiresOn", "Please choose a day that is not over, such as 2026-12-31");
    }
    day
}
