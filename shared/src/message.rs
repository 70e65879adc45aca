//! A message: one SMS or email. Its row is the truth; the task that carries it is only a wake-up.
//!
//! `queued → sending → sent → delivered`, or `filed` (stands as a file because email is not set up), `held`,
//! `not_sent` (a rule stopped it), `failed` (the provider refused it), `unknown` (it may have been accepted: never
//! repeated on its own).

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use crate::{
    clock::Origin,
    db::{AsConn, Tx, q, qb},
    error::{Error, Result},
    id::{CustomerId, LeadId, MessageId, OrgId},
    live::{self, Topic},
    tasks::{self, NewTask},
    template::Page,
};

pub mod delivery;
pub mod send;
pub mod sweep;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = MessageChannel)]
pub enum Channel {
    Sms,
    Email,
}

/// What a message is for: it decides the switch that gates it and how long it is worth sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = MessageKind)]
pub enum Kind {
    /// The first answer to a person who asked for work.
    AutoReply,
    /// "You have a new lead", to the people of the business.
    OwnerNotice,
    /// About somebody's account; no switch stops it.
    AccountNotice,
}

impl Kind {
    /// After this long the message says nothing useful any more and is given up, visibly. A text that answers an
    /// enquiry has 15 minutes (trust requirement 1.1); the email promises an answer within two hours, so it has two.
    #[must_use]
    pub fn worth_sending_for(self, channel: Channel) -> Duration {
        match (self, channel) {
            (Self::AutoReply, Channel::Sms) => Duration::minutes(15),
            (Self::AutoReply, Channel::Email) => Duration::hours(2),
            (Self::OwnerNotice | Self::AccountNotice, _) => Duration::hours(24),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = MessageStatus)]
pub enum Status {
    Queued,
    Sending,
    Sent,
    Delivered,
    Filed,
    Held,
    NotSent,
    Failed,
    Unknown,
}

impl Status {
    /// Whether a person may have it sent again.
    #[must_use]
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::Failed | Self::Unknown | Self::NotSent)
    }

    /// Whether somebody in the business should look at it.
    #[must_use]
    pub fn needs_attention(self) -> bool {
        matches!(self, Self::Failed | Self::Unknown)
    }
}

/// A message as the rules want it, not yet stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage {
    pub id: MessageId,
    pub lead: Option<LeadId>,
    pub customer: Option<CustomerId>,
    pub channel: Channel,
    pub kind: Kind,
    /// E.164 or an email address.
    pub to: String,
    pub subject: Option<String>,
    pub body: String,
    /// What the HTML of an email shows beside the text.
    pub page: Option<Page>,
    /// One logical message, one key within its org: cause, cause's id, step, channel, recipient.
    pub dedupe_key: String,
}

/// A stored message as a person sees it.
#[derive(Clone, Debug, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Message)]
pub struct MessageView {
    pub id: MessageId,
    pub lead_id: Option<LeadId>,
    pub channel: Channel,
    pub kind: Kind,
    #[sqlx(rename = "to_address")]
    pub to: String,
    pub subject: Option<String>,
    pub body: String,
    pub status: Status,
    /// The status in plain words, with the reason.
    #[sqlx(skip)]
    pub status_text: String,
    /// How often the provider was called.
    pub attempts: i64,
    pub created_at: DateTime<Utc>,
    pub sent_at: Option<DateTime<Utc>>,
    pub delivered_at: Option<DateTime<Utc>>,
    /// When it is tried next, while it waits.
    #[sqlx(skip)]
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// Whether `POST /api/messages/{id}/retry` would take it.
    #[sqlx(skip)]
    pub retryable: bool,
    #[serde(skip)]
    #[sqlx(rename = "next_attempt_at")]
    due_at: DateTime<Utc>,
    #[serde(skip)]
    reason: Option<String>,
    #[serde(skip)]
    stored_as: Option<String>,
}

impl MessageView {
    fn explained(mut self) -> Self {
        self.status_text = status_text(self.status, self.reason.as_deref(), self.stored_as.as_deref());
        self.next_attempt_at = (self.status == Status::Queued).then_some(self.due_at);
        self.retryable = self.status.is_retryable();
        self
    }
}

/// The status as the owner reads it.
#[must_use]
pub fn status_text(status: Status, reason: Option<&str>, stored_as: Option<&str>) -> String {
    let because = |words: &str| reason.map_or_else(|| words.to_owned(), |why| format!("{words}: {why}"));
    match status {
        Status::Queued => because("waiting to be sent"),
        Status::Sending => "being sent".to_owned(),
        Status::Sent => "sent".to_owned(),
        Status::Delivered => "delivered".to_owned(),
        Status::Filed => format!("saved as {}: email is not set up", stored_as.unwrap_or("a file")),
        Status::Held => because("held"),
        Status::NotSent => because("not sent"),
        Status::Failed => because("failed"),
        Status::Unknown => because("not known whether it arrived"),
    }
}

const VIEW: &str = "SELECT id, lead_id, channel, kind, to_address, subject, body, status, attempts, created_at, sent_at, delivered_at, next_attempt_at, reason, stored_as FROM message";

/// The messages of one lead, oldest first.
pub async fn of_lead(conn: &mut impl AsConn, org: OrgId, lead: LeadId) -> Result<Vec<MessageView>> {
    let rows = qb!(conn, fetch_all as MessageView, |b| {
        b.push(VIEW).push(" WHERE org_id = ").push_bind(org).push(" AND lead_id = ").push_bind(lead);
        b.push(" ORDER BY created_at, id");
    })?;
    Ok(rows.into_iter().map(MessageView::explained).collect())
}

