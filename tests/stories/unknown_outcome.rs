//! Faults of the provider and of our own processes in the middle of a text: never sent twice, never lost silently.
//! The reference is the fake Twilio's ledger of received texts.

use std::collections::HashMap;

use chrono::Duration;
use serde_json::json;
use shared::{
    domain::{
        messaging::message::{
            MessageChannel, MessageStatus, reconcile,
            send::{self, ClaimOutcome, ClaimedMessage},
            send_rate::{SendRateLimit, ServiceMemberCounts},
        },
        tenancy::org::SendChannels,
    },
    platform::{
        clock::Entropy,
        db::q,
        id::{LeadId, MessageId},
        recipient::Recipient,
        tasks::{ClaimedTask, queue},
    },
    providers::{AcceptedMessage, sms::SmsMessage},
};
use tests::{
    app::{LEASE, TestApp},
    both_databases,
    fake_twilio::{FakeTwilio, Fault, Product, Reporting, Status as Word},
    http::Server,
    load_size,
    people::{Shop, Visitor},
};

mod worker_crashes;

const SET_UP: (SendChannels, SendRateLimit) = (SendChannels { sms: true, email: true, takes_money: false }, QUICK);
/// A pace that delays nothing here; pacing has its own stories.
const QUICK: SendRateLimit = SendRateLimit { segments_a_second: 1_000, texts_a_day: 1_000_000, members: 1 };

async fn stage(app: &mut TestApp) -> (FakeTwilio, Shop) {
    let twilio = FakeTwilio::start().await;
    twilio.follow(&app.origin.clock);
    app.use_twilio(&twilio);
    app.context.config.pace = QUICK;
    let shop = app.org("Acme Plumbing").await;
    app.sets(&shop, json!({"sending": {"dailyTextBudget": 10_000}})).await;
    (twilio, shop)
}

/// Each text is reported after its answer.
async fn reporting(app: &TestApp, twilio: &FakeTwilio, words: &[Word]) -> Server {
    let server = app.client().server().await;
    twilio.report_by_itself(Some(Reporting {
        product: Product::at(&server.url).known_as("https://toolbox.example"),
        before_the_answer: Vec::new(),
        after_the_answer: words.to_vec(),
    }));
    server
}

async fn asks(app: &TestApp, shop: &Shop, n: u32) -> (LeadId, MessageId) {
    let lead = Visitor::number(n).submits_lead(app, shop).await;
    let messages = app.lead(shop.id(), lead).await.messages;
    (lead, messages.into_iter().find(|m| m.channel == MessageChannel::Sms).expect("a text").id)
}

fn number(n: usize) -> u32 {
    u32::try_from(n).expect("few enough")
}

async fn state(app: &TestApp, id: MessageId) -> MessageStatus {
    let sql = "SELECT status FROM message WHERE id = $1";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar MessageStatus, sql, id).unwrap()
}

/// Counts the texts in each state, after comparing rows with received texts.
///
/// # Panics
/// When a text arrived twice, arrived and is called something else, or is called sent and did not arrive.
async fn balance(app: &TestApp, twilio: &FakeTwilio) -> HashMap<String, usize> {
    let mut arrived: HashMap<String, usize> = HashMap::new();
    for text in twilio.received() {
        let ours = text.status_callback.expect("every text says where to report");
        *arrived.entry(ours.rsplit('/').next().unwrap().to_owned()).or_default() += 1;
    }
    let sql = "SELECT id, status FROM message WHERE channel = 'sms' AND direction = 'out'";
    let rows = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all as (MessageId, MessageStatus), sql).unwrap();
    let mut states = HashMap::new();
    for (id, status) in rows {
        let times = arrived.get(&id.to_string()).copied().unwrap_or_default();
        let is_right = match status {
            MessageStatus::Sent | MessageStatus::Delivered => times == 1,
            MessageStatus::Unknown => times <= 1,
            MessageStatus::Failed | MessageStatus::NotSent => times == 0,
            _ => false,
        };
        assert!(is_right, "{id} is {status:?} and arrived {times} times");
        *states.entry(format!("{status:?}")).or_default() += 1;
    }
    states
}

