//! Tasks per second through the real worker, when a task costs nothing but the queue.

use std::time::{Duration, Instant};

use shared::{
    clock::Origin,
    db::{Db, q},
    tasks::{self, Kind, NewTask},
};
use tests::{ground::Ground, processes::worker};

use crate::figures::{Figures, Goal, rate};

const TASKS: usize = 20_000;
const BATCH: usize = 1_000;
const SLOTS: &str = "64";
const PATIENCE: Duration = Duration::from_mins(2);

/// Queues them all, then starts a worker and waits for the last.
pub async fn noops(engine: &str, ground: &Ground, figures: &mut Figures) {
    let db = ground.open().await;
    let origin = Origin::system();
    for batch in 0..TASKS / BATCH {
        let mut tx = db.begin().await.expect("a transaction");
        let named = (0..BATCH).map(|n| noop(&origin, batch * BATCH + n)).collect();
        tasks::enqueue(&mut tx, &origin, named).await.expect("tasks");
        tx.commit().await.expect("a commit");
    }
    let _worker = worker(ground, &[("WORKER_CONCURRENCY".to_owned(), SLOTS.to_owned())]).await;
    let began = Instant::now();
    while is_unfinished(&db).await {
        assert!(began.elapsed() < PATIENCE, "{TASKS} tasks are not done after {PATIENCE:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let per_second = rate(TASKS, began.elapsed().as_secs_f64());
    let goal = if engine == "PostgreSQL" { 4_000.0 } else { 5_000.0 };
    figures.add(engine, "no-op tasks drained, 64 slots", per_second, "per s", Goal::AtLeast(goal));
    db.close().await;
}

fn noop(origin: &Origin, number: usize) -> NewTask {
    NewTask { org: None, kind: Kind::Noop, subject: None, run_at: origin.now(), unique_key: format!("noop:{number}") }
}

async fn is_unfinished(db: &Db) -> bool {
    let mut conn = db.read().await.expect("a connection");
    let left = "SELECT EXISTS (SELECT 1 FROM task WHERE status = 'ready')
                    OR EXISTS (SELECT 1 FROM task WHERE status = 'running')";
    q!(&mut conn, fetch_one scalar bool, left).expect("whether any is left")
}
