//! Change orders: the crew finds more work on site. The office writes what is added, the customer signs it on the
//! phone, and from then on it is agreed, billed and done with the rest.

use std::{io::Write as _, process::Command};

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::intake::lead::PipelineStage,
    platform::{clock::ClockRng, id::LeadId},
    providers::sms::SmsProvider,
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Shop, Visitor},
    phone::ANN,
};

mod billing;
mod concurrent_orders;
mod customer_answers;
mod own_phone_texts;
mod resend;

const FORM: &str = "application/x-www-form-urlencoded";

struct Opened {
    shop: Shop,
    lead: LeadId,
    office: Client,
    /// The customer's browser, without a session.
    customer: Client,
    job: String,
    origin: ClockRng,
}

async fn begun(app: &mut TestApp) -> Opened {
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = SmsProvider::Memory(app.sms.clone());
    let shop = app.org("Acme Plumbing").await;
    let lead = Visitor::ann().submits_lead(app, &shop).await;
    app.run_tasks().await;
    let office = app.client().signed_in(app, shop.owner()).await;
    let origin = app.origin.clone();
    Opened { shop, lead, office, customer: app.client(), job: String::new(), origin }
}

async fn opened(app: &mut TestApp) -> Opened {
    let begun = begun(app).await;
    let estimate = json!({"quotedTotal": 1250.5, "send": {"email": false, "text": false}});
    let made = begun.office.post(&format!("/api/leads/{}/estimate", begun.lead), &estimate).await;
    assert_eq!(made.status, 200, "{}", made.json());
    begun.signs(&begun.estimate().await, &[]).await;
    let job = begun.books(json!({"startsAt": app.now()})).await;
    let opened = Opened { job, ..begun };
    opened.moves("in_progress").await;
    app.run_tasks().await;
    opened
}

/// A rotten floor behind the shower, one thing less to do, and optional tiles.
fn found() -> Value {
    json!({
        "title": "Rotten subfloor",
        "lines": [
            {"id": "floor", "name": "Replace subfloor", "quantity": 24, "unit": "sq ft", "unitPrice": 11.5,
             "taxRate": 8.25, "taxName": "Sales tax", "description": "Behind the shower"},
            {"id": "less", "name": "No haul away", "unitPrice": -50},
            {"id": "tile", "name": "New tile", "unitPrice": 120, "optional": true},
        ],
        "notes": "We stop until you say so.",
    })
}

fn over(amount: f64) -> Value {
    json!({"lines": [{"name": "Replace subfloor", "unitPrice": amount}], "send": {"email": false, "text": false}})
}

impl Opened {
    /// Moves the clock: no two actions happen at one instant.
    fn moment(&self) {
        self.origin.clock.advance(Duration::seconds(1));
    }

    async fn books(&self, more: Value) -> String {
        let mut body = json!({"leadId": self.lead});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let booked = self.office.post("/api/jobs", &body).await;
        assert_eq!(booked.status, 201, "{}", booked.json());
        booked.json()["id"].as_str().unwrap().to_owned()
    }

    async fn moves(&self, to: &str) -> Value {
        self.moment();
        let body = json!({"to": to, "reason": "They moved away"});
        let moved = self.office.post(&format!("/api/jobs/{}/status", self.job), &body).await;
        assert_eq!(moved.status, 200, "{}", moved.json());
        moved.json()
    }

    async fn estimate(&self) -> Value {
        self.office.get(&format!("/api/leads/{}/estimates", self.lead)).await.json()[0].clone()
    }

    async fn writes(&self, body: &Value) -> Answer {
        self.moment();
        self.office.post(&format!("/api/jobs/{}/change-orders", self.job), body).await
    }

    async fn changes(&self, body: &Value) -> Value {
        let made = self.writes(body).await;
        assert_eq!(made.status, 201, "{}", made.json());
        made.json()["changeOrder"].clone()
    }

    /// Every version of every change order, newest first.
    async fn all(&self) -> Vec<Value> {
        let path = format!("/api/jobs/{}/change-orders", self.job);
        self.office.get(&path).await.json().as_array().unwrap().clone()
    }

    async fn job(&self) -> Value {
        let shown = self.office.get(&format!("/api/jobs/{}", self.job)).await;
        assert_eq!(shown.status, 200, "{}", shown.json());
        shown.json()
    }

    async fn money(&self) -> Value {
        self.office.get(&format!("/api/leads/{}/money", self.lead)).await.json()
    }

