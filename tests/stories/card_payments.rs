//! Card payments: started at the link of an invoice or an approved estimate, paid on Stripe's page, and the return.

use axum::http::Method;
use chrono::Duration;
use futures::future::join_all;
use serde_json::{Value, json};
use shared::{domain::intake::lead::PipelineStage, platform::id::LeadId, providers::sms::SmsProvider};
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{ENDPOINT, FakeStripe, Fault, LIVE, Left},
    http::{Answer, Client},
    people::{Shop, Visitor},
};

mod after_restore;
mod bank_payments;
mod chargebacks;
mod connected_accounts;
mod credits;
mod declined;
mod deposits;
mod external_refunds;
mod former_accounts;
mod open_differences;
mod random_histories;
mod reconciliation;
mod refunds;
mod rolled_keys;
mod settled_differences;
mod stale_checkout;
mod stripe_modes;
mod undecryptable_keys;
mod unknown_refunds;

const FORM: &str = "application/x-www-form-urlencoded";

const JSON: &str = "application/json";

struct Owed {
    shop: Shop,
    lead: LeadId,
    office: Client,
    customer: Client,
    stripe: FakeStripe,
    /// The path `/p/…`.
    at: String,
    invoice: String,
    hook: String,
}

async fn put(client: &Client, path: &str, body: &Value) -> Answer {
    client.send(Method::PUT, path, JSON, body.to_string().into_bytes()).await
}

async fn takes_cards(app: &mut TestApp) -> (Shop, LeadId, Client, FakeStripe) {
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = SmsProvider::Memory(app.sms.clone());
    let stripe = FakeStripe::start().await;
    app.use_stripe(&stripe);
    let shop = app.org("Acme Plumbing").await;
    let lead = Visitor::ann().submits_lead(app, &shop).await;
    app.run_tasks().await;
    let office = app.client().signed_in(app, shop.owner()).await;
    let keys = json!({"secretKey": LIVE, "webhookSecret": ENDPOINT});
    let set = put(&office, &format!("/api/org/{}/stripe", shop.id()), &keys).await;
    assert_eq!((set.status.as_u16(), set.json()["hint"].clone()), (200, json!("sk_live_…4242")), "{}", set.json());
    (shop, lead, office, stripe)
}

async fn owed(app: &mut TestApp) -> Owed {
    let (shop, lead, office, stripe) = takes_cards(app).await;
    billed(app, (shop, lead, office), stripe).await
}

/// Ann paid $120.00 by card; the webhook did not arrive.
async fn paid(app: &mut TestApp) -> (Owed, String) {
    left_as(app, Left::Paid).await
}

async fn left_as(app: &mut TestApp, how: Left) -> (Owed, String) {
    let owed = owed(app).await;
    let session = owed.goes_to_pay().await;
    owed.stripe.leave(&session, how);
    owed.comes_back(&session).await;
    app.run_tasks().await;
    (owed, session)
}

async fn billed(app: &TestApp, (shop, lead, office): (Shop, LeadId, Client), stripe: FakeStripe) -> Owed {
    let draft = json!({"leadId": lead, "lines": [{"name": "Drain cleaned", "unitPrice": 120}]});
    let made = office.post("/api/invoices", &draft).await;
    assert_eq!(made.status, 201, "{}", made.json());
    let invoice = made.json()["id"].as_str().unwrap().to_owned();
    let sent = office.post(&format!("/api/invoices/{invoice}/send"), &json!({})).await;
    assert_eq!(sent.status, 202, "{}", sent.json());
    app.run_tasks().await;
    let link = office.get(&format!("/api/invoices/{invoice}")).await.json()["link"].as_str().unwrap().to_owned();
    let at = link.strip_prefix("https://toolbox.example").unwrap().to_owned();
    let hook = format!("/webhooks/stripe/{}", shop.id());
    Owed { customer: app.client(), shop, lead, office, stripe, at, invoice, hook }
}

