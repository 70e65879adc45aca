//! Conversation with one customer: the last message, its author, and whether an answer is due. A request by a form begins
//! one, as a text or a call does.
//!
//! The row is updated with every message, so the inbox is one read. Rules check it before writing: they stop when
//! people are talking.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    documents::template::Language,
    domain::{
        intake::{
            contact_point::set_aside::{LastInboundContact, SetAsideContacts},
            customer::{
                self,
                listener::{CustomerEvent, notify_customer_listeners},
            },
            lead::customer::sms_refusal::sms_refusal_cutoff,
        },
        messaging::message::MessageChannel,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, batch::Insert, batch_row, insert_row, q},
        error::{Error, Result},
        id::{AccountId, CustomerId, LeadId, OrgId},
        live::{self, Topic},
        phone::Phone,
    },
};

pub mod booking_invitation;
pub mod customer_question;
pub(crate) mod entries;
pub(crate) mod held_form;
pub mod inbox;
pub mod timeline;
pub mod write;

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

pub(crate) async fn is_awaiting_reply(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<bool> {
    let sql =
        "SELECT EXISTS (SELECT 1 FROM conversation WHERE org_id = $1 AND customer_id = $2 AND last_in_at IS NOT NULL
        AND (last_by_person_at IS NULL OR last_by_person_at < last_in_at)
        AND (settled_at IS NULL OR settled_at < last_in_at))";
    Ok(q!(conn, fetch_one scalar bool, sql, org, customer)?)
}

/// The last message was handled automatically and confirmed: no answer is due, and it is read.
pub(crate) async fn mark_answered(tx: &mut Tx, org: OrgId, customer: CustomerId) -> Result<()> {
    let sql =
        "UPDATE conversation SET settled_at = last_in_at, unread = CASE WHEN unread > 0 THEN unread - 1 ELSE 0 END
         WHERE org_id = $1 AND customer_id = $2";
    q!(tx, execute, sql, org, customer)?;
    Ok(())
}

/// A keyword such as STOP asks for nothing: nobody waits because of it who did not wait before.
pub(crate) async fn settle_keyword(tx: &mut Tx, org: OrgId, customer: CustomerId) -> Result<()> {
    let sql = "UPDATE conversation SET settled_at = last_in_at WHERE org_id = $1 AND customer_id = $2";
    q!(tx, execute, sql, org, customer)?;
    Ok(())
}

/// A person says that the customer is answered, or wants no answer. Everything is read.
pub(crate) async fn settle_by_person(tx: &mut Tx, origin: &ClockRng, org: OrgId, customer: CustomerId) -> Result<()> {
    let sql = "UPDATE conversation SET settled_at = last_in_at, unread = 0
         WHERE org_id = $1 AND customer_id = $2 AND (last_in_at IS NOT NULL OR unread > 0)";
    if q!(&mut *tx, execute, sql, org, customer)? > 0 {
        live::publish_event(tx, origin, org, Topic::Conversation, customer.0, None).await?;
    }
    Ok(())
}

/// What the undo of a mark puts back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, sqlx::FromRow)]
pub(crate) struct ConversationAnswerState {
    pub settled_at: Option<DateTime<Utc>>,
    pub unread: i64,
    pub snoozed_until: Option<DateTime<Utc>>,
}

