//! Chargebacks beside earlier refunds: Stripe's balance is the reference, also where a payment was returned twice.

use chrono::Duration;
use serde_json::{Value, json};
use tests::{app::TestApp, both_databases};

use super::{Owed, paid, reconciliation::night};

impl Owed {
    pub(super) async fn gives_back(&self, amount: i64, method: &str) -> (u16, Value) {
        let all = self.money().await["payments"].clone();
        let payment = all.as_array().unwrap().iter().find(|row| row["kind"] == "payment").unwrap()["id"].clone();
        let path = format!("/api/payments/{}/refund", payment.as_str().unwrap());
        let answer = self.office.post(&path, &json!({"amount": amount, "method": method})).await;
        (answer.status.as_u16(), answer.json())
    }

    async fn sleeps(self, app: &TestApp) -> Self {
        night(app).await;
        Self { office: app.client().signed_in(app, self.shop.owner()).await, ..self }
    }

    async fn differences(&self) -> Value {
        let shown = self.office.get(&format!("/api/org/{}/stripe", self.shop.id())).await.json();
        shown["reconciliation"]["differences"].clone()
    }

    async fn is_marked_disputed(&self) -> bool {
        self.office.get(&format!("/api/invoices/{}", self.invoice)).await.json()["disputedAt"].is_string()
    }

    async fn alert(&self, title: &str) -> String {
        let alerts = self.office.get("/api/alerts").await.json();
        let found = alerts.as_array().unwrap().iter().find(|one| one["title"] == title);
        found.unwrap_or_else(|| panic!("{title}: {alerts}"))["body"].as_str().unwrap().to_owned()
    }
}

