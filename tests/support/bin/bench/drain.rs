//! Tasks per second of the real worker, with tasks that cost only the queue.

use std::time::{Duration, Instant};

use shared::platform::{
    clock::ClockRng,
    db::{Db, q},
    id::OrgId,
    tasks::{self, NewTask, TaskKind},
};
use tests::{processes::worker, test_install::TestInstall};

use crate::figures::{Figures, Goal, rate};

const BATCH: usize = 1_000;
const SLOTS: &str = "64";
const PATIENCE: Duration = Duration::from_mins(2);

/// Tasks without a business: the queue's full speed.
pub async fn noops(engine: &str, install: &TestInstall, figures: &mut Figures) {
    let goal = if engine == "PostgreSQL" { 4_000.0 } else { 5_000.0 };
    let per_second = drain(install, None, 20_000).await;
    figures.add(engine, "no-op tasks drained, 64 slots", per_second, "per s", Goal::AtLeast(goal));
}

/// Tasks of one business, of which five run at once: the next one must begin when one ends, not at the worker's next
/// poll.
pub async fn noops_of_one_business(engine: &str, install: &TestInstall, figures: &mut Figures) {
    let business = OrgId(ClockRng::system().uuid_v7());
    let per_second = drain(install, Some(business), 5_000).await;
    figures.add(engine, "no-op tasks of one business drained, five at once", per_second, "per s", Goal::AtLeast(500.0));
}

/// Queues all, then starts a worker and waits for the last. Returns how many ended per second.
async fn drain(install: &TestInstall, org: Option<OrgId>, count: usize) -> f64 {
    let db = install.open().await;
    let origin = ClockRng::system();
    for batch in 0..count / BATCH {
        let mut tx = db.begin().await.expect("a transaction");
        let named = (0..BATCH).map(|n| noop(&origin, org, batch * BATCH + n)).collect();
        tasks::enqueue(&mut tx, &origin, named).await.expect("tasks");
        tx.commit().await.expect("a commit");
    }
    let _worker = worker(install, &[("WORKER_CONCURRENCY".to_owned(), SLOTS.to_owned())]).await;
    let began = Instant::now();
    while is_unfinished(&db).await {
        assert!(began.elapsed() < PATIENCE, "{count} tasks are not done after {PATIENCE:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    db.close().await;
    rate(count, began.elapsed().as_secs_f64())
}

fn noop(origin: &ClockRng, org: Option<OrgId>, number: usize) -> NewTask {
    NewTask { org, kind: TaskKind::Noop, subject: None, run_at: origin.now(), unique_key: format!("noop:{number}") }
}

async fn is_unfinished(db: &Db) -> bool {
    let mut conn = db.acquire_reader().await.expect("a connection");
    let left = "SELECT EXISTS (SELECT 1 FROM task WHERE status = 'ready')
                    OR EXISTS (SELECT 1 FROM task WHERE status = 'running')";
    q!(&mut conn, fetch_one scalar bool, left).expect("whether any is left")
}
