//! Pools and transactions of PostgreSQL.

use std::{str::FromStr, time::Duration};

use futures::TryFutureExt;
use sqlx::{
    ConnectOptions, Executor, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};

use super::{
    Db, DbConfig, PooledConn, Schema,
    connect::ACQUIRE_TIMEOUT,
    empty_database,
    flush::SharedFlush,
    pooler::{
        SESSION_MARK, ServerAddress, SessionMode, check_listener, check_session, check_transaction_mode,
        explain_connect_error,
    },
    tenant_scope::{self, ScopedTx},
};
use crate::error::Result;

/// A process stalled inside a transaction (stopped machine, frozen container) would hold its rows for ever; PostgreSQL
/// aborts it after this time. Our transactions wait for nothing but the database.
const IDLE_IN_TRANSACTION: (&str, &str) = ("idle_in_transaction_session_timeout", "10s");
/// Overrides server, database and role settings: a commit must be on disk before it is answered. A claim lost in a
/// server crash would send a text twice.
const DURABLE: (&str, &str) = ("synchronous_commit", "on");
/// A generic plan assumes an average business and uses the largest: it sorts all of 100,000 jobs to show the newest
/// hundred. Readers therefore plan each query, which costs less than a millisecond; writers touch single rows, where
/// any plan is good.
const CUSTOM_PLANS: (&str, &str) = ("plan_cache_mode", "force_custom_plan");
/// LISTEN, and a migration beside it. Connections are opened when they are asked for.
const DIRECT_CONNECTIONS: u32 = 2;
/// After a migration its connection is closed.
const DIRECT_IDLE: Duration = Duration::from_secs(10);
/// Wait for a connection to the replica; then the primary answers.
const REPORTS_TIMEOUT: Duration = Duration::from_secs(1);
/// Size of the statement cache of one connection where the pooler keeps the statements: below the pooler's own limit.
const POOLED_STATEMENTS: usize = 100;

/// How a transaction begins, and what it sets where its connection does not keep the settings of [`session_options`].
#[derive(Clone, Copy)]
pub(super) struct TxKind {
    begin: &'static str,
    /// Of every transaction of this kind.
    always: &'static str,
    /// Behind a pooler in transaction mode.
    per_transaction: &'static str,
}

/// It holds no rows, so it may rest longer than a writer.
pub(super) const READER: TxKind = TxKind {
    begin: "BEGIN READ ONLY",
    always: "",
    per_transaction: "; SET LOCAL idle_in_transaction_session_timeout = '60s'; SET LOCAL plan_cache_mode = force_custom_plan",
};
pub(super) const POINT_READER: TxKind =
    TxKind { per_transaction: "; SET LOCAL idle_in_transaction_session_timeout = '60s'", ..READER };
pub(super) const SNAPSHOT: TxKind = TxKind {
    begin: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    always: "",
    per_transaction: "; SET LOCAL idle_in_transaction_session_timeout = '10s'; SET LOCAL plan_cache_mode = force_custom_plan",
};
pub(super) const WRITER: TxKind = TxKind {
    begin: "BEGIN",
    always: "",
    per_transaction: "; SET LOCAL idle_in_transaction_session_timeout = '10s'; SET LOCAL synchronous_commit = on",
};
/// Its commit does not wait for the disk ([`super::flush`]).
pub(super) const CONTENDED_WRITER: TxKind = TxKind {
    begin: "BEGIN",
    always: "; SET LOCAL synchronous_commit = off",
    per_transaction: "; SET LOCAL idle_in_transaction_session_timeout = '10s'",
};

impl TxKind {
    pub(super) async fn begin_tx(self, pool: &PgPool, sessions: SessionMode) -> sqlx::Result<ScopedTx> {
        let Self { begin, always, per_transaction } = self;
        let mut more = always.to_owned();
        if sessions.is_per_transaction() {
            more.push_str(per_transaction);
        }
        tenant_scope::begin_scoped(pool, begin, &more, sessions.has_named_statements()).await
    }
}

/// A connection for reading: behind a pooler in transaction mode a transaction, which alone stays on one server
/// connection.
pub(super) async fn acquire_in(pool: &PgPool, sessions: SessionMode, kind: TxKind) -> Result<PooledConn> {
    Ok(match sessions {
        SessionMode::Kept => PooledConn::Postgres(pool.acquire().await?),
        SessionMode::PerTransaction { .. } => PooledConn::PostgresTx(kind.begin_tx(pool, sessions).await?),
    })
}