both_databases! {
    async fn chargeback_after_cash_refund_books_both_and_alerts_owner(app) {
        let (owed, session) = paid(app).await;
        assert_eq!(owed.gives_back(50, "cash").await.0, 200);
        assert_eq!(owed.collected_and_owed().await, (70.0, 50.0));
        owed.stripe.disputes(&session, "needs_response");
        let owed = owed.sleeps(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (0, (-50.0, 120.0)), "the amount due is at most the invoice");
        let body = owed.alert("A card payment of $120.00 is disputed").await;
        assert!(body.contains("You gave $50.00 of this payment back in another way before: tell Stripe."), "{body}");
        owed.stripe.disputes(&session, "won");
        let owed = owed.sleeps(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (12_000, (70.0, 50.0)));
        assert_eq!(owed.differences().await, json!([]));
    }

    async fn full_chargeback_after_partial_refund_is_booked_as_in_stripe(app) {
        let (owed, session) = paid(app).await;
        owed.stripe.refund_by_hand(&session, 4_500);
        owed.stripe.disputes(&session, "needs_response");
        let owed = owed.sleeps(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (-4_500, (-45.0, 120.0)));
        assert_eq!(owed.differences().await, json!([]));
        owed.stripe.disputes(&session, "lost");
        let owed = owed.sleeps(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (-4_500, (-45.0, 120.0)));
    }

    async fn prevented_dispute_that_took_money_is_booked_and_is_owed_again(app) {
        let (owed, session) = paid(app).await;
        owed.stripe.prevents_dispute(&session, 10_000);
        let owed = owed.sleeps(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (2_000, (20.0, 100.0)));
        assert_eq!(owed.differences().await, json!([]));
        let body = owed.alert("$100.00 went back to the customer before a dispute").await;
        assert!(body.starts_with("The card network refunded it"), "{body}");
        let owed = owed.sleeps(app).await;
        assert_eq!(owed.collected_and_owed().await, (20.0, 100.0), "once");
        let alerts = owed.alerts().await;
        assert!(!alerts.iter().any(|title| title.contains("is settled")), "{alerts:?}");
    }

    async fn prevented_dispute_that_took_nothing_leaves_the_payment(app) {
        let (owed, session) = paid(app).await;
        owed.stripe.disputes(&session, "prevented");
        let owed = owed.sleeps(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (12_000, (120.0, 0.0)));
        assert_eq!(owed.differences().await, json!([]));
        owed.alert("The dispute over $120.00 is settled").await;
    }

    async fn refund_of_payment_charged_back_without_webhook_is_refused(app) {
        let (owed, session) = paid(app).await;
        owed.stripe.disputes(&session, "needs_response");
        for method in ["cash", "card"] {
            let (status, response) = owed.gives_back(50, method).await;
            assert_eq!(status, 409, "{method}: {response}");
            assert_eq!(response["detail"], json!("Stripe says that $0.00 of this payment is left. Nothing was refunded."));
            assert_eq!(owed.collected_and_owed().await, (0.0, 120.0), "the dispute is booked");
        }
        owed.alert("A card payment of $120.00 is disputed").await;
        app.run_tasks().await;
    }

    async fn refund_overtaken_by_chargeback_fails_and_dispute_is_booked(app) {
        let (owed, session) = paid(app).await;
        assert_eq!(owed.gives_back(50, "card").await.0, 200);
        owed.stripe.disputes(&session, "needs_response");
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        assert_eq!((owed.stripe.held(), owed.stripe.refunds().len()), (0, 0));
        assert_eq!(owed.collected_and_owed().await, (0.0, 120.0));
        let body = owed.alert("A refund of $50.00 did not go through").await;
        assert_eq!(body, "It has gone back already (reversed by the customer's bank). Do not give it back again.");
        owed.alert("A card payment of $120.00 is disputed").await;
        app.run_tasks().await;
    }

    async fn dispute_won_then_lost_takes_money_again_and_alerts(app) {
        let (owed, session) = paid(app).await;
        for (status, held, amounts) in [
            ("needs_response", 0, (0.0, 120.0)),
            ("won", 12_000, (120.0, 0.0)),
            ("lost", 0, (0.0, 120.0)),
        ] {
            owed.stripe.disputes(&session, status);
            let kind = if status == "needs_response" { "funds_withdrawn" } else { "closed" };
            let news = owed.stripe.dispute_event(&format!("charge.dispute.{kind}"), status, &session, app.now());
            for _ in 0..2 {
                assert_eq!(owed.tells(news.clone()).await.status, 200);
                app.run_tasks().await;
            }
            assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (held, amounts), "{status}");
        }
        let alerts = owed.alerts().await;
        for title in ["The dispute over $120.00 is settled", "The dispute over $120.00 is lost"] {
            assert_eq!(alerts.iter().filter(|one| *one == title).count(), 1, "{alerts:?}");
        }
        app.run_tasks().await;
    }

    async fn receipt_is_unavailable_while_payment_is_disputed_or_lost(app) {
        let (owed, session) = paid(app).await;
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        let payment = owed.money().await["payments"][0]["id"].as_str().unwrap().to_owned();
        let path = format!("/api/payments/{payment}/receipt");
        assert_eq!(owed.office.get(&path).await.status, 200);
        for (status, is_receipted) in [("needs_response", false), ("won", true), ("lost", false)] {
            owed.stripe.disputes(&session, status);
            let news = owed.stripe.dispute_event("charge.dispute.updated", status, &session, app.now());
            assert_eq!(owed.tells(news).await.status, 200);
            app.run_tasks().await;
            for (answer, good) in [(owed.office.get(&path).await, 200), (owed.office.post(&path, &json!({})).await, 202)] {
                let wanted = if is_receipted { good } else { 409 };
                assert_eq!(answer.status, wanted, "{status}");
                if !is_receipted {
                    let explanation = "There is no receipt: the customer's bank took this payment back.";
                    assert_eq!(answer.json()["detail"], explanation);
                }
            }
        }
        app.run_tasks().await;
    }

    async fn bank_inquiry_books_nothing_until_it_becomes_a_dispute(app) {
        let (owed, session) = paid(app).await;
        for (status, held, amounts) in [
            ("warning_needs_response", 12_000, (120.0, 0.0)),
            ("warning_under_review", 12_000, (120.0, 0.0)),
            ("needs_response", 0, (0.0, 120.0)),
        ] {
            owed.stripe.disputes(&session, status);
            let news = owed.stripe.dispute_event("charge.dispute.updated", status, &session, app.now());
            assert_eq!(owed.tells(news).await.status, 200);
            app.run_tasks().await;
            assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (held, amounts), "{status}");
        }
        app.run_tasks().await;
    }

    async fn returned_part_of_lost_dispute_is_paid_again(app) {
        let (owed, session) = paid(app).await;
        owed.stripe.disputes(&session, "needs_response");
        let owed = owed.sleeps(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (0, (0.0, 120.0)));
        owed.stripe.returns_disputed_part(&owed.stripe.disputes_of(&session)[0], 4_000);
        owed.stripe.disputes(&session, "lost");
        for _ in 0..2 {
            night(app).await;
        }
        let owed = owed.sleeps(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (4_000, (40.0, 80.0)));
        assert_eq!(owed.differences().await, json!([]));
        let all = owed.money().await["payments"].clone();
        let taken: Vec<&Value> = all.as_array().unwrap().iter().filter(|row| row["kind"] == "refund").collect();
        assert_eq!((taken.len(), &taken[0]["amount"]), (1, &json!(80.0)), "{all}");
        let lead = owed.office.get(&format!("/api/leads/{}", owed.lead)).await.json();
        let event = lead["events"].as_array().unwrap().iter().find(|event| event["kind"] == "refunded").unwrap();
        assert_eq!((&event["title"], &event["detail"]["amount"]), (&json!("Reversed by the bank"), &json!(80.0)));
        owed.alert("The dispute over $80.00 is lost").await;
    }

    async fn money_returned_before_the_decision_counts_as_paid(app) {
        let (owed, session) = paid(app).await;
        owed.stripe.disputes(&session, "needs_response");
        let owed = owed.sleeps(app).await;
        assert_eq!(owed.collected_and_owed().await, (0.0, 120.0));
        owed.stripe.returns_disputed_part(&owed.stripe.disputes_of(&session)[0], 12_000);
        let owed = owed.sleeps(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (12_000, (120.0, 0.0)));
        assert_eq!(owed.differences().await, json!([]));
        assert!(owed.is_marked_disputed().await, "the bank has not decided");
    }

    async fn won_dispute_under_review_again_takes_money_and_alerts(app) {
        let (owed, session) = paid(app).await;
        for (status, held, amounts) in [
            ("needs_response", 0, (0.0, 120.0)),
            ("won", 12_000, (120.0, 0.0)),
            ("under_review", 0, (0.0, 120.0)),
            ("won", 12_000, (120.0, 0.0)),
            ("under_review", 0, (0.0, 120.0)),
            ("lost", 0, (0.0, 120.0)),
        ] {
            owed.stripe.disputes(&session, status);
            let news = owed.stripe.dispute_event("charge.dispute.updated", status, &session, app.now());
            for _ in 0..2 {
                assert_eq!(owed.tells(news.clone()).await.status, 200);
                app.run_tasks().await;
            }
            assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (held, amounts), "{status}");
            assert_eq!(owed.is_marked_disputed().await, held == 0, "{status}");
        }
        let alerts = owed.alerts().await;
        for (title, count) in [
            ("A card payment of $120.00 is disputed", 2),
            ("The dispute over $120.00 is settled", 2),
            ("The dispute over $120.00 is lost", 1),
        ] {
            assert_eq!(alerts.iter().filter(|one| *one == title).count(), count, "{title}: {alerts:?}");
        }
        let owed = owed.sleeps(app).await;
        assert_eq!((owed.differences().await, owed.alerts().await), (json!([]), alerts));
    }

    async fn disputes_of_one_payment_are_booked_and_end_separately(app) {
        let (owed, session) = paid(app).await;
        let disputes = [5_000, 3_000].map(|amount| owed.stripe.disputes_part(&session, amount));
        let owed = owed.sleeps(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (4_000, (40.0, 80.0)));
        owed.stripe.dispute_becomes(&disputes[0], "won");
        let owed = owed.sleeps(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (9_000, (90.0, 30.0)));
        assert!(owed.is_marked_disputed().await, "the other one is open");
        owed.stripe.returns_disputed_part(&disputes[1], 1_000);
        let owed = owed.sleeps(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (10_000, (100.0, 20.0)));
        owed.stripe.dispute_becomes(&disputes[1], "won");
        let owed = owed.sleeps(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (12_000, (120.0, 0.0)));
        assert_eq!((owed.differences().await, owed.is_marked_disputed().await), (json!([]), false));
    }
}
