//! Line items shared by estimates and invoices: lines, options, discounts, taxes and totals.

use std::collections::BTreeSet;

use platform::{
    error::FieldErrors,
    id::PriceItemId,
    money::{Cents, Milli, Ppm, divide_half_up},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

mod check;
mod form;
mod totals;

pub use check::MinTotal;
pub use form::{DocumentForm, LineItemForm, PercentOrAmountForm};
pub use totals::{DocumentTotals, LineTotal, TaxTotal};

/// What is offered or billed. It never changes once it was issued: another wording is another paper.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Paper)]
pub struct DocumentContent {
    pub lines: Vec<LineItem>,
    /// None, or two to four of which one is chosen.
    #[serde(default)]
    pub options: Vec<DocumentOption>,
    /// The id of the option that the business would choose; without it the first.
    #[serde(default)]
    pub recommended: Option<String>,
    /// Of everything that counts, before taxes.
    #[serde(default)]
    #[schema(value_type = Option<PercentOrAmountForm>)]
    pub discount: Discount,
    #[serde(default)]
    pub notes: Option<String>,
    #[serde(default)]
    pub terms: Option<String>,
}

/// One thing that is done or delivered. Prices are without tax; a price below nothing is a credit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Line)]
pub struct LineItem {
    pub id: String,
    pub name: String,
    #[serde(default)]
    pub description: Option<String>,
    pub quantity: Milli,
    pub unit: String,
    pub unit_price: Cents,
    #[serde(default)]
    #[schema(value_type = Option<PercentOrAmountForm>)]
    pub discount: Discount,
    #[serde(default, rename = "taxRate")]
    pub tax: Ppm,
    #[serde(default)]
    pub tax_name: Option<String>,
    /// An add-on: it counts only when it is ticked.
    #[serde(default, rename = "optional")]
    pub is_optional: bool,
    /// The option it belongs to; without it, it belongs to each.
    #[serde(default)]
    pub option_id: Option<String>,
    #[serde(default)]
    pub price_item_id: Option<PriceItemId>,
}

/// One of the ways to do the work: good, better, best.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Choice)]
pub struct DocumentOption {
    pub id: String,
    pub name: String,
    #[serde(default)]
    pub description: Option<String>,
}

/// A part of an amount. In JSON `{"percent": 10}`, `{"amount": 25}` or null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PercentOrAmount {
    #[default]
    None,
    Percent(Ppm),
    Amount(Cents),
}

pub type Discount = PercentOrAmount;
pub type DepositRule = PercentOrAmount;

/// What the customer chose, or would get if they just said yes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OptionSelection {
    #[serde(default)]
    pub option_id: Option<String>,
    /// Ids of the optional lines that were ticked.
    #[serde(default)]
    pub add_ons: BTreeSet<String>,
}

impl PercentOrAmount {
    /// Percentages round half up; an amount is capped at `whole`.
    #[must_use]
    pub fn apply_to(self, whole: Cents) -> Cents {
        match self {
            Self::None => Cents::ZERO,
            Self::Percent(ppm) => percentage_of(whole, ppm),
            Self::Amount(amount) => amount.min(whole).max(Cents::ZERO),
        }
    }
}

/// `whole × rate`, half away from zero.
pub(crate) fn percentage_of(whole: Cents, rate: Ppm) -> Cents {
    Cents(divide_half_up(i128::from(whole.0) * i128::from(rate.0), i128::from(Ppm::ALL.0)))
}

impl Serialize for PercentOrAmount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;
        let mut map = match self {
            Self::None => return serializer.serialize_none(),
            _ => serializer.serialize_map(Some(1))?,
        };
        match self {
            Self::Percent(percent) => map.serialize_entry("percent", percent)?,
            Self::Amount(amount) => map.serialize_entry("amount", amount)?,
            Self::None => {}
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for PercentOrAmount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct PercentOrAmountJson {
            percent: Option<Ppm>,
            amount: Option<Cents>,
        }
        let shape = Option::<PercentOrAmountJson>::deserialize(deserializer)?;
        Ok(match shape.map(|shape| (shape.percent, shape.amount)) {
            Some((Some(percent), _)) => Self::Percent(percent),
            Some((None, Some(amount))) => Self::Amount(amount),
            Some((None, None)) | None => Self::None,
        })
    }
}

impl LineItem {
    #[must_use]
    pub fn is_counted(&self, selection: &OptionSelection) -> bool {
        self.belongs_to_option(selection.option_id.as_deref())
            && (!self.is_optional || selection.add_ons.contains(&self.id))
    }

    #[must_use]
    pub fn belongs_to_option(&self, option: Option<&str>) -> bool {
        self.option_id.is_none() || self.option_id.as_deref() == option
    }
}

impl DocumentContent {
    #[must_use]
    pub fn with_single_line(words: &str, total: Cents) -> Self {
        let line = LineItem {
            id: "1".to_owned(),
            name: words.to_owned(),
            unit: "each".to_owned(),
            unit_price: total,
            ..LineItem::default()
        };
        Self { lines: vec![line], ..Self::default() }
    }

    /// The recommended option without add-ons: the basis of amounts, texts and the printed total.
    #[must_use]
    pub fn recommended_selection(&self) -> OptionSelection {
        let wished = self.options.iter().find(|option| Some(&option.id) == self.recommended.as_ref());
        let option = wished.or(self.options.first());
        OptionSelection { option_id: option.map(|option| option.id.clone()), add_ons: BTreeSet::new() }
    }

    /// Totals of the cheapest and the dearest option, without add-ons. Without options both are the same.
    #[must_use]
    pub fn total_range(&self) -> [Cents; 2] {
        let of = |option: Option<&DocumentOption>| {
            let option_id = option.map(|option| option.id.clone());
            self.compute_totals(&OptionSelection { option_id, add_ons: BTreeSet::new() }).total
        };
        let first = of(self.options.first());
        self.options.iter().skip(1).fold([first, first], |[least, most], option| {
            let total = of(Some(option));
            [least.min(total), most.max(total)]
        })
    }

    pub fn add_ons_for_option<'a>(&'a self, option: Option<&'a str>) -> impl Iterator<Item = &'a LineItem> {
        self.lines.iter().filter(move |line| line.is_optional && line.belongs_to_option(option))
    }

    /// Net price of one line after its own discount, without taxes.
    #[must_use]
    pub fn net_price_of(&self, line: &LineItem) -> Cents {
        totals::net_amount(line)
    }

    #[must_use]
    pub fn compute_totals(&self, selection: &OptionSelection) -> DocumentTotals {
        totals::compute_totals(self, selection)
    }

    /// Records each fault under its field name: `lines[3].unitPrice`.
    pub fn validate_fields(&self, least: MinTotal, fields: &mut FieldErrors) {
        check::validate_document(self, least, fields);
    }

    /// Records impossible choices: an unknown option, an add-on of another option.
    pub fn validate_selection(&self, selection: &OptionSelection, fields: &mut FieldErrors) {
        check::validate_selection(self, selection, fields);
    }
}

#[cfg(test)]
mod shared_examples_tests;
#[cfg(test)]
mod tests;
