//! Test messages ("This is a test") to the business's people, to check delivery.

use chrono::Duration;
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use utoipa::ToSchema;

use super::{MessageDraft, MessageKind, NewMessage, outlook::SendOutlook, queue_messages};
use crate::{
    conflicts::ConflictCode,
    documents::template::EmailPage,
    domain::{
        messaging::opt_out::store as opt_outs,
        tenancy::org::{self, CarrierRegistration, Org, SendChannels, SendingSettings},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, MessageId, OrgId},
        live,
        phone::Phone,
        recipient::Recipient,
    },
};

const MOST_AN_HOUR: i64 = 20;

/// A test that is on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestSent {
    pub message_id: MessageId,
    /// Where it goes.
    pub to: String,
    /// Whether it leaves, is held or is stopped, as the send policy decides now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlook: Option<SendOutlook>,
}

/// The phone for a test text: the first recipient's, else the business's own.
///
/// # Errors
/// [`Error::Conflict`] when no number can be texted.
pub async fn find_test_phone(conn: &mut dyn AsConn, org: &Org) -> Result<Recipient> {
    let number = org::list_recipients(conn, org.id).await?.phones.into_iter().next();
    let number = number.map(|phone| Phone::from_stored(phone.address));
    let own = || Phone::parse(org.phone.as_deref()?).filter(Phone::is_textable);
    number.or_else(own).map(Recipient::Phone).ok_or(ConflictCode::NoTestPhone.into_error())
}

/// Queues a test. The caller holds the lock of the business ([`crate::domain::tenancy::org::lock`]).
///
/// # Errors
/// [`Error::Conflict`] with what is missing, or [`Error::RateLimited`].
pub async fn send_test_message(
    tx: &mut Tx,
    origin: &ClockRng,
    set_up: SendChannels,
    org: &Org,
    to: &Recipient,
    by: AccountId,
) -> Result<TestSent> {
    check_deliverable(&mut *tx, set_up, org, to).await?;
    check_hourly_limit(&mut *tx, origin, org.id).await?;
    let message = build_test_message(origin, org, to, by);
    queue_messages(tx, origin, org.id, std::slice::from_ref(&message)).await?;
    Ok(TestSent { message_id: message.id, to: message.draft.to.into_string(), outlook: None })
}

/// # Errors
/// [`Error::Conflict`] with what is missing.
pub(crate) async fn check_deliverable(tx: &mut Tx, set_up: SendChannels, org: &Org, to: &Recipient) -> Result<()> {
    match to {
        Recipient::Phone(_) if !set_up.sms => Err(ConflictCode::SmsNotSetUp.into_error()),
        Recipient::Phone(_) if !org.has_sender() => Err(ConflictCode::NoSendingNumber.into_error()),
        Recipient::Email(_) if !set_up.email => Err(ConflictCode::EmailNotSetUp.into_error()),
        Recipient::Phone(phone)
            if opt_outs::find_opt_out(tx, org.id, to.channel(), phone.as_e164()).await?.is_some() =>
        {
            Err(ConflictCode::PhoneOptedOut.into_error())
        }
        Recipient::Phone(_) if is_carrier_registration_pending(tx, org.id).await? => {
            Err(ConflictCode::NumberNotRegistered.into_error())
        }
        Recipient::Phone(_) | Recipient::Email(_) => Ok(()),
    }
}

async fn is_carrier_registration_pending(tx: &mut Tx, org: OrgId) -> Result<bool> {
    let sql = "SELECT value FROM org_setting WHERE org_id = $1 AND name = 'sending'";
    let sending = q!(tx, fetch_optional scalar Json<SendingSettings>, sql, org)?;
    Ok(sending.is_some_and(|sending| sending.0.registration == CarrierRegistration::Pending))
}

async fn check_hourly_limit(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    let hour = Duration::hours(1);
    let since = live::min_id_at(origin.now() - hour + Duration::milliseconds(1));
    // Ids are ordered by time, and a business's messages are indexed by id.
    let sql = "SELECT COUNT(*) FROM message WHERE org_id = $1 AND id >= $2 AND kind = 'test'";
    let lately = q!(tx, fetch_one scalar i64, sql, org, since)?;
    if lately >= MOST_AN_HOUR { Err(Error::RateLimited { retry_after_seconds: hour.num_seconds() }) } else { Ok(()) }
}

fn build_test_message(origin: &ClockRng, org: &Org, to: &Recipient, by: AccountId) -> NewMessage {
    let id = MessageId(origin.uuid_v7());
    let (what, subject) = match to {
        Recipient::Phone(_) => ("text", None),
        Recipient::Email(_) => ("email", Some(format!("Test email of {}", org.name))),
    };
    let body =
        format!("This is a test {what} of {}. If you can read it, the {what}s of your business arrive.", org.name);
    let page = subject.is_some().then(|| EmailPage {
        footer: "You get this email because someone at your business pressed the test button in Settings.".to_owned(),
        ..EmailPage::default()
    });
    let plain = MessageDraft::new(MessageKind::Test, to.clone(), body, format!("test:{id}"));
    NewMessage { author: Some(by), ..MessageDraft { subject, page, ..plain }.with_id(id) }
}
