//! One conversation as a person reads it: messages, calls and forms in the order they came, and what may be said next.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::inbox::{self, Thread};
use crate::{
    customer,
    db::{AsConn, q, qb},
    error::{Error, Result},
    id::{CustomerId, LeadId, MessageId, OrgId, PhotoId, TouchId},
    lead::{self, Form, Stage, customer::refused_after},
    message::{Direction, MessageView, gate::SetUp, of_customer},
    opt_out::store::{self as opt_out, OptOut, State},
    org::settings::{Registration, Sending},
    phone::Phone,
    template::Language,
};

/// What one page holds of each kind.
const PAGE: i64 = 200;

/// The customer, as the conversation's header shows them.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerCard {
    pub id: CustomerId,
    pub name: String,
    pub phone: Option<String>,
    pub phone_shown: Option<String>,
    pub email: Option<String>,
    pub language: Option<Language>,
    pub is_staff: bool,
    pub is_blocked: bool,
    /// Since the phone network said that this number cannot be texted; it can still be rung.
    pub no_sms_since: Option<DateTime<Utc>>,
    /// They asked not to be texted, at the number that replies go to.
    pub sms_opt_out: Option<OptOut>,
    /// Replies go to the number they used last; these are theirs too.
    pub other_numbers: Vec<OtherNumber>,
    pub leads: Vec<LeadLine>,
}

/// Another number of the same person.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OtherNumber {
    pub phone: String,
    pub phone_shown: String,
    /// They asked not to be texted at this one.
    pub sms_opt_out: Option<OptOut>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeadLine {
    pub id: LeadId,
    pub reference: String,
    pub service: String,
    pub stage: Stage,
    pub created_at: DateTime<Utc>,
}

/// Whether something can be written, and if not, why and what else to do.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CanWrite {
    pub ok: bool,
    pub why: Option<String>,
    /// Opens the text app of the person's own phone, when texting from here is not possible but allowed.
    pub sms_link: Option<String>,
}

impl CanWrite {
    fn yes() -> Self {
        Self { ok: true, why: None, sms_link: None }
    }

    fn no(why: impl Into<String>) -> Self {
        Self { ok: false, why: Some(why.into()), sms_link: None }
    }
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Picture {
    pub id: PhotoId,
    pub url: String,
    pub thumb_url: String,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CallView)]
pub struct Call {
    pub id: Uuid,
    /// `ringing`, `answered`, `missed`, `hung_up` or `refused`.
    pub status: String,
    /// The same in plain words.
    pub status_text: String,
    pub started_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
}

/// One thing that happened.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schema(as = ConversationItem)]
pub enum Item {
    Message {
        at: DateTime<Utc>,
        message: Box<MessageView>,
        photos: Vec<Picture>,
    },
    Call {
        at: DateTime<Utc>,
        call: Call,
    },
    Touch {
        at: DateTime<Utc>,
        form: Form,
        service: String,
        #[serde(rename = "leadId")]
        lead_id: LeadId,
    },
}

impl Item {
    fn at(&self) -> DateTime<Utc> {
        match self {
            Self::Message { at, .. } | Self::Call { at, .. } | Self::Touch { at, .. } => *at,
        }
    }

    /// Of one instant, what they said stands before what it caused.
    fn order(&self) -> (DateTime<Utc>, bool) {
        (self.at(), matches!(self, Self::Message { message, .. } if message.direction == Direction::Out))
    }
}

/// Everything said between the business and one customer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Conversation {
    pub customer: CustomerCard,
    pub thread: Option<Thread>,
    /// Oldest first; at most the newest 200 before `before`.
    pub items: Vec<Item>,
    pub can_text: CanWrite,
    pub can_email: CanWrite,
}

