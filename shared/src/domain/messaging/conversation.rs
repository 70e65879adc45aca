//! Conversation with one customer: the last message, its author, and whether an answer is due. A request by a form begins
//! one, as a text or a call does.
//!
//! The row is updated with every message, so the inbox is one read. Rules check it before writing: they stop when
//! people are talking.

use chrono::{DateTime, Utc};

use crate::{
    documents::template::Language,
    domain::{
        intake::{
            contact_point::{LastInboundContact, SetAsideContacts},
            customer::{CustomerEvent, notify_customer_listeners, sms_refusal_cutoff},
        },
        messaging::message::MessageChannel,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, batch::Insert, batch_row, insert_row, q},
        error::{Error, Result},
        id::{CustomerId, LeadId, OrgId},
        live::{self, Topic},
        phone::Phone,
    },
};

mod answer_state;
pub mod booking_invitation;
pub mod customer_question;
pub(crate) mod entries;
pub(crate) mod held_form;
pub mod inbox;
mod patch;
pub mod timeline;
pub mod write;

pub use answer_state::mark_read;
pub(crate) use answer_state::{
    end_snooze, find_answer_state, find_awaiting_since, is_awaiting_reply, mark_answered, restore_answer_state,
    set_snooze, settle_by_person, settle_keyword,
};
pub use customer_question::{CustomerQuestion, record_question, truncate_for_alert};
pub use patch::{ConversationPatch, apply_patch};
pub(crate) use write::store_paper_text;

const PREVIEW: usize = 140;
pub(crate) const MISSED_CALL: &str = "Missed call";
pub(crate) const ANSWERED_CALL: &str = "Call answered";
const PICTURE: &str = "Sent a picture";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversationEvent {
    In,
    /// A message from a number that is set aside (`contact_point::set_aside`), perhaps a stranger's.
    InAside,
    /// A rule wrote to the customer.
    Out,
    ByPerson,
    MissedCall,
    AnsweredCall,
    /// A request by a form. `last_in_at` is the time of texts and calls only: whether a form waits is read from its lead
    /// (`growth/worklist`).
    Form,
}

impl ConversationEvent {
    /// Value of `last_kind`.
    pub(crate) fn last_kind(self) -> &'static str {
        match self {
            Self::In | Self::InAside => "in",
            Self::Out | Self::ByPerson => "out",
            Self::MissedCall | Self::AnsweredCall => "call",
            Self::Form => "form",
        }
    }

    /// The customer texted, wrote or called.
    pub(crate) fn is_inbound(self) -> bool {
        matches!(self, Self::In | Self::InAside | Self::MissedCall | Self::AnsweredCall)
    }

    /// Reopens a closed or snoozed thread.
    pub(crate) fn reopens_thread(self) -> bool {
        self.is_inbound() || self == Self::Form
    }

    /// Marks the thread as read.
    pub(crate) fn is_from_staff(self) -> bool {
        matches!(self, Self::ByPerson | Self::AnsweredCall)
    }

    pub(crate) fn counts_as_unread(self) -> bool {
        matches!(self, Self::In | Self::InAside | Self::MissedCall | Self::Form)
    }
}

fn build_preview(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(PREVIEW).collect()
}

pub(crate) fn text_or_placeholder(body: &str) -> &str {
    if body.trim().is_empty() { PICTURE } else { body }
}

/// A customer's message, call or form reopens a closed or snoozed thread and is unread; a person's reply marks it read.
pub async fn record_event(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    lead: Option<LeadId>,
    moved: ConversationEvent,
    words: &str,
) -> Result<()> {
    let now = origin.now();
    let (from_them, by_us) = (moved.is_inbound(), moved.is_from_staff());
    let reopens = moved.reopens_thread();
    insert_row!(
        &mut *tx,
        execute,
        conversation {
            org_id: org,
            customer_id: customer,
            lead_id: lead,
            last_at: now,
            last_preview: build_preview(words),
            last_kind: moved.last_kind(),
            last_in_at: from_them.then_some(now),
            last_by_person_at: by_us.then_some(now),
            unread: i64::from(moved.counts_as_unread()),
            is_closed: false,
        },
        "ON CONFLICT (org_id, customer_id) DO UPDATE SET lead_id = COALESCE(excluded.lead_id, conversation.lead_id),
             last_at = excluded.last_at, last_preview = excluded.last_preview, last_kind = excluded.last_kind,
             last_in_at = COALESCE(excluded.last_in_at, conversation.last_in_at),
             last_by_person_at = COALESCE(excluded.last_by_person_at, conversation.last_by_person_at),
             unread = CASE WHEN $11 THEN 0 ELSE conversation.unread + excluded.unread END,
             is_closed = CASE WHEN $12 THEN FALSE ELSE conversation.is_closed END,
             snoozed_until = CASE WHEN $12 THEN NULL ELSE conversation.snoozed_until END",
        by_us,
        reopens
    )?;
    // The event of its lead is published with a form.
    if moved == ConversationEvent::Form {
        return Ok(());
    }
    if moved == ConversationEvent::In {
        notify_customer_listeners(&mut *tx, origin, org, CustomerEvent::Replied(customer)).await?;
    }
    live::publish_event(tx, origin, org, Topic::Conversation, customer.0, lead.map(|lead| lead.0)).await
}

