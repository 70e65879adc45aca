//! A visit asked for by somebody whose phone and email are not proven, or in the name of a customer who has several ahead
//! already: anybody can type any address. The time is held for fifteen minutes and booked after one tap: a button behind
//! the link that was sent to them, or an answer to the text. Until then, and when nobody taps, it is a request like any
//! other.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};
use uuid::Uuid;

use super::{
    TAKEN,
    hold::{self, Held},
    take::{self, Taken},
    unproven,
};
use crate::{
    documents::template::{self, Filled, Language, Page, Variables, typed},
    domain::{
        intake::{
            contact_point,
            lead::{Intake, NewLead, Sender, booked, customer, form::service_label},
        },
        messaging::{
            alert::{self, NewAlert},
            conversation, followup,
            message::{
                self, Channel, Draft, Kind, NewMessage,
                outlook::{self, Fate},
            },
            opt_out::store as opt_out,
        },
        money::ledger,
        work::visit,
    },
    platform::{
        access_link::{self, Link},
        db::{
            AsConn, Tx,
            batch::{Insert, insert, values},
            q,
        },
        error::{Error, Result},
        id::{CrewId, CustomerId, HoldId, JobId, LeadId, MessageId, OrgId},
        phone::Phone,
    },
};

/// How long a time is held for somebody who is not proven.
pub const HELD_FOR: Duration = Duration::minutes(15);
/// The limits of the settings count this far back.
const A_DAY: Duration = Duration::hours(24);
/// Questions to one customer within a day that nobody has answered; more are not asked.
const MOST_UNANSWERED: i64 = 3;

/// What they typed of the work.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Wish {
    name: String,
    service: String,
    zip: String,
    address: Option<String>,
    notes: Option<String>,
    language: Language,
}

#[derive(FromRow)]
struct Row {
    id: HoldId,
    lead_id: LeadId,
    crew_id: CrewId,
    starts_at: DateTime<Utc>,
    ends_at: DateTime<Utc>,
    wish: Json<Wish>,
    expires_at: DateTime<Utc>,
    job_id: Option<JobId>,
}

/// What the page behind the link shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub starts_at: DateTime<Utc>,
    pub service: String,
    pub language: Language,
    pub expires_at: DateTime<Utc>,
    /// The visit, once it is booked.
    pub job: Option<JobId>,
}

/// Where a question can go. Who is named by a proven address is asked there and nowhere else.
struct Ways {
    phone: Option<Phone>,
    email: Option<String>,
}

impl Ways {
    async fn of(
        tx: &mut Tx,
        house: &Intake<'_>,
        new: &NewLead,
        (customer, language): (CustomerId, Language),
    ) -> Result<Self> {
        let (org, profile) = (house.profile.org.id, house.profile);
        if !profile.switches.automated_communications {
            return Ok(Self { phone: None, email: None });
        }
        let is_on = |kind| profile.wording(kind, language).enabled;
        let proven = booked::are_proven(&mut *tx, org, customer, new).await?;
        let (by_text, by_email) = if proven == (false, false) { (true, true) } else { proven };
        let is_texted = by_text && is_on(template::Kind::BookingQuestion);
        let mut phone = new.phone_e164.clone().filter(|phone| is_texted && phone.is_textable());
        if let Some(known) = &phone {
            let is_quiet = opt_out::find(&mut *tx, org, Channel::Sms, known.as_e164()).await?.is_some();
            let standing = conversation::standing(tx, org, customer, Some(known), house.origin.now()).await?;
            let leaves = message::sms_link::why(house.set_up.sms, profile).is_none();
            phone = phone.filter(|_| leaves && !is_quiet && standing.no_sms_since.is_none());
        }
        let email = new.email.clone().filter(|_| by_email && is_on(template::Kind::BookingQuestionEmail));
        Ok(Self { phone, email })
    }

    fn is_any(&self) -> bool {
        self.phone.is_some() || self.email.is_some()
    }
}

