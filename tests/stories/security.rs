//! Security administration: the tamper-evident audit log, alerts that fire, and the admin screen.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::{
        messaging::{
            account_email::audit_anchor,
            security_alert::{
                SecurityAlertContext,
                forged_callbacks::{self as callback_log, ForgedCallbacks},
                traffic_check,
            },
        },
        tenancy::{
            account::Role,
            audit::{
                self, AuditAction, anchor, install_log,
                verify::{self, AuditFault, AuditVerdict},
            },
        },
    },
    platform::{db::q, id::OrgId},
};
use tests::{
    addresses::email,
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Shop, Visitor},
};

const OPERATOR: &str = "ops@install.example";

mod admin;
mod alerts;
mod audit_chain;
mod forged_callbacks;

/// The audit log's check, as the program runs it.
async fn verdict(app: &TestApp, org: OrgId, seal: Option<&str>) -> AuditVerdict {
    let secret = &app.settings.secret;
    let given = seal.map(|seal| anchor::AuditAnchor::parse(secret, seal).expect("a seal of this install"));
    let mut conn = app.db.acquire_reader().await.unwrap();
    verify::verify_chain(&mut conn, secret, org, given, app.now()).await.unwrap()
}

/// Writes this many audit events.
async fn record_actions(app: &TestApp, shop: &Shop, count: usize) {
    for _ in 0..count {
        app.within(async |tx| {
            audit::emit_event(
                tx,
                &app.origin,
                &audit::AuditActor::default(),
                shop.id(),
                AuditAction::LeadSubmitted,
                None,
            );
            Ok(())
        })
        .await
        .unwrap();
    }
}

async fn tampers(app: &TestApp, sql: &'static str, org: OrgId) {
    let changed = app.within(async |tx| Ok(q!(tx, execute, sql, org)?)).await.unwrap();
    assert!(changed > 0, "{sql} changed nothing");
}

fn mails_to(app: &TestApp, to: &str) -> Vec<String> {
    app.mail.accepted_messages().into_iter().filter(|letter| letter.to == to).map(|letter| letter.subject).collect()
}
