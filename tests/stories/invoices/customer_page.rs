//! The customer's page of an invoice: what is still due, questions, and receipts.

use axum::http::Method;
use serde_json::{Value, json};
use shared::platform::db::q;
use tests::both_databases;

use super::{at, billing_fixture, text, words};

both_databases! {
    async fn page_question_reaches_the_inbox_and_revoked_link_is_not_found(app) {
        let fixture = billing_fixture(app).await;
        let invoice = fixture.issues(json!({"lines": [{"name": "New valve", "unitPrice": 90}]})).await;
        let at_first = at(&fixture.shown(&invoice).await);
        let customer = app.client();
        let asks = async |what: &[u8]| {
            customer.send(Method::POST, &format!("{at_first}/ask"), "application/x-www-form-urlencoded", what.to_vec()).await
        };
        let empty = asks(b"question=").await;
        assert!(empty.status == 422 && text(&empty).contains("Please write your question"), "{}", text(&empty));
        for _ in 0..2 {
            assert_eq!(asks(b"question=Is+the+old+valve+yours%3F").await.header("location"), format!("{at_first}?asked=1#ask"));
        }
        let page = text(&customer.get(&format!("{at_first}?asked=1")).await);
        assert!(page.contains("We have your question"), "{page}");
        let lead = fixture.office.get(&format!("/api/leads/{}", fixture.lead)).await.json();
        let asked: Vec<_> = lead["messages"].as_array().unwrap().iter().filter(|one| one["body"] == "INV-1001: Is the old valve yours?").collect();
        assert_eq!(asked.len(), 1, "a second tap is one question: {lead}");
        let alerts = fixture.office.get("/api/alerts").await.json();
        assert!(alerts.as_array().unwrap().iter().any(|alert| alert["title"] == "Ann Lee asks about invoice INV-1001"), "{alerts}");
        let renewed = fixture.does(&invoice, "/link", json!({"revoke": true})).await;
        assert_eq!(renewed.status, 200, "{}", renewed.json());
        let now_at = at(&renewed.json());
        assert_eq!((customer.get(&at_first).await.status.as_u16(), customer.get(&now_at).await.status.as_u16()), (404, 200));
        app.run_tasks().await;
    }

    async fn page_shows_customer_the_balance_due_and_receipts(app) {
        let fixture = billing_fixture(app).await;
        app.sets(&fixture.shop, json!({"invoicing": {"howToPay": "Checks to Acme, PO Box 7 <b>"}})).await;
        let invoice = fixture.issues(json!({"lines": [{"name": "Drain & trap", "unitPrice": 200}], "terms": "Net 14"})).await;
        let (at, customer) = (at(&invoice), app.client());
        let page = text(&customer.get(&at).await);
        for part in ["Invoice INV-1001", "Drain &amp; trap", "$200.00", "Checks to Acme, PO Box 7 &lt;b&gt;", "Please pay by Oct 1, 2026.", "Net 14"] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(page.len() < 20_000 && !page.contains("Payments"), "{}", page.len());
        assert_eq!(fixture.office.send(Method::POST, &format!("{at}/seen"), "", Vec::new()).await.status, 204);
        assert_eq!(fixture.shown(&invoice).await["viewedAt"], Value::Null, "the office's own look");
        assert_eq!(customer.send(Method::POST, &format!("{at}/seen"), "", Vec::new()).await.status, 204);
        assert!(fixture.shown(&invoice).await["viewedAt"].is_string());
        let paper = customer.get(&format!("{at}/pdf")).await;
        assert_eq!(paper.header("content-type"), "application/pdf");
        let policy = paper.header("content-security-policy");
        assert!(policy.contains("base-uri 'none'; frame-ancestors 'none'; sandbox"), "{policy}");
        let paid = fixture.pays(json!({"amount": 80, "method": "cash", "partial": true})).await;
        let page = text(&customer.get(&at).await).replace("&#x2f;", "/");
        let receipt = format!("{at}/receipt/{}", paid["payment"]["id"].as_str().unwrap());
        for part in ["-$80.00", "$120.00", "Cash", receipt.as_str()] {
            assert!(page.contains(part), "{part} in {page}");
        }
        let pdf = customer.get(&receipt).await;
        assert!(words(&pdf.body).contains("RCP-1001"), "its receipt");
        assert_eq!(customer.get(&format!("{at}/receipt/{}", uuid::Uuid::from_u128(5))).await.status, 404);
        fixture.pays(json!({"amount": 120})).await;
        assert!(text(&customer.get(&at).await).contains("Paid in full"));
        let token = at.trim_start_matches("/p/");
        let other = if token.starts_with('A') { "B" } else { "A" };
        assert_eq!(customer.get(&format!("/p/{other}{}", &token[1..])).await.status, 404);
        assert_eq!(customer.send(Method::POST, &format!("{at}/approve"), "application/x-www-form-urlencoded", Vec::new()).await.status, 404, "nothing of an estimate opens by it");
        let (english, spanish) = (text(&customer.get(&at).await), "UPDATE customer SET language = 'es'");
        app.within(async |tx| Ok(q!(tx, execute, spanish)?)).await.unwrap();
        assert!(english.contains("lang=\"en\""), "in the language of the paper");
        app.run_tasks().await;
    }
}
