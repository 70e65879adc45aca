//! Access to the demonstration: by a header or a query, without a session, and beside the visitor's own session.

use api::ApiConfig;
use serde_json::{Value, json};
use shared::{domain::tenancy::org, platform::id::DEMO_ORG};
use tests::{app::TestApp, both_databases, figures::kpis, people::Shop};

async fn its_viewer_is_its_owner_without_a_session(app: &TestApp) {
    let answer = app.client().at_demo().get("/api/auth/me").await;
    let me = answer.json();
    assert_eq!((&me["isDemo"], &me["role"], &me["orgSlug"]), (&json!(true), &json!("owner"), &json!("demo")));
    assert_eq!(me["isPlatformAdmin"], false);
    assert!(answer.headers.get("set-cookie").is_none());
    assert_eq!(app.count("session").await, 0);
    let by_query = app.client().get("/api/auth/me?demo=1").await.json();
    assert_eq!(by_query, me);
    assert_eq!(app.client().get("/api/auth/me").await.status, 401);
    assert_eq!(app.client().with("x-toolbox-demo", "0").get("/api/auth/me").await.status, 401);
}

async fn the_figures_are_open_to_everybody_and_nothing_else_is(app: &TestApp) {
    let visitor = app.client();
    assert_eq!(kpis(&visitor, "demo").await, kpis(&visitor.at_demo(), "demo").await);
    let days = visitor.get("/api/daily-metrics/demo?days=7").await.json();
    assert_eq!(days["days"].as_array().map(Vec::len), Some(7));
    for path in ["/api/jobs", "/api/leads/demo", "/api/org/demo", "/api/kpis/acme", "/api/kpi-pulse"] {
        assert_eq!(visitor.get(path).await.status, 401, "{path}");
    }
}

/// Switched off, it is not shown, even when it was seeded before.
async fn where_it_is_switched_off_there_is_none(app: &TestApp) {
    let visitor = app.client_as(ApiConfig { has_demo: false, ..ApiConfig::default() });
    for (client, path) in [(visitor.at_demo(), "/api/auth/me"), (visitor.clone(), "/api/kpis/demo")] {
        let answer = client.get(path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.json()["code"], "not_found", "{path}");
    }
}

async fn nobody_signs_in_there(app: &TestApp) {
    let email = "ruth.halvarsen@northside.example.com";
    for password in ["", "password", "northside", "demo"] {
        let answer = app.client().post("/api/auth/login", &json!({"email": email, "password": password})).await;
        assert!(answer.status.is_client_error(), "{}", answer.json());
        assert!(answer.headers.get("set-cookie").is_none());
    }
    assert_eq!(app.count("session").await, 0);
}

async fn its_page_hears_of_changes_like_any_other(app: &TestApp) {
    let server = app.client().at_demo().server().await;
    let mut events = app.client().at_demo().events_over(&server, None).await;
    events.read_until("connected").await;
}

/// Each network has twenty places, independent of other networks.
async fn each_network_that_looks_on_has_its_own_places(app: &TestApp) {
    let demo = app.client().at_demo();
    let from = |last: u8| demo.clone().from_address([198, 51, 100, last]);
    let mut lines = Vec::new();
    for last in 1..=21 {
        let mut line = from(last).events().await;
        line.read_until("connected").await;
        lines.push(line);
    }
    for _ in 1..20 {
        lines.push(from(1).events().await);
    }
    let full = from(1).get("/api/events").await;
    assert_eq!((full.status.as_u16(), full.header("retry-after")), (429, "30"));
    lines.push(from(22).events().await);
}

async fn it_is_never_the_business_behind_the_public_forms(app: &TestApp) -> Shop {
    let visitor = app.client();
    let none = visitor.get("/api/public/form").await;
    assert_eq!(none.problem().1, "business_not_set_up");
    let shop = app.org("Acme Plumbing").await;
    for asked in ["", "?org=", "?org=demo", "?org=DEMO"] {
        let form = visitor.get(&format!("/api/public/form{asked}")).await.json();
        assert_eq!(form["orgSlug"], "acme-plumbing", "{asked}");
    }
    let conn = &mut app.db.acquire_reader().await.unwrap();
    let resolved = org::resolve_public(conn, None, Some("demo")).await.unwrap();
    assert_eq!(resolved.id, shop.id(), "whatever the install calls its default");
    let by_id = visitor.get(&format!("/api/public/form?org={DEMO_ORG}")).await.json();
    assert_eq!((&by_id["orgSlug"], &by_id["rating"]), (&json!("demo"), &json!(4.8)));
    shop
}

async fn a_signed_in_owner_keeps_their_own_session_beside_it(app: &TestApp, shop: &Shop) {
    let owner = app.client().signed_in(app, shop.owner()).await;
    let session = app.count("session").await;
    assert_eq!(owner.at_demo().get("/api/auth/me").await.json()["isDemo"], true);
    assert_eq!(owner.get("/api/jobs?demo=1").await.json().as_array().map(Vec::is_empty), Some(false));
    let me = owner.get("/api/auth/me").await.json();
    assert_eq!((&me["isDemo"], &me["orgSlug"]), (&json!(false), &json!("acme-plumbing")));
    assert_eq!(owner.get("/api/jobs").await.json(), json!([]));
    let own = kpis(&owner, "demo").await;
    assert_eq!(own["businessId"], json!(shop.id()), "the alias is one's own business");
    assert_eq!(owner.at_demo().post("/api/auth/logout", &Value::Null).await.problem().1, "demo_read_only");
    assert_eq!(app.count("session").await, session);
}

/// Leaves the business Acme Plumbing on this install.
pub async fn everybody_comes_in(app: &TestApp) {
    its_viewer_is_its_owner_without_a_session(app).await;
    the_figures_are_open_to_everybody_and_nothing_else_is(app).await;
    where_it_is_switched_off_there_is_none(app).await;
    nobody_signs_in_there(app).await;
    its_page_hears_of_changes_like_any_other(app).await;
    each_network_that_looks_on_has_its_own_places(app).await;
    let shop = it_is_never_the_business_behind_the_public_forms(app).await;
    a_signed_in_owner_keeps_their_own_session_beside_it(app, &shop).await;
}

both_databases! {
    async fn demo_app_pages_are_noindex_and_front_page_is_indexable(app) {
        let visitor = app.client();
        for path in ["/demo/app/leads", "/demo/app", "/demo/x"] {
            let page = visitor.get(path).await;
            assert_eq!((page.status.as_u16(), page.header("x-robots-tag")), (200, "noindex, nofollow"), "{path}");
        }
        for path in ["/demo", "/demo/", "/", "/login"] {
            assert_eq!(visitor.get(path).await.header("x-robots-tag"), "", "{path}");
        }
        assert_eq!(visitor.get("/demonstration").await.status, 404, "a path with the same prefix is not part of the demonstration");
    }
}
