//! Refunds whose answer was lost: Stripe's own list decides, and no refund is made twice.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::{
        money::checkout::{self, RefundRefusal},
        tenancy::org,
    },
    platform::{db::q, id::PaymentId},
};
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{Fault, Left},
};

use super::{Owed, owed, reconciliation::night};

mod manual;

async fn paid(app: &mut TestApp) -> Owed {
    let owed = owed(app).await;
    let session = owed.goes_to_pay().await;
    owed.stripe.leave(&session, Left::Paid);
    owed.comes_back(&session).await;
    app.run_tasks().await;
    owed
}

impl Owed {
    async fn payment(&self) -> Value {
        let all = self.money().await["payments"].clone();
        all.as_array().unwrap().iter().find(|row| row["kind"] == "payment").unwrap().clone()
    }

    async fn refund(&self, amount: i64) -> (u16, Value) {
        let path = format!("/api/payments/{}/refund", self.payment().await["id"].as_str().unwrap());
        let answer = self.office.post(&path, &json!({"amount": amount})).await;
        (answer.status.as_u16(), answer.json())
    }

    async fn refunds(&self) -> Vec<String> {
        let all = self.money().await["payments"].clone();
        let refunds = all.as_array().unwrap().iter().rev().filter(|row| row["kind"] == "refund");
        refunds.map(|row| row["status"].as_str().unwrap().to_owned()).collect()
    }
}

async fn passes(app: &TestApp, minutes: i64) {
    app.advance(Duration::minutes(minutes));
    app.run_tasks().await;
}

