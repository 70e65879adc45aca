//! Invoices: from a done job to the PDF, with payments made ahead; parts that sum to what was agreed; and the
//! customer's page with what is still due.

use std::{io::Write as _, process::Command};

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::tenancy::org::{OrgContext, OrgProfile, SendChannels},
    platform::id::LeadId,
    providers::{mail::SentEmail, sms::SmsProvider},
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Shop, Visitor},
    phone::ANN,
};

mod auto_invoice;
mod balance_properties;
mod customer_page;
mod deferred_messages;
mod drafts;
mod issuing;
mod own_phone_texts;
mod partial_invoices;
mod receipts;
mod resend;
mod typed_names;

struct BillingFixture {
    shop: Shop,
    lead: LeadId,
    office: Client,
}

async fn billing_fixture(app: &mut TestApp) -> BillingFixture {
    billing_fixture_for(app, &Visitor::ann()).await
}

async fn billing_fixture_for(app: &mut TestApp, visitor: &Visitor) -> BillingFixture {
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = SmsProvider::Memory(app.sms.clone());
    let shop = app.org("Acme Plumbing").await;
    let lead = visitor.submits_lead(app, &shop).await;
    app.run_tasks().await;
    let office = app.client().signed_in(app, shop.owner()).await;
    BillingFixture { shop, lead, office }
}

impl BillingFixture {
    async fn agrees(&self, total: f64) {
        let path = format!("/api/leads/{}/estimate", self.lead);
        let made = self.office.post(&path, &json!({ "quotedTotal": total })).await;
        assert_eq!(made.status, 200, "{}", made.json());
    }

    async fn pays(&self, body: Value) -> Value {
        let answer = self.office.post(&format!("/api/leads/{}/paid", self.lead), &body).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        answer.json()
    }

    async fn job(&self) -> String {
        let answer = self.office.post("/api/jobs", &json!({"leadId": self.lead})).await;
        assert_eq!(answer.status, 201, "{}", answer.json());
        answer.json()["id"].as_str().unwrap().to_owned()
    }

    async fn drafts(&self, body: Value) -> Value {
        let answer = self.office.post("/api/invoices", &body).await;
        assert_eq!(answer.status, 201, "{}", answer.json());
        answer.json()
    }

    async fn of_lead(&self, more: Value) -> Value {
        let mut body = json!({"leadId": self.lead});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.drafts(body).await
    }

    async fn sends(&self, draft: &Value, ways: Value) -> Value {
        let answer = self.office.post(&path(draft, "/send"), &ways).await;
        assert_eq!(answer.status, 202, "{}", answer.json());
        answer.json()
    }

    async fn issues(&self, more: Value) -> Value {
        let draft = self.of_lead(more).await;
        self.sends(&draft, json!({"email": false, "text": false})).await;
        self.shown(&draft).await
    }

    async fn shown(&self, invoice: &Value) -> Value {
        self.office.get(&path(invoice, "")).await.json()
    }

    async fn does(&self, invoice: &Value, what: &str, body: Value) -> Answer {
        self.office.post(&path(invoice, what), &body).await
    }

    async fn money(&self) -> Value {
        self.office.get(&format!("/api/leads/{}/money", self.lead)).await.json()
    }

    async fn moves(&self, job: &str, to: &str) -> Value {
        let answer = self.office.post(&format!("/api/jobs/{job}/status"), &json!({ "to": to })).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        answer.json()
    }

    /// Why the rule for done jobs did what it did.
    async fn why(&self, app: &TestApp) -> Vec<String> {
        let decisions = app.lead(self.shop.id(), self.lead).await.decisions;
        decisions.into_iter().filter(|d| d.rule == "invoice_draft").map(|d| d.reason).collect()
    }
}

fn org_context<'a>(app: &'a TestApp, profile: &'a OrgProfile) -> OrgContext<'a> {
    let (secret, public_url) = (&app.settings.secret, &app.settings.public_url);
    OrgContext { origin: &app.origin, secret, public_url, profile, set_up: SendChannels::ALL }
}

fn path(invoice: &Value, rest: &str) -> String {
    format!("/api/invoices/{}{rest}", invoice["id"].as_str().unwrap())
}

