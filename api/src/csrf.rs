//! Keeps other sites from acting with a signed-in person's cookie.
//!
//! Browsers say where a request comes from (`Sec-Fetch-Site`, or `Origin` in older ones) and pages cannot change it.
//! Programs say nothing; they are let through when they carry no cookie, or a header no page of another site may send.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Method, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{
    auth::{cookie_name, token_of},
    error::{ApiError, ErrorCode},
    state::AppState,
    who,
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
        headers: &parts.headers,
        public_origin: &public_url.origin(),
        cookie: cookie_name(public_url.is_https()),
        from_loopback: who::peer(&parts).is_some_and(|ip| ip.is_loopback()),
    };
    if !sign.are_ours() {
        let refused = ApiError::new(ErrorCode::CsrfRefused, "This request came from another site and was refused.");
        return refused.into_response();
    }
    next.run(Request::from_parts(parts, body)).await
}

fn is_proved(path: &str) -> bool {
    WEBHOOKS.iter().any(|prefix| path.starts_with(prefix))
}

/// What a request tells about where it was made.
struct Signs<'a> {
    headers: &'a HeaderMap,
    public_origin: &'a str,
    cookie: &'static str,
    from_loopback: bool,
}

impl Signs<'_> {
    fn are_ours(&self) -> bool {
        if let Some(site) = self.headers.get("sec-fetch-site") {
            return site == "same-origin" || site == "none";
        }
        if let Some(origin) = self.headers.get(header::ORIGIN) {
            return origin.to_str().is_ok_and(|origin| self.is_own_origin(origin));
        }
        self.headers.contains_key(CLIENT_HEADER) || token_of(self.headers, self.cookie).is_none()
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

    fn judge(pairs: &[(&'static str, &'static str)], from_loopback: bool) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        Signs { headers: &headers, public_origin: OURS, cookie: "__Host-sid", from_loopback }.are_ours()
    }

    #[test]
    fn our_own_pages_and_plain_programs_pass() {
        let table: [&[(&str, &str)]; 8] = [
            &[("sec-fetch-site", "same-origin"), ("cookie", "__Host-sid=t")],
            &[("sec-fetch-site", "none"), ("cookie", "__Host-sid=t")],
            &[("sec-fetch-site", "same-origin"), ("origin", "https://evil.example")],
            &[("origin", OURS), ("cookie", "__Host-sid=t")],
            &[("origin", "HTTPS://Toolbox.Example.com"), ("cookie", "__Host-sid=t")],
            &[],
            &[("cookie", "theme=dark")],
            &[("x-toolbox-client", "cli"), ("cookie", "__Host-sid=t")],
        ];
        for pairs in table {
            assert!(judge(pairs, false), "{pairs:?}");
        }
    }

    #[test]
    fn what_another_site_can_send_is_refused() {
        let cookie = ("cookie", "__Host-sid=t");
        let table: [&[(&str, &str)]; 18] = [
            &[("sec-fetch-site", "cross-site"), cookie],
            &[("sec-fetch-site", "same-site"), cookie],
            &[("sec-fetch-site", "cross-site")],
            &[("sec-fetch-site", "SAME-ORIGIN"), cookie],
            &[("sec-fetch-site", ""), cookie],
            &[("sec-fetch-site", "cross-site"), ("origin", OURS), cookie],
            &[("sec-fetch-site", "cross-site"), ("x-toolbox-client", "1"), cookie],
            &[("origin", "https://evil.example"), cookie],
            &[("origin", "https://evil.example")],
            &[("origin", "null"), cookie],
            &[("origin", ""), cookie],
            &[("origin", "http://toolbox.example.com"), cookie],
            &[("origin", "https://toolbox.example.com:8443"), cookie],
            &[("origin", "https://toolbox.example.com.evil.example"), cookie],
            &[("origin", "https://evil.example"), ("host", "evil.example"), cookie],
            &[("origin", "https://evil.example"), ("x-toolbox-client", "1"), cookie],
            &[("origin", "https://sub.toolbox.example.com"), cookie],
            &[cookie],
        ];
        for pairs in table {
            assert!(!judge(pairs, false), "{pairs:?}");
        }
    }

    #[test]
    fn on_this_machine_any_name_it_was_called_by_is_its_own() {
        let dev = [("origin", "http://127.0.0.1:8080"), ("host", "127.0.0.1:8080"), ("cookie", "__Host-sid=t")];
        assert!(judge(&dev, true));
        assert!(!judge(&dev, false));
        let other_port = [("origin", "http://127.0.0.1:3000"), ("host", "127.0.0.1:8080"), ("cookie", "__Host-sid=t")];
        assert!(!judge(&other_port, true));
    }
}
