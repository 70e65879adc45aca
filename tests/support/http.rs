//! A browser or a program that talks to the API in the same process: the real router, without a socket.

use std::net::SocketAddr;

use api::{ApiConfig, AppState};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::ConnectInfo,
    http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header},
};
use futures::StreamExt;
use serde_json::Value;
use shared::{domain::tenancy::account::password::PasswordHashPool, platform::db::Db};
use tower::ServiceExt;

use crate::{app::TestApp, people::Person, processes};

/// The session cookie's name on an https install, as in every story.
pub const COOKIE: &str = "__Host-sid";
const MOST: usize = 64 * 1024 * 1024;

#[derive(Clone)]
pub struct Client {
    state: AppState,
    router: Router,
    from: SocketAddr,
    headers: HeaderMap,
}

#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl TestApp {
    /// A new client on another machine.
    #[must_use]
    pub fn client(&self) -> Client {
        self.client_on(self.db.clone())
    }

    #[must_use]
    pub fn state(&self) -> AppState {
        self.state_on(self.db.clone())
    }

    fn state_on(&self, db: Db) -> AppState {
        self.state_as(self.api.clone(), db)
    }

    fn state_as(&self, config: ApiConfig, db: Db) -> AppState {
        let state = AppState::new(self.settings.clone(), config, self.origin.clone(), Some(db));
        state.expect("the API's state")
    }

    /// With an API on this database.
    #[must_use]
    pub fn client_on(&self, db: Db) -> Client {
        Self::client_of(self.state_on(db))
    }

    /// With an API of this configuration.
    #[must_use]
    pub fn client_as(&self, config: ApiConfig) -> Client {
        Self::client_of(self.state_as(config, self.db.clone()))
    }

    /// Of the API with this state.
    #[must_use]
    pub fn client_of(state: AppState) -> Client {
        let router = api::build_router(state.clone());
        // The headers of the app on our own page.
        let ours = [("sec-fetch-site", "same-origin"), ("x-toolbox-client", "web")];
        let named = |(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value));
        let headers = ours.into_iter().map(named).collect();
        Client { state, router, from: SocketAddr::from(([203, 0, 113, 77], 4711)), headers }
    }
}

/// In every story: a form's redirect stays on this install, whatever was typed into it (trust requirement 60).
fn stays_here(path: &str, response: &axum::response::Response) {
    let Some(location) = response.headers().get(header::LOCATION) else { return };
    let next = location.to_str().expect("an address in ASCII");
    let is_ours = next.starts_with('/') && !next.starts_with("//") && !next.contains('\\');
    assert!(is_ours, "POST {path} leads to {next}");
}

impl Client {
    /// From this machine itself: exempt from the public forms' rate limits.
    #[must_use]
    pub fn here(mut self) -> Self {
        self.from = SocketAddr::from(([127, 0, 0, 1], 4711));
        self.with("host", "localhost:8080")
    }

    #[must_use]
    pub fn from_address(mut self, address: [u8; 4]) -> Self {
        self.from = SocketAddr::from((address, 4711));
        self
    }

    #[must_use]
    pub fn from_ipv6(mut self, address: [u16; 8]) -> Self {
        self.from = SocketAddr::from((address, 4711));
        self
    }

    pub async fn signed_in(&self, app: &TestApp, person: &Person) -> Self {
        self.with_session(&app.signs_in(person).await)
    }

    #[must_use]
    pub fn with_session(&self, token: &str) -> Self {
        self.with("cookie", &format!("{COOKIE}={token}"))
    }

    #[must_use]
    pub fn with(&self, name: &'static str, value: &str) -> Self {
        let mut one = self.clone();
        one.headers.insert(name, value.parse().expect("a header value"));
        one
    }

    #[must_use]
    pub fn without(&self, name: &'static str) -> Self {
        let mut one = self.clone();
        one.headers.remove(name);
        one
    }

    /// The hasher of this client's API: each client has its own.
    #[must_use]
    pub fn hasher(&self) -> &PasswordHashPool {
        &self.state.hasher
    }

