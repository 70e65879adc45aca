//! A worker that dies or stalls at any step of a text: the text is sent once, and its message is settled.

use std::collections::HashMap;

use chrono::Duration;
use shared::{
    domain::messaging::message::{MessageStatus, send},
    platform::{
        db::q,
        tasks::{TaskOutcome, queue},
    },
};
use tests::{
    both_databases,
    fake_twilio::{Product, Status as Word},
    load_size,
};

use super::{asks, balance, calls, is_rescued, stage, state, takes, takes_task};

#[derive(Clone, Copy, Debug)]
enum Died {
    BeforeTheClaim,
    BeforeTheCall,
    AfterTheCall,
    AfterTheReport,
    AfterTheRecord,
}

both_databases! {
    async fn worker_crash_at_any_step_leaves_exactly_one_text(app) {
        let (twilio, shop) = stage(app).await;
        let server = app.client().server().await;
        let product = Product::at(&server.url).known_as("https://toolbox.example");
        let hooks = twilio.hooks(product);
        let steps = [
            Died::BeforeTheClaim, Died::BeforeTheCall, Died::AfterTheCall, Died::AfterTheReport, Died::AfterTheRecord,
        ];
        let (times, mut day) = (load_size(1, 50), app.origin.now());
        for (n, died) in (1..).zip(steps.into_iter().cycle().take(steps.len() * times)) {
            if n > 1 && matches!(died, Died::BeforeTheClaim) {
                // The same hour of the next day: at night a late text waits for the morning, which is another story.
                day += Duration::days(1);
                app.advance(day - app.origin.now());
            }
            let (_, id) = asks(app, &shop, n).await;
            let before = twilio.received().len();
            if let Died::BeforeTheClaim = died {
                takes_task(app, id, "dead").await;
            } else {
                let (_, message) = takes(app, id, "dead").await;
                if !matches!(died, Died::BeforeTheCall) {
                    let accepted = calls(app, &message).await;
                    if let Died::AfterTheReport = died {
                        hooks.reports(&accepted.provider_id, &[Word::Sent, Word::Delivered]).await;
                    }
                    if let Died::AfterTheRecord = died {
                        let result = Ok(accepted);
                        let kept = app.within(async |tx| send::record_outcome(tx, &app.origin, &message, &result).await).await;
                        assert!(kept.unwrap());
                    }
                }
            }
            is_rescued(app).await;
            let now = state(app, id).await;
            let expected = match died {
                Died::BeforeTheClaim | Died::AfterTheRecord => MessageStatus::Sent,
                Died::BeforeTheCall | Died::AfterTheCall => MessageStatus::Unknown,
                Died::AfterTheReport => MessageStatus::Delivered,
            };
            assert_eq!(now, expected, "{died:?}: within a minute of its death");
            app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
            assert_eq!(twilio.received().len() - before, 1, "{died:?}");
        }
        assert_eq!(balance(app, &twilio).await, HashMap::from([("Sent".to_owned(), 4 * times), ("Delivered".to_owned(), times)]));
    }

    async fn send_task_with_repeated_crashes_still_settles_its_message(app) {
        let (_twilio, shop) = stage(app).await;
        let (_, id) = asks(app, &shop, 1).await;
        takes(app, id, "dead").await;
        let sql = "UPDATE task SET has_started = TRUE, crashes = 9 WHERE kind = 'send_message' AND subject_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, id)?)).await.unwrap();
        is_rescued(app).await;
        assert_eq!(state(app, id).await, MessageStatus::Unknown, "it is not left in sending");
        app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
    }

    async fn recorded_send_with_lost_claim_is_not_repeated(app) {
        let (twilio, shop) = stage(app).await;
        let (_, id) = asks(app, &shop, 1).await;
        let (task, message) = takes(app, id, "w").await;
        let accepted = Ok(calls(app, &message).await);
        let lost = "UPDATE message SET status = 'queued', attempts = attempts - 1, fence = fence - 1 WHERE id = $1";
        app.within(async |tx| Ok(q!(tx, execute, lost, id)?)).await.unwrap();
        app.within(async |tx| Ok(q!(tx, execute, "DELETE FROM message_attempt WHERE message_id = $1", id)?)).await.unwrap();
        let recorded = app.within(async |tx| send::record_outcome(tx, &app.origin, &message, &accepted).await).await.unwrap();
        assert!(recorded);
        queue::record_outcomes(&app.db, &app.origin, "w", &[(task, TaskOutcome::Done)]).await.unwrap();
        app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 1));
    }

    async fn stalled_worker_cannot_record_over_its_successor(app) {
        let (twilio, shop) = stage(app).await;
        let (_, id) = asks(app, &shop, 1).await;
        let (task, message) = takes(app, id, "stalled").await;
        let accepted = Ok(calls(app, &message).await);
        is_rescued(app).await;
        app.live_through(Duration::minutes(2), Duration::seconds(30)).await;
        assert_eq!(state(app, id).await, MessageStatus::Sent, "its successor found the text in the list");
        let recorded = app.within(async |tx| send::record_outcome(tx, &app.origin, &message, &accepted).await).await.unwrap();
        assert!(!recorded, "a stale fence is refused");
        queue::record_outcomes(&app.db, &app.origin, "stalled", &[(task, TaskOutcome::Retry("late".into()))]).await.unwrap();
        app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 1));
    }
}
