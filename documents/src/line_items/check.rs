//! Limits on the content of an estimate or invoice.

use std::{collections::BTreeSet, sync::LazyLock};

use platform::{
    error::FieldErrors,
    money::Cents,
    text::{multi_line, single_line},
};

use super::{Discount, DocumentContent, LineItem, OptionSelection, PercentOrAmount};

pub(super) const MAX_LINES: usize = 200;
pub(super) const MAX_NAME: usize = 200;
pub(super) const MAX_DESCRIPTION: usize = 4000;
pub(super) const MAX_NOTES: usize = 10_000;
pub(super) const MAX_UNIT: usize = 20;
const MAX_ID: usize = 64;
const MAX_TAX_NAME: usize = 60;
const MAX_PRICE: Cents = Cents(1_000_000_000);
const MAX_TOTAL: Cents = Cents(10_000_000_000);

const FIELDS: [&str; 10] =
    ["id", "name", "description", "quantity", "unit", "unitPrice", "discount", "taxRate", "taxName", "optionId"];
const OPTION_FIELDS: [&str; 3] = ["id", "name", "description"];
const MAX_OPTIONS: usize = 4;

/// All field names of all lines, built once so that request errors can borrow them as `'static`.
static NAMES: LazyLock<Vec<[String; FIELDS.len()]>> =
    LazyLock::new(|| (0..MAX_LINES).map(|at| FIELDS.map(|field| format!("lines[{at}].{field}"))).collect());
static OPTION_NAMES: LazyLock<Vec<[String; OPTION_FIELDS.len()]>> =
    LazyLock::new(|| (0..MAX_OPTIONS).map(|at| OPTION_FIELDS.map(|field| format!("options[{at}].{field}"))).collect());

pub(super) fn line_field_name(at: usize, field: &str) -> &'static str {
    let known = FIELDS.iter().position(|known| *known == field);
    NAMES.get(at).zip(known).map_or("lines", |(names, known)| &names[known])
}

fn option_field_name(at: usize, field: &str) -> &'static str {
    let known = OPTION_FIELDS.iter().position(|known| *known == field);
    OPTION_NAMES.get(at).zip(known).map_or("options", |(names, known)| &names[known])
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MinTotal {
    /// Above zero.
    Positive,
    /// Zero or negative is allowed: a change order may reduce the agreed price.
    Unrestricted,
}

pub(super) fn validate_document(paper: &DocumentContent, least: MinTotal, fields: &mut FieldErrors) {
    match paper.lines.len() {
        0 => fields.add("lines", "Add at least one line"),
        1..=MAX_LINES => {}
        _ => fields.add("lines", format!("Please keep this to {MAX_LINES} lines")),
    }
    validate_options(paper, fields);
    let mut ids = BTreeSet::new();
    for (at, line) in paper.lines.iter().enumerate().take(MAX_LINES) {
        validate_line(paper, at, line, fields);
        if !ids.insert(&line.id) {
            fields.add(line_field_name(at, "id"), "Two lines have the same id");
        }
    }
    validate_discount("discount", paper.discount, fields);
    multi_line("notes", paper.notes.as_deref(), MAX_NOTES).parse_optional(fields);
    multi_line("terms", paper.terms.as_deref(), MAX_NOTES).parse_optional(fields);
    if fields.0.is_empty() {
        validate_totals(paper, least, fields);
    }
}

fn validate_options(paper: &DocumentContent, fields: &mut FieldErrors) {
    if paper.options.len() == 1 || paper.options.len() > MAX_OPTIONS {
        fields.add("options", "Offer two to four options, or none");
    }
    let mut ids = BTreeSet::new();
    for (at, option) in paper.options.iter().enumerate().take(MAX_OPTIONS) {
        single_line(option_field_name(at, "id"), Some(&option.id), MAX_ID).parse_required("Give it an id", fields);
        single_line(option_field_name(at, "name"), Some(&option.name), MAX_NAME)
            .parse_required("Give it a name", fields);
        multi_line(option_field_name(at, "description"), option.description.as_deref(), MAX_DESCRIPTION)
            .parse_optional(fields);
        if !ids.insert(&option.id) {
            fields.add(option_field_name(at, "id"), "Two options have the same id");
        }
    }
    let is_there = |id: &String| paper.options.iter().any(|option| option.id == *id);
    if paper.recommended.as_ref().is_some_and(|id| !is_there(id)) {
        fields.add("recommended", "There is no such option");
    }
}

