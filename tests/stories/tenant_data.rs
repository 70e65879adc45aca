//! Data of a business: exported completely and imported unchanged, on either database; removable without traces; and
//! no table left out.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{Read, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::tenancy::{
        audit::verify,
        install_mail::{self, InstallMail},
    },
    ops::{
        send_freeze,
        tenant_data::{self, TableOwner, archive::ExportArchive, digest::TableChecksum, export, import, removal},
    },
    platform::{
        db::{Db, describe_schema, rows},
        error::Error,
        id::{DEMO_ORG, LeadId, OrgId},
    },
};
use tests::{
    addresses::email,
    app::TestApp,
    both_databases,
    http::{Multipart, pixel},
    people::{Shop, Visitor},
};

mod db_transfer;
mod former_migrations;
mod frozen_copies;

async fn lively(app: &TestApp) -> Shop {
    let shop = app.org("Acme Plumbing").await;
    let form = Multipart::ann("acme-plumbing").photo("leak.png", &pixel());
    assert_eq!(app.client().post_form("/api/leads/create", form).await.status, 201);
    app.run_tasks().await;
    let lead = lead_of(app, shop.id()).await;
    let office = app.client().signed_in(app, shop.owner()).await;
    let made = office.post(&format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 350.25})).await;
    assert!(made.status.is_success(), "{}", made.json());
    let paid = office.post(&format!("/api/leads/{lead}/paid"), &json!({"amount": 350.25, "method": "check"})).await;
    assert!(paid.status.is_success(), "{}", paid.json());
    app.run_tasks().await;
    shop
}

async fn lead_of(app: &TestApp, org: OrgId) -> LeadId {
    let mut conn = app.db.acquire_reader().await.unwrap();
    shared::platform::db::q!(&mut conn, fetch_one scalar LeadId, "SELECT id FROM lead WHERE org_id = $1", org).unwrap()
}

async fn takes_all_along(app: &TestApp, shop: &Shop) -> (tempfile::TempDir, PathBuf) {
    let office = app.client().signed_in(app, shop.owner()).await;
    let answer = office.get("/api/organization/export").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-disposition"), "attachment; filename=\"toolbox-acme-plumbing-2026-09-17.zip\"");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("export.zip");
    std::fs::write(&path, &answer.body).unwrap();
    (folder, path)
}

/// The same archive with another manifest, as an attacker might make it.
fn forged(archive: &Path, change: impl FnOnce(&mut Value)) -> PathBuf {
    let mut whole = zip::ZipArchive::new(File::open(archive).unwrap()).unwrap();
    let read = |whole: &mut zip::ZipArchive<File>, at: usize| {
        let (mut entry, mut bytes) = (whole.by_index(at).unwrap(), Vec::new());
        entry.read_to_end(&mut bytes).unwrap();
        (entry.name().unwrap().into_owned(), bytes)
    };
    let mut entries: Vec<(String, Vec<u8>)> = (0..whole.len()).map(|at| read(&mut whole, at)).collect();
    let (_, manifest) = entries.iter_mut().find(|(name, _)| name == export::MANIFEST).unwrap();
    let mut changed: Value = serde_json::from_slice(manifest).unwrap();
    change(&mut changed);
    *manifest = serde_json::to_vec(&changed).unwrap();
    let path = archive.with_extension("forged.zip");
    let mut forged = zip::ZipWriter::new(File::create(&path).unwrap());
    for (name, bytes) in entries {
        forged.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        forged.write_all(&bytes).unwrap();
    }
    forged.finish().unwrap();
    path
}

async fn worths(db: &Db, org: OrgId) -> Vec<(&'static str, TableChecksum)> {
    let mut conn = db.acquire_reader().await.unwrap();
    let mut found = Vec::new();
    for belonging in tenant_data::exported_tables() {
        let shape = belonging.exported_shape(&mut conn).await.unwrap();
        found.push((belonging.table, TableChecksum::compute_from_db(&mut conn, &shape, Some(org)).await.unwrap()));
    }
    found
}

