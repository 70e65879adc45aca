//! Differences that a run found, and what ends them; lists and payouts that cannot be read.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::money::reconciliation,
    platform::{db::q, id::PaymentId},
};
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{ENDPOINT, Fault, LIVE, OTHER},
};

use super::{Owed, owed, paid, put, reconciliation::night};

impl Owed {
    /// The last comparison as the owner sees it.
    pub(super) async fn comparison(&self, app: &TestApp) -> Value {
        let owner = app.client().signed_in(app, self.shop.owner()).await;
        owner.get(&format!("/api/org/{}/stripe", self.shop.id())).await.json()["reconciliation"].clone()
    }

    pub(super) async fn difference_texts(&self, app: &TestApp) -> Vec<String> {
        let look = self.comparison(app).await;
        let text = |one: &Value| one["text"].as_str().unwrap().to_owned();
        look["differences"].as_array().unwrap().iter().map(text).collect()
    }

    pub(super) async fn difference_alerts(&self, app: &TestApp) -> usize {
        let owner = app.client().signed_in(app, self.shop.owner()).await;
        let alerts = owner.get("/api/alerts").await.json();
        alerts.as_array().unwrap().iter().filter(|one| one["title"] == "Stripe and your books differ").count()
    }

    pub(super) async fn uses_account(&self, app: &TestApp, key: &str) {
        let owner = app.client().signed_in(app, self.shop.owner()).await;
        let keys = json!({"secretKey": key, "webhookSecret": ENDPOINT});
        let set = put(&owner, &format!("/api/org/{}/stripe", self.shop.id()), &keys).await;
        assert_eq!(set.status, 200, "{}", set.json());
    }

    /// The books claim another amount of the card payment.
    pub(super) async fn books(&self, app: &TestApp, cents: i64) {
        let sql = "UPDATE payment SET amount_cents = $2 WHERE org_id = $1 AND kind = 'payment'";
        app.within(async |tx| Ok(q!(tx, execute, sql, self.shop.id(), cents)?)).await.unwrap();
    }

    /// The payment was booked so many days ago.
    pub(super) async fn was_booked(&self, app: &TestApp, days: i64) {
        let sql = "UPDATE payment SET created_at = $2 WHERE org_id = $1 AND kind = 'payment'";
        let at = app.now() - Duration::days(days);
        app.within(async |tx| Ok(q!(tx, execute, sql, self.shop.id(), at)?)).await.unwrap();
    }

    /// A charge for the business without a page here. Returns its payment.
    fn charged_without_page(&self, cents: i64) -> String {
        self.stripe.charges_for(&self.shop.id().to_string(), cents)
    }
}

/// A night whose calls that fail are not repeated.
async fn interrupted_night(app: &TestApp) {
    app.advance(Duration::hours(31));
    reconciliation::schedule_nightly_runs(&app.db, &app.origin).await.unwrap();
    app.run_tasks().await;
}

/// The looks after a payment are over: the next calls to Stripe are those of the comparison.
pub(super) async fn looks_end(app: &TestApp) {
    app.advance(Duration::hours(25));
    app.run_tasks().await;
}

