//! An install moves from one database to another, and is put back from a backup of either.

use shared::{
    backup::{self, BackupConfig, House, restore::Place},
    belongings,
    db::{Db, DbConfig, rows},
    outbox::{self, Why},
    relocation,
};
use tests::{app::TestApp, both_databases, database::Postgres};

use super::{is_the_same, lively, worths};

async fn whole_rows(db: &Db, table: &str) -> i64 {
    let mut conn = db.read().await.unwrap();
    let shape = rows::shape(&mut conn, table).await.unwrap();
    rows::count(&mut conn, &shape, None).await.unwrap()
}

async fn is_silent(db: &Db) -> bool {
    outbox::frozen(&mut db.read().await.unwrap()).await.unwrap().is_some()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_install_moves_from_sqlite_to_postgresql_with_every_row() {
    let app = TestApp::on_sqlite().await;
    let shop = lively(&app).await;
    app.seeds_demo().await;
    let postgres = Postgres::migrated().await;
    let to = Db::connect(&DbConfig::at(&postgres.url)).await.unwrap();
    let compared = relocation::relocate(&app.db, &to, app.now()).await.unwrap();
    assert_eq!(compared.len(), belongings::all().count());
    for (table, worth) in &compared {
        let expected = if *table == "outbox_freeze" { 1 } else { whole_rows(&app.db, table).await };
        assert_eq!(worth.rows, expected, "{table}");
    }
    is_the_same(&worths(&app.db, shop.id()).await, &worths(&to, shop.id()).await);
    assert_eq!((is_silent(&app.db).await, is_silent(&to).await), (true, false), "exactly one of the two speaks");
    let again = relocation::relocate(&app.db, &to, app.now()).await.unwrap_err();
    assert!(again.to_string().contains("not empty"), "{again}");
    to.close().await;
    postgres.remove().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_fails_leaves_everything_as_it_was() {
    let app = TestApp::on_sqlite().await;
    lively(&app).await;
    let full = TestApp::on_postgres().await;
    full.org("Best Roofing").await;
    relocation::relocate(&app.db, &full.db, app.now()).await.unwrap_err();
    assert_eq!((is_silent(&app.db).await, is_silent(&full.db).await), (false, false));
    full.run_tasks().await;
    full.finish().await;
    app.finish().await;
}

both_databases! {
    async fn a_backup_of_either_database_is_put_back_on_either(app) {
        let shop = lively(app).await;
        let home = tempfile::tempdir().unwrap();
        let config = BackupConfig { folder: home.path().join("backups"), keep: 7, is_daily: true };
        let house = House {
            db: &app.db,
            storage: &app.context.storage,
            data_dir: &app.settings.data_dir,
            origin: &app.origin,
        };
        let made = backup::log::now(&house, &config).await.unwrap();
        let here = worths(&app.db, shop.id()).await;
        let postgres = Postgres::empty().await;
        let sqlite = backup_address(&home);
        for url in [sqlite, postgres.url.clone()] {
            let there = TestApp::on_sqlite().await;
            let place = Place {
                db: &DbConfig::at(&url),
                storage: &there.context.storage,
                data_dir: home.path(),
                origin: &app.origin,
                replaces: false,
            };
            let restored = backup::restore::restore(&made.folder, &place).await.unwrap();
            assert!(restored.files > 1);
            let db = Db::connect_existing(&DbConfig::at(&url)).await.unwrap();
            assert!(db.is_current().await.unwrap());
            is_the_same(&here, &worths(&db, shop.id()).await);
            let frozen = outbox::frozen(&mut db.read().await.unwrap()).await.unwrap().unwrap();
            assert_eq!((frozen.why, frozen.copied_at), (Why::Restored, made.manifest.made_at));
            db.close().await;
            there.finish().await;
        }
        postgres.remove().await;
    }
}

fn backup_address(home: &tempfile::TempDir) -> String {
    format!("sqlite://{}", home.path().join("restored.db").display())
}
