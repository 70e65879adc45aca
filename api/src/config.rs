//! Settings of the API alone: listen address, trusted proxies, and the operator's texts on the public site.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};

use ipnet::IpNet;
use sha2::{Digest, Sha256};
use shared::{domain::tenancy::account::password::LONGEST_WAIT, platform::config::EnvVars};

use crate::{min_response_time::MIN_RESPONSE_TIME, site::SiteConfig};

const DEFAULT_PORT: u16 = 8080;
const SHORTEST_TOKEN: usize = 20;

#[derive(Clone, Debug)]
pub struct ApiConfig {
    /// `BIND_ADDR` (`127.0.0.1:8080`) and `PORT`, which must not name two ports; `PORT` alone binds every address, as Procfile platforms expect.
    pub listen: SocketAddr,
    /// `TRUSTED_PROXIES`: addresses and networks, comma-separated, whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// `INTAKE_LIMIT_LOOPBACK=on`: the limits of the public forms also apply to requests from this machine.
    pub limit_loopback: bool,
    /// `DEMO`, default on: whether this install shows the demonstration at `/demo`.
    pub has_demo: bool,
    /// `METRICS_TOKEN`, as its SHA-256: the bearer token for reading `/metrics` from another machine.
    pub metrics_token: Option<Vec<u8>>,
    /// `SITE_FILE`: the operator's texts on the public site.
    pub site: SiteConfig,
    /// Minimum duration of an answer that must not reveal whether an address is known. Not a variable; zero in stories,
    /// where no time passes.
    pub floor: Duration,
    /// Longest wait for a turn at hashing a password. Not a variable: a story that fills the queue waits as long as the
    /// machine takes.
    pub hash_wait: Duration,
}

impl Default for ApiConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, DEFAULT_PORT)),
            trusted_proxies: Vec::new(),
            limit_loopback: false,
            has_demo: true,
            metrics_token: None,
            site: SiteConfig::default(),
            floor: MIN_RESPONSE_TIME,
            hash_wait: LONGEST_WAIT,
        }
    }
}

impl ApiConfig {
    /// Faults are noted in `vars` under the variable's name.
    pub fn from_vars(vars: &mut EnvVars) -> Self {
        Self {
            listen: parse_listen_addr(vars),
            trusted_proxies: parse_networks(vars, "TRUSTED_PROXIES"),
            limit_loopback: vars.parse_on_off("INTAKE_LIMIT_LOOPBACK", false),
            has_demo: vars.parse_on_off("DEMO", true),
            metrics_token: parse_token_hash(vars, "METRICS_TOKEN"),
            site: SiteConfig::from_vars(vars),
            floor: MIN_RESPONSE_TIME,
            hash_wait: LONGEST_WAIT,
        }
    }
}

/// The address that `BIND_ADDR` and `PORT` name. Two different ports are a fault: neither is clearly the one meant.
pub fn parse_listen_addr(vars: &mut EnvVars) -> SocketAddr {
    let port = vars.get("PORT").map(|_| vars.parse_or("PORT", DEFAULT_PORT, "a port number from 0 to 65535"));
    match (vars.get("BIND_ADDR"), port) {
        (None, Some(port)) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)),
        (None, None) => ApiConfig::default().listen,
        (Some(given), port) => {
            if let Ok(whole) = given.parse::<SocketAddr>() {
                if port.is_some_and(|port| port != whole.port()) {
                    vars.record_invalid(
                        "PORT",
                        "is another port than that of BIND_ADDR: unset PORT, or give BIND_ADDR without a port",
                    );
                }
                return whole;
            }
            if let Ok(ip) = given.trim_matches(['[', ']']).parse::<IpAddr>() {
                return SocketAddr::new(ip, port.unwrap_or(DEFAULT_PORT));
            }
            vars.record_invalid("BIND_ADDR", "must be an address such as 127.0.0.1:8080");
            ApiConfig::default().listen
        }
    }
}

fn parse_networks(vars: &mut EnvVars, name: &str) -> Vec<IpNet> {
    let given = vars.get(name).unwrap_or_default();
    let mut found = Vec::new();
    for one in given.split(',').map(str::trim).filter(|one| !one.is_empty()) {
        match one.parse::<IpNet>().or_else(|_| one.parse::<IpAddr>().map(IpNet::from)) {
            Ok(net) => found.push(net),
            Err(_) => vars.record_invalid(name, "must be addresses or networks such as 10.0.0.0/8, parted by commas"),
        }
    }
    found
}

/// SHA-256 of a token, which must be too long to guess.
fn parse_token_hash(vars: &mut EnvVars, name: &str) -> Option<Vec<u8>> {
    let given = vars.get(name)?;
    if given.len() < SHORTEST_TOKEN {
        vars.record_invalid(name, "must have at least 20 characters");
        return None;
    }
    Some(Sha256::digest(given.as_bytes()).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> (ApiConfig, Vec<String>) {
        let mut vars = EnvVars::from_pairs(pairs.iter().copied());
        let config = ApiConfig::from_vars(&mut vars);
        (config, vars.into_result().err().map(|e| e.0.into_iter().map(|f| f.variable).collect()).unwrap_or_default())
    }

    #[test]
    fn listen_address_is_all_interfaces_with_port_alone_and_else_loopback() {
        for (pairs, wanted) in [
            (&[][..], "127.0.0.1:8080"),
            (&[("PORT", "5000")][..], "0.0.0.0:5000"),
            (&[("BIND_ADDR", "127.0.0.1:9000")][..], "127.0.0.1:9000"),
            (&[("BIND_ADDR", "127.0.0.1"), ("PORT", "5000")][..], "127.0.0.1:5000"),
            (&[("BIND_ADDR", "[::1]:9000")][..], "[::1]:9000"),
            (&[("BIND_ADDR", "127.0.0.1:5000"), ("PORT", "5000")][..], "127.0.0.1:5000"),
        ] {
            let (config, faults) = read(pairs);
            assert_eq!((config.listen.to_string().as_str(), faults.len()), (wanted, 0), "{pairs:?}");
        }
    }

    #[test]
    fn two_different_ports_are_refused() {
        let (_, faults) = read(&[("BIND_ADDR", "127.0.0.1:9000"), ("PORT", "5000")]);
        assert_eq!(faults, ["PORT"]);
    }

    #[test]
    fn invalid_variables_are_all_named() {
        let (_, faults) = read(&[
            ("PORT", "http"),
            ("BIND_ADDR", "everywhere"),
            ("TRUSTED_PROXIES", "10.0.0.0/8, proxy"),
            ("INTAKE_LIMIT_LOOPBACK", "yes"),
            ("DEMO", "no"),
            ("METRICS_TOKEN", "short"),
        ]);
        assert_eq!(faults, ["PORT", "BIND_ADDR", "TRUSTED_PROXIES", "INTAKE_LIMIT_LOOPBACK", "DEMO", "METRICS_TOKEN"]);
    }

    #[test]
    fn demo_is_on_unless_switched_off() {
        assert!(read(&[]).0.has_demo && read(&[("DEMO", "on")]).0.has_demo);
        assert!(!read(&[("DEMO", "off")]).0.has_demo);
    }

    #[test]
    fn trusted_proxy_may_be_an_address_or_a_network() {
        let (config, faults) = read(&[("TRUSTED_PROXIES", "10.0.0.0/8,192.0.2.7, ::1")]);
        assert_eq!((config.trusted_proxies.len(), faults.len()), (3, 0));
    }
}
