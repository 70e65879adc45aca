//! What a business may still change that does not pay any more: its people's own access, and its subscription. All else
//! only reads. Asked where a session is found ([`crate::auth`]), so no operation of signed-in people can forget it.

use axum::http::{Method, Uri};

use crate::demo;

/// Who signs in and out, with which password and second factor, on which devices; what is paid. Taking data along is reading.
const OPEN: [&str; 8] = [
    "/api/auth/",
    "/api/account/",
    "/api/security/",
    "/api/admin/",
    "/api/push/",
    "/api/subscription/",
    "/api/create-subscription",
    "/api/create-portal-session",
];
/// A link to a subscription that was paid for is what ends it all.
const CLAIM: &str = "/api/claim-subscription";

/// Whether a request needs a business that pays.
#[must_use]
pub fn is_asked(method: &Method, uri: &Uri) -> bool {
    let path = uri.path();
    let is_open = path == CLAIM || OPEN.iter().any(|open| path.starts_with(open));
    !(demo::is_reading(method) || demo::is_preview(method, uri) || is_open)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_paying_and_ones_own_access_need_no_subscription() {
        let asked = |method: Method, path: &'static str| is_asked(&method, &Uri::from_static(path));
        for path in ["/api/jobs", "/api/leads/x/paid", "/api/org/acme", "/api/subscriptions", "/api/authority"] {
            assert!(asked(Method::POST, path), "{path}");
            assert!(!asked(Method::GET, path), "{path}");
        }
        for path in [
            "/api/auth/logout",
            "/api/account/password",
            "/api/create-subscription",
            "/api/create-portal-session",
            "/api/subscription/acme/cancel",
            "/api/claim-subscription",
        ] {
            assert!(!asked(Method::POST, path) && !asked(Method::DELETE, path), "{path}");
        }
        assert!(!asked(Method::POST, "/api/estimates/preview"));
    }
}
