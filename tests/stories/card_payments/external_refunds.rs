//! Refunds made in Stripe beside those of the business: no refund is asked for twice, and no customer is asked for
//! more than the bill.

use chrono::Duration;
use serde_json::{Value, json};
use shared::platform::db::q;
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{Fault, Left},
};

use super::{Owed, paid, reconciliation::night};

const ALL_GONE: &str = "It has gone back already (refunded in Stripe). Do not give it back again.";

impl Owed {
    async fn returns(&self, amount: i64, method: &str) {
        let (status, response) = self.gives_back(amount, method).await;
        assert_eq!(status, 200, "{response}");
    }

    async fn alert_bodies(&self, title: &str) -> Vec<String> {
        let alerts = self.office.get("/api/alerts").await.json();
        let ours = alerts.as_array().unwrap().iter().filter(|one| one["title"] == title);
        ours.map(|one| one["body"].as_str().unwrap().to_owned()).collect()
    }

    async fn hints(&self) -> Vec<Value> {
        let all = self.money().await["payments"].clone();
        let failed = all.as_array().unwrap().iter().filter(|row| row["status"] == "failed");
        failed.map(|row| row["alreadyReturned"].clone()).collect()
    }

    async fn balance(&self) -> Value {
        self.office.get(&format!("/api/invoices/{}", self.invoice)).await.json()["balance"].clone()
    }
}

/// A refund of all of Ann's payment that Stripe accepted and could not bring to her card.
async fn undeliverable(app: &mut TestApp) -> (Owed, String) {
    let (owed, session) = paid(app).await;
    owed.stripe.refunds_take_days();
    owed.returns(120, "card").await;
    leaves(app).await;
    owed.stripe.refund_ends(&owed.stripe.refunds()[0].id.clone(), "failed");
    (owed, session)
}

async fn an_hour_passes(app: &TestApp) {
    app.advance(Duration::hours(1));
    app.run_tasks().await;
}

async fn leaves(app: &TestApp) {
    app.advance(Duration::minutes(2));
    app.run_tasks().await;
}

