//! Differences that a person settles, and those that one comparison alone would show.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::money::reconciliation::{self, SettlingPerson},
    ops::erasure,
    platform::{
        db::q,
        id::{AccountId, CustomerId},
    },
};
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{Fault, OTHER},
};

use super::{Owed, open_differences::looks_end, paid, reconciliation::night};

impl Owed {
    async fn difference_key(&self, app: &TestApp) -> String {
        self.comparison(app).await["differences"][0]["key"].as_str().unwrap().to_owned()
    }

    /// Settles a difference, or opens it again. Returns the status and the comparison after it.
    async fn decides(&self, app: &TestApp, what: &str, body: &Value) -> (u16, Value) {
        let owner = app.client().signed_in(app, self.shop.owner()).await;
        let answer = owner.post(&format!("/api/org/{}/stripe/differences/{what}", self.shop.id()), body).await;
        (answer.status.as_u16(), answer.json()["reconciliation"].clone())
    }

    async fn erases_customer(&self, app: &TestApp) {
        let org = self.shop.id();
        let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
        let mut conn = app.db.acquire_reader().await.unwrap();
        let customer = q!(&mut conn, fetch_one scalar CustomerId, sql, org, self.lead).unwrap();
        drop(conn);
        app.within(async |tx| erasure::request::request_erasure(tx, &app.origin, org, customer, "Ann Lee", None).await)
            .await
            .unwrap();
        app.advance(erasure::GRACE);
        worker::housekeeping::run_due_erasures(&app.context).await.unwrap();
    }

    async fn counts(&self, app: &TestApp) -> (usize, usize) {
        (self.difference_texts(app).await.len(), self.difference_alerts(app).await)
    }
}

