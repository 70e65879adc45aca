//! Random histories of a business: after every step a full recount equals the incrementally kept figures, and the
//! rows sum to them.

use axum::http::Method;
use chrono::Duration;
use proptest::{
    prelude::*,
    sample::Index,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Value, json};
use shared::{
    platform::{
        db::{q, qb},
        id::LeadId,
    },
    providers::sms::SmsProvider,
};
use tests::{
    app::TestApp,
    both_databases,
    figures::figures_are_their_rows,
    http::{Answer, Client},
    people::{Shop, Visitor},
};

const HISTORIES: usize = 4;
const STEPS: std::ops::Range<usize> = 35..50;
/// Number of steps between two checks of the lists behind the figures.
const LOOKS: usize = 7;

type Step = (u8, u32, Index, bool);

fn histories() -> Vec<Vec<Step>> {
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let steps = prop::collection::vec((0_u8..25, 1_u32..90_000, any::<Index>(), any::<bool>()), STEPS);
    (0..HISTORIES).map(|_| steps.new_tree(&mut runner).unwrap().current()).collect()
}

struct Case<'a> {
    app: &'a TestApp,
    shop: Shop,
    office: Client,
    leads: Vec<LeadId>,
    quoted: Vec<LeadId>,
    jobs: Vec<String>,
    invoices: Vec<String>,
    payments: Vec<String>,
    merges: Vec<String>,
    reviews: Vec<String>,
    /// Steps that did something: a history of refusals shows nothing.
    done: usize,
    lived: usize,
    answered: usize,
    /// Nonzero figures that were compared with their rows.
    rows: usize,
}

fn dollars(cents: u32) -> f64 {
    f64::from(cents) / 100.0
}

fn id(answer: &Value) -> String {
    answer["id"].as_str().unwrap_or_default().to_owned()
}

fn one<T>(of: &[T], which: Index) -> Option<&T> {
    (!of.is_empty()).then(|| which.get(of))
}

impl<'a> Case<'a> {
    async fn new(app: &'a TestApp, n: usize) -> Self {
        let shop = app.org(&format!("Business {n}")).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        // Without a postal address of the sender no review is asked for by email.
        let body = json!({"postalAddress": "1 Main St, Austin, TX"}).to_string().into_bytes();
        let set = office.send(Method::PATCH, &format!("/api/org/{}", shop.id()), "application/json", body).await;
        assert_eq!(set.status, 200, "{}", set.json());
        let (leads, quoted, jobs, invoices, payments) = (vec![], vec![], vec![], vec![], vec![]);
        let (merges, reviews) = (vec![], vec![]);
        let (done, lived, answered, rows) = (0, 0, 0, 0);
        Self {
            app,
            shop,
            office,
            leads,
            quoted,
            jobs,
            invoices,
            payments,
            merges,
            reviews,
            done,
            lived,
            answered,
            rows,
        }
    }

    /// A request that is refused because of the current state changes nothing.
    async fn posts(&mut self, path: String, body: Value) -> Option<Value> {
        let answer: Answer = self.office.post(&path, &body).await;
        let status = answer.status.as_u16();
        assert!(answer.status.is_success() || [404, 409, 422].contains(&status), "{path}: {status} {}", answer.json());
        self.done += usize::from(answer.status.is_success());
        answer.status.is_success().then(|| answer.json())
    }

    async fn lives_through(&mut self, (what, cents, which, flag): Step) {
        self.app.advance(Duration::seconds(20));
        match what {
            0 | 1 => self.somebody_asks(cents).await,
            2 => self.time_passes(cents).await,
            3 | 4 => self.estimates(cents, which).await,
            5..=7 => self.pays(cents, which, flag).await,
            8 => self.refunds(cents, which).await,
            9 => self.takes_back(which).await,
            10 | 11 => self.books(cents, which).await,
            12..=14 => self.moves(cents, which).await,
            15 => self.costs(cents, which).await,
            16 => self.bills(cents, which).await,
            17 => self.voids(which).await,
            18 => self.writes(which).await,
            19 | 20 => self.reviews(cents, which).await,
            21 => self.has_asked(which, flag).await,
            22 | 23 => self.answers(which, flag).await,
            _ => self.merges(which, flag).await,
        }
        self.app.run_tasks().await;
        self.compare().await;
        self.lived += 1;
        if self.lived.is_multiple_of(LOOKS) {
            self.looks_behind().await;
        }
    }

    /// Every figure of the dashboard opens a list with its count and total.
    async fn looks_behind(&mut self) {
        self.rows += figures_are_their_rows(&self.office, &self.shop.id().to_string()).await;
    }

