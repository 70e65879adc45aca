//! Invoice reminders: on their days at 10:00, once each, until something stops them; and none for invoices from
//! before they were turned on, unless selected.

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Shop, Visitor},
    phone::{ANN, Line},
};

const NUMBER: &str = "+15125550100";

struct DunningFixture {
    shop: Shop,
    line: Line,
    lead: String,
    client: Client,
}

async fn dunning_fixture(app: &mut TestApp) -> DunningFixture {
    let mut shop = app.org("Acme Plumbing").await;
    let line = app.line(&mut shop, NUMBER).await;
    let lead = Visitor::ann().submits_lead(app, &shop).await.to_string();
    app.run_tasks().await;
    DunningFixture { shop, line, lead, client: app.client() }
}

impl DunningFixture {
    /// The office with a fresh session: a session does not last for weeks.
    async fn office(&self, app: &TestApp) -> Client {
        self.client.signed_in(app, self.shop.owner()).await
    }

    async fn issues(&self, app: &TestApp, amount: f64, due_on: &str) -> Value {
        let office = self.office(app).await;
        let body = json!({"leadId": self.lead, "lines": [{"name": "Work", "unitPrice": amount}], "dueOn": due_on});
        let draft = office.post("/api/invoices", &body).await;
        assert_eq!(draft.status, 201, "{}", draft.json());
        let sent = office.post(&path(&draft.json(), "/send"), &json!({"email": false, "text": false})).await;
        assert_eq!(sent.status, 202, "{}", sent.json());
        draft.json()
    }

    async fn does(&self, app: &TestApp, invoice: &Value, what: &str, body: Value) -> Answer {
        let answer = self.office(app).await.post(&path(invoice, what), &body).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        answer
    }

    async fn pays(&self, app: &TestApp, amount: f64) {
        let body = json!({"amount": amount, "partial": true, "receipt": false});
        let paid = self.office(app).await.post(&format!("/api/leads/{}/paid", self.lead), &body).await;
        assert_eq!(paid.status, 200, "{}", paid.json());
    }

    fn reminders(&self) -> Vec<String> {
        self.line.texts_to(ANN).into_iter().filter(|text| text.to_lowercase().contains("invoice inv-")).collect()
    }

    async fn steps(&self, app: &TestApp, invoice: &Value) -> Vec<(String, String, Option<String>)> {
        let shown = self.office(app).await.get(&path(invoice, "")).await.json();
        let step = |step: &Value| {
            let word = |name: &str| step[name].as_str().map(ToOwned::to_owned);
            (word("step").unwrap(), word("state").unwrap(), word("reason"))
        };
        shown["followUps"].as_array().unwrap().iter().map(step).collect()
    }
}

fn path(invoice: &Value, rest: &str) -> String {
    format!("/api/invoices/{}{rest}", invoice["id"].as_str().unwrap())
}

async fn until(app: &TestApp, at: &str) {
    let at: DateTime<Utc> = at.parse().unwrap();
    app.advance(at - app.now());
    app.run_tasks().await;
}

/// Each text up to its link.
fn bare(texts: &[String]) -> Vec<&str> {
    texts.iter().map(|text| text.split(" See and pay").next().unwrap()).collect()
}

