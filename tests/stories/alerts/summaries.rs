//! Alerts held outside notification hours: sent in the morning, or once in a summary with all of them.

use chrono::Duration;
use serde_json::json;
use shared::domain::{
    messaging::{
        alert::{self, NewAlert},
        message::MessageChannel,
    },
    tenancy::org,
};
use tests::{app::TestApp, both_databases, fake_push::FakePush, people::Visitor};

use super::{Browser, SAM, at, device_body, mails_to, reasons, set, texts_to};

both_databases! {
    async fn lead_at_night_is_pushed_at_once_and_sent_when_hours_begin(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let shop = app.org("Acme Plumbing").await;
        app.promises_nothing(&shop).await;
        Browser::of(app, &push, shop.owner(), "Phone").await;
        app.tells(&shop, MessageChannel::Sms, SAM).await;
        at(app, 1, "21:30");
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!((push.shown().len(), mails_to(app, &shop).len(), texts_to(app, SAM).len()), (1, 0, 0));
        let kept = "kept until your notification hours begin: Monday, Sep 21 at 8:00 AM";
        assert_eq!(reasons(app, &shop, lead).await, [("lead_created".into(), false, kept.to_owned())]);
        at(app, 4, "07:58");
        app.live_through(Duration::minutes(1), Duration::minutes(1)).await;
        assert!(mails_to(app, &shop).is_empty());
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        assert_eq!(mails_to(app, &shop), ["New lead: Ann Lee, Plumbing; Answer Ann Lee by Mon 9:00 AM"]);
        assert_eq!(texts_to(app, SAM).len(), 1);
        let sent_reason = ("alert_due".to_owned(), true, "your notification hours have begun: all that waited, in one message".to_owned());
        assert_eq!(reasons(app, &shop, lead).await[1..], [sent_reason.clone(), sent_reason]);
        app.live_through(Duration::hours(2), Duration::minutes(10)).await;
        assert_eq!(mails_to(app, &shop).len(), 1, "once");
    }

    async fn alert_within_notification_hours_is_sent_at_once_with_reason(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let before = reasons(app, &shop, lead).await.len();
        let profile = org::load_profile(&mut app.db.acquire_reader().await.unwrap(), shop.org.clone()).await.unwrap();
        let new = NewAlert::new(alert::AlertKind::VisitChanged, "changed".to_owned(), "Moved".to_owned(), "#1".to_owned());
        let new = NewAlert { lead: Some(lead), ..new };
        app.within(async |tx| alert::raise_alert(tx, &app.origin, &profile, new).await).await.unwrap();
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        let decision_reasons = reasons(app, &shop, lead).await.split_off(before);
        assert!(!decision_reasons.is_empty(), "at least one alert is sent");
        assert!(decision_reasons.iter().all(|(event, sent, why)| event == "alert_due" && *sent && why == "it goes out right away"), "{decision_reasons:?}");
    }

    async fn alerts_sent_in_one_message_are_listed_by_title(app) {
        let shop = app.org("Acme Plumbing").await;
        app.tells(&shop, MessageChannel::Sms, SAM).await;
        let profile = org::load_profile(&mut app.db.acquire_reader().await.unwrap(), shop.org.clone()).await.unwrap();
        for (key, title) in [("one", "Ann Lee moved a visit"), ("two", "Did Bob Ray ask you to stop texting?")] {
            let new = NewAlert::new(alert::AlertKind::VisitChanged, key.to_owned(), title.to_owned(), "#1".to_owned());
            app.within(async |tx| alert::raise_alert(tx, &app.origin, &profile, new).await).await.unwrap();
            app.advance(Duration::seconds(1));
        }
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        let names = "Ann Lee moved a visit; Did Bob Ray ask you to stop texting?";
        assert_eq!(texts_to(app, SAM), [format!("{names} https://toolbox.example/app/leads")]);
        assert_eq!(mails_to(app, &shop), [names]);
    }

    async fn message_about_several_leads_is_shown_with_each_of_them(app) {
        let shop = app.org("Acme Plumbing").await;
        app.promises_nothing(&shop).await;
        let leads = [Visitor::ann().submits_lead(app, &shop).await, Visitor::number(2).submits_lead(app, &shop).await];
        app.run_tasks().await;
        let profile = org::load_profile(&mut app.db.acquire_reader().await.unwrap(), shop.org.clone()).await.unwrap();
        for (key, lead) in ["one", "two"].into_iter().zip(leads) {
            let new = NewAlert::new(alert::AlertKind::VisitBooked, key.to_owned(), format!("Visit {key}"), "#1".to_owned());
            let new = NewAlert { lead: Some(lead), ..new };
            app.within(async |tx| alert::raise_alert(tx, &app.origin, &profile, new).await).await.unwrap();
        }
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        assert!(mails_to(app, &shop).contains(&"Visit one; Visit two".to_owned()), "{:?}", mails_to(app, &shop));
        let mut shared = Vec::new();
        for lead in leads {
            let shown = app.lead(shop.id(), lead).await;
            let why = shown.decisions.iter().rfind(|d| d.event == "alert_due" && d.sent).expect("a decision");
            let notice = shown.messages.iter().find(|m| Some(m.id) == why.message_id).expect("the message of the decision");
            assert!(notice.sent_at.is_some() && notice.customer_id.is_none(), "{notice:?}");
            shared.push(notice.id);
        }
        assert_eq!(shared[0], shared[1]);
    }

    async fn alert_kept_for_notification_hours_is_recorded_with_its_lead(app) {
        let shop = app.org("Acme Plumbing").await;
        app.promises_nothing(&shop).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        at(app, 1, "21:30");
        let before = reasons(app, &shop, lead).await.len();
        let profile = org::load_profile(&mut app.db.acquire_reader().await.unwrap(), shop.org.clone()).await.unwrap();
        for _ in 0..2 {
            let new = NewAlert::new(alert::AlertKind::VisitBooked, "booked".to_owned(), "Booked".to_owned(), "#1".to_owned());
            let new = NewAlert { lead: Some(lead), ..new };
            app.within(async |tx| alert::raise_alert(tx, &app.origin, &profile, new).await).await.unwrap();
        }
        let kept = "kept until your notification hours begin: Monday, Sep 21 at 8:00 AM";
        assert_eq!(reasons(app, &shop, lead).await[before..], [("alert_due".to_owned(), false, kept.to_owned())]);
    }

    async fn hourly_daily_and_weekly_summaries_are_sent_once_with_all_leads(app) {
        let shop = app.org("Acme Plumbing").await;
        app.promises_nothing(&shop).await;
        app.tells(&shop, MessageChannel::Sms, SAM).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let table = [
            ("hourly", 0, "10:15", 0, "10:58", "kept for the hourly summary: Thursday, Sep 17 at 11:00 AM"),
            ("daily", 0, "12:00", 1, "08:58", "kept for the daily summary: Friday, Sep 18 at 9:00 AM"),
            ("weekly", 1, "12:00", 4, "08:58", "kept for the weekly summary: Monday, Sep 21 at 9:00 AM"),
        ];
        for (n, (frequency, day, from, due_day, before, why)) in (1_u32..).zip(table) {
            set(app, &shop, json!({"frequency": frequency, "schedule": "custom"})).await;
            let (mails, texts) = (mails_to(app, &shop).len(), texts_to(app, SAM).len());
            at(app, day, from);
            let first = Visitor::number(n * 10).submits_lead(app, &shop).await;
            let second = Visitor::number(n * 10 + 1).submits_lead(app, &shop).await;
            app.live_through(Duration::minutes(5), Duration::minutes(1)).await;
            assert_eq!(reasons(app, &shop, first).await[0].2, why);
            // What the page says of the reading time is a promise, whose alerts are not this story's.
            for lead in [first, second] {
                let answered = office.post(&format!("/api/leads/{lead}/answered"), &json!({"how": "answered"})).await;
                assert!(answered.status.is_success(), "{}", answered.json());
            }
            at(app, due_day, before);
            app.live_through(Duration::minutes(1), Duration::minutes(1)).await;
            assert_eq!((mails_to(app, &shop).len(), texts_to(app, SAM).len()), (mails, texts), "{frequency} before");
            app.live_through(Duration::minutes(4), Duration::minutes(1)).await;
            assert_eq!(mails_to(app, &shop)[mails..], ["2 leads for Acme Plumbing"], "{frequency}");
            assert_eq!(texts_to(app, SAM)[texts..], ["2 leads for Acme Plumbing. https://toolbox.example/app/leads"]);
            let decision_reasons = reasons(app, &shop, first).await;
            assert_eq!(decision_reasons[1..].iter().map(|r| r.2.clone()).collect::<Vec<_>>(), vec![format!("the {frequency} summary"); 2]);
        }
        app.live_through(Duration::days(8), Duration::hours(1)).await;
        assert_eq!(mails_to(app, &shop).len(), 3, "nothing new, no summary");
    }

    async fn summary_is_sent_once_by_concurrent_workers(app) {
        let shop = app.org("Acme Plumbing").await;
        set(app, &shop, json!({"frequency": "hourly", "schedule": "anytime"})).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::hours(1));
        // Boxed: four of these futures together are too large for a stack.
        let run = || Box::pin(worker::tasks::messaging::alert_digest::run(&app.context));
        let counts = futures::future::join_all([run(), run(), run(), run()]).await;
        assert_eq!(counts.into_iter().map(Result::unwrap).sum::<usize>(), 1);
        app.run_tasks().await;
        assert_eq!(mails_to(app, &shop).len(), 1);
    }

    async fn waiting_alert_follows_changed_frequency_setting(app) {
        let shop = app.org("Acme Plumbing").await;
        set(app, &shop, json!({"frequency": "weekly"})).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        assert!(mails_to(app, &shop).is_empty());
        set(app, &shop, json!({"frequency": "immediate"})).await;
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        assert_eq!(mails_to(app, &shop).len(), 1);
    }

    async fn summary_marks_seen_leads_and_names_dead_device(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let shop = app.org("Acme Plumbing").await;
        set(app, &shop, json!({"frequency": "hourly", "schedule": "anytime"})).await;
        let (phone, desk) =
            (Browser::of(app, &push, shop.owner(), "Old phone").await, Browser::of(app, &push, shop.owner(), "Desk").await);
        push.unsubscribe(&phone.subscription);
        for n in [1, 2] {
            Visitor::number(n).submits_lead(app, &shop).await;
        }
        app.run_tasks().await;
        let path = format!("/api/alerts/{}/seen", desk.alerts().await[0]["id"].as_str().unwrap());
        assert_eq!(desk.posts(&path).await.status, 200);
        app.advance(Duration::hours(1));
        app.live_through(Duration::minutes(1), Duration::minutes(1)).await;
        let summary = |app: &TestApp| app.mail.accepted_messages().into_iter().rfind(|l| l.subject.contains("leads for")).unwrap();
        let first = summary(app);
        assert_eq!((first.subject.as_str(), first.text.matches("(seen)").count()), ("2 leads for Acme Plumbing", 1), "{}", first.text);
        let named = first.text.lines().find(|line| line.starts_with("Alerts no longer reach ")).unwrap();
        assert!(named.contains(": Old phone (since Thursday, Sep 17). ") && !named.contains("Desk"), "{named}");
        assert!(first.html.unwrap().contains("Old phone"));
        phone.client.post("/api/push/devices", &device_body(&push.subscribe(app.settings.push.public_key()), "Old phone")).await;
        for n in [3, 4] {
            Visitor::number(n).submits_lead(app, &shop).await;
        }
        app.advance(Duration::hours(1));
        app.live_through(Duration::minutes(1), Duration::minutes(1)).await;
        assert!(!summary(app).text.contains("no longer reach"), "turned on again: {}", summary(app).text);
    }
}
