//! A chosen time is held for one customer for five minutes, within the limits of its network, the business and the day.

use axum::http::Method;
use chrono::{DateTime, Duration, Utc};
use futures::future::join_all;
use serde_json::{Value, json};
use tests::{app::TestApp, both_databases, http::Answer};

use super::{Work, add_crew, books, friday, wish};

fn statuses(answers: &[Answer]) -> Vec<u16> {
    let mut found: Vec<u16> = answers.iter().map(|answer| answer.status.as_u16()).collect();
    found.sort_unstable();
    found
}

fn is_held(app: &TestApp, hold: &Value) -> bool {
    hold["expiresAt"].as_str().unwrap().parse::<DateTime<Utc>>().unwrap() > app.now()
}

both_databases! {
    async fn concurrent_holds_of_one_slot_succeed_once(app) {
        let work = Work::of(app).await;
        let visitor = app.client().here();
        let answers = join_all((0..50).map(|_| async { visitor.post("/api/public/holds", &wish(friday())).await })).await;
        let found = statuses(&answers);
        assert_eq!(found.iter().filter(|status| **status == 201).count(), 1, "{found:?}");
        // On a busy machine some are asked to try again.
        assert!(found.iter().all(|status| [201, 409, 503].contains(status)), "{found:?}");
        assert_eq!(app.count("slot_hold").await, 1);
        assert_eq!(work.offered("").await[0], "09-18 12:30");
    }

    async fn expired_holds_of_one_slot_yield_one_booking(app) {
        let work = Work::of(app).await;
        let mut holds = Vec::new();
        for _ in 0..6 {
            holds.push(work.holds(friday() + Duration::days(3)).await);
            app.advance(Duration::minutes(5));
        }
        let answers = join_all(holds.iter().enumerate().map(|(n, hold)| {
            let who = json!({"name": format!("Visitor {n}"), "phone": format!("512555010{n}"), "email": null});
            let client = app.client().here();
            async move { books(&client, hold, who).await }
        })).await;
        assert_eq!(statuses(&answers), [201, 409, 409, 409, 409, 409]);
        assert_eq!((app.count("booking_request").await, app.count("customer").await), (1, 1), "of the others nothing is stored");
        app.run_tasks().await;
    }

    async fn hold_blocks_slot_and_buffer_for_five_minutes(app) {
        let work = Work::of(app).await;
        let mine = work.holds(friday()).await;
        assert_eq!(work.tries_to_hold(friday()).await.status, 409);
        assert!(!work.offered("").await.contains(&"09-18 10:00".to_owned()), "nor is it offered");
        assert_eq!(work.tries_to_hold(friday() + Duration::minutes(120)).await.status, 409, "the buffer belongs to it");
        app.advance(Duration::minutes(4));
        assert_eq!(work.tries_to_hold(friday() + Duration::minutes(60)).await.status, 409);
        app.advance(Duration::minutes(1));
        assert_eq!(books(&work.visitor, &mine, json!({})).await.status, 201, "late, but nobody else has it");
        let again = books(&work.visitor, &mine, json!({})).await;
        assert_eq!((again.status.as_u16(), app.count("booking_request").await), (201, 1), "sent twice, asked once");
        let other = books(&work.visitor, &mine, json!({"name": "Bob"})).await;
        assert_eq!(other.status, 409, "another request under the same hold: {}", other.json());
        let keyed = work.visitor.with("idempotency-key", "another-key-of-the-same-page");
        let again = books(&keyed, &mine, json!({})).await;
        assert_eq!(again.status, 409, "{}", again.json());
        assert_eq!((app.count("booking_request").await, app.count("lead").await), (1, 1), "nothing of it is stored");
        app.run_tasks().await;
    }

    async fn fourth_hold_of_a_network_is_not_held_and_displaces_none(app) {
        let work = Work::of(app).await;
        let monday = friday() + Duration::days(3);
        let first = work.holds(monday).await;
        let mut moved = wish(monday + Duration::minutes(30));
        moved["instead"] = first["holdId"].clone();
        let moved = work.visitor.post("/api/public/holds", &moved).await;
        assert_eq!((moved.status.as_u16(), app.count("slot_hold").await), (201, 1), "their own hold gives way");
        for day in [1, 2] {
            assert!(is_held(app, &work.holds(monday + Duration::days(day)).await));
        }
        let fourth = work.holds(monday + Duration::days(3)).await;
        assert!(!is_held(app, &fourth), "{fourth}");
        assert_eq!(work.tries_to_hold(monday + Duration::minutes(30)).await.status, 409, "the first is held as before");
        let answer = books(&work.visitor, &fourth, json!({})).await.json();
        assert_eq!(answer["confirmUntil"], json!(null), "a request for the office: {answer}");
        app.run_tasks().await;
    }

    async fn hold_beyond_business_limit_becomes_a_request_and_evicts_nobody(app) {
        let mut work = Work::of(app).await;
        for n in 0..9 {
            add_crew(&work.office, &format!("Crew {n}")).await;
        }
        let monday = friday() + Duration::days(3);
        let mut held = Vec::new();
        for n in 0..41_u8 {
            work.visitor = app.client().from_address([198, 51, n, 10]);
            held.push(work.holds(monday + Duration::days(i64::from(n) % 5)).await);
            app.advance(Duration::seconds(1));
        }
        let open = held.iter().filter(|hold| is_held(app, hold)).count();
        assert_eq!(open, 40, "twice the requests that are held in a day");
        let who = |n: u8| json!({"name": "Bob", "phone": format!("51255501{n:02}"), "email": null});
        let last = books(&work.visitor, &held[40], who(1)).await;
        assert_eq!((last.status.as_u16(), &last.json()["confirmUntil"]), (201, &json!(null)), "the office answers");
        work.visitor = app.client().from_address([198, 51, 0, 10]);
        let first = books(&work.visitor, &held[0], who(2)).await;
        assert!(first.status == 201 && first.json()["confirmUntil"].is_string(), "the oldest is still held: {}", first.json());
        app.run_tasks().await;
    }

    async fn surrounding_networks_get_only_a_part_of_open_holds(app) {
        let work = Work::of(app).await;
        app.sets(&work.shop, json!({"booking": {"unprovenPerDay": 4, "daysAhead": 90}})).await;
        let block = (0..6).map(|n| app.client().from_address([198, 51, 100, n]));
        let site = (0..6).map(|n| app.client().from_ipv6([0x2001, 0xdb8, 1, n << 8, 0, 0, 0, 5]));
        let callers = [block.collect::<Vec<_>>(), site.collect()];
        for (callers, what) in callers.iter().zip(["an IPv4 /24", "an IPv6 /48"]) {
            let mut held = Vec::new();
            for (n, caller) in (0_i64..).zip(callers) {
                let day = friday() + Duration::days(3) + Duration::weeks(n);
                let answer = caller.post("/api/public/holds", &wish(day)).await;
                assert_eq!(answer.status, 201, "{}", answer.json());
                held.push(is_held(app, &answer.json()));
            }
            assert_eq!(held, [true, true, true, true, false, false], "half of eight: {what}");
            app.advance(Duration::minutes(6));
        }
        let other = app.client().from_address([203, 0, 113, 9]);
        let other = other.post("/api/public/holds", &wish(friday() + Duration::days(3))).await.json();
        assert!(is_held(app, &other), "another network has its own part: {other}");
    }

    async fn holds_cover_at_most_a_third_of_a_days_free_times(app) {
        let work = Work::of(app).await;
        let monday = friday() + Duration::days(3);
        let other = app.client().from_address([198, 51, 100, 7]);
        let free = work.offered("&from=2026-09-21").await.iter().filter(|slot| slot.starts_with("09-21")).count();
        assert!(is_held(app, &work.holds(monday).await), "one is held in any case");
        let second = other.post("/api/public/holds", &wish(monday + Duration::minutes(180))).await.json();
        assert!(!is_held(app, &second), "{second}");
        let left = work.offered("&from=2026-09-21").await.iter().filter(|slot| slot.starts_with("09-21")).count();
        assert!(left > 0 && left < free, "{left} of {free}");
        let who = json!({"name": "Bob", "phone": "5125550177", "email": null});
        let asked = books(&other, &second, who).await;
        assert_eq!((asked.status.as_u16(), &asked.json()["confirmUntil"]), (201, &json!(null)), "a request");
        let known = b"name,phone,email\nWanda Reyes,5125557301,wanda@customer.example\n".to_vec();
        assert_eq!(work.office.send(Method::POST, "/api/customers/import", "text/csv", known).await.status, 200);
        let third = other.post("/api/public/holds", &wish(monday + Duration::minutes(180))).await.json();
        let wanda = json!({"name": "Wanda Reyes", "phone": "5125557301", "email": null});
        let booked = books(&other, &third, wanda).await.json();
        assert!(booked["visitUrl"].is_string(), "a proven customer books the time without a hold: {booked}");
        app.run_tasks().await;
    }
}
