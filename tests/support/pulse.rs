//! The owner's report in a story: its mornings, and the mails sent.

use chrono::{DateTime, Duration, Utc};
use shared::{domain::growth::kpi_pulse::PulseView, platform::id::OrgId};

use crate::app::TestApp;

impl TestApp {
    /// The report part of the minute's tick, with the tasks that follow. Returns how many reports were planned.
    pub async fn reports(&self) -> usize {
        let planned = shared::domain::growth::kpi_pulse::plan::enqueue_due_pulses(&self.db, &self.origin)
            .await
            .expect("the reports are planned");
        self.run_tasks().await;
        planned
    }

    /// Advances to this time without running any task.
    pub fn waits_until(&self, at: &str) {
        let at: DateTime<Utc> = at.parse().expect("an instant");
        assert!(at >= self.now(), "{at} is over");
        self.advance(at - self.now());
    }

    /// Advances this many days, with a check of the reports every quarter of an hour.
    pub async fn lives_days(&self, days: i64) {
        let end = self.now() + Duration::days(days);
        while self.now() < end {
            self.advance(Duration::minutes(15));
            self.reports().await;
        }
    }

    pub async fn listed_reports(&self, org: OrgId) -> Vec<PulseView> {
        shared::domain::growth::kpi_pulse::list_recent(&mut self.db.acquire_reader().await.expect("a connection"), org)
            .await
            .expect("the reports")
    }
}
