//! Messages written by a person of the business: now, later, or from their own phone. Same send policy as for rules.

use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{ConversationEvent, record_event};
use crate::{
    conflicts::ConflictCode,
    documents::template::{EmailPage, Language},
    domain::{
        intake::{contact_point, customer},
        messaging::{
            alert,
            message::{
                self, MessageChannel, MessageDraft, MessageKind, MessageStatus, MessageView, NewMessage, sms_link,
            },
            opt_out::store as opt_out,
        },
    },
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::{Error, FieldErrors, Result},
        field_schemas,
        id::{AccountId, CustomerId, LeadId, MessageId, OrgId},
        live::{self, Topic},
        phone::Phone,
        recipient::Recipient,
        text::{multi_line, single_line},
    },
};

/// Ten SMS segments.
const MAX_TEXT: usize = 1530;
const MAX_EMAIL: usize = 20_000;
const FURTHEST: Duration = Duration::days(90);

/// A message of one's own.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessageRequest)]
pub struct ComposedMessage {
    pub channel: MessageChannel,
    /// A text has at most 1,530 characters, which is ten parts.
    #[schema(required, schema_with = field_schemas::required_text::<20_000>)]
    pub body: Option<String>,
    /// Emails only.
    #[schema(schema_with = field_schemas::nullable_line::<200>)]
    pub subject: Option<String>,
    /// Sent then, and not before; within 90 days.
    pub send_at: Option<DateTime<Utc>>,
    /// The lead it is about; the customer's newest when absent.
    #[schema(value_type = Option<uuid::Uuid>)]
    pub lead_id: Option<LeadId>,
    /// It was sent from one's own phone, and this only records it. Texts only.
    #[serde(default)]
    pub by_hand: bool,
}

impl ComposedMessage {
    /// The words of a text that was sent from one's own phone.
    #[must_use]
    pub fn own_phone_text(&self) -> Option<&str> {
        let is_own = self.by_hand && self.channel == MessageChannel::Sms;
        self.body.as_deref().map(str::trim).filter(|_| is_own)
    }
}

struct ValidatedMessage {
    body: String,
    subject: Option<String>,
}

fn validate_message(written: &ComposedMessage, now: DateTime<Utc>) -> Result<ValidatedMessage> {
    let mut errors = FieldErrors::default();
    let most = if written.channel == MessageChannel::Sms { MAX_TEXT } else { MAX_EMAIL };
    let body = multi_line("body", written.body.as_deref(), most).parse_required("Write something first", &mut errors);
    let subject = single_line("subject", written.subject.as_deref(), 200).parse_optional(&mut errors);
    if written.send_at.is_some_and(|at| at > now + FURTHEST) {
        errors.add("sendAt", "Please choose a time within the next 90 days");
    }
    if written.by_hand && written.channel == MessageChannel::Email {
        errors.add("byHand", "Only texts are sent from a phone");
    }
    errors.into_result()?;
    Ok(ValidatedMessage { body, subject })
}

struct MessageRecipient {
    to: Recipient,
    lead: Option<LeadId>,
}