/// # Errors
/// [`Error::NotFound`] when the org has no such message.
pub async fn get(conn: &mut impl AsConn, org: OrgId, id: MessageId) -> Result<MessageView> {
    let row = qb!(conn, fetch_optional as MessageView, |b| {
        b.push(VIEW).push(" WHERE org_id = ").push_bind(org).push(" AND id = ").push_bind(id);
    })?;
    row.map(MessageView::explained).ok_or(Error::NotFound)
}

/// Stores messages as `queued` together with the tasks that carry them, all in the open transaction. A message whose
/// key is already there is left out: one intent, one message. Returns the ids that are new.
pub async fn queue(tx: &mut Tx, origin: &Origin, org: OrgId, messages: &[NewMessage]) -> Result<Vec<MessageId>> {
    let stored = store(tx, origin, org, messages).await?;
    tasks::enqueue(tx, origin, wakeups(origin, org, &stored)).await?;
    Ok(stored)
}

/// The tasks of messages that were just stored; they belong into the same transaction.
pub(crate) fn wakeups(origin: &Origin, org: OrgId, stored: &[MessageId]) -> Vec<NewTask> {
    stored.iter().map(|id| wakeup(org, *id, origin.now(), "0")).collect()
}

/// Stores messages without the tasks that carry them: see [`queue`] and [`wakeups`].
pub(crate) async fn store(tx: &mut Tx, origin: &Origin, org: OrgId, messages: &[NewMessage]) -> Result<Vec<MessageId>> {
    if messages.is_empty() {
        return Ok(Vec::new());
    }
    let now = origin.now();
    let stored = qb!(&mut *tx, fetch_all scalar MessageId, |b| {
        b.push(
            "INSERT INTO message (org_id, id, lead_id, customer_id, channel, kind, to_address, subject, body, page, status,
                 dedupe_key, attempts, fence, next_attempt_at, deadline_at, created_at) ",
        );
        b.push_values(messages, |mut row, m| {
            row.push_bind(org).push_bind(m.id).push_bind(m.lead).push_bind(m.customer).push_bind(m.channel);
            row.push_bind(m.kind).push_bind(m.to.as_str()).push_bind(m.subject.as_deref());
            row.push_bind(m.body.as_str()).push_bind(m.page.as_ref().map(Json)).push_bind(Status::Queued);
            row.push_bind(m.dedupe_key.as_str()).push_bind(0_i64).push_bind(0_i64).push_bind(now);
            row.push_bind(now + m.kind.worth_sending_for(m.channel)).push_bind(now);
        });
        b.push(" ON CONFLICT (org_id, dedupe_key) DO NOTHING RETURNING id");
    })?;
    Ok(stored)
}

/// The task that carries a message; `turn` tells apart the wake-ups of one message.
fn wakeup(org: OrgId, id: MessageId, run_at: DateTime<Utc>, turn: &str) -> NewTask {
    NewTask {
        org: Some(org),
        kind: tasks::Kind::SendMessage,
        subject: Some(id.0),
        run_at,
        unique_key: format!("send:{id}:{turn}"),
    }
}

/// Sends a message again because a person says so: the only way out of `unknown` that may repeat a text.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it is not one that may be repeated.
pub async fn retry(tx: &mut Tx, origin: &Origin, org: OrgId, id: MessageId) -> Result<MessageView> {
    let before = get(&mut *tx, org, id).await?;
    let now = origin.now();
    let changed = q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = 'queued', reason = NULL, fence = fence + 1, next_attempt_at = $3, deadline_at = $4
         WHERE org_id = $1 AND id = $2 AND status IN ('failed', 'unknown', 'not_sent')",
        org,
        id,
        now,
        now + before.kind.worth_sending_for(before.channel)
    )?;
    if changed == 0 {
        return Err(Error::Conflict("This message has already been sent or is on its way."));
    }
    tasks::enqueue(tx, origin, vec![wakeup(org, id, now, &format!("person:{}", origin.uuid()))]).await?;
    settled(tx, origin, org, before.lead_id, id).await?;
    get(tx, org, id).await
}

/// After a message changed: the lead's mark is made true again, and browsers are told.
async fn settled(tx: &mut Tx, origin: &Origin, org: OrgId, lead: Option<LeadId>, id: MessageId) -> Result<()> {
    if let Some(lead) = lead {
        q!(
            &mut *tx,
            execute,
            "UPDATE lead SET needs_attention = EXISTS (SELECT 1 FROM message m WHERE m.org_id = $1 AND m.lead_id = $2
                 AND m.status IN ('failed', 'unknown'))
             WHERE org_id = $1 AND id = $2 AND needs_attention <> EXISTS (SELECT 1 FROM message m WHERE m.org_id = $1
                 AND m.lead_id = $2 AND m.status IN ('failed', 'unknown'))",
            org,
            lead
        )?;
        live::announce(tx, origin, org, Topic::Message, id.0, Some(lead.0)).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_reads_why() {
        let said = |status, reason| status_text(status, reason, None);
        assert_eq!(said(Status::NotSent, Some("SMS is not set up")), "not sent: SMS is not set up");
        assert_eq!(said(Status::Sent, None), "sent");
        assert_eq!(
            status_text(Status::Filed, None, Some("var/mail/1.eml")),
            "saved as var/mail/1.eml: email is not set up"
        );
    }

    #[test]
    fn only_what_is_surely_not_on_its_way_may_be_repeated_by_hand() {
        use Status::{Delivered, Failed, Filed, Held, NotSent, Queued, Sending, Sent, Unknown};
        for status in [Queued, Sending, Sent, Delivered, Filed, Held, NotSent, Failed, Unknown] {
            assert_eq!(status.is_retryable(), matches!(status, Failed | Unknown | NotSent), "{status:?}");
        }
    }
}
