//! Two businesses, and every operation once with every kind of foreign id: in the other business's path, in the own
//! path, and in the body. No data of the other is returned or changed.

use axum::http::Method;
use serde_json::{Value, json};
use shared::platform::db::q;
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
};
use uuid::Uuid;

use super::{
    Operation,
    bodies::{self, Wants},
    call,
    fixtures::{self, Fixtures},
    operations,
};

/// Values of a business that no other may see.
fn marks(fixtures: &Fixtures) -> Vec<String> {
    let ids = fixtures.ids().into_iter().map(|id| id.to_string());
    ids.chain([fixtures.shop.id().to_string(), fixtures.shop.org.slug.clone(), "Walked valve".into()]).collect()
}

fn leak<'a>(answer: &Answer, marks: &'a [String]) -> Option<&'a String> {
    let body = String::from_utf8_lossy(&answer.body).into_owned();
    let headers: String = answer.headers.values().filter_map(|value| value.to_str().ok()).collect();
    marks.iter().find(|mark| body.contains(*mark) || headers.contains(*mark))
}

/// Counts of a business's audit, live and work events, to detect changes.
async fn rows_of(app: &TestApp, fixtures: &Fixtures) -> (i64, i64, i64) {
    let (org, conn) = (fixtures.shop.id(), &mut app.db.acquire_reader().await.unwrap());
    let count = "SELECT COUNT(*) FROM audit_event WHERE org_id = $1";
    let audited = q!(&mut *conn, fetch_one scalar i64, count, org).unwrap();
    let live_events =
        q!(&mut *conn, fetch_one scalar i64, "SELECT COUNT(*) FROM live_event WHERE org_id = $1", org).unwrap();
    let work = q!(&mut *conn, fetch_one scalar i64, "SELECT COUNT(*) FROM work_event WHERE org_id = $1", org).unwrap();
    (audited, live_events, work)
}

/// Whether the body names something of the business.
fn names_theirs(operation: &Operation, fixtures: &Fixtures, serial: usize, marks: &[String]) -> bool {
    match bodies::of(&operation.name, fixtures, serial) {
        Wants::Json(body) => {
            let text = body.to_string();
            marks.iter().any(|mark| text.contains(mark))
        }
        _ => false,
    }
}

/// A new session for each call: some calls end it.
async fn spy(app: &TestApp, owner: &tests::people::Person) -> Client {
    app.client().here().signed_in(app, owner).await
}

