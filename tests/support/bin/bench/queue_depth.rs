//! What one claim costs, however many tasks wait and of however many businesses.

use std::time::Instant;

use chrono::Duration;
use shared::platform::{
    clock::Origin,
    db::Db,
    id::OrgId,
    tasks::{self, Claimed, End, Kind, NewTask, queue},
};
use tests::ground::Ground;

use crate::figures::{Figures, Goal, quantile};

/// Ready tasks and the businesses they are of.
const DEPTHS: [(usize, usize); 6] =
    [(10, 1), (10_000, 1), (10_000, 100), (10_000, 10_000), (1_000_000, 100), (1_000_000, 10_000)];
const CLAIMS: usize = 300;
const P99_MS: f64 = 5.0;
const WORKER: &str = "bench";

/// Measures the claims of a worker with sixteen slots, most of which are taken: some businesses are at their five.
pub async fn claims(engine: &str, ground: &Ground, figures: &mut Figures) {
    let (db, origin) = (ground.open().await, Origin::system());
    let mut there = 0;
    for (depth, businesses) in DEPTHS {
        let orgs: Vec<OrgId> = (0..businesses).map(|_| OrgId(origin.random_uuid())).collect();
        // Each depth begins with what the last one left: there is never less than it says.
        fill(&db, &origin, &orgs, depth.saturating_sub(there)).await;
        there = there.max(depth);
        while queue::admit(&db, &origin).await.expect("a look") {}
        let mut times = measure(&db, &origin).await;
        let name = format!("claim with {depth} tasks of {businesses} businesses waiting");
        figures.add(engine, &format!("{name}, p50"), quantile(&mut times, 0.5), "ms", Goal::None);
        figures.add(engine, &format!("{name}, p99"), quantile(&mut times, 0.99), "ms", Goal::AtMost(P99_MS));
    }
    db.close().await;
}

/// So many ready tasks, dealt out to the businesses; a tenth of them are due tomorrow.
async fn fill(db: &Db, origin: &Origin, orgs: &[OrgId], count: usize) {
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

fn noop(origin: &Origin, org: OrgId, n: usize) -> NewTask {
    let later = if n % 10 == 9 { Duration::days(1) } else { Duration::zero() };
    let unique_key = format!("bench:{org}:{n}");
    NewTask { org: Some(org), kind: Kind::Noop, subject: None, run_at: origin.now() + later, unique_key }
}

/// Claims four at a time, and ends the oldest four whenever sixteen are held.
async fn measure(db: &Db, origin: &Origin) -> Vec<f64> {
    let (mut held, mut times): (Vec<Claimed>, Vec<f64>) = (Vec::new(), Vec::with_capacity(CLAIMS));
    for _ in 0..CLAIMS {
        let began = Instant::now();
        let claimed = queue::claim(db, origin, WORKER, Duration::minutes(10), 4).await.expect("a claim");
        times.push(began.elapsed().as_secs_f64() * 1000.0);
        held.extend(claimed);
        if held.len() > 12 {
            let over: Vec<(Claimed, End)> = held.drain(..4).map(|task| (task, End::Done)).collect();
            queue::finish(db, origin, WORKER, &over).await.expect("their ends");
        }
    }
    let rest: Vec<(Claimed, End)> = held.into_iter().map(|task| (task, End::Done)).collect();
    queue::finish(db, origin, WORKER, &rest).await.expect("their ends");
    times
}
