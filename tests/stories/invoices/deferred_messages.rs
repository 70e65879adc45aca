//! A message that is held until morning is not sent when its subject has ended before.

use chrono::Duration;
use serde_json::json;
use shared::platform::{db::q, id::InvoiceId};
use tests::{app::TestApp, both_databases};

use super::{BillingFixture, billing_fixture};

/// An invoice whose text waits for the morning.
async fn held(app: &TestApp, fixture: &BillingFixture) -> InvoiceId {
    app.advance(Duration::hours(13));
    let draft = fixture.of_lead(json!({"lines": [{"name": "Work", "unitPrice": 90}]})).await;
    fixture.sends(&draft, json!({"email": false, "text": true})).await;
    app.run_tasks().await;
    let waiting = app.outbox(fixture.shop.id(), fixture.lead).await;
    assert!(waiting.iter().any(|line| line.starts_with("invoice sms: held")), "{waiting:?}");
    serde_json::from_value(draft["id"].clone()).unwrap()
}

async fn is_stopped(app: &TestApp, fixture: &BillingFixture, line: &str) {
    app.live_through(Duration::hours(14), Duration::minutes(30)).await;
    let outbox = app.outbox(fixture.shop.id(), fixture.lead).await;
    assert!(outbox.iter().any(|one| one == line), "{outbox:?}");
}

both_databases! {
    async fn held_text_of_a_paid_invoice_is_stopped_with_its_reason(app) {
        let fixture = billing_fixture(app).await;
        held(app, &fixture).await;
        fixture.pays(json!({"amount": 90})).await;
        is_stopped(app, &fixture, "invoice sms: not sent: the invoice was paid").await;
    }

    async fn held_text_of_an_invoice_is_rechecked_on_release(app) {
        let fixture = billing_fixture(app).await;
        let id = held(app, &fixture).await;
        app.advance(Duration::seconds(1));
        let sql = "UPDATE invoice SET status = 'paid', settled_at = $2 WHERE id = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, id, app.now())?)).await.unwrap();
        is_stopped(app, &fixture, "invoice sms: not sent: the invoice was paid").await;
    }

    async fn held_text_of_a_voided_invoice_is_stopped_with_its_reason(app) {
        let fixture = billing_fixture(app).await;
        let id = held(app, &fixture).await;
        let answer = fixture.does(&json!({"id": id}), "/void", json!({"reason": "Wrong customer"})).await;
        assert!(answer.status.is_success(), "{}", answer.json());
        is_stopped(app, &fixture, "invoice sms: not sent: the invoice was voided").await;
    }
}