/// Connections that keep their settings.
fn session_options(url: &str) -> Result<PgConnectOptions> {
    let options = PgConnectOptions::from_str(url)?.application_name("toolbox");
    Ok(options.options([IDLE_IN_TRANSACTION, DURABLE, SESSION_MARK]).disable_statement_logging())
}

/// Connections to a pooler, which refuses settings of a session.
fn pooled_options(url: &str) -> Result<PgConnectOptions> {
    let options = PgConnectOptions::from_str(url)?.application_name("toolbox").extra_float_digits(None::<i8>);
    Ok(options.disable_statement_logging())
}

/// The tenant setting is sent on each checkout. A dead connection fails there; no liveness check is needed.
fn session_pool(most: u32) -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(most)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .test_before_acquire(false)
        .before_acquire(|conn, _| Box::pin(async move { tenant_scope::apply_scope(conn).await.map(|()| true) }))
        .after_connect(|conn, _| Box::pin(tenant_scope::apply_scope(conn)))
}

/// A dead connection is noticed by the `BEGIN` of the next transaction.
fn transaction_pool(most: u32, discards_sessions: bool) -> PgPoolOptions {
    let pool = PgPoolOptions::new().max_connections(most).acquire_timeout(ACQUIRE_TIMEOUT).test_before_acquire(false);
    if !discards_sessions {
        return pool;
    }
    pool.after_release(|conn, _| Box::pin(async move { conn.execute("DISCARD ALL").await.map(|_| true) }))
}

impl Db {
    pub(super) async fn open_postgres(config: &DbConfig, schema: &'static Schema) -> Result<Self> {
        let server = &config.server;
        let listen_url = server.listen_url.as_deref();
        let direct_options = session_options(listen_url.unwrap_or(&config.url))?;
        let direct =
            session_pool(DIRECT_CONNECTIONS).idle_timeout(DIRECT_IDLE).connect_lazy_with(direct_options.clone());
        let (read, write, sessions) = if config.is_pooled() {
            Box::pin(open_behind_pooler(config)).await?
        } else {
            Box::pin(open_sessions(config)).await?
        };
        if listen_url.is_some() {
            Box::pin(check_session(&direct_options, ServerAddress::ListenUrl)).await?;
            Box::pin(check_listener(&direct, &write)).await?;
        }
        let reports =
            server.reports_url.as_deref().map(|url| open_reports(url, server.read_connections)).transpose()?;
        let flush = SharedFlush::for_pool(direct.clone());
        let db = Self::Postgres { read, write, direct, reports, flush, sessions, schema };
        if let Some(data_dir) = &config.data_dir {
            if db.has_schema().await? {
                config.mark_installed();
            } else if empty_database::is_install_marked(data_dir) {
                db.close().await;
                return Err(empty_database::empty_postgres_error(data_dir));
            }
        }
        Ok(db)
    }
}

type ServerPools = (PgPool, PgPool, SessionMode);

async fn open_sessions(config: &DbConfig) -> Result<ServerPools> {
    let options = session_options(&config.url)?;
    let explain = |e| explain_connect_error(e, ServerAddress::Url);
    let write = session_pool(config.server.write_connections).connect_with(options.clone()).map_err(explain);
    let read = session_pool(config.server.read_connections).connect_with(options.clone().options([CUSTOM_PLANS]));
    let (write, read, ()) =
        tokio::try_join!(write, read.map_err(explain), check_session(&options, ServerAddress::Url))?;
    Ok((read, write, SessionMode::Kept))
}

async fn open_behind_pooler(config: &DbConfig) -> Result<ServerPools> {
    let options = pooled_options(&config.url)?;
    let sessions = check_transaction_mode(&options).await?;
    let cache = if sessions.has_named_statements() { POOLED_STATEMENTS } else { 0 };
    let options = options.statement_cache_capacity(cache);
    let pool = |most| transaction_pool(most, config.server.discards_sessions).connect_with(options.clone());
    let (write, read) = tokio::try_join!(pool(config.server.write_connections), pool(config.server.read_connections))?;
    Ok((read, write, sessions))
}

/// Opens no connection before a report is asked for: the install works without the replica.
fn open_reports(url: &str, most: u32) -> Result<PgPool> {
    Ok(session_pool(most)
        .acquire_timeout(REPORTS_TIMEOUT)
        .connect_lazy_with(session_options(url)?.options([CUSTOM_PLANS])))
}
