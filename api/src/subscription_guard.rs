//! What a business may still change that does not pay any more: its people's own access, its subscription, and what it
//! takes away from others who hold a key, a link or an address of it. All else only reads. Asked where a session is found ([`crate::auth`]), so no operation of signed-in people can forget it.

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

/// What shuts a door, by method and path: `*` is any one name. Who was let go, a key that leaked and a feed that somebody
/// reads who should not are not left open until somebody pays.
const SHUT: [(Method, &str); 10] = [
    (Method::DELETE, "/api/org/*/api-keys/*"),
    (Method::DELETE, "/api/org/*/webhooks/*"),
    (Method::DELETE, "/api/org/*/review-webhook"),
    (Method::DELETE, "/api/org/*/recipients/*"),
    (Method::DELETE, "/api/org/*/stripe"),
    (Method::DELETE, "/api/team/invites/*"),
    (Method::PATCH, "/api/team/*"),
    (Method::DELETE, "/api/team/*/second-factor"),
    (Method::PUT, "/api/team/second-factor"),
    (Method::POST, "/api/crews/*/feed"),
];

fn is_shutting(method: &Method, path: &str) -> bool {
    let fits = |shape: &str| {
        shape.split('/').count() == path.split('/').count()
            && shape.split('/').zip(path.split('/')).all(|(wanted, is)| wanted == "*" || wanted == is)
    };
    SHUT.iter().any(|(of, shape)| of == method && fits(shape))
}

/// Whether a request needs a business that pays.
#[must_use]
pub fn is_asked(method: &Method, uri: &Uri) -> bool {
    let path = uri.path();
    let is_open = path == CLAIM || OPEN.iter().any(|open| path.starts_with(open));
    !(demo::is_reading(method) || demo::is_preview(method, uri) || is_open || is_shutting(method, path))
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

    #[test]
    fn a_door_is_shut_without_one_and_none_is_opened() {
        let asked = |method: Method, path: &'static str| is_asked(&method, &Uri::from_static(path));
        for path in
            ["/api/org/acme/api-keys/1", "/api/org/acme/webhooks/1", "/api/team/invites/1", "/api/team/1/second-factor"]
        {
            assert!(!asked(Method::DELETE, path), "{path}");
            assert!(asked(Method::POST, path), "{path}");
        }
        assert!(!asked(Method::PATCH, "/api/team/1") && !asked(Method::POST, "/api/crews/1/feed"));
        for (method, path) in [
            (Method::POST, "/api/org/acme/api-keys"),
            (Method::PATCH, "/api/org/acme/webhooks/1"),
            (Method::POST, "/api/team/invites"),
            (Method::PATCH, "/api/crews/1"),
            (Method::DELETE, "/api/org/acme/webhooks/1/calls"),
            (Method::DELETE, "/api/invoices/1"),
        ] {
            assert!(asked(method, path), "{path}");
        }
    }
}
