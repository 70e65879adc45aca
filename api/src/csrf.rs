//! Keeps other sites from acting with a signed-in person's cookie.
//!
//! Browsers say where a request comes from (`Sec-Fetch-Site`, or `Origin` in older ones) and pages cannot change it.
//! Programs say nothing; they are let through when they carry no cookie, or a header no page of another site may send.
//! With a session's cookie the API asks for more: JSON, or that header where something else or nothing is sent, which no
//! form of any page can do (trust requirement 58).

use axum::{
    body::HttpBody,
    extract::{Request, State},
    http::{HeaderMap, Method, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{
    auth::{cookie_name, token_of},
    client_info,
    error::{ApiError, ErrorCode},
    state::AppState,
};

/// A browser sends this header across sites only after asking, and we never say yes.
const CLIENT_HEADER: &str = "x-toolbox-client";
/// Providers prove who they are by a signature, other programs by a key.
const WEBHOOKS: [&str; 2] = ["/webhooks/", "/api/webhooks/reviews/"];
/// The public forms: open to every site, and deaf to cookies.
const PUBLIC_FORMS: [&str; 2] = ["/api/leads/create", "/api/quotes/create"];

/// The layer.
pub async fn guard(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS | Method::TRACE);
    if is_safe || PUBLIC_FORMS.contains(&request.uri().path()) || is_proved(request.uri().path()) {
        return next.run(request).await;
    }
    let public_url = &state.settings.public_url;
    let (parts, body) = request.into_parts();
    let sign = Signs {
        path: parts.uri.path(),
        headers: &parts.headers,
        public_origin: &public_url.origin(),
        cookie: cookie_name(public_url.is_https()),
        from_loopback: client_info::is_direct_loopback(client_info::peer(&parts), &parts.headers),
        has_body: !(body.is_end_stream() || body.size_hint().exact() == Some(0)),
    };
    if !sign.are_ours() || (sign.acts() && !sign.is_spoken()) {
        return ApiError::new(ErrorCode::CsrfRefused, sign.why_not()).into_response();
    }
    next.run(Request::from_parts(parts, body)).await
}

fn is_proved(path: &str) -> bool {
    WEBHOOKS.iter().any(|prefix| path.starts_with(prefix)) || is_one_click(path)
}

/// Where one press of a mail program asks for no more such emails (RFC 8058, 3.2): it comes from anywhere, without a
/// cookie, with whatever `Origin` the program sends. The address itself is the proof.
fn is_one_click(path: &str) -> bool {
    let token = path.strip_prefix("/r/").and_then(|rest| rest.strip_suffix("/stop"));
    token.is_some_and(|token| !token.is_empty() && !token.contains('/'))
}

/// What a request tells about where it was made.
struct Signs<'a> {
    path: &'a str,
    headers: &'a HeaderMap,
    public_origin: &'a str,
    cookie: &'static str,
    from_loopback: bool,
    has_body: bool,
}

