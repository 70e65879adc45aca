//! A message as a person sees it: which way it went, how it stands in plain words, and what may be done with it.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use super::{
    Channel, Direction, Kind, Status,
    outlook::{Fate, Outlook, STOPPED},
    send_policy::SetUp,
    sms_link,
};
use crate::platform::{
    contact_hours::Class,
    db::{AsConn, qb},
    error::{Error, Result},
    id::{AccountId, CustomerId, LeadId, MessageId, OrgId},
};

/// A person of the business, as far as a message shows one.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Author {
    pub id: AccountId,
    pub name: String,
}

/// A stored message as a person sees it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Message)]
pub struct MessageView {
    pub id: MessageId,
    pub lead_id: Option<LeadId>,
    pub customer_id: Option<CustomerId>,
    pub direction: Direction,
    pub channel: Channel,
    pub kind: Kind,
    pub class: Class,
    /// Who wrote to us; none for what we send.
    pub from: Option<String>,
    pub to: String,
    pub subject: Option<String>,
    pub body: String,
    pub status: Status,
    /// The status in plain words, with the reason.
    pub status_text: String,
    /// The person who wrote it; none for what a rule wrote or a customer sent.
    pub author: Option<Author>,
    /// How often the provider was called.
    pub attempts: i64,
    /// What a text costs: parts of 160 characters or less. None for emails.
    pub segments: Option<i64>,
    pub created_at: DateTime<Utc>,
    pub sent_at: Option<DateTime<Utc>>,
    pub delivered_at: Option<DateTime<Utc>>,
    /// When it is tried next, while it waits.
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// Until when the gate keeps it.
    pub held_until: Option<DateTime<Utc>>,
    /// What the gate saw when it last decided: the rule, the switch, the hours, the clock.
    #[schema(value_type = Option<std::collections::BTreeMap<String, Value>>)]
    pub saw: Option<Value>,
    /// Whether `POST /api/messages/{id}/retry` would take it.
    pub retryable: bool,
    /// Whether `DELETE /api/messages/{id}` would still stop it.
    pub cancellable: bool,
    /// Of a text: whether one's own phone is offered for it. Only texting itself keeps it, not what it says nor whom it
    /// is for.
    pub by_hand: bool,
}

#[derive(FromRow)]
struct Row {
    id: MessageId,
    lead_id: Option<LeadId>,
    customer_id: Option<CustomerId>,
    direction: Direction,
    channel: Channel,
    kind: Kind,
    class: Class,
    from_address: Option<String>,
    to_address: String,
    subject: Option<String>,
    body: String,
    status: Status,
    reason: Option<String>,
    saw: Option<Json<Value>>,
    stored_as: Option<String>,
    account_id: Option<AccountId>,
    account_name: Option<String>,
    attempts: i64,
    segments: Option<i64>,
    created_at: DateTime<Utc>,
    sent_at: Option<DateTime<Utc>>,
    delivered_at: Option<DateTime<Utc>>,
    next_attempt_at: DateTime<Utc>,
}

impl From<Row> for MessageView {
    fn from(row: Row) -> Self {
        let waits = matches!(row.status, Status::Queued | Status::Held);
        let saw = row.saw.map(|saw| saw.0);
        let is_text = row.direction == Direction::Out && row.channel == Channel::Sms;
        let by_hand = is_text && sms_link::is_about_texting(row.status, row.reason.as_deref(), saw.as_ref());
        Self {
            id: row.id,
            lead_id: row.lead_id,
            customer_id: row.customer_id,
            direction: row.direction,
            channel: row.channel,
            kind: row.kind,
            class: row.class,
            from: row.from_address,
            to: row.to_address,
            subject: row.subject,
            body: row.body,
            status_text: status_text(row.status, row.reason.as_deref(), row.stored_as.as_deref()),
            author: row.account_id.zip(row.account_name).map(|(id, name)| Author { id, name }),
            attempts: row.attempts,
            segments: row.segments,
            created_at: row.created_at,
            sent_at: row.sent_at,
            delivered_at: row.delivered_at,
            next_attempt_at: waits.then_some(row.next_attempt_at),
            held_until: (row.status == Status::Held).then_some(row.next_attempt_at),
            saw,
            retryable: row.direction == Direction::Out && row.status.is_retryable(),
            cancellable: waits,
            by_hand,
            status: row.status,
        }
    }
}

