//! Periods that no setting changes: mail of the install, invitations, and the documented list of all tables.

use std::{collections::BTreeSet, path::Path};

use chrono::Duration;
use serde_json::json;
use shared::{
    domain::tenancy::{
        account::invite,
        install_mail::{self, InstallMail},
    },
    ops::{retention::install_mail::purge_install_mail, tenant_data},
    platform::db::q,
};
use tests::{addresses::email, app::TestApp, both_databases};

use super::letters;

async fn queues_mail(app: &TestApp, key: &str) {
    let to = email("rita@roofs.example");
    let mail = InstallMail { to: &to, subject: "Set up", body: "Hi Rita", links: &[], key };
    let secret = &app.settings.secret;
    app.within(async |tx| install_mail::enqueue_mail(tx, &app.origin, secret, &mail).await).await.unwrap();
}

async fn purges(app: &TestApp) {
    purge_install_mail(&app.db, &app.settings.data_dir, app.now()).await.unwrap();
}

both_databases! {
    async fn mail_of_the_install_is_removed_with_its_file_after_ninety_days(app) {
        app.use_mail_files();
        queues_mail(app, "it left").await;
        app.run_tasks().await;
        queues_mail(app, "it never left").await;
        assert_eq!((app.count("install_mail WHERE status = 'queued'").await, letters(app)), (1, 1));
        app.advance(Duration::days(90));
        purges(app).await;
        assert_eq!((app.count("install_mail").await, letters(app)), (2, 1));
        app.advance(Duration::minutes(1));
        queues_mail(app, "it is new").await;
        purges(app).await;
        assert_eq!((app.count("install_mail").await, letters(app)), (1, 0));
        app.run_tasks().await;
        assert_eq!(letters(app), 1, "the task of a removed mail sends nothing");
    }

    async fn mail_of_the_install_stays_while_its_file_cannot_be_deleted(app) {
        app.use_mail_files();
        queues_mail(app, "one").await;
        queues_mail(app, "two").await;
        app.run_tasks().await;
        let folder = app.settings.data_dir.join("mail");
        let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        // A folder in its place: it cannot be deleted as a file.
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        app.advance(Duration::days(91));
        purges(app).await;
        assert_eq!((app.count("install_mail").await, letters(app)), (1, 1));
        std::fs::remove_dir(&file).unwrap();
        purges(app).await;
        assert_eq!((app.count("install_mail").await, letters(app)), (0, 0));
    }

    async fn mail_of_the_install_is_removed_in_slices(app) {
        let sql = "INSERT INTO install_mail (id, to_address, subject, body, dedupe_key, status, created_at)
            VALUES ($1, 'rita@roofs.example', '', '', $2, 'sent', $3)";
        let now = app.now();
        app.within(async |tx| {
            for n in 0..501 {
                q!(&mut *tx, execute, sql, app.origin.uuid_v7(), format!("mail {n}"), now)?;
            }
            Ok(())
        }).await.unwrap();
        app.advance(Duration::days(91));
        purges(app).await;
        assert_eq!(app.count("install_mail").await, 0);
    }

    async fn invitation_is_removed_after_ninety_days(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let asked = json!({"name": "Dave", "email": "dave@crew.example", "role": "crew"});
        let made = owner.post("/api/team/invites", &asked).await;
        assert_eq!(made.status, 201, "{}", made.json());
        app.run_tasks().await;
        let token = made.json()["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let path = format!("/api/public/invite/{token}");
        app.advance(Duration::days(90));
        invite::prune_old_invites(&app.db, app.now()).await.unwrap();
        assert_eq!(app.count("invite").await, 1);
        assert_eq!(app.client().get(&path).await.json()["detail"], "This invitation is no longer valid. Ask for a new one.");
        app.advance(Duration::minutes(1));
        invite::prune_old_invites(&app.db, app.now()).await.unwrap();
        assert_eq!(app.count("invite").await, 0);
        assert_eq!(app.client().get(&path).await.status, 404);
        app.run_tasks().await;
    }
}

#[test]
fn every_table_has_a_documented_period() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/data-protection.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (_, section) = page.split_once("### Period of each table\n").unwrap();
    let rows = section.split("\n## ").next().unwrap().lines().filter(|line| line.starts_with('|'));
    let listed: Vec<&str> = rows.flat_map(|row| row.split('`').skip(1).step_by(2)).collect();
    let named: BTreeSet<&str> = listed.iter().copied().collect();
    let there: BTreeSet<&str> = tenant_data::all_tables().map(|one| one.table).collect();
    let missing: Vec<_> = there.difference(&named).collect();
    assert!(missing.is_empty(), "say in docs/data-protection.md how long these are kept: {missing:?}");
    let gone: Vec<_> = named.difference(&there).collect();
    assert!(gone.is_empty(), "there are no such tables: {gone:?}");
    assert_eq!(listed.len(), named.len(), "name each table once");
}
