//! The pace of texts: within carriers' limits, no business delayed by another's volume, no answer behind reminders.

use chrono::{DateTime, Duration, Utc};
use serde_json::json;
use shared::{
    domain::messaging::{
        message::{self, MessageDraft, MessageKind, MessageStatus, NewMessage, send_rate::SendRateLimit},
        sending_number::{self, NumberAssignedBy},
    },
    platform::{
        db::q,
        id::{CustomerId, MessageId},
    },
};
use tests::{addresses::phone, app::TestApp, both_databases, people::Shop};

/// Number of texts that may leave at once, in seconds' worth.
const BURST: usize = 30;

async fn queues(app: &TestApp, shop: &Shop, kind: MessageKind, count: usize) {
    queues_words(app, shop, kind, count, "The crew is on its way.").await;
}

async fn queues_words(app: &TestApp, shop: &Shop, kind: MessageKind, count: usize, words: &str) {
    let number = |n: usize| format!("+1512{:07}", 5_000_000 + n);
    let customer = CustomerId(app.origin.uuid_v7());
    app.within(async |tx| {
        let person = "INSERT INTO customer (org_id, id, name, search, created_at) VALUES ($1, $2, 'Everybody', '', $3)";
        q!(&mut *tx, execute, person, shop.id(), customer, app.now())?;
        let key = "INSERT INTO customer_key (org_id, kind, value, customer_id) VALUES ($1, 'phone', $2, $3)
             ON CONFLICT (org_id, kind, value) DO UPDATE SET customer_id = excluded.customer_id";
        for n in 0..count {
            q!(&mut *tx, execute, key, shop.id(), number(n), customer)?;
        }
        Ok(())
    })
    .await
    .unwrap();
    let texts: Vec<NewMessage> = (0..count)
        .map(|n| {
            let draft = MessageDraft::new(kind, phone(&number(n)), words.to_owned(), format!("{kind:?}:{n}"));
            MessageDraft { customer: Some(customer), ..draft }.with_id(MessageId(app.origin.uuid_v7()))
        })
        .collect();
    for some in texts.chunks(200) {
        app.within(async |tx| message::queue_messages(tx, &app.origin, shop.id(), some).await).await.unwrap();
    }
}

/// A business whose daily budget stops nothing here.
async fn unbudgeted(app: &TestApp, name: &str) -> Shop {
    let shop = app.org(name).await;
    app.sets(&shop, json!({"sending": {"dailyTextBudget": 10_000, "numbersPerExchange": 10_000}})).await;
    shop
}

async fn sent(app: &TestApp, shop: &Shop, kind: MessageKind) -> usize {
    count(app, shop, kind, MessageStatus::Sent).await
}

async fn count(app: &TestApp, shop: &Shop, kind: MessageKind, status: MessageStatus) -> usize {
    let sql = "SELECT COUNT(*) FROM message WHERE org_id = $1 AND kind = $2 AND status = $3";
    let found =
        q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, shop.id(), kind, status).unwrap();
    usize::try_from(found).unwrap()
}

async fn leaves_from(app: &TestApp, shop: &Shop, number: &str) {
    app.gets_number(shop.id(), Some(number)).await;
}

async fn shares_a_service(app: &TestApp, shop: &Shop) {
    let (by, number) = ((NumberAssignedBy::Operator, None), shop.org.sms_number.clone().unwrap());
    let shared = app.within(async |tx| {
        sending_number::release_number(&mut *tx, &app.origin, &number).await?;
        sending_number::share_service(tx, &app.origin, shop.id(), "MG1", by).await
    });
    shared.await.unwrap();
}

