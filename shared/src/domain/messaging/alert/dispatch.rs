//! Messages of one alert notification, with the decision that explains them.

use serde_json::{Value, json};
use sqlx::types::Json;

use crate::{
    domain::{
        messaging::message::{self, MessageChannel, NewMessage},
        tenancy::org::Profile,
    },
    platform::{
        clock::ClockRng,
        db::{
            Tx,
            batch::{Insert, insert_all, values},
        },
        error::Result,
        id::{DecisionId, LeadId, MessageId, OrgId},
    },
};

pub(super) struct NotificationReason<'a> {
    pub(super) event: &'static str,
    pub(super) rule: &'static str,
    pub(super) reason: &'a str,
    pub(super) saw: Value,
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
        messages.iter().filter(|m| queued.contains(&m.id)).map(|m| (m.id, m.draft.channel)).collect();
    let rows = leads.iter().flat_map(|lead| new.iter().map(move |(message, channel)| (*lead, *message, *channel)));
    let decided =
        Insert::into("decision (org_id, id, lead_id, at, event, rule, channel, sent, reason, saw, message_id)")
            .with_rows(rows.map(|(lead, message, channel)| {
                values![
                    org,
                    DecisionId(origin.uuid_v7()),
                    lead,
                    origin.now(),
                    why.event,
                    why.rule,
                    channel,
                    true,
                    why.reason,
                    Json(why.saw.clone()),
                    message
                ]
            }));
    insert_all(tx, &[decided]).await
}

pub(crate) fn schedule_evidence(profile: &Profile, is_urgent: bool) -> Value {
    let set = &profile.settings.notifications;
    json!({"frequency": set.frequency, "schedule": set.schedule, "urgent": is_urgent})
}
