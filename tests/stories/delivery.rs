//! Texts that Twilio refused, accepted, delivered or lost: for every known code, what is retried, learned or delayed,
//! and who is notified.

use chrono::Duration;
use serde_json::json;
use shared::{
    domain::messaging::message::{MessageChannel, MessageStatus, MessageView},
    ops::system_status,
    platform::{
        db::q,
        id::{LeadId, MessageId},
    },
    providers::sms::codes,
};
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::{FakeTwilio, Fault, Report, Status as Word},
    people::{Shop, Visitor},
    phone::Line,
};

mod install_account;
mod reports;

const NUMBER: &str = "+15125550100";

const BAD_NUMBER: [i32; 5] = [21211, 21214, 21217, 21614, 21635];
const BAD_NUMBER_REPORTED: [i32; 2] = [30005, 30006];
const OPTED_OUT: [i32; 1] = [21610];
const ACCOUNT: [i32; 4] = [20003, 20005, 20008, 30002];
const UNREGISTERED: [i32; 2] = [30032, 30034];
const SET_UP: [i32; 11] = [20404, 21212, 21603, 21606, 21608, 21609, 21659, 21660, 21701, 21703, 21704];
const ONE_RECEIVER: [i32; 2] = [21408, 21612];
const ONE_TEXT: [i32; 4] = [21602, 21604, 21605, 21617];
const FILTERED: [i32; 2] = [30004, 30007];
const QUEUE_FULL: [i32; 2] = [21611, 30001];
const UNREACHABLE: [i32; 1] = [30003];
const NO_REASON: [i32; 1] = [30008];
const RATE: [i32; 1] = [20429];
const DAILY: [i32; 1] = [63038];

#[test]
fn every_error_code_of_the_table_has_a_test() {
    let mut known_codes: Vec<i32> = [
        &BAD_NUMBER[..],
        &BAD_NUMBER_REPORTED,
        &OPTED_OUT,
        &ACCOUNT,
        &UNREGISTERED,
        &SET_UP,
        &ONE_RECEIVER,
        &ONE_TEXT,
        &FILTERED,
        &QUEUE_FULL,
        &UNREACHABLE,
        &NO_REASON,
        &RATE,
        &DAILY,
    ]
    .concat();
    known_codes.sort_unstable();
    assert_eq!(known_codes, codes::TWILIO_ERROR_CODES.iter().map(|row| row.code).collect::<Vec<_>>());
    assert!(known_codes.len() >= 20);
}

/// Visitor `n` sends the form, and the due tasks run.
async fn asks(app: &TestApp, shop: &Shop, n: u32) -> LeadId {
    let lead = Visitor::number(n).submits_lead(app, shop).await;
    app.run_tasks().await;
    lead
}

async fn is_refused(app: &TestApp, line: &Line, shop: &Shop, n: u32, code: i32) -> LeadId {
    line.twilio.script(Fault::Code { status: 400, code });
    asks(app, shop, n).await
}

async fn text(app: &TestApp, shop: &Shop, lead: LeadId) -> MessageView {
    let messages = app.lead(shop.id(), lead).await.messages;
    messages.into_iter().find(|m| m.channel == MessageChannel::Sms).expect("a text")
}

fn sid(twilio: &FakeTwilio, id: MessageId) -> String {
    let received = twilio.received();
    let ours = received
        .iter()
        .rev()
        .find(|text| text.status_callback.as_deref().is_some_and(|url| url.ends_with(&id.to_string())));
    ours.expect("the handset has it").sid.clone()
}

/// Twilio reports the newest try of a lead's text as undelivered.
async fn is_lost(app: &TestApp, line: &Line, shop: &Shop, lead: LeadId, code: i32) {
    let sid = sid(&line.twilio, text(app, shop, lead).await.id);
    line.hooks().report(&Report::new(&sid, Word::Undelivered).because(code)).await;
    app.run_tasks().await;
}

