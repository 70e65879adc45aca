//! The web app's files, inside the program: small variants where the browser takes them, the page for every address
//! of the app, and never the page in place of a missing file.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::error::{ApiError, ErrorCode};

#[derive(RustEmbed)]
#[folder = "../web/dist"]
#[allow_missing = true]
struct Files;

const PAGE: &str = "index.html";
const NOT_BUILT: &str = "Toolbox is running, but its web app was not built into this program.\n\nRun `make run` in the project's folder: it builds the web app first.\n";
/// Names under /assets hold a hash of their content: they never change.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
pub(crate) const ASK_EACH_TIME: &str = "no-cache";
/// What search engines are told of a page.
const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

/// Answers whatever no route took.
pub async fn serve(request: Request) -> Response {
    let path = request.uri().path();
    if path == "/api" || path.starts_with("/api/") || path.starts_with("/webhooks/") {
        return ApiError::not_found().into_response();
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let refused = ApiError::new(ErrorCode::MethodNotAllowed, "This address does not take this kind of request.");
        return ([(header::ALLOW, "GET, HEAD")], refused).into_response();
    }
    let name = path.trim_start_matches('/');
    match (find(name, request.headers()), is_file_name(name)) {
        (Some(found), _) => found.answer(name, request.headers()),
        (None, true) => ApiError::not_found().into_response(),
        (None, false) if is_within_demo(name) => unlisted(page(request.headers())),
        (None, false) if is_of_the_app(name) => page(request.headers()),
        (None, false) => missing(request.headers()),
    }
}

/// How the addresses begin that the app has a page for: `web/src/app/router.tsx` and `staff-routes.tsx`. What stands below
/// `/app` only the app knows.
const BEGINNINGS: [&str; 14] = [
    "",
    "app",
    "checkout",
    "confirm-email",
    "demo",
    "forgot-password",
    "join",
    "lead",
    "login",
    "not-me",
    "quote",
    "quote-request",
    "register",
    "reset-password",
];
/// Those of them that have pages below them.
const WITH_MORE: [&str; 4] = ["app", "demo", "join", "lead"];

/// Whether there may be a page at this address: else it is said to be missing, and so says the app to whoever looks. A
/// search engine keeps what is found, and a link that is mistyped should not be kept.
fn is_of_the_app(name: &str) -> bool {
    match name.trim_end_matches('/').split_once('/') {
        None => BEGINNINGS.contains(&name.trim_end_matches('/')),
        Some((first, _)) => WITH_MORE.contains(&first),
    }
}

/// A page of the demonstration, its front apart: they are looked at, and not found by searching.
fn is_within_demo(name: &str) -> bool {
    name.strip_prefix("demo/").is_some_and(|rest| !rest.is_empty())
}

/// The app, which says that there is nothing here: on a page of its own, or to a stranger on the login page. It is said
/// anew each time: to answer that the page is the one that is known already would leave the screen empty.
pub(crate) fn missing(headers: &HeaderMap) -> Response {
    let mut asked = headers.clone();
    asked.remove(header::IF_NONE_MATCH);
    let mut page = unlisted(page(&asked));
    page.headers_mut().remove(header::ETAG);
    *page.status_mut() = StatusCode::NOT_FOUND;
    page
}

fn unlisted(mut page: Response) -> Response {
    page.headers_mut().insert(ROBOTS, HeaderValue::from_static("noindex, nofollow"));
    page
}

/// Whether an address asks for a file: those that are missing must say so, or a broken deploy looks like an empty page.
fn is_file_name(name: &str) -> bool {
    name.starts_with("assets/") || name.rsplit('/').next().is_some_and(|last| last.contains('.'))
}

/// The app's one page.
pub(crate) fn page(headers: &HeaderMap) -> Response {
    match find(PAGE, headers) {
        Some(found) => found.answer(PAGE, headers),
        None => (StatusCode::OK, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], NOT_BUILT).into_response(),
    }
}

struct Found {
    file: EmbeddedFile,
    encoding: Option<&'static str>,
    has_variants: bool,
}

/// The file, in the smallest form that the client takes. The variants themselves are not files of the app.
fn find(name: &str, headers: &HeaderMap) -> Option<Found> {
    if name.is_empty() || has_ending(name, "br") || has_ending(name, "gz") {
        return None;
    }
    let plain = Files::get(name)?;
    let variants =
        [("br", "br"), ("gz", "gzip")].map(|(ending, encoding)| (Files::get(&format!("{name}.{ending}")), encoding));
    let has_variants = variants.iter().any(|(file, _)| file.is_some());
    for (file, encoding) in variants {
        if let Some(file) = file.filter(|_| accepts(headers, encoding)) {
            return Some(Found { file, encoding: Some(encoding), has_variants });
        }
    }
    Some(Found { file: plain, encoding: None, has_variants })
}

