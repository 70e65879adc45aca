//! The demonstration: a business that anyone may read and nobody can change, with the promised figures.

use shared::{
    ops::demo_seed,
    platform::{id::DEMO_ORG, tasks::TaskKind},
};
use tests::{app::TestApp, both_databases, demo::Rows};

mod access;
mod customer_pages;
mod figures;
mod read_only;

async fn is_due(app: &TestApp) -> bool {
    demo_seed::is_due(&mut app.db.acquire_reader().await.unwrap(), app.now()).await.unwrap()
}

/// Seeded again on the same day it is equal, and no old rows are left.
async fn seeded_again_it_is_the_same(app: &TestApp, rows: &Rows) {
    assert!(rows["lead"].len() >= 100 && rows["job"].len() >= 75, "{} {}", rows["lead"].len(), rows["job"].len());
    app.seeds_demo().await;
    let again = app.demo_rows().await;
    for (table, before) in rows {
        assert_eq!(again[table].len(), before.len(), "{table}");
    }
    assert_eq!(app.count("org").await, 1);
    for table in ["lead", "job", "estimate", "invoice", "payment", "customer", "approval"] {
        assert_eq!(again[table], rows[table], "{table}");
    }
}

async fn the_one_that_is_planned_stops_for_good(app: &TestApp) {
    let sql = "UPDATE task SET status = 'dead', finished_at = $2 WHERE kind = $1 AND status = 'ready'";
    let mut tx = app.db.begin().await.unwrap();
    let stopped = shared::platform::db::q!(&mut tx, execute, sql, TaskKind::SeedDemo, app.now()).unwrap();
    tx.commit().await.unwrap();
    assert_eq!(stopped, 1);
}

async fn what_is_queued_for_it_by_another_hand_never_leaves(app: &TestApp) {
    let sql = "UPDATE message SET status = 'queued', attempts = 0, deadline_at = $2, next_attempt_at = $3
         WHERE org_id = $1 AND status IN ('sent', 'delivered')";
    let task =
        "INSERT INTO task (id, org_id, kind, subject_id, status, attempts, crashes, run_at, dispatch_at, unique_key,
             fence, created_at)
         SELECT m.id, m.org_id, $2, m.id, 'ready', 0, 0, $3, $3, 'rogue:' || m.dedupe_key, 0, $3 FROM message m
         WHERE m.org_id = $1 AND m.status = 'queued' LIMIT 3";
    let mut tx = app.db.begin().await.unwrap();
    let now = app.now();
    shared::platform::db::q!(&mut tx, execute, sql, DEMO_ORG, now + chrono::Duration::hours(1), now).unwrap();
    shared::platform::db::q!(&mut tx, execute, task, DEMO_ORG, TaskKind::SendMessage, now).unwrap();
    tx.commit().await.unwrap();
    assert_eq!(app.run_tasks().await, 3);
    assert!(app.sms.accepted_messages().is_empty() && app.mail.accepted_messages().is_empty(), "the gate refuses it");
}

both_databases! {
    /// One story for all of it: seeding takes as long as many other stories.
    async fn visitor_reads_everything_and_changes_nothing(app) {
        app.seeds_demo().await;
        access::everybody_comes_in(app).await;
        customer_pages::customers_look(app).await;
        read_only::nobody_changes_anything(app).await;
    }

    async fn unseeded_demo_returns_503_with_retry_after(app) {
        for (client, path) in [
            (app.client().at_demo(), "/api/auth/me"),
            (app.client().at_demo(), "/api/jobs"),
            (app.client(), "/api/kpis/demo"),
            (app.client(), "/api/daily-metrics/demo"),
            (app.client(), "/api/jobs?demo=1"),
        ] {
            let answer = client.get(path).await;
            assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (503, "5"), "{path}");
            let detail = answer.json()["detail"].as_str().unwrap_or_default().to_owned();
            assert!(detail.contains("demonstration is being set up"), "{path}: {detail}");
        }
    }

    async fn seeding_is_planned_once_a_day_across_workers(app) {
        let plan = async || demo_seed::schedule_seed(&app.db, &app.origin).await.unwrap();
        let planned = futures::future::join_all([plan(), plan(), plan()]).await;
        assert_eq!(planned.iter().filter(|planned| **planned).count(), 1, "{planned:?}");
        assert_eq!(app.due().await, ["seed_demo"]);
        assert!(is_due(app).await);
        app.run_tasks().await;
        assert!(!is_due(app).await);
        let rows = app.demo_rows().await;
        assert!(!plan().await, "it is of today");
        assert_eq!(app.run_tasks().await, 0);
        seeded_again_it_is_the_same(app, &rows).await;
        // One minute before midnight, and one after.
        let midnight = "2026-09-18T05:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap();
        app.advance(midnight - chrono::Duration::minutes(1) - app.now());
        assert!(!plan().await);
        app.advance(chrono::Duration::minutes(1));
        assert!(plan().await, "a new day");
        the_one_that_is_planned_stops_for_good(app).await;
        assert!(!plan().await, "not again in this hour");
        app.advance(chrono::Duration::hours(1));
        assert!(plan().await, "but in the next one");
        assert!(!plan().await, "while that one waits no other is planned");
        app.run_tasks().await;
        assert_ne!(app.demo_rows().await["job"], rows["job"], "its days move with today");
        assert!(app.demo_rows().await["task"].is_empty());
    }

    async fn seeded_demo_has_no_pending_work(app) {
        app.seeds_demo().await;
        let rows = app.demo_rows().await;
        assert!(rows["task"].is_empty() && rows["pulse_plan"].is_empty());
        let waiting = rows["message"].iter().filter(|row| row.contains("queued") || row.contains("held,")).count();
        assert_eq!(waiting, 0);
        app.advance(chrono::Duration::minutes(5));
        app.live_through(chrono::Duration::hours(30), chrono::Duration::hours(3)).await;
        assert_eq!(shared::domain::growth::metrics::recompute::enqueue_due_recomputes(&app.db, &app.origin).await.unwrap(), 0);
        assert_eq!(shared::domain::growth::kpi_pulse::plan::enqueue_due_pulses(&app.db, &app.origin).await.unwrap(), 0);
        shared::domain::growth::kpi_pulse::failure::check_scheduled_orgs(&app.db, &app.origin).await.unwrap();
        assert_eq!(app.run_tasks().await, 0);
        assert!(app.sms.accepted_messages().is_empty() && app.mail.accepted_messages().is_empty());
        assert_eq!(app.demo_rows().await, rows);
        what_is_queued_for_it_by_another_hand_never_leaves(app).await;
    }
}
