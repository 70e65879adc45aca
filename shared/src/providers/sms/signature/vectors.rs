//! Every request that Twilio's own package signed, and its verdict, against ours.

use secrecy::SecretString;
use serde::Deserialize;

use super::{Signed, verify};

#[derive(Deserialize)]
struct File {
    about: String,
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    url: String,
    fields: Vec<(String, String)>,
    body: String,
    signature: Option<String>,
    settings: Option<String>,
    tokens: Vec<String>,
    accepted: bool,
}

impl Vector {
    fn is_accepted(&self) -> bool {
        let tokens: Vec<SecretString> = self.tokens.iter().map(|token| token.as_str().into()).collect();
        let signed = Signed {
            url: &self.url,
            fields: &self.fields,
            body: self.body.as_bytes(),
            signature: self.signature.as_deref(),
            settings: self.settings.as_deref(),
        };
        verify(&tokens.iter().collect::<Vec<_>>(), &signed).is_ok()
    }
}

#[test]
fn our_verdict_is_that_of_twilios_package() {
    let file: File = serde_json::from_str(include_str!("vectors.json")).unwrap();
    assert!(file.about.contains("twilio 9.13.0"), "{}", file.about);
    let (good, bad): (Vec<_>, Vec<_>) = file.vectors.iter().partition(|vector| vector.accepted);
    assert!(good.len() >= 60 && bad.len() >= 60, "{} {}", good.len(), bad.len());
    let differ: Vec<_> = file.vectors.iter().filter(|v| v.is_accepted() != v.accepted).map(|v| &v.name).collect();
    assert!(differ.is_empty(), "{differ:?}");
}
