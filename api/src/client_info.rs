//! Client address of a request. Forwarding headers are believed only from configured proxies; only a request straight
//! from this machine is exempt from the limits of the public forms.

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
        intake::lead::FormSender,
        tenancy::{
            account::password::{HashingLane, HashingRequester},
            audit::{self, AuditAction, AuditActor},
            security::device::{self, KnownDeviceStatus},
        },
    },
    platform::{
        public_url::PublicUrl,
        throttle::{self, sign_in::SignInKeys},
    },
};
use uuid::Uuid;

use crate::{
    auth::{OrgMember, cookie_token, device_cookie_name},
    error::{ApiResult, request_id},
    state::AppState,
};

/// Headers that proxies add. A request with one of them did not come straight from this machine.
const FORWARDING: [&str; 7] =
    ["x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host", "x-forwarded-proto", "via", "cf-connecting-ip"];
const USER_AGENT_CHARS: usize = 300;

#[derive(Clone, Debug, Default)]
pub struct RequestContext {
    pub ip: Option<IpAddr>,
    pub user_agent: Option<String>,
    /// Token that recognizes the browser, if sent ([`crate::auth::device_cookie_name`]). It grants no access.
    pub device: Option<String>,
    pub is_exempt: bool,
}

impl RequestContext {
    /// Audit actor without an account.
    #[must_use]
    pub fn anonymous_actor(&self) -> AuditActor {
        AuditActor {
            account: None,
            key: None,
            ip: self.ip.map(|ip| ip.to_string()),
            user_agent: self.user_agent.clone(),
            request_id: Some(request_id()),
        }
    }

    /// Audit actor: the signed-in person, or their API key.
    #[must_use]
    pub fn actor_for(&self, member: &OrgMember) -> AuditActor {
        AuditActor { account: Some(member.account()), key: member.key, ..self.anonymous_actor() }
    }

    /// Audits an export of business data. Skipped for the demonstration: its data is public, and nothing is written
    /// there. Errors: 503 when the database is away.
    pub async fn record_data_export(
        &self,
        state: &AppState,
        member: &OrgMember,
        action: AuditAction,
        subject: Option<Uuid>,
    ) -> ApiResult<()> {
        if member.is_demo() {
            return Ok(());
        }
        let mut tx = state.db()?.begin().await?;
        audit::record(&mut tx, &state.origin, &self.actor_for(member), member.org(), action, subject).await?;
        Ok(tx.commit().await?)
    }

    /// Throttle keys for password tries: the browser, where it has signed in to the account or its password was chosen
    /// in it by a mailed link; otherwise the network. Errors: 503 when the database is away.
    pub async fn password_attempt_keys(&self, state: &AppState, email: &str) -> ApiResult<SignInKeys> {
        let keys = SignInKeys::new(&state.settings.secret, email, self.ip);
        let is_own = self.device_status(state, email).await?.is_some();
        Ok(self.scope_to_device(state, keys, is_own))
    }

    /// Throttle keys for tries at the second-factor code. A mailed link alone does not count the browser as known here:
    /// each link would give a reader of the mail further tries. Errors: 503 when the database is away.
    pub async fn code_attempt_keys(&self, state: &AppState, email: &str) -> ApiResult<SignInKeys> {
        let keys = SignInKeys::for_code(&state.settings.secret, email, self.ip);
        let is_own = self.device_status(state, email).await? == Some(KnownDeviceStatus::SignedIn);
        Ok(self.scope_to_device(state, keys, is_own))
    }

    fn scope_to_device(&self, state: &AppState, keys: SignInKeys, is_own: bool) -> SignInKeys {
        match &self.device {
            Some(token) if is_own => keys.on_known_device(&state.settings.secret, token),
            _ => keys,
        }
    }

    /// Requester in the password hashing queue; `account` is any text that tells accounts apart.
    #[must_use]
    pub fn hashing_requester(&self, lane: HashingLane, account: &impl ToString) -> HashingRequester {
        let network = throttle::network_key(self.ip);
        let surrounding = throttle::surrounding_network_key(self.ip).unwrap_or_else(|| network.clone());
        HashingRequester { lane, network, surrounding, account: account.to_string() }
    }

    /// Device cookie of a browser that has signed in to this account, if sent. Errors: 503 when the database is away.
    pub async fn known_device_token(&self, state: &AppState, email: &str) -> ApiResult<Option<&str>> {
        let is_known = self.device_status(state, email).await? == Some(KnownDeviceStatus::SignedIn);
        Ok(self.device.as_deref().filter(|_| is_known))
    }

    /// Device cookie of a browser that anybody has signed in with, if sent: before an account is named. Errors: 503 when
    /// the database is away.
    pub async fn any_known_device_token(&self, state: &AppState) -> ApiResult<Option<&str>> {
        let Some(token) = self.device.as_deref() else { return Ok(None) };
        let is_known = device::is_known_device(&mut state.db()?.acquire_reader().await?, token).await?;
        Ok(is_known.then_some(token))
    }