/// Holds the time and asks for the tap. Where nobody can be asked, or too many asked today, nothing is held and a person
/// of the business answers. Where the question waits, as for the worker, the time is held all the same, and nobody is told
/// of a tap: should the question leave in time, its link keeps the time.
pub(super) async fn ask(
    tx: &mut Tx,
    house: &Intake<'_>,
    held: &Held,
    (lead, new): (LeadId, &NewLead),
    language: Language,
    sender: &Sender,
) -> Result<Taken> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let reference = crate::domain::intake::lead::reference(lead);
    let source = booked::source(house, sender);
    ledger::hold(&mut *tx, org, lead).await?;
    let crew = take::still_free(&mut *tx, house, held).await?;
    let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
    let customer = q!(&mut *tx, fetch_one scalar CustomerId, sql, org, lead)?;
    let ways = Ways::of(&mut *tx, house, new, (customer, language)).await?;
    let may_hold = ways.is_any() && !is_over(&mut *tx, house, customer, source.as_deref()).await?;
    let expires_at = origin.now() + HELD_FOR;
    let mut is_asked = false;
    if may_hold {
        let email_ref = origin.random_uuid();
        keep_time(&mut *tx, org, held, crew, expires_at).await?;
        let row = row(house, held, crew, (lead, new), &ways, (language, email_ref, source, expires_at));
        insert(&mut *tx, &row).await?;
        let asks = Asks { house, held, customer, lead, language, name: typed::first_name(&new.name) };
        let questions = asks.send(&mut *tx, &ways, email_ref).await?;
        is_asked = leaves(&mut *tx, house, &questions).await?;
    } else {
        hold::release(&mut *tx, org, held.id).await?;
    }
    tell(tx, house, held, (customer, lead, new), is_asked).await?;
    Ok(Taken::Asked { reference, until: is_asked.then_some(expires_at) })
}

/// Whether one of the questions leaves now, as the gate and the worker stand.
async fn leaves(conn: &mut dyn AsConn, house: &Intake<'_>, questions: &[MessageId]) -> Result<bool> {
    let org = house.profile.org.id;
    for id in questions {
        let outlook = outlook::of(&mut *conn, house.origin, house.set_up, org, *id).await?;
        if outlook.is_some_and(|outlook| outlook.state == Fate::Leaves) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether this network, or all together, asked so often within a day, or this customer was asked so often in vain, that no
/// more times are held.
async fn is_over(tx: &mut Tx, house: &Intake<'_>, customer: CustomerId, source: Option<&[u8]>) -> Result<bool> {
    let (org, set) = (house.profile.org.id, &house.profile.settings.booking);
    let since = house.origin.now() - A_DAY;
    let all = "SELECT COUNT(*) FROM booking_request WHERE org_id = $1 AND created_at > $2";
    if q!(&mut *tx, fetch_one scalar i64, all, org, since)? >= set.unproven_per_day {
        return Ok(true);
    }
    let unanswered = "SELECT COUNT(*) FROM booking_request r JOIN lead l ON l.org_id = r.org_id AND l.id = r.lead_id
         WHERE r.org_id = $1 AND r.created_at > $2 AND r.confirmed_at IS NULL AND l.customer_id = $3";
    if q!(&mut *tx, fetch_one scalar i64, unanswered, org, since, customer)? >= MOST_UNANSWERED {
        return Ok(true);
    }
    let Some(source) = source else { return Ok(false) };
    let own = "SELECT COUNT(*) FROM booking_request WHERE org_id = $1 AND created_at > $2 AND source_hash = $3";
    Ok(q!(tx, fetch_one scalar i64, own, org, since, source)? >= set.unproven_per_network)
}

/// It is not one of the times that its network is choosing from any more: what is chosen next does not push it out.
async fn keep_time(tx: &mut Tx, org: OrgId, held: &Held, crew: CrewId, until: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE slot_hold SET crew_id = $3, expires_at = $4, source_hash = NULL WHERE org_id = $1 AND id = $2",
        org,
        held.id,
        crew,
        until
    )?;
    Ok(())
}

fn row<'a>(
    house: &Intake<'_>,
    held: &Held,
    crew: CrewId,
    (lead, new): (LeadId, &NewLead),
    ways: &Ways,
    (language, email_ref, source, expires_at): (Language, Uuid, Option<Vec<u8>>, DateTime<Utc>),
) -> Insert<'a> {
    let wish = Wish {
        name: new.name.clone(),
        service: new.service.clone(),
        zip: new.zip.clone(),
        address: new.address.clone(),
        notes: new.notes.clone(),
        language,
    };
    Insert::into(
        "booking_request (org_id, id, lead_id, email_ref, crew_id, starts_at, ends_at, wish, phone, email, source_hash,
             created_at, expires_at)",
    )
    .row(values![
        house.profile.org.id,
        held.id,
        lead,
        email_ref,
        crew,
        held.starts_at,
        held.ends_at,
        Json(wish),
        ways.phone.as_ref().map(|phone| phone.as_e164().to_owned()),
        ways.email.clone(),
        source,
        house.origin.now(),
        expires_at
    ])
}

