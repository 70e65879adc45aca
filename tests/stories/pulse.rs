//! The owner's report: once every morning at 7:00 on the business's clock, with the figures of the dashboard.

use axum::http::Method;
use chrono::Duration;
use futures::future::join_all;
use serde_json::{Value, json};
use shared::{
    domain::{
        growth::kpi_pulse::{PulseOutcome, plan},
        messaging::message::MessageChannel,
        tenancy::org::FeatureSwitches,
    },
    platform::sms_segments,
    providers::{mail::SentEmail, sms::SmsProvider},
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::Shop,
};

mod content;
mod dashboard_parity;
mod failures;
mod manual;

const SETTINGS: &str = "/api/org/acme-plumbing/settings";
/// Friday at 7:00 in Chicago: the morning after the story begins.
const FRIDAY: &str = "2026-09-18T12:00:00Z";

async fn sets(client: &Client, pulse: Value) -> Answer {
    let body = json!({ "pulse": pulse }).to_string().into_bytes();
    let answer = client.send(Method::PATCH, SETTINGS, "application/json", body).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer
}

fn letters(app: &TestApp) -> Vec<SentEmail> {
    app.mail.accepted_messages().into_iter().filter(|letter| !letter.pictures.is_empty()).collect()
}

async fn outcomes(app: &TestApp, shop: &Shop) -> Vec<(String, PulseOutcome)> {
    let mut all: Vec<_> =
        app.listed_reports(shop.id()).await.into_iter().map(|one| (one.period, one.outcome)).collect();
    all.reverse();
    all
}

async fn acme(app: &TestApp) -> (Shop, Client) {
    let shop = app.org("Acme Plumbing").await;
    let owner = app.client().signed_in(app, shop.owner()).await;
    (shop, owner)
}

fn days(of: &[(String, PulseOutcome)]) -> Vec<(&str, PulseOutcome)> {
    of.iter().map(|(period, outcome)| (period.as_str(), *outcome)).collect()
}

