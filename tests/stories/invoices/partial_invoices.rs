//! Partial invoices that sum to what was agreed, and voided ones.

use axum::http::Method;
use serde_json::json;
use tests::both_databases;

use super::{billing_fixture, path};

both_databases! {
    async fn partial_and_final_invoices_sum_to_the_agreed_total(app) {
        let fixture = billing_fixture(app).await;
        fixture.agrees(1000.01).await;
        let first = fixture.issues(json!({"share": {"percent": 33.3333}})).await;
        assert_eq!((&first["total"], &first["content"]["lines"][0]["name"]), (&json!(333.34), &json!("Progress payment 33.3333% of EST-1001")));
        let stale = fixture.of_lead(json!({})).await;
        let second = fixture.issues(json!({"share": {"amount": 250}})).await;
        let refused = fixture.does(&stale, "/send", json!({})).await;
        assert_eq!(refused.status, 409, "what is left is less now: {}", refused.json());
        assert_eq!(fixture.office.send(Method::DELETE, &path(&stale, ""), "", Vec::new()).await.status, 204);
        let more = fixture.office.post("/api/invoices", &json!({"leadId": fixture.lead, "share": {"amount": 416.68}})).await;
        assert_eq!(more.json()["errors"]["share"], "Only $416.67 of what was agreed is not invoiced yet");
        let last = fixture.issues(json!({})).await;
        let names: Vec<_> = last["content"]["lines"].as_array().unwrap().iter().map(|line| (line["name"].as_str().unwrap(), line["unitPrice"].as_f64().unwrap())).collect();
        assert_eq!(names, [("Work as discussed: Plumbing", 1000.01), ("Invoiced before: INV-1001", -333.34), ("Invoiced before: INV-1002", -250.0)]);
        assert_eq!((&second["number"], &last["number"], &last["total"]), (&json!("INV-1002"), &json!("INV-1003"), &json!(416.67)));
        let nothing = fixture.office.post("/api/invoices", &json!({"leadId": fixture.lead})).await;
        assert_eq!((nothing.status.as_u16(), nothing.json()["detail"].as_str()), (409, Some("Everything agreed has been invoiced.")));
        let money = fixture.money().await;
        assert_eq!((&money["invoiced"], &money["owed"], money["invoices"].as_array().unwrap().len()), (&json!(1000.01), &json!(1000.01), 3));
        let paid = fixture.pays(json!({"amount": 416.67, "invoiceId": last["id"], "partial": true})).await;
        assert_eq!(paid["payment"]["allocations"][0]["number"], "INV-1003", "the payment is allocated to its invoice");
        assert_eq!((&fixture.shown(&last).await["status"], &fixture.shown(&first).await["paid"]), (&json!("paid"), &json!(0.0)));
        app.run_tasks().await;
    }

    async fn voided_invoice_returns_the_deposit_to_the_next_invoice(app) {
        let fixture = billing_fixture(app).await;
        fixture.agrees(500.0).await;
        fixture.pays(json!({"amount": 100, "partial": true})).await;
        let wrong = fixture.issues(json!({"lines": [{"name": "New valve", "unitPrice": 500}]})).await;
        assert_eq!(fixture.shown(&wrong).await["paid"], 100.0, "the advance payment is applied");
        let void = fixture.does(&wrong, "/void", json!({"reason": "The wrong price"})).await;
        assert_eq!((&void.json()["status"], &void.json()["paid"]), (&json!("void"), &json!(0.0)), "{}", void.json());
        let right = fixture.issues(json!({"lines": [{"name": "New valve", "unitPrice": 450}]})).await;
        let shown = fixture.shown(&right).await;
        assert_eq!((&shown["paid"], &shown["balance"]), (&json!(100.0), &json!(350.0)));
        fixture.pays(json!({"amount": 350})).await;
        assert_eq!(fixture.shown(&right).await["status"], "paid");
        assert_eq!(fixture.does(&right, "/void", json!({"reason": "Taken back"})).await.json()["status"], "void");
        app.run_tasks().await;
    }
}
