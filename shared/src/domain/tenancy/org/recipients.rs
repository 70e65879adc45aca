//! Notification recipients: stored addresses without duplicates.

use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Tx, q},
    email_address::EmailAddress,
    error::{Error, FieldErrors, Result},
    id::{OrgId, RecipientId},
    message_channel::MessageChannel,
    phone::Phone,
    recipient::Recipient,
    text,
};

/// A longer list is a mailing list, not a crew.
const MOST: i64 = 20;

/// All recipients, in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Recipients)]
pub struct OrgRecipients {
    pub emails: Vec<EmailRecipient>,
    pub phones: Vec<PhoneRecipient>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct EmailRecipient {
    pub id: RecipientId,
    pub address: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PhoneRecipient {
    pub id: RecipientId,
    /// E.164.
    pub address: String,
    /// As a person writes it.
    pub shown: String,
}

/// An address to add, as it was typed: one of the two.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct NewRecipient {
    #[schema(max_length = 254)]
    pub email: Option<String>,
    #[schema(max_length = 40)]
    pub phone: Option<String>,
}

impl NewRecipient {
    /// The normalised address; none when empty.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invalid address or a number that cannot be texted.
    pub fn validate_recipient(&self) -> Result<Option<Recipient>> {
        let mut errors = FieldErrors::default();
        let email = text::single_line("email", self.email.as_deref(), 254).parse_optional(&mut errors);
        let phone = text::single_line("phone", self.phone.as_deref(), 40).parse_optional(&mut errors);
        let found = if let Some(typed) = email {
            let address = EmailAddress::parse(&typed);
            if address.is_none() {
                errors.add("email", text::invalid_email_reason(&typed));
            }
            address.map(Recipient::Email)
        } else if let Some(typed) = phone {
            let phone = Phone::parse(&typed).filter(Phone::is_textable);
            if phone.is_none() {
                errors.add("phone", "Please enter a phone number of the United States or Canada");
            }
            phone.map(Recipient::Phone)
        } else {
            None
        };
        errors.into_result()?;
        Ok(found)
    }
}

#[derive(FromRow)]
struct RecipientRow {
    id: RecipientId,
    channel: MessageChannel,
    address: String,
}

pub async fn list_recipients(conn: &mut dyn AsConn, org: OrgId) -> Result<OrgRecipients> {
    let rows = q!(
        conn,
        fetch_all as RecipientRow,
        "SELECT id, channel, address FROM recipient WHERE org_id = $1 ORDER BY created_at, address",
        org
    )?;
    let mut all = OrgRecipients::default();
    for RecipientRow { id, channel, address } in rows {
        match channel {
            MessageChannel::Email => all.emails.push(EmailRecipient { id, address }),
            MessageChannel::Sms => {
                let shown =
                    Phone::parse(&address).map_or_else(|| address.clone(), |phone| phone.format_display().into_owned());
                all.phones.push(PhoneRecipient { id, address, shown });
            }
        }
    }
    Ok(all)
}

/// Adds an address and returns its id; none when it exists.
///
/// # Errors
/// [`Error::Invalid`] at the limit.
pub async fn add_recipient(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    recipient: &Recipient,
) -> Result<Option<RecipientId>> {
    let id = RecipientId(origin.uuid_v7());
    let added = q!(
        &mut *tx,
        execute,
        "INSERT INTO recipient (org_id, id, channel, address, created_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (org_id, channel, address) DO NOTHING",
        org,
        id,
        recipient.channel(),
        recipient.as_str(),
        origin.now()
    )?;
    if added == 0 {
        return Ok(None);
    }
    let count = "SELECT COUNT(*) FROM recipient WHERE org_id = $1 AND channel = $2";
    if q!(tx, fetch_one scalar i64, count, org, recipient.channel())? > MOST {
        let mut errors = FieldErrors::default();
        let field = if recipient.is_phone() { "phone" } else { "email" };
        errors.add(field, format!("At most {MOST} recipients are possible. Please remove one first."));
        errors.into_result()?;
    }
    Ok(Some(id))
}

pub async fn remove_recipient(tx: &mut Tx, org: OrgId, id: RecipientId) -> Result<()> {
    let removed = q!(tx, execute, "DELETE FROM recipient WHERE org_id = $1 AND id = $2", org, id)?;
    if removed == 0 { Err(Error::NotFound) } else { Ok(()) }
}

pub async fn get(conn: &mut dyn AsConn, org: OrgId, id: RecipientId) -> Result<Recipient> {
    let sql = "SELECT channel, address AS to_address FROM recipient WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional as Recipient, sql, org, id)?.ok_or(Error::NotFound)
}

pub(crate) async fn remove_other_addresses(tx: &mut Tx, org: OrgId, kept: &str) -> Result<()> {
    q!(tx, execute, "DELETE FROM recipient WHERE org_id = $1 AND address <> $2", org, kept)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(email: &str, phone: &str) -> Result<Option<Recipient>> {
        NewRecipient { email: Some(email.into()), phone: Some(phone.into()) }.validate_recipient()
    }

    #[test]
    fn recipient_addresses_are_stored_in_normalized_form() {
        let email = typed(" Ann@Acme.example ", "").unwrap().unwrap();
        assert_eq!((email.channel(), email.as_str()), (MessageChannel::Email, "ann@acme.example"));
        let phone = typed("", "(512) 555-0142").unwrap().unwrap();
        assert_eq!((phone.channel(), phone.as_str()), (MessageChannel::Sms, "+15125550142"));
        assert_eq!(typed(" ", "").unwrap(), None);
    }

    #[test]
    fn invalid_recipient_address_is_reported_by_field() {
        for (email, phone, field) in [("ann@", "", "email"), ("", "pizza", "phone"), ("", "+44 20 7946 0018", "phone")]
        {
            let Err(Error::Invalid(errors)) = typed(email, phone) else { panic!("{email}{phone}") };
            assert!(errors.0.contains_key(field));
        }
    }
}
