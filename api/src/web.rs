//! The web app's embedded files: compressed variants where accepted, the page for every address of the app, and 404 for
//! a missing file.

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
struct WebAssets;

const PAGE: &str = "index.html";
const NOT_BUILT: &str = "Toolbox is running, but its web app was not built into this program.\n\nRun `make run` in the project's folder: it builds the web app first.\n";
/// Files under /assets have a content hash in their name.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
pub(crate) const ASK_EACH_TIME: &str = "no-cache";
const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

/// Fallback of the router.
pub async fn serve_app(request: Request) -> Response {
    let path = request.uri().path();
    if path == "/api" || path.starts_with("/api/") || path.starts_with("/webhooks/") {
        return ApiError::not_found().into_response();
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let refused = ApiError::new(ErrorCode::MethodNotAllowed, "This address does not take this kind of request.");
        return ([(header::ALLOW, "GET, HEAD")], refused).into_response();
    }
    let name = path.trim_start_matches('/');
    match (find_asset(name, request.headers()), is_file_name(name)) {
        (Some(found), _) => found.build_response(name, request.headers()),
        (None, true) => ApiError::not_found().into_response(),
        (None, false) if is_within_demo(name) => with_noindex(app_page(request.headers())),
        (None, false) if is_app_route(name) => app_page(request.headers()),
        (None, false) => not_found_page(request.headers()),
    }
}

/// First path segments that the app has pages for: `web/src/app/router.tsx` and `staff-routes.tsx`. Only the app knows
/// the paths below `/app`.
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
/// First segments with pages below them.
const WITH_MORE: [&str; 4] = ["app", "demo", "join", "lead"];

/// Whether the app may have a page at this path; otherwise the answer is 404, so that search engines drop mistyped
/// links.
fn is_app_route(name: &str) -> bool {
    match name.trim_end_matches('/').split_once('/') {
        None => BEGINNINGS.contains(&name.trim_end_matches('/')),
        Some((first, _)) => WITH_MORE.contains(&first),
    }
}

/// Pages of the demonstration except its front: not to be indexed.
fn is_within_demo(name: &str) -> bool {
    name.strip_prefix("demo/").is_some_and(|rest| !rest.is_empty())
}

/// The app with 404: it shows its own not-found page, or the login page to a stranger. Never 304, which would leave the
/// screen empty.
pub(crate) fn not_found_page(headers: &HeaderMap) -> Response {
    let mut asked = headers.clone();
    asked.remove(header::IF_NONE_MATCH);
    let mut page = with_noindex(app_page(&asked));
    page.headers_mut().remove(header::ETAG);
    *page.status_mut() = StatusCode::NOT_FOUND;
    page
}

fn with_noindex(mut page: Response) -> Response {
    page.headers_mut().insert(ROBOTS, HeaderValue::from_static("noindex, nofollow"));
    page
}

/// Whether the path names a file. A missing file must be a 404, or a broken deploy looks like an empty page.
fn is_file_name(name: &str) -> bool {
    name.starts_with("assets/") || name.rsplit('/').next().is_some_and(|last| last.contains('.'))
}

pub(crate) fn app_page(headers: &HeaderMap) -> Response {
    match find_asset(PAGE, headers) {
        Some(found) => found.build_response(PAGE, headers),
        None => (StatusCode::OK, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], NOT_BUILT).into_response(),
    }
}

struct FoundAsset {
    file: EmbeddedFile,
    encoding: Option<&'static str>,
    has_variants: bool,
}

/// The file in the smallest accepted encoding. The variants themselves have no address.
fn find_asset(name: &str, headers: &HeaderMap) -> Option<FoundAsset> {
    if name.is_empty() || has_ending(name, "br") || has_ending(name, "gz") {
        return None;
    }
    let plain = WebAssets::get(name)?;
    let variants = [("br", "br"), ("gz", "gzip")]
        .map(|(ending, encoding)| (WebAssets::get(&format!("{name}.{ending}")), encoding));
    let has_variants = variants.iter().any(|(file, _)| file.is_some());
    for (file, encoding) in variants {
        if let Some(file) = file.filter(|_| accepts_encoding(headers, encoding)) {
            return Some(FoundAsset { file, encoding: Some(encoding), has_variants });
        }
    }
    Some(FoundAsset { file: plain, encoding: None, has_variants })
}

