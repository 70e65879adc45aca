//! A device that wants alerts, as its browser describes it, and the push services whose word is taken for one.
//!
//! The address comes from outside and we send to it, so only the browsers' own push services pass.

use std::fmt;

use base64::{
    Engine,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use url::{Host, Url};
use web_push::{ContentEncoding, SubscriptionInfo, WebPushMessageBuilder};

use crate::platform::{config::Vars, error::FieldErrors, outbound::TestOrigin};

/// Google's (Chrome, Edge on Android, Opera), Mozilla's.
const HOSTS: [&str; 2] = ["fcm.googleapis.com", "updates.push.services.mozilla.com"];
/// Any name below one of these: Mozilla's, Apple's, Microsoft's.
const BELOW: [&str; 3] = ["push.services.mozilla.com", "push.apple.com", "notify.windows.com"];
/// The longest seen in the field is about 800 characters (Microsoft's).
const LONGEST_ENDPOINT: usize = 2_048;

/// One device's subscription. Build it with [`Subscription::check`] from what a browser sent; sending checks again.
#[derive(Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Who knows this address and the two keys can send to the device.
    pub endpoint: String,
    /// The device's public key: a point of P-256, uncompressed, in base64url.
    pub p256dh: String,
    /// The device's 16-byte secret, in base64url.
    pub auth: String,
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("service", &self.service()).finish_non_exhaustive()
    }
}

impl Subscription {
    /// A subscription whose every part is what it must be, in the spelling that is stored.
    ///
    /// # Errors
    /// What is wrong with which of `endpoint`, `p256dh` and `auth`.
    pub fn check(endpoint: &str, p256dh: &str, auth: &str, services: &Services) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::default();
        let url = services.endpoint(endpoint);
        if url.is_none() {
            errors.add("endpoint", "must be an https address of a browser's push service");
        }
        let point = decode(p256dh).filter(|bytes| bytes.len() == 65 && bytes[0] == 4);
        let secret = decode(auth).filter(|bytes| bytes.len() == 16);
        if secret.is_none() {
            errors.add("auth", "must be 16 bytes in base64url");
        }
        let spelled = |bytes: Option<Vec<u8>>| bytes.map(|b| URL_SAFE_NO_PAD.encode(b)).unwrap_or_default();
        let checked =
            Self { endpoint: url.map(String::from).unwrap_or_default(), p256dh: spelled(point), auth: spelled(secret) };
        if !checked.key_encrypts() {
            errors.add("p256dh", "must be a public key of the curve P-256: 65 bytes in base64url");
        }
        if errors.0.is_empty() { Ok(checked) } else { Err(errors) }
    }

    /// Whether the point lies on the curve is decided by the code that will have to encrypt to it.
    fn key_encrypts(&self) -> bool {
        let any_secret = URL_SAFE_NO_PAD.encode([0; 16]);
        let probe = SubscriptionInfo::new("https://localhost/", &self.p256dh, &any_secret);
        let mut message = WebPushMessageBuilder::new(&probe);
        message.set_payload(ContentEncoding::Aes128Gcm, b"{}");
        message.build().is_ok()
    }

    /// The push service's host, by which a device may be named to people.
    #[must_use]
    pub fn service(&self) -> String {
        Url::parse(&self.endpoint).ok().and_then(|url| url.host_str().map(ToOwned::to_owned)).unwrap_or_default()
    }
}

/// Browsers write base64url without padding; scripts around them often write plain base64.
fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    if text.len() > 128 {
        return None;
    }
    URL_SAFE_NO_PAD.decode(text).or_else(|_| STANDARD_NO_PAD.decode(text)).ok()
}

/// The push services that are spoken to: those of the known browsers, and in tests one on this machine.
#[derive(Debug, Clone, Default)]
pub struct Services {
    test: TestOrigin,
}

impl Services {
    /// Reads `PUSH_TEST_ENDPOINT`, the origin of a push service for tests.
    pub fn from_vars(vars: &mut Vars) -> Self {
        Self { test: TestOrigin::from_vars(vars, "PUSH_TEST_ENDPOINT") }
    }

    pub(super) fn test(&self) -> &TestOrigin {
        &self.test
    }

