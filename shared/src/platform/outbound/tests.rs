//! Addresses that are called, and those that are not, each with its reason.

use super::*;

fn said(given: &str) -> Result<String, Fault> {
    Rules::default().target(given).map(|target| target.as_str().to_owned())
}

#[test]
fn addresses_of_the_internet_are_called_in_one_spelling() {
    for (given, called) in [
        ("https://hooks.example.com/toolbox", "https://hooks.example.com/toolbox"),
        ("https://hooks.example.com", "https://hooks.example.com/"),
        ("HTTPS://Hooks.Example.COM/Toolbox?key=A", "https://hooks.example.com/Toolbox?key=A"),
        ("https://hooks.example.com:443/x", "https://hooks.example.com/x"),
        // It begins like an IPv6 address of the inner range fc00::/7, and is a name.
        ("https://fcm.googleapis.com/x", "https://fcm.googleapis.com/x"),
        ("https://fd.example/x", "https://fd.example/x"),
        ("https://1.1.1.1/x", "https://1.1.1.1/x"),
        ("https://[2606:4700::1111]/x", "https://[2606:4700::1111]/x"),
        ("https://localhost.example.com/x", "https://localhost.example.com/x"),
    ] {
        assert_eq!(said(given), Ok(called.to_owned()), "{given}");
    }
}

#[test]
fn whatever_could_lead_elsewhere_is_refused_with_its_reason() {
    let long = format!("https://hooks.example.com/{}", "x".repeat(2_048));
    let table: [(&str, Fault); 45] = [
        ("", Fault::NoAddress),
        ("hooks.example.com", Fault::NoAddress),
        ("//hooks.example.com/x", Fault::NoAddress),
        ("https://", Fault::NoAddress),
        ("https://exa mple.com/", Fault::NoAddress),
        ("https://hooks.example.com/\r\nHost: inner", Fault::NoAddress),
        ("https://hooks.example.com\\@127.0.0.1/", Fault::NoAddress),
        ("https://hooks.example.com/\"x\"", Fault::NoAddress),
        ("https://hooks.example.com/#part", Fault::NoAddress),
        ("https://h\u{f6}oks.example.com/", Fault::NoAddress),
        ("https://[::1", Fault::NoAddress),
        ("https://256.1.1.1/", Fault::NoAddress),
        (&long, Fault::TooLong),
        ("http://hooks.example.com/", Fault::NotHttps),
        ("ftp://hooks.example.com/", Fault::NotHttps),
        ("file:///etc/passwd", Fault::NotHttps),
        ("gopher://hooks.example.com/", Fault::NotHttps),
        ("javascript:alert(1)", Fault::NotHttps),
        ("https://user@hooks.example.com/", Fault::Credentials),
        ("https://user:pass@hooks.example.com/", Fault::Credentials),
        ("https://hooks.example.com@127.0.0.1/", Fault::Credentials),
        ("https://hooks.example.com:8443/", Fault::Port),
        ("https://hooks.example.com:80/", Fault::Port),
        ("https://hooks.example.com:22/", Fault::Port),
        ("https://localhost/", Fault::Inside),
        ("https://LOCALHOST/", Fault::Inside),
        ("https://localhost./", Fault::Inside),
        ("https://api.localhost/", Fault::Inside),
        ("https://printer.local/", Fault::Inside),
        ("https://metadata.google.internal/computeMetadata", Fault::Inside),
        ("https://router/", Fault::Inside),
        ("https://127.0.0.1/", Fault::Inside),
        ("https://127.1/", Fault::Inside),
        ("https://0/", Fault::Inside),
        ("https://2130706433/", Fault::Inside),
        ("https://0x7f000001/", Fault::Inside),
        ("https://0177.0.0.1/", Fault::Inside),
        ("https://10.0.0.1/", Fault::Inside),
        ("https://100.64.0.1/", Fault::Inside),
        ("https://169.254.169.254/latest/meta-data", Fault::Inside),
        ("https://192.168.1.1/", Fault::Inside),
        ("https://[::1]/", Fault::Inside),
        ("https://[::ffff:127.0.0.1]/", Fault::Inside),
        ("https://[fd00:ec2::254]/", Fault::Inside),
        ("https://[64:ff9b::a9fe:a9fe]/", Fault::Inside),
    ];
    for (given, fault) in table {
        assert_eq!(said(given), Err(fault), "{given}");
    }
}

#[test]
fn the_test_address_is_taken_on_this_machine_only() {
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
        let mut vars = Vars::from_pairs([("WEBHOOK_TEST_ENDPOINT", given)]);
        assert_eq!(TestOrigin::from_vars(&mut vars, "WEBHOOK_TEST_ENDPOINT").is_set(), taken, "{given}");
        let faults = vars.finish().err().map(|e| e.0.len()).unwrap_or_default();
        assert_eq!(faults, usize::from(!taken), "{given}");
    }
    let rules = Rules::from_vars(&mut Vars::from_pairs([("WEBHOOK_TEST_ENDPOINT", "http://127.0.0.1:9000")]));
    assert!(rules.target("http://127.0.0.1:9000/hook").is_ok());
    for other in ["http://127.0.0.1:90001/x", "http://127.0.0.1:9000@x.example/x", "http://127.0.0.2:9000/x"] {
        assert!(rules.target(other).is_err(), "{other}");
    }
}

#[test]
fn a_wait_is_read_as_seconds_or_as_a_date() {
    let date = Some("Wed, 21 Oct 2026 07:28:00 GMT");
    assert_eq!(wait("7", None), Some(Duration::from_secs(7)));
    assert_eq!(wait("Wed, 21 Oct 2026 07:29:30 GMT", date), Some(Duration::from_secs(90)));
    assert_eq!(wait("Wed, 21 Oct 2026 07:00:00 GMT", date), Some(Duration::ZERO));
    assert_eq!(wait("99999999", None), Some(LONGEST_WAIT));
    assert_eq!(wait("soon", date), None);
}
