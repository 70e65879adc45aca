//! API keys: shown once, valid for their scopes only, and invalid once deleted.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{domain::tenancy::account::Role, platform::db::q};
use tests::{
    app::TestApp,
    both_databases,
    http::Client,
    people::{Shop, Visitor},
};

async fn makes_key(app: &TestApp, shop: &Shop, name: &str, scopes: &[&str]) -> Value {
    let owner = app.client().signed_in(app, shop.owner()).await;
    let path = format!("/api/org/{}/api-keys", shop.org.slug);
    let made = owner.post(&path, &json!({ "name": name, "scopes": scopes })).await;
    assert_eq!(made.status, 201, "{}", made.json());
    app.run_tasks().await;
    made.json()
}

fn program(app: &TestApp, made: &Value) -> Client {
    app.client().with("authorization", &format!("Bearer {}", made["key"].as_str().unwrap()))
}

both_databases! {
    async fn api_key_is_shown_once_and_stored_as_hash(app) {
        let shop = app.org("Acme Plumbing").await;
        let made = makes_key(app, &shop, "Bookkeeping", &["invoices:read"]).await;
        let key = made["key"].as_str().unwrap().to_owned();
        assert!(key.starts_with("tbk_") && key.len() == 47, "{key}");
        assert_eq!(made["hint"], format!("tbk_…{}", &key[43..]));
        let owner = app.client().signed_in(app, shop.owner()).await;
        let listed = owner.get(&format!("/api/org/{}/api-keys", shop.org.slug)).await;
        assert!(!String::from_utf8_lossy(&listed.body).contains(&key), "never again");
        assert_eq!(listed.json()[0]["name"], "Bookkeeping");
        assert_eq!(listed.json()[0]["madeBy"], "Olive Owner");
        assert_eq!(listed.json()[0]["lastUsedAt"], Value::Null);
        let conn = &mut app.db.acquire_reader().await.unwrap();
        let kept = q!(conn, fetch_one scalar Vec<u8>, "SELECT key_hash FROM api_key").unwrap();
        assert_eq!(kept.len(), 32);
    }

    async fn api_key_is_limited_to_its_scopes_and_names_the_missing_one(app) {
        let shop = app.org("Acme Plumbing").await;
        Visitor::number(1).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let made = makes_key(app, &shop, "Site", &["leads:read"]).await;
        let site = program(app, &made);
        assert_eq!(site.get("/api/leads/acme-plumbing").await.json().as_array().map(Vec::len), Some(1));
        let lacking = site.get("/api/invoices").await;
        assert_eq!(lacking.problem().1, "forbidden");
        assert!(lacking.json()["detail"].as_str().unwrap().contains("invoices:read"), "{}", lacking.json());
        // Closed to every key: people, settings, keys, the event stream, and the own account.
        for path in ["/api/auth/me", "/api/team", "/api/org/acme-plumbing/settings", "/api/org/acme-plumbing/api-keys", "/api/events", "/api/tasks"] {
            assert_eq!(site.get(path).await.problem().1, "forbidden", "{path}");
        }
        // A cookie sent with a key adds no rights.
        let both = site.with_session(&app.signs_in(shop.owner()).await);
        assert_eq!(both.get("/api/auth/me").await.problem().1, "forbidden");
    }

    async fn lead_and_customer_show_message_words_only_with_messages_read(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        line.writes(tests::phone::ANN, "The gate code is 4411").await;
        app.run_tasks().await;
        let customer = app.lead(shop.id(), lead).await.customer_id;
        let (own, wide) = (["leads:read", "customers:read"], ["leads:read", "customers:read", "messages:read"]);
        for (name, scopes, is_shown) in [("Site", own.as_slice(), false), ("Inbox", wide.as_slice(), true)] {
            let made = makes_key(app, &shop, name, scopes).await;
            let program = program(app, &made);
            let seen = program.get(&format!("/api/leads/{lead}")).await.json();
            let messages = seen["messages"].as_array().unwrap();
            assert!(messages.len() > 1, "{seen}");
            for message in messages {
                assert_eq!(message["body"] != "", is_shown, "{name}: {message}");
                assert!(is_shown || (message["subject"].is_null() && message["saw"].is_null()), "{name}: {message}");
            }
            let seen = program.get(&format!("/api/customers/{customer}")).await.json();
            assert_eq!(seen["thread"]["lastPreview"] != "", is_shown, "{name}: {seen}");
        }
        let made = makes_key(app, &shop, "Owners", &["leads:write"]).await;
        let put = json!({"ownerUserId": shop.owner().id}).to_string().into_bytes();
        let path = format!("/api/leads/{lead}/owner");
        let changed = program(app, &made).send(Method::PUT, &path, "application/json", put).await;
        assert_eq!((changed.status.as_u16(), &changed.json()["messages"][0]["body"]), (200, &json!("")), "{}", changed.json());
        app.run_tasks().await;
    }

    async fn write_scope_allows_reading_and_audit_records_the_key(app) {
        let shop = app.org("Acme Plumbing").await;
        let made = makes_key(app, &shop, "Price import", &["estimates:write"]).await;
        let import = program(app, &made);
        let item = json!({"name": "Valve", "price": 12.5});
        let added = import.post("/api/price-items", &item).await;
        assert!(added.status.is_success(), "{}", added.json());
        assert_eq!(import.get("/api/price-items").await.json().as_array().map(Vec::len), Some(1));
        let conn = &mut app.db.acquire_reader().await.unwrap();
        let sql = "SELECT key_id FROM audit_event WHERE action = 'price_changed'";
        let by = q!(conn, fetch_one scalar Option<uuid::Uuid>, sql).unwrap();
        assert_eq!(by.map(|id| id.to_string()).as_deref(), made["id"].as_str());
    }

    async fn api_key_dies_on_revocation_or_when_its_maker_is_no_longer_owner(app) {
        let shop = app.org("Acme Plumbing").await;
        let made = makes_key(app, &shop, "Site", &["jobs:read"]).await;
        let other = makes_key(app, &shop, "Phone", &["jobs:read"]).await;
        assert_eq!(program(app, &made).get("/api/jobs").await.status, 200);
        let owner = app.client().signed_in(app, shop.owner()).await;
        let path = format!("/api/org/acme-plumbing/api-keys/{}", made["id"].as_str().unwrap());
        assert_eq!(owner.send(Method::DELETE, &path, "", vec![]).await.status, 204);
        assert_eq!(program(app, &made).get("/api/jobs").await.problem().1, "unauthenticated");
        assert_eq!(owner.send(Method::DELETE, &path, "", vec![]).await.status, 404, "there is no such key any more");
        assert_eq!(program(app, &other).get("/api/jobs").await.status, 200, "each by itself");
        let olga = app.client().signed_in(app, &app.staff(&shop, Role::Owner).await).await;
        let becomes = async |role: &str| {
            let (path, body) = (format!("/api/team/{}", shop.owner().id), json!({ "role": role }).to_string());
            olga.send(Method::PATCH, &path, "application/json", body.into_bytes()).await.status.as_u16()
        };
        assert_eq!(becomes("office").await, 200);
        assert_eq!(program(app, &other).get("/api/jobs").await.problem().1, "unauthenticated");
        assert_eq!(becomes("owner").await, 200);
        assert_eq!(program(app, &other).get("/api/jobs").await.problem().1, "unauthenticated", "it does not come back");
        assert_eq!(app.count("api_key WHERE revoked_at IS NULL").await, 0, "nor does it count towards the twenty");
        for nobodys in ["", "tbk_", "tbk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "x"] {
            let stranger = app.client().with("authorization", &format!("Bearer {nobodys}"));
            assert_eq!(stranger.get("/api/jobs").await.problem().1, "unauthenticated", "{nobodys}");
        }
        app.run_tasks().await;
        assert!(!app.mail.accepted_messages().is_empty(), "the owners get an email about the new owner");
    }

    async fn api_key_creation_needs_recent_reauthentication(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        app.advance(Duration::minutes(16));
        let asked = json!({"name": "Site", "scopes": ["jobs:read"]});
        let refused = owner.post("/api/org/acme-plumbing/api-keys", &asked).await;
        assert_eq!(refused.problem().1, "reauthentication_needed");
        assert_eq!(app.count("api_key").await, 0);
    }

    async fn last_used_time_is_accurate_to_five_minutes(app) {
        let shop = app.org("Acme Plumbing").await;
        let made = makes_key(app, &shop, "Site", &["jobs:read"]).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let mut seen = Vec::new();
        for wait in [0, 4, 2] {
            app.advance(Duration::minutes(wait));
            assert_eq!(program(app, &made).get("/api/jobs").await.status, 200);
            let listed = owner.get("/api/org/acme-plumbing/api-keys").await.json();
            seen.push(listed[0]["lastUsedAt"].as_str().unwrap().to_owned());
        }
        assert_eq!(seen[0], seen[1]);
        assert!(seen[2] > seen[1], "{seen:?}");
    }

    async fn key_guessing_and_heavy_use_are_rate_limited(app) {
        let shop = app.org("Acme Plumbing").await;
        let made = makes_key(app, &shop, "Site", &["jobs:read"]).await;
        let stranger = app.client().with("authorization", "Bearer tbk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
        for _ in 0..60 {
            assert_eq!(stranger.get("/api/jobs").await.status, 401);
        }
        let response = stranger.get("/api/jobs").await;
        assert_eq!(response.problem().1, "too_many_requests");
        assert!(!response.header("retry-after").is_empty());
        let busy = program(app, &made);
        assert_eq!(busy.get("/api/jobs").await.status, 200, "a right key is not slowed by a stranger");
        for _ in 1..300 {
            assert_eq!(busy.get("/api/invoices").await.status, 403);
        }
        assert_eq!(busy.get("/api/jobs").await.problem().1, "too_many_requests");
        app.advance(Duration::minutes(1));
        assert_eq!(busy.get("/api/jobs").await.status, 200);
    }

    async fn api_key_creation_needs_a_name_and_known_scopes(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let path = "/api/org/acme-plumbing/api-keys";
        for (body, field) in [
            (json!({"scopes": ["jobs:read"]}), "name"),
            (json!({"name": " ", "scopes": ["jobs:read"]}), "name"),
            (json!({"name": "n".repeat(61), "scopes": ["jobs:read"]}), "name"),
            (json!({"name": "Site", "scopes": []}), "scopes"),
            (json!({"name": "Site"}), "scopes"),
            (json!({"name": "Site", "scopes": ["jobs:read", "rockets:launch"]}), "scopes[1]"),
            (json!({"name": "Site", "scopes": "jobs:read"}), "scopes"),
        ] {
            let (status, _, fields) = owner.post(path, &body).await.problem();
            assert_eq!((status, fields), (422, vec![field.to_owned()]), "{body}");
        }
        let office = app.client().signed_in(app, &app.staff(&shop, Role::Office).await).await;
        assert_eq!(office.get(path).await.status, 403);
        for n in 0..20 {
            makes_key(app, &shop, &format!("Program {n}"), &["jobs:read"]).await;
        }
        let one_more = json!({"name": "One more", "scopes": ["jobs:read"]});
        assert_eq!(owner.post(path, &one_more).await.problem().1, "conflict");
    }
}
