//! The hash chain of the audit log: changes by SQL are found, and concurrent writers do not break it.

use shared::conflicts::ConflictCode;

use super::*;

/// The seal in the newest mail that has one.
fn mailed_seal(app: &TestApp) -> String {
    let letter =
        app.mail.accepted_messages().into_iter().rfind(|letter| letter.subject.starts_with("Seal of")).expect("a seal");
    letter.text.lines().find(|line| line.len() == 96 && !line.contains(' ')).expect("its letters").to_owned()
}

async fn seals(app: &TestApp) -> usize {
    let (secret, url) = (&app.settings.secret, &app.settings.public_url);
    let mailed = audit_anchor::mail_daily(&app.db, &app.origin, secret, url).await.unwrap();
    app.run_tasks().await;
    mailed
}

/// Checks the log without a business as the worker does, for this operator.
async fn looks_at_nobodys(app: &TestApp, operator: &str) -> bool {
    let operators = [email(operator)];
    let looked = install_log::verify_install_log(&app.db, &app.origin, &app.settings.secret, &operators).await.unwrap();
    app.run_tasks().await;
    looked
}

both_databases! {
    async fn log_of_no_business_is_sealed_for_operators_and_checked_daily(app) {
        const OPERATOR: &str = "root@toolbox.example";
        let nobodys = OrgId(uuid::Uuid::nil());
        let stranger = app.client();
        for n in 0..3 {
            let body = json!({"email": format!("nobody{n}@acme.example"), "password": "not this one"});
            assert_eq!(stranger.post("/api/auth/login", &body).await.status, 401);
        }
        assert!(looks_at_nobodys(app, OPERATOR).await);
        let seal = "Seal of the log of no business: 3 lines".to_owned();
        assert_eq!(mails_to(app, OPERATOR), std::slice::from_ref(&seal));
        assert!(!looks_at_nobodys(app, OPERATOR).await, "once a day");
        app.advance(Duration::days(1));
        assert!(looks_at_nobodys(app, OPERATOR).await);
        assert_eq!(mails_to(app, OPERATOR), std::slice::from_ref(&seal), "nothing was written since");

        // The end of the chain is cut off, together with the stored head.
        tampers(app, "DELETE FROM audit_event WHERE org_id = $1 AND seq = 3", nobodys).await;
        let end = "UPDATE audit_head SET seq = 2, hash = (SELECT e.hash FROM audit_event e WHERE e.org_id = $1 AND e.seq = 2)
             WHERE org_id = $1";
        tampers(app, end, nobodys).await;
        app.advance(Duration::days(1));
        assert!(looks_at_nobodys(app, OPERATOR).await);
        assert_eq!(mails_to(app, OPERATOR), [seal, "Security alert: The audit log was changed".to_owned()]);
    }

    async fn concurrent_events_form_one_chain(app) {
        let shop = app.org("Acme Plumbing").await;
        let at_once = (0..24).map(|_| {
            let (db, origin, org) = (app.db.clone(), app.origin.clone(), shop.id());
            tokio::spawn(shared::platform::db::tenant_scope::propagate_tenant(async move {
                let mut tx = db.begin().await.unwrap();
                for _ in 0..3 {
                    audit::emit_event(&mut tx, &origin, &audit::AuditActor::default(), org, AuditAction::LeadSubmitted, None);
                }
                tx.commit().await.unwrap();
            }))
        });
        for request in at_once.collect::<Vec<_>>() {
            request.await.unwrap();
        }
        let found = verdict(app, shop.id(), None).await;
        assert_eq!((found.ok, found.checked, found.fault), (true, 72, None));
    }

    async fn rolled_back_event_leaves_no_line_and_no_gap(app) {
        let shop = app.org("Acme Plumbing").await;
        record_actions(app, &shop, 2).await;
        let mut tx = app.db.begin().await.unwrap();
        audit::emit_event(&mut tx, &app.origin, &audit::AuditActor::default(), shop.id(), AuditAction::LeadSubmitted, None);
        drop(tx);
        let failed = app.within(async |tx| {
            audit::emit_event(tx, &app.origin, &audit::AuditActor::default(), shop.id(), AuditAction::LeadSubmitted, None);
            Err::<(), _>(ConflictCode::NotUndoable.into_error())
        });
        assert!(failed.await.is_err());
        record_actions(app, &shop, 1).await;
        assert_eq!(verdict(app, shop.id(), None).await.checked, 3);
    }

    async fn business_has_a_chain_of_its_own(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        app.within(async |tx| {
            for org in [other.id(), shop.id(), other.id()] {
                audit::emit_event(tx, &app.origin, &audit::AuditActor::default(), org, AuditAction::LeadSubmitted, None);
            }
            Ok(())
        })
        .await
        .unwrap();
        tampers(app, "UPDATE audit_event SET action = 'signed_out' WHERE org_id = $1", shop.id()).await;
        assert!(!verdict(app, shop.id(), None).await.ok);
        let theirs = verdict(app, other.id(), None).await;
        assert_eq!((theirs.ok, theirs.checked), (true, 2));
    }

    async fn edited_deleted_reordered_or_inserted_line_is_found_at_the_first(app) {
        let edits: [(&str, &[&'static str], i64); 5] = [
            ("edit", &["UPDATE audit_event SET ip = '203.0.113.9' WHERE org_id = $1 AND seq >= 4"], 4),
            ("delete", &["DELETE FROM audit_event WHERE org_id = $1 AND seq = 5"], 5),
            ("reorder", &[
                "UPDATE audit_event SET seq = 99 WHERE org_id = $1 AND seq = 3",
                "UPDATE audit_event SET seq = 3 WHERE org_id = $1 AND seq = 6",
                "UPDATE audit_event SET seq = 6 WHERE org_id = $1 AND seq = 99",
            ], 3),
            ("insert behind the end", &[
                "INSERT INTO audit_event (org_id, id, at, actor_kind, action, seq, hash)
                 SELECT org_id, org_id, at, actor_kind, action, 9, hash FROM audit_event WHERE org_id = $1 AND seq = 8",
            ], 8),
            ("insert beside the chain", &[
                "INSERT INTO audit_event (org_id, id, at, actor_kind, action)
                 SELECT org_id, org_id, at, actor_kind, action FROM audit_event WHERE org_id = $1 AND seq = 8",
            ], 0),
        ];
        for (what, sql, place) in edits {
            let shop = app.org(&format!("Acme {what}")).await;
            record_actions(app, &shop, 8).await;
            assert!(verdict(app, shop.id(), None).await.ok);
            for &sql in sql {
                tampers(app, sql, shop.id()).await;
            }
            let found = verdict(app, shop.id(), None).await;
            let seq = match found.fault.expect(what) {
                AuditFault::Altered { seq, .. } | AuditFault::Missing { seq } | AuditFault::Beyond { seq } => seq,
                AuditFault::Beside { .. } => 0,
                other => panic!("{what}: {other:?}"),
            };
            assert_eq!((found.ok, seq), (false, place), "{what}");
        }
    }

    async fn truncated_log_with_adjusted_head_is_found_by_the_seal_alone(app) {
        let shop = app.org("Acme Plumbing").await;
        record_actions(app, &shop, 6).await;
        app.advance(Duration::days(1) + Duration::minutes(1));
        assert_eq!(seals(app).await, 1);
        let seal = mailed_seal(app);
        record_actions(app, &shop, 2).await;
        let found = verdict(app, shop.id(), Some(&seal)).await;
        assert_eq!((found.ok, found.checked, found.anchors), (true, 8, 2), "kept here, and given");
        tampers(app, "DELETE FROM audit_event WHERE org_id = $1 AND seq > 4", shop.id()).await;
        assert_eq!(verdict(app, shop.id(), None).await.fault, Some(AuditFault::Cut { seq: 4 }));
        let fits = "UPDATE audit_head SET seq = 4, hash = (SELECT hash FROM audit_event WHERE org_id = $1 AND seq = 4) WHERE org_id = $1";
        tampers(app, fits, shop.id()).await;
        assert_eq!(verdict(app, shop.id(), None).await.fault, Some(AuditFault::Cut { seq: 4 }), "by what is kept of the mail");
        tampers(app, "DELETE FROM audit_anchor WHERE org_id = $1", shop.id()).await;
        assert!(verdict(app, shop.id(), None).await.ok, "by itself it is a chain");
        assert_eq!(verdict(app, shop.id(), Some(&seal)).await.fault, Some(AuditFault::Cut { seq: 4 }), "but not to who kept the mail");
    }

    async fn supplied_seal_is_compared_in_all_later_checks(app) {
        let shop = app.org("Acme Plumbing").await;
        record_actions(app, &shop, 6).await;
        app.advance(Duration::days(1) + Duration::minutes(1));
        seals(app).await;
        let seal = mailed_seal(app);
        for sql in [
            "DELETE FROM audit_event WHERE org_id = $1 AND seq > 4",
            "UPDATE audit_head SET seq = 4, hash = (SELECT hash FROM audit_event WHERE org_id = $1 AND seq = 4) WHERE org_id = $1",
            "DELETE FROM audit_anchor WHERE org_id = $1",
        ] {
            tampers(app, sql, shop.id()).await;
        }
        assert!(verdict(app, shop.id(), None).await.ok, "by itself it is a chain");
        let olive = app.client().signed_in(app, shop.owner()).await;
        let found = olive.post("/api/security/audit-log/verify", &json!({ "seal": seal })).await.json();
        assert_eq!(found["fault"], json!({"kind": "cut", "seq": 4}));
        app.run_tasks().await;
        assert!(mails_to(app, &shop.owner().email).contains(&"Security alert: The audit log was changed".to_owned()));
        assert!(!verdict(app, shop.id(), None).await.ok, "it is known from now on");
        app.advance(Duration::days(2));
        let (secret, url) = (&app.settings.secret, &app.settings.public_url);
        shared::domain::messaging::security_alert::traffic_check::check_org(&app.db, &app.origin, secret, url, shop.id()).await.unwrap();
        assert_eq!(app.count("audit_check WHERE ok = FALSE").await, 1, "the program does not forgive it");
        assert_eq!(seals(app).await, 0, "and vouches for nothing");
    }

    async fn conflicting_seal_of_a_line_is_kept_over_the_matching_one(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut letters = Vec::new();
        for _ in 0..2 {
            record_actions(app, &shop, 3).await;
            app.advance(Duration::days(2));
            assert_eq!(seals(app).await, 1);
            letters.push(mailed_seal(app));
            if letters.len() == 1 {
                for sql in ["DELETE FROM audit_event WHERE org_id = $1", "DELETE FROM audit_head WHERE org_id = $1", "DELETE FROM audit_anchor WHERE org_id = $1"] {
                    tampers(app, sql, shop.id()).await;
                }
            }
        }
        assert!(verdict(app, shop.id(), None).await.ok, "by itself it is a chain, and it was mailed");
        for seal in letters {
            let given = anchor::AuditAnchor::parse(&app.settings.secret, &seal).unwrap();
            app.within(async |tx| anchor::store_anchor(tx, &app.settings.secret, &given).await).await.unwrap();
            assert_eq!(verdict(app, shop.id(), None).await.fault, Some(AuditFault::Rewritten { seq: 3 }));
        }
    }

    async fn deleted_log_is_detected_even_after_it_restarts(app) {
        let (shop, silent) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        record_actions(app, &shop, 3).await;
        let secret = &app.settings.secret;
        let look = async || shared::domain::messaging::security_alert::traffic_check::check_org(&app.db, &app.origin, secret, &app.settings.public_url, shop.id()).await.unwrap();
        assert_eq!(look().await, 0);
        for sql in ["DELETE FROM audit_event WHERE org_id = $1", "DELETE FROM audit_head WHERE org_id = $1"] {
            tampers(app, sql, shop.id()).await;
        }
        assert_eq!(verdict(app, shop.id(), None).await.fault, Some(AuditFault::Cut { seq: 0 }));
        let wish = api::audit::AuditVerifyArgs::default();
        let (report, is_whole) = api::audit::verify_audit_logs(&app.db, secret, &app.origin, &wish).await.unwrap();
        assert!(!is_whole && report.contains("acme-plumbing: CHANGED. The log is gone"), "{report}");
        record_actions(app, &shop, 1).await;
        assert_eq!(verdict(app, shop.id(), None).await.fault, Some(AuditFault::Cut { seq: 1 }), "there were three");
        app.advance(Duration::days(1));
        assert_eq!((look().await, app.count("audit_check WHERE ok = FALSE").await), (1, 1));
        app.advance(Duration::days(1));
        look().await;
        assert_eq!(app.count("audit_check WHERE ok = FALSE").await, 1, "it is not forgotten");
        // Registration writes an event, so an empty log was truncated.
        assert_eq!(verdict(app, silent.id(), None).await.fault, Some(AuditFault::Cut { seq: 0 }));
        app.run_tasks().await;
    }

    async fn forged_record_of_a_mailed_seal_is_detected(app) {
        let shop = app.org("Acme Plumbing").await;
        record_actions(app, &shop, 2).await;
        app.advance(Duration::days(1) + Duration::minutes(1));
        seals(app).await;
        let forged = "UPDATE audit_anchor SET seq = 1, hash = (SELECT hash FROM audit_event WHERE org_id = $1 AND seq = 1) WHERE org_id = $1";
        tampers(app, forged, shop.id()).await;
        assert_eq!(verdict(app, shop.id(), None).await.fault, Some(AuditFault::Forged { seq: 1 }));
    }

    async fn owner_is_mailed_the_seal_daily_only_after_new_events(app) {
        let shop = app.org("Acme Plumbing").await;
        record_actions(app, &shop, 1).await;
        assert_eq!(seals(app).await, 0, "not on its first day");
        app.advance(Duration::days(1) + Duration::minutes(1));
        assert_eq!((seals(app).await, seals(app).await), (1, 0));
        record_actions(app, &shop, 1).await;
        app.advance(Duration::hours(23));
        assert_eq!(seals(app).await, 0, "once a day");
        app.advance(Duration::hours(2));
        assert_eq!(seals(app).await, 1);
        app.advance(Duration::days(3));
        assert_eq!(seals(app).await, 0, "nothing was written");
        assert_eq!(mails_to(app, &shop.owner().email), ["Seal of your audit log: 1 line", "Seal of your audit log: 2 lines"]);
        let olive = app.client().signed_in(app, shop.owner()).await;
        let off = olive.send(axum::http::Method::PATCH, "/api/security/alerts/audit_anchor", "application/json", br#"{"enabled":false}"#.to_vec());
        assert_eq!(off.await.status, 200);
        app.advance(Duration::days(1));
        seals(app).await;
        assert_eq!(mails_to(app, &shop.owner().email).len(), 2, "she does not want it");
        assert_eq!(verdict(app, shop.id(), None).await.anchors, 3, "and it is kept all the same");
    }

    async fn audit_command_names_the_business_with_a_changed_log(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        record_actions(app, &shop, 3).await;
        record_actions(app, &other, 1).await;
        let run = async |wish: api::audit::AuditVerifyArgs| api::audit::verify_audit_logs(&app.db, &app.settings.secret, &app.origin, &wish).await;
        let (report, is_whole) = run(api::audit::AuditVerifyArgs::default()).await.unwrap();
        assert!(is_whole && report.contains("acme-plumbing: whole. All 3 lines are as they were written."), "{report}");
        tampers(app, "UPDATE audit_event SET user_agent = 'curl' WHERE org_id = $1 AND seq = 2", shop.id()).await;
        let (report, is_whole) = run(api::audit::AuditVerifyArgs::default()).await.unwrap();
        assert!(!is_whole && report.contains("acme-plumbing: CHANGED. Line 2 (") && report.contains("best-roofing: whole"), "{report}");
        let wish = api::audit::AuditVerifyArgs { org: Some("best-roofing".into()), seal: None };
        assert!(run(wish).await.unwrap().1);
        let wish = api::audit::AuditVerifyArgs { org: Some("nobody".into()), seal: None };
        assert!(run(wish).await.is_err());
    }
}
