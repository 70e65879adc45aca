//! A lead: one request for work. Comes in by a public form, is stored, and sets the rules going.
//!
//! The same person (normalised phone or email) asking again while a lead is open adds a touch to that lead.

use std::net::IpAddr;

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use utoipa::ToSchema;

use crate::{
    alert,
    audit::{self, Action, Actor},
    automation::{self, Facts, Told, phone::Talk},
    clock::Origin,
    db::{
        AsConn, Tx,
        batch::{Insert, insert_all, values},
        q,
    },
    error::Result,
    follow,
    id::{CustomerId, LeadId, MessageId, OrgId, PhotoId, TouchId},
    live::{self, Topic},
    message::{self, Channel},
    opt_out,
    org::Profile,
    secret::SecretKey,
    settings::PublicUrl,
    thread,
};

pub(crate) mod booked;
pub mod consent;
pub mod customer;
pub mod export;
pub mod form;
pub mod release;
pub mod view;

pub use form::{Attribution, Form, LeadForm, NewCustomer, NewLead, QuoteForm};
pub use release::{hold_again, release};

/// A public form sent sooner than this after it was opened was not filled in by a person (trust requirement 61).
const FASTEST_PERSON: Duration = Duration::seconds(3);
/// An emergency is one for so long after they wrote of it.
const LATELY: Duration = Duration::hours(12);
/// Requests an hour from one network, and to one org, that are answered by themselves; more are held for a person.
const HOURLY_PER_SOURCE: i64 = 10;
const HOURLY_PER_ORG: i64 = 100;
/// Requests an hour to one org that are answered by email at least.
const HOURLY_EMAILED: i64 = 400;
/// Why a request is held that came with too many others. An email costs nothing, so it is answered by email, in words
/// that hold nothing of what was typed: or strangers could have us send their own words to anybody.
pub(crate) const FLOODED: &str = "more than 100 requests came in within an hour";
/// Why it is not even answered by email.
const DROWNED: &str = "more than 400 requests came in within an hour";

/// Where a lead stands on its way from request to payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[schema(as = LeadStage)]
pub enum Stage {
    New,
    Quoted,
    Scheduled,
    Done,
    Paid,
}

impl Stage {
    pub const ALL: [Self; 5] = [Self::New, Self::Quoted, Self::Scheduled, Self::Done, Self::Paid];

    /// Whether the same person asking again belongs to this lead.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::New | Self::Quoted | Self::Scheduled)
    }
}

/// Who sent a form, as far as we know.
#[derive(Clone, Debug, Default)]
pub struct Sender {
    pub ip: Option<IpAddr>,
    pub user_agent: Option<String>,
    /// A request straight from this machine: the hourly limits and the fastest-person rule do not apply.
    pub is_exempt: bool,
}

/// A photo that already lies in the file store.
#[derive(Clone, Debug)]
pub struct NewPhoto {
    pub id: PhotoId,
    pub original_name: String,
    pub width: u32,
    pub height: u32,
    /// Size of the full picture as stored.
    pub bytes: u64,
    pub full_key: String,
    pub thumb_key: String,
}

/// What taking in a lead needs to know about the house.
#[derive(Clone, Copy, Debug)]
pub struct Intake<'a> {
    pub origin: &'a Origin,
    pub secret: &'a SecretKey,
    pub public_url: &'a PublicUrl,
    pub profile: &'a Profile,
    /// Whether this install can send texts.
    pub texts_leave: bool,
}

/// What the visitor is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Created)]
pub struct Receipt {
    pub id: LeadId,
    /// The first eight characters of the id: short enough to say on the phone.
    pub reference: String,
}

impl Receipt {
    fn of(id: LeadId) -> Self {
        Self { id, reference: reference(id) }
    }
}

/// `Lead #1a2b3c4d`.
#[must_use]
pub fn reference(id: LeadId) -> String {
    id.to_string().chars().take(8).collect()
}

/// The open lead of a person, as far as the rules need it.
#[derive(Clone, Debug, sqlx::FromRow)]
struct OpenLead {
    id: LeadId,
    form: Form,
    held_reason: Option<String>,
    email: Option<String>,
    scheduled_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
}