fn letters(app: &TestApp) -> Vec<SentEmail> {
    app.mail.accepted_messages().into_iter().filter(|letter| letter.subject.starts_with("Invoice ")).collect()
}

fn texts(app: &TestApp) -> Vec<String> {
    let texts = app.sms.accepted_messages().into_iter().filter(|text| text.to == ANN).map(|text| text.body);
    texts.filter(|body| body.contains("invoice")).collect()
}

/// The text of a PDF, words separated by one blank.
fn words(pdf: &[u8]) -> String {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(pdf).unwrap();
    let read = Command::new("pdftotext").args(["-layout"]).arg(file.path()).arg("-").output();
    let read = read.unwrap_or_else(|e| panic!("pdftotext (Debian's poppler-utils): {e}"));
    String::from_utf8(read.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn at(shown: &Value) -> String {
    shown["link"].as_str().unwrap().trim_start_matches("https://toolbox.example").to_owned()
}

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.body.clone()).unwrap()
}

both_databases! {
    async fn job_invoice_is_sent_with_its_number_and_prior_payment_applied(app) {
        let fixture = billing_fixture(app).await;
        fixture.agrees(1250.5).await;
        fixture.pays(json!({"amount": 375.15, "method": "check", "reference": "1042", "partial": true})).await;
        let job = fixture.job().await;
        let draft = fixture.drafts(json!({"jobId": job, "notes": "Thank you", "dueOn": null})).await;
        for (name, value) in [
            ("number", Value::Null), ("status", json!("draft")), ("total", json!(1250.5)), ("balance", json!(1250.5)),
            ("jobId", json!(job)), ("customer", json!("Ann Lee")), ("link", Value::Null), ("dueOn", Value::Null),
        ] {
            assert_eq!(draft[name], value, "{name} of {draft}");
        }
        let content = (&draft["content"]["about"], &draft["content"]["isFinal"], &draft["content"]["notes"]);
        assert_eq!(content, (&json!("EST-1001, job 1001"), &json!(true), &json!("Thank you")));
        assert_eq!(fixture.money().await["owed"], 875.35, "a draft changes nothing");
        let preview = words(&fixture.office.get(&path(&draft, "/pdf")).await.body);
        assert!(preview.contains("Work as discussed: Plumbing") && !preview.contains("INV-"), "{preview}");
        let sent = fixture.sends(&draft, json!({})).await;
        let ways: Vec<_> = sent["sent"].as_array().unwrap().iter().map(|way| way["channel"].as_str().unwrap()).collect();
        assert_eq!((ways, &sent["notSent"]), (vec!["email", "sms"], &json!([])));
        app.run_tasks().await;
        let shown = fixture.shown(&draft).await;
        for (name, value) in [
            ("number", json!("INV-1001")), ("status", json!("open")), ("paid", json!(375.15)), ("balance", json!(875.35)),
            ("issuedOn", json!("2026-09-17")), ("dueOn", json!("2026-10-01")), ("isReminded", json!(true)),
        ] {
            assert_eq!(shown[name], value, "{name} of {shown}");
        }
        assert_eq!(shown["payments"][0]["allocations"][0]["number"], "INV-1001");
        let steps: Vec<_> = shown["followUps"].as_array().unwrap().iter().map(|step| step["step"].as_str().unwrap()).collect();
        assert_eq!(steps, ["due_-3", "due_0", "due_3", "due_7", "due_14", "due_30"]);
        let [letter] = &letters(app)[..] else { panic!("one email: {:?}", letters(app)) };
        assert_eq!(letter.subject, "Invoice INV-1001 from Acme Plumbing");
        let [file] = &letter.attachments[..] else { panic!("one file: {letter:?}") };
        assert_eq!(file.name, "Ann Lee - Invoice INV-1001.pdf");
        let stored = fixture.office.get(&path(&draft, "/pdf")).await;
        assert_eq!(stored.header("content-disposition"), "attachment; filename=\"Ann Lee - Invoice INV-1001.pdf\"");
        assert!(stored.body == file.bytes, "the customer gets the very file");
        let paper = words(&file.bytes);
        for part in ["Invoice", "INV-1001", "EST-1001, job 1001", "Due October 1, 2026", "Check · 1042", "−$375.15", "Balance due $875.35"] {
            assert!(paper.contains(part), "{part} on {paper}");
        }
        let [sent_text] = &texts(app)[..] else { panic!("one text: {:?}", texts(app)) };
        let link = app.sent_link(shown["link"].as_str().unwrap(), ANN).await;
        assert_eq!(*sent_text, format!("Hi Ann, Acme Plumbing: invoice INV-1001 for $875.35, due Oct 1. See and pay: {link} Reply STOP to opt out."));
        let edit = fixture.office.send(Method::PATCH, &path(&draft, ""), "application/json", b"{\"notes\": \"x\"}".to_vec()).await;
        assert_eq!(edit.status, 409, "a sent invoice cannot be changed");
        assert_eq!(fixture.office.send(Method::DELETE, &path(&draft, ""), "", Vec::new()).await.status, 409);
        let page = fixture.office.get(&format!("/api/jobs/{job}")).await.json();
        let step = &page["timeline"][9];
        assert_eq!((&step["status"], step["description"].as_str().unwrap()), (&json!("current"), "$375.15 of $1,250.50 paid"));
        assert!(page["files"].as_array().unwrap().iter().any(|file| file["category"] == "invoice"), "{}", page["files"]);
        let why: Vec<_> = app.lead(fixture.shop.id(), fixture.lead).await.decisions.into_iter().filter(|d| d.rule == "invoice_delivery").map(|d| (d.event, d.sent)).collect();
        assert_eq!(why, [("invoice_sent".to_owned(), true), ("invoice_sent".to_owned(), true)]);
    }

    async fn paid_invoice_reopens_on_refund_and_can_be_voided(app) {
        let fixture = billing_fixture(app).await;
        let invoice = fixture.issues(json!({"lines": [{"name": "New valve", "quantity": 2, "unitPrice": 150, "taxRate": 8.25}]})).await;
        assert_eq!((&invoice["total"], &invoice["totals"]["tax"]), (&json!(324.75), &json!(24.75)));
        let paid = fixture.pays(json!({"amount": 324.75, "method": "cash"})).await;
        assert_eq!(paid["lead"]["stage"], "Paid");
        let shown = fixture.shown(&invoice).await;
        let rest: Vec<_> = shown["followUps"].as_array().unwrap().iter().map(|step| step["state"].as_str().unwrap()).collect();
        assert_eq!((&shown["status"], rest.iter().all(|state| *state == "stopped")), (&json!("paid"), true));
        app.advance(Duration::minutes(2));
        let refund = fixture.office.post(&format!("/api/payments/{}/refund", paid["payment"]["id"].as_str().unwrap()), &json!({})).await;
        assert_eq!(refund.status, 200);
        let shown = fixture.shown(&invoice).await;
        let waiting = shown["followUps"].as_array().unwrap().iter().filter(|step| step["state"] == "waiting").count();
        assert_eq!((&shown["status"], &shown["balance"], waiting), (&json!("open"), &json!(324.75), 0), "reminders stop after a refund");
        let unticked = fixture.office.get("/api/invoices/reminders").await.json();
        assert_eq!(unticked[0]["invoiceId"], invoice["id"], "unless they tick it");
        assert_eq!(fixture.does(&invoice, "/void", json!({"reason": " "})).await.problem().2, ["reason"]);
        let void = fixture.does(&invoice, "/void", json!({"reason": "The wrong house"})).await;
        assert_eq!((&void.json()["status"], &void.json()["number"], &void.json()["balance"]), (&json!("void"), &json!("INV-1001"), &json!(0.0)));
        assert!(void.json()["followUps"].as_array().unwrap().iter().all(|step| step["state"] == "stopped"));
        let paper = words(&fixture.office.get(&path(&invoice, "/pdf")).await.body);
        assert!(paper.contains("INV-1001") && !paper.contains("Balance due"), "{paper}");
        let page = text(&app.client().get(&at(&shown)).await);
        assert!(page.contains("This invoice was voided") && !page.contains("How to pay"), "{page}");
        let next = fixture.issues(json!({"lines": [{"name": "New valve", "unitPrice": 100}]})).await;
        assert_eq!(next["number"], "INV-1002", "no number is used twice");
        app.run_tasks().await;
    }
}
