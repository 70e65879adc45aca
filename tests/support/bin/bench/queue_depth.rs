//! The cost of one claim, by number of waiting tasks and of businesses.

use std::time::Instant;

use chrono::Duration;
use shared::platform::{
    clock::ClockRng,
    db::Db,
    id::OrgId,
    tasks::{self, ClaimedTask, NewTask, TaskKind, TaskOutcome, queue},
};
use tests::test_install::TestInstall;

use crate::figures::{Figures, Goal, quantile};

/// Ready tasks, and their businesses.
const DEPTHS: [(usize, usize); 6] =
    [(10, 1), (10_000, 1), (10_000, 100), (10_000, 10_000), (1_000_000, 100), (1_000_000, 10_000)];
const CLAIMS: usize = 300;
const P99_MS: f64 = 5.0;
const WORKER: &str = "bench";

/// Claims of a worker with sixteen slots, most of them taken: some businesses are at their limit of five.
pub async fn claims(engine: &str, install: &TestInstall, figures: &mut Figures) {
    let (db, origin) = (install.open().await, ClockRng::system());
    let mut there = 0;
    for (depth, businesses) in DEPTHS {
        let orgs: Vec<OrgId> = (0..businesses).map(|_| OrgId(origin.random_uuid())).collect();
        // Each depth begins with the rest of the last one: never fewer than stated.
        fill(&db, &origin, &orgs, depth.saturating_sub(there)).await;
        there = there.max(depth);
        while queue::admit_due(&db, &origin).await.expect("a look") {}
        let mut times = measure(&db, &origin).await;
        let name = format!("claim with {depth} tasks of {businesses} businesses waiting");
        figures.add(engine, &format!("{name}, p50"), quantile(&mut times, 0.5), "ms", Goal::None);
        figures.add(engine, &format!("{name}, p99"), quantile(&mut times, 0.99), "ms", Goal::AtMost(P99_MS));
    }
    db.close().await;
}

/// Ready tasks spread over the businesses; a tenth of them are due tomorrow.
async fn fill(db: &Db, origin: &ClockRng, orgs: &[OrgId], count: usize) {
    let each = count.div_ceil(orgs.len().max(1));
    if count == 0 {
        return;
    }
    for some in orgs.chunks((2_000 / each.max(1)).max(1)) {
        let mut tx = db.begin_long().await.expect("a transaction");
        for org in some {
            for bulk in 0..each.div_ceil(2_000) {
                let tasks: Vec<NewTask> = (0..each.min(2_000)).map(|n| noop(origin, *org, bulk * 2_000 + n)).collect();
                tasks::enqueue(&mut tx, origin, tasks).await.expect("tasks");
            }
        }
        tx.commit().await.expect("a commit");
    }
}

fn noop(origin: &ClockRng, org: OrgId, n: usize) -> NewTask {
    let later = if n % 10 == 9 { Duration::days(1) } else { Duration::zero() };
    let unique_key = format!("bench:{org}:{n}");
    NewTask { org: Some(org), kind: TaskKind::Noop, subject: None, run_at: origin.now() + later, unique_key }
}

/// Claims four at a time, and ends the oldest four whenever sixteen are held.
async fn measure(db: &Db, origin: &ClockRng) -> Vec<f64> {
    let (mut held, mut times): (Vec<ClaimedTask>, Vec<f64>) = (Vec::new(), Vec::with_capacity(CLAIMS));
    for _ in 0..CLAIMS {
        let began = Instant::now();
        let claimed = queue::claim_due(db, origin, WORKER, Duration::minutes(10), 4).await.expect("a claim");
        times.push(began.elapsed().as_secs_f64() * 1000.0);
        held.extend(claimed);
        if held.len() > 12 {
            let over: Vec<(ClaimedTask, TaskOutcome)> = held.drain(..4).map(|task| (task, TaskOutcome::Done)).collect();
            queue::record_outcomes(db, origin, WORKER, &over).await.expect("their ends");
        }
    }
    let rest: Vec<(ClaimedTask, TaskOutcome)> = held.into_iter().map(|task| (task, TaskOutcome::Done)).collect();
    queue::record_outcomes(db, origin, WORKER, &rest).await.expect("their ends");
    times
}
