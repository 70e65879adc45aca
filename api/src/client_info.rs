//! Where a request comes from, as far as it can be believed: only configured proxies are asked for somebody else's
//! address, and only a request straight from this machine is free of the public forms' limits.

use std::{
    convert::Infallible,
    net::{IpAddr, SocketAddr},
};

use axum::{
    extract::{ConnectInfo, FromRequestParts},
    http::{HeaderMap, Version, header, request::Parts, uri::Authority},
};
use ipnet::IpNet;
use shared::{
    domain::{
        intake::lead::Sender,
        tenancy::{
            account::password::{Asker, Lane},
            audit::{self, Action, Actor},
            security::device::{self, Standing},
        },
    },
    platform::{
        public_url::PublicUrl,
        throttle::{self, Keys},
    },
};
use uuid::Uuid;

use crate::{
    auth::{OrgMember, device_cookie_name, token_of},
    error::{ApiResult, request_id},
    state::AppState,
};

/// Headers that proxies add. A request with one of them did not come straight from this machine.
const FORWARDING: [&str; 7] =
    ["x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host", "x-forwarded-proto", "via", "cf-connecting-ip"];
const USER_AGENT_CHARS: usize = 300;

/// From where, with what, and under which request id.
#[derive(Clone, Debug, Default)]
pub struct Who {
    pub ip: Option<IpAddr>,
    pub user_agent: Option<String>,
    /// By what the browser is known again, if it says so ([`crate::auth::device_cookie_name`]). It opens nothing.
    pub device: Option<String>,
    pub is_exempt: bool,
}

impl Who {
    /// For the audit log: somebody without an account.
    #[must_use]
    pub fn visitor(&self) -> Actor {
        Actor {
            account: None,
            key: None,
            ip: self.ip.map(|ip| ip.to_string()),
            user_agent: self.user_agent.clone(),
            request_id: Some(request_id()),
        }
    }

    /// For the audit log: a signed-in person, or a program with a key of theirs.
    #[must_use]
    pub fn actor(&self, member: &OrgMember) -> Actor {
        Actor { account: Some(member.account()), key: member.key, ..self.visitor() }
    }

    /// Writes down that somebody took data of the business along. What the demonstration shows to everybody is no secret,
    /// and nobody writes there.
    ///
    /// # Errors
    /// 503 when the database is away.
    pub async fn took(
        &self,
        state: &AppState,
        member: &OrgMember,
        action: Action,
        subject: Option<Uuid>,
    ) -> ApiResult<()> {
        if member.is_demo() {
            return Ok(());
        }
        let mut tx = state.db()?.begin().await?;
        audit::record(&mut tx, &state.origin, &self.actor(member), member.org(), action, subject).await?;
        Ok(tx.commit().await?)
    }

    /// What tries at somebody's password are counted under: their browser, where they have signed in with it or chosen the
    /// password in it by a mailed link, else where it is made.
    ///
    /// # Errors
    /// 503 when the database is away.
    pub async fn tries(&self, state: &AppState, email: &str) -> ApiResult<Keys> {
        let keys = Keys::new(&state.settings.secret, email, self.ip);
        let is_own = self.standing(state, email).await?.is_some();
        Ok(self.at_home(state, keys, is_own))
    }

    /// The same for the code that follows it. A mailed link alone makes no browser theirs here: each would bring further
    /// tries at the code to a reader of the mail.
    ///
    /// # Errors
    /// 503 when the database is away.
    pub async fn tries_at_code(&self, state: &AppState, email: &str) -> ApiResult<Keys> {
        let keys = Keys::of_code(&state.settings.secret, email, self.ip);
        let is_own = self.standing(state, email).await? == Some(Standing::SignedIn);
        Ok(self.at_home(state, keys, is_own))
    }

    fn at_home(&self, state: &AppState, keys: Keys, is_own: bool) -> Keys {
        match &self.device {
            Some(token) if is_own => keys.on(&state.settings.secret, token),
            _ => keys,
        }
    }

