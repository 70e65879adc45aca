//! What customers write to us: a text comes in, is stored once, and is read for STOP before anything else.
//!
//! Words about being texted are obeyed in the transaction that stores them: the moment it is stored, STOP holds. All
//! other words are stored with a task and answered by it, so that the provider, which waits, is answered at once.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};

use crate::{
    documents::template::Language,
    domain::{
        intake::{
            contact_point::{self, Proof},
            lead::{self, Intake, NewLead, Sender, customer, of_job},
        },
        messaging::{
            automation::{self, phone::IN_JOB, thanks},
            conversation::{self, Moved},
            followup,
            message::{self, Channel, Direction, Kind, Status, send::leaving},
            opt_out::{self, Reading},
            phone_call,
        },
        tenancy::{audit::Actor, org::Org},
        work::booking::request::{self, Tap},
    },
    platform::{
        clock::Origin,
        contact_hours::Class,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{CustomerId, LeadId, MessageId, OrgId},
        live::{self, Topic},
        phone::Phone,
        tasks::{self, NewTask},
    },
};

pub mod missed;
mod opt_out_keywords;
pub mod pictures;
mod twilio_word;

pub use twilio_word::OptOutType;

/// A customer wrote.
#[derive(Clone, Debug)]
pub struct MessageReceived {
    pub org: OrgId,
    pub lead: Option<LeadId>,
    pub message: MessageId,
    /// The clock and entropy of the change.
    pub origin: Origin,
}

/// A picture that came with a text and still lies at the provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    pub url: String,
    #[serde(rename = "type")]
    pub content_type: String,
}

impl Media {
    /// Whether it says that it is a picture; videos and cards are not kept.
    #[must_use]
    pub fn is_picture(&self) -> bool {
        self.content_type.starts_with("image/")
    }
}

/// A text as the provider hands it over.
#[derive(Clone, Debug)]
pub struct Text<'a> {
    pub provider_id: &'a str,
    pub from: &'a str,
    pub to: &'a str,
    pub body: &'a str,
    pub media: Vec<Media>,
    /// What Twilio itself says the text is. It has answered it too.
    pub opt_out_type: Option<OptOutType>,
    /// When it was sent, if that was not just now.
    pub came_at: Option<DateTime<Utc>>,
}

/// Whether a text is about being texted, and must be obeyed before the provider is answered. `business` is the name of
/// whom it is for.
#[must_use]
pub fn is_about_texting(text: &Text<'_>, business: &str) -> bool {
    text.opt_out_type.is_some() || opt_out::read_for(text.body, business).reading != Reading::Nothing
}

/// After a STOP is committed: waits until no text to that number can leave any more. Only then is STOP acknowledged.
pub async fn wait_until_quiet(db: &Db, org: OrgId, number: &str) -> Result<()> {
    let mut conn = db.read().await?;
    let stands = opt_out::store::find(&mut conn, org, Channel::Sms, number).await?.is_some();
    drop(conn);
    if stands { leaving::wait(db, org, number).await } else { Ok(()) }
}

/// Stores an ordinary text with the task that puts it into its conversation. The same one again changes nothing.
pub async fn receive(tx: &mut Tx, origin: &Origin, org: OrgId, text: &Text<'_>) -> Result<()> {
    let Some(id) = keep(tx, origin, org, text).await? else { return Ok(()) };
    let take = NewTask {
        org: Some(org),
        kind: tasks::Kind::TakeText,
        subject: Some(id.0),
        run_at: origin.now(),
        unique_key: format!("take:{id}"),
    };
    tasks::enqueue(tx, origin, vec![take]).await.map(|_| ())
}

/// Whose text this is, if it is stored.
pub async fn org_of_text(conn: &mut dyn AsConn, id: MessageId) -> Result<Option<Org>> {
    let sql = "SELECT o.* FROM message m JOIN org o ON o.id = m.org_id WHERE m.id = $1 AND m.direction = 'in'";
    Ok(q!(conn, fetch_optional as Org, sql, id)?)
}

#[derive(FromRow)]
struct Stored {
    provider_id: Option<String>,
    from_address: Option<String>,
    to_address: String,
    body: String,
    media: Option<Json<Vec<Media>>>,
    created_at: DateTime<Utc>,
}

