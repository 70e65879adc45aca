//! Messages, calls and forms since an instant, for conversations whose row was not kept because two records were one.

use chrono::{DateTime, Utc};
use sqlx::types::Json;

use super::{ANSWERED_CALL, ConversationEvent, MISSED_CALL, build_preview, text_or_placeholder};
use crate::{
    domain::{
        intake::lead::LeadSubmission,
        messaging::message::{MessageDirection, MessageKind, MessageStatus},
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{CustomerId, LeadId, OrgId},
    },
};

/// One event, as the list of conversations needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConversationEntry {
    pub at: DateTime<Utc>,
    pub moved: ConversationEvent,
    pub lead: Option<LeadId>,
    pub preview: String,
}

/// Events after `list_entries_since`, oldest first. Messages scheduled for after `now` are excluded.
pub(crate) async fn list_entries_since(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (since, now): (DateTime<Utc>, DateTime<Utc>),
) -> Result<Vec<ConversationEntry>> {
    let mut entries = list_message_entries(&mut *conn, org, customer, (since, now)).await?;
    entries.extend(list_call_entries(&mut *conn, org, customer, since).await?);
    entries.extend(list_form_entries(conn, org, customer, since).await?);
    entries.sort_by_key(|entry| entry.at);
    Ok(entries)
}

#[derive(sqlx::FromRow)]
struct EntryRow {
    created_at: DateTime<Utc>,
    direction: MessageDirection,
    kind: MessageKind,
    status: MessageStatus,
    lead_id: Option<LeadId>,
    body: String,
    next_attempt_at: DateTime<Utc>,
}

impl EntryRow {
    fn has_happened(&self, now: DateTime<Utc>) -> bool {
        let waits = matches!(self.status, MessageStatus::Queued | MessageStatus::Held) && self.next_attempt_at > now;
        self.kind.shows_in_preview() && self.status != MessageStatus::NotSent && !waits
    }

    fn into_entry(self) -> ConversationEntry {
        let moved = match (self.direction, self.kind) {
            (MessageDirection::In, _) => ConversationEvent::In,
            (MessageDirection::Out, MessageKind::Manual) => ConversationEvent::ByPerson,
            (MessageDirection::Out, _) => ConversationEvent::Out,
        };
        let words = if moved == ConversationEvent::In { text_or_placeholder(&self.body) } else { &self.body };
        ConversationEntry { at: self.created_at, moved, lead: self.lead_id, preview: build_preview(words) }
    }
}

/// At the same instant the text sorts after the email with the same words.
async fn list_message_entries(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (since, now): (DateTime<Utc>, DateTime<Utc>),
) -> Result<Vec<ConversationEntry>> {
    let rows = q!(
        conn,
        fetch_all as EntryRow,
        "SELECT created_at, direction, kind, status, lead_id, body, next_attempt_at FROM message
         WHERE org_id = $1 AND customer_id = $2 AND created_at > $3 ORDER BY created_at, channel, id",
        org,
        customer,
        since
    )?;
    Ok(rows.into_iter().filter(|row| row.has_happened(now)).map(EntryRow::into_entry).collect())
}

async fn list_call_entries(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    since: DateTime<Utc>,
) -> Result<Vec<ConversationEntry>> {
    let rows = q!(
        conn,
        fetch_all as (DateTime<Utc>, String, Option<LeadId>),
        "SELECT COALESCE(accepted_at, ended_at, started_at), status, lead_id FROM call
         WHERE org_id = $1 AND customer_id = $2 AND status IN ('answered', 'missed')
             AND COALESCE(accepted_at, ended_at, started_at) > $3
         ORDER BY started_at, id",
        org,
        customer,
        since
    )?;
    let entries = rows.into_iter().map(|(at, status, lead)| {
        let (moved, words) = match status.as_str() {
            "answered" => (ConversationEvent::AnsweredCall, ANSWERED_CALL),
            _ => (ConversationEvent::MissedCall, MISSED_CALL),
        };
        ConversationEntry { at, moved, lead, preview: build_preview(words) }
    });
    Ok(entries.collect())
}

/// Requests that are held are in no conversation; neither is a suspicious form that joined an open request
/// (`timeline/conversation_item.rs` reads the same ones).
async fn list_form_entries(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    since: DateTime<Utc>,
) -> Result<Vec<ConversationEntry>> {
    let rows = q!(
        conn,
        fetch_all as (DateTime<Utc>, LeadId, String, Json<LeadSubmission>),
        "SELECT h.at, h.lead_id, h.service, h.submission
         FROM lead l JOIN lead_inquiry h ON h.org_id = l.org_id AND h.lead_id = l.id
         WHERE l.org_id = $1 AND l.customer_id = $2 AND l.held_reason IS NULL AND h.at > $3
             AND h.form IN ('lead', 'quote', 'booking')
             AND (h.is_counted OR NOT EXISTS (SELECT 1 FROM lead_inquiry f WHERE f.org_id = h.org_id
                 AND f.lead_id = h.lead_id AND (f.at < h.at OR (f.at = h.at AND f.id < h.id))))
         ORDER BY h.id",
        org,
        customer,
        since
    )?;
    let entries = rows.into_iter().map(|(at, lead, service, Json(submission))| {
        let preview = build_preview(submission.request_words(&service));
        ConversationEntry { at, moved: ConversationEvent::Form, lead: Some(lead), preview }
    });
    Ok(entries.collect())
}
