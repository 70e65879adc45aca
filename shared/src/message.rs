//! A message: one SMS or email. Its row is the truth; the task that carries it is only a wake-up.
//!
//! `queued → sending → sent → delivered`, or `filed` (stands as a file because email is not set up), `held`,
//! `not_sent` (a rule stopped it), `failed` (the provider refused it), `unknown` (it may have been accepted: never
//! repeated on its own).

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    alert,
    clock::Origin,
    db::{
        Tx,
        batch::{Insert, insert_all, values},
        q, qb,
    },
    error::{Error, Result},
    follow,
    id::{AccountId, CustomerId, EventId, FileId, LeadId, MessageId, OrgId},
    live::{self, Topic},
    quiet::Class,
    segments,
    tasks::{self, NewTask},
    template::Page,
};

pub mod attached;
pub mod by_hand;
pub mod cost;
pub mod delivery;
pub mod doubt;
pub mod foresee;
pub mod gate;
mod instead;
pub mod pace;
mod refusal;
pub mod send;
pub mod spend;
pub mod sweep;
mod trouble;
pub mod view;

pub use view::{MessageView, get, of_customer, of_lead, status_text};

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
    /// The text after a call that nobody answered.
    MissedCall,
    /// The one reminder to a caller who did not write back.
    Nudge,
    /// The one automatic answer to somebody who writes to us first.
    TextReply,
    /// The answer to HELP.
    HelpReply,
    /// The one confirmation of an opt-out (47 CFR 64.1200(a)(12)).
    StopConfirmation,
    /// Written by a person of the business.
    Manual,
    /// What a customer wrote to us.
    Incoming,
    /// "This is a test", from the control panel.
    Test,
    /// Several notices in one.
    Digest,
    /// An estimate that a person had sent.
    Estimate,
    /// A question after an estimate that nobody answered.
    EstimateFollowUp,
    /// The copy of what they signed.
    Signed,
    /// Their visit is booked, moved, cancelled, or near.
    Visit,
    /// The crew is on the way, late, or done.
    OnTheWay,
    /// An invoice that a person had sent.
    Invoice,
    /// A reminder of an invoice.
    Dunning,
    /// What they paid.
    Receipt,
}

impl Kind {
    /// After this long the message says nothing useful any more and is given up, visibly. A text that answers an
    /// enquiry has 15 minutes (trust requirement 1.1); the email promises an answer within two hours, so it has two.
    #[must_use]
    pub fn worth_sending_for(self, channel: Channel) -> Duration {
        match (self, channel) {
            (Self::AutoReply | Self::MissedCall | Self::TextReply, Channel::Sms) => Duration::minutes(15),
            (Self::HelpReply | Self::StopConfirmation, _) => Duration::minutes(5),
            (Self::AutoReply | Self::MissedCall | Self::TextReply | Self::Test, _) => Duration::hours(2),
            (Self::OnTheWay, _) => Duration::minutes(30),
            (Self::Nudge | Self::EstimateFollowUp | Self::Dunning, _) => Duration::hours(12),
            (
                Self::Manual
                | Self::OwnerNotice
                | Self::AccountNotice
                | Self::Incoming
                | Self::Digest
                | Self::Estimate
                | Self::Signed
                | Self::Visit
                | Self::Invoice
                | Self::Receipt,
                _,
            ) => Duration::hours(24),
        }
    }

    /// Which law and which hours hold for it: an answer to somebody's own enquiry is conversational (CTIA messaging
    /// principles, 5.1).
    #[must_use]
    pub fn class(self) -> Class {
        match self {
            Self::AutoReply
            | Self::MissedCall
            | Self::TextReply
            | Self::HelpReply
            | Self::StopConfirmation
            | Self::Manual
            | Self::Incoming
            | Self::Signed
            | Self::Receipt => Class::Conversational,
            Self::OwnerNotice
            | Self::AccountNotice
            | Self::Nudge
            | Self::Test
            | Self::Digest
            | Self::Estimate
            | Self::EstimateFollowUp
            | Self::Visit
            | Self::OnTheWay
            | Self::Invoice
            | Self::Dunning => Class::Informational,
        }
    }

    /// Whether a rule wrote it, and not a person, nor did a person press for it to be sent.
    #[must_use]
    pub fn is_automatic(self) -> bool {
        !matches!(self, Self::Manual | Self::Incoming | Self::Test | Self::Estimate | Self::Invoice)
    }

    /// Whether the day's budget of automatic texts stops it. The law's own answers are none of its business, nor is what
    /// follows at once from a signature or a payment.
    #[must_use]
    pub fn is_braked(self) -> bool {
        self.is_automatic() && !matches!(self, Self::HelpReply | Self::StopConfirmation | Self::Signed | Self::Receipt)
    }

    /// Whether it says nothing useful once its hour has passed: what is kept for the recipient's morning is not kept
    /// beyond that.
    #[must_use]
    pub fn has_its_hour(self) -> bool {
        matches!(self, Self::EstimateFollowUp | Self::Visit | Self::OnTheWay | Self::Dunning)
    }

