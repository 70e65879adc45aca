//! Estimate defaults: promised time, number, validity, deposit, taxes, terms, and follow-up.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{check_range, normalize_days, set_if_given};
use crate::platform::{
    error::FieldErrors,
    money::{Cents, Ppm},
    text,
};

const LONGEST_PREFIX: usize = 10;
const LONGEST_TERMS: usize = 10_000;
const LONGEST_NAME: usize = 40;
const MOST_RATES: usize = 10;
const MOST_FOLLOW_UPS: usize = 5;
const MOST_DEPOSIT: Cents = Cents(10_000_000_000);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EstimateSettings {
    /// Hours within which the quote page promises a quote (decisions 10).
    pub quote_hours: i64,
    /// Prefix of the number: `EST-1001`.
    pub prefix: String,
    /// Days for which an estimate is valid; 0 means no limit.
    pub valid_days: i64,
    /// What is asked for on approval.
    #[schema(value_type = DepositDoc)]
    pub deposit: DepositPolicy,
    pub tax_rates: Vec<TaxRate>,
    /// The name of the rate that a new line has; null for none.
    pub default_tax: Option<String>,
    /// Printed under every estimate; may be empty.
    pub terms: String,
    /// On which days after sending the customer is asked whether they have questions.
    pub follow_up_days: Vec<i64>,
}

impl Default for EstimateSettings {
    fn default() -> Self {
        Self {
            quote_hours: 24,
            prefix: "EST-".to_owned(),
            valid_days: 30,
            deposit: DepositPolicy::None,
            tax_rates: Vec::new(),
            default_tax: None,
            terms: String::new(),
            follow_up_days: vec![2, 5, 10],
        }
    }
}

impl EstimateSettings {
    #[must_use]
    pub fn terms(&self) -> Option<&str> {
        Some(self.terms.as_str()).filter(|terms| !terms.is_empty())
    }

    #[must_use]
    pub fn default_tax(&self) -> Option<&TaxRate> {
        let name = self.default_tax.as_deref()?;
        self.tax_rates.iter().find(|rate| rate.name == name)
    }
}

/// A sales tax by the name the paper shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = NamedTaxRate)]
pub struct TaxRate {
    #[schema(min_length = 1, max_length = 40)]
    pub name: String,
    /// Percent, with up to four decimals.
    pub rate: Ppm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "DepositDoc")]
pub enum DepositPolicy {
    None,
    Percent(Ppm),
    /// Capped at the approved total.
    Amount(Cents),
}

/// Which kind of deposit, and how much of it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = DepositSetting)]
pub struct DepositDoc {
    kind: DepositKind,
    /// Percent or US dollars; null without a deposit.
    #[schema(value_type = Option<f64>)]
    value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DepositKind {
    None,
    Percent,
    Amount,
}

/// JSON form. Without a deposit the value is ignored.
#[derive(Deserialize)]
struct Written {
    kind: DepositKind,
    #[serde(default)]
    value: Value,
}

impl TryFrom<Written> for DepositPolicy {
    type Error = serde_json::Error;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        Ok(match written.kind {
            DepositKind::None => Self::None,
            DepositKind::Percent => Self::Percent(serde_json::from_value(written.value)?),
            DepositKind::Amount => Self::Amount(serde_json::from_value(written.value)?),
        })
    }
}

