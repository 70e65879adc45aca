//! What an estimate and an invoice have in common: lines, options to choose from, discounts, taxes, and what they come
//! to.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use crate::platform::{
    error::FieldErrors,
    id::PriceItemId,
    money::{Cents, Milli, Ppm, half_up},
};

mod check;
mod form;
mod totals;

pub use check::Least;
pub use form::{LineForm, PaperForm, PartForm};
pub use totals::{LineTotal, TaxTotal, Totals};

/// What is offered or billed. It never changes once it was issued: another wording is another paper.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Paper {
    pub lines: Vec<Line>,
    /// None, or two to four of which one is chosen.
    #[serde(default)]
    pub options: Vec<Choice>,
    /// The id of the option that the business would choose; without it the first.
    #[serde(default)]
    pub recommended: Option<String>,
    /// Of everything that counts, before taxes.
    #[serde(default)]
    #[schema(value_type = Option<PartForm>)]
    pub discount: Discount,
    #[serde(default)]
    pub notes: Option<String>,
    #[serde(default)]
    pub terms: Option<String>,
}

/// One thing that is done or delivered. Prices are without tax; a price below nothing is a credit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    pub id: String,
    pub name: String,
    #[serde(default)]
    pub description: Option<String>,
    pub quantity: Milli,
    pub unit: String,
    pub unit_price: Cents,
    #[serde(default)]
    #[schema(value_type = Option<PartForm>)]
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
pub struct Choice {
    pub id: String,
    pub name: String,
    #[serde(default)]
    pub description: Option<String>,
}

/// A part of an amount. In JSON `{"percent": 10}`, `{"amount": 25}` or null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    #[default]
    None,
    Percent(Ppm),
    Amount(Cents),
}

/// What is taken off.
pub type Discount = Part;
/// What is asked for when an estimate is approved.
pub type DepositRule = Part;

/// What the customer chose, or would get if they just said yes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Selection {
    #[serde(default)]
    pub option_id: Option<String>,
    /// Ids of the optional lines that were ticked.
    #[serde(default)]
    pub add_ons: BTreeSet<String>,
}

impl Part {
    /// So much of `whole`: a percentage half-up, an amount at most the whole.
    #[must_use]
    pub fn of(self, whole: Cents) -> Cents {
        match self {
            Self::None => Cents::ZERO,
            Self::Percent(ppm) => share(whole, ppm),
            Self::Amount(amount) => amount.min(whole).max(Cents::ZERO),
        }
    }
}

/// `whole × rate`, half away from zero.
pub(crate) fn share(whole: Cents, rate: Ppm) -> Cents {
    Cents(half_up(i128::from(whole.0) * i128::from(rate.0), i128::from(Ppm::ALL.0)))
}

impl Serialize for Part {
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

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Shape {
            percent: Option<Ppm>,
            amount: Option<Cents>,
        }
        let shape = Option::<Shape>::deserialize(deserializer)?;
        Ok(match shape.map(|shape| (shape.percent, shape.amount)) {
            Some((Some(percent), _)) => Self::Percent(percent),
            Some((None, Some(amount))) => Self::Amount(amount),
            Some((None, None)) | None => Self::None,
        })
    }
}

impl Line {
    /// Whether it counts under this selection.
    #[must_use]
    pub fn counts(&self, selection: &Selection) -> bool {
        self.fits(selection.option_id.as_deref()) && (!self.is_optional || selection.add_ons.contains(&self.id))
    }

    /// Whether it belongs to this option, or to each.
    #[must_use]
    pub fn fits(&self, option: Option<&str>) -> bool {
        self.option_id.is_none() || self.option_id.as_deref() == option
    }
}

impl Paper {
    /// A single line of exactly this total: what a typed amount becomes.
    #[must_use]
    pub fn one_line(words: &str, total: Cents) -> Self {
        let line = Line {
            id: "1".to_owned(),
            name: words.to_owned(),
            unit: "each".to_owned(),
            unit_price: total,
            ..Line::default()
        };
        Self { lines: vec![line], ..Self::default() }
    }

    /// The option the business would choose, without add-ons: what amounts, texts and the printed total are about.
    #[must_use]
    pub fn recommended(&self) -> Selection {
        let wished = self.options.iter().find(|option| Some(&option.id) == self.recommended.as_ref());
        let option = wished.or(self.options.first());
        Selection { option_id: option.map(|option| option.id.clone()), add_ons: BTreeSet::new() }
    }

    /// What the cheapest and the dearest option come to, without add-ons. Without options that is the same amount.
    #[must_use]
    pub fn between(&self) -> [Cents; 2] {
        let of = |option: Option<&Choice>| {
            let option_id = option.map(|option| option.id.clone());
            self.totals(&Selection { option_id, add_ons: BTreeSet::new() }).total
        };
        let first = of(self.options.first());
        self.options.iter().skip(1).fold([first, first], |[least, most], option| {
            let total = of(Some(option));
            [least.min(total), most.max(total)]
        })
    }

    /// The optional lines that can be ticked under this option.
    pub fn add_ons<'a>(&'a self, option: Option<&'a str>) -> impl Iterator<Item = &'a Line> {
        self.lines.iter().filter(move |line| line.is_optional && line.fits(option))
    }

    /// What one line adds to the total of this selection when it is ticked or taken: its own price after its own discount,
    /// without taxes.
    #[must_use]
    pub fn price_of(&self, line: &Line) -> Cents {
        totals::net(line)
    }

    /// What this selection comes to.
    #[must_use]
    pub fn totals(&self, selection: &Selection) -> Totals {
        totals::of(self, selection)
    }

    /// Notes what does not fit, each fault under the name of its field: `lines[3].unitPrice`.
    pub fn check(&self, least: Least, fields: &mut FieldErrors) {
        check::paper(self, least, fields);
    }

    /// Notes what cannot be chosen here: an option that is not there, an add-on of another option.
    pub fn check_selection(&self, selection: &Selection, fields: &mut FieldErrors) {
        check::selection(self, selection, fields);
    }
}

#[cfg(test)]
mod tests;
