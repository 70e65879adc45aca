//! A machine with a wrong clock: it learns so from the database or from the other processes.

use chrono::Duration;
use shared::{
    ops::system_status::{
        self, WorkerMetrics,
        clock::{self, ClockStatus, Heartbeats, MAX_CLOCK_SKEW},
    },
    platform::{
        clock::{Clock, ClockRng, Entropy},
        db::{Engine, q, write_probe},
        tasks::{self, NewTask, TaskKind, queue},
    },
};
use tests::{
    app::{LEASE, TestApp},
    both_databases,
};
use worker::housekeeping;

fn origin(off: Duration) -> ClockRng {
    ClockRng { clock: Clock::manual_at(Clock::System.now() + off), entropy: Entropy::from_seed(1) }
}

/// What a worker reports of its clock while the API gives two signs of life.
async fn reported_clock(app: &TestApp, off: Duration) -> ClockStatus {
    let (api, worker, mut signs) = (origin(Duration::zero()), origin(off), Heartbeats::default());
    let mut clock_status = ClockStatus::Unknown;
    for _ in 0..2 {
        write_probe::prove_writable(&app.db, &api).await.unwrap();
        clock_status = clock::check_clock(&app.db, &worker, "w1", &mut signs).await.unwrap();
        for origin in [&api, &worker] {
            origin.clock.advance(Duration::seconds(10));
        }
    }
    clock_status
}

both_databases! {
    async fn clock_check_reports_offset_of_hours_and_ignores_seconds(app) {
        assert_eq!(reported_clock(app, Duration::seconds(20)).await, ClockStatus::InSync);
        for hours in [2, -2] {
            let off = Duration::hours(hours);
            let clock_status = reported_clock(app, off).await;
            assert!(matches!(clock_status, ClockStatus::Skewed(by) if (by - off).abs() < MAX_CLOCK_SKEW), "{clock_status:?}");
        }
    }

    /// On `SQLite` there is no clock to compare with.
    async fn readyz_of_api_with_clock_hours_off_is_503_on_postgres(app) {
        let is_postgres = app.db.engine() == Engine::Postgres;
        for hours in [0, 2, -2] {
            app.origin = origin(Duration::hours(hours));
            let state = app.state();
            let client = TestApp::client_of(state.clone()).here();
            assert_eq!(client.get("/readyz").await.status, 200, "not compared yet");
            api::clock_watch::check_clock(&state).await.unwrap();
            let is_off = is_postgres && hours != 0;
            assert_eq!(client.get("/readyz").await.status, if is_off { 503 } else { 200 }, "{hours} hours");
            assert_eq!(client.get("/healthz").await.status, 200, "the process lives");
            let metrics = String::from_utf8(client.get("/metrics").await.body).unwrap();
            let ahead = metrics.lines().find_map(|line| line.strip_prefix("toolbox_clock_ahead_seconds "));
            let ahead = ahead.map(|seconds| seconds.parse::<i64>().unwrap());
            assert_eq!(ahead.is_some(), is_postgres, "{metrics}");
            assert!(ahead.is_none_or(|ahead| (ahead - hours * 3_600).abs() < 60), "{ahead:?}");
            app.advance(Duration::hours(-hours));
            api::clock_watch::check_clock(&state).await.unwrap();
            assert_eq!(client.get("/readyz").await.status, 200, "set again");
        }
    }

    async fn reap_with_clock_hours_ahead_takes_no_task(app) {
        let right = origin(Duration::zero());
        let noop = |name: &str| NewTask {
            org: None,
            kind: TaskKind::Noop,
            subject: None,
            run_at: right.now() - Duration::minutes(1),
            unique_key: name.to_owned(),
        };
        let both = vec![noop("one"), noop("other")];
        app.within(async |tx| tasks::enqueue(tx, &right, both.clone()).await).await.unwrap();
        // The dead worker's clock was ahead, too: its lease is not over by either clock.
        for (worker, lease) in [("dead", Duration::hours(3)), ("alive", LEASE)] {
            assert_eq!(queue::claim_due(&app.db, &right, worker, lease, 1).await.unwrap().len(), 1, "{worker}");
        }
        std::fs::write(app.context.data_dir.join("dead.alive"), "").unwrap();
        let mut signs = Heartbeats::default();
        for (off, running) in [(Duration::hours(2), 2), (Duration::zero(), 1)] {
            app.context.origin = origin(off);
            write_probe::prove_writable(&app.db, &right).await.unwrap();
            app.context.compare_clock(&mut signs).await;
            housekeeping::leases::reap_once(&app.context).await.unwrap();
            assert_eq!(app.count("task WHERE status = 'running'").await, running, "{off} ahead");
        }
        app.within(async |tx| Ok(q!(tx, execute, "DELETE FROM task")?)).await.unwrap();
    }

    async fn clock_offset_note_is_shown_and_cleared(app) {
        let shop = app.org("Acme Plumbing").await;
        system_status::record_heartbeat(&app.db, &app.origin, "w1", &WorkerMetrics::default()).await.unwrap();
        for off in [Some(Duration::hours(2)), None] {
            clock::record_clock_skew(&app.db, "w1", off).await.unwrap();
            let facts = system_status::load_system_facts(&mut app.db.acquire_reader().await.unwrap(), shop.id(), app.now()).await.unwrap();
            assert_eq!(facts.clock_off_ms, off.map(|off| off.num_milliseconds()));
        }
    }
}
