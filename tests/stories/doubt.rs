//! Faults of the provider and of our own processes in the middle of a text: never twice, and never lost silently. The
//! only witness is the ledger of the fake Twilio, which holds what the handsets received.

use std::collections::HashMap;

use chrono::Duration;
use serde_json::json;
use shared::{
    domain::messaging::message::{
        Channel, Status, reconcile,
        send::{self, Claim, Outgoing},
        send_policy::SetUp,
        send_rate::{Counts, Pace},
    },
    platform::{
        clock::Entropy,
        db::q,
        id::{LeadId, MessageId},
        tasks::{Claimed, End, queue},
    },
    providers::{Accepted, sms::Text},
};
use tests::{
    app::{LEASE, TestApp},
    both_databases, crowd,
    fake_twilio::{FakeTwilio, Fault, Product, Reporting, Status as Word},
    http::Server,
    people::{Shop, Visitor},
};

const SET_UP: (SetUp, Pace) = (SetUp { sms: true, email: true, takes_money: false }, QUICK);
/// A number that may send a crowd at once: the pace is another story.
const QUICK: Pace = Pace { segments_a_second: 1_000, texts_a_day: 1_000_000, members: 1 };

/// An install before a Twilio whose dates are the story's.
async fn stage(app: &mut TestApp) -> (FakeTwilio, Shop) {
    let twilio = FakeTwilio::start().await;
    twilio.follow(&app.origin.clock);
    app.use_twilio(&twilio);
    app.context.config.pace = QUICK;
    let shop = app.org("Acme Plumbing").await;
    app.sets(&shop, json!({"sending": {"dailyTextBudget": 10_000}})).await;
    (twilio, shop)
}

/// Reports about every text come by themselves, after the answer.
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
    (lead, messages.into_iter().find(|m| m.channel == Channel::Sms).expect("a text").id)
}

fn number(n: usize) -> u32 {
    u32::try_from(n).expect("few enough")
}

async fn state(app: &TestApp, id: MessageId) -> Status {
    let sql = "SELECT status FROM message WHERE id = $1";
    q!(&mut app.db.read().await.unwrap(), fetch_one scalar Status, sql, id).unwrap()
}

/// How many texts are in each state, after the rows were held against the handsets.
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
    let rows = q!(&mut app.db.read().await.unwrap(), fetch_all as (MessageId, Status), sql).unwrap();
    let mut states = HashMap::new();
    for (id, status) in rows {
        let times = arrived.get(&id.to_string()).copied().unwrap_or_default();
        let is_right = match status {
            Status::Sent | Status::Delivered => times == 1,
            Status::Unknown => times <= 1,
            Status::Failed | Status::NotSent => times == 0,
            _ => false,
        };
        assert!(is_right, "{id} is {status:?} and arrived {times} times");
        *states.entry(format!("{status:?}")).or_default() += 1;
    }
    states
}

/// A worker takes the task and the message, and then it is gone.
async fn takes(app: &TestApp, id: MessageId, worker: &str) -> (Claimed, Box<Outgoing>) {
    let task = takes_task(app, id, worker).await;
    let claimed = app
        .within(async |tx| send::claim(tx, &app.origin, worker, SET_UP, &Counts::default(), id).await)
        .await
        .unwrap();
    let Claim::Send(message) = claimed else { panic!("{claimed:?}") };
    (task, message)
}

/// A worker takes the message's task; the others it gives back.
async fn takes_task(app: &TestApp, id: MessageId, worker: &str) -> Claimed {
    let claimed = queue::claim(&app.db, &app.origin, worker, LEASE, 16).await.unwrap();
    let (ours, others): (Vec<_>, Vec<_>) = claimed.into_iter().partition(|task| task.subject == Some(id.0));
    let mut ends = Vec::new();
    for task in others {
        ends.push((task.clone(), worker::carry_out(task, &app.context).await));
    }
    queue::finish(&app.db, &app.origin, worker, &ends).await.unwrap();
    ours.into_iter().next().expect("its task is due")
}

async fn calls(app: &TestApp, message: &Outgoing) -> Accepted {
    let callback = app.settings.public_url.join(&format!("/webhooks/twilio/message-status/{}", message.id));
    let text = Text {
        to: &message.to_address,
        body: &message.body,
        status_callback: Some(&callback),
        validity_seconds: Some(900),
        from: None,
    };
    app.context.sms.send(&text).await.unwrap()
}

