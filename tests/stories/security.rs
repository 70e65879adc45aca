//! Security administration: the audit log that nobody alters unseen, alerts that fire, and what the admin screen shows.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::tenancy::{
        account::Role,
        audit::{
            self, Action, anchor, nobodys,
            verify::{self, Fault, Verdict},
        },
        security::{
            Told,
            refused::{self, Forged},
            watch,
        },
    },
    platform::{db::q, error::Error, id::OrgId},
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Shop, Visitor},
};

/// Whoever runs the install.
const OPERATOR: &str = "ops@install.example";

mod admin;
mod alerts;
mod chain;
mod forged;

/// Looks through a business's log as the program does by itself.
async fn verdict(app: &TestApp, org: OrgId, seal: Option<&str>) -> Verdict {
    let secret = &app.settings.secret;
    let given = seal.map(|seal| anchor::Anchor::read(secret, seal).expect("a seal of this install"));
    let mut conn = app.db.read().await.unwrap();
    verify::verify(&mut conn, secret, org, given, app.now()).await.unwrap()
}

/// So many deeds that are written down.
async fn deeds(app: &TestApp, shop: &Shop, count: usize) {
    for _ in 0..count {
        app.within(async |tx| {
            audit::note(tx, &app.origin, &audit::Actor::default(), shop.id(), Action::LeadSubmitted, None);
            Ok(())
        })
        .await
        .unwrap();
    }
}

/// What somebody with access to the database does to it.
async fn tampers(app: &TestApp, sql: &'static str, org: OrgId) {
    let changed = app.within(async |tx| Ok(q!(tx, execute, sql, org)?)).await.unwrap();
    assert!(changed > 0, "{sql} changed nothing");
}

/// The mails that left for an address, by their subjects.
fn mails_to(app: &TestApp, to: &str) -> Vec<String> {
    app.mail.accepted().into_iter().filter(|letter| letter.to == to).map(|letter| letter.subject).collect()
}
