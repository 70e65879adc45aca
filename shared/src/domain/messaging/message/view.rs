//! A message as a person sees it: its direction, its status in plain words, and what may be done with it.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use super::{
    MessageChannel, MessageDirection, MessageKind, MessageStatus,
    outlook::{OutlookState, SENDING_STOPPED, SendOutlook},
    send_policy::BudgetLimitEvidence,
    sms_link,
};
use crate::{
    conflicts::reword_stored_reason,
    documents::template::strip_opt_out_sentence,
    domain::tenancy::org::SendChannels,
    platform::{
        contact_hours::ContactClass,
        db::{AsConn, qb},
        error::{Error, Result},
        id::{AccountId, CustomerId, LeadId, MessageId, OrgId},
    },
};

/// A person of the business, as far as a message shows one.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Author)]
pub struct AccountRef {
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
    pub direction: MessageDirection,
    pub channel: MessageChannel,
    pub kind: MessageKind,
    pub class: ContactClass,
    /// Who wrote to us; none for what we send.
    pub from: Option<String>,
    pub to: String,
    pub subject: Option<String>,
    pub body: String,
    pub status: MessageStatus,
    /// The status in plain words, with the reason.
    pub status_text: String,
    /// The person who wrote it; none for what a rule wrote or a customer sent.
    pub author: Option<AccountRef>,
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
    #[serde(rename = "saw")]
    pub evidence: Option<Value>,
    /// Whether `POST /api/messages/{id}/retry` would take it.
    pub retryable: bool,
    /// Whether `DELETE /api/messages/{id}` would still stop it.
    pub cancellable: bool,
    /// Of a text: whether one's own phone is offered for it. Only texting itself keeps it, not what it says nor whom it
    /// is for.
    pub by_hand: bool,
    /// What one's own phone texts: the text without the sentence on STOP, which that phone does not obey.
    pub own_phone_text: Option<String>,
}

#[derive(FromRow)]
struct MessageRow {
    id: MessageId,
    lead_id: Option<LeadId>,
    customer_id: Option<CustomerId>,
    direction: MessageDirection,
    channel: MessageChannel,
    kind: MessageKind,
    class: ContactClass,
    from_address: Option<String>,
    to_address: String,
    subject: Option<String>,
    body: String,
    status: MessageStatus,
    reason: Option<String>,
    evidence: Option<Json<Value>>,
    account_id: Option<AccountId>,
    account_name: Option<String>,
    attempts: i64,
    segments: Option<i64>,
    created_at: DateTime<Utc>,
    sent_at: Option<DateTime<Utc>>,
    delivered_at: Option<DateTime<Utc>>,
    next_attempt_at: DateTime<Utc>,
}

impl From<MessageRow> for MessageView {
    fn from(row: MessageRow) -> Self {
        let waits = matches!(row.status, MessageStatus::Queued | MessageStatus::Held);
        let evidence = row.evidence.map(|evidence| evidence.0);
        let is_text = row.direction == MessageDirection::Out && row.channel == MessageChannel::Sms;
        let limit = evidence.as_ref().and_then(|evidence| BudgetLimitEvidence::from_stored(evidence).limit);
        let reason = row.reason.as_deref().map(|reason| reword_stored_reason(reason).into_owned());
        // Who said STOP gets no text about it from anybody's phone.
        let by_hand = is_text
            && row.kind != MessageKind::StopConfirmation
            && sms_link::is_channel_failure(row.status, reason.as_deref(), limit);
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
            own_phone_text: by_hand.then(|| strip_opt_out_sentence(&row.body)),
            body: row.body,
            status_text: status_text(row.status, row.reason.as_deref()),
            author: row.account_id.zip(row.account_name).map(|(id, name)| AccountRef { id, name }),
            attempts: row.attempts,
            segments: row.segments,
            created_at: row.created_at,
            sent_at: row.sent_at,
            delivered_at: row.delivered_at,
            next_attempt_at: waits.then_some(row.next_attempt_at),
            held_until: (row.status == MessageStatus::Held).then_some(row.next_attempt_at),
            evidence,
            retryable: row.direction == MessageDirection::Out
                && row.status.is_retryable()
                && !row.kind.answers_keyword(),
            cancellable: waits,
            by_hand,
            status: row.status,
        }
    }
}

impl MessageView {
    /// A filed message can be resent once email is set up, and no sooner.
    pub fn hide_resend_until_setup(&mut self, set_up: SendChannels) {
        self.retryable &= self.status != MessageStatus::Filed || set_up.email;
    }

    /// For programs that may not read messages.
    pub fn hide_content(&mut self) {
        self.subject = None;
        self.body.clear();
        self.evidence = None;
    }