    /// One of a dozen people, some of them robots, some of them again.
    async fn somebody_asks(&mut self, cents: u32) {
        let mut visitor = Visitor::number(cents % 12);
        visitor.form.company = cents.is_multiple_of(7).then(|| "Best SEO Ltd".to_owned());
        // With this consent a review may be asked for by text.
        visitor.form.marketing_consent = !cents.is_multiple_of(5);
        visitor.form.page_url = cents.is_multiple_of(2).then(|| "https://b.example/?utm_source=Google".to_owned());
        let lead = visitor.submits_confirmed_lead(self.app, &self.shop).await;
        if !self.leads.contains(&lead) {
            self.leads.push(lead);
            self.done += 1;
        }
    }

    /// Releases held requests, and then lets days pass.
    async fn time_passes(&mut self, cents: u32) {
        for lead in self.leads.clone() {
            if cents.is_multiple_of(3) {
                self.posts(format!("/api/leads/{lead}/release"), json!({})).await;
            }
        }
        self.app.advance(Duration::hours(i64::from(cents % 60)));
        self.app.run_tasks().await;
        // No session outlives a history.
        self.office = self.app.client().signed_in(self.app, self.shop.owner()).await;
    }

    async fn estimates(&mut self, cents: u32, which: Index) {
        let Some(lead) = one(&self.leads, which).copied() else { return };
        let sent = self.posts(format!("/api/leads/{lead}/estimate"), json!({ "quotedTotal": dollars(cents) })).await;
        self.quoted.extend(sent.map(|_| lead));
    }

    /// The customer signs or declines what the page shows.
    async fn answers(&mut self, which: Index, signs: bool) {
        let Some(lead) = one(&self.quoted, which).copied() else { return };
        let estimates = self.office.get(&format!("/api/leads/{lead}/estimates")).await.json();
        let Some(link) = estimates[0]["link"].as_str() else { return };
        let at = link.trim_start_matches("https://toolbox.example").to_owned();
        let page = String::from_utf8(self.app.client().get(&at).await.body).unwrap();
        let Some(found) = page.split("name=\"sha256\" value=\"").nth(1) else { return };
        let (path, body) = if signs {
            (format!("{at}/approve"), format!("name=Ann+Lee&agree=yes&sha256={}", &found[..64]))
        } else {
            (format!("{at}/decline"), "reason=Too+much".to_owned())
        };
        let form = "application/x-www-form-urlencoded";
        let answered = self.app.client().send(Method::POST, &path, form, body.into_bytes()).await;
        self.done += usize::from(answered.status.as_u16() == 303);
        self.answered += usize::from(answered.status.as_u16() == 303);
    }

    async fn pays(&mut self, cents: u32, which: Index, partial: bool) {
        let Some(lead) = one(&self.leads, which).copied() else { return };
        let on = (self.app.now() - Duration::days(i64::from(cents % 3))).date_naive();
        let body = json!({"amount": dollars(cents), "partial": partial, "date": on, "receipt": false});
        let paid = self.posts(format!("/api/leads/{lead}/paid"), body).await;
        self.payments.extend(paid.map(|paid| id(&paid["payment"])));
    }

    async fn refunds(&mut self, cents: u32, which: Index) {
        let Some(payment) = one(&self.payments, which).cloned() else { return };
        let body = json!({"amount": dollars(cents % 20_000 + 1), "forgive": cents % 2 == 1});
        let back = self.posts(format!("/api/payments/{payment}/refund"), body).await;
        self.payments.extend(back.map(|back| id(&back["payment"])));
    }

    /// Undoes the last payment or job change, while it is recent.
    async fn takes_back(&mut self, which: Index) {
        if let Some(payment) = self.payments.last().cloned() {
            self.posts(format!("/api/payments/{payment}/undo"), json!({})).await;
        }
        let Some(job) = one(&self.jobs, which).cloned() else { return };
        let undo = self.office.get(&format!("/api/jobs/{job}")).await.json()["undo"]["eventId"].clone();
        if let Some(event) = undo.as_str() {
            self.posts(format!("/api/work/{event}/undo"), json!({})).await;
        }
    }

    async fn books(&mut self, cents: u32, which: Index) {
        let Some(lead) = one(&self.leads, which).copied() else { return };
        let starts = (!cents.is_multiple_of(4)).then(|| self.app.now() + Duration::hours(i64::from(cents % 50)));
        let body =
            json!({"leadId": lead, "startsAt": starts, "value": (!cents.is_multiple_of(5)).then(|| dollars(cents))});
        let job = self.posts("/api/jobs".to_owned(), body).await;
        self.jobs.extend(job.map(|job| id(&job)));
    }

