//! Refunds to a card.

use axum::http::Method;
use chrono::Duration;
use serde_json::json;
use shared::platform::db::q;
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{Fault, Left},
};

use super::{Owed, owed};

/// Ann paid by card; thirty of it are refunded and forgiven, and the refund ends like this a day later.
async fn forgives_thirty(app: &mut TestApp, ends: &str) -> Owed {
    let owed = owed(app).await;
    let session = owed.goes_to_pay().await;
    owed.stripe.leave(&session, Left::Paid);
    owed.comes_back(&session).await;
    app.run_tasks().await;
    owed.stripe.refunds_take_days();
    let payment = owed.money().await["payments"][0]["id"].as_str().unwrap().to_owned();
    let body = json!({"amount": 30, "forgive": true});
    assert_eq!(owed.office.post(&format!("/api/payments/{payment}/refund"), &body).await.status, 200);
    app.advance(Duration::minutes(2));
    app.run_tasks().await;
    let on_its_way = owed.money().await;
    assert_eq!((&on_its_way["owed"], &on_its_way["credit"]), (&json!(0.0), &json!(0.0)));
    owed.stripe.refund_ends(&owed.stripe.refunds()[0].id.clone(), ends);
    app.advance(Duration::days(2));
    app.run_tasks().await;
    owed
}