    /// Says that no worker is running. A message that one had claimed may have left.
    pub(super) fn mark_stalled(&mut self) {
        let state_text =
            if self.status == MessageStatus::Sending { "not known yet whether it left" } else { "waiting to be sent" };
        self.status_text = format!("{state_text}: {SENDING_STOPPED}");
    }

    pub fn apply_outlook(&mut self, outlook: &SendOutlook) {
        if !self.cancellable {
            return;
        }
        match outlook.state {
            OutlookState::Leaves => {}
            OutlookState::NotSent => self.status_text = format!("will not be sent: {}", outlook.text),
            OutlookState::Held | OutlookState::Waits | OutlookState::Filed => {
                outlook.text.clone_into(&mut self.status_text);
            }
        }
    }
}

#[must_use]
pub fn status_text(status: MessageStatus, reason: Option<&str>) -> String {
    let reason = reason.map(reword_stored_reason);
    let reason = reason.as_deref();
    let because = |words: &str| reason.map_or_else(|| words.to_owned(), |why| format!("{words}: {why}"));
    match status {
        MessageStatus::Queued => because("waiting to be sent"),
        MessageStatus::Sending => "being sent".to_owned(),
        MessageStatus::Sent => reason.map_or_else(|| "sent".to_owned(), |how| format!("sent {how}")),
        MessageStatus::Delivered => "delivered".to_owned(),
        MessageStatus::Filed => "saved as a file: email is not set up".to_owned(),
        MessageStatus::Held => because("held"),
        MessageStatus::NotSent => because("not sent"),
        MessageStatus::Failed => because("failed"),
        MessageStatus::Unknown => because("we can't tell if this was delivered"),
        MessageStatus::Received => reason.map_or_else(|| "received".to_owned(), |how| format!("received {how}")),
    }
}

const VIEW: &str = "SELECT m.id, m.lead_id, m.customer_id, m.direction, m.channel, m.kind, m.class, m.from_address,
    m.to_address, m.subject, m.body, m.status, m.reason, m.evidence, m.account_id, a.name AS account_name,
    m.attempts, m.segments, m.created_at, m.sent_at, m.delivered_at, m.next_attempt_at
    FROM message m LEFT JOIN account a ON a.id = m.account_id AND a.org_id = m.org_id";

pub async fn list_messages_of_lead(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<MessageView>> {
    let rows = qb!(conn, fetch_all as MessageRow, |b| {
        b.push(VIEW).push(" WHERE m.org_id = ").push_bind(org).push(" AND m.lead_id = ").push_bind(lead);
        b.push(" ORDER BY m.created_at, m.id");
    })?;
    Ok(rows.into_iter().map(MessageView::from).collect())
}

/// The messages of a lead, and the notices that tell the team of several leads in one message.
pub async fn list_messages_with_shared_notices(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
) -> Result<Vec<MessageView>> {
    let rows = qb!(conn, fetch_all as MessageRow, |b| {
        b.push(VIEW).push(" WHERE m.org_id = ").push_bind(org);
        b.push(" AND m.id IN (SELECT o.id FROM message o WHERE o.org_id = ").push_bind(org);
        b.push(" AND o.lead_id = ").push_bind(lead);
        b.push(" UNION SELECT d.message_id FROM automation_decision d WHERE d.message_id IS NOT NULL AND d.org_id = ");
        b.push_bind(org).push(" AND d.lead_id = ").push_bind(lead);
        b.push(") ORDER BY m.created_at, m.id");
    })?;
    Ok(rows.into_iter().map(MessageView::from).collect())
}

/// The newest `limit` messages to and from one customer before `before`, oldest first.
pub async fn list_messages_of_customer(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    before: Option<DateTime<Utc>>,
    limit: i64,
) -> Result<Vec<MessageView>> {
    let mut rows = qb!(conn, fetch_all as MessageRow, |b| {
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
pub async fn get_message(conn: &mut dyn AsConn, org: OrgId, id: MessageId) -> Result<MessageView> {
    let row = qb!(conn, fetch_optional as MessageRow, |b| {
        b.push(VIEW).push(" WHERE m.org_id = ").push_bind(org).push(" AND m.id = ").push_bind(id);
    })?;
    row.map(MessageView::from).ok_or(Error::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_text_states_reason() {
        assert_eq!(status_text(MessageStatus::NotSent, Some("SMS is not set up")), "not sent: SMS is not set up");
        assert_eq!(status_text(MessageStatus::Sent, None), "sent");
        assert_eq!(status_text(MessageStatus::Sent, Some("from your own phone")), "sent from your own phone");
        assert_eq!(status_text(MessageStatus::Filed, None), "saved as a file: email is not set up");
    }
}
