//! Data of one person: a copy of it, its erasure everywhere, what is kept, and a backup that still contains it.

use std::{collections::BTreeSet, path::Path};

use axum::http::Method;
use chrono::Duration;
use serde_json::json;
use shared::{
    domain::{
        messaging::{message::MessageChannel, opt_out::store as opt_out},
        tenancy::audit::{self, AuditAction, AuditActor},
    },
    ops::{
        backup::{self, BackupConfig, CompletedBackup, restore},
        erasure::{
            self,
            catalogue::{BY_HAND, ERASURE_TARGETS, ErasureAction, NOT_PERSONAL},
        },
        schema::SCHEMA,
        tenant_data,
    },
    platform::{
        db::{Db, DbConfig, describe_schema, q, qb},
        id::{CustomerId, MessageId, OrgId},
    },
};
use tests::{
    app::TestApp,
    both_databases,
    http::Client,
    people::{Shop, Visitor},
};

mod activity;
mod failures;
mod merged_records;
mod notices;
mod postponement;
mod restores;
mod shared_addresses;
mod unmatched_records;

const NAME: &str = "Ann Lee";
/// Text that must not be found anywhere afterwards.
const TRACES: [&str; 5] = ["Ann Lee", "ann@customer", "555-0142", "5125550142", "Water on the floor"];

async fn shop_with_ann(app: &mut TestApp) -> (Shop, CustomerId, Client) {
    let shop = app.org("Acme Plumbing").await;
    // She called before, and somebody answered.
    let call = "INSERT INTO call (org_id, id, provider_id, from_address, to_address, status, started_at)
        VALUES ($1, $2, 'CA-before-the-form', '+15125550142', '+15125550100', 'answered', $3)";
    let call_id = app.origin.uuid_v7();
    app.within(async |tx| Ok(q!(tx, execute, call, shop.id(), call_id, app.now())?)).await.unwrap();
    Visitor::ann().submits_lead(app, &shop).await;
    app.run_tasks().await;
    let sql = "SELECT id FROM customer WHERE org_id = $1";
    let id = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar CustomerId, sql, shop.id()).unwrap();
    let owner = app.client().signed_in(app, shop.owner()).await;
    (shop, id, owner)
}

/// All rows of a business's tables that may hold a customer's data, as text.
async fn all_text(db: &Db, org: OrgId) -> String {
    let mut text = String::new();
    let mut conn = db.acquire_reader().await.unwrap();
    for one in tenant_data::tenant_tables() {
        let shape = shared::platform::db::rows::load_table_shape(&mut conn, one.table).await.unwrap();
        let page = shared::platform::db::rows::load_page(&mut conn, &shape, Some(org), None, 1_000).await.unwrap();
        for cells in page {
            text.push_str(one.table);
            text.push_str(&shared::ops::tenant_data::digest::to_json_line(&shape, &cells));
            text.push('\n');
        }
    }
    text
}

fn traces(text: &str) -> Vec<String> {
    text.lines()
        .filter(|line| !line.starts_with("idempotency") && !line.starts_with("recipient"))
        .filter(|line| TRACES.iter().any(|trace| line.contains(trace)))
        .map(|line| line.chars().take(300).collect())
        .collect()
}

async fn erase(app: &mut TestApp) {
    app.advance(erasure::GRACE);
    worker::housekeeping::run_due_erasures(&app.context).await.unwrap();
}

/// A backup from before the erasure or its waiting days, restored elsewhere: Ann is erased there too.
async fn is_erased_anew(app: &mut TestApp, is_waiting: bool) {
    let (shop, id, _) = shop_with_ann(app).await;
    let home = tempfile::tempdir().unwrap();
    if is_waiting {
        asks_to_erase(app, &shop, id).await;
    }
    let made = backs_up(app, home.path()).await;
    if !is_waiting {
        asks_to_erase(app, &shop, id).await;
    }
    erase(app).await;
    let left = traces(&text_after_restore(app, &shop, &made, home.path()).await);
    assert!(left.is_empty(), "{left:#?}");
    app.run_tasks().await;
}

async fn backs_up(app: &mut TestApp, home: &Path) -> CompletedBackup {
    let config = BackupConfig { folder: home.join("backups"), keep: 7, is_daily: true };
    app.context.backup = config.clone();
    let ctx = backup::InstallContext {
        db: &app.db,
        storage: &app.context.storage,
        data_dir: &app.settings.data_dir,
        origin: &app.origin,
        secret: &app.settings.secret,
    };
    backup::create_backup(&ctx, &config).await.unwrap()
}