both_databases! {
    async fn refund_leaves_once_after_undo_window(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        owed.comes_back(&session).await;
        app.run_tasks().await;
        let payment = owed.money().await["payments"][0]["id"].as_str().unwrap().to_owned();
        let refund = format!("/api/payments/{payment}/refund");
        let slip = owed.office.post(&refund, &json!({"amount": 50})).await;
        assert_eq!((slip.status.as_u16(), slip.json()["payment"]["status"].clone()), (200, json!("pending")), "{}", slip.json());
        let slip = slip.json()["payment"]["id"].as_str().unwrap().to_owned();
        assert_eq!(owed.office.post(&format!("/api/payments/{slip}/undo"), &json!({})).await.status, 200);
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        assert_eq!(owed.stripe.held(), 12_000, "an undone refund is not sent");
        assert_eq!(owed.office.post(&refund, &json!({"amount": 30})).await.status, 200);
        owed.stripe.script(&[Fault::DoneThen500]);
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        app.advance(Duration::hours(1));
        app.run_tasks().await;
        assert_eq!((owed.stripe.refunds().len(), owed.stripe.held()), (1, 9_000));
        assert_eq!(owed.collected_and_owed().await, (90.0, 30.0));
        let news = owed.stripe.payment_event("refund.updated", "refund", &session, app.now());
        assert_eq!(owed.tells(news).await.status, 200);
        app.run_tasks().await;
        assert_eq!(owed.collected_and_owed().await, (90.0, 30.0), "our own refund is not counted again");
    }

    async fn refund_after_key_removal_is_refused_as_not_connected(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        owed.comes_back(&session).await;
        app.run_tasks().await;
        let payment = owed.money().await["payments"][0]["id"].as_str().unwrap().to_owned();
        let path = format!("/api/org/{}/stripe", owed.shop.id());
        assert_eq!(owed.office.send(Method::DELETE, &path, "", Vec::new()).await.status, 200);
        owed.stripe.script_reads(&[Fault::Unauthorized, Fault::Unauthorized]);
        let refused = owed.office.post(&format!("/api/payments/{payment}/refund"), &json!({"amount": 30})).await;
        let detail = refused.json()["detail"].as_str().unwrap_or_default().to_owned();
        assert!(refused.status == 409 && detail.contains("not connected"), "{} {detail}", refused.status);
        owed.stripe.is_well();
        app.run_tasks().await;
    }

    async fn refund_undo_works_only_before_stripe_was_asked(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        owed.comes_back(&session).await;
        app.run_tasks().await;
        let payment = owed.money().await["payments"][0]["id"].as_str().unwrap().to_owned();
        let refund = format!("/api/payments/{payment}/refund");
        app.advance(Duration::seconds(5));
        let undo = |money: &serde_json::Value| format!("/api/payments/{}/undo", money["payments"][0]["id"].as_str().unwrap());
        let asked = owed.office.post(&refund, &json!({"amount": 30})).await;
        assert_eq!((asked.status.as_u16(), &asked.json()["payments"][0]["undoable"]), (200, &json!(true)));
        assert_eq!(owed.office.post(&undo(&owed.money().await), &json!({})).await.status, 200);
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        assert_eq!((owed.stripe.refunds().len(), owed.collected_and_owed().await), (0, (120.0, 0.0)));
        // The worker's clock is a minute ahead, and the answer of Stripe is lost.
        assert_eq!(owed.office.post(&refund, &json!({"amount": 30})).await.status, 200);
        let ahead = "UPDATE task SET run_at = $2 WHERE org_id = $1 AND kind = 'refund_card' AND unique_key NOT LIKE '%:late'";
        app.within(async |tx| Ok(q!(tx, execute, ahead, owed.shop.id(), app.now())?)).await.unwrap();
        owed.stripe.script(&[Fault::DoneThenCut]);
        app.run_tasks().await;
        let money = owed.money().await;
        let row = &money["payments"][0];
        assert_eq!((&row["kind"], &row["undoable"], &row["undoUntil"]), (&json!("refund"), &json!(false), &json!(null)), "{money}");
        let late = owed.office.post(&undo(&money), &json!({})).await;
        let explanation = "Stripe was asked to pay this back already. It cannot be undone.";
        assert_eq!((late.status.as_u16(), &late.json()["detail"]), (409, &json!(explanation)));
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        assert_eq!((owed.stripe.refunds().len(), owed.stripe.held(), owed.collected_and_owed().await), (1, 9_000, (90.0, 30.0)));
    }

    async fn refund_made_in_stripe_is_booked(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        owed.comes_back(&session).await;
        app.run_tasks().await;
        owed.stripe.refund_by_hand(&session, 4_500);
        for kind in ["refund.created", "charge.refunded", "refund.updated"] {
            let news = owed.stripe.payment_event(kind, "refund", &session, app.now());
            assert_eq!(owed.tells(news).await.status, 200);
            app.run_tasks().await;
        }
        assert_eq!(owed.collected_and_owed().await, (75.0, 45.0));
        let shown = owed.office.get(&format!("/api/org/{}/stripe", owed.shop.id())).await.json();
        assert_eq!(shown["lastEventAt"], json!("2026-09-17T15:00:00Z"), "{shown}");
        owed.stripe.disputes(&session, "needs_response");
        let news = owed.stripe.dispute_event("charge.dispute.created", "needs_response", &session, app.now());
        assert_eq!(owed.tells(news).await.status, 200);
        app.run_tasks().await;
        assert!(owed.alerts().await.iter().any(|title| title == "A card payment of $120.00 is disputed"));
    }

    async fn refund_returned_by_bank_fails_and_raises_alert(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        owed.comes_back(&session).await;
        app.run_tasks().await;
        owed.stripe.refunds_take_days();
        let payment = owed.money().await["payments"][0]["id"].as_str().unwrap().to_owned();
        assert_eq!(owed.office.post(&format!("/api/payments/{payment}/refund"), &json!({})).await.status, 200);
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0), "a pending refund is not booked");
        let refund = owed.stripe.refunds()[0].id.clone();
        owed.stripe.refund_ends(&refund, "failed");
        app.advance(Duration::days(2));
        app.run_tasks().await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0));
        assert!(owed.alerts().await.iter().any(|title| title == "A refund of $120.00 did not go through"));
    }

    async fn goodwill_refund_to_card_is_written_off_the_bill(app) {
        let owed = forgives_thirty(app, "succeeded").await;
        assert_eq!(owed.collected_and_owed().await, (90.0, 0.0), "the refunded amount is not due again");
        let money = owed.money().await;
        assert_eq!((&money["credit"], &money["writtenOff"]), (&json!(0.0), &json!(30.0)));
    }

    async fn second_pending_refund_accounts_for_the_first(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        owed.comes_back(&session).await;
        app.run_tasks().await;
        let by_card = owed.money().await["payments"][0]["id"].as_str().unwrap().to_owned();
        let too_much = json!({"amount": 20, "method": "cash", "partial": true});
        assert_eq!(owed.office.post(&format!("/api/leads/{}/paid", owed.lead), &too_much).await.status, 200);
        for amount in [20, 30] {
            let body = json!({"amount": amount, "forgive": true});
            assert_eq!(owed.office.post(&format!("/api/payments/{by_card}/refund"), &body).await.status, 200);
        }
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        assert_eq!(owed.collected_and_owed().await, (90.0, 0.0), "the refunded amount is not due again");
        let money = owed.money().await;
        assert_eq!((&money["credit"], &money["writtenOff"]), (&json!(0.0), &json!(30.0)));
    }

    async fn refund_receipt_exists_only_after_settlement_and_names_refund(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        owed.comes_back(&session).await;
        app.run_tasks().await;
        owed.stripe.refunds_take_days();
        let payment = owed.money().await["payments"][0]["id"].as_str().unwrap().to_owned();
        let refund = format!("/api/payments/{payment}/refund");
        let asked = owed.office.post(&refund, &json!({"amount": 30})).await.json()["payment"]["id"].clone();
        let path = format!("/api/payments/{}/receipt", asked.as_str().unwrap());
        let refused = async |why: &str| {
            for answer in [owed.office.get(&path).await, owed.office.post(&path, &json!({})).await] {
                assert_eq!((answer.status.as_u16(), &answer.json()["detail"]), (409, &json!(why)));
            }
        };
        refused("This refund is on its way. There is a receipt once the money has gone back.").await;
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        owed.stripe.refund_ends(&owed.stripe.refunds()[0].id.clone(), "failed");
        app.advance(Duration::days(2));
        app.run_tasks().await;
        refused("This refund failed. No money went back, so there is no receipt.").await;
        let cash = owed.office.post(&refund, &json!({"amount": 60, "method": "cash"})).await.json()["payment"].clone();
        let (id, number) = (cash["id"].as_str().unwrap(), cash["number"].as_str().unwrap());
        let path = format!("/api/payments/{id}/receipt");
        let paper = owed.office.get(&path).await;
        let named = format!("attachment; filename=\"Refund {number}.pdf\"");
        assert_eq!((paper.status.as_u16(), paper.header("content-disposition")), (200, named.as_str()));
        assert_eq!(owed.office.post(&path, &json!({})).await.status, 202);
        app.run_tasks().await;
        let subject = format!("Refund {number} from Acme Plumbing");
        let mails = app.mail.accepted_messages();
        let subjects: Vec<_> = mails.iter().filter(|mail| mail.subject.contains(number)).map(|mail| &mail.subject).collect();
        assert_eq!(subjects, [&subject]);
        let mail = mails.iter().find(|mail| mail.subject == subject).unwrap();
        assert!(mail.text.contains("We refunded $60.00 to you."), "{}", mail.text);
        assert!(!mail.text.contains("Thank you for your payment") && !mail.text.contains("you paid"), "{}", mail.text);
    }

    async fn failed_refund_is_shown_as_failed_in_history_and_invoice(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        owed.comes_back(&session).await;
        app.run_tasks().await;
        owed.stripe.refunds_take_days();
        let payment = owed.money().await["payments"][0]["id"].as_str().unwrap().to_owned();
        let body = json!({"amount": 30});
        assert_eq!(owed.office.post(&format!("/api/payments/{payment}/refund"), &body).await.status, 200);
        let refund_state = async || {
            let lead = owed.office.get(&format!("/api/leads/{}", owed.lead)).await.json();
            let event = lead["events"].as_array().unwrap().iter().find(|event| event["kind"] == "refunded").unwrap();
            let invoice = owed.office.get(&format!("/api/invoices/{}", owed.invoice)).await.json();
            let row = |kind: &str| invoice["payments"].as_array().unwrap().iter().find(|row| row["kind"] == kind).cloned();
            let (refund, paid) = (row("refund").unwrap(), row("payment").unwrap());
            (event["title"].clone(), refund["status"].clone(), paid["refundable"].clone())
        };
        assert_eq!(refund_state().await, (json!("Refund asked for"), json!("pending"), json!(90.0)));
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        assert_eq!(refund_state().await, (json!("Refund asked for"), json!("pending"), json!(90.0)));
        owed.stripe.refund_ends(&owed.stripe.refunds()[0].id.clone(), "failed");
        app.advance(Duration::days(2));
        app.run_tasks().await;
        assert_eq!(refund_state().await, (json!("Refund failed"), json!("failed"), json!(120.0)));
    }

    async fn failed_goodwill_refund_writes_off_nothing(app) {
        let owed = forgives_thirty(app, "failed").await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0));
        let money = owed.money().await;
        assert_eq!((&money["credit"], &money["writtenOff"]), (&json!(0.0), &json!(0.0)));
    }
}