/// The question, to what was typed in the form, in the business's wording. It repeats a first name and nothing else.
struct Asks<'a> {
    house: &'a Intake<'a>,
    held: &'a Held,
    customer: CustomerId,
    lead: LeadId,
    language: Language,
    name: String,
}

impl Asks<'_> {
    async fn send(&self, tx: &mut Tx, ways: &Ways, email_ref: Uuid) -> Result<Vec<MessageId>> {
        let mut messages = Vec::with_capacity(2);
        if let Some(phone) = &ways.phone {
            let link = self.link(&mut *tx, self.held.id.0).await?;
            let (filled, _) = self.words(template::Kind::BookingQuestion, &link)?;
            messages.push(self.message(Channel::Sms, phone.as_e164(), filled.body));
        }
        if let Some(email) = &ways.email {
            let link = self.link(&mut *tx, email_ref).await?;
            let (filled, variables) = self.words(template::Kind::BookingQuestionEmail, &link)?;
            let mail = self.message(Channel::Email, email, filled.body.clone());
            messages.push(mail.saying(|draft| self.framed(draft, (filled, &variables))));
        }
        message::queue(tx, self.house.origin, self.house.profile.org.id, &messages).await
    }

    async fn link(&self, tx: &mut Tx, subject: Uuid) -> Result<String> {
        let (origin, org) = (self.house.origin, self.house.profile.org.id);
        let kind = access_link::Kind::Booking;
        let id = access_link::ensure(tx, origin, org, kind, subject, Some(self.held.starts_at)).await?;
        Ok(self.house.public_url.join(&access_link::path(self.house.secret, id, kind)))
    }

    fn message(&self, channel: Channel, to: &str, body: String) -> NewMessage {
        let key = format!("booking:{}:{}", self.held.id, if channel == Channel::Sms { "sms" } else { "email" });
        let draft = Draft {
            customer: Some(self.customer),
            about: Some(self.held.id.0),
            give_up_at: Some(self.house.origin.now() + HELD_FOR),
            ..Draft::new(channel, Kind::AutoReply, to.to_owned(), body, key)
        };
        NewMessage { lead: Some(self.lead), ..draft.under(MessageId(self.house.origin.uuid())) }
    }

    fn when(&self) -> String {
        let profile = self.house.profile;
        visit::words::window(
            self.held.starts_at,
            profile.settings.jobs.arrival_minutes,
            profile.org.zone(),
            self.language,
        )
    }

    /// The business's own words, with nothing that was typed but a first name.
    fn words(&self, kind: template::Kind, link: &str) -> Result<(Filled, Variables)> {
        let org = &self.house.profile.org;
        let variables = Variables {
            language: self.language,
            business_name: org.name.clone(),
            business_phone: org.phone.clone(),
            customer_name: self.name.clone(),
            visit_time: Some(self.when()),
            visit_link: Some(link.to_owned()),
            ..Variables::default()
        };
        let wording = self.house.profile.wording(kind, self.language);
        Ok((template::render(kind, &wording, &variables)?, variables))
    }

    fn framed(&self, draft: Draft, (filled, variables): (Filled, &Variables)) -> Draft {
        let business = &self.house.profile.org.name;
        let footer = match self.language {
            Language::En => {
                format!("You get this email because somebody asked {business} for a visit and typed this address.")
            }
            Language::Es => {
                format!("Recibe este correo porque alguien pidió una visita a {business} y escribió esta dirección.")
            }
        };
        let button = template::button(template::Kind::BookingQuestionEmail, variables, &filled.body);
        let page = Page { button, footer, language: Some(self.language), ..Page::default() };
        Draft { subject: filled.subject, page: Some(page), ..draft }
    }
}

