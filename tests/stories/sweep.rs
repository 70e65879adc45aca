//! The net under the queue: no message waits for ever because a task was lost, and none in doubt is sent twice.

use std::cell::Cell;

use chrono::Duration;
use shared::{
    domain::messaging::message::{
        Status,
        send::{self, Claim},
        send_policy::SetUp,
        send_rate::{Counts, Pace},
        sweep,
    },
    platform::{
        db::{Engine, Tx, q},
        tasks::{End, queue},
    },
    providers::SendError,
};
use tests::{
    app::{LEASE, TestApp},
    both_databases,
    people::Visitor,
};

const MINUTE: Duration = Duration::seconds(61);

/// Ends every due task in this way without doing what it asks for.
async fn lose_tasks(app: &TestApp, end: &End) {
    let claimed = queue::claim(&app.db, &app.origin, "w", LEASE, 100).await.expect("a claim");
    assert!(!claimed.is_empty());
    let ends: Vec<_> = claimed.into_iter().map(|task| (task, end.clone())).collect();
    queue::finish(&app.db, &app.origin, "w", &ends).await.expect("the ends are recorded");
}

/// Runs `other` beside an open transaction until it is done or waits for a lock of PostgreSQL, and then commits. `SQLite`
/// lets one writer begin at a time.
async fn beside(app: &TestApp, open: Tx, other: impl Future<Output = ()>) {
    let is_done = Cell::new(false);
    let run = async {
        other.await;
        is_done.set(true);
    };
    let end = async {
        let sql =
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while app.db.engine() == Engine::Postgres && !is_done.get() {
            if q!(&mut app.db.read().await.unwrap(), fetch_one scalar i64, sql).unwrap() > 0 {
                break;
            }
        }
        open.commit().await.unwrap();
    };
    futures::join!(run, end);
}

async fn sweep(app: &TestApp) -> usize {
    sweep::run(&app.db, &app.origin).await.expect("a sweep")
}

both_databases! {
    async fn a_message_whose_task_was_lost_is_sent_a_minute_later(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        lose_tasks(app, &End::Done).await;
        app.advance(Duration::seconds(59));
        assert_eq!(sweep(app).await, 0, "the queue gets its time first");
        app.advance(Duration::seconds(2));
        assert_eq!((sweep(app).await, sweep(app).await), (3, 0), "taken up once");
        app.run_tasks().await;
        assert!(app.outbox(shop.id(), lead).await.iter().all(|line| line.ends_with(": sent")));
        assert_eq!((app.sms.calls().len(), app.mail.calls().len()), (1, 2));
    }

    async fn a_message_found_half_sent_is_in_doubt_and_its_old_holder_can_no_longer_record(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        lose_tasks(app, &End::Done).await;
        let id = app.lead(shop.id(), lead).await.messages[0].id;
        let all = (SetUp { sms: true, email: true, takes_money: false }, Pace::default());
        let claimed = app.within(async |tx| send::claim(tx, &app.origin, "w", all, &Counts::default(), id).await).await.unwrap();
        let Claim::Send(held) = claimed else { panic!("{claimed:?}") };
        app.advance(MINUTE);
        assert_eq!(sweep(app).await, 3);
        let found = app.lead(shop.id(), lead).await;
        assert_eq!(found.messages[0].status, Status::Unknown);
        assert!(found.summary.needs_attention);
        let accepted = Ok(shared::providers::Accepted { provider_id: "SM1".into(), provider_status: None, stored_as: None, bill: shared::providers::Bill::default() });
        let recorded = app.within(async |tx| send::record(tx, &app.origin, &held, &accepted).await).await.unwrap();
        assert!(!recorded);
        app.live_through(Duration::hours(2), Duration::minutes(10)).await;
        assert_eq!(app.lead(shop.id(), lead).await.messages[0].status, Status::Sent);
        assert_eq!(app.sms.calls().len(), 1, "the provider was asked twice and never had it: it went once");
    }

    async fn claim_beside_an_outcome_that_is_being_recorded_sees_it(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        lose_tasks(app, &End::Done).await;
        let id = app.lead(shop.id(), lead).await.messages[0].id;
        let all = (SetUp { sms: true, email: true, takes_money: false }, Pace::default());
        let claimed = app.within(async |tx| send::claim(tx, &app.origin, "w", all, &Counts::default(), id).await).await.unwrap();
        let Claim::Send(held) = claimed else { panic!("{claimed:?}") };
        let mut open = app.db.begin().await.unwrap();
        let busy = Err(SendError::Retry { reason: "HTTP 503".to_owned(), after: None });
        assert!(send::record(&mut open, &app.origin, &held, &busy).await.unwrap());
        let other = async {
            let beside = app.within(async |tx| send::claim(tx, &app.origin, "x", all, &Counts::default(), id).await).await.unwrap();
            assert!(matches!(beside, Claim::Settled), "{beside:?}");
        };
        beside(app, open, Box::pin(other)).await;
        assert_eq!(app.lead(shop.id(), lead).await.messages[0].status, Status::Queued, "its outcome is known");
    }

    async fn a_second_worker_that_finds_a_message_half_sent_does_not_send_it(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        let id = app.lead(shop.id(), lead).await.messages[0].id;
        let all = (SetUp { sms: true, email: true, takes_money: false }, Pace::default());
        let claimed = app.within(async |tx| send::claim(tx, &app.origin, "dead", all, &Counts::default(), id).await).await.unwrap();
        assert!(matches!(claimed, Claim::Send(_)));
        app.run_tasks().await;
        assert_eq!(app.lead(shop.id(), lead).await.messages[0].status, Status::Unknown);
        assert!(app.sms.calls().is_empty());
    }

    async fn a_message_whose_task_is_dead_fails_in_words_a_person_can_act_on(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        lose_tasks(app, &End::Dead("it panicked three times".into())).await;
        app.advance(MINUTE);
        assert_eq!(sweep(app).await, 3);
        let found = app.lead(shop.id(), lead).await;
        assert!(found.messages.iter().all(|m| m.retryable && m.status_text == "failed: an internal fault stopped it"));
        assert_eq!(app.run_tasks().await, 0);
    }
}
