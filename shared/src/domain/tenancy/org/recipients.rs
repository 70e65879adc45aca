//! The people who are told: their addresses as they are stored, once each.

use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::Recipient;
use crate::{
    domain::messaging::message::Channel,
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{OrgId, RecipientId},
        phone::Phone,
        text,
    },
};

/// More people than this are a mailing list, not a crew.
const MOST: i64 = 20;

/// Everybody who is told, in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Recipients {
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
    /// The address as it is stored; none when nothing was typed.
    ///
    /// # Errors
    /// [`Error::Invalid`] when it is no address, or no number that texts go to.
    pub fn check(&self) -> Result<Option<Recipient>> {
        let mut errors = FieldErrors::default();
        let email = text::line("email", self.email.as_deref(), 254).optional(&mut errors);
        let phone = text::line("phone", self.phone.as_deref(), 40).optional(&mut errors);
        let found = if let Some(typed) = email {
            let address = text::email(&typed);
            if address.is_none() {
                errors.add("email", text::why_no_email(&typed));
            }
            address.map(|address| Recipient { channel: Channel::Email, address })
        } else if let Some(typed) = phone {
            let phone = Phone::parse(&typed).filter(Phone::is_textable);
            if phone.is_none() {
                errors.add("phone", "Please enter a phone number of the United States or Canada");
            }
            phone.map(|phone| Recipient { channel: Channel::Sms, address: phone.as_e164().to_owned() })
        } else {
            None
        };
        errors.finish()?;
        Ok(found)
    }
}

#[derive(FromRow)]
struct Row {
    id: RecipientId,
    channel: Channel,
    address: String,
}

/// Everybody who is told.
pub async fn list(conn: &mut dyn AsConn, org: OrgId) -> Result<Recipients> {
    let rows = q!(
        conn,
        fetch_all as Row,
        "SELECT id, channel, address FROM recipient WHERE org_id = $1 ORDER BY created_at, address",
        org
    )?;
    let mut all = Recipients::default();
    for Row { id, channel, address } in rows {
        match channel {
            Channel::Email => all.emails.push(EmailRecipient { id, address }),
            Channel::Sms => {
                let shown = Phone::parse(&address).map_or_else(|| address.clone(), |phone| phone.shown().into_owned());
                all.phones.push(PhoneRecipient { id, address, shown });
            }
        }
    }
    Ok(all)
}

/// Adds an address to tell, and names it; none when it is already there.
///
/// # Errors
/// [`Error::Invalid`] when there are as many as there may be.
pub async fn add(tx: &mut Tx, origin: &Origin, org: OrgId, recipient: &Recipient) -> Result<Option<RecipientId>> {
    let id = RecipientId(origin.uuid());
    let added = q!(
        &mut *tx,
        execute,
        "INSERT INTO recipient (org_id, id, channel, address, created_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (org_id, channel, address) DO NOTHING",
        org,
        id,
        recipient.channel,
        &recipient.address,
        origin.now()
    )?;
    if added == 0 {
        return Ok(None);
    }
    let count = "SELECT COUNT(*) FROM recipient WHERE org_id = $1 AND channel = $2";
    if q!(tx, fetch_one scalar i64, count, org, recipient.channel)? > MOST {
        let mut errors = FieldErrors::default();
        let field = if recipient.channel == Channel::Sms { "phone" } else { "email" };
        errors.add(field, format!("At most {MOST} can be told. Please remove one first."));
        errors.finish()?;
    }
    Ok(Some(id))
}

/// # Errors
/// [`Error::NotFound`] when the org has no such recipient.
pub async fn remove(tx: &mut Tx, org: OrgId, id: RecipientId) -> Result<()> {
    let removed = q!(tx, execute, "DELETE FROM recipient WHERE org_id = $1 AND id = $2", org, id)?;
    if removed == 0 { Err(Error::NotFound) } else { Ok(()) }
}

/// # Errors
/// [`Error::NotFound`] when the org has no such recipient.
pub async fn get(conn: &mut dyn AsConn, org: OrgId, id: RecipientId) -> Result<Recipient> {
    let sql = "SELECT channel, address FROM recipient WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional as Recipient, sql, org, id)?.ok_or(Error::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(email: &str, phone: &str) -> Result<Option<Recipient>> {
        NewRecipient { email: Some(email.into()), phone: Some(phone.into()) }.check()
    }

    #[test]
    fn addresses_are_stored_in_one_form() {
        let email = typed(" Ann@Acme.example ", "").unwrap().unwrap();
        assert_eq!((email.channel, email.address.as_str()), (Channel::Email, "ann@acme.example"));
        let phone = typed("", "(512) 555-0142").unwrap().unwrap();
        assert_eq!((phone.channel, phone.address.as_str()), (Channel::Sms, "+15125550142"));
        assert_eq!(typed(" ", "").unwrap(), None);
    }

    #[test]
    fn what_is_no_address_is_named() {
        for (email, phone, field) in [("ann@", "", "email"), ("", "pizza", "phone"), ("", "+44 20 7946 0018", "phone")]
        {
            let Err(Error::Invalid(errors)) = typed(email, phone) else { panic!("{email}{phone}") };
            assert!(errors.0.contains_key(field));
        }
    }
}
