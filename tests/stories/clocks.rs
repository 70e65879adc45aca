//! A clock that is wrong: who has it is told so by the database, or by the other processes.

use chrono::Duration;
use shared::{
    clock::{Clock, Entropy, Origin},
    db::write_proof,
    system::{
        self, WorkerFigures,
        clock::{self, MOST_OFF, Signs, Standing},
    },
};
use tests::{app::TestApp, both_databases};

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

    async fn note_of_a_clock_that_is_off_is_shown_and_taken_back(app) {
        let shop = app.org("Acme Plumbing").await;
        system::sign(&app.db, &app.origin, "w1", &WorkerFigures::default()).await.unwrap();
        for off in [Some(Duration::hours(2)), None] {
            clock::note(&app.db, "w1", off).await.unwrap();
            let facts = system::facts(&mut app.db.read().await.unwrap(), shop.id(), app.now()).await.unwrap();
            assert_eq!(facts.clock_off_ms, off.map(|off| off.num_milliseconds()));
        }
    }
}
