//! The ways Twilio may have written the address it signed: with the port, or without it.

/// The address without any port, with its scheme's port if it has none, and as it is. A `?` with nothing behind it is
/// left out of the first two, as Twilio leaves it out.
pub(super) fn variants(url: &str) -> Vec<String> {
    let mut all = vec![url.to_owned()];
    if let Some(parts) = Parts::of(url) {
        let rest = parts.rest.strip_suffix('?').unwrap_or(parts.rest);
        let default = if parts.scheme == "https" { "443" } else { "80" };
        let port = parts.port.unwrap_or(default);
        all.push(format!("{}://{}{rest}", parts.scheme, parts.host));
        all.push(format!("{}://{}:{port}{rest}", parts.scheme, parts.host));
    }
    all.sort_unstable();
    all.dedup();
    all
}

struct Parts<'a> {
    scheme: &'a str,
    /// With the user, if one is named.
    host: &'a str,
    port: Option<&'a str>,
    /// Path and query.
    rest: &'a str,
}

impl<'a> Parts<'a> {
    fn of(url: &'a str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        // A colon may also part a user from a password, or stand inside the brackets of an IPv6 address.
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => (host, Some(port)),
            _ => (authority, None),
        };
        Some(Self { scheme, host, port, rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_tried_with_and_without_its_port() {
        for (url, others) in [
            ("https://a.example/x?y=1:2", &["https://a.example/x?y=1:2", "https://a.example:443/x?y=1:2"][..]),
            ("http://a.example:80/x", &["http://a.example/x", "http://a.example:80/x"]),
            ("https://a.example:8443/", &["https://a.example/", "https://a.example:8443/"]),
            ("https://a.example/x?", &["https://a.example/x", "https://a.example/x?", "https://a.example:443/x"]),
            ("https://a.example", &["https://a.example", "https://a.example:443"]),
            ("http://[::1]:8080/x", &["http://[::1]/x", "http://[::1]:8080/x"]),
            ("http://[::1]/x", &["http://[::1]/x", "http://[::1]:80/x"]),
            ("https://u:p@a.example/x", &["https://u:p@a.example/x", "https://u:p@a.example:443/x"]),
            ("no address", &["no address"]),
        ] {
            assert_eq!(variants(url), others, "{url}");
        }
    }
}