pub(crate) fn has_asset(name: &str) -> bool {
    WebAssets::get(name).is_some()
}

fn has_ending(name: &str, ending: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case(ending))
}

/// RFC 9110 §12.5.3, reduced: the coding is named, and not with weight zero.
fn accepts_encoding(headers: &HeaderMap, encoding: &str) -> bool {
    let lines = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|v| v.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|one| {
        let mut parts = one.split(';').map(str::trim);
        let is_named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(encoding));
        let is_refused = parts.any(|p| p.strip_prefix("q=").is_some_and(|w| w.parse::<f32>().is_ok_and(|w| w <= 0.0)));
        is_named && !is_refused
    })
}

impl FoundAsset {
    fn build_response(self, name: &str, asked: &HeaderMap) -> Response {
        let tag = etag_of(&self.file.metadata.sha256_hash());
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
        if matches_etag(asked, &tag) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(name)));
        if let Some(encoding) = self.encoding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        (headers, self.file.data.into_owned()).into_response()
    }
}

/// `ETag` of a content: half of its SHA-256 is enough.
pub(crate) fn etag_of(hash: &[u8; 32]) -> String {
    let half = hash.first_chunk::<16>().copied().unwrap_or_default();
    format!("\"{:032x}\"", u128::from_be_bytes(half))
}

/// Whether `If-None-Match` holds this tag.
pub(crate) fn matches_etag(asked: &HeaderMap, tag: &str) -> bool {
    let etags = asked.get(header::IF_NONE_MATCH).and_then(|v| v.to_str().ok()).unwrap_or_default();
    etags.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
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
    fn file_name_is_distinguished_from_an_app_path() {
        for file in ["assets/gone", "assets/x.js", "favicon.ico", "a/b.css", ".env"] {
            assert!(is_file_name(file), "{file}");
        }
        for page in ["", "lead", "app/leads/0190", "login"] {
            assert!(!is_file_name(page), "{page}");
        }
    }

    #[test]
    fn path_outside_the_app_is_not_found() {
        for known in
            ["", "login", "login/", "lead", "lead/0190", "app", "app/leads/0190", "join/x", "demo/app", "quote"]
        {
            assert!(is_app_route(known), "{known}");
        }
        for none in ["nowhere", "wp-admin", "login/x", "logins", "apps", "quote/x/y", "no/such/page"] {
            assert!(!is_app_route(none), "{none}");
        }
    }

    #[test]
    fn compressed_variant_requires_accept_encoding() {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip;q=0.8, br;q=0, zstd"));
        assert!(accepts_encoding(&headers, "gzip") && !accepts_encoding(&headers, "br"));
        assert!(!accepts_encoding(&HeaderMap::new(), "br"));
    }

    #[test]
    fn every_path_routed_by_the_app_is_known_to_the_server() {
        let routed = [include_str!("../../web/src/app/router.tsx"), include_str!("../../web/src/app/staff-routes.tsx")];
        let written = routed.iter().flat_map(|file| file.split(" path=\"/").skip(1));
        let paths: Vec<&str> = written.filter_map(|rest| rest.split('"').next()).collect();
        for path in &paths {
            assert!(is_app_route(path), "/{path} has a page, and would be said to be missing");
        }
        assert!(paths.len() > 25, "{paths:?}");
    }

    #[test]
    fn not_found_page_is_404_without_etag_even_for_a_cached_page() {
        let first = app_page(&HeaderMap::new());
        let mut headers = HeaderMap::new();
        if let Some(tag) = first.headers().get(header::ETAG) {
            headers.insert(header::IF_NONE_MATCH, tag.clone());
        }
        let missing_page = not_found_page(&headers);
        assert_eq!((missing_page.status(), missing_page.headers().get(header::ETAG)), (StatusCode::NOT_FOUND, None));
        assert_eq!(
            missing_page.headers()[header::CONTENT_TYPE],
            first.headers()[header::CONTENT_TYPE],
            "and its words are there"
        );
    }

    #[test]
    fn file_with_matching_etag_is_not_resent() {
        let mut headers = HeaderMap::new();
        headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static("\"a\", W/\"b\""));
        assert!(matches_etag(&headers, "\"b\"") && !matches_etag(&headers, "\"c\""));
    }
}