/// All rows of a business, including those that are not exported.
async fn rows_of(db: &Db, org: OrgId) -> i64 {
    let mut conn = db.acquire_reader().await.unwrap();
    let mut all = 0;
    for belonging in tenant_data::tenant_tables() {
        let shape = rows::load_table_shape(&mut conn, belonging.table).await.unwrap();
        all += rows::count_rows(&mut conn, &shape, Some(org)).await.unwrap();
    }
    all
}

async fn arrives(there: &TestApp, archive: &Path) -> Result<import::ImportReport, Error> {
    // Another machine and hour: two installs with one seed at one instant would make the same ids.
    there.advance(Duration::hours(1));
    let mut opened = ExportArchive::open(archive).unwrap();
    let by = (&there.origin, &there.settings.secret);
    import::import_archive(&there.db, &there.context.storage, by, &mut opened).await
}

async fn removes(app: &TestApp, org: OrgId) -> Result<removal::RemovalReport, Error> {
    removal::remove_org(&app.remover(), org).await
}

/// Compares rows, sums and hashes, except the audit event and audit head that the import itself writes.
fn is_the_same(here: &[(&str, TableChecksum)], there: &[(&str, TableChecksum)]) {
    for ((table, ours), (_, theirs)) in here.iter().zip(there) {
        if !["audit_event", "audit_head"].contains(table) {
            assert_eq!(ours.describe_difference(theirs), None, "{table}");
        }
    }
}

#[tokio::test]
async fn every_table_is_listed_once_after_its_parent_tables() {
    let app = TestApp::on_sqlite().await;
    let schema: BTreeSet<String> =
        describe_schema(&app.db).await.unwrap().into_iter().map(|(table, ..)| table).collect();
    let listed: Vec<&str> = tenant_data::all_tables().map(|one| one.table).collect();
    let known: BTreeSet<String> = listed.iter().map(|table| (*table).to_owned()).collect();
    assert_eq!(schema.difference(&known).collect::<Vec<_>>(), [""; 0], "add them to shared/src/ops/tenant_data.rs");
    assert_eq!(known.difference(&schema).collect::<Vec<_>>(), [""; 0]);
    assert_eq!(listed.len(), known.len(), "a table is listed twice");
    let mut conn = app.db.acquire_reader().await.unwrap();
    let sql =
        "SELECT t.name, f.\"table\" FROM sqlite_schema t, pragma_foreign_key_list(t.name) f WHERE t.type = 'table'";
    let hangs = shared::platform::db::q!(&mut conn, fetch_all as (String, String), sql).unwrap();
    let place = |table: &str| listed.iter().position(|listed| *listed == table).unwrap();
    for (child, parent) in hangs {
        assert!(place(&parent) < place(&child), "{child} hangs on {parent}");
    }
    drop(conn);
    app.finish().await;
}

/// Parts of column names that indicate a secret.
const SECRETS: [&str; 6] = ["password", "secret", "sealed", "token", "totp", "recovery"];

#[tokio::test]
async fn exported_tables_have_no_secret_columns() {
    let app = TestApp::on_sqlite().await;
    let mut conn = app.db.acquire_reader().await.unwrap();
    for belonging in tenant_data::exported_tables() {
        let names = belonging.exported_shape(&mut conn).await.unwrap().column_names();
        let secret =
            names.iter().find(|name| SECRETS.iter().any(|word| name.contains(word)) && *name != "password_changed_at");
        assert_eq!(secret, None, "{}: keep it back in shared/src/ops/tenant_data.rs", belonging.table);
        let is_owned = names.iter().any(|name| name == "org_id") || belonging.table == "org";
        assert!(is_owned, "{} is a business's without saying whose", belonging.table);
    }
    for belonging in tenant_data::all_tables().filter(|one| matches!(one.whose, TableOwner::Install(_))) {
        let shape = rows::load_table_shape(&mut conn, belonging.table).await.unwrap();
        assert!(shape.column_index("org_id").is_none(), "{} says whose it is: it is no install's", belonging.table);
    }
    drop(conn);
    app.finish().await;
}

