//! Messages of one alert notification, with the decision that explains them.

use serde::Serialize;
use serde_json::Value;
use sqlx::types::Json;

use crate::{
    domain::{
        messaging::message::{self, MessageChannel, NewMessage},
        tenancy::org::{NotificationFrequency, NotificationSchedule, OrgProfile},
    },
    platform::{
        clock::ClockRng,
        db::{Tx, batch::insert_all, batch_rows},
        error::Result,
        id::{DecisionId, LeadId, MessageId, OrgId},
    },
};

pub(super) struct NotificationReason<'a> {
    pub(super) event: &'static str,
    pub(super) rule: &'static str,
    pub(super) reason: &'a str,
    pub(super) evidence: Value,
}

pub(super) async fn queue_notifications(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    leads: &[LeadId],
    messages: &[NewMessage],
    why: &NotificationReason<'_>,
) -> Result<()> {
    let queued = message::queue_messages(&mut *tx, origin, org, messages).await?;
    let new: Vec<(MessageId, MessageChannel)> =
        messages.iter().filter(|m| queued.contains(&m.id)).map(|m| (m.id, m.draft.channel())).collect();
    let rows = leads.iter().flat_map(|lead| new.iter().map(move |(message, channel)| (*lead, *message, *channel)));
    let decided = batch_rows!(rows, |(lead, message, channel)| automation_decision {
        org_id: org,
        id: DecisionId(origin.uuid_v7()),
        lead_id: lead,
        at: origin.now(),
        event: why.event,
        rule: why.rule,
        channel,
        sent: true,
        reason: why.reason,
        evidence: Json(why.evidence.clone()),
        message_id: message,
    });
    insert_all(tx, &[decided]).await
}

/// What a rule saw of the schedule of notifications.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct ScheduleEvidence {
    frequency: NotificationFrequency,
    schedule: NotificationSchedule,
    urgent: bool,
}

pub(crate) fn schedule_evidence(profile: &OrgProfile, is_urgent: bool) -> ScheduleEvidence {
    let set = &profile.settings.notifications;
    ScheduleEvidence { frequency: set.frequency, schedule: set.schedule, urgent: is_urgent }
}
