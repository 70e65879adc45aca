//! A person of the business writes to a customer: now, later, or from their own phone. The same gate as for rules.

use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;

use super::{Moved, note};
use crate::{
    documents::template::{Language, Page},
    domain::{
        intake::{contact_point, customer},
        messaging::{
            alert,
            message::{self, Channel, Draft, Kind, MessageView, NewMessage, Status},
            opt_out::store as opt_out,
        },
    },
    platform::{
        clock::Origin,
        db::{Tx, q},
        error::{Error, FieldErrors, Result},
        id::{AccountId, CustomerId, LeadId, MessageId, OrgId},
        live::{self, Topic},
        phone::Phone,
        text::{line, lines},
    },
};

/// A text of ten parts; more belongs into an email.
const MAX_TEXT: usize = 1530;
const MAX_EMAIL: usize = 20_000;
/// How far ahead something can be written.
const FURTHEST: Duration = Duration::days(90);

/// What a person wrote.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Written {
    pub channel: Channel,
    pub body: Option<String>,
    /// Emails only.
    pub subject: Option<String>,
    /// Sent then, and not before.
    pub send_at: Option<DateTime<Utc>>,
    pub lead_id: Option<LeadId>,
    /// It was sent from the person's own phone; this only records it.
    #[serde(default)]
    pub by_hand: bool,
}

struct Checked {
    body: String,
    subject: Option<String>,
}

fn check(written: &Written, now: DateTime<Utc>) -> Result<Checked> {
    let mut errors = FieldErrors::default();
    let most = if written.channel == Channel::Sms { MAX_TEXT } else { MAX_EMAIL };
    let body = lines("body", written.body.as_deref(), most).required("Write something first", &mut errors);
    let subject = line("subject", written.subject.as_deref(), 200).optional(&mut errors);
    if written.send_at.is_some_and(|at| at > now + FURTHEST) {
        errors.add("sendAt", "Please choose a time within the next 90 days");
    }
    if written.by_hand && written.channel == Channel::Email {
        errors.add("byHand", "Only texts are sent from a phone");
    }
    errors.finish()?;
    Ok(Checked { body, subject })
}

/// Who it goes to.
struct Partner {
    address: String,
    lead: Option<LeadId>,
}

/// Queues what a person wrote, or records what they sent themselves.
///
/// # Errors
/// [`Error::Invalid`], [`Error::NotFound`], or [`Error::Conflict`] when they said STOP or cannot be reached this way.
pub async fn write(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    author: AccountId,
    customer: CustomerId,
    written: &Written,
) -> Result<MessageView> {
    let checked = check(written, origin.now())?;
    let customer = customer::standing_for(&mut *tx, org, customer).await?;
    let partner = partner(tx, org, customer, written).await?;
    if written.channel == Channel::Sms && opt_out::find(&mut *tx, org, Channel::Sms, &partner.address).await?.is_some()
    {
        return Err(Error::Conflict("They asked not to be texted. Nothing was sent."));
    }
    let id = MessageId(origin.uuid());
    let business = q!(&mut *tx, fetch_one scalar String, "SELECT name FROM org WHERE id = $1", org)?;
    let is_email = written.channel == Channel::Email;
    let (key, body) = (format!("manual:{id}"), checked.body.clone());
    let draft = Draft {
        customer: Some(customer),
        subject: is_email.then(|| checked.subject.unwrap_or_else(|| "A message from us".to_owned())),
        page: is_email.then(|| page(&business, &checked.body)),
        not_before: written.send_at,
        ..Draft::new(written.channel, Kind::Manual, partner.address, body, key)
    };
    let message = NewMessage { lead: partner.lead, author: Some(author), ..draft.under(id) };
    if written.by_hand {
        message::store(tx, origin, org, std::slice::from_ref(&message)).await?;
        record_by_hand(tx, origin, org, id).await?;
        alert::texted(&mut *tx, origin, org, customer, author).await?;
    } else {
        message::queue(tx, origin, org, std::slice::from_ref(&message)).await?;
    }
    // What is written for later answers nobody yet.
    if written.send_at.is_none_or(|at| at <= origin.now()) {
        note(tx, origin, org, customer, partner.lead, Moved::ByPerson, &checked.body).await?;
        message::stop_rules(tx, origin, org, customer, "you wrote yourself").await?;
    }
    live::announce(tx, origin, org, Topic::Message, id.0, partner.lead.map(|lead| lead.0)).await?;
    message::get(tx, org, id).await
}

/// What frames an email that a person wrote, in the language they wrote in.
fn page(business: &str, body: &str) -> Page {
    let language = Language::of_customer(&[body]);
    let footer = match language.unwrap_or_default() {
        Language::En => format!("{business} wrote to you."),
        Language::Es => format!("{business} le escribió."),
    };
    Page { footer, links: true, language, ..Page::default() }
}

async fn record_by_hand(tx: &mut Tx, origin: &Origin, org: OrgId, id: MessageId) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE message SET status = $3, reason = 'from your own phone', sent_at = $4 WHERE org_id = $1 AND id = $2",
        org,
        id,
        Status::Sent,
        origin.now()
    )?;
    Ok(())
}

async fn partner(tx: &mut Tx, org: OrgId, customer: CustomerId, written: &Written) -> Result<Partner> {
    let to = contact_point::of_customer(&mut *tx, org, customer).await?;
    let has_phone = to.phone.is_some();
    let address = match written.channel {
        Channel::Sms => to.phone.filter(|phone| Phone::parse(phone).is_some_and(|phone| phone.is_textable())),
        Channel::Email => to.email,
    };
    let Some(address) = address else {
        let on_record = contact_point::on_record(tx, org, customer).await?;
        return Err(Error::Conflict(match written.channel {
            Channel::Sms if on_record.phone.is_some() && !has_phone => {
                "Their number was only typed into a form. Use it first."
            }
            Channel::Sms => "We know no number of theirs that can be texted.",
            Channel::Email if on_record.email.is_some() => "Their email was only typed into a form. Use it first.",
            Channel::Email => "We know no email address of theirs.",
        }));
    };
    let newest = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2 ORDER BY created_at DESC LIMIT 1";
    let lead = match written.lead_id {
        None => q!(&mut *tx, fetch_optional scalar LeadId, newest, org, customer)?,
        Some(lead) => {
            let sql = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2 AND id = $3";
            Some(q!(&mut *tx, fetch_optional scalar LeadId, sql, org, customer, lead)?.ok_or(Error::NotFound)?)
        }
    };
    Ok(Partner { address, lead })
}
