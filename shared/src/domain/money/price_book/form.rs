//! An item of the price book as it was typed: read leniently, so that every fault is said beside its field.

use serde::Deserialize;

use super::Said;
use crate::platform::{
    error::{FieldErrors, Result},
    money::{Cents, Ppm, Typed},
    text::{given, line, lines},
};

pub(super) const MAX_NAME: usize = 200;
pub(super) const MAX_CODE: usize = 64;
pub(super) const MAX_DESCRIPTION: usize = 4000;
pub(super) const MAX_UNIT: usize = 20;
const MAX_PRICE: Cents = Cents(1_000_000_000);
/// What is counted where nobody says what.
pub(super) const UNIT: &str = "each";

pub(super) const BAD_PRICE: &str = "Please enter a price up to $10,000,000";
pub(super) const BAD_COST: &str = "Please enter a cost from $0 to $10,000,000";
pub(super) const BAD_TAX: &str = "Please enter a percentage from 0 to 100";

/// An item, or a change of one, as it was typed: what is absent stays.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PriceForm {
    #[serde(deserialize_with = "given")]
    pub code: Option<Option<String>>,
    pub name: Option<String>,
    #[serde(deserialize_with = "given")]
    pub description: Option<Option<String>>,
    pub unit: Option<String>,
    pub price: Option<Typed>,
    #[serde(deserialize_with = "given")]
    pub cost: Option<Option<Typed>>,
    #[serde(deserialize_with = "given")]
    pub tax_rate: Option<Option<Typed>>,
    pub is_active: Option<bool>,
}

impl PriceForm {
    /// What is to stand; `stands` is what stood, for a change.
    pub(super) fn read(&self, stands: Option<&Said>) -> Result<Said> {
        let mut errors = FieldErrors::default();
        let name = match (&self.name, stands) {
            (None, Some(stands)) => stands.name.clone(),
            (typed, _) => line("name", typed.as_deref(), MAX_NAME).required("Say what it is", &mut errors),
        };
        let unit = match (&self.unit, stands) {
            (None, Some(stands)) => Some(stands.unit.clone()),
            (typed, _) => line("unit", typed.as_deref(), MAX_UNIT).optional(&mut errors),
        };
        let price = match (&self.price, stands) {
            (None, Some(stands)) => Some(stands.price),
            (typed, _) => typed.as_ref().and_then(Typed::cents).filter(|price| price_fits(*price)),
        };
        if price.is_none() {
            errors.add("price", BAD_PRICE);
        }
        let said = Said {
            name,
            unit: unit.unwrap_or_else(|| UNIT.to_owned()),
            price: price.unwrap_or_default(),
            code: self.code(stands, &mut errors),
            description: match &self.description {
                None => stands.and_then(|stands| stands.description.clone()),
                Some(typed) => lines("description", typed.as_deref(), MAX_DESCRIPTION).optional(&mut errors),
            },
            cost: self.cost(stands, &mut errors),
            tax: self.tax(stands, &mut errors),
            is_active: self.is_active.unwrap_or_else(|| stands.is_none_or(|stands| stands.is_active)),
        };
        errors.finish()?;
        Ok(said)
    }

    fn code(&self, stands: Option<&Said>, errors: &mut FieldErrors) -> Option<String> {
        match &self.code {
            None => stands.and_then(|stands| stands.code.clone()),
            Some(typed) => line("code", typed.as_deref(), MAX_CODE).optional(errors),
        }
    }

    fn cost(&self, stands: Option<&Said>, errors: &mut FieldErrors) -> Option<Cents> {
        let typed = match &self.cost {
            None => return stands.and_then(|stands| stands.cost),
            Some(typed) => typed.as_ref()?,
        };
        let cost = typed.cents().filter(|cost| cost_fits(*cost));
        if cost.is_none() {
            errors.add("cost", BAD_COST);
        }
        cost
    }

    fn tax(&self, stands: Option<&Said>, errors: &mut FieldErrors) -> Option<Ppm> {
        let typed = match &self.tax_rate {
            None => return stands.and_then(|stands| stands.tax),
            Some(typed) => typed.as_ref()?,
        };
        let tax = Ppm::read(typed);
        if tax.is_none() {
            errors.add("taxRate", BAD_TAX);
        }
        tax
    }
}

pub(super) fn price_fits(price: Cents) -> bool {
    price <= MAX_PRICE && price >= Cents(-MAX_PRICE.0)
}

pub(super) fn cost_fits(cost: Cents) -> bool {
    (Cents::ZERO..=MAX_PRICE).contains(&cost)
}
