//! An estimate as it was asked for, and what may be issued of it.

use chrono::{NaiveDate, TimeDelta};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{super::Sort, Asker};
use crate::{
    documents::{
        line_items::{DepositRule, Least, Paper, PaperForm, PartForm},
        template::Language,
    },
    domain::tenancy::org::{Profile, settings::Deposit},
    platform::{
        error::{FieldErrors, Result},
        money::{Cents, Typed},
        text::line,
    },
};

/// Said of an amount that is none (product: Generate Estimate PDF).
pub const NO_AMOUNT: &str = "Please enter a valid estimate amount";
/// A hundred million dollars: more is a slip of the finger.
const MOST: Cents = Cents(10_000_000_000);
const MAX_TITLE: usize = 120;

/// An estimate as it was asked for: either one amount, or lines.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EstimateRequest)]
pub struct EstimateForm {
    /// US dollars above 0: an estimate of one line, over exactly this amount.
    // Anything is read, so that what is no amount is told in the product's own words.
    #[schema(value_type = Option<f64>)]
    pub quoted_total: Option<Value>,
    /// What it is for. Absent is the service that was asked for.
    #[schema(max_length = 120)]
    pub title: Option<String>,
    #[serde(flatten)]
    pub paper: PaperForm,
    /// The last day on which it can be approved. Absent is what the settings say, null is without end.
    #[serde(default, deserialize_with = "crate::platform::text::given")]
    #[schema(value_type = Option<NaiveDate>)]
    pub expires_on: Option<Option<String>>,
    /// What is due on approval. Absent is what the settings say, of a change order none; null is none.
    #[serde(default, deserialize_with = "crate::platform::text::given")]
    #[schema(value_type = Option<PartForm>)]
    pub deposit: Option<Option<PartForm>>,
    #[serde(default)]
    pub send: WaysForm,
}

/// How it is to reach the customer; every way that is not refused.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[schema(as = PaperWays)]
pub struct WaysForm {
    pub email: Option<bool>,
    pub text: Option<bool>,
}

/// By which ways a paper goes out, as far as they are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ways {
    pub email: bool,
    pub text: bool,
}

impl From<WaysForm> for Ways {
    fn from(form: WaysForm) -> Self {
        Self { email: form.email.unwrap_or(true), text: form.text.unwrap_or(true) }
    }
}

/// An estimate that may be issued.
#[derive(Clone, Debug, PartialEq)]
pub struct New {
    pub paper: Paper,
    /// What it is for, where the lines do not say it.
    pub title: Option<String>,
    pub deposit: DepositRule,
    pub issued_on: NaiveDate,
    pub expires_on: Option<NaiveDate>,
    pub ways: Ways,
}

/// For whom, as what and when a form is read.
pub struct Reader<'a> {
    pub profile: &'a Profile,
    pub asker: &'a Asker,
    pub sort: Sort,
    /// The day of the business.
    pub today: NaiveDate,
}

impl EstimateForm {
    /// What was typed, with what the settings add.
    ///
    /// # Errors
    /// [`crate::platform::error::Error::Invalid`], naming every field that does not fit.
    pub fn read(&self, reader: &Reader<'_>) -> Result<New> {
        let mut fields = FieldErrors::default();
        let settings = &reader.profile.settings.estimates;
        let title = line("title", self.title.as_deref(), MAX_TITLE).optional(&mut fields);
        let mut typed = self.paper.clone();
        typed.terms = typed.terms.or_else(|| settings.terms().map(ToOwned::to_owned));
        let amount = self.quoted_total.as_ref().filter(|amount| !amount.is_null());
        let paper = read_paper(&typed, (amount, title.as_deref()), reader, &mut fields);
        let deposit = match (&self.deposit, reader.sort) {
            (None, Sort::Estimate) => standing_deposit(settings.deposit),
            (None, Sort::ChangeOrder) => DepositRule::None,
            (Some(form), _) => PartForm::read(form.as_ref(), "deposit", &mut fields),
        };
        let expires_on = match &self.expires_on {
            None => (settings.valid_days > 0).then(|| reader.today + TimeDelta::days(settings.valid_days)),
            Some(typed) => last_day(typed.as_deref(), reader.today, &mut fields),
        };
        if deposit != DepositRule::None && fields.0.is_empty() && !is_asking(&paper) {
            fields.add("deposit", "What takes something off asks for no deposit");
        }
        fields.finish()?;
        // One line says what it is for.
        let service = || amount.is_none().then(|| reader.asker.work()).flatten().map(ToOwned::to_owned);
        let title = if amount.is_some() { None } else { title.or_else(service) };
        Ok(New { paper, title, deposit, issued_on: reader.today, expires_on, ways: self.send.into() })
    }
}