fn validate_line(paper: &DocumentContent, at: usize, of: &LineItem, fields: &mut FieldErrors) {
    single_line(line_field_name(at, "id"), Some(&of.id), MAX_ID).parse_required("Give it an id", fields);
    single_line(line_field_name(at, "name"), Some(&of.name), MAX_NAME).parse_required("Say what it is", fields);
    multi_line(line_field_name(at, "description"), of.description.as_deref(), MAX_DESCRIPTION).parse_optional(fields);
    single_line(line_field_name(at, "unit"), Some(&of.unit), MAX_UNIT).parse_required("Say what is counted", fields);
    single_line(line_field_name(at, "taxName"), of.tax_name.as_deref(), MAX_TAX_NAME).parse_optional(fields);
    if !(1..=1_000_000_000).contains(&of.quantity.0) {
        fields.add(line_field_name(at, "quantity"), "Please enter a quantity above 0");
    }
    if of.unit_price > MAX_PRICE || of.unit_price < Cents(-MAX_PRICE.0) {
        fields.add(line_field_name(at, "unitPrice"), "Please enter a price up to $10,000,000");
    }
    if !(0..=1_000_000).contains(&of.tax.0) {
        fields.add(line_field_name(at, "taxRate"), "Please enter a percentage from 0 to 100");
    }
    validate_discount(line_field_name(at, "discount"), of.discount, fields);
    let is_there = |id: &String| paper.options.iter().any(|option| option.id == *id);
    if of.option_id.as_ref().is_some_and(|id| !is_there(id)) {
        fields.add(line_field_name(at, "optionId"), "There is no such option");
    }
}

pub(super) fn validate_discount(name: &'static str, discount: Discount, fields: &mut FieldErrors) {
    let fits = match discount {
        PercentOrAmount::None => true,
        PercentOrAmount::Percent(rate) => (0..=1_000_000).contains(&rate.0),
        PercentOrAmount::Amount(amount) => (Cents::ZERO..=MAX_TOTAL).contains(&amount),
    };
    if !fits {
        fields.add(name, "Please enter a percentage from 0 to 100, or an amount above 0");
    }
}

/// Every selectable total must be above zero, unless any amount is allowed.
fn validate_totals(paper: &DocumentContent, wanted: MinTotal, fields: &mut FieldErrors) {
    let mut selections = vec![paper.recommended_selection()];
    selections.extend(
        paper
            .options
            .iter()
            .map(|option| OptionSelection { option_id: Some(option.id.clone()), add_ons: BTreeSet::new() }),
    );
    for selection in selections {
        let least = paper.compute_totals(&selection).total;
        let add_ons = paper.add_ons_for_option(selection.option_id.as_deref()).map(|line| line.id.clone()).collect();
        let most = paper.compute_totals(&OptionSelection { add_ons, ..selection }).total;
        let is_worth_it = least >= Cents(1) && most >= Cents(1);
        if wanted == MinTotal::Positive && !is_worth_it {
            fields.add("lines", "The total must be above $0.00");
        }
        if least > MAX_TOTAL || most > MAX_TOTAL {
            fields.add("lines", "The total must not be above $100,000,000");
        }
        if least.0 < -MAX_TOTAL.0 || most.0 < -MAX_TOTAL.0 {
            fields.add("lines", "It must not take off more than $100,000,000");
        }
    }
}

pub(super) fn validate_selection(paper: &DocumentContent, selection: &OptionSelection, fields: &mut FieldErrors) {
    let option = selection.option_id.as_deref();
    let fits = match option {
        None => paper.options.is_empty(),
        Some(id) => paper.options.iter().any(|option| option.id == id),
    };
    if !fits {
        fields.add("optionId", "Please choose one of the options");
    }
    let may = |id: &String| paper.add_ons_for_option(option).any(|line| line.id == *id);
    if !selection.add_ons.iter().all(may) {
        fields.add("addOns", "One of these add-ons is not offered with this option");
    }
}
