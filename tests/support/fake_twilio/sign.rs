//! Twilio's signature of its posts: written from its description, independent of the code under test.

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha1::Sha1;
use sha2::Sha256;

use super::AUTH_TOKEN;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "scheme", rename_all = "snake_case")]
pub enum Signing {
    /// HMAC-SHA1 with the account's token.
    AuthToken { token: String },
    /// HMAC-SHA256 with the secret of a shared key.
    SharedKey { id: String, secret: String },
    /// Unsigned: a forged request.
    Nothing,
}

impl Default for Signing {
    fn default() -> Self {
        Self::AuthToken { token: AUTH_TOKEN.into() }
    }
}

impl Signing {
    pub(super) fn headers(&self, url: &str, fields: &[(String, String)]) -> Vec<(&'static str, String)> {
        let text = signed_text(url, fields);
        match self {
            Self::Nothing => Vec::new(),
            Self::AuthToken { token } => vec![("x-twilio-signature", mac::<Hmac<Sha1>>(token, &text))],
            Self::SharedKey { id, secret } => vec![
                ("x-twilio-signature", mac::<Hmac<Sha256>>(secret, &text)),
                ("x-twilio-webhooks-signature-settings", format!("key={id},algorithm=HMAC_SHA256")),
            ],
        }
    }
}

fn signed_text(url: &str, fields: &[(String, String)]) -> String {
    let mut pairs = fields.to_vec();
    pairs.sort();
    pairs.dedup();
    pairs.into_iter().fold(url.to_owned(), |text, (name, value)| text + &name + &value)
}

fn mac<M: Mac + KeyInit>(secret: &str, text: &str) -> String {
    let mut mac = <M as KeyInit>::new_from_slice(secret.as_bytes()).expect("a secret of any length");
    mac.update(text.as_bytes());
    STANDARD.encode(mac.finalize().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twilio_documentation_example_has_same_signature() {
        let fields = [
            ("CallSid", "CA1234567890ABCDE"),
            ("Caller", "+14158675310"),
            ("To", "+18005551212"),
            ("Digits", "1234"),
            ("From", "+14158675310"),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let headers =
            Signing::AuthToken { token: "12345".into() }.headers("https://example.com/myapp.php?foo=1&bar=2", &fields);
        assert_eq!(headers, [("x-twilio-signature", "L/OH5YylLD5NRKLltdqwSvS0BnU=".to_owned())]);
    }

    /// Equal to Twilio's own package wherever that accepts a form whose address has no port and no repeats.
    #[test]
    fn form_signature_matches_twilio_package_vectors() {
        let file = include_str!("../../../providers/src/sms/signature/vectors.json");
        let file: serde_json::Value = serde_json::from_str(file).expect("the vectors");
        let mut alike = 0;
        for vector in file["vectors"].as_array().expect("a list") {
            let name = vector["name"].as_str().expect("a name");
            let is_ordinary = name.ends_with(", HMAC_SHA1") || name.ends_with(", HMAC_SHA256");
            let signed_otherwise = ["port", "empty query"].iter().any(|word| name.contains(word));
            if vector["accepted"] == false || !is_ordinary || signed_otherwise || vector["body"] != "" {
                continue;
            }
            let fields: Vec<(String, String)> = serde_json::from_value(vector["fields"].clone()).expect("pairs");
            let secret = vector["tokens"][0].as_str().expect("a secret").to_owned();
            let signing = if name.ends_with("SHA1") {
                Signing::AuthToken { token: secret }
            } else {
                Signing::SharedKey { id: String::new(), secret }
            };
            let headers = signing.headers(vector["url"].as_str().expect("an address"), &fields);
            assert_eq!(headers[0].1, vector["signature"], "{name}");
            alike += 1;
        }
        assert!(alike > 50, "{alike}");
    }
}
