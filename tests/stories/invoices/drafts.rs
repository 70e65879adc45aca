//! Changes of a draft; a repeated request makes one draft and one sending.

use axum::http::Method;
use chrono::Duration;
use serde_json::json;
use tests::both_databases;

use super::{billing_fixture, letters, path, text, texts};

both_databases! {
    async fn draft_is_editable_and_repeated_requests_create_and_send_it_once(app) {
        let fixture = billing_fixture(app).await;
        fixture.agrees(500.0).await;
        let keyed = fixture.office.with("idempotency-key", "a tap and a nervous tap");
        let body = json!({"leadId": fixture.lead});
        let first = keyed.post("/api/invoices", &body).await.json();
        assert_eq!(keyed.post("/api/invoices", &body).await.json()["id"], first["id"]);
        let change = json!({"lines": [{"name": "Less work than we thought", "unitPrice": 420}], "dueOn": "2026-09-20"});
        let changed = fixture.office.send(Method::PATCH, &path(&first, ""), "application/json", change.to_string().into_bytes()).await.json();
        assert_eq!((&changed["total"], &changed["dueOn"], &changed["content"]["isFinal"]), (&json!(420.0), &json!("2026-09-20"), &json!(true)));
        let sent = keyed.post(&path(&first, "/send"), &json!({})).await.json();
        assert_eq!(keyed.post(&path(&first, "/send"), &json!({})).await.json(), sent);
        app.run_tasks().await;
        assert_eq!((letters(app).len(), texts(app).len()), (1, 1));
        assert_eq!(fixture.money().await["owed"], 420.0, "the last invoice is all that is asked for");
        fixture.sends(&first, json!({"text": false})).await;
        app.run_tasks().await;
        assert_eq!((letters(app).len(), texts(app).len()), (2, 1), "sent again by hand");
        app.advance(Duration::minutes(1));
        let extra = fixture.issues(json!({"lines": [{"name": "A washer", "unitPrice": 5}]})).await;
        let list = async |query: &str| {
            let answer = fixture.office.get(&format!("/api/invoices{query}")).await;
            (answer.header("x-total-count").to_owned(), answer.json())
        };
        assert_eq!(list("").await.0, "2");
        assert_eq!(list("?q=inv-1002").await.1[0]["id"], extra["id"]);
        assert_eq!((list("?status=overdue").await.0.as_str(), list("?status=open&q=ann").await.0.as_str()), ("0", "2"));
        let page = fixture.office.get("/api/invoices?limit=1").await;
        let next = page.header("link").split(['<', '>']).nth(1).unwrap().to_owned();
        assert_eq!(fixture.office.get(&next).await.json()[0]["id"], first["id"]);
        let ordered = async |query: &str| {
            let (mut numbers, mut next) = (Vec::new(), format!("/api/invoices?limit=1&sort={query}"));
            while !next.is_empty() {
                let page = fixture.office.get(&next).await;
                numbers.extend(page.json().as_array().unwrap().iter().map(|row| row["number"].clone()));
                next = page.header("link").split(['<', '>']).nth(1).unwrap_or_default().to_owned();
            }
            numbers
        };
        assert_eq!(ordered("newest").await, ["INV-1002", "INV-1001"]);
        assert_eq!(ordered("due").await, ["INV-1001", "INV-1002"], "the first is due in three days");
        assert_eq!(ordered("amount").await, ["INV-1001", "INV-1002"]);
        app.advance(Duration::days(4));
        let office = app.client().signed_in(app, fixture.shop.owner()).await;
        let late = office.get("/api/invoices?status=overdue").await.json();
        assert_eq!((&late[0]["number"], &late[0]["status"], &late[0]["daysOverdue"]), (&json!("INV-1001"), &json!("overdue"), &json!(1)));
        let file = office.get("/api/invoices/export?status=overdue").await;
        assert_eq!(file.header("content-disposition"), "attachment; filename=\"invoices-2026-09-21.csv\"");
        assert_eq!(text(&file), "Number,Customer,Issued,Due,Total,Paid,Balance,Status\r\nINV-1001,Ann Lee,2026-09-17,2026-09-20,420.00,0.00,420.00,overdue\r\n");
        let sums = office.get("/api/invoices/export?format=json").await.json();
        assert_eq!(sums["summary"], json!({"count": 2, "total": 425.0, "paid": 0.0, "balance": 425.0}));
        app.run_tasks().await;
    }
}