/// The list leaves a text in doubt out, twice: it is queued anew.
async fn is_missed_twice(app: &TestApp, id: MessageId) {
    for _ in 0..2 {
        app.advance(Duration::seconds(60));
        let asked = reconcile::find(&mut app.db.read().await.unwrap(), id).await.unwrap().unwrap();
        app.within(async |tx| reconcile::not_found(tx, &app.origin, &asked).await).await.unwrap();
    }
    assert_eq!(state(app, id).await, Status::Queued);
}

/// The lease of a dead worker runs out, and what it held is taken up.
async fn is_rescued(app: &TestApp) {
    app.advance(LEASE + Duration::seconds(1));
    assert!(queue::rescue(&app.db, &app.origin).await.unwrap() > 0);
    app.run_tasks().await;
}

/// How the worker died in the middle of a text.
#[derive(Clone, Copy, Debug)]
enum Died {
    BeforeTheClaim,
    BeforeTheCall,
    AfterTheCall,
    AfterTheReport,
    AfterTheRecord,
}

both_databases! {
    async fn f1_twilio_takes_the_text_and_hangs_and_its_report_ends_the_doubt(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::AcceptThenHang { millis: 30_000 });
        let (lead, id) = asks(app, &shop, 1).await;
        app.run_tasks().await;
        assert_eq!(state(app, id).await, Status::Unknown);
        assert!(app.lead(shop.id(), lead).await.summary.needs_attention, "a doubt is shown");
        assert_eq!(reconcile::count(&mut app.db.read().await.unwrap(), shop.id()).await.unwrap(), 1, "and counted");
        let server = app.client().server().await;
        let product = Product::at(&server.url).known_as("https://toolbox.example");
        twilio.hooks(product).reports(&twilio.received()[0].sid, &[Word::Sent]).await;
        assert_eq!(state(app, id).await, Status::Sent);
        app.live_through(Duration::minutes(20), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 1));
        assert!(!app.lead(shop.id(), lead).await.summary.needs_attention);
    }

    async fn f2_a_reset_without_any_report_is_settled_by_twilios_own_list(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::AcceptThenReset);
        let (_, id) = asks(app, &shop, 1).await;
        app.run_tasks().await;
        app.advance(Duration::seconds(59));
        app.run_tasks().await;
        assert_eq!(state(app, id).await, Status::Unknown);
        app.advance(Duration::seconds(1));
        app.run_tasks().await;
        assert_eq!(state(app, id).await, Status::Sent);
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 1));
    }

    async fn f2_a_text_that_two_lists_do_not_hold_is_sent_once_more(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::ResetBeforeAccept);
        let (_, id) = asks(app, &shop, 1).await;
        app.run_tasks().await;
        app.live_through(Duration::seconds(90), Duration::seconds(30)).await;
        assert_eq!((state(app, id).await, twilio.requests().len()), (Status::Unknown, 1), "one empty list is not enough");
        app.live_through(Duration::seconds(60), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 2));
    }

    async fn a_second_doubt_about_the_same_text_is_left_to_a_person(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::ResetBeforeAccept);
        twilio.script(Fault::ResetBeforeAccept);
        let (lead, id) = asks(app, &shop, 1).await;
        app.live_through(Duration::hours(1), Duration::seconds(30)).await;
        assert_eq!((state(app, id).await, twilio.requests().len()), (Status::Unknown, 2));
        let text = app.lead(shop.id(), lead).await.messages.into_iter().find(|m| m.id == id).unwrap();
        assert!(text.retryable && text.status_text.contains("the provider does not have it"), "{}", text.status_text);
    }

    async fn an_answer_is_not_sent_once_more_hours_later(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::ResetBeforeAccept);
        twilio.break_reading(Some(503));
        let (_, id) = asks(app, &shop, 1).await;
        app.live_through(Duration::hours(1), Duration::seconds(30)).await;
        twilio.break_reading(None);
        app.live_through(Duration::hours(8), Duration::minutes(5)).await;
        assert_eq!((state(app, id).await, twilio.requests().len()), (Status::Unknown, 1));
    }

    async fn not_found_told_again_after_a_cut_off_commit_counts_as_one_list(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::ResetBeforeAccept);
        let (_, id) = asks(app, &shop, 1).await;
        app.run_tasks().await;
        app.advance(Duration::seconds(60));
        for _ in 0..2 {
            let asked = reconcile::find(&mut app.db.read().await.unwrap(), id).await.unwrap().unwrap();
            app.within(async |tx| reconcile::not_found(tx, &app.origin, &asked).await).await.unwrap();
        }
        assert_eq!(state(app, id).await, Status::Unknown, "two lists of the same moment are one");
        app.live_through(Duration::minutes(3), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 2));
    }

    async fn doubt_that_begins_long_after_the_call_finds_the_text_and_sends_no_second(app) {
        let (twilio, shop) = stage(app).await;
        let (_, id) = asks(app, &shop, 1).await;
        let (_, message) = takes(app, id, "dead").await;
        calls(app, &message).await;
        // The database, or every worker, is away for longer than clocks may differ.
        app.advance(Duration::minutes(8));
        is_rescued(app).await;
        assert_eq!(state(app, id).await, Status::Unknown);
        app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 1));
    }

    async fn a_first_try_that_shows_up_after_all_stops_the_second(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::AcceptThenReset);
        let (_, id) = asks(app, &shop, 1).await;
        app.run_tasks().await;
        // Before the repeat leaves, the report comes.
        is_missed_twice(app, id).await;
        let server = app.client().server().await;
        let product = Product::at(&server.url).known_as("https://toolbox.example");
        twilio.hooks(product).reports(&twilio.received()[0].sid, &[Word::Queued, Word::Delivered]).await;
        app.live_through(Duration::minutes(10), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Delivered"], twilio.requests().len()), (1, 1));
    }

    async fn text_that_the_list_holds_right_before_its_repeat_is_not_repeated(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::AcceptThenReset);
        let (_, id) = asks(app, &shop, 1).await;
        app.run_tasks().await;
        is_missed_twice(app, id).await;
        app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 1));
    }

    async fn repeat_of_a_text_waits_until_the_list_can_be_read_once_more(app) {
        let (twilio, shop) = stage(app).await;
        twilio.script(Fault::ResetBeforeAccept);
        let (_, id) = asks(app, &shop, 1).await;
        app.run_tasks().await;
        is_missed_twice(app, id).await;
        twilio.break_reading(Some(503));
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert_eq!((state(app, id).await, twilio.requests().len()), (Status::Queued, 1));
        twilio.break_reading(None);
        app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 2));
    }

    async fn f3_a_provider_that_asks_for_quiet_again_and_again_is_not_called_inside_the_wait(app) {
        let (twilio, shop) = stage(app).await;
        let other = app.org("Best Roofing").await;
        let (chance, texts, quiet) = (Entropy::seeded(3), crowd(40, 600), crowd(15, 120));
        for _ in 0..quiet {
            let busy = Fault::TooManyRequests { retry_after: Some(20) };
            twilio.script(if chance.fraction() < 0.4 { busy } else { Fault::AcceptThenHang { millis: 0 } });
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

    async fn f4_errors_of_twilios_own_lose_and_double_nothing_when_it_reports(app) {
        let (twilio, shop) = stage(app).await;
        let _server = reporting(app, &twilio, &[Word::Sent, Word::Delivered]).await;
        let (chance, texts) = (Entropy::seeded(4), crowd(60, 1_000));
        for _ in 0..texts {
            let accepts = chance.fraction() < 0.5;
            twilio.script(if accepts { Fault::Error500AfterAccept } else { Fault::Error500BeforeAccept });
        }
        for n in 0..texts {
            asks(app, &shop, number(n)).await;
        }
        app.live_through(Duration::minutes(6), Duration::seconds(30)).await;
        let states = balance(app, &twilio).await;
        let arrived = states.get("Delivered").copied().unwrap_or_default() + states.get("Sent").copied().unwrap_or_default();
        assert_eq!(arrived, texts, "{states:?}");
        assert_eq!(reconcile::count(&mut app.db.read().await.unwrap(), shop.id()).await.unwrap(), 0);
    }

    async fn f4_without_reports_and_lists_every_doubt_is_held_and_shown(app) {
        let (twilio, shop) = stage(app).await;
        twilio.break_reading(Some(500));
        let (chance, doubtful, clear) = (Entropy::seeded(5), crowd(40, 900), crowd(10, 100));
        for _ in 0..doubtful {
            let accepts = chance.fraction() < 0.5;
            twilio.script(if accepts { Fault::Error500AfterAccept } else { Fault::Error500BeforeAccept });
        }
        let mut leads = Vec::new();
        for n in 0..doubtful + clear {
            leads.push(asks(app, &shop, number(n)).await.0);
        }
        app.live_through(Duration::minutes(30), Duration::minutes(1)).await;
        let states = balance(app, &twilio).await;
        assert_eq!((states["Unknown"], states["Sent"]), (doubtful, clear), "held are the doubtful, and only they");
        assert_eq!(reconcile::count(&mut app.db.read().await.unwrap(), shop.id()).await.unwrap(), i64::from(number(doubtful)));
        let mut marked = 0;
        for lead in leads {
            marked += usize::from(app.lead(shop.id(), lead).await.summary.needs_attention);
        }
        assert_eq!((marked, twilio.requests().len()), (doubtful, doubtful + clear));
    }

    async fn f5_a_worker_that_dies_at_any_step_leaves_one_text_on_the_handset(app) {
        let (twilio, shop) = stage(app).await;
        let server = app.client().server().await;
        let product = Product::at(&server.url).known_as("https://toolbox.example");
        let hooks = twilio.hooks(product);
        let steps = [
            Died::BeforeTheClaim, Died::BeforeTheCall, Died::AfterTheCall, Died::AfterTheReport, Died::AfterTheRecord,
        ];
        let (times, mut day) = (crowd(1, 50), app.origin.now());
        for (n, died) in (1..).zip(steps.into_iter().cycle().take(steps.len() * times)) {
            if n > 1 && matches!(died, Died::BeforeTheClaim) {
                // The same hour of the next day: at night what is late waits for the morning, which is another story.
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
                        let told = Ok(accepted);
                        let kept = app.within(async |tx| send::record(tx, &app.origin, &message, &told).await).await;
                        assert!(kept.unwrap());
                    }
                }
            }
            is_rescued(app).await;
            let now = state(app, id).await;
            let expected = match died {
                Died::BeforeTheClaim | Died::AfterTheRecord => Status::Sent,
                Died::BeforeTheCall | Died::AfterTheCall => Status::Unknown,
                Died::AfterTheReport => Status::Delivered,
            };
            assert_eq!(now, expected, "{died:?}: within a minute of its death");
            app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
            assert_eq!(twilio.received().len() - before, 1, "{died:?}");
        }
        assert_eq!(balance(app, &twilio).await, HashMap::from([("Sent".to_owned(), 4 * times), ("Delivered".to_owned(), times)]));
    }

    async fn send_task_charged_with_three_deaths_still_settles_its_message(app) {
        let (_twilio, shop) = stage(app).await;
        let (_, id) = asks(app, &shop, 1).await;
        takes(app, id, "dead").await;
        let sql = "UPDATE task SET begun = TRUE, crashes = 9 WHERE kind = 'send_message' AND subject_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, id)?)).await.unwrap();
        is_rescued(app).await;
        assert_eq!(state(app, id).await, Status::Unknown, "it is not left in sending");
        app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
    }

    async fn record_of_a_text_whose_claim_the_database_lost_keeps_it_from_leaving_again(app) {
        let (twilio, shop) = stage(app).await;
        let (_, id) = asks(app, &shop, 1).await;
        let (task, message) = takes(app, id, "w").await;
        let accepted = Ok(calls(app, &message).await);
        let lost = "UPDATE message SET status = 'queued', attempts = attempts - 1, fence = fence - 1 WHERE id = $1";
        app.within(async |tx| Ok(q!(tx, execute, lost, id)?)).await.unwrap();
        app.within(async |tx| Ok(q!(tx, execute, "DELETE FROM message_attempt WHERE message_id = $1", id)?)).await.unwrap();
        let recorded = app.within(async |tx| send::record(tx, &app.origin, &message, &accepted).await).await.unwrap();
        assert!(recorded);
        queue::finish(&app.db, &app.origin, "w", &[(task, End::Done)]).await.unwrap();
        app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 1));
    }

    async fn f6_a_worker_that_stood_still_for_two_minutes_cannot_record_over_its_successor(app) {
        let (twilio, shop) = stage(app).await;
        let (_, id) = asks(app, &shop, 1).await;
        let (task, message) = takes(app, id, "stalled").await;
        let accepted = Ok(calls(app, &message).await);
        is_rescued(app).await;
        app.live_through(Duration::minutes(2), Duration::seconds(30)).await;
        assert_eq!(state(app, id).await, Status::Sent, "its successor found the text in the list");
        let recorded = app.within(async |tx| send::record(tx, &app.origin, &message, &accepted).await).await.unwrap();
        assert!(!recorded, "a stale fence is refused");
        queue::finish(&app.db, &app.origin, "stalled", &[(task, End::Again("late".into()))]).await.unwrap();
        app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
        assert_eq!((balance(app, &twilio).await["Sent"], twilio.requests().len()), (1, 1));
    }
}

async fn is_waiting(app: &TestApp) -> bool {
    let sql = "SELECT EXISTS (SELECT 1 FROM message WHERE status IN ('queued', 'sending', 'held'))";
    q!(&mut app.db.read().await.unwrap(), fetch_one scalar bool, sql).unwrap()
}