/// Everything of the business in an install that was restored elsewhere.
async fn text_after_restore(app: &TestApp, shop: &Shop, made: &CompletedBackup, home: &Path) -> String {
    restored_elsewhere(app, shop, &made.folder, home).await.unwrap().0
}

/// The same of any folder, with the report of the restore. The install lies in `new`, and `BACKUP_DIR` is `backups`.
async fn restored_elsewhere(
    app: &TestApp,
    shop: &Shop,
    folder: &Path,
    home: &Path,
) -> shared::platform::error::Result<(String, restore::RestoreReport)> {
    let there = TestApp::on_sqlite().await;
    // The two have the same seed: with the same clock they would make the same ids.
    there.advance(app.now() - there.now() + erasure::GRACE);
    let url = format!("sqlite://{}", home.join("new/toolbox.db").display());
    let place = restore::RestoreTarget {
        db: &DbConfig::from_url(&url),
        storage: &there.context.storage,
        data_dir: &home.join("new"),
        backups: &home.join("backups"),
        origin: &there.origin,
        secret: &app.settings.secret,
        is_secret_set: true,
        replaces: true,
        lost_key: false,
    };
    let restored = restore::restore_backup(folder, &place).await;
    there.finish().await;
    let report = restored?;
    let db = Db::connect(&DbConfig::from_url(&url), &SCHEMA).await.unwrap();
    let text = all_text(&db, shop.id()).await;
    db.close().await;
    Ok((text, report))
}

async fn asks_to_erase(app: &TestApp, shop: &Shop, id: CustomerId) {
    app.within(async |tx| erasure::request::request_erasure(tx, &app.origin, shop.id(), id, NAME, None).await)
        .await
        .unwrap();
}

