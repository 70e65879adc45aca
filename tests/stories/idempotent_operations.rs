//! Operations repeated under one `Idempotency-Key` are done once; no stored answer contains a secret or a link that
//! grants access.

use axum::http::Method;
use serde_json::{Value, json};
use shared::{domain::tenancy::account::Role, platform::db::q};
use tests::{
    app::TestApp,
    both_databases,
    fake_webhook_receiver::FakeWebhookReceiver,
    http::Client,
    people::{Shop, Visitor},
};

const ACME: &str = "/api/org/acme-plumbing";

/// One operation: path, body, another body for the same path, and the rows it makes.
type Way = (String, Value, Value, &'static str);

async fn ways(app: &mut TestApp, shop: &Shop) -> Vec<Way> {
    let receiver = FakeWebhookReceiver::start().await;
    app.use_hooks(&receiver);
    let lead = Visitor::ann().submits_lead(app, shop).await;
    app.run_tasks().await;
    let customer = app.lead(shop.id(), lead).await.customer_id;
    let hook = |about: &str| json!({"url": receiver.url(), "about": about, "events": ["lead.created"]});
    let kim = |role: &str| json!({"name": "Kim", "email": "kim@crew.example", "role": role});
    vec![
        ("/api/crews".to_owned(), json!({"name": "North"}), json!({"name": "South"}), "crew"),
        (
            "/api/price-items".to_owned(),
            json!({"name": "Tap", "price": 10}),
            json!({"name": "Tap", "price": 11}),
            "price_item",
        ),
        (
            "/api/canned-replies".to_owned(),
            json!({"title": "Hi", "body": "Hello"}),
            json!({"title": "Hi", "body": "Ho"}),
            "canned_reply",
        ),
        (
            format!("/api/customers/{customer}/properties"),
            json!({"address": "1 Main St"}),
            json!({"address": "2 Main St"}),
            "property",
        ),
        (
            "/api/leads".to_owned(),
            json!({"customer": {"name": "Zoe Ray"}, "notes": "A leak"}),
            json!({"customer": {"name": "Zoe Ray"}, "notes": "A tap"}),
            "lead",
        ),
        (
            format!("{ACME}/recipients"),
            json!({"email": "a@office.example"}),
            json!({"email": "b@office.example"}),
            "recipient",
        ),
        ("/api/team/invites".to_owned(), kim("office"), kim("crew"), "invite"),
        (format!("{ACME}/webhooks"), hook("books"), hook("till"), "webhook"),
    ]
}

/// All stored rows for repeats, as text.
async fn kept(app: &TestApp) -> String {
    let sql = "SELECT CAST(answer AS TEXT) FROM idempotency";
    let all = app.within(async |tx| Ok(q!(tx, fetch_all scalar String, sql)?)).await.unwrap();
    all.join("\n")
}

async fn owner_of(app: &TestApp, shop: &Shop) -> Client {
    app.client().signed_in(app, shop.owner()).await
}

both_databases! {
    async fn creation_repeated_under_one_key_is_done_once_with_same_answer(app) {
        let shop = app.org("Acme Plumbing").await;
        let ways = ways(app, &shop).await;
        let owner = owner_of(app, &shop).await.with("idempotency-key", "one key");
        for (path, asked, other, table) in &ways {
            let before = app.count(table).await;
            let first = owner.post(path, asked).await;
            assert_eq!(first.status, 201, "{path}: {}", first.json());
            let again = owner.post(path, asked).await;
            assert_eq!((again.status, again.json()), (first.status, first.json()), "{path}");
            let problem = owner.post(path, other).await.problem();
            assert_eq!((problem.0, problem.1.as_str()), (422, "idempotency_mismatch"), "{path}");
            assert_eq!(app.count(table).await, before + 1, "{path}");
            let long = owner.with("idempotency-key", &"k".repeat(256)).post(path, asked).await;
            assert_eq!(long.status, 400, "{path}");
        }
        app.run_tasks().await;
        assert_eq!(app.mail.accepted_messages().iter().filter(|letter| letter.to == "kim@crew.example").count(), 1);
        // Another key, or none, is another request.
        let more = json!({"title": "Hi", "body": "Hello"});
        for client in [owner.with("idempotency-key", "another"), owner.without("idempotency-key")] {
            assert_eq!(client.post("/api/canned-replies", &more).await.status, 201);
        }
        assert_eq!(app.count("canned_reply").await, 3);
    }

    async fn stored_idempotent_answer_contains_no_secret_or_link_token(app) {
        let shop = app.org("Acme Plumbing").await;
        let ways = ways(app, &shop).await;
        let owner = owner_of(app, &shop).await.with("idempotency-key", "one key");
        let mut secrets = Vec::new();
        let mut made = Vec::new();
        for (path, asked, _, table) in ways.iter().filter(|(.., table)| ["crew", "invite", "webhook"].contains(table)) {
            let answer = owner.post(path, asked).await.json();
            let field = match *table {
                "crew" => "feedUrl",
                "invite" => "link",
                _ => "secret",
            };
            let opens = answer[field].as_str().unwrap();
            // Only the secret part of an address.
            let token = if *table == "webhook" { opens } else { opens.rsplit(['/', '#', '=']).next().unwrap() };
            secrets.push(token.to_owned());
            made.push((path, asked, answer["id"].as_str().unwrap().to_owned()));
        }
        let kept = kept(app).await;
        assert!(kept.contains(&made[0].2), "which crew it was is: {kept}");
        for secret in &secrets {
            assert!(secret.len() > 20 && !kept.contains(secret.as_str()), "{secret} in {kept}");
        }
        // What was revoked or renewed since is not returned for the earlier request.
        let (invites, asked, id) = &made[1];
        assert_eq!(owner.send(Method::DELETE, &format!("{invites}/{id}"), "", Vec::new()).await.status, 204);
        assert_eq!(owner.post(invites, asked).await.problem().1, "conflict");
        let (hooks, asked, id) = &made[2];
        assert_eq!(owner.post(&format!("{hooks}/{id}/secret"), &json!({})).await.status, 201);
        assert_eq!(owner.post(hooks, asked).await.problem().1, "conflict");
        app.run_tasks().await;
    }

    async fn password_reset_repeated_under_one_key_is_sent_once(app) {
        let shop = app.org("Acme Plumbing").await;
        let (sam, kim) = (app.staff(&shop, Role::Office).await, app.staff(&shop, Role::Crew).await);
        let owner = owner_of(app, &shop).await.with("idempotency-key", "one key");
        let path = |id: &dyn std::fmt::Display| format!("/api/admin/clients/{id}/reset-password");
        let mut back = Vec::new();
        for _ in 0..2 {
            let sent = owner.post(&path(&sam.id), &json!(null)).await;
            assert_eq!((sent.status.as_u16(), sent.json()), (202, json!({"status": "sent"})));
            back.push(app.client().signed_in(app, &sam).await);
        }
        assert_eq!(back[0].get("/api/auth/me").await.status, 200, "a later session stays");
        let problem = owner.post(&path(&kim.id), &json!(null)).await.problem();
        assert_eq!((problem.0, problem.1.as_str()), (422, "idempotency_mismatch"));
        app.run_tasks().await;
        let letters = app.mail.accepted_messages().into_iter().filter(|letter| letter.subject == "Choose a new password");
        let letters: Vec<_> = letters.map(|letter| letter.to).collect();
        assert_eq!(letters, [sam.email.as_str()]);
        app.advance(chrono::Duration::minutes(16));
        assert_eq!(owner.post(&path(&sam.id), &json!(null)).await.problem().1, "reauthentication_needed");
    }
}
