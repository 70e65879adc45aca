//! Follow-ups: sent at their hour, once, and not when something happened first.

use axum::http::Method;
use chrono::{DateTime, Duration, Utc};
use serde_json::json;
use shared::{
    domain::{
        intake::lead::PipelineStage,
        messaging::{
            followup::{self, FollowUpState, FollowUpStep, FollowUpSubject, PlannedStep},
            message::MessageChannel,
        },
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent},
            org::FeatureSwitches,
        },
        work::{
            activity,
            pipeline::{self, StageCause},
        },
    },
    platform::{
        access_link,
        db::q,
        id::{CustomerId, EstimateId, EventId, FollowUpId, LeadId},
        sequence::{self, NumberSeries},
    },
    providers::{RefusalReason, SendError, sms::SmsProvider},
};
use sqlx::types::Json;
use tests::{
    app::TestApp,
    both_databases,
    people::{Shop, Visitor},
};

/// An open estimate of Ann's, with its link and follow-ups on the days 2 and 5 at the same hour.
struct Asked {
    lead: LeadId,
    customer: CustomerId,
    estimate: EstimateId,
}

impl Asked {
    async fn of(app: &TestApp, shop: &Shop, visitor: &Visitor) -> Self {
        let lead = visitor.submits_lead(app, shop).await;
        app.run_tasks().await;
        let estimate = EstimateId(app.origin.uuid_v7());
        let customer = app
            .within(async |tx| {
                let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
                let customer = q!(&mut *tx, fetch_one scalar CustomerId, sql, shop.id(), lead)?;
                let link = access_link::ensure_link(tx, &app.origin, shop.id(), access_link::LinkKind::Estimate, estimate.0, None).await?;
                let number = sequence::next_number(tx, shop.id(), NumberSeries::Estimate).await?;
                let work = json!({"id": "1", "name": "Work", "quantity": 1, "unit": "each", "unitPrice": 1250.5});
                let content =
                    Json(json!({"number": format!("EST-{number}"), "link": link, "paper": {"lines": [work]}}));
                q!(
                    &mut *tx,
                    execute,
                    "INSERT INTO estimate (org_id, id, lead_id, customer_id, number, version, status, content, total_cents,
                         deposit_cents, issued_on, created_at, sent_at) VALUES ($1, $2, $3, $4, $8, 1, 'open', $5, 125050, 0, $6, $7, $7)",
                    shop.id(),
                    estimate,
                    lead,
                    customer,
                    content,
                    app.now().date_naive(),
                    app.now(),
                    number
                )?;
                Ok(customer)
            })
            .await
            .unwrap();
        let asked = Self { lead, customer, estimate };
        asked.plan(app, shop, 1, None).await;
        asked
    }

    async fn plan(&self, app: &TestApp, shop: &Shop, generation: i64, event: Option<EventId>) {
        let steps = [2, 5].map(|day| {
            let due_at = app.now() + Duration::days(day);
            PlannedStep { step: FollowUpStep::Day(day), due_at, expires_at: due_at + Duration::hours(10) }
        });
        let (org, lead, about) = (shop.id(), self.lead, self.estimate.0);
        app.within(async |tx| {
            followup::schedule_plan(
                tx,
                &app.origin,
                org,
                lead,
                FollowUpSubject::Estimate,
                about,
                generation,
                &steps,
                event,
            )
            .await
        })
        .await
        .unwrap();
    }

    /// The steps' states, with reasons.
    async fn steps(&self, app: &TestApp, shop: &Shop) -> Vec<(FollowUpState, Option<String>)> {
        let mut conn = app.db.acquire_reader().await.unwrap();
        let steps = followup::list_steps(&mut conn, shop.id(), self.estimate.0).await.unwrap();
        steps.into_iter().map(|step| (step.state, step.reason)).collect()
    }

    /// Messages about the estimate, with their channels.
    async fn sent_messages(&self, app: &TestApp, shop: &Shop) -> Vec<(MessageChannel, String)> {
        let messages = app.lead(shop.id(), self.lead).await.messages;
        let asked = messages
            .into_iter()
            .filter(|m| m.kind == shared::domain::messaging::message::MessageKind::EstimateFollowUp);
        asked.map(|m| (m.channel, m.body)).collect()
    }

    async fn set_status(&self, app: &TestApp, shop: &Shop, status: &str) {
        let sql = "UPDATE estimate SET status = $3 WHERE org_id = $1 AND id = $2";
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), self.estimate, status)?)).await.unwrap();
    }
}