/// An estimate over this amount, sent to the customer, with a deposit of this percentage.
async fn quoted(app: &mut TestApp, total: f64, percent: f64) -> Owed {
    let (shop, lead, office, stripe) = takes_cards(app).await;
    let body = json!({"quotedTotal": total, "deposit": {"percent": percent}});
    assert_eq!(office.post(&format!("/api/leads/{lead}/estimate"), &body).await.status, 200);
    app.run_tasks().await;
    let estimate = office.get(&format!("/api/leads/{lead}/estimates")).await.json()[0].clone();
    let at = estimate["link"].as_str().unwrap().strip_prefix("https://toolbox.example").unwrap().to_owned();
    Owed { customer: app.client(), shop, lead, office, stripe, at, invoice: String::new(), hook: String::new() }
}

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.body.clone()).unwrap()
}

impl Owed {
    async fn signs(&self) {
        let sha = self.page().await.split("name=\"sha256\" value=\"").nth(1).unwrap()[..64].to_owned();
        let signed: String = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs([("sha256", sha.as_str()), ("name", "Ann Lee"), ("agree", "yes")])
            .finish();
        let answer = self.customer.send(Method::POST, &format!("{}/approve", self.at), FORM, signed.into_bytes()).await;
        assert_eq!(answer.status, 303);
    }

    async fn posts(&self, path: &str) -> Answer {
        self.customer.send(Method::POST, path, FORM, Vec::new()).await
    }

    /// A card payment, and a refund of $50 that Stripe makes without an answer.
    async fn asks_for_refund_with_lost_answer(&self, app: &TestApp) {
        let page = self.goes_to_pay().await;
        self.stripe.leave(&page, Left::Paid);
        self.comes_back(&page).await;
        app.run_tasks().await;
        let payment = self.money().await["payments"][0]["id"].as_str().unwrap().to_owned();
        let asked = self.office.post(&format!("/api/payments/{payment}/refund"), &json!({"amount": 50})).await;
        assert_eq!(asked.status, 200, "{}", asked.json());
        self.stripe.script(&[Fault::DoneThenCut]);
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
    }

    /// Taps "Pay by card". Returns the id of Stripe's page.
    async fn goes_to_pay(&self) -> String {
        let gone = self.posts(&format!("{}/pay", self.at)).await;
        assert_eq!(gone.status, 303, "{}", text(&gone));
        let leave = self.customer.get(gone.header("location")).await;
        let refresh = leave.header("refresh").to_owned();
        assert!(refresh.starts_with("0; url=https://checkout.stripe.example/c/pay/"), "{refresh}");
        refresh.rsplit('/').next().unwrap().to_owned()
    }

    /// Returns from Stripe's page by the address that Stripe was given.
    async fn comes_back(&self, session: &str) -> String {
        let page = self.stripe.sessions().into_iter().find(|page| page.id == session).unwrap();
        let back = page.fields["success_url"].strip_prefix("https://toolbox.example").unwrap().to_owned();
        let answer = self.customer.get(&back).await;
        assert_eq!(answer.status, 303);
        text(&self.customer.get(answer.header("location")).await)
    }

    async fn tells(&self, (body, signature): (String, String)) -> Answer {
        self.customer
            .clone()
            .with("stripe-signature", &signature)
            .send(Method::POST, &self.hook, JSON, body.into_bytes())
            .await
    }

    async fn page(&self) -> String {
        text(&self.customer.get(&self.at).await)
    }

    async fn money(&self) -> Value {
        self.office.get(&format!("/api/leads/{}/money", self.lead)).await.json()
    }

    async fn collected_and_owed(&self) -> (f64, f64) {
        let money = self.money().await;
        (money["collected"].as_f64().unwrap(), money["owed"].as_f64().unwrap())
    }

    async fn alerts(&self) -> Vec<String> {
        let alerts = self.office.get("/api/alerts").await.json();
        let title = |alert: &Value| alert["title"].as_str().unwrap().to_owned();
        let wanted = ["payment_received", "payment_failed"];
        let ours = |alert: &&Value| wanted.contains(&alert["kind"].as_str().unwrap());
        alerts.as_array().unwrap().iter().filter(ours).map(title).collect()
    }
}

