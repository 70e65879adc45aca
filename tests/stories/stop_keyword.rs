//! STOP: once it is stored, no text is sent to that number, even one already in progress.

use std::time::{Duration as StdDuration, SystemTime, UNIX_EPOCH};

use chrono::Duration;
use serde_json::json;
use shared::{
    domain::{
        messaging::{
            inbound::{self, InboundSms},
            message::{
                MessageChannel, MessageStatus,
                send::{self, ClaimOutcome, ClaimedMessage},
                send_rate::{SendRateLimit, ServiceMemberCounts},
            },
        },
        tenancy::org::{self, OrgContext, SendChannels},
    },
    platform::{
        db::q,
        id::{LeadId, MessageId},
        recipient::Recipient,
        sms_segments::{self, SmsEncoding},
    },
    providers,
};
use tests::{
    app::TestApp,
    both_databases,
    people::{Shop, Visitor},
    phone::{ANN, Line},
};

const ACME: &str = "+15125550100";
const BEST: &str = "+15125550200";

async fn writes(app: &TestApp, shop: &Shop, from: &str, words: &str) {
    let id = format!("SM{}", app.origin.uuid_v7().simple());
    let text = InboundSms {
        provider_id: &id,
        from,
        to: ACME,
        service: None,
        body: words,
        media: Vec::new(),
        opt_out_type: None,
        came_at: None,
    };
    let profile = org::load_profile(&mut app.db.acquire_reader().await.unwrap(), shop.org.clone()).await.unwrap();
    let intake = OrgContext {
        origin: &app.origin,
        secret: &app.settings.secret,
        public_url: &app.settings.public_url,
        profile: &profile,
        set_up: SendChannels::ALL,
    };
    app.within(async |tx| inbound::process_text(tx, &intake, &text).await).await.unwrap();
}

async fn reply(app: &TestApp, shop: &Shop, lead: LeadId) -> (MessageId, String, MessageStatus, String) {
    let messages = app.lead(shop.id(), lead).await.messages;
    let text = messages
        .into_iter()
        .find(|m| m.channel == MessageChannel::Sms && m.status != MessageStatus::Received)
        .expect("a text");
    (text.id, text.to, text.status, text.status_text)
}

/// The first step of a worker: the message is claimed, and the provider not yet called.
async fn claims(app: &TestApp, id: MessageId) -> Box<ClaimedMessage> {
    let how = (SendChannels { sms: true, email: true, takes_money: false }, SendRateLimit::default());
    let claim = app
        .within(async |tx| {
            send::claim_message(tx, &app.origin, "a worker", how, &ServiceMemberCounts::default(), id).await
        })
        .await
        .unwrap();
    let ClaimOutcome::Send(message) = claim else { panic!("it may go") };
    message
}

/// The second step: whether the text may still be sent; if not, it is put back.
async fn looks_again(app: &TestApp, message: &ClaimedMessage) -> bool {
    let set_up = SendChannels { sms: true, email: true, takes_money: false };
    let look =
        send::recheck_policy(&mut app.db.acquire_reader().await.unwrap(), &app.origin, set_up, message).await.unwrap();
    let Some((verdict, evidence)) = look else { return true };
    app.within(async |tx| send::cancel_attempt(tx, &app.origin, message, verdict, evidence.as_ref()).await)
        .await
        .unwrap();
    false
}

/// The third step.
async fn calls_the_provider(
    app: &TestApp,
    message: &ClaimedMessage,
) -> Result<providers::AcceptedMessage, providers::SendError> {
    let Recipient::Phone(to) = &message.to else { panic!("no text: {message:?}") };
    let text = providers::sms::SmsMessage {
        to,
        body: &message.body,
        status_callback: None,
        validity_seconds: None,
        from: None,
    };
    app.context.sms.send(&text).await
}

fn received(app: &TestApp, number: &str) -> usize {
    app.sms.accepted_messages().iter().filter(|text| text.to == number).count()
}

/// The moments of a sending at which a STOP can be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    BeforeTheClaim,
    BetweenClaimAndLastLook,
    WhileTheProviderAnswers,
    AfterItIsRecorded,
}

const MOMENTS: [Moment; 4] = [
    Moment::BeforeTheClaim,
    Moment::BetweenClaimAndLastLook,
    Moment::WhileTheProviderAnswers,
    Moment::AfterItIsRecorded,
];

