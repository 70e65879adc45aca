//! Network of an IP address, the unit of all limits and locks by network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv6 prefix lengths: the allocation of one customer, and the network around it.
const CUSTOMER_PREFIX: u32 = 56;
const WIDER_PREFIX: u32 = 48;
/// What a registry allocates to one provider.
const PROVIDER_PREFIX: u32 = 32;
/// IPv4 block around an address, the smallest that is routed by itself.
const BLOCK_PREFIX: u32 = 24;
/// Limit of the surrounding /48, as a multiple of that of one IPv6 network.
pub const WIDER_LIMIT_FACTOR: i64 = 4;

/// An IPv4 address, or the /56 of an IPv6 one: what a provider allocates to one customer.
#[must_use]
pub fn network_of(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => IpAddr::V6(mask_prefix(v6, CUSTOMER_PREFIX)),
    }
}

/// Text form, used as a counter key.
#[must_use]
pub fn network_key(ip: Option<IpAddr>) -> String {
    ip.map_or_else(|| "unknown".to_owned(), |ip| network_of(ip).to_string())
}

/// The /48 around an IPv6 address, which some providers allocate to one customer; none for IPv4.
#[must_use]
pub fn wider_network_key(ip: Option<IpAddr>) -> Option<String> {
    prefix_key(ip, WIDER_PREFIX)
}

/// The /32 around an IPv6 address, of one provider with all its customers; none for IPv4.
#[must_use]
pub fn provider_network_key(ip: Option<IpAddr>) -> Option<String> {
    prefix_key(ip, PROVIDER_PREFIX)
}

/// The /24 around an IPv4 address, or the /48 around an IPv6 one.
#[must_use]
pub fn surrounding_network_key(ip: Option<IpAddr>) -> Option<String> {
    match ip?.to_canonical() {
        IpAddr::V4(v4) => {
            let rest = Ipv4Addr::BITS - BLOCK_PREFIX;
            Some(format!("{}/{BLOCK_PREFIX}", Ipv4Addr::from_bits(v4.to_bits() >> rest << rest)))
        }
        IpAddr::V6(_) => wider_network_key(ip),
    }
}

fn prefix_key(ip: Option<IpAddr>, bits: u32) -> Option<String> {
    match ip?.to_canonical() {
        IpAddr::V4(_) => None,
        IpAddr::V6(v6) => Some(format!("{}/{bits}", mask_prefix(v6, bits))),
    }
}

fn mask_prefix(v6: Ipv6Addr, bits: u32) -> Ipv6Addr {
    let rest = Ipv6Addr::BITS - bits;
    Ipv6Addr::from_bits(v6.to_bits() >> rest << rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn ipv6_network_is_the_56_prefix() {
        assert_eq!(network_key(Some(at("2001:db8:1:200:aaaa::1"))), network_key(Some(at("2001:db8:1:2ff::9"))));
        assert_ne!(network_key(Some(at("2001:db8:1:200::1"))), network_key(Some(at("2001:db8:1:300::1"))));
    }

    #[test]
    fn ipv4_network_is_the_single_address() {
        assert_ne!(network_key(Some(at("192.0.2.1"))), network_key(Some(at("192.0.2.2"))));
        assert_eq!(network_key(Some(at("::ffff:192.0.2.1"))), "192.0.2.1");
        assert_eq!(network_key(None), "unknown");
    }

    #[test]
    fn provider_network_is_the_ipv6_32_prefix_and_none_for_ipv4() {
        assert_eq!(provider_network_key(Some(at("2001:db8:1::1"))).as_deref(), Some("2001:db8::/32"));
        assert_eq!(provider_network_key(Some(at("2001:db8:ffff::1"))), provider_network_key(Some(at("2001:db8:2::1"))));
        assert_ne!(provider_network_key(Some(at("2001:db9::1"))), provider_network_key(Some(at("2001:db8::1"))));
        assert_eq!(provider_network_key(Some(at("192.0.2.1"))), None);
    }

    #[test]
    fn surrounding_network_is_the_ipv4_24_or_the_ipv6_48_prefix() {
        assert_eq!(surrounding_network_key(Some(at("192.0.2.200"))).as_deref(), Some("192.0.2.0/24"));
        assert_eq!(surrounding_network_key(Some(at("::ffff:192.0.2.1"))).as_deref(), Some("192.0.2.0/24"));
        let v6 = Some(at("2001:db8:1:200::1"));
        assert_eq!(surrounding_network_key(v6), wider_network_key(v6));
        assert_eq!(surrounding_network_key(None), None);
    }

    #[test]
    fn wider_network_is_the_ipv6_48_prefix_and_none_for_ipv4() {
        assert_eq!(wider_network_key(Some(at("2001:db8:1:200::1"))), wider_network_key(Some(at("2001:db8:1:ff00::1"))));
        assert_ne!(wider_network_key(Some(at("2001:db8:1::1"))), wider_network_key(Some(at("2001:db8:2::1"))));
        assert_ne!(
            wider_network_key(Some(at("2001:db8:1::1"))),
            Some(network_key(Some(at("2001:db8:1::1")))),
            "they are counted apart"
        );
        assert_eq!(
            (
                wider_network_key(Some(at("192.0.2.1"))),
                wider_network_key(Some(at("::ffff:192.0.2.1"))),
                wider_network_key(None)
            ),
            (None, None, None)
        );
    }
}
