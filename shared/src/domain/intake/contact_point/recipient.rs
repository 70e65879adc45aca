//! Addresses for messages to a customer, and the reason when an address on file gets none.

use sqlx::FromRow;

use super::{ContactPointKind, set_aside::SetAsideContacts};
use crate::platform::{email_address::EmailAddress, phone::Phone};

const PHONE_WAITS: &str = "their number was only typed into a form, and waits for \"Use it\" on the customer's page";
const EMAIL_WAITS: &str = "their email was only typed into a form, and waits for \"Use it\" on the customer's page";

/// Addresses for documents, links to them, visit messages and messages from the office.
#[derive(Clone, Debug, Default, PartialEq, Eq, FromRow)]
pub struct CustomerRecipient {
    #[sqlx(rename = "phone_e164")]
    pub phone: Option<Phone>,
    pub email: Option<EmailAddress>,
    /// A phone is on file but set aside.
    #[sqlx(skip)]
    pub(super) phone_waits: bool,
    #[sqlx(skip)]
    pub(super) email_waits: bool,
}

impl CustomerRecipient {
    #[must_use]
    pub fn missing_phone_reason(&self) -> &'static str {
        if self.phone_waits { PHONE_WAITS } else { "no phone number is known" }
    }

    #[must_use]
    pub fn missing_email_reason(&self) -> &'static str {
        if self.email_waits { EMAIL_WAITS } else { "no email address is known" }
    }

    #[must_use]
    pub fn set_aside_kinds(&self) -> Vec<ContactPointKind> {
        let all = [(ContactPointKind::Phone, self.phone_waits), (ContactPointKind::Email, self.email_waits)];
        all.into_iter().filter(|(_, waits)| *waits).map(|(kind, _)| kind).collect()
    }

    pub(super) fn excluding_set_aside(self, aside: &SetAsideContacts) -> Self {
        let (has_phone, has_email) = (self.phone.is_some(), self.email.is_some());
        let phone = self.phone.filter(|phone| !aside.has_contact((ContactPointKind::Phone, phone.as_e164())));
        let email = self.email.filter(|email| !aside.has_contact((ContactPointKind::Email, email.as_str())));
        Self { phone_waits: has_phone && phone.is_none(), email_waits: has_email && email.is_none(), phone, email }
    }
}
