//! Preview of a switch: the exact messages that it will cause, which the provider's ledger later confirms.

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use tests::{
    app::TestApp,
    both_databases,
    http::Client,
    phone::{ANN, Line},
};

use super::{owner, patch};

const NUMBER: &str = "+15125550100";
const BEN: &str = "+15125550143";

async fn turned(client: &Client, on: bool) {
    let change = json!({"switches": {"automatedCommunications": on}});
    assert_eq!(patch(client, "/api/org/acme-plumbing/settings", &change).await.status, 200);
}

async fn ahead(client: &Client, query: &str) -> Value {
    let answer = client.get(&format!("/api/org/acme-plumbing/preview?{query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

fn texts(preview: &Value) -> Vec<String> {
    preview["messages"].as_array().unwrap().iter().map(|m| m["text"].as_str().unwrap().to_owned()).collect()
}

/// Ann's call was missed; the switch is off before her text is due.
async fn ann_rang(app: &mut TestApp) -> (Line, Client) {
    let mut shop = app.org("Acme Plumbing").await;
    let line = app.line(&mut shop, NUMBER).await;
    let client = owner(app, &shop).await;
    line.rings(ANN, []).await;
    turned(&client, false).await;
    (line, client)
}

const SWITCH: &str = "switch=automatedCommunications";

both_databases! {
    async fn previewed_messages_are_those_sent_when_the_switch_turns_on(app) {
        let (line, client) = ann_rang(app).await;
        let shown = ahead(&client, SWITCH).await;
        let rows = shown["messages"].as_array().unwrap();
        assert_eq!(rows.len(), 2, "the text and its reminder: {shown}");
        assert_eq!((&rows[0]["kind"], &rows[1]["kind"], &rows[0]["to"]), (&json!("missed_call"), &json!("nudge"), &json!(ANN)));
        let times: Vec<DateTime<Utc>> = rows.iter().map(|row| row["at"].as_str().unwrap().parse().unwrap()).collect();
        assert_eq!(times, [app.now() + Duration::seconds(10), app.now() + Duration::hours(2)]);
        assert!(rows.iter().all(|row| row["leadId"].is_string() && row["why"].as_str().is_some_and(|why| !why.is_empty())));
        assert_eq!(ahead(&client, "switch=leadIntake").await["messages"], json!([]), "another switch gates none of them");
        assert_eq!(ahead(&client, "switch=reviewCollection&days=90").await, json!({"messages": [], "oldRecords": 0}));
        assert!(line.texts_to(ANN).is_empty(), "looking sends nothing");
        turned(&client, true).await;
        app.live_through(Duration::hours(3), Duration::minutes(1)).await;
        assert_eq!(line.texts_to(ANN), texts(&shown));
        assert_eq!(ahead(&client, SWITCH).await["messages"], json!([]), "all of it has left");
    }

    async fn preview_omits_opt_outs_answered_nudges_and_messages_over_budget(app) {
        let (line, client) = ann_rang(app).await;
        turned(&client, true).await;
        line.rings(BEN, []).await;
        turned(&client, false).await;
        assert_eq!(ahead(&client, SWITCH).await["messages"].as_array().map(Vec::len), Some(4));
        patch(&client, "/api/org/acme-plumbing/settings", &json!({"sending": {"dailyTextBudget": 3}})).await;
        assert_eq!(ahead(&client, SWITCH).await["messages"].as_array().map(Vec::len), Some(3), "three a day");
        patch(&client, "/api/org/acme-plumbing/settings", &json!({"sending": {"dailyTextBudget": 100}})).await;
        line.writes(ANN, "STOP").await;
        let left = ahead(&client, SWITCH).await;
        assert!(left["messages"].as_array().unwrap().iter().all(|row| row["to"] == BEN), "{left}");
        line.writes(BEN, "Can you come at four?").await;
        app.run_tasks().await;
        let left = ahead(&client, SWITCH).await;
        assert!(left["messages"].as_array().unwrap().iter().all(|row| row["kind"] != "nudge"), "{left}");
        turned(&client, true).await;
        let before = line.texts_to(BEN).len();
        app.live_through(Duration::hours(3), Duration::minutes(1)).await;
        assert_eq!(line.texts_to(BEN)[before..], texts(&left), "{left}");
    }

    async fn requests_received_while_off_are_counted_and_not_answered_later(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let client = owner(app, &shop).await;
        turned(&client, false).await;
        line.rings(ANN, []).await;
        line.writes(BEN, "Do you fix boilers?").await;
        app.run_tasks().await;
        let shown = ahead(&client, SWITCH).await;
        assert_eq!(shown, json!({"messages": [], "oldRecords": 2}));
        turned(&client, true).await;
        app.live_through(Duration::hours(3), Duration::minutes(5)).await;
        assert!(line.texts_to(ANN).is_empty() && line.texts_to(BEN).is_empty());
    }

    async fn invalid_preview_query_names_its_field(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = owner(app, &shop).await;
        for (query, field) in [("", "switch"), ("switch=everything", "switch"), ("switch=leadIntake&days=0", "days"),
            ("switch=leadIntake&days=91", "days")] {
            let answer = client.get(&format!("/api/org/acme-plumbing/preview?{query}")).await;
            assert_eq!(answer.problem(), (422, "validation_failed".into(), vec![field.into()]), "{query}");
        }
    }
}
