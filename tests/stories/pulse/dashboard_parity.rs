//! For over two hundred random ledgers the report equals the dashboard, to the cent.

use chrono::{Days, NaiveDate};
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Value, json};
use shared::platform::{
    db::{q, qb},
    money::Cents,
    sms_segments,
};
use tests::{
    app::TestApp,
    both_databases,
    figures::kpis,
    people::{Shop, Visitor},
};

use super::acme;

const LEDGERS: usize = 200;
/// Number of days in a ledger: back into the month before the last week.
const DAYS: usize = 40;
/// Columns of a day that are filled with random values.
const COLUMNS: [&str; 17] = [
    "leads",
    "auto_replied",
    "missed_calls",
    "recovered_calls",
    "auto_replies",
    "follow_ups",
    "schedulings",
    "quotes_sent",
    "quoted_cents",
    "quotes_won",
    "won_cents",
    "jobs_done",
    "job_cents",
    "collected_cents",
    "refunded_cents",
    "reviews_asked",
    "reviews",
];

/// The sums of each day, and invoices with their cents and days since the due date.
type Ledger = (Vec<Vec<i64>>, Vec<(i64, u64)>);

fn ledgers() -> Vec<Ledger> {
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let amount = prop_oneof![3 => Just(0_i64), 2 => 0_i64..50, 2 => 0_i64..2_000_000];
    let days = prop::collection::vec(prop::collection::vec(amount, COLUMNS.len()), DAYS);
    let invoices = prop::collection::vec((1_i64..5_000_000, 0_u64..90), 0..6);
    let all = (days, invoices);
    (0..LEDGERS).map(|_| all.new_tree(&mut runner).unwrap().current()).collect()
}

/// Replaces the ledger.
async fn writes(app: &TestApp, shop: &Shop, today: NaiveDate, (days, invoices): &Ledger) {
    let org = shop.id();
    app.within(async |tx| {
        q!(&mut *tx, execute, "DELETE FROM metric_day WHERE org_id = $1", org)?;
        q!(&mut *tx, execute, "DELETE FROM invoice WHERE org_id = $1", org)?;
        for (ago, sums) in days.iter().enumerate() {
            let day = today.checked_sub_days(Days::new(u64::try_from(ago).unwrap())).unwrap();
            qb!(&mut *tx, execute, |b| {
                b.push("INSERT INTO metric_day (org_id, day, ").push(COLUMNS.join(", ")).push(") VALUES (");
                b.push_bind(org).push(", ").push_bind(day);
                for sum in sums {
                    b.push(", ").push_bind(*sum);
                }
                b.push(")");
            })?;
        }
        for (cents, ago) in invoices {
            let due = today.checked_sub_days(Days::new(*ago)).unwrap();
            let insert = "INSERT INTO invoice (org_id, id, lead_id, customer_id, status, content, total_cents, paid_cents, due_on, created_at, reminders_enabled)
                SELECT org_id, $2, id, customer_id, 'open', '{}', $3, 0, $4, $5, FALSE FROM lead WHERE org_id = $1";
            q!(&mut *tx, execute, insert, org, app.origin.uuid_v7(), *cents, due, app.now())?;
        }
        Ok(())
    })
    .await
    .unwrap();
}

fn dollars(amount: &Value) -> i64 {
    serde_json::from_value::<Cents>(amount.clone()).unwrap().0
}

fn shown(cents: i64) -> String {
    Cents(cents).format_usd()
}

/// The amount, and its change since the week before.
fn with_change(now: i64, before: i64) -> String {
    let sign = if now < before { "" } else { "+" };
    format!("{} ({sign}{})", shown(now), shown(now - before))
}

fn count(now: &Value, before: &Value) -> String {
    let [now, before] = [now, before].map(|figure| figure["value"].as_i64().unwrap());
    format!("{now} ({:+})", now - before)
}

/// Every line that the dashboard's figures require.
fn wanted(all: &Value) -> Vec<String> {
    let (week, before, owed) = (&all["week"], &all["priorWeek"], &all["receivables"]);
    let money = |figure: &Value| dollars(&figure["value"]);
    let total = |figure: &Value| shown(dollars(&figure["total"]));
    let calls = &week["calls"];
    let quotes = |what: &str, total: &str| {
        format!("{} · {}", count(&week["quotes"][what], &before["quotes"][what]), shown(money(&week["quotes"][total])))
    };
    let margin = &week["margin"];
    let estimated = if margin["isEstimate"] == json!(true) { " est." } else { "" };
    let stars = week["reviews"]["average"].as_f64().map(|stars| format!(" · {stars:.2}")).unwrap_or_default();
    vec![
        format!("Collected: {}", with_change(money(&week["collected"]), money(&before["collected"]))),
        format!(
            "Margin: {} · {:.1}%{estimated}",
            shown(dollars(&margin["amount"])),
            margin["percent"].as_f64().unwrap()
        ),
        format!("This month: {}", shown(money(&all["month"]["revenue"]))),
        format!("Owed to you: {}", total(&owed["open"])),
        format!("Overdue 1-30 days: {}", total(&owed["to30Days"])),
        format!("Overdue 31-60 days: {}", total(&owed["to60Days"])),
        format!("Overdue 60+ days: {}", total(&owed["over60Days"])),
        format!("New leads: {}", count(&week["newLeads"], &before["newLeads"])),
        format!("Missed calls: {}, {} recovered", calls["missed"]["value"], calls["recovered"]["value"]),
        format!("Quotes sent: {}", quotes("sent", "sentTotal")),
        format!("Quotes won: {}", quotes("won", "wonTotal")),
        format!("Jobs done: {}", count(&week["jobsDone"], &before["jobsDone"])),
        format!(
            "Reviews: {} / {} asked, received{stars}",
            week["reviews"]["asked"]["value"], week["reviews"]["received"]["value"]
        ),
        format!("Hours saved: {:.1} h", week["timeSaved"]["hours"].as_f64().unwrap()),
    ]
}

both_databases! {
    async fn report_matches_the_dashboard_over_two_hundred_random_ledgers(app) {
        let (shop, owner) = acme(app).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let today = app.now().with_timezone(&shop.org.zone()).date_naive();
        for (n, ledger) in ledgers().iter().enumerate() {
            writes(app, &shop, today, ledger).await;
            let all = kpis(&owner, "acme-plumbing").await;
            let report = owner.get("/api/kpi-pulse").await.json()["preview"].clone();
            let (text, sms) = (report["text"].as_str().unwrap(), report["sms"].as_str().unwrap());
            let lines: Vec<&str> = text.lines().collect();
            for line in wanted(&all) {
                assert!(lines.contains(&line.as_str()), "ledger {n}: {line} in\n{text}");
            }
            let [collected, open, late] = [&all["week"]["collected"]["value"], &all["receivables"]["open"]["total"], &all["receivables"]["overdue"]["total"]].map(|of| shown(dollars(of)));
            assert!(sms.contains(&format!(" {collected} in, {open} owed ({late} late). {} leads", all["week"]["newLeads"]["value"])), "{n}: {sms}");
            assert!(sms_segments::count_segments(sms).segments <= 2, "{n}: {sms}");
        }
        // Removes the rows that have no records behind them.
        writes(app, &shop, today, &(Vec::new(), Vec::new())).await;
    }
}