    /// Forms of this client's API that no transaction has taken yet.
    #[must_use]
    pub fn queued_forms(&self) -> usize {
        self.state.count_queued_forms()
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, "", Vec::new()).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::POST, path, "application/json", body.to_string().into_bytes()).await
    }

    pub async fn post_form(&self, path: &str, form: Multipart) -> Answer {
        let (kind, body) = form.finish();
        self.send(Method::POST, path, &kind, body).await
    }

    /// The body of an event stream is not awaited.
    pub async fn send(&self, method: Method, path: &str, kind: &str, body: Vec<u8>) -> Answer {
        let response = self.answer(method, path, kind, body).await;
        let (parts, body) = response.into_parts();
        let is_stream = parts.headers.get(header::CONTENT_TYPE).is_some_and(|v| v == "text/event-stream");
        let body = if is_stream { Vec::new() } else { to_bytes(body, MOST).await.expect("a whole body").to_vec() };
        Answer { status: parts.status, headers: parts.headers, body }
    }

    async fn answer(&self, method: Method, path: &str, kind: &str, body: Vec<u8>) -> axum::response::Response {
        let mut request = Request::builder().method(method).uri(path).header("host", "toolbox.example");
        if !kind.is_empty() {
            request = request.header(header::CONTENT_TYPE, kind);
        }
        let mut request = request.body(Body::from(body)).expect("a request");
        for (name, value) in &self.headers {
            request.headers_mut().insert(name, value.clone());
        }
        request.extensions_mut().insert(ConnectInfo(self.from));
        let is_page = request.method() == Method::POST && !path.starts_with("/api/");
        let response = self.router.clone().oneshot(request).await.expect("an answer");
        if is_page {
            stays_here(path, &response);
        }
        response
    }

    /// Opens the live events over a socket, as a browser does: with the last id that it received, if any. Dropping it
    /// closes the connection.
    pub async fn events_over(&self, server: &Server, last_event_id: Option<&str>) -> Events {
        let mut request = processes::http_client().get(format!("{}/api/events", server.url));
        request = request.headers(self.headers.clone());
        if let Some(id) = last_event_id {
            request = request.header("last-event-id", id);
        }
        let response = request.send().await.expect("an answer");
        assert_eq!(response.status(), StatusCode::OK);
        let parts = futures::stream::unfold(response, |mut response| async move {
            let part = response.chunk().await.map_err(axum::Error::new).transpose()?;
            Some((part, response))
        });
        Events { stream: parts.boxed(), buffered: String::new(), _state: self.state.clone() }
    }

    /// This client's API on a port of this machine.
    pub async fn server(&self) -> Server {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("its address"));
        let limits = api::ConnectionLimits::default();
        tokio::spawn(api::serve_http(self.state.clone(), listener, limits, std::future::pending()));
        Server { url, state: self.state.clone() }
    }

    pub async fn events(&self) -> Events {
        let response = self.answer(Method::GET, "/api/events", "", Vec::new()).await;
        assert_eq!(response.status(), StatusCode::OK);
        Events {
            stream: response.into_body().into_data_stream().boxed(),
            buffered: String::new(),
            _state: self.state.clone(),
        }
    }
}

/// An API that listens. Dropping it ends its streams and loops.
pub struct Server {
    pub url: String,
    state: AppState,
}

