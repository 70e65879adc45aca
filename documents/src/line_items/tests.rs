//! Totals checked against an independent calculation in exact fractions, written from the rules.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn round_half_up(numerator: i128, denominator: i128) -> i128 {
    let size = (2 * numerator.abs() + denominator) / (2 * denominator);
    if numerator < 0 { -size } else { size }
}

const MILLION: i128 = 1_000_000;

fn expected_net(line: &LineItem) -> i128 {
    let gross = round_half_up(i128::from(line.quantity.0) * i128::from(line.unit_price.0), 1000);
    match line.discount {
        PercentOrAmount::None => gross,
        PercentOrAmount::Percent(rate) => gross - round_half_up(gross * i128::from(rate.0), MILLION),
        PercentOrAmount::Amount(_) if gross < 0 => gross,
        PercentOrAmount::Amount(amount) => gross - i128::from(amount.0).min(gross),
    }
}

/// Total and tax of a selection. Shares of an amount come from `totals` after they were checked.
fn expected_total_and_tax(
    paper: &DocumentContent,
    selection: &OptionSelection,
    totals: &DocumentTotals,
) -> (i128, i128) {
    let lines: Vec<&LineItem> = paper
        .lines
        .iter()
        .filter(|line| line.option_id.is_none() || line.option_id == selection.option_id)
        .filter(|line| !line.is_optional || selection.add_ons.contains(&line.id))
        .collect();
    let nets: Vec<i128> = lines.iter().map(|line| expected_net(line)).collect();
    let shares: Vec<i128> = match paper.discount {
        PercentOrAmount::None => vec![0; lines.len()],
        PercentOrAmount::Percent(rate) => {
            nets.iter().map(|net| round_half_up(net * i128::from(rate.0), MILLION)).collect()
        }
        PercentOrAmount::Amount(amount) => assert_fair_shares(amount, &nets, totals),
    };
    let taxed = |at: usize| round_half_up((nets[at] - shares[at]) * i128::from(lines[at].tax.0), MILLION);
    let tax: i128 = (0..lines.len()).map(taxed).sum();
    (nets.iter().sum::<i128>() - shares.iter().sum::<i128>() + tax, tax)
}

/// Shares of an amount: they sum to it, each is within a cent of its exact share, and a line rounded up had at least as
/// large a remainder as a line rounded down.
fn assert_fair_shares(amount: Cents, nets: &[i128], totals: &DocumentTotals) -> Vec<i128> {
    let all: i128 = nets.iter().sum();
    let positive: i128 = nets.iter().filter(|net| **net > 0).sum();
    let amount = i128::from(amount.0).min(all.max(0));
    let shares: Vec<i128> = totals.lines.iter().map(|line| i128::from(line.share.0)).collect();
    assert_eq!(shares.iter().sum::<i128>(), amount);
    let rest = |at: usize| amount * nets[at].max(0) - shares[at] * positive;
    for (at, share) in shares.iter().enumerate() {
        assert!(*share >= 0 && *share <= nets[at].max(0), "share {share} of {}", nets[at]);
        assert!(rest(at).abs() < positive.max(1), "within a cent");
    }
    // Negative: rounded above the exact share; positive: below. The one above had the larger remainder.
    for above in (0..nets.len()).filter(|at| rest(*at) < 0) {
        for below in (0..nets.len()).filter(|at| rest(*at) > 0) {
            assert!(rest(above) + positive >= rest(below), "{above} before {below}");
        }
    }
    shares
}

fn any_percent_or_amount() -> impl Strategy<Value = PercentOrAmount> {
    prop_oneof![
        3 => Just(PercentOrAmount::None),
        2 => (0_i64..=1_000_000).prop_map(|rate| PercentOrAmount::Percent(Ppm(rate))),
        2 => (0_i64..=500_000).prop_map(|cents| PercentOrAmount::Amount(Cents(cents))),
    ]
}