    /// Who waits for a turn at hashing; `account` is whatever tells accounts apart.
    #[must_use]
    pub fn asker(&self, lane: Lane, account: &impl ToString) -> Asker {
        Asker { lane, network: throttle::network(self.ip), account: account.to_string() }
    }

    /// The cookie of a browser that has signed in to this account, if it shows one.
    ///
    /// # Errors
    /// 503 when the database is away.
    pub async fn known_device(&self, state: &AppState, email: &str) -> ApiResult<Option<&str>> {
        let is_known = self.standing(state, email).await? == Some(Standing::SignedIn);
        Ok(self.device.as_deref().filter(|_| is_known))
    }

    /// What the browser is to this account.
    async fn standing(&self, state: &AppState, email: &str) -> ApiResult<Option<Standing>> {
        let Some(token) = &self.device else { return Ok(None) };
        Ok(device::standing(&mut state.db()?.read().await?, email, token).await?)
    }

    /// For the lead room.
    #[must_use]
    pub fn sender(&self) -> Sender {
        Sender { ip: self.ip, user_agent: self.user_agent.clone(), is_exempt: self.is_exempt }
    }
}

impl FromRequestParts<AppState> for Who {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        let peer = peer(parts);
        let cookie = device_cookie_name(state.settings.public_url.is_https());
        let agent = parts.headers.get(header::USER_AGENT).and_then(|v| v.to_str().ok());
        Ok(Self {
            ip: peer.map(|peer| client_ip(peer, &parts.headers, &state.config.trusted_proxies)),
            user_agent: agent.map(|a| a.chars().take(USER_AGENT_CHARS).collect()),
            device: token_of(&parts.headers, cookie).map(ToOwned::to_owned),
            is_exempt: !state.config.limit_loopback && is_this_machine(parts, &state.settings.public_url),
        })
    }
}

/// The other end of the connection.
#[must_use]
pub fn peer(parts: &Parts) -> Option<IpAddr> {
    parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_canonical())
}

/// Whether a request came straight from this machine, and not through a proxy on it.
#[must_use]
pub fn is_direct_loopback(peer: Option<IpAddr>, headers: &HeaderMap) -> bool {
    peer.is_some_and(|ip| ip.is_loopback()) && !FORWARDING.iter().any(|name| headers.contains_key(*name))
}

/// The same for what is free of limits or of a token. Behind `https` there is a proxy, which may add none of the headers
/// that tell it: there a request is this machine's own only if it also calls this machine by a name of its own, and not
/// in the HTTP/1.0 that nginx speaks to what is behind it.
#[must_use]
pub fn is_this_machine(parts: &Parts, public_url: &PublicUrl) -> bool {
    let is_called_here = || parts.version > Version::HTTP_10 && calls_loopback(parts);
    is_direct_loopback(peer(parts), &parts.headers) && (!public_url.is_https() || is_called_here())
}

/// `localhost`, `127.0.0.1:8080` or `[::1]:8080`, in `Host` or, without it, in the address itself.
fn calls_loopback(parts: &Parts) -> bool {
    let host = match parts.headers.get(header::HOST) {
        Some(host) => host.to_str().ok().and_then(|host| host.parse::<Authority>().ok()),
        None => parts.uri.authority().cloned(),
    };
    host.is_some_and(|named| {
        let name = named.host().trim_matches(['[', ']']);
        name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
    })
}

/// Walks `X-Forwarded-For` from its end, where the nearest proxy wrote, as long as the writer is trusted.
fn client_ip(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |ip: IpAddr| trusted.iter().any(|net| net.contains(&ip));
    let lines: Vec<&str> = headers.get_all("x-forwarded-for").iter().filter_map(|v| v.to_str().ok()).collect();
    let mut client = peer;
    for hop in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
        if !is_trusted(client) {
            return client;
        }
        match parse_hop(hop) {
            Some(ip) => client = ip,
            None => return client,
        }
    }
    client
}

