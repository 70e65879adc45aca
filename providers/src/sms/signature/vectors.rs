//! Comparison with requests signed and judged by Twilio's own package.

use secrecy::SecretString;
use serde::Deserialize;

use super::{SignedTwilioRequest, verify_signature};

#[derive(Deserialize)]
struct SignatureVectors {
    about: String,
    vectors: Vec<SignatureVector>,
}

#[derive(Deserialize)]
struct SignatureVector {
    name: String,
    url: String,
    fields: Vec<(String, String)>,
    body: String,
    signature: Option<String>,
    settings: Option<String>,
    tokens: Vec<String>,
    accepted: bool,
}

impl SignatureVector {
    fn is_accepted(&self) -> bool {
        let tokens: Vec<SecretString> = self.tokens.iter().map(|token| token.as_str().into()).collect();
        let signed = SignedTwilioRequest {
            url: &self.url,
            fields: &self.fields,
            body: self.body.as_bytes(),
            signature: self.signature.as_deref(),
            settings: self.settings.as_deref(),
        };
        verify_signature(&tokens.iter().collect::<Vec<_>>(), &signed).is_ok()
    }
}

#[test]
fn verdicts_agree_with_the_twilio_package() {
    let file: SignatureVectors = serde_json::from_str(include_str!("vectors.json")).unwrap();
    assert!(file.about.contains("twilio 9.13.0"), "{}", file.about);
    let (good, bad): (Vec<_>, Vec<_>) = file.vectors.iter().partition(|vector| vector.accepted);
    assert!(good.len() >= 60 && bad.len() >= 60, "{} {}", good.len(), bad.len());
    let differ: Vec<_> = file.vectors.iter().filter(|v| v.is_accepted() != v.accepted).map(|v| &v.name).collect();
    assert!(differ.is_empty(), "{differ:?}");
}
