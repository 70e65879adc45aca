//! CSRF protection: other sites cannot act with a signed-in person's cookie.
//!
//! Browsers state the origin of a request (`Sec-Fetch-Site`, or `Origin` in older ones); pages cannot change it.
//! Programs state none, and pass when they carry no cookie, or the header that a page of another site may not send.
//! With a session cookie the API also requires JSON, or that header for another or no body, which no form can send
//! (trust requirement 58).

use axum::{
    body::HttpBody,
    extract::{Request, State},
    http::{HeaderMap, Method, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{
    auth::{cookie_name, cookie_token},
    client_info,
    error::{ApiError, ErrorCode},
    state::AppState,
};

/// Browsers send this header across sites only after a CORS preflight, which the API never allows.
const CLIENT_HEADER: &str = "x-toolbox-client";
/// Providers authenticate by a signature, other programs by a key.
const WEBHOOKS: [&str; 2] = ["/webhooks/", "/api/webhooks/reviews/"];
/// The public forms: open to every site, cookies ignored.
const PUBLIC_FORMS: [&str; 2] = ["/api/leads/create", "/api/quotes/create"];

pub async fn verify_csrf(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS | Method::TRACE);
    if is_safe || PUBLIC_FORMS.contains(&request.uri().path()) || has_own_proof(request.uri().path()) {
        return next.run(request).await;
    }
    let public_url = &state.settings.public_url;
    let (parts, body) = request.into_parts();
    let sign = RequestProvenance {
        path: parts.uri.path(),
        headers: &parts.headers,
        public_origin: &public_url.origin(),
        cookie: cookie_name(public_url.is_https()),
        from_loopback: client_info::is_direct_loopback(client_info::peer_ip(&parts), &parts.headers),
        has_body: !(body.is_end_stream() || body.size_hint().exact() == Some(0)),
    };
    if !sign.is_same_site() || (sign.uses_session() && !sign.is_script_request()) {
        return ApiError::new(ErrorCode::CsrfRefused, sign.refusal_message()).into_response();
    }
    next.run(Request::from_parts(parts, body)).await
}

fn has_own_proof(path: &str) -> bool {
    WEBHOOKS.iter().any(|prefix| path.starts_with(prefix)) || is_one_click_unsubscribe(path)
}

/// One-click unsubscribe of a mail program (RFC 8058, 3.2): comes without a cookie, with any `Origin`. The address
/// itself is the proof.
fn is_one_click_unsubscribe(path: &str) -> bool {
    let token = path.strip_prefix("/r/").and_then(|rest| rest.strip_suffix("/stop"));
    token.is_some_and(|token| !token.is_empty() && !token.contains('/'))
}

struct RequestProvenance<'a> {
    path: &'a str,
    headers: &'a HeaderMap,
    public_origin: &'a str,
    cookie: &'static str,
    from_loopback: bool,
    has_body: bool,
}

