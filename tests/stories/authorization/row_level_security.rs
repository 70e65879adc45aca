//! Row-level security of PostgreSQL: a query that lacks the business filter returns no other business's rows.
//! `SQLite` has none, and reports that.

use std::{net::SocketAddr, path::Path};

use api::{AppState, auth::OrgMember, error::ApiResult};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{ConnectInfo, State},
    http::Request,
    routing::get,
};
use shared::{
    ops::{schema::SCHEMA, tenant_data},
    platform::{
        config::EnvVars,
        db::{
            AsConn, Db, DbConfig, q, qb,
            tenant_scope::{self, RlsStatus},
        },
        id::OrgId,
    },
};
use sqlx::error::DatabaseError;
use tests::{
    app::TestApp,
    database::Postgres,
    http::COOKIE,
    people::{Person, Shop, Visitor},
};
use tower::ServiceExt;

use super::{fixtures::Fixtures, operations};

mod query_plans;

/// PostgreSQL's error for a row that a policy forbids: `insufficient_privilege`.
const FORBIDDEN: &str = "42501";
/// More than the connections of a pool, so that each is reused repeatedly.
const PARALLEL_REQUESTS: usize = 60;

/// The column that names the business of a row.
fn owner(table: &str) -> &'static str {
    if table == "org" { "id" } else { "org_id" }
}

async fn seen(conn: &mut dyn AsConn, table: &str, org: OrgId) -> i64 {
    qb!(conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*) FROM ").push(table).push(" WHERE ").push(owner(table)).push(" = ").push_bind(org);
    })
    .unwrap()
}

async fn two_shops(app: &mut TestApp) -> (Shop, Shop) {
    let acme = app.org("Acme Plumbing").await;
    let fixtures = Fixtures::of(app, acme.clone()).await;
    fixtures.reset(app, &operations()[0], acme.owner().id).await;
    let best = app.org("Best Roofing").await;
    Visitor::ann().named("Bo of Best").phone("(512) 555-0177").submits_lead(app, &best).await;
    (acme, best)
}

/// Names of all leads, without a business filter.
async fn names(conn: &mut dyn AsConn) -> Vec<String> {
    q!(conn, fetch_all scalar String, "SELECT DISTINCT name FROM lead WHERE name IS NOT NULL ORDER BY name").unwrap()
}

async fn load_status(db: &Db) -> RlsStatus {
    tenant_scope::load_rls_status(db).await.unwrap()
}

fn code(error: &sqlx::Error) -> String {
    error.as_database_error().and_then(DatabaseError::code).map(String::from).unwrap_or_default()
}

#[tokio::test]
async fn tables_hide_the_rows_of_another_business() {
    tenant_scope::across_tenants(Box::pin(async {
        let mut app = TestApp::on_postgres().await;
        let (acme, best) = two_shops(&mut app).await;
        let mut lively = 0;
        for table in tenant_data::tenant_tables().map(|one| one.table) {
            // Work across businesses sees all rows.
            let there = seen(&mut app.db.acquire_reader().await.unwrap(), table, acme.id()).await;
            lively += usize::from(there > 0);
            let (read, written) = tenant_scope::with_tenant(best.id(), async {
                let read = seen(&mut app.db.acquire_reader().await.unwrap(), table, acme.id()).await;
                (read, seen(&mut app.db.begin().await.unwrap(), table, acme.id()).await)
            })
            .await;
            assert_eq!((read, written), (0, 0), "{table} shows another business's rows");
            let own = tenant_scope::with_tenant(acme.id(), async {
                seen(&mut app.db.acquire_reader().await.unwrap(), table, acme.id()).await
            });
            assert_eq!(own.await, there, "{table} hides a business's own rows");
        }
        assert!(lively > 50, "only {lively} tables had rows to hide");
        app.run_tasks().await;
        app.finish().await;
    }))
    .await;
}