both_databases! {
    async fn difference_of_interrupted_run_is_alerted_once_when_a_later_run_ends(app) {
        let owed = owed(app).await;
        owed.charged_without_page(5_000);
        owed.stripe.script_reads(&[Fault::None, Fault::Error500]);
        interrupted_night(app).await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["finishedAt"], &look["isRunning"]), (&Value::Null, &json!(true)), "{look}");
        assert_eq!((owed.difference_texts(app).await.len(), owed.difference_alerts(app).await), (1, 0));
        owed.stripe.is_well();
        night(app).await;
        assert_eq!((owed.difference_texts(app).await.len(), owed.difference_alerts(app).await), (1, 1));
        night(app).await;
        assert_eq!((owed.difference_texts(app).await.len(), owed.difference_alerts(app).await), (1, 1), "once");
    }

    async fn difference_found_before_account_changed_is_alerted_by_run_of_new_account(app) {
        let owed = owed(app).await;
        owed.charged_without_page(5_000);
        owed.stripe.script_reads(&[Fault::None, Fault::Error500]);
        interrupted_night(app).await;
        owed.stripe.is_well();
        owed.uses_account(app, OTHER).await;
        app.advance(Duration::minutes(10));
        app.run_tasks().await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["isRunning"], &look["unread"]), (&json!(false), &json!([])), "{look}");
        assert_eq!((owed.difference_texts(app).await.len(), owed.difference_alerts(app).await), (1, 1));
        night(app).await;
        assert_eq!((owed.difference_texts(app).await.len(), owed.difference_alerts(app).await), (1, 1), "once");
    }

    async fn refund_booked_between_pages_of_a_run_is_compared_by_the_next_run(app) {
        let (owed, session) = paid(app).await;
        looks_end(app).await;
        for n in 0..120 {
            owed.stripe.charges_elsewhere(1_000 + n);
        }
        // Two pages of charges, one each of refunds, disputes and payouts, and the newest balance transactions are read.
        owed.stripe.script_reads(&[Fault::None; 6]);
        owed.stripe.script_reads(&[Fault::Error500]);
        interrupted_night(app).await;
        assert_eq!(app.count("reconciliation WHERE phase = 'transactions' AND cursor IS NOT NULL").await, 1);
        owed.stripe.is_well();
        owed.stripe.refund_by_hand(&session, 4_500);
        let news = owed.stripe.payment_event("charge.refunded", "refund", &session, app.now());
        assert_eq!(owed.tells(news).await.status, 200);
        app.run_tasks().await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!(owed.collected_and_owed().await, (75.0, 45.0));
        for _ in 0..8 {
            app.advance(Duration::minutes(10));
            app.run_tasks().await;
        }
        let look = owed.comparison(app).await;
        assert_eq!((&look["agreed"], &look["differences"], &look["isRunning"]), (&json!(0), &json!([]), &json!(false)), "{look}");
        night(app).await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["agreed"], &look["differences"]), (&json!(1), &json!([])), "{look}");
        assert_eq!(owed.difference_alerts(app).await, 0);
    }

    async fn difference_of_old_payment_stays_shown_until_it_is_compared_and_agrees(app) {
        let (owed, _) = paid(app).await;
        owed.books(app, 13_000).await;
        night(app).await;
        owed.was_booked(app, 200).await;
        night(app).await;
        let texts = owed.difference_texts(app).await;
        assert!(texts.len() == 1 && texts[0].contains("Stripe holds $120.00, your books say $130.00"), "{texts:?}");
        owed.books(app, 12_000).await;
        night(app).await;
        assert_eq!(owed.difference_texts(app).await.len(), 1, "nobody compared it");
        owed.was_booked(app, 3).await;
        night(app).await;
        assert_eq!((owed.difference_texts(app).await.len(), owed.difference_alerts(app).await), (0, 1));
    }

    async fn difference_of_former_account_stays_shown_until_that_account_agrees(app) {
        let (owed, _) = paid(app).await;
        owed.books(app, 13_000).await;
        night(app).await;
        owed.uses_account(app, OTHER).await;
        owed.books(app, 12_000).await;
        night(app).await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["agreed"], look["differences"].as_array().unwrap().len()), (&json!(0), 1), "{look}");
        owed.uses_account(app, LIVE).await;
        night(app).await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["agreed"], &look["differences"]), (&json!(1), &json!([])), "{look}");
    }

    async fn unknown_payment_stays_shown_until_it_is_booked_or_refunded_in_full(app) {
        let owed = owed(app).await;
        let refunded = owed.charged_without_page(5_000);
        let booked = owed.charged_without_page(6_000);
        night(app).await;
        assert_eq!(owed.difference_texts(app).await.len(), 2);
        owed.uses_account(app, OTHER).await;
        night(app).await;
        assert_eq!(owed.difference_texts(app).await.len(), 2, "the account in force lists neither");
        owed.uses_account(app, LIVE).await;
        owed.stripe.refund_payment(&refunded, 2_000);
        night(app).await;
        let texts = owed.difference_texts(app).await;
        assert!(texts.len() == 2 && texts.iter().any(|text| text.contains("took $30.00")), "{texts:?}");
        owed.stripe.refund_payment(&refunded, 3_000);
        night(app).await;
        let texts = owed.difference_texts(app).await;
        assert!(texts.len() == 1 && texts[0].contains(&booked), "{texts:?}");
        let sql = "INSERT INTO payment (org_id, id, lead_id, customer_id, kind, method, amount_cents, received_on, status,
                provider_id, created_at)
            SELECT l.org_id, $3, l.id, l.customer_id, 'payment', 'card', 6000, $4, 'settled', $5, $6 FROM lead l
            WHERE l.org_id = $1 AND l.id = $2";
        let (org, lead, id, now) = (owed.shop.id(), owed.lead, PaymentId(app.origin.uuid_v7()), app.now());
        app.within(async |tx| Ok(q!(tx, execute, sql, org, lead, id, now.date_naive(), &booked, now)?)).await.unwrap();
        night(app).await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["agreed"], &look["differences"]), (&json!(1), &json!([])), "{look}");
    }

    async fn open_difference_is_reported_again_when_its_amount_changes(app) {
        let (owed, _) = paid(app).await;
        for (cents, shown, alerts) in [(13_000, "$130.00", 1), (50_000, "$500.00", 2), (50_000, "$500.00", 2), (13_000, "$130.00", 3)] {
            owed.books(app, cents).await;
            night(app).await;
            let texts = owed.difference_texts(app).await;
            assert!(texts.len() == 1 && texts[0].contains(&format!("your books say {shown}")), "{texts:?}");
            assert_eq!(owed.difference_alerts(app).await, alerts, "{shown}");
        }
    }

    async fn unknown_payment_in_another_currency_is_shown_without_dollars(app) {
        let owed = owed(app).await;
        let payment = owed.charged_without_page(5_000);
        owed.stripe.converts_payment(&payment, "eur");
        night(app).await;
        let texts = owed.difference_texts(app).await;
        assert!(texts.len() == 1 && texts[0].contains("not in US dollars") && texts[0].contains(&payment), "{texts:?}");
        assert!(!texts[0].contains("50.00"), "{texts:?}");
        assert_eq!(owed.difference_alerts(app).await, 1);
        owed.stripe.refund_payment(&payment, 5_000);
        night(app).await;
        assert_eq!(owed.difference_texts(app).await, [""; 0]);
    }

    async fn payout_is_read_once_stripe_has_put_its_lines_together(app) {
        let (owed, _) = paid(app).await;
        owed.stripe.reconciles_payouts_later();
        let payout = owed.stripe.pays_out();
        night(app).await;
        let shown = async || {
            let office = app.client().signed_in(app, owed.shop.owner()).await;
            let money = office.get(&format!("/api/leads/{}/money", owed.lead)).await.json();
            money["payments"][0]["payout"].clone()
        };
        assert_eq!(shown().await, Value::Null);
        owed.stripe.reconciles_payouts();
        night(app).await;
        assert_eq!(shown().await["id"], json!(payout));
    }

    async fn listed_dispute_without_a_row_in_the_books_is_a_difference(app) {
        let (owed, session) = paid(app).await;
        looks_end(app).await;
        // Without the page the dispute is not booked.
        let gone = "DELETE FROM checkout WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, gone, owed.shop.id())?)).await.unwrap();
        owed.stripe.disputes(&session, "needs_response");
        night(app).await;
        let texts = owed.difference_texts(app).await;
        assert!(texts.len() == 1 && texts[0].contains("Stripe holds $0.00, your books say $120.00"), "{texts:?}");
        owed.stripe.disputes(&session, "won");
        night(app).await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["agreed"], &look["differences"]), (&json!(1), &json!([])), "{look}");
    }

    async fn payout_left_unread_is_dropped_when_account_changes(app) {
        let (owed, _) = paid(app).await;
        looks_end(app).await;
        let payout = owed.stripe.pays_out();
        // Charges, refunds, disputes and payouts are read; the lines of the payout are not.
        owed.stripe.script_reads(&[Fault::None, Fault::None, Fault::None, Fault::None, Fault::Error500]);
        interrupted_night(app).await;
        owed.stripe.is_well();
        let unread = "stripe_payout WHERE is_unread = TRUE";
        assert_eq!(app.count(unread).await, 1);
        owed.uses_account(app, OTHER).await;
        assert_eq!(app.count(unread).await, 0);
        night(app).await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["unread"], &look["isRunning"]), (&json!([]), &json!(false)), "{look}");
        owed.uses_account(app, LIVE).await;
        night(app).await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        let payment = owed.money().await["payments"][0].clone();
        assert_eq!(payment["payout"]["id"], json!(payout), "the account that comes back is read anew: {payment}");
    }

    async fn payout_with_refused_lines_is_skipped_and_the_rest_is_compared(app) {
        let (owed, _) = paid(app).await;
        let payout = owed.stripe.pays_out();
        let sql = "INSERT INTO stripe_payout (org_id, id, amount_cents, status, arrives_on, is_unread, made_at)
            VALUES ($1, 'po_0', 100, 'paid', $2, TRUE, $3)";
        let now = app.now();
        app.within(async |tx| Ok(q!(tx, execute, sql, owed.shop.id(), now.date_naive(), now)?)).await.unwrap();
        night(app).await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["unread"], &look["agreed"], &look["differences"]), (&json!([]), &json!(1), &json!([])), "{look}");
        assert_eq!(app.count("stripe_payout WHERE is_unread = TRUE").await, 0, "it is not asked for again");
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!(owed.money().await["payments"][0]["payout"]["id"], json!(payout));
    }

    async fn list_page_too_long_to_read_is_read_in_smaller_pages(app) {
        let (owed, _) = paid(app).await;
        for n in 0..120 {
            owed.stripe.charges_elsewhere(1_000 + n);
        }
        // A hundred of them are more than eight megabytes.
        owed.stripe.describes_charges(90_000);
        night(app).await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["unread"], &look["agreed"], &look["isRunning"]), (&json!([]), &json!(1), &json!(false)), "{look}");
    }
}
