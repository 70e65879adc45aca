//! A chosen time is held for one customer for five minutes, within the limits of its networks, the business and the day.

use axum::http::Method;
use chrono::{DateTime, Duration, Utc};
use futures::future::join_all;
use serde_json::{Value, json};
use tests::{app::TestApp, both_databases, http::Answer};

use super::{BookingFixture, add_crew, books, friday, wish};

fn statuses(answers: &[Answer]) -> Vec<u16> {
    let mut found: Vec<u16> = answers.iter().map(|answer| answer.status.as_u16()).collect();
    found.sort_unstable();
    found
}

fn is_held(app: &TestApp, hold: &Value) -> bool {
    hold["expiresAt"].as_str().unwrap().parse::<DateTime<Utc>>().unwrap() > app.now()
}

both_databases! {
    async fn held_time_is_audited_without_network_address_and_browser(app) {
        let work = BookingFixture::of(app).await;
        work.holds(friday()).await;
        let lines = "audit_event WHERE action = 'slot_held'";
        let traced = format!("{lines} AND (ip IS NOT NULL OR user_agent IS NOT NULL)");
        assert_eq!((app.count(lines).await, app.count(&traced).await), (1, 0));
    }

    async fn concurrent_holds_of_one_slot_succeed_once(app) {
        let work = BookingFixture::of(app).await;
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
        let work = BookingFixture::of(app).await;
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
        let work = BookingFixture::of(app).await;
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
        let work = BookingFixture::of(app).await;
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
        let mut work = BookingFixture::of(app).await;
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
        let work = BookingFixture::of(app).await;
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

    async fn two_visitors_of_a_day_are_held_and_the_third_becomes_a_request(app) {
        let work = BookingFixture::of(app).await;
        let monday = friday() + Duration::days(3);
        let eight = monday - Duration::hours(2);
        let [second, third] = [[198, 51, 100, 7], [192, 0, 2, 9]].map(|address| app.client().from_address(address));
        assert!(is_held(app, &work.holds(eight).await));
        let held = second.post("/api/public/holds", &wish(eight + Duration::minutes(150))).await.json();
        assert!(is_held(app, &held), "three visits fit into the day, and two are held: {held}");
        let one = eight + Duration::minutes(300);
        let free = third.post("/api/public/holds", &wish(one)).await.json();
        assert!(!is_held(app, &free), "{free}");
        let path = format!("/book/acme-plumbing?service=plumbing&zip=78701&hold={}", free["holdId"].as_str().unwrap());
        let page = String::from_utf8(third.get(&path).await.body).unwrap();
        assert!(page.contains("Send your details and we will confirm the time with you."), "{page}");
        let who = json!({"name": "Bob", "phone": "5125550177", "email": null});
        let asked = books(&third, &free, who).await;
        assert_eq!((asked.status.as_u16(), &asked.json()["confirmUntil"]), (201, &json!(null)), "a request");
        let known = b"name,phone,email\nWanda Reyes,5125557301,wanda@customer.example\n".to_vec();
        assert_eq!(work.office.send(Method::POST, "/api/customers/import", "text/csv", known).await.status, 200);
        let again = third.post("/api/public/holds", &wish(one)).await.json();
        let wanda = json!({"name": "Wanda Reyes", "phone": "5125557301", "email": null});
        let booked = books(&third, &again, wanda).await.json();
        assert!(booked["visitUrl"].is_string(), "a proven customer books the time without a hold: {booked}");
        app.run_tasks().await;
    }

    async fn five_holds_of_a_network_leave_each_day_to_visitors_elsewhere(app) {
        let work = BookingFixture::of(app).await;
        let monday = friday() + Duration::days(3);
        let holds = async |address: [u8; 4], at: DateTime<Utc>, instead: &Value| {
            let mut wish = wish(at);
            wish["instead"] = instead.clone();
            let answer = app.client().from_address(address).post("/api/public/holds", &wish).await;
            assert_eq!(answer.status, 201, "{}", answer.json());
            answer.json()
        };
        let mut held = Vec::new();
        for n in 0..5_u8 {
            held.push(holds([198, 51, 100, n], monday + Duration::days(i64::from(n)), &Value::Null).await);
        }
        assert!(held.iter().all(|hold| is_held(app, hold)), "one on each day: {held:?}");
        let moved = holds([198, 51, 100, 1], monday + Duration::minutes(24 * 60 + 30), &held[1]["holdId"]).await;
        assert!(is_held(app, &moved), "another time of the day replaces their own: {moved}");
        let who = json!({"name": "Bob", "phone": "5125550177", "email": null});
        let asked = books(&app.client().from_address([198, 51, 100, 0]), &held[0], who).await.json();
        assert!(asked["confirmUntil"].is_string(), "{asked}");
        let afternoon = monday + Duration::hours(3);
        let neighbour = holds([198, 51, 100, 9], afternoon, &Value::Null).await;
        assert!(!is_held(app, &neighbour), "the time that waits for a tap counts for the network around: {neighbour}");
        for n in 0..5_u8 {
            let at = if n == 1 { afternoon + Duration::minutes(24 * 60 + 30) } else { afternoon + Duration::days(i64::from(n)) };
            let elsewhere = holds([203, 0, n, 9], at, &Value::Null).await;
            assert!(is_held(app, &elsewhere), "day {n}: {elsewhere}");
        }
        assert_eq!(work.tries_to_hold(monday).await.status, 409, "no hold gave way");
        app.run_tasks().await;
    }
}
