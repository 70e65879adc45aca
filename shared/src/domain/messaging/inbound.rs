//! Incoming texts: stored once, and read for STOP before anything else.
//!
//! Opt-out words take effect in the transaction that stores them. Other texts are stored with a task that answers them,
//! so that the waiting provider gets its response at once.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};

use crate::{
    domain::{
        intake::customer,
        messaging::{
            affirmative_reply::is_plain_yes,
            message::{MessageChannel, MessageDirection, MessageKind, MessageStatus, send::inflight},
            opt_out::{self, TextIntent},
            sending_number::route,
        },
        tenancy::org::{Org, OrgContext},
    },
    platform::{
        clock::ClockRng,
        contact_hours::ContactClass,
        db::{AsConn, Db, Tx, insert_row, q},
        error::Result,
        id::{CustomerId, LeadId, MessageId, OrgId},
        live::{self, Topic},
        phone::Phone,
        tasks::{self, NewTask},
    },
};

pub mod catch_up;
mod confirmation_withdrawal;
pub mod inbound_media;
mod inquiry;
mod opt_out_keywords;
pub mod pending_question;
mod twilio_opt_out_type;

pub use pending_question::{PendingQuestion, TextAnswer};
pub use twilio_opt_out_type::OptOutType;

use inquiry::process_inquiry;

#[derive(Clone, Debug)]
pub struct MessageReceived {
    pub org: OrgId,
    pub lead: Option<LeadId>,
    pub message: MessageId,
    pub origin: ClockRng,
}

/// A picture of a text, still stored at the provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboundMedia {
    pub url: String,
    #[serde(rename = "type")]
    pub content_type: String,
}

impl InboundMedia {
    /// By its declared type; videos and cards are not kept.
    #[must_use]
    pub fn is_picture(&self) -> bool {
        self.content_type.starts_with("image/")
    }
}

#[derive(Clone, Debug)]
pub struct InboundSms<'a> {
    pub provider_id: &'a str,
    pub from: &'a str,
    pub to: &'a str,
    /// The install's Messaging Service, where Twilio names it as the text's.
    pub service: Option<&'a str>,
    pub body: &'a str,
    pub media: Vec<InboundMedia>,
    /// Twilio's own classification. Twilio has answered the text too.
    pub opt_out_type: Option<OptOutType>,
    /// Send time, if that was not just now.
    pub came_at: Option<DateTime<Utc>>,
}

/// Texts about being texted take effect before the provider gets its response. `business` is the addressee's name.
#[must_use]
pub fn is_consent_keyword(text: &InboundSms<'_>, business: &str) -> bool {
    text.opt_out_type.is_some()
        || opt_out::classify_text_for_business(text.body, business).intent != TextIntent::Nothing
}

/// After the commit of a STOP: waits until no text to that number can be sent any more. STOP is acknowledged only then.
pub async fn wait_for_inflight_texts(db: &Db, org: OrgId, number: &str) -> Result<()> {
    let mut conn = db.acquire_reader().await?;
    let is_opted_out = opt_out::store::find_opt_out(&mut conn, org, MessageChannel::Sms, number).await?.is_some();
    drop(conn);
    if is_opted_out { inflight::wait_for_inflight(db, org, number).await } else { Ok(()) }
}

/// Stores an ordinary text with the task that files it in its conversation. Idempotent.
pub async fn enqueue_text(tx: &mut Tx, origin: &ClockRng, org: OrgId, text: &InboundSms<'_>) -> Result<()> {
    let Some(id) = insert_text(tx, origin, org, text).await? else { return Ok(()) };
    let take = NewTask {
        org: Some(org),
        kind: tasks::TaskKind::ProcessInboundSms,
        subject: Some(id.0),
        run_at: origin.now(),
        unique_key: format!("take:{id}"),
    };
    tasks::enqueue(tx, origin, vec![take]).await.map(|_| ())
}

