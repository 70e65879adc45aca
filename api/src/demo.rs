//! Access to the demonstration: a request for it reads as its viewer and changes nothing.
//!
//! A page asks by a header. What a browser opens by itself (event stream, picture, download) cannot carry one and asks
//! in the query.

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

#[must_use]
pub fn is_demo_request(method: &Method, headers: &HeaderMap, uri: &Uri) -> bool {
    // With another method it is refused before the caller is looked for.
    let by_query = || is_read_method(method) && is_in_query(uri);
    is_in_header(headers) || by_query()
}

fn is_in_header(headers: &HeaderMap) -> bool {
    headers.get(HEADER).is_some_and(|value| value.as_bytes() == YES)
}

fn is_in_query(uri: &Uri) -> bool {
    let query = uri.query().unwrap_or_default();
    url::form_urlencoded::parse(query.as_bytes()).any(|(name, value)| (name.as_ref(), value.as_ref()) == QUERY)
}

pub fn is_read_method(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Whether it is a preview: a POST with a body, of which nothing is stored.
pub fn is_preview_request(method: &Method, uri: &Uri) -> bool {
    *method == Method::POST && uri.path().starts_with("/api/") && uri.path().ends_with("/preview")
}

/// Layer that refuses all but reading. A preview passes when asked for by the header; it runs as the viewer and is
/// never committed.
pub async fn reject_demo_writes(request: Request, next: Next) -> Response {
    let is_by_header = is_in_header(request.headers());
    let only_reads =
        is_read_method(request.method()) || (is_by_header && is_preview_request(request.method(), request.uri()));
    if (is_by_header || is_in_query(request.uri())) && !only_reads {
        return ApiError::demo_read_only().into_response();
    }
    next.run(request).await
}

/// The demonstration's viewer, without session or cookie. Errors: 404 where this install shows no demonstration, 503
/// while it is not seeded.
pub async fn load_demo_viewer(state: &AppState) -> ApiResult<OrgMember> {
    if !state.config.has_demo {
        return Err(ApiError::no_demo());
    }
    let found = demo_seed::load_viewer_session(&mut state.db()?.acquire_reader().await?, state.origin.now()).await?;
    let session = found.ok_or_else(ApiError::demo_not_ready)?;
    Ok(OrgMember { session, token: String::new(), key: None, can_read_messages: true, can_read_customers: true })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn asked(method: &Method, value: Option<&'static str>, uri: &'static str) -> bool {
        let headers = value.map(|value| (HEADER.parse().unwrap(), HeaderValue::from_static(value)));
        is_demo_request(method, &headers.into_iter().collect(), &Uri::from_static(uri))
    }

    #[test]
    fn preview_is_an_api_post_to_a_preview_path() {
        let preview = |method: &Method, uri: &'static str| is_preview_request(method, &Uri::from_static(uri));
        assert!(preview(&Method::POST, "/api/estimates/preview"));
        assert!(preview(&Method::POST, "/api/org/demo/templates/sms/preview?demo=1"));
        assert!(!preview(&Method::PUT, "/api/estimates/preview") && !preview(&Method::POST, "/e/preview"));
        assert!(!preview(&Method::POST, "/api/estimates/preview/send") && !preview(&Method::POST, "/api/jobs"));
    }

    #[test]
    fn demo_is_requested_by_header_or_by_query_on_get() {
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
