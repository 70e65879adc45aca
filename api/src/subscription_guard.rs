//! Read-only mode without a subscription: only user access, subscription and revocations may change. Checked where a
//! session is found ([`crate::auth`]), so no operation of signed-in users can forget it.

use axum::http::{Method, Uri};

use crate::demo;

/// Sign-in, credentials, devices and payment. Exports are reads.
const EXEMPT_PREFIXES: [&str; 8] = [
    "/api/auth/",
    "/api/account/",
    "/api/security/",
    "/api/admin/",
    "/api/push/",
    "/api/subscription/",
    "/api/create-subscription",
    "/api/create-portal-session",
];
/// A link to a paid subscription ends the read-only mode.
const CLAIM_PATH: &str = "/api/claim-subscription";

/// Revocations, by method and path; `*` is any one segment. A dismissed user, a leaked key or an exposed feed must not
/// stay open until the next payment.
const REVOCATION_ROUTES: [(Method, &str); 10] = [
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

fn revokes_access(method: &Method, path: &str) -> bool {
    let fits = |shape: &str| {
        shape.split('/').count() == path.split('/').count()
            && shape.split('/').zip(path.split('/')).all(|(wanted, is)| wanted == "*" || wanted == is)
    };
    REVOCATION_ROUTES.iter().any(|(of, shape)| of == method && fits(shape))
}

/// Whether a request requires a subscription.
#[must_use]
pub fn needs_subscription(method: &Method, uri: &Uri) -> bool {
    let path = uri.path();
    let is_open = path == CLAIM_PATH || EXEMPT_PREFIXES.iter().any(|open| path.starts_with(open));
    !(demo::is_read_method(method) || demo::is_preview_request(method, uri) || is_open || revokes_access(method, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_billing_and_own_account_need_no_subscription() {
        let asked = |method: Method, path: &'static str| needs_subscription(&method, &Uri::from_static(path));
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
    fn revoking_access_needs_no_subscription_and_granting_it_does() {
        let asked = |method: Method, path: &'static str| needs_subscription(&method, &Uri::from_static(path));
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