impl Server {
    #[must_use]
    pub fn client(&self) -> Client {
        TestApp::client_of(self.state.clone())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state.signal_shutdown();
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamedEvent {
    pub id: String,
    pub event: String,
    pub data: Value,
}

pub struct Events {
    stream: futures::stream::BoxStream<'static, Result<bytes::Bytes, axum::Error>>,
    buffered: String,
    _state: AppState,
}

impl Events {
    /// Reads until `words` were received, and returns everything so far. Fails after ten silent seconds.
    pub async fn read_until(&mut self, words: &str) -> String {
        while !self.buffered.contains(words) {
            self.listen(words).await;
        }
        self.buffered.clone()
    }

    /// Reads until a complete event has `words` in its data, and returns all complete events so far.
    pub async fn events_until(&mut self, words: &str) -> Vec<StreamedEvent> {
        loop {
            let received = self.events();
            if received.iter().any(|one| one.data.to_string().contains(words)) {
                return received;
            }
            self.listen(words).await;
        }
    }

    /// Whether the stream ends within ten seconds.
    pub async fn ends(&mut self) -> bool {
        let end = async { while self.stream.next().await.is_some() {} };
        tokio::time::timeout(std::time::Duration::from_secs(10), end).await.is_ok()
    }

    async fn listen(&mut self, words: &str) {
        let next = tokio::time::timeout(std::time::Duration::from_secs(10), self.stream.next()).await;
        let Ok(Some(Ok(bytes))) = next else { panic!("{words:?} was not received, only {:?}", self.buffered) };
        self.buffered.push_str(&String::from_utf8_lossy(&bytes));
    }

    /// The complete events so far, without comments.
    #[must_use]
    pub fn events(&self) -> Vec<StreamedEvent> {
        let whole = self.buffered.rsplit_once("\n\n").map_or("", |(whole, _)| whole);
        whole.split("\n\n").filter_map(StreamedEvent::read).collect()
    }
}

impl StreamedEvent {
    /// None when the block is only a comment or a setting.
    fn read(block: &str) -> Option<Self> {
        let field = |name: &str| {
            block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).map(ToOwned::to_owned)
        };
        let data = serde_json::from_str(&field("data")?).expect("the data of an event");
        Some(Self { id: field("id").unwrap_or_default(), event: field("event").unwrap_or_default(), data })
    }
}

impl Answer {
    /// The body as JSON; null when it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or_default()
    }

    /// Status, code and the named fields of a problem document.
    #[must_use]
    pub fn problem(&self) -> (u16, String, Vec<String>) {
        let json = self.json();
        assert_eq!(self.header("content-type"), "application/problem+json", "{} {json}", self.status);
        assert_eq!(json["status"], self.status.as_u16(), "{json}");
        assert_eq!(json["requestId"], self.header("x-request-id"), "{json}");
        let fields = json["errors"].as_object().map(|e| e.keys().cloned().collect()).unwrap_or_default();
        (self.status.as_u16(), json["code"].as_str().unwrap_or_default().to_owned(), fields)
    }

    #[must_use]
    pub fn session(&self) -> Option<String> {
        let cookie = self.header("set-cookie").split(';').next()?;
        cookie.strip_prefix(COOKIE)?.strip_prefix('=').filter(|t| !t.is_empty()).map(ToOwned::to_owned)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Multipart(Vec<(String, Vec<u8>)>);

const BOUNDARY: &str = "----story-boundary-7f3a";

impl Multipart {
    /// Ann's request, without photos.
    #[must_use]
    pub fn ann(org: &str) -> Self {
        [
            ("name", "Ann Lee"),
            ("phone", "5125550142"),
            ("email", "ann@customer.example"),
            ("service", "plumbing"),
            ("zip", "78701"),
            ("orgId", org),
        ]
        .into_iter()
        .fold(Self::default(), |form, (name, value)| form.text(name, value))
    }

    /// Replaces an earlier part of this name.
    #[must_use]
    pub fn text(mut self, name: &str, value: &str) -> Self {
        self.0.retain(|(known, _)| known != name);
        self.repeated_text(name, value)
    }

    /// Beside an earlier part of this name.
    #[must_use]
    pub fn repeated_text(mut self, name: &str, value: &str) -> Self {
        let head = format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        self.0.push((name.to_owned(), head.into_bytes()));
        self
    }

    #[must_use]
    pub fn photo(self, name: &str, bytes: &[u8]) -> Self {
        self.file("photos", name, bytes)
    }

    #[must_use]
    pub fn file(mut self, field: &str, name: &str, bytes: &[u8]) -> Self {
        let head = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\ncontent-type: image/jpeg\r\n\r\n"
        );
        self.0.push((field.to_owned(), [head.as_bytes(), bytes, b"\r\n"].concat()));
        self
    }

    fn finish(self) -> (String, Vec<u8>) {
        let mut body: Vec<u8> = self.0.into_iter().flat_map(|(_, part)| part).collect();
        body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
        (format!("multipart/form-data; boundary={BOUNDARY}"), body)
    }
}

#[must_use]
pub fn pixel() -> Vec<u8> {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let text = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
    STANDARD.decode(text).expect("a picture")
}