/// `192.0.2.1`, `192.0.2.1:1234`, `2001:db8::1` or `[2001:db8::1]:1234`.
fn parse_hop(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let whole = hop.parse::<SocketAddr>().map(|a| a.ip());
    whole.or_else(|_| hop.trim_matches(['[', ']']).parse::<IpAddr>()).ok().map(|ip| ip.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn forwarded(lines: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("x-forwarded-for", HeaderValue::from_static(line));
        }
        headers
    }

    #[test]
    fn only_trusted_proxies_speak_for_others() {
        let proxies: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap(), "127.0.0.1/32".parse().unwrap()];
        let table: [(&str, &[&str], &[IpNet], &str); 9] = [
            ("203.0.113.9", &["198.51.100.1"], &[], "203.0.113.9"),
            ("203.0.113.9", &["198.51.100.1"], &proxies, "203.0.113.9"),
            ("10.0.0.1", &["198.51.100.1"], &proxies, "198.51.100.1"),
            ("10.0.0.1", &["6.6.6.6, 198.51.100.1"], &proxies, "198.51.100.1"),
            ("10.0.0.1", &["198.51.100.1, 10.0.0.2"], &proxies, "198.51.100.1"),
            ("10.0.0.1", &["6.6.6.6", "198.51.100.1:4711"], &proxies, "198.51.100.1"),
            ("10.0.0.1", &["nonsense"], &proxies, "10.0.0.1"),
            ("127.0.0.1", &["[2001:db8::1]:99"], &proxies, "2001:db8::1"),
            ("127.0.0.1", &[], &proxies, "127.0.0.1"),
        ];
        for (peer, lines, trusted, wanted) in table {
            let got = client_ip(peer.parse().unwrap(), &forwarded(lines), trusted);
            assert_eq!(got.to_string(), wanted, "{peer} {lines:?}");
        }
    }

    #[test]
    fn only_this_machine_itself_is_free_of_limits() {
        let here = Some("127.0.0.1".parse().unwrap());
        assert!(is_direct_loopback(here, &HeaderMap::new()));
        assert!(is_direct_loopback(Some("::1".parse().unwrap()), &HeaderMap::new()));
        assert!(!is_direct_loopback(here, &forwarded(&["198.51.100.1"])));
        assert!(!is_direct_loopback(Some("192.0.2.1".parse().unwrap()), &HeaderMap::new()));
        assert!(!is_direct_loopback(None, &HeaderMap::new()));
    }

    /// A request from a program on this machine, over HTTP/1.1.
    fn from_here(host: &str) -> Parts {
        let request = axum::http::Request::builder().uri("/metrics").header("host", host).body(()).unwrap();
        let mut parts = request.into_parts().0;
        parts.extensions.insert(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 4711))));
        parts
    }

    #[test]
    fn behind_https_only_who_calls_this_machine_by_its_own_name_is_free() {
        let (https, http) = ("https://toolbox.example", "http://toolbox.example");
        let (https, http) = (PublicUrl::parse(https).unwrap(), PublicUrl::parse(http).unwrap());
        for own in ["localhost", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080", "[::ffff:127.0.0.1]"] {
            assert!(is_this_machine(&from_here(own), &https), "{own}");
        }
        for other in ["toolbox.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1", "x y", ""] {
            assert!(!is_this_machine(&from_here(other), &https), "{other}");
            assert!(is_this_machine(&from_here(other), &http), "without a proxy it is as it was: {other}");
        }
        let mut nginx = from_here("127.0.0.1:8080");
        nginx.version = Version::HTTP_10;
        assert!(!is_this_machine(&nginx, &https), "nginx unless it is told otherwise");
        let mut nameless = from_here("localhost");
        nameless.headers.remove(header::HOST);
        assert!(!is_this_machine(&nameless, &https));
    }
}