/// Whether the customer texted from this number after the first time, and by the second.
pub(crate) async fn has_text_from(
    conn: &mut dyn AsConn,
    org: OrgId,
    (customer, number): (CustomerId, &str),
    (after, until): (DateTime<Utc>, DateTime<Utc>),
) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message WHERE org_id = $1 AND customer_id = $2 AND created_at > $3
             AND created_at <= $4 AND direction = 'in' AND channel = 'sms' AND from_address = $5)",
        org,
        customer,
        after,
        until,
        number
    )?)
}

pub async fn find_org_of_text(conn: &mut dyn AsConn, id: MessageId) -> Result<Option<Org>> {
    let sql = "SELECT o.* FROM message m JOIN org o ON o.id = m.org_id WHERE m.id = $1 AND m.direction = 'in'";
    Ok(q!(conn, fetch_optional as Org, sql, id)?)
}

/// When another business last wrote to the sender of a stored text, where the text may be meant for that one
/// ([`route::find_other_writer_time`]). Needs a connection that sees all businesses.
pub async fn find_other_writer_of_text(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: MessageId,
) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT from_address, to_address, created_at FROM message WHERE org_id = $1 AND id = $2";
    let stored = q!(&mut *conn, fetch_optional as (Option<String>, String, DateTime<Utc>), sql, org, id)?;
    let Some((Some(from), to, at)) = stored else { return Ok(None) };
    route::find_other_writer_time(conn, org, (&from, &to), at).await
}

#[derive(FromRow)]
struct InboundSmsRow {
    provider_id: Option<String>,
    from_address: Option<String>,
    to_address: String,
    body: String,
    media: Option<Json<Vec<InboundMedia>>>,
    created_at: DateTime<Utc>,
}

/// Files a stored text in its conversation and runs the rules. Idempotent. `other_writer_at` is that of
/// [`find_other_writer_of_text`].
pub async fn process_stored_text(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    id: MessageId,
    other_writer_at: Option<DateTime<Utc>>,
) -> Result<()> {
    // `fence` of an incoming text counts how often it was taken: only the update that raises it goes on.
    let found = q!(
        &mut *tx,
        fetch_optional as InboundSmsRow,
        "UPDATE message SET fence = 1 WHERE org_id = $1 AND id = $2 AND direction = 'in' AND fence = 0
         RETURNING provider_id, from_address, to_address, body, media, created_at",
        intake.profile.org.id,
        id
    )?;
    let Some(stored) = found else { return Ok(()) };
    let text = InboundSms {
        provider_id: stored.provider_id.as_deref().unwrap_or_default(),
        from: stored.from_address.as_deref().unwrap_or_default(),
        to: &stored.to_address,
        // Texts that concern consent are handled before they are stored for a task.
        service: None,
        body: &stored.body,
        media: stored.media.map(|media| media.0).unwrap_or_default(),
        opt_out_type: None,
        came_at: Some(stored.created_at),
    };
    dispatch_text(tx, intake, &StoredInboundSms { id, text: &text, other_writer_at }).await
}

/// Handles a text at once. Idempotent. Needs a transaction that sees all businesses.
pub async fn process_text(tx: &mut Tx, intake: &OrgContext<'_>, text: &InboundSms<'_>) -> Result<()> {
    // First, so that of two simultaneous deliveries the second waits here and then finds the text known.
    let Some(id) = insert_text(tx, intake.origin, intake.profile.org.id, text).await? else {
        return twilio_opt_out_type::apply_late_opt_out(tx, intake, text).await;
    };
    let taken = "UPDATE message SET fence = 1 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, taken, intake.profile.org.id, id)?;
    let other_writer_at = find_other_writer_of_text(&mut *tx, intake.profile.org.id, id).await?;
    dispatch_text(tx, intake, &StoredInboundSms { id, text, other_writer_at }).await
}

