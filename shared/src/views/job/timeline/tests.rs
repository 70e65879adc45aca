//! The eleven steps in every state of a job.

use chrono::Duration;
use serde_json::json;
use uuid::Uuid;

use super::*;
use crate::{
    domain::{
        tenancy::activity_log::ActivityActorKind,
        work::job::{JobPriority, RequiredPhotos},
    },
    platform::id::{CustomerId, EventId, JobId, LeadId, ReviewId, ReviewRequestId},
};

fn at(hours: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Duration::days(20_713) + Duration::hours(hours)
}

fn job(status: JobState) -> Job {
    let nil = Uuid::nil();
    Job {
        id: JobId(nil),
        number: 1001,
        lead_id: LeadId(nil),
        customer_id: CustomerId(nil),
        property_id: None,
        crew_id: None,
        service: "Roof Repair".into(),
        description: None,
        address: None,
        zip: None,
        status,
        priority: JobPriority::Standard,
        starts_at: Some(at(15)),
        ends_at: Some(at(17)),
        duration_minutes: 120,
        arrival_minutes: 0,
        value_cents: None,
        materials: sqlx::types::Json(Vec::new()),
        special_instructions: None,
        weather_concerns: None,
        required_photos: RequiredPhotos::None,
        on_my_way_at: None,
        eta_at: None,
        started_at: None,
        completed_at: None,
        cancelled_at: None,
        cancel_reason: None,
        confirmed_at: None,
        version: 1,
        created_at: at(0),
        updated_at: at(0),
    }
}

fn event(kind: EventKind, hours: i64) -> EventView {
    EventView {
        id: EventId(Uuid::from_u128(u128::try_from(hours).unwrap())),
        kind,
        title: String::new(),
        at: at(hours),
        by: "Olive Owner".into(),
        by_kind: ActivityActorKind::Account,
        job_id: None,
        subject_id: None,
        detail: json!({}),
        undone: false,
    }
}

fn steps_of(job: &Job, events: &[EventView], balance: Option<&LeadBalance>) -> Vec<TimelineStep> {
    asked(job, events, balance, None)
}

fn asked(
    job: &Job,
    events: &[EventView],
    balance: Option<&LeadBalance>,
    ask: Option<&ReviewRequestView>,
) -> Vec<TimelineStep> {
    build_steps(&TimelineFacts {
        zone: chrono_tz::America::Chicago,
        job,
        asked_at: at(0),
        form: LeadFormKind::Typed,
        messages: &[],
        seen: None,
        events,
        photos: 0,
        balance,
        ask,
    })
}

fn statuses(steps: &[TimelineStep]) -> String {
    let letter = |step: &TimelineStep| match step.status {
        StepStatus::Completed => 'c',
        StepStatus::Current => '>',
        StepStatus::Pending => '.',
        StepStatus::Automated => 'a',
    };
    steps.iter().map(letter).collect()
}

#[test]
fn timeline_has_eleven_steps_numbered_0_to_10() {
    let steps = steps_of(&job(JobState::Scheduled), &[], None);
    assert_eq!(steps.iter().map(|step| step.step).collect::<Vec<_>>(), (0..=10).collect::<Vec<_>>());
    assert_eq!(steps.iter().map(|step| step.title).collect::<Vec<_>>(), TITLES);
}

#[test]
fn steps_6_and_7_are_current_while_job_is_in_progress() {
    let cases = [
        (JobState::Scheduled, "c....c....."),
        (JobState::InProgress, "c....c>>..."),
        (JobState::Completed, "c....cccc.."),
        (JobState::Cancelled, "c....c....."),
    ];
    for (status, wanted) in cases {
        assert_eq!(statuses(&steps_of(&job(status), &[], None)), wanted, "{status:?}");
    }
    let mut tray = job(JobState::Scheduled);
    tray.starts_at = None;
    let steps = steps_of(&tray, &[], None);
    assert_eq!((statuses(&steps).as_str(), steps[5].description.as_str()), ("c..........", "Not scheduled"));
    let on_the_way = Job { on_my_way_at: Some(at(14)), ..job(JobState::Scheduled) };
    let steps = steps_of(&on_the_way, &[], None);
    assert_eq!((statuses(&steps).as_str(), steps[6].title), ("c....c>....", "On the way"));
    let at_work = Job { status: JobState::InProgress, ..on_the_way };
    assert_eq!(steps_of(&at_work, &[], None)[6].title, "Crew on site");
}