/// A worker claims the task and the message, and dies.
async fn takes(app: &TestApp, id: MessageId, worker: &str) -> (ClaimedTask, Box<ClaimedMessage>) {
    let task = takes_task(app, id, worker).await;
    let claimed = app
        .within(async |tx| {
            send::claim_message(tx, &app.origin, worker, SET_UP, &ServiceMemberCounts::default(), id).await
        })
        .await
        .unwrap();
    let ClaimOutcome::Send(message) = claimed else { panic!("{claimed:?}") };
    (task, message)
}

/// A worker claims the message's task; it gives the others back.
async fn takes_task(app: &TestApp, id: MessageId, worker: &str) -> ClaimedTask {
    let claimed = queue::claim_due(&app.db, &app.origin, worker, LEASE, 16).await.unwrap();
    let (ours, others): (Vec<_>, Vec<_>) = claimed.into_iter().partition(|task| task.subject == Some(id.0));
    let mut ends = Vec::new();
    for task in others {
        ends.push((task.clone(), worker::execute_task(task, &app.context).await));
    }
    queue::record_outcomes(&app.db, &app.origin, worker, &ends).await.unwrap();
    ours.into_iter().next().expect("its task is due")
}

async fn calls(app: &TestApp, message: &ClaimedMessage) -> AcceptedMessage {
    let callback = app.settings.public_url.join(&format!("/webhooks/twilio/message-status/{}", message.id));
    let Recipient::Phone(to) = &message.to else { panic!("no text: {message:?}") };
    let text = SmsMessage {
        to,
        body: &message.body,
        status_callback: Some(&callback),
        validity_seconds: Some(900),
        from: None,
    };
    app.context.sms.send(&text).await.unwrap()
}

/// The list omits a text in doubt twice: it is queued again.
async fn is_missed_twice(app: &TestApp, id: MessageId) {
    for _ in 0..2 {
        app.advance(Duration::seconds(60));
        let asked =
            reconcile::find_unconfirmed(&mut app.db.acquire_reader().await.unwrap(), id).await.unwrap().unwrap();
        app.within(async |tx| reconcile::process_not_found(tx, &app.origin, &asked).await).await.unwrap();
    }
    assert_eq!(state(app, id).await, MessageStatus::Queued);
}

/// The lease of a dead worker ends, and its tasks are taken over.
async fn is_rescued(app: &TestApp) {
    app.advance(LEASE + Duration::seconds(1));
    assert!(queue::reclaim_expired(&app.db, &app.origin).await.unwrap() > 0);
    app.run_tasks().await;
}

