//! Public address of this install.

use std::net::SocketAddr;

use url::Url;

use super::config::EnvVars;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl(Url);

impl PublicUrl {
    /// `PUBLIC_URL`, default `http://localhost` with the port of `PORT` or `BIND_ADDR`, else 8080.
    ///
    /// # Panics
    /// Never: a test parses the default.
    pub fn from_vars(vars: &mut EnvVars) -> Self {
        const DEFAULT: &str = "http://localhost:8080";
        let given = vars.get("PUBLIC_URL").unwrap_or_else(|| format!("http://localhost:{}", listen_port(vars)));
        PublicUrl::parse(&given).unwrap_or_else(|problem| {
            vars.record_invalid("PUBLIC_URL", problem);
            #[expect(clippy::expect_used, reason = "a constant that a test reads")]
            PublicUrl::parse(DEFAULT).expect("the default address is an address")
        })
    }

    /// Errors: when it is not an http or https address with a host.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let url = Url::parse(text).map_err(|_| "must be an address such as https://toolbox.example.com")?;
        match (url.scheme(), url.host()) {
            ("http" | "https", Some(_)) if url.query().is_none() && url.fragment().is_none() => Ok(Self(url)),
            _ => Err("must be an http or https address with a host, and without ? or #"),
        }
    }

    /// `path` begins with a slash.
    #[must_use]
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.0.as_str().trim_end_matches('/'))
    }

    /// In `Origin` header form: `https://host:port`.
    #[must_use]
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    #[must_use]
    pub fn contains_url(&self, address: &str) -> bool {
        let Ok(other) = Url::parse(address) else { return false };
        let below = self.0.path().trim_end_matches('/');
        let rest = other.path().strip_prefix(below);
        other.origin() == self.0.origin() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Host name, used in ids that must be globally unique.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    #[must_use]
    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Whether an internet provider could call it: not this machine, not a private address.
    #[must_use]
    pub fn is_publicly_reachable(&self) -> bool {
        match self.0.host() {
            Some(url::Host::Domain(name)) => {
                name.contains('.') && !matches!(name.rsplit('.').next(), Some("localhost" | "local"))
            }
            Some(url::Host::Ipv4(ip)) => {
                !(ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified())
            }
            Some(url::Host::Ipv6(ip)) => !(ip.is_loopback() || ip.is_unspecified() || ip.is_unique_local()),
            None => false,
        }
    }
}

/// Port that the API listens on. A port that the system chooses (0) is unknown here.
fn listen_port(vars: &EnvVars) -> u16 {
    const DEFAULT_PORT: u16 = 8080;
    let bound = || vars.get("BIND_ADDR")?.parse::<SocketAddr>().ok().map(|address| address.port());
    let port = match vars.get("PORT") {
        Some(given) => given.parse().ok(),
        None => bound(),
    };
    port.filter(|port| *port != 0).unwrap_or(DEFAULT_PORT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_address_has_the_port_that_the_api_listens_on() {
        let read = |given: &[(&str, &str)]| {
            let mut vars = EnvVars::from_pairs(given.iter().copied());
            PublicUrl::from_vars(&mut vars).join("/")
        };
        assert_eq!(read(&[]), "http://localhost:8080/");
        assert_eq!(read(&[("PORT", "8331")]), "http://localhost:8331/");
        assert_eq!(read(&[("BIND_ADDR", "127.0.0.1:9000")]), "http://localhost:9000/");
        assert_eq!(read(&[("BIND_ADDR", "127.0.0.1:9000"), ("PORT", "8331")]), "http://localhost:8331/");
        assert_eq!(read(&[("BIND_ADDR", "127.0.0.1")]), "http://localhost:8080/");
        assert_eq!(read(&[("PORT", "0")]), "http://localhost:8080/");
        assert_eq!(read(&[("PORT", "8331"), ("PUBLIC_URL", "https://a.example")]), "https://a.example/");
    }

    #[test]
    fn join_after_trailing_slash_has_no_double_slash() {
        assert_eq!(PublicUrl::parse("https://a.example/").unwrap().join("/app"), "https://a.example/app");
        assert_eq!(PublicUrl::parse("https://a.example/box/").unwrap().join("/app"), "https://a.example/box/app");
    }

    #[test]
    fn loopback_and_private_hosts_are_not_reachable_from_outside() {
        for inside in ["http://localhost:8080", "http://127.0.0.1", "http://192.168.1.5:8080", "http://[::1]"] {
            assert!(!PublicUrl::parse(inside).unwrap().is_publicly_reachable(), "{inside}");
        }
        assert!(PublicUrl::parse("https://toolbox.example.com").unwrap().is_publicly_reachable());
    }
}