fn any_line() -> impl Strategy<Value = LineItem> {
    let quantity = prop_oneof![Just(1000_i64), 1_i64..=20_000, 1_i64..=1_000_000_000];
    let price = prop_oneof![5 => 0_i64..=500_000, 1 => -100_000_i64..0, 1 => -1_000_000_000_i64..=1_000_000_000];
    let tax = prop_oneof![Just(0_i64), Just(82_500), Just(62_500), Just(88_750), 0_i64..=1_000_000];
    let option = prop_oneof![4 => Just(None), 1 => Just(Some("a")), 1 => Just(Some("b"))];
    (quantity, price, any_percent_or_amount(), tax, any::<bool>(), 0..6, option).prop_map(
        |(quantity, price, discount, tax, named, optional, option)| LineItem {
            name: "Work".into(),
            quantity: Milli(quantity),
            unit: "each".into(),
            unit_price: Cents(price),
            discount,
            tax: Ppm(tax),
            tax_name: named.then(|| "City".into()),
            is_optional: optional == 0,
            option_id: option.map(str::to_owned),
            ..LineItem::default()
        },
    )
}

fn any_paper() -> impl Strategy<Value = (DocumentContent, OptionSelection)> {
    (prop::collection::vec(any_line(), 0..12), any_percent_or_amount(), any::<bool>(), any::<bool>()).prop_map(
        |(mut lines, discount, first, ticked)| {
            for (at, line) in lines.iter_mut().enumerate() {
                line.id = at.to_string();
            }
            let options =
                ["a", "b"].map(|id| DocumentOption { id: id.into(), name: id.into(), description: None }).to_vec();
            let add_ons = lines.iter().filter(|line| line.is_optional && ticked).map(|line| line.id.clone()).collect();
            let option_id = Some(if first { "a" } else { "b" }.to_owned());
            (
                DocumentContent { lines, options, discount, ..DocumentContent::default() },
                OptionSelection { option_id, add_ons },
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn total_matches_exact_arithmetic((paper, selection) in any_paper()) {
        let totals = paper.compute_totals(&selection);
        let (total, tax) = expected_total_and_tax(&paper, &selection, &totals);
        prop_assert_eq!(i128::from(totals.total.0), total);
        prop_assert_eq!(i128::from(totals.tax.0), tax);
        let lines: i64 = totals.lines.iter().map(|line| line.amount.0 - line.share.0).sum();
        let taxes: i64 = totals.taxes.iter().map(|tax| tax.amount.0).sum();
        prop_assert_eq!(totals.total.0, lines + taxes);
        prop_assert_eq!(totals.total.0, totals.subtotal.0 - totals.discount.0 + totals.tax.0);
        for line in &totals.lines {
            prop_assert_eq!(line.amount.0, line.gross.0 - line.discount.0);
        }
    }

    #[test]
    fn negated_prices_negate_every_amount((mut paper, selection) in any_paper()) {
        let no_amount = |part: &mut PercentOrAmount| if matches!(part, PercentOrAmount::Amount(_)) { *part = PercentOrAmount::None };
        no_amount(&mut paper.discount);
        paper.lines.iter_mut().for_each(|line| no_amount(&mut line.discount));
        let there = paper.compute_totals(&selection);
        paper.lines.iter_mut().for_each(|line| line.unit_price.0 = -line.unit_price.0);
        let back = paper.compute_totals(&selection);
        prop_assert_eq!(back.total.0, -there.total.0);
        prop_assert_eq!(back.tax.0, -there.tax.0);
        for (there, back) in there.lines.iter().zip(&back.lines) {
            prop_assert_eq!((back.gross.0, back.amount.0, back.tax.0), (-there.gross.0, -there.amount.0, -there.tax.0));
        }
    }

    #[test]
    fn line_order_changes_no_amount((paper, selection) in any_paper(), turn in 0_usize..12, back in any::<bool>()) {
        let mut other = paper.clone();
        let by = turn.min(other.lines.len());
        other.lines.rotate_left(by);
        if back {
            other.lines.reverse();
        }
        let (one, two) = (paper.compute_totals(&selection), other.compute_totals(&selection));
        prop_assert_eq!((one.subtotal, one.discount, one.tax, one.total), (two.subtotal, two.discount, two.tax, two.total));
        let sorted = |totals: DocumentTotals| {
            let mut taxes: Vec<_> = totals.taxes.into_iter().map(|tax| (tax.name, tax.rate, tax.base, tax.amount)).collect();
            taxes.sort();
            taxes
        };
        prop_assert_eq!(sorted(one), sorted(two));
    }

    #[test]
    fn single_line_total_equals_typed_amount(cents in 1_i64..=10_000_000_000) {
        let paper = DocumentContent::with_single_line("Work as discussed", Cents(cents));
        prop_assert_eq!(paper.compute_totals(&paper.recommended_selection()).total, Cents(cents));
    }

    #[test]
    fn paper_survives_json_round_trip((paper, _) in any_paper()) {
        let json = serde_json::to_string(&paper).unwrap();
        prop_assert_eq!(serde_json::from_str::<DocumentContent>(&json).unwrap(), paper);
    }

    #[test]
    fn part_amount_is_between_zero_and_whole(part in any_percent_or_amount(), whole in 0_i64..=10_000_000_000) {
        let of = part.apply_to(Cents(whole));
        prop_assert!(of >= Cents::ZERO && of <= Cents(whole));
    }
}

fn line_of_price(id: &str, price: i64) -> LineItem {
    LineItem { id: id.into(), name: id.into(), unit: "each".into(), unit_price: Cents(price), ..LineItem::default() }
}

#[test]
fn totals_match_hand_calculation() {
    // 2.5 h at $95.00 = $237.50; $412.37 less 10 % ($41.24) = $371.13; a credit of $25.00: $583.63 before $50.00 off.
    let paper = DocumentContent {
        lines: vec![
            LineItem { quantity: Milli(2500), tax: Ppm(82_500), ..line_of_price("1", 9_500) },
            LineItem {
                discount: PercentOrAmount::Percent(Ppm(100_000)),
                tax: Ppm(82_500),
                ..line_of_price("2", 41_237)
            },
            line_of_price("3", -2_500),
        ],
        discount: PercentOrAmount::Amount(Cents(5_000)),
        ..DocumentContent::default()
    };
    let totals = paper.compute_totals(&OptionSelection::default());
    assert_eq!(totals.subtotal, Cents(58_363));
    // 5000 × 23750 / 60863 = 1951.103…, 5000 × 37113 / 60863 = 3048.896…: the cent goes to the second.
    assert_eq!(totals.lines.iter().map(|line| line.share.0).collect::<Vec<_>>(), [1_951, 3_049, 0]);
    // 217.99 × 8.25 % = 17.984…; 340.64 × 8.25 % = 28.1028.
    assert_eq!(totals.lines.iter().map(|line| line.tax.0).collect::<Vec<_>>(), [1_798, 2_810, 0]);
    let tax = TaxTotal { name: None, rate: Ppm(82_500), base: Cents(55_863), amount: Cents(4_608) };
    assert_eq!(totals.taxes, [tax]);
    assert_eq!(totals.total, Cents(58_363 - 5_000 + 4_608));
}

#[test]
fn indivisible_discount_cent_goes_to_earlier_equal_line() {
    let paper = DocumentContent {
        lines: vec![line_of_price("1", 1000), line_of_price("2", 1000)],
        discount: PercentOrAmount::Amount(Cents(1)),
        ..DocumentContent::default()
    };
    let shares: Vec<i64> =
        paper.compute_totals(&OptionSelection::default()).lines.iter().map(|line| line.share.0).collect();
    assert_eq!(shares, [1, 0]);
}

fn paper_with_options() -> DocumentContent {
    let of = |option: &str, line: LineItem| LineItem { option_id: Some(option.into()), ..line };
    let add_on = |line: LineItem| LineItem { is_optional: true, ..line };
    let choice = |id: &str| DocumentOption { id: id.into(), name: id.to_uppercase(), description: None };
    DocumentContent {
        lines: vec![
            line_of_price("all", 10_000),
            of("good", line_of_price("tank", 80_000)),
            of("better", line_of_price("tankless", 160_000)),
            add_on(line_of_price("pan", 5_000)),
            of("better", add_on(line_of_price("softener", 30_000))),
        ],
        options: vec![choice("good"), choice("better")],
        ..DocumentContent::default()
    }
}

#[test]
fn selected_option_and_add_ons_determine_total() {
    let mut paper = paper_with_options();
    assert_eq!(paper.recommended_selection().option_id.as_deref(), Some("good"), "the first, when none is recommended");
    paper.recommended = Some("better".into());
    let mut selection = paper.recommended_selection();
    assert_eq!(paper.compute_totals(&selection).total, Cents(170_000));
    selection.add_ons = ["pan", "softener"].map(str::to_owned).into();
    assert_eq!(paper.compute_totals(&selection).total, Cents(205_000));
    selection.option_id = Some("good".into());
    assert_eq!(paper.compute_totals(&selection).total, Cents(95_000), "an add-on of another option does not count");
    assert_eq!(paper.add_ons_for_option(Some("good")).map(|line| line.id.as_str()).collect::<Vec<_>>(), ["pan"]);
}

#[test]
fn selection_outside_offered_options_and_add_ons_is_rejected() {
    let faults = |paper: &DocumentContent, option: Option<&str>, add_ons: &[&str]| {
        let add_ons = add_ons.iter().map(|id| (*id).to_owned()).collect();
        let mut fields = FieldErrors::default();
        paper.validate_selection(&OptionSelection { option_id: option.map(str::to_owned), add_ons }, &mut fields);
        fields.0.into_keys().collect::<Vec<_>>()
    };
    let (paper, plain) = (paper_with_options(), DocumentContent::with_single_line("Work", Cents(100)));
    assert_eq!(faults(&paper, Some("better"), &["pan", "softener"]), Vec::<&str>::new());
    assert_eq!(faults(&plain, None, &[]), Vec::<&str>::new());
    assert_eq!(faults(&paper, None, &[]), ["optionId"]);
    assert_eq!(faults(&paper, Some("best"), &[]), ["optionId"]);
    assert_eq!(faults(&plain, Some("good"), &[]), ["optionId"]);
    assert_eq!(faults(&paper, Some("good"), &["softener"]), ["addOns"]);
    assert_eq!(faults(&paper, Some("good"), &["all"]), ["addOns"], "what is not optional cannot be ticked");
}

fn parse_form(body: serde_json::Value) -> (DocumentContent, FieldErrors) {
    let form: DocumentForm = serde_json::from_value(body).unwrap();
    let mut fields = FieldErrors::default();
    (form.to_document(&mut fields), fields)
}

#[test]
fn typed_line_items_are_parsed_with_defaults() {
    let (paper, fields) = parse_form(json!({
        "lines": [
            {"name": " Labor ", "quantity": 2.5, "unit": "hr", "unitPrice": "1,095.50", "taxRate": 8.25},
            {"name": "Pan", "unitPrice": 40, "optional": true, "discount": {"percent": 10}},
        ],
        "discount": {"amount": "$25"},
        "notes": " Bring a ladder \r\n please ",
    }));
    assert_eq!(fields, FieldErrors::default());
    assert_eq!(paper.lines[0].id, "1");
    assert_eq!((paper.lines[0].name.as_str(), paper.lines[0].unit_price), ("Labor", Cents(109_550)));
    assert_eq!((paper.lines[0].quantity, paper.lines[0].tax), (Milli(2500), Ppm(82_500)));
    assert_eq!((paper.lines[1].quantity, paper.lines[1].unit.as_str()), (Milli::ONE, "each"));
    assert_eq!(paper.lines[1].discount, PercentOrAmount::Percent(Ppm(100_000)));
    assert_eq!(paper.discount, PercentOrAmount::Amount(Cents(2_500)));
    assert_eq!(paper.notes.as_deref(), Some("Bring a ladder \n please"));
}

#[test]
fn validation_error_is_reported_on_its_field() {
    let table = [
        (json!({}), "lines"),
        (json!({"lines": [{"unitPrice": 1}]}), "lines[0].name"),
        (json!({"lines": [{"name": "a"}]}), "lines[0].unitPrice"),
        (json!({"lines": [{"name": "a", "unitPrice": 1}, {"name": "b", "unitPrice": 1.005}]}), "lines[1].unitPrice"),
        (json!({"lines": [{"name": "a", "unitPrice": 10_000_000.01}]}), "lines[0].unitPrice"),
        (json!({"lines": [{"name": "a", "unitPrice": 1, "quantity": 0}]}), "lines[0].quantity"),
        (json!({"lines": [{"name": "a", "unitPrice": 1, "quantity": "x"}]}), "lines[0].quantity"),
        (json!({"lines": [{"name": "a", "unitPrice": 1, "taxRate": 101}]}), "lines[0].taxRate"),
        (json!({"lines": [{"name": "a", "unitPrice": 1, "discount": {"percent": -1}}]}), "lines[0].discount"),
        (
            json!({"lines": [{"name": "a", "unitPrice": 1, "discount": {"percent": 1, "amount": 1}}]}),
            "lines[0].discount",
        ),
        (json!({"lines": [{"name": "a", "unitPrice": 1, "optionId": "x"}]}), "lines[0].optionId"),
        (json!({"lines": [{"name": "a", "unitPrice": 1, "description": "d".repeat(4001)}]}), "lines[0].description"),
        (json!({"lines": [{"name": "n".repeat(201), "unitPrice": 1}]}), "lines[0].name"),
        (
            json!({"lines": [{"id": "1", "name": "a", "unitPrice": 1}, {"id": "1", "name": "b", "unitPrice": 1}]}),
            "lines[1].id",
        ),
        (json!({"lines": [{"name": "a", "unitPrice": 0}]}), "lines"),
        (json!({"lines": [{"name": "a", "unitPrice": 1, "optional": true}]}), "lines"),
        (json!({"lines": [{"name": "a", "unitPrice": 1}, {"name": "b", "unitPrice": -2, "optional": true}]}), "lines"),
        (json!({"lines": [{"name": "a", "unitPrice": 10_000_000, "quantity": 11}]}), "lines"),
        (json!({"lines": vec![json!({"name": "a", "unitPrice": 1}); 201]}), "lines"),
        (json!({"lines": [{"name": "a", "unitPrice": 1}], "discount": {"amount": "many"}}), "discount"),
        (json!({"lines": [{"name": "a", "unitPrice": 1}], "options": [{"id": "a", "name": "A"}]}), "options"),
        (json!({"lines": [{"name": "a", "unitPrice": 1}], "recommended": "x"}), "recommended"),
        (
            json!({"lines": [{"name": "a", "unitPrice": 1}], "options": [{"id": "a", "name": "A"}, {"id": "b", "name": ""}]}),
            "options[1].name",
        ),
        (json!({"lines": [{"name": "a", "unitPrice": 1}], "notes": "n".repeat(10_001)}), "notes"),
        (json!({"lines": [{"name": "a", "unitPrice": 1}], "terms": "n\u{0}"}), "terms"),
    ];
    for (body, field) in table {
        let (_, fields) = parse_form(body.clone());
        assert_eq!(
            fields.0.keys().cloned().collect::<Vec<_>>(),
            [field],
            "{}",
            body.to_string().get(..200).unwrap_or(&body.to_string())
        );
    }
}

#[test]
fn part_round_trips_through_json_and_is_capped_at_whole() {
    for (part, json) in [
        (PercentOrAmount::None, "null"),
        (PercentOrAmount::Percent(Ppm(88_750)), r#"{"percent":8.875}"#),
        (PercentOrAmount::Amount(Cents(2_500)), r#"{"amount":25.0}"#),
    ] {
        assert_eq!(serde_json::to_string(&part).unwrap(), json);
        assert_eq!(serde_json::from_str::<PercentOrAmount>(json).unwrap(), part);
    }
    assert_eq!(PercentOrAmount::Percent(Ppm(250_000)).apply_to(Cents(150_002)), Cents(37_501), "half up");
    assert_eq!(PercentOrAmount::Amount(Cents(50_000)).apply_to(Cents(20_000)), Cents(20_000), "at most the whole");
}