/// The business hears at once that somebody asks, and of what the same customer asks within the hour in the same alert.
async fn tell(
    tx: &mut Tx,
    house: &Intake<'_>,
    held: &Held,
    (customer, lead, new): (CustomerId, LeadId, &NewLead),
    is_held: bool,
) -> Result<()> {
    let name = customer::told_as(&mut *tx, house.profile.org.id, lead, &new.name).await?;
    let title = format!("{name} asks for a visit");
    let address = new.address.as_deref().unwrap_or_default();
    let end = if is_held { "Not booked yet: they have 15 minutes to confirm." } else { "Not booked: please answer." };
    let body = format!("{}: {}, {address}. {end}", take::when(house, held, Language::En), service_label(&new.service));
    let told = NewAlert::new(alert::Kind::NewLead, format!("booking-request:{}", held.id), title, body);
    unproven::tell(tx, house, ("request", customer), NewAlert { lead: Some(lead), ..told }).await
}

/// How somebody shows that they asked.
#[derive(Clone, Copy, Debug)]
pub enum Tap<'a> {
    /// The button behind a link of ours.
    Link(&'a Link),
    /// An answer to our text.
    Text(HoldId),
}

const COLUMNS: &str = "SELECT id, lead_id, crew_id, starts_at, ends_at, wish, expires_at, job_id
     FROM booking_request WHERE org_id = $1 AND (id = $2 OR email_ref = $2)";

/// What the link opens.
///
/// # Errors
/// [`Error::NotFound`] when there is no such request.
pub async fn get(conn: &mut dyn AsConn, org: OrgId, subject: Uuid) -> Result<Request> {
    let row = q!(conn, fetch_optional as Row, COLUMNS, org, subject)?.ok_or(Error::NotFound)?;
    Ok(Request {
        starts_at: row.starts_at,
        service: row.wish.0.service,
        language: row.wish.0.language,
        expires_at: row.expires_at,
        job: row.job_id,
    })
}

/// Books what was asked for. After the fifteen minutes too, as long as nobody else has the time. The second tap finds
/// what the first has booked.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Conflict`] when the time is not free any more.
pub async fn confirm(tx: &mut Tx, house: &Intake<'_>, tap: Tap<'_>) -> Result<JobId> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let subject = match tap {
        Tap::Link(link) => link.subject_id,
        Tap::Text(id) => id.0,
    };
    let asked = q!(&mut *tx, fetch_optional as Row, COLUMNS, org, subject)?.ok_or(Error::NotFound)?;
    // The lead before the crews, as everywhere; of two taps the second waits here.
    ledger::hold(&mut *tx, org, asked.lead_id).await?;
    let row = q!(&mut *tx, fetch_optional as Row, COLUMNS, org, subject)?.ok_or(Error::NotFound)?;
    if let Some(job) = row.job_id {
        return Ok(job);
    }
    if let Tap::Link(link) = tap {
        contact_point::answered_by_link(&mut *tx, origin, link).await?;
        if link.sent_to().is_some() {
            let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
            let customer = q!(&mut *tx, fetch_one scalar CustomerId, sql, org, row.lead_id)?;
            followup::stop_talk(&mut *tx, origin, org, customer, "they have booked a visit").await?;
        }
    }
    let held = Held {
        id: row.id,
        crew_id: row.crew_id,
        starts_at: row.starts_at,
        ends_at: row.ends_at,
        expires_at: row.expires_at,
    };
    let crew = take::still_free(&mut *tx, house, &held).await?;
    hold::release(&mut *tx, org, held.id).await?;
    let wish = row.wish.0;
    let visit =
        take::Visit { name: wish.name, service: wish.service, zip: wish.zip, address: wish.address, notes: wish.notes };
    let job = take::book(&mut *tx, house, &held, crew, row.lead_id, &visit).await?;
    let sql = "UPDATE booking_request SET confirmed_at = $3, job_id = $4 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, row.id, origin.now(), job)?;
    // Their tap says that they will be there.
    let sql = "UPDATE job SET confirmed_at = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, job, origin.now())?;
    message::stop_ended(&mut *tx, origin, org, row.id.0, "the visit is booked already").await?;
    take::tell(tx, house, &held, (job, row.lead_id), &visit).await?;
    Ok(job)
}