/// Whether the app was built with this file.
pub(crate) fn has(name: &str) -> bool {
    Files::get(name).is_some()
}

fn has_ending(name: &str, ending: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case(ending))
}

/// RFC 9110 §12.5.3, as far as a file server needs it: a coding that is named, and not with a weight of zero.
fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let lines = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|v| v.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|one| {
        let mut parts = one.split(';').map(str::trim);
        let is_named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(encoding));
        let is_refused = parts.any(|p| p.strip_prefix("q=").is_some_and(|w| w.parse::<f32>().is_ok_and(|w| w <= 0.0)));
        is_named && !is_refused
    })
}

impl Found {
    fn answer(self, name: &str, asked: &HeaderMap) -> Response {
        let tag = tag_of(&self.file.metadata.sha256_hash());
        let mut headers = HeaderMap::new();
        let caching = if name.starts_with("assets/") { FOR_EVER } else { ASK_EACH_TIME };
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
        if self.has_variants {
            headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        if let Ok(value) = HeaderValue::from_str(&tag) {
            headers.insert(header::ETAG, value);
        }
        if name == "sw.js" {
            headers.insert("service-worker-allowed", HeaderValue::from_static("/"));
        }
        if is_same(asked, &tag) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(name)));
        if let Some(encoding) = self.encoding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        (headers, self.file.data.into_owned()).into_response()
    }
}

/// The tag of a content by its SHA-256: half of that tells any two apart.
pub(crate) fn tag_of(hash: &[u8; 32]) -> String {
    let half = hash.first_chunk::<16>().copied().unwrap_or_default();
    format!("\"{:032x}\"", u128::from_be_bytes(half))
}

/// Whether who asks has what carries this tag.
pub(crate) fn is_same(asked: &HeaderMap, tag: &str) -> bool {
    let known = asked.get(header::IF_NONE_MATCH).and_then(|v| v.to_str().ok()).unwrap_or_default();
    known.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_told_from_an_address_of_the_app() {
        for file in ["assets/gone", "assets/x.js", "favicon.ico", "a/b.css", ".env"] {
            assert!(is_file_name(file), "{file}");
        }
        for page in ["", "lead", "app/leads/0190", "login"] {
            assert!(!is_file_name(page), "{page}");
        }
    }

    #[test]
    fn an_address_that_nothing_begins_with_is_said_to_be_missing() {
        for known in
            ["", "login", "login/", "lead", "lead/0190", "app", "app/leads/0190", "join/x", "demo/app", "quote"]
        {
            assert!(is_of_the_app(known), "{known}");
        }
        for none in ["nowhere", "wp-admin", "login/x", "logins", "apps", "quote/x/y", "no/such/page"] {
            assert!(!is_of_the_app(none), "{none}");
        }
    }

    #[test]
    fn small_variants_go_to_those_who_take_them() {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip;q=0.8, br;q=0, zstd"));
        assert!(accepts(&headers, "gzip") && !accepts(&headers, "br"));
        assert!(!accepts(&HeaderMap::new(), "br"));
    }

    #[test]
    fn every_address_that_the_app_routes_is_known_here() {
        let routed = [include_str!("../../web/src/app/router.tsx"), include_str!("../../web/src/app/staff-routes.tsx")];
        let written = routed.iter().flat_map(|file| file.split(" path=\"/").skip(1));
        let paths: Vec<&str> = written.filter_map(|rest| rest.split('"').next()).collect();
        for path in &paths {
            assert!(is_of_the_app(path), "/{path} has a page, and would be said to be missing");
        }
        assert!(paths.len() > 25, "{paths:?}");
    }

    #[test]
    fn what_is_missing_is_said_even_to_who_knows_the_page() {
        let first = page(&HeaderMap::new());
        let mut headers = HeaderMap::new();
        if let Some(tag) = first.headers().get(header::ETAG) {
            headers.insert(header::IF_NONE_MATCH, tag.clone());
        }
        let said = missing(&headers);
        assert_eq!((said.status(), said.headers().get(header::ETAG)), (StatusCode::NOT_FOUND, None));
        assert_eq!(
            said.headers()[header::CONTENT_TYPE],
            first.headers()[header::CONTENT_TYPE],
            "and its words are there"
        );
    }

    #[test]
    fn a_known_file_is_not_sent_again() {
        let mut headers = HeaderMap::new();
        headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static("\"a\", W/\"b\""));
        assert!(is_same(&headers, "\"b\"") && !is_same(&headers, "\"c\""));
    }
}