impl Signs<'_> {
    fn are_ours(&self) -> bool {
        if let Some(site) = self.headers.get("sec-fetch-site") {
            // Typed or bookmarked: a page that somebody opens by hand, and nothing that the app sends.
            return site == "same-origin" || (site == "none" && !self.acts());
        }
        if let Some(origin) = self.headers.get(header::ORIGIN) {
            return origin.to_str().is_ok_and(|origin| self.is_own_origin(origin));
        }
        self.headers.contains_key(CLIENT_HEADER) || token_of(self.headers, self.cookie).is_none()
    }

    /// Whether it acts as somebody who is signed in.
    fn acts(&self) -> bool {
        self.path.starts_with("/api/") && token_of(self.headers, self.cookie).is_some()
    }

    /// Why it is refused, in words that are true of it.
    fn why_not(&self) -> &'static str {
        if self.are_ours() {
            "Send this request with a body of the type application/json, or without a body."
        } else {
            "This request came from another site and was refused."
        }
    }

    /// Whether the browser itself says that one of our pages sends it. A page of another site cannot have it say so.
    fn is_from_own_page(&self) -> bool {
        match self.headers.get("sec-fetch-site") {
            Some(site) => site == "same-origin",
            None => self.headers.contains_key(header::ORIGIN),
        }
    }

    /// Whether it is sent as only a script of ours, or a program, sends it. A form always names the type of its body, even
    /// of an empty one; a script that sends none has none to name.
    fn is_spoken(&self) -> bool {
        if !self.has_body && !self.headers.contains_key(header::CONTENT_TYPE) && self.is_from_own_page() {
            return true;
        }
        let kind = self.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let media = kind.split(';').next().unwrap_or_default().trim();
        self.headers.contains_key(CLIENT_HEADER) || media.eq_ignore_ascii_case("application/json")
    }

    /// The configured address, or, on this machine itself, whatever name it was called by.
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
        let sign = Signs { path, headers: &headers, public_origin: OURS, cookie, from_loopback, has_body: false };
        sign.are_ours() && (!sign.acts() || sign.is_spoken())
    }

    fn judge(pairs: &[(&'static str, &'static str)], from_loopback: bool) -> bool {
        judge_at("/api/jobs", pairs, from_loopback)
    }

    #[test]
    fn our_own_pages_and_plain_programs_pass() {
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
    fn a_form_of_our_own_public_pages_passes_and_none_reaches_the_api_with_a_session() {
        let form = [("sec-fetch-site", "same-origin"), COOKIE, ("content-type", "application/x-www-form-urlencoded")];
        assert!(judge_at("/e/token/accept", &form, false));
        assert!(!judge_at("/api/auth/logout", &form, false));
    }

    #[test]
    fn what_is_refused_for_its_type_is_not_called_another_site() {
        let said = |pairs: &[(&'static str, &'static str)]| {
            let (headers, path, cookie) = (headers(pairs), "/api/jobs", "__Host-sid");
            let (from_loopback, has_body) = (false, false);
            Signs { path, headers: &headers, public_origin: OURS, cookie, from_loopback, has_body }.why_not()
        };
        let form = ("content-type", "application/x-www-form-urlencoded");
        assert!(!said(&[("sec-fetch-site", "same-origin"), COOKIE, form]).contains("another site"));
        assert!(said(&[("sec-fetch-site", "cross-site"), COOKIE, form]).contains("another site"));
    }

    #[test]
    fn without_a_type_only_what_has_no_body_passes() {
        let passes = |has_body| {
            let headers = headers(&[("sec-fetch-site", "same-origin"), COOKIE]);
            let (path, cookie) = ("/api/jobs", "__Host-sid");
            Signs { path, headers: &headers, public_origin: OURS, cookie, from_loopback: false, has_body }.is_spoken()
        };
        assert!(passes(false) && !passes(true));
    }

    #[test]
    fn one_press_of_a_mail_program_passes_wherever_it_comes_from() {
        for (path, passes) in [
            ("/r/token/stop", true),
            ("/r//stop", false),
            ("/r/a/b/stop", false),
            ("/r/token", false),
            ("/api/r/token/stop", false),
        ] {
            assert_eq!(is_proved(path), passes, "{path}");
        }
    }

    /// Another site has a browser send `sent`, with the cookie that it keeps.
    fn forged(sent: &[(&'static str, &'static str)]) -> bool {
        judge(&[sent, &[COOKIE]].concat(), false)
    }

    #[test]
    fn what_another_site_can_send_is_refused() {
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
    fn on_this_machine_any_name_it_was_called_by_is_its_own() {
        let dev = [("origin", "http://127.0.0.1:8080"), ("host", "127.0.0.1:8080"), COOKIE, JSON];
        assert!(judge(&dev, true));
        assert!(!judge(&dev, false));
        let other_port = [("origin", "http://127.0.0.1:3000"), ("host", "127.0.0.1:8080"), COOKIE, JSON];
        assert!(!judge(&other_port, true));
    }
}
