//! Forty ways in which a page of another site has a browser act with the cookie that it keeps: none has an effect (trust
//! requirement 58).

use super::*;

const JSON: &str = "application/json";
const PLAIN: &str = "text/plain";
const FORM: &str = "application/x-www-form-urlencoded";
const PARTS: &str = "multipart/form-data; boundary=x";

/// `Sec-Fetch-Site`, `Origin`, and what is said to be sent.
type Forged = (Option<&'static str>, Option<&'static str>, &'static str);

/// What other sites can have a browser say of itself, newer ones and older ones, with every kind of content a form has.
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
    // What a form on one of our own pages could send, had somebody put one there: it always names the type of its body.
    for kind in [PLAIN, FORM, PARTS, "text/plain; charset=application/json"] {
        all.push((Some("same-origin"), Some("https://toolbox.example"), kind));
    }
    all.push((None, None, JSON));
    all
}

/// A browser with her cookie that says this.
fn tricked(olive: &Client, (site, origin, _): Forged) -> Client {
    let client = olive.without("x-toolbox-client").without("sec-fetch-site");
    let client = site.map_or_else(|| client.clone(), |site| client.with("sec-fetch-site", site));
    origin.map_or_else(|| client.clone(), |origin| client.with("origin", origin))
}

both_databases! {
    async fn none_of_forty_forged_requests_does_anything(app) {
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
        // A script of ours names none where it sends nothing. What it sends, it names.
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
        assert_eq!(olive.post("/api/auth/logout", &json!(null)).await.status, 204, "the app itself is let through");
    }
}
