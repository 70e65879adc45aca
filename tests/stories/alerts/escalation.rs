//! An emergency is escalated from person to person until one of them has seen it.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{domain::messaging::message::MessageChannel, providers::sms::SmsProvider};
use tests::{
    app::TestApp,
    both_databases,
    fake_push::FakePush,
    people::{Shop, Visitor},
};

use super::{Browser, SAM, alerts, at, instant, mails_to, reasons, set, texts_to};

const PAT: &str = "+15125550112";
/// Shorter than the limit up to which a text to the business quotes.
const WORDS: &str = "The basement is FLOODING, 4412 Elm St, gate code 4471#, call 512-555-0148";

fn emergency() -> Visitor {
    let mut visitor = Visitor::ann();
    visitor.form.notes = Some(WORDS.into());
    visitor
}

both_databases! {
    async fn emergency_alert_bypasses_schedule_and_escalates_until_seen(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let shop = app.org("Acme Plumbing").await;
        let owner = Browser::of(app, &push, shop.owner(), "Phone").await;
        for phone in [SAM, PAT] {
            app.tells(&shop, MessageChannel::Sms, phone).await;
            app.advance(Duration::seconds(1));
        }
        set(app, &shop, json!({"frequency": "weekly"})).await;
        push.unsubscribe(&owner.subscription);
        at(app, 1, "02:00");
        let lead = emergency().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let counts = |app: &TestApp| (mails_to(app, &shop).len(), texts_to(app, SAM).len(), texts_to(app, PAT).len());
        assert_eq!(counts(app), (1, 1, 1), "at once, in the night, whatever the frequency");
        let first = &texts_to(app, SAM)[0];
        assert!(first.starts_with("Urgent. New lead: Ann Lee, Plumbing") && first.contains(WORDS), "{first}");
        assert_eq!(mails_to(app, &shop), ["Urgent. New lead: Ann Lee, Plumbing"]);
        app.live_through(Duration::seconds(110), Duration::seconds(10)).await;
        assert_eq!(counts(app), (1, 1, 1));
        app.live_through(Duration::seconds(20), Duration::seconds(10)).await;
        assert_eq!(counts(app), (1, 2, 1), "the first person after two minutes");
        assert!(texts_to(app, SAM)[1].starts_with("No one has looked yet. Urgent. New lead: Ann Lee"), "{:?}", texts_to(app, SAM));
        let decision_reasons = reasons(app, &shop, lead).await;
        let last = ("alert_unseen".to_owned(), true, "no one had looked at this urgent alert after 2 minutes".to_owned());
        assert_eq!(decision_reasons.last(), Some(&last));
        let open = &owner.alerts().await[0];
        assert_eq!((&open["isUrgent"], &open["step"], &open["seenAt"]), (&json!(true), &json!(1), &Value::Null));
        let climbs = instant(&open["climbsAt"]).unwrap() - instant(&open["createdAt"]).unwrap();
        assert_eq!(climbs, Duration::minutes(7));
        let path = format!("/api/alerts/{}/seen", open["id"].as_str().unwrap());
        let seen = owner.posts(&path).await.json();
        assert_eq!((instant(&seen["seenAt"]), &seen["climbsAt"]), (Some(app.now()), &Value::Null));
        assert_eq!(owner.posts(&path).await.json(), seen, "saying it again changes nothing");
        app.live_through(Duration::minutes(20), Duration::minutes(1)).await;
        assert_eq!(counts(app), (1, 2, 1), "no further alerts are sent");
    }

    async fn unseen_emergency_alert_reaches_every_contact_and_stops(app) {
        let shop = app.org("Acme Plumbing").await;
        for phone in [SAM, PAT] {
            app.tells(&shop, MessageChannel::Sms, phone).await;
            app.advance(Duration::seconds(1));
        }
        app.promises_nothing(&shop).await;
        emergency().submits_lead(app, &shop).await;
        app.live_through(Duration::minutes(8), Duration::minutes(1)).await;
        assert_eq!((texts_to(app, SAM).len(), texts_to(app, PAT).len()), (2, 2));
        app.live_through(Duration::hours(1), Duration::minutes(5)).await;
        assert_eq!((texts_to(app, SAM).len(), texts_to(app, PAT).len()), (2, 2));
        let ended = alerts(app, &shop).await;
        assert_eq!((ended[0].step, ended[0].escalates_at, ended[0].seen_at), (2, None, None));
    }

    async fn emergency_alert_escalates_by_email_when_sms_is_off(app) {
        let (shop, bare) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        app.tells(&shop, MessageChannel::Sms, SAM).await;
        app.tells(&shop, MessageChannel::Sms, PAT).await;
        app.context.sms = SmsProvider::Off;
        let lead = emergency().submits_lead(app, &shop).await;
        emergency().submits_lead(app, &bare).await;
        let climbed = |shop: &Shop| {
            mails_to(app, shop).iter().filter(|s| *s == "No one has looked yet: Urgent. New lead: Ann Lee, Plumbing").count()
        };
        app.live_through(Duration::seconds(110), Duration::seconds(10)).await;
        assert_eq!((climbed(&shop), climbed(&bare)), (0, 0));
        app.live_through(Duration::seconds(30), Duration::seconds(10)).await;
        assert_eq!((climbed(&shop), climbed(&bare)), (1, 1), "in place of the text, and where there is no phone at all");
        app.live_through(Duration::minutes(20), Duration::minutes(1)).await;
        assert_eq!((climbed(&shop), climbed(&bare)), (2, 1), "one for each of the two who would have been texted");
        let letters = app.mail.accepted_messages();
        let letter = letters.iter().rfind(|l| l.to == shop.owner().email && l.subject.starts_with("No one")).unwrap();
        assert!(letter.text.contains(&format!("https://toolbox.example/app/leads/{lead}")), "{}", letter.text);
        let why = "the text to the next person could not leave: SMS is not set up";
        assert_eq!(reasons(app, &shop, lead).await.iter().filter(|r| r.2 == why).count(), 2);
    }

    async fn non_urgent_alert_does_not_escalate(app) {
        let shop = app.org("Acme Plumbing").await;
        app.tells(&shop, MessageChannel::Sms, SAM).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.live_through(Duration::minutes(30), Duration::minutes(1)).await;
        assert_eq!(texts_to(app, SAM).len(), 1);
        assert_eq!(alerts(app, &shop).await[0].escalates_at, None);
    }
}
