//! The nightly reconciliation with Stripe: payments without a webhook are booked, and what cannot be booked is shown.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::money::reconciliation::COMPARISON_SQL,
    platform::{
        db::{Engine, q},
        id::PaymentId,
    },
};
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{Fault, Left},
    people::Shop,
    plan::Line,
};
use uuid::Uuid;

use super::{Owed, owed, paid};

/// A night with reconciliation. Calls that Stripe does not answer are repeated.
pub(super) async fn night(app: &TestApp) {
    app.advance(Duration::hours(31));
    shared::domain::money::reconciliation::schedule_nightly_runs(&app.db, &app.origin).await.unwrap();
    app.run_tasks().await;
    for _ in 0..8 {
        app.advance(Duration::minutes(10));
        app.run_tasks().await;
    }
}

async fn shown(app: &TestApp, shop: &Shop) -> Value {
    let owner = app.client().signed_in(app, shop.owner()).await;
    owner.get(&format!("/api/org/{}/stripe", shop.id())).await.json()["reconciliation"].clone()
}

/// More than two slices.
const MANY: i64 = 1_100;

/// Many card payments in the ledger and in what was read from Stripe. One differs.
async fn remembers(app: &TestApp, owed: &Owed) {
    let paid = "INSERT INTO payment (org_id, id, lead_id, customer_id, kind, method, amount_cents, received_on, status,
            provider_id, charge_id, created_at)
        SELECT l.org_id, $3, l.id, l.customer_id, 'payment', 'card', $4, $5, 'settled', $6, $7, $8 FROM lead l
        WHERE l.org_id = $1 AND l.id = $2";
    let line = "INSERT INTO stripe_transaction (org_id, id, kind, amount_cents, fee_cents, currency, source, made_at)
        VALUES ($1, $2, 'charge', $3, 0, 'usd', $4, $5)";
    let (org, lead, now) = (owed.shop.id(), owed.lead, app.now());
    let many = app.within(async |tx| {
        for n in 0..MANY {
            let (id, charge) = (PaymentId(app.origin.uuid_v7()), format!("ch_many{n}"));
            let (cents, there) = (1_000 + n, if n == 77 { 977 } else { 1_000 + n });
            let (named, txn) = (format!("pi_many{n}"), format!("txn_many{n}"));
            q!(&mut *tx, execute, paid, org, lead, id, cents, now.date_naive(), named, &charge, now)?;
            q!(&mut *tx, execute, line, org, txn, there, charge, now)?;
        }
        Ok(())
    });
    many.await.unwrap();
}

async fn plan(app: &TestApp, shop: &Shop) -> String {
    let mut tx = app.db.begin().await.unwrap();
    let is_postgres = app.db.engine() == Engine::Postgres;
    if is_postgres {
        // Otherwise the tables of a story are too small for any index.
        q!(&mut tx, execute, "SET LOCAL enable_seqscan = off").unwrap();
    }
    let sql = format!("{} {COMPARISON_SQL}", if is_postgres { "EXPLAIN" } else { "EXPLAIN QUERY PLAN" });
    let (since, until, first) = (app.now() - Duration::days(120), app.now(), Uuid::nil());
    let rows =
        q!(&mut tx, fetch_all as Line, sqlx::AssertSqlSafe(sql), shop.id(), since, until, "", since, first, 500_i64);
    rows.unwrap().into_iter().map(|Line(line)| line).collect::<Vec<_>>().join("\n")
}