/// One sending with a STOP in it. Returns the texts sent when it was stored, and in the end.
async fn race(app: &TestApp, shop: &Shop, visitor: &Visitor, moment: Moment) -> (usize, usize) {
    let lead = visitor.submits_lead(app, shop).await;
    let (id, to, ..) = reply(app, shop, lead).await;
    let stored = match moment {
        Moment::BeforeTheClaim => {
            writes(app, shop, &to, "STOP").await;
            received(app, &to)
        }
        Moment::BetweenClaimAndLastLook => {
            let message = claims(app, id).await;
            writes(app, shop, &to, "Stop").await;
            assert!(!looks_again(app, &message).await, "the last look did not see the STOP");
            received(app, &to)
        }
        Moment::WhileTheProviderAnswers => {
            let message = claims(app, id).await;
            assert!(looks_again(app, &message).await);
            let answer = calls_the_provider(app, &message).await;
            writes(app, shop, &to, "stop").await;
            let left = received(app, &to);
            app.within(async |tx| send::record_outcome(tx, &app.origin, &message, &answer).await).await.unwrap();
            left
        }
        Moment::AfterItIsRecorded => {
            app.run_tasks().await;
            writes(app, shop, &to, "UNSUBSCRIBE").await;
            received(app, &to)
        }
    };
    // They ask again a minute later: the request is accepted, and still no text is sent.
    app.advance(Duration::seconds(90));
    visitor.submits_lead(app, shop).await;
    app.run_tasks().await;
    let (.., status, words) = reply(app, shop, lead).await;
    match moment {
        Moment::BeforeTheClaim | Moment::BetweenClaimAndLastLook => {
            assert_eq!((status, words.as_str()), (MessageStatus::NotSent, "not sent: they said STOP"), "{moment:?}");
        }
        Moment::WhileTheProviderAnswers | Moment::AfterItIsRecorded => {
            assert_eq!(status, MessageStatus::Sent, "{moment:?}");
        }
    }
    (stored, received(app, &to))
}

fn micros() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()).unwrap()
}

/// A shop with its own number and without a budget.
async fn open_shop(app: &mut TestApp, name: &str) -> Shop {
    let shop = app.org(name).await;
    app.sets(&shop, json!({"sending": {"dailyTextBudget": 10_000}})).await;
    shop
}

fn since(line: &Line, number: &str, before: usize) -> Vec<String> {
    line.texts_to(number).split_off(before)
}

