//! The pictures of an MMS, fetched from where Twilio keeps them.
//!
//! The address comes from outside and leads on by redirects, so it is followed with care: the credentials go to the
//! configured API alone, and nothing leads into our own network.

use std::net::SocketAddr;

use reqwest::{Client, Response, StatusCode, header, redirect};
use url::{Host, Url};

use super::{
    Sms,
    lookup::not_set_up,
    twilio::{Twilio, not_answered, read, repeatable, retry_after, unanswered},
};
use crate::{
    platform::{outbound::is_public, tls::install_crypto},
    providers::{Refusal, SendError},
};

/// The most Twilio takes for a message, and the most we take from it, per file.
pub const MAX_MEDIA_BYTES: usize = 5 * 1024 * 1024;
const MAX_REDIRECTS: usize = 2;

/// One file of an MMS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// As its store says, in small letters and without parameters.
    pub content_type: String,
    pub bytes: Vec<u8>,
}

impl Sms {
    /// Fetches one `MediaUrl` of a message that came in.
    ///
    /// # Errors
    /// [`SendError::Retry`] also when it is not there (yet): Twilio has been seen to announce a picture before it can
    /// be had. [`SendError::Refused`] when it is too large or leads where we do not go.
    pub async fn fetch_media(&self, url: &str) -> Result<Media, SendError> {
        match self {
            Self::Twilio(twilio) => {
                let fetched = tokio::time::timeout(twilio.timeout, twilio.fetch_media(url)).await;
                fetched.unwrap_or_else(|_| Err(SendError::retry("the picture did not come in time")))
            }
            Self::Memory(_) | Self::Off => Err(not_set_up()),
        }
    }
}

impl Twilio {
    async fn fetch_media(&self, url: &str) -> Result<Media, SendError> {
        let mut url = Url::parse(url).map_err(|_| refuse("the address of the picture is none"))?;
        for _ in 0..=MAX_REDIRECTS {
            let answer = self.get(&url).await?;
            let status = answer.status();
            if status.is_success() {
                return take(answer).await;
            }
            if !status.is_redirection() {
                return Err(self.not_had(&url, answer).await);
            }
            let location = answer.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
            url = location
                .and_then(|location| url.join(location).ok())
                .ok_or_else(|| refuse("the address of the picture leads nowhere"))?;
        }
        Err(refuse("the address of the picture leads on too often"))
    }

    async fn get(&self, url: &Url) -> Result<Response, SendError> {
        let request = if self.is_ours(url) {
            self.sign_in(self.http.get(url.clone()))
        } else if is_loopback(&self.access.base) {
            // A Twilio on this machine is a test's, and so is what it leads to.
            self.http.get(url.clone())
        } else {
            self.outside(url).await?.get(url.clone())
        };
        request.timeout(self.timeout).send().await.map_err(|e| repeatable(not_answered(&e)))
    }

    /// Whether it is the configured API: the one place the credentials belong to.
    fn is_ours(&self, url: &Url) -> bool {
        url.origin() == self.access.base.origin()
    }

    /// A client for this one address, which connects only to what the name led to when it was checked.
    async fn outside(&self, url: &Url) -> Result<Client, SendError> {
        const INSIDE: &str = "the address of the picture does not lie on the internet";
        if url.scheme() != "https" {
            return Err(refuse("the address of the picture is not a safe one"));
        }
        install_crypto();
        let client = Client::builder().redirect(redirect::Policy::none()).http1_only().no_proxy();
        let client = match url.host() {
            Some(Host::Domain(name)) => {
                let found = tokio::net::lookup_host((name, url.port_or_known_default().unwrap_or(443))).await;
                let found = found.map_err(|_| SendError::retry("the store of the picture could not be found"))?;
                let public: Vec<SocketAddr> = found.filter(|address| is_public(address.ip())).collect();
                if public.is_empty() {
                    return Err(refuse(INSIDE));
                }
                client.resolve_to_addrs(name, &public)
            }
            Some(Host::Ipv4(ip)) if is_public(ip.into()) => client,
            Some(Host::Ipv6(ip)) if is_public(ip.into()) => client,
            _ => return Err(refuse(INSIDE)),
        };
        client.build().map_err(|_| SendError::retry("the certificates of this machine cannot be read"))
    }