both_databases! {
    async fn accepted_text_without_answer_is_settled_by_its_report(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::AcceptThenHang { millis: 30_000 });
        let (lead, id) = asks(app, &shop, 1).await;
        app.run_tasks().await;
        assert_eq!(state(app, id).await, MessageStatus::Unknown);
        assert!(app.lead(shop.id(), lead).await.summary.needs_attention, "a doubt is shown");
        assert_eq!(reconcile::count_unconfirmed(&mut app.db.acquire_reader().await.unwrap(), shop.id()).await.unwrap(), 1, "and counted");
        let server = app.client().server().await;
        let product = Product::at(&server.url).known_as("https://toolbox.example");
        twilio.hooks(product).reports(&twilio.received()[0].sid, &[Word::Sent]).await;
        assert_eq!(state(app, id).await, MessageStatus::Sent);
        app.live_through(Duration::minutes(20), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 1));
        assert!(!app.lead(shop.id(), lead).await.summary.needs_attention);
    }

    async fn reset_send_without_report_is_settled_by_message_list(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::AcceptThenReset);
        let (_, id) = asks(app, &shop, 1).await;
        app.run_tasks().await;
        app.advance(Duration::seconds(59));
        app.run_tasks().await;
        assert_eq!(state(app, id).await, MessageStatus::Unknown);
        app.advance(Duration::seconds(1));
        app.run_tasks().await;
        assert_eq!(state(app, id).await, MessageStatus::Sent);
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 1));
    }

    async fn text_missing_from_two_lists_is_sent_once_more(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::ResetBeforeAccept);
        let (_, id) = asks(app, &shop, 1).await;
        app.run_tasks().await;
        app.live_through(Duration::seconds(90), Duration::seconds(30)).await;
        assert_eq!((state(app, id).await, twilio.requests().len()), (MessageStatus::Unknown, 1), "one empty list is not enough");
        app.live_through(Duration::seconds(60), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 2));
    }

    async fn second_doubt_about_the_same_text_is_left_to_a_person(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::ResetBeforeAccept);
        twilio.script(Fault::ResetBeforeAccept);
        let (lead, id) = asks(app, &shop, 1).await;
        app.live_through(Duration::hours(1), Duration::seconds(30)).await;
        assert_eq!((state(app, id).await, twilio.requests().len()), (MessageStatus::Unknown, 2));
        let text = app.lead(shop.id(), lead).await.messages.into_iter().find(|m| m.id == id).unwrap();
        assert!(text.retryable && text.status_text.contains("the provider does not have it"), "{}", text.status_text);
    }

    async fn unconfirmed_answer_is_not_resent_hours_later(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::ResetBeforeAccept);
        twilio.break_reading(Some(503));
        let (_, id) = asks(app, &shop, 1).await;
        app.live_through(Duration::hours(1), Duration::seconds(30)).await;
        twilio.break_reading(None);
        app.live_through(Duration::hours(8), Duration::minutes(5)).await;
        assert_eq!((state(app, id).await, twilio.requests().len()), (MessageStatus::Unknown, 1));
    }

    async fn repeated_not_found_after_lost_commit_counts_as_one_list(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::ResetBeforeAccept);
        let (_, id) = asks(app, &shop, 1).await;
        app.run_tasks().await;
        app.advance(Duration::seconds(60));
        for _ in 0..2 {
            let asked = reconcile::find_unconfirmed(&mut app.db.acquire_reader().await.unwrap(), id).await.unwrap().unwrap();
            app.within(async |tx| reconcile::process_not_found(tx, &app.origin, &asked).await).await.unwrap();
        }
        assert_eq!(state(app, id).await, MessageStatus::Unknown, "two lists of the same moment are one");
        app.live_through(Duration::minutes(3), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 2));
    }

    async fn late_doubt_finds_the_text_and_sends_no_second(app) {
        let (twilio, shop) = stage(app).await;
        let (_, id) = asks(app, &shop, 1).await;
        let (_, message) = takes(app, id, "dead").await;
        calls(app, &message).await;
        // The database or all workers are down for longer than the clock tolerance.
        app.advance(Duration::minutes(8));
        is_rescued(app).await;
        assert_eq!(state(app, id).await, MessageStatus::Unknown);
        app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 1));
    }

    async fn delivery_report_of_first_try_cancels_the_repeat(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::AcceptThenReset);
        let (_, id) = asks(app, &shop, 1).await;
        app.run_tasks().await;
        // The report comes before the repeat is sent.
        is_missed_twice(app, id).await;
        let server = app.client().server().await;
        let product = Product::at(&server.url).known_as("https://toolbox.example");
        twilio.hooks(product).reports(&twilio.received()[0].sid, &[Word::Queued, Word::Delivered]).await;
        app.live_through(Duration::minutes(10), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Delivered"], twilio.requests().len()), (1, 1));
    }

    async fn text_listed_right_before_its_repeat_is_not_repeated(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::AcceptThenReset);
        let (_, id) = asks(app, &shop, 1).await;
        app.run_tasks().await;
        is_missed_twice(app, id).await;
        app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 1));
    }

    async fn repeat_waits_until_message_list_is_readable(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::ResetBeforeAccept);
        let (_, id) = asks(app, &shop, 1).await;
        app.run_tasks().await;
        is_missed_twice(app, id).await;
        twilio.break_reading(Some(503));
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert_eq!((state(app, id).await, twilio.requests().len()), (MessageStatus::Queued, 1));
        twilio.break_reading(None);
        app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 2));
    }

    async fn rate_limited_provider_is_not_called_before_retry_after_ends(app) {
        let (twilio, shop) = stage(app).await;
        let other = app.org("Best Roofing").await;
        let (chance, texts, quiet) = (Entropy::from_seed(3), load_size(40, 600), load_size(15, 120));
        for _ in 0..quiet {
            let busy = Fault::TooManyRequests { retry_after: Some(20) };
            twilio.script(if chance.random_fraction() < 0.4 { busy } else { Fault::AcceptThenHang { millis: 0 } });
        }
        for n in 0..texts {
            asks(app, if n % 10 == 0 { &other } else { &shop }, number(n)).await;
        }
        let (mut quiet_until, mut waits) = (app.now(), 0);
        while app.due().await.len() + usize::from(app.count("message").await > 0 && is_waiting(app).await) > 0 {
            let before = (twilio.requests().len(), twilio.received().len());
            app.run_tasks().await;
            let (asked, taken) = (twilio.requests().len() - before.0, twilio.received().len() - before.1);
            assert!(asked == 0 || app.now() >= quiet_until, "called {} before the wait was over", quiet_until - app.now());
            assert!(asked - taken <= 1, "the first refusal is the last call");
            if asked > taken {
                (quiet_until, waits) = (app.now() + Duration::seconds(20), waits + 1);
            }
            app.advance(Duration::milliseconds(500));
        }
        assert!(waits >= 4, "{waits} waits");
        assert_eq!(balance(app, &twilio).await, HashMap::from([("Sent".to_owned(), texts)]));
    }

    async fn provider_500s_with_reports_lose_and_duplicate_no_text(app) {
        let (twilio, shop) = stage(app).await;
        let _server = reporting(app, &twilio, &[Word::Sent, Word::Delivered]).await;
        let (chance, texts) = (Entropy::from_seed(4), load_size(60, 1_000));
        for _ in 0..texts {
            let accepts = chance.random_fraction() < 0.5;
            twilio.script(if accepts { Fault::Error500AfterAccept } else { Fault::Error500BeforeAccept });
        }
        for n in 0..texts {
            asks(app, &shop, number(n)).await;
        }
        app.live_through(Duration::minutes(6), Duration::seconds(30)).await;
        let states = balance(app, &twilio).await;
        let arrived = states.get("Delivered").copied().unwrap_or_default() + states.get("Sent").copied().unwrap_or_default();
        assert_eq!(arrived, texts, "{states:?}");
        assert_eq!(reconcile::count_unconfirmed(&mut app.db.acquire_reader().await.unwrap(), shop.id()).await.unwrap(), 0);
    }

    async fn doubts_without_reports_or_lists_are_held_and_flagged(app) {
        let (twilio, shop) = stage(app).await;
        twilio.break_reading(Some(500));
        let (chance, doubtful, clear) = (Entropy::from_seed(5), load_size(40, 900), load_size(10, 100));
        for _ in 0..doubtful {
            let accepts = chance.random_fraction() < 0.5;
            twilio.script(if accepts { Fault::Error500AfterAccept } else { Fault::Error500BeforeAccept });
        }
        let mut leads = Vec::new();
        for n in 0..doubtful + clear {
            leads.push(asks(app, &shop, number(n)).await.0);
        }
        app.live_through(Duration::minutes(30), Duration::minutes(1)).await;
        let states = balance(app, &twilio).await;
        assert_eq!((states["Unknown"], states["Sent"]), (doubtful, clear), "held are the doubtful, and only they");
        assert_eq!(reconcile::count_unconfirmed(&mut app.db.acquire_reader().await.unwrap(), shop.id()).await.unwrap(), i64::from(number(doubtful)));
        let mut marked = 0;
        for lead in leads {
            marked += usize::from(app.lead(shop.id(), lead).await.summary.needs_attention);
        }
        assert_eq!((marked, twilio.requests().len()), (doubtful, doubtful + clear));
    }
}

async fn is_waiting(app: &TestApp) -> bool {
    let sql = "SELECT EXISTS (SELECT 1 FROM message WHERE status IN ('queued', 'sending', 'held'))";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar bool, sql).unwrap()
}