both_databases! {
    async fn chargeback_without_webhook_is_booked_by_next_morning(app) {
        let (owed, session) = paid(app).await;
        for _ in 0..40 {
            app.advance(Duration::hours(12));
            app.run_tasks().await;
        }
        owed.stripe.disputes(&session, "needs_response");
        night(app).await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!((owed.collected_and_owed().await, owed.stripe.held()), ((0.0, 120.0), 0));
        assert!(owed.alerts().await.iter().any(|title| title == "A card payment of $120.00 is disputed"));
        owed.stripe.disputes(&session, "won");
        night(app).await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!((owed.collected_and_owed().await, owed.stripe.held()), ((120.0, 0.0), 12_000));
        assert_eq!(shown(app, &owed.shop).await["differences"], json!([]));
    }

    async fn refund_made_in_stripe_weeks_later_is_booked_once(app) {
        let (owed, session) = paid(app).await;
        app.advance(Duration::days(10));
        app.run_tasks().await;
        owed.stripe.refund_by_hand(&session, 4_500);
        night(app).await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!(owed.collected_and_owed().await, (75.0, 45.0));
        night(app).await;
        assert_eq!(owed.collected_and_owed().await, (75.0, 45.0), "once");
        let look = shown(app, &owed.shop).await;
        assert_eq!((&look["agreed"], &look["isRunning"], &look["differences"]), (&json!(1), &json!(false), &json!([])), "{look}");
    }

    async fn payment_with_lost_task_is_found_by_reconciliation(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        let lost = "DELETE FROM task WHERE org_id = $1 AND kind = 'settle_checkout'";
        app.within(async |tx| Ok(q!(tx, execute, lost, owed.shop.id())?)).await.unwrap();
        app.run_tasks().await;
        assert_eq!(owed.collected_and_owed().await, (0.0, 120.0));
        night(app).await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0));
        assert_eq!(owed.alerts().await, ["Ann Lee paid $120.00 by card"]);
    }

    async fn payout_is_shown_beside_its_payment(app) {
        let (owed, _) = paid(app).await;
        owed.stripe.charges_elsewhere(7_700);
        let payout = owed.stripe.pays_out();
        night(app).await;
        let payment = owed.money().await["payments"][0].clone();
        assert_eq!(payment["payout"]["id"], json!(payout), "{payment}");
        // Less 2.9 % and 30 cents of each.
        assert_eq!((&payment["payout"]["amount"], &payment["payout"]["status"]), (&json!(190.69), &json!("paid")));
    }

    async fn payout_read_before_its_payment_was_booked_is_shown_beside_it(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        let lost = "DELETE FROM task WHERE org_id = $1 AND kind = 'settle_checkout'";
        app.within(async |tx| Ok(q!(tx, execute, lost, owed.shop.id())?)).await.unwrap();
        let payout = owed.stripe.pays_out();
        night(app).await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0));
        night(app).await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        let payment = owed.money().await["payments"][0].clone();
        assert_eq!(payment["payout"]["id"], json!(payout), "{payment}");
    }

    async fn long_stripe_lists_are_read_fully_despite_faults(app) {
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
        assert_eq!(owed.collected_and_owed().await, (100.0, 20.0));
        let look = shown(app, &owed.shop).await;
        assert_eq!((&look["agreed"], &look["isRunning"], &look["differences"]), (&json!(1), &json!(false), &json!([])), "{look}");
        assert!(owed.stripe.charges().len() > 400);
    }

    async fn unbookable_difference_is_shown_and_alerted_once_until_resolved(app) {
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
            let alert_count = alerts.as_array().unwrap().iter().filter(|one| one["title"] == "Stripe and your books differ").count();
            (shown(app, &owed.shop).await["differences"].clone(), alert_count)
        };
        let (differences, alert_count) = differs().await;
        let text = differences[0]["text"].as_str().unwrap();
        assert!(text.contains("Stripe holds $120.00, your books say $130.00"), "{text}");
        assert_eq!((differences.as_array().unwrap().len(), alert_count), (1, 1), "{differences}");
        books(12_000).await;
        night(app).await;
        assert_eq!(differs().await.0, json!([]));
    }

    async fn difference_persists_when_its_list_is_not_read(app) {
        let (owed, _) = paid(app).await;
        let books = async |cents: i64| {
            let sql = "UPDATE payment SET amount_cents = $2 WHERE org_id = $1 AND kind = 'payment'";
            app.within(async |tx| Ok(q!(tx, execute, sql, owed.shop.id(), cents)?)).await.unwrap();
        };
        let reconcile = async || {
            night(app).await;
            let look = shown(app, &owed.shop).await;
            (look["differences"].as_array().unwrap().len(), look["unread"].clone())
        };
        books(13_000).await;
        assert_eq!(reconcile().await, (1, json!([])));
        books(12_000).await;
        owed.stripe.hides("balance_transactions");
        assert_eq!(reconcile().await, (1, json!(["balance_transactions"])), "the difference is kept while Stripe cannot be read");
        owed.stripe.hides_nothing();
        assert_eq!(reconcile().await, (0, json!([])));
        let office = app.client().signed_in(app, owed.shop.owner()).await;
        let alerts = office.get("/api/alerts").await.json();
        let alert_count = alerts.as_array().unwrap().iter().filter(|one| one["title"] == "Stripe and your books differ").count();
        assert_eq!(alert_count, 1, "{alerts}");
    }

    async fn comparison_of_many_payments_runs_in_slices_and_uses_indexes(app) {
        let owed = owed(app).await;
        remembers(app, &owed).await;
        night(app).await;
        let look = shown(app, &owed.shop).await;
        assert_eq!((&look["agreed"], &look["isRunning"]), (&json!(MANY - 1), &json!(false)));
        let differences = look["differences"].as_array().unwrap();
        let text = differences[0]["text"].as_str().unwrap();
        assert!(differences.len() == 1 && text.contains("pi_many77: Stripe holds $9.77, your books say $10.77"), "{text}");
        let plan = plan(app, &owed.shop).await;
        for index in ["payment_at_stripe", "payment_by_refund", "stripe_transaction_by_source"] {
            assert!(plan.contains(index), "{index}: {plan}");
        }
        for table in ["SCAN p", "SCAN r", "SCAN t", "SCAN u", "Seq Scan"] {
            assert!(!plan.contains(table), "{table}: {plan}");
        }
        let tasks = "SELECT COUNT(*) FROM task WHERE org_id = $1 AND kind = 'reconcile' AND unique_key LIKE '%:Compare:%'";
        let slices = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, tasks, owed.shop.id()).unwrap();
        assert_eq!(slices, 7, "three of each comparison, and the pause before the second");
    }

    async fn differences_of_one_night_are_reported_in_one_alert_with_count(app) {
        let owed = owed(app).await;
        remembers(app, &owed).await;
        let sql = "UPDATE payment SET amount_cents = amount_cents + 1 WHERE charge_id IN ('ch_many1', 'ch_many900')";
        app.within(async |tx| Ok(q!(tx, execute, sql)?)).await.unwrap();
        night(app).await;
        night(app).await;
        let titles = owed.alert_titles().await;
        let alert_titles: Vec<_> = titles.iter().filter(|title| title.contains("books differ")).collect();
        assert_eq!(alert_titles, ["Stripe and your books differ in 3 places"]);
    }

    async fn list_forbidden_to_key_is_shown_as_unread_and_others_are_read(app) {
        let (owed, session) = paid(app).await;
        owed.stripe.hides("disputes");
        owed.stripe.refund_by_hand(&session, 1_000);
        night(app).await;
        assert_eq!(owed.collected_and_owed().await, (110.0, 10.0));
        let look = shown(app, &owed.shop).await;
        assert_eq!((&look["unread"], &look["agreed"]), (&json!(["disputes"]), &json!(0)), "a chargeback would not be seen");
    }

    async fn payment_is_not_compared_while_refunds_are_forbidden_to_key(app) {
        let (owed, session) = paid(app).await;
        owed.stripe.hides("refunds");
        owed.stripe.refund_by_hand(&session, 1_000);
        night(app).await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0), "the books do not know of it");
        let look = shown(app, &owed.shop).await;
        assert_eq!((&look["unread"], &look["agreed"], &look["differences"]), (&json!(["refunds"]), &json!(0), &json!([])), "{look}");
        owed.stripe.hides_nothing();
        night(app).await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!(owed.collected_and_owed().await, (110.0, 10.0));
        let look = shown(app, &owed.shop).await;
        assert_eq!((&look["unread"], &look["agreed"]), (&json!([]), &json!(1)), "{look}");
    }

    async fn revoked_key_is_alerted_once_a_week(app) {
        let (owed, _) = paid(app).await;
        let title = "Stripe does not accept your key".to_owned();
        for (nights, alert_count) in [(1, 1), (1, 1), (4, 2)] {
            for _ in 0..nights {
                owed.stripe.script_reads(&[Fault::Unauthorized; 30]);
                night(app).await;
                owed.stripe.is_well();
            }
            let titles = owed.alert_titles().await;
            assert_eq!(titles.iter().filter(|one| **one == title).count(), alert_count, "after {nights} nights more");
        }
        assert_eq!(shown(app, &owed.shop).await["unread"].as_array().unwrap().len(), 5);
    }
}