    async fn does(&self, paper: &Value, what: &str, body: &Value) -> Answer {
        self.moment();
        self.office.post(&format!("/api/estimates/{}/{what}", paper["id"].as_str().unwrap()), body).await
    }

    async fn page(&self, paper: &Value) -> String {
        let answer = self.customer.get(&at(paper)).await;
        assert_eq!(answer.status, 200);
        text(&answer)
    }

    async fn posts(&self, paper: &Value, what: &str, pairs: &[(&str, &str)]) -> Answer {
        let body: String = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        self.customer.send(Method::POST, &format!("{}/{what}", at(paper)), FORM, body.into_bytes()).await
    }

    async fn tries(&self, paper: &Value, more: &[(&str, &str)]) -> Answer {
        self.moment();
        let page = self.page(paper).await;
        let sha256 = page.split("name=\"sha256\" value=\"").nth(1).unwrap()[..64].to_owned();
        let pairs = [&[("name", "Ann Lee"), ("agree", "yes"), ("sha256", sha256.as_str())], more].concat();
        self.posts(paper, "approve", &pairs).await
    }

    async fn signs(&self, paper: &Value, more: &[(&str, &str)]) {
        let signed = self.tries(paper, more).await;
        assert_eq!(signed.status, 303, "{}", text(&signed));
    }

    async fn agrees(&self, amount: f64) -> Value {
        let change = self.changes(&over(amount)).await;
        self.signs(&change, &[]).await;
        change
    }

    async fn drafts(&self, body: &Value) -> Value {
        let made = self.office.post("/api/invoices", body).await;
        assert_eq!(made.status, 201, "{}", made.json());
        made.json()
    }

    async fn issues(&self, draft: &Value) {
        let path = format!("/api/invoices/{}/send", draft["id"].as_str().unwrap());
        let sent = self.office.post(&path, &json!({"email": false, "text": false})).await;
        assert_eq!(sent.status, 202, "{}", sent.json());
    }

    async fn stage(&self, app: &TestApp) -> PipelineStage {
        app.lead(self.shop.id(), self.lead).await.summary.stage
    }

    async fn alerts(&self) -> Vec<(String, String, String)> {
        let alerts = self.office.get("/api/alerts").await.json();
        let text_field = |alert: &Value, name: &str| alert[name].as_str().unwrap_or_default().to_owned();
        let alert_parts =
            |alert: &Value| (text_field(alert, "title"), text_field(alert, "body"), text_field(alert, "path"));
        let all = alerts.as_array().unwrap().iter();
        all.filter(|alert| alert["title"].as_str().unwrap().ends_with("change order")).map(alert_parts).collect()
    }
}

fn at(paper: &Value) -> String {
    paper["link"].as_str().unwrap().trim_start_matches("https://toolbox.example").to_owned()
}

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.body.clone()).unwrap()
}

