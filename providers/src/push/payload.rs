//! Push payload: a few words and a link target. No other customer data leaves the install.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Serialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::PushNotification;
use crate::{RefusalReason, SendError};

/// Supported by every push service (4,096 bytes encrypted, including the envelope).
const MOST_BYTES: usize = 3_000;
/// In characters. Phones show less: one line of title, some four of text.
const MOST_TITLE: usize = 120;
const MOST_BODY: usize = 500;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PushPayload<'a> {
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

/// The notice as JSON. Long texts are truncated.
pub(super) fn build_payload(notice: &PushNotification<'_>) -> Result<Vec<u8>, SendError> {
    let refused = |reason: &str| SendError::refused_error(RefusalReason::Other, None, reason);
    if !is_app_path(notice.url) {
        return Err(refused("the alert would lead outside the app"));
    }
    let payload = PushPayload {
        title: truncate_text(notice.title, MOST_TITLE),
        body: truncate_text(notice.body, MOST_BODY),
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

/// Topic for the push service: 32 base64url characters (RFC 8030 §5.4) that reveal nothing about the lead.
pub(super) fn topic_from_tag(tag: &str) -> String {
    URL_SAFE_NO_PAD.encode(&Sha256::digest(tag.as_bytes())[..24])
}

/// Only links into the app: anyone with the device's address and keys could otherwise make an alert open any site.
fn is_app_path(url: &str) -> bool {
    url.starts_with('/') && !url.starts_with("//") && !url.contains(|c: char| c == '\\' || c.is_control())
}

fn truncate_text(text: &str, most: usize) -> String {
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

    fn notice<'a>(title: &'a str, body: &'a str, url: &'a str) -> PushNotification<'a> {
        let device_id = Uuid::from_u128(9);
        PushNotification { title, body, url, tag: "lead:1", lead_id: None, urgent: false, device_id, test: false }
    }

    #[test]
    fn payload_has_exactly_the_documented_fields() {
        let id = Uuid::from_u128(7);
        let payload = build_payload(&PushNotification {
            lead_id: Some(id),
            urgent: true,
            ..notice("Lead: Ann", "Roof \"leak\"\nnow", "/app/1")
        });
        let json: serde_json::Value = serde_json::from_slice(&payload.unwrap()).unwrap();
        let wanted = serde_json::json!({"title": "Lead: Ann", "body": "Roof \"leak\"\nnow", "url": "/app/1",
            "tag": "lead:1", "leadId": id, "urgent": true, "deviceId": Uuid::from_u128(9), "test": false});
        assert_eq!(json, wanted);
    }

    #[test]
    fn oversized_words_are_truncated_to_fit() {
        for worst in ["🔥", "\"", "\u{1}x", "ß", "\n\\"] {
            let json = build_payload(&notice(&worst.repeat(3_000), &worst.repeat(3_000), "/app/leads")).unwrap();
            assert!(json.len() <= MOST_BYTES, "{worst:?}: {}", json.len());
            assert!(String::from_utf8(json).unwrap().contains('…'));
        }
        assert_eq!(truncate_text(&"a".repeat(120), 120), "a".repeat(120));
        assert_eq!(truncate_text(&"a".repeat(121), 120).chars().count(), 120);
        assert_eq!(
            build_payload(&notice("a", "b", &format!("/{}", "x".repeat(3_000)))).unwrap_err().reason(),
            "the alert is too long"
        );
    }

    #[test]
    fn alert_url_outside_the_app_is_refused() {
        for bad in ["", "app", "https://evil.example", "//evil.example", "/\\evil.example", "/a\nb", "javascript:x"] {
            assert_eq!(
                build_payload(&notice("a", "b", bad)).unwrap_err().reason(),
                "the alert would lead outside the app",
                "{bad}"
            );
        }
    }

    #[test]
    fn topic_is_32_url_safe_characters_stable_and_distinct_per_tag() {
        let one = topic_from_tag("lead:018f");
        assert!(one.len() == 32 && one.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)), "{one}");
        assert_eq!(one, topic_from_tag("lead:018f"));
        assert_ne!(one, topic_from_tag("lead:0190"));
    }
}
