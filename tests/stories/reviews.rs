//! Review requests: each customer with done work is asked once, equally and by day, until a stop condition.

use axum::http::Method;
use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use shared::{platform::id::LeadId, providers::mail::SentEmail};
use tests::{
    app::TestApp,
    http::{Answer, Client},
    people::{Shop, Visitor},
    phone::Line,
};

mod consent;
mod figures;
mod hours;
mod intake;
mod manual_request;
mod page;
mod rating;
mod report;
mod sequence;
mod stop_conditions;

const NUMBER: &str = "+15125550100";
const SITE: &str = "https://g.page/r/acme/review";
const FORM: &str = "application/x-www-form-urlencoded";

/// A business with a number, a postal address and a public site for reviews.
struct ReviewFixture {
    shop: Shop,
    line: Line,
    /// A browser of the office, signed out: sessions do not last for weeks.
    client: Client,
}

async fn firm(app: &mut TestApp) -> ReviewFixture {
    let mut shop = app.org("Acme Plumbing").await;
    let line = app.line(&mut shop, NUMBER).await;
    let firm = ReviewFixture { shop, line, client: app.client() };
    let set = json!({"reviewLink": SITE, "postalAddress": "1 Main St\nAustin, TX 78701"});
    assert_eq!(firm.patches(app, &format!("/api/org/{}", firm.shop.id()), &set).await.status, 200);
    firm
}

fn agreeing(n: u32) -> Visitor {
    let mut one = Visitor::number(n);
    one.form.marketing_consent = true;
    one.form.email = Some(format!("visitor-{n}@customer.example"));
    one
}

fn number(n: u32) -> String {
    let typed = Visitor::number(n).form.phone.unwrap();
    format!("+1{}", typed.chars().filter(char::is_ascii_digit).collect::<String>())
}

impl ReviewFixture {
    async fn office(&self, app: &TestApp) -> Client {
        self.client.signed_in(app, self.shop.owner()).await
    }

    async fn get(&self, app: &TestApp, path: &str) -> Value {
        let answer = self.office(app).await.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.json());
        answer.json()
    }

    async fn post(&self, app: &TestApp, path: &str, body: &Value) -> Answer {
        self.office(app).await.post(path, body).await
    }

    async fn patches(&self, app: &TestApp, path: &str, body: &Value) -> Answer {
        let office = self.office(app).await;
        office.send(Method::PATCH, path, "application/json", body.to_string().into_bytes()).await
    }

    async fn does(&self, app: &TestApp, lead: LeadId) -> Value {
        self.does_at(app, lead, None).await
    }

    async fn does_at(&self, app: &TestApp, lead: LeadId, address: Option<&str>) -> Value {
        let body = json!({"leadId": lead, "startsAt": app.now(), "address": address});
        let made = self.post(app, "/api/jobs", &body).await;
        assert_eq!(made.status, 201, "{}", made.json());
        let done = self.post(app, &path(&made.json(), "/status"), &json!({"to": "completed"})).await;
        assert_eq!(done.status, 200, "{}", done.json());
        made.json()
    }

    async fn served(&self, app: &TestApp, n: u32) -> (LeadId, Value) {
        let lead = agreeing(n).submits_confirmed_lead(app, &self.shop).await;
        (lead, self.does(app, lead).await)
    }

    fn texts(&self, number: &str) -> Vec<String> {
        self.line.texts_to(number).into_iter().filter(|text| text.contains("/r/")).collect()
    }

    async fn ask(&self, app: &TestApp, job: &Value) -> Value {
        let id = job["id"].as_str().unwrap();
        let asks = self.get(app, &format!("/api/reviews/asks?jobId={id}")).await;
        asks[0].clone()
    }

    /// State and reason of a job's review request.
    async fn request_state(&self, app: &TestApp, job: &Value) -> (String, Option<String>) {
        let ask = self.ask(app, job).await;
        (ask["state"].as_str().unwrap().to_owned(), ask["why"].as_str().map(ToOwned::to_owned))
    }
}

fn mails(app: &TestApp) -> Vec<SentEmail> {
    app.mail.accepted_messages().into_iter().filter(|mail| mail.text.contains("/r/")).collect()
}

fn path(job: &Value, rest: &str) -> String {
    format!("/api/jobs/{}{rest}", job["id"].as_str().unwrap())
}

/// The path of the review page in a text.
fn link(text: &str) -> String {
    let at = text.find("/r/").unwrap();
    text[at..].split_whitespace().next().unwrap().to_owned()
}

/// Advances six hours at a time, and runs the due tasks after each step.
async fn until(app: &TestApp, at: &str) {
    let at: DateTime<Utc> = at.parse().unwrap();
    assert!(at >= app.now(), "{at} has passed");
    while app.now() < at {
        app.advance((at - app.now()).min(Duration::hours(6)));
        app.run_tasks().await;
    }
}

async fn later(app: &TestApp, time: Duration) {
    until(app, &(app.now() + time).to_rfc3339()).await;
}
