//! What a receipt says is still due: only what the customer approved or was billed for.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use tests::{app::TestApp, both_databases};

use super::{BillingFixture, billing_fixture, words};

const STILL: &str = "Still to be paid";

async fn receipt(fixture: &BillingFixture, paid: &Value) -> String {
    let payment = paid["payment"]["id"].as_str().unwrap();
    let answer = fixture.office.get(&format!("/api/payments/{payment}/receipt")).await;
    assert_eq!(answer.status, 200);
    words(&answer.body)
}

async fn approves(fixture: &BillingFixture, app: &TestApp) {
    app.run_tasks().await;
    let open = fixture.office.get(&format!("/api/leads/{}/estimates", fixture.lead)).await.json()[0].clone();
    let at = super::at(&open);
    let page = String::from_utf8(app.client().get(&at).await.body).unwrap();
    let sha256 = &page.split("name=\"sha256\" value=\"").nth(1).unwrap()[..64];
    let body = format!("name=Ann+Lee&agree=yes&sha256={sha256}").into_bytes();
    let kind = "application/x-www-form-urlencoded";
    assert_eq!(app.client().send(Method::POST, &format!("{at}/approve"), kind, body).await.status, 303);
    app.run_tasks().await;
}

/// What the customer's page names as owed, and the part of it that no invoice asks for.
async fn owed_on_record(fixture: &BillingFixture) -> Value {
    let listed = fixture.office.get("/api/customers").await.json();
    let customer = listed[0]["id"].as_str().unwrap();
    let money = fixture.office.get(&format!("/api/customers/{customer}")).await.json()["money"].clone();
    json!([money["owed"], money["notInvoiced"]])
}

both_databases! {
    async fn approved_amount_is_owed_as_not_yet_invoiced(app) {
        let fixture = billing_fixture(app).await;
        fixture.agrees(1000.0).await;
        assert_eq!(owed_on_record(&fixture).await, json!([0.0, 0.0]), "an estimate that is not approved is no debt");
        approves(&fixture, app).await;
        assert_eq!(owed_on_record(&fixture).await, json!([1000.0, 1000.0]));
        fixture.pays(json!({"amount": 300, "partial": true, "method": "check"})).await;
        assert_eq!(owed_on_record(&fixture).await, json!([700.0, 700.0]));
        app.advance(Duration::minutes(2));
        fixture.issues(json!({"lines": [{"name": "New valve", "unitPrice": 1100}]})).await;
        assert_eq!(owed_on_record(&fixture).await, json!([800.0, 0.0]), "the invoice asks for all of it");
        app.run_tasks().await;
    }

    async fn receipt_of_invoice_payment_excludes_the_open_estimate(app) {
        let fixture = billing_fixture(app).await;
        fixture.agrees(1000.0).await;
        let invoice = fixture.issues(json!({"lines": [{"name": "Call-out", "unitPrice": 200}]})).await;
        let paid = fixture.pays(json!({"amount": 150, "partial": true, "invoiceId": invoice["id"]})).await;
        assert!(receipt(&fixture, &paid).await.contains("Still to be paid $50.00"), "{}", receipt(&fixture, &paid).await);
        let listed = fixture.office.get("/api/customers").await.json();
        assert_eq!(listed[0]["owed"], 50.0, "nor in the list of customers");
        let money = fixture.money().await;
        assert_eq!(money["owed"], 850.0, "the office reckons with the work that it hopes for");
        assert_eq!(money["owedApproved"], 50.0, "an estimate that is not approved is no debt");
        app.run_tasks().await;
    }

    async fn receipt_of_deposit_shows_the_rest_of_the_approved_estimate(app) {
        let fixture = billing_fixture(app).await;
        fixture.agrees(1000.0).await;
        approves(&fixture, app).await;
        let deposit = fixture.pays(json!({"amount": 300, "partial": true, "method": "check"})).await;
        assert!(receipt(&fixture, &deposit).await.contains("Still to be paid $700.00"));
        app.advance(Duration::minutes(2));
        let invoice = fixture.issues(json!({"lines": [{"name": "New valve", "unitPrice": 1100}]})).await;
        let part = fixture.pays(json!({"amount": 500, "partial": true, "invoiceId": invoice["id"]})).await;
        assert!(receipt(&fixture, &part).await.contains("Still to be paid $300.00"));
        app.run_tasks().await;
    }

    async fn receipt_of_prepayment_without_approval_states_no_balance(app) {
        let fixture = billing_fixture(app).await;
        let plain = fixture.pays(json!({"amount": 40, "partial": true})).await;
        assert!(!receipt(&fixture, &plain).await.contains(STILL));
        app.advance(Duration::minutes(2));
        fixture.agrees(1000.0).await;
        let ahead = fixture.pays(json!({"amount": 60, "partial": true})).await;
        let receipt_text = receipt(&fixture, &ahead).await;
        assert!(receipt_text.contains("$60.00") && !receipt_text.contains(STILL) && !receipt_text.contains("Credit"), "{receipt_text}");
        app.run_tasks().await;
    }
}
