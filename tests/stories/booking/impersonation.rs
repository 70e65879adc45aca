//! What strangers can cause who know a customer's phone or email, type it into the booking form, and cancel or move
//! on the page that follows.

use tests::{
    people::Visitor,
    phone::{ANN, Line},
};

use super::*;

const WANDA: &str = "+15125557301";

impl BookingFixture {
    async fn that_ann_texted(app: &mut TestApp) -> (Self, Line) {
        let mut work = Self::of(app).await;
        let line = app.line(&mut work.shop, "+15125550100").await;
        work.office = app.client().signed_in(app, work.shop.owner()).await;
        work.visitor = app.client();
        line.writes(ANN, "Hi, do you fix boilers?").await;
        app.run_tasks().await;
        (work, line)
    }

    async fn that_knows_wanda(app: &mut TestApp) -> Self {
        let work = Self::of(app).await;
        let list = b"name,phone,email\nWanda Reyes,5125557301,wanda@customer.example\n".to_vec();
        let imported = work.office.send(Method::POST, "/api/customers/import", "text/csv", list).await;
        assert_eq!(imported.status, 200, "{}", imported.json());
        work
    }

    async fn moves(&self, pages: &[String], days: [i64; 3]) {
        for (page, day) in pages.iter().zip(days) {
            let to = (friday() + Duration::days(day)).to_rfc3339();
            assert_eq!(posts(&self.visitor, &format!("{page}/move"), &[("startsAt", &to)]).await.status, 303);
        }
    }
}

/// A stranger on another network books with this phone.
async fn types(app: &TestApp, n: u8, phone: &str, day: i64) -> Value {
    let from = app.client().from_address([198, 51, 100, n]);
    let held = from.post("/api/public/holds", &wish(friday() + Duration::days(day))).await;
    assert_eq!(held.status, 201, "{}", held.json());
    let who = json!({"name": "Ann Known", "phone": phone, "email": null});
    let answer = books(&from, &held.json(), who).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer.json()
}

async fn three(app: &TestApp, phone: &str) -> Vec<String> {
    let mut pages = Vec::new();
    for (n, day) in (0_u8..).zip([0, 3, 4]) {
        pages.push(page_of(&types(app, n, phone, day).await));
    }
    pages
}

async fn two_minutes(app: &TestApp) {
    app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
}

async fn left(app: &TestApp, kind: &str, to: &str) -> i64 {
    let sql = "SELECT COUNT(*) FROM message WHERE kind = $1 AND to_address = $2 AND sent_at IS NOT NULL";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, kind, to).unwrap()
}

/// Reasons why messages about visits were not sent, with counts.
async fn not_sent(app: &TestApp) -> Vec<(String, i64)> {
    let sql = "SELECT reason, COUNT(*) FROM message WHERE kind = 'visit' AND status = 'not_sent' GROUP BY reason";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all as (String, i64), sql).unwrap()
}

async fn alerts(app: &TestApp, keys: &str) -> Vec<(String, String)> {
    let sql = "SELECT title, body FROM alert WHERE dedupe_key LIKE $1 ORDER BY id";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all as (String, String), sql, keys).unwrap()
}

