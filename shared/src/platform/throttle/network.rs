//! The network of an address. Whatever is counted, held or shared by network takes it from here.

use std::net::{IpAddr, Ipv6Addr};

/// What a provider gives to one customer, and the network around it.
const OF_ONE: u32 = 56;
const AROUND: u32 = 48;
/// How many times the limit of one IPv6 network is that of the /48 around it.
pub const WIDER: i64 = 4;

/// An IPv4 address, or the /56 of an IPv6 one: what a provider gives to one customer.
#[must_use]
pub fn of(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => IpAddr::V6(head(v6, OF_ONE)),
    }
}

/// The same as text, to be counted under.
#[must_use]
pub fn network(ip: Option<IpAddr>) -> String {
    ip.map_or_else(|| "unknown".to_owned(), |ip| of(ip).to_string())
}

/// The /48 around an IPv6 address, which some providers give to one customer; none around an IPv4 one.
#[must_use]
pub fn wider(ip: Option<IpAddr>) -> Option<String> {
    match ip?.to_canonical() {
        IpAddr::V4(_) => None,
        IpAddr::V6(v6) => Some(format!("{}/{AROUND}", head(v6, AROUND))),
    }
}

fn head(v6: Ipv6Addr, bits: u32) -> Ipv6Addr {
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
    fn network_of_ipv6_is_the_56_of_one_customer() {
        assert_eq!(network(Some(at("2001:db8:1:200:aaaa::1"))), network(Some(at("2001:db8:1:2ff::9"))));
        assert_ne!(network(Some(at("2001:db8:1:200::1"))), network(Some(at("2001:db8:1:300::1"))));
    }

    #[test]
    fn network_of_ipv4_is_the_address() {
        assert_ne!(network(Some(at("192.0.2.1"))), network(Some(at("192.0.2.2"))));
        assert_eq!(network(Some(at("::ffff:192.0.2.1"))), "192.0.2.1");
        assert_eq!(network(None), "unknown");
    }

    #[test]
    fn wider_network_is_the_48_and_no_network_of_its_own() {
        assert_eq!(wider(Some(at("2001:db8:1:200::1"))), wider(Some(at("2001:db8:1:ff00::1"))));
        assert_ne!(wider(Some(at("2001:db8:1::1"))), wider(Some(at("2001:db8:2::1"))));
        assert_ne!(
            wider(Some(at("2001:db8:1::1"))),
            Some(network(Some(at("2001:db8:1::1")))),
            "they are counted apart"
        );
        assert_eq!(
            (wider(Some(at("192.0.2.1"))), wider(Some(at("::ffff:192.0.2.1"))), wider(None)),
            (None, None, None)
        );
    }
}
