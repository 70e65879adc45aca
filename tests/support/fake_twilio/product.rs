//! The product as Twilio reaches it: signed forms, posted to its webhooks.

use serde::{Deserialize, Serialize};

use super::{ACCOUNT_SID, FakeTwilio, Signing};

#[derive(Debug, Clone, Deserialize)]
pub struct Product {
    pub base: String,
    /// Its `PUBLIC_URL`, which Twilio signs over; the same as `base` without a proxy.
    #[serde(default)]
    pub public: Option<String>,
    #[serde(default)]
    pub signing: Signing,
    /// Number of times that every request is posted, simultaneously.
    #[serde(default = "once")]
    pub copies: usize,
}

const fn once() -> usize {
    1
}

impl Product {
    #[must_use]
    pub fn at(base: &str) -> Self {
        Self { base: base.trim_end_matches('/').into(), public: None, signing: Signing::default(), copies: 1 }
    }

    #[must_use]
    pub fn known_as(self, public: &str) -> Self {
        Self { public: Some(public.into()), ..self }
    }

    #[must_use]
    pub fn signed_with(self, signing: Signing) -> Self {
        Self { signing, ..self }
    }

    #[must_use]
    pub fn in_copies(self, copies: usize) -> Self {
        Self { copies, ..self }
    }

    fn public(&self) -> &str {
        self.public.as_deref().unwrap_or(&self.base).trim_end_matches('/')
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// 0 when there was no answer.
    pub status: u16,
    pub content_type: String,
    pub body: String,
}

/// Clones share their state.
#[derive(Debug, Clone)]
pub struct TwilioWebhooks {
    pub(super) fake: FakeTwilio,
    product: Product,
    http: reqwest::Client,
}

pub(super) type Fields = Vec<(String, String)>;

impl TwilioWebhooks {
    pub(super) fn new(fake: FakeTwilio, product: Product) -> Self {
        Self { fake, product, http: shared::providers::http_client().expect("an HTTP client") }
    }

    /// `path` as an absolute address, relative to the document at `from`.
    pub(super) fn absolute(&self, path: &str, from: &str) -> String {
        if path.contains("://") {
            return path.to_owned();
        }
        if path.starts_with('/') {
            let public = self.product.public();
            let host = public.find("://").map_or(0, |at| at + 3);
            let origin = public[host..].find('/').map_or(public, |slash| &public[..host + slash]);
            return format!("{origin}{path}");
        }
        let folder = from.split('?').next().and_then(|url| url.rsplit_once('/')).map_or(from, |(folder, _)| folder);
        format!("{folder}/{path}")
    }

    pub(super) fn address(&self, path: &str) -> String {
        format!("{}{path}", self.product.public())
    }

    /// Posts a signed form to a public address, once per configured copy. Panics when the address is not the
    /// product's: Twilio would post the customer's data to another host.
    pub async fn post(&self, url: &str, fields: &[(String, String)]) -> Vec<Answer> {
        let path = url.strip_prefix(self.product.public());
        let path = path.unwrap_or_else(|| panic!("the product leads Twilio to {url}, which is not its own address"));
        let target = format!("{}{path}", self.product.base);
        let one = || async {
            let mut request = self.http.post(&target).header("user-agent", "TwilioProxy/1.1").form(fields);
            for (name, value) in self.product.signing.headers(url, fields) {
                request = request.header(name, value);
            }
            read(request).await
        };
        futures::future::join_all((0..self.product.copies.max(1)).map(|_| one())).await
    }
}

async fn read(request: reqwest::RequestBuilder) -> Answer {
    let answer = match request.send().await {
        Ok(answer) => answer,
        Err(e) => return Answer { status: 0, content_type: String::new(), body: e.to_string() },
    };
    let content_type = answer.headers().get("content-type").and_then(|v| v.to_str().ok()).unwrap_or_default();
    let (status, content_type) = (answer.status().as_u16(), content_type.to_owned());
    Answer { status, content_type, body: answer.text().await.unwrap_or_else(|e| e.to_string()) }
}

pub(super) fn fields<const N: usize>(pairs: [(&str, &str); N]) -> Fields {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

pub(super) fn account() -> Fields {
    fields([("AccountSid", ACCOUNT_SID), ("ApiVersion", "2010-04-01")])
}

/// The location of a number, as Twilio guesses it: empty unless it is a US number.
pub(super) fn place(of: &str, number: &str) -> Fields {
    let [city, state, zip, country] =
        if number.starts_with("+1") && number.len() == 12 { ["AUSTIN", "TX", "78701", "US"] } else { [""; 4] };
    [("City", city), ("State", state), ("Zip", zip), ("Country", country)]
        .map(|(what, value)| (format!("{of}{what}"), value.to_owned()))
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn url_is_resolved_as_in_browser() {
        let fake = FakeTwilio::start().await;
        let hooks = fake.hooks(Product::at("http://127.0.0.1:1/").known_as("https://toolbox.example/box"));
        let from = "https://toolbox.example/box/webhooks/twilio/voice?a=b/c";
        for (path, whole) in [
            ("https://toolbox.example/box/x?y=%20", "https://toolbox.example/box/x?y=%20"),
            ("/box/x", "https://toolbox.example/box/x"),
            ("voice/accept", "https://toolbox.example/box/webhooks/twilio/voice/accept"),
        ] {
            assert_eq!(hooks.absolute(path, from), whole);
        }
        assert_eq!(hooks.address("/webhooks/twilio/sms"), "https://toolbox.example/box/webhooks/twilio/sms");
    }
}
