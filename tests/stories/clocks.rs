//! A clock that is wrong: who has it is told so by the database, or by the other processes.

use chrono::Duration;
use shared::{
    ops::system_status::{
        self, WorkerFigures,
        clock::{self, MOST_OFF, Signs, Standing},
    },
    platform::{
        clock::{Clock, Entropy, Origin},
        db::{q, write_proof},
        tasks::{self, Kind, NewTask, queue},
    },
};
use tests::{
    app::{LEASE, TestApp},
    both_databases,
};
use worker::housekeeping;

/// The machine's time, moved by so much.
fn origin(off: Duration) -> Origin {
    Origin { clock: Clock::manual(Clock::System.now() + off), entropy: Entropy::seeded(1) }
}

/// What a worker is told of its clock while the API gives two signs of life.
async fn told(app: &TestApp, off: Duration) -> Standing {
    let (api, worker, mut signs) = (origin(Duration::zero()), origin(off), Signs::default());
    let mut standing = Standing::Unknown;
    for _ in 0..2 {
        write_proof::prove(&app.db, &api).await.unwrap();
        standing = clock::look(&app.db, &worker, "w1", &mut signs).await.unwrap();
        for origin in [&api, &worker] {
            origin.clock.advance(Duration::seconds(10));
        }
    }
    standing
}

both_databases! {
    async fn look_of_a_worker_hours_off_says_by_how_much_and_of_one_that_agrees_nothing(app) {
        assert_eq!(told(app, Duration::seconds(20)).await, Standing::Right);
        for hours in [2, -2] {
            let off = Duration::hours(hours);
            let standing = told(app, off).await;
            assert!(matches!(standing, Standing::Off(by) if (by - off).abs() < MOST_OFF), "{standing:?}");
        }
    }

    async fn reap_by_a_clock_that_is_hours_ahead_takes_nothing_from_the_living(app) {
        let right = origin(Duration::zero());
        let noop = |name: &str| NewTask {
            org: None,
            kind: Kind::Noop,
            subject: None,
            run_at: right.now() - Duration::minutes(1),
            unique_key: name.to_owned(),
        };
        let both = vec![noop("one"), noop("other")];
        app.within(async |tx| tasks::enqueue(tx, &right, both.clone()).await).await.unwrap();
        // The dead one's clock was ahead, too: its lease is not over by either clock.
        for (worker, lease) in [("dead", Duration::hours(3)), ("alive", LEASE)] {
            assert_eq!(queue::claim(&app.db, &right, worker, lease, 1).await.unwrap().len(), 1, "{worker}");
        }
        std::fs::write(app.context.data_dir.join("dead.alive"), "").unwrap();
        let mut signs = Signs::default();
        for (off, running) in [(Duration::hours(2), 2), (Duration::zero(), 1)] {
            app.context.origin = origin(off);
            write_proof::prove(&app.db, &right).await.unwrap();
            app.context.compare_clock(&mut signs).await;
            housekeeping::reap(&app.context).await.unwrap();
            assert_eq!(app.count("task WHERE status = 'running'").await, running, "{off} ahead");
        }
        app.within(async |tx| Ok(q!(tx, execute, "DELETE FROM task")?)).await.unwrap();
    }

    async fn note_of_a_clock_that_is_off_is_shown_and_taken_back(app) {
        let shop = app.org("Acme Plumbing").await;
        system_status::sign(&app.db, &app.origin, "w1", &WorkerFigures::default()).await.unwrap();
        for off in [Some(Duration::hours(2)), None] {
            clock::note(&app.db, "w1", off).await.unwrap();
            let facts = system_status::facts(&mut app.db.read().await.unwrap(), shop.id(), app.now()).await.unwrap();
            assert_eq!(facts.clock_off_ms, off.map(|off| off.num_milliseconds()));
        }
    }
}
