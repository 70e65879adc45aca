//! A chosen time is held for one customer for five minutes, at most three from one network.

use chrono::{DateTime, Duration, Utc};
use futures::future::join_all;
use serde_json::{Value, json};
use tests::{both_databases, http::Answer};

use super::{Work, add_crew, books, friday, wish};

fn statuses(answers: &[Answer]) -> Vec<u16> {
    let mut found: Vec<u16> = answers.iter().map(|answer| answer.status.as_u16()).collect();
    found.sort_unstable();
    found
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
        assert_eq!(other.status, 422, "another request under the same hold");
        let keyed = work.visitor.with("idempotency-key", "another-key-of-the-same-page");
        let again = books(&keyed, &mine, json!({})).await;
        assert_eq!(again.status, 409, "{}", again.json());
        assert_eq!((app.count("booking_request").await, app.count("lead").await), (1, 1), "nothing of it is stored");
        app.run_tasks().await;
    }

    async fn holds_per_network_are_limited_to_three_dropping_the_oldest(app) {
        let work = Work::of(app).await;
        let monday = friday() + Duration::days(3);
        let first = work.holds(monday).await;
        let instead = |hold: &Value, starts: DateTime<Utc>| {
            let mut body = wish(starts);
            body["instead"] = hold["holdId"].clone();
            body
        };
        let moved = work.visitor.post("/api/public/holds", &instead(&first, monday + Duration::minutes(30))).await;
        assert_eq!((moved.status.as_u16(), app.count("slot_hold").await), (201, 1));
        for day in 1..5 {
            work.holds(monday + Duration::days(day % 4) + Duration::minutes(180 * (day / 4))).await;
        }
        assert_eq!(app.count("slot_hold").await, 3, "the oldest went");
    }

    async fn open_holds_across_networks_are_limited_to_forty(app) {
        let mut work = Work::of(app).await;
        for n in 0..9 {
            add_crew(&work.office, &format!("Crew {n}")).await;
        }
        let monday = friday() + Duration::days(3);
        let asked = work.holds(friday()).await;
        assert_eq!(books(&work.visitor, &asked, json!({})).await.status, 201, "it waits for a tap");
        let mut held = Vec::new();
        for n in 0..41_u8 {
            work.visitor = app.client().from_address([198, 51, 100, n]);
            held.push(work.holds(monday + Duration::days(i64::from(n) % 5)).await);
            app.advance(Duration::seconds(1));
        }
        assert_eq!(app.count("slot_hold").await, 41, "forty that are being chosen, and the one that waits");
        let who = |n: u8| json!({"name": "Bob", "phone": format!("51255501{n:02}"), "email": null});
        assert_eq!(books(&work.visitor, &held[0], who(1)).await.status, 409, "the oldest is free again");
        assert_eq!(books(&work.visitor, &held[1], who(2)).await.status, 201);
        assert_eq!(books(&work.visitor, &held[40], who(3)).await.status, 201);
        work.keeps(&asked).await;
        assert_eq!(app.count("job").await, 1);
        app.run_tasks().await;
    }
}