    async fn moves(&mut self, cents: u32, which: Index) {
        let Some(job) = one(&self.jobs, which).cloned() else { return };
        let to = ["in_progress", "completed", "completed", "completed", "cancelled", "scheduled"][cents as usize % 6];
        let happened = self.app.now() - Duration::hours(i64::from(cents % 30));
        let body = json!({"to": to, "reason": "They moved away", "happenedAt": happened});
        self.posts(format!("/api/jobs/{job}/status"), body).await;
    }

    async fn costs(&mut self, cents: u32, which: Index) {
        let Some(job) = one(&self.jobs, which).cloned() else { return };
        let noted =
            self.posts(format!("/api/jobs/{job}/costs"), json!({"kind": "other", "amount": dollars(cents)})).await;
        if let Some(noted) = noted.filter(|_| cents.is_multiple_of(3)) {
            let path = format!("/api/jobs/{job}/costs/{}", id(&noted["costs"][0]));
            assert_eq!(self.office.send(Method::DELETE, &path, "", vec![]).await.status, 200);
        }
    }

    async fn bills(&mut self, cents: u32, which: Index) {
        let Some(lead) = one(&self.leads, which).copied() else { return };
        let lines = json!([{"name": "Work", "unitPrice": dollars(cents)}]);
        let Some(draft) = self.posts("/api/invoices".to_owned(), json!({"leadId": lead, "lines": lines})).await else {
            return;
        };
        let invoice = id(&draft);
        if !cents.is_multiple_of(4) {
            self.posts(format!("/api/invoices/{invoice}/send"), json!({"email": false, "text": false})).await;
        }
        self.invoices.push(invoice);
    }

    async fn voids(&mut self, which: Index) {
        let Some(invoice) = one(&self.invoices, which).cloned() else { return };
        self.posts(format!("/api/invoices/{invoice}/void"), json!({"reason": "A wrong address"})).await;
    }

    async fn writes(&mut self, which: Index) {
        let Some(lead) = one(&self.leads, which).copied() else { return };
        let customer = self.app.lead(self.shop.id(), lead).await.customer_id;
        self.posts(format!("/api/customers/{customer}/messages"), json!({"channel": "sms", "body": "On my way"})).await;
    }

    /// Adds a review by hand, and removes another.
    async fn reviews(&mut self, cents: u32, which: Index) {
        let on = (self.app.now() - Duration::days(i64::from(cents % 5))).date_naive();
        let body = json!({"rating": f64::from(cents % 41 + 10) / 10.0, "date": on, "phone": "+15125550142"});
        let typed = self.posts("/api/reviews".to_owned(), body).await;
        self.reviews.extend(typed.map(|typed| id(&typed)));
        if cents.is_multiple_of(3) && !self.reviews.is_empty() {
            let review = self.reviews.swap_remove(which.index(self.reviews.len()));
            assert_eq!(
                self.office.send(Method::DELETE, &format!("/api/reviews/{review}"), "", vec![]).await.status,
                204
            );
        }
    }

    async fn has_asked(&mut self, which: Index, anew: bool) {
        let Some(lead) = one(&self.leads, which).copied() else { return };
        self.posts(format!("/api/leads/{lead}/review"), json!({ "override": anew })).await;
    }

    async fn merges(&mut self, which: Index, parts: bool) {
        if let Some(merge) = self.merges.pop().filter(|_| parts) {
            self.posts(format!("/api/customers/merges/{merge}/undo"), json!({})).await;
            return;
        }
        let (Some(lead), Some(first)) = (one(&self.leads, which).copied(), self.leads.first().copied()) else { return };
        let [one, other] = [
            self.app.lead(self.shop.id(), first).await.customer_id,
            self.app.lead(self.shop.id(), lead).await.customer_id,
        ];
        let merged = self.posts(format!("/api/customers/{one}/merge"), json!({ "otherId": other })).await;
        self.merges.extend(merged.map(|merged| merged["mergedFrom"][0]["mergeId"].as_str().unwrap().to_owned()));
    }

    async fn asked(&self) -> i64 {
        let mut conn = self.app.db.acquire_reader().await.unwrap();
        let sql = "SELECT COUNT(*) FROM review_request WHERE org_id = $1 AND asked_at IS NOT NULL";
        q!(&mut conn, fetch_one scalar i64, sql, self.shop.id()).unwrap()
    }

