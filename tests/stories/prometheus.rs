//! `/metrics`: figures for the operator's monitoring, closed to others, and without personal data.

use sha2::{Digest, Sha256};
use tests::{both_databases, people::Visitor};

const TOKEN: &str = "a-token-of-the-operator";

both_databases! {
    async fn metrics_are_readable_from_localhost_or_with_token_only(app) {
        let stranger = app.client();
        let through_a_proxy = app.client().here().with("x-forwarded-for", "203.0.113.9");
        let bearer = |token: &str| format!("Bearer {token}");
        let through_a_silent_proxy = app.client().here().with("host", "toolbox.example");
        assert_eq!(app.client().here().get("/metrics").await.status, 200);
        for client in [&stranger, &through_a_proxy, &through_a_silent_proxy, &stranger.with("authorization", &bearer(""))] {
            assert_eq!(client.get("/metrics").await.problem().1, "not_found", "without a token there is none to guess");
        }
        app.api.metrics_token = Some(Sha256::digest(TOKEN.as_bytes()).to_vec());
        let stranger = app.client();
        assert_eq!(stranger.with("authorization", &bearer(TOKEN)).get("/metrics").await.status, 200);
        for wrong in ["", "a-token-of-the-operato", "a-token-of-the-operatorr", "tbk_x"] {
            assert_eq!(stranger.with("authorization", &bearer(wrong)).get("/metrics").await.status, 404, "{wrong}");
        }
        assert_eq!(stranger.get("/metrics").await.status, 404);
    }

    async fn metrics_show_waiting_work_and_answers_without_personal_data(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        let here = app.client().here();
        assert_eq!(here.signed_in(app, shop.owner()).await.get(&format!("/api/leads/{}", shop.org.slug)).await.status, 200);
        let answer = here.get("/metrics").await;
        assert_eq!(answer.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
        let text = String::from_utf8(answer.body).unwrap();
        let value = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.unwrap_or_else(|| panic!("{name} is missing in\n{text}")).parse::<i64>().unwrap()
        };
        assert_eq!((value("toolbox_database_up"), value("toolbox_tasks_dead"), value("toolbox_workers")), (1, 0, 1));
        assert_eq!((value("toolbox_database_writable"), value("toolbox_store_writable")), (1, 1));
        assert!(value("toolbox_tasks_ready") > 0 && value("toolbox_messages_waiting") > 0);
        assert!(text.contains("status=\"200\""), "{text}");
        for private in ["acme", "Ann", "customer.example", &lead.to_string(), &shop.id().to_string()] {
            assert!(!text.contains(private), "{private} in\n{text}");
        }
        app.advance(chrono::Duration::minutes(3));
        let later = String::from_utf8(app.client().here().get("/metrics").await.body).unwrap();
        assert!(later.contains("toolbox_tasks_late_seconds 180"), "{later}");
        app.run_tasks().await;
    }
}