/// The lines, or what an amount alone becomes.
fn read_paper(
    typed: &PaperForm,
    (amount, title): (Option<&Value>, Option<&str>),
    reader: &Reader<'_>,
    fields: &mut FieldErrors,
) -> Paper {
    if reader.sort == Sort::ChangeOrder && !typed.options.is_empty() {
        fields.add("options", "A change order has no options: write its lines");
        return Paper::default();
    }
    let least = match reader.sort {
        Sort::Estimate => Least::Something,
        Sort::ChangeOrder => Least::Anything,
    };
    match amount {
        None if typed.lines.is_empty() => {
            fields.add("quotedTotal", NO_AMOUNT);
            Paper::default()
        }
        None => typed.read_at_least(least, fields),
        Some(_) if !typed.lines.is_empty() => {
            fields.add("quotedTotal", "Send either an amount or lines");
            Paper::default()
        }
        Some(amount) => one_line(amount, typed, title, reader, fields),
    }
}

/// Whether it is about money that is to come in.
fn is_asking(paper: &Paper) -> bool {
    paper.totals(&paper.recommended()).total > Cents::ZERO
}

/// What an amount alone becomes: one line, and what was written under it.
fn one_line(
    amount: &Value,
    typed: &PaperForm,
    title: Option<&str>,
    reader: &Reader<'_>,
    fields: &mut FieldErrors,
) -> Paper {
    let typed_amount = serde_json::from_value::<Typed>(amount.clone()).ok();
    let total = typed_amount.and_then(|amount| amount.cents()).filter(|total| (Cents(1)..=MOST).contains(total));
    let Some(total) = total else {
        fields.add("quotedTotal", NO_AMOUNT);
        return Paper::default();
    };
    let words = title.map_or_else(|| the_work(reader), ToOwned::to_owned);
    let words: String = words.chars().take(200).collect();
    let line = Paper::one_line(&words, total);
    let frame =
        PaperForm { lines: Vec::new(), options: Vec::new(), discount: None, recommended: None, ..typed.clone() };
    let mut said = FieldErrors::default();
    let Paper { notes, terms, .. } = frame.read(&mut said);
    // Only these were typed; that there are no lines is as it should be.
    for (field, message) in said.0.into_iter().filter(|(field, _)| matches!(field.as_ref(), "notes" | "terms")) {
        fields.add(field, message);
    }
    Paper { notes, terms, ..line }
}

/// "Work as discussed: Plumbing"; of a change order "Extra work: Plumbing".
fn the_work(reader: &Reader<'_>) -> String {
    let words = match (reader.sort, reader.asker.language()) {
        (Sort::Estimate, Language::En) => "Work as discussed",
        (Sort::Estimate, Language::Es) => "Trabajo acordado",
        (Sort::ChangeOrder, Language::En) => "Extra work",
        (Sort::ChangeOrder, Language::Es) => "Trabajo adicional",
    };
    match reader.asker.work() {
        Some(work) => format!("{words}: {work}"),
        None => words.to_owned(),
    }
}

fn standing_deposit(deposit: Deposit) -> DepositRule {
    match deposit {
        Deposit::None => DepositRule::None,
        Deposit::Percent(percent) => DepositRule::Percent(percent),
        Deposit::Amount(amount) => DepositRule::Amount(amount),
    }
}

fn last_day(typed: Option<&str>, today: NaiveDate, fields: &mut FieldErrors) -> Option<NaiveDate> {
    let typed = typed.map(str::trim).filter(|text| !text.is_empty())?;
    let day = NaiveDate::parse_from_str(typed, "%Y-%m-%d").ok().filter(|day| *day >= today);
    if day.is_none() {
        fields.add("expiresOn", "Please choose a day that is not over, such as 2026-12-31");
    }
    day
}
