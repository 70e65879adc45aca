//! Subscriptions of businesses to the product: a demo request, the first payment, Stripe's events in any order, a
//! debt, an end, and what remains available without payment.

use axum::http::Method;
use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use shared::{domain::tenancy::account::Role, platform::db::q};
use tests::{
    addresses::email,
    app::TestApp,
    both_databases,
    fake_stripe::{FakeStripe, Fault},
    http::{Answer, Client},
    people::{Shop, Visitor},
};

mod charges;
mod demo_requests;
mod duplicates;
mod grace_period;
mod stripe_events;

const JSON: &str = "application/json";
const OPERATOR: &str = "operator@toolbox.example";

fn rita(plan: Option<&str>) -> Value {
    json!({"email": "Rita@Roofs.example", "name": "Rita Roof", "orgName": "Roofs & Co", "phone": "(512) 555-0142",
        "industry": "Roofing", "plan": plan})
}

async fn takes_payments(app: &mut TestApp) -> FakeStripe {
    let stripe = FakeStripe::start().await;
    app.use_billing(&stripe);
    app.settings.platform_admins = vec![email(OPERATOR)];
    app.context.operators = app.settings.operator_emails().to_vec();
    stripe
}

async fn looks(app: &TestApp, span: Duration) {
    let keys = &app.settings.billing.as_ref().unwrap().keys;
    shared::ops::subscription::polling::schedule_polls(&app.db, &app.origin, keys, span).await.unwrap();
}

fn letters(app: &TestApp, to: &str) -> Vec<String> {
    app.mail.accepted_messages().into_iter().filter(|letter| letter.to == to).map(|letter| letter.subject).collect()
}

async fn subscribed(app: &mut TestApp) -> (FakeStripe, Shop, Client, String) {
    let stripe = takes_payments(app).await;
    let shop = app.org("Acme Plumbing").await;
    let owner = app.client().signed_in(app, shop.owner()).await;
    let begun = owner.post("/api/create-subscription", &rita(None)).await;
    assert_eq!(begun.status, 201, "{}", begun.json());
    let id = stripe.subscriptions()[0].id.clone();
    stripe.is_paid(&id, app.now());
    tells(app, stripe.subscription_event("customer.subscription.updated", &id, app.now())).await;
    app.run_tasks().await;
    assert_eq!(state(&shop, &owner).await, "active");
    (stripe, shop, owner, id)
}

async fn tells(app: &TestApp, (body, signature): (String, String)) -> u16 {
    let stripe = app.client().with("stripe-signature", &signature);
    stripe.send(Method::POST, "/webhooks/stripe", JSON, body.into_bytes()).await.status.as_u16()
}