#[tokio::test]
async fn rows_of_another_business_cannot_be_changed_removed_or_created() {
    tenant_scope::across_tenants(Box::pin(async {
        let mut app = TestApp::on_postgres().await;
        let (acme, best) = two_shops(&mut app).await;
        let before = seen(&mut app.db.acquire_reader().await.unwrap(), "lead", acme.id()).await;
        tenant_scope::with_tenant(best.id(), async {
            let mut tx = app.db.begin().await.unwrap();
            let own = seen(&mut tx, "lead", best.id()).await;
            let renamed = q!(&mut tx, execute, "UPDATE lead SET name = 'gone'").unwrap();
            assert_eq!(i64::try_from(renamed).unwrap(), own, "a change without a business is of one's own alone");
            assert_eq!(q!(&mut tx, execute, "UPDATE lead SET name = 'x' WHERE org_id = $1", acme.id()).unwrap(), 0);
            assert_eq!(q!(&mut tx, execute, "DELETE FROM customer_key WHERE org_id = $1", acme.id()).unwrap(), 0);
            drop(tx);
            // A row can neither be inserted for another business nor moved to it.
            let mut tx = app.db.begin().await.unwrap();
            let sql =
                "INSERT INTO canned_reply (org_id, id, title, body, created_at) VALUES ($1, $2, 'Hi', 'Hello', $3)";
            let made = q!(&mut tx, execute, sql, acme.id(), app.origin.uuid_v7(), app.now());
            assert_eq!(code(&made.unwrap_err()), FORBIDDEN);
            drop(tx);
            let mut tx = app.db.begin().await.unwrap();
            let given = q!(&mut tx, execute, "UPDATE lead SET org_id = $1", acme.id());
            assert_eq!(code(&given.unwrap_err()), FORBIDDEN);
        })
        .await;
        let mut conn = app.db.acquire_reader().await.unwrap();
        assert_eq!(seen(&mut conn, "lead", acme.id()).await, before);
        assert!(!names(&mut conn).await.contains(&"gone".to_owned()));
        drop(conn);
        app.run_tasks().await;
        app.finish().await;
    }))
    .await;
}

/// A wrong handler, without a business filter.
async fn forgetful(_: OrgMember, State(state): State<AppState>) -> ApiResult<String> {
    let read = names(&mut state.db()?.acquire_reader().await?).await;
    let written = names(&mut state.db()?.begin().await?).await;
    assert_eq!(read, written);
    Ok(read.join(", "))
}

/// The same without a session.
async fn public(State(state): State<AppState>) -> ApiResult<String> {
    Ok(names(&mut state.db()?.acquire_reader().await?).await.join(", "))
}

