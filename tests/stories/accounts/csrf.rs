//! Forty forged cross-site requests that carry the browser's cookie: none has an effect (trust requirement 58).

use super::*;

const JSON: &str = "application/json";
const PLAIN: &str = "text/plain";
const FORM: &str = "application/x-www-form-urlencoded";
const PARTS: &str = "multipart/form-data; boundary=x";

/// `Sec-Fetch-Site`, `Origin`, and the content type.
type Forged = (Option<&'static str>, Option<&'static str>, &'static str);

/// The headers that another site can cause, in newer and older browsers, with every content type of a form.
fn forged() -> Vec<Forged> {
    let evil = Some("https://evil.example");
    let mut all = Vec::new();
    for kind in [JSON, PLAIN, FORM, PARTS, ""] {
        all.push((Some("cross-site"), evil, kind));
        all.push((Some("same-site"), Some("https://sub.toolbox.example"), kind));
        all.push((Some("cross-site"), Some("null"), kind));
        all.push((Some("none"), None, kind));
        all.push((None, evil, kind));
        all.push((None, Some("null"), kind));
        all.push((None, Some("https://toolbox.example.evil.example"), kind));
    }
    // A form injected into one of our own pages: it always sends a content type.
    for kind in [PLAIN, FORM, PARTS, "text/plain; charset=application/json"] {
        all.push((Some("same-origin"), Some("https://toolbox.example"), kind));
    }
    all.push((None, None, JSON));
    all
}

fn tricked(olive: &Client, (site, origin, _): Forged) -> Client {
    let client = olive.without("x-toolbox-client").without("sec-fetch-site");
    let client = site.map_or_else(|| client.clone(), |site| client.with("sec-fetch-site", site));
    origin.map_or_else(|| client.clone(), |origin| client.with("origin", origin))
}

both_databases! {
    async fn forged_requests_are_refused_and_change_nothing(app) {
        let olive = olive(app).await;
        let before = app.count("audit_event").await;
        let forged = forged();
        assert_eq!(forged.len(), 40);
        let reply = json!({"title": "Hi", "body": "Hello"}).to_string().into_bytes();
        for one in forged {
            for (method, path, body) in [
                (Method::POST, "/api/canned-replies", reply.clone()),
                (Method::POST, "/api/auth/logout", Vec::new()),
                (Method::DELETE, "/api/account/devices", Vec::new()),
            ] {
                let answer = tricked(&olive, one).send(method, path, one.2, body).await;
                assert_eq!(answer.problem().1, "csrf_refused", "{path} {one:?}");
            }
        }
        // A script of ours sends no content type without a body, and one with a body.
        let ours = tricked(&olive, (Some("same-origin"), Some("https://toolbox.example"), ""));
        let untyped = ours.send(Method::POST, "/api/canned-replies", "", reply).await;
        assert_eq!(untyped.problem().1, "csrf_refused");
        let detail = untyped.json()["detail"].as_str().unwrap().to_owned();
        assert!(!detail.contains("another site"), "{detail}");
        assert_eq!(app.count("audit_event").await, before);
        assert_eq!(app.count("canned_reply").await, 0);
        assert_eq!(olive.get("/api/auth/me").await.status, 200);
        let without_body = ours.send(Method::POST, "/api/account/second-factor", "", Vec::new()).await;
        assert_eq!(without_body.status, 201, "{}", without_body.json());
        assert_eq!(olive.post("/api/auth/logout", &json!(null)).await.status, 204, "a request of the app itself is accepted");
    }
}
