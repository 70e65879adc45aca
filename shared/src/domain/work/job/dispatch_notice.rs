//! Customer messages on the day: the crew is on its way, it runs late, the work is done.
//!
//! The first two are sent at once and are useless an hour later; the last waits for the undo window of "done". If no
//! text may be sent at that hour, the person who pressed is told to call.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{Job, JobState, announce_schedule, lock_job, status::clamp_event_time, status::describe_cancellation};
use crate::{
    conflicts::ConflictCode,
    documents::template,
    domain::{
        messaging::{
            automation::apply_decisions,
            conversation::{self, ConversationEvent},
            followup,
            message::MessageDraft,
        },
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent},
            org::OrgContext,
        },
        work::activity,
    },
    platform::{
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{EventId, JobId, OrgId},
    },
};

mod notice_rule;
pub(super) mod undone_notice;

pub use notice_rule::{CustomerNoticeResult, load_notice_result, notify_completed};

use notice_rule::{DispatchNotice, decide_notice};

/// Accepted minutes of travel or delay.
const MINUTES: std::ops::RangeInclusive<i64> = 5..=240;
/// A message is given up so long after its press.
const NOTICE_TTL: Duration = Duration::minutes(30);
/// A repeat within this time is the same press.
const DUPLICATE_WINDOW: Duration = Duration::minutes(1);

/// Expected arrival of a crew on its way.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OnMyWay)]
pub struct OnMyWayInput {
    #[schema(value_type = i64, required, minimum = 5, maximum = 240)]
    pub eta_minutes: Option<i64>,
    /// By the device that was there, within the last three days.
    pub happened_at: Option<DateTime<Utc>>,
}

/// By how much it is later than it was to be.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RunningLate)]
pub struct RunningLateInput {
    #[schema(value_type = i64, required, minimum = 5, maximum = 240)]
    pub minutes: Option<i64>,
    /// By the device that was there, within the last three days.
    pub happened_at: Option<DateTime<Utc>>,
}

/// # Errors
/// [`Error::Invalid`] on `etaMinutes`; [`Error::Conflict`] when it is begun, done or cancelled.
pub async fn report_on_my_way(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: JobId,
    sent: &OnMyWayInput,
    by: &ActivityActor,
) -> Result<EventId> {
    let minutes = validate_minutes("etaMinutes", sent.eta_minutes)?;
    let (org, now) = (ctx.profile.org.id, ctx.origin.now());
    let job = lock_job(&mut *tx, org, id).await?;
    let at = clamp_event_time(sent.happened_at, now);
    let is_history = check_is_history(tx, ctx, &job, at).await?;
    if let Some(earlier) = find_duplicate_press(tx, org, &job, at).await? {
        return Ok(earlier);
    }
    let eta = at + Duration::minutes(minutes);
    let words = DispatchNotice {
        event: "crew_on_the_way",
        rule: "visit_on_the_way",
        why: "the crew is on its way",
        wording: template::TemplateKindName::VisitOnTheWay,
        is_wanted: ctx.profile.settings.jobs.on_the_way,
        expires_at: at + NOTICE_TTL,
        not_before: None,
    };
    let hindrance = match job.on_my_way_at {
        _ if is_history => Some("the work has begun"),
        Some(_) => Some("they were told already; say that you are late to give them another time"),
        None => None,
    };
    let detail = DispatchDetail { eta_minutes: Some(minutes), ..DispatchDetail::default() };
    let press = DispatchPress { kind: EventKind::OnMyWay, at, eta, is_history, hindrance, detail };
    let event = press.record_and_notify(tx, ctx, &job, &words, by).await?;
    let (set_out, arrives) = (job.on_my_way_at.unwrap_or(at), if is_history { job.eta_at } else { Some(eta) });
    store_eta(tx, org, id, Some(set_out), arrives, now).await?;
    announce_schedule(tx, ctx.origin, org).await?;
    Ok(event)
}

/// # Errors
/// [`Error::Invalid`] on `validate_minutes`; [`Error::Conflict`] when the job is begun, done or cancelled.
pub async fn report_late(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: JobId,
    sent: &RunningLateInput,
    by: &ActivityActor,
) -> Result<EventId> {
    let minutes = validate_minutes("minutes", sent.minutes)?;
    let (org, now) = (ctx.profile.org.id, ctx.origin.now());
    let job = lock_job(&mut *tx, org, id).await?;
    let at = clamp_event_time(sent.happened_at, now);
    let is_history = check_is_history(tx, ctx, &job, at).await?;
    let eta = delayed_eta(&job, at, minutes);
    let words = DispatchNotice {
        event: "crew_late",
        rule: "visit_late",
        why: "the crew runs late",
        wording: template::TemplateKindName::VisitLate,
        is_wanted: ctx.profile.settings.jobs.late,
        expires_at: at + NOTICE_TTL,
        not_before: None,
    };
    let hindrance = is_history.then_some("the work has begun");
    let detail = DispatchDetail { minutes: Some(minutes), ..DispatchDetail::default() };
    let press = DispatchPress { kind: EventKind::RunningLate, at, eta, is_history, hindrance, detail };
    let event = press.record_and_notify(tx, ctx, &job, &words, by).await?;
    let arrives = if is_history { job.eta_at } else { Some(eta) };
    store_eta(tx, org, id, job.on_my_way_at, arrives, now).await?;
    announce_schedule(tx, ctx.origin, org).await?;
    Ok(event)
}

fn validate_minutes(field: &'static str, sent: Option<i64>) -> Result<i64> {
    if let Some(minutes) = sent.filter(|minutes| MINUTES.contains(minutes)) {
        return Ok(minutes);
    }
    let mut errors = FieldErrors::default();
    errors.add(field, format!("Choose from {} to {} minutes", MINUTES.start(), MINUTES.end()));
    Err(Error::Invalid(errors))
}

