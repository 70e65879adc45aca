//! What stands in a conversation: messages with their pictures, calls, and forms, in the order they came.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    domain::{
        intake::lead::Form,
        messaging::{
            conversation::{ANSWERED_CALL, MISSED_CALL},
            message::{Direction, MessageView, of_customer},
        },
    },
    platform::{
        db::{AsConn, q, qb},
        error::Result,
        id::{CustomerId, LeadId, MessageId, OrgId, PhotoId, TouchId},
    },
};

/// What one page holds of each kind.
const PAGE: i64 = 200;

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Picture {
    pub id: PhotoId,
    pub url: String,
    pub thumb_url: String,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CallView)]
pub struct Call {
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
#[schema(as = ConversationItem)]
pub enum Item {
    Message {
        at: DateTime<Utc>,
        message: Box<MessageView>,
        photos: Vec<Picture>,
    },
    Call {
        at: DateTime<Utc>,
        call: Call,
    },
    Touch {
        at: DateTime<Utc>,
        form: Form,
        service: String,
        #[serde(rename = "leadId")]
        lead_id: LeadId,
    },
}

impl Item {
    fn at(&self) -> DateTime<Utc> {
        match self {
            Self::Message { at, .. } | Self::Call { at, .. } | Self::Touch { at, .. } => *at,
        }
    }

    pub(super) fn message(&mut self) -> Option<&mut MessageView> {
        match self {
            Self::Message { message, .. } => Some(message),
            Self::Call { .. } | Self::Touch { .. } => None,
        }
    }

    /// Of one instant, what they said stands before what it caused.
    fn order(&self) -> (DateTime<Utc>, bool) {
        (self.at(), matches!(self, Self::Message { message, .. } if message.direction == Direction::Out))
    }
}

/// What happened between the business and one customer, oldest first; at most the newest 200 before `before`.
pub(super) async fn newest(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    before: Option<DateTime<Utc>>,
) -> Result<Vec<Item>> {
    let mut items = messages(&mut *conn, org, customer, before).await?;
    items.extend(calls(&mut *conn, org, customer, before).await?);
    items.extend(touches(conn, org, customer, before).await?);
    items.sort_by_key(Item::order);
    let first = items.len().saturating_sub(usize::try_from(PAGE).unwrap_or(usize::MAX));
    items.drain(..first);
    Ok(items)
}

async fn messages(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    before: Option<DateTime<Utc>>,
) -> Result<Vec<Item>> {
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
            Picture { id: *photo, thumb_url: format!("{url}?size=thumb"), url }
        });
        Item::Message { at: message.created_at, photos: mine.collect(), message: Box::new(message) }
    };
    Ok(of_customer(conn, org, customer, before, PAGE).await?.into_iter().map(with_photos).collect())
}

async fn calls(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    before: Option<DateTime<Utc>>,
) -> Result<Vec<Item>> {
    let rows = qb!(conn, fetch_all as (Uuid, String, DateTime<Utc>, Option<DateTime<Utc>>), |b| {
        b.push("SELECT id, status, started_at, ended_at FROM call WHERE org_id = ").push_bind(org);
        b.push(" AND customer_id = ").push_bind(customer);
        if let Some(before) = before {
            b.push(" AND started_at < ").push_bind(before);
        }
        b.push(" ORDER BY started_at DESC LIMIT ").push_bind(PAGE);
    })?;
    let made = rows.into_iter().map(|(id, status, started_at, ended_at)| Item::Call {
        at: started_at,
        call: Call { id, status_text: call_text(&status, started_at, ended_at), status, started_at, ended_at },
    });
    Ok(made.collect())
}

fn call_text(status: &str, started: DateTime<Utc>, ended: Option<DateTime<Utc>>) -> String {
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

async fn touches(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    before: Option<DateTime<Utc>>,
) -> Result<Vec<Item>> {
    let rows = qb!(conn, fetch_all as (TouchId, DateTime<Utc>, Form, String, LeadId), |b| {
        b.push("SELECT h.id, h.at, h.form, h.service, h.lead_id FROM lead_touch h JOIN lead l ON l.org_id = h.org_id AND l.id = h.lead_id WHERE h.org_id = ");
        b.push_bind(org).push(" AND l.customer_id = ").push_bind(customer);
        // Calls and texts stand in the conversation themselves.
        b.push(" AND h.form IN ('lead', 'quote')");
        if let Some(before) = before {
            b.push(" AND h.at < ").push_bind(before);
        }
        b.push(" ORDER BY h.at DESC LIMIT ").push_bind(PAGE);
    })?;
    Ok(rows.into_iter().map(|(_, at, form, service, lead_id)| Item::Touch { at, form, service, lead_id }).collect())
}