/// None without a conversation.
pub(crate) async fn find_answer_state(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Option<ConversationAnswerState>> {
    let sql = "SELECT settled_at, unread, snoozed_until FROM conversation WHERE org_id = $1 AND customer_id = $2";
    Ok(q!(conn, fetch_optional as ConversationAnswerState, sql, org, customer)?)
}

/// Takes back [`settle_by_person`], unless somebody has settled the conversation again since. Without a text or a call
/// there is no time of the settlement: then only what is unread comes back.
pub(crate) async fn restore_answer_state(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    settled_to: Option<DateTime<Utc>>,
    (settled_at, unread): (Option<DateTime<Utc>>, i64),
) -> Result<()> {
    let sql = "UPDATE conversation SET settled_at = $4, unread = $5
         WHERE org_id = $1 AND customer_id = $2
             AND (settled_at = $3 OR (CAST($3 AS TIMESTAMPTZ) IS NULL AND settled_at IS NULL AND unread = 0))";
    if q!(&mut *tx, execute, sql, org, customer, settled_to, settled_at, unread)? > 0 {
        live::publish_event(tx, origin, org, Topic::Conversation, customer.0, None).await?;
    }
    Ok(())
}

/// Out of sight until then, or until they write; None wakes it up.
pub(crate) async fn set_snooze(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    until: Option<DateTime<Utc>>,
) -> Result<()> {
    let sql = "UPDATE conversation SET snoozed_until = $3 WHERE org_id = $1 AND customer_id = $2";
    if q!(&mut *tx, execute, sql, org, customer, until)? > 0 {
        live::publish_event(tx, origin, org, Topic::Conversation, customer.0, None).await?;
    }
    Ok(())
}

/// A request that is stored with no event of its own ends the snooze, as a text, call or form does.
pub(crate) async fn end_snooze(tx: &mut Tx, origin: &ClockRng, org: OrgId, customer: CustomerId) -> Result<()> {
    let sql = "UPDATE conversation SET snoozed_until = NULL
         WHERE org_id = $1 AND customer_id = $2 AND snoozed_until IS NOT NULL";
    if q!(&mut *tx, execute, sql, org, customer)? > 0 {
        live::publish_event(tx, origin, org, Topic::Conversation, customer.0, None).await?;
    }
    Ok(())
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

/// What is to change; what is absent stays, null takes away.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ThreadChange)]
pub struct ConversationPatch {
    /// Whose it is from now on.
    #[serde(default, deserialize_with = "crate::platform::text::given")]
    #[schema(value_type = Option<uuid::Uuid>)]
    pub assigned_to: Option<Option<AccountId>>,
    /// Out of sight until then, or until they write.
    #[serde(default, deserialize_with = "crate::platform::text::given")]
    #[schema(value_type = Option<DateTime<Utc>>)]
    pub snoozed_until: Option<Option<DateTime<Utc>>>,
    pub is_closed: Option<bool>,
    /// No rule writes to a blocked customer.
    pub is_blocked: Option<bool>,
    /// Staff or a relative: no rule writes to them either.
    pub is_staff: Option<bool>,
    /// The language of the rules' words to them.
    #[serde(default, deserialize_with = "crate::platform::text::given")]
    #[schema(value_type = Option<Language>)]
    pub language: Option<Option<Language>>,
}

/// # Errors
/// [`Error::NotFound`] when the thread or the assignee does not exist.
pub async fn apply_patch(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    change: &ConversationPatch,
) -> Result<()> {
    let customer = customer::resolve_merged(&mut *tx, org, customer).await?;
    if let Some(Some(account)) = change.assigned_to {
        let sql = "SELECT EXISTS (SELECT 1 FROM account WHERE org_id = $1 AND id = $2 AND is_active)";
        if !q!(&mut *tx, fetch_one scalar bool, sql, org, account)? {
            return Err(Error::NotFound);
        }
    }
    ensure_conversation(tx, origin, org, customer).await?;
    let changed = q!(
        &mut *tx,
        execute,
        "UPDATE conversation SET assigned_account_id = CASE WHEN $3 THEN $4 ELSE assigned_account_id END,
             snoozed_until = CASE WHEN $5 THEN $6 ELSE snoozed_until END, is_closed = COALESCE($7, is_closed)
         WHERE org_id = $1 AND customer_id = $2",
        org,
        customer,
        change.assigned_to.is_some(),
        change.assigned_to.flatten(),
        change.snoozed_until.is_some(),
        change.snoozed_until.flatten(),
        change.is_closed
    )?;
    if changed == 0 {
        return Err(Error::NotFound);
    }
    let flags = (change.is_blocked, change.is_staff);
    let language = (change.language.is_some(), change.language.flatten());
    customer::customer_flags::store_flags(&mut *tx, org, customer, flags, language).await?;
    notify_customer_listeners(&mut *tx, origin, org, CustomerEvent::Changed(customer)).await?;
    live::publish_event(tx, origin, org, Topic::Conversation, customer.0, None).await
}

/// Ensures that the thread exists: a customer of a list, or whose only form is held, has none.
async fn ensure_conversation(tx: &mut Tx, origin: &ClockRng, org: OrgId, customer: CustomerId) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO conversation (org_id, customer_id, lead_id, last_at, last_preview, last_kind, unread, is_closed)
         SELECT c.org_id, c.id, (SELECT l.id FROM lead l WHERE l.org_id = c.org_id AND l.customer_id = c.id
             ORDER BY l.created_at DESC LIMIT 1), $3, '', 'in', 0, FALSE
         FROM customer c WHERE c.org_id = $1 AND c.id = $2 ON CONFLICT (org_id, customer_id) DO NOTHING",
        org,
        customer,
        origin.now()
    )?;
    Ok(())
}

pub async fn mark_read(tx: &mut Tx, origin: &ClockRng, org: OrgId, customer: CustomerId) -> Result<()> {
    let customer = customer::resolve_merged(&mut *tx, org, customer).await?;
    let sql = "UPDATE conversation SET unread = 0 WHERE org_id = $1 AND customer_id = $2 AND unread > 0";
    if q!(&mut *tx, execute, sql, org, customer)? > 0 {
        live::publish_event(tx, origin, org, Topic::Conversation, customer.0, None).await?;
    }
    Ok(())
}
