//! Addresses for messages to a customer, and the reason when an address on file gets none.

use sqlx::FromRow;

use super::{ContactPointKind, find_proven_owner, set_aside::SetAsideContacts};
use crate::platform::{
    db::AsConn,
    email_address::EmailAddress,
    error::Result,
    id::{CustomerId, OrgId},
    phone::Phone,
};

/// What [`CustomerRecipient::missing_email_reason`] answers where no email is on file.
pub(crate) const NO_EMAIL_KNOWN: &str = "no email address is known";

const PHONE_WAITS: &str = "their number was only typed into a form, and waits for \"Use it\" on the customer's page";
const EMAIL_WAITS: &str = "their email was only typed into a form, and waits for \"Use it\" on the customer's page";

const PHONE_ELSEWHERE: &str =
    "their number belongs to another customer; merge the two if they are one person, or ask them";
const EMAIL_ELSEWHERE: &str =
    "their email belongs to another customer; merge the two if they are one person, or ask them";

const PHONE_TYPED: &str = "their number was only typed into the booking form, and they confirmed by email";
const EMAIL_TYPED: &str = "their email was only typed into the booking form, and they confirmed by phone";

const PHONE_UNCONFIRMED: &str = "their number is not confirmed as theirs, and they confirmed by email";
const EMAIL_UNCONFIRMED: &str = "their email is not confirmed as theirs, and they confirmed by phone";

/// Why an address on file gets no messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContactExclusionReason {
    SetAside,
    /// It is set aside, and another record has proven it: the office cannot use it here.
    ProvenElsewhere,
    /// For a visit: it was only typed, and the other address is proven.
    OnlyTyped,
    /// The same, but it was used since, or is another record's.
    Unconfirmed,
}

impl ContactExclusionReason {
    fn of_set_aside(proven_owner: Option<CustomerId>, customer: CustomerId) -> Self {
        if proven_owner.is_some_and(|owner| owner != customer) { Self::ProvenElsewhere } else { Self::SetAside }
    }
}

/// Addresses for documents, links to them, visit messages and messages from the office.
#[derive(Clone, Debug, Default, PartialEq, Eq, FromRow)]
pub struct CustomerRecipient {
    #[sqlx(rename = "phone_e164")]
    pub phone: Option<Phone>,
    pub email: Option<EmailAddress>,
    #[sqlx(skip)]
    pub(super) phone_left_out: Option<ContactExclusionReason>,
    #[sqlx(skip)]
    pub(super) email_left_out: Option<ContactExclusionReason>,
}

impl CustomerRecipient {
    #[must_use]
    pub fn missing_phone_reason(&self) -> &'static str {
        match self.phone_left_out {
            Some(ContactExclusionReason::SetAside) => PHONE_WAITS,
            Some(ContactExclusionReason::ProvenElsewhere) => PHONE_ELSEWHERE,
            Some(ContactExclusionReason::OnlyTyped) => PHONE_TYPED,
            Some(ContactExclusionReason::Unconfirmed) => PHONE_UNCONFIRMED,
            None => "no phone number is known",
        }
    }

    #[must_use]
    pub fn missing_email_reason(&self) -> &'static str {
        match self.email_left_out {
            Some(ContactExclusionReason::SetAside) => EMAIL_WAITS,
            Some(ContactExclusionReason::ProvenElsewhere) => EMAIL_ELSEWHERE,
            Some(ContactExclusionReason::OnlyTyped) => EMAIL_TYPED,
            Some(ContactExclusionReason::Unconfirmed) => EMAIL_UNCONFIRMED,
            None => NO_EMAIL_KNOWN,
        }
    }

    /// Whether there is a phone that these messages do not go to.
    #[must_use]
    pub fn leaves_out_phone(&self) -> bool {
        self.phone_left_out.is_some()
    }

    #[must_use]
    pub fn set_aside_kinds(&self) -> Vec<ContactPointKind> {
        let all = [(ContactPointKind::Phone, self.phone_left_out), (ContactPointKind::Email, self.email_left_out)];
        let is_aside = |why: Option<ContactExclusionReason>| {
            matches!(why, Some(ContactExclusionReason::SetAside | ContactExclusionReason::ProvenElsewhere))
        };
        all.into_iter().filter(|(_, why)| is_aside(*why)).map(|(kind, _)| kind).collect()
    }

    /// Without what is set aside. An address that another record has proven is marked as such.
    pub(super) async fn load_excluding_set_aside(
        self,
        conn: &mut dyn AsConn,
        org: OrgId,
        customer: CustomerId,
        aside: &SetAsideContacts,
    ) -> Result<Self> {
        let (phone, email) = (self.phone.clone(), self.email.clone());
        let mut kept = self.excluding_set_aside(aside);
        if let Some(phone) = phone.filter(|_| kept.phone_left_out.is_some()) {
            let owner = find_proven_owner(&mut *conn, org, (ContactPointKind::Phone, phone.as_e164())).await?;
            kept.phone_left_out = Some(ContactExclusionReason::of_set_aside(owner, customer));
        }
        if let Some(email) = email.filter(|_| kept.email_left_out.is_some()) {
            let owner = find_proven_owner(conn, org, (ContactPointKind::Email, email.as_str())).await?;
            kept.email_left_out = Some(ContactExclusionReason::of_set_aside(owner, customer));
        }
        Ok(kept)
    }

    fn excluding_set_aside(self, aside: &SetAsideContacts) -> Self {
        let (has_phone, has_email) = (self.phone.is_some(), self.email.is_some());
        let phone = self.phone.filter(|phone| !aside.has_contact((ContactPointKind::Phone, phone.as_e164())));
        let email = self.email.filter(|email| !aside.has_contact((ContactPointKind::Email, email.as_str())));
        let left_out = |is_left_out: bool| is_left_out.then_some(ContactExclusionReason::SetAside);
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
            self.phone_left_out = Some(ContactExclusionReason::OnlyTyped);
        }
        if is_phone_proven && !is_email_proven && self.email.take().is_some() {
            self.email_left_out = Some(ContactExclusionReason::OnlyTyped);
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
