//! `SMTP_URL`: `smtp://[user:password@]host[:port][?tls=required|opportunistic|none]`, or `smtps://` for TLS at once.

use std::net::IpAddr;

use percent_encoding::percent_decode_str;
use secrecy::SecretString;
use url::Url;

/// A mail server and how to speak with it.
#[derive(Debug, Clone)]
pub struct SmtpServer {
    pub host: String,
    pub port: u16,
    pub encryption: Encryption,
    /// User and password. The user counts as secret too: it is often somebody's address.
    pub login: Option<(SecretString, SecretString)>,
    /// A certificate (DER) to trust beside the machine's own.
    pub trusted_certificate: Option<Vec<u8>>,
}

/// When a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// From the first byte, with a certificate that this machine trusts.
    Implicit,
    /// By STARTTLS, with a certificate that this machine trusts, or not at all.
    Required,
    /// By STARTTLS where it is offered, with any certificate: whoever could forge one could as well hide the offer, so
    /// checking it would stop honest servers only (RFC 7435).
    Opportunistic,
    /// Never.
    None,
}

impl SmtpServer {
    /// Reads the address of a mail server.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence part that does not repeat it.
    pub fn from_url(given: &str) -> Result<Self, &'static str> {
        const SHAPE: &str =
            "must be smtp://host:port or smtps://host:port, with user:password@ before the host if needed";
        let url = Url::parse(given).map_err(|_| SHAPE)?;
        let implicit = match url.scheme() {
            "smtp" => false,
            "smtps" => true,
            _ => return Err(SHAPE),
        };
        if !matches!(url.path(), "" | "/") || url.fragment().is_some() {
            return Err(SHAPE);
        }
        let host = decode(url.host_str().filter(|h| !h.is_empty()).ok_or(SHAPE)?)?;
        let login = login(&url)?;
        let asked = asked_encryption(&url)?;
        let encryption = match (implicit, asked) {
            (true, None | Some(Encryption::Required)) => Encryption::Implicit,
            (true, Some(_)) => return Err("cannot be smtps:// and ask for less than TLS"),
            (false, Some(asked)) => asked,
            // A password never crosses a network in the clear unless the operator asked for exactly that.
            (false, None) if login.is_some() && !is_loopback(&host) => Encryption::Required,
            (false, None) => Encryption::Opportunistic,
        };
        let usual = match (implicit, encryption, &login) {
            (true, ..) => 465,
            (_, Encryption::Required, _) | (.., Some(_)) => 587,
            _ => 25,
        };
        Ok(Self { port: url.port().unwrap_or(usual), host, encryption, login, trusted_certificate: None })
    }

    /// The host as a resolver wants it, without the brackets of an IPv6 address.
    pub(super) fn bare_host(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }
}

fn decode(part: &str) -> Result<String, &'static str> {
    percent_decode_str(part).decode_utf8().map(Into::into).map_err(|_| "has a part that is not UTF-8")
}

fn login(url: &Url) -> Result<Option<(SecretString, SecretString)>, &'static str> {
    match (url.username(), url.password()) {
        ("", None) => Ok(None),
        ("", Some(_)) => Err("has a password but no user"),
        (_, None) => Err("has a user but no password"),
        (user, Some(password)) => Ok(Some((decode(user)?.into(), decode(password)?.into()))),
    }
}

fn asked_encryption(url: &Url) -> Result<Option<Encryption>, &'static str> {
    let mut asked = None;
    for (name, value) in url.query_pairs() {
        asked = match (name.as_ref(), value.as_ref()) {
            ("tls", "required") => Some(Encryption::Required),
            ("tls", "opportunistic") => Some(Encryption::Opportunistic),
            ("tls", "none") => Some(Encryption::None),
            ("tls", _) => return Err("must have tls=required, tls=opportunistic or tls=none"),
            _ => return Err("takes no parameter but tls"),
        };
    }
    Ok(asked)
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    #[test]
    fn the_encryption_and_the_port_follow_from_the_address() {
        use Encryption::{Implicit, None, Opportunistic, Required};
        for (url, encryption, port) in [
            ("smtp://mail.example", Opportunistic, 25),
            ("smtp://mail.example/", Opportunistic, 25),
            ("smtp://mail.example:2525?tls=none", None, 2525),
            ("smtp://mail.example?tls=required", Required, 587),
            ("smtp://u:p@mail.example", Required, 587),
            ("smtp://u:p@mail.example?tls=opportunistic", Opportunistic, 587),
            ("smtp://u:p@127.0.0.1:1025", Opportunistic, 1025),
            ("smtp://u:p@[::1]:1025", Opportunistic, 1025),
            ("smtp://u:p@localhost", Opportunistic, 587),
            ("smtps://u:p@mail.example", Implicit, 465),
            ("smtps://mail.example:8465?tls=required", Implicit, 8465),
        ] {
            let server = SmtpServer::from_url(url).unwrap();
            assert_eq!((server.encryption, server.port), (encryption, port), "{url}");
        }
    }

    #[test]
    fn user_and_password_may_hold_any_character() {
        let server = SmtpServer::from_url("smtps://office%40example.com:p%3A%2F%3F%23+%25@mail.example").unwrap();
        let (user, password) = server.login.unwrap();
        assert_eq!((user.expose_secret(), password.expose_secret()), ("office@example.com", "p:/?#+%"));
        assert_eq!(SmtpServer::from_url("smtp://[::1]:25").unwrap().bare_host(), "::1");
    }

    #[test]
    fn what_is_not_a_mail_server_is_refused() {
        for bad in [
            "mail.example",
            "mail.example:25",
            "http://mail.example",
            "smtp://",
            "smtp://mail.example/box",
            "smtp://mail.example:99999",
            "smtp://u@mail.example",
            "smtp://:p@mail.example",
            "smtp://mail.example?tls=maybe",
            "smtp://mail.example?ssl=1",
            "smtps://mail.example?tls=none",
            "smtp://u:%ff@mail.example",
        ] {
            assert!(SmtpServer::from_url(bad).is_err(), "{bad}");
        }
    }
}
