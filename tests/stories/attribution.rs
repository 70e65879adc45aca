//! Recovered money: each dollar traced to the message after which the customer came back, and the total.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{domain::growth::metrics::recompute::RecomputeCause, platform::id::LeadId};
use tests::{
    app::TestApp,
    both_databases,
    http::Client,
    people::{Shop, Visitor},
    phone::{ANN, Line},
};

mod chain_list;
mod holdout;
mod random_histories;
mod reminders;

const NUMBER: &str = "+15125550100";
const FORM: &str = "application/x-www-form-urlencoded";

struct AttributionFixture {
    shop: Shop,
    line: Line,
    /// A browser of the office, signed out: sessions do not last for weeks.
    client: Client,
}

async fn firm(app: &mut TestApp) -> AttributionFixture {
    let mut shop = app.org("Acme Plumbing").await;
    let line = app.line(&mut shop, NUMBER).await;
    AttributionFixture { shop, line, client: app.client() }
}

/// Callers' numbers in different exchanges, so that no spend brake stops them.
fn caller(n: usize) -> String {
    format!("+151255{n}0143")
}

impl AttributionFixture {
    async fn office(&self, app: &TestApp) -> Client {
        self.client.signed_in(app, self.shop.owner()).await
    }

    async fn posts(&self, app: &TestApp, path: &str, body: Value) -> Value {
        let answer = self.office(app).await.post(path, &body).await;
        assert!(answer.status.is_success(), "{path}: {} {}", answer.status, answer.json());
        answer.json()
    }

    async fn gets(&self, app: &TestApp, path: &str) -> Value {
        let answer = self.office(app).await.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.json());
        answer.json()
    }

    async fn lead_of(&self, app: &TestApp, phone: &str) -> LeadId {
        let leads = self.gets(app, "/api/leads/acme-plumbing").await;
        let lead = leads.as_array().unwrap().iter().find(|lead| lead["phoneE164"] == phone).unwrap().clone();
        serde_json::from_value(lead["id"].clone()).unwrap()
    }

    async fn pays(&self, app: &TestApp, lead: LeadId, body: Value) -> String {
        let paid = self.posts(app, &format!("/api/leads/{lead}/paid"), body).await;
        paid["payment"]["id"].as_str().unwrap().to_owned()
    }

    async fn tells(&self, app: &TestApp, lead: LeadId, words: &str) {
        let customer = app.lead(self.shop.id(), lead).await.customer_id;
        let path = format!("/api/customers/{customer}/messages");
        self.posts(app, &path, json!({"channel": "sms", "body": words})).await;
        app.run_tasks().await;
    }

    async fn estimates(&self, app: &TestApp, lead: LeadId, total: f64) -> Value {
        self.posts(app, &format!("/api/leads/{lead}/estimate"), json!({ "quotedTotal": total })).await;
        app.run_tasks().await;
        self.gets(app, &format!("/api/leads/{lead}/estimates")).await[0].clone()
    }

    async fn is_approved(&self, app: &TestApp, estimate: &Value) {
        let at = estimate["link"].as_str().unwrap().trim_start_matches("https://toolbox.example").to_owned();
        let page = String::from_utf8(app.client().get(&at).await.body).unwrap();
        let sha256 = &page.split("name=\"sha256\" value=\"").nth(1).unwrap()[..64];
        let body = format!("name=Ann+Lee&agree=yes&sha256={sha256}").into_bytes();
        let signed = app.client().send(Method::POST, &format!("{at}/approve"), FORM, body).await;
        assert_eq!(signed.status, 303);
        app.run_tasks().await;
    }

    /// The total of each category in the last thirty days, in the order of precedence.
    async fn sums(&self, app: &TestApp) -> Vec<f64> {
        let shown = self.gets(app, "/api/recovered").await;
        let amounts = shown["categories"].as_array().unwrap().iter().map(|one| one["amount"].as_f64().unwrap());
        let amounts: Vec<f64> = amounts.collect();
        assert_eq!(shown["total"].as_f64(), Some(amounts.iter().sum()), "{shown}");
        amounts
    }

    async fn steps(&self, app: &TestApp) -> Vec<String> {
        let chains = self.gets(app, "/api/recovered/chains").await;
        let [chain] = &chains.as_array().unwrap()[..] else { panic!("{chains}") };
        let events = chain["events"].as_array().unwrap().iter();
        events.map(|event| event["step"].as_str().unwrap().to_owned()).collect()
    }
}

