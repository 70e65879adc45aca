//! DNS resolver that returns only public internet addresses.
//!
//! Checked at each connection, so a name whose address changes after registration is caught (DNS rebinding).

use std::{
    error::Error,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use ipnet::{Ipv4Net, Ipv6Net};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

#[derive(Debug, thiserror::Error)]
#[error("the name leads to an address that is not on the internet")]
pub(super) struct NotPublicError;

/// Filters the answer of another resolver.
#[derive(Clone)]
pub struct PublicResolver(Arc<dyn Resolve>);

struct SystemResolver;

impl PublicResolver {
    #[must_use]
    pub fn system() -> Self {
        Self(Arc::new(SystemResolver))
    }

    #[must_use]
    pub fn from_resolver(lookup: Arc<dyn Resolve>) -> Self {
        Self(lookup)
    }

    /// Whether this guard caused the request's failure.
    #[must_use]
    pub fn is_blocked(error: &reqwest::Error) -> bool {
        std::iter::successors(error.source(), |e| (*e).source()).any(<dyn Error>::is::<NotPublicError>)
    }
}

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let asked = self.0.resolve(name);
        Box::pin(async move {
            let all: Vec<SocketAddr> = asked.await?.collect();
            let public: Vec<SocketAddr> = all.iter().copied().filter(|a| is_public_ip(a.ip())).collect();
            if public.is_empty() && !all.is_empty() {
                return Err(NotPublicError.into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

impl Resolve for SystemResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(head: [u16; 2], prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(head[0], head[1], 0, 0, 0, 0, 0, 0), prefix)
}

/// IANA special-purpose registry, and Azure's platform address.
const INNER_V4: [Ipv4Net; 16] = [
    v4(0, 0, 0, 0, 8),        // "this network"; 0.0.0.0 connects to this machine
    v4(10, 0, 0, 0, 8),       // private
    v4(100, 64, 0, 0, 10),    // shared by a carrier's customers (CGNAT)
    v4(127, 0, 0, 0, 8),      // this machine
    v4(168, 63, 129, 16, 32), // Azure's metadata and DNS, at an otherwise public address
    v4(169, 254, 0, 0, 16),   // link-local, and most clouds' metadata
    v4(172, 16, 0, 0, 12),    // private
    v4(192, 0, 0, 0, 24),     // protocol assignments, one cloud's metadata
    v4(192, 0, 2, 0, 24),     // documentation
    v4(192, 88, 99, 0, 24),   // former 6to4 relays
    v4(192, 168, 0, 0, 16),   // private
    v4(198, 18, 0, 0, 15),    // measurements
    v4(198, 51, 100, 0, 24),  // documentation
    v4(203, 0, 113, 0, 24),   // documentation
    v4(224, 0, 0, 0, 4),      // multicast
    v4(240, 0, 0, 0, 4),      // reserved, and broadcast
];

/// Global unicast range; excludes loopback, ULA, link-local, site-local and multicast.
const GLOBAL_V6: Ipv6Net = v6([0x2000, 0], 3);
/// Exceptions within it: tunnels that embed an IPv4 address of the sender's choice, and documentation.
const INNER_V6: [Ipv6Net; 4] = [v6([0x2001, 0], 23), v6([0x2001, 0xdb8], 32), v6([0x2002, 0], 16), v6([0x3fff, 0], 20)];
/// IPv4 addresses embedded for IPv6-only networks (RFC 6052).
const NAT64: Ipv6Net = v6([0x64, 0xff9b], 96);

/// Whether an address is on the public internet, not on this machine, its network or its cloud.
#[must_use]
pub fn is_public_ip(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => !INNER_V4.iter().any(|net| net.contains(&ip)),
        IpAddr::V6(ip) => {
            if let Some(inside) = ip.to_ipv4_mapped() {
                return is_public_ip(inside.into());
            }
            if NAT64.contains(&ip) {
                let [.., a, b, c, d] = ip.octets();
                return is_public_ip(Ipv4Addr::new(a, b, c, d).into());
            }
            GLOBAL_V6.contains(&ip) && !INNER_V6.iter().any(|net| net.contains(&ip))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    const INNER: &str = "
        0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.255.0.1
        168.63.129.16 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.168.1.1 198.18.0.1
        198.19.255.255 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::7f00:1
        ::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1::
        3fff::1 fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1 4000::1";
    const PUBLIC: &str = "
        1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 142.250.74.106 168.63.129.17 172.15.255.255
        172.32.0.0 192.167.255.255 223.255.255.255 2a00:1450:4001:82a::200a 2620:149:a44::1 2001:4860:4860::8888
        ::ffff:142.250.74.106 64:ff9b::8efa:4a6a";

    #[test]
    fn inside_addresses_are_distinguished_from_public_ones() {
        for inner in INNER.split_whitespace() {
            assert!(!is_public_ip(inner.parse().unwrap()), "{inner}");
        }
        for public in PUBLIC.split_whitespace() {
            assert!(is_public_ip(public.parse().unwrap()), "{public}");
        }
    }

    struct Turns(Mutex<Vec<Vec<SocketAddr>>>);

    impl Resolve for Turns {
        fn resolve(&self, _: Name) -> Resolving {
            let answer = self.0.lock().unwrap().remove(0);
            Box::pin(async { Ok(Box::new(answer.into_iter()) as Addrs) })
        }
    }

    #[tokio::test]
    async fn dns_rebinding_is_caught_and_private_addresses_are_dropped_from_answer() {
        let at = |ip: &str| SocketAddr::new(ip.parse().unwrap(), 0);
        let good = at("142.250.74.106");
        let turns = vec![vec![good], vec![at("127.0.0.1")], vec![at("10.0.0.1"), good, at("::1")], vec![]];
        let guard = PublicResolver::from_resolver(Arc::new(Turns(Mutex::new(turns))));
        // A host name that begins like an IPv6 address of fc00::/7.
        let ask = async || match guard.resolve("fcm.googleapis.com".parse().unwrap()).await {
            Ok(found) => Ok(found.collect::<Vec<_>>()),
            Err(e) => Err(e.is::<NotPublicError>()),
        };
        assert_eq!(ask().await, Ok(vec![good]));
        assert_eq!(ask().await, Err(true));
        assert_eq!(ask().await, Ok(vec![good]));
        assert_eq!(ask().await, Ok(vec![]));
    }
}
