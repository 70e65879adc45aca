//! Properties for all inputs: money as text, pages of any list, and spreadsheet cells.

use std::collections::BTreeSet;

use chrono::Duration;
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use shared::{
    platform::money::Cents,
    views::lead::{self as view, LeadListFilter, LeadSummary, export},
};
use tests::{app::TestApp, both_databases, people::Visitor};

fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn money_as_text_reads_back_as_the_same_cents() {
    runner(2_000)
        .run(&prop_oneof![any::<i64>(), -100_000..100_000_i64], |cents| {
            let text = Cents(cents).to_decimal_string();
            let (dollars, rest) = text.trim_start_matches('-').split_once('.').expect("a point");
            prop_assert_eq!(rest.len(), 2);
            let magnitude = dollars.parse::<i128>().unwrap() * 100 + rest.parse::<i128>().unwrap();
            let sign = if text.starts_with('-') { -1 } else { 1 };
            prop_assert_eq!(sign * magnitude, i128::from(cents));
            Ok(())
        })
        .unwrap();
}

#[test]
fn money_in_json_is_exactly_the_dollars_and_cents() {
    runner(2_000)
        .run(&(-(1_i64 << 51)..(1_i64 << 51)), |cents| {
            let text = serde_json::to_string(&Cents(cents)).unwrap();
            let (dollars, rest) = text.trim_start_matches('-').split_once('.').expect("a point");
            prop_assert!(rest.len() <= 2, "{text}");
            let magnitude = format!("{dollars}{rest:0<2}").parse::<i64>().unwrap();
            prop_assert_eq!(if text.starts_with('-') { -magnitude } else { magnitude }, cents);
            Ok(())
        })
        .unwrap();
}

async fn one_lead() -> LeadSummary {
    let app = TestApp::on_sqlite().await;
    let shop = app.org("Acme Plumbing").await;
    Visitor::number(1).submits_lead(&app, &shop).await;
    app.run_tasks().await;
    let filter = LeadListFilter { limit: 1, ..LeadListFilter::default() };
    let page = view::list(&mut app.db.acquire_reader().await.unwrap(), shop.id(), &filter).await.unwrap();
    app.finish().await;
    page.leads.into_iter().next().unwrap()
}

#[tokio::test]
async fn csv_export_neutralizes_formulas_and_loses_no_text() {
    let lead = one_lead().await;
    let start = prop_oneof!["", "[ \t\r\n]{0,3}", "[=+@＝＋－＠-]{1,2}"];
    runner(2_000)
        .run(&(start, "\\PC{0,20}", any::<String>()), |(start, rest, notes)| {
            let name = format!("{start}{rest}");
            let row = LeadSummary { name: name.clone(), notes: Some(notes.clone()), ..lead.clone() };
            let file = export::render_csv(&[row], chrono_tz::UTC).unwrap();
            let mut reader = csv::Reader::from_reader(file.as_bytes());
            let rows: Vec<_> = reader.records().collect::<Result<_, _>>().unwrap();
            prop_assert_eq!(rows.len(), 1);
            for (cell, typed) in [(&rows[0][0], &name), (&rows[0][6], &notes)] {
                prop_assert_eq!(cell.strip_prefix('\'').filter(|_| cell != typed).unwrap_or(cell), typed.as_str());
                let first = cell.trim_start_matches(' ').chars().next();
                let can_run = first.is_some_and(|c| "=@\t\r\n＝＋－＠".contains(c))
                    || (first.is_some_and(|c| "+-".contains(c))
                        && !cell[1..].chars().all(|c| c.is_ascii_digit() || " .()-".contains(c)));
                prop_assert!(!can_run, "{cell:?}");
            }
            Ok(())
        })
        .unwrap();
}

/// Reads all pages of this size. Returns how often a lead was shown, and how many different ones.
async fn walk(app: &TestApp, org: shared::platform::id::OrgId, size: i64) -> (usize, usize) {
    let mut conn = app.db.acquire_reader().await.expect("a connection");
    let mut filter = LeadListFilter { limit: size, ..LeadListFilter::default() };
    let (mut shown, mut different) = (0, BTreeSet::new());
    loop {
        let page = view::list(&mut conn, org, &filter).await.expect("a page");
        shown += page.leads.len();
        different.extend(page.leads.iter().map(|lead| lead.id));
        match page.next {
            Some(next) => filter.cursor = Some(next),
            None => return (shown, different.len()),
        }
    }
}

both_databases! {
    async fn lead_pages_of_any_size_show_each_lead_once(app) {
        let app = &*app;
        let mut shops = 0;
        let mut case = async |steps: Vec<i64>, size: i64| {
            shops += 1;
            let shop = app.org(&format!("Shop {shops}")).await;
            for (n, step) in (0..).zip(&steps) {
                // Clocks jump back, stop, and go on.
                app.advance(Duration::milliseconds(*step));
                Visitor::number(n).submits_lead(app, &shop).await;
            }
            app.advance(Duration::minutes(1));
            app.run_tasks().await;
            (walk(app, shop.id(), size).await, steps.len())
        };
        let strategy = (prop::collection::vec(-3..4_i64, 0..18), 1..7_i64);
        let mut runner = runner(8);
        for _ in 0..8 {
            let (steps, size) = strategy.new_tree(&mut runner).unwrap().current();
            let context = format!("{steps:?} by {size}");
            let ((shown, different), sent) = case(steps, size).await;
            assert_eq!((shown, different), (sent, sent), "{context}");
        }
    }
}
