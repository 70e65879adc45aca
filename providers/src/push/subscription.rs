//! Push subscriptions as sent by browsers, and the allowed push services.
//!
//! The address is untrusted and we send to it, so only the browsers' own push services are allowed.

use std::fmt;

use base64::{
    Engine,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use platform::{config::EnvVars, error::FieldErrors, outbound::TestOrigin};
use url::{Host, Url};

use super::encryption;

/// Google's (Chrome, Edge on Android, Opera) and Mozilla's.
const HOSTS: [&str; 2] = ["fcm.googleapis.com", "updates.push.services.mozilla.com"];
/// Parent domains of Mozilla's, Apple's and Microsoft's services.
const BELOW: [&str; 3] = ["push.services.mozilla.com", "push.apple.com", "notify.windows.com"];
/// In characters. The longest seen in the field has about 800 (Microsoft's).
const LONGEST_ENDPOINT: usize = 2_048;

/// Created by [`PushSubscription::from_parts`] from browser input; sending checks again.
#[derive(Clone, PartialEq, Eq)]
pub struct PushSubscription {
    /// Secret: with it and the two keys anyone can send to the device.
    pub endpoint: String,
    /// The device's public key: an uncompressed P-256 point in base64url.
    pub p256dh: String,
    /// The device's 16-byte secret, in base64url.
    pub auth: String,
}

impl fmt::Debug for PushSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("service", &self.service_host()).finish_non_exhaustive()
    }
}

impl PushSubscription {
    /// A validated subscription in its stored form. Errors: the faults of `parse_endpoint`, `p256dh` and `auth`.
    pub fn from_parts(endpoint: &str, p256dh: &str, auth: &str, services: &PushServices) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::default();
        let url = services.parse_endpoint(endpoint);
        if url.is_none() {
            errors.add("endpoint", "must be an https address of a browser's push service");
        }
        let point = decode_base64(p256dh).filter(|bytes| bytes.len() == 65 && bytes[0] == 4);
        let secret = decode_base64(auth).filter(|bytes| bytes.len() == 16);
        if secret.is_none() {
            errors.add("auth", "must be 16 bytes in base64url");
        }
        let spelled = |bytes: Option<Vec<u8>>| bytes.map(|b| URL_SAFE_NO_PAD.encode(b)).unwrap_or_default();
        let checked =
            Self { endpoint: url.map(String::from).unwrap_or_default(), p256dh: spelled(point), auth: spelled(secret) };
        if !checked.has_valid_key() {
            errors.add("p256dh", "must be a public key of the curve P-256: 65 bytes in base64url");
        }
        if errors.0.is_empty() { Ok(checked) } else { Err(errors) }
    }

    /// Checks the point by the code that will encrypt to it.
    fn has_valid_key(&self) -> bool {
        decode_base64(&self.p256dh).is_some_and(|point| encryption::encrypt_payload(&point, &[0; 16], b"{}").is_ok())
    }

    /// The body of a message to the device; none when its keys cannot be used.
    pub(super) fn encrypt_payload(&self, payload: &[u8]) -> Option<Vec<u8>> {
        let (point, secret) = (decode_base64(&self.p256dh)?, decode_base64(&self.auth)?);
        encryption::encrypt_payload(&point, &secret, payload).ok()
    }

    /// Host of the push service, used to describe a device to people.
    #[must_use]
    pub fn service_host(&self) -> String {
        Url::parse(&self.endpoint).ok().and_then(|url| url.host_str().map(ToOwned::to_owned)).unwrap_or_default()
    }
}

/// Browsers use base64url without padding; scripts often use plain base64.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    if text.len() > 128 {
        return None;
    }
    URL_SAFE_NO_PAD.decode(text).or_else(|_| STANDARD_NO_PAD.decode(text)).ok()
}

#[derive(Debug, Clone, Default)]
pub struct PushServices {
    test: TestOrigin,
}

impl PushServices {
    /// `PUSH_TEST_ENDPOINT`: origin of a test push service.
    pub fn from_vars(vars: &mut EnvVars) -> Self {
        Self { test: TestOrigin::from_vars(vars, "PUSH_TEST_ENDPOINT") }
    }

    pub(super) fn test_origin(&self) -> &TestOrigin {
        &self.test
    }

    /// The address, if it is an allowed push service's.
    pub(super) fn parse_endpoint(&self, given: &str) -> Option<Url> {
        let plain = given.len() <= LONGEST_ENDPOINT && given.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
        let url = Url::parse(given).ok().filter(|url| plain && url.fragment().is_none())?;
        let in_test = self.test.strip_origin(given);
        let path = in_test.or_else(|| path_after_known_host(given, &url))?;
        (path.len() > 1 && path.starts_with('/')).then_some(url)
    }
}

/// The part after the host. The address must be in the parser's canonical form: no user, escapes or other port, and
/// nothing that another parser could read as another host.
fn path_after_known_host<'a>(given: &'a str, url: &Url) -> Option<&'a str> {
    let Some(Host::Domain(host)) = url.host() else { return None };
    let rest = given.strip_prefix("https://")?.strip_prefix(host)?;
    is_known_host(host).then(|| rest.strip_prefix(":443").unwrap_or(rest))
}

fn is_known_host(host: &str) -> bool {
    let below = |parent: &&str| {
        host.strip_suffix(*parent)
            .and_then(|rest| rest.strip_suffix('.'))
            .is_some_and(|labels| labels.split('.').all(|label| !label.is_empty()))
    };
    HOSTS.contains(&host) || BELOW.iter().any(below)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    const POINT: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const SECRET: &str = "BTBZMqHH6r4Tts7J_aSIgg";
    const ENDPOINT: &str = "https://fcm.googleapis.com/fcm/send/abc:APA91b";

    fn faults(endpoint: &str, p256dh: &str, auth: &str) -> Vec<Cow<'static, str>> {
        let subscription = PushSubscription::from_parts(endpoint, p256dh, auth, &PushServices::default());
        subscription.err().map(|e| e.0.into_keys().collect()).unwrap_or_default()
    }

    #[test]
    fn both_base64_alphabets_are_accepted_and_stored_in_one() {
        let plain = |text: &str| format!("{}==", text.replace('-', "+").replace('_', "/"));
        let kept =
            PushSubscription::from_parts(ENDPOINT, &plain(POINT), &plain(SECRET), &PushServices::default()).unwrap();
        assert_eq!((kept.p256dh.as_str(), kept.auth.as_str(), kept.endpoint.as_str()), (POINT, SECRET, ENDPOINT));
        let shown = format!("{kept:?}");
        assert!(
            shown.contains("fcm.googleapis.com") && !shown.contains("APA91b") && !shown.contains(SECRET),
            "{shown}"
        );
    }

    #[test]
    fn invalid_encryption_keys_are_refused_by_field_name() {
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
    fn test_endpoint_is_accepted_only_at_its_exact_origin() {
        let services =
            PushServices::from_vars(&mut EnvVars::from_pairs([("PUSH_TEST_ENDPOINT", "http://127.0.0.1:9000")]));
        assert!(
            services.parse_endpoint("http://127.0.0.1:9000/push/1").is_some()
                && services.parse_endpoint(ENDPOINT).is_some()
        );
        for other in ["http://127.0.0.1:90001/x", "http://127.0.0.1:9000@x.example/x", "http://127.0.0.2:9000/x"] {
            assert!(services.parse_endpoint(other).is_none(), "{other}");
        }
        assert!(PushServices::default().parse_endpoint("http://127.0.0.1:9000/push/1").is_none());
    }
}