    /// The address, if it is one of a push service that is spoken to.
    pub(super) fn endpoint(&self, given: &str) -> Option<Url> {
        let plain = given.len() <= LONGEST_ENDPOINT && given.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
        let url = Url::parse(given).ok().filter(|url| plain && url.fragment().is_none())?;
        let in_test = self.test.after(given);
        let path = in_test.or_else(|| after_known_host(given, &url))?;
        (path.len() > 1 && path.starts_with('/')).then_some(url)
    }
}

/// What follows the host. The address must be written as the parser understood it: no user before the host, no
/// escapes in it, no other port, nothing that another parser could read as another host.
fn after_known_host<'a>(given: &'a str, url: &Url) -> Option<&'a str> {
    let Some(Host::Domain(host)) = url.host() else { return None };
    let rest = given.strip_prefix("https://")?.strip_prefix(host)?;
    is_known(host).then(|| rest.strip_prefix(":443").unwrap_or(rest))
}

fn is_known(host: &str) -> bool {
    let below = |parent: &&str| {
        host.strip_suffix(*parent)
            .and_then(|rest| rest.strip_suffix('.'))
            .is_some_and(|labels| labels.split('.').all(|label| !label.is_empty()))
    };
    HOSTS.contains(&host) || BELOW.iter().any(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINT: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const SECRET: &str = "BTBZMqHH6r4Tts7J_aSIgg";
    const ENDPOINT: &str = "https://fcm.googleapis.com/fcm/send/abc:APA91b";

    fn faults(endpoint: &str, p256dh: &str, auth: &str) -> Vec<&'static str> {
        let said = Subscription::check(endpoint, p256dh, auth, &Services::default());
        said.err().map(|e| e.said().into_iter().map(|(field, _)| field).collect()).unwrap_or_default()
    }

    #[test]
    fn both_spellings_of_base64_are_taken_and_one_is_kept() {
        let plain = |text: &str| format!("{}==", text.replace('-', "+").replace('_', "/"));
        let kept = Subscription::check(ENDPOINT, &plain(POINT), &plain(SECRET), &Services::default()).unwrap();
        assert_eq!((kept.p256dh.as_str(), kept.auth.as_str(), kept.endpoint.as_str()), (POINT, SECRET, ENDPOINT));
        let shown = format!("{kept:?}");
        assert!(
            shown.contains("fcm.googleapis.com") && !shown.contains("APA91b") && !shown.contains(SECRET),
            "{shown}"
        );
    }

    #[test]
    fn keys_that_cannot_encrypt_are_refused_by_name() {
        let bytes = URL_SAFE_NO_PAD.decode(POINT).unwrap();
        let with = |at: usize, value: u8| {
            let mut changed = bytes.clone();
            changed[at] = value;
            URL_SAFE_NO_PAD.encode(changed)
        };
        let compressed = URL_SAFE_NO_PAD.encode([&[2], &bytes[1..33]].concat());
        let off_the_curve = with(64, bytes[64] ^ 1);
        for bad in ["", "!", &POINT[..40], &with(0, 6), &off_the_curve, &compressed, &format!("{POINT}AAAA"), SECRET] {
            assert_eq!(faults(ENDPOINT, bad, SECRET), ["p256dh"], "{bad}");
        }
        for bad in ["", "short", POINT, "BTBZMqHH6r4Tts7J_aSIgg00"] {
            assert_eq!(faults(ENDPOINT, POINT, bad), ["auth"], "{bad}");
        }
        assert_eq!(faults("x", "y", "z"), ["auth", "endpoint", "p256dh"]);
        assert!(faults(ENDPOINT, POINT, SECRET).is_empty());
    }

    #[test]
    fn a_test_endpoint_is_one_more_service_and_nothing_beside_it() {
        let services = Services::from_vars(&mut Vars::from_pairs([("PUSH_TEST_ENDPOINT", "http://127.0.0.1:9000")]));
        assert!(services.endpoint("http://127.0.0.1:9000/push/1").is_some() && services.endpoint(ENDPOINT).is_some());
        for other in ["http://127.0.0.1:90001/x", "http://127.0.0.1:9000@x.example/x", "http://127.0.0.2:9000/x"] {
            assert!(services.endpoint(other).is_none(), "{other}");
        }
        assert!(Services::default().endpoint("http://127.0.0.1:9000/push/1").is_none());
    }
}
