//! Silent failures are reported once when they begin, and stay in the report until they are over.

use chrono::Duration;
use shared::{
    domain::growth::kpi_pulse::{backlog, failure},
    platform::{db::q, tasks::queue},
    providers::push::{MemoryPush, PushProvider},
};
use tests::{
    addresses::email,
    app::{LEASE, TestApp},
    both_databases,
    people::{Shop, Visitor},
};

use super::{FRIDAY, acme, letters};

async fn phone(app: &TestApp, shop: &Shop) {
    let insert = "INSERT INTO push_device (org_id, id, account_id, session_hash, label, endpoint, p256dh, auth, created_at)
        VALUES ($1, $2, $3, $4, 'Chrome on Android', 'https://fcm.googleapis.com/fcm/send/7', 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4', 'BTBZMqHH6r4Tts7J_aSIgg', $5)";
    let account = shop.owner();
    let stored = app
        .within(async |tx| {
            Ok(q!(tx, execute, insert, shop.id(), app.origin.uuid_v7(), account.id, vec![7_u8; 32], app.now())?)
        })
        .await;
    assert!(stored.is_ok(), "{stored:?}");
}

async fn looks(app: &TestApp, shop: &Shop) -> usize {
    // Time passes here without the tasks of a worker.
    app.forgets_worker().await;
    let began = failure::check_org(&app.db, &app.origin, shop.id()).await.unwrap();
    app.run_tasks().await;
    began
}

fn shown(app: &TestApp) -> Vec<String> {
    app.push.accepted_messages().into_iter().map(|push| push.title).collect()
}

both_databases! {
    async fn absence_of_expected_leads_alerts_once_and_ends_with_the_next_lead(app) {
        let (shop, _) = acme(app).await;
        phone(app, &shop).await;
        let five = "INSERT INTO metric_day (org_id, day, leads) VALUES ($1, $2, 5)";
        for ago in 1..=35 {
            let day = (app.now() - Duration::days(ago)).date_naive();
            app.within(async |tx| Ok(q!(tx, execute, five, shop.id(), day)?)).await.unwrap();
        }
        assert_eq!(looks(app, &shop).await, 0, "yesterday had five");
        app.advance(Duration::days(2));
        assert_eq!(looks(app, &shop).await, 1);
        assert_eq!(shown(app), ["No new lead for a whole day, which is not normal for you"]);
        for _ in 0..3 {
            app.advance(Duration::hours(1));
            assert_eq!(looks(app, &shop).await, 0, "not again while it lasts");
        }
        assert_eq!(app.count("alert WHERE kind = 'quiet_failure'").await, 1);
        app.reports().await;
        assert!(letters(app).last().unwrap().text.contains("⚠ No new lead for a whole day"));
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(looks(app, &shop).await, 0);
        assert_eq!(app.count("incident").await, 0, "it is over");
    }

    async fn low_message_delivery_rate_raises_an_alert(app) {
        let (shop, _) = acme(app).await;
        let insert = "INSERT INTO message (org_id, id, direction, channel, kind, class, to_address, body, status, dedupe_key, attempts, fence, next_attempt_at, deadline_at, reconcile_checks, created_at)
            VALUES ($1, $2, 'out', 'sms', 'manual', 'conversational', '+15125550142', 'Hi', $3, $4, 1, 0, $5, $5, 0, $5)";
        for n in 0..10 {
            let status = if n < 8 { "delivered" } else { "failed" };
            app.within(async |tx| Ok(q!(tx, execute, insert, shop.id(), app.origin.uuid_v7(), status, format!("{n}"), app.now())?)).await.unwrap();
        }
        assert_eq!(looks(app, &shop).await, 1);
        assert_eq!(app.count("alert WHERE kind = 'quiet_failure' AND title = 'Only 80% of your texts arrive'").await, 1);
        app.advance(Duration::days(8));
        assert_eq!((looks(app, &shop).await, app.count("incident").await), (0, 0));
    }

    async fn stalled_worker_is_reported_by_the_api_and_cleared_on_resume(app) {
        app.forgets_worker().await;
        let (shop, _) = acme(app).await;
        phone(app, &shop).await;
        let state = app.state();
        let (devices, push) = { let devices = MemoryPush::default(); (devices.clone(), PushProvider::Memory(devices)) };
        assert_eq!(api::worker_watchdog::check_worker(&state, &push).await.unwrap(), 0, "no worker was ever there");
        shared::ops::system_status::record_heartbeat(&app.db, &app.origin, "worker-1", &shared::ops::system_status::WorkerMetrics::default()).await.unwrap();
        assert_eq!(api::worker_watchdog::check_worker(&state, &push).await.unwrap(), 0);
        app.advance(Duration::minutes(11));
        assert_eq!(api::worker_watchdog::check_worker(&state, &push).await.unwrap(), 1);
        let push_titles: Vec<String> = devices.accepted_messages().into_iter().map(|push| push.title).collect();
        assert_eq!(push_titles, ["Nothing is being sent: sending is stopped right now"]);
        app.advance(Duration::minutes(1));
        assert_eq!(api::worker_watchdog::check_worker(&state, &push).await.unwrap(), 0, "once");
        shared::ops::system_status::record_heartbeat(&app.db, &app.origin, "worker-2", &shared::ops::system_status::WorkerMetrics::default()).await.unwrap();
        app.run_tasks().await;
        assert_eq!((api::worker_watchdog::check_worker(&state, &push).await.unwrap(), app.count("incident").await), (0, 0));
        assert!(shown(app).is_empty(), "the device had it from the API");
        app.advance(Duration::minutes(20));
        assert_eq!(api::worker_watchdog::check_worker(&state, &push).await.unwrap(), 1, "the next time is another one");
        app.run_tasks().await;
    }

    async fn dead_push_device_is_named_in_the_report(app) {
        let (shop, _) = acme(app).await;
        phone(app, &shop).await;
        let dead = "UPDATE push_device SET dead_at = $1";
        app.within(async |tx| Ok(q!(tx, execute, dead, app.now())?)).await.unwrap();
        assert_eq!((looks(app, &shop).await, looks(app, &shop).await), (1, 0));
        app.waits_until(FRIDAY);
        app.reports().await;
        let letter = &letters(app)[0];
        assert!(letter.text.starts_with("⚠ Olive Owner: Chrome on Android: no push since Thu, Sep 17."), "{}", letter.text);
    }

    async fn messages_waiting_over_five_minutes_alert_once_until_sent(app) {
        let (shop, _) = acme(app).await;
        phone(app, &shop).await;
        for n in 0..3 {
            Visitor::number(n).submits_lead(app, &shop).await;
        }
        assert!(!queue::claim_due(&app.db, &app.origin, "w", LEASE, 16).await.unwrap().is_empty());
        queue::release_held(&app.db, "w").await.unwrap();
        let look = async || backlog::check_backlogs(&app.db, &app.origin, &app.settings.secret, &[email("ops@example.com")]).await.unwrap();
        assert_eq!(look().await, 0, "they have just come");
        app.advance(Duration::minutes(6));
        assert_eq!(look().await, 1);
        assert_eq!(look().await, 0, "once");
        let title = "SELECT title FROM alert WHERE kind = 'quiet_failure'";
        let title = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, title).unwrap();
        assert!(title.starts_with("Messages are behind: ") && title.ends_with(" wait, and none leaves"), "{title}");
        assert_eq!(app.count("install_mail WHERE dedupe_key LIKE 'backlog:%'").await, 1);
        app.run_tasks().await;
        assert_eq!(look().await, 0);
        assert_eq!(app.count("incident").await, 0, "it is over");
        assert_eq!((look().await, app.count("alert WHERE title = 'Messages have caught up'").await), (0, 1), "told once");
        app.run_tasks().await;
    }

    async fn backlog_beyond_the_daily_limit_names_what_can_leave_today(app) {
        let (shop, _) = acme(app).await;
        app.sets(&shop, serde_json::json!({"sending": {"dailyTextBudget": 2}})).await;
        for n in 0..5 {
            Visitor::number(n).submits_lead(app, &shop).await;
        }
        assert!(!queue::claim_due(&app.db, &app.origin, "w", LEASE, 16).await.unwrap().is_empty());
        queue::release_held(&app.db, "w").await.unwrap();
        app.advance(Duration::minutes(6));
        // One left a moment ago: the pace is not that of the silence before.
        let insert = "INSERT INTO message (org_id, id, direction, channel, kind, class, to_address, body, status, dedupe_key, attempts, fence, next_attempt_at, deadline_at, reconcile_checks, created_at, sent_at)
            VALUES ($1, $2, 'out', 'sms', 'manual', 'conversational', '+15125550142', 'Hi', 'delivered', 'sent', 1, 0, $3, $3, 0, $3, $3)";
        app.within(async |tx| Ok(q!(tx, execute, insert, shop.id(), app.origin.uuid_v7(), app.now())?)).await.unwrap();
        assert_eq!(failure::check_org(&app.db, &app.origin, shop.id()).await.unwrap(), 1);
        let title = "SELECT title FROM alert WHERE kind = 'quiet_failure'";
        let title = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, title).unwrap();
        assert!(title.ends_with(" wait, and only 2 automatic texts can still leave today"), "{title}");
        app.live_through(Duration::minutes(3), Duration::seconds(10)).await;
        looks(app, &shop).await;
        assert_eq!(app.count("incident WHERE name = 'behind'").await, 0, "nothing waits any more");
        let refused = app.count("message WHERE status = 'not_sent' AND reason LIKE 'today''s budget of 2 %'").await;
        assert!(refused > 1, "{refused}");
        let body = "SELECT body FROM alert WHERE title = 'Messages have caught up, but some texts were not sent'";
        let body = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, body).unwrap();
        assert_eq!(body, format!("{refused} texts were not sent because today's limit was used up. Open the list of those leads and tap Send again on each."));
        app.run_tasks().await;
    }
}