fn trouble_mail_count(app: &TestApp) -> usize {
    app.mail.accepted_messages().iter().filter(|letter| letter.subject == "Your texts are not getting through").count()
}

async fn cannot_be_texted(app: &TestApp, shop: &Shop) -> i64 {
    let sql = "SELECT COUNT(*) FROM customer_key WHERE org_id = $1 AND sms_undeliverable_since IS NOT NULL";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, shop.id()).unwrap()
}

fn words(code: i32) -> &'static str {
    codes::find_error_code(code).unwrap().words
}

both_databases! {
    async fn untextable_number_is_remembered_and_never_retried(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let mut learned = 0;
        for (n, code) in (1..).zip(BAD_NUMBER.into_iter().chain(BAD_NUMBER_REPORTED)) {
            let lead = if BAD_NUMBER.contains(&code) {
                is_refused(app, &line, &shop, n, code).await
            } else {
                let lead = asks(app, &shop, n).await;
                is_lost(app, &line, &shop, lead, code).await;
                lead
            };
            assert_eq!(text(app, &shop, lead).await.status_text, format!("failed: {}", words(code)), "{code}");
            assert!(app.lead(shop.id(), lead).await.summary.needs_attention, "{code}");
            learned += 1;
            assert_eq!(cannot_be_texted(app, &shop).await, learned, "{code}");
        }
        let asked = line.twilio.requests().len();
        app.live_through(Duration::hours(25), Duration::hours(1)).await;
        assert_eq!(line.twilio.requests().len(), asked, "none is repeated");
        let again = asks(app, &shop, 1).await;
        let outbox: Vec<String> = app.outbox(shop.id(), again).await;
        assert!(outbox.contains(&"auto_reply sms: not sent: this number cannot receive texts".to_owned()), "{outbox:?}");
        assert_eq!((line.twilio.requests().len(), trouble_mail_count(app)), (asked, 0), "the owner gets no mail for one number");
    }

    async fn twilio_opt_out_is_recorded_and_blocks_manual_retry(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let lead = is_refused(app, &line, &shop, 1, OPTED_OUT[0]).await;
        let text = text(app, &shop, lead).await;
        assert_eq!(text.status_text, "not sent: the person has opted out of texts");
        let sql = "SELECT state || ' by ' || source FROM opt_out WHERE org_id = $1 AND address = $2";
        let known = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar String, sql, shop.id(), &text.to).unwrap();
        assert_eq!(known, ["stopped by provider"]);
        let retried = app.within(async |tx| shared::domain::messaging::message::retry_message(tx, &app.origin, shop.id(), text.id).await).await;
        app.run_tasks().await;
        assert!(retried.is_ok() && line.twilio.requests().len() == 1, "a manual retry sends nothing");
        assert_eq!(trouble_mail_count(app), 0);
    }

    async fn failing_account_holds_all_texts_for_a_quarter_of_an_hour(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        for (round, code) in (0..).zip(ACCOUNT) {
            let (asked, mailed) = (line.twilio.requests().len(), trouble_mail_count(app));
            let first = is_refused(app, &line, &shop, 10 * round, code).await;
            let second = asks(app, &shop, 10 * round + 1).await;
            let held = text(app, &shop, first).await;
            assert_eq!((held.status, held.status_text), (MessageStatus::Held, format!("held: {}", words(code))), "{code}");
            assert!(held.held_until.unwrap() >= app.now() + Duration::minutes(15), "{code}");
            assert_eq!(line.twilio.requests().len(), asked + 1, "{code}: the others are not even tried");
            app.advance(Duration::minutes(14));
            app.run_tasks().await;
            assert_eq!(line.twilio.requests().len(), asked + 1, "{code}");
            app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
            for lead in [first, second] {
                assert_eq!(text(app, &shop, lead).await.status, MessageStatus::Sent, "{code}");
            }
            assert_eq!(trouble_mail_count(app), mailed.max(1), "{code}: the owner gets one mail a day");
            let raised = shared::domain::messaging::alert::list(&mut app.db.acquire_reader().await.unwrap(), shop.id()).await.unwrap();
            let troubles = raised.iter().filter(|alert| alert.kind == shared::domain::messaging::alert::AlertKind::TextingTrouble).count();
            assert_eq!(troubles, trouble_mail_count(app), "{code}: as many alerts in the app and on the devices");
        }
    }

    async fn reactivated_account_releases_held_texts(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let first = is_refused(app, &line, &shop, 1, ACCOUNT[0]).await;
        let second = asks(app, &shop, 2).await;
        let held = async |app: &TestApp| {
            system_status::load_send_blocks(&mut app.db.acquire_reader().await.unwrap(), shop.id(), false, app.now()).await.unwrap().texts
        };
        let why = held(app).await.unwrap_or_default();
        assert!(why.contains("tried again within"), "the status names the pause: {why:?}");
        let waits = text(app, &shop, first).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let again = owner.post(&format!("/api/messages/{}/retry", waits.id), &json!(null)).await;
        assert_eq!(again.status, 409, "{}", again.json());
        let detail = again.json()["detail"].to_string();
        assert!(detail.contains("held") && detail.contains(words(ACCOUNT[0])), "{detail}");
        line.twilio.set_account_status("suspended");
        worker::housekeeping::check_sms_account(&app.context).await.unwrap();
        assert!(held(app).await.is_some(), "it does not work yet");
        line.twilio.set_account_status("active");
        worker::housekeeping::check_sms_account(&app.context).await.unwrap();
        assert_eq!(held(app).await, None);
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        for lead in [first, second] {
            assert_eq!(text(app, &shop, lead).await.status, MessageStatus::Sent);
        }
    }

    async fn active_account_refusing_texts_is_tried_once_per_quarter_hour(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        for _ in 0..2 {
            line.twilio.script(Fault::Code { status: 401, code: 20003 });
        }
        let lead = asks(app, &shop, 1).await;
        let asked = line.twilio.requests().len();
        for _ in 0..9 {
            worker::housekeeping::check_sms_account(&app.context).await.unwrap();
            app.live_through(Duration::minutes(1), Duration::minutes(1)).await;
        }
        let tries = line.twilio.requests().len() - asked;
        assert_eq!(tries, 1, "one look lets the text go once more");
        app.live_through(Duration::minutes(20), Duration::minutes(5)).await;
        assert_eq!(text(app, &shop, lead).await.status, MessageStatus::Sent);
    }

    async fn text_on_account_broken_for_a_day_fails_and_stays_retryable(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        for _ in 0..200 {
            line.twilio.script(Fault::Code { status: 401, code: 20003 });
        }
        let lead = asks(app, &shop, 1).await;
        app.live_through(Duration::hours(26), Duration::minutes(5)).await;
        let text = text(app, &shop, lead).await;
        assert_eq!((text.status, text.retryable), (MessageStatus::Failed, true), "{}", text.status_text);
        let asked = line.twilio.requests().len();
        assert!((20..=100).contains(&asked), "{asked} tries");
        assert_eq!(trouble_mail_count(app), 2, "on each of two days");
    }

    async fn unregistered_number_stops_texting_until_registration_is_approved(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let lead = asks(app, &shop, 1).await;
        is_lost(app, &line, &shop, lead, UNREGISTERED[1]).await;
        assert_eq!(text(app, &shop, lead).await.status_text, format!("failed: {}", words(30034)));
        assert_eq!(trouble_mail_count(app), 1);
        let raised = shared::domain::messaging::alert::list(&mut app.db.acquire_reader().await.unwrap(), shop.id()).await.unwrap();
        let troubles: Vec<_> = raised.iter().filter(|alert| alert.kind == shared::domain::messaging::alert::AlertKind::TextingTrouble).collect();
        assert!(troubles.len() == 1 && troubles[0].body.ends_with("under Settings, Daily limits."), "{troubles:?}");
        let next = asks(app, &shop, 2).await;
        let why = "not sent: your number is not registered for texting yet; text from your own phone";
        assert_eq!(text(app, &shop, next).await.status_text, why);
        assert_eq!(line.twilio.requests().len(), 1);
        app.sets(&shop, json!({"sending": {"registration": "approved"}})).await;
        let last = asks(app, &shop, 3).await;
        assert_eq!(text(app, &shop, last).await.status, MessageStatus::Sent);
    }

    async fn late_refusal_of_former_number_says_nothing_of_the_present_one(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let lead = asks(app, &shop, 1).await;
        app.advance(Duration::minutes(1));
        app.gets_number(shop.id(), Some("+15125550188")).await;
        is_lost(app, &line, &shop, lead, UNREGISTERED[1]).await;
        assert_eq!(text(app, &shop, lead).await.status_text, format!("failed: {}", words(30034)));
        assert_eq!(trouble_mail_count(app), 0);
        let next = asks(app, &shop, 2).await;
        assert_eq!(text(app, &shop, next).await.status, MessageStatus::Sent, "the new number sends");
        is_lost(app, &line, &shop, next, UNREGISTERED[1]).await;
        assert_eq!(trouble_mail_count(app), 1, "this one left from the new number");
        let last = asks(app, &shop, 3).await;
        assert_eq!(text(app, &shop, last).await.status, MessageStatus::NotSent);
    }

    async fn setup_error_fails_with_its_reason_and_notifies_owner_once(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        for (n, code) in (1..).zip(ONE_RECEIVER.into_iter().chain(ONE_TEXT).chain(SET_UP)) {
            let lead = is_refused(app, &line, &shop, n, code).await;
            assert_eq!(text(app, &shop, lead).await.status_text, format!("failed: {}", words(code)), "{code}");
            assert_eq!(trouble_mail_count(app), usize::from(SET_UP.contains(&code)), "{code}");
        }
        let asked = line.twilio.requests().len();
        app.live_through(Duration::hours(3), Duration::minutes(30)).await;
        assert_eq!((line.twilio.requests().len(), cannot_be_texted(app, &shop).await), (asked, 0), "none is repeated");
    }

    async fn third_filtered_text_of_a_day_notifies_owner(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        for (n, code) in [(1, FILTERED[0]), (2, FILTERED[1]), (3, FILTERED[1])] {
            assert_eq!(trouble_mail_count(app), 0, "before text {n}");
            let lead = asks(app, &shop, n).await;
            is_lost(app, &line, &shop, lead, code).await;
            assert_eq!(text(app, &shop, lead).await.status_text, format!("failed: {}", words(code)));
        }
        assert_eq!(trouble_mail_count(app), 1);
        app.live_through(Duration::hours(2), Duration::minutes(30)).await;
        assert_eq!(line.twilio.requests().len(), 3, "none is repeated");
    }

    async fn unreachable_phone_is_retried_twice_half_an_hour_apart(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let lead = asks(app, &shop, 1).await;
        for tries in 1..=3 {
            assert_eq!(line.twilio.received().len(), tries);
            is_lost(app, &line, &shop, lead, UNREACHABLE[0]).await;
            // The same report once more, late: it is about an earlier try.
            is_lost(app, &line, &shop, lead, UNREACHABLE[0]).await;
            app.advance(Duration::minutes(29));
            app.run_tasks().await;
            assert_eq!(line.twilio.received().len(), tries, "not before half an hour has passed");
            app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        }
        assert_eq!(line.twilio.received().len(), 3);
        assert_eq!(text(app, &shop, lead).await.status_text, format!("failed: {}", words(30003)));
    }

    async fn unexplained_loss_resends_notice_once_and_never_the_answer(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        app.tells(&shop, MessageChannel::Sms, "+15125550199").await;
        let lead = asks(app, &shop, 1).await;
        let messages = app.lead(shop.id(), lead).await.messages;
        let texts: Vec<_> = messages.into_iter().filter(|m| m.channel == MessageChannel::Sms).collect();
        let [answer, notice] = &texts[..] else { panic!("{texts:?}") };
        for id in [answer.id, notice.id] {
            let sid = sid(&line.twilio, id);
            line.hooks().report(&Report::new(&sid, Word::Undelivered).because(NO_REASON[0])).await;
        }
        app.run_tasks().await;
        let lines = app.outbox(shop.id(), lead).await;
        let why = words(30008);
        assert!(lines.contains(&format!("auto_reply sms: failed: {why}")), "{lines:?}");
        assert!(lines.contains(&format!("owner_notice sms: waiting to be sent: {why}")), "{lines:?}");
        app.live_through(Duration::minutes(20), Duration::minutes(1)).await;
        let informs = |line: &Line| line.texts_to("+15125550199").iter().filter(|text| text.starts_with("New lead")).count();
        assert_eq!(informs(&line), 2, "an informational text is retried after a quarter of an hour");
        assert_eq!(line.twilio.received().len(), 4, "the owner gets an alert that the reply was lost");
        let sid = sid(&line.twilio, notice.id);
        line.hooks().report(&Report::new(&sid, Word::Undelivered).because(NO_REASON[0])).await;
        app.live_through(Duration::hours(1), Duration::minutes(5)).await;
        assert_eq!((informs(&line), line.twilio.received().len()), (2, 4), "and only once");
    }

    async fn number_with_full_queue_rests_while_others_send(app) {
        let (mut shop, mut other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let line = app.line(&mut shop, NUMBER).await;
        let _second = app.line_at(&mut other, "+15125550101", &line.twilio).await;
        let refused = is_refused(app, &line, &shop, 1, QUEUE_FULL[0]).await;
        let waiting = asks(app, &shop, 2).await;
        let free = asks(app, &other, 3).await;
        assert_eq!(text(app, &other, free).await.status, MessageStatus::Sent);
        assert_eq!(line.twilio.requests().len(), 2, "nothing more from the full number");
        assert_eq!(text(app, &shop, refused).await.status_text, format!("waiting to be sent: {}", words(21611)));
        app.live_through(Duration::minutes(12), Duration::minutes(1)).await;
        for lead in [refused, waiting] {
            assert_eq!(text(app, &shop, lead).await.status, MessageStatus::Sent);
        }
        is_lost(app, &line, &shop, waiting, QUEUE_FULL[1]).await;
        let status_text = text(app, &shop, waiting).await.status_text;
        assert!(status_text.starts_with("failed: it could not be sent in time") && status_text.contains(words(30001)), "{status_text}");
    }

    async fn rate_limit_delays_text_briefly_and_daily_limit_holds_all_an_hour(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let limited = is_refused(app, &line, &shop, 1, RATE[0]).await;
        assert_eq!(text(app, &shop, limited).await.status_text, format!("waiting to be sent: {}", words(20429)));
        app.live_through(Duration::seconds(10), Duration::seconds(1)).await;
        assert_eq!((text(app, &shop, limited).await.status, trouble_mail_count(app)), (MessageStatus::Sent, 0));
        let daily = is_refused(app, &line, &shop, 2, DAILY[0]).await;
        let next = asks(app, &shop, 3).await;
        assert_eq!(text(app, &shop, daily).await.status_text, format!("held: {}", words(63038)));
        assert_eq!((line.twilio.requests().len(), trouble_mail_count(app)), (3, 1));
        app.live_through(Duration::minutes(62), Duration::minutes(1)).await;
        for lead in [daily, next] {
            assert_eq!(text(app, &shop, lead).await.status, MessageStatus::Sent);
        }
    }
}
