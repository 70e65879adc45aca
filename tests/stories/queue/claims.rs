//! A task belongs to one worker at a time: claimed, held, lost, given back.

use std::collections::BTreeMap;

use chrono::Duration;
use shared::platform::{
    db::q,
    id::TaskId,
    tasks::{TaskOutcome, TaskStatus, queue},
};
use tests::{
    app::{LEASE, TestApp},
    both_databases,
};

use super::{claim, claim_one, enqueue, finish, noop, rescue, status};

/// Claims until no task is left.
async fn drain(app: &TestApp, worker: String) -> Vec<TaskId> {
    let mut mine = Vec::new();
    loop {
        let claimed = claim(app, &worker, 7).await;
        if claimed.is_empty() {
            return mine;
        }
        mine.extend(claimed.iter().map(|task| task.id));
        let ends: Vec<_> = claimed.into_iter().map(|task| (task, TaskOutcome::Done)).collect();
        queue::record_outcomes(&app.db, &app.origin, &worker, &ends).await.expect("the ends are recorded");
    }
}

both_databases! {
    async fn concurrent_claimers_receive_each_task_once(app) {
        let wanted = (0..500).map(|n| noop(None, app, &format!("task {n}"))).collect();
        assert_eq!(enqueue(app, wanted).await, 500);
        let app = &*app;
        let shares = futures::future::join_all((0..8).map(|n| drain(app, format!("worker {n}")))).await;
        let mut times: BTreeMap<TaskId, usize> = BTreeMap::new();
        for id in shares.into_iter().flatten() {
            *times.entry(id).or_default() += 1;
        }
        assert_eq!((times.len(), times.values().max()), (500, Some(&1)));
        let done = "SELECT COUNT(*) FROM task WHERE status = 'done' AND attempts = 1";
        let conn = &mut app.db.acquire_reader().await.unwrap();
        assert_eq!(q!(conn, fetch_one scalar i64, done).unwrap(), 500);
    }

    async fn worker_that_lost_its_claim_cannot_record_a_result(app) {
        enqueue(app, vec![noop(None, app, "one")]).await;
        let lost = claim_one(app, "slow").await;
        app.advance(LEASE + Duration::milliseconds(1));
        assert_eq!(rescue(app).await, 1);
        let held = claim_one(app, "quick").await;
        for (worker, end) in [("slow", TaskOutcome::Done), ("slow", TaskOutcome::Dead("late".into())), ("quick", TaskOutcome::Retry("late".into()))] {
            finish(app, worker, &lost, end.clone()).await;
            assert_eq!(status(app, held.id).await, TaskStatus::Running, "{worker} {end:?}");
        }
        finish(app, "quick", &held, TaskOutcome::Done).await;
        assert_eq!(status(app, held.id).await, TaskStatus::Done);
    }

    async fn claim_holds_until_lease_end_and_heartbeat_renews_it(app) {
        enqueue(app, vec![noop(None, app, "one")]).await;
        let task = claim_one(app, "alive").await;
        app.advance(Duration::seconds(40));
        queue::renew_leases(&app.db, &app.origin, "alive", LEASE, &[task.id]).await.unwrap();
        app.advance(LEASE);
        assert_eq!(rescue(app).await, 0, "to the last moment");
        app.advance(Duration::milliseconds(1));
        assert_eq!((rescue(app).await, rescue(app).await), (1, 0));
        assert_eq!(status(app, task.id).await, TaskStatus::Ready);
        assert_eq!(app.run_tasks().await, 1);
    }

    async fn lease_of_claim_unknown_to_its_worker_expires_despite_heartbeat(app) {
        enqueue(app, vec![noop(None, app, "known")]).await;
        let known = claim_one(app, "alive").await;
        enqueue(app, vec![noop(None, app, "cut off")]).await;
        // Committed, but the connection broke before the answer came.
        let cut_off = claim_one(app, "alive").await;
        app.advance(Duration::seconds(40));
        queue::renew_leases(&app.db, &app.origin, "alive", LEASE, &[known.id]).await.unwrap();
        app.advance(Duration::seconds(10));
        assert_eq!(rescue(app).await, 1);
        assert_eq!((status(app, known.id).await, status(app, cut_off.id).await), (TaskStatus::Running, TaskStatus::Ready));
        finish(app, "alive", &known, TaskOutcome::Done).await;
        assert_eq!(app.run_tasks().await, 1);
    }

    async fn stopping_worker_releases_its_claims(app) {
        enqueue(app, vec![noop(None, app, "a"), noop(None, app, "b"), noop(None, app, "c")]).await;
        let given_up = claim(app, "stopping", 2).await;
        let kept = claim(app, "staying", 1).await;
        assert_eq!(queue::release_held(&app.db, "stopping").await.unwrap(), 2);
        assert_eq!(claim(app, "next", 10).await.len(), 2);
        finish(app, "stopping", &given_up[0], TaskOutcome::Done).await;
        assert_eq!(status(app, given_up[0].id).await, TaskStatus::Running);
        assert_eq!(status(app, kept[0].id).await, TaskStatus::Running);
    }
}