both_databases! {
    async fn daily_report_is_sent_once_at_seven_local_time(app) {
        let (shop, _) = acme(app).await;
        app.waits_until("2026-09-18T11:59:59Z");
        assert_eq!((app.reports().await, letters(app).len()), (0, 0));
        app.waits_until(FRIDAY);
        assert_eq!((app.reports().await, letters(app).len()), (1, 1));
        let letter = &letters(app)[0];
        assert_eq!(letter.to, shop.owner().email);
        assert_eq!(letter.subject, "Acme Plumbing: $0.00 collected, 0 new leads (Thu, Sep 17)");
        for _ in 0..20 {
            app.advance(Duration::minutes(30));
            assert_eq!(app.reports().await, 0);
        }
        assert_eq!(days(&outcomes(app, &shop).await), [("daily:2026-09-18", PulseOutcome::Sent)]);
    }

    async fn daily_report_is_sent_at_seven_across_clock_changes(app) {
        let (shop, _) = acme(app).await;
        // Daylight saving ends on Sunday, November 1, and begins on March 14.
        for (from, sevens) in [
            ("2026-10-30T13:00:00Z", ["2026-10-31T12:00:00Z", "2026-11-01T13:00:00Z", "2026-11-02T13:00:00Z"]),
            ("2027-03-12T14:00:00Z", ["2027-03-13T13:00:00Z", "2027-03-14T12:00:00Z", "2027-03-15T12:00:00Z"]),
        ] {
            app.waits_until(from);
            app.reports().await;
            let before = letters(app).len();
            app.lives_days(3).await;
            let made: Vec<String> = app.listed_reports(shop.id()).await.iter().take(3).rev().map(|one| one.made_at.unwrap().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)).collect();
            assert_eq!((made, letters(app).len() - before), (sevens.map(ToOwned::to_owned).to_vec(), 3));
        }
    }

    async fn late_report_is_marked_late_and_missed_days_are_left_out(app) {
        let (shop, _) = acme(app).await;
        app.waits_until("2026-09-18T14:30:00Z");
        app.reports().await;
        let late = &letters(app)[0];
        assert!(late.subject.starts_with("Late: was due Fri, Sep 18, 7:00 AM. Acme Plumbing: "), "{}", late.subject);
        assert!(late.text.starts_with("Late: was due Fri, Sep 18, 7:00 AM.\n") && late.html.as_ref().unwrap().contains("Late: was due"));
        // No worker ran for three days.
        app.waits_until("2026-09-21T13:00:00Z");
        app.reports().await;
        let report_outcomes = outcomes(app, &shop).await;
        assert_eq!(days(&report_outcomes), [("daily:2026-09-18", PulseOutcome::Late), ("daily:2026-09-19", PulseOutcome::LeftOut),
            ("daily:2026-09-20", PulseOutcome::LeftOut), ("daily:2026-09-21", PulseOutcome::Late)]);
        let left = app.listed_reports(shop.id()).await.into_iter().find(|one| one.period == "daily:2026-09-20").unwrap();
        assert_eq!(left.reason.as_deref(), Some("it could not be sent in time"));
        assert_eq!(letters(app).len(), 2);
    }

    async fn report_is_sent_once_despite_two_workers_restart_or_changed_time(app) {
        let (shop, owner) = acme(app).await;
        app.waits_until(FRIDAY);
        let both = join_all((0..4).map(|_| plan::enqueue_due_pulses(&app.db, &app.origin))).await;
        let planned: usize = both.into_iter().map(Result::unwrap).sum();
        assert_eq!(planned, 1);
        // The worker died before it made the report; another one plans first, and then runs its tasks.
        assert_eq!(plan::enqueue_due_pulses(&app.db, &app.origin).await.unwrap(), 0);
        app.run_tasks().await;
        let id = app.listed_reports(shop.id()).await[0].id;
        worker::tasks::growth::send_kpi_pulse::run(&app.context, id).await.unwrap();
        app.run_tasks().await;
        assert_eq!(letters(app).len(), 1);
        for time in ["09:00", "08:00", "07:30"] {
            app.advance(Duration::minutes(10));
            sets(&owner, json!({ "time": time })).await;
        }
        app.waits_until("2026-09-18T15:00:00Z");
        app.reports().await;
        assert_eq!(letters(app).len(), 1, "one for Friday, at whatever time");
        app.waits_until("2026-09-19T12:29:00Z");
        app.reports().await;
        assert_eq!(letters(app).len(), 1);
        app.waits_until("2026-09-19T12:30:00Z");
        app.reports().await;
        assert_eq!(letters(app).len(), 2, "Saturday's at half past seven");
    }

    async fn report_time_follows_changed_time_zone(app) {
        let (shop, owner) = acme(app).await;
        let moved = json!({"timezone": "Australia/Lord_Howe"}).to_string().into_bytes();
        assert_eq!(owner.send(Method::PATCH, "/api/org/acme-plumbing", "application/json", moved).await.status, 200);
        let next = owner.get("/api/kpi-pulse").await.json()["nextAt"].clone();
        assert_eq!(next, json!("2026-09-17T20:30:00Z"), "it is half past one there, on Friday");
        app.waits_until("2026-09-17T20:30:00Z");
        app.reports().await;
        app.waits_until(FRIDAY);
        app.reports().await;
        assert_eq!(days(&outcomes(app, &shop).await), [("daily:2026-09-18", PulseOutcome::Sent)]);
    }

    async fn report_skips_quiet_days_and_next_one_covers_them(app) {
        let (shop, owner) = acme(app).await;
        sets(&owner, json!({"quietDays": ["sat", "sun"]})).await;
        app.lives_days(4).await;
        let reports = app.listed_reports(shop.id()).await;
        let [monday, sunday, saturday, friday] = &reports[..] else { panic!("{reports:?}") };
        assert_eq!([friday.outcome, saturday.outcome, sunday.outcome], [PulseOutcome::Sent, PulseOutcome::LeftOut, PulseOutcome::LeftOut]);
        assert_eq!(sunday.reason.as_deref(), Some("it is a quiet day"));
        let span = |at: &str| Some(at.parse().unwrap());
        assert_eq!((monday.from, monday.to), (span("2026-09-18"), span("2026-09-20")), "Monday's report includes Friday");
        assert!(letters(app).last().unwrap().subject.ends_with("(Fri, Sep 18 to Sun, Sep 20)"));
        sets(&owner, json!({"quietUntil": "2026-09-22"})).await;
        app.lives_days(2).await;
        let reasons: Vec<_> = app.listed_reports(shop.id()).await.into_iter().map(|one| one.reason).take(2).collect();
        assert_eq!(reasons, [None, Some("it is a quiet day".to_owned())]);
        app.switches(&shop, FeatureSwitches { kpi_reporting: false, ..FeatureSwitches::ALL_ON }).await;
        let before = letters(app).len();
        app.lives_days(1).await;
        let off = &app.listed_reports(shop.id()).await[0];
        assert_eq!((off.outcome, off.reason.as_deref()), (PulseOutcome::LeftOut, Some("KPI reporting is switched off")));
        assert_eq!(letters(app).len(), before);
    }

    async fn switched_off_reporting_stops_queued_report(app) {
        let (shop, _) = acme(app).await;
        app.waits_until(FRIDAY);
        plan::enqueue_due_pulses(&app.db, &app.origin).await.unwrap();
        let id = app.listed_reports(shop.id()).await[0].id;
        worker::tasks::growth::send_kpi_pulse::run(&app.context, id).await.unwrap();
        app.switches(&shop, FeatureSwitches { kpi_reporting: false, ..FeatureSwitches::ALL_ON }).await;
        app.run_tasks().await;
        assert_eq!(letters(app).len(), 0);
        assert_eq!(app.count("message WHERE kind = 'pulse' AND status = 'not_sent' AND reason = 'KPI reporting is switched off'").await, 1);
    }

    async fn report_goes_by_chosen_channels_and_not_to_opted_out_number(app) {
        app.use_twilio_at("http://127.0.0.1:9");
        app.context.sms = SmsProvider::Memory(app.sms.clone());
        let (shop, owner) = acme(app).await;
        app.tells(&shop, MessageChannel::Sms, "+15125550111").await;
        app.tells(&shop, MessageChannel::Sms, "+15125550112").await;
        let stop = "INSERT INTO opt_out (org_id, channel, address, state, source, at) VALUES ($1, 'sms', '+15125550112', 'stopped', 'text', $2)";
        let stopped = app.within(async |tx| Ok(shared::q!(tx, execute, stop, shop.id(), app.now())?)).await;
        assert!(stopped.is_ok(), "{stopped:?}");
        app.waits_until(FRIDAY);
        app.reports().await;
        let texts = app.sms.accepted_messages();
        let [text] = &texts[..] else { panic!("{texts:?}") };
        assert_eq!(text.to, "+15125550111");
        assert!(text.body.starts_with("Acme Plumbing Sep 17: $0.00 in, $0.00 owed ($0.00 late). 0 leads. "), "{}", text.body);
        assert!(sms_segments::count_segments(&text.body).segments <= 2);
        assert_eq!(app.count("message WHERE kind = 'pulse' AND status = 'not_sent' AND reason = 'they said STOP'").await, 1);
        assert_eq!(letters(app).len(), 1);
        sets(&owner, json!({"byEmail": false, "language": "es"})).await;
        app.waits_until("2026-09-19T12:00:00Z");
        app.reports().await;
        assert_eq!(letters(app).len(), 1, "by text alone");
        assert!(app.sms.accepted_messages().last().unwrap().body.contains("cobrado"), "in Spanish");
    }

    async fn switch_preview_matches_sent_reports(app) {
        let (_, owner) = acme(app).await;
        sets(&owner, json!({"quietDays": ["sun"]})).await;
        let shown = owner.get("/api/org/acme-plumbing/preview?switch=kpiReporting&days=5").await.json();
        let at: Vec<&str> = shown["messages"].as_array().unwrap().iter().map(|row| row["at"].as_str().unwrap()).collect();
        let before = letters(app).len();
        app.lives_days(5).await;
        let left: Vec<String> = app.mail.accepted_messages().iter().skip(before).map(|letter| letter.date.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)).collect();
        assert_eq!(at, left);
        assert_eq!(at.len(), 4, "Friday, Saturday, Monday and Tuesday");
    }
}
