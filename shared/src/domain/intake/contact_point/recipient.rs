//! Where messages to a customer may go, and why nothing goes where something is on file.

use sqlx::FromRow;

use super::{Kind, set_aside::SetAside};

const PHONE_WAITS: &str = "their number was only typed into a form, and waits for \"Use it\" on the customer's page";
const EMAIL_WAITS: &str = "their email was only typed into a form, and waits for \"Use it\" on the customer's page";

/// Where papers, links to papers, visit messages and what the office writes may go.
#[derive(Clone, Debug, Default, PartialEq, Eq, FromRow)]
pub struct Recipient {
    /// E.164.
    #[sqlx(rename = "phone_e164")]
    pub phone: Option<String>,
    pub email: Option<String>,
    /// A phone is on file, and is set aside.
    #[sqlx(skip)]
    pub(super) phone_waits: bool,
    #[sqlx(skip)]
    pub(super) email_waits: bool,
}

impl Recipient {
    /// Why nothing goes to their phone, where there is none to send to.
    #[must_use]
    pub fn no_phone(&self) -> &'static str {
        if self.phone_waits { PHONE_WAITS } else { "no phone number is known" }
    }

    /// The same of their email.
    #[must_use]
    pub fn no_email(&self) -> &'static str {
        if self.email_waits { EMAIL_WAITS } else { "no email address is known" }
    }

    /// What is on file and set aside.
    #[must_use]
    pub fn waiting(&self) -> Vec<Kind> {
        let all = [(Kind::Phone, self.phone_waits), (Kind::Email, self.email_waits)];
        all.into_iter().filter(|(_, waits)| *waits).map(|(kind, _)| kind).collect()
    }

    /// Leaves out what is set aside.
    pub(super) fn without(self, aside: &SetAside) -> Self {
        let phone = self.phone.as_deref().filter(|phone| !aside.has((Kind::Phone, phone))).map(ToOwned::to_owned);
        let email = self.email.as_deref().filter(|email| !aside.has((Kind::Email, email))).map(ToOwned::to_owned);
        Self {
            phone_waits: self.phone.is_some() && phone.is_none(),
            email_waits: self.email.is_some() && email.is_none(),
            phone,
            email,
        }
    }
}