/// The conversation of a new customer, whose first word is a form: written in one batch with the request.
pub(crate) fn build_form_insert<'a>(
    origin: &ClockRng,
    org: OrgId,
    (customer, lead): (CustomerId, LeadId),
    words: &str,
) -> Insert<'a> {
    batch_row!(conversation {
        org_id: org,
        customer_id: customer,
        lead_id: lead,
        last_at: origin.now(),
        last_preview: build_preview(words),
        last_kind: ConversationEvent::Form.last_kind(),
        unread: 1_i64,
        is_closed: false,
    })
}

#[derive(Clone, Debug, Default, sqlx::FromRow)]
pub struct ConversationContext {
    pub name: String,
    pub language: Option<Language>,
    pub is_staff: bool,
    pub is_blocked: bool,
    /// Since when the number in question takes no texts.
    pub sms_undeliverable_since: Option<DateTime<Utc>>,
    /// When they last rang or wrote, from an address that is theirs.
    pub last_in_at: Option<DateTime<Utc>>,
    pub last_by_person_at: Option<DateTime<Utc>>,
}

/// # Errors
/// [`Error::NotFound`] when the org has no such customer.
pub async fn load_context(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    phone: Option<&Phone>,
    now: DateTime<Utc>,
) -> Result<ConversationContext> {
    let found = q!(
        &mut *conn,
        fetch_optional as ConversationContext,
        "SELECT c.name, c.language, c.is_staff, c.is_blocked, k.sms_undeliverable_since, t.last_in_at, t.last_by_person_at
         FROM customer c LEFT JOIN conversation t ON t.org_id = c.org_id AND t.customer_id = c.id
             LEFT JOIN customer_key k ON k.org_id = c.org_id AND k.customer_id = c.id AND k.kind = 'phone'
                 AND k.value = $3 AND k.sms_undeliverable_since > $4
         WHERE c.org_id = $1 AND c.id = $2",
        org,
        customer,
        phone.map_or("", Phone::as_e164),
        sms_refusal_cutoff(now)
    )?;
    let context = found.ok_or(Error::NotFound)?;
    if context.last_in_at.is_none() {
        return Ok(context);
    }
    let last_inbound = SetAsideContacts::load_for_customer(&mut *conn, org, customer)
        .await?
        .load_last_inbound(conn, org, customer)
        .await?;
    let last_in_at = last_inbound.map_or(context.last_in_at, LastInboundContact::latest_at);
    Ok(ConversationContext { last_in_at, ..context })
}

/// Last automatic message on this channel; stopped and refused ones do not count.
pub async fn last_automatic_message_at(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    channel: MessageChannel,
) -> Result<Option<DateTime<Utc>>> {
    Ok(q!(
        conn,
        fetch_one scalar Option<DateTime<Utc>>,
        "SELECT MAX(created_at) FROM message WHERE org_id = $1 AND customer_id = $2 AND channel = $3
             AND kind IN ('auto_reply', 'missed_call', 'text_reply') AND status NOT IN ('not_sent', 'failed')",
        org,
        customer,
        channel
    )?)
}

pub async fn last_missed_call_text_at(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Option<DateTime<Utc>>> {
    Ok(q!(
        conn,
        fetch_one scalar Option<DateTime<Utc>>,
        "SELECT MAX(created_at) FROM message WHERE org_id = $1 AND customer_id = $2 AND kind = 'missed_call'
             AND status NOT IN ('not_sent', 'failed')",
        org,
        customer
    )?)
}
