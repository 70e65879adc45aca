//! Random histories: each lead's promise agrees with an independent model, and a recount finds the incrementally kept
//! state.

use proptest::{
    prelude::*,
    sample::Index,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use super::*;

const HISTORIES: usize = 4;
const STEPS: std::ops::Range<usize> = 25..40;
const WITHIN: Duration = Duration::hours(1);

type Step = (u8, i64, Index);

fn histories() -> Vec<Vec<Step>> {
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let steps = prop::collection::vec((0_u8..12, 1_i64..70, any::<Index>()), STEPS);
    (0..HISTORIES).map(|_| steps.new_tree(&mut runner).unwrap().current()).collect()
}

/// The model of a lead: what was promised, and its state.
struct Watched {
    id: LeadId,
    due: DateTime<Utc>,
    /// Beside the program's states: `waived`, and `over` when the time ended while no answer was owed.
    state: &'static str,
    is_blocked: bool,
}

impl Watched {
    fn time_is(&mut self, now: DateTime<Utc>) {
        self.state = match self.state {
            "open" if now > self.due => "broken",
            "released" if now > self.due => "over",
            as_before => as_before,
        };
    }

    /// They were spoken to, or want no answer (`waived`).
    fn record_answer(&mut self, how: &'static str, now: DateTime<Utc>) {
        self.time_is(now);
        if matches!(self.state, "open" | "released") {
            self.state = how;
        }
    }

    fn is_blocked_or_not_any_more(&mut self, now: DateTime<Utc>) {
        self.time_is(now);
        self.is_blocked = !self.is_blocked;
        self.state = match (self.is_blocked, self.state) {
            (true, "open") => "released",
            (false, "released") => "open",
            (_, as_before) => as_before,
        };
    }
}

struct Case<'a> {
    app: &'a TestApp,
    shop: Shop,
    n: usize,
    leads: Vec<Watched>,
    looks: usize,
}

impl Case<'_> {
    async fn lives_through(&mut self, (what, minutes, which): Step) {
        self.app.advance(Duration::seconds(20));
        self.minute_ticks().await;
        let one = (!self.leads.is_empty()).then(|| which.index(self.leads.len()));
        match (what, one) {
            (0..=2, _) | (_, None) => self.somebody_asks().await,
            // At night a person's text waits for the morning too.
            (3 | 4, Some(one)) if self.is_day() => {
                writes_to(self.app, &self.shop, self.leads[one].id).await;
                self.leads[one].record_answer("kept", self.app.now());
            }
            (3..=5, Some(one)) => self.notes(one, "answered", "kept").await,
            (6, Some(one)) => self.notes(one, "not_wanted", "waived").await,
            (7, Some(one)) => self.blocks(one).await,
            _ => self.app.advance(Duration::minutes(minutes)),
        }
        self.minute_ticks().await;
        self.compares().await;
    }

    async fn minute_ticks(&self) {
        self.app.run_tasks().await;
        response_sla::sweep_overdue_promises(&self.app.db, &self.app.origin).await.unwrap();
        self.app.run_tasks().await;
    }

    fn is_day(&self) -> bool {
        (9..20).contains(&chrono::Timelike::hour(&self.app.now().with_timezone(&chrono_tz::America::Chicago)))
    }

    async fn somebody_asks(&mut self) {
        let visitor = Visitor::number(u32::try_from(self.n * 1_000 + self.leads.len()).unwrap());
        let id = visitor.submits_lead(self.app, &self.shop).await;
        self.leads.push(Watched { id, due: self.app.now() + WITHIN, state: "open", is_blocked: false });
    }

    async fn notes(&mut self, one: usize, how: &str, then: &'static str) {
        let path = format!("/api/leads/{}/answered", self.leads[one].id);
        let noted = office(self.app, &self.shop).await.post(&path, &json!({ "how": how })).await;
        assert_eq!(noted.status, 200, "{}", noted.json());
        self.leads[one].record_answer(then, self.app.now());
    }

    async fn blocks(&mut self, one: usize) {
        let customer = self.app.lead(self.shop.id(), self.leads[one].id).await.customer_id;
        let body = json!({"isBlocked": !self.leads[one].is_blocked}).to_string().into_bytes();
        let path = format!("/api/customers/{customer}/thread");
        let set = office(self.app, &self.shop).await.send(Method::PATCH, &path, "application/json", body).await;
        assert_eq!(set.status, 200, "{}", set.json());
        self.leads[one].is_blocked_or_not_any_more(self.app.now());
    }

    async fn compares(&mut self) {
        let path = format!("/api/leads/{}?limit=500", self.shop.org.slug);
        let list = office(self.app, &self.shop).await.get(&path).await.json();
        for lead in &mut self.leads {
            lead.time_is(self.app.now());
            let id = lead.id.to_string();
            let shown = list.as_array().unwrap().iter().find(|row| row["id"] == id.as_str()).unwrap();
            let wanted = if matches!(lead.state, "waived" | "over") { "released" } else { lead.state };
            assert_eq!(shown["promise"]["state"], wanted, "{} at {}", shown["name"], self.app.now());
            self.looks += 1;
        }
    }

    async fn counted(&self, measure: &str) -> i64 {
        self.app
            .count(&format!(
                "metric_row WHERE measure = '{measure}' AND org_id = (SELECT id FROM org WHERE slug = '{}')",
                self.shop.org.slug
            ))
            .await
    }
}

both_databases! {
    async fn promise_states_match_an_independent_model_in_random_histories(app) {
        for (n, steps) in histories().into_iter().enumerate() {
            let shop = app.org(&format!("Business {n}")).await;
            always_open(app, &shop).await;
            let mut case = Case { app, shop, n, leads: Vec::new(), looks: 0 };
            for step in steps {
                case.lives_through(step).await;
            }
            let number = |state: &str| i64::try_from(case.leads.iter().filter(|lead| lead.state == state).count()).unwrap();
            let (kept, broken) = (number("kept"), number("broken"));
            assert_eq!((case.counted("promises_kept").await, case.counted("promises_broken").await), (kept, broken));
            assert!(case.looks > 50 && kept + broken > 2, "history {n} shows something: {kept} kept, {broken} broken");
            app.figures_agree().await;
        }
    }
}