    /// Recounts everything, and sums the rows independently of the stored facts.
    async fn compare(&self) {
        self.app.figures_agree().await;
        let mut conn = self.app.db.acquire_reader().await.unwrap();
        let org = self.shop.id();
        for (columns, rows) in [
            ("leads", "SELECT COUNT(*) FROM lead WHERE held_reason IS NULL AND org_id = "),
            (
                "answered",
                "SELECT COUNT(*) FROM metric_answer WHERE (auto_ms IS NOT NULL OR human_ms IS NOT NULL) AND org_id = ",
            ),
            (
                "collected_cents",
                "SELECT SUM(amount_cents) FROM payment WHERE kind = 'payment' AND status = 'settled' AND undone_at IS NULL AND org_id = ",
            ),
            (
                "refunded_cents",
                "SELECT SUM(amount_cents) FROM payment WHERE kind = 'refund' AND status = 'settled' AND undone_at IS NULL AND org_id = ",
            ),
            ("open_cents", "SELECT SUM(total_cents - paid_cents) FROM invoice WHERE status = 'open' AND org_id = "),
            ("invoices", "SELECT COUNT(*) FROM invoice WHERE status IN ('open', 'paid') AND org_id = "),
            (
                "quotes_sent",
                "SELECT COUNT(DISTINCT number) FROM estimate WHERE status NOT IN ('preparing', 'replaced', 'superseded') AND org_id = ",
            ),
            ("jobs_done", "SELECT COUNT(*) FROM job WHERE status = 'completed' AND org_id = "),
            ("job_cents", "SELECT SUM(value_cents) FROM job WHERE status = 'completed' AND org_id = "),
            (
                "cost_cents",
                "SELECT SUM(c.amount_cents) FROM job_cost c JOIN job j ON j.org_id = c.org_id AND j.id = c.job_id WHERE j.status = 'completed' AND c.org_id = ",
            ),
            ("reviews_asked", "SELECT COUNT(*) FROM review_request WHERE asked_at IS NOT NULL AND org_id = "),
            ("reviews", "SELECT COUNT(*) FROM review WHERE org_id = "),
            ("stars", "SELECT SUM(stars) FROM review WHERE org_id = "),
            ("paid_leads", "SELECT COUNT(*) FROM lead WHERE stage = 'paid' AND held_reason IS NULL AND org_id = "),
        ] {
            let kept = qb!(&mut conn, fetch_one scalar i64, |b| {
                b.push("SELECT CAST(COALESCE(SUM(").push(columns).push("), 0) AS BIGINT) FROM metric_day WHERE org_id = ").push_bind(org);
            });
            let counted = qb!(&mut conn, fetch_one scalar i64, |b| {
                b.push("SELECT CAST(COALESCE((").push(rows).push_bind(org).push("), 0) AS BIGINT)");
            });
            assert_eq!(kept.unwrap(), counted.unwrap(), "{columns}");
        }
        let of_sources = "SELECT CAST(COALESCE(SUM(paid_cents), 0) AS BIGINT) FROM metric_source_day WHERE org_id = $1";
        let of_days = "SELECT CAST(COALESCE(SUM(collected_cents - refunded_cents), 0) AS BIGINT) FROM metric_day WHERE org_id = $1";
        let [sources, days] = [
            q!(&mut conn, fetch_one scalar i64, of_sources, org).unwrap(),
            q!(&mut conn, fetch_one scalar i64, of_days, org).unwrap(),
        ];
        assert_eq!(sources, days, "the sum over sources is the sum over days");
    }
}

both_databases! {
    async fn running_metrics_equal_a_recount_after_every_step(app) {
        app.use_twilio_at("http://127.0.0.1:9");
        app.context.sms = SmsProvider::Memory(app.sms.clone());
        let app = &*app;
        let (mut steps, mut done, mut payments, mut jobs) = (0, 0, 0, 0);
        let (mut reviews, mut asked, mut answered, mut rows) = (0, 0, 0, 0);
        for (n, history) in histories().into_iter().enumerate() {
            let mut case = Case::new(app, n).await;
            for person in 1..6 {
                case.somebody_asks(person).await;
            }
            steps += history.len();
            for step in history {
                case.lives_through(step).await;
            }
            case.looks_behind().await;
            (answered, rows) = (answered + case.answered, rows + case.rows);
            done += case.done;
            payments += case.payments.len();
            jobs += case.jobs.len();
            reviews += case.reviews.len();
            asked += case.asked().await;
        }
        assert!(answered > 3 && rows > 500, "{answered} estimates were answered, {rows} figures compared with their rows");
        assert!(done * 3 > steps && payments > 10 && jobs > 5, "{done} of {steps} steps did something: {payments} payments, {jobs} jobs");
        assert!(reviews > 5 && asked > 0, "{reviews} reviews, {asked} were asked");
    }
}
