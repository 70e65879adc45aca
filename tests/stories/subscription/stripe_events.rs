//! Stripe's events: forged, replayed, late, twice, in every order, and missing.

use super::*;

type News = (String, String);

/// The events of a subscription that is paid, then overdue, then ended, in their order.
fn course(stripe: &FakeStripe, id: &str, from: DateTime<Utc>) -> Vec<News> {
    let at = |days: i64| from + Duration::days(days);
    let mut events = vec![stripe.subscription_event("customer.subscription.created", id, at(0))];
    stripe.is_paid(id, at(0) + Duration::seconds(9));
    events.push(stripe.subscription_event("customer.subscription.updated", id, at(0) + Duration::seconds(9)));
    stripe.renewal_fails(id, at(30));
    events.push(stripe.subscription_event("customer.subscription.updated", id, at(30)));
    stripe.ends(id, at(44), true);
    events.push(stripe.subscription_event("customer.subscription.deleted", id, at(44)));
    events
}

fn orders() -> Vec<[usize; 4]> {
    let all = (0..256).map(|n| [n & 3, (n >> 2) & 3, (n >> 4) & 3, n >> 6]);
    all.filter(|order| (0..4).all(|n| order.contains(&n))).collect()
}

/// Signed anew, as Stripe does for each delivery.
fn signed((body, _): &News, at: DateTime<Utc>) -> News {
    let secret = secrecy::SecretString::from(tests::fake_stripe::ENDPOINT.to_owned());
    (body.clone(), shared::providers::payments::signature::sign_payload(&secret, body.as_bytes(), at))
}

async fn status(app: &TestApp, id: &str) -> (String, bool) {
    let mut conn = app.db.acquire_reader().await.unwrap();
    let sql = "SELECT status, for_nonpayment FROM subscription WHERE provider_id = $1";
    q!(&mut conn, fetch_one as (String, bool), sql, id).unwrap()
}

both_databases! {
    async fn subscription_events_in_any_order_and_repeated_end_in_one_state(app) {
        let stripe = takes_payments(app).await;
        assert_eq!(orders().len(), 24);
        let from = app.now() - Duration::days(44);
        for (n, order) in orders().into_iter().enumerate() {
            let id = format!("sub_order_{n}");
            stripe.add_subscription(&id, "cus_order", from);
            let events = course(&stripe, &id, from);
            for news in order.iter().chain(&order).map(|which| &events[*which]) {
                assert_eq!(tells(app, signed(news, app.now())).await, 200, "{order:?}");
            }
            assert_eq!(status(app, &id).await, ("canceled".to_owned(), true), "{order:?}");
        }
        app.run_tasks().await;
        assert_eq!(app.count("subscription").await, 24);
        assert_eq!(app.count("billing_event").await, 96, "each is written down once");
    }

    async fn replayed_stale_event_does_not_change_subscription_state(app) {
        let (stripe, shop, _, id) = subscribed(app).await;
        let early = stripe.subscription_event("customer.subscription.updated", &id, app.now());
        app.advance(Duration::days(30));
        let owner = signs_in(app, &shop).await;
        stripe.renewal_fails(&id, app.now());
        tells(app, stripe.subscription_event("customer.subscription.updated", &id, app.now())).await;
        app.run_tasks().await;
        assert_eq!(state(&shop, &owner).await, "past_due");
        app.advance(Duration::days(3));
        assert_eq!(tells(app, signed(&early, app.now())).await, 200);
        assert_eq!(state(&shop, &owner).await, "past_due", "before Stripe is asked");
        app.run_tasks().await;
        assert_eq!(state(&shop, &owner).await, "past_due", "and after");
    }

    async fn invoice_event_triggers_subscription_refresh_from_stripe(app) {
        let (stripe, shop, _, id) = subscribed(app).await;
        app.advance(Duration::days(30));
        let owner = signs_in(app, &shop).await;
        stripe.renewal_fails(&id, app.now());
        assert_eq!(tells(app, stripe.invoice_event("invoice.payment_failed", &id, app.now())).await, 200);
        assert_eq!(state(&shop, &owner).await, "active");
        app.run_tasks().await;
        assert_eq!(state(&shop, &owner).await, "past_due");
    }

    async fn webhook_with_bad_or_expired_signature_is_refused_and_not_stored(app) {
        let (stripe, _, _, id) = subscribed(app).await;
        let before = app.count("billing_event").await;
        stripe.ends(&id, app.now(), false);
        let (body, signature) = stripe.subscription_event("customer.subscription.deleted", &id, app.now());
        let altered = body.replace("canceled", "active");
        for (body, signature) in [(altered, signature.clone()), (body.clone(), "t=1,v1=00".into()), (body.clone(), String::new())] {
            assert_eq!(tells(app, (body, signature)).await, 403);
        }
        app.advance(Duration::seconds(301));
        assert_eq!(tells(app, (body.clone(), signature)).await, 403, "too old");
        assert_eq!(app.count("billing_event").await, before);
        assert_eq!(status(app, &id).await.0, "active");
        assert_eq!(tells(app, signed(&("{}".into(), String::new()), app.now())).await, 400, "signed, and no event");
        assert_eq!(tells(app, signed(&(body, String::new()), app.now())).await, 200);
        app.run_tasks().await;
        assert_eq!(status(app, &id).await.0, "canceled");
    }

    async fn payment_without_webhook_is_detected_within_minutes(app) {
        let stripe = takes_payments(app).await;
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(owner.post("/api/create-subscription", &rita(None)).await.status, 201);
        let id = stripe.subscriptions()[0].id.clone();
        stripe.is_paid(&id, app.now());
        app.run_tasks().await;
        assert_eq!(state(&shop, &owner).await, "none");
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        assert_eq!(state(&shop, &owner).await, "active");
        // Later changes are found by the hourly check.
        app.advance(Duration::days(2));
        app.run_tasks().await;
        stripe.ends(&id, app.now(), false);
        for _ in 0..2 {
            looks(app, Duration::hours(1)).await;
        }
        assert_eq!(app.run_tasks().await, 2, "one look an hour, however many workers, and the letter that it has ended");
        assert_eq!(state(&shop, &owner).await, "grace");
    }

    async fn subscription_created_in_stripe_is_stored_without_a_tenant(app) {
        let stripe = takes_payments(app).await;
        stripe.add_subscription("sub_by_hand", "cus_by_hand", app.now());
        let news = stripe.subscription_event("customer.subscription.created", "sub_by_hand", app.now());
        assert_eq!(tells(app, news).await, 200);
        app.run_tasks().await;
        assert_eq!(status(app, "sub_by_hand").await.0, "active");
        let mut conn = app.db.acquire_reader().await.unwrap();
        let owned = q!(&mut conn, fetch_one scalar i64, "SELECT COUNT(*) FROM subscription WHERE org_id IS NOT NULL");
        assert_eq!(owned.unwrap(), 0);
        assert!(app.mail.accepted_messages().is_empty(), "a subscription made in Stripe sends no mail");
    }
}