async fn subscription(shop: &Shop, client: &Client) -> Value {
    let answer = client.get(&format!("/api/subscription/{}", shop.id())).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

async fn state(shop: &Shop, client: &Client) -> String {
    subscription(shop, client).await["state"].as_str().unwrap().to_owned()
}

/// The owner's client with a fresh session: sessions expire within the time that passes here.
async fn signs_in(app: &TestApp, shop: &Shop) -> Client {
    app.client().signed_in(app, shop.owner()).await
}

async fn at_cancel(method: Method, shop: &Shop, client: &Client) -> Answer {
    client.send(method, &format!("/api/subscription/{}/cancel", shop.id()), "", Vec::new()).await
}

fn instant(value: &Value) -> DateTime<Utc> {
    value.as_str().unwrap_or_else(|| panic!("no instant: {value}")).parse().unwrap()
}

both_databases! {
    async fn demo_request_without_stripe_is_mailed_to_operator_once(app) {
        app.settings.platform_admins = vec![email(OPERATOR)];
        let visitor = app.client();
        let offered = visitor.get("/api/checkout").await.json();
        assert_eq!((offered["isSetUp"].clone(), offered["publishableKey"].clone()), (json!(false), json!(null)));
        assert_eq!(
            offered["offers"],
            json!([{"plan": "monthly", "setupFee": 2500.0, "firstPayment": 350.0, "totalToday": 2850.0}])
        );
        let first = visitor.post("/api/create-subscription", &rita(None)).await;
        assert_eq!((first.status.as_u16(), first.json()["clientSecret"].clone()), (201, json!(null)));
        let again = visitor.post("/api/create-subscription", &rita(None)).await;
        assert_eq!(again.json(), first.json(), "a repeated request has the same answer");
        app.run_tasks().await;
        let letters = app.mail.accepted_messages();
        assert_eq!(letters.len(), 1);
        assert_eq!((letters[0].to.as_str(), letters[0].subject.as_str()), (OPERATOR, "Demo request: Roofs & Co"));
        for words in ["Rita Roof", "+15125550142", "rita@roofs.example", "Roofing"] {
            assert!(letters[0].text.contains(words), "{words}: {}", letters[0].text);
        }
        assert_eq!(app.count("demo_request").await, 1);
    }

    async fn operator_mail_is_retried_under_the_same_message_id(app) {
        app.settings.platform_admins = vec![email(OPERATOR)];
        let away = || shared::providers::SendError::Unknown { reason: "it did not answer".into() };
        app.mail.queue_answer(Err(away()));
        assert_eq!(app.client().post("/api/create-subscription", &rita(None)).await.status, 201);
        app.run_tasks().await;
        assert!(app.mail.accepted_messages().is_empty());
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        let calls = app.mail.recorded_sends();
        assert_eq!(calls.len(), 2);
        assert_eq!(calls[0].message.id, calls[1].message.id, "under the same Message-ID");
    }

    async fn invalid_request_form_names_its_fields_and_is_not_stored(app) {
        let response = app.client().post("/api/create-subscription", &json!({"phone": "555", "plan": "monthly"})).await;
        assert_eq!(response.problem().2, ["email", "industry", "name", "orgName", "phone"]);
        let long = app.client().post("/api/create-subscription", &rita(Some("six_months"))).await;
        assert_eq!(long.status, 201, "without Stripe either way is only talked about");
        let odd = app.client().post("/api/create-subscription", &rita(Some("weekly"))).await;
        assert_eq!(odd.problem().2, ["plan"]);
        assert_eq!(app.count("demo_request").await, 1);
    }

    async fn paid_subscription_is_claimed_by_owner_through_mailed_link(app) {
        let stripe = takes_payments(app).await;
        let begun = app.client().post("/api/create-subscription", &rita(None)).await.json();
        let made = stripe.subscriptions();
        assert_eq!((made.len(), made[0].first), (1, 285_000), "Total Today $2,850.00");
        assert_eq!(begun["clientSecret"], format!("pi_{}_secret_story", made[0].id));
        assert_eq!(stripe.customers()[0].fields["email"], "rita@roofs.example");
        app.run_tasks().await;
        assert_eq!(app.mail.accepted_messages().len(), 1, "only the operator's: nothing was paid yet");
        stripe.is_paid(&made[0].id, app.now());
        for _ in 0..2 {
            let news = stripe.subscription_event("customer.subscription.updated", &made[0].id, app.now());
            assert_eq!(tells(app, news).await, 200);
        }
        app.run_tasks().await;
        let letters = app.mail.accepted_messages();
        assert_eq!((letters.len(), letters[1].to.as_str()), (2, "rita@roofs.example"), "one letter, however often");
        let (_, rest) = letters[1].text.split_once("https://toolbox.example/app/billing?claim=").unwrap();
        let token = rest.split_whitespace().next().unwrap().to_owned();

        let (shop, other) = (app.org("Roofs & Co").await, app.org("Best Roofing").await);
        let owner = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(state(&shop, &owner).await, "none");
        let claim = json!({"token": token});
        for _ in 0..2 {
            let claimed = owner.post("/api/claim-subscription", &claim).await;
            assert_eq!((claimed.status.as_u16(), claimed.json()["state"].clone()), (200, json!("active")));
        }
        let shown = subscription(&shop, &owner).await;
        assert_eq!((shown["active"].clone(), shown["setupPaid"].clone(), shown["plan"].clone()), (json!(true), json!(true), json!("monthly")));
        assert_eq!(shown["card"], json!({"brand": "visa", "last4": "4242", "expires": "04/2029"}));
        let thief = app.client().signed_in(app, other.owner()).await;
        for token in [token.as_str(), "x", ""] {
            assert_eq!(thief.post("/api/claim-subscription", &json!({"token": token})).await.status, 404, "{token}");
        }
        assert_eq!(state(&other, &thief).await, "none");
    }

    async fn six_month_plan_saves_five_hundred_dollars_of_setup(app) {
        let stripe = takes_payments(app).await;
        let offered = app.client().get("/api/checkout").await.json();
        assert_eq!(offered["offers"][1], json!({"plan": "six_months", "setupFee": 2000.0, "firstPayment": 2100.0, "totalToday": 4100.0}));
        assert_eq!(app.client().post("/api/create-subscription", &rita(Some("six_months"))).await.status, 201);
        assert_eq!(stripe.subscriptions()[0].first, 410_000);
        app.run_tasks().await;
    }

    async fn stripe_faults_leave_one_customer_and_one_subscription(app) {
        let stripe = takes_payments(app).await;
        let visitor = app.client();
        for (fault, status) in [
            (Fault::TooManyRequests, 503),
            (Fault::Conflict, 503),
            (Fault::DoneThenCut, 503),
            // Certainly refused: the next try has another key, and finds the customer that was made.
            (Fault::KeyReused, 409),
            // Stripe repeats its own failure for a day under one key: what was made despite it is found at once.
            (Fault::DoneThen500, 201),
        ] {
            stripe.script(&[fault]);
            let response = visitor.post("/api/create-subscription", &rita(None)).await;
            assert_eq!(response.status, status, "{fault:?} {}", response.json());
        }
        let begun = visitor.post("/api/create-subscription", &rita(None)).await;
        assert_eq!(begun.status, 201, "{}", begun.json());
        assert_eq!((stripe.customers().len(), stripe.subscriptions().len()), (1, 1));
        assert_eq!(app.count("demo_request").await, 1);
        app.run_tasks().await;
        assert_eq!(app.mail.accepted_messages().len(), 1);
    }

    async fn stripe_server_error_does_not_block_subscription(app) {
        let stripe = takes_payments(app).await;
        stripe.script(&[Fault::Error500]);
        let begun = app.client().post("/api/create-subscription", &rita(None)).await;
        assert_eq!(begun.status, 201, "{}", begun.json());
        assert_eq!((stripe.customers().len(), stripe.subscriptions().len()), (1, 1));
        app.run_tasks().await;
    }

    async fn subscriber_cannot_begin_second_subscription(app) {
        let (stripe, _, owner, _) = subscribed(app).await;
        let again = owner.post("/api/create-subscription", &rita(None)).await;
        assert_eq!(again.problem().1, "conflict");
        assert_eq!(stripe.subscriptions().len(), 1);
    }

    async fn owner_opens_own_portal_and_downloads_all_invoices(app) {
        let (stripe, shop, owner, id) = subscribed(app).await;
        stripe.is_paid(&id, app.now() + Duration::days(30));
        let opened = owner.post("/api/create-portal-session", &json!({"customerId": "cus_of_somebody_else"})).await;
        let own = &stripe.customers()[0].id;
        assert_eq!(opened.json()["url"], format!("https://billing.stripe.example/p/session/{own}"));
        let listed = owner.get(&format!("/api/subscription/{}/invoices", shop.id())).await.json();
        let amounts: Vec<_> = listed.as_array().unwrap().iter().map(|one| one["amount"].as_f64().unwrap()).collect();
        assert_eq!(amounts, [350.0, 2850.0], "newest first");
        let archive = owner.get(&format!("/api/subscription/{}/invoices/download", shop.id())).await;
        assert_eq!((archive.status.as_u16(), archive.header("content-type")), (200, "application/zip"));
        assert!(archive.header("content-disposition").contains("toolbox-invoices-2026-"), "{:?}", archive.headers);
        let text = String::from_utf8_lossy(&archive.body);
        assert!(text.contains("TB-0001.pdf") && text.contains("TB-0002.pdf") && text.contains("%PDF-1.4 in_2"), "{text}");
        for role in [Role::Office, Role::Crew] {
            let other = app.client().signed_in(app, &app.staff(&shop, role).await).await;
            let path = format!("/api/subscription/{}/invoices", shop.id());
            assert_eq!(other.get(&path).await.status, 403, "{role:?}");
        }
    }

    async fn tenant_without_subscription_is_shown_none_and_keeps_working(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let shown = subscription(&shop, &owner).await;
        assert_eq!((shown["state"].clone(), shown["isSetUp"].clone()), (json!("none"), json!(false)));
        assert_eq!(owner.post("/api/create-portal-session", &json!({})).await.problem().1, "conflict");
        assert_eq!(owner.get(&format!("/api/subscription/{}/invoices", shop.id())).await.json(), json!([]));
        app.advance(Duration::days(400));
        let owner = app.client().signed_in(app, shop.owner()).await;
        let added = owner.post("/api/canned-replies", &json!({"title": "Hi", "body": "Hello"})).await;
        assert_eq!(added.status, 201, "{}", added.json());
    }

    async fn demo_requests_are_readable_only_by_proven_operator(app) {
        app.settings.platform_admins = vec![email("owner@acme-plumbing.example")];
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        assert_eq!(app.client().post("/api/create-subscription", &rita(None)).await.status, 201);
        app.run_tasks().await;
        let operator = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(operator.get("/api/demo-requests").await.status, 403, "anybody can register with an address");
        let proved = "UPDATE account SET email_proved_at = created_at WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, proved, shop.id())?)).await.unwrap();
        let listed = operator.get("/api/demo-requests").await.json();
        assert_eq!((listed[0]["orgName"].clone(), listed[0]["isPaid"].clone()), (json!("Roofs & Co"), json!(false)));
        let stranger = app.client().signed_in(app, other.owner()).await;
        assert_eq!(stranger.get("/api/demo-requests").await.status, 403);
    }
}