fn words(pdf: &[u8]) -> String {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(pdf).unwrap();
    let read = Command::new("pdftotext").args(["-layout"]).arg(file.path()).arg("-").output();
    let read = read.unwrap_or_else(|e| panic!("pdftotext (Debian's poppler-utils): {e}"));
    String::from_utf8(read.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn texts(app: &TestApp) -> Vec<String> {
    let texts = app.sms.accepted_messages().into_iter().filter(|text| text.to == ANN).map(|text| text.body);
    texts.filter(|body| body.contains("change order") || body.contains("orden de cambio")).collect()
}

fn titles(events: &Value) -> Vec<&str> {
    let all = events.as_array().unwrap().iter().map(|event| event["title"].as_str().unwrap());
    all.filter(|title| title.contains("hange order")).collect()
}

both_databases! {
    async fn change_order_is_sent_signed_and_invoiced_to_the_cent(app) {
        let job = opened(app).await;
        let preview = job.office.post(&format!("/api/jobs/{}/change-orders/preview", job.job), &found()).await.json();
        assert_eq!((&preview["before"], &preview["totals"]["total"], &preview["after"]), (&json!(1250.5), &json!(248.77), &json!(1499.27)));
        let draft = job.office.post(&format!("/api/jobs/{}/change-orders/preview?format=pdf", job.job), &found()).await;
        assert!(words(&draft.body).contains("New total $1,499.27"));
        assert_eq!(job.all().await, Vec::<Value>::new(), "looking stores nothing");

        let made = job.writes(&found()).await;
        assert_eq!(made.status, 201, "{}", made.json());
        let ways: Vec<_> = made.json()["delivery"]["sent"].as_array().unwrap().iter().map(|way| way["channel"].clone()).collect();
        assert_eq!(ways, ["email", "sms"]);
        app.run_tasks().await;
        let change = made.json()["changeOrder"].clone();
        for (name, value) in [
            ("number", json!("CO-1001")), ("version", json!(1)), ("status", json!("open")), ("total", json!(248.77)),
            ("deposit", json!(0.0)), ("jobId", json!(job.job)), ("leadId", json!(job.lead)),
        ] {
            assert_eq!(change[name], value, "{name} of {change}");
        }
        let link = &app.sent_link(change["link"].as_str().unwrap(), ANN).await;
        let mailed = &app.sent_link(change["link"].as_str().unwrap(), "ann@customer.example").await;
        let expected_text = format!("Hi Ann, Acme Plumbing has a change order for your job: $248.77, new total $1,499.27. Read, ask or approve: {link} Reply STOP to opt out.");
        assert_eq!(texts(app), [expected_text]);
        let mails = app.mail.accepted_messages();
        let letter = mails.iter().find(|letter| letter.subject == "Change order CO-1001 from Acme Plumbing").unwrap();
        assert!(letter.text.contains("With it your job comes to $1,499.27.") && letter.text.contains(mailed), "{}", letter.text);
        assert!(letter.html.as_deref().unwrap().contains("Open the change order"));
        tests::long_email::assert_button_and_link(letter);
        assert_eq!(letter.attachments[0].name, "Ann Lee - Change order CO-1001.pdf");
        let paper = words(&letter.attachments[0].bytes);
        for part in [
            "Change order", "CO-1001", "Job 1001", "Rotten subfloor", "24 sq ft", "−$50.00", "Sales tax 8.25% on $276.00 $22.77",
            "This change order $248.77", "Agreed before: EST-1001 $1,250.50", "New total $1,499.27",
        ] {
            assert!(paper.contains(part), "{part} on {paper}");
        }
        assert!(!paper.contains("stimate"), "{paper}");

        // A change order that waits for an answer is neither billed nor counted.
        let shown = job.job().await;
        assert_eq!(shown["agreed"], json!({"estimate": 1250.5, "changeOrders": 0.0, "total": 1250.5, "open": 248.77}));
        let listed = &shown["changeOrders"][0];
        assert_eq!((&listed["number"], &listed["canSend"], &listed["canRevise"], &listed["canWithdraw"]), (&json!("CO-1001"), &json!(true), &json!(true), &json!(true)));
        assert_eq!((&listed["lines"].as_array().unwrap().len(), &listed["lines"][0]["quantity"], &listed["lines"][0]["amount"]), (&2, &json!("24 sq ft"), &json!(276.0)));
        assert_eq!((&shown["extraWork"], &job.money().await["agreed"]), (&json!([]), &json!(1250.5)));
        let early = job.drafts(&json!({"jobId": job.job})).await;
        assert_eq!(early["total"], 1250.5);

        let page = job.page(&change).await;
        for part in ["Change order CO-1001", "Replace subfloor", "-$50.00", "Agreed before: EST-1001", "$1,250.50", "This change order", "New total", "$1,499.27", "Approve this change order"] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(!page.to_lowercase().contains("estimate "), "{page}");
        let ticked = text(&job.customer.get(&format!("{}?add=tile", at(&change))).await);
        assert!(ticked.contains("$368.77") && ticked.contains("$1,619.27"), "{ticked}");
        job.moment();
        assert_eq!(job.posts(&change, "seen", &[]).await.status, 204);
        let before = app.mail.accepted_messages().len();
        job.signs(&change, &[("add", "tile")]).await;
        app.run_tasks().await;

        let stood = (job.stage(app).await, app.lead(job.shop.id(), job.lead).await.summary.quoted_total.map(|cents| cents.0));
        assert_eq!(stood, (PipelineStage::Scheduled, Some(125_050)), "the lead stays where it was, with what was quoted");
        let shown = job.job().await;
        assert_eq!(shown["agreed"], json!({"estimate": 1250.5, "changeOrders": 368.77, "total": 1619.27, "open": 0.0}));
        assert_eq!((&shown["estimateTotal"], &shown["balanceDue"], &shown["value"]), (&json!(1619.27), &json!(1619.27), &json!(1250.5)));
        assert_eq!((&shown["changeOrders"][0]["answeredBy"], &shown["changeOrders"][0]["total"]), (&json!("Ann Lee"), &json!(368.77)));
        let extra = &shown["extraWork"][0];
        assert_eq!((&extra["number"], &extra["title"]), (&json!("CO-1001"), &json!("Rotten subfloor")));
        assert_eq!(extra["lines"][0], json!({"name": "Replace subfloor", "description": "Behind the shower", "quantity": "24 sq ft", "isCredit": false}));
        assert_eq!((&extra["lines"][1]["isCredit"], &extra["lines"][2]["name"]), (&json!(true), &json!("New tile")));
        let money = job.money().await;
        assert_eq!((&money["agreed"], &money["changeOrders"], &money["owed"]), (&json!(1619.27), &json!(368.77), &json!(1619.27)));
        let board = job.office.get("/api/jobs").await.json();
        assert_eq!(board[0]["value"], 1619.27);
        assert_eq!(titles(&shown["events"]), ["Change order sent", "Change order opened by the customer", "Change order approved"]);
        let steps: Vec<_> = shown["timeline"].as_array().unwrap()[3..5].iter().map(|step| step["description"].clone()).collect();
        assert_eq!(steps, ["The estimate went out", "Signed by the customer"], "the first signature stays");
        let path = format!("/app/jobs/{}", job.job);
        let alerts = job.alerts().await;
        assert!(alerts.contains(&("Ann Lee approved the change order".into(), "CO-1001 for $368.77".into(), path.clone())), "{alerts:?}");
        assert!(alerts.contains(&("Ann Lee opened the change order".into(), "CO-1001 for $248.77".into(), path)), "{alerts:?}");
        let copies = app.mail.accepted_messages().split_off(before);
        let recipients: Vec<_> = copies.iter().map(|letter| (letter.to.as_str(), letter.subject.as_str())).collect();
        assert!(recipients.contains(&("ann@customer.example", "Signed: change order CO-1001")), "{recipients:?}");
        assert!(copies.iter().any(|letter| letter.subject == "Ann Lee approved CO-1001: $368.77" && letter.text.contains(&format!("/app/jobs/{}", job.job))), "{recipients:?}");
        let copy = words(&copies[0].attachments[0].bytes);
        assert!(copy.contains("Approval of change order CO-1001") && copy.contains("in addition to what was agreed before"), "{copy}");
        assert_eq!(job.office.get(&format!("/api/estimates/{}/verify", change["id"].as_str().unwrap())).await.json()["ok"], true);
        let papers: Vec<_> = shown["files"].as_array().unwrap().iter().map(|file| file["paper"].clone()).collect();
        assert!(papers.contains(&json!("change_order")) && papers.contains(&json!("signed_change_order")), "{papers:?}");

        let late = job.office.post(&format!("/api/invoices/{}/send", early["id"].as_str().unwrap()), &json!({})).await;
        assert_eq!(late.status, 409, "an outdated base amount is refused");
        let path = format!("/api/invoices/{}", early["id"].as_str().unwrap());
        job.office.send(Method::DELETE, &path, "", Vec::new()).await;
        let draft = job.drafts(&json!({"jobId": job.job})).await;
        let lines: Vec<_> = draft["content"]["lines"].as_array().unwrap().iter().map(|line| line["name"].as_str().unwrap()).collect();
        assert_eq!(lines, ["Work as discussed: Plumbing", "CO-1001: Replace subfloor", "CO-1001: No haul away", "CO-1001: New tile"]);
        assert_eq!((&draft["total"], &draft["content"]["about"]), (&json!(1619.27), &json!("EST-1001, CO-1001, job 1001")));
        job.issues(&draft).await;
        app.run_tasks().await;
        let paper = words(&job.office.get(&format!("/api/invoices/{}/pdf", draft["id"].as_str().unwrap())).await.body);
        assert!(paper.contains("CO-1001: Replace subfloor") && paper.contains("Sales tax 8.25% on $276.00 $22.77") && paper.contains("$1,619.27"), "{paper}");
        let money = job.money().await;
        assert_eq!((&money["invoiced"], &money["owed"]), (&json!(1619.27), &json!(1619.27)));
        app.live_through(Duration::minutes(2), Duration::seconds(30)).await;
    }
}
