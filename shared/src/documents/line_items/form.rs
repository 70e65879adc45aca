//! A paper as it was typed: read leniently, so that every fault is said beside its field.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Choice, Line, Paper, Part,
    check::{Least, MAX_DESCRIPTION, MAX_LINES, MAX_NAME, MAX_NOTES, MAX_UNIT, named},
};
use crate::platform::{
    error::FieldErrors,
    id::PriceItemId,
    money::{Cents, Milli, Ppm, Typed},
    text::{line, lines},
};

/// Lines, options, discount, notes and terms of a request. Its other fields lie beside these (`#[serde(flatten)]`).
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PaperForm {
    pub lines: Vec<LineForm>,
    pub options: Vec<Choice>,
    pub recommended: Option<String>,
    pub discount: Option<PartForm>,
    pub notes: Option<String>,
    pub terms: Option<String>,
}

/// One line as it was typed. Without an id it gets its number.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct LineForm {
    pub id: Option<String>,
    pub name: Option<String>,
    pub description: Option<String>,
    /// Without it 1.
    #[schema(value_type = Option<f64>)]
    pub quantity: Option<Typed>,
    /// Without it "each".
    pub unit: Option<String>,
    #[schema(value_type = f64)]
    pub unit_price: Option<Typed>,
    pub discount: Option<PartForm>,
    /// In percent.
    #[schema(value_type = Option<f64>)]
    pub tax_rate: Option<Typed>,
    pub tax_name: Option<String>,
    pub optional: bool,
    pub option_id: Option<String>,
    pub price_item_id: Option<PriceItemId>,
}

/// A part of an amount: either of the two.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = Part)]
pub struct PartForm {
    #[schema(value_type = Option<f64>)]
    pub percent: Option<Typed>,
    #[schema(value_type = Option<f64>)]
    pub amount: Option<Typed>,
}

impl PaperForm {
    /// What was typed, with every fault noted under the name of its field. Only a paper without faults may be used.
    pub fn read(&self, fields: &mut FieldErrors) -> Paper {
        self.read_at_least(Least::Something, fields)
    }

    /// The same of a paper that must come to this at least.
    pub fn read_at_least(&self, least: Least, fields: &mut FieldErrors) -> Paper {
        let paper = Paper {
            lines: self.lines.iter().take(MAX_LINES + 1).enumerate().map(|(at, form)| form.read(at, fields)).collect(),
            options: self.options.iter().map(tidy).collect(),
            recommended: self.recommended.clone(),
            discount: part("discount", self.discount.as_ref(), fields),
            notes: lines("notes", self.notes.as_deref(), MAX_NOTES).optional(fields),
            terms: lines("terms", self.terms.as_deref(), MAX_NOTES).optional(fields),
        };
        paper.check(least, fields);
        paper
    }
}

/// Without blanks around its words; whether they fit is asked later.
fn tidy(option: &Choice) -> Choice {
    let description = option.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
    Choice {
        id: option.id.clone(),
        name: option.name.trim().to_owned(),
        description: description.map(|text| text.replace("\r\n", "\n")),
    }
}

impl LineForm {
    fn read(&self, at: usize, fields: &mut FieldErrors) -> Line {
        let quantity = self.quantity.as_ref().and_then(Milli::read);
        if self.quantity.is_some() && quantity.is_none() {
            fields.add(named(at, "quantity"), "Please enter a quantity above 0");
        }
        let unit_price = self.unit_price.as_ref().and_then(Typed::cents);
        if unit_price.is_none() {
            fields.add(named(at, "unitPrice"), "Please enter a price");
        }
        let tax = self.tax_rate.as_ref().and_then(Ppm::read);
        if self.tax_rate.is_some() && tax.is_none() {
            fields.add(named(at, "taxRate"), "Please enter a percentage from 0 to 100");
        }
        let unit = line(named(at, "unit"), self.unit.as_deref(), MAX_UNIT).optional(fields);
        Line {
            id: self.id.clone().unwrap_or_else(|| (at + 1).to_string()),
            name: line(named(at, "name"), self.name.as_deref(), MAX_NAME).required("Say what it is", fields),
            description: lines(named(at, "description"), self.description.as_deref(), MAX_DESCRIPTION).optional(fields),
            quantity: quantity.unwrap_or_default(),
            unit: unit.unwrap_or_else(|| "each".to_owned()),
            unit_price: unit_price.unwrap_or(Cents::ZERO),
            discount: part(named(at, "discount"), self.discount.as_ref(), fields),
            tax: tax.unwrap_or_default(),
            tax_name: self.tax_name.as_deref().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned),
            is_optional: self.optional,
            option_id: self.option_id.clone(),
            price_item_id: self.price_item_id,
        }
    }
}

/// A part as it was typed; a fault is noted under `name`.
fn part(name: &'static str, form: Option<&PartForm>, fields: &mut FieldErrors) -> Part {
    let Some(form) = form else { return Part::None };
    let read = match (&form.percent, &form.amount) {
        (None, None) => Some(Part::None),
        (Some(percent), None) => Ppm::read(percent).map(Part::Percent),
        (None, Some(amount)) => amount.cents().map(Part::Amount),
        (Some(_), Some(_)) => None,
    };
    if read.is_none() {
        fields.add(name, "Please enter a percentage from 0 to 100, or an amount above 0");
    }
    read.unwrap_or_default()
}

impl PartForm {
    /// As a deposit or a discount of a request; a fault is noted under `name`.
    pub fn read(form: Option<&Self>, name: &'static str, fields: &mut FieldErrors) -> Part {
        let read = part(name, form, fields);
        super::check::discount(name, read, fields);
        read
    }
}
