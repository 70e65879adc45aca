//! Texts through Twilio: refusals are shown, delayed ones wait, and those in doubt are never repeated by themselves.

use chrono::Duration;
use shared::{
    domain::messaging::message::{self, MessageChannel, MessageStatus},
    platform::{
        error::Error,
        id::{LeadId, MessageId},
    },
    providers::sms::SmsProvider,
};
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::{FakeTwilio, Fault},
    people::{Shop, Visitor},
};
use tokio::net::TcpListener;

async fn text(app: &TestApp, shop: &Shop, lead: LeadId) -> (MessageId, MessageStatus, String) {
    let messages = app.lead(shop.id(), lead).await.messages;
    let text = messages.into_iter().find(|m| m.channel == MessageChannel::Sms).expect("a text");
    (text.id, text.status, text.status_text)
}

/// Whether the list marks the lead for attention.
async fn is_marked(app: &TestApp, shop: &Shop, lead: LeadId) -> bool {
    app.lead(shop.id(), lead).await.summary.needs_attention
}

/// A fault leaves the text in doubt, and Twilio cannot be asked; a day later a person sends it again.
async fn stays_in_doubt_until_a_person_decides(app: &mut TestApp, fault: Fault, arrived: usize) {
    let twilio = FakeTwilio::start().await;
    app.use_twilio(&twilio);
    twilio.script(fault);
    twilio.break_reading(Some(503));
    let shop = app.org("Acme Plumbing").await;
    let lead = Visitor::ann().submits_lead(app, &shop).await;
    app.run_tasks().await;
    let (id, status, words) = text(app, &shop, lead).await;
    assert_eq!(status, MessageStatus::Unknown, "{fault:?}: {words}");
    assert!(words.starts_with("we can't tell if this was delivered: "), "{words}");
    assert!(is_marked(app, &shop, lead).await);
    app.live_through(Duration::days(1), Duration::hours(1)).await;
    assert_eq!((twilio.requests().len(), twilio.received().len()), (1, arrived), "{fault:?}");
    app.within(async |tx| message::retry_message(tx, &app.origin, shop.id(), id).await).await.unwrap();
    app.run_tasks().await;
    assert_eq!(text(app, &shop, lead).await.1, MessageStatus::Sent);
    assert_eq!((twilio.requests().len(), twilio.received().len()), (2, arrived + 1), "{fault:?}");
    assert!(!is_marked(app, &shop, lead).await);
    let again = app.within(async |tx| message::retry_message(tx, &app.origin, shop.id(), id).await).await;
    assert!(matches!(again, Err(Error::Conflict(_))), "a sent text cannot be sent again: {again:?}");
}