both_databases! {
    async fn cancelled_unproven_visits_still_count_toward_daily_limit(app) {
        let (work, _line) = BookingFixture::that_ann_texted(app).await;
        let (mut came, mut n) = (Vec::new(), 0);
        for days in [[0, 3, 4], [5, 6, 7], [10, 11, 12]] {
            let mut pages = Vec::new();
            for day in days {
                n += 1;
                let answer = types(app, n, ANN, day).await;
                came.push((answer["visitUrl"].is_string(), answer["confirmUntil"].is_string()));
                if answer["visitUrl"].is_string() {
                    pages.push(page_of(&answer));
                }
            }
            two_minutes(app).await;
            for page in pages {
                assert_eq!(posts(&work.visitor, &format!("{page}/cancel"), &[]).await.status, 303);
            }
            two_minutes(app).await;
        }
        assert_eq!(came[..3], [(true, false); 3], "booked");
        assert_eq!(came[3..6], [(false, true); 3], "she is asked whether it is she");
        assert_eq!(came[6..], [(false, false); 3], "the office answers");
        assert_eq!((left(app, "visit", ANN).await, left(app, "auto_reply", ANN).await), (6, 3));
        assert_eq!(app.count("job").await, 3);
        let alert_list = alerts(app, "unproven:visit:%").await;
        assert_eq!(alert_list.len(), 1, "{alert_list:?}");
        assert!(alert_list[0].0.ends_with(" cancelled the visit"), "{alert_list:?}");
        assert!(alert_list[0].1.ends_with("(The newest of several within the hour.)"), "{alert_list:?}");
        assert_eq!(alerts(app, "unproven:request:%").await.len(), 1);
        app.advance(Duration::hours(25));
        assert!(types(app, 99, ANN, 13).await["visitUrl"].is_string(), "the next day has its own");
        app.run_tasks().await;
    }

    async fn visit_texts_for_unproven_bookings_stop_at_six_a_day(app) {
        let (work, line) = BookingFixture::that_ann_texted(app).await;
        let pages = three(app, ANN).await;
        two_minutes(app).await;
        for days in [[5, 6, 7], [10, 11, 12]] {
            work.moves(&pages, days).await;
            two_minutes(app).await;
        }
        assert_eq!(left(app, "visit", ANN).await, 6);
        let why = "they got 6 messages today about visits that others may have booked in their name";
        assert_eq!(not_sent(app).await, [(why.to_owned(), 3)]);
        // Actions behind the link that was texted to her are hers.
        let texts = line.texts_to(ANN);
        let text = texts.iter().rev().find(|text| text.contains("/p/")).unwrap();
        let own = text[text.find("/p/").unwrap()..][..46].to_owned();
        work.moves(&[own], [13, 0, 0]).await;
        two_minutes(app).await;
        assert_eq!(left(app, "visit", ANN).await, 7);
        assert_eq!(not_sent(app).await, [(why.to_owned(), 3)]);
        assert_eq!((alerts(app, "moved:%").await.len(), alerts(app, "unproven:visit:%").await.len()), (1, 1));
    }

    async fn visit_emails_for_unproven_bookings_stop_at_six_a_day(app) {
        let work = BookingFixture::that_knows_wanda(app).await;
        app.sets(&work.shop, json!({"sending": {"registration": "pending"}})).await;
        let pages = three(app, WANDA).await;
        two_minutes(app).await;
        for days in [[5, 6, 7], [10, 11, 12]] {
            work.moves(&pages, days).await;
            two_minutes(app).await;
        }
        let mails = app.mail.accepted_messages().iter().filter(|mail| mail.to == "wanda@customer.example").count();
        assert_eq!((mails, app.sms.accepted_messages().len()), (6, 0));
        let why = "they got 6 messages today about visits that others may have booked in their name";
        assert_eq!(not_sent(app).await, [(why.to_owned(), 3)]);
    }

    async fn office_change_to_unproven_visit_is_sent_past_daily_limit(app) {
        let (work, _line) = BookingFixture::that_ann_texted(app).await;
        let pages = three(app, ANN).await;
        two_minutes(app).await;
        work.moves(&pages, [5, 6, 7]).await;
        two_minutes(app).await;
        let job = work.jobs().await[0].clone();
        let at = format!("/api/jobs/{}", job["id"].as_str().unwrap());
        let version = work.office.get(&at).await.json()["version"].clone();
        let body = json!({"version": version, "startsAt": friday() + Duration::days(10)});
        let planned = work.office.post(&format!("{at}/schedule"), &body).await;
        assert_eq!(planned.status, 200, "{}", planned.json());
        two_minutes(app).await;
        assert_eq!(left(app, "visit", ANN).await, 7);
        assert!(not_sent(app).await.is_empty());
    }

    async fn unproven_visits_use_at_most_a_quarter_of_daily_text_budget(app) {
        let (work, line) = BookingFixture::that_ann_texted(app).await;
        app.sets(&work.shop, json!({"sending": {"dailyTextBudget": 20}})).await;
        let bob = "+15125550143";
        line.writes(bob, "Do you fix roofs?").await;
        app.run_tasks().await;
        let pages = three(app, ANN).await;
        for (n, day) in (10_u8..).zip([5, 6, 7]) {
            types(app, n, bob, day).await;
        }
        two_minutes(app).await;
        assert_eq!(left(app, "visit", ANN).await + left(app, "visit", bob).await, 5);
        work.moves(&pages, [10, 11, 12]).await;
        two_minutes(app).await;
        assert_eq!(left(app, "visit", ANN).await + left(app, "visit", bob).await, 5);
        let whys = not_sent(app).await;
        assert!(whys.iter().any(|(why, _)| why == "today's 5 texts about visits that others may have booked are used up"), "{whys:?}");
        let alert_list = alerts(app, "bookings:%").await;
        assert_eq!(alert_list.len(), 1, "{alert_list:?}");
        assert_eq!(alert_list[0].0, "Automatic texts about visits booked online were stopped");
        let lead = Visitor::number(7).submits_lead(app, &work.shop).await;
        two_minutes(app).await;
        assert!(app.outbox(work.shop.id(), lead).await.contains(&"auto_reply sms: sent".to_owned()));
    }
}
