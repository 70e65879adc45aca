//! Email addresses: parsed, and stored in lower case.

use std::fmt;

use serde::Serialize;
use url::Host;

/// In lower case, so that spellings compare equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, sqlx::Type)]
#[serde(transparent)]
#[sqlx(transparent)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// The domain must be a name: an IP address, in brackets or bare, is refused, in every way of writing one that
    /// programs read (`127.1`, `127.0.0.0x1`).
    #[must_use]
    pub fn parse(typed: &str) -> Option<Self> {
        let typed = typed.trim();
        let address: lettre::Address = typed.parse().ok()?;
        let last = address.domain().rsplit_once('.').map(|(_, last)| last)?;
        let is_name = last.chars().any(|c| c.is_ascii_alphabetic())
            && !address.domain().contains(['[', ']', ':'])
            && matches!(Host::parse(address.domain()), Ok(Host::Domain(_)));
        (is_name && typed.len() <= 254 && typed.is_ascii()).then(|| Self(typed.to_ascii_lowercase()))
    }

    /// From a column that only parsed addresses are written to. Nothing is checked: an old value must not hide the rows
    /// beside it, and the mail provider refuses what is no address.
    #[must_use]
    pub fn from_stored(stored: String) -> Self {
        Self(stored)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{IP_EMAIL, invalid_email_reason};

    #[test]
    fn undeliverable_email_addresses_are_refused_with_a_reason() {
        for bad in [
            "",
            "a",
            "a@",
            "@b.c",
            "a@b",
            "a b@c.de",
            "a@b.c\r\nBcc: x@y.z",
            "a@[127.0.0.1]",
            "a@[IPv6:::1]",
            "a@127.0.0.1",
            "a@10.1",
            "a@b.1",
            "a@127.0.0.0x1",
            "a@0x7f.0.0.0x1",
            "a@0x7f.0x1",
        ] {
            assert_eq!(EmailAddress::parse(bad), None, "{bad}");
            let is_ip = ["127.0.0", "IPv6", "10.1", "0x"].iter().any(|part| bad.contains(part));
            assert_eq!(invalid_email_reason(bad), if is_ip { IP_EMAIL } else { "Invalid email" }, "{bad}");
        }
        assert_eq!(EmailAddress::parse(" Ann@Example.com ").unwrap().as_str(), "ann@example.com");
        for good in ["a@b.co", "a@0x.example", "a@mail.4u.example", "a@xn--bcher-kva.example", "a@127.example"] {
            assert!(EmailAddress::parse(good).is_some(), "{good}");
        }
    }
}