/// Puts a stored text into its conversation, and lets the rules answer. Once; another time changes nothing.
pub async fn take_stored(tx: &mut Tx, intake: &Intake<'_>, id: MessageId) -> Result<()> {
    // The fence of a text that came in counts how often it was taken: whoever moves it on is the one.
    let found = q!(
        &mut *tx,
        fetch_optional as Stored,
        "UPDATE message SET fence = 1 WHERE org_id = $1 AND id = $2 AND direction = 'in' AND fence = 0
         RETURNING provider_id, from_address, to_address, body, media, created_at",
        intake.profile.org.id,
        id
    )?;
    let Some(stored) = found else { return Ok(()) };
    let text = Text {
        provider_id: stored.provider_id.as_deref().unwrap_or_default(),
        from: stored.from_address.as_deref().unwrap_or_default(),
        to: &stored.to_address,
        body: &stored.body,
        media: stored.media.map(|media| media.0).unwrap_or_default(),
        opt_out_type: None,
        came_at: Some(stored.created_at),
    };
    sort(tx, intake, &Kept { id, text: &text }).await
}

/// Takes a text in at once. The same one again changes nothing.
pub async fn take(tx: &mut Tx, intake: &Intake<'_>, text: &Text<'_>) -> Result<()> {
    // First of all, so that of two deliveries at the same instant the second waits here and then finds it known.
    let Some(id) = keep(tx, intake.origin, intake.profile.org.id, text).await? else {
        return twilio_word::obey_late(tx, intake, text).await;
    };
    let taken = "UPDATE message SET fence = 1 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, taken, intake.profile.org.id, id)?;
    sort(tx, intake, &Kept { id, text }).await
}

/// Does what the words ask for.
async fn sort(tx: &mut Tx, intake: &Intake<'_>, text: &Kept<'_>) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let Some(phone) = Phone::parse(text.from) else {
        // A short code or a name: kept, but nobody can be answered.
        return attach(tx, origin, org, text, None, None).await;
    };
    customer::takes_texts(tx, org, &phone).await?;
    let read = match text.opt_out_type {
        Some(word) => word.read(),
        None => opt_out::read_for(text.body, &intake.profile.org.name),
    };
    let matched = read.matched.as_deref();
    match read.reading {
        Reading::Stop => opt_out_keywords::stop(tx, intake, text, &phone, matched).await,
        Reading::Pause => opt_out_keywords::pause(tx, intake, text, &phone, matched).await,
        Reading::Start => opt_out_keywords::start(tx, intake, text, &phone, matched).await,
        Reading::Help => opt_out_keywords::help(tx, intake, text, &phone).await,
        Reading::Nothing => ask(tx, intake, text, phone, false).await,
    }
}

/// A text that is stored.
struct Kept<'a> {
    id: MessageId,
    text: &'a Text<'a>,
}

impl<'a> std::ops::Deref for Kept<'a> {
    type Target = Text<'a>;

    fn deref(&self) -> &Text<'a> {
        self.text
    }
}

fn key(provider_id: &str) -> String {
    format!("in:{provider_id}")
}

/// Stores the text itself; none when it is stored already.
async fn keep(tx: &mut Tx, origin: &Origin, org: OrgId, text: &Text<'_>) -> Result<Option<MessageId>> {
    let (id, now) = (MessageId(origin.uuid()), origin.now());
    let media = (!text.media.is_empty()).then(|| Json(text.media.clone()));
    let stored = q!(
        tx,
        execute,
        "INSERT INTO message (org_id, id, direction, channel, kind, class, from_address, to_address, body, status, dedupe_key,
             attempts, fence, next_attempt_at, deadline_at, doubt_checks, provider_id, media, opt_out_type, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, 0, $12, $12, 0, $13, $14, $15, $16)
         ON CONFLICT (org_id, dedupe_key) DO NOTHING",
        org,
        id,
        Direction::In,
        Channel::Sms,
        Kind::Incoming,
        Class::Conversational,
        text.from,
        text.to,
        text.body,
        Status::Received,
        key(text.provider_id),
        now,
        text.provider_id,
        media,
        text.opt_out_type,
        text.came_at.unwrap_or(now)
    )?;
    Ok((stored == 1).then_some(id))
}

/// Puts a stored text into its conversation, with the task that fetches its pictures.
async fn attach(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    text: &Kept<'_>,
    customer: Option<CustomerId>,
    lead: Option<LeadId>,
) -> Result<()> {
    let id = text.id;
    let sql = "UPDATE message SET customer_id = $3, lead_id = $4 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, customer, lead)?;
    if !text.media.is_empty() && lead.is_some() {
        let fetch = NewTask {
            org: Some(org),
            kind: tasks::Kind::FetchMedia,
            subject: Some(id.0),
            run_at: origin.now(),
            unique_key: format!("media:{id}"),
        };
        tasks::enqueue(tx, origin, vec![fetch]).await?;
    }
    tx.emit(org, MessageReceived { org, lead, message: id, origin: origin.clone() });
    live::announce(tx, origin, org, Topic::Message, id.0, lead.map(|lead| lead.0)).await
}

