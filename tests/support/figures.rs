//! The owner's figures in a story: asked for as the dashboard does, and counted anew beside what stands.

use serde_json::Value;
use shared::{
    db::q,
    id::OrgId,
    metrics::recount::{self, Check},
};

use crate::{app::TestApp, http::Client};

impl TestApp {
    /// Counts everything of every business anew, and finds nothing that differs from what was kept up all along. Mends
    /// nothing.
    pub async fn figures_agree(&self) {
        let mut conn = self.db.read().await.expect("a connection");
        let orgs = q!(&mut conn, fetch_all scalar OrgId, "SELECT id FROM org").expect("the businesses");
        for org in orgs {
            let mut count = recount::open(&mut conn, org).await.expect("a recount").expect("it is there");
            while let Some(suspects) = count.look(&mut conn).await.expect("the next records") {
                assert!(suspects.is_empty(), "these changed, and nobody settled them: {suspects:?}");
            }
            let mut snapshot = self.db.snapshot().await.expect("a snapshot");
            let off = recount::compare(&mut snapshot, org).await.expect("the sums");
            assert!(off.is_nothing(), "the days are not the sum of their facts: {off:?}");
        }
    }

    /// The night's recount of a business, by the worker, and what it found.
    pub async fn recounts(&self, org: OrgId) -> Check {
        worker::tasks::recount::run(&self.context, org).await.expect("a recount");
        let mut conn = self.db.read().await.expect("a connection");
        recount::last_check(&mut conn, org).await.expect("its result").expect("it is there")
    }
}

/// What the dashboard asks for.
pub async fn kpis(client: &Client, business: &str) -> Value {
    let answer = client.get(&format!("/api/kpis/{business}")).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

/// The last days, oldest first.
pub async fn daily(client: &Client, business: &str, days: u32) -> Vec<Value> {
    let answer = client.get(&format!("/api/daily-metrics/{business}?days={days}")).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()["days"].as_array().expect("days").clone()
}