#[test]
fn step_names_actor_and_time_and_ignores_undone_events() {
    let mut events = vec![
        event(EventKind::EstimateSent, 1),
        event(EventKind::EstimateApproved, 2),
        event(EventKind::JobScheduled, 3),
        event(EventKind::Completed, 4),
    ];
    let steps = steps_of(&job(JobState::Completed), &events, None);
    assert_eq!(statuses(&steps), "c..cccccc..");
    let facts = (steps[8].at, steps[8].by.as_deref(), steps[5].description.as_str());
    assert_eq!(facts, (Some(at(4)), Some("Olive Owner"), "Thu, Sep 17, 10:00 AM"));
    events[1].undone = true;
    assert_eq!(statuses(&steps_of(&job(JobState::Completed), &events, None)), "c..c>cccc..");
    events.push(event(EventKind::EstimateDeclined, 5));
    assert_eq!(statuses(&steps_of(&job(JobState::Completed), &events, None)), "c..c.cccc..");
}

#[test]
fn payment_step_shows_amounts_only_to_those_who_may_see_them() {
    let balance =
        LeadBalance { due: Cents(125_000), paid: Cents(35_000), owed: Cents(90_000), ..LeadBalance::default() };
    let step = |balance: Option<&LeadBalance>| steps_of(&job(JobState::Completed), &[], balance).remove(9);
    let part = step(Some(&balance));
    assert_eq!((part.status, part.description.as_str()), (StepStatus::Current, "$350.00 of $1,250.00 paid"));
    let all = LeadBalance { paid: Cents(125_000), owed: Cents::ZERO, ..balance };
    assert_eq!(step(Some(&all)).status, StepStatus::Completed);
    assert_eq!(step(None).description, "The office takes care of this");
    assert_eq!(step(Some(&LeadBalance::default())).status, StepStatus::Pending);
}

#[test]
fn review_step_tells_if_customer_was_asked_or_why_not() {
    let nil = Uuid::nil();
    let ask = ReviewRequestView {
        id: ReviewRequestId(nil),
        customer_id: CustomerId(nil),
        customer_name: "Ann Lee".into(),
        lead_id: LeadId(nil),
        job_id: Some(JobId(nil)),
        job_number: Some(1001),
        cause: review::ReviewRequestCause::JobCompleted,
        state: review::ReviewRequestState::Waiting,
        why: None,
        reason: None,
        planned_at: Some(at(19)),
        asked_at: None,
        channel: None,
        clicked_at: None,
        review_id: None,
        created_at: at(17),
        steps: Vec::new(),
        can_stop: true,
    };
    let step = |ask: &ReviewRequestView| asked(&job(JobState::Completed), &[], None, Some(ask)).remove(10);
    assert_eq!(step(&ask).description, "They are asked on Thu, Sep 17, 2:00 PM");
    let unpaid = ReviewRequestView { planned_at: None, ..ask.clone() };
    assert_eq!(step(&unpaid).description, "They are asked when it is paid");
    let not = ReviewRequestView {
        state: review::ReviewRequestState::NotAsked,
        reason: Some("They are staff or a relative".into()),
        ..ask.clone()
    };
    assert_eq!(step(&not).description, "Not asked. They are staff or a relative");
    let sent = ReviewRequestView {
        state: review::ReviewRequestState::Asked,
        asked_at: Some(at(19)),
        channel: Some(MessageChannel::Sms),
        ..ask
    };
    assert_eq!((step(&sent).status, step(&sent).how.as_deref()), (StepStatus::Automated, Some("by text")));
    let answered =
        ReviewRequestView { review_id: Some(ReviewId(nil)), state: review::ReviewRequestState::Answered, ..sent };
    assert_eq!(
        (step(&answered).status, step(&answered).description),
        (StepStatus::Completed, "A review came in".into())
    );
}
