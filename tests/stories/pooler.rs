//! Behind a pooler in transaction mode: nothing depends on what a server connection kept from an earlier transaction,
//! and a pooler that does not fit is named.

use std::net::SocketAddr;

use shared::{
    domain::tenancy::account::Role,
    ops::schema::SCHEMA,
    platform::{
        config::EnvVars,
        db::{Db, DbConfig, SessionMode, q, tenant_scope},
        error::{Error, Result},
    },
};
use tests::{
    app::TestApp,
    database::Postgres,
    people::{Shop, Visitor},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

const REFUSED_SETTING: &str = "unsupported startup parameter: extra_float_digits";
const REFUSED_BLOCK: &str = "transaction blocks not allowed in statement pooling mode";

fn config(pairs: &[(&str, &str)]) -> DbConfig {
    let mut vars = EnvVars::from_pairs(pairs.iter().copied());
    let config = DbConfig::from_vars(&mut vars, std::path::Path::new("/nowhere"));
    vars.into_result().unwrap();
    config.without_data_dir()
}

async fn refusal(config: &DbConfig) -> String {
    match Db::connect(config, &SCHEMA).await {
        Err(Error::Refused(why) | Error::Unavailable(why)) => why,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was not refused"),
    }
}

/// Reads of both businesses see their own rows and no others.
async fn sees_only_its_own(app: &TestApp, shop: &Shop, leads: i64) {
    let read = async {
        let mut conn = app.db.acquire_reader().await?;
        let all = q!(&mut conn, fetch_one scalar i64, "SELECT COUNT(*) FROM lead")?;
        let again = q!(&mut conn, fetch_one scalar i64, "SELECT COUNT(*) FROM lead WHERE org_id = $1", shop.id())?;
        let mut point = app.db.acquire_point_reader().await?;
        let pointed = q!(&mut point, fetch_one scalar i64, "SELECT COUNT(*) FROM lead")?;
        let mut snapshot = app.db.begin_snapshot().await?;
        let unmoved = q!(&mut snapshot, fetch_one scalar i64, "SELECT COUNT(*) FROM lead")?;
        Ok::<_, Error>([all, again, pointed, unmoved])
    };
    assert_eq!(tenant_scope::with_tenant(shop.id(), read).await.unwrap(), [leads; 4]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leads_are_taken_and_answered_without_any_session_state() {
    tenant_scope::across_tenants(Box::pin(async {
        let app = TestApp::on_pooled_postgres().await;
        let (acme, other) = (app.org("Acme Plumbing").await, app.org("Other Roofing").await);
        for number in 1..=12 {
            Visitor::number(number).submits_lead(&app, &acme).await;
        }
        let lead = Visitor::number(13).submits_lead(&app, &other).await;
        app.run_tasks().await;
        assert!(!app.outbox(other.id(), lead).await.is_empty());
        for _ in 0..20 {
            sees_only_its_own(&app, &acme, 12).await;
            sees_only_its_own(&app, &other, 1).await;
        }
        let unnamed = tokio::spawn({
            let db = app.db.clone();
            async move {
                Ok::<_, Error>(q!(&mut db.acquire_reader().await?, fetch_one scalar i64, "SELECT COUNT(*) FROM lead")?)
            }
        });
        assert_eq!(unnamed.await.unwrap().unwrap(), 0, "no scope is left over from another transaction");
        let office = app.client().signed_in(&app, acme.owner()).await;
        for path in ["/api/customers", "/api/kpis/acme-plumbing", "/api/daily-metrics/acme-plumbing", "/api/jobs"] {
            let answer = office.get(path).await;
            assert!(answer.status.is_success(), "{path}: {}", answer.status);
        }
        app.staff(&acme, Role::Office).await;
        app.finish().await;
    }))
    .await;
}

#[tokio::test]
async fn pooled_commits_are_durable_and_no_statement_gets_a_name() {
    tenant_scope::across_tenants(Box::pin(async {
        let app = TestApp::on_pooled_postgres().await;
        let Db::Postgres { sessions, .. } = &app.db else { panic!("PostgreSQL") };
        assert_eq!(*sessions, SessionMode::PerTransaction { has_named_statements: false });
        let setting = "SELECT current_setting('synchronous_commit') || ' ' || current_setting('idle_in_transaction_session_timeout')";
        let mut tx = app.db.begin().await.unwrap();
        assert_eq!(q!(&mut tx, fetch_one scalar String, setting).unwrap(), "on 10s");
        let named = "SELECT COUNT(*) FROM pg_prepared_statements WHERE name <> ''";
        assert_eq!(q!(&mut tx, fetch_one scalar i64, named).unwrap(), 0);
        tx.commit().await.unwrap();
        let mut tx = app.db.begin_contended().await.unwrap();
        assert_eq!(q!(&mut tx, fetch_one scalar String, setting).unwrap(), "off 10s");
        tx.commit().await.unwrap();
        app.finish().await;
    }))
    .await;
}

#[tokio::test]
async fn listen_address_of_another_database_is_refused() {
    let (right, wrong) = (Postgres::migrated().await, Postgres::empty().await);
    let why =
        refusal(&config(&[("DATABASE_URL", right.url.as_str()), ("DATABASE_LISTEN_URL", wrong.url.as_str())])).await;
    assert!(why.contains("DATABASE_LISTEN_URL does not hear"), "{why}");
    right.remove().await;
    wrong.remove().await;
}

#[tokio::test]
async fn pooler_without_its_setting_is_named() {
    let pooler = Fake::start(Some(("08P01", REFUSED_SETTING))).await;
    let why = refusal(&config(&[("DATABASE_URL", pooler.url().as_str())])).await;
    assert!(why.contains("DATABASE_POOLER=transaction") && why.contains("DATABASE_LISTEN_URL"), "{why}");
}

#[tokio::test]
async fn pooler_in_statement_mode_is_named() {
    let pooler = Fake::start(None).await;
    let url = pooler.url();
    let through_pooler =
        [("DATABASE_URL", url.as_str()), ("DATABASE_LISTEN_URL", url.as_str()), ("DATABASE_POOLER", "transaction")];
    let why = refusal(&config(&through_pooler)).await;
    assert!(why.contains("statement mode"), "{why}");
}

#[tokio::test]
async fn server_without_a_free_connection_is_named_with_what_to_do() {
    let server = Fake::start(Some(("53300", "sorry, too many clients already"))).await;
    let why = refusal(&config(&[("DATABASE_URL", server.url().as_str())])).await;
    assert!(why.contains("no free connection") && why.contains("DATABASE_WRITE_CONNECTIONS"), "{why}");
}

/// A server that refuses every connection, or takes it and refuses every statement as a pooler in statement mode.
struct Fake {
    address: SocketAddr,
}

impl Fake {
    async fn start(refuses: Option<(&'static str, &'static str)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((io, _)) = listener.accept().await {
                // A client that goes away ends its conversation.
                tokio::spawn(async move { drop(converse(io, refuses).await) });
            }
        });
        Self { address }
    }

    fn url(&self) -> String {
        format!("postgres://toolbox:hushhush@{}/toolbox?sslmode=disable", self.address)
    }
}

async fn converse(mut io: TcpStream, refuses: Option<(&str, &str)>) -> std::io::Result<()> {
    let length = usize::try_from(io.read_u32().await?).unwrap();
    io.read_exact(&mut vec![0; length - 4]).await?;
    if let Some((code, message)) = refuses {
        return io.write_all(&error_message(code, message)).await;
    }
    // AuthenticationOk and ReadyForQuery.
    let ready = b"Z\0\0\0\x05I";
    io.write_all(b"R\0\0\0\x08\0\0\0\0").await?;
    io.write_all(ready).await?;
    loop {
        io.read_u8().await?;
        let length = usize::try_from(io.read_u32().await?).unwrap();
        io.read_exact(&mut vec![0; length - 4]).await?;
        io.write_all(&error_message("08P01", REFUSED_BLOCK)).await?;
        io.write_all(ready).await?;
    }
}

/// `ErrorResponse` of the protocol.
fn error_message(code: &str, message: &str) -> Vec<u8> {
    let fields = format!("SFATAL\0VFATAL\0C{code}\0M{message}\0\0");
    let length = u32::try_from(fields.len() + 4).unwrap();
    [b"E".as_slice(), &length.to_be_bytes(), fields.as_bytes()].concat()
}

/// A replica that is away: the primary answers.
#[tokio::test]
async fn report_is_read_from_the_primary_while_the_replica_is_away() -> Result<()> {
    tenant_scope::across_tenants(Box::pin(async {
        let postgres = Postgres::migrated().await;
        let away = Fake::start(Some(("57P03", "the database system is starting up"))).await;
        let away = away.url();
        let reports = [("DATABASE_URL", postgres.url.as_str()), ("DATABASE_REPORTS_URL", away.as_str())];
        let db = Db::connect(&config(&reports), &SCHEMA).await?;
        let mut reader = db.acquire_report_reader().await?;
        assert_eq!(q!(&mut reader, fetch_one scalar i64, "SELECT COUNT(*) FROM lead")?, 0);
        drop(reader);
        db.close().await;
        let reports = [("DATABASE_URL", postgres.url.as_str()), ("DATABASE_REPORTS_URL", postgres.url.as_str())];
        let db = Db::connect(&config(&reports), &SCHEMA).await?;
        let mut reader = db.acquire_report_reader().await?;
        reader.use_primary_after(Error::Unavailable("the replica ended a query".to_owned())).await?;
        assert_eq!(q!(&mut reader, fetch_one scalar i64, "SELECT COUNT(*) FROM lead")?, 0);
        assert!(reader.use_primary_after(Error::Unavailable("the primary is away".to_owned())).await.is_err());
        drop(reader);
        db.close().await;
        postgres.remove().await;
        Ok(())
    }))
    .await
}