both_databases! {
    async fn refund_overtaken_in_stripe_warns_against_repeating_it(app) {
        let (owed, session) = paid(app).await;
        owed.returns(120, "card").await;
        owed.stripe.refund_by_hand(&session, 12_000);
        leaves(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (0, (0.0, 120.0)));
        assert_eq!(owed.alert_bodies("A refund of $120.00 did not go through").await, [ALL_GONE]);
        assert_eq!(owed.hints().await, [json!(ALL_GONE)]);
        let all = owed.money().await["payments"].to_string();
        assert!(!all.contains("still yours"), "{all}");
        app.run_tasks().await;
    }

    async fn refund_partly_overtaken_states_returned_and_remaining_amounts(app) {
        let (owed, session) = paid(app).await;
        owed.returns(120, "card").await;
        owed.stripe.refund_by_hand(&session, 8_000);
        leaves(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (4_000, (40.0, 80.0)));
        let wanted = "$80.00 of the payment has gone back already (refunded in Stripe), and $40.00 is left. \
             Do not give back more than $40.00.";
        assert_eq!(owed.alert_bodies("A refund of $120.00 did not go through").await, [wanted]);
        assert_eq!(owed.hints().await, [json!(wanted)]);
        app.run_tasks().await;
    }

    async fn failed_refund_with_money_still_held_says_so(app) {
        let (owed, _) = paid(app).await;
        owed.stripe.refunds_take_days();
        owed.returns(120, "card").await;
        leaves(app).await;
        let refund = owed.stripe.refunds()[0].id.clone();
        owed.stripe.refund_ends(&refund, "failed");
        app.advance(Duration::days(2));
        app.run_tasks().await;
        let alert_bodies = owed.alert_bodies("A refund of $120.00 did not go through").await;
        assert_eq!(alert_bodies, ["Stripe could not bring it to the card. The money is still yours to give back."]);
        assert_eq!(owed.hints().await, [Value::Null]);
        app.run_tasks().await;
    }

    async fn failed_refund_beside_one_made_in_stripe_says_the_money_is_gone(app) {
        let (owed, session) = undeliverable(app).await;
        owed.stripe.refund_by_hand(&session, 12_000);
        an_hour_passes(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (0, (0.0, 120.0)));
        assert_eq!(owed.alert_bodies("A refund of $120.00 did not go through").await, [ALL_GONE]);
        assert_eq!(owed.hints().await, [json!(ALL_GONE)]);
    }

    async fn failed_refund_beside_a_chargeback_says_the_money_is_gone(app) {
        let (owed, session) = undeliverable(app).await;
        owed.stripe.disputes(&session, "needs_response");
        an_hour_passes(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (0, (0.0, 120.0)));
        let wanted = "It has gone back already (reversed by the customer's bank). Do not give it back again.";
        assert_eq!(owed.alert_bodies("A refund of $120.00 did not go through").await, [wanted]);
    }

    async fn failed_refund_with_unreadable_disputes_sends_the_owner_to_stripe(app) {
        let (owed, _) = undeliverable(app).await;
        owed.stripe.hides("disputes");
        an_hour_passes(app).await;
        let bodies = owed.alert_bodies("A refund of $120.00 did not go through").await;
        assert!(bodies.len() == 1 && bodies[0].ends_with("look in Stripe before you give it back."), "{bodies:?}");
        assert!(!owed.alerts().await.iter().any(|title| title == "A card payment may be disputed"), "nothing says so");
    }

    async fn cash_refund_waits_while_stripe_does_not_say_what_is_left(app) {
        let (owed, session) = paid(app).await;
        owed.stripe.refund_by_hand(&session, 12_000);
        for (fault, reason) in [(Fault::Error500, "stripe_rest_unknown"), (Fault::Unauthorized, "stripe_key_refused")] {
            owed.stripe.script_reads(&[fault; 4]);
            let (status, response) = owed.gives_back(120, "cash").await;
            assert_eq!((status, &response["reason"]), (409, &json!(reason)), "{response}");
            owed.stripe.is_well();
        }
        let (status, response) = owed.gives_back(120, "cash").await;
        assert_eq!((status, &response["reason"]), (409, &json!("stripe_rest_smaller")), "{response}");
        assert_eq!(owed.collected_and_owed().await, (0.0, 120.0), "what was refunded in Stripe, once");
        app.run_tasks().await;
    }

    async fn cash_refund_passes_for_cash_and_where_stripe_cannot_be_asked_any_more(app) {
        let (owed, _) = paid(app).await;
        let more = json!({"amount": 20, "method": "cash", "partial": true, "receipt": false});
        let cash = owed.office.post(&format!("/api/leads/{}/paid", owed.lead), &more).await.json()["payment"]["id"].clone();
        owed.stripe.script_reads(&[Fault::Error500; 4]);
        let path = format!("/api/payments/{}/refund", cash.as_str().unwrap());
        let given = owed.office.post(&path, &json!({"amount": 20, "method": "cash"})).await;
        assert_eq!(given.status, 200, "Stripe holds nothing of it: {}", given.json());
        let by_card = owed.money().await["payments"].as_array().unwrap().iter().find(|row| row["method"] == "card").unwrap()["id"].clone();
        let path = format!("/api/payments/{}/refund", by_card.as_str().unwrap());
        assert_eq!(owed.office.post(&path, &json!({"amount": 50, "method": "cash"})).await.status, 409);
        let forget = "DELETE FROM org_secret WHERE org_id = $1 AND name LIKE 'stripe%'";
        app.within(async |tx| Ok(q!(tx, execute, forget, owed.shop.id())?)).await.unwrap();
        assert_eq!(owed.office.post(&path, &json!({"amount": 50, "method": "cash"})).await.status, 200);
        assert_eq!(owed.collected_and_owed().await, (70.0, 50.0));
        app.run_tasks().await;
    }

    async fn stripe_refund_after_cash_refund_alerts_and_charges_only_the_bill(app) {
        let (owed, session) = paid(app).await;
        owed.returns(120, "cash").await;
        assert_eq!((owed.collected_and_owed().await, owed.balance().await), ((0.0, 120.0), json!(120.0)));
        owed.stripe.refund_by_hand(&session, 6_000);
        for _ in 0..2 {
            let news = owed.stripe.payment_event("charge.refunded", "refund", &session, app.now());
            assert_eq!(owed.tells(news).await.status, 200);
            app.run_tasks().await;
        }
        assert_eq!((owed.collected_and_owed().await, owed.balance().await), ((-60.0, 120.0), json!(120.0)));
        let alert_bodies = owed.alert_bodies("A refund of $60.00 was made in Stripe").await;
        assert_eq!(alert_bodies.len(), 1, "{alert_bodies:?}");
        assert!(alert_bodies[0].contains("You gave $120.00 of this payment back in another way before."), "{alert_bodies:?}");
        assert!(alert_bodies[0].contains("$60.00 more than was paid"), "{alert_bodies:?}");
        let page = owed.goes_to_pay().await;
        let asked = owed.stripe.sessions().into_iter().find(|one| one.id == page).unwrap().amount;
        assert_eq!(asked, 12_000, "the bill, and no more");
        owed.stripe.leave(&page, Left::Paid);
        owed.comes_back(&page).await;
        app.run_tasks().await;
        assert_eq!((owed.collected_and_owed().await, owed.balance().await), ((60.0, 0.0), json!(0.0)));
        assert_eq!(owed.money().await["credit"], json!(0.0));
        app.run_tasks().await;
    }

    async fn stripe_refund_after_cash_refund_is_alerted_by_next_morning(app) {
        let (owed, session) = paid(app).await;
        owed.returns(120, "cash").await;
        owed.stripe.refund_by_hand(&session, 6_000);
        night(app).await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!((owed.collected_and_owed().await, owed.balance().await), ((-60.0, 120.0), json!(120.0)));
        let alert_bodies = owed.alert_bodies("A refund of $60.00 was made in Stripe").await;
        assert_eq!(alert_bodies.len(), 1, "{alert_bodies:?}");
        night(app).await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!(owed.alert_bodies("A refund of $60.00 was made in Stripe").await.len(), 1, "once");
        app.run_tasks().await;
    }
}
