//! Messages about a visit: booked, moved or cancelled, and the reminders, at their hours and no more.

use axum::http::Method;
use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use shared::{
    domain::{messaging::message::MessageKind, tenancy::org::FeatureSwitches},
    platform::{db::q, id::LeadId},
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Shop, Visitor},
};

struct ReminderFixture {
    shop: Shop,
    lead: LeadId,
    office: Client,
}

impl ReminderFixture {
    async fn of(app: &TestApp, visitor: &Visitor) -> Self {
        let shop = app.org("Acme Plumbing").await;
        let lead = visitor.submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, shop.owner()).await;
        Self { shop, lead, office }
    }

    async fn books(&self, starts_at: &str) -> Value {
        let answer = self.office.post("/api/jobs", &json!({"leadId": self.lead, "startsAt": starts_at})).await;
        assert_eq!(answer.status, 201, "{}", answer.json());
        answer.json()
    }

    async fn moves(&self, job: &Value, change: Value) -> Value {
        let shown = self.office.get(&path(job, "")).await.json();
        let mut body = change;
        body["version"] = shown["version"].clone();
        let answer = self.office.post(&path(job, "/schedule"), &body).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        answer.json()["job"].clone()
    }

    async fn goes_to(&self, job: &Value, to: &str) -> Value {
        let answer = self.office.post(&path(job, "/status"), &json!({"to": to, "reason": "Rain"})).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        answer.json()
    }

    async fn undoes(&self, job: &Value) {
        let event = job["undo"]["eventId"].as_str().unwrap_or_else(|| panic!("nothing to undo: {job}"));
        assert_eq!(self.office.post(&format!("/api/work/{event}/undo"), &Value::Null).await.status, 200);
    }

    /// Messages about the visit, as `channel month-day hour:minute words`, in their order.
    async fn sent_notices(&self, app: &TestApp) -> Vec<String> {
        let messages = app.lead(self.shop.id(), self.lead).await.messages;
        let mut left: Vec<_> = messages
            .into_iter()
            .filter(|m| m.kind == MessageKind::Visit)
            .filter_map(|m| Some((m.sent_at?, format!("{:?}", m.channel).to_lowercase(), m.body)))
            .collect();
        left.sort();
        left.into_iter().map(|(at, by, words)| format!("{by} {} {words}", at.format("%m-%d %H:%M"))).collect()
    }

    /// The beginnings of those messages: time, and which wording.
    async fn notice_summaries(&self, app: &TestApp) -> Vec<String> {
        let known = [
            ("is set for", "booked"),
            ("was moved to", "moved"),
            ("was cancelled", "cancelled"),
            ("visit tomorrow", "tomorrow"),
            ("comes today", "today"),
        ];
        let short = |line: String| {
            let what = known.iter().find(|(words, _)| line.contains(words)).map_or("?", |(_, name)| name);
            let at: Vec<&str> = line.splitn(4, ' ').take(3).collect();
            format!("{} {what}", at.join(" "))
        };
        self.sent_notices(app).await.into_iter().map(short).collect()
    }

    async fn decided(&self, app: &TestApp, rule: &str) -> Vec<(String, bool, String)> {
        let decisions = app.lead(self.shop.id(), self.lead).await.decisions;
        decisions.into_iter().filter(|d| d.rule == rule).map(|d| (d.event, d.sent, d.reason)).collect()
    }
}

