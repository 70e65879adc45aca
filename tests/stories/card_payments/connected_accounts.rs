//! Accounts that businesses connect to the install's platform at Stripe: onboarding and return, payments,
//! reconciliation, switching, and disconnecting.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{domain::tenancy::account::Role, platform::db::q};
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{ENDPOINT, FakeStripe, LIVE, Left},
    http::{Answer, Client},
    people::{Shop, Visitor},
};

use super::{JSON, Owed, billed, put, reconciliation::night, takes_cards};

mod platform_key;

const HOOK: &str = "/webhooks/stripe/connect";

fn place(shop: &Shop, rest: &str) -> String {
    format!("/api/org/{}/stripe{rest}", shop.id())
}

async fn platform(app: &mut TestApp) -> FakeStripe {
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = shared::providers::sms::SmsProvider::Memory(app.sms.clone());
    let stripe = FakeStripe::start().await;
    app.use_platform(&stripe);
    stripe
}

async fn begins(office: &Client, shop: &Shop) -> Value {
    let begun = office.post(&place(shop, "/connect"), &json!({})).await;
    assert_eq!(begun.status, 200, "{}", begun.json());
    begun.json()
}

fn state(stripe: &FakeStripe) -> String {
    let back = stripe.account_links().last().unwrap().return_url.clone();
    assert!(back.starts_with("https://toolbox.example/app/settings?tab=money&stripe=return&state="), "{back}");
    back.rsplit('=').next().unwrap().to_owned()
}

async fn returns(office: &Client, shop: &Shop, state: &str) -> Answer {
    office.post(&place(shop, "/connect/return"), &json!({"state": state})).await
}

async fn payment_settings(office: &Client, shop: &Shop) -> Value {
    office.get(&place(shop, "")).await.json()
}

async fn onboarded(app: &TestApp, stripe: &FakeStripe, name: &str) -> (Owed, String) {
    let shop = app.org(name).await;
    let lead = Visitor::ann().submits_lead(app, &shop).await;
    app.run_tasks().await;
    let office = app.client().signed_in(app, shop.owner()).await;
    begins(&office, &shop).await;
    let account = stripe.accounts().last().unwrap().id.clone();
    stripe.onboards(&account);
    let back = returns(&office, &shop, &state(stripe)).await;
    assert_eq!((back.status.as_u16(), &back.json()["connect"]["state"]), (200, &json!("ready")), "{}", back.json());
    let owed = billed(app, (shop, lead, office), stripe.clone()).await;
    (Owed { hook: HOOK.to_owned(), ..owed }, account)
}

pub(super) async fn connected(app: &mut TestApp) -> Owed {
    let stripe = platform(app).await;
    onboarded(app, &stripe, "Acme Plumbing").await.0
}

impl Owed {
    async fn connection(&self) -> Value {
        payment_settings(&self.office, &self.shop).await["connect"]["state"].clone()
    }

    pub(super) async fn alert_titles(&self) -> Vec<String> {
        let alerts = self.office.get("/api/alerts").await.json();
        alerts.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
    }

    async fn receives_event(&self, app: &TestApp, kind: &str, account: &str) {
        assert_eq!(self.tells(self.stripe.account_event(kind, account, app.now())).await.status, 200);
        app.run_tasks().await;
    }

    fn ended(&self, session: &str) -> bool {
        self.stripe.sessions().iter().any(|page| page.id == session && page.left == Some(Left::Expired))
    }
}