both_databases! {
    async fn number_sends_one_text_per_second_after_its_burst(app) {
        let shop = unbudgeted(app, "Acme Plumbing").await;
        queues(app, &shop, MessageKind::Manual, 200).await;
        app.run_tasks().await;
        let mut before = sent(app, &shop, MessageKind::Manual).await;
        assert_eq!(before, BURST + 1);
        let mut seconds = 0;
        while before < 200 {
            app.advance(Duration::seconds(10));
            app.run_tasks().await;
            let now = sent(app, &shop, MessageKind::Manual).await;
            assert!(now - before <= 10, "{} texts in ten seconds", now - before);
            (before, seconds) = (now, seconds + 10);
        }
        assert_eq!(seconds, 170, "and not slower either");
    }

    async fn three_segment_text_takes_three_turns(app) {
        let shop = unbudgeted(app, "Acme Plumbing").await;
        queues_words(app, &shop, MessageKind::Manual, 40, &"long ".repeat(80)).await;
        app.run_tasks().await;
        assert_eq!(sent(app, &shop, MessageKind::Manual).await, BURST / 3 + 1);
        app.live_through(Duration::seconds(30), Duration::seconds(1)).await;
        assert_eq!(sent(app, &shop, MessageKind::Manual).await, 2 * BURST / 3 + 1);
    }

    async fn texts_beyond_daily_limit_stay_queued_until_midnight(app) {
        let shop = unbudgeted(app, "Acme Plumbing").await;
        leaves_from(app, &shop, "+15125550100").await;
        app.context.config.pace = SendRateLimit { segments_a_second: 1, texts_a_day: 600, ..SendRateLimit::default() };
        let began = app.now();
        queues(app, &shop, MessageKind::Manual, 700).await;
        app.live_through(Duration::minutes(11), Duration::minutes(1)).await;
        assert_eq!(sent(app, &shop, MessageKind::Manual).await, 600, "the day's texts");
        let waiting = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar DateTime<Utc>,
            "SELECT next_attempt_at FROM message WHERE status = 'queued'").unwrap();
        let midnight: DateTime<Utc> = "2026-09-18T07:00:00Z".parse().unwrap();
        assert!(began < midnight && waiting.len() == 100);
        assert!(waiting.iter().all(|at| *at >= midnight), "the rest waits for midnight in California");
    }

    async fn business_on_shared_number_does_not_wait_behind_another_backlog(app) {
        let (acme, best) = (unbudgeted(app, "Acme Plumbing").await, unbudgeted(app, "Best Roofing").await);
        shares_a_service(app, &acme).await;
        shares_a_service(app, &best).await;
        queues(app, &acme, MessageKind::Manual, 300).await;
        app.live_through(Duration::minutes(1), Duration::seconds(1)).await;
        queues(app, &best, MessageKind::Manual, 1).await;
        app.live_through(Duration::seconds(5), Duration::seconds(1)).await;
        assert_eq!(sent(app, &best, MessageKind::Manual).await, 1, "within five seconds");
        assert!(count(app, &acme, MessageKind::Manual, MessageStatus::Queued).await > 200);
    }

    async fn shared_number_gives_each_of_ten_businesses_a_fair_share(app) {
        let mut shops = Vec::new();
        for n in 0..10 {
            let shop = unbudgeted(app, &format!("Shop {n}")).await;
            shares_a_service(app, &shop).await;
            queues(app, &shop, MessageKind::Manual, 40).await;
            shops.push(shop);
        }
        app.live_through(Duration::minutes(2), Duration::seconds(1)).await;
        let mut starts = Vec::new();
        for shop in &shops {
            starts.push(sent(app, shop, MessageKind::Manual).await);
        }
        let all: usize = starts.iter().sum();
        assert!((140..=160).contains(&all), "{all} in two minutes");
        assert!(starts.iter().all(|n| n * 100 >= all * 7), "each gets at least seven in a hundred: {starts:?}");
    }

    async fn business_joining_number_with_ten_backlogs_sends_within_five_seconds(app) {
        for n in 0..10 {
            let shop = unbudgeted(app, &format!("Shop {n}")).await;
            shares_a_service(app, &shop).await;
            queues(app, &shop, MessageKind::Manual, 300).await;
        }
        app.live_through(Duration::minutes(2), Duration::seconds(1)).await;
        let best = unbudgeted(app, "Best Roofing").await;
        shares_a_service(app, &best).await;
        queues(app, &best, MessageKind::AutoReply, 1).await;
        app.live_through(Duration::seconds(5), Duration::seconds(1)).await;
        assert_eq!(sent(app, &best, MessageKind::AutoReply).await, 1, "within five seconds");
    }

    async fn older_backlogs_starve_neither_new_reply_nor_later_backlogs(app) {
        let mut shops = Vec::new();
        for (n, count) in [300, 200].into_iter().chain([40; 8]).enumerate() {
            let shop = unbudgeted(app, &format!("Shop {n}")).await;
            shares_a_service(app, &shop).await;
            queues(app, &shop, MessageKind::Manual, count).await;
            if n < 2 {
                app.live_through(Duration::seconds(75), Duration::seconds(1)).await;
            }
            shops.push((shop, 0));
        }
        for (shop, before) in &mut shops {
            *before = sent(app, shop, MessageKind::Manual).await;
        }
        app.live_through(Duration::minutes(1), Duration::seconds(1)).await;
        let best = unbudgeted(app, "Best Roofing").await;
        shares_a_service(app, &best).await;
        queues(app, &best, MessageKind::AutoReply, 1).await;
        app.live_through(Duration::seconds(5), Duration::seconds(1)).await;
        assert_eq!(sent(app, &best, MessageKind::AutoReply).await, 1, "within five seconds");
        app.live_through(Duration::seconds(55), Duration::seconds(1)).await;
        let mut starts = Vec::new();
        for (shop, before) in &shops {
            starts.push(sent(app, shop, MessageKind::Manual).await - before);
        }
        let all: usize = starts.iter().sum();
        assert!((110..=150).contains(&all), "{all} in two minutes");
        let (first, later) = starts.split_at(2);
        assert!(later.iter().all(|n| n * 100 >= all * 7), "each gets at least seven in a hundred: {starts:?}");
        assert!(first.iter().all(|n| n * 100 >= all * 5), "and who had more before is not starved for it: {starts:?}");
    }

    async fn daily_share_of_business_is_not_used_up_by_another_business(app) {
        app.context.config.pace = SendRateLimit { segments_a_second: 100, texts_a_day: 200, ..SendRateLimit::default() };
        let (acme, best) = (unbudgeted(app, "Acme Plumbing").await, unbudgeted(app, "Best Roofing").await);
        shares_a_service(app, &acme).await;
        shares_a_service(app, &best).await;
        queues(app, &acme, MessageKind::Manual, 300).await;
        app.live_through(Duration::minutes(2), Duration::seconds(10)).await;
        let first = sent(app, &acme, MessageKind::Manual).await;
        assert_eq!(first, 72, "half of nine tenths of the day, but for a fifth that is kept for answers");
        queues(app, &best, MessageKind::AutoReply, 15).await;
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert_eq!(sent(app, &best, MessageKind::AutoReply).await, 15, "another's answers leave all the same");
    }

    async fn business_without_sends_keeps_its_daily_share_of_shared_service(app) {
        app.context.config.pace = SendRateLimit { segments_a_second: 100, texts_a_day: 20, ..SendRateLimit::default() };
        let mut shops = Vec::new();
        for name in ["Beta Roofing", "Alpha Plumbing", "Gamma Electric", "Delta Heating"] {
            let shop = unbudgeted(app, name).await;
            shares_a_service(app, &shop).await;
            shops.push(shop);
        }
        // It shares the service but has its own number, and so takes no part in it.
        let own = unbudgeted(app, "Own Number Co").await;
        shares_a_service(app, &own).await;
        leaves_from(app, &own, "+15125550199").await;
        queues(app, &shops[0], MessageKind::Manual, 40).await;
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert_eq!(sent(app, &shops[0], MessageKind::Manual).await, 4, "its part, but for a fifth");
        for shop in &shops {
            queues(app, shop, MessageKind::AutoReply, 6).await;
        }
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        let mut answered = Vec::new();
        for shop in &shops {
            answered.push(sent(app, shop, MessageKind::AutoReply).await);
        }
        assert_eq!(answered, [0, 4, 4, 4], "a fourth of eighteen each; the rest is for those who join today");
    }

    async fn daily_share_shrinks_one_second_after_others_join_shared_service(app) {
        app.context.config.pace = SendRateLimit { segments_a_second: 100, texts_a_day: 20, ..SendRateLimit::default() };
        let acme = unbudgeted(app, "Acme Plumbing").await;
        shares_a_service(app, &acme).await;
        queues(app, &acme, MessageKind::Manual, 8).await;
        app.run_tasks().await;
        assert_eq!(sent(app, &acme, MessageKind::Manual).await, 8, "alone it has nine tenths of the day");
        for name in ["Best Roofing", "Gamma Electric", "Delta Heating"] {
            let shop = unbudgeted(app, name).await;
            shares_a_service(app, &shop).await;
        }
        app.advance(Duration::seconds(1));
        // The first eight are there already.
        queues(app, &acme, MessageKind::Manual, 13).await;
        app.run_tasks().await;
        assert_eq!(sent(app, &acme, MessageKind::Manual).await, 8, "a fourth of eighteen is four");
        assert_eq!(count(app, &acme, MessageKind::Manual, MessageStatus::Queued).await, 5);
    }

    async fn business_joining_a_used_up_service_during_the_day_answers_the_same_day(app) {
        app.context.config.pace = SendRateLimit { segments_a_second: 100, texts_a_day: 200, ..SendRateLimit::default() };
        let acme = unbudgeted(app, "Acme Plumbing").await;
        shares_a_service(app, &acme).await;
        queues(app, &acme, MessageKind::Manual, 300).await;
        queues(app, &acme, MessageKind::AutoReply, 200).await;
        app.live_through(Duration::minutes(2), Duration::seconds(10)).await;
        let former = sent(app, &acme, MessageKind::Manual).await + sent(app, &acme, MessageKind::AutoReply).await;
        assert_eq!(former, 180, "nine tenths of the day");
        for (name, takes) in [("Best Roofing", 10), ("Gamma Electric", 5)] {
            let shop = unbudgeted(app, name).await;
            shares_a_service(app, &shop).await;
            app.advance(Duration::seconds(1));
            queues(app, &shop, MessageKind::AutoReply, 15).await;
            app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
            assert_eq!(sent(app, &shop, MessageKind::AutoReply).await, takes, "{name}: half of what is left");
        }
    }

    async fn reply_passes_waiting_reminders_and_another_number_is_unaffected(app) {
        let (acme, best) = (unbudgeted(app, "Acme Plumbing").await, unbudgeted(app, "Best Roofing").await);
        leaves_from(app, &acme, "+15125550100").await;
        leaves_from(app, &best, "+15125550101").await;
        queues(app, &acme, MessageKind::Nudge, 200).await;
        app.run_tasks().await;
        queues(app, &acme, MessageKind::AutoReply, 1).await;
        queues(app, &best, MessageKind::AutoReply, BURST).await;
        app.run_tasks().await;
        assert_eq!(sent(app, &best, MessageKind::AutoReply).await, BURST, "its own number is free");
        app.live_through(Duration::seconds(5), Duration::seconds(1)).await;
        assert_eq!(sent(app, &acme, MessageKind::AutoReply).await, 1);
        assert!(count(app, &acme, MessageKind::Nudge, MessageStatus::Queued).await > 150);
    }

    async fn text_that_would_miss_its_deadline_fails_without_taking_a_turn(app) {
        let shop = unbudgeted(app, "Acme Plumbing").await;
        queues_words(app, &shop, MessageKind::AutoReply, 400, &"long ".repeat(80)).await;
        app.run_tasks().await;
        let given_up = count(app, &shop, MessageKind::AutoReply, MessageStatus::Failed).await;
        assert!((83..=97).contains(&given_up), "{given_up}: a quarter of an hour holds 900 parts and the burst");
        let sql = "SELECT reason FROM message WHERE status = 'failed' LIMIT 1";
        let why = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, sql).unwrap();
        assert_eq!(why, "too many texts were waiting before it to send it in time");
        app.live_through(Duration::minutes(16), Duration::seconds(20)).await;
        assert_eq!(sent(app, &shop, MessageKind::AutoReply).await + given_up, 400, "and all the others were sent");
    }
}
