//! Free times: hours, closed days, daylight saving, areas, the office and the crews.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use tests::both_databases;

use super::{BookingFixture, add_crew, at, books, friday, wish};

both_databases! {
    async fn slots_respect_notice_hours_closed_days_and_daily_cap(app) {
        let work = BookingFixture::of(app).await;
        let offered = work.offered("").await;
        assert_eq!(offered[..2], ["09-18 10:00", "09-18 10:30"], "a day ahead");
        assert!(offered.contains(&"09-18 15:00".to_owned()) && !offered.contains(&"09-18 15:30".to_owned()), "done by five");
        assert!(!offered.iter().any(|slot| slot.starts_with("09-19") || slot.starts_with("09-20")), "the weekend");
        for (starts, why) in [
            (friday() - Duration::minutes(30), "no notice"),
            (friday() + Duration::days(60), "too far ahead"),
            (friday() + Duration::minutes(10), "off the grid"),
            (friday() + Duration::days(1), "a Saturday"),
            (friday() + Duration::minutes(330), "over by half past five"),
            (at("2026-01-01T15:00"), "the past"),
        ] {
            assert_eq!(work.tries_to_hold(starts).await.status, 409, "{why}");
        }
        let hours = json!({"week": work.office.get(&format!("/api/org/{}/settings", work.shop.id())).await.json()["hours"]["week"],
            "closedDates": [{"date": "2026-09-18", "label": "Fair"}]});
        app.sets(&work.shop, json!({"hours": hours, "booking": {"dailyCap": 1, "gridMinutes": 240}, "jobs": {"arrivalMinutes": 120}})).await;
        assert_eq!(work.offered("").await[..3], ["09-21 08:00", "09-21 12:00", "09-22 08:00"], "the fair is no day of work");
        work.books(at("2026-09-21T13:00")).await;
        assert_eq!(work.offered("").await[0], "09-22 08:00", "one job a day");
        app.run_tasks().await;
    }

    async fn slots_keep_local_time_on_day_clocks_go_back(app) {
        let work = BookingFixture::of(app).await;
        let all = json!([{"opens": "00:00", "closes": "00:00"}]);
        let week: Value = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].iter().map(|day| ((*day).to_owned(), all.clone())).collect();
        app.sets(&work.shop, json!({"hours": {"week": week}, "booking": {"daysAhead": 60, "gridMinutes": 60}})).await;
        let sunday: Vec<_> = work.offered("&from=2026-11-01").await.into_iter().filter(|slot| slot.starts_with("11-01")).collect();
        let hours: Vec<String> = (0..24).map(|hour| format!("11-01 {hour:02}:00")).collect();
        assert_eq!(sunday, hours, "each hour once, though one comes twice");
        work.books(at("2026-11-01T14:00")).await;
        let sunday = work.offered("&from=2026-11-01").await;
        assert!(!sunday.contains(&"11-01 08:00".to_owned()), "8:00 is 14:00 UTC from that night on");
        assert!(sunday.contains(&"11-01 05:00".to_owned()) && sunday.contains(&"11-01 11:00".to_owned()));
        app.run_tasks().await;
    }

    async fn request_from_outside_service_area_is_declined_and_counted(app) {
        let work = BookingFixture::of(app).await;
        app.sets(&work.shop, json!({"booking": {"zips": ["787", "78610"]}})).await;
        assert!(!work.offered("").await.is_empty());
        for _ in 0..2 {
            let path = "/api/public/slots?org=acme-plumbing&service=plumbing&zip=90210";
            let far = work.visitor.get(path).await.json();
            assert_eq!((&far["outOfArea"], &far["days"]), (&json!(true), &json!([])));
        }
        let mut body = wish(friday());
        body["zip"] = json!("90210");
        assert_eq!(work.visitor.post("/api/public/holds", &body).await.problem().0, 422);
        let held = work.holds(friday()).await;
        assert_eq!(books(&work.visitor, &held, json!({"zip": "90210"})).await.problem().2, ["zip"], "nor is it slipped in later");
        let state = work.office.get("/api/booking").await.json();
        assert_eq!((&state["far"], &state["isLive"]), (&json!([{"zip": "90210", "asked": 2}]), &json!(true)));
        let wrong = json!({"booking": {"zips": ["78"], "gridMinutes": 45, "noticeHours": -1, "durations": {"": 5}}});
        let path = format!("/api/org/{}/settings", work.shop.id());
        let refused = work.office.send(Method::PATCH, &path, "application/json", wrong.to_string().into_bytes()).await;
        let fields = ["booking.durations", "booking.gridMinutes", "booking.noticeHours", "booking.zips"];
        assert_eq!(refused.problem().2, fields);
    }

    async fn booking_of_slot_taken_by_office_is_refused(app) {
        let work = BookingFixture::of(app).await;
        let held = work.holds(friday()).await;
        let job = json!({"customer": {"name": "Bob"}, "service": "Roof", "startsAt": friday(), "crewId": work.crew});
        let taken = work.office.post("/api/jobs", &job).await;
        assert_eq!(taken.status, 201, "the office may always");
        let late = books(&work.visitor, &held, json!({})).await;
        assert_eq!((late.status.as_u16(), late.json()["detail"].as_str().unwrap()), (409, "That time has just been taken. Please choose another."));
        assert_eq!((app.count("job").await, app.count("customer").await), (1, 1), "of the visitor nothing is stored");
        let held = work.holds(friday() + Duration::days(3)).await;
        let same = json!({"customer": {"name": "Eve"}, "service": "Roof", "startsAt": friday() + Duration::days(3), "crewId": work.crew});
        let (office, visitor) = tokio::join!(work.office.post("/api/jobs", &same), books(&work.visitor, &held, json!({})));
        assert_eq!(office.status, 201);
        assert!([201, 409].contains(&visitor.status.as_u16()), "{}", visitor.json());
        app.run_tasks().await;
    }

    async fn slot_capacity_counts_crews_and_unassigned_jobs(app) {
        let work = BookingFixture::of(app).await;
        let red = add_crew(&work.office, "Red").await;
        for _ in 0..2 {
            work.books(friday()).await;
        }
        assert_eq!(work.tries_to_hold(friday()).await.status, 409);
        let mut crews: Vec<_> = work.jobs().await.iter().map(|job| job["crewId"].as_str().unwrap().to_owned()).collect();
        crews.sort();
        let mut both = vec![work.crew.clone(), red];
        both.sort();
        assert_eq!(crews, both);
        let monday = friday() + Duration::days(3);
        for name in ["Bob", "Eve"] {
            let job = json!({"customer": {"name": name}, "service": "Roof", "startsAt": monday});
            assert_eq!(work.office.post("/api/jobs", &job).await.status, 201);
        }
        assert_eq!(work.tries_to_hold(monday).await.status, 409);
        app.run_tasks().await;
    }
}