async fn later(app: &TestApp, by: Duration) {
    app.advance(by);
    app.run_tasks().await;
}

both_databases! {
    async fn paid_missed_call_is_recovered_with_four_linked_events(app) {
        let firm = firm(app).await;
        for n in 0..10 {
            firm.line.rings(&caller(n), []).await;
            later(app, Duration::seconds(30)).await;
            assert_eq!(firm.line.texts_to(&caller(n)).len(), 1, "caller {n} is texted back");
        }
        for n in [1, 4, 7] {
            later(app, Duration::minutes(3)).await;
            firm.line.writes(&caller(n), "Can you come today?").await;
            app.run_tasks().await;
        }
        let paying = firm.lead_of(app, &caller(4)).await;
        later(app, Duration::hours(5)).await;
        firm.pays(app, paying, json!({"amount": 850})).await;
        let shown = firm.gets(app, "/api/recovered").await;
        assert_eq!(shown["total"], 850.0);
        assert_eq!(shown["categories"][0], json!({"category": "missed_call", "amount": 850.0, "chains": 1}));
        assert!(shown["categories"].as_array().unwrap()[1..].iter().all(|other| other["amount"] == 0.0 && other["chains"] == 0), "{shown}");
        assert_eq!(shown["callers"], json!({"missed": 10, "texted": 10, "returned": 3, "booked": 0, "paid": 1}));
        let answer = firm.office(app).await.get("/api/recovered/chains?category=missed_call").await;
        assert_eq!((answer.header("x-total-count"), answer.header("x-total-amount")), ("1", "850.00"));
        let chain = answer.json()[0].clone();
        assert_eq!((&chain["id"], &chain["amount"], &chain["categories"]), (&json!(paying), &json!(850.0), &json!(["missed_call"])));
        let events = chain["events"].as_array().unwrap();
        let steps: Vec<&str> = events.iter().map(|event| event["step"].as_str().unwrap()).collect();
        assert_eq!(steps, ["missed_call", "call_text", "wrote", "paid"], "four linked events");
        let times: Vec<&str> = events.iter().map(|event| event["at"].as_str().unwrap()).collect();
        assert!(times.is_sorted(), "{times:?}");
        assert_eq!((&events[3]["amount"], &events[3]["on"]), (&json!(850.0), &json!("2026-09-17")));
        // The records exist, and are of the stated kinds.
        let lead = app.lead(firm.shop.id(), paying).await;
        let ids: Vec<Value> = lead.messages.iter().map(|message| json!(message.id)).collect();
        assert!(ids.contains(&events[1]["recordId"]) && ids.contains(&events[2]["recordId"]), "{events:?}");
        app.figures_agree().await;
        assert_eq!(app.recounts(firm.shop.id()).await.days_wrong, 0);
        app.run_tasks().await;
    }

    async fn estimate_follow_up_recovers_later_payments_minus_refunds(app) {
        let firm = firm(app).await;
        let lead = Visitor::ann().submits_lead(app, &firm.shop).await;
        later(app, Duration::seconds(3)).await;
        let estimate = firm.estimates(app, lead, 1250.5).await;
        // Two days later at 10:00 the follow-up is sent, and Ann signs in the afternoon.
        app.live_through(Duration::days(3), Duration::hours(6)).await;
        assert!(app.outbox(firm.shop.id(), lead).await.iter().any(|line| line.starts_with("estimate_follow_up sms")), "she was asked");
        firm.is_approved(app, &estimate).await;
        let deposit = firm.pays(app, lead, json!({"amount": 250.5, "partial": true, "receipt": false})).await;
        later(app, Duration::days(2)).await;
        let rest = firm.pays(app, lead, json!({"amount": 1000, "receipt": false})).await;
        assert_eq!(firm.sums(app).await, [0.0, 0.0, 1250.5, 0.0, 0.0]);
        // A mistake is undone within its minute; a partial refund a day later counts on its own day.
        firm.posts(app, &format!("/api/payments/{rest}/undo"), json!({})).await;
        assert_eq!(firm.sums(app).await, [0.0, 0.0, 250.5, 0.0, 0.0]);
        firm.pays(app, lead, json!({"amount": 1000, "receipt": false})).await;
        later(app, Duration::days(1)).await;
        firm.posts(app, &format!("/api/payments/{deposit}/refund"), json!({"amount": 50.25, "forgive": true})).await;
        app.run_tasks().await;
        assert_eq!(firm.sums(app).await, [0.0, 0.0, 1200.25, 0.0, 0.0]);
        let today = app.now().date_naive();
        let shown = firm.gets(app, &format!("/api/recovered?from={today}&to={today}")).await;
        assert_eq!((&shown["total"], &shown["categories"][2]["chains"]), (&json!(-50.25), &json!(1)), "the refund counts on its day");
        assert_eq!(firm.steps(app).await, ["follow_up", "approved", "paid", "paid", "refunded"]);
        app.figures_agree().await;
    }

    async fn lead_answered_by_staff_first_is_not_recovered(app) {
        let firm = firm(app).await;
        // Bob continues by himself after the automatic answer; a person wrote to Ann before she did.
        let bob = Visitor::number(1).submits_lead(app, &firm.shop).await;
        let ann = Visitor::ann().submits_lead(app, &firm.shop).await;
        later(app, Duration::seconds(3)).await;
        later(app, Duration::minutes(10)).await;
        firm.tells(app, ann, "We can come at three").await;
        later(app, Duration::minutes(10)).await;
        for (phone, words) in [(ANN, "Fine"), ("+17375000001", "Any time tomorrow")] {
            firm.line.writes(phone, words).await;
            app.run_tasks().await;
        }
        firm.tells(app, bob, "Then tomorrow at nine").await;
        later(app, Duration::days(1)).await;
        for lead in [bob, ann] {
            firm.pays(app, lead, json!({"amount": 200, "receipt": false})).await;
        }
        assert_eq!(firm.sums(app).await, [0.0, 200.0, 0.0, 0.0, 0.0]);
        assert_eq!(firm.steps(app).await, ["auto_reply", "wrote", "paid"]);
        app.figures_agree().await;
    }

    async fn missed_call_answered_from_private_phone_is_not_recovered(app) {
        let firm = firm(app).await;
        firm.line.rings(ANN, []).await;
        later(app, Duration::seconds(30)).await;
        assert_eq!(firm.line.texts_to(ANN).len(), 1, "she is texted back");
        let lead = firm.lead_of(app, ANN).await;
        // Joe calls her from his own phone, and notes it.
        later(app, Duration::minutes(5)).await;
        firm.posts(app, &format!("/api/leads/{lead}/answered"), json!({"how": "answered"})).await;
        later(app, Duration::minutes(15)).await;
        firm.line.writes(ANN, "ok, see you at 3").await;
        app.run_tasks().await;
        later(app, Duration::hours(5)).await;
        firm.pays(app, lead, json!({"amount": 850, "receipt": false})).await;
        assert_eq!(firm.sums(app).await, [0.0; 5]);
        let callers = firm.gets(app, "/api/recovered").await["callers"].clone();
        assert_eq!((&callers["texted"], &callers["returned"], &callers["paid"]), (&json!(1), &json!(0), &json!(0)));
        app.figures_agree().await;
    }

    async fn new_work_after_review_click_is_recovered(app) {
        let firm = firm(app).await;
        let set = json!({"reviewLink": "https://g.page/r/acme/review", "postalAddress": "1 Main St\nAustin, TX 78701"});
        let path = format!("/api/org/{}", firm.shop.id());
        let set = firm.office(app).await.send(Method::PATCH, &path, "application/json", set.to_string().into_bytes()).await;
        assert_eq!(set.status, 200);
        let mut ann = Visitor::ann();
        ann.form.marketing_consent = true;
        let first = ann.submits_confirmed_lead(app, &firm.shop).await;
        later(app, Duration::minutes(1)).await;
        let job = firm.posts(app, "/api/jobs", json!({"leadId": first, "startsAt": app.now()})).await;
        firm.posts(app, &format!("/api/jobs/{}/status", job["id"].as_str().unwrap()), json!({"to": "completed"})).await;
        firm.pays(app, first, json!({"amount": 100, "receipt": false})).await;
        later(app, Duration::minutes(2)).await;
        later(app, Duration::hours(3)).await;
        let texts = firm.line.texts_to(ANN);
        let text = texts.iter().find(|text| text.contains("/r/")).unwrap();
        let link = text[text.find("/r/").unwrap()..].split_whitespace().next().unwrap().to_owned();
        let pressed = app.client().send(Method::POST, &format!("{link}/go"), FORM, vec![]).await;
        assert_eq!(pressed.status, 303, "{}", String::from_utf8_lossy(&pressed.body));
        later(app, Duration::days(20)).await;
        let again = ann.submits_lead(app, &firm.shop).await;
        assert_ne!(again, first, "new work");
        later(app, Duration::minutes(1)).await;
        firm.pays(app, again, json!({"amount": 300, "receipt": false})).await;
        assert_eq!(firm.sums(app).await, [0.0, 0.0, 0.0, 0.0, 300.0]);
        assert_eq!(firm.steps(app).await, ["review_click", "paid"]);
        app.figures_agree().await;
    }

    async fn tampered_figures_are_repaired_by_nightly_recount(app) {
        let firm = firm(app).await;
        firm.line.rings(ANN, []).await;
        later(app, Duration::seconds(30)).await;
        app.advance(Duration::minutes(2));
        firm.line.writes(ANN, "Please call").await;
        app.run_tasks().await;
        let lead = firm.lead_of(app, ANN).await;
        later(app, Duration::minutes(5)).await;
        firm.pays(app, lead, json!({"amount": 99.99, "receipt": false})).await;
        for sql in [
            "UPDATE metric_day SET recovered_call_cents = 7, paying_callers = 3 WHERE org_id = $1",
            "UPDATE metric_fact SET facts = '{}' WHERE org_id = $1 AND kind = 'lead'",
            "DELETE FROM metric_row WHERE org_id = $1 AND measure = 'recovered_call_cents'",
        ] {
            app.within(async |tx| Ok(shared::platform::db::q!(tx, execute, sql, firm.shop.id())?)).await.unwrap();
            later(app, Duration::seconds(1)).await;
            let check = app.recounts(firm.shop.id()).await;
            assert_eq!((check.why, check.days_wrong), (RecomputeCause::Nightly, 1), "{sql}");
            assert_eq!(firm.sums(app).await, [99.99, 0.0, 0.0, 0.0, 0.0], "{sql}");
            assert_eq!(firm.steps(app).await, ["missed_call", "call_text", "wrote", "paid"]);
            app.figures_agree().await;
        }
        app.run_tasks().await;
    }

    async fn daily_report_names_recovered_sum_only_when_there_is_some(app) {
        let firm = firm(app).await;
        firm.line.rings(ANN, []).await;
        later(app, Duration::seconds(30)).await;
        app.advance(Duration::minutes(2));
        firm.line.writes(ANN, "Please call").await;
        app.run_tasks().await;
        later(app, Duration::minutes(5)).await;
        firm.pays(app, firm.lead_of(app, ANN).await, json!({"amount": 850, "receipt": false})).await;
        let mut letters = Vec::new();
        // 7:00 in Chicago, on the morning after it and on the next one.
        for morning in ["2026-09-18T12:00:00Z", "2026-09-19T12:00:00Z"] {
            app.waits_until(morning);
            assert_eq!(app.reports().await, 1);
            letters.push(app.mail.accepted_messages().into_iter().rfind(|letter| !letter.pictures.is_empty()).unwrap());
        }
        let line_label = "Recovered after automatic messages";
        assert!(letters[0].text.contains(&format!("{line_label}: $850.00")), "{}", letters[0].text);
        let html = letters[0].html.as_ref().unwrap().replace("&#x2f;", "/");
        assert!(html.contains("/app/recovered?from=2026-09-17"), "it leads to the cases");
        assert!(!letters[1].text.contains(line_label), "{}", letters[1].text);
    }

    async fn customer_merge_and_its_undo_leave_recovered_sum_unchanged(app) {
        let firm = firm(app).await;
        firm.line.rings(ANN, []).await;
        later(app, Duration::seconds(30)).await;
        app.advance(Duration::minutes(2));
        firm.line.writes(ANN, "Please call").await;
        app.run_tasks().await;
        let one = firm.lead_of(app, ANN).await;
        let other = Visitor::number(3).submits_lead(app, &firm.shop).await;
        later(app, Duration::minutes(5)).await;
        firm.pays(app, one, json!({"amount": 80, "receipt": false})).await;
        let [kept, gone] = [app.lead(firm.shop.id(), other).await.customer_id, app.lead(firm.shop.id(), one).await.customer_id];
        let merged = firm.posts(app, &format!("/api/customers/{kept}/merge"), json!({ "otherId": gone })).await;
        app.figures_agree().await;
        assert_eq!(firm.sums(app).await, [80.0, 0.0, 0.0, 0.0, 0.0]);
        let merge = merged["mergedFrom"][0]["mergeId"].as_str().unwrap().to_owned();
        firm.posts(app, &format!("/api/customers/merges/{merge}/undo"), json!({})).await;
        app.figures_agree().await;
        assert_eq!(firm.sums(app).await, [80.0, 0.0, 0.0, 0.0, 0.0]);
    }
}
