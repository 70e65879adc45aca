//! Form input of a paper. Parsing is lenient so that every fault is reported beside its field.

use platform::{
    error::FieldErrors,
    id::PriceItemId,
    money::{Cents, DecimalInput, Milli, Ppm},
    text::{multi_line, single_line},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    DocumentContent, DocumentOption, LineItem, PercentOrAmount,
    check::{MAX_DESCRIPTION, MAX_LINES, MAX_NAME, MAX_NOTES, MAX_UNIT, MinTotal, line_field_name},
};

/// Lines, options, discount, notes and terms of a request. Its other fields are next to these (`#[serde(flatten)]`).
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = PaperForm)]
pub struct DocumentForm {
    pub lines: Vec<LineItemForm>,
    pub options: Vec<DocumentOption>,
    pub recommended: Option<String>,
    pub discount: Option<PercentOrAmountForm>,
    pub notes: Option<String>,
    pub terms: Option<String>,
}

/// One line as it was typed. Without an id it gets its number.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = LineForm)]
pub struct LineItemForm {
    pub id: Option<String>,
    pub name: Option<String>,
    pub description: Option<String>,
    /// Without it 1.
    #[schema(value_type = Option<f64>)]
    pub quantity: Option<DecimalInput>,
    /// Without it "each".
    pub unit: Option<String>,
    #[schema(value_type = Option<f64>)]
    pub unit_price: Option<DecimalInput>,
    pub discount: Option<PercentOrAmountForm>,
    /// In percent.
    #[schema(value_type = Option<f64>)]
    pub tax_rate: Option<DecimalInput>,
    pub tax_name: Option<String>,
    pub optional: bool,
    pub option_id: Option<String>,
    pub price_item_id: Option<PriceItemId>,
}

/// A part of an amount: either of the two.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = Part)]
pub struct PercentOrAmountForm {
    #[schema(value_type = Option<f64>)]
    pub percent: Option<DecimalInput>,
    #[schema(value_type = Option<f64>)]
    pub amount: Option<DecimalInput>,
}

impl DocumentForm {
    /// Records every fault under its field name. The result may be used only when there are no faults.
    pub fn to_document(&self, fields: &mut FieldErrors) -> DocumentContent {
        self.to_document_with_minimum(MinTotal::Positive, fields)
    }

    pub fn to_document_with_minimum(&self, least: MinTotal, fields: &mut FieldErrors) -> DocumentContent {
        let paper = DocumentContent {
            lines: self
                .lines
                .iter()
                .take(MAX_LINES + 1)
                .enumerate()
                .map(|(at, form)| form.to_line(at, fields))
                .collect(),
            options: self.options.iter().map(trim_choice).collect(),
            recommended: self.recommended.clone(),
            discount: parse_percent_or_amount("discount", self.discount.as_ref(), fields),
            notes: multi_line("notes", self.notes.as_deref(), MAX_NOTES).parse_optional(fields),
            terms: multi_line("terms", self.terms.as_deref(), MAX_NOTES).parse_optional(fields),
        };
        paper.validate_fields(least, fields);
        paper
    }
}

fn trim_choice(option: &DocumentOption) -> DocumentOption {
    let description = option.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
    DocumentOption {
        id: option.id.clone(),
        name: option.name.trim().to_owned(),
        description: description.map(|text| text.replace("\r\n", "\n")),
    }
}

impl LineItemForm {
    fn to_line(&self, at: usize, fields: &mut FieldErrors) -> LineItem {
        let quantity = self.quantity.as_ref().and_then(Milli::from_input);
        if self.quantity.is_some() && quantity.is_none() {
            fields.add(line_field_name(at, "quantity"), "Please enter a quantity above 0");
        }
        let unit_price = self.unit_price.as_ref().and_then(DecimalInput::to_cents);
        if unit_price.is_none() {
            fields.add(line_field_name(at, "unitPrice"), "Please enter a price");
        }
        let tax = self.tax_rate.as_ref().and_then(Ppm::from_input);
        if self.tax_rate.is_some() && tax.is_none() {
            fields.add(line_field_name(at, "taxRate"), "Please enter a percentage from 0 to 100");
        }
        let unit = single_line(line_field_name(at, "unit"), self.unit.as_deref(), MAX_UNIT).parse_optional(fields);
        LineItem {
            id: self.id.clone().unwrap_or_else(|| (at + 1).to_string()),
            name: single_line(line_field_name(at, "name"), self.name.as_deref(), MAX_NAME)
                .parse_required("Say what it is", fields),
            description: multi_line(line_field_name(at, "description"), self.description.as_deref(), MAX_DESCRIPTION)
                .parse_optional(fields),
            quantity: quantity.unwrap_or_default(),
            unit: unit.unwrap_or_else(|| "each".to_owned()),
            unit_price: unit_price.unwrap_or(Cents::ZERO),
            discount: parse_percent_or_amount(line_field_name(at, "discount"), self.discount.as_ref(), fields),
            tax: tax.unwrap_or_default(),
            tax_name: self.tax_name.as_deref().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned),
            is_optional: self.optional,
            option_id: self.option_id.clone(),
            price_item_id: self.price_item_id,
        }
    }
}

/// Faults are recorded under `name`.
fn parse_percent_or_amount(
    name: &'static str,
    form: Option<&PercentOrAmountForm>,
    fields: &mut FieldErrors,
) -> PercentOrAmount {
    let Some(form) = form else { return PercentOrAmount::None };
    let read = match (&form.percent, &form.amount) {
        (None, None) => Some(PercentOrAmount::None),
        (Some(percent), None) => Ppm::from_input(percent).map(PercentOrAmount::Percent),
        (None, Some(amount)) => amount.to_cents().map(PercentOrAmount::Amount),
        (Some(_), Some(_)) => None,
    };
    if read.is_none() {
        fields.add(name, "Please enter a percentage from 0 to 100, or an amount above 0");
    }
    read.unwrap_or_default()
}

impl PercentOrAmountForm {
    pub fn parse_validated(form: Option<&Self>, name: &'static str, fields: &mut FieldErrors) -> PercentOrAmount {
        let read = parse_percent_or_amount(name, form, fields);
        super::check::validate_discount(name, read, fields);
        read
    }
}
