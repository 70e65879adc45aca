//! The owner's report in a story: its mornings, and what was sent on them.

use chrono::{DateTime, Duration, Utc};
use shared::{domain::growth::kpi_pulse::PulseView, platform::id::OrgId};

use crate::app::TestApp;

impl TestApp {
    /// What the minute's tick does about reports, and what follows from it. Returns how many were planned.
    pub async fn reports(&self) -> usize {
        let planned = shared::domain::growth::kpi_pulse::plan::run(&self.db, &self.origin)
            .await
            .expect("the reports are planned");
        self.run_tasks().await;
        planned
    }

    /// Lets time pass until then; nothing else happens.
    pub fn waits_until(&self, at: &str) {
        let at: DateTime<Utc> = at.parse().expect("an instant");
        assert!(at >= self.now(), "{at} is over");
        self.advance(at - self.now());
    }

    /// Lets so many days pass, with a look at the reports every quarter of an hour.
    pub async fn lives_days(&self, days: i64) {
        let end = self.now() + Duration::days(days);
        while self.now() < end {
            self.advance(Duration::minutes(15));
            self.reports().await;
        }
    }

    /// The reports of a business as they are listed, newest first.
    pub async fn listed_reports(&self, org: OrgId) -> Vec<PulseView> {
        shared::domain::growth::kpi_pulse::list(&mut self.db.read().await.expect("a connection"), org)
            .await
            .expect("the reports")
    }
}
