//! The demonstration's customer pages: readable by anyone, with a plain notice that nothing is taken.

use axum::http::Method;
use serde_json::json;
use sha2::{Digest, Sha256};
use shared::platform::{
    access_link::{self, LinkKind},
    db::q,
    error::DEMO_READ_ONLY,
    id::{DEMO_ORG, LinkId},
};
use tests::{
    app::TestApp,
    http::{Answer, Client, Multipart},
};

const FORM: &str = "application/x-www-form-urlencoded";

/// The path of a valid link to something that still waits.
async fn address(app: &TestApp, kind: LinkKind, waits: &'static str) -> String {
    let mut conn = app.db.acquire_reader().await.unwrap();
    let id = q!(&mut conn, fetch_one scalar LinkId, waits, DEMO_ORG, kind).unwrap();
    access_link::build_path(&app.settings.secret, id, kind)
}

/// The PDF's hash in the form of the page.
async fn hash(visitor: &Client, estimate: &str) -> String {
    let pdf = visitor.get(&format!("{estimate}/pdf")).await;
    Sha256::digest(&pdf.body).iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

async fn send(client: &Client, path: &str, body: &str) -> Answer {
    client.send(Method::POST, path, FORM, body.as_bytes().to_vec()).await
}

fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}

const ESTIMATE: &str = "SELECT k.id FROM access_link k JOIN estimate e ON e.org_id = k.org_id AND e.id = k.subject_id
    WHERE k.org_id = $1 AND k.kind = $2 AND e.status = 'open' ORDER BY e.created_at DESC LIMIT 1";
const INVOICE: &str = "SELECT k.id FROM access_link k JOIN invoice i ON i.org_id = k.org_id AND i.id = k.subject_id
    WHERE k.org_id = $1 AND k.kind = $2 AND i.status = 'open' ORDER BY i.created_at DESC LIMIT 1";
const VISIT: &str = "SELECT k.id FROM access_link k JOIN job j ON j.org_id = k.org_id AND j.id = k.subject_id
    WHERE k.org_id = $1 AND k.kind = $2 AND j.status = 'scheduled' ORDER BY j.starts_at DESC LIMIT 1";
const REVIEW: &str =
    "SELECT k.id FROM access_link k JOIN review_request a ON a.org_id = k.org_id AND a.id = k.subject_id
    WHERE k.org_id = $1 AND k.kind = $2 AND a.state = 'asked' ORDER BY a.created_at DESC LIMIT 1";

async fn they_are_read_and_answer_that_nothing_is_changed(app: &TestApp) {
    let rows = app.demo_rows().await;
    let visitor = app.client();
    let estimate = address(app, LinkKind::Estimate, ESTIMATE).await;
    let invoice = address(app, LinkKind::Invoice, INVOICE).await;
    let visit = address(app, LinkKind::Visit, VISIT).await;
    let review = address(app, LinkKind::Review, REVIEW).await;
    let signed = format!("name=Ann+Lee&agree=on&sha256={}", hash(&visitor, &estimate).await);
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
        (format!("{estimate}/approve"), signed.as_str()),
        (review.clone(), "stars=5&words=Very+clean+work&name=Ann"),
        (format!("{review}/go"), ""),
        (format!("{review}/stop"), ""),
    ] {
        let answer = send(&visitor, &path, body).await;
        assert_eq!(answer.status, 403, "{path}: {}", text(&answer));
        assert!(text(&answer).contains("This is a demonstration"), "{path}: {}", text(&answer));
    }
    for path in [format!("{estimate}/seen"), format!("{invoice}/seen"), format!("{visit}/seen")] {
        assert!(!send(&visitor, &path, "").await.status.is_server_error(), "{path}");
    }
    // The demonstration takes no cards: the page explains it, instead of an error.
    let paid = send(&visitor, &format!("{invoice}/pay"), "").await;
    assert_eq!((paid.status.as_u16(), paid.header("location")), (303, invoice.as_str()));
    let now = app.demo_rows().await;
    let changed: Vec<_> = rows.keys().filter(|table| rows[*table] != now[*table]).collect();
    assert!(changed.is_empty(), "{changed:?}");
}

/// Any calendar program can read a crew's feed, and no read is recorded.
async fn a_crews_calendar_is_read_by_any_phone(app: &TestApp) {
    let rows = app.demo_rows().await;
    let crews = app.client().at_demo().get("/api/crews").await.json();
    for crew in crews.as_array().unwrap() {
        let url = crew["feedUrl"].as_str().unwrap();
        let path = url.strip_prefix("https://toolbox.example").unwrap();
        let calendar = app.client().get(path).await;
        assert_eq!(calendar.status, 200, "{path}: {}", text(&calendar));
        assert!(text(&calendar).contains("BEGIN:VEVENT"), "{path}");
    }
    assert_eq!(app.demo_rows().await, rows);
}

async fn its_forms_and_its_booking_page_take_nothing(app: &TestApp) {
    let rows = app.demo_rows().await;
    let visitor = app.client();
    let lead = visitor.post_form("/api/leads/create", Multipart::ann(&DEMO_ORG.to_string())).await;
    assert_eq!(lead.problem().1, "demo_read_only", "{}", lead.json());
    assert_eq!(lead.json()["detail"], DEMO_READ_ONLY);
    let quote = json!({"customerName": "Ann Lee", "email": "ann@customer.example", "serviceType": "plumbing",
        "orgId": DEMO_ORG});
    assert_eq!(visitor.post("/api/quotes/create", &quote).await.problem().1, "demo_read_only");
    assert_eq!(visitor.get("/book/demo").await.status, 200);
    // The time is free: only the demonstration's protection refuses it.
    let slots = visitor.get(&format!("/api/public/slots?org={DEMO_ORG}&service=plumbing&zip=55405")).await;
    let days = slots.json()["days"].as_array().cloned().unwrap_or_default();
    let free = days.iter().find_map(|day| day["slots"][0]["startsAt"].as_str().map(ToOwned::to_owned));
    let free = free.unwrap_or_else(|| panic!("no time is free: {}", slots.json()));
    let wish = format!("service=plumbing&zip=55405&startsAt={}", free.replace('+', "%2B"));
    let held = send(&visitor, "/book/demo/hold", &wish).await;
    assert_eq!(held.status, 403, "{}", text(&held));
    assert!(text(&held).contains("This is a demonstration"), "{}", text(&held));
    let now = app.demo_rows().await;
    let changed: Vec<_> = rows.keys().filter(|table| rows[*table] != now[*table]).collect();
    assert!(changed.is_empty(), "{changed:?}");
}

pub async fn customers_look(app: &TestApp) {
    they_are_read_and_answer_that_nothing_is_changed(app).await;
    a_crews_calendar_is_read_by_any_phone(app).await;
    its_forms_and_its_booking_page_take_nothing(app).await;
}
