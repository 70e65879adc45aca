//! "This is a test": one real message to the people of the business, so that they see whether it arrives.

use chrono::Duration;
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use utoipa::ToSchema;

use super::{
    Org, Recipient, recipients,
    settings::{Registration, Sending},
};
use crate::{
    documents::template::Page,
    domain::messaging::{
        message::{self, Channel, Draft, Kind, NewMessage, outlook::Outlook, send_policy::SetUp},
        opt_out::store as opt_outs,
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, MessageId, OrgId},
        live,
        phone::Phone,
    },
};

/// More tests than this in an hour are somebody's toy.
const MOST_AN_HOUR: i64 = 20;

/// Why no text of a business leaves that has no sending number.
pub const NO_NUMBER: &str = "Your business has no number to send texts from. Add one in Settings, Organization, or ask whoever runs this server.";

/// A test that is on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestSent {
    pub message_id: MessageId,
    /// Where it goes.
    pub to: String,
    /// What becomes of it, as the gate decides now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlook: Option<Outlook>,
}

/// The phone that a test text goes to: the first on the list of people to tell, else the business's own.
///
/// # Errors
/// [`Error::Conflict`] when there is none that can be texted.
pub async fn phone(conn: &mut dyn AsConn, org: &Org) -> Result<Recipient> {
    let told = recipients::list(conn, org.id).await?.phones.into_iter().next().map(|phone| phone.address);
    let own = || Phone::parse(org.phone.as_deref()?).filter(Phone::is_textable).map(|own| own.as_e164().to_owned());
    let address = told.or_else(own).ok_or(Error::Conflict(
        "There is no phone number to send it to. Add one under SMS recipients, or as the phone of your business.",
    ))?;
    Ok(Recipient { channel: Channel::Sms, address })
}

/// Queues a test. The caller holds the org ([`super::lock`]).
///
/// # Errors
/// [`Error::Conflict`] with what is missing, or [`Error::TooMany`].
pub async fn send(
    tx: &mut Tx,
    origin: &Origin,
    set_up: SetUp,
    org: &Org,
    to: &Recipient,
    by: AccountId,
) -> Result<TestSent> {
    is_possible(&mut *tx, set_up, org, to).await?;
    is_no_toy(&mut *tx, origin, org.id).await?;
    let message = written(origin, org, to, by);
    message::queue(tx, origin, org.id, std::slice::from_ref(&message)).await?;
    Ok(TestSent { message_id: message.id, to: message.draft.to, outlook: None })
}

/// Whether a message can reach this address at all.
///
/// # Errors
/// [`Error::Conflict`] with what is missing.
pub(crate) async fn is_possible(tx: &mut Tx, set_up: SetUp, org: &Org, to: &Recipient) -> Result<()> {
    match to.channel {
        Channel::Sms if !set_up.sms => {
            Err(Error::Conflict("SMS is not set up: this server has no TWILIO_ACCOUNT_SID and no sender yet."))
        }
        Channel::Sms if !org.has_sender() => Err(Error::Conflict(NO_NUMBER)),
        Channel::Email if !set_up.email => Err(Error::Conflict(
            "Email is not set up: this server has no SMTP_URL yet, so emails are only saved as files.",
        )),
        Channel::Sms if opt_outs::find(tx, org.id, to.channel, &to.address).await?.is_some() => {
            Err(Error::Conflict("This phone has texted STOP to your number. It must text START first."))
        }
        Channel::Sms if is_unregistered(tx, org.id).await? => {
            Err(Error::Conflict("Your number is not registered for texting yet, so carriers drop its texts."))
        }
        Channel::Sms | Channel::Email => Ok(()),
    }
}

async fn is_unregistered(tx: &mut Tx, org: OrgId) -> Result<bool> {
    let sql = "SELECT value FROM org_setting WHERE org_id = $1 AND name = 'sending'";
    let sending = q!(tx, fetch_optional scalar Json<Sending>, sql, org)?;
    Ok(sending.is_some_and(|sending| sending.0.registration == Registration::Pending))
}

async fn is_no_toy(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    let hour = Duration::hours(1);
    let since = live::floor(origin.now() - hour + Duration::milliseconds(1));
    // Ids sort by time, and messages of one org are found by them.
    let sql = "SELECT COUNT(*) FROM message WHERE org_id = $1 AND id >= $2 AND kind = 'test'";
    let lately = q!(tx, fetch_one scalar i64, sql, org, since)?;
    if lately >= MOST_AN_HOUR { Err(Error::TooMany { retry_after_seconds: hour.num_seconds() }) } else { Ok(()) }
}

fn written(origin: &Origin, org: &Org, to: &Recipient, by: AccountId) -> NewMessage {
    let id = MessageId(origin.uuid());
    let (what, subject) = match to.channel {
        Channel::Sms => ("text", None),
        Channel::Email => ("email", Some(format!("Test email of {}", org.name))),
    };
    let body =
        format!("This is a test {what} of {}. If you can read it, the {what}s of your business arrive.", org.name);
    let page = subject.is_some().then(|| Page {
        footer: "You get this email because somebody of your business pressed the test button in Settings.".to_owned(),
        ..Page::default()
    });
    let plain = Draft::new(to.channel, Kind::Test, to.address.clone(), body, format!("test:{id}"));
    NewMessage { author: Some(by), ..Draft { subject, page, ..plain }.under(id) }
}