/// # Errors
/// [`Error::NotFound`] when the org has no such customer.
pub async fn load(
    conn: &mut impl AsConn,
    org: OrgId,
    customer: CustomerId,
    (before, now): (Option<DateTime<Utc>>, DateTime<Utc>),
    set_up: SetUp,
    sending: &Sending,
) -> Result<Conversation> {
    // An older link may name a record that was merged into another.
    let customer = customer::standing_for(&mut *conn, org, customer).await?;
    let card = card(&mut *conn, org, customer, now).await?;
    let thread = match inbox::get(&mut *conn, org, customer).await {
        Ok(thread) => Some(thread),
        Err(Error::NotFound) => None,
        Err(e) => return Err(e),
    };
    let mut items = messages(&mut *conn, org, customer, before).await?;
    items.extend(calls(&mut *conn, org, customer, before).await?);
    items.extend(touches(conn, org, customer, before).await?);
    items.sort_by_key(Item::order);
    let first = items.len().saturating_sub(usize::try_from(PAGE).unwrap_or(usize::MAX));
    items.drain(..first);
    let (can_text, can_email) = (can_text(&card, set_up, sending), can_email(&card, set_up));
    Ok(Conversation { customer: card, thread, items, can_text, can_email })
}

#[derive(FromRow)]
struct CardRow {
    name: String,
    phone_e164: Option<String>,
    email: Option<String>,
    language: Option<Language>,
    is_staff: bool,
    is_blocked: bool,
    no_sms_since: Option<DateTime<Utc>>,
}

async fn card(conn: &mut impl AsConn, org: OrgId, id: CustomerId, now: DateTime<Utc>) -> Result<CustomerCard> {
    let row = q!(
        &mut *conn,
        fetch_optional as CardRow,
        "SELECT c.name, c.phone_e164, c.email, c.language, c.is_staff, c.is_blocked, k.no_sms_since FROM customer c
             LEFT JOIN customer_key k ON k.org_id = c.org_id AND k.customer_id = c.id AND k.kind = 'phone'
                 AND k.value = c.phone_e164 AND k.no_sms_since > $3
         WHERE c.org_id = $1 AND c.id = $2",
        org,
        id,
        refused_after(now)
    )?
    .ok_or(Error::NotFound)?;
    let numbers = opt_out::numbers(&mut *conn, org, id).await?;
    let (current, others): (Vec<_>, Vec<_>) =
        numbers.into_iter().partition(|number| Some(&number.address) == row.phone_e164.as_ref());
    let others = others.into_iter().filter_map(|number| {
        let phone_shown = Phone::parse(&number.address)?.shown().into_owned();
        Some(OtherNumber { phone_shown, sms_opt_out: number.opt_out(), phone: number.address })
    });
    let leads = q!(
        conn,
        fetch_all as (LeadId, String, Stage, DateTime<Utc>),
        "SELECT id, service, stage, created_at FROM lead WHERE org_id = $1 AND customer_id = $2 ORDER BY created_at DESC LIMIT 20",
        org,
        id
    )?;
    let leads = leads.into_iter().map(|(id, service, stage, created_at)| LeadLine {
        id,
        reference: lead::reference(id),
        service,
        stage,
        created_at,
    });
    let parsed = row.phone_e164.as_deref().and_then(Phone::parse);
    Ok(CustomerCard {
        id,
        name: row.name,
        phone_shown: parsed.map(|phone| phone.shown().into_owned()),
        phone: row.phone_e164,
        email: row.email,
        language: row.language,
        is_staff: row.is_staff,
        is_blocked: row.is_blocked,
        no_sms_since: row.no_sms_since,
        sms_opt_out: current.first().and_then(opt_out::Number::opt_out),
        other_numbers: others.collect(),
        leads: leads.collect(),
    })
}

fn can_text(card: &CustomerCard, set_up: SetUp, sending: &Sending) -> CanWrite {
    let Some(phone) = card.phone.as_deref().and_then(Phone::parse) else {
        return CanWrite::no("no phone number is known");
    };
    match card.sms_opt_out.as_ref().map(|out| out.state) {
        Some(State::Stopped) if card.sms_opt_out.as_ref().is_some_and(|out| out.by_person) => {
            return CanWrite::no("your business stopped texts to this number");
        }
        Some(State::Stopped) => return CanWrite::no("they said STOP: nothing can be sent to this number by text"),
        Some(State::Paused) => return CanWrite::no("they may have asked to stop: look, then confirm or lift"),
        _ => {}
    }
    if !phone.is_textable() {
        return CanWrite::no("texts go to numbers in the United States and Canada only");
    }
    if card.no_sms_since.is_some() {
        return CanWrite::no("this number cannot receive texts; it may be a landline");
    }
    let by_hand = |why: &str| CanWrite { sms_link: Some(format!("sms:{}", phone.as_e164())), ..CanWrite::no(why) };
    if !set_up.sms {
        return by_hand("SMS is not set up");
    }
    if sending.registration == Registration::Pending {
        return by_hand("your number is not registered for texting yet");
    }
    CanWrite::yes()
}

