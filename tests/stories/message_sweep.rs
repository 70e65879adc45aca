//! The sweep for messages: none waits for ever because of a lost task, and none in doubt is sent twice.

use std::cell::Cell;

use chrono::Duration;
use shared::{
    domain::{
        messaging::message::{
            MessageStatus,
            send::{self, ClaimOutcome},
            send_rate::{SendRateLimit, ServiceMemberCounts},
            sweep,
        },
        tenancy::org::SendChannels,
    },
    platform::{
        db::{Engine, Tx, q},
        tasks::{TaskOutcome, queue},
    },
    providers::SendError,
};
use tests::{
    app::{LEASE, TestApp},
    both_databases,
    people::Visitor,
};

const MINUTE: Duration = Duration::seconds(61);

/// Ends every due task in this way without running it.
async fn lose_tasks(app: &TestApp, end: &TaskOutcome) {
    let claimed = queue::claim_due(&app.db, &app.origin, "w", LEASE, 100).await.expect("a claim");
    assert!(!claimed.is_empty());
    let ends: Vec<_> = claimed.into_iter().map(|task| (task, end.clone())).collect();
    queue::record_outcomes(&app.db, &app.origin, "w", &ends).await.expect("the ends are recorded");
}

/// Runs `other` beside an open transaction until it is done or waits for a lock of PostgreSQL, and then commits.
/// `SQLite` allows one writer at a time.
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
            if q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql).unwrap() > 0 {
                break;
            }
        }
        open.commit().await.unwrap();
    };
    futures::join!(run, end);
}

async fn sweep(app: &TestApp) -> usize {
    sweep::requeue_stranded_messages(&app.db, &app.origin).await.expect("a sweep")
}

both_databases! {
    async fn message_with_lost_task_is_sent_after_a_minute(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        lose_tasks(app, &TaskOutcome::Done).await;
        app.advance(Duration::seconds(59));
        assert_eq!(sweep(app).await, 0, "the queue gets its time first");
        app.advance(Duration::seconds(2));
        assert_eq!((sweep(app).await, sweep(app).await), (3, 0), "taken up once");
        app.run_tasks().await;
        assert!(app.outbox(shop.id(), lead).await.iter().all(|line| line.ends_with(": sent")));
        assert_eq!((app.sms.recorded_sends().len(), app.mail.recorded_sends().len()), (1, 2));
    }

    async fn half_sent_message_is_in_doubt_and_old_holder_cannot_record(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        lose_tasks(app, &TaskOutcome::Done).await;
        let id = app.lead(shop.id(), lead).await.messages[0].id;
        let all = (SendChannels { sms: true, email: true, takes_money: false }, SendRateLimit::default());
        let claimed = app.within(async |tx| send::claim_message(tx, &app.origin, "w", all, &ServiceMemberCounts::default(), id).await).await.unwrap();
        let ClaimOutcome::Send(held) = claimed else { panic!("{claimed:?}") };
        app.advance(MINUTE);
        assert_eq!(sweep(app).await, 3);
        let found = app.lead(shop.id(), lead).await;
        assert_eq!(found.messages[0].status, MessageStatus::Unknown);
        assert!(found.summary.needs_attention);
        let accepted = Ok(shared::providers::AcceptedMessage { provider_id: "SM1".into(), provider_status: None, stored_as: None, bill: shared::providers::SmsCost::default() });
        let recorded = app.within(async |tx| send::record_outcome(tx, &app.origin, &held, &accepted).await).await.unwrap();
        assert!(!recorded);
        app.live_through(Duration::hours(2), Duration::minutes(10)).await;
        assert_eq!(app.lead(shop.id(), lead).await.messages[0].status, MessageStatus::Sent);
        assert_eq!(app.sms.recorded_sends().len(), 1, "the provider was asked twice and never had it: it went once");
    }

    async fn claim_concurrent_with_outcome_recording_sees_the_outcome(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        lose_tasks(app, &TaskOutcome::Done).await;
        let id = app.lead(shop.id(), lead).await.messages[0].id;
        let all = (SendChannels { sms: true, email: true, takes_money: false }, SendRateLimit::default());
        let claimed = app.within(async |tx| send::claim_message(tx, &app.origin, "w", all, &ServiceMemberCounts::default(), id).await).await.unwrap();
        let ClaimOutcome::Send(held) = claimed else { panic!("{claimed:?}") };
        let mut open = app.db.begin().await.unwrap();
        let busy = Err(SendError::Retry { reason: "HTTP 503".to_owned(), after: None });
        assert!(send::record_outcome(&mut open, &app.origin, &held, &busy).await.unwrap());
        let other = async {
            let beside = app.within(async |tx| send::claim_message(tx, &app.origin, "x", all, &ServiceMemberCounts::default(), id).await).await.unwrap();
            assert!(matches!(beside, ClaimOutcome::Settled), "{beside:?}");
        };
        beside(app, open, Box::pin(other)).await;
        assert_eq!(app.lead(shop.id(), lead).await.messages[0].status, MessageStatus::Queued, "its outcome is known");
    }

    async fn half_sent_message_is_not_sent_by_second_worker(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        let id = app.lead(shop.id(), lead).await.messages[0].id;
        let all = (SendChannels { sms: true, email: true, takes_money: false }, SendRateLimit::default());
        let claimed = app.within(async |tx| send::claim_message(tx, &app.origin, "dead", all, &ServiceMemberCounts::default(), id).await).await.unwrap();
        assert!(matches!(claimed, ClaimOutcome::Send(_)));
        app.run_tasks().await;
        assert_eq!(app.lead(shop.id(), lead).await.messages[0].status, MessageStatus::Unknown);
        assert!(app.sms.recorded_sends().is_empty());
    }

    async fn message_with_dead_task_fails_as_retryable(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        lose_tasks(app, &TaskOutcome::Dead("it panicked three times".into())).await;
        app.advance(MINUTE);
        assert_eq!(sweep(app).await, 3);
        let found = app.lead(shop.id(), lead).await;
        assert!(found.messages.iter().all(|m| m.retryable && m.status_text == "failed: an internal fault stopped it"));
        assert_eq!(app.run_tasks().await, 0);
    }
}
