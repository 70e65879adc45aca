//! Texts and calls that came while the API was down: Twilio's webhook is not repeated, its lists keep them.

use chrono::{Duration, TimeZone, Utc};
use shared::{
    domain::messaging::{message::MessageChannel, opt_out::store},
    platform::{db::q, error::Error},
};
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::{InboundText, MmsPicture},
    http::pixel,
    phone::{ANN, Line},
};
use worker::tasks::messaging::inbound_sync;

const NUMBER: &str = "+15125550100";

async fn looks(app: &TestApp) -> usize {
    let found = inbound_sync::run(&app.context).await.expect("Twilio's list");
    app.run_tasks().await;
    found
}

fn to_us(line: &Line, words: &str) -> InboundText {
    InboundText::new(ANN, &line.number, words)
}

both_databases! {
    async fn text_missed_while_offline_is_found_and_answered_once(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        assert_eq!(looks(app).await, 0);
        app.advance(Duration::minutes(10));
        let (sid, came_at) = (line.unreported(&to_us(&line, "My kitchen sink is leaking")), app.now());
        app.advance(Duration::minutes(3));
        assert_eq!(looks(app).await, 1);
        let lead = app.only_lead(&shop).await;
        let text = lead.messages.iter().find(|m| m.body == "My kitchen sink is leaking").expect("their text");
        assert_eq!(text.created_at, came_at, "when they wrote it, not when we found it");
        assert_eq!(line.texts_to(ANN).len(), 1, "and they have an answer");
        app.advance(Duration::minutes(5));
        assert_eq!(looks(app).await, 0, "it is known now");
        line.delivers(&to_us(&line, "My kitchen sink is leaking").again(&sid)).await;
        app.run_tasks().await;
        assert_eq!(app.only_lead(&shop).await.messages.len(), lead.messages.len(), "Twilio's late word adds nothing");
        assert_eq!(line.texts_to(ANN).len(), 1);
    }

    async fn text_already_received_is_not_imported_again(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        looks(app).await;
        app.advance(Duration::minutes(1));
        line.writes(ANN, "No hot water").await;
        app.run_tasks().await;
        let before = app.only_lead(&shop).await.messages.len();
        assert_eq!(looks(app).await, 0);
        assert_eq!((app.only_lead(&shop).await.messages.len(), line.texts_to(ANN).len()), (before, 1));
    }

    async fn stop_missed_while_offline_holds_once_found(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        looks(app).await;
        line.writes(ANN, "How much for a water heater?").await;
        app.run_tasks().await;
        app.advance(Duration::minutes(1));
        let _ = line.unreported(&to_us(&line, "STOP"));
        assert_eq!(looks(app).await, 1);
        let out = store::find_opt_out(&mut app.db.acquire_reader().await.unwrap(), shop.id(), MessageChannel::Sms, ANN).await.unwrap();
        assert!(out.is_some_and(|out| out.state == store::OptOutState::Stopped));
        line.writes(ANN, "one more thing").await;
        app.run_tasks().await;
        assert_eq!(line.texts_to(ANN).len(), 1, "the answer to the first text, and nothing since");
    }

    async fn missed_text_is_imported_with_its_picture(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        looks(app).await;
        app.advance(Duration::minutes(1));
        let _ = line.unreported(&to_us(&line, "It looks like this").with_picture(MmsPicture::new("image/png", &pixel())));
        assert_eq!(looks(app).await, 1);
        assert_eq!(app.only_lead(&shop).await.photos.len(), 1);
    }

    async fn text_from_before_number_assignment_is_ignored(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let _ = line.unreported(&to_us(&line, "Is this still the old barber shop?"));
        app.advance(Duration::minutes(30));
        assert_eq!(looks(app).await, 0);
        app.advance(Duration::minutes(30));
        assert_eq!((looks(app).await, app.count("lead").await, line.texts_to(ANN).len()), (0, 0, 0));
    }

    async fn unreadable_message_list_is_resumed_from_the_same_moment(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        looks(app).await;
        app.advance(Duration::minutes(1));
        let _ = line.unreported(&to_us(&line, "Anybody there?"));
        line.twilio.break_reading(Some(503));
        for _ in 0..3 {
            app.advance(Duration::hours(1));
            assert!(matches!(inbound_sync::run(&app.context).await, Err(Error::Unavailable(_))));
        }
        line.twilio.break_reading(None);
        assert_eq!(looks(app).await, 1);
        assert_eq!(app.count("lead").await, 1);
    }

    async fn missed_texts_beyond_one_page_are_all_found_in_order(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        looks(app).await;
        for n in 0..230 {
            app.advance(Duration::seconds(1));
            let _ = line.unreported(&to_us(&line, &format!("text {n}")));
        }
        assert_eq!(looks(app).await, 230);
        let lead = app.only_lead(&shop).await;
        let theirs: Vec<_> = lead.messages.iter().filter(|m| m.body.starts_with("text ")).map(|m| m.body.clone()).collect();
        let mut sorted = theirs.clone();
        sorted.sort_by_key(|body| body[5..].parse::<u32>().unwrap());
        assert!(!theirs.is_empty() && (theirs == sorted || theirs.iter().rev().eq(sorted.iter())), "{theirs:?}");
    }

    async fn call_missed_while_offline_is_found_and_texted_back_once(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        line.rings("+15125550143", []).await;
        app.advance(Duration::minutes(1));
        looks(app).await;
        app.advance(Duration::minutes(1));
        let (sid, came_at) = (line.unreported_call(ANN, 4), app.now());
        app.advance(Duration::minutes(4));
        assert_eq!(looks(app).await, 1);
        app.advance(Duration::seconds(15));
        app.run_tasks().await;
        assert_eq!(line.texts_to(ANN).len(), 1, "as after any missed call");
        let sql = "SELECT started_at FROM call WHERE provider_id = $1";
        let mut conn = app.db.acquire_reader().await.unwrap();
        assert_eq!(q!(&mut conn, fetch_one scalar chrono::DateTime<chrono::Utc>, sql, &sid).unwrap(), came_at);
        drop(conn);
        app.advance(Duration::minutes(1));
        assert_eq!(looks(app).await, 0);
        app.run_tasks().await;
        assert_eq!(line.texts_to(ANN).len(), 1);
    }

    async fn call_with_reported_end_is_not_imported_again(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        looks(app).await;
        app.advance(Duration::minutes(1));
        line.rings(ANN, []).await;
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        assert_eq!((looks(app).await, line.texts_to(ANN).len()), (0, 1));
    }

    async fn text_and_call_found_at_night_alert_owner_and_get_no_answer(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        line.rings("+15125550143", []).await;
        let evening = Utc.with_ymd_and_hms(2026, 9, 23, 1, 0, 0).unwrap();
        app.advance(evening - app.now());
        app.run_tasks().await;
        looks(app).await;
        let before = line.twilio.received().len();
        app.advance(Duration::minutes(1));
        let _ = line.unreported(&to_us(&line, "Water is coming through the ceiling"));
        let _ = line.unreported_call("+15125550144", 9);
        // 8:00 PM in Texas when they wrote, 11:30 PM when it is found.
        app.advance(Duration::minutes(210));
        assert_eq!(looks(app).await, 2);
        app.live_through(Duration::days(2), Duration::minutes(30)).await;
        assert_eq!(line.twilio.received().len(), before, "no text at night, and none the day after");
        let alerts = "SELECT COUNT(*) FROM alert WHERE org_id = $1 AND kind IN ('text_received', 'missed_call')";
        let alert_count = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, alerts, shop.id()).unwrap();
        assert_eq!(alert_count, 3, "the owner gets an alert for each");
    }

    async fn text_found_within_the_hour_is_answered_and_after_five_hours_is_not(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let morning = Utc.with_ymd_and_hms(2026, 9, 23, 15, 0, 0).unwrap();
        app.advance(morning - app.now());
        for (n, (late, texts)) in [(40, 1), (5 * 60, 0)].into_iter().enumerate() {
            let from = format!("+1512555016{n}");
            looks(app).await;
            app.advance(Duration::minutes(1));
            let _ = line.unreported(&InboundText::new(&from, &line.number, "Do you fix boilers?"));
            app.advance(Duration::minutes(late));
            assert_eq!((looks(app).await, line.texts_to(&from).len()), (1, texts), "{late} minutes");
        }
    }

    async fn older_start_does_not_lift_newer_stop(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        line.writes(ANN, "STOP").await;
        looks(app).await;
        app.advance(Duration::minutes(2));
        let _ = line.unreported(&to_us(&line, "START"));
        app.advance(Duration::minutes(2));
        line.writes(ANN, "STOP").await;
        app.advance(Duration::minutes(2));
        assert_eq!(looks(app).await, 1);
        let out = store::find_opt_out(&mut app.db.acquire_reader().await.unwrap(), shop.id(), MessageChannel::Sms, ANN).await.unwrap();
        assert!(out.is_some_and(|out| out.state == store::OptOutState::Stopped));
    }

    async fn number_ringing_elsewhere_yields_no_missed_calls(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        looks(app).await;
        app.advance(Duration::minutes(1));
        let _ = line.unreported_call(ANN, 9);
        app.advance(Duration::minutes(2));
        assert_eq!((looks(app).await, app.count("lead").await), (0, 0), "no call was ever led to us");
        line.rings("+15125550143", []).await;
        app.advance(Duration::minutes(2));
        let _ = line.unreported_call("+15125550144", 300);
        app.advance(Duration::minutes(6));
        app.run_tasks().await;
        let found = looks(app).await;
        let sql = "SELECT COUNT(*) FROM call WHERE from_address = '+15125550144'";
        let stored = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql).unwrap();
        assert_eq!((found, stored), (1, 0), "a call of five minutes counts as answered, and Ann's call was reported by its webhook");
    }

    async fn reassigned_number_imports_no_texts_of_previous_tenant(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        looks(app).await;
        app.advance(Duration::minutes(1));
        let _ = line.unreported(&to_us(&line, "For Acme only"));
        let other = app.org("Best Roofing").await;
        app.gets_number(other.id(), Some(NUMBER)).await;
        for _ in 0..3 {
            app.advance(Duration::minutes(5));
            assert_eq!(looks(app).await, 0);
        }
        assert_eq!(app.count("lead").await, 0);
    }
}
