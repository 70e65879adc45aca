//! Execution of a due step: claimed, decided by its rule, then sent or skipped.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    DueFollowUp, FollowUpContext, FollowUpDecision, FollowUpSubject,
    plan::build_step_task,
    subject::{FollowUpRule, FollowUpRules},
};
use crate::{
    domain::{
        messaging::{
            automation,
            conversation::{self, ConversationEvent},
            message::MessageChannel,
        },
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent, SendingDetail},
            org::{self, OrgContext},
        },
    },
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::Result,
        id::{EventId, FollowUpId, JobId},
        live::{self, Topic},
        tasks,
    },
};

const TOO_LATE: &str = "its hour passed while nothing could be sent";

/// Idempotent, also when run concurrently.
pub async fn run_step(tx: &mut Tx, ctx: FollowUpContext<'_>, id: FollowUpId) -> Result<()> {
    let now = ctx.origin.now();
    let Some(due) = claim_step(tx, id, now).await? else { return Ok(()) };
    let Some(business) = org::find(&mut *tx, due.org_id).await? else { return Ok(()) };
    let profile = org::load_profile(&mut *tx, business).await?;
    let FollowUpContext { origin, secret, public_url, set_up } = ctx;
    let intake = OrgContext { origin, secret, public_url, profile: &profile, set_up };
    FollowUpRules::find_rule(&*tx, due.about)?.run_step(tx, &intake, &due).await?;
    live::publish_event(tx, origin, due.org_id, Topic::Lead, due.lead_id.0, None).await
}

async fn claim_step(tx: &mut Tx, id: FollowUpId, now: DateTime<Utc>) -> Result<Option<DueFollowUp>> {
    Ok(q!(
        tx,
        fetch_optional as DueFollowUp,
        "UPDATE follow_up SET state = 'done' WHERE id = $1 AND state = 'waiting' AND due_at <= $2
         RETURNING org_id, id, lead_id, about, about_id, step, expires_at, created_at",
        id,
        now
    )?)
}

/// Decides a claimed step, and sends or skips it.
pub(crate) async fn run_decided_step(
    rule: &dyn FollowUpRule,
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    due: &DueFollowUp,
) -> Result<()> {
    let decided = decide_in_time(rule, &mut *tx, intake, due).await?;
    apply_decision(tx, intake.origin, due, rule.event_name(due), decided).await
}

/// Skips a step whose time is over.
pub(crate) async fn decide_in_time(
    rule: &dyn FollowUpRule,
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    due: &DueFollowUp,
) -> Result<FollowUpDecision> {
    if intake.origin.now() > due.expires_at {
        return Ok(FollowUpDecision::Skip(TOO_LATE));
    }
    rule.decide_step(tx, intake, due).await
}

pub(crate) async fn apply_decision(
    tx: &mut Tx,
    origin: &ClockRng,
    due: &DueFollowUp,
    event: &str,
    decided: FollowUpDecision,
) -> Result<()> {
    match decided {
        FollowUpDecision::Skip(why) => skip_step(tx, due, why).await,
        FollowUpDecision::Say(decisions) => send_step(tx, origin, due, event, decisions).await,
    }
}

pub(crate) async fn skip_step(tx: &mut Tx, due: &DueFollowUp, why: &str) -> Result<()> {
    let sql = "UPDATE follow_up SET state = 'skipped', reason = $3 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, due.org_id, due.id, why)?;
    Ok(())
}

pub(crate) async fn postpone_step(
    tx: &mut Tx,
    origin: &ClockRng,
    due: &DueFollowUp,
    (at, expires_at): (DateTime<Utc>, DateTime<Utc>),
    why: &str,
) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE follow_up SET state = 'waiting', due_at = $3, expires_at = $4, reason = $5 WHERE org_id = $1 AND id = $2",
        due.org_id,
        due.id,
        at,
        expires_at,
        why
    )?;
    let turn = format!("later:{}", at.timestamp_millis());
    tasks::enqueue(tx, origin, vec![build_step_task(due.org_id, due.id, at, &turn)]).await.map(|_| ())
}

pub(crate) async fn send_step(
    tx: &mut Tx,
    origin: &ClockRng,
    due: &DueFollowUp,
    event_name: &str,
    mut decisions: Vec<automation::RuleDecision>,
) -> Result<()> {
    let mut body = None;
    let mut channels = Vec::new();
    for draft in decisions.iter_mut().filter_map(|decision| decision.message.as_mut()) {
        draft.about = Some(due.about_id);
        draft.expires_at = Some(due.expires_at);
        channels.push(draft.channel());
        body.get_or_insert_with(|| (draft.dedupe_key.clone(), draft.customer, draft.body.clone()));
    }
    if body.is_some() {
        let event = record_activity(&mut *tx, origin, due, &channels).await?;
        // The history uses the event to tell whether anything was sent.
        for draft in decisions.iter_mut().filter_map(|decision| decision.message.as_mut()) {
            draft.event = Some(event);
        }
    }
    automation::apply_decisions(tx, origin, due.org_id, due.lead_id, event_name, decisions).await?;
    let Some((key, customer, words)) = body else { return Ok(()) };
    if let Some(customer) = customer {
        conversation::record_event(tx, origin, due.org_id, customer, Some(due.lead_id), ConversationEvent::Out, &words)
            .await?;
    }
    q!(
        tx,
        execute,
        "UPDATE follow_up SET message_id = (SELECT m.id FROM message m WHERE m.org_id = $1 AND m.dedupe_key = $3)
         WHERE org_id = $1 AND id = $2",
        due.org_id,
        due.id,
        key
    )?;
    Ok(())
}

/// Detail of the event of a step that was sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StepSentDetail {
    pub about: FollowUpSubject,
    pub step: String,
    #[serde(flatten)]
    sending: SendingDetail,
}

async fn record_activity(
    tx: &mut Tx,
    origin: &ClockRng,
    due: &DueFollowUp,
    channels: &[MessageChannel],
) -> Result<EventId> {
    let kind = if due.about == FollowUpSubject::Review { EventKind::ReviewAsked } else { EventKind::ReminderSent };
    let sending = SendingDetail { channels: Some(channels.to_vec()), ..SendingDetail::default() };
    let detail = StepSentDetail { about: due.about, step: due.step.clone(), sending };
    let event = NewEvent {
        job: (due.about == FollowUpSubject::Job).then_some(JobId(due.about_id)),
        subject: Some(due.about_id),
        detail: json!(detail),
        ..NewEvent::new(due.lead_id, kind, origin.now(), ActivityActor::System)
    };
    activity_log::record_event(tx, origin, due.org_id, event).await
}
