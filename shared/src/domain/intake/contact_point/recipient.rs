//! Addresses for messages to a customer, and the reason when an address on file gets none.

use sqlx::FromRow;

use super::{ContactPointKind, set_aside::SetAsideContacts};
use crate::platform::{email_address::EmailAddress, phone::Phone};

const PHONE_WAITS: &str = "their number was only typed into a form, and waits for \"Use it\" on the customer's page";
const EMAIL_WAITS: &str = "their email was only typed into a form, and waits for \"Use it\" on the customer's page";

const PHONE_TYPED: &str = "their number was only typed into the booking form, and they confirmed by email";
const EMAIL_TYPED: &str = "their email was only typed into the booking form, and they confirmed by phone";

const PHONE_UNCONFIRMED: &str = "their number is not confirmed as theirs, and they confirmed by email";
const EMAIL_UNCONFIRMED: &str = "their email is not confirmed as theirs, and they confirmed by phone";

/// Why an address on file gets no messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeftOutReason {
    SetAside,
    /// For a visit: it was only typed, and the other address is proven.
    OnlyTyped,
    /// The same, but it was used since, or is another record's.
    Unconfirmed,
}

/// Addresses for documents, links to them, visit messages and messages from the office.
#[derive(Clone, Debug, Default, PartialEq, Eq, FromRow)]
pub struct CustomerRecipient {
    #[sqlx(rename = "phone_e164")]
    pub phone: Option<Phone>,
    pub email: Option<EmailAddress>,
    #[sqlx(skip)]
    pub(super) phone_left_out: Option<LeftOutReason>,
    #[sqlx(skip)]
    pub(super) email_left_out: Option<LeftOutReason>,
}

impl CustomerRecipient {
    #[must_use]
    pub fn missing_phone_reason(&self) -> &'static str {
        match self.phone_left_out {
            Some(LeftOutReason::SetAside) => PHONE_WAITS,
            Some(LeftOutReason::OnlyTyped) => PHONE_TYPED,
            Some(LeftOutReason::Unconfirmed) => PHONE_UNCONFIRMED,
            None => "no phone number is known",
        }
    }

    #[must_use]
    pub fn missing_email_reason(&self) -> &'static str {
        match self.email_left_out {
            Some(LeftOutReason::SetAside) => EMAIL_WAITS,
            Some(LeftOutReason::OnlyTyped) => EMAIL_TYPED,
            Some(LeftOutReason::Unconfirmed) => EMAIL_UNCONFIRMED,
            None => "no email address is known",
        }
    }

    #[must_use]
    pub fn set_aside_kinds(&self) -> Vec<ContactPointKind> {
        let all = [(ContactPointKind::Phone, self.phone_left_out), (ContactPointKind::Email, self.email_left_out)];
        all.into_iter().filter(|(_, why)| *why == Some(LeftOutReason::SetAside)).map(|(kind, _)| kind).collect()
    }

    pub(super) fn excluding_set_aside(self, aside: &SetAsideContacts) -> Self {
        let (has_phone, has_email) = (self.phone.is_some(), self.email.is_some());
        let phone = self.phone.filter(|phone| !aside.has_contact((ContactPointKind::Phone, phone.as_e164())));
        let email = self.email.filter(|email| !aside.has_contact((ContactPointKind::Email, email.as_str())));
        let left_out = |is_left_out: bool| is_left_out.then_some(LeftOutReason::SetAside);
        Self {
            phone_left_out: left_out(has_phone && phone.is_none()),
            email_left_out: left_out(has_email && email.is_none()),
            phone,
            email,
        }
    }

    /// Without what was only typed, where the phone or the email is proven.
    pub(super) fn keeping_proven(mut self, (is_phone_proven, is_email_proven): (bool, bool)) -> Self {
        if is_email_proven && !is_phone_proven && self.phone.take().is_some() {
            self.phone_left_out = Some(LeftOutReason::OnlyTyped);
        }
        if is_phone_proven && !is_email_proven && self.email.take().is_some() {
            self.email_left_out = Some(LeftOutReason::OnlyTyped);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_typed_address_is_left_out_where_the_other_is_proven() {
        let both = || CustomerRecipient {
            phone: Some(Phone::from_stored("+15125550142".to_owned())),
            email: Some(EmailAddress::from_stored("ann@customer.example".to_owned())),
            ..CustomerRecipient::default()
        };
        let reached = |proven| {
            let to = both().keeping_proven(proven);
            (to.phone.is_some(), to.email.is_some())
        };
        assert_eq!(reached((false, false)), (true, true), "the office handed out the link");
        assert_eq!(reached((true, true)), (true, true));
        assert_eq!(reached((false, true)), (false, true));
        assert_eq!(reached((true, false)), (true, false));
        assert_eq!(both().keeping_proven((false, true)).missing_phone_reason(), PHONE_TYPED);
        assert_eq!(both().keeping_proven((true, false)).missing_email_reason(), EMAIL_TYPED);
    }
}