both_databases! {
    async fn imported_tenant_has_equal_counts_sums_and_hashes(app) {
        let shop = lively(app).await;
        let (_folder, archive) = takes_all_along(app, &shop).await;
        let here = worths(&app.db, shop.id()).await;
        let rows = |table: &str| here.iter().find(|(name, _)| *name == table).unwrap().1.rows;
        assert!(["lead", "photo", "message", "consent", "estimate", "payment", "file"].iter().all(|table| rows(table) > 0), "{here:?}");
        for there in [TestApp::on_sqlite().await, TestApp::on_postgres().await] {
            let arrived = arrives(&there, &archive).await.unwrap();
            assert_eq!((arrived.org, arrived.files > 1), (shop.id(), true));
            is_the_same(&here, &worths(&there.db, shop.id()).await);
            let (mut conn, key) = (there.db.acquire_reader().await.unwrap(), &there.settings.secret);
            let log = verify::verify_chain(&mut conn, key, shop.id(), None, there.now()).await.unwrap();
            assert!(log.ok, "the audit log goes on where it was: {log:?}");
            drop(conn);
            let files = app.context.storage.list_folder(&shop.id().to_string()).await.unwrap();
            assert_eq!(there.context.storage.list_folder(&shop.id().to_string()).await.unwrap(), files);
            for (key, _) in files {
                assert_eq!(there.context.storage.get(&key).await.unwrap(), app.context.storage.get(&key).await.unwrap());
            }
            let again = arrives(&there, &archive).await.unwrap_err();
            assert!(matches!(again, Error::Refused(_)), "only an empty install takes one in: {again}");
            there.finish().await;
        }
    }

    async fn imported_tenant_sends_nothing_until_released(app) {
        let shop = lively(app).await;
        let (_folder, archive) = takes_all_along(app, &shop).await;
        let there = TestApp::on_sqlite().await;
        arrives(&there, &archive).await.unwrap();
        Visitor::number(7).submits_lead(&there, &shop).await;
        there.run_tasks().await;
        assert!(there.mail.accepted_messages().is_empty() && there.sms.accepted_messages().is_empty(), "it spoke");
        there.within(async |tx| send_freeze::release_freeze(tx, &there.origin).await).await.unwrap();
        there.run_tasks().await;
        assert!(!there.mail.accepted_messages().is_empty(), "queued mail is sent after the release");
        there.finish().await;
    }

    async fn import_is_refused_while_a_retired_key_of_kept_opt_outs_does_not_open(app) {
        use shared::platform::db::q;
        let shop = lively(app).await;
        let (_folder, archive) = takes_all_along(app, &shop).await;
        let there = TestApp::on_sqlite().await;
        there.within(async |tx| {
            let kept = "INSERT INTO suppression_hash (address_hash, at) VALUES ($1, $2)";
            q!(&mut *tx, execute, kept, vec![9_u8; 32], there.now())?;
            let lost = "INSERT INTO retired_key (name, sealed, retired_at) VALUES ('0f0f', $1, $2)";
            Ok(q!(tx, execute, lost, vec![7_u8; 60], there.now())?)
        }).await.unwrap();
        let refused = arrives(&there, &archive).await.unwrap_err();
        assert!(matches!(&refused, Error::Refused(why) if why.contains("rotate-key --lost-key")), "{refused}");
        assert_eq!(rows_of(&there.db, shop.id()).await, 0);
        there.within(async |tx| Ok(q!(tx, execute, "DELETE FROM retired_key WHERE name = '0f0f'")?)).await.unwrap();
        arrives(&there, &archive).await.unwrap();
        there.finish().await;
    }

    async fn damaged_archive_is_refused_without_leaving_rows(app) {
        let shop = lively(app).await;
        let (_folder, archive) = takes_all_along(app, &shop).await;
        let there = TestApp::on_sqlite().await;
        let whole = std::fs::read(&archive).unwrap();
        // The archive is not compressed, so a name can be found and changed.
        let at = whole.windows(7).position(|part| part == b"Ann Lee").unwrap();
        let mut other = whole.clone();
        other[at + 6] = b'o';
        std::fs::write(&archive, &other).unwrap();
        assert!(matches!(arrives(&there, &archive).await, Err(Error::Refused(_))));
        std::fs::write(&archive, &whole[..whole.len() / 2]).unwrap();
        assert!(matches!(ExportArchive::open(&archive), Err(Error::Refused(_))), "half of one is none");
        assert_eq!(rows_of(&there.db, shop.id()).await, 0);
        there.finish().await;
    }

    async fn archive_with_oversized_or_duplicate_files_writes_no_file(app) {
        let shop = lively(app).await;
        let (_folder, archive) = takes_all_along(app, &shop).await;
        let there = TestApp::on_sqlite().await;
        let vast = forged(&archive, |manifest| manifest["files"][0]["bytes"] = json!(u64::MAX / 2));
        let full = arrives(&there, &vast).await.unwrap_err();
        assert!(matches!(full, Error::StorageFull), "{full}");
        let endless = forged(&archive, |manifest| {
            manifest["files"][0]["bytes"] = json!(u64::MAX);
            manifest["files"][1]["bytes"] = json!(u64::MAX);
        });
        let endless = arrives(&there, &endless).await.unwrap_err();
        assert!(matches!(endless, Error::Refused(_)), "{endless}");
        let twice = forged(&archive, |manifest| {
            let again = manifest["files"][0].clone();
            manifest["files"].as_array_mut().unwrap().push(again);
        });
        let twice = arrives(&there, &twice).await.unwrap_err();
        assert!(matches!(&twice, Error::Refused(why) if why.contains("listed twice")), "{twice}");
        assert!(there.context.storage.list_all().await.unwrap().is_empty(), "nothing was written for any of them");
        let shorter = forged(&archive, |manifest| {
            let byte_count = manifest["files"][0]["bytes"].as_u64().unwrap();
            manifest["files"][0]["bytes"] = json!(byte_count - 1);
        });
        let shorter = arrives(&there, &shorter).await.unwrap_err();
        assert!(matches!(&shorter, Error::Refused(why) if why.contains("not the one that was packed")), "{shorter}");
        assert_eq!(rows_of(&there.db, shop.id()).await, 0);
        there.finish().await;
    }

    async fn removed_tenant_leaves_no_rows_or_files_except_opt_outs(app) {
        let shop = lively(app).await;
        let other = app.org("Best Roofing").await;
        Visitor::number(3).submits_lead(app, &other).await;
        let stop = "INSERT INTO opt_out (org_id, channel, address, state, source, at) VALUES ($1, 'sms', '+15125550142', 'stopped', 'keyword', $2)";
        app.within(async |tx| Ok(shared::platform::db::q!(tx, execute, stop, shop.id(), app.now())?)).await.unwrap();
        let untouched = rows_of(&app.db, other.id()).await;
        let (owner, somebody) = (email(&shop.owner().email), email("somebody@else.example"));
        let letter = InstallMail { to: &owner, subject: "Welcome", body: "Hello", links: &[], key: "letter of the install" };
        app.within(async |tx| install_mail::enqueue_mail(tx, &app.origin, &app.settings.secret, &letter).await).await.unwrap();
        let elsewhere = InstallMail { to: &somebody, key: "another", ..letter };
        app.within(async |tx| install_mail::enqueue_mail(tx, &app.origin, &app.settings.secret, &elsewhere).await).await.unwrap();
        let operators = InstallMail { key: &format!("security:{}:foreign_ids", shop.id()), ..elsewhere };
        app.within(async |tx| install_mail::enqueue_mail(tx, &app.origin, &app.settings.secret, &operators).await).await.unwrap();
        let removed = removes(app, shop.id()).await.unwrap();
        assert_eq!(app.count("install_mail").await, 1, "the letters to its owner and about its people are gone, another's stays");
        assert_eq!((removed.name.as_str(), removed.opt_outs), ("Acme Plumbing", 1));
        assert!(removed.files > 0 && removed.rows > 20, "{removed:?}");
        assert_eq!(rows_of(&app.db, shop.id()).await, 0);
        assert!(app.context.storage.list_folder(&shop.id().to_string()).await.unwrap().is_empty());
        assert_eq!(rows_of(&app.db, other.id()).await, untouched, "its neighbour keeps everything");
        assert_eq!((app.count("removed_org").await, app.count("suppression_hash").await), (1, 1));
        let again = removes(app, shop.id()).await.unwrap_err();
        assert!(matches!(again, Error::NotFound), "{again}");
        let demo = removes(app, DEMO_ORG).await.unwrap_err();
        assert!(matches!(demo, Error::DemoReadOnly), "{demo}");
        app.run_tasks().await;
    }

    async fn mail_files_of_removed_tenant_are_deleted(app) {
        app.use_mail_files();
        let shop = lively(app).await;
        let other = app.org("Best Roofing").await;
        Visitor::number(3).submits_lead(app, &other).await;
        app.run_tasks().await;
        let letters = || std::fs::read_dir(app.settings.data_dir.join("mail")).unwrap().count();
        let all = letters();
        removes(app, shop.id()).await.unwrap();
        let left = letters();
        assert!(left < all && left > 0, "{left} of {all}");
        removes(app, other.id()).await.unwrap();
        assert_eq!(letters(), 0);
        app.run_tasks().await;
    }

    async fn opt_out_survives_removal_and_reimport_of_tenant(app) {
        let shop = lively(app).await;
        let (_folder, archive) = takes_all_along(app, &shop).await;
        // STOP came after the archive was made.
        let stop = "INSERT INTO opt_out (org_id, channel, address, state, source, at) VALUES ($1, 'sms', '+15125550142', 'stopped', 'text', $2)";
        app.within(async |tx| Ok(shared::platform::db::q!(tx, execute, stop, shop.id(), app.now())?)).await.unwrap();
        removes(app, shop.id()).await.unwrap();
        assert_eq!(app.count("opt_out").await, 0);
        arrives(app, &archive).await.unwrap();
        let select_sql = "SELECT state FROM opt_out WHERE org_id = $1 AND channel = 'sms' AND address = '+15125550142'";
        let mut conn = app.db.acquire_reader().await.unwrap();
        let state = shared::platform::db::q!(&mut conn, fetch_one scalar String, select_sql, shop.id()).unwrap();
        assert_eq!(state, "stopped");
        drop(conn);
        app.within(async |tx| send_freeze::release_freeze(tx, &app.origin).await).await.unwrap();
        app.run_tasks().await;
    }

    async fn export_during_incoming_requests_is_one_snapshot(app) {
        let shop = app.org("Acme Plumbing").await;
        let is_seen = AtomicBool::new(false);
        // Requests come in until an export has met some, so one is always being written meanwhile.
        let requests = async {
            let mut number = 0;
            while !is_seen.load(Relaxed) {
                Visitor::number(number).submits_lead(app, &shop).await;
                number += 1;
            }
        };
        let exports = async {
            while !is_seen.load(Relaxed) {
                let of = (app.origin.uuid_v7(), app.now());
                let spool = export::write_spool(&app.db, &app.settings.data_dir, of, shop.id()).await.unwrap();
                let rows = |name: &str| spool.manifest.tables.iter().find(|table| table.name == name).unwrap().worth.rows;
                // A request writes all of these in one transaction, and the tables are read one after another.
                assert_eq!((rows("lead"), rows("lead_inquiry")), (rows("customer"), rows("customer")));
                is_seen.store(rows("lead") > 0, Relaxed);
            }
        };
        tokio::join!(requests, exports);
        app.run_tasks().await;
    }

    async fn missing_file_is_named_and_does_not_block_export(app) {
        let shop = lively(app).await;
        let folder = shop.id().to_string();
        let lost = app.context.storage.list_folder(&folder).await.unwrap().remove(0).0;
        app.context.storage.delete(&lost).await.unwrap();
        let (_folder, archive) = takes_all_along(app, &shop).await;
        let there = TestApp::on_sqlite().await;
        assert_eq!(arrives(&there, &archive).await.unwrap().missing, [lost]);
        there.finish().await;
    }
}
