//! Invoices: from a job that is done to the paper in the customer's hands, with what was paid ahead; parts that sum to
//! what was agreed; and a page where the customer reads what is still to be paid.

use std::{io::Write as _, process::Command};

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    db::q,
    estimate::content::Ways,
    id::{InvoiceId, LeadId},
    invoice::{self, InvoiceForm},
    lead::Intake,
    org::{self, Profile},
    providers::{mail::SentLetter, sms::Sms},
    work::Doer,
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Shop, Visitor},
    phone::ANN,
};

mod property;
mod receipts;

/// A shop that texts, Ann's lead, and the office at the screen.
struct Told {
    shop: Shop,
    lead: LeadId,
    office: Client,
}

async fn begun(app: &mut TestApp) -> Told {
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = Sms::Memory(app.sms.clone());
    let shop = app.org("Acme Plumbing").await;
    let lead = Visitor::ann().submits_lead(app, &shop).await;
    app.run_tasks().await;
    let office = app.client().signed_in(app, shop.owner()).await;
    Told { shop, lead, office }
}

impl Told {
    /// Ann has an open estimate over this amount.
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

    /// A draft, and it is made.
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

    /// A draft that is issued without being sent.
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

    /// Why the rule of a done job did what it did.
    async fn why(&self, app: &TestApp) -> Vec<String> {
        let decisions = app.lead(self.shop.id(), self.lead).await.decisions;
        decisions.into_iter().filter(|d| d.rule == "invoice_draft").map(|d| d.reason).collect()
    }
}

/// What issuing an invoice looks at.
fn house<'a>(app: &'a TestApp, profile: &'a Profile) -> Intake<'a> {
    let (secret, public_url) = (&app.settings.secret, &app.settings.public_url);
    Intake { origin: &app.origin, secret, public_url, profile, texts_leave: true }
}

fn path(invoice: &Value, rest: &str) -> String {
    format!("/api/invoices/{}{rest}", invoice["id"].as_str().unwrap())
}

fn letters(app: &TestApp) -> Vec<SentLetter> {
    app.mail.accepted().into_iter().filter(|letter| letter.subject.starts_with("Invoice ")).collect()
}

fn texts(app: &TestApp) -> Vec<String> {
    let texts = app.sms.accepted().into_iter().filter(|text| text.to == ANN).map(|text| text.body);
    texts.filter(|body| body.contains("invoice")).collect()
}