/// Takes in one request for work: customer, lead or touch, consent, photos, and what the rules make of it, all in the
/// open transaction. `actor` is who sent it, for the audit log.
pub async fn accept(
    tx: &mut Tx,
    intake: &Intake<'_>,
    new: &NewLead,
    sender: &Sender,
    photos: &[NewPhoto],
    actor: &Actor,
) -> Result<Receipt> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let customer = customer::recognise(tx, origin, org, new).await?;
    let held = why_held(tx, intake, new, sender).await?;
    let open = if customer.is_new { None } else { find_open(tx, org, customer.id).await? };
    let touch = TouchId(origin.uuid());
    let mut rows = Vec::with_capacity(6);
    let id = match &open {
        Some(lead) => {
            add_touch(tx, origin, org, lead, new, photos.len(), held).await?;
            lead.id
        }
        None => LeadId(origin.random_uuid()),
    };
    if customer.is_new {
        rows.push(customer::row(origin, org, customer.id, new));
    }
    if open.is_none() {
        rows.push(row(origin, org, new, id, customer.id, photos.len(), held));
    }
    let source = source_hash(intake.secret, sender).filter(|_| !sender.is_exempt);
    rows.push(touch_row(origin, org, new, source, id, touch));
    rows.push(photo_rows(origin, org, id, touch, None, photos));
    if new.is_form() {
        rows.push(consent::rows(intake, new, sender, customer.id, id));
    }
    rows.push(live::event(origin, org, Topic::Lead, id.0, None));
    rows.push(audit::line(origin, actor, org, action(new.form), Some(id.0)));
    insert_all(tx, &rows).await?;
    if !customer.is_new && held.is_none() {
        let ways = (new.phone_e164.as_ref(), new.email.as_deref());
        customer::uses(tx, org, customer.id, ways, new.happened_at.unwrap_or(origin.now())).await?;
    }
    if new.form != Form::Typed && held.is_none() && !customer.is_new {
        follow::stop_talk(tx, origin, org, customer.id, "they have been in touch").await?;
    }
    if new.is_form() && held.is_none() && !customer.is_new {
        // Who asks by the form after a missed call need not be reminded of it.
        message::stop_nudges(tx, origin, org, customer.id).await?;
    }
    if held.is_some_and(|why| [FLOODED, DROWNED].contains(&why)) {
        alert::note_flood(tx, origin, org).await?;
    }
    decide(tx, intake, new, id, &customer, touch, photos.len(), open.as_ref(), held).await?;
    Ok(Receipt::of(id))
}

/// Takes in somebody whom the business typed in: a touch of their open lead, else a lead of their own. No rule answers
/// what the office types. The caller writes the audit line of what it is for.
///
/// # Errors
/// [`crate::error::Error::Invalid`] on the fields that do not fit, named `customer.name` and so on.
pub async fn typed(tx: &mut Tx, origin: &Origin, profile: &Profile, customer: &NewCustomer) -> Result<LeadId> {
    let (new, org) = (NewLead::from_typed(customer)?, profile.org.id);
    let who = customer::recognise(tx, origin, org, &new).await?;
    let open = if who.is_new { None } else { find_open(tx, org, who.id).await? };
    let mut rows = Vec::with_capacity(4);
    let id = match &open {
        Some(lead) => {
            add_touch(tx, origin, org, lead, &new, 0, None).await?;
            lead.id
        }
        None => LeadId(origin.random_uuid()),
    };
    if who.is_new {
        rows.push(customer::row(origin, org, who.id, &new));
    }
    if open.is_none() {
        rows.push(row(origin, org, &new, id, who.id, 0, None));
    }
    rows.push(touch_row(origin, org, &new, None, id, TouchId(origin.uuid())));
    rows.push(live::event(origin, org, Topic::Lead, id.0, None));
    insert_all(tx, &rows).await?;
    if !who.is_new {
        let ways = (new.phone_e164.as_ref(), new.email.as_deref());
        customer::uses(tx, org, who.id, ways, origin.now()).await?;
    }
    Ok(id)
}

fn action(form: Form) -> Action {
    match form {
        Form::Lead | Form::Booking => Action::LeadSubmitted,
        Form::Quote => Action::QuoteRequested,
        Form::Call => Action::CallMissed,
        Form::Text => Action::TextReceived,
        Form::Typed => Action::LeadTyped,
    }
}

