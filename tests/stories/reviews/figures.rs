//! Review requests and reviews in the owner's figures, with as many rows behind each figure.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use tests::{
    app::TestApp,
    both_databases,
    figures::{daily, kpis},
};

use super::{ReviewFixture, firm, later};

const ACME: &str = "acme-plumbing";

/// The last seven days: requests, reviews, and their mean.
async fn week(app: &TestApp, firm: &ReviewFixture) -> Value {
    let reviews = kpis(&firm.office(app).await, ACME).await["week"]["reviews"].clone();
    json!([reviews["asked"]["value"], reviews["received"]["value"], reviews["average"]])
}

/// Requests and reviews of the last days.
async fn days(app: &TestApp, firm: &ReviewFixture, count: u32) -> Vec<Value> {
    let days = daily(&firm.office(app).await, ACME, count).await;
    days.iter().map(|day| json!([day["reviewsRequested"], day["reviewsReceived"]])).collect()
}

async fn rows(app: &TestApp, firm: &ReviewFixture, which: &str) -> String {
    let office = firm.office(app).await;
    let shown = kpis(&office, ACME).await["week"]["reviews"][which]["rows"].as_str().unwrap().to_owned();
    let path = match shown.split_once("tab=asked&") {
        Some((_, span)) => format!("/api/reviews/asks?{span}"),
        None => shown.replace("/app/reviews?", "/api/reviews?"),
    };
    office.get(&path).await.header("x-total-count").to_owned()
}

both_databases! {
    async fn requests_and_reviews_count_in_the_figures_of_their_day(app) {
        let firm = firm(app).await;
        let saved = async |app: &TestApp| kpis(&firm.office(app).await, ACME).await["week"]["timeSaved"]["followUps"]["actions"].as_i64().unwrap();
        for n in 1..=3 {
            firm.served(app, n).await;
        }
        let before = saved(app).await;
        assert_eq!(week(app, &firm).await, json!([0, 0, null]), "their hour has not come");
        later(app, Duration::hours(3)).await;
        assert_eq!(week(app, &firm).await, json!([3, 0, null]));
        assert_eq!(saved(app).await, before + 3, "automatic requests count as saved work");
        assert_eq!(days(app, &firm, 1).await, [json!([3, 0])]);
        app.figures_agree().await;
        later(app, Duration::days(1)).await;
        for (rating, date) in [(5.0, "2026-09-17"), (4.5, "2026-09-18"), (2.0, "2026-08-30")] {
            let added = firm.post(app, "/api/reviews", &json!({"rating": rating, "date": date})).await;
            assert_eq!(added.status, 201, "{}", added.json());
        }
        assert_eq!(week(app, &firm).await, json!([3, 2, 4.75]), "one is dated of last month");
        assert_eq!(days(app, &firm, 2).await, [json!([3, 1]), json!([0, 1])]);
        assert_eq!((rows(app, &firm, "asked").await, rows(app, &firm, "received").await), ("3".into(), "2".into()));
        app.figures_agree().await;
        app.run_tasks().await;
    }

    async fn removed_or_rewritten_review_leaves_no_trace_in_the_figures(app) {
        let firm = firm(app).await;
        let first = firm.post(app, "/api/reviews", &json!({"rating": 4})).await.json();
        let key = firm.post(app, "/api/org/acme-plumbing/review-webhook", &json!({})).await.json()["key"].as_str().unwrap().to_owned();
        for rating in [1, 5] {
            let body = json!({"id": "g-1", "rating": rating, "source": "Google"}).to_string().into_bytes();
            let brought = app.client().send(Method::POST, &format!("/api/webhooks/reviews/{key}"), "application/json", body).await;
            assert!(brought.status.is_success(), "{}", brought.json());
        }
        assert_eq!(week(app, &firm).await, json!([0, 2, 4.5]), "its author thought better of it");
        app.figures_agree().await;
        let path = format!("/api/reviews/{}", first["id"].as_str().unwrap());
        assert_eq!(firm.office(app).await.send(Method::DELETE, &path, "", vec![]).await.status, 204);
        assert_eq!(week(app, &firm).await, json!([0, 1, 5.0]));
        app.figures_agree().await;
        assert_eq!(app.recounts(firm.shop.id()).await.days_wrong, 0);
        app.run_tasks().await;
    }

    async fn review_lists_filter_by_day_and_refuse_invalid_dates(app) {
        let firm = firm(app).await;
        let office = firm.office(app).await;
        for date in ["2026-09-01", "2026-09-02", "2026-09-03"] {
            assert_eq!(office.post("/api/reviews", &json!({"rating": 5, "date": date})).await.status, 201);
        }
        for (span, wanted) in [("from=2026-09-02", "2"), ("to=2026-09-02", "2"), ("from=2026-09-02&to=2026-09-02", "1"), ("from=2026-09-04", "0")] {
            assert_eq!(office.get(&format!("/api/reviews?{span}")).await.header("x-total-count"), wanted, "{span}");
        }
        let file = String::from_utf8(office.get("/api/reviews/export?from=2026-09-03").await.body).unwrap();
        assert_eq!(file.lines().count(), 2, "{file}");
        for path in ["/api/reviews", "/api/reviews/asks", "/api/reviews/export"] {
            for (query, field) in [("from=soon", "from"), ("to=2026-02-30", "to"), ("to=99999-01-01", "to"), ("from=2026-09-02&to=2026-09-01", "to")] {
                assert_eq!(office.get(&format!("{path}?{query}")).await.problem().2, [field], "{path}?{query}");
            }
        }
    }
}
