//! A debt, an end, the days of grace, and what remains available without payment.

use shared::{ops::tenant_data::removal, platform::error::Error};

use super::*;

async fn adds_a_reply(client: &Client) -> Answer {
    client.post("/api/canned-replies", &json!({"title": "Hi", "body": "Hello"})).await
}

both_databases! {
    async fn overdue_business_becomes_read_only_after_fourteen_days_until_paid(app) {
        let (stripe, shop, _, id) = subscribed(app).await;
        app.advance(Duration::days(30));
        stripe.renewal_fails(&id, app.now());
        tells(app, stripe.subscription_event("customer.subscription.updated", &id, app.now())).await;
        app.run_tasks().await;
        let owner = signs_in(app, &shop).await;
        let shown = subscription(&shop, &owner).await;
        assert_eq!((shown["state"].clone(), shown["active"].clone()), (json!("past_due"), json!(false)));
        assert_eq!(instant(&shown["until"]), app.now() + Duration::days(14));
        assert_eq!(instant(&shown["dataKeptUntil"]), app.now() + Duration::days(74));
        assert_eq!(adds_a_reply(&owner).await.status, 201, "all goes on");
        tells(app, stripe.invoice_event("invoice.payment_failed", &id, app.now())).await;
        app.run_tasks().await;
        let warned: Vec<_> = app.mail.accepted_messages().into_iter().filter(|letter| letter.to == shop.owner().email).collect();
        assert_eq!(warned.len(), 1, "once, however often it is learnt");
        assert_eq!(warned[0].subject, "Your payment for Toolbox did not go through");
        assert!(warned[0].text.contains("/app/billing"), "{}", warned[0].text);

        app.advance(Duration::days(14));
        app.run_tasks().await;
        let owner = signs_in(app, &shop).await;
        assert_eq!(state(&shop, &owner).await, "read_only");
        let refused = adds_a_reply(&owner).await;
        assert_eq!((refused.status.as_u16(), refused.problem().1.as_str()), (403, "subscription_ended"));
        assert_eq!(owner.get("/api/canned-replies").await.status, 200);
        assert_eq!(owner.get("/api/leads/export").await.status, 200, "its data goes along");
        assert_eq!(owner.post("/api/create-portal-session", &json!({})).await.status, 200, "it can pay");

        stripe.is_paid(&id, app.now());
        tells(app, stripe.subscription_event("customer.subscription.updated", &id, app.now())).await;
        app.run_tasks().await;
        assert_eq!(adds_a_reply(&owner).await.status, 201, "at once");
    }

    async fn lead_of_read_only_business_is_stored_without_reply(app) {
        let (stripe, shop, _, id) = subscribed(app).await;
        stripe.ends(&id, app.now(), false);
        tells(app, stripe.subscription_event("customer.subscription.deleted", &id, app.now())).await;
        app.run_tasks().await;
        app.advance(Duration::days(15));
        app.run_tasks().await;
        let before = app.mail.accepted_messages().len();
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let outbox = app.outbox(shop.id(), lead).await;
        let answers: Vec<_> = outbox.iter().filter(|line| line.starts_with("auto_reply")).collect();
        assert!(!answers.is_empty() && answers.iter().all(|line| line.contains("the subscription has ended")), "{outbox:?}");
        let sent_mails: Vec<String> = app.mail.accepted_messages()[before..].iter().map(|letter| letter.to.clone()).collect();
        assert_eq!(sent_mails, [shop.owner().email.clone()], "the owner gets an email");
    }

    async fn cancellation_shows_end_date_and_can_be_revoked_until_then(app) {
        let (stripe, shop, owner, id) = subscribed(app).await;
        let day = app.now() + Duration::days(30);
        assert_eq!(instant(&subscription(&shop, &owner).await["wouldEndAt"]), day);
        let cancelled = at_cancel(Method::POST, &shop, &owner).await;
        assert_eq!((cancelled.status.as_u16(), cancelled.json()["state"].clone()), (200, json!("cancelled")));
        let end_timestamp = |answer: &Answer| instant(&answer.json()["endsAt"]).timestamp();
        assert_eq!(end_timestamp(&cancelled), day.timestamp());
        app.advance(Duration::days(3));
        app.run_tasks().await;
        assert_eq!(at_cancel(Method::POST, &shop, &owner).await.problem().1, "reauthentication_needed");
        let owner = signs_in(app, &shop).await;
        assert_eq!(end_timestamp(&at_cancel(Method::POST, &shop, &owner).await), day.timestamp(), "a second request keeps the first day");

        let kept = at_cancel(Method::DELETE, &shop, &owner).await;
        assert_eq!((kept.status.as_u16(), kept.json()["state"].clone(), kept.json()["endsAt"].clone()), (200, json!("active"), json!(null)));
        assert_eq!(at_cancel(Method::DELETE, &shop, &owner).await.problem().1, "conflict");

        let ends = end_timestamp(&at_cancel(Method::POST, &shop, &owner).await);
        // No event tells of the end: it is known from its date.
        app.advance(DateTime::from_timestamp(ends, 0).unwrap() - app.now() + Duration::seconds(1));
        let owner = signs_in(app, &shop).await;
        assert_eq!(state(&shop, &owner).await, "grace");
        stripe.ends(&id, app.now(), false);
        tells(app, stripe.subscription_event("customer.subscription.deleted", &id, app.now())).await;
        app.run_tasks().await;
        app.advance(Duration::days(14));
        let owner = signs_in(app, &shop).await;
        assert_eq!(state(&shop, &owner).await, "read_only");
        assert_eq!(at_cancel(Method::POST, &shop, &owner).await.problem().1, "conflict");
        // A new subscription opens everything again, for the same Stripe customer.
        assert_eq!(owner.post("/api/create-subscription", &rita(None)).await.status, 201);
        assert_eq!(adds_a_reply(&owner).await.status, 403, "an attempt alone does not");
        let new = stripe.subscriptions()[1].clone();
        assert_eq!(new.first, 35_000, "the setup was paid before");
        assert_eq!((stripe.customers().len(), new.customer.as_str()), (1, stripe.customers()[0].id.as_str()));
        stripe.is_paid(&new.id, app.now());
        tells(app, stripe.subscription_event("customer.subscription.updated", &new.id, app.now())).await;
        app.run_tasks().await;
        assert_eq!(adds_a_reply(&owner).await.status, 201);
    }

    async fn grace_period_of_unpaid_subscription_is_granted_once(app) {
        let (stripe, shop, _, id) = subscribed(app).await;
        app.advance(Duration::days(30));
        let owed_since = app.now();
        for _ in 0..3 {
            stripe.renewal_fails(&id, app.now());
            tells(app, stripe.subscription_event("customer.subscription.updated", &id, app.now())).await;
            let owner = signs_in(app, &shop).await;
            let unreported = state(&shop, &owner).await;
            app.run_tasks().await;
            let shown = subscription(&shop, &owner).await;
            assert_eq!(json!(unreported), shown["state"], "whether or not Stripe was asked");
            assert_eq!(instant(&shown["dataKeptUntil"]), owed_since + Duration::days(74));
            assert_eq!(shown["state"], if app.now() == owed_since { "past_due" } else { "read_only" });
            app.advance(Duration::days(30));
        }
        let wanted = ["Your payment for Toolbox did not go through", "Toolbox only reads from now on"];
        assert_eq!(letters(app, &shop.owner().email), wanted, "each once");
        stripe.ends(&id, app.now(), false);
        tells(app, stripe.subscription_event("customer.subscription.deleted", &id, app.now())).await;
        app.run_tasks().await;
        let owner = signs_in(app, &shop).await;
        assert_eq!(state(&shop, &owner).await, "read_only", "an unpaid subscription has no days of grace, by any way it ends");
    }

    async fn six_month_plan_cancelled_early_runs_to_its_paid_end(app) {
        let stripe = takes_payments(app).await;
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(owner.post("/api/create-subscription", &rita(Some("six_months"))).await.status, 201);
        let id = stripe.subscriptions()[0].id.clone();
        let end = app.now() + Duration::days(180);
        stripe.is_paid(&id, app.now());
        tells(app, stripe.subscription_event("customer.subscription.updated", &id, app.now())).await;
        app.run_tasks().await;
        assert_eq!(instant(&subscription(&shop, &owner).await["wouldEndAt"]).timestamp(), end.timestamp());
        let cancelled = at_cancel(Method::POST, &shop, &owner).await;
        assert_eq!(instant(&cancelled.json()["endsAt"]).timestamp(), end.timestamp());
        let proration = |stripe: &FakeStripe| stripe.subscriptions()[0].proration.clone();
        assert_eq!(proration(&stripe).as_deref(), Some("none"), "nothing is cut short");
        assert_eq!(at_cancel(Method::DELETE, &shop, &owner).await.status, 200);
        app.advance(Duration::days(170));
        let owner = signs_in(app, &shop).await;
        let cancelled = at_cancel(Method::POST, &shop, &owner).await;
        let notice = app.now() + Duration::days(30);
        assert_eq!(instant(&cancelled.json()["endsAt"]).timestamp(), notice.timestamp(), "with notice all the same");
        assert_eq!(proration(&stripe).as_deref(), Some("create_prorations"));
        app.run_tasks().await;
    }

    async fn cancellation_set_in_stripe_can_be_revoked_here(app) {
        let (stripe, shop, owner, id) = subscribed(app).await;
        stripe.ends_with_its_period(&id);
        tells(app, stripe.subscription_event("customer.subscription.updated", &id, app.now())).await;
        app.run_tasks().await;
        assert_eq!(state(&shop, &owner).await, "cancelled");
        let kept = at_cancel(Method::DELETE, &shop, &owner).await;
        assert_eq!((kept.status.as_u16(), kept.json()["state"].clone()), (200, json!("active")));
        assert_eq!(stripe.subscriptions()[0].cancel_at, None);
    }

    async fn revocation_not_applied_by_stripe_is_reported_as_conflict(app) {
        let (stripe, shop, owner, id) = subscribed(app).await;
        assert_eq!(at_cancel(Method::POST, &shop, &owner).await.status, 200);
        stripe.insists_on_ends();
        let kept = at_cancel(Method::DELETE, &shop, &owner).await;
        assert_eq!(kept.problem().1, "conflict");
        assert_eq!(state(&shop, &owner).await, "cancelled");
        assert!(stripe.subscriptions().iter().any(|one| one.id == id && one.cancel_at.is_some()));
    }

    async fn subscription_lost_to_dispute_ends_with_grace_period(app) {
        let (stripe, shop, _, id) = subscribed(app).await;
        app.advance(Duration::days(20));
        stripe.is_disputed(&id, app.now());
        tells(app, stripe.subscription_event("customer.subscription.deleted", &id, app.now())).await;
        app.run_tasks().await;
        let shown = subscription(&shop, &signs_in(app, &shop).await).await;
        assert_eq!((shown["state"].clone(), instant(&shown["until"])), (json!("grace"), app.now() + Duration::days(14)));
        app.advance(Duration::days(14));
        for _ in 0..2 {
            looks(app, Duration::days(1)).await;
            app.run_tasks().await;
            app.advance(Duration::days(1));
        }
        let wanted = ["Your Toolbox subscription has ended", "Toolbox only reads from now on"];
        assert_eq!(letters(app, &shop.owner().email), wanted, "each once");
    }

    async fn test_mode_subscription_is_ignored_with_live_keys(app) {
        let (stripe, shop, _, id) = subscribed(app).await;
        app.use_live_keys();
        looks(app, Duration::hours(1)).await;
        assert_eq!(app.run_tasks().await, 0, "the account of these keys knows nothing of it");
        let owner = signs_in(app, &shop).await;
        let shown = subscription(&shop, &owner).await;
        assert_eq!((shown["state"].clone(), shown["canBegin"].clone()), (json!("none"), json!(true)));
        assert_eq!(owner.get("/api/checkout").await.json()["offers"][0]["totalToday"], 2850.0);
        assert_eq!(owner.get(&format!("/api/subscription/{}/invoices", shop.id())).await.json(), json!([]));

        app.use_billing(&stripe);
        looks(app, Duration::hours(1)).await;
        stripe.ends(&id, app.now(), false);
        app.run_tasks().await;
        app.advance(Duration::days(15));
        let owner = signs_in(app, &shop).await;
        assert_eq!(state(&shop, &owner).await, "read_only");
        app.use_live_keys();
        looks(app, Duration::hours(1)).await;
        let owner = signs_in(app, &shop).await;
        assert_eq!(adds_a_reply(&owner).await.status, 201, "a subscription that ended in test mode has no effect in live mode");
        app.run_tasks().await;
    }

    async fn cancellation_during_stripe_outage_fails_and_changes_nothing(app) {
        let (stripe, shop, owner, _) = subscribed(app).await;
        stripe.script(&[Fault::Error500]);
        assert_eq!(at_cancel(Method::POST, &shop, &owner).await.status, 503);
        assert_eq!(state(&shop, &owner).await, "active");
    }

    async fn api_key_of_read_only_business_can_read_but_not_write(app) {
        let (stripe, shop, owner, id) = subscribed(app).await;
        let asked = json!({"name": "Prices", "scopes": ["estimates:write"]});
        let made = owner.post(&format!("/api/org/{}/api-keys", shop.org.slug), &asked).await.json();
        let program = app.client().with("authorization", &format!("Bearer {}", made["key"].as_str().unwrap()));
        app.run_tasks().await;
        stripe.ends(&id, app.now(), false);
        tells(app, stripe.subscription_event("customer.subscription.deleted", &id, app.now())).await;
        app.advance(Duration::days(15));
        app.run_tasks().await;
        let added = program.post("/api/price-items", &json!({"name": "Valve", "price": 12.5})).await;
        assert_eq!(added.problem().1, "subscription_ended");
        assert_eq!(program.get("/api/price-items").await.status, 200);
        // Removing access needs no subscription: a leaked key can be deleted before anything is paid.
        let owner = signs_in(app, &shop).await;
        let path = format!("/api/org/{}/api-keys", shop.org.slug);
        assert_eq!(owner.post(&path, &asked).await.problem().1, "subscription_ended");
        let gone = owner.send(Method::DELETE, &format!("{path}/{}", made["id"].as_str().unwrap()), "", Vec::new()).await;
        assert_eq!((gone.status.as_u16(), program.get("/api/price-items").await.status.as_u16()), (204, 401));
        let dave = app.staff(&shop, Role::Crew).await;
        let lets_go = json!({"isActive": false}).to_string().into_bytes();
        let gone = owner.send(Method::PATCH, &format!("/api/team/{}", dave.id), "application/json", lets_go).await;
        assert_eq!(gone.status, 200, "{}", gone.json());
    }

    async fn removal_of_business_with_active_subscription_is_refused(app) {
        let (stripe, shop, _, id) = subscribed(app).await;
        let refused = removal::remove_org(&app.remover(), shop.id()).await.unwrap_err();
        assert!(matches!(refused, Error::Conflict(_)), "{refused}");
        stripe.ends(&id, app.now(), false);
        tells(app, stripe.subscription_event("customer.subscription.deleted", &id, app.now())).await;
        app.run_tasks().await;
        let removed = removal::remove_org(&app.remover(), shop.id()).await.unwrap();
        assert_eq!(removed.name, "Acme Plumbing");
    }
}
