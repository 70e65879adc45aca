//! People known only by a tap in an email book a share of each day; beyond it the office confirms.

use super::*;

struct EmailTap {
    held: Value,
    /// Path of the page behind the email's link.
    link: String,
    answer: Answer,
}

impl EmailTap {
    fn is_booked(&self) -> bool {
        self.answer.status == 303
    }

    fn is_with_office(&self) -> bool {
        is_office_page(&self.answer)
    }
}

fn is_office_page(answer: &Answer) -> bool {
    let shown = String::from_utf8_lossy(&answer.body);
    answer.status == 200 && shown.contains("Thank you. We have your request.") && !shown.contains("Book this time")
}

/// What a stranger with a mailbox and a network of their own was mailed about a time.
struct MailedQuestion {
    visitor: Client,
    held: Value,
    letters: Vec<String>,
}

impl MailedQuestion {
    fn has_question(&self) -> bool {
        self.letters.iter().any(|letter| letter.contains("/p/"))
    }

    async fn taps(self) -> EmailTap {
        let letter = self.letters.iter().find(|letter| letter.contains("/p/")).unwrap();
        let link = letter[letter.find("/p/").unwrap()..][..46].to_owned();
        let answer = posts(&self.visitor, &format!("{link}/keep"), &[]).await;
        EmailTap { held: self.held, link, answer }
    }
}

async fn asks_by_email(app: &mut TestApp, org: &str, n: u8, starts_at: DateTime<Utc>) -> MailedQuestion {
    let visitor = app.client().from_address([198, 51, n, 10]);
    let mut chosen = wish(starts_at);
    chosen["org"] = json!(org);
    let held = visitor.post("/api/public/holds", &chosen).await;
    assert_eq!(held.status, 201, "{}", held.json());
    let held = held.json();
    let email = format!("stranger{n}@mail.example");
    let who = json!({"org": org, "name": format!("Stranger {n}"), "phone": format!("51255502{n:02}"), "email": email});
    let asked = books(&visitor, &held, who).await;
    assert_eq!(asked.status, 201, "{}", asked.json());
    app.run_tasks().await;
    let letters = app.mail.accepted_messages().into_iter().filter(|mail| mail.to == email);
    MailedQuestion { visitor, held, letters: letters.map(|mail| mail.text).collect() }
}

async fn taps_email(app: &mut TestApp, org: &str, n: u8, starts_at: DateTime<Utc>) -> EmailTap {
    asks_by_email(app, org, n, starts_at).await.taps().await
}

/// Two strangers book two of the day's three times once the hold of the third has ended; then the third one taps.
async fn taps_late(app: &mut TestApp) -> EmailTap {
    let [first, second, third] = visit_times(3);
    let late = asks_by_email(app, "acme-plumbing", 3, third).await;
    app.advance(Duration::minutes(16));
    for (n, at) in [(1, first), (2, second)] {
        assert!(taps_email(app, "acme-plumbing", n, at).await.is_booked());
    }
    late.taps().await
}

/// Three visits fit into the day of one crew: from 8:00, 10:30 and 13:00.
fn visit_times(day: i64) -> [DateTime<Utc>; 3] {
    let eight = friday() + Duration::days(day) - Duration::hours(2);
    [0, 150, 300].map(|minutes| eight + Duration::minutes(minutes))
}

