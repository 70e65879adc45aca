//! Charges: the setup fee once in the life of a business, only amounts that were shown, and every invoice.

use super::*;

both_databases! {
    async fn returning_subscriber_is_not_charged_setup_again(app) {
        let (stripe, shop, _, id) = subscribed(app).await;
        stripe.ends(&id, app.now(), false);
        tells(app, stripe.subscription_event("customer.subscription.deleted", &id, app.now())).await;
        app.run_tasks().await;
        let owner = signs_in(app, &shop).await;
        let offered = owner.get("/api/checkout").await.json()["offers"].clone();
        assert_eq!(offered[0], json!({"plan": "monthly", "setupFee": 0.0, "firstPayment": 350.0, "totalToday": 350.0}));
        assert_eq!(offered[1]["totalToday"], 2100.0);
        let visitor = app.client().get("/api/checkout").await.json();
        assert_eq!(visitor["offers"][0]["totalToday"], 2850.0, "an unknown visitor gets the full price");
        assert_eq!(owner.post("/api/create-subscription", &rita(None)).await.status, 201);
        assert_eq!(stripe.subscriptions()[1].first, 35_000);
        app.run_tasks().await;
    }

    async fn unpaid_attempt_does_not_waive_setup_fee(app) {
        let stripe = takes_payments(app).await;
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(owner.post("/api/create-subscription", &rita(None)).await.status, 201);
        assert_eq!(owner.get("/api/checkout").await.json()["offers"][0]["totalToday"], 2850.0);
        assert_eq!(owner.post("/api/create-subscription", &rita(Some("six_months"))).await.status, 201);
        assert_eq!(stripe.subscriptions()[1].first, 410_000);
        app.run_tasks().await;
    }

    async fn checkout_with_mismatched_stripe_price_charges_nothing(app) {
        let stripe = takes_payments(app).await;
        let visitor = app.client();
        let right = |stripe: &FakeStripe| {
            stripe.set_price("price_monthly", 35_000, "usd", true);
            stripe.set_price("price_setup", 250_000, "usd", true);
        };
        for (id, cents, currency, is_active) in [
            ("price_monthly", 35_100, "usd", true),
            ("price_monthly", 35_000, "eur", true),
            ("price_monthly", 35_000, "usd", false),
            ("price_setup", 25_000, "usd", true),
        ] {
            right(&stripe);
            stripe.set_price(id, cents, currency, is_active);
            let response = visitor.post("/api/create-subscription", &rita(None)).await;
            assert_eq!(response.status, 503, "{id} {cents} {currency} {is_active}");
        }
        assert_eq!((stripe.customers().len(), stripe.subscriptions().len()), (0, 0));
        right(&stripe);
        assert_eq!(visitor.post("/api/create-subscription", &rita(None)).await.status, 201);
        app.run_tasks().await;
        assert_eq!(letters(app, OPERATOR), ["Demo request: Roofs & Co"], "the operator gets the demo request");
    }

    async fn checkout_after_price_change_creates_new_subscription(app) {
        let stripe = takes_payments(app).await;
        assert_eq!(app.client().post("/api/create-subscription", &rita(None)).await.status, 201);
        stripe.set_price("price_monthly_new", 35_000, "usd", true);
        app.use_monthly_price("price_monthly_new");
        let again = app.client().post("/api/create-subscription", &rita(None)).await;
        assert_eq!(again.status, 201, "{}", again.json());
        let made = stripe.subscriptions();
        assert_eq!((made.len(), stripe.customers().len()), (2, 1));
        assert_eq!(made[1].fields["items[0][price]"], "price_monthly_new");
        let third = app.client().post("/api/create-subscription", &rita(None)).await;
        assert_eq!((third.json(), stripe.subscriptions().len()), (again.json(), 2), "and then it is the same again");
        app.run_tasks().await;
    }

    async fn invoice_list_includes_all_stripe_customers_of_a_business(app) {
        let (stripe, shop, owner, _) = subscribed(app).await;
        let then = app.now() - Duration::days(400);
        stripe.add_subscription("sub_before", "cus_before", then);
        stripe.is_paid("sub_before", then);
        stripe.ends("sub_before", then + Duration::days(60), false);
        tells(app, stripe.subscription_event("customer.subscription.deleted", "sub_before", app.now())).await;
        app.run_tasks().await;
        let path = format!("/api/subscription/{}/invoices", shop.id());
        let amounts = async || -> Vec<f64> {
            let listed = owner.get(&path).await.json();
            listed.as_array().unwrap().iter().map(|one| one["amount"].as_f64().unwrap()).collect()
        };
        assert_eq!(amounts().await, [2850.0], "only the invoices of this business are listed");
        let theirs = "UPDATE subscription SET org_id = $1 WHERE provider_id = 'sub_before'";
        app.within(async |tx| Ok(q!(tx, execute, theirs, shop.id())?)).await.unwrap();
        assert_eq!(amounts().await, [2850.0, 350.0], "newest first");
        let first = owner.get(&format!("{path}?limit=1")).await;
        assert_eq!((first.header("x-total-count"), &first.json()[0]["amount"]), ("2", &json!(2850.0)));
        let next = first.header("link").split(['<', '>']).nth(1).unwrap().to_owned();
        let last = owner.get(&next).await;
        assert_eq!((last.header("x-total-count"), &last.json()[0]["amount"]), ("2", &json!(350.0)));
        assert!(last.headers.get("link").is_none(), "there is no more");
        assert_eq!(owner.get(&format!("{path}?cursor=in_of_another")).await.problem().2, ["cursor"]);
    }
}
