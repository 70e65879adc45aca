//! A request for work is answered once on each channel, and the business gets an alert.

use chrono::Duration;
use shared::{
    documents::template::Language,
    domain::{messaging::message::MessageChannel, tenancy::org::FeatureSwitches},
    platform::db::q,
};
use tests::{app::TestApp, both_databases, people::Visitor};

const TRACES: [&str; 9] = [
    "lead",
    "lead_inquiry",
    "customer",
    "customer_key",
    "consent",
    "automation_decision",
    "message",
    "task",
    "live_event",
];

/// Subjects of the emails, without the warning that an answer is overdue.
fn letters(app: &TestApp) -> Vec<String> {
    let all = app.mail.accepted_messages().into_iter().map(|letter| letter.subject);
    all.filter(|subject| !subject.starts_with("Promise broken")).collect()
}

async fn traces(app: &TestApp) -> Vec<i64> {
    let mut counted = Vec::new();
    for table in TRACES {
        counted.push(app.count(table).await);
    }
    counted
}

both_databases! {
    async fn lead_is_answered_on_both_channels_and_owner_is_notified(app) {
        let shop = app.org("Acme Plumbing").await;
        app.tells(&shop, MessageChannel::Sms, "+15125550199").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        assert_eq!(app.run_tasks().await, 4);
        assert_eq!(
            app.outbox(shop.id(), lead).await,
            ["auto_reply email: sent", "auto_reply sms: sent", "owner_notice email: sent", "owner_notice sms: sent"]
        );
        let texts = app.sms.accepted_messages();
        assert_eq!(texts.iter().map(|t| t.to.as_str()).collect::<Vec<_>>(), ["+15125550142", "+15125550199"]);
        assert!(texts[0].body.contains("Acme Plumbing") && texts[0].body.contains("1 hour"), "{}", texts[0].body);
        let letters = app.mail.accepted_messages();
        assert_eq!(
            letters.iter().map(|l| (l.to.as_str(), l.subject.as_str())).collect::<Vec<_>>(),
            [
                ("ann@customer.example", "We received your request, Ann"),
                ("owner@acme-plumbing.example", "New lead: Ann Lee, Plumbing"),
            ]
        );
        assert!(letters[0].text.contains("1 hour") && letters[0].html.is_some(), "{}", letters[0].text);
        let link = format!("https://toolbox.example/app/leads/{lead}");
        assert!(letters[1].text.contains(&link), "{}", letters[1].text);
    }

    async fn lead_answer_is_not_repeated_within_two_days(app) {
        let shop = app.org("Acme Plumbing").await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.live_through(Duration::days(2), Duration::hours(1)).await;
        let to_ann = app.mail.accepted_messages().iter().filter(|letter| letter.to == "ann@customer.example").count();
        assert_eq!((app.sms.recorded_sends().len(), to_ann), (1, 1));
        let warned: Vec<String> = app.mail.accepted_messages()[2..].iter().map(|letter| letter.subject.clone()).collect();
        assert_eq!(warned.len(), 1, "only the business is reminded of the open request: {warned:?}");
    }

    async fn rolled_back_lead_leaves_no_lead_message_or_task(app) {
        let shop = app.org("Acme Plumbing").await;
        let before = traces(app).await;
        let mut tx = app.db.begin().await.unwrap();
        Visitor::ann().submits_within(&mut tx, app, &shop).await.unwrap();
        drop(tx);
        assert_eq!(traces(app).await, before);
        assert_eq!(before, [0, 0, 0, 0, 0, 0, 0, 0, 1], "nothing but the news that the business got its number");
        assert_eq!(app.run_tasks().await, 0);
        assert!(app.sms.recorded_sends().is_empty() && app.mail.recorded_sends().is_empty());
        Visitor::ann().submits_lead(app, &shop).await;
        let kept = traces(app).await;
        assert!(kept.iter().zip(&before).all(|(kept, before)| kept > before), "a lead that is kept leaves all of them: {kept:?}");
        app.run_tasks().await;
    }

    async fn repeat_request_the_same_day_adds_touch_without_second_answer(app) {
        let shop = app.org("Acme Plumbing").await;
        let first = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(5));
        assert_eq!(Visitor::ann().submits_lead(app, &shop).await, first, "within the same visit");
        app.run_tasks().await;
        assert_eq!((app.sms.accepted_messages().len(), app.mail.accepted_messages().len()), (1, 2), "no further message is sent");
        app.advance(Duration::hours(5));
        assert_eq!(Visitor::ann().submits_lead(app, &shop).await, first, "a new visit");
        app.run_tasks().await;
        assert_eq!((app.sms.accepted_messages().len(), letters(app).len()), (1, 3), "only the business gets a message");
        assert_eq!(letters(app)[2], "Asked again: Ann Lee, Plumbing");
        let lead = app.lead(shop.id(), first).await;
        assert_eq!((lead.summary.touch_count, lead.touches.len(), app.count("lead").await), (3, 3, 1));
        assert_eq!(lead.summary.last_touch_at, app.now());
        app.advance(Duration::hours(25));
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!((app.sms.accepted_messages().len(), letters(app).len()), (2, 5), "the next day she is answered again");
    }

    async fn spanish_request_is_answered_in_spanish_from_then_on(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut ana = Visitor::ann();
        ana.form.notes = Some("Hola, necesito un plomero, hay agua en la cocina".into());
        ana.submits_lead(app, &shop).await;
        let mut bob = Visitor::number(1);
        bob.form.notes = Some("Hello, I need a plumber, there is water in the kitchen".into());
        bob.submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::hours(25));
        ana.form.notes = Some("?".into());
        ana.submits_lead(app, &shop).await;
        app.run_tasks().await;
        let spoken = |to: &str| -> Vec<_> {
            let texts = app.sms.accepted_messages().into_iter().filter(|text| text.to == to);
            texts.map(|text| Language::detect_from_texts(&[text.body])).collect()
        };
        assert_eq!(spoken("+15125550142"), [Some(Language::Es); 2]);
        assert_eq!(spoken("+17375000001"), [Some(Language::En)]);
        let mails = app.mail.accepted_messages();
        let hers: Vec<_> = mails.iter().filter(|mail| mail.to == "ann@customer.example").collect();
        assert!(hers.iter().all(|mail| Language::detect_from_texts(&[&mail.text]) == Some(Language::Es)), "{hers:?}");
    }

    async fn decision_records_rule_and_reason_without_personal_data(app) {
        let shop = app.org("Acme Plumbing").await;
        let ann = Visitor::ann().email(None);
        let id = ann.submits_lead(app, &shop).await;
        app.advance(Duration::minutes(5));
        ann.submits_lead(app, &shop).await;
        app.run_tasks().await;
        let lead = app.lead(shop.id(), id).await;
        let decisions: Vec<_> = lead.decisions.iter().map(|d| (d.event.as_str(), d.rule.as_str(), d.sent, d.reason.as_str())).collect();
        let again = "this person was answered within the last 24 hours";
        assert_eq!(
            decisions,
            [
                ("lead_created", "auto_reply", true, "a new request is answered right away"),
                ("lead_created", "auto_reply", false, "no email address was given"),
                ("lead_created", "owner_notice", true, "a new lead came in"),
                ("lead_touched", "auto_reply", false, again),
                ("lead_touched", "auto_reply", false, "no email address was given"),
                ("lead_touched", "owner_notice", false, "the business was told of this person within the last 10 minutes"),
            ]
        );
        let sent: Vec<_> = lead.decisions.iter().filter_map(|d| d.message_id).collect();
        let messages: Vec<_> = lead.messages.iter().map(|m| m.id).collect();
        assert_eq!(sent, messages);
        let evidence = serde_json::to_string(&lead.decisions.iter().map(|d| &d.evidence).collect::<Vec<_>>()).unwrap();
        assert!(!evidence.contains("555") && !evidence.contains("Ann"), "the evidence of a rule has no personal data: {evidence}");
    }

    async fn consent_answers_are_stored_with_the_shown_wording(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut ann = Visitor::ann();
        ann.form.page_url = Some("https://acme.example/lead?org=acme-plumbing&utm_source=flyer".into());
        ann.submits_lead(app, &shop).await;
        let mut bob = Visitor::number(2);
        bob.form.marketing_consent = true;
        bob.submits_lead(app, &shop).await;
        app.run_tasks().await;
        let mut conn = app.db.acquire_reader().await.unwrap();
        let sql = "SELECT class, granted, wording, version, page_url, ip FROM consent ORDER BY at, class, granted";
        let rows = q!(&mut conn, fetch_all as (String, bool, String, String, Option<String>, Option<String>), sql).unwrap();
        let short: Vec<_> = rows.iter().map(|r| (r.0.as_str(), r.1)).collect();
        assert_eq!(
            short,
            [("informational", true), ("informational", true), ("promotional", false), ("promotional", true)]
        );
        for row in &rows {
            assert!(row.2.contains("Acme Plumbing") && row.2.contains("STOP"), "{}", row.2);
            assert_eq!((row.3.as_str(), row.5.as_deref()), (shared::domain::intake::lead::consent::VERSION, Some("203.0.113.9")));
        }
        assert!(rows.iter().any(|r| r.4.as_deref().is_some_and(|url| url.contains("utm_source=flyer"))));
    }

    async fn switch_turned_off_after_queueing_stops_the_message(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        let off = FeatureSwitches { automated_communications: false, lead_intake: false, ..FeatureSwitches::ALL_ON };
        app.switches(&shop, off).await;
        app.run_tasks().await;
        assert_eq!(
            app.outbox(shop.id(), lead).await,
            [
                "auto_reply email: not sent: automated communications are switched off",
                "auto_reply sms: not sent: automated communications are switched off",
                "owner_notice email: not sent: lead intake is switched off",
            ]
        );
        assert!(app.sms.recorded_sends().is_empty() && app.mail.recorded_sends().is_empty());
        assert!(!app.lead(shop.id(), lead).await.summary.needs_attention, "switched off on purpose, so no attention is asked for");
    }

    async fn lead_keeps_its_utm_tags_click_id_and_referrer(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut ann = Visitor::ann();
        ann.form.page_url = Some("https://acme.example/lead?utm_source=google&utm_campaign=leaks&gclid=x1".into());
        ann.form.referrer = Some("https://search.example/".into());
        let id = ann.submits_lead(app, &shop).await;
        app.run_tasks().await;
        let kept = app.lead(shop.id(), id).await.attribution;
        assert_eq!((kept.utm_source.as_deref(), kept.utm_campaign.as_deref()), (Some("google"), Some("leaks")));
        assert_eq!((kept.gclid.as_deref(), kept.referrer.as_deref()), (Some("x1"), Some("https://search.example/")));
    }
}
