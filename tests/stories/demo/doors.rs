//! Who comes in, and as whom: by a header or a query, without a session, and beside one's own.

use serde_json::{Value, json};
use tests::{both_databases, figures::kpis};

both_databases! {
    async fn its_viewer_is_its_owner_without_a_session(app) {
        app.seeds_demo().await;
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

    async fn the_figures_are_open_to_everybody_and_nothing_else_is(app) {
        app.seeds_demo().await;
        let visitor = app.client();
        assert_eq!(kpis(&visitor, "demo").await, kpis(&visitor.at_demo(), "demo").await);
        let days = visitor.get("/api/daily-metrics/demo?days=7").await.json();
        assert_eq!(days["days"].as_array().map(Vec::len), Some(7));
        for path in ["/api/jobs", "/api/leads/demo", "/api/org/demo", "/api/kpis/acme", "/api/kpi-pulse"] {
            assert_eq!(visitor.get(path).await.status, 401, "{path}");
        }
    }

    async fn a_signed_in_owner_keeps_their_own_session_beside_it(app) {
        app.seeds_demo().await;
        let shop = app.org("Acme Plumbing").await;
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

    async fn nobody_signs_in_there(app) {
        app.seeds_demo().await;
        let email = "ruth.halvarsen@northside.example.com";
        for password in ["", "password", "northside", "demo"] {
            let answer = app.client().post("/api/auth/login", &json!({"email": email, "password": password})).await;
            assert!(answer.status.is_client_error(), "{}", answer.json());
            assert!(answer.headers.get("set-cookie").is_none());
        }
        assert_eq!(app.count("session").await, 0);
    }

    async fn its_page_hears_of_changes_like_any_other(app) {
        app.seeds_demo().await;
        let server = app.client().at_demo().server().await;
        let mut events = app.client().at_demo().events_over(&server, None).await;
        events.hears("connected").await;
    }

    async fn only_its_front_is_found_by_searching(app) {
        let visitor = app.client();
        for path in ["/demo/app/leads", "/demo/app", "/demo/x"] {
            let page = visitor.get(path).await;
            assert_eq!((page.status.as_u16(), page.header("x-robots-tag")), (200, "noindex, nofollow"), "{path}");
        }
        for path in ["/demo", "/demo/", "/", "/demonstration"] {
            assert_eq!(visitor.get(path).await.header("x-robots-tag"), "", "{path}");
        }
    }
}
