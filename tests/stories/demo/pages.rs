//! The demonstration's pages for customers: everybody may read them, and is told in plain words that nothing is taken.

use axum::http::Method;
use serde_json::json;
use shared::{
    db::q,
    demo::{DEMO, READ_ONLY},
    id::LinkId,
    link::{self, Kind},
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client, Multipart},
};

const FORM: &str = "application/x-www-form-urlencoded";

/// The address of a link that is in force to something that still waits.
async fn address(app: &TestApp, kind: Kind, waits: &'static str) -> String {
    let mut conn = app.db.read().await.unwrap();
    let id = q!(&mut conn, fetch_one scalar LinkId, waits, DEMO, kind).unwrap();
    link::path(&app.settings.secret, id, kind)
}

async fn send(client: &Client, path: &str, body: &str) -> Answer {
    client.send(Method::POST, path, FORM, body.as_bytes().to_vec()).await
}

fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}

const ESTIMATE: &str = "SELECT k.id FROM link k JOIN estimate e ON e.org_id = k.org_id AND e.id = k.subject_id
    WHERE k.org_id = $1 AND k.kind = $2 AND e.status = 'open' ORDER BY e.created_at DESC LIMIT 1";
const INVOICE: &str = "SELECT k.id FROM link k JOIN invoice i ON i.org_id = k.org_id AND i.id = k.subject_id
    WHERE k.org_id = $1 AND k.kind = $2 AND i.status = 'open' ORDER BY i.created_at DESC LIMIT 1";
const VISIT: &str = "SELECT k.id FROM link k JOIN job j ON j.org_id = k.org_id AND j.id = k.subject_id
    WHERE k.org_id = $1 AND k.kind = $2 AND j.status = 'scheduled' ORDER BY j.starts_at DESC LIMIT 1";
const REVIEW: &str = "SELECT k.id FROM link k JOIN review_ask a ON a.org_id = k.org_id AND a.id = k.subject_id
    WHERE k.org_id = $1 AND k.kind = $2 ORDER BY a.created_at DESC LIMIT 1";

async fn they_are_read_and_answer_that_nothing_is_changed(app: &TestApp) {
    let rows = app.demo_rows().await;
    let visitor = app.client();
    let estimate = address(app, Kind::Estimate, ESTIMATE).await;
    let invoice = address(app, Kind::Invoice, INVOICE).await;
    let visit = address(app, Kind::Visit, VISIT).await;
    let review = address(app, Kind::Review, REVIEW).await;
    for path in [&estimate, &invoice, &visit, &review] {
        let page = visitor.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(text(&page).contains("Northside Plumbing"), "{path}");
    }
    for path in [format!("{estimate}/pdf"), format!("{invoice}/pdf"), format!("{visit}/visit.ics")] {
        assert_eq!(visitor.get(&path).await.status, 200, "{path}");
    }
    for (path, body) in [
        (format!("{estimate}/decline"), "reason=Too+much"),
        (format!("{estimate}/ask"), "question=Is+it+copper%3F"),
        (format!("{invoice}/ask"), "question=Why+so+much%3F"),
        (format!("{visit}/confirm"), ""),
        (format!("{visit}/cancel"), "reason=No+time"),
        (format!("{visit}/message"), "question=Is+the+dog+a+problem%3F"),
    ] {
        let answer = send(&visitor, &path, body).await;
        assert_eq!(answer.status, 403, "{path}: {}", text(&answer));
        assert!(text(&answer).contains("This is a demonstration"), "{path}: {}", text(&answer));
    }
    for path in [format!("{estimate}/seen"), format!("{invoice}/seen"), format!("{visit}/seen")] {
        assert!(!send(&visitor, &path, "").await.status.is_server_error(), "{path}");
    }
    let now = app.demo_rows().await;
    let changed: Vec<_> = rows.keys().filter(|table| rows[*table] != now[*table]).collect();
    assert!(changed.is_empty(), "{changed:?}");
}

async fn its_forms_and_its_booking_page_take_nothing(app: &TestApp) {
    let rows = app.demo_rows().await;
    let visitor = app.client();
    let lead = visitor.post_form("/api/leads/create", Multipart::ann(&DEMO.to_string())).await;
    assert_eq!(lead.problem().1, "demo_read_only", "{}", lead.json());
    assert_eq!(lead.json()["detail"], READ_ONLY);
    let quote = json!({"customerName": "Ann Lee", "email": "ann@customer.example", "serviceType": "plumbing",
        "orgId": DEMO});
    assert_eq!(visitor.post("/api/quotes/create", &quote).await.problem().1, "demo_read_only");
    assert_eq!(visitor.get("/book/demo").await.status, 200);
    let slots = visitor.get("/api/public/slots?org=demo&service=plumbing&zip=55405").await;
    assert!(!slots.status.is_server_error(), "{}", slots.json());
    let held = send(&visitor, "/book/demo/hold", "service=plumbing&zip=55405&startsAt=2026-09-18T15:00:00Z").await;
    assert!(held.status.is_client_error(), "{}: {}", held.status, text(&held));
    let now = app.demo_rows().await;
    let changed: Vec<_> = rows.keys().filter(|table| rows[*table] != now[*table]).collect();
    assert!(changed.is_empty(), "{changed:?}");
}

both_databases! {
    /// In one story: a seeding takes as long as several others.
    async fn its_pages_for_customers_are_read_and_take_nothing(app) {
        app.seeds_demo().await;
        they_are_read_and_answer_that_nothing_is_changed(app).await;
        its_forms_and_its_booking_page_take_nothing(app).await;
    }
}