both_databases! {
    async fn text_is_sent_once_with_deadline_and_stored_provider_id(app) {
        let twilio = FakeTwilio::start().await;
        app.use_twilio(&twilio);
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(text(app, &shop, lead).await.1, MessageStatus::Sent);
        let [received] = &twilio.received()[..] else { panic!("{:?}", twilio.received()) };
        assert_eq!((received.to.as_str(), received.validity_period), ("+15125550142", Some(900)));
        let sql = "SELECT provider_id FROM message WHERE channel = 'sms'";
        let sid = shared::q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, sql).unwrap();
        assert_eq!(sid, received.sid);
    }

    async fn refused_number_fails_with_reason_and_email_is_still_sent(app) {
        for (n, code, says, words) in [(1, 21211, "failed: ", "number"), (2, 21610, "not sent: ", "opted out")] {
            let twilio = FakeTwilio::start().await;
            app.use_twilio(&twilio);
            twilio.script(Fault::Code { status: 400, code });
            let shop = app.org(&format!("Shop {n}")).await;
            let lead = Visitor::ann().submits_lead(app, &shop).await;
            app.run_tasks().await;
            let (_, _, status_text) = text(app, &shop, lead).await;
            assert!(status_text.starts_with(says) && status_text.contains(words), "{code}: {status_text}");
            assert_eq!(is_marked(app, &shop, lead).await, code == 21211, "an opt-out does not mark the lead");
            assert!(app.outbox(shop.id(), lead).await.contains(&"auto_reply email: sent".to_owned()));
            app.live_through(Duration::days(1), Duration::hours(2)).await;
            assert_eq!(twilio.requests().len(), 1, "a refusal is not repeated");
        }
    }

    async fn twilio_retry_after_pauses_texts_of_every_business(app) {
        let twilio = FakeTwilio::start().await;
        app.use_twilio(&twilio);
        twilio.script(Fault::TooManyRequests { retry_after: Some(30) });
        let (acme, best) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let first = Visitor::ann().submits_lead(app, &acme).await;
        app.run_tasks().await;
        let second = Visitor::number(1).submits_lead(app, &best).await;
        app.run_tasks().await;
        assert_eq!(twilio.requests().len(), 1, "the whole channel is quiet, for every business");
        assert_eq!(text(app, &best, second).await.2, "waiting to be sent: the provider asked us to wait");
        app.advance(Duration::milliseconds(29_999));
        app.run_tasks().await;
        assert_eq!(twilio.requests().len(), 1, "not a moment too early");
        assert!(!is_marked(app, &acme, first).await, "waiting is nothing to worry about");
        // The pause, and at most two seconds of jitter after it.
        app.advance(Duration::milliseconds(2_001));
        app.run_tasks().await;
        assert_eq!((twilio.requests().len(), twilio.received().len()), (3, 2));
        assert_eq!(text(app, &acme, first).await.1, MessageStatus::Sent);
        assert_eq!(text(app, &best, second).await.1, MessageStatus::Sent);
    }

    async fn text_that_cannot_meet_its_deadline_fails_visibly(app) {
        let twilio = FakeTwilio::start().await;
        app.use_twilio(&twilio);
        twilio.script(Fault::TooManyRequests { retry_after: Some(3_600) });
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let (_, status, words) = text(app, &shop, lead).await;
        assert_eq!(status, MessageStatus::Failed);
        assert!(words.starts_with("failed: it could not be sent in time"), "{words}");
        assert!(is_marked(app, &shop, lead).await);
        app.live_through(Duration::hours(3), Duration::minutes(20)).await;
        assert_eq!((twilio.requests().len(), twilio.received().len()), (1, 0));
    }

    async fn worker_returning_after_deadline_sends_no_text(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.advance(Duration::minutes(16));
        app.run_tasks().await;
        let (_, status, words) = text(app, &shop, lead).await;
        assert_eq!((status, words.as_str()), (MessageStatus::Failed, "failed: it could not be sent in time"));
        assert!(app.sms.recorded_sends().is_empty());
        assert_eq!(app.mail.accepted_messages().len(), 3, "the emails have a longer deadline, and an alert reports the failed text");
    }

    async fn timeout_after_accept_leaves_text_in_doubt(app) {
        stays_in_doubt_until_a_person_decides(app, Fault::AcceptThenHang { millis: 60_000 }, 1).await;
    }

    async fn connection_reset_after_accept_leaves_text_in_doubt(app) {
        stays_in_doubt_until_a_person_decides(app, Fault::AcceptThenReset, 1).await;
    }

    async fn connection_reset_before_accept_leaves_text_in_doubt(app) {
        stays_in_doubt_until_a_person_decides(app, Fault::ResetBeforeAccept, 0).await;
    }

    async fn server_error_after_accept_leaves_text_in_doubt(app) {
        stays_in_doubt_until_a_person_decides(app, Fault::Error500AfterAccept, 1).await;
    }

    async fn silent_connection_leaves_text_in_doubt(app) {
        // The system accepts connections and bytes, but no process reads them.
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        app.use_twilio_at(&format!("http://{}", silent.local_addr().unwrap()));
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(text(app, &shop, lead).await.1, MessageStatus::Unknown);
    }

    async fn unreachable_twilio_is_retried_after_about_five_seconds(app) {
        let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", nobody.local_addr().unwrap());
        drop(nobody);
        app.use_twilio_at(&url);
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(text(app, &shop, lead).await.2, "waiting to be sent: Twilio could not be reached");
        let waits = app.lead(shop.id(), lead).await.messages.iter().find_map(|m| m.next_attempt_at).unwrap() - app.now();
        assert!((4..=6).contains(&waits.num_seconds()), "{waits}");
        let twilio = FakeTwilio::start().await;
        app.use_twilio(&twilio);
        app.advance(Duration::seconds(7));
        app.run_tasks().await;
        assert_eq!((text(app, &shop, lead).await.1, twilio.received().len()), (MessageStatus::Sent, 1));
    }

    async fn text_without_twilio_is_not_sent_and_can_be_retried_after_setup(app) {
        app.context.sms = SmsProvider::Off;
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let (id, status, words) = text(app, &shop, lead).await;
        assert_eq!((status, words.as_str()), (MessageStatus::NotSent, "not sent: SMS is not set up"));
        assert!(!is_marked(app, &shop, lead).await, "the owner chose it; it is no alarm");
        app.context.sms = SmsProvider::Memory(app.sms.clone());
        app.within(async |tx| message::retry_message(tx, &app.origin, shop.id(), id).await).await.unwrap();
        app.run_tasks().await;
        assert_eq!((text(app, &shop, lead).await.1, app.sms.accepted_messages().len()), (MessageStatus::Sent, 1));
    }

    async fn message_of_another_business_cannot_be_retried(app) {
        app.context.sms = SmsProvider::Off;
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let id = text(app, &shop, lead).await.0;
        let tried = app.within(async |tx| message::retry_message(tx, &app.origin, other.id(), id).await).await;
        assert!(matches!(tried, Err(Error::NotFound)), "{tried:?}");
        assert_eq!(text(app, &shop, lead).await.1, MessageStatus::NotSent);
    }
}
