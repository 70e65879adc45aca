//! The nightly look at Stripe's books: what nobody told us of is booked, and what cannot be booked is shown.

use chrono::Duration;
use serde_json::{Value, json};
use shared::db::q;
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{Fault, Left},
    people::Shop,
};

use super::{Owed, owed};

/// A night passes in which the books are looked through. What Stripe does not answer is asked again.
pub(super) async fn night(app: &TestApp) {
    app.advance(Duration::hours(31));
    shared::reconciliation::plan(&app.db, &app.origin).await.unwrap();
    app.run_tasks().await;
    for _ in 0..8 {
        app.advance(Duration::minutes(10));
        app.run_tasks().await;
    }
}

/// Ann paid $120.00 by card, of which no webhook ever told.
async fn paid(app: &mut TestApp) -> (Owed, String) {
    let owed = owed(app).await;
    let session = owed.goes_to_pay().await;
    owed.stripe.leave(&session, Left::Paid);
    owed.comes_back(&session).await;
    app.run_tasks().await;
    (owed, session)
}

async fn shown(app: &TestApp, shop: &Shop) -> Value {
    let owner = app.client().signed_in(app, shop.owner()).await;
    owner.get(&format!("/api/org/{}/stripe", shop.id())).await.json()["reconciliation"].clone()
}

both_databases! {
    async fn a_chargeback_that_no_webhook_told_of_is_learnt_by_the_next_morning(app) {
        let (owed, session) = paid(app).await;
        for _ in 0..40 {
            app.advance(Duration::hours(12));
            app.run_tasks().await;
        }
        owed.stripe.disputes(&session, "needs_response");
        night(app).await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!((owed.stands().await, owed.stripe.held()), ((0.0, 120.0), 0));
        assert!(owed.alerts().await.iter().any(|title| title == "A card payment of $120.00 is disputed"));
        owed.stripe.disputes(&session, "won");
        night(app).await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!((owed.stands().await, owed.stripe.held()), ((120.0, 0.0), 12_000));
        assert_eq!(shown(app, &owed.shop).await["differences"], json!([]));
    }

    async fn what_goes_back_on_stripes_own_pages_weeks_later_is_booked(app) {
        let (owed, session) = paid(app).await;
        app.advance(Duration::days(10));
        app.run_tasks().await;
        owed.stripe.refund_by_hand(&session, 4_500);
        night(app).await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!(owed.stands().await, (75.0, 45.0));
        night(app).await;
        assert_eq!(owed.stands().await, (75.0, 45.0), "once");
        let look = shown(app, &owed.shop).await;
        assert_eq!((&look["agreed"], &look["isRunning"], &look["differences"]), (&json!(1), &json!(false), &json!([])), "{look}");
    }

    async fn a_payment_that_was_never_noted_is_found(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        let lost = "DELETE FROM task WHERE org_id = $1 AND kind = 'settle_checkout'";
        app.within(async |tx| Ok(q!(tx, execute, lost, owed.shop.id())?)).await.unwrap();
        app.run_tasks().await;
        assert_eq!(owed.stands().await, (0.0, 120.0));
        night(app).await;
        assert_eq!(owed.stands().await, (120.0, 0.0));
        assert_eq!(owed.alerts().await, ["Ann Lee paid $120.00 by card"]);
    }

    async fn the_payout_of_a_payment_stands_beside_it(app) {
        let (owed, _) = paid(app).await;
        owed.stripe.charges_elsewhere(7_700);
        let payout = owed.stripe.pays_out();
        night(app).await;
        let payment = owed.money().await["payments"][0].clone();
        assert_eq!(payment["payout"]["id"], json!(payout), "{payment}");
        // 2.9 % and 30 cents of each.
        assert_eq!((&payment["payout"]["amount"], &payment["payout"]["status"]), (&json!(190.69), &json!("paid")));
    }

    async fn long_lists_are_read_to_their_end_whatever_comes_between(app) {
        let (owed, session) = paid(app).await;
        for n in 0..230 {
            owed.stripe.charges_elsewhere(1_000 + n);
        }
        owed.stripe.refund_by_hand(&session, 2_000);
        for n in 0..230 {
            owed.stripe.charges_elsewhere(1_000 + n);
        }
        owed.stripe.script_reads(&[Fault::None, Fault::Error500, Fault::None, Fault::TooManyRequests, Fault::Cut]);
        night(app).await;
        assert_eq!(owed.stands().await, (100.0, 20.0));
        let look = shown(app, &owed.shop).await;
        assert_eq!((&look["agreed"], &look["isRunning"], &look["differences"]), (&json!(1), &json!(false), &json!([])), "{look}");
        assert!(owed.stripe.charges().len() > 400);
    }

    async fn what_cannot_be_booked_is_shown_and_told_once_until_it_is_mended(app) {
        let (owed, _) = paid(app).await;
        let books = async |cents: i64| {
            let sql = "UPDATE payment SET amount_cents = $2 WHERE org_id = $1 AND kind = 'payment'";
            app.within(async |tx| Ok(q!(tx, execute, sql, owed.shop.id(), cents)?)).await.unwrap();
        };
        books(13_000).await;
        night(app).await;
        night(app).await;
        let differs = async || {
            let office = app.client().signed_in(app, owed.shop.owner()).await;
            let alerts = office.get("/api/alerts").await.json();
            let told = alerts.as_array().unwrap().iter().filter(|one| one["title"] == "Stripe and your books differ").count();
            (shown(app, &owed.shop).await["differences"].clone(), told)
        };
        let (differences, told) = differs().await;
        let text = differences[0]["text"].as_str().unwrap();
        assert!(text.contains("Stripe holds $120.00, your books say $130.00"), "{text}");
        assert_eq!((differences.as_array().unwrap().len(), told), (1, 1), "{differences}");
        books(12_000).await;
        night(app).await;
        assert_eq!(differs().await.0, json!([]));
    }

    async fn a_key_that_may_not_read_a_list_is_said_and_the_others_are_read(app) {
        let (owed, session) = paid(app).await;
        owed.stripe.hides_disputes();
        owed.stripe.refund_by_hand(&session, 1_000);
        night(app).await;
        assert_eq!(owed.stands().await, (110.0, 10.0));
        assert_eq!(shown(app, &owed.shop).await["unread"], json!(["disputes"]));
    }

    async fn key_revoked_at_stripe_is_told_once_a_week_and_not_again_each_night(app) {
        let (owed, _) = paid(app).await;
        let title = "Stripe does not accept your key".to_owned();
        for (nights, told) in [(1, 1), (1, 1), (4, 2)] {
            for _ in 0..nights {
                owed.stripe.script_reads(&[Fault::Unauthorized; 30]);
                night(app).await;
                owed.stripe.is_well();
            }
            let titles = owed.alert_titles().await;
            assert_eq!(titles.iter().filter(|one| **one == title).count(), told, "after {nights} nights more");
        }
        assert_eq!(shown(app, &owed.shop).await["unread"].as_array().unwrap().len(), 5);
    }
}