fn path(job: &Value, rest: &str) -> String {
    format!("/api/jobs/{}{rest}", job["id"].as_str().unwrap())
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// Advances to that instant and runs the due tasks.
async fn until(app: &TestApp, instant: &str) {
    let left = at(instant) - app.now();
    assert!(left >= Duration::zero(), "{instant} has passed");
    app.advance(left);
    app.run_tasks().await;
}

both_databases! {
    async fn visit_text_greets_nobody_by_a_name_with_a_link(app) {
        let hostile = "Your warranty ran out, pay today at evil.example 512-555-0177";
        let work = ReminderFixture::of(app, &Visitor::ann().named(hostile)).await;
        work.books("2026-09-23T15:00:00Z").await;
        until(app, "2026-09-17T15:01:00Z").await;
        let booked = work.sent_notices(app).await.remove(0);
        assert!(booked.starts_with("sms 09-17 15:01 Hi there, Acme Plumbing: your visit is set for"), "{booked}");
        assert!(!booked.contains("evil") && !booked.contains("0177"), "{booked}");
    }

    async fn visit_notices_go_a_minute_after_booking_day_before_and_hour_before(app) {
        let work = ReminderFixture::of(app, &Visitor::ann()).await;
        let job = work.books("2026-09-23T15:00:00Z").await;
        until(app, "2026-09-17T15:00:59Z").await;
        assert_eq!(work.sent_notices(app).await, Vec::<String>::new(), "no notice while the change can be undone");
        until(app, "2026-09-17T15:01:00Z").await;
        let booked = work.sent_notices(app).await.remove(0);
        assert!(booked.starts_with("sms 09-17 15:01 Hi Ann, Acme Plumbing: your visit is set for Wed, Sep 23, 10:00 AM. To change it: https://toolbox.example/p/"), "{booked}");
        assert!(booked.ends_with(" Reply STOP to opt out."), "{booked}");
        until(app, "2026-09-22T13:59:59Z").await;
        assert_eq!(work.notice_summaries(app).await.len(), 1);
        until(app, "2026-09-22T14:00:00Z").await;
        until(app, "2026-09-23T13:59:59Z").await;
        assert_eq!(work.notice_summaries(app).await.len(), 2);
        until(app, "2026-09-23T14:00:00Z").await;
        app.live_through(Duration::hours(4), Duration::hours(1)).await;
        assert_eq!(work.notice_summaries(app).await, ["sms 09-17 15:01 booked", "sms 09-22 14:00 tomorrow", "sms 09-23 14:00 today"]);
        let reminded = ("visit_due".to_owned(), true);
        assert_eq!(work.decided(app, "visit_reminder").await.into_iter().map(|(event, sent, _)| (event, sent)).collect::<Vec<_>>(), [reminded.clone(), reminded]);
        assert_eq!(work.decided(app, "visit_booked").await, [("job_scheduled".into(), true, "a visit was booked".into())]);
        let events = work.office.get(&path(&job, "")).await.json()["events"].clone();
        let titles: Vec<&str> = events.as_array().unwrap().iter().map(|event| event["title"].as_str().unwrap()).collect();
        assert!(titles.contains(&"Customer told of the visit") && titles.contains(&"Customer reminded of the visit"), "{titles:?}");
    }

    async fn visit_history_marks_customer_as_not_notified_while_text_is_unsent(app) {
        let work = ReminderFixture::of(app, &Visitor::ann()).await;
        let job = work.books("2026-09-23T15:00:00Z").await;
        until(app, "2026-09-17T15:01:00Z").await;
        let hold = "UPDATE message SET status = $1, reason = 'it is night there' WHERE kind = 'visit'";
        for (status, title) in [("held", "Customer not told of the visit yet"), ("not_sent", "Customer not told of the visit")] {
            app.within(async |tx| Ok(q!(tx, execute, hold, status)?)).await.unwrap();
            let events = work.office.get(&path(&job, "")).await.json()["events"].clone();
            assert!(events.as_array().unwrap().iter().any(|event| event["title"] == title), "{status}: {events}");
        }
    }

    async fn reschedule_within_undo_window_sends_one_notice_and_moves_reminders(app) {
        let work = ReminderFixture::of(app, &Visitor::ann()).await;
        let job = work.books("2026-09-21T15:00:00Z").await;
        until(app, "2026-09-17T15:00:59Z").await;
        work.moves(&job, json!({"startsAt": "2026-09-22T16:00:00Z"})).await;
        until(app, "2026-09-17T15:01:59Z").await;
        assert_eq!(work.notice_summaries(app).await, ["sms 09-17 15:01 booked"]);
        assert!(work.sent_notices(app).await[0].contains("Tue, Sep 22, 11:00 AM"), "with the new time");
        work.moves(&job, json!({"startsAt": "2026-09-24T16:00:00Z"})).await;
        until(app, "2026-09-17T15:02:30Z").await;
        work.moves(&job, json!({"startsAt": "2026-09-22T16:00:00Z"})).await;
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        assert_eq!(work.notice_summaries(app).await.len(), 1, "moved there and back: nothing is new");
        work.moves(&job, json!({"startsAt": "2026-09-24T18:00:00Z", "durationMinutes": 60})).await;
        let longer = work.moves(&job, json!({"startsAt": "2026-09-24T18:00:00Z", "durationMinutes": 240})).await;
        assert_eq!(longer["estimatedDuration"], 240);
        for day in 17..=25 {
            for hour in ["14:00", "15:00", "16:00", "17:00", "18:00"] {
                let instant = format!("2026-09-{day}T{hour}:00Z");
                if at(&instant) > app.now() {
                    until(app, &instant).await;
                }
            }
        }
        let sent_notices = work.notice_summaries(app).await;
        assert_eq!(sent_notices[2..], ["sms 09-23 14:00 tomorrow", "sms 09-24 17:00 today"], "{sent_notices:?}");
        assert!(sent_notices[1].ends_with(" moved") && sent_notices.len() == 4, "{sent_notices:?}");
        assert!(work.sent_notices(app).await[1].contains("was moved to Thu, Sep 24, 1:00 PM"));
    }

    async fn cancelled_visit_sends_one_notice_and_ends_its_reminders(app) {
        let work = ReminderFixture::of(app, &Visitor::ann()).await;
        let job = work.books("2026-09-21T15:00:00Z").await;
        until(app, "2026-09-17T15:05:00Z").await;
        let cancelled = work.goes_to(&job, "cancelled").await;
        until(app, "2026-09-17T15:05:40Z").await;
        work.undoes(&cancelled).await;
        until(app, "2026-09-17T15:07:00Z").await;
        assert_eq!(work.notice_summaries(app).await, ["sms 09-17 15:05 booked"], "no notice of a change that was undone in time");
        let waiting = "SELECT COUNT(*) FROM follow_up WHERE state = 'waiting' AND visit_at = $1";
        let count = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, waiting, at("2026-09-21T15:00:00Z")).unwrap();
        assert_eq!(count, 2, "its reminders stand again");
        work.goes_to(&job, "cancelled").await;
        until(app, "2026-09-17T15:08:00Z").await;
        for instant in ["2026-09-20T14:00:00Z", "2026-09-21T14:00:00Z", "2026-09-21T15:00:00Z"] {
            until(app, instant).await;
        }
        assert_eq!(work.notice_summaries(app).await, ["sms 09-17 15:05 booked", "sms 09-17 15:08 cancelled"]);
        assert!(work.sent_notices(app).await[1].contains("your visit on Mon, Sep 21, 10:00 AM was cancelled."));
        work.goes_to(&job, "scheduled").await;
        work.moves(&job, json!({"startsAt": "2026-09-25T15:00:00Z"})).await;
        until(app, "2026-09-21T15:01:00Z").await;
        assert_eq!(work.notice_summaries(app).await[2], "sms 09-21 15:01 booked", "a cancelled visit is booked again");
        work.moves(&job, json!({"startsAt": null})).await;
        until(app, "2026-09-21T15:02:00Z").await;
        assert_eq!(work.notice_summaries(app).await[3], "sms 09-21 15:02 cancelled", "a visit moved to the tray sends a cancellation");
        work.moves(&job, json!({"startsAt": "2026-09-25T16:00:00Z", "tell": false})).await;
        until(app, "2026-09-22T15:00:00Z").await;
        assert_eq!(work.notice_summaries(app).await.len(), 4, "no notice when the office told the customer");
        until(app, "2026-09-24T14:00:00Z").await;
        assert_eq!(work.notice_summaries(app).await[4], "sms 09-24 14:00 tomorrow");
        work.goes_to(&job, "in_progress").await;
        app.live_through(Duration::days(2), Duration::hours(3)).await;
        assert_eq!(work.notice_summaries(app).await.len(), 5, "work that has begun needs no reminder");
    }

    async fn visit_reminders_keep_local_time_across_clock_changes(app) {
        app.advance(at("2026-10-29T16:00:00Z") - app.now());
        let work = ReminderFixture::of(app, &Visitor::ann()).await;
        work.books("2026-11-01T20:00:00Z").await;
        until(app, "2026-10-29T16:01:00Z").await;
        until(app, "2026-10-31T13:59:59Z").await;
        until(app, "2026-10-31T14:00:00Z").await;
        until(app, "2026-11-01T18:59:59Z").await;
        until(app, "2026-11-01T19:00:00Z").await;
        let autumn = ["sms 10-29 16:01 booked", "sms 10-31 14:00 tomorrow", "sms 11-01 19:00 today"];
        assert_eq!(work.notice_summaries(app).await, autumn);
        assert!(work.sent_notices(app).await[2].contains("Sun, Nov 1, 2:00 PM"));
        until(app, "2027-03-11T16:00:00Z").await;
        let office = app.client().signed_in(app, work.shop.owner()).await;
        let work = ReminderFixture { office, ..work };
        work.books("2027-03-14T19:00:00Z").await;
        until(app, "2027-03-11T16:01:00Z").await;
        until(app, "2027-03-13T14:59:59Z").await;
        until(app, "2027-03-13T15:00:00Z").await;
        until(app, "2027-03-14T17:59:59Z").await;
        until(app, "2027-03-14T18:00:00Z").await;
        let spring = ["sms 03-11 16:01 booked", "sms 03-13 15:00 tomorrow", "sms 03-14 18:00 today"];
        assert_eq!(work.notice_summaries(app).await[3..], spring);
        assert!(work.sent_notices(app).await[5].contains("Sun, Mar 14, 2:00 PM"), "{:?}", work.sent_notices(app).await);
    }

    async fn visit_notices_are_not_texted_at_night(app) {
        let work = ReminderFixture::of(app, &Visitor::ann()).await;
        until(app, "2026-09-18T03:30:00Z").await;
        let late = work.books("2026-09-18T20:00:00Z").await;
        for hour in ["03:31", "05:00", "09:00", "12:59"] {
            until(app, &format!("2026-09-18T{hour}:00Z")).await;
        }
        assert_eq!(work.notice_summaries(app).await, Vec::<String>::new(), "no text at half past ten in the evening");
        app.live_through(Duration::minutes(40), Duration::minutes(5)).await;
        assert_eq!(work.notice_summaries(app).await.len(), 1, "the text is sent in the morning");
        work.goes_to(&late, "completed").await;
        until(app, "2026-09-21T15:00:00Z").await;
        work.books("2026-09-24T11:00:00Z").await;
        until(app, "2026-09-21T15:01:00Z").await;
        until(app, "2026-09-23T14:00:00Z").await;
        until(app, "2026-09-24T01:29:59Z").await;
        until(app, "2026-09-24T01:30:00Z").await;
        app.live_through(Duration::hours(14), Duration::hours(1)).await;
        let sent_notices = work.notice_summaries(app).await;
        assert_eq!(sent_notices[1..], ["sms 09-21 15:01 booked", "sms 09-23 14:00 tomorrow", "sms 09-24 01:30 tomorrow"], "before six in the morning the evening is the last word");
        let hours = sent_notices.iter().map(|line| line[10..12].parse::<u32>().unwrap());
        assert!(hours.clone().all(|hour| (13..24).contains(&hour) || hour < 2), "by day in Chicago: {sent_notices:?}");
    }

    async fn opted_out_customer_gets_visit_notice_by_email_or_not_at_all(app) {
        let work = ReminderFixture::of(app, &Visitor::ann()).await;
        let job = work.books("2026-09-21T15:00:00Z").await;
        let stop = "INSERT INTO opt_out (org_id, channel, address, state, source, at)
            SELECT org_id, 'sms', phone_e164, 'stopped', 'text', $2 FROM lead WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, stop, work.shop.id(), app.now())?)).await.unwrap();
        until(app, "2026-09-17T15:01:00Z").await;
        let sent_notices = work.sent_notices(app).await;
        assert!(sent_notices[0].starts_with("email 09-17 15:01 Hi Ann, Acme Plumbing: your visit is set for") && !sent_notices[0].contains("STOP"), "{sent_notices:?}");
        let mail = app.mail.accepted_messages().into_iter().find(|mail| mail.text.contains("your visit")).unwrap();
        assert_eq!(mail.subject, "Your visit with Acme Plumbing");
        tests::long_email::assert_button_and_link(&mail);
        let nowhere = "UPDATE lead SET email = NULL WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, nowhere, work.shop.id())?)).await.unwrap();
        let nowhere = "UPDATE customer SET email = NULL WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, nowhere, work.shop.id())?)).await.unwrap();
        work.goes_to(&job, "cancelled").await;
        until(app, "2026-09-17T15:02:00Z").await;
        assert_eq!(work.sent_notices(app).await.len(), 1);
        let why = work.decided(app, "visit_cancelled").await.remove(0);
        assert_eq!((why.1, why.2.as_str()), (false, "they said STOP, and no email address is known"));
    }

    async fn switched_off_visit_notices_are_skipped_with_reason(app) {
        let work = ReminderFixture::of(app, &Visitor::ann()).await;
        work.books("2026-09-22T15:00:00Z").await;
        app.switches(&work.shop, FeatureSwitches { job_tracking: false, ..FeatureSwitches::ALL_ON }).await;
        until(app, "2026-09-17T15:01:00Z").await;
        app.switches(&work.shop, FeatureSwitches::ALL_ON).await;
        let off = json!({"jobs": {"dayBefore": false}}).to_string().into_bytes();
        let saved = work.office.send(Method::PATCH, "/api/org/acme-plumbing/settings", "application/json", off).await;
        assert!(saved.status.is_success(), "{}", saved.json());
        until(app, "2026-09-21T14:00:00Z").await;
        until(app, "2026-09-22T14:00:00Z").await;
        assert_eq!(work.notice_summaries(app).await, ["sms 09-22 14:00 today"]);
        assert_eq!(work.decided(app, "visit_booked").await[0].2, "job tracking is switched off");
        assert_eq!(work.decided(app, "visit_reminder").await[0].2, "the reminder the day before is switched off");
    }

    async fn press_on_a_page_opened_before_a_move_neither_confirms_nor_cancels(app) {
        let work = ReminderFixture::of(app, &Visitor::ann()).await;
        let job = work.books("2026-09-21T15:00:00Z").await;
        until(app, "2026-09-17T15:01:00Z").await;
        let notice_line = work.sent_notices(app).await.remove(0);
        let link = notice_line.split("https://toolbox.example").nth(1).unwrap().split(' ').next().unwrap().to_owned();
        let customer = app.client();
        let shown_at = async || {
            let page = String::from_utf8(customer.get(&link).await.body).unwrap();
            let found = page.split("name=\"shownAt\" value=\"").nth(1).unwrap_or_else(|| panic!("{page}"));
            found.split('"').next().unwrap().replace("&#43;", "+")
        };
        let posts = async |what: &str, shown_at: &str| -> Answer {
            let body = format!("shownAt={}", shown_at.replace('+', "%2B"));
            let form = "application/x-www-form-urlencoded";
            customer.send(Method::POST, &format!("{link}/{what}"), form, body.into_bytes()).await
        };
        let open_tab = shown_at().await;
        work.moves(&job, json!({"startsAt": "2026-09-22T15:00:00Z"})).await;
        for what in ["confirm", "cancel"] {
            let refused = posts(what, &open_tab).await;
            let page = String::from_utf8(refused.body.clone()).unwrap();
            assert_eq!(refused.status, 409, "{what}: {page}");
            assert!(page.contains("This visit is no longer at that time.") && page.contains("Tue, Sep 22"), "{what}: {page}");
        }
        let untouched = work.office.get(&path(&job, "")).await.json();
        assert_eq!((&untouched["status"], &untouched["confirmedAt"]), (&json!("Scheduled"), &Value::Null));
        let fresh = shown_at().await;
        assert_ne!(fresh, open_tab);
        assert_eq!(posts("confirm", &fresh).await.status, 303);
        assert!(work.office.get(&path(&job, "")).await.json()["confirmedAt"].is_string());
    }

    async fn concurrent_cancellations_record_one_event_of_each_kind(app) {
        let work = ReminderFixture::of(app, &Visitor::ann()).await;
        work.books("2026-09-21T15:00:00Z").await;
        until(app, "2026-09-17T15:01:00Z").await;
        let notice_line = work.sent_notices(app).await.remove(0);
        let link = notice_line.split("https://toolbox.example").nth(1).unwrap().split(' ').next().unwrap();
        let (at, customer) = (format!("{link}/cancel"), app.client());
        let press = || customer.send(Method::POST, &at, "application/x-www-form-urlencoded", b"reason=We+moved".to_vec());
        let answers = futures::future::join_all((0..10).map(|_| press())).await;
        assert!(answers.iter().all(|answer| answer.status == 303));
        assert_eq!(press().await.status, 303, "later too");
        for row in ["audit_event WHERE action = 'visit_cancelled_by_customer'", "alert WHERE kind = 'visit_changed'"] {
            assert_eq!(app.count(row).await, 1, "{row}");
        }
        app.run_tasks().await;
    }

    async fn visit_page_allows_confirming_asking_and_cancelling_without_account(app) {
        let work = ReminderFixture::of(app, &Visitor::ann()).await;
        let job = work.books("2026-09-21T15:00:00Z").await;
        until(app, "2026-09-17T15:01:00Z").await;
        let notice_line = work.sent_notices(app).await.remove(0);
        let link = notice_line.split("https://toolbox.example").nth(1).unwrap().split(' ').next().unwrap().to_owned();
        let customer = app.client();
        let shows = async || {
            let answer = customer.get(&link).await;
            assert_eq!(answer.status, 200);
            String::from_utf8(answer.body.clone()).unwrap()
        };
        let posts = async |what: &str, body: &str| -> Answer {
            let form = "application/x-www-form-urlencoded";
            customer.send(Method::POST, &format!("{link}/{what}"), form, body.as_bytes().to_vec()).await
        };
        let page = shows().await;
        assert!(page.contains("Mon, Sep 21, 10:00 AM") && page.contains("Yes, I will be there") && page.contains("Plumbing</p>"), "{page}");
        let calendar = customer.get(&format!("{link}/visit.ics")).await;
        let file = String::from_utf8(calendar.body.clone()).unwrap();
        assert!(file.contains("DTSTART:20260921T150000Z\r\nDTEND:20260921T170000Z\r\n"), "{file}");
        assert_eq!(posts("confirm", "").await.status, 303);
        assert_eq!(posts("confirm", "").await.status, 303, "twice is once");
        assert!(shows().await.contains("You confirmed this visit on Sep 17, 2026, 10:01 AM"));
        assert!(work.office.get(&path(&job, "")).await.json()["confirmedAt"].is_string());
        assert_eq!(posts("message", "question=").await.status, 422);
        assert_eq!(posts("message", "question=Could+you+come+after+four%3F").await.status, 303);
        let talk = app.lead(work.shop.id(), work.lead).await.messages;
        assert!(talk.iter().any(|m| m.body == "Visit #1001 on Mon, Sep 21, 10:00 AM: Could you come after four?"), "{talk:?}");
        assert_eq!(posts("approve", "").await.status, 404, "it is no estimate");
        assert_eq!(posts("cancel", "reason=We+moved").await.status, 303);
        assert!(shows().await.contains("This visit was cancelled"));
        let response_body = work.office.get(&path(&job, "")).await.json();
        assert_eq!((&response_body["status"], &response_body["cancelReason"]), (&json!("Cancelled"), &json!("We moved")));
        let alert_parts = |alert: &Value| (alert["title"].as_str().unwrap().to_owned(), alert["kind"].as_str().unwrap().to_owned());
        let alerts: Vec<_> = work.office.get("/api/alerts").await.json().as_array().unwrap().iter().map(alert_parts).filter(|(_, kind)| kind == "visit_changed").map(|(title, _)| title).collect();
        for title in ["Ann Lee confirmed the visit", "Ann Lee asks for another time", "Ann Lee cancelled the visit"] {
            assert_eq!(alerts.iter().filter(|one| *one == title).count(), 1, "{title}: {alerts:?}");
        }
        let soon = work.books("2026-09-18T01:00:00Z").await;
        until(app, "2026-09-17T15:02:00Z").await;
        let notice_line = work.sent_notices(app).await.into_iter().find(|line| line.contains("Thu, Sep 17, 8:00 PM")).unwrap();
        let near = notice_line.split("https://toolbox.example").nth(1).unwrap().split(' ').next().unwrap();
        let refused = customer.send(Method::POST, &format!("{near}/cancel"), "application/x-www-form-urlencoded", Vec::new()).await;
        assert_eq!(refused.status, 409);
        assert!(String::from_utf8(refused.body.clone()).unwrap().contains("Please call us: it is less than 12 hours away."));
        assert_eq!(work.office.get(&path(&soon, "")).await.json()["status"], "Scheduled");
    }
}