both_databases! {
    async fn stop_at_any_moment_of_sending_prevents_later_texts(app) {
        let shop = open_shop(app, "Acme Plumbing").await;
        let (mut before, mut races) = (0, 0);
        for n in 0..400 {
            let moment = MOMENTS[n as usize % MOMENTS.len()];
            let (stored, at_the_end) = race(app, &shop, &Visitor::number(n), moment).await;
            assert_eq!(stored, at_the_end, "race {n}: a text left after the STOP was stored ({moment:?})");
            let expected = usize::from(matches!(moment, Moment::WhileTheProviderAnswers | Moment::AfterItIsRecorded));
            assert_eq!(stored, expected, "race {n} ({moment:?})");
            before += stored;
            races += 1;
        }
        assert_eq!((races, before), (400, 200));
    }

    async fn stop_beside_busy_worker_ends_sending_within_a_second(app) {
        let mut shop = open_shop(app, "Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        let mut spared = 0;
        for n in 0..100 {
            let lead = Visitor::number(n).submits_lead(app, &shop).await;
            let to = reply(app, &shop, lead).await.1;
            let stop = async {
                tokio::time::sleep(StdDuration::from_micros(u64::from(n) * 400)).await;
                writes(app, &shop, &to, "STOP").await;
                micros()
            };
            let (_, stored_at) = tokio::join!(app.run_tasks(), stop);
            app.advance(Duration::seconds(40));
            app.run_tasks().await;
            let texts: Vec<_> = line.twilio.requests().into_iter().filter(|seen| seen.to.as_deref() == Some(&to)).collect();
            assert!(texts.len() <= 1, "race {n}: {texts:?}");
            for text in &texts {
                assert!(text.at_us <= stored_at + 1_000_000, "race {n}: more than a second after the STOP");
            }
            let status = reply(app, &shop, lead).await.2;
            assert_eq!(status, if texts.is_empty() { MessageStatus::NotSent } else { MessageStatus::Sent }, "race {n}");
            spared += usize::from(texts.is_empty());
        }
        assert!((1..100).contains(&spared), "no race at all: {spared} of 100 were not sent");
    }

    async fn stop_confirmation_is_sent_once_and_only_where_twilio_sends_none(app) {
        let mut shop = open_shop(app, "Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        for (n, (word, confirmed)) in [
            ("STOP", false),
            ("unsubscribe", false),
            ("Quit", false),
            ("alto", true),
            ("Stop please", true),
            ("no más", true),
        ].into_iter().enumerate() {
            let from = format!("+1737555{n:04}");
            line.writes(&from, "Do you fix boilers?").await;
            app.run_tasks().await;
            let before = line.texts_to(&from).len();
            for _ in 0..3 {
                line.writes(&from, word).await;
                app.run_tasks().await;
                app.advance(Duration::minutes(2));
                app.run_tasks().await;
            }
            let replies = since(&line, &from, before);
            assert_eq!(replies.len(), usize::from(confirmed), "{word}: {replies:?}");
            for text in replies {
                assert!(text.contains("Acme Plumbing") && !text.contains("http"), "{word}: {text}");
            }
        }
    }

    async fn help_is_answered_once_a_day_with_name_number_and_opt_out(app) {
        let mut shop = open_shop(app, "Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        for _ in 0..3 {
            line.writes(ANN, "HELP").await;
            app.run_tasks().await;
            app.advance(Duration::hours(7));
        }
        let replies = line.texts_to(ANN);
        let [help] = &replies[..] else { panic!("{replies:?}") };
        assert!(help.contains("Acme Plumbing") && help.contains("STOP") && help.contains("555"), "{help}");
        let counted = sms_segments::count_segments(help);
        assert_eq!((counted.encoding, counted.segments), (SmsEncoding::Gsm7, 1), "{help}");
        app.advance(Duration::hours(4));
        line.writes(ANN, "help").await;
        app.run_tasks().await;
        assert_eq!(line.texts_to(ANN).len(), 2, "a day later it is answered again");
    }

    async fn stop_and_start_apply_to_one_business_only(app) {
        let mut acme = open_shop(app, "Acme Plumbing").await;
        let line = app.line(&mut acme, ACME).await;
        let mut best = open_shop(app, "Best Roofing").await;
        let other = app.line_at(&mut best, BEST, &line.twilio).await;
        line.writes(ANN, "STOP").await;
        assert_eq!(opt_out_state(app, &acme).await, Some("stopped".into()));
        assert_eq!(opt_out_state(app, &best).await, None);
        Visitor::ann().submits_lead(app, &best).await;
        app.run_tasks().await;
        assert_eq!(line.texts_to(ANN).len(), 1, "the other business answers: {:?}", line.texts_to(ANN));
        other.writes(ANN, "STOP").await;
        line.writes(ANN, "START").await;
        assert_eq!(opt_out_state(app, &acme).await, Some("lifted".into()));
        assert_eq!(opt_out_state(app, &best).await, Some("stopped".into()));
        let before = line.texts_to(ANN).len();
        app.advance(Duration::hours(1));
        Visitor::ann().submits_lead(app, &best).await;
        app.run_tasks().await;
        assert!(since(&line, ANN, before).is_empty(), "a second STOP gets no confirmation");
        app.advance(Duration::hours(1));
        Visitor::ann().submits_lead(app, &acme).await;
        app.run_tasks().await;
        let replies = since(&line, ANN, before);
        assert!(replies.len() == 1 && replies[0].contains("Acme Plumbing"), "{replies:?}");
    }

    async fn doubtful_stop_pauses_at_once_and_is_confirmed_or_lifted_by_keyword(app) {
        let mut shop = open_shop(app, "Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        line.rings(ANN, []).await;
        app.advance(Duration::seconds(2));
        line.writes(ANN, "please don't text me anymore").await;
        app.live_through(Duration::days(3), Duration::hours(2)).await;
        assert!(line.texts_to(ANN).is_empty(), "{:?}", line.texts_to(ANN));
        assert_eq!(opt_out_state(app, &shop).await, Some("paused".into()));
        let lead = app.only_lead(&shop).await;
        let waiting: Vec<_> = lead.messages.iter().filter(|m| m.to == ANN).map(|m| m.status_text.as_str()).collect();
        let why = "not sent: they may have asked to stop; nothing is sent until you have looked";
        assert!(!waiting.is_empty() && waiting.iter().all(|words| *words == why), "{waiting:?}");
        line.writes(ANN, "stop").await;
        assert_eq!(opt_out_state(app, &shop).await, Some("stopped".into()), "now it is certain");
        line.writes(ANN, "leave us alone, you creeps").await;
        assert_eq!(opt_out_state(app, &shop).await, Some("stopped".into()), "and no doubt weakens it");
        line.writes(ANN, "START").await;
        assert_eq!(opt_out_state(app, &shop).await, Some("lifted".into()));
        app.run_tasks().await;
    }

    async fn first_text_saying_only_stop_makes_conversation_without_alert(app) {
        let mut shop = open_shop(app, "Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        line.writes(ANN, "STOP").await;
        line.writes("+15125550160", "alto").await;
        app.run_tasks().await;
        app.live_through(Duration::hours(1), Duration::minutes(10)).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let threads = office.get("/api/inbox").await.json();
        let shown: Vec<_> = threads.as_array().unwrap().iter().map(|t| (&t["phone"], &t["lastPreview"], &t["optedOut"])).collect();
        let stopped = json!("stopped");
        assert_eq!(shown.len(), 2, "{threads}");
        assert!(shown.contains(&(&json!(ANN), &json!("STOP"), &stopped)), "{threads}");
        assert!(shown.iter().all(|(.., state)| **state == stopped), "{threads}");
        assert_eq!((app.count("lead").await, app.count("alert").await), (0, 0), "it is no request for work");
        assert_eq!(line.texts_to(ANN), [""; 0], "Twilio confirms the keyword itself");
        assert_eq!(line.texts_to("+15125550160").len(), 1, "the one confirmation");
        let ann = threads.as_array().unwrap().iter().find(|t| t["phone"] == ANN).unwrap()["customerId"].as_str().unwrap().to_owned();
        let talk = office.get(&format!("/api/customers/{ann}/conversation")).await.json();
        assert_eq!((&talk["customer"]["smsOptOut"]["state"], &talk["canText"]["ok"]), (&stopped, &json!(false)));
        assert_eq!(talk["items"].as_array().unwrap().len(), 1, "{talk}");
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        assert_eq!(app.count("customer").await, 2, "a later request matches the same customer");
        let shown = office.get(&format!("/api/leads/{lead}")).await.json();
        assert_eq!(shown["noText"], "they said STOP", "the send dialogs say why there is no text");
        app.run_tasks().await;
    }

    async fn doubtful_stop_raises_one_alert(app) {
        let mut shop = open_shop(app, "Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        line.writes(ANN, "please don't text me anymore").await;
        app.live_through(Duration::hours(1), Duration::minutes(10)).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let alert_list = office.get("/api/alerts").await.json();
        assert_eq!((alert_list.as_array().unwrap().len(), &alert_list[0]["kind"]), (1, &json!("opt_out_doubt")), "{alert_list}");
        assert!(alert_list[0]["body"].as_str().unwrap().contains("please don't text me anymore"), "{alert_list}");
        let mails: Vec<_> = app.mail.accepted_messages().into_iter().filter(|mail| mail.to == shop.owner().email).collect();
        assert_eq!(mails.iter().filter(|mail| mail.text.contains("don't text me")).count(), 1, "{mails:?}");
        app.advance(Duration::hours(1));
        line.writes(ANN, "Is Friday possible?").await;
        app.run_tasks().await;
        assert_eq!(office.get("/api/alerts").await.json().as_array().unwrap().len(), 2, "the next text sends an alert");
    }

    async fn staff_number_that_texts_stop_gets_no_more_alerts(app) {
        let mut shop = open_shop(app, "Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        app.tells(&shop, MessageChannel::Sms, ANN).await;
        Visitor::number(1).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let before = line.texts_to(ANN).len();
        assert_eq!(before, 1, "the alert");
        line.writes(ANN, "STOP").await;
        app.advance(Duration::hours(1));
        Visitor::number(2).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert!(since(&line, ANN, before).is_empty());
    }
}

async fn opt_out_state(app: &TestApp, shop: &Shop) -> Option<String> {
    let sql = "SELECT state FROM opt_out WHERE org_id = $1 AND channel = 'sms' AND address = $2";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_optional scalar String, sql, shop.id(), ANN).unwrap()
}