/// Asks the rule room, and carries out what it says.
#[expect(clippy::too_many_arguments, reason = "gathers what the pure rules look at, and nothing else calls it")]
async fn decide(
    tx: &mut Tx,
    intake: &Intake<'_>,
    new: &NewLead,
    lead: LeadId,
    who: &customer::Recognised,
    touch: TouchId,
    photo_count: usize,
    open: Option<&OpenLead>,
    held: Option<&'static str>,
) -> Result<()> {
    let customer = who.id;
    let facts = Facts {
        profile: intake.profile,
        public_url: intake.public_url,
        lead,
        customer,
        touch,
        new,
        photo_count,
        language: customer::language(&mut *tx, intake.profile.org.id, who, new).await?,
        now: intake.origin.now(),
        held,
        by_hand: why_by_hand(&mut *tx, intake, customer, new).await?,
    };
    if !new.is_form() {
        return phone(tx, intake, &facts, open).await;
    }
    let (event, decisions) = match open {
        // The first request that was not held counts as the beginning.
        Some(lead) if lead.held_reason.is_some() && held.is_none() => {
            let emailed = thread::last_automatic(&mut *tx, intake.profile.org.id, customer, Channel::Email).await?;
            ("lead_created", automation::lead_created(&facts, emailed)?)
        }
        Some(lead) => {
            let org = intake.profile.org.id;
            let answered = [
                thread::last_automatic(&mut *tx, org, customer, Channel::Sms).await?,
                thread::last_automatic(&mut *tx, org, customer, Channel::Email).await?,
            ];
            let told = Told::of(&mut *tx, org, lead.id, customer).await?;
            ("lead_touched", automation::lead_touched(&facts, answered, &told)?)
        }
        None => ("lead_created", automation::lead_created(&facts, None)?),
    };
    automation::carry_out(tx, intake.origin, intake.profile.org.id, lead, event, decisions).await
}

/// Why no text can leave to somebody who may be texted from one's own phone; none when texts leave, and when nobody may
/// text them.
async fn why_by_hand(
    conn: &mut impl AsConn,
    intake: &Intake<'_>,
    customer: CustomerId,
    new: &NewLead,
) -> Result<Option<&'static str>> {
    let profile = intake.profile;
    let why = message::by_hand::why(intake.texts_leave, &profile.settings.sending);
    let (Some(why), Some(phone)) = (why, &new.phone_e164) else { return Ok(None) };
    let org = profile.org.id;
    let stands = opt_out::store::find(&mut *conn, org, Channel::Sms, phone.as_e164()).await?.is_some();
    let is_landline =
        thread::standing(conn, org, customer, Some(phone), intake.origin.now()).await?.no_sms_since.is_some();
    Ok((!stands && !is_landline).then_some(why))
}

/// The rules of the phone: a missed call, or a text.
async fn phone(tx: &mut Tx, intake: &Intake<'_>, facts: &Facts<'_>, open: Option<&OpenLead>) -> Result<()> {
    let (profile, now) = (intake.profile, facts.now);
    let org = profile.org.id;
    let emergency = &profile.settings.calls.emergency_words;
    let said = written_lately(&mut *tx, org, facts.lead, now).await?;
    let number = facts.new.phone_e164.as_ref().map_or("", |phone| phone.as_e164());
    let today = |at: DateTime<Utc>| at.with_timezone(&profile.org.zone()).date_naive();
    let talk = Talk {
        standing: thread::standing(&mut *tx, org, facts.customer, facts.new.phone_e164.as_ref(), now).await?,
        opted_out: opt_out::store::find(&mut *tx, org, Channel::Sms, number).await?.map(|out| out.state),
        last_automatic_text: thread::last_automatic(&mut *tx, org, facts.customer, Channel::Sms).await?,
        last_missed_call_text: thread::last_missed_call_text(&mut *tx, org, facts.customer).await?,
        asked_before: open.is_some(),
        told: Told::of(&mut *tx, org, facts.lead, facts.customer).await?,
        is_emergency: said.iter().any(|text| automation::emergency::is_emergency(emergency, text)),
        is_asked_about: facts.new.may_be_opt_out,
        has_work_today: open.and_then(|lead| lead.scheduled_at).is_some_and(|at| today(at) == today(now)),
    };
    let (event, decisions) = match facts.new.form {
        Form::Call => ("call_missed", automation::phone::call_missed(facts, &talk)?),
        _ => ("text_received", automation::phone::text_received(facts, &talk)?),
    };
    automation::carry_out(tx, intake.origin, org, facts.lead, event, decisions).await
}