both_databases! {
    async fn refund_with_lost_answer_stays_in_doubt_while_key_is_rejected(app) {
        let owed = paid(app).await;
        assert_eq!(owed.refund(50).await.0, 200);
        owed.stripe.script(&[Fault::DoneThenCut]);
        passes(app, 2).await;
        assert_eq!(owed.refunds().await, ["unknown"]);
        owed.stripe.script_reads(&[Fault::Unauthorized; 8]);
        owed.stripe.script(&[Fault::Unauthorized; 8]);
        passes(app, 2).await;
        assert_eq!(owed.refunds().await, ["unknown"], "a key that is not taken says nothing of what was done");
        let alerts = owed.alerts().await;
        assert!(alerts.iter().any(|title| title == "A refund of $50.00 is in doubt"), "{alerts:?}");
        assert!(!alerts.iter().any(|title| title.contains("did not go through")), "{alerts:?}");
        assert_eq!(owed.payment().await["refundable"], json!(70.0));
        owed.stripe.is_well();
        let (status, response) = owed.refund(100).await;
        assert_eq!((status, &response["reason"]), (409, &json!("other_refund_in_doubt")), "it may have been made already");
        let words = "It is not known whether Stripe made a refund of $50.00. Do not give it back a second time.";
        assert_eq!(response["detail"], json!(words));
        passes(app, 120).await;
        assert_eq!((owed.refunds().await, owed.stripe.held()), (vec!["settled".to_owned()], 7_000));
        assert_eq!(owed.collected_and_owed().await, (70.0, 50.0));
        let alerts = owed.alerts().await;
        assert!(!alerts.iter().any(|title| title == "A refund of $50.00 is in doubt"), "{alerts:?}");
        let sql = "SELECT COUNT(*) FROM alert WHERE org_id = $1 AND title = 'Stripe sent the refund of $50.00' AND seen_at IS NULL";
        let open = app.within(async |tx| Ok(q!(tx, fetch_one scalar i64, sql, owed.shop.id())?)).await.unwrap();
        assert_eq!(open, 0, "nobody has to look at it");
        assert!(alerts.iter().any(|title| title == "Stripe sent the refund of $50.00"), "{alerts:?}");
    }

    async fn refund_beside_pending_refund_names_it_and_the_rest(app) {
        let owed = paid(app).await;
        assert_eq!(owed.refund(80).await.0, 200);
        let (status, response) = owed.refund(50).await;
        let words = "A refund of $80.00 is on its way. $40.00 can still be given back.";
        assert_eq!((status, &response["detail"], &response["reason"]), (409, &json!(words), &json!("other_refund_pending")));
        assert_eq!(owed.refund(40).await.0, 200);
        let (status, response) = owed.refund(10).await;
        let words = "A refund of $120.00 is on its way.";
        assert_eq!((status, &response["detail"], &response["reason"]), (409, &json!(words), &json!("whole_refund_pending")));
        passes(app, 2).await;
        assert_eq!((owed.stripe.held(), owed.refunds().await.len()), (0, 2));
    }

    async fn refund_in_doubt_of_disconnected_account_says_where_to_look(app) {
        let owed = paid(app).await;
        assert_eq!(owed.refund(50).await.0, 200);
        owed.stripe.script(&[Fault::DoneThenCut]);
        passes(app, 2).await;
        let forget = "DELETE FROM org_secret WHERE org_id = $1 AND name LIKE 'stripe%'";
        app.within(async |tx| Ok(q!(tx, execute, forget, owed.shop.id())?)).await.unwrap();
        passes(app, 2).await;
        assert_eq!(owed.refunds().await, ["unknown"]);
        let alerts = owed.office.get("/api/alerts").await.json();
        let alert = alerts.as_array().unwrap().iter().find(|one| one["title"] == "A refund of $50.00 is in doubt").unwrap();
        let body = alert["body"].as_str().unwrap();
        assert!(body.contains("no longer connected") && body.contains("look in Stripe at payment pi_"), "{body}");
    }

    async fn refund_after_replayed_stripe_error_is_retried_and_made_once(app) {
        let owed = paid(app).await;
        for (fault, amount) in [(Fault::Error500, 30), (Fault::DoneThen500, 20)] {
            assert_eq!(owed.refund(amount).await.0, 200);
            owed.stripe.script(&[fault]);
            for _ in 0..6 {
                passes(app, 10).await;
            }
        }
        assert_eq!(owed.refunds().await, ["settled", "settled"]);
        assert_eq!((owed.stripe.held(), owed.stripe.refunds().len()), (7_000, 2));
        assert_eq!(owed.collected_and_owed().await, (70.0, 50.0));
    }

    async fn card_refund_above_remaining_stripe_balance_is_refused(app) {
        let owed = paid(app).await;
        let session = owed.stripe.sessions()[0].id.clone();
        owed.stripe.refund_by_hand(&session, 10_000);
        let (status, response) = owed.refund(50).await;
        assert_eq!(status, 409, "{response}");
        assert_eq!(response["detail"], json!("Stripe says that $20.00 of this payment is left. Nothing was refunded."));
        assert_eq!(owed.collected_and_owed().await, (20.0, 100.0), "the refund made in Stripe is booked");
        assert_eq!(owed.refund(20).await.0, 200);
        // The refund is made on Stripe's own pages first.
        owed.stripe.refund_by_hand(&session, 2_000);
        passes(app, 2).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (0, (0.0, 120.0)));
        assert!(owed.alerts().await.iter().any(|title| title == "A refund of $20.00 did not go through"));
    }

    async fn cash_refund_above_remaining_stripe_balance_is_refused(app) {
        let owed = paid(app).await;
        let session = owed.stripe.sessions()[0].id.clone();
        owed.stripe.refund_by_hand(&session, 10_000);
        let path = format!("/api/payments/{}/refund", owed.payment().await["id"].as_str().unwrap());
        let cash = async |amount: i64| owed.office.post(&path, &json!({"amount": amount, "method": "cash"})).await;
        let refused = cash(50).await;
        assert_eq!(refused.status, 409, "{}", refused.json());
        let explanation = "Stripe says that $20.00 of this payment is left. Nothing was refunded.";
        assert_eq!(refused.json()["detail"], json!(explanation));
        assert_eq!(owed.collected_and_owed().await, (20.0, 100.0), "the refund made in Stripe is booked");
        assert_eq!(cash(20).await.status, 200);
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (2_000, (0.0, 120.0)));
        app.run_tasks().await;
    }

    async fn refund_rejected_before_leaving_fails_and_stays_refundable(app) {
        let owed = paid(app).await;
        assert_eq!(owed.refund(50).await.0, 200);
        owed.stripe.script(&[Fault::Forbidden]);
        passes(app, 2).await;
        assert_eq!((owed.refunds().await, owed.stripe.held()), (vec!["failed".to_owned()], 12_000));
        assert_eq!(owed.payment().await["refundable"], json!(120.0));
    }

    async fn refund_is_made_once_after_hours_of_stripe_failure(app) {
        let owed = paid(app).await;
        assert_eq!(owed.refund(50).await.0, 200);
        owed.stripe.script_reads(&[Fault::Error500; 120]);
        // Longer than the twelve tries of other work last.
        for _ in 0..48 {
            passes(app, 10).await;
        }
        owed.stripe.is_well();
        passes(app, 600).await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!((owed.refunds().await, owed.stripe.held()), (vec!["settled".to_owned()], 7_000));
        assert_eq!((owed.stripe.refunds().len(), owed.collected_and_owed().await), (1, (70.0, 50.0)));
    }

    async fn refund_with_lost_task_is_made_next_night_once(app) {
        let owed = paid(app).await;
        assert_eq!(owed.refund(50).await.0, 200);
        let lost = "DELETE FROM task WHERE org_id = $1 AND kind = 'refund_card'";
        app.within(async |tx| Ok(q!(tx, execute, lost, owed.shop.id())?)).await.unwrap();
        night(app).await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!((owed.refunds().await, owed.stripe.held()), (vec!["settled".to_owned()], 7_000));
        night(app).await;
        assert_eq!((owed.stripe.refunds().len(), owed.stripe.held()), (1, 7_000));
    }

    async fn refund_pending_for_an_hour_raises_one_alert(app) {
        let owed = paid(app).await;
        assert_eq!(owed.refund(50).await.0, 200);
        owed.stripe.script_reads(&[Fault::Error500; 120]);
        let alert_count = async || {
            let alerts = owed.alerts().await;
            alerts.iter().filter(|title| *title == "A refund of $50.00 has not left yet").count()
        };
        passes(app, 58).await;
        assert_eq!(alert_count().await, 0);
        passes(app, 2).await;
        assert_eq!((alert_count().await, owed.refunds().await), (1, vec!["pending".to_owned()]));
        for _ in 0..6 {
            passes(app, 30).await;
        }
        assert_eq!(alert_count().await, 1);
        owed.stripe.is_well();
        passes(app, 360).await;
        assert_eq!((owed.refunds().await, owed.stripe.held()), (vec!["settled".to_owned()], 7_000));
        assert_eq!((owed.stripe.refunds().len(), owed.collected_and_owed().await), (1, (70.0, 50.0)));
    }

    async fn refused_retry_leaves_refund_in_doubt_until_list_is_readable(app) {
        let owed = paid(app).await;
        passes(app, 20).await;
        assert_eq!(owed.refund(50).await.0, 200);
        owed.stripe.script(&[Fault::Cut]);
        passes(app, 2).await;
        assert_eq!(owed.refunds().await, ["unknown"]);
        // The list and the balance can be read; then the key is refused.
        owed.stripe.script_reads(&[Fault::None, Fault::None, Fault::Unauthorized]);
        owed.stripe.script(&[Fault::Unauthorized]);
        passes(app, 2).await;
        assert_eq!(owed.refunds().await, ["unknown"]);
        let alerts = owed.alerts().await;
        assert!(!alerts.iter().any(|title| title.contains("did not go through")), "{alerts:?}");
        owed.stripe.is_well();
        passes(app, 120).await;
        assert_eq!((owed.refunds().await, owed.stripe.held()), (vec!["settled".to_owned()], 7_000));
    }

    async fn refund_asked_for_by_another_run_is_in_doubt_and_not_failed(app) {
        let owed = paid(app).await;
        let (status, response) = owed.refund(50).await;
        assert_eq!(status, 200, "{response}");
        let id: PaymentId = serde_json::from_value(response["payment"]["id"].clone()).unwrap();
        let mut conn = app.db.acquire_reader().await.unwrap();
        let seen = checkout::find_pending_refund(&mut conn, owed.shop.id(), id).await.unwrap().unwrap();
        let profile = org::load_profile(&mut conn, owed.shop.org.clone()).await.unwrap();
        drop(conn);
        let asks = async || {
            app.within(async |tx| checkout::record_refund_attempt(tx, &app.origin, &seen, false).await).await.unwrap()
        };
        assert!(asks().await.is_some(), "another run asks");
        assert_eq!(asks().await, None, "this one began before that, and leaves it alone");
        for returned in [None, Some(checkout::ReturnedFunds { is_whole: true, ..checkout::ReturnedFunds::default() })] {
            let refusal = RefundRefusal { why: "refused it", was_requested: false, returned: returned.as_ref() };
            let has_failed = app
                .within(async |tx| checkout::record_refund_failed(tx, &app.origin, &profile, &seen, refusal).await)
                .await
                .unwrap();
            assert_eq!((has_failed, owed.refunds().await), (false, vec!["unknown".to_owned()]));
        }
        passes(app, 2).await;
        assert_eq!((owed.refunds().await, owed.stripe.held()), (vec!["settled".to_owned()], 7_000));
    }

    async fn refund_is_made_once_under_mixed_stripe_faults(app) {
        let owed = paid(app).await;
        let orders = [
            [Fault::Cut, Fault::DoneThenCut, Fault::Error500],
            [Fault::TooManyRequests, Fault::Error500, Fault::DoneThen500],
            [Fault::DoneThenCut, Fault::Unauthorized, Fault::Conflict],
            [Fault::Conflict, Fault::Cut, Fault::DoneThen500],
        ];
        for (n, faults) in (1..).zip(orders) {
            assert_eq!(owed.refund(10).await.0, 200);
            owed.stripe.script(&faults);
            owed.stripe.script_reads(&[Fault::None, Fault::None, Fault::Error500, Fault::Cut]);
            passes(app, 2).await;
            for _ in 0..12 {
                passes(app, 30).await;
            }
            owed.stripe.is_well();
            passes(app, 600).await;
            assert_eq!(owed.stripe.refunds().len(), n, "{faults:?}");
        }
        assert!(owed.refunds().await.iter().all(|status| status == "settled"), "{:?}", owed.refunds().await);
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (8_000, (80.0, 40.0)));
    }
}