impl RequestProvenance<'_> {
    fn is_same_site(&self) -> bool {
        if let Some(site) = self.headers.get("sec-fetch-site") {
            // Typed or bookmarked: a page opened by hand, never a request of the app.
            return site == "same-origin" || (site == "none" && !self.uses_session());
        }
        if let Some(origin) = self.headers.get(header::ORIGIN) {
            return origin.to_str().is_ok_and(|origin| self.is_own_origin(origin));
        }
        self.headers.contains_key(CLIENT_HEADER) || cookie_token(self.headers, self.cookie).is_none()
    }

    /// Whether it acts with a session.
    fn uses_session(&self) -> bool {
        self.path.starts_with("/api/") && cookie_token(self.headers, self.cookie).is_some()
    }

    fn refusal_message(&self) -> &'static str {
        if self.is_same_site() {
            "Send this request with a body of the type application/json, or without a body."
        } else {
            "This request came from another site and was refused."
        }
    }

    /// Whether the browser states that one of our pages sends it; a page of another site cannot fake that.
    fn is_from_own_page(&self) -> bool {
        match self.headers.get("sec-fetch-site") {
            Some(site) => site == "same-origin",
            None => self.headers.contains_key(header::ORIGIN),
        }
    }

    /// Whether only our script or a program can have sent it. A form always names its body's type, even of an empty
    /// one; a script without a body names none.
    fn is_script_request(&self) -> bool {
        if !self.has_body && !self.headers.contains_key(header::CONTENT_TYPE) && self.is_from_own_page() {
            return true;
        }
        let kind = self.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let media = kind.split(';').next().unwrap_or_default().trim();
        self.headers.contains_key(CLIENT_HEADER) || media.eq_ignore_ascii_case("application/json")
    }

    /// The configured address or, on this machine, any name it was called by.
    fn is_own_origin(&self, origin: &str) -> bool {
        if origin.eq_ignore_ascii_case(self.public_origin) {
            return true;
        }
        let host = self.headers.get(header::HOST).and_then(|h| h.to_str().ok()).unwrap_or_default();
        let named = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        self.from_loopback && !host.is_empty() && named.is_some_and(|named| named.eq_ignore_ascii_case(host))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    const OURS: &str = "https://toolbox.example.com";

    const COOKIE: (&str, &str) = ("cookie", "__Host-sid=t");
    const JSON: (&str, &str) = ("content-type", "application/json");

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let named = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(named).collect()
    }

    fn judge_at(path: &str, pairs: &[(&'static str, &'static str)], from_loopback: bool) -> bool {
        let (headers, cookie) = (headers(pairs), "__Host-sid");
        let sign =
            RequestProvenance { path, headers: &headers, public_origin: OURS, cookie, from_loopback, has_body: false };
        sign.is_same_site() && (!sign.uses_session() || sign.is_script_request())
    }

    fn judge(pairs: &[(&'static str, &'static str)], from_loopback: bool) -> bool {
        judge_at("/api/jobs", pairs, from_loopback)
    }

    #[test]
    fn same_origin_pages_and_non_browser_clients_pass() {
        let table: [&[(&str, &str)]; 12] = [
            &[("sec-fetch-site", "same-origin"), COOKIE, JSON],
            &[("sec-fetch-site", "same-origin"), COOKIE, ("content-type", "Application/JSON; charset=utf-8")],
            &[("sec-fetch-site", "same-origin"), COOKIE, ("x-toolbox-client", "web")],
            &[("sec-fetch-site", "same-origin"), ("origin", "https://evil.example")],
            &[("sec-fetch-site", "none")],
            &[("sec-fetch-site", "same-origin"), COOKIE],
            &[("origin", OURS), COOKIE],
            &[("origin", OURS), COOKIE, JSON],
            &[("origin", "HTTPS://Toolbox.Example.com"), COOKIE, JSON],
            &[],
            &[("cookie", "theme=dark")],
            &[("x-toolbox-client", "cli"), COOKIE],
        ];
        for pairs in table {
            assert!(judge(pairs, false), "{pairs:?}");
        }
    }

    #[test]
    fn same_origin_form_passes_on_public_pages_but_not_on_the_api() {
        let form = [("sec-fetch-site", "same-origin"), COOKIE, ("content-type", "application/x-www-form-urlencoded")];
        assert!(judge_at("/e/token/accept", &form, false));
        assert!(!judge_at("/api/auth/logout", &form, false));
    }

    #[test]
    fn refusal_for_content_type_does_not_blame_another_site() {
        let refusal_for = |pairs: &[(&'static str, &'static str)]| {
            let (headers, path, cookie) = (headers(pairs), "/api/jobs", "__Host-sid");
            let (from_loopback, has_body) = (false, false);
            RequestProvenance { path, headers: &headers, public_origin: OURS, cookie, from_loopback, has_body }
                .refusal_message()
        };
        let form = ("content-type", "application/x-www-form-urlencoded");
        assert!(!refusal_for(&[("sec-fetch-site", "same-origin"), COOKIE, form]).contains("another site"));
        assert!(refusal_for(&[("sec-fetch-site", "cross-site"), COOKIE, form]).contains("another site"));
    }

    #[test]
    fn request_without_content_type_passes_only_without_body() {
        let passes = |has_body| {
            let headers = headers(&[("sec-fetch-site", "same-origin"), COOKIE]);
            let (path, cookie) = ("/api/jobs", "__Host-sid");
            RequestProvenance { path, headers: &headers, public_origin: OURS, cookie, from_loopback: false, has_body }
                .is_script_request()
        };
        assert!(passes(false) && !passes(true));
    }

    #[test]
    fn one_click_unsubscribe_path_is_exempt_from_the_origin_check() {
        for (path, passes) in [
            ("/r/token/stop", true),
            ("/r//stop", false),
            ("/r/a/b/stop", false),
            ("/r/token", false),
            ("/api/r/token/stop", false),
        ] {
            assert_eq!(has_own_proof(path), passes, "{path}");
        }
    }

    fn forged(sent: &[(&'static str, &'static str)]) -> bool {
        judge(&[sent, &[COOKIE]].concat(), false)
    }

    #[test]
    fn cross_site_request_is_refused() {
        let table: [&[(&str, &str)]; 39] = [
            &[("sec-fetch-site", "cross-site"), JSON],
            &[("sec-fetch-site", "cross-site")],
            &[("sec-fetch-site", "cross-site"), ("content-type", "text/plain")],
            &[("sec-fetch-site", "cross-site"), ("content-type", "application/x-www-form-urlencoded")],
            &[("sec-fetch-site", "cross-site"), ("content-type", "multipart/form-data; boundary=x")],
            &[("sec-fetch-site", "cross-site"), ("origin", OURS), JSON],
            &[("sec-fetch-site", "cross-site"), ("origin", "null"), JSON],
            &[("sec-fetch-site", "cross-site"), ("x-toolbox-client", "1")],
            &[("sec-fetch-site", "cross-site"), ("referer", OURS), JSON],
            &[("sec-fetch-site", "same-site"), JSON],
            &[("sec-fetch-site", "same-site"), ("origin", "https://sub.toolbox.example.com"), JSON],
            &[("sec-fetch-site", "same-site"), ("x-toolbox-client", "1")],
            &[("sec-fetch-site", "none"), JSON],
            &[("sec-fetch-site", "none"), ("x-toolbox-client", "1")],
            &[("sec-fetch-site", "SAME-ORIGIN"), JSON],
            &[("sec-fetch-site", "same-origin, cross-site"), JSON],
            &[("sec-fetch-site", " "), JSON],
            &[("sec-fetch-site", ""), JSON],
            &[("sec-fetch-site", "same-origin"), ("content-type", "")],
            &[("sec-fetch-site", "same-origin"), ("content-type", "text/plain")],
            &[("sec-fetch-site", "same-origin"), ("content-type", "text/plain; charset=application/json")],
            &[("sec-fetch-site", "same-origin"), ("content-type", "application/jsonx")],
            &[("sec-fetch-site", "same-origin"), ("content-type", "application/x-www-form-urlencoded")],
            &[("sec-fetch-site", "same-origin"), ("content-type", "multipart/form-data; boundary=application/json")],
            &[("origin", OURS), ("content-type", "text/plain")],
            &[("origin", "https://evil.example")],
            &[("origin", "https://evil.example"), JSON],
            &[("origin", "https://evil.example"), ("x-toolbox-client", "1")],
            &[("origin", "https://evil.example"), ("host", "evil.example"), JSON],
            &[("origin", "null"), JSON],
            &[("origin", ""), JSON],
            &[("origin", "http://toolbox.example.com"), JSON],
            &[("origin", "https://toolbox.example.com:8443"), JSON],
            &[("origin", "https://toolbox.example.com.evil.example"), JSON],
            &[("origin", "https://toolbox.example.com/"), JSON],
            &[("origin", "https://sub.toolbox.example.com"), JSON],
            &[("origin", "https://toolbox.example.com https://evil.example"), JSON],
            &[JSON],
            &[],
        ];
        for sent in table {
            assert!(!forged(sent), "{sent:?}");
        }
        assert!(!judge(&[("sec-fetch-site", "cross-site")], false), "and without a cookie: it could sign somebody in");
        assert!(!judge(&[("origin", "https://evil.example")], false));
    }

    #[test]
    fn loopback_request_accepts_the_origin_equal_to_its_host() {
        let dev = [("origin", "http://127.0.0.1:8080"), ("host", "127.0.0.1:8080"), COOKIE, JSON];
        assert!(judge(&dev, true));
        assert!(!judge(&dev, false));
        let other_port = [("origin", "http://127.0.0.1:3000"), ("host", "127.0.0.1:8080"), COOKIE, JSON];
        assert!(!judge(&other_port, true));
    }
}