both_databases! {
    async fn card_payment_is_recorded_once_despite_repeated_reports(app) {
        let owed = owed(app).await;
        let page = owed.page().await;
        assert!(page.contains("action=\"") && page.contains("/pay\"") && page.contains("$120.00"), "{page}");
        let session = owed.goes_to_pay().await;
        let opened = owed.stripe.sessions();
        assert_eq!((opened.len(), opened[0].amount), (1, 12_000));
        assert_eq!(opened[0].fields["line_items[0][price_data][product_data][name]"], "Invoice INV-1001");
        owed.stripe.leave(&session, Left::Paid);
        let news = owed.stripe.event("checkout.session.completed", &session, app.now());
        for _ in 0..2 {
            assert_eq!(owed.tells(news.clone()).await.status, 200);
        }
        let page = owed.comes_back(&session).await;
        assert!(page.contains("class=\"banner good\"") && !page.contains("/pay\""), "{page}");
        app.run_tasks().await;
        assert_eq!(owed.tells(news).await.status, 200);
        app.run_tasks().await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0));
        assert_eq!(owed.stripe.held(), 12_000);
        assert_eq!(owed.alerts().await, ["Ann Lee paid $120.00 by card"]);
        assert_eq!(app.lead(owed.shop.id(), owed.lead).await.summary.stage, PipelineStage::Paid);
        app.advance(Duration::days(2));
        app.run_tasks().await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0), "no later look changes anything");
        let receipts = app.mail.accepted_messages().into_iter().filter(|letter| letter.subject.contains("RCP-")).count();
        assert_eq!(receipts, 1);
    }

    async fn unreported_card_payment_is_found_by_polling(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        app.run_tasks().await;
        assert_eq!(owed.collected_and_owed().await, (0.0, 120.0));
        app.advance(Duration::minutes(4));
        app.run_tasks().await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0));
    }

    async fn repeated_taps_share_one_session_and_new_amount_opens_another(app) {
        let owed = owed(app).await;
        let taps = join_all((0..4).map(|_| owed.goes_to_pay())).await;
        assert!(taps.iter().all(|session| *session == taps[0]), "{taps:?}");
        assert_eq!(owed.stripe.sessions().len(), 1);
        let part = json!({"amount": 20, "partial": true, "method": "cash", "receipt": false, "invoiceId": owed.invoice});
        assert_eq!(owed.office.post(&format!("/api/leads/{}/paid", owed.lead), &part).await.status, 200);
        let rest = owed.goes_to_pay().await;
        let opened = owed.stripe.sessions();
        assert_eq!(opened.iter().map(|page| page.amount).collect::<Vec<_>>(), [12_000, 10_000]);
        owed.stripe.leave(&rest, Left::Paid);
        owed.comes_back(&rest).await;
        app.run_tasks().await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0));
    }

    async fn lost_stripe_answer_opens_no_second_session(app) {
        let owed = owed(app).await;
        for fault in [Fault::DoneThenCut, Fault::Cut, Fault::TooManyRequests, Fault::Conflict] {
            owed.stripe.script(&[fault]);
            let gone = owed.posts(&format!("{}/pay", owed.at)).await;
            assert_eq!(gone.status, 503, "{fault:?}: {}", text(&gone));
        }
        owed.goes_to_pay().await;
        assert_eq!(owed.stripe.sessions().len(), 1);
        app.advance(Duration::days(2));
        app.run_tasks().await;
    }

    async fn webhook_without_valid_stripe_signature_is_refused(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        let (body, signature) = owed.stripe.event("checkout.session.completed", &session, app.now());
        for (body, signature) in [
            (body.clone(), String::new()),
            (body.replace("evt_1", "evt_9"), signature.clone()),
            (body.clone(), signature.replace("v1=", "v1=00")),
        ] {
            assert_eq!(owed.tells((body, signature)).await.status, 403);
        }
        app.advance(Duration::minutes(2));
        let late = Duration::minutes(6);
        app.advance(late);
        assert_eq!(owed.tells((body, signature)).await.status, 403, "recorded and played again");
        let other = app.org("Other Roofing").await;
        let stray = owed.stripe.event("checkout.session.completed", &session, app.now());
        let path = format!("/webhooks/stripe/{}", other.id());
        let answer = owed.customer.clone().with("stripe-signature", &stray.1).send(Method::POST, &path, JSON, stray.0.into_bytes()).await;
        assert_eq!(answer.status, 403, "a business without keys believes nobody");
        assert_eq!(owed.tells(("{}".into(), String::new())).await.status, 403);
        app.run_tasks().await;
    }

    async fn session_with_reused_idempotency_key_is_started_anew(app) {
        let owed = owed(app).await;
        owed.stripe.script(&[Fault::KeyReused]);
        let session = owed.goes_to_pay().await;
        assert_eq!(owed.stripe.sessions().len(), 1, "{session}");
        app.run_tasks().await;
    }

    async fn deposit_of_signed_estimate_is_paid_at_its_link(app) {
        let owed = quoted(app, 1000.0, 25.0).await;
        let page = owed.page().await;
        assert!(!page.contains("/pay\""), "nothing is due before it is signed");
        assert_eq!(owed.posts(&format!("{}/pay", owed.at)).await.status, 303);
        assert_eq!(owed.stripe.sessions().len(), 0);
        owed.signs().await;
        let page = owed.page().await;
        assert!(page.contains("/pay\"") && !page.contains("contact you about the deposit"), "{page}");
        assert!(page.contains("Deposit due on approval") && !page.contains("Deposit paid"), "{page}");
        let session = owed.goes_to_pay().await;
        assert_eq!(owed.stripe.sessions()[0].amount, 25_000);
        owed.stripe.leave(&session, Left::Paid);
        for page in [owed.comes_back(&session).await, owed.page().await] {
            assert!(!page.contains("/pay\"") && !page.contains("contact you about the deposit"), "{page}");
            assert!(page.contains("Deposit paid: $250.00.") && page.contains("Thank you."), "{page}");
            assert!(!page.contains("Deposit due on approval"), "{page}");
        }
        app.run_tasks().await;
        assert_eq!(owed.collected_and_owed().await, (250.0, 750.0));
        assert_eq!(owed.money().await["depositDue"].as_f64(), Some(0.0));
        let payment = owed.money().await["payments"][0]["id"].as_str().unwrap().to_owned();
        let back = json!({"amount": 250, "method": "cash"});
        assert_eq!(owed.office.post(&format!("/api/payments/{payment}/refund"), &back).await.status, 200);
        let page = owed.page().await;
        assert!(page.contains("Deposit due on approval") && !page.contains("Deposit paid"), "{page}");
        app.run_tasks().await;
    }

    async fn stripe_keys_are_checked_sealed_and_never_shown(app) {
        let (shop, _, office, stripe) = takes_cards(app).await;
        let path = format!("/api/org/{}/stripe", shop.id());
        let wrong = put(&office, &path, &json!({"secretKey": "sk_live_51SomebodyElse"})).await;
        assert_eq!((wrong.status.as_u16(), wrong.json()["detail"].clone()), (409, json!("Stripe does not know this key.")));
        let odd = put(&office, &path, &json!({"secretKey": "pk_live_51SomebodyElse"})).await;
        assert_eq!(odd.status, 422);
        assert!(odd.json()["errors"]["secretKey"].is_string());
        let shown = office.get(&path).await;
        assert!(!text(&shown).contains("FakeStripeLiveMode") && !text(&shown).contains(ENDPOINT));
        assert_eq!(shown.json()["hasWebhookSecret"], json!(true));
        let sql = "SELECT sealed FROM org_secret WHERE org_id = $1";
        let sealed = app.within(async |tx| Ok(shared::platform::db::q!(tx, fetch_one scalar Vec<u8>, sql, shop.id())?)).await.unwrap();
        assert!(!String::from_utf8_lossy(&sealed).contains("FakeStripe"));
        assert_eq!(office.send(Method::DELETE, &path, "", Vec::new()).await.status, 200);
        assert_eq!(office.get(&path).await.json()["isSetUp"], json!(false));
        assert_eq!(stripe.sessions().len(), 0);
    }
}
