//! An install that moves to another database, or is restored from a backup of either.

use std::time::Duration as StdDuration;

use chrono::Duration;
use shared::{
    ops::{
        backup::{self, BackupConfig, InstallContext, restore::RestoreTarget},
        db_transfer,
        schema::SCHEMA,
        send_freeze::{self, FreezeReason},
        tenant_data,
    },
    platform::db::{Db, DbConfig, disable_idle_timeout, q, rows, tenant_scope},
};
use tests::{app::TestApp, both_databases, database::Postgres};

use super::{is_the_same, lively, worths};

/// A story stops its programs before it moves.
const AT_ONCE: StdDuration = StdDuration::ZERO;

async fn whole_rows(db: &Db, table: &str) -> i64 {
    let mut conn = db.acquire_reader().await.unwrap();
    let shape = rows::load_table_shape(&mut conn, table).await.unwrap();
    rows::count_rows(&mut conn, &shape, None).await.unwrap()
}

async fn is_silent(db: &Db) -> bool {
    send_freeze::find_freeze(&mut db.acquire_reader().await.unwrap()).await.unwrap().is_some()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn install_moves_from_sqlite_to_postgresql_with_every_row() {
    tenant_scope::across_tenants(Box::pin(async {
        let app = TestApp::on_sqlite().await;
        let shop = lively(&app).await;
        app.seeds_demo().await;
        let postgres = Postgres::migrated().await;
        let to = Db::connect(&DbConfig::from_url(&postgres.url), &SCHEMA).await.unwrap();
        let compared = db_transfer::move_install(&app.db, &to, &app.origin, AT_ONCE).await.unwrap();
        assert_eq!(compared.len(), tenant_data::all_tables().count());
        for (table, worth) in &compared {
            let expected = if *table == "send_freeze" { 1 } else { whole_rows(&app.db, table).await };
            assert_eq!(worth.rows, expected, "{table}");
        }
        is_the_same(&worths(&app.db, shop.id()).await, &worths(&to, shop.id()).await);
        assert_eq!((is_silent(&app.db).await, is_silent(&to).await), (true, false), "exactly one of the two speaks");
        let again = db_transfer::move_install(&app.db, &to, &app.origin, AT_ONCE).await.unwrap_err();
        assert!(again.to_string().contains("earlier move"), "{again}");
        to.close().await;
        postgres.remove().await;
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_move_leaves_both_databases_unfrozen() {
    tenant_scope::across_tenants(Box::pin(async {
        let app = TestApp::on_sqlite().await;
        lively(&app).await;
        let full = TestApp::on_postgres().await;
        full.org("Best Roofing").await;
        db_transfer::move_install(&app.db, &full.db, &app.origin, AT_ONCE).await.unwrap_err();
        assert_eq!((is_silent(&app.db).await, is_silent(&full.db).await), (false, false));
        full.run_tasks().await;
        full.finish().await;
        app.finish().await;
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn interrupted_move_is_refused_until_outbox_is_released() {
    tenant_scope::across_tenants(Box::pin(async {
        let app = TestApp::on_sqlite().await;
        lively(&app).await;
        // The state that a process leaves when it is killed during a move.
        app.within(async |tx| send_freeze::freeze_sending(tx, &app.origin, FreezeReason::Moved, app.now()).await)
            .await
            .unwrap();
        let to = TestApp::on_postgres().await;
        let refused = db_transfer::move_install(&app.db, &to.db, &app.origin, AT_ONCE).await.unwrap_err();
        assert!(refused.to_string().contains("api release-outbox"), "{refused}");
        app.within(async |tx| send_freeze::release_freeze(tx, &app.origin).await).await.unwrap();
        db_transfer::move_install(&app.db, &to.db, &app.origin, AT_ONCE).await.unwrap();
        assert_eq!((is_silent(&app.db).await, is_silent(&to.db).await), (true, false));
        to.finish().await;
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn move_is_refused_while_worker_is_running() {
    tenant_scope::across_tenants(Box::pin(async {
        let (app, to) = (TestApp::on_sqlite().await, TestApp::on_postgres().await);
        lively(&app).await;
        shared::ops::system_status::record_heartbeat(
            &app.db,
            &app.origin,
            "worker",
            &shared::ops::system_status::WorkerMetrics::default(),
        )
        .await
        .unwrap();
        let refused = db_transfer::move_install(&app.db, &to.db, &app.origin, AT_ONCE).await.unwrap_err();
        assert!(refused.to_string().contains("Stop both programs"), "{refused}");
        assert!(!is_silent(&app.db).await, "it goes on as before");
        app.advance(Duration::minutes(3));
        db_transfer::move_install(&app.db, &to.db, &app.origin, AT_ONCE).await.unwrap();
        to.run_tasks().await;
        to.finish().await;
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restored_install_stays_frozen_after_move() {
    tenant_scope::across_tenants(Box::pin(async {
        let (app, to) = (TestApp::on_sqlite().await, TestApp::on_postgres().await);
        lively(&app).await;
        app.within(async |tx| send_freeze::freeze_sending(tx, &app.origin, FreezeReason::Restored, app.now()).await)
            .await
            .unwrap();
        db_transfer::move_install(&app.db, &to.db, &app.origin, AT_ONCE).await.unwrap();
        let why = async |db: &Db| {
            send_freeze::find_freeze(&mut db.acquire_reader().await.unwrap()).await.unwrap().unwrap().why
        };
        assert_eq!((why(&app.db).await, why(&to.db).await), (FreezeReason::Moved, FreezeReason::Restored));
        to.finish().await;
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn database_copy_runs_without_idle_transaction_timeout() {
    tenant_scope::across_tenants(Box::pin(async {
        let (from, to) = (TestApp::on_postgres().await, TestApp::on_postgres().await);
        lively(&from).await;
        // A PostgreSQL trigger raises an error for a row whose transaction could be ended by the idle timeout.
        let watch = "CREATE FUNCTION is_patient() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF current_setting('idle_in_transaction_session_timeout') <> '0' THEN RAISE 'it would be cut off'; END IF;
            RETURN NEW; END $$";
        let set = "CREATE TRIGGER patient BEFORE INSERT ON org FOR EACH ROW EXECUTE FUNCTION is_patient()";
        let owner = Db::connect(&to.owner().unwrap(), &SCHEMA).await.unwrap();
        let mut tx = owner.begin().await.unwrap();
        q!(&mut tx, execute, watch).unwrap();
        q!(&mut tx, execute, set).unwrap();
        tx.commit().await.unwrap();
        owner.close().await;
        let copied = db_transfer::copy_all_rows(&from.db, &to.db).await;
        assert!(copied.is_ok(), "{copied:?}");
        let mut source = from.db.begin_snapshot().await.unwrap();
        let asked = "SELECT current_setting('idle_in_transaction_session_timeout')";
        assert_eq!(q!(&mut source, fetch_one scalar String, asked).unwrap(), "10s", "as a rule nobody waits");
        disable_idle_timeout(&mut source).await.unwrap();
        assert_eq!(q!(&mut source, fetch_one scalar String, asked).unwrap(), "0");
        drop(source);
        from.finish().await;
        to.finish().await;
    }))
    .await;
}

both_databases! {
    async fn backup_restores_onto_either_database_engine(app) {
        let shop = lively(app).await;
        let home = tempfile::tempdir().unwrap();
        let config = BackupConfig { folder: home.path().join("backups"), keep: 7, is_daily: true };
        let ctx = InstallContext {
            db: &app.db,
            storage: &app.context.storage,
            data_dir: &app.settings.data_dir,
            origin: &app.origin,
            secret: &app.settings.secret,
        };
        let made = backup::log::run_backup_now(&ctx, &config).await.unwrap();
        let here = worths(&app.db, shop.id()).await;
        let postgres = Postgres::empty().await;
        let sqlite = backup_address(&home);
        for url in [sqlite, postgres.url.clone()] {
            let there = TestApp::on_sqlite().await;
            let place = RestoreTarget {
                db: &DbConfig::from_url(&url),
                storage: &there.context.storage,
                data_dir: home.path(),
                backups: &config.folder,
                origin: &app.origin,
                secret: &app.settings.secret,
                is_secret_set: true,
                replaces: false,
                lost_key: false,
            };
            let restored = backup::restore::restore_backup(&made.folder, &place).await.unwrap();
            assert!(restored.files > 1);
            let db = Db::connect_existing(&DbConfig::from_url(&url), &SCHEMA).await.unwrap();
            assert!(db.is_schema_current().await.unwrap());
            is_the_same(&here, &worths(&db, shop.id()).await);
            let frozen = send_freeze::find_freeze(&mut db.acquire_reader().await.unwrap()).await.unwrap().unwrap();
            assert_eq!((frozen.why, frozen.copied_at), (FreezeReason::Restored, made.manifest.made_at));
            db.close().await;
            there.finish().await;
        }
        postgres.remove().await;
    }
}

fn backup_address(home: &tempfile::TempDir) -> String {
    format!("sqlite://{}", home.path().join("restored.db").display())
}
