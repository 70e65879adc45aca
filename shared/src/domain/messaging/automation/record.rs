//! What the rules decided, carried out and kept: that is what "why was this sent" and "why not" show.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Decision, Draft};
use crate::{
    domain::messaging::{
        alert,
        message::{self, Channel, NewMessage},
    },
    platform::{
        clock::Origin,
        db::{
            AsConn, Tx,
            batch::{self, Insert, insert_all, values},
            q,
        },
        error::Result,
        id::{DecisionId, LeadId, MessageId, OrgId},
        tasks,
    },
};

const INTO: &str = "decision (org_id, id, lead_id, at, event, rule, channel, sent, reason, saw, message_id)";

/// A stored decision as a person reads it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Decision)]
pub struct DecisionView {
    pub id: DecisionId,
    pub at: DateTime<Utc>,
    pub rule: String,
    pub event: String,
    pub channel: Option<Channel>,
    /// Whether it led to a message.
    pub sent: bool,
    pub reason: String,
    pub message_id: Option<MessageId>,
    /// What the rule saw.
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    pub saw: Value,
}

/// Stores decisions and queues their messages, in the open transaction.
pub async fn carry_out(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    lead: LeadId,
    event: &str,
    decisions: Vec<Decision>,
) -> Result<()> {
    let now = origin.now();
    let numbered = numbered(origin, decisions);
    let messages = messages(lead, &numbered);
    let queued = message::store(tx, origin, org, &messages).await?;
    let tasks = tasks::rows(tx, origin, message::wakeups(origin, org, &messages, &queued));
    let about = (org, lead, event);
    let decided = Insert::into(INTO).rows(numbered.iter().map(|one| {
        let sent = one.1.filter(|m| queued.contains(m));
        row(about, now, one, sent)
    }));
    insert_all(tx, &[tasks, decided]).await?;
    for (.., decision) in &numbered {
        if let Some(alert) = &decision.alert {
            alert::store(tx, origin, org, alert).await?;
        }
    }
    Ok(())
}

/// The same about a request that is new itself: nothing of this can have been queued or raised before. It is written in one
/// statement with the request's own `rows`.
pub(crate) async fn carry_out_with(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    lead: LeadId,
    event: &'static str,
    decisions: Vec<Decision>,
    mut rows: Vec<Insert<'_>>,
) -> Result<()> {
    let now = origin.now();
    let numbered = numbered(origin, decisions);
    rows.extend(message::rows(tx, origin, org, messages(lead, &numbered)));
    for alert in numbered.iter().filter_map(|(.., decision)| decision.alert.as_ref()) {
        rows.extend(alert::rows(tx, origin, org, alert));
    }
    let about = (org, lead, event);
    rows.push(Insert::into(INTO).rows(numbered.iter().map(|one| row(about, now, one, one.1))));
    insert_all(tx, &rows).await
}

/// The row of a decision whose message was queued as `sent`, or not.
fn row<'a>(
    (org, lead, event): (OrgId, LeadId, &'a str),
    now: DateTime<Utc>,
    (id, message, decision): &Numbered,
    sent: Option<MessageId>,
) -> Vec<batch::Value<'a>> {
    let is_repeated = message.is_some() && sent.is_none();
    let reason = if is_repeated { "this message has already been queued" } else { decision.reason.as_str() };
    values![
        org,
        *id,
        lead,
        now,
        event,
        decision.rule,
        decision.channel,
        sent.is_some(),
        reason.to_owned(),
        Json(decision.saw.clone()),
        sent
    ]
}

/// A decision with the id of its row, and that of its message.
type Numbered = (DecisionId, Option<MessageId>, Decision);

fn numbered(origin: &Origin, decisions: Vec<Decision>) -> Vec<Numbered> {
    let (rows, messages) = (in_order(origin, decisions.len()), in_order(origin, decisions.len()));
    decisions
        .into_iter()
        .zip(rows.into_iter().zip(messages))
        .map(|(d, (row, message))| (DecisionId(row), d.message.as_ref().map(|_| MessageId(message)), d))
        .collect()
}

fn messages(lead: LeadId, numbered: &[Numbered]) -> Vec<NewMessage> {
    let worded = numbered.iter().filter_map(|(_, id, decision)| Some(((*id)?, decision.message.as_ref()?)));
    worded.map(|(id, draft)| stored(id, lead, draft)).collect()
}

/// Ids of one instant, in the order they will be read in.
fn in_order(origin: &Origin, count: usize) -> Vec<Uuid> {
    let mut ids: Vec<Uuid> = (0..count).map(|_| origin.uuid()).collect();
    ids.sort_unstable();
    ids
}

/// What a rule worded about a lead, under this id.
pub(crate) fn stored(id: MessageId, lead: LeadId, draft: &Draft) -> NewMessage {
    NewMessage { lead: Some(lead), ..draft.clone().under(id) }
}

#[derive(FromRow)]
struct DecisionRow {
    id: DecisionId,
    at: DateTime<Utc>,
    rule: String,
    event: String,
    channel: Option<Channel>,
    sent: bool,
    reason: String,
    message_id: Option<Uuid>,
    saw: Json<Value>,
}

/// The decisions about one lead, in the order they were taken.
pub async fn of_lead(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<DecisionView>> {
    let rows = q!(
        conn,
        fetch_all as DecisionRow,
        "SELECT id, at, rule, event, channel, sent, reason, message_id, saw FROM decision
         WHERE org_id = $1 AND lead_id = $2 ORDER BY at, id",
        org,
        lead
    )?;
    let made = rows.into_iter().map(|row| DecisionView {
        id: row.id,
        at: row.at,
        rule: row.rule,
        event: row.event,
        channel: row.channel,
        sent: row.sent,
        reason: row.reason,
        message_id: row.message_id.map(MessageId),
        saw: row.saw.0,
    });
    Ok(made.collect())
}
