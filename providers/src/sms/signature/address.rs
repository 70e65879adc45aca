//! Variants of the signed address: Twilio signs with or without the port.

/// The address without a port, with the scheme's default port if it has none, and unchanged. As at Twilio, a trailing
/// empty `?` is dropped in the first two.
pub(super) fn url_variants(url: &str) -> Vec<String> {
    let mut all = vec![url.to_owned()];
    if let Some(parts) = UrlParts::parse(url) {
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

struct UrlParts<'a> {
    scheme: &'a str,
    host: &'a str,
    port: Option<&'a str>,
    rest: &'a str,
}

impl<'a> UrlParts<'a> {
    fn parse(url: &'a str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        // A colon may also separate user and password, or be part of an IPv6 address in brackets.
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
    fn url_is_tried_with_and_without_port() {
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
            assert_eq!(url_variants(url), others, "{url}");
        }
    }
}
