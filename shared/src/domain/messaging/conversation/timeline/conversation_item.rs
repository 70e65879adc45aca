//! Conversation items in order of time: messages with their pictures, calls and forms.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::types::Json;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    domain::{
        intake::lead::{LeadFormKind, LeadSubmission},
        messaging::{
            conversation::{ANSWERED_CALL, MISSED_CALL},
            message::{MessageDirection, MessageView, list_messages_of_customer},
        },
    },
    platform::{
        db::{AsConn, q, qb},
        error::Result,
        id::{CustomerId, LeadId, MessageId, OrgId, PhotoId, TouchId},
    },
};

const PAGE: i64 = 200;

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Picture)]
pub struct MessagePicture {
    pub id: PhotoId,
    pub url: String,
    pub thumb_url: String,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CallView)]
pub struct TimelineCall {
    pub id: Uuid,
    /// `ringing`, `answered`, `missed`, `hung_up` or `refused`.
    pub status: String,
    /// The same in plain words.
    pub status_text: String,
    pub started_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
}

/// One thing that happened.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ConversationItem {
    Message {
        at: DateTime<Utc>,
        message: Box<MessageView>,
        photos: Vec<MessagePicture>,
    },
    Call {
        at: DateTime<Utc>,
        call: TimelineCall,
    },
    Touch {
        at: DateTime<Utc>,
        form: LeadFormKind,
        service: String,
        /// What they wrote in it.
        notes: Option<String>,
        /// The name in it where it is not the customer's: someone else may have sent it.
        #[serde(rename = "typedName")]
        typed_name: Option<String>,
        #[serde(rename = "leadId")]
        lead_id: LeadId,
    },
}

impl ConversationItem {
    fn occurred_at(&self) -> DateTime<Utc> {
        match self {
            Self::Message { at, .. } | Self::Call { at, .. } | Self::Touch { at, .. } => *at,
        }
    }

    pub(super) fn message_mut(&mut self) -> Option<&mut MessageView> {
        match self {
            Self::Message { message, .. } => Some(message),
            Self::Call { .. } | Self::Touch { .. } => None,
        }
    }

    /// At the same instant a form sorts before what followed it, and the customer's message before its effects.
    fn sort_key(&self) -> (DateTime<Utc>, u8) {
        let rank = match self {
            Self::Touch { .. } => 0,
            Self::Message { message, .. } if message.direction == MessageDirection::Out => 2,
            Self::Message { .. } | Self::Call { .. } => 1,
        };
        (self.occurred_at(), rank)
    }
}

/// Oldest first; at most the newest 200 before `before`.
pub(super) async fn list_newest_items(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    before: Option<DateTime<Utc>>,
) -> Result<Vec<ConversationItem>> {
    let mut items = list_messages(&mut *conn, org, customer, before).await?;
    items.extend(list_calls(&mut *conn, org, customer, before).await?);
    items.extend(list_touches(conn, org, customer, before).await?);
    items.sort_by_key(ConversationItem::sort_key);
    let first = items.len().saturating_sub(usize::try_from(PAGE).unwrap_or(usize::MAX));
    items.drain(..first);
    Ok(items)
}

async fn list_messages(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    before: Option<DateTime<Utc>>,
) -> Result<Vec<ConversationItem>> {
    let photos = q!(
        &mut *conn,
        fetch_all as (MessageId, LeadId, PhotoId),
        "SELECT p.message_id, p.lead_id, p.id FROM photo p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id
         WHERE p.org_id = $1 AND l.customer_id = $2 AND p.message_id IS NOT NULL ORDER BY p.position",
        org,
        customer
    )?;
    let with_photos = |message: MessageView| {
        let mine = photos.iter().filter(|(of, _, _)| *of == message.id).map(|(_, lead, photo)| {
            let url = format!("/api/leads/{lead}/photos/{photo}");
            MessagePicture { id: *photo, thumb_url: format!("{url}?size=thumb"), url }
        });
        ConversationItem::Message { at: message.created_at, photos: mine.collect(), message: Box::new(message) }
    };
    Ok(list_messages_of_customer(conn, org, customer, before, PAGE).await?.into_iter().map(with_photos).collect())
}

async fn list_calls(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    before: Option<DateTime<Utc>>,
) -> Result<Vec<ConversationItem>> {
    let rows = qb!(conn, fetch_all as (Uuid, String, DateTime<Utc>, Option<DateTime<Utc>>), |b| {
        b.push("SELECT id, status, started_at, ended_at FROM call WHERE org_id = ").push_bind(org);
        b.push(" AND customer_id = ").push_bind(customer);
        if let Some(before) = before {
            b.push(" AND started_at < ").push_bind(before);
        }
        b.push(" ORDER BY started_at DESC LIMIT ").push_bind(PAGE);
    })?;
    let made = rows.into_iter().map(|(id, status, started_at, ended_at)| ConversationItem::Call {
        at: started_at,
        call: TimelineCall {
            id,
            status_text: call_status_text(&status, started_at, ended_at),
            status,
            started_at,
            ended_at,
        },
    });
    Ok(made.collect())
}

fn call_status_text(status: &str, started: DateTime<Utc>, ended: Option<DateTime<Utc>>) -> String {
    let seconds = ended.map_or(0, |ended| (ended - started).num_seconds().max(0));
    match status {
        "answered" => ANSWERED_CALL.to_owned(),
        "missed" if seconds == 0 => MISSED_CALL.to_owned(),
        "missed" => format!("{MISSED_CALL}, rang {seconds} s"),
        "hung_up" => format!("Hung up after {seconds} s"),
        "refused" => "Call not put through".to_owned(),
        _ => "Ringing".to_owned(),
    }
}

type TimelineTouchRow = (TouchId, DateTime<Utc>, LeadFormKind, String, Json<LeadSubmission>, LeadId, String);

async fn list_touches(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    before: Option<DateTime<Utc>>,
) -> Result<Vec<ConversationItem>> {
    let rows = qb!(conn, fetch_all as TimelineTouchRow, |b| {
        b.push("SELECT h.id, h.at, h.form, h.service, h.submission, h.lead_id, c.name FROM lead_inquiry h JOIN lead l ON l.org_id = h.org_id AND l.id = h.lead_id JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id WHERE h.org_id = ");
        b.push_bind(org).push(" AND l.customer_id = ").push_bind(customer);
        // Calls and texts are items of their own.
        b.push(" AND h.form IN ('lead', 'quote', 'booking')");
        // A held request is in no conversation. A suspicious form that joined an open request is not counted; the first
        // form of a released one is not either, and is shown.
        b.push(
            " AND l.held_reason IS NULL AND (h.is_counted OR NOT EXISTS (SELECT 1 FROM lead_inquiry f WHERE f.org_id = h.org_id AND f.lead_id = h.lead_id AND (f.at < h.at OR (f.at = h.at AND f.id < h.id))))",
        );
        if let Some(before) = before {
            b.push(" AND h.at < ").push_bind(before);
        }
        b.push(" ORDER BY h.at DESC LIMIT ").push_bind(PAGE);
    })?;
    Ok(rows
        .into_iter()
        .map(|(_, at, form, service, Json(submission), lead_id, customer)| {
            let typed_name = submission.other_name(&customer).map(ToOwned::to_owned);
            let notes = submission.notes.filter(|notes| !notes.trim().is_empty());
            ConversationItem::Touch { at, form, service, notes, typed_name, lead_id }
        })
        .collect())
}
