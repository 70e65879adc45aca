//! Tests of billing: change orders, after the final invoice, and paper discounts moved into the lines.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::{
    documents::line_items::PercentOrAmount,
    platform::money::{Milli, Ppm},
};

fn before(cents: &[i64]) -> Vec<PriorInvoice> {
    let one = |(n, cents): (usize, &i64)| PriorInvoice {
        id: InvoiceId(Uuid::from_u128(n as u128)),
        number: format!("INV-{}", 1001 + n),
        total: Cents(*cents),
        is_final: false,
        changes: Vec::new(),
    };
    cents.iter().enumerate().map(one).collect()
}

#[test]
fn earlier_invoices_are_deducted_as_named_lines() {
    let agreed = DocumentContent::with_single_line("Water heater", Cents(125_050));
    let paper = remaining_document(agreed.clone(), &before(&[30_000, 20_050]), Language::En).unwrap();
    let names: Vec<_> = paper.lines.iter().map(|line| (line.name.as_str(), line.unit_price.0)).collect();
    let wanted =
        [("Water heater", 125_050), ("Invoiced before: INV-1001", -30_000), ("Invoiced before: INV-1002", -20_050)];
    assert_eq!((names, document_total(&paper)), (wanted.to_vec(), Cents(75_000)));
    assert!(matches!(remaining_document(agreed.clone(), &before(&[125_050]), Language::En), Err(Error::Conflict(_))));
    assert_eq!(remaining_document(agreed.clone(), &[], Language::Es).unwrap(), agreed);
}

fn line() -> impl Strategy<Value = LineItem> {
    let part = prop_oneof![
        Just(PercentOrAmount::None),
        (0_i64..=1_000_000).prop_map(|ppm| PercentOrAmount::Percent(Ppm(ppm))),
        (0_i64..50_000).prop_map(|cents| PercentOrAmount::Amount(Cents(cents))),
    ];
    (1_i64..20_000, -50_000_i64..200_000, part, 0_i64..120_000).prop_map(|(quantity, price, discount, tax)| LineItem {
        name: "Work".into(),
        unit: "each".into(),
        quantity: Milli(quantity),
        unit_price: Cents(price),
        discount,
        tax: Ppm(tax),
        ..LineItem::default()
    })
}

proptest! {
    #[test]
    fn discount_settled_into_lines_keeps_total_and_tax(
        lines in prop::collection::vec(line(), 1..8),
        percent in prop::option::of(0_i64..=1_000_000),
        amount in 0_i64..300_000,
    ) {
        let discount = percent.map_or(PercentOrAmount::Amount(Cents(amount)), |percent| PercentOrAmount::Percent(Ppm(percent)));
        let lines = lines.into_iter().enumerate().map(|(n, line)| LineItem { id: n.to_string(), ..line }).collect();
        let paper = DocumentContent { lines, discount, ..DocumentContent::default() };
        let (whole, apart) = (paper.compute_totals(&paper.recommended_selection()), inline_discount(&paper).compute_totals(&paper.recommended_selection()));
        prop_assert_eq!((apart.total, apart.tax, apart.discount), (whole.total, whole.tax, Cents::ZERO));
        for (a, b) in apart.lines.iter().zip(&whole.lines) {
            prop_assert_eq!((a.amount.0, a.tax), (b.amount.0 - b.share.0, b.tax));
        }
    }
}

fn change(n: u128, lines: &[(&str, i64)], discount: PercentOrAmount) -> AcceptedDocument {
    let line = |(at, (name, cents)): (usize, &(&str, i64))| LineItem {
        id: (at + 1).to_string(),
        name: (*name).into(),
        unit: "each".into(),
        unit_price: Cents(*cents),
        ..LineItem::default()
    };
    let lines = lines.iter().enumerate().map(line).collect();
    AcceptedDocument {
        id: Some(EstimateId(Uuid::from_u128(n))),
        number: Some(format!("CO-{n}")),
        changes: Some(JobId(Uuid::from_u128(7))),
        title: None,
        paper: DocumentContent { lines, discount, ..DocumentContent::default() },
    }
}

fn base(cents: i64) -> AcceptedDocument {
    let number = Some("EST-1001".into());
    let id = Some(EstimateId(Uuid::from_u128(1)));
    AcceptedDocument {
        id,
        number,
        changes: None,
        title: None,
        paper: DocumentContent::with_single_line("Water heater", Cents(cents)),
    }
}

fn named(paper: &DocumentContent) -> Vec<(&str, i64)> {
    paper.lines.iter().map(|line| (line.name.as_str(), line.unit_price.0)).collect()
}

#[test]
fn change_order_lines_follow_estimate_lines_with_their_number() {
    let tenth = PercentOrAmount::Percent(Ppm(100_000));
    let more = change(1002, &[("Subfloor", 30_000), ("Haul away", -5_000)], tenth);
    let all = [base(125_050), more];
    let paper = combine_documents(&all, Language::En).unwrap();
    let names: Vec<&str> = paper.lines.iter().map(|line| line.name.as_str()).collect();
    assert_eq!(names, ["Water heater", "CO-1002: Subfloor", "CO-1002: Haul away"]);
    assert_eq!(
        document_total(&paper),
        Cents(125_050 + 30_000 - 5_000 - 2_500),
        "its discount is none of the estimate's business"
    );
    let ids: BTreeSet<&str> = paper.lines.iter().map(|line| line.id.as_str()).collect();
    assert_eq!(ids.len(), 3);
    let many: Vec<(String, i64)> = (0..200).map(|n| (format!("Line {n}"), 100)).collect();
    let many: Vec<(&str, i64)> = many.iter().map(|(name, cents)| (name.as_str(), *cents)).collect();
    let folded = combine_documents(&[base(100), change(1003, &many, PercentOrAmount::None)], Language::Es).unwrap();
    assert_eq!(named(&folded), [("Presupuesto EST-1001", 100), ("Orden de cambio CO-1003", 20_000)]);
}

#[test]
fn invoice_after_final_one_bills_only_later_change_orders() {
    let (first, second) = (
        change(2, &[("Subfloor", 30_000)], PercentOrAmount::None),
        change(3, &[("Tile", 9_900)], PercentOrAmount::None),
    );
    let last =
        PriorInvoice { is_final: true, changes: vec![to_counted(&first).unwrap()], ..before(&[155_050]).remove(0) };
    let all = [base(125_050), first.clone()];
    assert!(
        changes_since_final(&all, &[], Language::En).is_none()
            && changes_since_final(&all, &before(&[1]), Language::En).is_none()
    );
    assert!(changes_since_final(&all, std::slice::from_ref(&last), Language::En).is_none(), "nothing was signed since");
    let all = [base(125_050), first, second.clone()];
    let more = changes_since_final(&all, &[last.clone(), before(&[0, 4_000]).remove(1)], Language::En).unwrap();
    assert_eq!((named(&more.paper), more.before.len()), (vec![("CO-3: Tile", 9_900)], 1));
    assert_eq!(document_total(&remaining_document(more.paper, &more.before, Language::En).unwrap()), Cents(5_900));
    let newer = change(4, &[("Subfloor and joists", 45_000)], PercentOrAmount::None);
    let less = changes_since_final(&[base(125_050), newer], &[last], Language::En).unwrap();
    assert_eq!(named(&less.paper), [("CO-4: Subfloor and joists", 45_000), ("Invoiced before: CO-2", -30_000)]);
}