fn can_email(card: &CustomerCard, set_up: SetUp) -> CanWrite {
    match &card.email {
        None => CanWrite::no("no email address is known"),
        Some(_) if !set_up.email => CanWrite::no("email is not set up"),
        Some(_) => CanWrite::yes(),
    }
}

async fn messages(
    conn: &mut impl AsConn,
    org: OrgId,
    customer: CustomerId,
    before: Option<DateTime<Utc>>,
) -> Result<Vec<Item>> {
    let photos = q!(
        &mut *conn,
        fetch_all as (MessageId, LeadId, PhotoId),
        "SELECT p.message_id, p.lead_id, p.id FROM photo p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id
         WHERE p.org_id = $1 AND l.customer_id = $2 AND p.message_id IS NOT NULL ORDER BY p.position",
        org,
        customer
    )?;
    let with_photos = |message: MessageView| {
        let mine = photos.iter().filter(|(of, _, _)| *of == message.id).map(|(_, lead, photo)| {
            let url = format!("/api/leads/{lead}/photos/{photo}");
            Picture { id: *photo, thumb_url: format!("{url}?size=thumb"), url }
        });
        Item::Message { at: message.created_at, photos: mine.collect(), message: Box::new(message) }
    };
    Ok(of_customer(conn, org, customer, before, PAGE).await?.into_iter().map(with_photos).collect())
}

async fn calls(
    conn: &mut impl AsConn,
    org: OrgId,
    customer: CustomerId,
    before: Option<DateTime<Utc>>,
) -> Result<Vec<Item>> {
    let rows = qb!(conn, fetch_all as (Uuid, String, DateTime<Utc>, Option<DateTime<Utc>>), |b| {
        b.push("SELECT id, status, started_at, ended_at FROM call WHERE org_id = ").push_bind(org);
        b.push(" AND customer_id = ").push_bind(customer);
        if let Some(before) = before {
            b.push(" AND started_at < ").push_bind(before);
        }
        b.push(" ORDER BY started_at DESC LIMIT ").push_bind(PAGE);
    })?;
    let made = rows.into_iter().map(|(id, status, started_at, ended_at)| Item::Call {
        at: started_at,
        call: Call { id, status_text: call_text(&status, started_at, ended_at), status, started_at, ended_at },
    });
    Ok(made.collect())
}

fn call_text(status: &str, started: DateTime<Utc>, ended: Option<DateTime<Utc>>) -> String {
    let seconds = ended.map_or(0, |ended| (ended - started).num_seconds().max(0));
    match status {
        "answered" => "Call answered".to_owned(),
        "missed" if seconds == 0 => "Missed call".to_owned(),
        "missed" => format!("Missed call, rang {seconds} s"),
        "hung_up" => format!("Hung up after {seconds} s"),
        "refused" => "Call not put through".to_owned(),
        _ => "Ringing".to_owned(),
    }
}

async fn touches(
    conn: &mut impl AsConn,
    org: OrgId,
    customer: CustomerId,
    before: Option<DateTime<Utc>>,
) -> Result<Vec<Item>> {
    let rows = qb!(conn, fetch_all as (TouchId, DateTime<Utc>, Form, String, LeadId), |b| {
        b.push("SELECT h.id, h.at, h.form, h.service, h.lead_id FROM lead_touch h JOIN lead l ON l.org_id = h.org_id AND l.id = h.lead_id WHERE h.org_id = ");
        b.push_bind(org).push(" AND l.customer_id = ").push_bind(customer);
        // Calls and texts stand in the conversation themselves.
        b.push(" AND h.form IN ('lead', 'quote')");
        if let Some(before) = before {
            b.push(" AND h.at < ").push_bind(before);
        }
        b.push(" ORDER BY h.at DESC LIMIT ").push_bind(PAGE);
    })?;
    Ok(rows.into_iter().map(|(_, at, form, service, lead_id)| Item::Touch { at, form, service, lead_id }).collect())
}