    /// Whether it goes to a customer; the others go to the people of the business.
    #[must_use]
    pub fn is_for_customers(self) -> bool {
        !matches!(self, Self::OwnerNotice | Self::AccountNotice | Self::Test | Self::Digest)
    }
}

/// To us, or from us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = MessageDirection)]
pub enum Direction {
    In,
    Out,
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
    /// It came to us.
    Received,
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
    /// Not sent before then; none is at once.
    pub not_before: Option<DateTime<Utc>>,
    /// The person who wrote it.
    pub author: Option<AccountId>,
    /// The estimate, job, invoice or visit to the pay page it is about.
    pub about: Option<Uuid>,
    /// What it follows from: undone, it is not sent.
    pub event: Option<EventId>,
    /// Said later than this, it would be of no use; none is what its kind says.
    pub give_up_at: Option<DateTime<Utc>>,
    /// What goes out with it, and whether as an attachment or behind its link.
    pub files: Vec<(FileId, bool)>,
}

impl NewMessage {
    /// Words for one address, to be sent at once.
    #[must_use]
    pub fn new(id: MessageId, channel: Channel, kind: Kind, to: String, body: String, dedupe_key: String) -> Self {
        Self {
            id,
            lead: None,
            customer: None,
            channel,
            kind,
            to,
            subject: None,
            body,
            page: None,
            dedupe_key,
            not_before: None,
            author: None,
            about: None,
            event: None,
            give_up_at: None,
            files: Vec::new(),
        }
    }

    fn due(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.not_before.unwrap_or(now).max(now)
    }

    fn deadline(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.give_up_at.unwrap_or_else(|| self.due(now) + self.kind.worth_sending_for(self.channel))
    }
}

/// Stores messages as `queued` together with the tasks that carry them, all in the open transaction. A message whose
/// key is already there is left out: one intent, one message. Returns the ids that are new.
pub async fn queue(tx: &mut Tx, origin: &Origin, org: OrgId, messages: &[NewMessage]) -> Result<Vec<MessageId>> {
    let stored = store(tx, origin, org, messages).await?;
    tasks::enqueue(tx, origin, wakeups(origin, org, messages, &stored)).await?;
    Ok(stored)
}

/// The tasks of messages that were just stored; they belong into the same transaction.
pub(crate) fn wakeups(origin: &Origin, org: OrgId, messages: &[NewMessage], stored: &[MessageId]) -> Vec<NewTask> {
    let now = origin.now();
    let new = messages.iter().filter(|m| stored.contains(&m.id));
    new.map(|m| wakeup(org, m.id, m.due(now), "0")).collect()
}

fn segments_of(message: &NewMessage) -> Option<i64> {
    let counted = || i64::try_from(segments::count(&message.body).segments).unwrap_or(i64::MAX);
    (message.channel == Channel::Sms).then(counted)
}

/// Stores messages without the tasks that carry them: see [`queue`] and [`wakeups`].
pub(crate) async fn store(tx: &mut Tx, origin: &Origin, org: OrgId, messages: &[NewMessage]) -> Result<Vec<MessageId>> {
    if messages.is_empty() {
        return Ok(Vec::new());
    }
    let now = origin.now();
    let stored = qb!(&mut *tx, fetch_all scalar MessageId, |b| {
        b.push(
            "INSERT INTO message (org_id, id, lead_id, customer_id, direction, channel, kind, class, to_address, subject,
                 body, page, status, dedupe_key, account_id, attempts, fence, next_attempt_at, deadline_at, doubt_checks,
                 segments, created_at, about_id, event_id) ",
        );
        b.push_values(messages, |mut row, m| {
            row.push_bind(org).push_bind(m.id).push_bind(m.lead).push_bind(m.customer).push_bind(Direction::Out);
            row.push_bind(m.channel).push_bind(m.kind).push_bind(m.kind.class()).push_bind(m.to.as_str());
            row.push_bind(m.subject.as_deref()).push_bind(m.body.as_str()).push_bind(m.page.as_ref().map(Json));
            row.push_bind(Status::Queued).push_bind(m.dedupe_key.as_str()).push_bind(m.author);
            row.push_bind(0_i64).push_bind(0_i64).push_bind(m.due(now)).push_bind(m.deadline(now)).push_bind(0_i64);
            row.push_bind(segments_of(m)).push_bind(now).push_bind(m.about).push_bind(m.event);
        });
        b.push(" ON CONFLICT (org_id, dedupe_key) DO NOTHING RETURNING id");
    })?;
    let with_files = messages.iter().filter(|m| stored.contains(&m.id));
    let files = with_files.flat_map(|m| m.files.iter().map(|(file, attached)| values![org, m.id, *file, *attached]));
    let files = Insert::into("message_file (org_id, message_id, file_id, is_attached)").rows(files);
    insert_all(tx, &[files]).await?;
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

