//! One POST to an address of a business's choice, and what its answer, or its silence, says.

use std::time::{Duration, Instant};

use reqwest::{Client, header, header::HeaderMap};

use super::{Fault, PublicOnly, Rules, TIMEOUT, client, retry_after};

/// The way out.
#[derive(Clone, Debug)]
pub struct Caller {
    http: Client,
    rules: Rules,
    timeout: Duration,
}

/// An answer came. Nothing of its body is read: it says nothing that we would act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    pub status: u16,
    /// How long it asks us to wait.
    pub after: Option<Duration>,
    /// Until its first line was there.
    pub took: Duration,
}

/// None came. The words are shown to the business, and hold nothing of the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnswered {
    #[error("the address {0}")]
    Refused(#[from] Fault),
    #[error("the name leads to an address that is not on the internet")]
    Inside,
    #[error("it could not be reached")]
    Unreachable,
    #[error("it did not answer within ten seconds")]
    TooLate,
    #[error("the connection broke before its answer came")]
    Broken,
}

impl Answered {
    /// Only what is said to be taken is taken: a redirect is a failure.
    #[must_use]
    pub fn is_taken(self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl Caller {
    /// # Errors
    /// When the trusted certificates of this machine cannot be loaded.
    pub fn new(rules: &Rules) -> Result<Self, reqwest::Error> {
        let http = client(PublicOnly::system(), &rules.test)?;
        Ok(Self { http, rules: rules.clone(), timeout: TIMEOUT })
    }

    /// Asks another resolver. Its answers are held to the same rule.
    ///
    /// # Errors
    /// When the trusted certificates of this machine cannot be loaded.
    pub fn with_lookup(self, lookup: PublicOnly) -> Result<Self, reqwest::Error> {
        Ok(Self { http: client(lookup, &self.rules.test)?, ..self })
    }

    /// The longest one attempt may take.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Makes one attempt with a body of JSON.
    ///
    /// # Errors
    /// When no answer came.
    pub async fn post(&self, address: &str, headers: HeaderMap, body: String) -> Result<Answered, NotAnswered> {
        // Looked at again: the row may be older than today's rules.
        let target = self.rules.target(address)?;
        let began = Instant::now();
        let request = self.http.post(target.into_url()).timeout(self.timeout).headers(headers);
        let request = request.header(header::CONTENT_TYPE, "application/json").body(body);
        let answer = request.send().await.map_err(|e| none(&e))?;
        Ok(Answered { status: answer.status().as_u16(), after: retry_after(&answer), took: began.elapsed() })
    }
}

fn none(error: &reqwest::Error) -> NotAnswered {
    if PublicOnly::stopped(error) {
        NotAnswered::Inside
    } else if error.is_timeout() {
        NotAnswered::TooLate
    } else if error.is_connect() {
        NotAnswered::Unreachable
    } else {
        NotAnswered::Broken
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
    use crate::platform::config::Vars;

    /// Every name leads to this machine.
    struct Here;

    impl Resolve for Here {
        fn resolve(&self, _: Name) -> Resolving {
            let here: Addrs = Box::new(std::iter::once(SocketAddr::from(([127, 0, 0, 1], 0))));
            Box::pin(async { Ok(here) })
        }
    }

    async fn post(caller: &Caller, address: &str) -> Result<Answered, NotAnswered> {
        caller.post(address, HeaderMap::new(), "{}".into()).await
    }

    #[tokio::test]
    async fn a_name_that_leads_here_when_it_is_called_is_not_connected_to() {
        let caller = Caller::new(&Rules::default()).unwrap().with_lookup(PublicOnly::over(Arc::new(Here))).unwrap();
        assert_eq!(post(&caller, "https://hooks.example.com/x").await, Err(NotAnswered::Inside));
        assert_eq!(post(&caller, "http://127.0.0.1/x").await, Err(NotAnswered::Refused(Fault::NotHttps)));
    }

    #[tokio::test]
    async fn a_redirect_is_an_answer_and_not_a_way() {
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
        let rules = Rules::from_vars(&mut Vars::from_pairs([("WEBHOOK_TEST_ENDPOINT", url.as_str())]));
        let answered = post(&Caller::new(&rules).unwrap(), &format!("{url}/hook")).await.unwrap();
        assert_eq!((answered.status, answered.is_taken()), (307, false));
        serve.abort();
        assert_eq!(asked.load(Ordering::Relaxed), 1, "the redirect was not followed");
    }

    #[tokio::test]
    async fn who_does_not_answer_is_not_waited_for() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let rules = Rules::from_vars(&mut Vars::from_pairs([("WEBHOOK_TEST_ENDPOINT", url.as_str())]));
        let caller = Caller::new(&rules).unwrap().with_timeout(Duration::from_millis(20));
        assert_eq!(post(&caller, &format!("{url}/hook")).await, Err(NotAnswered::TooLate));
    }
}
