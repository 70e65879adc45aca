//! What customers write to us: a text comes in, is stored once, and is read for STOP before anything else.
//!
//! Words about being texted are obeyed in the transaction that stores them: the moment it is stored, STOP holds. All
//! other words are stored with a task and answered by it, so that the provider, which waits, is answered at once.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};

use crate::{
    alert,
    audit::Actor,
    call,
    clock::Origin,
    db::{AsConn, Tx, q},
    error::Result,
    id::{CustomerId, LeadId, MessageId, OrgId},
    lead::{self, Intake, NewLead, Sender, customer},
    live::{self, Topic},
    message::{self, Channel, Direction, Kind, NewMessage, Status},
    opt_out::{
        self, Reading,
        store::{self, Said, State},
    },
    org::{self, Org},
    phone::Phone,
    quiet::Class,
    tasks::{self, NewTask},
    template::{self, Language, Variables},
    thread::{self, Moved},
};

pub mod missed;
pub mod pictures;

/// HELP and STOP are answered once in this time (CTIA messaging principles, 5.1.3).
const ANSWER_ONCE_IN: Duration = Duration::hours(24);
/// STOP is confirmed within this time, or not at all.
const CONFIRM_WITHIN: Duration = Duration::minutes(5);
/// The words that Twilio answers itself on a long code (twilio.com/docs/messaging/tutorials/advanced-opt-out).
const ANSWERED_BY_TWILIO: [&str; 8] = ["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT"];

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
    /// The provider has answered this STOP, START or HELP itself.
    pub was_answered: bool,
    /// When it was sent, if that was not just now.
    pub came_at: Option<DateTime<Utc>>,
}

impl Text<'_> {
    /// Whether a word about being texted is no longer confirmed (47 CFR 64.1200(a)(12): within five minutes).
    fn is_old(&self, origin: &Origin) -> bool {
        self.came_at.is_some_and(|at| origin.now() - at > CONFIRM_WITHIN)
    }
}