/// What is written on a PDF, one blank between words.
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
    async fn a_jobs_invoice_goes_out_with_its_number_and_takes_what_was_paid_ahead(app) {
        let told = begun(app).await;
        told.agrees(1250.5).await;
        told.pays(json!({"amount": 375.15, "method": "check", "reference": "1042", "partial": true})).await;
        let job = told.job().await;
        let draft = told.drafts(json!({"jobId": job, "notes": "Thank you", "dueOn": null})).await;
        for (name, value) in [
            ("number", Value::Null), ("status", json!("draft")), ("total", json!(1250.5)), ("balance", json!(1250.5)),
            ("jobId", json!(job)), ("customer", json!("Ann Lee")), ("link", Value::Null), ("dueOn", Value::Null),
        ] {
            assert_eq!(draft[name], value, "{name} of {draft}");
        }
        let said = (&draft["content"]["about"], &draft["content"]["isFinal"], &draft["content"]["notes"]);
        assert_eq!(said, (&json!("EST-1001, job 1001"), &json!(true), &json!("Thank you")));
        assert_eq!(told.money().await["owed"], 875.35, "a draft changes nothing");
        let preview = words(&told.office.get(&path(&draft, "/pdf")).await.body);
        assert!(preview.contains("Work as discussed: Plumbing") && !preview.contains("INV-"), "{preview}");
        let sent = told.sends(&draft, json!({})).await;
        let ways: Vec<_> = sent["sent"].as_array().unwrap().iter().map(|way| way["channel"].as_str().unwrap()).collect();
        assert_eq!((ways, &sent["notSent"]), (vec!["email", "sms"], &json!([])));
        app.run_tasks().await;
        let shown = told.shown(&draft).await;
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
        let stored = told.office.get(&path(&draft, "/pdf")).await;
        assert_eq!(stored.header("content-disposition"), "attachment; filename=\"Ann Lee - Invoice INV-1001.pdf\"");
        assert!(stored.body == file.bytes, "the customer gets the very file");
        let paper = words(&file.bytes);
        for part in ["Invoice", "INV-1001", "EST-1001, job 1001", "Due October 1, 2026", "Check · 1042", "−$375.15", "Balance due $875.35"] {
            assert!(paper.contains(part), "{part} on {paper}");
        }
        let [said] = &texts(app)[..] else { panic!("one text: {:?}", texts(app)) };
        let link = shown["link"].as_str().unwrap();
        assert_eq!(*said, format!("Hi Ann Lee, Acme Plumbing: invoice INV-1001 for $875.35, due Oct 1. See and pay: {link} Reply STOP to opt out."));
        let edit = told.office.send(Method::PATCH, &path(&draft, ""), "application/json", b"{\"notes\": \"x\"}".to_vec()).await;
        assert_eq!(edit.status, 409, "what has gone out stands");
        assert_eq!(told.office.send(Method::DELETE, &path(&draft, ""), "", Vec::new()).await.status, 409);
        let page = told.office.get(&format!("/api/jobs/{job}")).await.json();
        let step = &page["timeline"][9];
        assert_eq!((&step["status"], step["description"].as_str().unwrap()), (&json!("current"), "$375.15 of $1,250.50 paid"));
        assert!(page["files"].as_array().unwrap().iter().any(|file| file["category"] == "invoice"), "{}", page["files"]);
        let why: Vec<_> = app.lead(told.shop.id(), told.lead).await.decisions.into_iter().filter(|d| d.rule == "invoice_delivery").map(|d| (d.event, d.sent)).collect();
        assert_eq!(why, [("invoice_sent".to_owned(), true), ("invoice_sent".to_owned(), true)]);
    }

    async fn parts_and_the_last_invoice_sum_to_what_was_agreed(app) {
        let told = begun(app).await;
        told.agrees(1000.01).await;
        let first = told.issues(json!({"share": {"percent": 33.3333}})).await;
        assert_eq!((&first["total"], &first["content"]["lines"][0]["name"]), (&json!(333.34), &json!("Progress payment 33.3333% of EST-1001")));
        let stale = told.of_lead(json!({})).await;
        let second = told.issues(json!({"share": {"amount": 250}})).await;
        let refused = told.does(&stale, "/send", json!({})).await;
        assert_eq!(refused.status, 409, "what is left is less now: {}", refused.json());
        assert_eq!(told.office.send(Method::DELETE, &path(&stale, ""), "", Vec::new()).await.status, 204);
        let more = told.office.post("/api/invoices", &json!({"leadId": told.lead, "share": {"amount": 416.68}})).await;
        assert_eq!(more.json()["errors"]["share"], "Only $416.67 of what was agreed is not invoiced yet");
        let last = told.issues(json!({})).await;
        let names: Vec<_> = last["content"]["lines"].as_array().unwrap().iter().map(|line| (line["name"].as_str().unwrap(), line["unitPrice"].as_f64().unwrap())).collect();
        assert_eq!(names, [("Work as discussed: Plumbing", 1000.01), ("Invoiced before: INV-1001", -333.34), ("Invoiced before: INV-1002", -250.0)]);
        assert_eq!((&second["number"], &last["number"], &last["total"]), (&json!("INV-1002"), &json!("INV-1003"), &json!(416.67)));
        let nothing = told.office.post("/api/invoices", &json!({"leadId": told.lead})).await;
        assert_eq!((nothing.status.as_u16(), nothing.json()["detail"].as_str()), (409, Some("Everything agreed has been invoiced.")));
        let money = told.money().await;
        assert_eq!((&money["invoiced"], &money["owed"], money["invoices"].as_array().unwrap().len()), (&json!(1000.01), &json!(1000.01), 3));
        let paid = told.pays(json!({"amount": 416.67, "invoiceId": last["id"], "partial": true})).await;
        assert_eq!(paid["payment"]["allocations"][0]["number"], "INV-1003", "what it was paid for");
        assert_eq!((&told.shown(&last).await["status"], &told.shown(&first).await["paid"]), (&json!("paid"), &json!(0.0)));
        app.run_tasks().await;
    }

    async fn what_is_paid_is_paid_and_what_goes_back_is_owed_again(app) {
        let told = begun(app).await;
        let invoice = told.issues(json!({"lines": [{"name": "New valve", "quantity": 2, "unitPrice": 150, "taxRate": 8.25}]})).await;
        assert_eq!((&invoice["total"], &invoice["totals"]["tax"]), (&json!(324.75), &json!(24.75)));
        let paid = told.pays(json!({"amount": 324.75, "method": "cash"})).await;
        assert_eq!(paid["lead"]["stage"], "Paid");
        let shown = told.shown(&invoice).await;
        let rest: Vec<_> = shown["followUps"].as_array().unwrap().iter().map(|step| step["state"].as_str().unwrap()).collect();
        assert_eq!((&shown["status"], rest.iter().all(|state| *state == "stopped")), (&json!("paid"), true));
        app.advance(Duration::minutes(2));
        let refund = told.office.post(&format!("/api/payments/{}/refund", paid["payment"]["id"].as_str().unwrap()), &json!({})).await;
        assert_eq!(refund.status, 200);
        let shown = told.shown(&invoice).await;
        let waiting = shown["followUps"].as_array().unwrap().iter().filter(|step| step["state"] == "waiting").count();
        assert_eq!((&shown["status"], &shown["balance"], waiting), (&json!("open"), &json!(324.75), 0), "who gave money back chases nobody");
        let unticked = told.office.get("/api/invoices/reminders").await.json();
        assert_eq!(unticked[0]["invoiceId"], invoice["id"], "unless they tick it");
        assert_eq!(told.does(&invoice, "/void", json!({"reason": " "})).await.problem().2, ["reason"]);
        let void = told.does(&invoice, "/void", json!({"reason": "The wrong house"})).await;
        assert_eq!((&void.json()["status"], &void.json()["number"], &void.json()["balance"]), (&json!("void"), &json!("INV-1001"), &json!(0.0)));
        assert!(void.json()["followUps"].as_array().unwrap().iter().all(|step| step["state"] == "stopped"));
        let paper = words(&told.office.get(&path(&invoice, "/pdf")).await.body);
        assert!(paper.contains("INV-1001") && !paper.contains("Balance due"), "{paper}");
        let page = text(&app.client().get(&at(&shown)).await);
        assert!(page.contains("This invoice was taken back") && !page.contains("How to pay"), "{page}");
        let next = told.issues(json!({"lines": [{"name": "New valve", "unitPrice": 100}]})).await;
        assert_eq!(next["number"], "INV-1002", "no number is used twice");
        app.run_tasks().await;
    }

    async fn a_voided_invoice_gives_the_deposit_back_to_the_next_one(app) {
        let told = begun(app).await;
        told.agrees(500.0).await;
        told.pays(json!({"amount": 100, "partial": true})).await;
        let wrong = told.issues(json!({"lines": [{"name": "New valve", "unitPrice": 500}]})).await;
        assert_eq!(told.shown(&wrong).await["paid"], 100.0, "what was paid ahead");
        let void = told.does(&wrong, "/void", json!({"reason": "The wrong price"})).await;
        assert_eq!((&void.json()["status"], &void.json()["paid"]), (&json!("void"), &json!(0.0)), "{}", void.json());
        let right = told.issues(json!({"lines": [{"name": "New valve", "unitPrice": 450}]})).await;
        let shown = told.shown(&right).await;
        assert_eq!((&shown["paid"], &shown["balance"]), (&json!(100.0), &json!(350.0)));
        told.pays(json!({"amount": 350})).await;
        assert_eq!(told.shown(&right).await["status"], "paid");
        assert_eq!(told.does(&right, "/void", json!({"reason": "Taken back"})).await.json()["status"], "void");
        app.run_tasks().await;
    }

    async fn a_question_on_the_page_reaches_the_inbox_and_an_address_can_be_taken_back(app) {
        let told = begun(app).await;
        let invoice = told.issues(json!({"lines": [{"name": "New valve", "unitPrice": 90}]})).await;
        let at_first = at(&told.shown(&invoice).await);
        let customer = app.client();
        let asks = async |what: &[u8]| {
            customer.send(Method::POST, &format!("{at_first}/ask"), "application/x-www-form-urlencoded", what.to_vec()).await
        };
        let empty = asks(b"question=").await;
        assert!(empty.status == 422 && text(&empty).contains("Please write your question"), "{}", text(&empty));
        for _ in 0..2 {
            assert_eq!(asks(b"question=Is+the+old+valve+yours%3F").await.header("location"), format!("{at_first}?asked=1#ask"));
        }
        let page = text(&customer.get(&format!("{at_first}?asked=1")).await);
        assert!(page.contains("We have your question"), "{page}");
        let lead = told.office.get(&format!("/api/leads/{}", told.lead)).await.json();
        let asked: Vec<_> = lead["messages"].as_array().unwrap().iter().filter(|one| one["body"] == "INV-1001: Is the old valve yours?").collect();
        assert_eq!(asked.len(), 1, "a second tap is one question: {lead}");
        let alerts = told.office.get("/api/alerts").await.json();
        assert!(alerts.as_array().unwrap().iter().any(|alert| alert["title"] == "Ann Lee asks about invoice INV-1001"), "{alerts}");
        let renewed = told.does(&invoice, "/link", json!({"revoke": true})).await;
        assert_eq!(renewed.status, 200, "{}", renewed.json());
        let now_at = at(&renewed.json());
        assert_eq!((customer.get(&at_first).await.status.as_u16(), customer.get(&now_at).await.status.as_u16()), (404, 200));
        app.run_tasks().await;
    }

    async fn a_draft_can_be_changed_and_a_repeated_request_is_one_draft_and_one_sending(app) {
        let told = begun(app).await;
        told.agrees(500.0).await;
        let keyed = told.office.with("idempotency-key", "a tap and a nervous tap");
        let body = json!({"leadId": told.lead});
        let first = keyed.post("/api/invoices", &body).await.json();
        assert_eq!(keyed.post("/api/invoices", &body).await.json()["id"], first["id"]);
        let change = json!({"lines": [{"name": "Less work than we thought", "unitPrice": 420}], "dueOn": "2026-09-20"});
        let changed = told.office.send(Method::PATCH, &path(&first, ""), "application/json", change.to_string().into_bytes()).await.json();
        assert_eq!((&changed["total"], &changed["dueOn"], &changed["content"]["isFinal"]), (&json!(420.0), &json!("2026-09-20"), &json!(true)));
        let sent = keyed.post(&path(&first, "/send"), &json!({})).await.json();
        assert_eq!(keyed.post(&path(&first, "/send"), &json!({})).await.json(), sent);
        app.run_tasks().await;
        assert_eq!((letters(app).len(), texts(app).len()), (1, 1));
        assert_eq!(told.money().await["owed"], 420.0, "the last invoice is all that is asked for");
        told.sends(&first, json!({"text": false})).await;
        app.run_tasks().await;
        assert_eq!((letters(app).len(), texts(app).len()), (2, 1), "sent again by hand");
        app.advance(Duration::minutes(1));
        let extra = told.issues(json!({"lines": [{"name": "A washer", "unitPrice": 5}]})).await;
        let list = async |query: &str| {
            let answer = told.office.get(&format!("/api/invoices{query}")).await;
            (answer.header("x-total-count").to_owned(), answer.json())
        };
        assert_eq!(list("").await.0, "2");
        assert_eq!(list("?q=inv-1002").await.1[0]["id"], extra["id"]);
        assert_eq!((list("?status=overdue").await.0.as_str(), list("?status=open&q=ann").await.0.as_str()), ("0", "2"));
        let page = told.office.get("/api/invoices?limit=1").await;
        let next = page.header("link").split(['<', '>']).nth(1).unwrap().to_owned();
        assert_eq!(told.office.get(&next).await.json()[0]["id"], first["id"]);
        app.advance(Duration::days(4));
        let office = app.client().signed_in(app, told.shop.owner()).await;
        let late = office.get("/api/invoices?status=overdue").await.json();
        assert_eq!((&late[0]["number"], &late[0]["status"], &late[0]["daysOverdue"]), (&json!("INV-1001"), &json!("overdue"), &json!(1)));
        let file = office.get("/api/invoices/export?status=overdue").await;
        assert_eq!(file.header("content-disposition"), "attachment; filename=\"invoices-2026-09-21.csv\"");
        assert_eq!(text(&file), "Number,Customer,Issued,Due,Total,Paid,Balance,Status\r\nINV-1001,Ann Lee,2026-09-17,2026-09-20,420.00,0.00,420.00,overdue\r\n");
        let sums = office.get("/api/invoices/export?format=json").await.json();
        assert_eq!(sums["summary"], json!({"count": 2, "total": 425.0, "paid": 0.0, "balance": 425.0}));
        app.run_tasks().await;
    }

    async fn the_customer_reads_what_is_left_to_pay_and_gets_receipts_at_the_link(app) {
        let told = begun(app).await;
        app.sets(&told.shop, json!({"invoicing": {"howToPay": "Checks to Acme, PO Box 7 <b>"}})).await;
        let invoice = told.issues(json!({"lines": [{"name": "Drain & trap", "unitPrice": 200}], "terms": "Net 14"})).await;
        let (at, customer) = (at(&invoice), app.client());
        let page = text(&customer.get(&at).await);
        for part in ["Invoice INV-1001", "Drain &amp; trap", "$200.00", "Checks to Acme, PO Box 7 &lt;b&gt;", "Please pay by Oct 1, 2026.", "Net 14"] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(page.len() < 20_000 && !page.contains("Payments"), "{}", page.len());
        assert_eq!(told.office.send(Method::POST, &format!("{at}/seen"), "", Vec::new()).await.status, 204);
        assert_eq!(told.shown(&invoice).await["viewedAt"], Value::Null, "the office's own look");
        assert_eq!(customer.send(Method::POST, &format!("{at}/seen"), "", Vec::new()).await.status, 204);
        assert!(told.shown(&invoice).await["viewedAt"].is_string());
        assert_eq!(customer.get(&format!("{at}/pdf")).await.header("content-type"), "application/pdf");
        let paid = told.pays(json!({"amount": 80, "method": "cash", "partial": true})).await;
        let page = text(&customer.get(&at).await).replace("&#x2f;", "/");
        let receipt = format!("{at}/receipt/{}", paid["payment"]["id"].as_str().unwrap());
        for part in ["-$80.00", "$120.00", "Cash", receipt.as_str()] {
            assert!(page.contains(part), "{part} in {page}");
        }
        let pdf = customer.get(&receipt).await;
        assert!(words(&pdf.body).contains("RCP-1001"), "its receipt");
        assert_eq!(customer.get(&format!("{at}/receipt/{}", uuid::Uuid::from_u128(5))).await.status, 404);
        told.pays(json!({"amount": 120})).await;
        assert!(text(&customer.get(&at).await).contains("Paid in full"));
        let token = at.trim_start_matches("/p/");
        let other = if token.starts_with('A') { "B" } else { "A" };
        assert_eq!(customer.get(&format!("/p/{other}{}", &token[1..])).await.status, 404);
        assert_eq!(customer.send(Method::POST, &format!("{at}/approve"), "application/x-www-form-urlencoded", Vec::new()).await.status, 404, "nothing of an estimate opens by it");
        let (english, spanish) = (text(&customer.get(&at).await), "UPDATE customer SET language = 'es'");
        app.within(async |tx| Ok(q!(tx, execute, spanish)?)).await.unwrap();
        assert!(english.contains("lang=\"en\""), "in the language of the paper");
        app.run_tasks().await;
    }

    async fn a_done_job_is_billed_a_minute_later_unless_it_was_taken_back(app) {
        let told = begun(app).await;
        let job = told.job().await;
        told.moves(&job, "completed").await;
        app.advance(Duration::seconds(62));
        app.run_tasks().await;
        assert_eq!(told.why(app).await, ["nothing was agreed, and nobody said what the job is worth"]);
        told.agrees(640.0).await;
        told.moves(&job, "in_progress").await;
        let done = told.moves(&job, "completed").await;
        app.advance(Duration::seconds(40));
        let undo = format!("/api/work/{}/undo", done["undo"]["eventId"].as_str().unwrap());
        assert_eq!(told.office.post(&undo, &Value::Null).await.status, 200);
        app.advance(Duration::seconds(62));
        app.run_tasks().await;
        assert_eq!(app.count("invoice").await, 0, "it was taken back");
        told.moves(&job, "completed").await;
        app.advance(Duration::seconds(62));
        app.run_tasks().await;
        let drafts = told.office.get("/api/invoices?status=draft").await.json();
        assert_eq!((drafts.as_array().unwrap().len(), &drafts[0]["total"], &drafts[0]["jobId"]), (1, &json!(640.0), &json!(job)));
        let alerts = told.office.get("/api/alerts").await.json();
        let alert = alerts.as_array().unwrap().iter().find(|a| a["path"].as_str().is_some_and(|path| path.starts_with("/app/invoices/"))).unwrap();
        assert_eq!(alert["body"], "A draft of the invoice for Ann Lee, $640.00, is ready to be sent.");
        let step = told.office.get(&format!("/api/jobs/{job}")).await.json()["timeline"][9].clone();
        assert_eq!(step["description"], "A draft of the invoice is ready");
        told.moves(&job, "in_progress").await;
        told.moves(&job, "completed").await;
        app.advance(Duration::seconds(62));
        app.run_tasks().await;
        assert_eq!((app.count("invoice").await, told.why(app).await.last().unwrap().as_str()), (1, "there is an invoice of it already"));
        assert_eq!((letters(app).len(), texts(app).len()), (0, 0), "a draft is nobody's but the office's");
    }

    async fn a_done_jobs_invoice_goes_out_by_itself_where_the_business_wants_that(app) {
        let told = begun(app).await;
        app.sets(&told.shop, json!({"invoicing": {"onCompletion": "send", "dunning": false, "prefix": "A-"}})).await;
        told.agrees(640.0).await;
        let job = told.job().await;
        told.moves(&job, "completed").await;
        app.advance(Duration::seconds(59));
        app.run_tasks().await;
        assert_eq!(app.count("invoice").await, 0);
        app.advance(Duration::seconds(3));
        app.run_tasks().await;
        let sent = told.office.get("/api/invoices").await.json();
        let said = (&sent[0]["number"], &sent[0]["status"], &sent[0]["isReminded"]);
        assert_eq!(said, (&json!("A-1001"), &json!("open"), &json!(false)));
        assert_eq!((letters(app).len(), texts(app).len()), (1, 1));
        let shown = told.shown(&sent[0]).await;
        assert_eq!((shown["events"].as_array().unwrap().last().unwrap()["by"].as_str(), &shown["followUps"]), (Some("Toolbox"), &json!([])));
    }

    async fn what_breaks_off_between_the_halves_is_finished_once(app) {
        let told = begun(app).await;
        let app = &*app;
        let profile = org::profile(&mut app.db.read().await.unwrap(), told.shop.org.clone()).await.unwrap();
        let draft = told.of_lead(json!({"lines": [{"name": "Work", "unitPrice": 90}]})).await;
        let id: InvoiceId = serde_json::from_value(draft["id"].clone()).unwrap();
        let house = house(app, &profile);
        let ways = Ways { email: true, text: false };
        app.within(async |tx| invoice::begin(tx, &house, id, ways, &Doer::System).await).await.unwrap();
        app.run_tasks().await;
        assert_eq!(told.shown(&draft).await["status"], "preparing", "whoever began has half a minute");
        assert_eq!(told.does(&draft, "/send", json!({})).await.status, 409);
        app.advance(Duration::seconds(31));
        app.run_tasks().await;
        let shown = told.shown(&draft).await;
        assert_eq!((&shown["status"], &shown["number"]), (&json!("open"), &json!("INV-1001")));
        app.run_tasks().await;
        assert_eq!((letters(app).len(), texts(app).len()), (1, 0));
    }

    async fn numbers_have_no_gap_however_many_are_issued_at_once(app) {
        let told = begun(app).await;
        let app = &*app;
        let profile = org::profile(&mut app.db.read().await.unwrap(), told.shop.org.clone()).await.unwrap();
        let house = house(app, &profile);
        let form: InvoiceForm = serde_json::from_value(json!({"leadId": told.lead, "lines": [{"name": "Work", "unitPrice": 1}]})).unwrap();
        let issue = |n: usize| {
            let (house, form) = (&house, &form);
            async move {
                let mut tx = app.db.begin().await.unwrap();
                let id = invoice::make(&mut tx, house, form, &Doer::System).await.unwrap();
                invoice::begin(&mut tx, house, id, Ways { email: false, text: false }, &Doer::System).await.unwrap();
                // Every third changes its mind.
                if n.is_multiple_of(3) { drop(tx) } else { tx.commit().await.unwrap() }
            }
        };
        futures::future::join_all((0..24).map(issue)).await;
        let sql = "SELECT number FROM invoice WHERE org_id = $1 ORDER BY number";
        let numbers = q!(&mut app.db.read().await.unwrap(), fetch_all scalar i64, sql, told.shop.id()).unwrap();
        assert_eq!(numbers, (1001..1017).collect::<Vec<_>>());
        app.advance(Duration::seconds(31));
        app.run_tasks().await;
        assert_eq!(told.office.get("/api/invoices?status=open").await.header("x-total-count"), "16");
    }
}
