//! Where one message goes: a phone for a text, a mailbox for an email.

use std::fmt;

use sqlx::{ColumnIndex, Decode, FromRow, Row, Type};

use crate::{email_address::EmailAddress, message_channel::MessageChannel, phone::Phone};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Recipient {
    Phone(Phone),
    Email(EmailAddress),
}

impl Recipient {
    /// From a pair of columns that only recipients are written to.
    #[must_use]
    pub fn from_stored(channel: MessageChannel, address: String) -> Self {
        match channel {
            MessageChannel::Sms => Self::Phone(Phone::from_stored(address)),
            MessageChannel::Email => Self::Email(EmailAddress::from_stored(address)),
        }
    }

    #[must_use]
    pub fn channel(&self) -> MessageChannel {
        match self {
            Self::Phone(_) => MessageChannel::Sms,
            Self::Email(_) => MessageChannel::Email,
        }
    }

    #[must_use]
    pub fn is_phone(&self) -> bool {
        matches!(self, Self::Phone(_))
    }

    #[must_use]
    pub fn is_email(&self) -> bool {
        matches!(self, Self::Email(_))
    }

    /// E.164 or the email address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Phone(phone) => phone.as_e164(),
            Self::Email(email) => email.as_str(),
        }
    }

    #[must_use]
    pub fn into_string(self) -> String {
        match self {
            Self::Phone(phone) => phone.into_e164(),
            Self::Email(email) => email.into_string(),
        }
    }
}

impl From<Phone> for Recipient {
    fn from(phone: Phone) -> Self {
        Self::Phone(phone)
    }
}

impl From<EmailAddress> for Recipient {
    fn from(email: EmailAddress) -> Self {
        Self::Email(email)
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// From `channel` and `to_address`, the columns of a message.
impl<'r, R: Row> FromRow<'r, R> for Recipient
where
    &'r str: ColumnIndex<R>,
    MessageChannel: Decode<'r, R::Database> + Type<R::Database>,
    String: Decode<'r, R::Database> + Type<R::Database>,
{
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self::from_stored(row.try_get("channel")?, row.try_get("to_address")?))
    }
}