both_databases! {
    async fn operations_neither_reveal_nor_change_another_business(app) {
        let shop = app.org("Acme Plumbing").await;
        let fixtures = Fixtures::of(app, shop.clone()).await;
        let other = app.org("Best Roofing").await;
        let marks = marks(&fixtures);
        let (mut walked, mut named) = (0, 0);
        for (serial, operation) in operations().iter().filter(|o| o.roles.is_some()).enumerate() {
            fixtures.reset(app, operation, shop.owner().id).await;
            let serial = serial + 1_000;
            let before = rows_of(app, &fixtures).await;
            // In the path of their business, and below the own one.
            for path in [fixtures.path(operation), fixtures.path_in(operation, other.id())] {
                let answer = call(&spy(app, other.owner()).await, operation, &fixtures, &path, serial).await;
                let context = format!("{} at {path}: {}", operation.name, answer.status);
                assert!(!answer.status.is_server_error(), "{context}");
                assert_eq!(leak(&answer, &marks), None, "{context} {}", answer.json());
                if names_theirs(operation, &fixtures, serial, &marks) {
                    assert!(answer.status.is_client_error(), "{context}: it names what is not its own");
                    named += 1;
                }
                walked += 1;
            }
            assert_eq!(rows_of(app, &fixtures).await, before, "{}", operation.name);
        }
        app.run_tasks().await;
        assert!(walked >= 2 * 150 && named >= 4, "{walked} {named}");
    }

    async fn foreign_id_below_own_business_is_answered_as_missing(app) {
        let shop = app.org("Acme Plumbing").await;
        let fixtures = Fixtures::of(app, shop.clone()).await;
        let other = app.org("Best Roofing").await;
        let mut walked = 0;
        let names_nothing_of_theirs = ["{orgId}", "{businessId}", "{kind}", "{alertId}", "{organisation}"];
        let has_id = |o: &&Operation| {
            names_nothing_of_theirs.iter().fold(o.path.clone(), |path, name| path.replace(name, "")).contains('{')
        };
        for operation in operations().iter().filter(|o| o.roles.is_some() && !o.is_operators()).filter(has_id) {
            fixtures.reset(app, operation, shop.owner().id).await;
            let spy = spy(app, other.owner()).await;
            let theirs = call(&spy, operation, &fixtures, &fixtures.path_in(operation, other.id()), 1).await;
            let [seven, eight] = [7, 8].map(|n| Uuid::from_u128(n).to_string());
            let missing = fixtures::fill(&operation.path, &other.id().to_string(), &seven, &eight);
            let missing = call(&spy, operation, &fixtures, &missing, 1).await;
            assert_eq!(theirs.status.as_u16(), 404, "{} {}", operation.name, theirs.json());
            assert_eq!(comparable_body(&theirs), comparable_body(&missing), "{}", operation.name);
            walked += 1;
        }
        assert!(walked >= 60, "{walked}");
    }

    async fn foreign_business_id_in_the_body_is_ignored(app) {
        let shop = app.org("Acme Plumbing").await;
        let fixtures = Fixtures::of(app, shop.clone()).await;
        let other = app.org("Best Roofing").await;
        let marks = marks(&fixtures);
        let mut walked = 0;
        for (serial, operation) in operations().iter().filter(|o| o.roles.is_some()).enumerate() {
            let Wants::Json(mut body) = bodies::of(&operation.name, &fixtures, serial + 5_000) else { continue };
            let Some(fields) = body.as_object_mut() else { continue };
            for name in ["orgId", "org_id", "org", "businessId", "tenant"] {
                fields.insert(name.to_owned(), json!(shop.id()));
            }
            fixtures.reset(app, operation, shop.owner().id).await;
            let before = rows_of(app, &fixtures).await;
            let path = fixtures.path_in(operation, other.id());
            let sent = body.to_string().into_bytes();
            let spy = spy(app, other.owner()).await;
            let answer = spy.send(operation.method.clone(), &path, "application/json", sent).await;
            assert!(!answer.status.is_server_error(), "{} {}", operation.name, answer.status);
            let foreign_marks: Vec<String> = marks.iter().filter(|mark| **mark != shop.id().to_string()).cloned().collect();
            assert_eq!(leak(&answer, &foreign_marks), None, "{} {}", operation.name, answer.json());
            assert_eq!(rows_of(app, &fixtures).await, before, "{}", operation.name);
            walked += 1;
        }
        app.run_tasks().await;
        assert!(walked >= 60, "{walked}");
    }

    async fn foreign_business_id_in_the_query_is_ignored(app) {
        let shop = app.org("Acme Plumbing").await;
        let fixtures = Fixtures::of(app, shop.clone()).await;
        let other = app.org("Best Roofing").await;
        let marks = marks(&fixtures);
        for operation in operations().iter().filter(|o| o.roles.is_some() && o.method == Method::GET) {
            fixtures.reset(app, operation, shop.owner().id).await;
            let path = fixtures.path_in(operation, other.id());
            for name in ["orgId", "org_id", "org", "businessId", "tenant"] {
                let asked = format!("{path}?{name}={}", shop.id());
                let answer = spy(app, other.owner()).await.get(&asked).await;
                assert!(!answer.status.is_server_error(), "{asked}");
                assert_eq!(leak(&answer, &marks), None, "{asked}");
            }
        }
    }
}

fn comparable_body(answer: &Answer) -> Value {
    super::without_request_id(answer)
}