    /// Only the API's own answers say something about the account; a store's are about one address it gave out.
    async fn not_had(&self, url: &Url, answer: Response) -> SendError {
        let (status, wait) = (answer.status(), retry_after(&answer));
        if !self.is_ours(url) || status == StatusCode::NOT_FOUND {
            let reason = format!("the picture cannot be had (HTTP {})", status.as_u16());
            return SendError::Retry { reason, after: wait };
        }
        unanswered(status, wait, &read(answer, MAX_MEDIA_BYTES).await.unwrap_or_default())
    }
}

async fn take(answer: Response) -> Result<Media, SendError> {
    let content_type = answer.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.and_then(|value| value.split(';').next()).unwrap_or("application/octet-stream");
    let content_type = content_type.trim().to_ascii_lowercase();
    let mut bytes = Vec::new();
    let mut answer = answer;
    loop {
        match answer.chunk().await {
            Ok(Some(chunk)) if bytes.len() + chunk.len() <= MAX_MEDIA_BYTES => bytes.extend_from_slice(&chunk),
            Ok(Some(_)) => return Err(refuse("the picture is larger than 5 MB")),
            Ok(None) => return Ok(Media { content_type, bytes }),
            Err(_) => return Err(SendError::retry("the connection broke in the middle of the picture")),
        }
    }
}

fn refuse(why: &str) -> SendError {
    SendError::refused(Refusal::Other, None, why)
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::{
        http_client,
        sms::{Sender, TwilioAccount},
    };

    fn real(api_url: &str) -> Twilio {
        let account = TwilioAccount {
            webhook_secrets: Vec::new(),
            sid: "AC1".into(),
            auth_token: Some("t0ken-canary".into()),
            api_key: None,
            sender: Sender::Number("+15005550006".into()),
            api_url: Url::parse(api_url).unwrap(),
        };
        Twilio::new(&account, http_client().unwrap())
    }

    #[tokio::test]
    async fn nothing_leads_into_our_own_network() {
        let twilio = real("https://api.twilio.example");
        for (url, words) in [
            ("http://media.example/1", "the address of the picture is not a safe one"),
            ("ftp://media.example/1", "the address of the picture is not a safe one"),
            ("file:///etc/passwd", "the address of the picture is not a safe one"),
            ("no address", "the address of the picture is none"),
            ("https://127.0.0.1/1", "the address of the picture does not lie on the internet"),
            ("https://2130706433/1", "the address of the picture does not lie on the internet"),
            ("https://[::ffff:10.0.0.1]/1", "the address of the picture does not lie on the internet"),
            ("https://169.254.169.254/latest", "the address of the picture does not lie on the internet"),
            ("https://localhost/1", "the address of the picture does not lie on the internet"),
        ] {
            let said = twilio.fetch_media(url).await.unwrap_err();
            assert_eq!(said, refuse(words), "{url}");
        }
    }

    #[test]
    fn the_credentials_belong_to_one_scheme_host_and_port() {
        let twilio = real("https://api.twilio.example");
        assert!(twilio.is_ours(&Url::parse("https://api.twilio.example:443/2010-04-01/x").unwrap()));
        for other in [
            "http://api.twilio.example/x",
            "https://api.twilio.example:8443/x",
            "https://api.twilio.example.evil.example/x",
            "https://evil.example/api.twilio.example",
            "https://api.twilio.example@evil.example/x",
        ] {
            assert!(!twilio.is_ours(&Url::parse(other).unwrap()), "{other}");
        }
    }
}