/// The query that every claim of a message asks first, as in the source.
fn recall_question() -> String {
    let source = include_str!("../../shared/src/ops/erasure/opt_outs.rs");
    let from = source.find("SELECT m.org_id, m.channel").expect("the question of `recall`");
    let question = source[from..].split('"').next().unwrap_or_default();
    question.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The query plan. PostgreSQL reads small tables whole, so whether it has an index for the query is checked without
/// that.
async fn plan(db: &Db, message: MessageId) -> String {
    let question = recall_question();
    let (before, after) = question.split_once("$1").unwrap();
    let mut tx = db.begin().await.unwrap();
    if matches!(db, Db::Sqlite { .. }) {
        let rows = qb!(&mut tx, fetch_all as (i64, i64, i64, String), |b| {
            b.push("EXPLAIN QUERY PLAN ").push(before).push_bind(message).push(after);
        });
        return rows.unwrap().into_iter().map(|row| row.3).collect::<Vec<_>>().join("\n");
    }
    q!(&mut tx, execute, "SET LOCAL enable_seqscan = off").unwrap();
    let lines = qb!(&mut tx, fetch_all scalar String, |b| {
        b.push("EXPLAIN ").push(before).push_bind(message).push(after);
    });
    lines.unwrap().join("\n")
}

both_databases! {
    async fn first_query_of_message_claim_uses_indexes_only(app) {
        let (shop, ..) = shop_with_ann(app).await;
        let sql = "SELECT id FROM message WHERE org_id = $1 ORDER BY id LIMIT 1";
        let message = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar MessageId, sql, shop.id()).unwrap();
        let plan = plan(&app.db, message).await;
        // On a table of a few rows PostgreSQL may take any of its indexes.
        assert!(plan.contains("message_by_id") || matches!(app.db, Db::Postgres { .. }), "{plan}");
        assert!(!plan.contains("SCAN ") && !plan.contains("Seq Scan"), "{plan}");
        let is_by_key = ["sqlite_autoindex_erased_opt_out_1 (org_id=?)", "erased_opt_out_pkey"];
        assert!(is_by_key.iter().any(|index| plan.contains(index)), "{plan}");
    }

    async fn erasure_after_grace_period_leaves_no_personal_data(app) {
        let (shop, id, owner) = shop_with_ann(app).await;
        assert!(!traces(&all_text(&app.db, shop.id()).await).is_empty());
        let path = format!("/api/customers/{id}");
        let seen = owner.get(&format!("{path}/personal-data")).await.json();
        assert_eq!((seen["name"].clone(), seen["requests"].clone(), seen["waiting"].clone()), (json!(NAME), json!(1), json!(null)));
        let wrong = owner.post(&format!("{path}/erasure"), &json!({"name": "Ann"})).await;
        assert_eq!(wrong.status, 422, "{}", wrong.json());
        let asked = owner.post(&format!("{path}/erasure"), &json!({"name": NAME})).await;
        assert_eq!(asked.status, 202, "{}", asked.json());
        worker::housekeeping::run_due_erasures(&app.context).await.unwrap();
        assert!(!traces(&all_text(&app.db, shop.id()).await).is_empty(), "the erasure can still be undone");
        erase(app).await;
        let left = traces(&all_text(&app.db, shop.id()).await);
        assert!(left.is_empty(), "{left:#?}");
        let mut conn = app.db.acquire_reader().await.unwrap();
        let whole = shared::domain::tenancy::audit::verify::verify_chain(&mut conn, &app.settings.secret, shop.id(), None, app.now()).await.unwrap();
        drop(conn);
        assert!(whole.ok, "the audit log is whole");
        let page = owner.get(&path).await;
        assert_eq!((page.status.as_u16(), page.json()["name"].clone()), (200, json!("Erased")));
        assert!(owner.get(&format!("{path}/personal-data")).await.json()["erasedAt"].is_string());
        app.run_tasks().await;
    }

    async fn erasure_removes_visitor_origin_from_audit_log_and_chain_stays_whole(app) {
        let (shop, id, _) = shop_with_ann(app).await;
        Visitor::number(7).submits_lead(app, &shop).await;
        let actor = AuditActor { ip: Some("203.0.113.77".into()), user_agent: Some("Ann's browser".into()), ..AuditActor::default() };
        let sql = "SELECT id, customer_id FROM lead WHERE org_id = $1";
        let leads = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all as (uuid::Uuid, Option<CustomerId>), sql, shop.id()).unwrap();
        app.within(async |tx| {
            for (lead, _) in &leads {
                audit::emit_event(tx, &app.origin, &actor, shop.id(), AuditAction::LeadSubmitted, Some(*lead));
            }
            Ok(())
        })
        .await
        .unwrap();
        asks_to_erase(app, &shop, id).await;
        erase(app).await;
        let kept = "SELECT subject_id FROM audit_event WHERE org_id = $1 AND (ip = '203.0.113.77' OR user_agent IS NOT NULL OR origin_salt IS NOT NULL)
            AND subject_id IN (SELECT id FROM lead WHERE org_id = $1)";
        let kept = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar uuid::Uuid, kept, shop.id()).unwrap();
        assert!(!kept.is_empty(), "lines about others stay");
        for (lead, customer) in leads {
            assert_eq!(kept.contains(&lead), customer != Some(id), "only those about Ann lose it");
        }
        let mut conn = app.db.acquire_reader().await.unwrap();
        let whole = audit::verify::verify_chain(&mut conn, &app.settings.secret, shop.id(), None, app.now()).await.unwrap();
        drop(conn);
        assert!(whole.ok, "{}", whole.detail);
        app.run_tasks().await;
    }

    async fn erasure_keeps_send_counts_without_the_addresses(app) {
        let (shop, id, _) = shop_with_ann(app).await;
        let counts = "sms_recipient_window";
        let before = app.count(counts).await;
        assert!(before >= 2, "her number and her email were counted: {before}");
        asks_to_erase(app, &shop, id).await;
        erase(app).await;
        let named = "sms_recipient_window WHERE number LIKE '%5125550142%' OR number LIKE '%ann@customer%'";
        assert_eq!((app.count(counts).await, app.count(named).await), (before, 0));
        app.run_tasks().await;
    }

    async fn erasure_cancelled_within_grace_period_erases_nothing(app) {
        let (shop, id, owner) = shop_with_ann(app).await;
        let path = format!("/api/customers/{id}/erasure");
        owner.post(&path, &json!({"name": NAME})).await;
        let twice = owner.post(&path, &json!({"name": NAME})).await;
        assert_eq!(twice.status, 409);
        app.advance(erasure::GRACE - Duration::milliseconds(1));
        worker::housekeeping::run_due_erasures(&app.context).await.unwrap();
        let owner = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(owner.send(Method::DELETE, &path, "", Vec::new()).await.status, 204);
        erase(app).await;
        assert!(!traces(&all_text(&app.db, shop.id()).await).is_empty());
        let owner = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(owner.send(Method::DELETE, &path, "", Vec::new()).await.status, 404);
        app.run_tasks().await;
    }

    async fn erased_opted_out_customer_is_not_texted_on_new_request(app) {
        let (shop, id, _) = shop_with_ann(app).await;
        let sql = "SELECT phone_e164 FROM customer WHERE org_id = $1";
        let phone = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, sql, shop.id()).unwrap();
        let stop = "INSERT INTO opt_out (org_id, channel, address, state, source, at) VALUES ($1, 'sms', $2, 'stopped', 'text', $3)";
        app.within(async |tx| {
            q!(&mut *tx, execute, stop, shop.id(), &phone, app.now())?;
            erasure::request::request_erasure(tx, &app.origin, shop.id(), id, NAME, None).await
        }).await.unwrap();
        erase(app).await;
        assert!(!all_text(&app.db, shop.id()).await.contains(&phone), "the number is a hash");
        let before = app.sms.accepted_messages().len();
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(app.sms.accepted_messages().len(), before, "nothing is texted to them");
        let mut conn = app.db.acquire_reader().await.unwrap();
        assert!(opt_out::find_opt_out(&mut conn, shop.id(), MessageChannel::Sms, &phone).await.unwrap().is_some());
    }

    async fn data_export_contains_only_that_customer(app) {
        let (shop, id, owner) = shop_with_ann(app).await;
        Visitor::ann().named("Bo Best").phone("(512) 555-0177").email(Some("bo@example.com")).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let answer = owner.get(&format!("/api/customers/{id}/personal-data/export")).await;
        assert_eq!(answer.status, 200);
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(answer.body.clone())).unwrap();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut zip.by_name("data.json").unwrap(), &mut text).unwrap();
        assert!(text.contains(NAME) && !text.contains("Bo Best") && !text.contains("bo@example.com"), "{text}");
        let other = app.org("Best Roofing").await;
        let stranger = app.client().signed_in(app, other.owner()).await;
        assert_eq!(stranger.get(&format!("/api/customers/{id}/personal-data")).await.status, 404);
        assert_eq!(stranger.get(&format!("/api/customers/{id}/personal-data/export")).await.status, 404);
    }

    async fn backup_from_before_erasure_is_restored_without_the_customer(app) {
        is_erased_anew(app, false).await;
    }

    async fn backup_from_grace_period_is_restored_without_the_customer(app) {
        is_erased_anew(app, true).await;
    }
}