both_databases! {
    async fn unproven_business_makes_no_account_on_platform(app) {
        let stripe = platform(app).await;
        let shop = app.fresh_org("Acme Plumbing").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let refused = office.post(&place(&shop, "/connect"), &json!({})).await;
        assert_eq!((refused.status.as_u16(), refused.problem().1.as_str()), (403, "trust_limit"));
        assert!(stripe.accounts().is_empty(), "Stripe is not asked");
        assert_eq!(app.count("connected_account").await, 0);
        app.vouches_for(&shop.owner().email).await;
        begins(&office, &shop).await;
        assert_eq!(stripe.accounts()[0].email, shop.owner().email);
        app.run_tasks().await;
    }

    async fn connected_account_takes_first_payment_and_refunds_it(app) {
        let stripe = platform(app).await;
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let none = payment_settings(&office, &shop).await;
        assert_eq!((&none["connect"]["isOffered"], &none["connect"]["state"], &none["isSetUp"]), (&json!(true), &json!("none"), &json!(false)));
        let begun = begins(&office, &shop).await;
        assert!(begun["url"].as_str().unwrap().starts_with("https://connect.stripe.example/"), "{begun}");
        assert_eq!((&begun["cards"]["connect"]["state"], &begun["cards"]["isSetUp"]), (&json!("needs_details"), &json!(false)));
        let account = stripe.accounts()[0].clone();
        assert_eq!((account.org, account.email), (shop.id().to_string(), shop.owner().email.clone()));
        let first = state(&stripe);
        stripe.needs(&account.id, &["external_account"]);
        let back = returns(&office, &shop, &first).await.json();
        assert_eq!((&back["connect"]["state"], &back["connect"]["requirementsDue"]), (&json!("needs_details"), &json!(1)), "{back}");
        assert_eq!(returns(&office, &shop, &first).await.status, 409, "the way back is good once");
        begins(&office, &shop).await;
        assert_eq!(stripe.accounts().len(), 1, "it goes on with the same account");
        stripe.onboards(&account.id);
        let ready = returns(&office, &shop, &state(&stripe)).await.json();
        assert_eq!((&ready["connect"]["state"], &ready["hint"], &ready["hasWebhookSecret"]), (&json!("ready"), &json!(account.id), &json!(true)), "{ready}");
        assert_eq!(ready["webhookUrl"], json!(format!("https://toolbox.example{HOOK}")));
        let owed = Owed { hook: HOOK.into(), ..billed(app, (shop, lead, office), stripe).await };
        assert!(owed.alert_titles().await.contains(&"Card payments are ready".to_owned()));
        let page = owed.goes_to_pay().await;
        assert_eq!(owed.stripe.sessions()[0].account, account.id);
        owed.stripe.leave(&page, Left::Paid);
        let news = owed.stripe.event("checkout.session.completed", &page, app.now());
        for _ in 0..2 {
            assert_eq!(owed.tells(news.clone()).await.status, 200);
            app.run_tasks().await;
        }
        assert_eq!((owed.collected_and_owed().await, owed.stripe.held_by(&account.id)), ((120.0, 0.0), 12_000));
        let payment = owed.money().await["payments"][0]["id"].as_str().unwrap().to_owned();
        let given = owed.office.post(&format!("/api/payments/{payment}/refund"), &json!({"amount": 20})).await;
        assert_eq!(given.status, 200, "{}", given.json());
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        assert_eq!(owed.stripe.held_by(&account.id), 10_000);
        app.advance(Duration::days(4));
        app.run_tasks().await;
    }

    async fn connect_is_not_offered_without_a_platform(app) {
        let (shop, _, office, stripe) = takes_cards(app).await;
        assert_eq!(payment_settings(&office, &shop).await["connect"]["isOffered"], json!(false));
        assert_eq!(office.post(&place(&shop, "/connect"), &json!({})).await.status, 409);
        let (body, signature) = stripe.connect_event(Some("acct_1"), "account.updated", &json!({"id": "acct_1"}), app.now());
        let response = app.client().with("stripe-signature", &signature).send(Method::POST, HOOK, JSON, body.into_bytes()).await;
        assert_eq!(response.status, 403);
    }

    async fn payments_of_two_connected_tenants_stay_separate(app) {
        let stripe = platform(app).await;
        let (acme, ours) = onboarded(app, &stripe, "Acme Plumbing").await;
        let (best, theirs) = onboarded(app, &stripe, "Best Roofing").await;
        assert_ne!(ours, theirs);
        let (page, other) = (acme.goes_to_pay().await, best.goes_to_pay().await);
        stripe.leave(&page, Left::Paid);
        let (kind, object) = ("checkout.session.completed", stripe.page(&page));
        let mut in_test = object.clone();
        in_test["livemode"] = json!(false);
        for (account, object) in [(Some(theirs.as_str()), &object), (Some("acct_nobody"), &object), (None, &object), (Some(ours.as_str()), &in_test)] {
            let response = acme.tells(stripe.connect_event(account, kind, object, app.now())).await;
            assert_eq!(response.status, 200, "{account:?} is acknowledged");
            app.run_tasks().await;
            assert_eq!((acme.collected_and_owed().await, best.collected_and_owed().await), ((0.0, 120.0), (0.0, 120.0)), "{account:?}");
        }
        let (body, signature) = stripe.connect_event(Some(&ours), kind, &object, app.now());
        for forged in [(body.replace(&ours, &theirs), signature.clone()), (body.clone(), String::new())] {
            assert_eq!(acme.tells(forged).await.status, 403);
        }
        let own = shared::providers::payments::signature::sign_payload(&ENDPOINT.to_owned().into(), body.as_bytes(), app.now());
        assert_eq!(acme.tells((body.clone(), own)).await.status, 403, "a business's own secret is not the platform's");
        let elsewhere = app.client().with("stripe-signature", &signature);
        let at_business = format!("/webhooks/stripe/{}", acme.shop.id());
        assert_eq!(elsewhere.send(Method::POST, &at_business, JSON, body.clone().into_bytes()).await.status, 403);
        assert_eq!(acme.tells((body, signature)).await.status, 200);
        app.run_tasks().await;
        assert_eq!((acme.collected_and_owed().await, best.collected_and_owed().await), ((120.0, 0.0), (0.0, 120.0)));
        stripe.leave(&other, Left::Paid);
        best.comes_back(&other).await;
        app.run_tasks().await;
        assert_eq!((stripe.held_by(&ours), stripe.held_by(&theirs), best.collected_and_owed().await), (12_000, 12_000, (120.0, 0.0)));
    }

    async fn connect_return_by_other_tenant_other_user_or_late_is_refused(app) {
        let stripe = platform(app).await;
        let (acme, best) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let (ours, theirs) = (app.client().signed_in(app, acme.owner()).await, app.client().signed_in(app, best.owner()).await);
        begins(&ours, &acme).await;
        let good = state(&stripe);
        let account = stripe.accounts()[0].id.clone();
        stripe.onboards(&account);
        begins(&theirs, &best).await;
        let partner = app.client().signed_in(app, &app.staff(&acme, Role::Owner).await).await;
        let desk = app.client().signed_in(app, &app.staff(&acme, Role::Office).await).await;
        assert_eq!(returns(&theirs, &best, &good).await.status, 409);
        assert_eq!(returns(&theirs, &acme, &good).await.status, 404);
        assert_eq!(returns(&partner, &acme, &good).await.status, 409);
        assert_eq!(returns(&desk, &acme, &good).await.status, 403);
        for odd in [String::new(), "x".repeat(5_000), account.clone()] {
            assert_eq!(returns(&ours, &acme, &odd).await.status, 409);
        }
        assert_eq!(payment_settings(&theirs, &best).await["connect"]["state"], json!("needs_details"));
        let (body, signature) = stripe.account_event("account.updated", &account, app.now());
        let response = app.client().with("stripe-signature", &signature).send(Method::POST, HOOK, JSON, body.into_bytes()).await;
        assert_eq!(response.status, 200);
        app.run_tasks().await;
        let seen = payment_settings(&ours, &acme).await;
        assert_eq!((&seen["connect"]["state"], &seen["isSetUp"]), (&json!("to_finish"), &json!(false)), "the onboarding is not finished");
        app.advance(Duration::minutes(61));
        app.run_tasks().await;
        assert_eq!(returns(&ours, &acme, &good).await.status, 409, "an hour later it is over");
        let ours = app.client().signed_in(app, acme.owner()).await;
        let done = begins(&ours, &acme).await;
        assert_eq!((&done["url"], &done["cards"]["connect"]["state"]), (&Value::Null, &json!("ready")), "{done}");
        app.run_tasks().await;
    }

    async fn owner_who_does_not_come_back_gets_one_alert_to_finish(app) {
        let stripe = platform(app).await;
        let shop = app.org("Acme Plumbing").await;
        begins(&app.client().signed_in(app, shop.owner()).await, &shop).await;
        let account = stripe.accounts()[0].id.clone();
        stripe.onboards(&account);
        let (body, signature) = stripe.account_event("account.updated", &account, app.now());
        let hook = app.client().with("stripe-signature", &signature);
        assert_eq!(hook.send(Method::POST, HOOK, JSON, body.into_bytes()).await.status, 200);
        app.run_tasks().await;
        let titles = async || {
            let owner = app.client().signed_in(app, shop.owner()).await;
            let alerts = owner.get("/api/alerts").await.json();
            let ours = alerts.as_array().unwrap().iter().filter(|one| one["kind"] == "card_payments");
            ours.map(|one| one["title"].as_str().unwrap().to_owned()).collect::<Vec<String>>()
        };
        assert_eq!(titles().await, [""; 0], "they may be on their way back");
        for wait in [Duration::hours(1), Duration::days(4)] {
            app.advance(wait);
            app.run_tasks().await;
            assert_eq!(titles().await, ["Finish connecting your Stripe account"]);
        }
        let done = begins(&app.client().signed_in(app, shop.owner()).await, &shop).await;
        assert_eq!(done["cards"]["connect"]["state"], json!("ready"), "{done}");
        let mut titles = titles().await;
        titles.sort();
        assert_eq!(titles, ["Card payments are ready", "Your Stripe account is connected"]);
        app.run_tasks().await;
    }

    async fn disconnected_account_takes_no_cards_and_owner_is_alerted(app) {
        let stripe = platform(app).await;
        let (owed, account) = onboarded(app, &stripe, "Acme Plumbing").await;
        let page = owed.goes_to_pay().await;
        let leave = owed.posts(&format!("{}/pay", owed.at)).await.header("location").to_owned();
        owed.receives_event(app, "account.application.deauthorized", &account).await;
        assert_eq!(owed.connection().await, json!("ready"), "Stripe itself says that it is connected");
        stripe.disconnects(&account);
        owed.receives_event(app, "account.application.deauthorized", &account).await;
        let seen = payment_settings(&owed.office, &owed.shop).await;
        assert_eq!((&seen["connect"]["state"], &seen["isSetUp"]), (&json!("disconnected"), &json!(false)), "{seen}");
        let titles = owed.alert_titles().await;
        for wanted in ["Card payments are off: Stripe was disconnected", "A Stripe page over $120.00 could not be closed"] {
            assert_eq!(titles.iter().filter(|title| *title == wanted).count(), 1, "{titles:?}");
        }
        assert!(!owed.page().await.contains("/pay\""));
        let gone = owed.customer.get(&leave).await;
        assert_ne!(gone.header("refresh"), format!("0; url=https://checkout.stripe.example/c/pay/{page}"));
        owed.receives_event(app, "account.updated", &account).await;
        let again = begins(&owed.office, &owed.shop).await;
        assert_eq!(again["cards"]["connect"]["state"], json!("needs_details"), "{again}");
        assert_eq!(stripe.accounts().len(), 2, "it begins anew with another account");
    }

    async fn disconnection_without_webhook_is_detected_by_next_morning(app) {
        let stripe = platform(app).await;
        let (owed, account) = onboarded(app, &stripe, "Acme Plumbing").await;
        let looks = "DELETE FROM task WHERE org_id = $1 AND kind = 'check_account'";
        app.within(async |tx| Ok(q!(tx, execute, looks, owed.shop.id())?)).await.unwrap();
        stripe.disconnects(&account);
        night(app).await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!(owed.connection().await, json!("disconnected"));
    }

    async fn restricted_account_opens_no_checkout_until_reinstated(app) {
        let stripe = platform(app).await;
        let (owed, account) = onboarded(app, &stripe, "Acme Plumbing").await;
        stripe.needs(&account, &["individual.verification.document"]);
        owed.receives_event(app, "account.updated", &account).await;
        assert_eq!(owed.connection().await, json!("restricted"));
        assert!(owed.alert_titles().await.contains(&"Stripe has paused your card payments".to_owned()));
        assert!(!owed.page().await.contains("/pay\""));
        assert_eq!(owed.posts(&format!("{}/pay", owed.at)).await.status, 303);
        assert_eq!(stripe.sessions().len(), 0);
        stripe.onboards(&account);
        owed.receives_event(app, "account.updated", &account).await;
        let page = owed.goes_to_pay().await;
        stripe.leave(&page, Left::Paid);
        owed.comes_back(&page).await;
        app.run_tasks().await;
        assert_eq!((owed.connection().await, owed.collected_and_owed().await), (json!("ready"), (120.0, 0.0)));
    }

    async fn switch_between_keys_and_connected_account_expires_open_pages(app) {
        let stripe = platform(app).await;
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let keys = json!({"secretKey": LIVE, "webhookSecret": ENDPOINT});
        assert_eq!(put(&office, &place(&shop, ""), &keys).await.status, 200);
        let owed = billed(app, (shop, lead, office), stripe.clone()).await;
        let with_keys = owed.goes_to_pay().await;
        let begun = begins(&owed.office, &owed.shop).await;
        assert_eq!((&begun["cards"]["hint"], &begun["cards"]["connect"]["state"]), (&json!("sk_live_…4242"), &json!("needs_details")));
        app.run_tasks().await;
        assert!(!owed.ended(&with_keys), "the keys stay in force until the account is ready");
        let account = stripe.accounts()[0].id.clone();
        stripe.onboards(&account);
        assert_eq!(returns(&owed.office, &owed.shop, &state(&stripe)).await.json()["hint"], json!(account));
        app.run_tasks().await;
        assert!(owed.ended(&with_keys), "with the keys it was opened with");
        let connected = owed.goes_to_pay().await;
        assert_eq!(stripe.sessions().last().unwrap().account, account);
        assert_eq!(put(&owed.office, &place(&owed.shop, ""), &json!({"webhookSecret": ENDPOINT})).await.status, 422, "no key was pasted");
        let pasted = put(&owed.office, &place(&owed.shop, ""), &keys).await;
        assert_eq!((&pasted.json()["hint"], &pasted.json()["connect"]["state"]), (&json!("sk_live_…4242"), &json!("none")), "{}", pasted.json());
        app.run_tasks().await;
        assert!(owed.ended(&connected));
        let third = owed.goes_to_pay().await;
        let back = begins(&owed.office, &owed.shop).await;
        assert_eq!((&back["url"], &back["cards"]["hint"]), (&Value::Null, &json!(account)), "the same account is taken up again");
        app.run_tasks().await;
        assert!(owed.ended(&third));
        assert_eq!(stripe.accounts().len(), 1);
        let page = owed.goes_to_pay().await;
        stripe.leave(&page, Left::Paid);
        let off = owed.office.send(Method::DELETE, &place(&owed.shop, ""), "", Vec::new()).await;
        assert_eq!((off.status.as_u16(), &off.json()["isSetUp"]), (200, &json!(false)));
        app.run_tasks().await;
        assert_eq!((owed.collected_and_owed().await, owed.connection().await), ((120.0, 0.0), json!("none")), "the last payment is booked");
    }

    async fn nightly_reconciliation_reads_books_of_the_connected_account(app) {
        let stripe = platform(app).await;
        let (acme, ours) = onboarded(app, &stripe, "Acme Plumbing").await;
        let (best, _) = onboarded(app, &stripe, "Best Roofing").await;
        let page = acme.goes_to_pay().await;
        stripe.leave(&page, Left::Paid);
        acme.comes_back(&page).await;
        app.run_tasks().await;
        stripe.charges_elsewhere(7_700);
        stripe.refund_by_hand(&page, 4_500);
        let payout = stripe.pays_out_of(&ours);
        night(app).await;
        let sees = async |owed: Owed| Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        let (acme, best) = (sees(acme).await, sees(best).await);
        assert_eq!((acme.collected_and_owed().await, best.collected_and_owed().await), ((75.0, 45.0), (0.0, 120.0)));
        let payments = acme.money().await["payments"].clone();
        let shown = payments.as_array().unwrap().iter().find(|one| one["payout"]["id"] == json!(payout));
        // Less 2.9 % and 30 cents of it, and what was refunded.
        assert_eq!(shown.map(|one| one["payout"]["amount"].clone()), Some(json!(71.22)), "{payments}");
        for (owed, agreed) in [(&acme, 1), (&best, 0)] {
            let look = payment_settings(&owed.office, &owed.shop).await["reconciliation"].clone();
            assert_eq!((&look["agreed"], &look["differences"], &look["isRunning"]), (&json!(agreed), &json!([]), &json!(false)), "{look}");
        }
    }
}