impl MessageView {
    /// What stands as a file goes again once email is set up, and is offered no sooner.
    pub fn offer(&mut self, set_up: SetUp) {
        self.retryable &= self.status != Status::Filed || set_up.email;
    }

    /// Says that no worker is there to send it. What one had in hand may have left.
    pub(super) fn stall(&mut self) {
        let stands =
            if self.status == Status::Sending { "not known yet whether it left" } else { "waiting to be sent" };
        self.status_text = format!("{stands}: {STOPPED}");
    }

    /// Says of a message that waits what becomes of it, where it does not leave at once.
    pub fn foretell(&mut self, outlook: &Outlook) {
        if !self.cancellable {
            return;
        }
        match outlook.state {
            Fate::Leaves => {}
            Fate::NotSent => self.status_text = format!("will not be sent: {}", outlook.text),
            Fate::Held | Fate::Waits | Fate::Filed => outlook.text.clone_into(&mut self.status_text),
        }
    }
}

/// The status as the owner reads it.
#[must_use]
pub fn status_text(status: Status, reason: Option<&str>, stored_as: Option<&str>) -> String {
    let because = |words: &str| reason.map_or_else(|| words.to_owned(), |why| format!("{words}: {why}"));
    match status {
        Status::Queued => because("waiting to be sent"),
        Status::Sending => "being sent".to_owned(),
        Status::Sent => reason.map_or_else(|| "sent".to_owned(), |how| format!("sent {how}")),
        Status::Delivered => "delivered".to_owned(),
        Status::Filed => format!("saved as {}: email is not set up", stored_as.unwrap_or("a file")),
        Status::Held => because("held"),
        Status::NotSent => because("not sent"),
        Status::Failed => because("failed"),
        Status::Unknown => because("not known whether it arrived"),
        Status::Received => reason.map_or_else(|| "received".to_owned(), |how| format!("received {how}")),
    }
}

const VIEW: &str = "SELECT m.id, m.lead_id, m.customer_id, m.direction, m.channel, m.kind, m.class, m.from_address,
    m.to_address, m.subject, m.body, m.status, m.reason, m.saw, m.stored_as, m.account_id, a.name AS account_name,
    m.attempts, m.segments, m.created_at, m.sent_at, m.delivered_at, m.next_attempt_at
    FROM message m LEFT JOIN account a ON a.id = m.account_id AND a.org_id = m.org_id";

/// The messages of one lead, oldest first.
pub async fn of_lead(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<MessageView>> {
    let rows = qb!(conn, fetch_all as Row, |b| {
        b.push(VIEW).push(" WHERE m.org_id = ").push_bind(org).push(" AND m.lead_id = ").push_bind(lead);
        b.push(" ORDER BY m.created_at, m.id");
    })?;
    Ok(rows.into_iter().map(MessageView::from).collect())
}

/// The newest `limit` messages to and from one customer before `before`, oldest first.
pub async fn of_customer(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    before: Option<DateTime<Utc>>,
    limit: i64,
) -> Result<Vec<MessageView>> {
    let mut rows = qb!(conn, fetch_all as Row, |b| {
        b.push(VIEW).push(" WHERE m.org_id = ").push_bind(org).push(" AND m.customer_id = ").push_bind(customer);
        if let Some(before) = before {
            b.push(" AND m.created_at < ").push_bind(before);
        }
        b.push(" ORDER BY m.created_at DESC, m.id DESC LIMIT ").push_bind(limit);
    })?;
    rows.reverse();
    Ok(rows.into_iter().map(MessageView::from).collect())
}

/// # Errors
/// [`Error::NotFound`] when the org has no such message.
pub async fn get(conn: &mut dyn AsConn, org: OrgId, id: MessageId) -> Result<MessageView> {
    let row = qb!(conn, fetch_optional as Row, |b| {
        b.push(VIEW).push(" WHERE m.org_id = ").push_bind(org).push(" AND m.id = ").push_bind(id);
    })?;
    row.map(MessageView::from).ok_or(Error::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_reads_why() {
        let said = |status, reason| status_text(status, reason, None);
        assert_eq!(said(Status::NotSent, Some("SMS is not set up")), "not sent: SMS is not set up");
        assert_eq!(said(Status::Sent, None), "sent");
        assert_eq!(said(Status::Sent, Some("from your own phone")), "sent from your own phone");
        assert_eq!(
            status_text(Status::Filed, None, Some("var/mail/1.eml")),
            "saved as var/mail/1.eml: email is not set up"
        );
    }
}
