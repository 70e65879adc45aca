//! The messages of one telling, with the decision that says why they go.

use serde_json::{Value, json};
use sqlx::types::Json;

use crate::{
    domain::{
        messaging::message::{self, Channel, NewMessage},
        tenancy::org::Profile,
    },
    platform::{
        clock::Origin,
        db::{
            Tx,
            batch::{Insert, insert_all, values},
        },
        error::Result,
        id::{DecisionId, LeadId, MessageId, OrgId},
    },
};

/// A message about an alert, with the decision that says why it goes.
pub(super) struct Telling<'a> {
    pub(super) event: &'static str,
    pub(super) rule: &'static str,
    pub(super) reason: &'a str,
    pub(super) saw: Value,
}

/// Queues messages of one telling, and notes with each lead why.
pub(super) async fn queue(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    leads: &[LeadId],
    messages: &[NewMessage],
    why: &Telling<'_>,
) -> Result<()> {
    let queued = message::queue(&mut *tx, origin, org, messages).await?;
    let new: Vec<(MessageId, Channel)> =
        messages.iter().filter(|m| queued.contains(&m.id)).map(|m| (m.id, m.draft.channel)).collect();
    let rows = leads.iter().flat_map(|lead| new.iter().map(move |(message, channel)| (*lead, *message, *channel)));
    let decided = Insert::into(
        "decision (org_id, id, lead_id, at, event, rule, channel, sent, reason, saw, message_id)",
    )
    .rows(rows.map(|(lead, message, channel)| {
        values![
            org,
            DecisionId(origin.uuid()),
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

/// What decided about the time of telling, for "why was this sent?".
pub(crate) fn saw(profile: &Profile, is_urgent: bool) -> Value {
    let set = &profile.settings.notifications;
    json!({"frequency": set.frequency, "schedule": set.schedule, "urgent": is_urgent})
}