/// Stops what rules still wanted to write to this customer by itself: somebody is talking to them now.
pub async fn stop_rules(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId, why: &str) -> Result<()> {
    let stopped = q!(
        &mut *tx,
        fetch_all as (MessageId, Option<LeadId>),
        "UPDATE message SET status = 'not_sent', reason = $3, fence = fence + 1
         WHERE org_id = $1 AND customer_id = $2 AND direction = 'out' AND status IN ('queued', 'held')
             AND kind IN ('nudge', 'missed_call', 'text_reply')
         RETURNING id, lead_id",
        org,
        customer,
        why
    )?;
    all_settled(tx, origin, org, stopped).await?;
    follow::stop_talk(tx, origin, org, customer, why).await
}

/// Stops the reminder of a customer who has written back.
pub async fn stop_nudges(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId) -> Result<()> {
    let stopped = q!(
        &mut *tx,
        fetch_all as (MessageId, Option<LeadId>),
        "UPDATE message SET status = 'not_sent', reason = 'they wrote back', fence = fence + 1
         WHERE org_id = $1 AND customer_id = $2 AND direction = 'out' AND status IN ('queued', 'held') AND kind = 'nudge'
         RETURNING id, lead_id",
        org,
        customer
    )?;
    all_settled(tx, origin, org, stopped).await
}

/// Stops everything that still waits to be texted to `address`, whoever wrote it: they said STOP.
pub async fn stop_all_to(tx: &mut Tx, origin: &Origin, org: OrgId, address: &str, why: &str) -> Result<()> {
    let stopped = q!(
        &mut *tx,
        fetch_all as (MessageId, Option<LeadId>),
        "UPDATE message SET status = 'not_sent', reason = $3, fence = fence + 1
         WHERE org_id = $1 AND to_address = $2 AND channel = 'sms' AND direction = 'out' AND status IN ('queued', 'held')
         RETURNING id, lead_id",
        org,
        address,
        why
    )?;
    alert::not_to_be_texted(tx, origin, org, address).await?;
    all_settled(tx, origin, org, stopped).await
}

/// Stops what rules still wanted to say about a thing at its hour; what a person sent, and what confirms a deed, goes.
pub(crate) async fn stop_about(tx: &mut Tx, origin: &Origin, org: OrgId, about: Uuid, why: &str) -> Result<()> {
    let waiting = q!(
        &mut *tx,
        fetch_all as (MessageId, Kind),
        "SELECT id, kind FROM message WHERE org_id = $1 AND about_id = $2 AND status IN ('queued', 'held')
             AND direction = 'out'",
        org,
        about
    )?;
    let stopped = waiting.into_iter().filter(|(_, kind)| kind.has_its_hour()).map(|(id, _)| id).collect();
    stop_each(tx, origin, org, stopped, why).await
}

/// Stops what follows from a change that was taken back.
pub(crate) async fn stop_of_event(tx: &mut Tx, origin: &Origin, org: OrgId, event: EventId, why: &str) -> Result<()> {
    let waiting = q!(
        &mut *tx,
        fetch_all scalar MessageId,
        "SELECT id FROM message WHERE org_id = $1 AND event_id = $2 AND status IN ('queued', 'held')",
        org,
        event
    )?;
    stop_each(tx, origin, org, waiting, why).await
}

async fn stop_each(tx: &mut Tx, origin: &Origin, org: OrgId, waiting: Vec<MessageId>, why: &str) -> Result<()> {
    for id in waiting {
        let stopped = q!(
            &mut *tx,
            fetch_all as (MessageId, Option<LeadId>),
            "UPDATE message SET status = 'not_sent', reason = $3, fence = fence + 1
             WHERE org_id = $1 AND id = $2 AND status IN ('queued', 'held') RETURNING id, lead_id",
            org,
            id,
            why
        )?;
        all_settled(tx, origin, org, stopped).await?;
    }
    Ok(())
}

/// After messages changed together: see [`settled`].
async fn all_settled(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    stopped: Vec<(MessageId, Option<LeadId>)>,
) -> Result<()> {
    for (id, lead) in stopped {
        settled(tx, origin, org, lead, id).await?;
    }
    Ok(())
}

/// Takes back a message that has not left yet.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it has left or is leaving.
pub async fn cancel(tx: &mut Tx, origin: &Origin, org: OrgId, id: MessageId, who: &str) -> Result<MessageView> {
    let before = get(&mut *tx, org, id).await?;
    let why = format!("cancelled by {who}");
    let sql = "UPDATE message SET status = 'not_sent', reason = $3, fence = fence + 1
         WHERE org_id = $1 AND id = $2 AND direction = 'out' AND status IN ('queued', 'held')";
    if q!(&mut *tx, execute, sql, org, id, why)? == 0 {
        return Err(Error::Conflict("This message has already left or is leaving right now."));
    }
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
    }
    live::announce(tx, origin, org, Topic::Message, id.0, lead.map(|lead| lead.0)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_surely_not_on_its_way_may_be_repeated_by_hand() {
        use Status::{Delivered, Failed, Filed, Held, NotSent, Queued, Received, Sending, Sent, Unknown};
        for status in [Queued, Sending, Sent, Delivered, Filed, Held, NotSent, Failed, Unknown, Received] {
            assert_eq!(status.is_retryable(), matches!(status, Failed | Unknown | NotSent), "{status:?}");
        }
    }
}
