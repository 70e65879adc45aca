//! Download of MMS pictures from Twilio.
//!
//! The address is untrusted and redirects: credentials go only to the configured API; private addresses are refused.

use std::net::SocketAddr;

use platform::{outbound::is_public_ip, spans, tls};
use reqwest::{Client, Response, StatusCode, header, redirect};
use url::{Host, Url};

use super::{
    SmsProvider,
    lookup::not_set_up_error,
    twilio::{PROVIDER, Twilio, failed_query_error, into_retryable, read_body, retry_after, transport_error},
};
use crate::{RefusalReason, SendError};

/// Per file, as Twilio's own limit.
pub const MAX_MEDIA_BYTES: usize = 5 * 1024 * 1024;
const MAX_REDIRECTS: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MmsMedia {
    /// From the response, in lower case without parameters.
    pub content_type: String,
    pub bytes: Vec<u8>,
}

impl SmsProvider {
    /// Fetches one `MediaUrl` of a received message. Errors: [`SendError::Retry`] also when it is missing: Twilio
    /// sometimes announces a picture before it is available. [`SendError::Refused`] when it is too large or at a
    /// forbidden address.
    pub async fn fetch_media(&self, url: &str) -> Result<MmsMedia, SendError> {
        match self {
            Self::Twilio(twilio) => {
                let fetched = tokio::time::timeout(twilio.timeout, twilio.fetch_media(url)).await;
                fetched.unwrap_or_else(|_| Err(SendError::retryable_error("the picture did not come in time")))
            }
            Self::Memory(_) | Self::Off => Err(not_set_up_error()),
        }
    }
}

impl Twilio {
    async fn fetch_media(&self, url: &str) -> Result<MmsMedia, SendError> {
        let mut url = Url::parse(url).map_err(|_| refused_media_error("the address of the picture is none"))?;
        for _ in 0..=MAX_REDIRECTS {
            let answer = self.request_media(&url).await?;
            let status = answer.status();
            if status.is_success() {
                return read_media(answer).await;
            }
            if !status.is_redirection() {
                return Err(self.media_error(&url, answer).await);
            }
            let location = answer.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
            url = location
                .and_then(|location| url.join(location).ok())
                .ok_or_else(|| refused_media_error("the address of the picture leads nowhere"))?;
        }
        Err(refused_media_error("the address of the picture leads on too often"))
    }

    async fn request_media(&self, url: &Url) -> Result<Response, SendError> {
        let request = if self.is_api_origin(url) {
            self.with_credentials(self.http.get(url.clone()))
        } else if is_loopback(&self.access.base) {
            // A local Twilio is a test's, and so are its redirects.
            self.http.get(url.clone())
        } else {
            self.build_public_client(url).await?.get(url.clone())
        };
        let answer = spans::send_to_provider(request.timeout(self.timeout), PROVIDER, "fetch picture").await;
        answer.map_err(|e| into_retryable(transport_error(&e)))
    }

    /// Whether it is the configured API, the only place the credentials are sent to.
    fn is_api_origin(&self, url: &Url) -> bool {
        url.origin() == self.access.base.origin()
    }

    /// A client bound to the addresses that were checked for this name.
    async fn build_public_client(&self, url: &Url) -> Result<Client, SendError> {
        const INSIDE: &str = "the address of the picture does not lie on the internet";
        if url.scheme() != "https" {
            return Err(refused_media_error("the address of the picture is not a safe one"));
        }
        let client = Client::builder().tls_backend_preconfigured(tls::client_config());
        let client = client.redirect(redirect::Policy::none()).http1_only().no_proxy();
        let client = match url.host() {
            Some(Host::Domain(name)) => {
                let found = tokio::net::lookup_host((name, url.port_or_known_default().unwrap_or(443))).await;
                let found =
                    found.map_err(|_| SendError::retryable_error("the store of the picture could not be found"))?;
                let public: Vec<SocketAddr> = found.filter(|address| is_public_ip(address.ip())).collect();
                if public.is_empty() {
                    return Err(refused_media_error(INSIDE));
                }
                client.resolve_to_addrs(name, &public)
            }
            Some(Host::Ipv4(ip)) if is_public_ip(ip.into()) => client,
            Some(Host::Ipv6(ip)) if is_public_ip(ip.into()) => client,
            _ => return Err(refused_media_error(INSIDE)),
        };
        client.build().map_err(|_| SendError::retryable_error("the certificates of this machine cannot be read"))
    }

    /// Only the API's own responses tell about the account; a media store's concern one address.
    async fn media_error(&self, url: &Url, answer: Response) -> SendError {
        let (status, wait) = (answer.status(), retry_after(&answer));
        if !self.is_api_origin(url) || status == StatusCode::NOT_FOUND {
            let reason = format!("the picture cannot be had (HTTP {})", status.as_u16());
            return SendError::Retry { reason, after: wait };
        }
        failed_query_error(status, wait, &read_body(answer, MAX_MEDIA_BYTES).await.unwrap_or_default())
    }
}

async fn read_media(answer: Response) -> Result<MmsMedia, SendError> {
    let content_type = answer.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.and_then(|value| value.split(';').next()).unwrap_or("application/octet-stream");
    let content_type = content_type.trim().to_ascii_lowercase();
    let mut bytes = Vec::new();
    let mut answer = answer;
    loop {
        match answer.chunk().await {
            Ok(Some(chunk)) if bytes.len() + chunk.len() <= MAX_MEDIA_BYTES => bytes.extend_from_slice(&chunk),
            Ok(Some(_)) => return Err(refused_media_error("the picture is larger than 5 MB")),
            Ok(None) => return Ok(MmsMedia { content_type, bytes }),
            Err(_) => return Err(SendError::retryable_error("the connection broke in the middle of the picture")),
        }
    }
}

fn refused_media_error(why: &str) -> SendError {
    SendError::refused_error(RefusalReason::Other, None, why)
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
    use crate::{
        http_client,
        sms::{SmsSender, TwilioAccount},
    };

    fn real(api_url: &str) -> Twilio {
        let account = TwilioAccount {
            webhook_secrets: Vec::new(),
            sid: "AC1".into(),
            auth_token: Some("t0ken-canary".into()),
            api_key: None,
            sender: SmsSender::Number("+15005550006".into()),
            primary_profile: None,
            api_url: Url::parse(api_url).unwrap(),
        };
        Twilio::new(&account, http_client().unwrap())
    }

    #[tokio::test]
    async fn media_url_into_the_internal_network_is_refused() {
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
            let error = twilio.fetch_media(url).await.unwrap_err();
            assert_eq!(error, refused_media_error(words), "{url}");
        }
    }

    #[test]
    fn credentials_are_sent_to_one_scheme_host_and_port_only() {
        let twilio = real("https://api.twilio.example");
        assert!(twilio.is_api_origin(&Url::parse("https://api.twilio.example:443/2010-04-01/x").unwrap()));
        for other in [
            "http://api.twilio.example/x",
            "https://api.twilio.example:8443/x",
            "https://api.twilio.example.evil.example/x",
            "https://evil.example/api.twilio.example",
            "https://api.twilio.example@evil.example/x",
        ] {
            assert!(!twilio.is_api_origin(&Url::parse(other).unwrap()), "{other}");
        }
    }
}
