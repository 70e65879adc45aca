//! The promised figures come from the same calculation as those of every business.

use chrono::{DateTime, Utc};
use serde_json::Value;
use shared::platform::db::Engine;
use shared::platform::{db::q, id::DEMO_ORG};
use tests::{app::TestApp, both_databases, figures::kpis, http::Client};

/// A Thursday, the first minute of a month, the night on which daylight saving ends, and a leap day.
const DAYS: [&str; 4] =
    ["2026-09-17T15:00:00Z", "2026-10-01T05:00:00Z", "2026-11-01T07:30:00Z", "2028-02-29T18:00:00Z"];

async fn on(app: &TestApp, at: &str) {
    app.advance(at.parse::<DateTime<Utc>>().unwrap() - app.now());
    let began = std::time::Instant::now();
    app.seeds_demo().await;
    let took = began.elapsed();
    println!("seeded in {took:?} on {:?}", app.db.engine());
    assert!(took < std::time::Duration::from_mins(1), "{took:?}: it would hold up other writers");
}

fn count(figure: &Value) -> i64 {
    figure["value"].as_i64().unwrap()
}

async fn tiles(demo: &Client, at: &str) {
    let tiles = demo.get("/api/jobs/summary").await.json();
    let revenue = tiles["revenue"].as_f64().unwrap();
    assert!((89_000.0..89_100.0).contains(&revenue), "{at}: {revenue}");
    assert!(tiles["workingNow"].as_i64() >= Some(2) && tiles["comingUp"].as_i64() >= Some(10), "{at}: {tiles}");
    assert_eq!(tiles["jobsDone"], 14, "{at}");
}

fn money(kpis: &Value, at: &str) {
    let margin = &kpis["month"]["margin"];
    assert_eq!((margin["percent"].as_f64(), &margin["isEstimate"]), (Some(65.0), &Value::Bool(false)), "{at}");
    let owed = &kpis["receivables"];
    let dollars = |name: &str| owed[name]["total"].as_f64().unwrap();
    let share = dollars("overdue") / dollars("open");
    assert!((share - 0.3).abs() < 1e-9, "{at}: {share}: {owed}");
    assert_eq!(
        (owed["over30Days"]["count"].as_i64(), owed["over60Days"]["count"].as_i64()),
        (Some(3), Some(1)),
        "{at}"
    );
    let months = kpis["months"].as_array().unwrap();
    assert_eq!(months.len(), 12, "{at}");
    for month in months {
        let (revenue, profit) = (month["revenue"].as_f64().unwrap(), month["profit"].as_f64().unwrap());
        assert!(revenue > 40_000.0 && profit > 0.6 * revenue, "{at}: {month}");
        assert_eq!(month["isEstimate"], false, "{at}: {month}");
    }
}

fn week(kpis: &Value, at: &str) {
    let saved = &kpis["week"]["timeSaved"];
    let parts = ["autoReplies", "followUps", "scheduling"].map(|of| saved[of]["hours"].as_f64().unwrap());
    let all = saved["hours"].as_f64().unwrap();
    let percent = parts.map(|part| format!("{:.2}", part / all * 100.0));
    assert_eq!(percent, ["40.00", "30.00", "30.00"], "{at}: {saved}");
    let week = &kpis["week"];
    assert!(count(&week["newLeads"]) >= 20, "{at}: {}", week["newLeads"]);
    assert_eq!((count(&week["calls"]["missed"]), count(&week["calls"]["recovered"])), (3, 2), "{at}");
    let median = week["answers"]["auto"]["medianMinutes"].as_f64().unwrap();
    assert!(median < 0.5, "{at}: answered in seconds, not {median} minutes");
    assert!(count(&week["quotes"]["sent"]) >= 3, "{at}: {}", week["quotes"]);
    assert_eq!(count(&week["reviews"]["received"]), 3, "{at}");
    for week in [week, &kpis["priorWeek"]] {
        let (asked, received) = (count(&week["reviews"]["asked"]), count(&week["reviews"]["received"]));
        assert!(asked >= received, "{at}: {received} received out of {asked}");
    }
    assert!(count(&week["reviews"]["asked"]) >= 3, "{at}: {}", week["reviews"]);
}

