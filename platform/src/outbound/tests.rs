//! Accepted and refused addresses, each with its reason.

use super::*;

fn checked_address(given: &str) -> Result<String, AddressError> {
    OutboundRules::default().check_address(given).map(|target| target.as_str().to_owned())
}

#[test]
fn public_addresses_are_normalized_to_one_spelling() {
    for (given, called) in [
        ("https://hooks.example.com/toolbox", "https://hooks.example.com/toolbox"),
        ("https://hooks.example.com", "https://hooks.example.com/"),
        ("HTTPS://Hooks.Example.COM/Toolbox?key=A", "https://hooks.example.com/Toolbox?key=A"),
        ("https://hooks.example.com:443/x", "https://hooks.example.com/x"),
        // A host name that begins like an IPv6 address of fc00::/7.
        ("https://fcm.googleapis.com/x", "https://fcm.googleapis.com/x"),
        ("https://fd.example/x", "https://fd.example/x"),
        ("https://1.1.1.1/x", "https://1.1.1.1/x"),
        ("https://[2606:4700::1111]/x", "https://[2606:4700::1111]/x"),
        ("https://localhost.example.com/x", "https://localhost.example.com/x"),
    ] {
        assert_eq!(checked_address(given), Ok(called.to_owned()), "{given}");
    }
}

#[test]
fn unsafe_address_is_refused_with_its_reason() {
    let long = format!("https://hooks.example.com/{}", "x".repeat(2_048));
    let table: [(&str, AddressError); 45] = [
        ("", AddressError::NoAddress),
        ("hooks.example.com", AddressError::NoAddress),
        ("//hooks.example.com/x", AddressError::NoAddress),
        ("https://", AddressError::NoAddress),
        ("https://exa mple.com/", AddressError::NoAddress),
        ("https://hooks.example.com/\r\nHost: inner", AddressError::NoAddress),
        ("https://hooks.example.com\\@127.0.0.1/", AddressError::NoAddress),
        ("https://hooks.example.com/\"x\"", AddressError::NoAddress),
        ("https://hooks.example.com/#part", AddressError::NoAddress),
        ("https://h\u{f6}oks.example.com/", AddressError::NoAddress),
        ("https://[::1", AddressError::NoAddress),
        ("https://256.1.1.1/", AddressError::NoAddress),
        (&long, AddressError::TooLong),
        ("http://hooks.example.com/", AddressError::NotHttps),
        ("ftp://hooks.example.com/", AddressError::NotHttps),
        ("file:///etc/passwd", AddressError::NotHttps),
        ("gopher://hooks.example.com/", AddressError::NotHttps),
        ("javascript:alert(1)", AddressError::NotHttps),
        ("https://user@hooks.example.com/", AddressError::Credentials),
        ("https://user:pass@hooks.example.com/", AddressError::Credentials),
        ("https://hooks.example.com@127.0.0.1/", AddressError::Credentials),
        ("https://hooks.example.com:8443/", AddressError::Port),
        ("https://hooks.example.com:80/", AddressError::Port),
        ("https://hooks.example.com:22/", AddressError::Port),
        ("https://localhost/", AddressError::Inside),
        ("https://LOCALHOST/", AddressError::Inside),
        ("https://localhost./", AddressError::Inside),
        ("https://api.localhost/", AddressError::Inside),
        ("https://printer.local/", AddressError::Inside),
        ("https://metadata.google.internal/computeMetadata", AddressError::Inside),
        ("https://router/", AddressError::Inside),
        ("https://127.0.0.1/", AddressError::Inside),
        ("https://127.1/", AddressError::Inside),
        ("https://0/", AddressError::Inside),
        ("https://2130706433/", AddressError::Inside),
        ("https://0x7f000001/", AddressError::Inside),
        ("https://0177.0.0.1/", AddressError::Inside),
        ("https://10.0.0.1/", AddressError::Inside),
        ("https://100.64.0.1/", AddressError::Inside),
        ("https://169.254.169.254/latest/meta-data", AddressError::Inside),
        ("https://192.168.1.1/", AddressError::Inside),
        ("https://[::1]/", AddressError::Inside),
        ("https://[::ffff:127.0.0.1]/", AddressError::Inside),
        ("https://[fd00:ec2::254]/", AddressError::Inside),
        ("https://[64:ff9b::a9fe:a9fe]/", AddressError::Inside),
    ];
    for (given, fault) in table {
        assert_eq!(checked_address(given), Err(fault), "{given}");
    }
}

#[test]
fn test_endpoint_is_accepted_on_loopback_only() {
    for (given, taken) in [
        ("http://127.0.0.1:9000", true),
        ("http://127.0.0.1:9000/", true),
        ("https://[::1]:9000", true),
        ("http://localhost:9000", false),
        ("http://10.0.0.1:9000", false),
        ("http://169.254.169.254", false),
        ("http://0.0.0.0:9000", false),
        ("https://push.example", false),
        ("http://user@127.0.0.1:9000", false),
        ("http://127.0.0.1:9000/path", false),
        ("http://127.0.0.1:9000/?a=1", false),
        ("ftp://127.0.0.1", false),
        ("127.0.0.1:9000", false),
    ] {
        let mut vars = EnvVars::from_pairs([("WEBHOOK_TEST_ENDPOINT", given)]);
        assert_eq!(TestOrigin::from_vars(&mut vars, "WEBHOOK_TEST_ENDPOINT").is_set(), taken, "{given}");
        let faults = vars.into_result().err().map(|e| e.0.len()).unwrap_or_default();
        assert_eq!(faults, usize::from(!taken), "{given}");
    }
    let rules =
        OutboundRules::from_vars(&mut EnvVars::from_pairs([("WEBHOOK_TEST_ENDPOINT", "http://127.0.0.1:9000")]));
    assert!(rules.check_address("http://127.0.0.1:9000/hook").is_ok());
    for other in ["http://127.0.0.1:90001/x", "http://127.0.0.1:9000@x.example/x", "http://127.0.0.2:9000/x"] {
        assert!(rules.check_address(other).is_err(), "{other}");
    }
}

#[test]
fn retry_after_is_read_as_seconds_or_date_and_capped() {
    let date = Some("Wed, 21 Oct 2026 07:28:00 GMT");
    assert_eq!(parse_retry_after("7", None), Some(Duration::from_secs(7)));
    assert_eq!(parse_retry_after("Wed, 21 Oct 2026 07:29:30 GMT", date), Some(Duration::from_secs(90)));
    assert_eq!(parse_retry_after("Wed, 21 Oct 2026 07:00:00 GMT", date), Some(Duration::ZERO));
    assert_eq!(parse_retry_after("99999999", None), Some(MAX_RETRY_AFTER));
    assert_eq!(parse_retry_after("soon", date), None);
}
