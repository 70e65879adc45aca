//! Answers to STOP and HELP: within minutes, or never.

use shared::{domain::messaging::message, platform::error::Error};
use tests::fake_twilio::Fault;

use super::*;

const NUMBER: &str = "+15125550100";
const BOB: &str = "+15125550143";
const WHY: &str = "it answers a keyword, and leaves within five minutes or not at all";

async fn keyword_answer(app: &TestApp, shop: &Shop, kind: &str) -> MessageView {
    let sql = "SELECT id FROM message WHERE org_id = $1 AND kind = $2";
    let mut conn = app.db.acquire_reader().await.unwrap();
    let id = q!(&mut conn, fetch_one scalar MessageId, sql, shop.id(), kind).unwrap();
    message::get_message(&mut conn, shop.id(), id).await.unwrap()
}

both_databases! {
    async fn refused_keyword_answer_is_never_sent_again(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let kinds = ["stop_confirmation", "help_reply"];
        for ((from, word), kind) in [(ANN, "alto"), (BOB, "HELP")].into_iter().zip(kinds) {
            line.twilio.script(Fault::Code { status: 400, code: 21_617 });
            line.writes(from, word).await;
            app.run_tasks().await;
            let answer = keyword_answer(app, &shop, kind).await;
            assert_eq!((answer.status, answer.retryable), (MessageStatus::Failed, false), "{kind}: {}", answer.status_text);
        }
        assert!(!keyword_answer(app, &shop, "stop_confirmation").await.by_hand, "nor is one's own phone offered");
        // Still within the five minutes, an hour later, and at three in the morning.
        for wait in [Duration::minutes(1), Duration::hours(1), Duration::hours(16)] {
            app.advance(wait);
            let office = office(app, &shop).await;
            for kind in kinds {
                assert_refused(&office, keyword_answer(app, &shop, kind).await.id, WHY).await;
            }
        }
        let id = keyword_answer(app, &shop, "stop_confirmation").await.id;
        let tried = app.within(async |tx| message::retry_message(tx, &app.origin, shop.id(), id).await).await;
        assert!(matches!(tried, Err(Error::Conflict(_))), "{tried:?}");
        app.run_tasks().await;
        assert_eq!((line.texts_to(ANN).len(), line.texts_to(BOB).len()), (0, 0));
    }

    async fn stop_confirmation_of_stopped_worker_is_given_up_for_good(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        line.writes(ANN, "alto").await;
        app.advance(Duration::minutes(6));
        app.run_tasks().await;
        let answer = keyword_answer(app, &shop, "stop_confirmation").await;
        assert!(!answer.retryable && !answer.by_hand, "{}", answer.status_text);
        assert_refused(&office(app, &shop).await, answer.id, WHY).await;
        app.run_tasks().await;
        assert!(line.texts_to(ANN).is_empty());
    }
}
