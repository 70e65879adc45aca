//! One subscription per customer: two tabs, two payment methods, and a payment for both.

use super::*;

fn statuses(stripe: &FakeStripe) -> Vec<String> {
    stripe.subscriptions().into_iter().map(|one| one.status).collect()
}

both_databases! {
    async fn checkout_in_second_tab_expires_the_one_in_the_first(app) {
        let stripe = takes_payments(app).await;
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        for plan in [None, Some("six_months"), Some("six_months")] {
            assert_eq!(owner.post("/api/create-subscription", &rita(plan)).await.status, 201);
            app.run_tasks().await;
        }
        assert_eq!(statuses(&stripe), ["incomplete_expired", "incomplete"]);
        assert_eq!(owner.post("/api/create-subscription", &rita(None)).await.status, 201);
        app.run_tasks().await;
        assert_eq!(statuses(&stripe), ["incomplete_expired", "incomplete_expired", "incomplete"]);
        let id = stripe.subscriptions()[2].id.clone();
        stripe.is_paid(&id, app.now());
        tells(app, stripe.subscription_event("customer.subscription.updated", &id, app.now())).await;
        app.run_tasks().await;
        assert_eq!(state(&shop, &owner).await, "active");
    }

    async fn visitor_payment_expires_their_other_open_subscription(app) {
        let stripe = takes_payments(app).await;
        let visitor = app.client();
        for plan in [None, Some("six_months")] {
            assert_eq!(visitor.post("/api/create-subscription", &rita(plan)).await.status, 201);
        }
        let other = json!({"email": "sam@roofs.example", "name": "Sam", "orgName": "Sam & Co", "phone": "512 555 0143",
            "industry": "Roofing"});
        assert_eq!(visitor.post("/api/create-subscription", &other).await.status, 201);
        app.run_tasks().await;
        assert_eq!(statuses(&stripe), ["incomplete"; 3], "an address that somebody typed ends nothing");
        stripe.is_paid("sub_1", app.now());
        tells(app, stripe.subscription_event("customer.subscription.updated", "sub_1", app.now())).await;
        app.run_tasks().await;
        assert_eq!(statuses(&stripe), ["active", "incomplete_expired", "incomplete"]);
        app.advance(Duration::hours(26));
        app.run_tasks().await;
        assert_eq!(statuses(&stripe), ["active", "incomplete_expired", "incomplete"]);
        assert!(!letters(app, OPERATOR).iter().any(|subject| subject.starts_with("Two subscriptions")));
    }

    async fn idempotency_key_yields_one_subscription_even_after_payment(app) {
        let stripe = takes_payments(app).await;
        let visitor = app.client().with("idempotency-key", "one key");
        let first = visitor.post("/api/create-subscription", &rita(None)).await;
        assert_eq!(first.status, 201, "{}", first.json());
        app.advance(Duration::minutes(1));
        stripe.is_paid("sub_1", app.now());
        tells(app, stripe.subscription_event("customer.subscription.updated", "sub_1", app.now())).await;
        app.run_tasks().await;
        // The page did not learn of its payment, and asks as before.
        let again = visitor.post("/api/create-subscription", &rita(None)).await;
        assert_eq!((again.status, again.json()), (first.status, first.json()));
        let problem = visitor.post("/api/create-subscription", &rita(Some("six_months"))).await.problem();
        assert_eq!((problem.0, problem.1.as_str()), (422, "idempotency_mismatch"));
        app.run_tasks().await;
        assert_eq!((statuses(&stripe), app.count("demo_request").await), (vec!["active".to_owned()], 1));
        let sql = "SELECT CAST(answer AS TEXT) FROM idempotency";
        let kept = app.within(async |tx| Ok(q!(tx, fetch_one scalar String, sql)?)).await.unwrap();
        assert_eq!(kept, first.json()["id"].to_string(), "only the id is stored for the key");
    }

    async fn double_payment_keeps_both_subscriptions_and_alerts_operator_once(app) {
        let stripe = takes_payments(app).await;
        let visitor = app.client();
        for plan in [None, Some("six_months")] {
            assert_eq!(visitor.post("/api/create-subscription", &rita(plan)).await.status, 201);
        }
        for id in ["sub_1", "sub_2"] {
            stripe.is_paid(id, app.now());
        }
        // Stripe reports one; the other is found paid when it is to be ended.
        for _ in 0..2 {
            tells(app, stripe.subscription_event("customer.subscription.updated", "sub_1", app.now())).await;
            app.run_tasks().await;
        }
        assert_eq!(statuses(&stripe), ["active", "active"]);
        app.advance(Duration::hours(26));
        app.run_tasks().await;
        let sent_mails = app.mail.accepted_messages().into_iter().filter(|letter| letter.subject == "Two subscriptions are paid for: Roofs & Co");
        let sent_mails: Vec<_> = sent_mails.collect();
        assert_eq!((sent_mails.len(), sent_mails[0].to.as_str()), (1, OPERATOR));
        assert!(sent_mails[0].text.contains("sub_1, sub_2"), "{}", sent_mails[0].text);
    }
}
