//! Webhook POST to a user-chosen address, and its outcome.

use std::time::{Duration, Instant};

use reqwest::{Client, header, header::HeaderMap};

use super::{AddressError, OutboundRules, PublicResolver, TIMEOUT, build_client, retry_after};
use crate::spans;

#[derive(Clone, Debug)]
pub struct OutboundClient {
    http: Client,
    rules: OutboundRules,
    timeout: Duration,
}

/// A response. Its body is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutboundResponse {
    pub status: u16,
    pub after: Option<Duration>,
    /// Time to the status line.
    pub took: Duration,
}

/// No response. The texts are shown to the business and contain nothing of the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutboundError {
    #[error("the address {0}")]
    Refused(#[from] AddressError),
    #[error("the name leads to an address that is not on the internet")]
    NotPublic,
    #[error("it could not be reached")]
    Unreachable,
    #[error("it did not answer within ten seconds")]
    TimedOut,
    #[error("the connection broke before its answer came")]
    Broken,
}

impl OutboundResponse {
    /// Only 2xx counts as accepted: a redirect is a failure.
    #[must_use]
    pub fn is_success(self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl OutboundClient {
    /// Errors: when the client cannot be built.
    pub fn new(rules: &OutboundRules) -> Result<Self, reqwest::Error> {
        let http = build_client(PublicResolver::system(), &rules.test)?;
        Ok(Self { http, rules: rules.clone(), timeout: TIMEOUT })
    }

    /// Uses another resolver, filtered the same way. Errors: when the client cannot be built.
    pub fn with_resolver(self, lookup: PublicResolver) -> Result<Self, reqwest::Error> {
        Ok(Self { http: build_client(lookup, &self.rules.test)?, ..self })
    }

    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Makes one attempt with a JSON body. Errors: when no response came.
    pub async fn post_json(
        &self,
        address: &str,
        headers: HeaderMap,
        body: String,
    ) -> Result<OutboundResponse, OutboundError> {
        // Checked again: the row may be older than the current rules.
        let target = self.rules.check_address(address)?;
        let began = Instant::now();
        let request = self.http.post(target.into_url()).timeout(self.timeout).headers(headers);
        let request = request.header(header::CONTENT_TYPE, "application/json").body(body);
        let answer = spans::send_to_provider(request, "webhook", "post").await.map_err(|e| classify_error(&e))?;
        Ok(OutboundResponse { status: answer.status().as_u16(), after: retry_after(&answer), took: began.elapsed() })
    }
}

fn classify_error(error: &reqwest::Error) -> OutboundError {
    if PublicResolver::is_blocked(error) {
        OutboundError::NotPublic
    } else if error.is_timeout() {
        OutboundError::TimedOut
    } else if error.is_connect() {
        OutboundError::Unreachable
    } else {
        OutboundError::Broken
    }
}

#[cfg(test)]
mod tests {
    use std::{
        net::SocketAddr,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use reqwest::dns::{Addrs, Name, Resolve, Resolving};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;
    use crate::config::EnvVars;

    struct Here;

    impl Resolve for Here {
        fn resolve(&self, _: Name) -> Resolving {
            let here: Addrs = Box::new(std::iter::once(SocketAddr::from(([127, 0, 0, 1], 0))));
            Box::pin(async { Ok(here) })
        }
    }

    async fn post(caller: &OutboundClient, address: &str) -> Result<OutboundResponse, OutboundError> {
        caller.post_json(address, HeaderMap::new(), "{}".into()).await
    }

    #[tokio::test]
    async fn hostname_resolving_to_inside_address_is_not_connected() {
        let caller = OutboundClient::new(&OutboundRules::default())
            .unwrap()
            .with_resolver(PublicResolver::from_resolver(Arc::new(Here)))
            .unwrap();
        assert_eq!(post(&caller, "https://hooks.example.com/x").await, Err(OutboundError::NotPublic));
        assert_eq!(post(&caller, "http://127.0.0.1/x").await, Err(OutboundError::Refused(AddressError::NotHttps)));
    }

    #[tokio::test]
    async fn redirect_is_returned_as_the_answer_and_not_followed() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let there = format!("{url}/inner");
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let serve = tokio::spawn(async move {
            let answer = format!("HTTP/1.1 307 Temporary Redirect\r\nlocation: {there}\r\ncontent-length: 0\r\n\r\n");
            loop {
                let (mut line, _) = listener.accept().await.unwrap();
                let mut request = Vec::new();
                while !request.ends_with(b"{}") {
                    line.read_buf(&mut request).await.unwrap();
                }
                count.fetch_add(1, Ordering::Relaxed);
                line.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        let rules = OutboundRules::from_vars(&mut EnvVars::from_pairs([("WEBHOOK_TEST_ENDPOINT", url.as_str())]));
        let answered = post(&OutboundClient::new(&rules).unwrap(), &format!("{url}/hook")).await.unwrap();
        assert_eq!((answered.status, answered.is_success()), (307, false));
        serve.abort();
        assert_eq!(asked.load(Ordering::Relaxed), 1, "the redirect was not followed");
    }

    #[tokio::test]
    async fn unanswered_call_times_out() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let rules = OutboundRules::from_vars(&mut EnvVars::from_pairs([("WEBHOOK_TEST_ENDPOINT", url.as_str())]));
        let caller = OutboundClient::new(&rules).unwrap().with_timeout(Duration::from_millis(20));
        assert_eq!(post(&caller, &format!("{url}/hook")).await, Err(OutboundError::TimedOut));
    }
}