both_databases! {
    async fn invoice_is_reminded_once_per_scheduled_day_at_ten_local_time(app) {
        let fixture = dunning_fixture(app).await;
        fixture.issues(app, 1250.0, "2026-10-20").await;
        // 10:00 in Chicago; daylight saving ends on November 1.
        for (n, at) in ["2026-10-17T15:00:00Z", "2026-10-20T15:00:00Z", "2026-10-23T15:00:00Z", "2026-10-27T15:00:00Z", "2026-11-03T16:00:00Z", "2026-11-19T16:00:00Z"].into_iter().enumerate() {
            let just_before = at.parse::<DateTime<Utc>>().unwrap() - Duration::minutes(1);
            until(app, &just_before.to_rfc3339()).await;
            assert_eq!(fixture.reminders().len(), n, "not before {at}");
            if n == 3 {
                fixture.pays(app, 250.0).await;
            }
            until(app, at).await;
            app.run_tasks().await;
            assert_eq!(fixture.reminders().len(), n + 1, "at {at}: {:?}", fixture.reminders());
        }
        until(app, "2027-03-01T16:00:00Z").await;
        let all = fixture.reminders();
        assert_eq!(bare(&all), [
            "Hi Ann, Acme Plumbing: invoice INV-1001 for $1,250.00 is due Oct 20.",
            "Hi Ann, Acme Plumbing: invoice INV-1001 for $1,250.00 is due Oct 20.",
            "Hi Ann, this is Acme Plumbing. Invoice INV-1001 for $1,250.00 is still open. Please call +15125550100 with any question.",
            "Hi Ann, this is Acme Plumbing. Invoice INV-1001 for $1,000.00 is still open. Please call +15125550100 with any question.",
            "Hi Ann, this is Acme Plumbing. Invoice INV-1001 for $1,000.00 is still open. Please call +15125550100 with any question.",
            "Hi Ann, this is Acme Plumbing. Invoice INV-1001 for $1,000.00 is still open. Please call +15125550100 with any question.",
        ]);
        assert!(all.iter().all(|text| text.contains(" See and pay: https://toolbox.example/p/") && text.ends_with(" Reply STOP to opt out.")));
    }

    async fn payment_dispute_and_void_end_reminders_and_promise_moves_them(app) {
        let fixture = dunning_fixture(app).await;
        let app = &*app;
        let [paid, disputed, void, promised] = [100.0, 200.0, 300.0, 400.0].map(|amount| fixture.issues(app, amount, "2026-10-01"));
        let [paid, disputed, void, promised] = [paid.await, disputed.await, void.await, promised.await];
        fixture.pays(app, 100.0).await;
        fixture.does(app, &disputed, "/dispute", json!({"isDisputed": true, "reason": "The wrong tap"})).await;
        fixture.does(app, &void, "/void", json!({"reason": "A slip"})).await;
        let noted = fixture.does(app, &promised, "/promise", json!({"on": "2026-10-10"})).await.json();
        assert_eq!(noted["promisedOn"], "2026-10-10");
        for (invoice, why) in [(&paid, "the invoice was paid"), (&disputed, "the customer disputes it"), (&void, "the invoice was voided")] {
            let steps = fixture.steps(app, invoice).await;
            assert!(steps.len() == 6 && steps.iter().all(|step| step.1 == "stopped" && step.2.as_deref() == Some(why)), "{steps:?}");
        }
        let refused = fixture.office(app).await.post(&path(&promised, "/promise"), &json!({"on": "2026-09-01"})).await;
        assert_eq!(refused.problem().2, ["on"]);
        let waiting: Vec<_> = fixture.steps(app, &promised).await.into_iter().filter(|step| step.1 == "waiting").map(|step| step.0).collect();
        assert_eq!(waiting, ["due_3", "due_7", "due_14", "due_30"], "only when the promise is broken");
        until(app, "2026-10-13T14:59:00Z").await;
        assert_eq!(fixture.reminders(), [""; 0]);
        until(app, "2026-10-13T15:00:00Z").await;
        let [reminder] = &fixture.reminders()[..] else { panic!("{:?}", fixture.reminders()) };
        assert!(reminder.contains("INV-1004 for $400.00 is still open"), "{reminder}");
        fixture.does(app, &disputed, "/dispute", json!({"isDisputed": false})).await;
        until(app, "2026-10-15T15:00:00Z").await;
        assert_eq!(fixture.reminders().len(), 2, "reminders continue after the dispute");
        let none = fixture.does(app, &promised, "/promise", json!({"on": null})).await.json();
        assert_eq!(none["promisedOn"], Value::Null);
    }

    async fn reminder_is_skipped_after_recent_contact_and_next_one_sent(app) {
        let fixture = dunning_fixture(app).await;
        let invoice = fixture.issues(app, 640.0, "2026-10-01").await;
        until(app, "2026-09-27T20:00:00Z").await;
        fixture.line.writes(ANN, "I pay on Friday").await;
        app.run_tasks().await;
        until(app, "2026-09-28T15:00:00Z").await;
        assert_eq!(fixture.reminders(), [""; 0]);
        let steps = fixture.steps(app, &invoice).await;
        assert_eq!((steps[0].1.as_str(), steps[0].2.as_deref()), ("skipped", Some("they wrote or called within the last two days: answer them yourself")));
        until(app, "2026-10-01T15:00:00Z").await;
        assert_eq!(fixture.reminders().len(), 1);
        app.sets(&fixture.shop, json!({"switches": {"jobTracking": false}})).await;
        until(app, "2026-10-04T15:00:00Z").await;
        assert_eq!(fixture.reminders().len(), 1);
        let decisions = app.lead(fixture.shop.id(), fixture.lead.parse().map(shared::platform::id::LeadId).unwrap()).await.decisions;
        let why: Vec<_> = decisions.into_iter().filter(|d| d.rule == "dunning").map(|d| (d.event, d.sent, d.reason)).collect();
        assert_eq!((why.len(), why[1].2.as_str()), (2, "job tracking is switched off"), "{why:?}");
        assert_eq!(why[0].0, "invoice_due");
    }

    async fn enabled_reminders_skip_old_invoices_and_ticked_one_is_sent_once(app) {
        let fixture = dunning_fixture(app).await;
        app.sets(&fixture.shop, json!({"invoicing": {"dunning": false}})).await;
        let mut old = Vec::new();
        for n in 1..=4 {
            old.push(fixture.issues(app, f64::from(n), "2026-09-20").await);
        }
        until(app, "2026-11-20T17:00:00Z").await;
        app.sets(&fixture.shop, json!({"invoicing": {"dunning": true}})).await;
        until(app, "2026-11-21T17:00:00Z").await;
        assert_eq!(fixture.reminders(), [""; 0], "turned on, nothing old is chased");
        let office = fixture.office(app).await;
        let shown = office.get("/api/invoices/reminders").await.json();
        let rows = shown.as_array().unwrap();
        assert_eq!((rows.len(), &rows[2]["number"], &rows[2]["daysOverdue"]), (4, &json!("INV-1003"), &json!(62)));
        assert_eq!((&rows[2]["dates"], &rows[2]["channel"]), (&json!(["2026-11-22T16:00:00Z"]), &json!("sms")));
        let preview = office.get(&format!("/api/org/{}/preview?switch=jobTracking", fixture.shop.id())).await;
        assert_eq!(preview.json()["oldRecords"], 4, "{}", preview.json());
        let ticked = office.post("/api/invoices/reminders", &json!({"invoiceIds": [old[2]["id"], old[2]["id"]]})).await;
        assert_eq!(ticked.json(), json!({"planned": 1}));
        until(app, "2026-11-22T15:59:00Z").await;
        assert_eq!(fixture.reminders(), [""; 0]);
        until(app, "2026-11-22T16:00:00Z").await;
        until(app, "2027-02-01T16:00:00Z").await;
        let words = app.as_sent(rows[2]["text"].as_str().unwrap(), "+15125550142").await;
        assert_eq!(fixture.reminders(), [words], "exactly one, in the words that were shown");
        let left = fixture.office(app).await.get("/api/invoices/reminders").await.json();
        assert_eq!(left.as_array().unwrap().len(), 3);
    }

    async fn reminder_to_opted_out_customer_is_sent_by_email(app) {
        let fixture = dunning_fixture(app).await;
        fixture.issues(app, 90.0, "2026-09-25").await;
        fixture.line.writes(ANN, "STOP").await;
        app.run_tasks().await;
        until(app, "2026-09-25T15:00:00Z").await;
        let mails = app.mail.accepted_messages();
        let mail = mails.iter().find(|mail| mail.subject == "Reminder: invoice INV-1001 from Acme Plumbing").unwrap();
        assert!(mail.text.contains("invoice INV-1001 for $90.00 is due Sep 25") && !mail.text.contains("STOP"), "{}", mail.text);
        tests::long_email::assert_button_and_link(mail);
        assert_eq!(fixture.reminders(), [""; 0]);
    }
}
