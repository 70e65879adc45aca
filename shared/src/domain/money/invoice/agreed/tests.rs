//! What is billed: with change orders, after the last invoice, and with the discount of the whole put into the lines.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::{
    documents::line_items::Part,
    platform::money::{Milli, Ppm},
};

fn before(cents: &[i64]) -> Vec<Before> {
    let one = |(n, cents): (usize, &i64)| Before {
        id: InvoiceId(Uuid::from_u128(n as u128)),
        number: format!("INV-{}", 1001 + n),
        total: Cents(*cents),
        is_final: false,
        changes: Vec::new(),
    };
    cents.iter().enumerate().map(one).collect()
}

#[test]
fn what_was_invoiced_before_is_taken_off_by_name() {
    let agreed = Paper::one_line("Water heater", Cents(125_050));
    let paper = rest(agreed.clone(), &before(&[30_000, 20_050]), Language::En).unwrap();
    let names: Vec<_> = paper.lines.iter().map(|line| (line.name.as_str(), line.unit_price.0)).collect();
    let wanted =
        [("Water heater", 125_050), ("Invoiced before: INV-1001", -30_000), ("Invoiced before: INV-1002", -20_050)];
    assert_eq!((names, total(&paper)), (wanted.to_vec(), Cents(75_000)));
    assert!(matches!(rest(agreed.clone(), &before(&[125_050]), Language::En), Err(Error::Conflict(_))));
    assert_eq!(rest(agreed.clone(), &[], Language::Es).unwrap(), agreed);
}

fn line() -> impl Strategy<Value = Line> {
    let part = prop_oneof![
        Just(Part::None),
        (0_i64..=1_000_000).prop_map(|ppm| Part::Percent(Ppm(ppm))),
        (0_i64..50_000).prop_map(|cents| Part::Amount(Cents(cents))),
    ];
    (1_i64..20_000, -50_000_i64..200_000, part, 0_i64..120_000).prop_map(|(quantity, price, discount, tax)| Line {
        name: "Work".into(),
        unit: "each".into(),
        quantity: Milli(quantity),
        unit_price: Cents(price),
        discount,
        tax: Ppm(tax),
        ..Line::default()
    })
}

proptest! {
    #[test]
    fn a_discount_of_the_whole_may_stand_in_the_lines_without_changing_a_cent(
        lines in prop::collection::vec(line(), 1..8),
        percent in prop::option::of(0_i64..=1_000_000),
        amount in 0_i64..300_000,
    ) {
        let discount = percent.map_or(Part::Amount(Cents(amount)), |percent| Part::Percent(Ppm(percent)));
        let lines = lines.into_iter().enumerate().map(|(n, line)| Line { id: n.to_string(), ..line }).collect();
        let paper = Paper { lines, discount, ..Paper::default() };
        let (whole, apart) = (paper.totals(&paper.recommended()), settled(&paper).totals(&paper.recommended()));
        prop_assert_eq!((apart.total, apart.tax, apart.discount), (whole.total, whole.tax, Cents::ZERO));
        for (a, b) in apart.lines.iter().zip(&whole.lines) {
            prop_assert_eq!((a.amount.0, a.tax), (b.amount.0 - b.share.0, b.tax));
        }
    }
}

fn change(n: u128, lines: &[(&str, i64)], discount: Part) -> Accepted {
    let line = |(at, (name, cents)): (usize, &(&str, i64))| Line {
        id: (at + 1).to_string(),
        name: (*name).into(),
        unit: "each".into(),
        unit_price: Cents(*cents),
        ..Line::default()
    };
    let lines = lines.iter().enumerate().map(line).collect();
    Accepted {
        id: Some(EstimateId(Uuid::from_u128(n))),
        number: Some(format!("CO-{n}")),
        changes: Some(JobId(Uuid::from_u128(7))),
        title: None,
        paper: Paper { lines, discount, ..Paper::default() },
    }
}

fn base(cents: i64) -> Accepted {
    let number = Some("EST-1001".into());
    let id = Some(EstimateId(Uuid::from_u128(1)));
    Accepted { id, number, changes: None, title: None, paper: Paper::one_line("Water heater", Cents(cents)) }
}

fn named(paper: &Paper) -> Vec<(&str, i64)> {
    paper.lines.iter().map(|line| (line.name.as_str(), line.unit_price.0)).collect()
}

#[test]
fn the_lines_of_change_orders_stand_under_those_of_the_estimate_with_their_numbers() {
    let tenth = Part::Percent(Ppm(100_000));
    let more = change(1002, &[("Subfloor", 30_000), ("Haul away", -5_000)], tenth);
    let all = [base(125_050), more];
    let paper = together(&all, Language::En).unwrap();
    let names: Vec<&str> = paper.lines.iter().map(|line| line.name.as_str()).collect();
    assert_eq!(names, ["Water heater", "CO-1002: Subfloor", "CO-1002: Haul away"]);
    assert_eq!(
        total(&paper),
        Cents(125_050 + 30_000 - 5_000 - 2_500),
        "its discount is none of the estimate's business"
    );
    let ids: BTreeSet<&str> = paper.lines.iter().map(|line| line.id.as_str()).collect();
    assert_eq!(ids.len(), 3);
    let many: Vec<(String, i64)> = (0..200).map(|n| (format!("Line {n}"), 100)).collect();
    let many: Vec<(&str, i64)> = many.iter().map(|(name, cents)| (name.as_str(), *cents)).collect();
    let folded = together(&[base(100), change(1003, &many, Part::None)], Language::Es).unwrap();
    assert_eq!(named(&folded), [("Presupuesto EST-1001", 100), ("Orden de cambio CO-1003", 20_000)]);
}

#[test]
fn after_the_last_invoice_only_what_was_changed_since_is_billed() {
    let (first, second) = (change(2, &[("Subfloor", 30_000)], Part::None), change(3, &[("Tile", 9_900)], Part::None));
    let last = Before { is_final: true, changes: vec![count(&first).unwrap()], ..before(&[155_050]).remove(0) };
    let all = [base(125_050), first.clone()];
    assert!(since(&all, &[], Language::En).is_none() && since(&all, &before(&[1]), Language::En).is_none());
    assert!(since(&all, std::slice::from_ref(&last), Language::En).is_none(), "nothing was signed since");
    let all = [base(125_050), first, second.clone()];
    let more = since(&all, &[last.clone(), before(&[0, 4_000]).remove(1)], Language::En).unwrap();
    assert_eq!((named(&more.paper), more.before.len()), (vec![("CO-3: Tile", 9_900)], 1));
    assert_eq!(total(&rest(more.paper, &more.before, Language::En).unwrap()), Cents(5_900));
    let newer = change(4, &[("Subfloor and joists", 45_000)], Part::None);
    let less = since(&[base(125_050), newer], &[last], Language::En).unwrap();
    assert_eq!(named(&less.paper), [("CO-4: Subfloor and joists", 45_000), ("Invoiced before: CO-2", -30_000)]);
}