/// Every column that may hold a customer's words is listed, with its treatment.
#[tokio::test]
async fn every_column_is_in_the_catalogue_of_personal_data() {
    let app = TestApp::on_sqlite().await;
    let owned: BTreeSet<&str> = tenant_data::tenant_tables().map(|one| one.table).collect();
    let columns: BTreeSet<(String, String)> = describe_schema(&app.db)
        .await
        .unwrap()
        .into_iter()
        .filter(|(table, ..)| owned.contains(table.as_str()))
        .map(|(table, column, _)| (table, column))
        .collect();
    let mut listed: BTreeSet<(String, String)> = BTreeSet::new();
    for place in ERASURE_TARGETS {
        match place.how {
            ErasureAction::DeleteRows => {
                listed.extend(columns.iter().filter(|(table, _)| table == place.table).cloned());
            }
            ErasureAction::ClearColumns(cleared) => {
                listed.extend(cleared.iter().map(|(column, _)| (place.table.to_owned(), (*column).to_owned())));
            }
        }
    }
    listed.extend(BY_HAND.iter().map(|(table, column, _)| ((*table).to_owned(), (*column).to_owned())));
    let apart = NOT_PERSONAL.iter().filter_map(|name| name.split_once('.'));
    listed.extend(apart.map(|(table, column)| (table.to_owned(), column.to_owned())));
    let mut conn = app.db.acquire_reader().await.unwrap();
    let mut missing = Vec::new();
    for table in &owned {
        for column in shared::platform::db::rows::load_table_shape(&mut conn, table).await.unwrap().columns {
            use shared::platform::db::rows::ColumnType;
            let may_hold_words = matches!(column.holds, ColumnType::Text | ColumnType::Json | ColumnType::Bytes);
            if may_hold_words && !listed.contains(&((*table).to_owned(), column.name.clone())) {
                missing.push(format!("{table}.{}", column.name));
            }
        }
    }
    drop(conn);
    assert!(missing.is_empty(), "decide in erasure/catalogue.rs what becomes of them: {missing:?}");
    let stale: Vec<_> = listed.iter().filter(|one| !columns.contains(*one)).collect();
    assert!(stale.is_empty(), "no such column: {stale:?}");
    app.finish().await;
}