/// The business behind a number of ours: its own, else the install's.
pub async fn org_of_number(
    conn: &mut impl AsConn,
    to: &str,
    install_number: Option<&str>,
    default_slug: Option<&str>,
) -> Result<Option<Org>> {
    let own = q!(&mut *conn, fetch_optional as Org, "SELECT * FROM org WHERE sms_number = $1", to)?;
    if own.is_some() || install_number.is_some_and(|number| number != to) {
        return Ok(own);
    }
    match org::resolve_public(conn, None, default_slug).await {
        Ok(org) => Ok(Some(org)),
        Err(crate::error::Error::NoBusiness) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Whether a text is about being texted, and must be obeyed before the provider is answered.
#[must_use]
pub fn is_about_texting(text: &Text<'_>) -> bool {
    text.was_answered || opt_out::read(text.body).reading != Reading::Nothing
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
pub async fn org_of_text(conn: &mut impl AsConn, id: MessageId) -> Result<Option<Org>> {
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
        was_answered: false,
        came_at: Some(stored.created_at),
    };
    sort(tx, intake, &Kept { id, text: &text }).await
}

/// Takes a text in at once. The same one again changes nothing.
pub async fn take(tx: &mut Tx, intake: &Intake<'_>, text: &Text<'_>) -> Result<()> {
    // First of all, so that of two deliveries at the same instant the second waits here and then finds it known.
    let Some(id) = keep(tx, intake.origin, intake.profile.org.id, text).await? else { return Ok(()) };
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
    let read = opt_out::read(text.body);
    let said = |state| Said { state, source: "text", matched: read.matched.as_deref() };
    match read.reading {
        Reading::Stop => stop(tx, intake, text, &phone, &said(State::Stopped)).await,
        Reading::Pause => pause(tx, intake, text, &phone, &said(State::Paused)).await,
        Reading::Start => start(tx, intake, text, &phone, &said(State::Lifted)).await,
        Reading::Help => help(tx, intake, text, &phone).await,
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
             attempts, fence, next_attempt_at, deadline_at, doubt_checks, provider_id, media, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, 0, $12, $12, 0, $13, $14, $15)
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
    live::announce(tx, origin, org, Topic::Message, id.0, lead.map(|lead| lead.0)).await
}

/// The customer behind a number, and their newest lead.
async fn partner(tx: &mut Tx, org: OrgId, phone: &Phone) -> Result<Option<(CustomerId, Option<LeadId>)>> {
    let Some((customer, _)) = customer::by_phone(&mut *tx, org, phone).await? else { return Ok(None) };
    let newest = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2 ORDER BY created_at DESC LIMIT 1";
    Ok(Some((customer, q!(tx, fetch_optional scalar LeadId, newest, org, customer)?)))
}

/// Puts a word about being texted (STOP, START, HELP) into the conversation. Nobody is alerted of it.
async fn keep_word(tx: &mut Tx, intake: &Intake<'_>, text: &Kept<'_>, phone: &Phone) -> Result<Option<CustomerId>> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let known = partner(tx, org, phone).await?;
    let (customer, lead) = match known {
        Some((customer, lead)) => {
            let at = text.came_at.unwrap_or(origin.now());
            customer::uses(&mut *tx, org, customer, (Some(phone), None), at).await?;
            (Some(customer), lead)
        }
        None if call::is_own(intake, phone) => (None, None),
        // Not a request for work, but what they said must be seen.
        None => {
            let new = NewLead::from_text(phone.clone(), None, text.body);
            let new = NewLead { happened_at: text.came_at, ..new };
            (Some(customer::meet(&mut *tx, origin, org, &new).await?), None)
        }
    };
    attach(tx, origin, org, text, customer, lead).await?;
    if let Some(customer) = customer {
        thread::note(tx, origin, org, customer, lead, Moved::In, text.body).await?;
    }
    Ok(customer)
}

/// STOP: nothing leaves for this number any more, from this moment.
async fn stop(tx: &mut Tx, intake: &Intake<'_>, text: &Kept<'_>, phone: &Phone, said: &Said<'_>) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let before = store::find(&mut *tx, org, Channel::Sms, phone.as_e164()).await?;
    store::record(tx, origin, org, Channel::Sms, phone.as_e164(), said).await?;
    message::stop_all_to(tx, origin, org, phone.as_e164(), "they said STOP").await?;
    let customer = keep_word(tx, intake, text, phone).await?;
    let word = text.body.trim().to_uppercase();
    let is_answered = text.was_answered || ANSWERED_BY_TWILIO.contains(&word.as_str());
    let is_first = before.is_none_or(|out| out.state != State::Stopped);
    if is_first && !is_answered && !text.is_old(intake.origin) {
        answer(tx, intake, text, phone, customer, template::Kind::StopConfirmation, Kind::StopConfirmation).await?;
    }
    Ok(())
}

/// Words that may be an opt-out: quiet at once, and a person of the business decides.
async fn pause(tx: &mut Tx, intake: &Intake<'_>, text: &Kept<'_>, phone: &Phone, said: &Said<'_>) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    store::record(tx, origin, org, Channel::Sms, phone.as_e164(), said).await?;
    let why = "they may have asked to stop; nothing is sent until you have looked";
    message::stop_all_to(tx, origin, org, phone.as_e164(), why).await?;
    ask(tx, intake, text, phone.clone(), true).await?;
    // The question holds what they wrote, so it is the only alert.
    alert::note_doubt(tx, origin, intake.profile, phone, text.provider_id, text.body).await
}

/// START takes a STOP back, as the one who said it.
async fn start(tx: &mut Tx, intake: &Intake<'_>, text: &Kept<'_>, phone: &Phone, said: &Said<'_>) -> Result<()> {
    let org = intake.profile.org.id;
    let Some(out) = store::find(&mut *tx, org, Channel::Sms, phone.as_e164()).await? else {
        // "Yes" to a question of ours, not to being texted.
        return ask(tx, intake, text, phone.clone(), false).await;
    };
    if text.came_at.is_some_and(|at| at <= out.since) {
        // We hear of it late: they have said STOP since.
        return keep_word(tx, intake, text, phone).await.map(|_| ());
    }
    store::record(tx, intake.origin, org, Channel::Sms, phone.as_e164(), said).await?;
    keep_word(tx, intake, text, phone).await.map(|_| ())
}

async fn help(tx: &mut Tx, intake: &Intake<'_>, text: &Kept<'_>, phone: &Phone) -> Result<()> {
    let org = intake.profile.org.id;
    let customer = keep_word(tx, intake, text, phone).await?;
    let since = intake.origin.now() - ANSWER_ONCE_IN;
    let answered = q!(
        &mut *tx,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message WHERE org_id = $1 AND to_address = $2 AND kind = 'help_reply' AND created_at > $3)",
        org,
        phone.as_e164(),
        since
    )?;
    if answered || text.was_answered || text.is_old(intake.origin) {
        return Ok(());
    }
    answer(tx, intake, text, phone, customer, template::Kind::HelpReply, Kind::HelpReply).await
}