both_databases! {
    async fn third_email_only_visit_of_a_day_goes_to_the_office_and_a_known_customer_books(app) {
        let work = BookingFixture::of(app).await;
        let known = b"name,phone,email\nWanda Reyes,5125557301,wanda@customer.example\n".to_vec();
        assert_eq!(work.office.send(Method::POST, "/api/customers/import", "text/csv", known).await.status, 200);
        let third = visit_times(3)[2];
        let refused = taps_late(app).await;
        assert!(refused.is_with_office(), "{}: {}", refused.answer.status, String::from_utf8_lossy(&refused.answer.body));
        assert_eq!((app.count("job").await, app.count("slot_hold").await, app.count("lead").await), (2, 0, 3));
        let waits = app.count("alert WHERE body LIKE '%Not booked: please answer.%'").await;
        assert_eq!(waits, 1, "the office is asked to answer");
        let held = work.holds(third).await;
        let wanda = json!({"name": "Wanda Reyes", "phone": "5125557301", "email": null});
        let booked = books(&work.visitor, &held, wanda).await.json();
        assert!(booked["visitUrl"].is_string(), "a known customer finds a time: {booked}");
        app.run_tasks().await;
    }

    async fn visit_left_to_the_office_stays_there_after_reload_and_second_press(app) {
        let work = BookingFixture::of(app).await;
        let left = taps_late(app).await;
        assert!(left.is_with_office());
        // A further request would be in an alert of its own now.
        app.advance(Duration::hours(2));
        let tables = ["audit_event WHERE action = 'lead_submitted'", "alert", "job"];
        let before = [app.count(tables[0]).await, app.count(tables[1]).await, app.count(tables[2]).await];
        assert!(is_office_page(&work.visitor.get(&left.link).await));
        assert!(is_office_page(&posts(&work.visitor, &format!("{}/keep", left.link), &[]).await));
        assert!(is_office_page(&work.visitor.get(&left.link).await));
        let after = [app.count(tables[0]).await, app.count(tables[1]).await, app.count(tables[2]).await];
        assert_eq!(after, before, "no second line, no second alert, no job");
        assert_eq!(work.lead_named("Stranger 3").await["heldVisit"]["state"], "with_office");
        let mailed = work.visitor.get(&left.link).await;
        let mailed = String::from_utf8_lossy(&mailed.body);
        assert!(mailed.contains("We will confirm the time with you. You do not have to do anything."), "{mailed}");
        let texted = work.visitor.get(&work.question(&left.held).await).await;
        assert!(is_office_page(&texted), "the text does not contradict the email");
        let texted = String::from_utf8_lossy(&texted.body);
        assert!(texted.contains("Book it now from this phone") && !texted.contains("You need not"), "{texted}");
        app.run_tasks().await;
    }

    async fn email_only_share_is_counted_by_business_and_day(app) {
        let work = BookingFixture::of(app).await;
        let other = app.org("Best Roofing").await;
        add_crew(&app.client().signed_in(app, other.owner()).await, "Red").await;
        let third = visit_times(3)[2];
        assert!(taps_late(app).await.is_with_office());
        assert!(taps_email(app, "acme-plumbing", 4, visit_times(4)[2]).await.is_booked(), "another day");
        assert!(taps_email(app, "best-roofing", 5, third).await.is_booked(), "another business");
        app.sets(&work.shop, json!({"booking": {"emailOnlyPercent": 100}})).await;
        assert!(taps_email(app, "acme-plumbing", 6, third).await.is_booked(), "no limit");
        app.run_tasks().await;
    }

    async fn email_only_visit_does_not_move_to_a_day_whose_share_is_used_up(app) {
        let work = BookingFixture::of(app).await;
        let [first, second, third] = visit_times(3);
        for (n, at) in [(1, first), (2, second)] {
            assert!(taps_email(app, "acme-plumbing", n, at).await.is_booked());
        }
        let tuesday = taps_email(app, "acme-plumbing", 3, visit_times(4)[0]).await;
        let page = tuesday.answer.header("location").trim_end_matches("?booked=1").to_owned();
        let moves = async |to: DateTime<Utc>| {
            posts(&work.visitor, &format!("{page}/move"), &[("startsAt", &to.to_rfc3339())]).await.status
        };
        assert_eq!(moves(third).await, 409, "Monday has its two");
        assert_eq!(moves(visit_times(4)[2]).await, 303, "within its day");
        assert_eq!(moves(visit_times(5)[0]).await, 303, "to a day with room");
        app.run_tasks().await;
    }

    async fn tap_in_a_text_books_beyond_the_email_only_share(app) {
        let work = BookingFixture::of(app).await;
        let refused = taps_late(app).await;
        assert!(refused.is_with_office());
        work.keeps(&refused.held).await;
        assert_eq!(app.count("job").await, 3, "a phone is a stronger proof");
        app.run_tasks().await;
    }

    async fn stranger_beyond_the_email_only_share_is_asked_by_text_and_gets_a_receipt(app) {
        let work = BookingFixture::of(app).await;
        let [first, second, third] = visit_times(3);
        for (n, at) in [(1, first), (2, second)] {
            assert!(taps_email(app, "acme-plumbing", n, at).await.is_booked());
        }
        let asked = asks_by_email(app, "acme-plumbing", 3, third).await;
        let [letter] = asked.letters.as_slice() else { panic!("one receipt: {:?}", asked.letters) };
        assert!(letter.contains("The time is not yours until we confirm it.") && !letter.contains("/p/"), "{letter}");
        work.keeps(&asked.held).await;
        assert_eq!(app.count("job").await, 3, "the text keeps the time");
        app.run_tasks().await;
    }

    async fn email_question_keeps_its_time_while_others_ask_for_the_same_day(app) {
        let work = BookingFixture::of(app).await;
        let [first, second, third] = visit_times(3);
        assert!(taps_email(app, "acme-plumbing", 1, first).await.is_booked());
        let waits = asks_by_email(app, "acme-plumbing", 2, second).await;
        let beyond = asks_by_email(app, "acme-plumbing", 3, third).await;
        assert!(waits.has_question() && !beyond.has_question(), "the share is counted when the question is sent");
        work.keeps(&beyond.held).await;
        assert!(waits.taps().await.is_booked(), "the email said that a press keeps it");
        app.run_tasks().await;
    }

    async fn email_only_customer_is_asked_again_for_the_next_booking(app) {
        let work = BookingFixture::of(app).await;
        assert!(taps_email(app, "acme-plumbing", 1, visit_times(3)[0]).await.is_booked());
        let held = work.holds(visit_times(4)[0]).await;
        let again = json!({"name": "Stranger 1", "phone": "5125550201", "email": "stranger1@mail.example"});
        let asked = books(&work.visitor, &held, again).await.json();
        assert!(asked["visitUrl"].is_null() && asked["confirmUntil"].is_string(), "{asked}");
        app.run_tasks().await;
    }
}