/// What they wrote about this lead within the last hours, this time too. Of what is older the emergency is over.
async fn written_lately(tx: &mut Tx, org: OrgId, lead: LeadId, now: DateTime<Utc>) -> Result<Vec<String>> {
    let submissions = q!(
        tx,
        fetch_all scalar Json<serde_json::Value>,
        "SELECT submission FROM lead_touch WHERE org_id = $1 AND lead_id = $2 AND at > $3",
        org,
        lead,
        now - LATELY
    )?;
    let written = submissions.iter().flat_map(|said| [&said["notes"], &said["timelinePreference"]]);
    Ok(written.filter_map(|text| text.as_str().map(ToOwned::to_owned)).collect())
}

/// Why this request is kept for a person to look at instead of being answered by itself; none when it is not.
async fn why_held(tx: &mut Tx, intake: &Intake<'_>, new: &NewLead, sender: &Sender) -> Result<Option<&'static str>> {
    if new.filled_honeypot {
        return Ok(Some("a field that people cannot see was filled in, as robots do"));
    }
    if sender.is_exempt {
        return Ok(None);
    }
    let now = intake.origin.now();
    let org = &intake.profile.org;
    let age = new.form_token.as_deref().and_then(|t| intake.secret.form_age(&org.slug, t, now));
    if age.is_some_and(|age| age < FASTEST_PERSON) {
        return Ok(Some("it was sent within 3 seconds of opening the form"));
    }
    if let Some(source) = source_hash(intake.secret, sender) {
        let sent = q!(
            &mut *tx,
            fetch_one scalar i64,
            "SELECT COUNT(*) FROM lead_touch WHERE source_hash = $1 AND at > $2",
            source,
            now - Duration::hours(1)
        )?;
        if sent >= HOURLY_PER_SOURCE {
            return Ok(Some("more than 10 requests came from one network within an hour"));
        }
    }
    let sent = q!(
        tx,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM lead_touch WHERE org_id = $1 AND at > $2",
        org.id,
        now - Duration::hours(1)
    )?;
    Ok(match sent {
        HOURLY_EMAILED.. => Some(DROWNED),
        HOURLY_PER_ORG.. => Some(FLOODED),
        _ => None,
    })
}

/// Tells networks apart without keeping their addresses: IPv6 by its /64, which is one household.
fn source_hash(secret: &SecretKey, sender: &Sender) -> Option<Vec<u8>> {
    let network = match sender.ip?.to_canonical() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("{:x?}", &ip.segments()[..4]),
    };
    Some(secret.blur("source", &network))
}

async fn find_open(conn: &mut impl AsConn, org: OrgId, customer: CustomerId) -> Result<Option<OpenLead>> {
    Ok(q!(
        conn,
        fetch_optional as OpenLead,
        "SELECT id, form, held_reason, email, scheduled_at, created_at FROM lead
         WHERE org_id = $1 AND customer_id = $2 AND stage IN ('new', 'quoted', 'scheduled') ORDER BY created_at DESC LIMIT 1",
        org,
        customer
    )?)
}

fn row<'a>(
    origin: &Origin,
    org: OrgId,
    new: &'a NewLead,
    id: LeadId,
    customer: CustomerId,
    photos: usize,
    held: Option<&'static str>,
) -> Insert<'a> {
    let now = origin.now();
    Insert::into(
        "lead (org_id, id, customer_id, form, name, phone, phone_e164, email, service, zip, address, notes, timeline,
             budget, source, attribution, stage, held_reason, needs_attention, touch_count, missed_calls, photo_count,
             search, created_at, last_touch_at)",
    )
    .row(values![
        org,
        id,
        customer,
        new.form,
        new.name.as_str(),
        new.phone.as_str(),
        new.phone_e164.clone(),
        new.email.as_deref(),
        new.service.as_str(),
        new.zip.as_str(),
        new.address.as_deref(),
        new.notes.as_deref(),
        new.timeline.as_deref(),
        new.budget.as_deref(),
        new.source.as_str(),
        Json(new.attribution.clone()),
        Stage::New,
        held,
        false,
        1_i64,
        i64::from(new.form == Form::Call),
        to_i64(photos),
        new.search_text(),
        now,
        now
    ])
}