/// The request that a text from this number answers, if one waits.
pub(crate) async fn waiting_for(
    conn: &mut dyn AsConn,
    org: OrgId,
    phone: &Phone,
    now: DateTime<Utc>,
) -> Result<Option<HoldId>> {
    let sql = "SELECT id FROM booking_request WHERE org_id = $1 AND phone = $2 AND expires_at > $3
         AND confirmed_at IS NULL ORDER BY expires_at DESC LIMIT 1";
    Ok(q!(conn, fetch_optional scalar HoldId, sql, org, phone.as_e164(), now)?)
}

/// Words that keep a time. Short answers of both languages, as people text them.
const YES: &str = "yes y yeah yea yep yup ok okay k kk sure confirm confirmed confirming 1 please perfect great good fine works \
    absolutely definitely correct right deal see si s\u{ed} claro dale bueno perfecto confirmo confirmado confirmar vale listo acuerdo";
/// Words that refuse a time, take it back, or tell of another one, beside whatever else is said.
const NO: &str = "no not nope nah never dont don't didnt didn't wasnt wasn't cant can't wont won't wrong incorrect who what stop \
    cancel different instead unsubscribe already hired else found later another sorry but reschedule change move nevermind quit \
    cancela cancelar quien qui\u{e9}n equivocado otro otra ya";
/// Thumbs up, check marks, folded hands.
const SIGNS: [char; 5] = ['\u{1f44d}', '\u{2705}', '\u{2714}', '\u{1f44c}', '\u{1f64f}'];

/// Whether an answer keeps the time: it affirms, asks nothing and refuses nothing. The link keeps it too; what is neither
/// stays with the office. `automation::thanks` reads something else: only words of its list may stand there, and "yes" is
/// an answer that a person has to read.
pub(crate) fn says_yes(text: &str) -> bool {
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<&str> =
        lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty()).collect();
    let affirms = lower.contains(SIGNS) || is_any_of(&words, YES);
    affirms && !lower.contains(['?', '\u{bf}']) && !is_any_of(&words, NO)
}

fn is_any_of(words: &[&str], list: &str) -> bool {
    list.split_whitespace().any(|listed| words.contains(&listed))
}

/// The refusal when a time is gone, for the page.
#[must_use]
pub fn is_gone(error: &Error) -> bool {
    matches!(error, Error::Conflict(why) if *why == TAKEN)
}

#[cfg(test)]
mod tests {
    use super::says_yes;

    #[test]
    fn an_answer_keeps_the_time_unless_it_refuses_or_asks() {
        for yes in ["YES", "yes please", "Ok", "1", "\u{1f44d}", "See you Friday", "sí", "Si gracias"] {
            assert!(says_yes(yes), "{yes}");
        }
        for no in [
            "No",
            "wrong number",
            "Who is this",
            "who?",
            "I didn’t ask for this",
            "Can it be later?",
            "cancel",
            " ",
            "Already hired somebody",
            "We found someone else",
            "You have the incorrect number",
            "I am at work",
            "ok but another day please",
            "Yes, but later",
            "ya no, gracias",
            "Hello",
        ] {
            assert!(!says_yes(no), "{no}");
        }
    }
}