/// An ordinary text: a new request for work, or more about an open one.
async fn ask(tx: &mut Tx, intake: &Intake<'_>, text: &Kept<'_>, phone: Phone, is_paused: bool) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    if phone_call::is_own(intake, &phone) {
        return attach(tx, origin, org, text, None, None).await;
    }
    let known = customer::by_phone(&mut *tx, org, &phone).await?;
    if let Some((customer, _)) = &known
        && !is_paused
        && text.media.is_empty()
        && thanks::is_thanks(text.body)
        && request::waiting_for(&mut *tx, org, &phone, origin.now()).await?.is_none()
        && let Some(lead) = of_job::of_thanks(&mut *tx, org, *customer, origin.now()).await?
    {
        return thank(tx, intake, text, &phone, (*customer, lead)).await;
    }
    let number = phone.clone();
    let known = customer::caller(&mut *tx, org, &phone, text.came_at.unwrap_or(origin.now())).await?;
    let new = NewLead::from_text(phone, known.as_ref().map(|(_, name)| name.as_str()), text.body);
    let new = NewLead { may_be_opt_out: is_paused, happened_at: text.came_at, ..new };
    let visitor = Sender { is_exempt: true, ..Sender::default() };
    let taken = lead::accept(tx, intake, &new, &visitor, &[], &Actor::default()).await?;
    let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
    let customer = q!(&mut *tx, fetch_one scalar CustomerId, sql, org, taken.id)?;
    let is_theirs =
        contact_point::is_on_file(&mut *tx, org, customer, (contact_point::Kind::Phone, number.as_e164())).await?;
    if let Some(language) = Language::of_customer(&[text.body]).filter(|_| is_theirs) {
        let sql = "UPDATE customer SET language = $3 WHERE org_id = $1 AND id = $2 AND language IS NULL";
        q!(&mut *tx, execute, sql, org, customer, language)?;
    }
    attach(tx, origin, org, text, Some(customer), Some(taken.id)).await?;
    let moved = if is_theirs { Moved::In } else { Moved::InAside };
    let waited = conversation::waits(&mut *tx, org, customer).await?;
    conversation::note(tx, origin, org, customer, Some(taken.id), moved, conversation::words_of(text.body)).await?;
    if is_paused {
        return Ok(());
    }
    // A number that only a form named may be a stranger's: its text is no answer to the customer's missed call.
    if is_theirs {
        message::stop_nudges(&mut *tx, origin, org, customer).await?;
    }
    if !keeps_a_visit(&mut *tx, intake, text, &number).await? {
        return Ok(());
    }
    // The confirmation answers it. What they asked before still waits.
    if !waited {
        conversation::settle(&mut *tx, org, customer).await?;
    }
    if text.media.is_empty() { lead::take_back_touch(tx, org, taken.id).await } else { Ok(()) }
}

/// A text from the number for which a visit waits keeps it, unless it says no. A time that is gone stays a request.
async fn keeps_a_visit(tx: &mut Tx, intake: &Intake<'_>, text: &Kept<'_>, phone: &Phone) -> Result<bool> {
    let (org, at) = (intake.profile.org.id, text.came_at.unwrap_or(intake.origin.now()));
    if !request::says_yes(text.body) {
        return Ok(false);
    }
    let Some(id) = request::waiting_for(&mut *tx, org, phone, at).await? else { return Ok(false) };
    match Box::pin(request::confirm(tx, intake, Tap::Text(id))).await {
        Ok(_) => Ok(true),
        Err(e) if request::is_gone(&e) => Ok(false),
        Err(e) => Err(e),
    }
}

/// A thank-you within a job, or soon after it: part of that job's conversation, no request, and nobody is woken.
async fn thank(
    tx: &mut Tx,
    intake: &Intake<'_>,
    text: &Kept<'_>,
    phone: &Phone,
    (customer, lead): (CustomerId, LeadId),
) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let came_at = text.came_at.unwrap_or(origin.now());
    customer::uses(&mut *tx, org, customer, (Some(phone), None), Proof::Texted, came_at).await?;
    attach(tx, origin, org, text, Some(customer), Some(lead)).await?;
    conversation::note(tx, origin, org, customer, Some(lead), Moved::In, text.body).await?;
    message::stop_nudges(tx, origin, org, customer).await?;
    followup::stop_talk(tx, origin, org, customer, "they have been in touch").await?;
    let saw = serde_json::json!({ "thanks": true });
    let silent = automation::not_sent("text_reply", Channel::Sms, IN_JOB, saw);
    automation::carry_out(tx, origin, org, lead, "text_received", vec![silent]).await
}
