//! Dead tasks: shown to their owner, and restarted one by one or all at once.

use serde_json::{Value, json};
use shared::{
    domain::tenancy::account::Role,
    platform::{
        db::q,
        id::OrgId,
        tasks::{self, NewTask, TaskKind, TaskOutcome, TaskStatus, queue, view},
    },
};
use tests::{
    app::{LEASE, TestApp},
    both_databases,
};

/// Makes this many tasks of a business dead.
async fn stop(app: &TestApp, org: OrgId, many: usize) {
    let task = |n| NewTask {
        org: Some(org),
        kind: TaskKind::Noop,
        subject: None,
        run_at: app.now(),
        unique_key: format!("{org} {n}"),
    };
    app.within(async |tx| tasks::enqueue(tx, &app.origin, (0..many).map(task).collect()).await).await.unwrap();
    // Restarted tasks are spread over some time.
    app.advance(chrono::Duration::minutes(2));
    loop {
        let claimed = queue::claim_due(&app.db, &app.origin, "w", LEASE, 50).await.unwrap();
        if claimed.is_empty() {
            return;
        }
        let ends: Vec<_> = claimed.into_iter().map(|task| (task, TaskOutcome::Dead("no such number".into()))).collect();
        queue::record_outcomes(&app.db, &app.origin, "w", &ends).await.unwrap();
    }
}

async fn dead(app: &TestApp, org: OrgId) -> i64 {
    view::count_tasks(&mut app.db.acquire_reader().await.unwrap(), org, Some(TaskStatus::Dead)).await.unwrap()
}

both_databases! {
    async fn owner_lists_dead_tasks_and_retries_all_at_once(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        stop(app, shop.id(), 3).await;
        stop(app, other.id(), 1).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let listed = owner.get("/api/tasks?status=dead").await;
        assert_eq!(listed.header("x-total-count"), "3");
        assert_eq!(listed.json()[0]["lastError"], "no such number");
        let answer = owner.post("/api/tasks/retry", &Value::Null).await;
        assert_eq!((answer.status.as_u16(), answer.json()), (202, json!({"revived": 3})));
        assert_eq!((dead(app, shop.id()).await, dead(app, other.id()).await), (0, 1), "only their own");
        let conn = &mut app.db.acquire_reader().await.unwrap();
        let turns = "SELECT COUNT(DISTINCT dispatch_at) FROM task WHERE org_id = $1 AND status = 'ready'";
        assert_eq!(q!(conn, fetch_one scalar i64, turns, shop.id()).unwrap(), 3, "no burst before others");
        let noted = "SELECT COUNT(*) FROM audit_event WHERE org_id = $1 AND action = 'tasks_revived'";
        assert_eq!(q!(conn, fetch_one scalar i64, noted, shop.id()).unwrap(), 1);
        app.advance(chrono::Duration::seconds(2));
        assert_eq!(app.run_tasks().await, 3);
        assert_eq!(owner.post("/api/tasks/retry", &Value::Null).await.json(), json!({"revived": 0}));
    }

    async fn retry_revives_at_most_five_hundred_tasks_at_a_time(app) {
        let shop = app.org("Acme Plumbing").await;
        stop(app, shop.id(), 503).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        for (revived, left) in [(500, 3), (3, 0)] {
            assert_eq!(owner.post("/api/tasks/retry", &Value::Null).await.json(), json!({ "revived": revived }));
            assert_eq!(dead(app, shop.id()).await, left);
        }
        app.advance(chrono::Duration::minutes(2));
        assert_eq!(app.run_tasks().await, 503);
    }

    async fn office_and_crew_cannot_retry_dead_tasks(app) {
        let shop = app.org("Acme Plumbing").await;
        stop(app, shop.id(), 1).await;
        for role in [Role::Office, Role::Crew] {
            let client = app.client().signed_in(app, &app.staff(&shop, role).await).await;
            assert_eq!(client.post("/api/tasks/retry", &Value::Null).await.status, 403);
        }
        assert_eq!(dead(app, shop.id()).await, 1);
    }
}
