//! Totals of the examples that the web app's calculation (`web/src/features/documents/document-totals.ts`) is tested
//! with too. The expected amounts were computed in exact fractions by a program of its own.

use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PartExample {
    percent_ppm: Option<i64>,
    amount_cents: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LineExample {
    quantity_milli: i64,
    unit_cents: i64,
    discount: Option<PartExample>,
    #[serde(default)]
    tax_ppm: i64,
    #[serde(default)]
    tax_name: String,
    #[serde(default)]
    is_optional: bool,
    #[serde(default)]
    option_id: String,
}

#[derive(Debug, PartialEq, Deserialize)]
struct TaxExample {
    name: String,
    ppm: i64,
    cents: i64,
}

#[derive(Debug, PartialEq, Deserialize)]
struct ExpectedTotals {
    subtotal: i64,
    discount: i64,
    taxes: Vec<TaxExample>,
    total: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TotalsExample {
    name: String,
    lines: Vec<LineExample>,
    discount: Option<PartExample>,
    #[serde(default)]
    option: String,
    totals: ExpectedTotals,
}

fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn to_part(part: Option<&PartExample>) -> PercentOrAmount {
    match part.map(|part| (part.percent_ppm, part.amount_cents)) {
        Some((Some(ppm), None)) => PercentOrAmount::Percent(Ppm(ppm)),
        Some((None, Some(cents))) => PercentOrAmount::Amount(Cents(cents)),
        Some(_) => panic!("a part is either a percentage or an amount"),
        None => PercentOrAmount::None,
    }
}

fn to_line((at, line): (usize, &LineExample)) -> LineItem {
    LineItem {
        id: at.to_string(),
        name: at.to_string(),
        quantity: Milli(line.quantity_milli),
        unit_price: Cents(line.unit_cents),
        discount: to_part(line.discount.as_ref()),
        tax: Ppm(line.tax_ppm),
        tax_name: non_empty(&line.tax_name),
        is_optional: line.is_optional,
        option_id: non_empty(&line.option_id),
        ..LineItem::default()
    }
}

#[test]
fn totals_equal_the_examples_shared_with_the_web_app() {
    let examples: Vec<TotalsExample> = serde_json::from_str(include_str!("totals_examples.json")).unwrap();
    assert!(examples.len() > 50);
    for example in examples {
        let paper = DocumentContent {
            lines: example.lines.iter().enumerate().map(to_line).collect(),
            discount: to_part(example.discount.as_ref()),
            ..DocumentContent::default()
        };
        let selection = OptionSelection { option_id: non_empty(&example.option), ..OptionSelection::default() };
        let totals = paper.compute_totals(&selection);
        let taxes = totals.taxes.into_iter();
        let taxes = taxes.map(|TaxTotal { name, rate, amount, .. }| TaxExample {
            name: name.unwrap_or_default(),
            ppm: rate.0,
            cents: amount.0,
        });
        let computed = ExpectedTotals {
            subtotal: totals.subtotal.0,
            discount: totals.discount.0,
            taxes: taxes.collect(),
            total: totals.total.0,
        };
        assert_eq!(computed, example.totals, "{}", example.name);
    }
}