async fn dispatch_text(tx: &mut Tx, intake: &OrgContext<'_>, text: &StoredInboundSms<'_>) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let Some(phone) = Phone::parse(text.from) else {
        // Short code or alphanumeric sender: kept, but cannot be answered.
        return attach_to_conversation(tx, origin, org, text, None, None).await;
    };
    customer::clear_sms_undeliverable(tx, org, &phone).await?;
    let read = match text.opt_out_type {
        Some(word) => word.to_classification(),
        None => opt_out::classify_text_for_business(text.body, &intake.profile.org.name),
    };
    confirmation_withdrawal::withdraw_if_denied(&mut *tx, intake, text, &phone, read.intent).await?;
    let matched = read.matched.as_deref();
    match read.intent {
        TextIntent::Stop => opt_out_keywords::process_stop(&mut *tx, intake, text, &phone, matched).await?,
        TextIntent::Pause => opt_out_keywords::process_possible_stop(&mut *tx, intake, text, &phone, matched).await?,
        TextIntent::Start => opt_out_keywords::process_start(&mut *tx, intake, text, &phone, matched).await?,
        TextIntent::Help => opt_out_keywords::process_help(&mut *tx, intake, text, &phone).await?,
        TextIntent::Nothing => process_inquiry(&mut *tx, intake, text, phone.clone(), false).await?,
    }
    let at = text.came_at.unwrap_or(origin.now());
    let other_writer_at = text.other_writer_at;
    pending_question::take_denial(tx, intake, TextAnswer { phone: &phone, body: text.body, at, other_writer_at }).await
}

struct StoredInboundSms<'a> {
    id: MessageId,
    text: &'a InboundSms<'a>,
    /// When another business wrote to the sender, where the text may be meant for that one.
    other_writer_at: Option<DateTime<Utc>>,
}

impl StoredInboundSms<'_> {
    /// Whether it says yes to this business and no other one.
    fn is_certain_yes(&self) -> bool {
        self.other_writer_at.is_none() && is_plain_yes(self.body)
    }
}

impl<'a> std::ops::Deref for StoredInboundSms<'a> {
    type Target = InboundSms<'a>;

    fn deref(&self) -> &InboundSms<'a> {
        self.text
    }
}

fn dedupe_key(provider_id: &str) -> String {
    format!("in:{provider_id}")
}

/// None when it is stored already.
async fn insert_text(tx: &mut Tx, origin: &ClockRng, org: OrgId, text: &InboundSms<'_>) -> Result<Option<MessageId>> {
    let (id, now) = (MessageId(origin.uuid_v7()), origin.now());
    let media = (!text.media.is_empty()).then(|| Json(text.media.clone()));
    let stored = insert_row!(
        tx,
        execute,
        message {
            org_id: org,
            id,
            direction: MessageDirection::In,
            channel: MessageChannel::Sms,
            kind: MessageKind::Incoming,
            class: ContactClass::Conversational,
            from_address: text.from,
            to_address: text.to,
            body: text.body,
            status: MessageStatus::Received,
            dedupe_key: dedupe_key(text.provider_id),
            attempts: 0_i64,
            fence: 0_i64,
            next_attempt_at: now,
            deadline_at: now,
            reconcile_checks: 0_i64,
            provider_id: text.provider_id,
            media,
            opt_out_type: text.opt_out_type,
            created_at: text.came_at.unwrap_or(now),
        },
        "ON CONFLICT (org_id, dedupe_key) DO NOTHING"
    )?;
    Ok((stored == 1).then_some(id))
}

async fn attach_to_conversation(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    text: &StoredInboundSms<'_>,
    customer: Option<CustomerId>,
    lead: Option<LeadId>,
) -> Result<()> {
    let id = text.id;
    let sql = "UPDATE message SET customer_id = $3, lead_id = $4 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, customer, lead)?;
    if !text.media.is_empty() && lead.is_some() {
        let fetch = NewTask {
            org: Some(org),
            kind: tasks::TaskKind::FetchMedia,
            subject: Some(id.0),
            run_at: origin.now(),
            unique_key: format!("media:{id}"),
        };
        tasks::enqueue(tx, origin, vec![fetch]).await?;
    }
    tx.emit_event(org, MessageReceived { org, lead, message: id, origin: origin.clone() });
    live::publish_event(tx, origin, org, Topic::Message, id.0, lead.map(|lead| lead.0)).await
}
