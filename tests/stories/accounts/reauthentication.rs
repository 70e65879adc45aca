//! Actions that a stolen phone or cookie must not allow ask for the password once more.

use super::*;

async fn proves(client: &Client, body: Value) -> Answer {
    client.post("/api/auth/prove", &body).await
}

async fn lets_go(app: &TestApp, client: &Client, shop: &Shop) -> Answer {
    let sam = app.staff(shop, Role::Crew).await;
    let body = json!({"isActive": false}).to_string().into_bytes();
    client.send(Method::PATCH, &format!("/api/team/{}", sam.id), "application/json", body).await
}

both_databases! {
    async fn password_is_asked_again_fifteen_minutes_after_sign_in(app) {
        let olive = olive(app).await;
        app.advance(Duration::minutes(15) - Duration::seconds(1));
        assert_eq!(olive.post("/api/account/second-factor", &Value::Null).await.status, 201);
        app.advance(Duration::seconds(1));
        let late = olive.post("/api/account/second-factor", &Value::Null).await;
        assert_eq!(late.problem(), (403, "reauthentication_needed".into(), vec![]));
        assert_eq!(olive.get("/api/auth/me").await.status, 200, "everything else goes on");
        assert_eq!(proves(&olive, json!({"password": "not this one"})).await.problem().2, ["password"]);
        assert_eq!(proves(&olive, json!({})).await.problem().2, ["password"]);
        assert_eq!(proves(&olive, json!({"password": PASSWORD})).await.status, 204);
        assert_eq!(olive.post("/api/account/second-factor", &Value::Null).await.status, 201);
        app.advance(Duration::minutes(15));
        assert_eq!(olive.post("/api/account/second-factor", &Value::Null).await.status, 403);
    }

    async fn proof_with_second_factor_on_needs_code_too(app) {
        let olive = sets_up(app, &olive(app).await).await;
        app.advance(Duration::minutes(20));
        let client = &olive.client;
        assert_eq!(proves(client, json!({"password": PASSWORD})).await.problem().2, ["code"]);
        assert_eq!(proves(client, json!({"password": PASSWORD, "code": "000000"})).await.problem().2, ["code"]);
        let both = json!({"password": PASSWORD, "code": olive.code(app)});
        assert_eq!(proves(client, both).await.status, 204);
        assert_eq!(client.post("/api/account/recovery-codes", &Value::Null).await.status, 201);
        app.run_tasks().await;
    }

    async fn password_change_with_second_factor_needs_recent_proof_by_code(app) {
        let olive = sets_up(app, &olive(app).await).await;
        app.advance(Duration::minutes(16));
        let change = json!({"currentPassword": PASSWORD, "newPassword": "another copper joint"});
        let refused = olive.client.post("/api/account/password", &change).await;
        assert_eq!(refused.problem(), (403, "reauthentication_needed".into(), vec![]));
        assert_eq!(login(&app.client(), EMAIL, PASSWORD).await.status, 202, "it is as it was");
        assert_eq!(proves(&olive.client, json!({"password": PASSWORD, "code": olive.code(app)})).await.status, 204);
        app.advance(Duration::minutes(10));
        let changed = olive.client.post("/api/account/password", &change).await;
        assert_eq!(changed.status, 204, "{}", changed.json());
        let here = olive.client.with_session(&changed.session().unwrap());
        assert_eq!(here.get("/api/account").await.json()["isFresh"], json!(true));
        app.advance(Duration::minutes(5));
        assert_eq!(here.get("/api/account").await.json()["isFresh"], json!(false), "nor has it proved anything");
        let off = here.send(Method::DELETE, "/api/account/second-factor", "", Vec::new()).await;
        assert_eq!(off.problem().1, "reauthentication_needed");
        app.run_tasks().await;
    }

    async fn exports_need_fresh_proof_of_identity(app) {
        let olive = olive(app).await;
        app.advance(Duration::minutes(16));
        for taken in ["/api/organization/export", "/api/security/audit-log/export"] {
            assert_eq!(olive.get(taken).await.problem().1, "reauthentication_needed", "{taken}");
        }
        assert_eq!(proves(&olive, json!({"password": PASSWORD})).await.status, 204);
        for taken in ["/api/organization/export", "/api/security/audit-log/export"] {
            assert_eq!(olive.get(taken).await.status, 200, "{taken}");
        }
    }

    async fn invitation_link_is_shown_only_after_fresh_proof(app) {
        let olive = olive(app).await;
        let dave = json!({"name": "Dave", "email": "dave@crew.example", "role": "crew"});
        let made = olive.post("/api/team/invites", &dave).await.json();
        let listed = async || olive.get("/api/team/invites").await.json()[0]["link"].clone();
        assert!(made["link"].as_str().is_some_and(|link| link.contains("/join/")) && listed().await == made["link"]);
        app.advance(Duration::minutes(16));
        assert_eq!(listed().await, Value::Null, "a stolen cookie cannot get a new session");
        assert_eq!(proves(&olive, json!({"password": PASSWORD})).await.status, 204);
        assert_eq!(listed().await, made["link"]);
        app.run_tasks().await;
    }

    async fn concurrent_second_factor_removals_succeed_once(app) {
        let olive = sets_up(app, &olive(app).await).await;
        let off = || olive.client.send(Method::DELETE, "/api/account/second-factor", "", Vec::new());
        let (one, other) = futures::future::join(off(), off()).await;
        let mut answers = [one.status.as_u16(), other.status.as_u16()];
        answers.sort_unstable();
        assert_eq!(answers, [204, 401]);
        app.run_tasks().await;
    }

    async fn proof_on_one_device_does_not_count_on_another(app) {
        let olive = olive(app).await;
        let signed = login(&app.client(), EMAIL, PASSWORD).await;
        let tablet = app.client().with_session(&signed.session().unwrap());
        app.run_tasks().await;
        app.advance(Duration::minutes(20));
        assert_eq!(proves(&olive, json!({"password": PASSWORD})).await.status, 204);
        assert_eq!(tablet.post("/api/account/second-factor", &Value::Null).await.status, 403);
    }

    async fn deactivation_and_invitations_need_fresh_proof_crew_change_does_not(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(lets_go(app, &owner, &shop).await.status, 200);
        app.advance(Duration::minutes(15));
        assert_eq!(lets_go(app, &owner, &shop).await.problem().1, "reauthentication_needed");
        let sam = app.staff(&shop, Role::Crew).await;
        let crews = json!({"crewIds": []}).to_string().into_bytes();
        let path = format!("/api/team/{}", sam.id);
        assert_eq!(owner.send(Method::PATCH, &path, "application/json", crews).await.status, 200);
        let ask = async |role: &str| {
            let body = json!({"name": "Dave", "email": format!("dave-{role}@crew.example"), "role": role});
            owner.post("/api/team/invites", &body).await.status.as_u16()
        };
        assert_eq!((ask("crew").await, ask("office").await, ask("owner").await), (403, 403, 403), "a new member has to sign in again");
        app.run_tasks().await;
    }
}
