//! The queue: one worker for each task, lost tasks recovered, failing ones buried, and fair turns.

use chrono::Duration;
use shared::platform::{
    db::q,
    error::Error,
    id::{OrgId, TaskId},
    tasks::{self, ClaimedTask, NewTask, TaskKind, TaskOutcome, TaskStatus, prune::prune_finished, queue, view},
};
use tests::{
    app::{LEASE, TestApp},
    both_databases,
    people::Visitor,
};

mod backlog;
mod claims;
mod fairness;
mod poison_tasks;

const KEEP_DONE: Duration = Duration::days(90);

fn noop(org: Option<OrgId>, app: &TestApp, key: &str) -> NewTask {
    NewTask { org, kind: TaskKind::Noop, subject: None, run_at: app.now(), unique_key: key.to_owned() }
}

async fn enqueue(app: &TestApp, tasks: Vec<NewTask>) -> u64 {
    app.within(async |tx| tasks::enqueue(tx, &app.origin, tasks.clone()).await).await.expect("the tasks are stored")
}

async fn claim(app: &TestApp, worker: &str, limit: i64) -> Vec<ClaimedTask> {
    queue::claim_due(&app.db, &app.origin, worker, LEASE, limit).await.expect("a claim")
}

async fn claim_one(app: &TestApp, worker: &str) -> ClaimedTask {
    let mut claimed = claim(app, worker, 10).await;
    assert_eq!(claimed.len(), 1);
    claimed.remove(0)
}

async fn finish(app: &TestApp, worker: &str, task: &ClaimedTask, end: TaskOutcome) {
    queue::record_outcomes(&app.db, &app.origin, worker, &[(task.clone(), end)]).await.expect("the end is recorded");
}

async fn status(app: &TestApp, id: TaskId) -> TaskStatus {
    let sql = "SELECT status FROM task WHERE id = $1";
    q!(&mut app.db.acquire_reader().await.expect("a connection"), fetch_one scalar TaskStatus, sql, id)
        .expect("the task is there")
}