/// The same person again: the lead is touched, and what was missing from it is filled in.
async fn add_touch(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    lead: &OpenLead,
    new: &NewLead,
    photos: usize,
    held: Option<&'static str>,
) -> Result<()> {
    // A request that is itself held neither frees the lead nor changes what it says.
    let email = if held.is_none() && lead.email.is_none() { new.email.as_deref() } else { lead.email.as_deref() };
    let still_held = lead.held_reason.as_deref().filter(|_| held.is_some());
    q!(
        tx,
        execute,
        "UPDATE lead SET touch_count = touch_count + 1, photo_count = photo_count + $3, last_touch_at = $4, email = $5,
             held_reason = $6, missed_calls = missed_calls + $7
         WHERE org_id = $1 AND id = $2",
        org,
        lead.id,
        to_i64(photos),
        origin.now().max(lead.created_at),
        email,
        still_held,
        i64::from(new.form == Form::Call)
    )?;
    let says_who = new.is_form() || matches!(new.form, Form::Typed | Form::Booking);
    if says_who && matches!(lead.form, Form::Call | Form::Text) && held.is_none() {
        tell_who(tx, org, lead.id, new).await?;
    }
    Ok(())
}

/// A lead that came by phone knew a number only: the form says who it is and what for.
async fn tell_who(tx: &mut Tx, org: OrgId, lead: LeadId, new: &NewLead) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE lead SET form = $3, name = $4, service = $5, zip = $6, address = $7, notes = COALESCE($8, notes),
             timeline = $9, budget = $10, search = $11
         WHERE org_id = $1 AND id = $2",
        org,
        lead,
        new.form,
        &new.name,
        &new.service,
        &new.zip,
        new.address.as_deref(),
        new.notes.as_deref(),
        new.timeline.as_deref(),
        new.budget.as_deref(),
        new.search_text()
    )?;
    let customer = q!(
        &mut *tx,
        fetch_one scalar CustomerId,
        "UPDATE customer SET name = $3
         WHERE org_id = $1 AND id = (SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2) RETURNING id",
        org,
        lead,
        &new.name
    )?;
    customer::index(tx, org, customer).await
}

fn touch_row<'a>(
    origin: &Origin,
    org: OrgId,
    new: &'a NewLead,
    source: Option<Vec<u8>>,
    lead: LeadId,
    touch: TouchId,
) -> Insert<'a> {
    Insert::into("lead_touch (org_id, id, lead_id, at, form, service, submission, attribution, source_hash)").row(
        values![
            org,
            touch,
            lead,
            origin.now(),
            new.form,
            new.service.as_str(),
            Json(new.submission()),
            Json(new.attribution.clone()),
            source
        ],
    )
}

/// The rows of photos whose files lie in the store; `message` is the text they came with.
pub(crate) fn photo_rows<'a>(
    origin: &Origin,
    org: OrgId,
    lead: LeadId,
    touch: TouchId,
    message: Option<MessageId>,
    photos: &'a [NewPhoto],
) -> Insert<'a> {
    let now = origin.now();
    Insert::into(
        "photo (org_id, id, lead_id, touch_id, message_id, position, original_name, width, height, bytes, full_key, thumb_key, created_at)",
    )
    .rows((0_i64..).zip(photos).map(|(position, photo)| {
        values![
            org,
            photo.id,
            lead,
            touch,
            message,
            position,
            photo.original_name.as_str(),
            i64::from(photo.width),
            i64::from(photo.height),
            i64::try_from(photo.bytes).unwrap_or(i64::MAX),
            photo.full_key.as_str(),
            photo.thumb_key.as_str(),
            now
        ]
    }))
}

/// What the file store holds of these photos, thumbnails aside.
#[must_use]
pub fn photo_bytes(photos: &[NewPhoto]) -> i64 {
    photos.iter().map(|photo| i64::try_from(photo.bytes).unwrap_or(i64::MAX)).fold(0, i64::saturating_add)
}

fn to_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_is_open_until_the_work_is_done() {
        assert_eq!(Stage::ALL.map(Stage::is_open), [true, true, true, false, false]);
    }

    #[test]
    fn one_household_is_one_source() {
        let secret = SecretKey::new([1; 32]);
        let hash = |ip: &str| source_hash(&secret, &Sender { ip: Some(ip.parse().unwrap()), ..Sender::default() });
        assert_eq!(hash("2001:db8:1:2::1"), hash("2001:db8:1:2:ffff::9"));
        assert_ne!(hash("2001:db8:1:2::1"), hash("2001:db8:1:3::1"));
        assert_eq!(hash("::ffff:203.0.113.9"), hash("203.0.113.9"));
    }
}