impl From<DepositPolicy> for DepositDoc {
    fn from(deposit: DepositPolicy) -> Self {
        let number = |value: serde_json::Result<Value>| value.unwrap_or_default();
        match deposit {
            DepositPolicy::None => Self { kind: DepositKind::None, value: Value::Null },
            DepositPolicy::Percent(part) => {
                Self { kind: DepositKind::Percent, value: number(serde_json::to_value(part)) }
            }
            DepositPolicy::Amount(cents) => {
                Self { kind: DepositKind::Amount, value: number(serde_json::to_value(cents)) }
            }
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EstimatesPatch {
    #[schema(minimum = 1, maximum = 168)]
    pub quote_hours: Option<i64>,
    #[schema(max_length = 10)]
    pub prefix: Option<String>,
    #[schema(minimum = 0, maximum = 365)]
    pub valid_days: Option<i64>,
    #[schema(value_type = Option<DepositDoc>)]
    pub deposit: Option<DepositPolicy>,
    #[schema(max_items = 10)]
    pub tax_rates: Option<Vec<TaxRate>>,
    /// Null for none.
    #[serde(default, deserialize_with = "text::given")]
    #[schema(value_type = Option<String>)]
    pub default_tax: Option<Option<String>>,
    #[schema(max_length = 10_000)]
    pub terms: Option<String>,
    #[schema(max_items = 5)]
    pub follow_up_days: Option<Vec<i64>>,
}

/// Number prefix; also part of file names.
pub(super) fn validate_prefix(field: &'static str, typed: &str, errors: &mut FieldErrors) -> String {
    let prefix = text::single_line(field, Some(typed), LONGEST_PREFIX).parse_optional(errors).unwrap_or_default();
    if !prefix.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
        errors.add(field, "Use letters, digits and hyphens only");
    }
    prefix
}

/// Rates without duplicate names, case-insensitive.
fn validate_tax_rates(typed: &[TaxRate], errors: &mut FieldErrors) -> Vec<TaxRate> {
    const FIELD: &str = "estimates.taxRates";
    if typed.len() > MOST_RATES {
        errors.add(FIELD, format!("Keep at most {MOST_RATES} tax rates"));
    }
    let mut seen = BTreeSet::new();
    let mut found = Vec::with_capacity(typed.len());
    for rate in typed {
        let name = text::single_line(FIELD, Some(&rate.name), LONGEST_NAME)
            .parse_required("Give every tax rate a name", errors);
        if !seen.insert(name.to_lowercase()) {
            errors.add(FIELD, "Each name can stand once only");
        }
        found.push(TaxRate { name, rate: rate.rate });
    }
    found
}

impl EstimatesPatch {
    pub(super) fn apply_to(&self, page: &mut EstimateSettings, errors: &mut FieldErrors) {
        if let Some(typed) = &self.prefix {
            page.prefix = validate_prefix("estimates.prefix", typed, errors);
        }
        if let Some(typed) = &self.tax_rates {
            page.tax_rates = validate_tax_rates(typed, errors);
        }
        if let Some(typed) = &self.terms {
            page.terms = text::multi_line("estimates.terms", Some(typed), LONGEST_TERMS)
                .parse_optional(errors)
                .unwrap_or_default();
        }
        if let Some(typed) = &self.follow_up_days {
            page.follow_up_days = normalize_days("estimates.followUpDays", typed, MOST_FOLLOW_UPS, 1..=60, errors);
        }
        set_if_given(&mut page.quote_hours, self.quote_hours.as_ref());
        set_if_given(&mut page.valid_days, self.valid_days.as_ref());
        set_if_given(&mut page.deposit, self.deposit.as_ref());
        set_if_given(&mut page.default_tax, self.default_tax.as_ref());
        check_range(errors, "estimates.quoteHours", page.quote_hours, 1..=168);
        check_range(errors, "estimates.validDays", page.valid_days, 0..=365);
        let is_deposit = match page.deposit {
            DepositPolicy::None => true,
            DepositPolicy::Percent(part) => part.0 > 0,
            DepositPolicy::Amount(cents) => cents > Cents(0) && cents <= MOST_DEPOSIT,
        };
        if !is_deposit {
            errors.add("estimates.deposit", "Please enter a deposit above 0, or choose none");
        }
        if page.default_tax.is_some() && page.default_tax().is_none() {
            errors.add("estimates.defaultTax", "Choose one of the tax rates");
        }
    }
}
