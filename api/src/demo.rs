//! The demonstration at the door: whoever asks for it reads as its viewer, and changes nothing.
//!
//! A page says so by a header. What a browser opens by itself (the stream of live events, a picture, a download) cannot
//! carry one, and says it in the query.

use axum::{
    extract::Request,
    http::{HeaderMap, Method, Uri},
    middleware::Next,
    response::{IntoResponse, Response},
};
use shared::ops::demo_seed;

use crate::{
    auth::OrgMember,
    error::{ApiError, ApiResult},
    state::AppState,
};

const HEADER: &str = "x-toolbox-demo";
const QUERY: (&str, &str) = ("demo", "1");
const YES: &[u8] = b"1";

/// Whether a request is about the demonstration.
#[must_use]
pub fn is_asked(method: &Method, headers: &HeaderMap, uri: &Uri) -> bool {
    // With another method it is refused before anybody asks who it is.
    let by_query = || is_reading(method) && is_in_query(uri);
    is_in_header(headers) || by_query()
}

fn is_in_header(headers: &HeaderMap) -> bool {
    headers.get(HEADER).is_some_and(|value| value.as_bytes() == YES)
}

fn is_in_query(uri: &Uri) -> bool {
    let query = uri.query().unwrap_or_default();
    url::form_urlencoded::parse(query.as_bytes()).any(|(name, value)| (name.as_ref(), value.as_ref()) == QUERY)
}

/// Whether a request of this kind changes nothing.
pub fn is_reading(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Whether it asks what something would come to, with a body: what a preview says is stored nowhere.
pub fn is_preview(method: &Method, uri: &Uri) -> bool {
    *method == Method::POST && uri.path().starts_with("/api/") && uri.path().ends_with("/preview")
}

/// The layer: whatever is more than reading is refused, wherever it goes. A preview goes through by the header, as its
/// viewer, and would not be committed either.
pub async fn guard(request: Request, next: Next) -> Response {
    let is_by_header = is_in_header(request.headers());
    let only_reads = is_reading(request.method()) || (is_by_header && is_preview(request.method(), request.uri()));
    if (is_by_header || is_in_query(request.uri())) && !only_reads {
        return ApiError::demo_read_only().into_response();
    }
    next.run(request).await
}

/// The demonstration's viewer. No session and no cookie is made.
///
/// # Errors
/// 404 where this install shows none, 503 while it is not seeded.
pub async fn viewer(state: &AppState) -> ApiResult<OrgMember> {
    if !state.config.has_demo {
        return Err(ApiError::no_demo());
    }
    let found = demo_seed::viewer(&mut state.db()?.read().await?, state.origin.now()).await?;
    let session = found.ok_or_else(ApiError::demo_not_ready)?;
    Ok(OrgMember { session, token: String::new(), key: None })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn asked(method: &Method, value: Option<&'static str>, uri: &'static str) -> bool {
        let headers = value.map(|value| (HEADER.parse().unwrap(), HeaderValue::from_static(value)));
        is_asked(method, &headers.into_iter().collect(), &Uri::from_static(uri))
    }

    #[test]
    fn a_preview_is_a_post_of_the_api_that_only_asks() {
        let preview = |method: &Method, uri: &'static str| is_preview(method, &Uri::from_static(uri));
        assert!(preview(&Method::POST, "/api/estimates/preview"));
        assert!(preview(&Method::POST, "/api/org/demo/templates/sms/preview?demo=1"));
        assert!(!preview(&Method::PUT, "/api/estimates/preview") && !preview(&Method::POST, "/e/preview"));
        assert!(!preview(&Method::POST, "/api/estimates/preview/send") && !preview(&Method::POST, "/api/jobs"));
    }

    #[test]
    fn a_header_says_so_and_for_reading_the_query() {
        assert!(asked(&Method::GET, Some("1"), "/api/jobs"));
        assert!(asked(&Method::POST, Some("1"), "/api/jobs"));
        assert!(asked(&Method::GET, None, "/api/events?lastEventId=x&demo=1"));
        for value in ["", "0", "true", "11"] {
            assert!(!asked(&Method::GET, Some(value), "/api/jobs"), "{value}");
        }
        for uri in ["/api/jobs", "/api/jobs?demo=0", "/api/jobs?demo", "/api/jobs?demonstration=1", "/demo"] {
            assert!(!asked(&Method::GET, None, uri), "{uri}");
        }
        assert!(!asked(&Method::POST, None, "/api/jobs?demo=1"), "refused before");
    }
}