async fn rescue(app: &TestApp) -> u64 {
    queue::reclaim_expired(&app.db, &app.origin).await.expect("a rescue")
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskRow {
    id: uuid::Uuid,
    created_at: chrono::DateTime<chrono::Utc>,
}

/// The worker dies, its leases end, and another takes over its tasks.
async fn dies(app: &TestApp) -> u64 {
    app.advance(LEASE + Duration::milliseconds(1));
    rescue(app).await
}

both_databases! {
    async fn failing_task_doubles_its_wait_and_is_dead_after_twelve_tries(app) {
        enqueue(app, vec![noop(None, app, "fails")]).await;
        let mut pause = 5_000_i64;
        for attempt in 1..=12 {
            let task = claim_one(app, "w").await;
            assert_eq!(task.attempts, attempt);
            finish(app, "w", &task, TaskOutcome::Retry("no".into())).await;
            if attempt == 12 {
                assert_eq!(status(app, task.id).await, TaskStatus::Dead);
                break;
            }
            let step = |share: i64| Duration::milliseconds(pause.min(6 * 3_600_000) * share / 10);
            app.advance(step(8) - Duration::milliseconds(2));
            assert!(claim(app, "w", 1).await.is_empty(), "too early after try {attempt}");
            app.advance(step(4) + Duration::milliseconds(4));
            pause *= 2;
        }
        assert!(claim(app, "w", 1).await.is_empty());
    }

    async fn task_of_unknown_kind_ends_dead(app) {
        let insert = "INSERT INTO task (id, kind, status, attempts, crashes, run_at, dispatch_at, unique_key, fence, created_at)
             VALUES ($1, 'teleport', 'ready', 0, 0, $2, $2, 'x', 0, $2)";
        let id = TaskId(app.origin.uuid_v7());
        app.within(async |tx| Ok(q!(tx, execute, insert, id, app.now())?)).await.unwrap();
        assert_eq!((app.run_tasks().await, status(app, id).await), (1, TaskStatus::Dead));
    }

    async fn finished_tasks_are_kept_for_ninety_days_and_dead_ones_twice_as_long(app) {
        let ends = [("old", TaskOutcome::Done), ("dead", TaskOutcome::Dead("x".into())), ("kept", TaskOutcome::Done), ("fresh", TaskOutcome::Done)];
        let mut ids = Vec::new();
        for (key, end) in ends {
            enqueue(app, vec![noop(None, app, key)]).await;
            let task = claim_one(app, "w").await;
            finish(app, "w", &task, end).await;
            ids.push(task.id);
            app.advance(match key {
                "dead" => Duration::days(2),
                "kept" => Duration::days(89) - Duration::seconds(2),
                _ => Duration::seconds(2),
            });
        }
        assert_eq!(prune_finished(&app.db, app.now(), KEEP_DONE).await.unwrap(), 1);
        assert_eq!((app.count("task").await, status(app, ids[1]).await), (3, TaskStatus::Dead));
        app.advance(Duration::days(90));
        assert_eq!(prune_finished(&app.db, app.now(), KEEP_DONE).await.unwrap(), 3, "181 days after the dead one died");
    }

    async fn prune_across_slices_removes_only_old_tasks(app) {
        let keys: Vec<String> = (0..1_100).map(|n| format!("done-{n}")).collect();
        enqueue(app, keys.iter().map(|key| noop(None, app, key)).collect()).await;
        let sql = "UPDATE task SET status = 'done', finished_at = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, app.now())?)).await.unwrap();
        app.advance(Duration::days(2));
        enqueue(app, vec![noop(None, app, "fresh")]).await;
        assert_eq!(prune_finished(&app.db, app.now(), Duration::days(1)).await.unwrap(), 1_100);
        assert_eq!(app.count("task").await, 1);
        app.run_tasks().await;
    }

    async fn waiting_or_running_task_is_never_pruned(app) {
        enqueue(app, vec![noop(None, app, "runs"), noop(None, app, "waits")]).await;
        assert_eq!(claim(app, "w", 1).await.len(), 1);
        app.advance(Duration::days(400));
        assert_eq!((prune_finished(&app.db, app.now(), KEEP_DONE).await.unwrap(), app.count("task").await), (0, 2));
        rescue(app).await;
        assert_eq!(app.run_tasks().await, 2);
    }

    async fn concurrent_enqueues_with_same_key_create_one_task(app) {
        let app = &*app;
        let made = futures::future::join_all((0..50).map(|_| enqueue(app, vec![noop(None, app, "same")]))).await;
        assert_eq!((made.iter().sum::<u64>(), app.count("task").await), (1, 1));
        assert_eq!(app.run_tasks().await, 1);
        assert_eq!(enqueue(app, vec![noop(None, app, "same")]).await, 0, "done is done");
    }

    async fn task_due_later_is_not_run_before(app) {
        let later = NewTask { run_at: app.now() + Duration::minutes(5), ..noop(None, app, "later") };
        enqueue(app, vec![later]).await;
        app.advance(Duration::minutes(5) - Duration::milliseconds(1));
        assert_eq!(app.run_tasks().await, 0);
        app.advance(Duration::milliseconds(1));
        assert_eq!(app.run_tasks().await, 1);
    }

    async fn dead_task_is_revived_only_by_its_own_business(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        enqueue(app, vec![noop(Some(shop.id()), app, "one")]).await;
        let task = claim_one(app, "w").await;
        let revive = async |org: OrgId| app.within(async |tx| view::retry_dead(tx, &app.origin, org, task.id).await).await;
        assert!(matches!(revive(shop.id()).await, Ok(None)), "it is running");
        finish(app, "w", &task, TaskOutcome::Dead("a fault".into())).await;
        assert!(matches!(revive(other.id()).await, Err(Error::NotFound)));
        let again = revive(shop.id()).await.unwrap().unwrap();
        assert_eq!((again.status, again.attempts), (TaskStatus::Ready, 0));
        assert_eq!(app.run_tasks().await, 1);
        assert_eq!(status(app, task.id).await, TaskStatus::Done);
    }

    async fn lead_submission_enqueues_three_send_tasks(app) {
        let shop = app.org("Acme Plumbing").await;
        app.promises_nothing(&shop).await;
        Visitor::ann().submits_lead(app, &shop).await;
        let waiting = app.tasks(shop.id()).await;
        assert_eq!(waiting.len(), 3);
        assert!(waiting.iter().all(|t| t.status == TaskStatus::Ready && t.kind.starts_with("send_") && t.subject_id.is_some()));
        app.run_tasks().await;
        let mut conn = app.db.acquire_reader().await.unwrap();
        assert_eq!(view::count_tasks(&mut conn, shop.id(), Some(TaskStatus::Done)).await.unwrap(), 3);
        assert_eq!(view::count_tasks(&mut conn, shop.id(), None).await.unwrap(), 3);
    }

    async fn task_list_is_paged_newest_first(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        for n in 0..7 {
            // Three of one instant, so that a page ends between rows of the same age.
            enqueue(app, vec![noop(Some(shop.id()), app, &format!("{n}"))]).await;
            app.advance(Duration::milliseconds(if n < 3 { 0 } else { 5 }));
        }
        enqueue(app, vec![noop(Some(other.id()), app, "theirs")]).await;
        let client = app.client().signed_in(app, shop.owner()).await;
        let (mut path, mut seen, mut pages) = ("/api/tasks?status=ready&limit=2".to_owned(), Vec::new(), 0);
        loop {
            let page = client.get(&path).await;
            assert_eq!((page.status.as_u16(), page.header("x-total-count")), (200, "7"));
            let rows: Vec<TaskRow> = serde_json::from_value(page.json()).unwrap();
            seen.extend(rows.into_iter().map(|row| (row.created_at, row.id)));
            pages += 1;
            let Some(next) = page.header("link").strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\"")) else { break };
            path = next.to_owned();
        }
        assert_eq!((pages, seen.len()), (4, 7));
        assert!(seen.is_sorted_by(|a, b| a > b), "newest first, none twice: {seen:?}");
        let (_, _, fields) = client.get("/api/tasks?cursor=elsewhere").await.problem();
        assert_eq!(fields, ["cursor"]);
        for limit in ["0", "201", "many"] {
            assert_eq!(client.get(&format!("/api/tasks?limit={limit}")).await.problem().2, ["limit"]);
        }
        enqueue(app, (0..60).map(|n| noop(Some(shop.id()), app, &format!("more {n}"))).collect()).await;
        assert_eq!(client.get("/api/tasks").await.json().as_array().map(Vec::len), Some(50));
        assert_eq!(app.run_tasks().await, 68);
    }
}