async fn answer(router: &Router, path: &str, token: &str) -> String {
    let request = Request::get(path).header("host", "toolbox.example").header("cookie", format!("{COOKIE}={token}"));
    let from = SocketAddr::from(([203, 0, 113, 77], 4711));
    let request = request.extension(ConnectInfo(from)).body(Body::empty()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    String::from_utf8(to_bytes(response.into_body(), 10_000).await.unwrap().to_vec()).unwrap()
}

async fn with_ann_and_bo(app: &TestApp) -> [(Shop, Person); 2] {
    let (acme, best) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
    Visitor::ann().submits_lead(app, &acme).await;
    Visitor::ann().named("Bo Best").phone("(512) 555-0177").submits_lead(app, &best).await;
    app.run_tasks().await;
    [acme, best].map(|shop| (shop.clone(), shop.owner().clone()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handler_without_tenant_filter_shows_own_rows_under_concurrency() {
    tenant_scope::across_tenants(Box::pin(async {
        let app = TestApp::on_postgres().await;
        let [(_, ann), (_, bo)] = with_ann_and_bo(&app).await;
        let handlers = Router::new().route("/forgetful", get(forgetful)).route("/public", get(public));
        let router = api::with_layers(handlers, app.state());
        let tokens = [app.signs_in(&ann).await, app.signs_in(&bo).await];
        let asked = (0..PARALLEL_REQUESTS).map(|n| {
            let (router, token) = (router.clone(), tokens[n % 2].clone());
            let (path, expected) = match n % 3 {
                0 => ("/public", "Ann Lee, Bo Best"),
                _ => ("/forgetful", ["Ann Lee", "Bo Best"][n % 2]),
            };
            tokio::spawn(async move { (answer(&router, path, &token).await, expected) })
        });
        for one in asked.collect::<Vec<_>>() {
            let (response_text, expected) = one.await.unwrap();
            assert_eq!(response_text, expected);
        }
        app.finish().await;
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pooled_connection_does_not_keep_its_previous_tenant() {
    tenant_scope::across_tenants(Box::pin(async {
        let app = TestApp::on_postgres().await;
        let [(acme, _), (best, _)] = with_ann_and_bo(&app).await;
        let taken = (0..PARALLEL_REQUESTS).map(|n| {
            let (db, org) = (app.db.clone(), [acme.id(), best.id()][n % 2]);
            tokio::spawn(async move {
                for turn in 0..5 {
                    let work = async {
                        let read = names(&mut db.acquire_reader().await.unwrap()).await;
                        let written = names(&mut db.begin().await.unwrap()).await;
                        assert_eq!(read, written);
                        read.len()
                    };
                    // Requests take turns at a connection, and some look across all businesses.
                    let count = if (n + turn) % 3 == 0 {
                        tenant_scope::across_tenants(work).await
                    } else {
                        tenant_scope::with_tenant(org, work).await
                    };
                    assert_eq!(count, if (n + turn) % 3 == 0 { 2 } else { 1 });
                }
            })
        });
        for one in taken.collect::<Vec<_>>() {
            one.await.unwrap();
        }
        app.finish().await;
    }))
    .await;
}

#[tokio::test]
async fn task_naming_a_message_of_another_business_sends_nothing() {
    tenant_scope::across_tenants(Box::pin(async {
        let app = TestApp::on_postgres().await;
        let (acme, best) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        Visitor::ann().submits_lead(&app, &acme).await;
        let sql = "UPDATE task SET org_id = $1 WHERE kind IN ('send_message', 'send_email')";
        let turned = app.within(async |tx| Ok(q!(tx, execute, sql, best.id())?)).await.unwrap();
        assert!(turned > 0);
        app.run_tasks().await;
        assert_eq!((app.sms.accepted_messages().len(), app.mail.accepted_messages().len()), (0, 0));
        let sql = "SELECT COUNT(*) FROM message WHERE org_id = $1 AND status = 'queued'";
        let waiting = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, acme.id()).unwrap();
        assert!(waiting > 0, "the queued messages are still unsent");
        app.finish().await;
    }))
    .await;
}

#[tokio::test]
async fn missing_row_policy_is_restored_at_start_and_superuser_is_reported() {
    tenant_scope::across_tenants(Box::pin(async {
        let postgres = Postgres::migrated().await;
        let serving = Db::connect(&DbConfig::from_url(&postgres.url), &SCHEMA).await.unwrap();
        assert_eq!(load_status(&serving).await, RlsStatus::Enforced);
        serving.close().await;
        let db = Db::connect(&DbConfig::from_url(&postgres.as_owner()), &SCHEMA).await.unwrap();
        assert_eq!(load_status(&db).await, RlsStatus::OwnedTables);
        let mut tx = db.begin().await.unwrap();
        q!(&mut tx, execute, "DROP POLICY own_business ON lead").unwrap();
        q!(&mut tx, execute, "ALTER TABLE message NO FORCE ROW LEVEL SECURITY").unwrap();
        tx.commit().await.unwrap();
        assert_eq!(load_status(&db).await, RlsStatus::MissingPolicies(2));
        // Several may start at once.
        let (one, other) = tokio::join!(db.migrate(), db.migrate());
        one.unwrap();
        other.unwrap();
        assert_eq!(load_status(&db).await, RlsStatus::OwnedTables);
        db.close().await;
        let above = Db::connect(&DbConfig::from_url(&postgres.as_superuser()), &SCHEMA).await.unwrap();
        assert_eq!(load_status(&above).await, RlsStatus::Bypassed);
        above.close().await;
        postgres.remove().await;
    }))
    .await;
}

/// With the serving role at the primary, and another one at the replica.
async fn reports_of(postgres: &Postgres, reports: &str) -> Db {
    let pairs = [("DATABASE_URL", postgres.url.as_str()), ("DATABASE_REPORTS_URL", reports)];
    let mut vars = EnvVars::from_pairs(pairs);
    let config = DbConfig::from_vars(&mut vars, Path::new("/nowhere"));
    vars.into_result().unwrap();
    Db::connect(&config.without_data_dir(), &SCHEMA).await.unwrap()
}

async fn load_reports_status(postgres: &Postgres, reports: &str) -> (RlsStatus, Option<RlsStatus>) {
    let db = reports_of(postgres, reports).await;
    let found = (load_status(&db).await, tenant_scope::load_reports_rls_status(&db).await.unwrap());
    db.close().await;
    found
}

#[tokio::test]
async fn role_of_the_reports_is_examined_like_the_serving_role() {
    tenant_scope::across_tenants(Box::pin(async {
        let postgres = Postgres::migrated().await;
        let only = Db::connect(&DbConfig::from_url(&postgres.url), &SCHEMA).await.unwrap();
        assert_eq!(tenant_scope::load_reports_rls_status(&only).await.unwrap(), None, "there is no replica");
        only.close().await;
        let (serving, owner, above) = (postgres.url.clone(), postgres.as_owner(), postgres.as_superuser());
        for (reports, found) in
            [(&serving, RlsStatus::Enforced), (&owner, RlsStatus::OwnedTables), (&above, RlsStatus::Bypassed)]
        {
            assert_eq!(load_reports_status(&postgres, reports).await, (RlsStatus::Enforced, Some(found)));
        }
        let away = "postgres://toolbox_app@127.0.0.1:1/postgres";
        assert_eq!(load_reports_status(&postgres, away).await, (RlsStatus::Enforced, None), "it does not answer");
        let db = Db::connect(&DbConfig::from_url(&owner), &SCHEMA).await.unwrap();
        let mut tx = db.begin().await.unwrap();
        q!(&mut tx, execute, "ALTER TABLE message NO FORCE ROW LEVEL SECURITY").unwrap();
        tx.commit().await.unwrap();
        db.close().await;
        assert_eq!(load_reports_status(&postgres, &owner).await.1, Some(RlsStatus::MissingPolicies(1)));
        postgres.remove().await;
    }))
    .await;
}

#[tokio::test]
async fn security_report_names_the_role_of_the_reports_that_bypasses_policies() {
    tenant_scope::across_tenants(Box::pin(async {
        let postgres = Postgres::migrated().await;
        let app = TestApp::on(&postgres).await;
        let shop = app.org("Acme Plumbing").await;
        let db = reports_of(&postgres, &postgres.as_superuser()).await;
        let owner = app.client_on(db.clone()).signed_in(&app, shop.owner()).await;
        let report = owner.get("/api/security/report").await.json();
        let controls = report["security_measures"]["data_protection"].as_array().unwrap().clone();
        let found = controls.iter().find(|one| one["name"].as_str().unwrap().contains("row-level security")).unwrap();
        assert_eq!(found["ok"], false, "{found}");
        assert_eq!(found["detail"], "the database role for reports passes by every policy");
        db.close().await;
        app.run_tasks().await;
        app.finish().await;
        postgres.remove().await;
    }))
    .await;
}

#[tokio::test]
async fn sqlite_has_no_row_level_security_and_the_report_omits_it() {
    tenant_scope::across_tenants(Box::pin(async {
        for (app, is_enforced) in [(TestApp::on_sqlite().await, false), (TestApp::on_postgres().await, true)] {
            let shop = app.org("Acme Plumbing").await;
            let report = app.client().signed_in(&app, shop.owner()).await.get("/api/security/report").await.json();
            let controls = report["security_measures"]["data_protection"].as_array().unwrap().clone();
            let found =
                controls.iter().find(|control| control["name"].as_str().unwrap().contains("row-level security"));
            assert_eq!(found.map(|control| control["ok"].as_bool().unwrap()), is_enforced.then_some(true), "{report}");
            assert_eq!(
                load_status(&app.db).await,
                if is_enforced { RlsStatus::Enforced } else { RlsStatus::Unsupported }
            );
            app.run_tasks().await;
            app.finish().await;
        }
    }))
    .await;
}

/// A business with one record of every kind, and the serving role without a business set.
#[tokio::test]
async fn serving_role_owns_nothing_and_without_tenant_accesses_nothing() {
    let (app, acme) = tenant_scope::across_tenants(Box::pin(async {
        let mut app = TestApp::on_postgres().await;
        let (acme, _) = two_shops(&mut app).await;
        (app, acme)
    }))
    .await;
    for table in tenant_data::tenant_tables().map(|one| one.table) {
        let mut tx = app.db.begin().await.unwrap();
        assert_eq!(seen(&mut tx, table, acme.id()).await, 0, "{table} is shown to who says nothing");
        let any = qb!(&mut tx, fetch_one scalar i64, |b| {
            b.push("SELECT COUNT(*) FROM ").push(table);
        });
        assert_eq!(any.unwrap(), 0, "{table} is shown to who says nothing");
        let column = owner(table);
        for sql in [format!("UPDATE {table} SET {column} = {column}"), format!("DELETE FROM {table}")] {
            let changed = qb!(&mut tx, execute, |b| {
                b.push(&sql);
            });
            assert_eq!(changed.unwrap(), 0, "{sql}");
        }
    }
    let sql = "INSERT INTO canned_reply (org_id, id, title, body, created_at) VALUES ($1, $2, 'Hi', 'Hello', $3)";
    let mut tx = app.db.begin().await.unwrap();
    let made = q!(&mut tx, execute, sql, acme.id(), app.origin.uuid_v7(), app.now());
    assert_eq!(code(&made.unwrap_err()), FORBIDDEN, "nothing is made by who says nothing");
    drop(tx);
    for sql in [
        "ALTER TABLE lead DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE lead NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY own_business ON lead",
        "CREATE POLICY mine ON lead USING (TRUE)",
        "DROP TABLE lead",
        "ALTER TABLE lead ADD COLUMN mine TEXT",
        "CREATE TABLE mine (id BIGINT)",
        "CREATE FUNCTION mine() RETURNS BIGINT LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
        "TRUNCATE lead",
        "SET ROLE toolbox",
        "ALTER ROLE toolbox_app BYPASSRLS",
        "DELETE FROM _sqlx_migrations",
    ] {
        let mut tx = app.db.begin().await.unwrap();
        let tried = qb!(&mut tx, execute, |b| {
            b.push(sql);
        });
        assert_eq!(code(&tried.unwrap_err()), FORBIDDEN, "{sql}");
    }
    tenant_scope::across_tenants(Box::pin(async {
        assert!(seen(&mut app.db.acquire_reader().await.unwrap(), "lead", acme.id()).await > 0);
        app.run_tasks().await;
        app.finish().await;
    }))
    .await;
}
