//! Execution and storage of decisions: the source of "why was this sent" and "why not".

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{MessageDraft, RuleDecision};
use crate::{
    conflicts::reword_stored_reason,
    domain::messaging::{
        alert,
        message::{self, MessageChannel, NewMessage},
    },
    platform::{
        clock::ClockRng,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_all},
            batch_rows, q,
        },
        error::Result,
        id::{DecisionId, LeadId, MessageId, OrgId},
        tasks,
    },
};

/// A stored decision as a person reads it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Decision)]
pub struct DecisionView {
    pub id: DecisionId,
    pub at: DateTime<Utc>,
    pub rule: String,
    pub event: String,
    pub channel: Option<MessageChannel>,
    /// Whether it led to a message.
    pub sent: bool,
    pub reason: String,
    pub message_id: Option<MessageId>,
    /// What the rule saw.
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    #[serde(rename = "saw")]
    pub evidence: Value,
}

/// Stores decisions and queues their messages, in the open transaction.
pub async fn apply_decisions(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    lead: LeadId,
    event: &str,
    decisions: Vec<RuleDecision>,
) -> Result<()> {
    let now = origin.now();
    let numbered = assign_ids(origin, decisions);
    let messages = build_messages(lead, &numbered);
    let queued = message::store_queued(tx, origin, org, &messages).await?;
    let tasks = tasks::build_task_insert(tx, origin, message::build_send_tasks(origin, org, &messages, &queued));
    let about = (org, lead, event);
    let decided = build_decision_insert(about, now, &numbered, |message| queued.contains(&message));
    insert_all(tx, &[tasks, decided]).await?;
    for (.., decision) in &numbered {
        if let Some(alert) = &decision.alert {
            alert::store_alert(tx, origin, org, alert).await?;
        }
    }
    Ok(())
}

/// Rows of the decisions about a new request, about which nothing can be queued or raised yet: they are written together
/// with the request's own.
pub(crate) fn build_decision_rows<'a>(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    lead: LeadId,
    event: &'static str,
    decisions: Vec<RuleDecision>,
) -> Vec<Insert<'a>> {
    let now = origin.now();
    let numbered = assign_ids(origin, decisions);
    let mut rows: Vec<Insert<'a>> =
        message::build_message_rows(tx, origin, org, build_messages(lead, &numbered)).into_iter().collect();
    for alert in numbered.iter().filter_map(|(.., decision)| decision.alert.as_ref()) {
        rows.extend(alert::build_alert_rows(tx, origin, org, alert));
    }
    rows.push(build_decision_insert((org, lead, event), now, &numbered, |_| true));
    rows
}

/// `is_queued` tells which messages are new.
fn build_decision_insert<'a>(
    (org, lead, event): (OrgId, LeadId, &'a str),
    now: DateTime<Utc>,
    numbered: &[DecisionWithIds],
    is_queued: impl Fn(MessageId) -> bool,
) -> Insert<'a> {
    let with_sent = numbered.iter().map(|(id, message, decision)| {
        let sent = message.filter(|message| is_queued(*message));
        let is_repeated = message.is_some() && sent.is_none();
        let reason = if is_repeated { "this message has already been queued" } else { decision.reason.as_str() };
        (*id, sent, reason.to_owned(), decision)
    });
    batch_rows!(with_sent, |(id, sent, reason, made)| automation_decision {
        org_id: org,
        id,
        lead_id: lead,
        at: now,
        event,
        rule: made.rule,
        channel: made.channel,
        sent: sent.is_some(),
        reason,
        evidence: Json(made.evidence.clone()),
        message_id: sent,
    })
}

type DecisionWithIds = (DecisionId, Option<MessageId>, RuleDecision);

fn assign_ids(origin: &ClockRng, decisions: Vec<RuleDecision>) -> Vec<DecisionWithIds> {
    let (rows, messages) = (sorted_ids(origin, decisions.len()), sorted_ids(origin, decisions.len()));
    decisions
        .into_iter()
        .zip(rows.into_iter().zip(messages))
        .map(|(d, (row, message))| (DecisionId(row), d.message.as_ref().map(|_| MessageId(message)), d))
        .collect()
}

fn build_messages(lead: LeadId, numbered: &[DecisionWithIds]) -> Vec<NewMessage> {
    let worded = numbered.iter().filter_map(|(_, id, decision)| Some(((*id)?, decision.message.as_ref()?)));
    worded.map(|(id, draft)| draft_to_new_message(id, lead, draft)).collect()
}

/// Ids of one instant, sorted in reading order.
fn sorted_ids(origin: &ClockRng, count: usize) -> Vec<Uuid> {
    let mut ids: Vec<Uuid> = (0..count).map(|_| origin.uuid_v7()).collect();
    ids.sort_unstable();
    ids
}

pub(crate) fn draft_to_new_message(id: MessageId, lead: LeadId, draft: &MessageDraft) -> NewMessage {
    NewMessage { lead: Some(lead), ..draft.clone().with_id(id) }
}

#[derive(FromRow)]
struct DecisionRow {
    id: DecisionId,
    at: DateTime<Utc>,
    rule: String,
    event: String,
    channel: Option<MessageChannel>,
    sent: bool,
    reason: String,
    message_id: Option<Uuid>,
    evidence: Json<Value>,
}

pub async fn list_decisions_of_lead(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<DecisionView>> {
    let rows = q!(
        conn,
        fetch_all as DecisionRow,
        "SELECT id, at, rule, event, channel, sent, reason, message_id, evidence FROM automation_decision
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
        reason: reword_stored_reason(&row.reason).into_owned(),
        message_id: row.message_id.map(MessageId),
        evidence: row.evidence.0,
    });
    Ok(made.collect())
}
