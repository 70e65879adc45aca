//! Form of a price book item: parsed leniently, so that every error is reported at its field.

use serde::Deserialize;
use utoipa::ToSchema;

use super::PriceItemData;
use crate::platform::{
    error::{FieldErrors, Result},
    field_schemas,
    money::{Cents, DecimalInput, Ppm},
    text::{given, multi_line, single_line},
};

pub(super) const MAX_NAME: usize = 200;
pub(super) const MAX_CODE: usize = 64;
pub(super) const MAX_DESCRIPTION: usize = 4000;
pub(super) const MAX_UNIT: usize = 20;
const MAX_PRICE: Cents = Cents(1_000_000_000);
/// Default unit.
pub(super) const DEFAULT_UNIT: &str = "each";

pub(super) const BAD_PRICE: &str = "Please enter a price up to $10,000,000";
pub(super) const BAD_COST: &str = "Please enter a cost from $0 to $10,000,000";
pub(super) const BAD_TAX: &str = "Please enter a percentage from 0 to 100";

/// An item of the price book, or a change of one: what is absent stays.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PriceItemChange)]
pub struct PriceForm {
    /// The business's own number for it; no two items have the same.
    #[serde(default, deserialize_with = "given")]
    #[schema(schema_with = field_schemas::nullable_line::<64>)]
    pub code: Option<Option<String>>,
    /// A new item needs one.
    #[schema(schema_with = field_schemas::required_line::<200>)]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "given")]
    #[schema(schema_with = field_schemas::nullable_text::<4000>)]
    pub description: Option<Option<String>>,
    /// "each" when absent.
    #[schema(schema_with = field_schemas::nullable_line::<20>)]
    pub unit: Option<String>,
    /// US dollars for one unit. A new item needs one; below 0 it is a credit.
    #[schema(value_type = Option<f64>, minimum = -10_000_000, maximum = 10_000_000)]
    pub price: Option<DecimalInput>,
    /// US dollars.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 10_000_000)]
    pub cost: Option<Option<DecimalInput>>,
    /// In percent; null is whatever the settings say.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 100)]
    pub tax_rate: Option<Option<DecimalInput>>,
    pub is_active: Option<bool>,
}

impl PriceForm {
    /// `stored` is the item before a change.
    pub(super) fn to_item_data(&self, stored: Option<&PriceItemData>) -> Result<PriceItemData> {
        let mut errors = FieldErrors::default();
        let name = match (&self.name, stored) {
            (None, Some(stored)) => stored.name.clone(),
            (typed, _) => single_line("name", typed.as_deref(), MAX_NAME).parse_required("Say what it is", &mut errors),
        };
        let unit = match (&self.unit, stored) {
            (None, Some(stored)) => Some(stored.unit.clone()),
            (typed, _) => single_line("unit", typed.as_deref(), MAX_UNIT).parse_optional(&mut errors),
        };
        let price = match (&self.price, stored) {
            (None, Some(stored)) => Some(stored.price),
            (typed, _) => typed.as_ref().and_then(DecimalInput::to_cents).filter(|price| is_valid_price(*price)),
        };
        if price.is_none() {
            errors.add("price", BAD_PRICE);
        }
        let item = PriceItemData {
            name,
            unit: unit.unwrap_or_else(|| DEFAULT_UNIT.to_owned()),
            price: price.unwrap_or_default(),
            code: self.parse_code(stored, &mut errors),
            description: match &self.description {
                None => stored.and_then(|stored| stored.description.clone()),
                Some(typed) => multi_line("description", typed.as_deref(), MAX_DESCRIPTION).parse_optional(&mut errors),
            },
            cost: self.parse_cost(stored, &mut errors),
            tax: self.parse_tax(stored, &mut errors),
            is_active: self.is_active.unwrap_or_else(|| stored.is_none_or(|stored| stored.is_active)),
        };
        errors.into_result()?;
        Ok(item)
    }

    fn parse_code(&self, stored: Option<&PriceItemData>, errors: &mut FieldErrors) -> Option<String> {
        match &self.code {
            None => stored.and_then(|stored| stored.code.clone()),
            Some(typed) => single_line("code", typed.as_deref(), MAX_CODE).parse_optional(errors),
        }
    }

    fn parse_cost(&self, stored: Option<&PriceItemData>, errors: &mut FieldErrors) -> Option<Cents> {
        let typed = match &self.cost {
            None => return stored.and_then(|stored| stored.cost),
            Some(typed) => typed.as_ref()?,
        };
        let cost = typed.to_cents().filter(|cost| is_valid_cost(*cost));
        if cost.is_none() {
            errors.add("cost", BAD_COST);
        }
        cost
    }

    fn parse_tax(&self, stored: Option<&PriceItemData>, errors: &mut FieldErrors) -> Option<Ppm> {
        let typed = match &self.tax_rate {
            None => return stored.and_then(|stored| stored.tax),
            Some(typed) => typed.as_ref()?,
        };
        let tax = Ppm::from_input(typed);
        if tax.is_none() {
            errors.add("taxRate", BAD_TAX);
        }
        tax
    }
}

pub(super) fn is_valid_price(price: Cents) -> bool {
    price <= MAX_PRICE && price >= Cents(-MAX_PRICE.0)
}

pub(super) fn is_valid_cost(cost: Cents) -> bool {
    (Cents::ZERO..=MAX_PRICE).contains(&cost)
}
