//! Random histories with calls, texts, payments, refunds, undo, merges and voided invoices. After every step a full
//! recount finds the same, the chains equal the sums, and no more is recovered than was received and kept.

use chrono::Duration;
use proptest::{
    prelude::*,
    sample::Index,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Value, json};
use shared::platform::{db::q, id::LeadId};
use tests::{app::TestApp, both_databases, figures::listed, people::Visitor};

use super::{AttributionFixture, caller, firm};

const HISTORIES: usize = 2;
const STEPS: usize = 40;

/// One step: kind, whom it concerns, and an amount.
type Step = (u8, Index, u32);

fn histories() -> Vec<Vec<Step>> {
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let steps = prop::collection::vec((0_u8..16, any::<Index>(), 100_u32..90_000), STEPS);
    (0..HISTORIES).map(|_| steps.new_tree(&mut runner).unwrap().current()).collect()
}

struct Case<'a> {
    app: &'a TestApp,
    firm: &'a AttributionFixture,
    leads: Vec<LeadId>,
    payments: Vec<String>,
    invoices: Vec<String>,
    merges: Vec<String>,
    /// The highest amount that was recovered at any time.
    most: i64,
}

impl Case<'_> {
    /// A request that is refused because of the current state changes nothing.
    async fn posts(&self, path: &str, body: Value) -> Option<Value> {
        let answer = self.firm.office(self.app).await.post(path, &body).await;
        let status = answer.status.as_u16();
        assert!(answer.status.is_success() || [404, 409, 422].contains(&status), "{path}: {status} {}", answer.json());
        answer.status.is_success().then(|| answer.json())
    }

    async fn lives_through(&mut self, (what, which, cents): Step) {
        let (app, line) = (self.app, &self.firm.line);
        app.advance(Duration::minutes(i64::from(cents % 50) + 1));
        let caller = caller(which.index(8));
        match what {
            0..=2 => {
                line.rings(&caller, []).await;
            }
            3..=5 => {
                line.writes(&caller, "Please come").await;
            }
            6 => {
                Visitor::number(cents % 4).submits_lead(app, &self.firm.shop).await;
            }
            7 => app.advance(Duration::hours(i64::from(cents % 70))),
            _ => self.office_does(what, which, cents).await,
        }
        app.run_tasks().await;
        app.advance(Duration::seconds(15));
        app.run_tasks().await;
        self.compare().await;
    }

    async fn office_does(&mut self, what: u8, which: Index, cents: u32) {
        let sql = "SELECT id FROM lead WHERE org_id = $1 ORDER BY created_at, id";
        let mut conn = self.app.db.acquire_reader().await.unwrap();
        self.leads = q!(&mut conn, fetch_all scalar LeadId, sql, self.firm.shop.id()).unwrap();
        drop(conn);
        if self.leads.is_empty() {
            return;
        }
        let lead = *which.get(&self.leads);
        let amount = f64::from(cents) / 100.0;
        match what {
            8 | 9 => {
                let body = json!({"amount": amount, "partial": true, "receipt": false});
                let paid = self.posts(&format!("/api/leads/{lead}/paid"), body).await;
                self.payments.extend(paid.and_then(|paid| paid["payment"]["id"].as_str().map(str::to_owned)));
            }
            10 if !self.payments.is_empty() => {
                let payment = which.get(&self.payments).clone();
                let body = json!({"amount": f64::from(cents % 5_000 + 1) / 100.0, "forgive": cents.is_multiple_of(2)});
                self.posts(&format!("/api/payments/{payment}/refund"), body).await;
            }
            11 if !self.payments.is_empty() => {
                let payment = self.payments.last().unwrap().clone();
                self.posts(&format!("/api/payments/{payment}/undo"), json!({})).await;
            }
            12 => {
                let customer = self.app.lead(self.firm.shop.id(), lead).await.customer_id;
                let body = json!({"channel": "sms", "body": "We will be there"});
                self.posts(&format!("/api/customers/{customer}/messages"), body).await;
            }
            13 => self.merges_or_parts(lead, cents).await,
            14 => self.bills_or_voids(lead, amount).await,
            15 => {
                let starts = self.app.now() + Duration::hours(20);
                self.posts("/api/jobs", json!({"leadId": lead, "startsAt": starts})).await;
            }
            _ => {}
        }
    }

    async fn merges_or_parts(&mut self, lead: LeadId, cents: u32) {
        if let Some(merge) = self.merges.pop().filter(|_| cents.is_multiple_of(2)) {
            self.posts(&format!("/api/customers/merges/{merge}/undo"), json!({})).await;
            return;
        }
        let (org, first) = (self.firm.shop.id(), self.leads[0]);
        let [one, other] = [self.app.lead(org, first).await.customer_id, self.app.lead(org, lead).await.customer_id];
        let merged = self.posts(&format!("/api/customers/{one}/merge"), json!({ "otherId": other })).await;
        self.merges.extend(merged.and_then(|merged| merged["mergedFrom"][0]["mergeId"].as_str().map(str::to_owned)));
    }

    async fn bills_or_voids(&mut self, lead: LeadId, amount: f64) {
        if let Some(invoice) = self.invoices.pop() {
            self.posts(&format!("/api/invoices/{invoice}/void"), json!({"reason": "A slip"})).await;
            return;
        }
        let body = json!({"leadId": lead, "lines": [{"name": "Work", "unitPrice": amount}]});
        let Some(draft) = self.posts("/api/invoices", body).await else { return };
        let invoice = draft["id"].as_str().unwrap().to_owned();
        self.posts(&format!("/api/invoices/{invoice}/send"), json!({"email": false, "text": false})).await;
        self.invoices.push(invoice);
    }

    async fn compare(&mut self) {
        self.app.figures_agree().await;
        let mut conn = self.app.db.acquire_reader().await.unwrap();
        let org = self.firm.shop.id();
        let recovered =
            "SELECT CAST(COALESCE(SUM(recovered_call_cents + recovered_reply_cents + recovered_follow_up_cents
                 + recovered_reminder_cents + recovered_review_cents), 0) AS BIGINT) FROM metric_day WHERE org_id = $1";
        let stayed = "SELECT CAST(COALESCE(SUM(CASE WHEN kind = 'payment' THEN amount_cents ELSE -amount_cents END), 0)
                 AS BIGINT) FROM payment
             WHERE kind IN ('payment', 'refund') AND status = 'settled' AND undone_at IS NULL AND org_id = $1";
        let recovered = q!(&mut conn, fetch_one scalar i64, recovered, org).unwrap();
        let stayed = q!(&mut conn, fetch_one scalar i64, stayed, org).unwrap();
        drop(conn);
        assert!((0..=stayed).contains(&recovered), "{recovered} of {stayed}");
        let office = self.firm.office(self.app).await;
        let days = "from=2026-09-01&to=2027-09-01";
        let list = listed(&office, "acme-plumbing", &format!("/app/recovered?{days}")).await;
        assert_eq!(list.cents, Some(recovered));
        for chain in office.get(&format!("/api/recovered/chains?{days}")).await.json().as_array().unwrap() {
            let dollars: f64 =
                chain["events"].as_array().unwrap().iter().filter_map(|event| event["amount"].as_f64()).sum();
            assert!((dollars - chain["amount"].as_f64().unwrap()).abs() < 0.001, "its events are its money: {chain}");
        }
        self.most = self.most.max(recovered);
    }
}

both_databases! {
    async fn recovered_dollars_count_once_in_random_histories_and_recount_agrees(app) {
        let firm = firm(app).await;
        let mut case = Case { app, firm: &firm, leads: vec![], payments: vec![], invoices: vec![], merges: vec![], most: 0 };
        for history in histories() {
            for step in history {
                case.lives_through(step).await;
            }
        }
        assert!(case.most > 10_000, "a history without recovered money shows nothing");
        assert!(case.payments.len() > 5, "{}", case.payments.len());
        assert_eq!(app.recounts(firm.shop.id()).await.days_wrong, 0);
        app.run_tasks().await;
    }
}