/// True for a late report by a phone without a network, of what came before the work began: it is history and changes
/// nothing. False while the crew is expected.
async fn check_is_history(tx: &mut Tx, ctx: &OrgContext<'_>, job: &Job, at: DateTime<Utc>) -> Result<bool> {
    match job.status {
        JobState::Scheduled => Ok(false),
        JobState::Cancelled => {
            let reason = describe_cancellation(tx, ctx.profile.org.id, job, ctx.profile.org.zone()).await?;
            Err(reason.into())
        }
        JobState::InProgress | JobState::Completed if job.started_at.is_some_and(|began| at < began) => Ok(true),
        JobState::InProgress => Err(ConflictCode::JobBegun.into_error()),
        JobState::Completed => Err(ConflictCode::JobDone.into_error()),
    }
}

async fn find_duplicate_press(
    conn: &mut dyn AsConn,
    org: OrgId,
    job: &Job,
    at: DateTime<Utc>,
) -> Result<Option<EventId>> {
    if job.on_my_way_at.is_none_or(|earlier| (at - earlier).abs() >= DUPLICATE_WINDOW) {
        return Ok(None);
    }
    Ok(q!(
        conn,
        fetch_optional scalar EventId,
        "SELECT id FROM work_event WHERE org_id = $1 AND job_id = $2 AND kind = 'on_my_way' AND undone_at IS NULL
         ORDER BY recorded_at DESC, id DESC LIMIT 1",
        org,
        job.id
    )?)
}

/// `validate_minutes` after the latest expected arrival, but not before the shortest accepted time from now.
fn delayed_eta(job: &Job, at: DateTime<Utc>, minutes: i64) -> DateTime<Utc> {
    let window = job.starts_at.map(|starts| starts + Duration::minutes(job.arrival_minutes));
    let expected = job.eta_at.or(window).unwrap_or(at);
    let earliest = at + Duration::minutes(*MINUTES.start());
    (expected + Duration::minutes(minutes)).max(earliest)
}

async fn store_eta(
    tx: &mut Tx,
    org: OrgId,
    id: JobId,
    set_out: Option<DateTime<Utc>>,
    arrives: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE job SET on_my_way_at = $3, eta_at = $4, version = version + 1, updated_at = $5
         WHERE org_id = $1 AND id = $2",
        org,
        id,
        set_out,
        arrives,
        now
    )?;
    Ok(())
}

struct DispatchPress {
    kind: EventKind,
    at: DateTime<Utc>,
    eta: DateTime<Utc>,
    /// Reported after the work began: it changes nothing that could be undone.
    is_history: bool,
    hindrance: Option<&'static str>,
    detail: DispatchDetail,
}

/// Detail of an event "on my way" or "running late".
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct DispatchDetail {
    #[serde(skip_serializing_if = "Option::is_none")]
    eta_minutes: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minutes: Option<i64>,
    eta_at: Option<DateTime<Utc>>,
    told: Option<CustomerNoticeResult>,
}

impl DispatchPress {
    /// Decides whether the customer is told, stores the event and queues the message. The job is written after this
    /// call: its prior state is read here.
    async fn record_and_notify(
        self,
        tx: &mut Tx,
        ctx: &OrgContext<'_>,
        job: &Job,
        words: &DispatchNotice,
        by: &ActivityActor,
    ) -> Result<EventId> {
        let (origin, org) = (ctx.origin, ctx.profile.org.id);
        let (key, was) = (EventId(origin.uuid_v7()), activity::snapshot_job(&mut *tx, org, job.id).await?);
        let mut decision = decide_notice(tx, ctx, job, words, Some(self.eta), (key, self.hindrance), by).await?;
        let result = CustomerNoticeResult {
            sent: decision.message.is_some(),
            channel: decision.message.as_ref().map(MessageDraft::channel),
            reason: decision.message.is_none().then(|| decision.reason.clone()),
        };
        let detail = DispatchDetail { eta_at: Some(self.eta), told: Some(result), ..self.detail };
        let event = NewEvent {
            job: Some(job.id),
            detail: json!(detail),
            was: (!self.is_history).then(|| json!(was)),
            ..NewEvent::new(job.lead_id, self.kind, self.at, by.clone())
        };
        let event = activity_log::record_event(&mut *tx, origin, org, event).await?;
        let sets_out = self.kind == EventKind::OnMyWay && job.on_my_way_at.is_none();
        if !self.is_history && (sets_out || decision.message.is_some()) {
            // Planned or waiting messages about the visit name another time.
            followup::cancel_plans(&mut *tx, origin, org, job.id.0, words.why, Some(event)).await?;
        }
        let notice = decision.message.as_mut().map(|draft| {
            draft.event = Some(event);
            (draft.customer, draft.body.clone())
        });
        apply_decisions(&mut *tx, origin, org, job.lead_id, words.event, vec![decision]).await?;
        if let Some((Some(customer), body)) = notice {
            conversation::record_event(tx, origin, org, customer, Some(job.lead_id), ConversationEvent::Out, &body)
                .await?;
        }
        Ok(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::IntoMessages;

    #[test]
    fn eta_minutes_outside_5_to_240_are_refused() {
        for good in [5, 10, 240] {
            assert_eq!(validate_minutes("etaMinutes", Some(good)).ok(), Some(good));
        }
        for bad in [None, Some(4), Some(241), Some(-5), Some(i64::MAX)] {
            let Err(Error::Invalid(errors)) = validate_minutes("etaMinutes", bad) else { panic!("{bad:?}") };
            assert_eq!(errors.into_messages(), [("etaMinutes", "Choose from 5 to 240 minutes".to_owned())]);
        }
    }
}