async fn something_happens(app: &TestApp, shop: &Shop, lead: LeadId) -> EventId {
    let new = NewEvent::new(lead, EventKind::JobScheduled, app.now(), ActivityActor::System);
    app.within(async |tx| activity_log::record_event(tx, &app.origin, shop.id(), new.clone()).await).await.unwrap()
}

async fn two_days_on(app: &TestApp) {
    app.advance(Duration::days(2));
    app.run_tasks().await;
}

async fn waiting(app: &TestApp) -> Vec<(FollowUpId, DateTime<Utc>)> {
    let mut conn = app.db.acquire_reader().await.unwrap();
    let sql = "SELECT id, due_at FROM follow_up WHERE state = 'waiting' ORDER BY due_at";
    q!(&mut conn, fetch_all as (FollowUpId, DateTime<Utc>), sql).unwrap()
}

both_databases! {
    async fn unanswered_estimate_is_followed_up_once_on_each_day(app) {
        let shop = app.org("Acme Plumbing").await;
        let asked = Asked::of(app, &shop, &Visitor::ann()).await;
        app.advance(Duration::days(2) - Duration::minutes(1));
        app.run_tasks().await;
        assert_eq!(asked.sent_messages(app, &shop).await, []);
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        let messages = asked.sent_messages(app, &shop).await;
        assert_eq!((messages.len(), messages[0].0), (1, MessageChannel::Sms));
        let sql = "SELECT last_preview FROM conversation WHERE org_id = $1 AND customer_id = $2";
        let shown = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, sql, shop.id(), asked.customer).unwrap();
        assert!(shown.starts_with("Hi Ann, any question about your estimate"), "the inbox shows the last words: {shown}");
        let link = messages[0].1.split("Ask or approve: ").nth(1).unwrap().split(' ').next().unwrap();
        assert!(messages[0].1.starts_with("Hi Ann, any question about your estimate EST-1001 from Acme Plumbing?"), "{messages:?}");
        assert!(link.starts_with("https://toolbox.example/p/") && messages[0].1.ends_with("Reply STOP to opt out."), "{messages:?}");
        assert_eq!(asked.steps(app, &shop).await, [(FollowUpState::Done, None), (FollowUpState::Waiting, None)]);
        app.advance(Duration::days(3));
        app.run_tasks().await;
        assert_eq!(asked.sent_messages(app, &shop).await.len(), 2);
        let events = activity::list_lead_events(&mut app.db.acquire_reader().await.unwrap(), shop.id(), asked.lead).await.unwrap();
        assert_eq!(events.iter().filter(|event| event.kind == EventKind::ReminderSent).count(), 2);
        let decided = app.lead(shop.id(), asked.lead).await.decisions;
        assert_eq!(decided.iter().filter(|d| d.event == "estimate_due" && d.rule == "estimate_follow_up" && d.sent).count(), 2);
    }

    async fn email_in_place_of_text_drops_stop_sentence_of_custom_template(app) {
        let shop = app.org("Acme Plumbing").await;
        let ann = Asked::of(app, &shop, &Visitor::ann()).await;
        let body = "Hi from {{ businessName }}. Your paper is ready.{% if estimateLink %} {{ estimateLink }}{% endif %} Text STOP and we are quiet. Thanks!";
        let owner = app.client().signed_in(app, shop.owner()).await;
        let changed = owner
            .send(Method::PATCH, "/api/org/acme-plumbing/templates/estimateFollowUp", "application/json", json!({"body": body}).to_string().into_bytes())
            .await;
        assert!(changed.status.is_success(), "{}", changed.json());
        let stop = "INSERT INTO opt_out (org_id, channel, address, state, source, at)
            SELECT org_id, 'sms', phone_e164, 'stopped', 'text', $2 FROM lead WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, stop, shop.id(), app.now())?)).await.unwrap();
        two_days_on(app).await;
        let messages = ann.sent_messages(app, &shop).await;
        assert_eq!(messages[0].0, MessageChannel::Email);
        assert!(messages[0].1.starts_with("Hi from Acme Plumbing. Your paper is ready. https://toolbox.example/p/") && messages[0].1.ends_with(" Thanks!") && !messages[0].1.contains("STOP"), "{messages:?}");
        let subjects: Vec<_> = app.mail.accepted_messages().into_iter().map(|letter| letter.subject).collect();
        assert!(subjects.contains(&"Reminder: your estimate EST-1001 from Acme Plumbing".to_owned()), "{subjects:?}");
    }

    async fn follow_up_refused_by_landline_goes_by_email_once(app) {
        let shop = app.org("Acme Plumbing").await;
        let ann = Asked::of(app, &shop, &Visitor::ann()).await;
        let kind = RefusalReason::BadNumber;
        app.sms.queue_answer(Err(SendError::Refused { kind, code: Some(21614), reason: "this is a landline".into() }));
        two_days_on(app).await;
        let messages = ann.sent_messages(app, &shop).await;
        let email = messages.iter().find(|(channel, _)| *channel == MessageChannel::Email).expect("an email in its place");
        assert!(messages.len() == 2 && email.1.contains("EST-1001") && !email.1.contains("STOP"), "{messages:?}");
        let letters = app.mail.accepted_messages().into_iter().filter(|letter| letter.text.contains("any question about your estimate"));
        let [letter] = &letters.collect::<Vec<_>>()[..] else { panic!("one email in place of the text") };
        assert_eq!(letter.subject, "Reminder: your estimate EST-1001 from Acme Plumbing");
        tests::long_email::assert_button_and_link(letter);
    }

    async fn step_run_by_two_workers_is_sent_once(app) {
        let shop = app.org("Acme Plumbing").await;
        let asked = Asked::of(app, &shop, &Visitor::ann()).await;
        let (step, _) = waiting(app).await[0];
        app.advance(Duration::days(2));
        let context = &app.context;
        let run = || worker::tasks::messaging::send_follow_up::run(context, step);
        let (one, two) = tokio::join!(run(), run());
        one.unwrap();
        two.unwrap();
        app.run_tasks().await;
        assert_eq!(asked.sent_messages(app, &shop).await.len(), 1);
    }

    async fn opted_out_customer_is_asked_by_email_or_not_at_all(app) {
        let shop = app.org("Acme Plumbing").await;
        let ann = Asked::of(app, &shop, &Visitor::ann()).await;
        let bob = Asked::of(app, &shop, &Visitor::number(7)).await;
        let stop = "INSERT INTO opt_out (org_id, channel, address, state, source, at)
            SELECT org_id, 'sms', phone_e164, 'stopped', 'text', $2 FROM lead WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, stop, shop.id(), app.now())?)).await.unwrap();
        two_days_on(app).await;
        let messages = ann.sent_messages(app, &shop).await;
        assert_eq!((messages.len(), messages[0].0), (1, MessageChannel::Email));
        assert!(!messages[0].1.contains("STOP") && messages[0].1.contains("EST-1001"), "{messages:?}");
        assert_eq!(bob.sent_messages(app, &shop).await, []);
        let decided = app.lead(shop.id(), bob.lead).await.decisions;
        let why = decided.iter().find(|d| d.event == "estimate_due").map(|d| (d.sent, d.reason.clone()));
        assert_eq!(why, Some((false, "they said STOP, and no email address is known".to_owned())));
    }

    async fn follow_ups_end_on_approval_booking_contact_or_own_message(app) {
        let shop = app.org("Acme Plumbing").await;
        let answered = Asked::of(app, &shop, &Visitor::number(1)).await;
        let booked = Asked::of(app, &shop, &Visitor::number(2)).await;
        let talked = Asked::of(app, &shop, &Visitor::number(3)).await;
        let written_to = Asked::of(app, &shop, &Visitor::number(4)).await;
        let kept = Asked::of(app, &shop, &Visitor::number(5)).await;
        app.advance(Duration::hours(1));
        answered.set_status(app, &shop, "approved").await;
        let by = ActivityActor::System;
        app.within(async |tx| {
            let (org, lead) = (shop.id(), booked.lead);
            pipeline::advance_stage(tx, &app.origin, org, lead, PipelineStage::Scheduled, StageCause::JobScheduled, &by, None).await
        })
        .await
        .unwrap();
        app.within(async |tx| {
            followup::cancel_on_conversation(tx, &app.origin, shop.id(), talked.customer, "they have been in touch").await
        })
        .await
        .unwrap();
        app.within(async |tx| {
            shared::domain::messaging::message::cancel_automatic_messages(tx, &app.origin, shop.id(), written_to.customer, "you wrote yourself").await
        })
        .await
        .unwrap();
        let stopped = |why: &str| vec![(FollowUpState::Stopped, Some(why.to_owned())); 2];
        assert_eq!(talked.steps(app, &shop).await, stopped("they have been in touch"));
        assert_eq!(written_to.steps(app, &shop).await, stopped("you wrote yourself"));
        two_days_on(app).await;
        for one in [&answered, &booked, &talked, &written_to] {
            assert_eq!(one.sent_messages(app, &shop).await, []);
        }
        assert_eq!(kept.sent_messages(app, &shop).await.len(), 1);
        let why = |steps: Vec<(FollowUpState, Option<String>)>| (steps[0].0, steps[0].1.clone().unwrap());
        let skipped = "the estimate is no longer waiting for an answer".to_owned();
        assert_eq!(why(answered.steps(app, &shop).await), (FollowUpState::Skipped, skipped));
        assert_eq!(why(booked.steps(app, &shop).await), (FollowUpState::Skipped, "the work is on its way".to_owned()));
    }

    async fn stranger_form_with_known_phone_ends_no_follow_ups(app) {
        let shop = app.org("Acme Plumbing").await;
        let ann = Asked::of(app, &shop, &Visitor::ann()).await;
        app.office_confirms(&shop).await;
        app.advance(Duration::hours(1));
        Visitor::ann().named("Mallory").email(None).submits_lead(app, &shop).await;
        assert!(ann.steps(app, &shop).await.iter().all(|(state, _)| *state == FollowUpState::Waiting));
        two_days_on(app).await;
        assert_eq!(ann.sent_messages(app, &shop).await.len(), 1, "she is asked as if nobody had typed anything");
    }

    async fn queued_step_is_not_sent_once_its_plan_is_stopped(app) {
        let shop = app.org("Acme Plumbing").await;
        let asked = Asked::of(app, &shop, &Visitor::ann()).await;
        app.within(async |tx| {
            let night = "UPDATE follow_up SET due_at = $2, expires_at = $3 WHERE org_id = $1 AND step = 'day_2'";
            let due = app.now() + Duration::days(1) + Duration::hours(12);
            Ok(q!(tx, execute, night, shop.id(), due, due + Duration::hours(20))?)
        })
        .await
        .unwrap();
        let (step, due_at) = waiting(app).await[0];
        app.advance(due_at - app.now());
        worker::tasks::messaging::send_follow_up::run(&app.context, step).await.unwrap();
        app.run_tasks().await;
        assert_eq!(app.outbox(shop.id(), asked.lead).await.iter().filter(|line| line.starts_with("estimate_follow_up")).count(), 1);
        let stopped = app
            .within(async |tx| {
                let why = "the estimate was approved";
                followup::cancel_plans(tx, &app.origin, shop.id(), asked.estimate.0, why, None).await
            })
            .await
            .unwrap();
        assert_eq!(stopped, 1, "the second step");
        app.advance(Duration::days(4));
        app.run_tasks().await;
        let outbox = app.outbox(shop.id(), asked.lead).await;
        let last: Vec<_> = outbox.into_iter().filter(|line| line.starts_with("estimate_follow_up")).collect();
        assert_eq!(last, ["estimate_follow_up sms: not sent: the estimate was approved"]);
    }

    async fn undo_resumes_stopped_steps_and_ends_steps_planned_by_the_change(app) {
        let shop = app.org("Acme Plumbing").await;
        let asked = Asked::of(app, &shop, &Visitor::ann()).await;
        let event = something_happens(app, &shop, asked.lead).await;
        let (org, about) = (shop.id(), asked.estimate.0);
        app.within(async |tx| followup::cancel_plans(tx, &app.origin, org, about, "a visit is booked", Some(event)).await).await.unwrap();
        asked.plan(app, &shop, 2, Some(event)).await;
        app.within(async |tx| followup::revert_event(tx, &app.origin, org, event, "undone by Olive").await).await.unwrap();
        let states: Vec<FollowUpState> = asked.steps(app, &shop).await.into_iter().map(|(state, _)| state).collect();
        assert_eq!(states, [FollowUpState::Waiting, FollowUpState::Waiting, FollowUpState::Stopped, FollowUpState::Stopped]);
        two_days_on(app).await;
        assert_eq!(asked.sent_messages(app, &shop).await.len(), 1);
    }

    async fn step_with_lost_task_is_recovered_and_overdue_step_is_skipped(app) {
        let shop = app.org("Acme Plumbing").await;
        let asked = Asked::of(app, &shop, &Visitor::ann()).await;
        let lose = "DELETE FROM task WHERE kind = 'follow_up'";
        app.within(async |tx| Ok(q!(tx, execute, lose)?)).await.unwrap();
        app.advance(Duration::days(2) + Duration::seconds(59));
        assert_eq!(followup::sweep::requeue_stranded_steps(&app.db, &app.origin).await.unwrap(), 0);
        app.advance(Duration::seconds(2));
        assert_eq!(followup::sweep::requeue_stranded_steps(&app.db, &app.origin).await.unwrap(), 1);
        assert_eq!(followup::sweep::requeue_stranded_steps(&app.db, &app.origin).await.unwrap(), 0, "it is carried now");
        app.run_tasks().await;
        assert_eq!(asked.sent_messages(app, &shop).await.len(), 1);
        app.advance(Duration::days(4));
        assert_eq!(followup::sweep::requeue_stranded_steps(&app.db, &app.origin).await.unwrap(), 1);
        app.run_tasks().await;
        assert_eq!(asked.sent_messages(app, &shop).await.len(), 1);
        let late = asked.steps(app, &shop).await.pop().unwrap();
        assert_eq!(late, (FollowUpState::Skipped, Some("its hour passed while nothing could be sent".to_owned())));
    }

    async fn switch_preview_shows_exact_text_and_times_without_sending(app) {
        let shop = app.org("Acme Plumbing").await;
        let asked = Asked::of(app, &shop, &Visitor::ann()).await;
        app.use_twilio_at("http://127.0.0.1:9");
        app.switches(&shop, FeatureSwitches { job_tracking: false, ..FeatureSwitches::ALL_ON }).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let path = "/api/org/acme-plumbing/preview?switch=jobTracking";
        let before = app.count("message").await;
        let shown = owner.get(path).await.json();
        let hours: Vec<DateTime<Utc>> =
            shown["messages"].as_array().unwrap().iter().map(|m| m["at"].as_str().unwrap().parse().unwrap()).collect();
        assert_eq!(hours, [2, 5].map(|day| app.now() + Duration::days(day)), "{shown}");
        assert_eq!(shown["messages"][0]["kind"], "estimate_follow_up");
        assert_eq!(owner.get(&format!("{path}&days=3")).await.json()["messages"].as_array().unwrap().len(), 1);
        assert_eq!(app.count("message").await, before);
        app.switches(&shop, FeatureSwitches::ALL_ON).await;
        app.context.sms = SmsProvider::Memory(app.sms.clone());
        two_days_on(app).await;
        assert_eq!(json!(asked.sent_messages(app, &shop).await[0].1), shown["messages"][0]["text"]);
    }

    async fn follow_up_is_skipped_while_job_tracking_is_off(app) {
        let shop = app.org("Acme Plumbing").await;
        let asked = Asked::of(app, &shop, &Visitor::ann()).await;
        app.switches(&shop, FeatureSwitches { job_tracking: false, ..FeatureSwitches::ALL_ON }).await;
        two_days_on(app).await;
        assert_eq!(asked.sent_messages(app, &shop).await, []);
        let decided = app.lead(shop.id(), asked.lead).await.decisions;
        assert!(decided.iter().any(|d| d.event == "estimate_due" && d.reason == "job tracking is switched off"));
        app.switches(&shop, FeatureSwitches::ALL_ON).await;
        app.advance(Duration::days(3));
        app.run_tasks().await;
        assert_eq!(asked.sent_messages(app, &shop).await.len(), 1, "the next step goes");
    }
}
