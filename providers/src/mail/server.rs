//! `SMTP_URL`: `smtp://[user:password@]host[:port][?tls=required|opportunistic|none]`, or `smtps://` for implicit TLS.

use std::net::IpAddr;

use percent_encoding::percent_decode_str;
use secrecy::SecretString;
use url::Url;

#[derive(Debug, Clone)]
pub struct SmtpServer {
    pub host: String,
    pub port: u16,
    pub encryption: SmtpEncryption,
    /// User and password. The user is secret too: it is often a person's address.
    pub login: Option<(SecretString, SecretString)>,
    /// A certificate (DER) trusted besides the machine's own.
    pub trusted_certificate: Option<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmtpEncryption {
    /// From the first byte, with a trusted certificate.
    Implicit,
    /// STARTTLS with a trusted certificate, or no delivery.
    Required,
    /// STARTTLS where offered, with any certificate: an attacker who can forge one can also hide the offer, so a check
    /// would only block honest servers (RFC 7435).
    Opportunistic,
    None,
}

impl SmtpServer {
    /// Errors: a sentence part naming the fault, without the URL.
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
        let host = decode_url_part(url.host_str().filter(|h| !h.is_empty()).ok_or(SHAPE)?)?;
        let login = parse_login(&url)?;
        let asked = parse_encryption(&url)?;
        let encryption = match (implicit, asked) {
            (true, None | Some(SmtpEncryption::Required)) => SmtpEncryption::Implicit,
            (true, Some(_)) => return Err("cannot be smtps:// and ask for less than TLS"),
            (false, Some(asked)) => asked,
            // A password is sent in clear text only if the operator asked for exactly that.
            (false, None) if login.is_some() && !is_loopback(&host) => SmtpEncryption::Required,
            (false, None) => SmtpEncryption::Opportunistic,
        };
        let usual = match (implicit, encryption, &login) {
            (true, ..) => 465,
            (_, SmtpEncryption::Required, _) | (.., Some(_)) => 587,
            _ => 25,
        };
        Ok(Self { port: url.port().unwrap_or(usual), host, encryption, login, trusted_certificate: None })
    }

    /// Without the brackets of an IPv6 address, for the resolver.
    pub(super) fn bare_host(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }
}

fn decode_url_part(part: &str) -> Result<String, &'static str> {
    percent_decode_str(part).decode_utf8().map(Into::into).map_err(|_| "has a part that is not UTF-8")
}

fn parse_login(url: &Url) -> Result<Option<(SecretString, SecretString)>, &'static str> {
    match (url.username(), url.password()) {
        ("", None) => Ok(None),
        ("", Some(_)) => Err("has a password but no user"),
        (_, None) => Err("has a user but no password"),
        (user, Some(password)) => Ok(Some((decode_url_part(user)?.into(), decode_url_part(password)?.into()))),
    }
}

fn parse_encryption(url: &Url) -> Result<Option<SmtpEncryption>, &'static str> {
    let mut asked = None;
    for (name, value) in url.query_pairs() {
        asked = match (name.as_ref(), value.as_ref()) {
            ("tls", "required") => Some(SmtpEncryption::Required),
            ("tls", "opportunistic") => Some(SmtpEncryption::Opportunistic),
            ("tls", "none") => Some(SmtpEncryption::None),
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
    fn encryption_and_port_follow_from_the_url() {
        use SmtpEncryption::{Implicit, None, Opportunistic, Required};
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
    fn user_and_password_are_percent_decoded() {
        let server = SmtpServer::from_url("smtps://office%40example.com:p%3A%2F%3F%23+%25@mail.example").unwrap();
        let (user, password) = server.login.unwrap();
        assert_eq!((user.expose_secret(), password.expose_secret()), ("office@example.com", "p:/?#+%"));
        assert_eq!(SmtpServer::from_url("smtp://[::1]:25").unwrap().bare_host(), "::1");
    }

    #[test]
    fn invalid_smtp_url_is_refused() {
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