    async fn device_status(&self, state: &AppState, email: &str) -> ApiResult<Option<KnownDeviceStatus>> {
        let Some(token) = &self.device else { return Ok(None) };
        Ok(device::find_device_status(&mut state.db()?.acquire_reader().await?, email, token).await?)
    }

    #[must_use]
    pub fn form_sender(&self) -> FormSender {
        FormSender { ip: self.ip, user_agent: self.user_agent.clone(), is_exempt: self.is_exempt }
    }
}

impl FromRequestParts<AppState> for RequestContext {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        let peer = peer_ip(parts);
        let cookie = device_cookie_name(state.settings.public_url.is_https());
        let agent = parts.headers.get(header::USER_AGENT).and_then(|v| v.to_str().ok());
        Ok(Self {
            ip: peer.map(|peer| client_ip(peer, &parts.headers, &state.config.trusted_proxies)),
            user_agent: agent.map(|a| a.chars().take(USER_AGENT_CHARS).collect()),
            device: cookie_token(&parts.headers, cookie).map(ToOwned::to_owned),
            is_exempt: !state.config.limit_loopback && is_this_machine(parts, &state.settings.public_url),
        })
    }
}

#[must_use]
pub fn peer_ip(parts: &Parts) -> Option<IpAddr> {
    parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_canonical())
}

/// Whether a request came straight from this machine, not through a proxy on it.
#[must_use]
pub fn is_direct_loopback(peer: Option<IpAddr>, headers: &HeaderMap) -> bool {
    peer.is_some_and(|ip| ip.is_loopback()) && !FORWARDING.iter().any(|name| headers.contains_key(*name))
}

/// As above, for exemptions from limits or tokens. Behind `https` a proxy may add none of the forwarding headers: then
/// the request must also name this machine by a loopback name, and not use HTTP/1.0, which nginx speaks to its
/// upstreams.
#[must_use]
pub fn is_this_machine(parts: &Parts, public_url: &PublicUrl) -> bool {
    let is_called_here = || parts.version > Version::HTTP_10 && targets_loopback(parts);
    is_direct_loopback(peer_ip(parts), &parts.headers) && (!public_url.is_https() || is_called_here())
}

/// `localhost`, `127.0.0.1:8080` or `[::1]:8080`, in `Host` or, without it, in the request URI.
fn targets_loopback(parts: &Parts) -> bool {
    let host = match parts.headers.get(header::HOST) {
        Some(host) => host.to_str().ok().and_then(|host| host.parse::<Authority>().ok()),
        None => parts.uri.authority().cloned(),
    };
    host.is_some_and(|named| {
        let name = named.host().trim_matches(['[', ']']);
        name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
    })
}

/// Walks `X-Forwarded-For` from its end (the nearest proxy) for as long as the writer is trusted.
fn client_ip(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |ip: IpAddr| trusted.iter().any(|net| net.contains(&ip));
    // Bytes of no text, which a sender may put before what a proxy appends, must not hide the proxy's part.
    let lines: Vec<_> =
        headers.get_all("x-forwarded-for").iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
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
    fn forwarded_address_is_accepted_from_trusted_proxies_only() {
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
    fn bytes_of_no_text_before_the_proxys_part_hide_nothing() {
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-for", HeaderValue::from_bytes(b"\xff, 198.51.100.123").unwrap());
        let proxies = ["127.0.0.1/32".parse().unwrap()];
        assert_eq!(client_ip("127.0.0.1".parse().unwrap(), &headers, &proxies).to_string(), "198.51.100.123");
    }

    #[test]
    fn direct_loopback_excludes_forwarded_and_remote_requests() {
        let here = Some("127.0.0.1".parse().unwrap());
        assert!(is_direct_loopback(here, &HeaderMap::new()));
        assert!(is_direct_loopback(Some("::1".parse().unwrap()), &HeaderMap::new()));
        assert!(!is_direct_loopback(here, &forwarded(&["198.51.100.1"])));
        assert!(!is_direct_loopback(Some("192.0.2.1".parse().unwrap()), &HeaderMap::new()));
        assert!(!is_direct_loopback(None, &HeaderMap::new()));
    }

    fn from_here(host: &str) -> Parts {
        let request = axum::http::Request::builder().uri("/metrics").header("host", host).body(()).unwrap();
        let mut parts = request.into_parts().0;
        parts.extensions.insert(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 4711))));
        parts
    }

    #[test]
    fn local_request_behind_https_must_use_a_loopback_host_name() {
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
        assert!(!is_this_machine(&nginx, &https), "nginx, by default");
        let mut nameless = from_here("localhost");
        nameless.headers.remove(header::HOST);
        assert!(!is_this_machine(&nameless, &https));
    }
}
