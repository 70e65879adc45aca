//! The admin screen's requests, as each role and as the operator of the install.

use axum::http::Method;

use super::*;

async fn log(client: &Client, query: &str) -> Value {
    let answer = client.get(&format!("/api/security/audit-log{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.json());
    answer.json()
}

fn actions(log: &Value) -> Vec<&str> {
    log["events"].as_array().unwrap().iter().map(|event| event["action"].as_str().unwrap()).collect()
}

both_databases! {
    async fn owner_pages_through_and_filters_the_audit_log(app) {
        let shop = app.org("Acme Plumbing").await;
        let olive = app.client().signed_in(app, shop.owner()).await;
        record_actions(app, &shop, 3).await;
        for _ in 0..2 {
            assert_eq!(olive.post("/api/security/audit-log/verify", &json!({})).await.json()["ok"], json!(true));
        }
        let whole = log(&olive, "").await;
        assert_eq!((&whole["total"], &whole["error"]), (&json!(5), &Value::Null));
        assert_eq!(actions(&whole), ["audit_verified", "audit_verified", "lead_submitted", "lead_submitted", "lead_submitted"]);
        assert_eq!((&whole["events"][0]["seq"], &whole["events"][0]["actorEmail"]), (&json!(5), &json!(shop.owner().email)));
        let page = olive.get("/api/security/audit-log?limit=2").await;
        assert_eq!(page.header("x-total-count"), "5");
        let link = page.header("link").to_owned();
        let next = link.trim_start_matches('<').split('>').next().unwrap().to_owned();
        let seen: Vec<Value> = olive.get(&next).await.json()["events"].as_array().unwrap().iter().map(|e| e["seq"].clone()).collect();
        assert_eq!(seen, [json!(3), json!(2)]);
        let only = log(&olive, "?action=audit_verified").await;
        assert_eq!((&only["total"], only["events"].as_array().unwrap().len()), (&json!(2), 2));
        assert_eq!(log(&olive, &format!("?actor={}", shop.owner().id)).await["total"], json!(2));
        assert_eq!(log(&olive, "?q=olive").await["total"], json!(2));
        assert_eq!(log(&olive, "?from=2020-01-01&to=2020-01-02").await["total"], json!(0));
        for bad in ["?action=nothing", "?actor=x", "?cursor=x", "?from=2026-11-24", "?limit=0"] {
            assert_eq!(olive.get(&format!("/api/security/audit-log{bad}")).await.status, 422, "{bad}");
        }
        let file = String::from_utf8(olive.get("/api/security/audit-log/export?action=audit_verified").await.body).unwrap();
        assert_eq!(file.lines().count(), 3, "{file}");
        assert_eq!(actions(&log(&olive, "?limit=1").await), ["audit_exported"], "an export is an audit event");
    }

    async fn security_status_covers_own_account_and_for_owners_the_business(app) {
        let shop = app.org("Acme Plumbing").await;
        let dave = app.client().signed_in(app, &app.staff(&shop, Role::Crew).await).await;
        let olive = app.client().signed_in(app, shop.owner()).await;
        let (his, hers) = (dave.get("/api/security/status").await.json(), olive.get("/api/security/status").await.json());
        for status in [&his, &hers] {
            assert_eq!((&status["twoFactorEnabled"], &status["accountLocked"], &status["sessionSecure"]), (&json!(false), &json!(false), &json!(true)));
            let score = status["securityScore"].as_i64().unwrap();
            assert!((1..100).contains(&score), "{status}");
        }
        assert_eq!(his["recommendations"], json!(["Turn on two-factor authentication for your account."]));
        assert!(hers["recommendations"].as_array().unwrap().len() > 3, "{hers}");
        let report = olive.get("/api/security/report").await.json();
        for group in ["authentication", "data_protection", "infrastructure", "monitoring"] {
            let controls = report["security_measures"][group].as_array().unwrap();
            assert!(!controls.is_empty() && controls.iter().all(|one| one["name"].is_string() && one["ok"].is_boolean()), "{group}");
        }
        assert_eq!(dave.get("/api/security/report").await.json()["security_measures"]["monitoring"], json!([]));
        for closed in ["audit-log", "alerts", "compliance/Acme", "audit-log/export"] {
            assert_eq!(dave.get(&format!("/api/security/{closed}")).await.status, 403, "{closed}");
        }
        assert_eq!(dave.get("/api/admin/clients").await.status, 403);
    }

    async fn security_score_rises_with_measures_in_place(app) {
        let shop = app.org("Acme Plumbing").await;
        let olive = app.client().signed_in(app, shop.owner()).await;
        let score = async || olive.get("/api/security/status").await.json()["securityScore"].as_i64().unwrap();
        let before = score().await;
        tampers(app, "UPDATE account SET two_factor_enabled = TRUE WHERE org_id = $1", shop.id()).await;
        let with_code = score().await;
        assert!(with_code > before, "{before} {with_code}");
        record_actions(app, &shop, 1).await;
        assert_eq!(olive.post("/api/security/audit-log/verify", &json!({})).await.status, 200);
        assert!(score().await > with_code, "the log was looked through");
        let off = olive.send(Method::PATCH, "/api/security/alerts/stop_rate", "application/json", br#"{"enabled":false}"#.to_vec());
        assert_eq!(off.await.status, 200);
        let report = olive.get("/api/security/report").await.json();
        let alerts = report["security_measures"]["monitoring"].as_array().unwrap().iter().find(|one| one["name"] == "Security alerts");
        assert_eq!(alerts.unwrap()["ok"], json!(false));
    }

    async fn lost_account_emails_fail_the_alert_delivery_control(app) {
        let shop = app.org("Acme Plumbing").await;
        let olive = app.client().signed_in(app, shop.owner()).await;
        let found = async || {
            let report = olive.get("/api/security/report").await.json();
            let all = report["security_measures"]["monitoring"].as_array().unwrap().clone();
            let one = all.into_iter().find(|one| one["name"] == "Alerts reach people by email").unwrap();
            (one["ok"].as_bool().unwrap(), one["detail"].as_str().unwrap().to_owned())
        };
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert!(found().await.1.ends_with("lost in the last 24 hours: 0 letters"), "{:?}", found().await);
        let theirs = "UPDATE message SET status = 'failed' WHERE org_id = $1 AND channel = 'email' AND to_address NOT IN (SELECT email FROM account WHERE org_id = $1)";
        tampers(app, theirs, shop.id()).await;
        assert!(found().await.1.ends_with("0 letters"), "a customer's own address is no fault of ours: {lead}");
        let ours = "UPDATE message SET status = 'failed' WHERE org_id = $1 AND channel = 'email' AND to_address IN (SELECT email FROM account WHERE org_id = $1)";
        tampers(app, ours, shop.id()).await;
        let (ok, detail) = found().await;
        assert!(!ok && detail.contains("lost in the last 24 hours: ") && !detail.ends_with(" 0 letters"), "{detail}");
        app.advance(Duration::hours(25));
        let olive = app.client().signed_in(app, shop.owner()).await;
        let report = olive.get("/api/security/report").await.json().to_string();
        assert!(report.contains("lost in the last 24 hours: 0 letters"), "{report}");
        app.run_tasks().await;
    }

    async fn compliance_report_states_what_is_not_in_place(app) {
        let shop = app.org("Acme Plumbing").await;
        let olive = app.client().signed_in(app, shop.owner()).await;
        let file = olive.get("/api/security/compliance/Toolbox%20AI").await;
        assert_eq!((file.status.as_u16(), file.header("content-type")), (200, "text/markdown; charset=utf-8"));
        let name = file.header("content-disposition");
        assert!(name.starts_with("attachment; filename=\"security-compliance-Toolbox-AI-20") && name.contains(".md"), "{name}");
        let text = String::from_utf8(file.body.clone()).unwrap();
        assert!(text.starts_with("# Security compliance report: Toolbox AI\n"), "{text}");
        assert!(text.contains("- Nightly copy of all data, checked: **not in place**") && text.contains("- Encrypted connection (HTTPS): in place"), "{text}");
        assert_eq!(olive.get("/api/security/compliance/%20").await.problem(), (422, "validation_failed".into(), vec!["organisation".into()]));
    }

    async fn alert_switch_setting_persists(app) {
        let shop = app.org("Acme Plumbing").await;
        let olive = app.client().signed_in(app, shop.owner()).await;
        let patch = async |alert: &str, body: &str| {
            olive.send(Method::PATCH, &format!("/api/security/alerts/{alert}"), "application/json", body.as_bytes().to_vec()).await
        };
        assert_eq!(patch("stop_rate", r#"{"enabled": false}"#).await.json()["enabled"], json!(false));
        let listed = olive.get("/api/security/alerts").await.json();
        let on: Vec<bool> = listed.as_array().unwrap().iter().map(|one| one["enabled"].as_bool().unwrap()).collect();
        assert_eq!((on.len(), on.iter().filter(|on| !**on).count()), (8, 1));
        assert_eq!(patch("nothing", r#"{"enabled": false}"#).await.problem().2, ["alertId"]);
        assert_eq!(patch("stop_rate", "{}").await.problem().2, ["enabled"]);
    }

    async fn owner_can_force_a_password_reset_for_own_staff(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let sam = app.staff(&shop, Role::Office).await;
        let (olive, theirs) = (app.client().signed_in(app, shop.owner()).await, app.client().signed_in(app, &sam).await);
        let path = |id: &dyn std::fmt::Display| format!("/api/admin/clients/{id}/reset-password");
        let stranger = app.client().signed_in(app, other.owner()).await;
        assert_eq!(stranger.post(&path(&sam.id), &json!(null)).await.status, 404);
        assert_eq!(theirs.post(&path(&sam.id), &json!(null)).await.status, 403);
        assert_eq!(theirs.get("/api/auth/me").await.status, 200, "nothing happened yet");
        assert_eq!(olive.post(&path(&sam.id), &json!(null)).await.json(), json!({"status": "sent"}));
        assert_eq!(theirs.get("/api/auth/me").await.status, 401, "signed out everywhere");
        app.run_tasks().await;
        assert_eq!(mails_to(app, &sam.email), ["Choose a new password"]);
        assert_eq!(actions(&log(&olive, "?limit=1").await), ["client_password_reset"]);
        app.advance(Duration::minutes(16));
        assert_eq!(olive.post(&path(&sam.id), &json!(null)).await.problem().1, "reauthentication_needed");
        tampers(app, "UPDATE account SET is_active = FALSE WHERE org_id = $1 AND role = 'office'", shop.id()).await;
        let fresh = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(fresh.post(&path(&sam.id), &json!(null)).await.status, 409, "a deactivated account gets no password reset");
    }

    async fn owner_lists_own_people_and_operator_lists_everyone(app) {
        app.settings.platform_admins = vec![email("owner@best-roofing.example")];
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        app.staff(&shop, Role::Office).await;
        let olive = app.client().signed_in(app, shop.owner()).await;
        let mine = olive.get("/api/admin/clients").await;
        assert_eq!((mine.header("x-total-count"), mine.json().as_array().unwrap().len()), ("2", 2));
        for field in ["id", "email", "createdAt", "isActive"] {
            assert!(!mine.json()[0][field].is_null(), "{field}");
        }
        let squatter = app.client().signed_in(app, other.owner()).await;
        assert_eq!(squatter.get("/api/admin/clients").await.json().as_array().unwrap().len(), 1, "anybody registers with an address");
        assert_eq!(squatter.get("/api/auth/me").await.json()["isPlatformAdmin"], json!(false));
        tampers(app, "UPDATE account SET email_proved_at = created_at WHERE org_id = $1", other.id()).await;
        let operator = app.client().signed_in(app, other.owner()).await;
        assert_eq!(operator.get("/api/auth/me").await.json()["isPlatformAdmin"], json!(true));
        let all = operator.get("/api/admin/clients").await.json();
        assert_eq!(all.as_array().unwrap().len(), 3);
        assert_eq!(operator.get("/api/admin/clients?q=ACME%20plumbing").await.json().as_array().unwrap().len(), 2);
        record_actions(app, &shop, 4).await;
        assert_eq!(log(&operator, "?org=acme-plumbing").await["total"], json!(4));
        let foreign = olive.get("/api/security/audit-log?org=best-roofing").await;
        let missing = olive.get("/api/security/audit-log?org=nobody").await;
        assert_eq!((foreign.status.as_u16(), missing.status.as_u16()), (404, 404));
    }
}
