//! Addresses of the stories, as the program holds them.

use shared::platform::{email_address::EmailAddress, phone::Phone};

/// Takes any text: the stories of providers send to what is no address, too.
#[must_use]
pub fn email(address: &str) -> EmailAddress {
    EmailAddress::from_stored(address.to_owned())
}

#[must_use]
pub fn phone(number: &str) -> Phone {
    Phone::from_stored(number.to_owned())
}
