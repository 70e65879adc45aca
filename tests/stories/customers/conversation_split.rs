//! Two conversations split again: each line of the inbox shows the last message of its own conversation.

use chrono::Duration;
use serde_json::{Value, json};
use shared::platform::{db::q, id::CustomerId};
use tests::{
    app::TestApp,
    both_databases,
    http::Client,
    phone::{ANN, Line},
};

use super::{merges, parts};

const NUMBER: &str = "+15125550100";
const BOB: &str = "+15125550177";

/// Each line of the inbox, newest first: text, kind, and number of unread messages.
async fn lines(office: &Client) -> Vec<(String, String, i64)> {
    let list = office.get("/api/inbox").await.json();
    let line = |thread: &Value| {
        let text_field = |name: &str| thread[name].as_str().unwrap().to_owned();
        (text_field("lastPreview"), text_field("lastKind"), thread["unread"].as_i64().unwrap())
    };
    list.as_array().unwrap().iter().map(line).collect()
}

fn line(words: &str, kind: &str, unread: i64) -> (String, String, i64) {
    (words.to_owned(), kind.to_owned(), unread)
}

/// Ann has written, and then Bob; then the two were merged by mistake.
async fn made_one(app: &mut TestApp) -> (Line, Client, [Value; 2], Value) {
    let mut shop = app.org("Acme Plumbing").await;
    let phone = app.line(&mut shop, NUMBER).await;
    phone.writes(ANN, "Do you fix boilers?").await;
    app.run_tasks().await;
    app.advance(Duration::minutes(1));
    phone.writes(BOB, "My sink drips").await;
    app.run_tasks().await;
    let office = app.client().signed_in(app, shop.owner()).await;
    let threads = office.get("/api/inbox").await.json();
    let [ann, bob] = [&threads[1], &threads[0]].map(|thread| thread["customerId"].as_str().unwrap().parse().unwrap());
    let merged = merges(&office, CustomerId(bob), CustomerId(ann)).await;
    assert_eq!(lines(&office).await, [line("My sink drips", "in", 2)]);
    (phone, office, [threads[1].clone(), threads[0].clone()], merged)
}

/// After payment the next request is a new lead.
async fn all_is_paid(app: &TestApp) {
    app.within(async |tx| Ok(q!(tx, execute, "UPDATE lead SET stage = 'paid'")?)).await.unwrap();
    app.advance(Duration::minutes(1));
}

both_databases! {
    async fn merge_undo_restores_inbox_preview_of_each_conversation(app) {
        let (phone, office, [_, bob], merged) = made_one(app).await;
        all_is_paid(app).await;
        phone.writes(BOB, "It drips more").await;
        app.run_tasks().await;
        all_is_paid(app).await;
        phone.rings(ANN, []).await;
        app.run_tasks().await;
        assert_eq!(lines(&office).await, [line("Missed call", "call", 4)]);
        assert_eq!(parts(&office, &merged).await.status, 200);
        assert_eq!(lines(&office).await, [line("Missed call", "call", 2), line("It drips more", "in", 2)]);
        let waits = office.get("/api/inbox").await.json()[1]["waitingSince"].clone();
        assert_ne!(waits, bob["waitingSince"], "since his last words");
        app.run_tasks().await;
    }

    async fn reply_to_merged_thread_marks_both_read_after_undo(app) {
        let (phone, office, [ann, _], merged) = made_one(app).await;
        app.advance(Duration::minutes(1));
        let written = json!({"channel": "sms", "body": "Tuesday at four", "leadId": ann["leadId"]});
        let path = format!("/api/customers/{}/messages", ann["customerId"].as_str().unwrap());
        let sent = office.post(&path, &written).await;
        assert_eq!(sent.status, 201, "{}", sent.json());
        all_is_paid(app).await;
        phone.writes(BOB, "It drips more").await;
        app.run_tasks().await;
        assert_eq!(lines(&office).await, [line("It drips more", "in", 1)]);
        assert_eq!(parts(&office, &merged).await.status, 200);
        assert_eq!(lines(&office).await, [line("It drips more", "in", 1), line("Tuesday at four", "out", 0)]);
        app.run_tasks().await;
    }
}