/// Answers a word about being texted.
async fn answer(
    tx: &mut Tx,
    intake: &Intake<'_>,
    text: &Kept<'_>,
    phone: &Phone,
    customer: Option<CustomerId>,
    wording: template::Kind,
    kind: Kind,
) -> Result<()> {
    let (origin, org) = (intake.origin, &intake.profile.org);
    let language = Language::of_customer(&[text.body]).unwrap_or_default();
    let variables = Variables {
        language,
        business_name: org.name.clone(),
        business_phone: org.phone.clone().or_else(|| org.sms_number.clone()),
        ..Variables::default()
    };
    let filled = template::render(wording, &intake.profile.wording(wording, language), &variables)?;
    let reply = NewMessage {
        customer,
        ..NewMessage::new(
            MessageId(origin.uuid()),
            Channel::Sms,
            kind,
            phone.as_e164().to_owned(),
            filled.body,
            format!("answer:{}", text.provider_id),
        )
    };
    message::queue(tx, origin, org.id, &[reply]).await?;
    Ok(())
}

/// An ordinary text: a new request for work, or more about an open one.
async fn ask(tx: &mut Tx, intake: &Intake<'_>, text: &Kept<'_>, phone: Phone, is_paused: bool) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    if call::is_own(intake, &phone) {
        return attach(tx, origin, org, text, None, None).await;
    }
    let known = customer::by_phone(&mut *tx, org, &phone).await?;
    let new = NewLead::from_text(phone, known.as_ref().map(|(_, name)| name.as_str()), text.body);
    let new = NewLead { may_be_opt_out: is_paused, happened_at: text.came_at, ..new };
    let visitor = Sender { is_exempt: true, ..Sender::default() };
    let taken = lead::accept(tx, intake, &new, &visitor, &[], &Actor::default()).await?;
    let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
    let customer = q!(&mut *tx, fetch_one scalar CustomerId, sql, org, taken.id)?;
    if let Some(language) = Language::of_customer(&[text.body]) {
        let sql = "UPDATE customer SET language = $3 WHERE org_id = $1 AND id = $2 AND language IS NULL";
        q!(&mut *tx, execute, sql, org, customer, language)?;
    }
    attach(tx, origin, org, text, Some(customer), Some(taken.id)).await?;
    let shown = if text.body.trim().is_empty() { "Sent a picture" } else { text.body };
    thread::note(tx, origin, org, customer, Some(taken.id), Moved::In, shown).await?;
    if !is_paused {
        message::stop_nudges(tx, origin, org, customer).await?;
    }
    Ok(())
}