/// Every customer with a done job was asked, or has a reason why not; those of the last days are still to be asked.
async fn everybody_is_asked_for_a_review(app: &TestApp, demo: &Client, at: &str) {
    let summary = demo.get("/api/reviews/summary").await.json();
    assert_eq!(summary["average"].as_f64(), Some(4.8), "{at}: {summary}");
    assert_eq!(summary["received"], 25, "{at}: {summary}");
    assert!(summary["requested"].as_i64() >= Some(40), "{at}: {summary}");
    let conn = &mut app.db.acquire_reader().await.unwrap();
    let late = "SELECT COUNT(*) FROM review_request WHERE org_id = $1 AND state = 'waiting'
         AND (planned_at IS NULL OR planned_at <= $2)";
    assert_eq!(q!(conn, fetch_one scalar i64, late, DEMO_ORG, app.now()).unwrap(), 0, "{at}");
    let silent = "SELECT COUNT(*) FROM review_request WHERE org_id = $1
         AND ((state = 'not_asked' AND why IS NULL) OR (state <> 'not_asked' AND state <> 'waiting' AND asked_at IS NULL))";
    assert_eq!(q!(conn, fetch_one scalar i64, silent, DEMO_ORG).unwrap(), 0, "{at}");
    let unheard = "SELECT COUNT(*) FROM review r JOIN review_request a ON a.org_id = r.org_id AND a.lead_id = r.lead_id
         WHERE r.org_id = $1 AND (a.asked_at IS NULL OR a.asked_at > r.received_at)";
    assert_eq!(q!(conn, fetch_one scalar i64, unheard, DEMO_ORG).unwrap(), 0, "{at}: reviewed before they were asked");
}

/// A day in five items: a call and a request to answer, approved work to schedule, a poor review, and money.
async fn worklist_tells_a_day(demo: &Client, at: &str) {
    let items = demo.get("/api/worklist").await.json();
    let mut kinds: Vec<&str> = items.as_array().unwrap().iter().map(|item| item["kind"].as_str().unwrap()).collect();
    // Of the two who wait for an answer the one with the earlier promise comes first.
    let people = kinds.len().min(2);
    kinds[..people].sort_unstable();
    assert_eq!(kinds, ["answer", "call_back", "schedule", "review_answer", "collect"], "{at}: {items}");
    let snoozed = demo.get("/api/worklist?view=snoozed").await.json();
    assert!(snoozed.as_array().unwrap().iter().all(|item| item["kind"] == "collect"), "{at}: {snoozed}");
    assert_eq!(snoozed.as_array().map(Vec::len), Some(4), "{at}");
}

async fn everything_a_firm_has_is_there(app: &TestApp) {
    let demo = app.client().at_demo();
    let today = "2026-09-17";
    for (path, least) in [
        ("/api/leads/demo?limit=200", 100),
        ("/api/customers?limit=200", 90),
        ("/api/jobs?limit=200", 75),
        ("/api/invoices?limit=200", 60),
        ("/api/payments?limit=200", 50),
        ("/api/reviews?limit=100", 25),
        ("/api/inbox", 20),
        ("/api/price-items", 14),
        ("/api/crews", 3),
        ("/api/team", 5),
        ("/api/alerts", 10),
        ("/api/canned-replies", 3),
    ] {
        let answer = demo.get(path).await;
        let listed = answer.json().as_array().map_or(0, Vec::len);
        assert!(answer.status == 200 && listed >= least, "{path}: {} {listed}", answer.status);
    }
    let schedule = demo.get(&format!("/api/schedule?from={today}&days=7")).await.json();
    assert!(schedule["jobs"].as_array().unwrap().len() >= 15, "{schedule}");
    let mails: Vec<Value> = demo.get("/api/customers?limit=200").await.json().as_array().unwrap().clone();
    for customer in &mails {
        let email = customer["email"].as_str().unwrap_or("x@example.com");
        assert!(email.ends_with("@example.com"), "{email}");
    }
    let spanish = app.demo_rows().await["lead"].iter().filter(|row| row.contains("calentador")).count();
    assert!(spanish >= 1);
}

both_databases! {
    async fn demo_figures_hold_on_calendar_edge_dates(app) {
        // The calendar has the same effect on both databases; seeding takes longer on PostgreSQL.
        let days = if app.db.engine() == Engine::Postgres { &DAYS[..1] } else { &DAYS[..] };
        for &at in days {
            on(app, at).await;
            let (visitor, demo) = (app.client(), app.client().at_demo());
            tiles(&demo, at).await;
            let kpis = kpis(&visitor, "demo").await;
            assert_eq!(kpis["isCounted"], true);
            money(&kpis, at);
            week(&kpis, at);
            everybody_is_asked_for_a_review(app, &demo, at).await;
            worklist_tells_a_day(&demo, at).await;
            app.figures_agree().await;
            if at == DAYS[0] {
                everything_a_firm_has_is_there(app).await;
            }
        }
    }
}