both_databases! {
    async fn settled_difference_is_reported_again_only_when_its_amount_changes(app) {
        let (owed, _) = paid(app).await;
        owed.books(app, 13_000).await;
        night(app).await;
        assert_eq!(owed.counts(app).await, (1, 1));
        let key = owed.difference_key(app).await;
        let (status, look) = owed.decides(app, "settle", &json!({"key": key, "note": " Booked twice "})).await;
        assert_eq!((status, &look["differences"]), (200, &json!([])), "{look}");
        let settled = &look["settled"][0];
        assert_eq!((&settled["key"], &settled["note"]), (&json!(key), &json!("Booked twice")), "{settled}");
        assert!(!settled["settledBy"].as_str().unwrap().is_empty(), "{settled}");
        assert!(settled["text"].as_str().unwrap().contains("Stripe holds $120.00, your books say $130.00"), "{settled}");
        assert_eq!(app.count("audit_event WHERE action = 'difference_settled'").await, 1);
        night(app).await;
        assert_eq!(owed.counts(app).await, (0, 1), "the same amount");
        owed.books(app, 14_000).await;
        night(app).await;
        assert_eq!(owed.counts(app).await, (1, 2), "another amount");
        assert_eq!(owed.comparison(app).await["settled"], json!([]));
        assert_eq!(owed.decides(app, "settle", &json!({"key": key})).await.0, 404, "nobody sees this amount any more");
        night(app).await;
        assert_eq!(owed.counts(app).await, (1, 2), "once");
        owed.books(app, 12_000).await;
        night(app).await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["agreed"], &look["differences"], &look["settled"]), (&json!(1), &json!([]), &json!([])), "{look}");
    }

    async fn settled_difference_that_ended_is_reported_when_it_is_found_again(app) {
        let (owed, _) = paid(app).await;
        owed.books(app, 13_000).await;
        night(app).await;
        let key = owed.difference_key(app).await;
        assert_eq!(owed.decides(app, "settle", &json!({"key": key})).await.0, 200);
        owed.books(app, 12_000).await;
        night(app).await;
        assert_eq!(app.count("money_difference").await, 0, "it ended");
        owed.books(app, 13_000).await;
        night(app).await;
        assert_eq!(owed.counts(app).await, (1, 2), "the same amounts");
        assert_eq!(owed.comparison(app).await["settled"], json!([]));
        assert_eq!(owed.decides(app, "settle", &json!({"key": owed.difference_key(app).await})).await.0, 200);
        night(app).await;
        assert_eq!(owed.counts(app).await, (0, 2));
    }

    async fn more_than_two_hundred_settlements_are_kept(app) {
        let (owed, _) = paid(app).await;
        night(app).await;
        let org = owed.shop.id();
        let sql = "SELECT id FROM account WHERE org_id = $1 LIMIT 1";
        let mut conn = app.db.acquire_reader().await.unwrap();
        let account = q!(&mut conn, fetch_one scalar AccountId, sql, org).unwrap();
        drop(conn);
        let found = "INSERT INTO money_difference (org_id, kind, object, stripe_cents, books_cents, found_at, seen_at)
            VALUES ($1, 'unknown_payment', $2, 100, 0, $3, $3)";
        app.within(async |tx| {
            for n in 0..201 {
                let object = format!("pi_{n}");
                q!(&mut *tx, execute, found, org, &object, app.now())?;
                let by = SettlingPerson { account, name: "Olive Owner".to_owned() };
                let key = format!("unknown_payment:{object}:100:0");
                reconciliation::settle_difference(&mut *tx, &app.origin, org, (&key, None), by).await?;
            }
            Ok(())
        })
        .await
        .unwrap();
        let look = owed.comparison(app).await;
        assert_eq!((look["settled"].as_array().unwrap().len(), &look["differences"]), (201, &json!([])), "{look}");
    }

    async fn comparisons_that_each_find_a_new_difference_end_within_the_night(app) {
        let (owed, _) = paid(app).await;
        owed.books(app, 13_000).await;
        app.advance(Duration::hours(31));
        reconciliation::schedule_nightly_runs(&app.db, &app.origin).await.unwrap();
        for _ in 0..12 {
            app.run_tasks().await;
            // The next comparison finds it as a new one.
            let gone = "DELETE FROM money_difference WHERE org_id = $1";
            app.within(async |tx| Ok(q!(tx, execute, gone, owed.shop.id())?)).await.unwrap();
            app.advance(Duration::minutes(10));
        }
        assert_eq!(app.count("reconciliation WHERE phase = 'done'").await, 1);
        assert_eq!(owed.difference_alerts(app).await, 1, "the last one counts");
    }

    async fn settled_difference_out_of_scope_can_be_opened_again_and_is_not_reported_again(app) {
        let (owed, _) = paid(app).await;
        owed.books(app, 13_000).await;
        night(app).await;
        owed.uses_account(app, OTHER).await;
        night(app).await;
        assert_eq!(owed.counts(app).await, (1, 1), "the account in force does not list it");
        let key = owed.difference_key(app).await;
        let (status, look) = owed.decides(app, "settle", &json!({"key": key})).await;
        assert_eq!((status, &look["differences"], &look["settled"][0]["note"]), (200, &json!([]), &Value::Null), "{look}");
        night(app).await;
        assert_eq!(owed.counts(app).await, (0, 1));
        let (status, look) = owed.decides(app, "reopen", &json!({"key": key})).await;
        assert_eq!((status, &look["differences"][0]["key"], &look["settled"]), (200, &json!(key), &json!([])), "{look}");
        assert_eq!(owed.decides(app, "reopen", &json!({"key": key})).await.0, 404);
        night(app).await;
        assert_eq!(owed.counts(app).await, (1, 1));
        assert_eq!(app.count("audit_event WHERE action = 'difference_reopened'").await, 1);
    }

    async fn settlement_of_what_is_no_difference_is_refused(app) {
        let (owed, _) = paid(app).await;
        owed.books(app, 13_000).await;
        night(app).await;
        for key in ["", "balance", "balance:pi_none:12000:13000", "a:b:c:d", "balance:pi\0:1:2"] {
            assert_eq!(owed.decides(app, "settle", &json!({"key": key})).await.0, 404, "{key:?}");
        }
        let key = owed.difference_key(app).await;
        assert_eq!(owed.decides(app, "settle", &json!({"key": key, "note": "x".repeat(501)})).await.0, 422);
        assert_eq!(owed.counts(app).await, (1, 1));
    }

    async fn note_of_settled_difference_goes_with_the_erased_customer(app) {
        let (owed, _) = paid(app).await;
        owed.books(app, 13_000).await;
        night(app).await;
        let key = owed.difference_key(app).await;
        let (_, look) = owed.decides(app, "settle", &json!({"key": key, "note": "Ann Lee paid cash"})).await;
        assert_eq!(look["settled"][0]["note"], json!("Ann Lee paid cash"), "{look}");
        owed.erases_customer(app).await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["settled"][0]["key"], &look["settled"][0]["note"]), (&json!(key), &Value::Null), "{look}");
    }

    async fn note_about_payment_booked_later_goes_with_the_erased_customer(app) {
        let (owed, _) = paid(app).await;
        let org = owed.shop.id();
        let payment = owed.stripe.charges_for(&org.to_string(), 5_000);
        night(app).await;
        let key = owed.difference_key(app).await;
        let (_, look) = owed.decides(app, "settle", &json!({"key": key, "note": "From Ann Lee"})).await;
        assert_eq!(look["settled"][0]["note"], json!("From Ann Lee"), "{look}");
        let booked = "UPDATE payment SET provider_id = $2 WHERE org_id = $1 AND kind = 'payment'";
        app.within(async |tx| Ok(q!(tx, execute, booked, org, &payment)?)).await.unwrap();
        owed.erases_customer(app).await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["settled"][0]["key"], &look["settled"][0]["note"]), (&json!(key), &Value::Null), "{look}");
    }

    async fn note_about_payment_without_a_known_payer_goes_with_any_erased_customer(app) {
        let (owed, _) = paid(app).await;
        let payment = owed.stripe.charges_for(&owed.shop.id().to_string(), 5_000);
        night(app).await;
        let key = owed.difference_key(app).await;
        assert!(key.contains(&payment), "{key}");
        let (_, look) = owed.decides(app, "settle", &json!({"key": key, "note": "From Ann Lee"})).await;
        assert_eq!(look["settled"][0]["note"], json!("From Ann Lee"), "{look}");
        owed.erases_customer(app).await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["settled"][0]["key"], &look["settled"][0]["note"]), (&json!(key), &Value::Null), "{look}");
    }

    async fn refund_that_fails_between_pages_of_a_run_is_no_difference(app) {
        let (owed, session) = paid(app).await;
        looks_end(app).await;
        owed.stripe.refund_by_hand(&session, 4_500);
        night(app).await;
        for n in 0..120 {
            owed.stripe.charges_elsewhere(1_000 + n);
        }
        // Two pages of charges, one each of refunds, disputes and payouts, and the newest balance transactions are read.
        owed.stripe.script_reads(&[Fault::None; 6]);
        owed.stripe.script_reads(&[Fault::Error500]);
        app.advance(Duration::hours(31));
        reconciliation::schedule_nightly_runs(&app.db, &app.origin).await.unwrap();
        app.run_tasks().await;
        assert_eq!(app.count("reconciliation WHERE phase = 'transactions' AND cursor IS NOT NULL").await, 1);
        owed.stripe.is_well();
        let refund = owed.stripe.refunds()[0].id.clone();
        owed.stripe.refund_ends(&refund, "failed");
        let news = owed.stripe.payment_event("charge.refunded", "refund", &session, app.now());
        assert_eq!(owed.tells(news).await.status, 200);
        for _ in 0..12 {
            app.advance(Duration::minutes(10));
            app.run_tasks().await;
            assert_eq!(owed.counts(app).await, (0, 0));
        }
        let look = owed.comparison(app).await;
        assert_eq!((&look["agreed"], &look["isRunning"]), (&json!(1), &json!(false)), "{look}");
        assert_eq!(app.count("money_difference").await, 0);
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0));
    }

    async fn run_of_a_clock_that_was_ahead_does_not_stop_later_nights(app) {
        let (owed, _) = paid(app).await;
        night(app).await;
        let sql = "UPDATE reconciliation SET started_at = $2, finished_at = $2 WHERE org_id = $1";
        let ahead = app.now() + Duration::days(400);
        app.within(async |tx| Ok(q!(tx, execute, sql, owed.shop.id(), ahead)?)).await.unwrap();
        owed.books(app, 13_000).await;
        night(app).await;
        assert_eq!(owed.counts(app).await, (1, 1));
        let look = owed.comparison(app).await;
        assert_eq!(look["isRunning"], json!(false), "{look}");
    }

    async fn bank_payment_booked_days_after_its_charge_is_found_at_the_edge_of_the_period(app) {
        let (owed, _) = paid(app).await;
        app.advance(Duration::days(121));
        // It was charged 121 days ago, and arrived three days later. The night is a day later.
        owed.was_booked(app, 118).await;
        night(app).await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["agreed"], &look["differences"]), (&json!(1), &json!([])), "{look}");
    }
}
