//! One visit of a customer: duration of an emergency, the next alert about the same person, and what ends a reminder.

use chrono::Duration;
use serde_json::json;
use tests::{
    app::TestApp,
    both_databases,
    people::{Shop, Visitor},
    phone::{ANN, Line, OWNER},
};

const NUMBER: &str = "+15125550100";

/// Alerts to the business, oldest first: kind, and whether urgent.
async fn alerts(app: &TestApp) -> Vec<(String, bool)> {
    let sql = "SELECT kind, is_urgent FROM alert ORDER BY created_at, id";
    shared::q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all as (String, bool), sql).unwrap()
}

async fn writes(app: &TestApp, line: &Line, from: &str, words: &str) {
    line.writes(from, words).await;
    app.run_tasks().await;
}

fn alert_row(kind: &str, is_urgent: bool) -> (String, bool) {
    (kind.to_owned(), is_urgent)
}

async fn answers_ann(app: &TestApp, shop: &Shop) {
    let office = app.client().signed_in(app, shop.owner()).await;
    let ann = office.get("/api/inbox?q=512555").await.json()[0]["customerId"].as_str().unwrap().to_owned();
    let written = json!({"channel": "sms", "body": "We are on our way."});
    assert_eq!(office.post(&format!("/api/customers/{ann}/messages"), &written).await.status, 201);
}

both_databases! {
    async fn emergency_ends_twelve_hours_after_its_message(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        writes(app, &line, ANN, "The basement is flooded").await;
        app.advance(Duration::hours(11));
        writes(app, &line, ANN, "When do you come?").await;
        app.advance(Duration::minutes(59));
        line.rings(ANN, []).await;
        app.advance(Duration::minutes(2));
        writes(app, &line, ANN, "Thank you. What time tomorrow?").await;
        app.advance(Duration::minutes(20));
        line.rings(ANN, []).await;
        let alert_list = alerts(app).await;
        let urgent = [alert_row("text_received", true), alert_row("text_received", true), alert_row("missed_call", true)];
        assert_eq!(alert_list[..3], urgent, "{alert_list:?}");
        assert_eq!(alert_list[3..], [alert_row("missed_call", false)], "the text came within ten minutes of the call");
        app.run_tasks().await;
    }

    async fn floodlight_raises_no_urgent_alert_and_flooding_does(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        writes(app, &line, ANN, "Can you install floodlights? Not urgent.").await;
        writes(app, &line, "+15125550143", "My kitchen is flooding").await;
        assert_eq!(alerts(app).await, [alert_row("text_received", false), alert_row("text_received", true)]);
        app.run_tasks().await;
        assert!(!line.texts_to(ANN)[0].contains("911") && line.texts_to("+15125550143")[0].contains("911"));
    }

    async fn further_texts_are_alerted_again_after_ten_minutes(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        for n in 0..5 {
            writes(app, &line, ANN, &format!("And another thing, number {n}")).await;
            app.advance(Duration::minutes(9));
        }
        assert_eq!(alerts(app).await.len(), 3, "at once, after 18 minutes, and after 36");
        app.run_tasks().await;
    }

    async fn reply_after_staff_answer_is_alerted_at_once(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        writes(app, &line, ANN, "Can you come today?").await;
        app.advance(Duration::minutes(3));
        answers_ann(app, &shop).await;
        app.advance(Duration::minutes(1));
        writes(app, &line, ANN, "Great, which door?").await;
        assert_eq!(alerts(app).await.len(), 2);
        app.advance(Duration::minutes(1));
        writes(app, &line, ANN, "There are two").await;
        assert_eq!(alerts(app).await.len(), 2, "no further alert without an answer");
        app.sets(&shop, json!({"calls": {"forwardTo": [OWNER]}})).await;
        line.rings(ANN, [tests::fake_twilio::Leg::accepts(OWNER)]).await;
        app.advance(Duration::minutes(1));
        writes(app, &line, ANN, "I forgot to say: ring twice").await;
        assert_eq!(alerts(app).await.len(), 3, "an answered call is an answer too");
        app.run_tasks().await;
    }

    async fn emergency_is_alerted_once_per_visit_and_at_once_after_a_call(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        line.rings(ANN, []).await;
        for words in ["Flood!", "The flood is in the hall", "Hello?"] {
            app.advance(Duration::seconds(20));
            writes(app, &line, ANN, words).await;
        }
        assert_eq!(alerts(app).await, [alert_row("missed_call", false), alert_row("text_received", true)]);
        let mut ann = Visitor::ann();
        ann.form.notes = Some("flooded, please come".into());
        ann.submits_lead(app, &shop).await;
        assert_eq!(alerts(app).await.len(), 2);
        app.run_tasks().await;
    }

    async fn form_after_missed_call_cancels_reminder(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        line.rings(ANN, []).await;
        app.live_through(Duration::minutes(30), Duration::minutes(1)).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.live_through(Duration::days(3), Duration::minutes(30)).await;
        assert_eq!(line.texts_to(ANN).len(), 1, "the text, and no reminder: {:?}", line.texts_to(ANN));
    }

    async fn quarantined_form_does_not_cancel_missed_call_reminder(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        line.rings(ANN, []).await;
        app.live_through(Duration::minutes(30), Duration::minutes(1)).await;
        let mut robot = Visitor::ann();
        robot.form.company = Some("Best SEO Ltd".into());
        robot.submits_lead(app, &shop).await;
        app.live_through(Duration::days(3), Duration::minutes(30)).await;
        assert_eq!(line.texts_to(ANN).len(), 2, "{:?}", line.texts_to(ANN));
    }

    async fn second_missed_call_keeps_the_single_reminder(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        line.rings(ANN, []).await;
        app.live_through(Duration::minutes(30), Duration::minutes(1)).await;
        line.rings(ANN, []).await;
        app.live_through(Duration::minutes(80), Duration::minutes(1)).await;
        assert_eq!(line.texts_to(ANN).len(), 1, "not yet two hours after the first text");
        app.live_through(Duration::minutes(20), Duration::minutes(1)).await;
        assert_eq!(line.texts_to(ANN).len(), 2, "{:?}", line.texts_to(ANN));
        app.live_through(Duration::days(3), Duration::minutes(30)).await;
        assert_eq!(line.texts_to(ANN).len(), 2, "and no other: {:?}", line.texts_to(ANN));
    }
}
