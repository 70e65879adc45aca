//! The page behind the link that asks to confirm a time: in each state it says one thing, and how to go on.

use super::*;

const HELD: &str = "Yes, keep this time";
const FREE: &str = "This time is still free";
const TAKEN: &str = "This time is taken now";
const HEADINGS: [&str; 3] = ["Keep this time?", FREE, TAKEN];

async fn asks(work: &BookingFixture, starts_at: DateTime<Utc>) -> (Value, String) {
    let held = work.holds(starts_at).await;
    assert_eq!(books(&work.visitor, &held, json!({})).await.status, 201);
    let link = work.question(&held).await;
    (held, link)
}

fn body(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}

async fn lead_of_ann(work: &BookingFixture) -> Value {
    work.lead_named("Ann Lee").await
}

/// The page, which has one of the headings only.
async fn page_headed(work: &BookingFixture, link: &str, heading: &str) -> String {
    let answer = work.visitor.get(link).await;
    let shown = body(&answer);
    assert_eq!(answer.status, 200, "{shown}");
    let headings: Vec<&str> = HEADINGS.into_iter().filter(|one| shown.contains(&format!("<h1>{one}</h1>"))).collect();
    assert_eq!(headings, [heading], "{shown}");
    shown
}

both_databases! {
    async fn late_link_of_free_time_books_and_names_no_hold(app) {
        let work = BookingFixture::of(app).await;
        let (_, link) = asks(&work, friday()).await;
        let shown = page_headed(&work, &link, "Keep this time?").await;
        assert!(shown.contains("We hold it for you until 10:15 AM.") && shown.contains(HELD), "{shown}");
        app.advance(Duration::minutes(16));
        let shown = page_headed(&work, &link, FREE).await;
        assert!(shown.contains("Book this time") && shown.contains("It is not booked yet"), "{shown}");
        assert!(!shown.contains("hold it for you until") && !shown.contains(HELD) && !shown.contains("free again"), "{shown}");
        let booked = posts(&work.visitor, &format!("{link}/keep"), &[]).await;
        assert_eq!((booked.status.as_u16(), app.count("job").await), (303, 1));
        app.run_tasks().await;
    }

    async fn office_copy_of_booking_link_has_no_button_and_books_nothing(app) {
        use shared::platform::access_link::{LinkKind, build_path};
        let work = BookingFixture::of(app).await;
        let held = work.holds(friday()).await;
        assert_eq!(books(&work.visitor, &held, json!({})).await.status, 201);
        let (link, _) = work.unsent_question(&held).await;
        let path = build_path(&work.secret, link, LinkKind::Booking);
        let opened = work.office.get(&path).await;
        let pressed = posts(&work.office, &format!("{path}/keep"), &[]).await;
        assert_eq!((opened.status.as_u16(), pressed.status.as_u16(), app.count("job").await), (200, 403, 0));
        for shown in [body(&opened), body(&pressed)] {
            assert!(shown.contains("<h1>This is your copy of the customer&#x27;s link</h1>"), "{shown}");
            assert!(!shown.contains("/keep") && !shown.contains("&#x2f;keep") && !shown.contains(HELD), "{shown}");
        }
        work.keeps(&held).await;
        assert_eq!((app.count("job").await, work.office.get(&path).await.status.as_u16()), (1, 303));
        app.run_tasks().await;
    }

    async fn late_link_of_taken_time_offers_another_time_and_no_confirmation(app) {
        let work = BookingFixture::of(app).await;
        let (_, link) = asks(&work, friday()).await;
        app.advance(Duration::minutes(16));
        let over = json!({"customer": {"name": "Bob"}, "service": "Roof", "startsAt": friday(), "crewId": work.crew});
        assert_eq!(work.office.post("/api/jobs", &over).await.status, 201);
        let refused = posts(&work.visitor, &format!("{link}/keep"), &[]).await;
        assert_eq!((refused.status.as_u16(), app.count("job").await), (409, 1));
        for shown in [page_headed(&work, &link, TAKEN).await, body(&refused)] {
            assert!(shown.contains("Nothing is booked. We have your request and will get back to you."), "{shown}");
            assert!(shown.contains("Choose another time") && !shown.contains("Keep this time?"), "{shown}");
            assert!(!shown.contains("/keep") && !shown.contains("&#x2f;keep"), "{shown}");
        }
        app.run_tasks().await;
    }

    async fn held_time_planned_over_by_office_is_shown_as_taken(app) {
        let work = BookingFixture::of(app).await;
        let (_, link) = asks(&work, friday()).await;
        let over = json!({"customer": {"name": "Bob"}, "service": "Roof", "startsAt": friday(), "crewId": work.crew});
        assert_eq!(work.office.post("/api/jobs", &over).await.status, 201);
        let shown = page_headed(&work, &link, TAKEN).await;
        assert!(!shown.contains(HELD) && !shown.contains("We hold it"), "{shown}");
        app.run_tasks().await;
    }

    async fn confirmed_and_cancelled_booking_link_leads_to_its_visit(app) {
        let work = BookingFixture::of(app).await;
        let (held, link) = asks(&work, friday()).await;
        let visit = work.keeps(&held).await;
        app.advance(Duration::minutes(16));
        let again = work.visitor.get(&link).await;
        assert_eq!((again.status.as_u16(), again.header("location").starts_with("/p/")), (303, true));
        let job = work.jobs().await[0]["id"].as_str().unwrap().to_owned();
        assert_eq!(posts(&work.visitor, &format!("{visit}/cancel"), &[]).await.status, 303);
        let to = work.visitor.get(&link).await.header("location").to_owned();
        let shown = body(&work.visitor.get(&to).await);
        assert!(shown.contains("This visit was cancelled") && !shown.contains(HELD), "{job}: {shown}");
        let pressed = posts(&work.visitor, &format!("{link}/keep"), &[]).await;
        let shown = body(&work.visitor.get(pressed.header("location")).await);
        assert!(shown.contains("This visit was cancelled") && !shown.contains("Your visit is booked"), "{shown}");
        app.run_tasks().await;
    }

    async fn denied_request_frees_its_time_at_once_and_is_no_further_request(app) {
        let mut work = BookingFixture::of(app).await;
        let line = app.line(&mut work.shop, "+15125550100").await;
        work.office = app.client().signed_in(app, work.shop.owner()).await;
        work.visitor = app.client();
        // Far enough ahead to be offered again minutes later.
        let monday = at("2026-09-21T15:00");
        let (_, link) = asks(&work, monday).await;
        app.run_tasks().await;
        for text in ["This was not me", "Who are you?", "Yes"] {
            app.advance(Duration::minutes(1));
            line.writes("+15125550142", text).await;
            app.run_tasks().await;
            assert_eq!((app.count("slot_hold").await, app.count("job").await), (0, 0), "{text}");
        }
        let pressed = posts(&work.visitor, &format!("{link}/keep"), &[]).await;
        assert_eq!((pressed.status.as_u16(), app.count("job").await), (409, 0));
        for shown in [body(&work.visitor.get(&link).await), body(&pressed)] {
            assert!(shown.contains("<h1>Nothing is booked</h1>") && shown.contains("Choose another time"), "{shown}");
            assert!(!shown.contains("/keep") && !shown.contains("&#x2f;keep"), "{shown}");
        }
        let lead = lead_of_ann(&work).await;
        assert_eq!((&lead["heldVisit"]["state"], &lead["touchCount"]), (&json!("denied"), &json!(1)), "{lead}");
        work.holds(monday).await;
        app.run_tasks().await;
    }

    async fn link_of_a_past_time_is_shown_for_a_week_and_books_nothing(app) {
        let mut work = BookingFixture::of(app).await;
        let (_, link) = asks(&work, friday()).await;
        app.advance(friday() - app.now() + Duration::hours(1));
        let pressed = posts(&work.visitor, &format!("{link}/keep"), &[]).await;
        assert_eq!((pressed.status.as_u16(), app.count("job").await), (409, 0));
        let shown = work.visitor.get(&link).await;
        assert_eq!(shown.status, 200);
        for shown in [body(&shown), body(&pressed)] {
            assert!(shown.contains("<h1>This time has passed</h1>") && shown.contains("Nothing is booked."), "{shown}");
            assert!(shown.contains("Choose another time") && !shown.contains("Book this time"), "{shown}");
        }
        work.office = app.client().signed_in(app, work.shop.owner()).await;
        assert_eq!(lead_of_ann(&work).await["heldVisit"]["state"], "past");
        app.advance(Duration::days(7));
        assert_eq!(work.visitor.get(&link).await.status, 404);
        app.run_tasks().await;
    }

    async fn lead_says_whether_its_unconfirmed_time_is_held_free_or_taken(app) {
        let work = BookingFixture::of(app).await;
        asks(&work, friday()).await;
        assert_eq!(lead_of_ann(&work).await["heldVisit"]["state"], "held");
        app.advance(Duration::minutes(16));
        assert_eq!(lead_of_ann(&work).await["heldVisit"]["state"], "free");
        let over = json!({"customer": {"name": "Bob"}, "service": "Roof", "startsAt": friday(), "crewId": work.crew});
        assert_eq!(work.office.post("/api/jobs", &over).await.status, 201);
        assert_eq!(lead_of_ann(&work).await["heldVisit"]["state"], "taken");
        app.run_tasks().await;
    }
}
