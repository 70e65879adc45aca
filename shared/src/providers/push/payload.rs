//! What a device is given to show: a few words, and where a tap leads. Nothing else about a customer leaves us.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Serialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::Notice;
use crate::providers::{Refusal, SendError};

/// Every push service carries this much (4,096 bytes encrypted, of which the envelope takes its part).
const MOST_BYTES: usize = 3_000;
/// Phones show less: one line of title, some four of text.
const MOST_TITLE: usize = 120;
const MOST_BODY: usize = 500;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Payload<'a> {
    title: String,
    body: String,
    url: &'a str,
    tag: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    lead_id: Option<Uuid>,
    urgent: bool,
    device_id: Uuid,
    test: bool,
}

/// The notice as JSON. Long words are cut, because a cut alert is worth more than none.
pub(super) fn of(notice: &Notice<'_>) -> Result<Vec<u8>, SendError> {
    let refused = |reason: &str| SendError::refused(Refusal::Other, None, reason);
    if !leads_into_the_app(notice.url) {
        return Err(refused("the alert would lead outside the app"));
    }
    let payload = Payload {
        title: cut(notice.title, MOST_TITLE),
        body: cut(notice.body, MOST_BODY),
        url: notice.url,
        tag: notice.tag,
        lead_id: notice.lead_id,
        urgent: notice.urgent,
        device_id: notice.device_id,
        test: notice.test,
    };
    let json = serde_json::to_vec(&payload).map_err(|_| refused("the alert cannot be written as JSON"))?;
    if json.len() > MOST_BYTES { Err(refused("the alert is too long")) } else { Ok(json) }
}

/// The tag as the push service sees it: 32 base64url characters (RFC 8030 §5.4) that tell nothing about the lead.
pub(super) fn topic(tag: &str) -> String {
    URL_SAFE_NO_PAD.encode(&Sha256::digest(tag.as_bytes())[..24])
}

/// Whoever holds the device's address and keys could otherwise make an alert of ours open any site.
fn leads_into_the_app(url: &str) -> bool {
    url.starts_with('/') && !url.starts_with("//") && !url.contains(|c: char| c == '\\' || c.is_control())
}

fn cut(text: &str, most: usize) -> String {
    let plain = |c: char| if c.is_control() && c != '\n' { ' ' } else { c };
    let text = text.trim();
    match text.char_indices().nth(most) {
        None => text.chars().map(plain).collect(),
        Some(_) => text.chars().map(plain).take(most - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice<'a>(title: &'a str, body: &'a str, url: &'a str) -> Notice<'a> {
        let device_id = Uuid::from_u128(9);
        Notice { title, body, url, tag: "lead:1", lead_id: None, urgent: false, device_id, test: false }
    }

    #[test]
    fn the_payload_is_these_fields_and_no_others() {
        let id = Uuid::from_u128(7);
        let said =
            of(&Notice { lead_id: Some(id), urgent: true, ..notice("Lead: Ann", "Roof \"leak\"\nnow", "/app/1") });
        let json: serde_json::Value = serde_json::from_slice(&said.unwrap()).unwrap();
        let wanted = serde_json::json!({"title": "Lead: Ann", "body": "Roof \"leak\"\nnow", "url": "/app/1",
            "tag": "lead:1", "leadId": id, "urgent": true, "deviceId": Uuid::from_u128(9), "test": false});
        assert_eq!(json, wanted);
    }

    #[test]
    fn the_longest_words_are_cut_and_fit() {
        for worst in ["🔥", "\"", "\u{1}x", "ß", "\n\\"] {
            let json = of(&notice(&worst.repeat(3_000), &worst.repeat(3_000), "/app/leads")).unwrap();
            assert!(json.len() <= MOST_BYTES, "{worst:?}: {}", json.len());
            assert!(String::from_utf8(json).unwrap().contains('…'));
        }
        assert_eq!(cut(&"a".repeat(120), 120), "a".repeat(120));
        assert_eq!(cut(&"a".repeat(121), 120).chars().count(), 120);
        assert_eq!(
            of(&notice("a", "b", &format!("/{}", "x".repeat(3_000)))).unwrap_err().reason(),
            "the alert is too long"
        );
    }

    #[test]
    fn an_alert_leads_into_the_app_only() {
        for bad in ["", "app", "https://evil.example", "//evil.example", "/\\evil.example", "/a\nb", "javascript:x"] {
            assert_eq!(
                of(&notice("a", "b", bad)).unwrap_err().reason(),
                "the alert would lead outside the app",
                "{bad}"
            );
        }
    }

    #[test]
    fn a_topic_is_what_push_services_take_and_hides_the_tag() {
        let one = topic("lead:018f");
        assert!(one.len() == 32 && one.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)), "{one}");
        assert_eq!(one, topic("lead:018f"));
        assert_ne!(one, topic("lead:0190"));
    }
}