/// # Errors
/// [`Error::Invalid`], [`Error::NotFound`], or [`Error::Conflict`] when they said STOP or cannot be reached this way.
pub async fn send_or_record(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    author: AccountId,
    customer: CustomerId,
    written: &ComposedMessage,
) -> Result<MessageView> {
    let checked = validate_message(written, origin.now())?;
    let customer = customer::resolve_merged(&mut *tx, org, customer).await?;
    let partner = find_recipient(tx, org, customer, written).await?;
    if let Recipient::Phone(phone) = &partner.to
        && opt_out::find_opt_out(&mut *tx, org, MessageChannel::Sms, phone.as_e164()).await?.is_some()
    {
        return Err(ConflictCode::OptedOut.into_error());
    }
    let id = MessageId(origin.uuid_v7());
    let business = q!(&mut *tx, fetch_one scalar String, "SELECT name FROM org WHERE id = $1", org)?;
    let is_email = written.channel == MessageChannel::Email;
    let (key, body) = (format!("manual:{id}"), checked.body.clone());
    let draft = MessageDraft {
        customer: Some(customer),
        subject: is_email.then(|| checked.subject.unwrap_or_else(|| "A message from us".to_owned())),
        page: is_email.then(|| build_email_page(&business, &checked.body)),
        not_before: written.send_at,
        ..MessageDraft::new(MessageKind::Manual, partner.to, body, key)
    };
    let message = NewMessage { lead: partner.lead, author: Some(author), ..draft.with_id(id) };
    if written.by_hand {
        message::store_queued(tx, origin, org, std::slice::from_ref(&message)).await?;
        mark_sent_manually(tx, origin, org, id).await?;
        alert::mark_texted_manually(&mut *tx, origin, org, customer, author).await?;
    } else {
        message::queue_messages(tx, origin, org, std::slice::from_ref(&message)).await?;
    }
    // A message scheduled for later is no answer yet.
    if written.send_at.is_none_or(|at| at <= origin.now()) {
        record_event(tx, origin, org, customer, partner.lead, ConversationEvent::ByPerson, &checked.body).await?;
        message::cancel_automatic_messages(tx, origin, org, customer, "you wrote yourself").await?;
    }
    live::publish_event(tx, origin, org, Topic::Message, id.0, partner.lead.map(|lead| lead.0)).await?;
    message::get_message(tx, org, id).await
}

/// Footer of a manual email, in the language of its text.
fn build_email_page(business: &str, body: &str) -> EmailPage {
    let language = Language::detect_from_texts(&[body]);
    let footer = match language.unwrap_or_default() {
        Language::En => format!("{business} wrote to you."),
        Language::Es => format!("{business} le escribió."),
    };
    EmailPage { footer, links: true, language, ..EmailPage::default() }
}

/// Stores a text of a paper for somebody's own phone. It is the last word where nothing else of the sending went out.
pub(crate) async fn store_paper_text(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (lead, draft, why): (LeadId, MessageDraft, &str),
    is_last_word: bool,
) -> Result<()> {
    let (customer, words) = (draft.customer, draft.body.clone());
    sms_link::store_own_phone_text(&mut *tx, origin, org, (lead, draft), why).await?;
    match customer.filter(|_| is_last_word) {
        Some(customer) => record_event(tx, origin, org, customer, Some(lead), ConversationEvent::Out, &words).await,
        None => Ok(()),
    }
}

async fn mark_sent_manually(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: MessageId) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE message SET status = $3, reason = 'from your own phone', sent_at = $4 WHERE org_id = $1 AND id = $2",
        org,
        id,
        MessageStatus::Sent,
        origin.now()
    )?;
    Ok(())
}

async fn find_recipient(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    written: &ComposedMessage,
) -> Result<MessageRecipient> {
    let to = contact_point::load_customer_recipient(&mut *tx, org, customer).await?;
    let has_phone = to.phone.is_some();
    let to = match written.channel {
        MessageChannel::Sms => to.phone.filter(Phone::is_textable).map(Recipient::Phone),
        MessageChannel::Email => to.email.map(Recipient::Email),
    };
    let Some(to) = to else {
        let on_record = contact_point::load_recorded_recipient(tx, org, customer).await?;
        let refused = match written.channel {
            MessageChannel::Sms if on_record.phone.is_some() && !has_phone => ConflictCode::NumberUnconfirmed,
            MessageChannel::Sms => ConflictCode::NoTextableNumber,
            MessageChannel::Email if on_record.email.is_some() => ConflictCode::EmailUnconfirmed,
            MessageChannel::Email => ConflictCode::NoEmailOnRecord,
        };
        return Err(refused.into());
    };
    let newest = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2 ORDER BY created_at DESC LIMIT 1";
    let lead = match written.lead_id {
        None => q!(&mut *tx, fetch_optional scalar LeadId, newest, org, customer)?,
        Some(lead) => {
            let sql = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2 AND id = $3";
            Some(q!(&mut *tx, fetch_optional scalar LeadId, sql, org, customer, lead)?.ok_or(Error::NotFound)?)
        }
    };
    Ok(MessageRecipient { to, lead })
}
