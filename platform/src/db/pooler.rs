//! A pooler between Toolbox and PostgreSQL, such as `PgBouncer`.
//!
//! In transaction mode every transaction may reach another server connection, so nothing may last beyond one: no
//! setting, no prepared statement, no lock of a session. Reads then run in transactions too, and each transaction states
//! its settings with its `BEGIN`. What needs a session (LISTEN, migrations, the flush) goes to the address of
//! `DATABASE_LISTEN_URL`. The flush needs it because a pooler keeps its clients when the server restarts: the second
//! commit would then confirm a first one that is lost.
//!
//! A pooler that does not fit the settings is named at the start, not reported as a database that is away.

use std::{path::PathBuf, time::Duration};

use sqlx::{
    ConnectOptions, Connection, Executor, PgConnection, PgPool, Row,
    postgres::{PgConnectOptions, PgListener},
};

use crate::error::{Error, Result};

/// How `DATABASE_URL` reaches the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pooler {
    /// Directly: a connection keeps its session.
    #[default]
    None,
    Transaction,
}

/// What a connection of the pools keeps between transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionMode {
    /// Settings and prepared statements.
    Kept,
    /// Nothing, or only statements that the pooler itself prepares on each server (`max_prepared_statements`).
    PerTransaction { has_named_statements: bool },
}

impl SessionMode {
    /// Whether a statement may get a name by which later transactions find it.
    pub(super) fn has_named_statements(self) -> bool {
        match self {
            Self::Kept => true,
            Self::PerTransaction { has_named_statements } => has_named_statements,
        }
    }

    pub(super) fn is_per_transaction(self) -> bool {
        self != Self::Kept
    }
}

/// Sent when a connection is opened; a pooler that drops such settings shows by its absence.
pub(super) const SESSION_MARK: (&str, &str) = ("toolbox.session", "kept");
const READ_MARK: &str = "SELECT COALESCE(current_setting('toolbox.session', TRUE), '')";
const SHOULD_BE_SET: &str = "DATABASE_URL leads through a pooler such as PgBouncer: set DATABASE_POOLER=transaction, and \
    DATABASE_LISTEN_URL to an address that does not lead through it";
const LISTEN_IS_POOLED: &str = "DATABASE_LISTEN_URL leads through a pooler that does not keep sessions: give it the address of \
    PostgreSQL itself";
const STATEMENT_MODE: &str = "DATABASE_URL leads through a pooler in statement mode, which knows no transactions: set pool_mode \
    to transaction there";
const UNHEARD: &str = "DATABASE_LISTEN_URL does not hear what DATABASE_URL announces: it must lead to the same database, not to \
    a replica, and not through a pooler";
/// `PgBouncer`'s answer to a setting that it cannot keep.
const UNKNOWN_SETTING: &str = "unsupported startup parameter";
const TOO_MANY_CONNECTIONS: &str = "53300";
const PROBE_CHANNEL: &str = "toolbox_probe";
const PROBE_ANNOUNCEMENT: &str = "SELECT pg_notify('toolbox_probe', '')";
const PROBE_BEGIN: &str = "BEGIN READ ONLY; SET LOCAL toolbox.session = 'probe'";
const PROBE_STATEMENT: &str = "SELECT 1 AS toolbox_probe";
/// `PgBouncer` renames the statements that it keeps (its manual, `max_prepared_statements`).
const PROBE_NAMES: &str = "SELECT CAST(COUNT(*) AS TEXT) FROM pg_prepared_statements
    WHERE statement = 'SELECT 1 AS toolbox_probe' AND name LIKE 'PGBOUNCER!_%' ESCAPE '!'";
/// Wait for one connection, or one announcement.
const PATIENCE: Duration = Duration::from_secs(5);

/// Which address a connection was opened with, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServerAddress {
    Url,
    ListenUrl,
}

impl ServerAddress {
    fn variable(self) -> &'static str {
        match self {
            Self::Url => "DATABASE_URL",
            Self::ListenUrl => "DATABASE_LISTEN_URL",
        }
    }

    fn pooler_error(self) -> Error {
        let why = if self == Self::Url { SHOULD_BE_SET } else { LISTEN_IS_POOLED };
        Error::Refused(why.to_owned())
    }
}

/// Names a pooler by its answer to a new connection. Other errors stay what they are.
pub(super) fn explain_connect_error(error: sqlx::Error, address: ServerAddress) -> Error {
    match &error {
        sqlx::Error::Database(cause) if cause.message().contains(UNKNOWN_SETTING) => address.pooler_error(),
        _ => error.into(),
    }
}

/// Opens one plain connection beside the pools, because a pool reports a refusal only as a timeout, and checks that it
/// keeps its session. Errors that are not the server's absence also occur in the pools, which retry where that helps.
pub(super) async fn check_session(options: &PgConnectOptions, address: ServerAddress) -> Result<()> {
    let Some(mut conn) = open_plain(options, address).await? else { return Ok(()) };
    let mark: String = conn.fetch_one(READ_MARK).await?.try_get(0)?;
    conn.close().await?;
    if mark == SESSION_MARK.1 { Ok(()) } else { Err(address.pooler_error()) }
}

/// Checks that the pooler keeps a transaction together, and finds out whether it keeps named statements.
pub(super) async fn check_transaction_mode(options: &PgConnectOptions) -> Result<SessionMode> {
    let Some(mut conn) = open_plain(options, ServerAddress::Url).await? else {
        return Ok(SessionMode::PerTransaction { has_named_statements: false });
    };
    conn.execute(PROBE_BEGIN).await.map_err(explain_begin_error)?;
    let mark: String = conn.fetch_one(READ_MARK).await.map_err(explain_begin_error)?.try_get(0)?;
    if mark != "probe" {
        return Err(Error::Refused(STATEMENT_MODE.to_owned()));
    }
    let has_named_statements = keeps_named_statement(&mut conn).await.unwrap_or_else(|e| {
        // Another client's statement of this name is on the server connection: the pooler does not tell them apart.
        tracing::debug!(error = %e, "the pooler keeps no named statements");
        false
    });
    conn.execute("ROLLBACK").await?;
    conn.close().await?;
    tracing::info!(has_named_statements, "the database is reached through a pooler in transaction mode");
    Ok(SessionMode::PerTransaction { has_named_statements })
}

async fn keeps_named_statement(conn: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query(PROBE_STATEMENT).execute(&mut *conn).await?;
    let kept: String = conn.fetch_one(PROBE_NAMES).await?.try_get(0)?;
    conn.clear_cached_statements().await?;
    Ok(kept != "0")
}

fn explain_begin_error(error: sqlx::Error) -> Error {
    match &error {
        sqlx::Error::Database(cause) if cause.message().contains("statement pooling") => {
            Error::Refused(STATEMENT_MODE.to_owned())
        }
        _ => error.into(),
    }
}

/// Checks that `direct` hears what `write` announces.
pub(super) async fn check_listener(direct: &PgPool, write: &PgPool) -> Result<()> {
    let listening = async {
        let mut listener = PgListener::connect_with(direct).await?;
        listener.listen(PROBE_CHANNEL).await?;
        write.execute(PROBE_ANNOUNCEMENT).await?;
        listener.recv().await
    };
    match tokio::time::timeout(PATIENCE, listening).await {
        Ok(Ok(_)) => Ok(()),
        // LISTEN on a standby.
        Ok(Err(sqlx::Error::Database(cause))) if cause.code().as_deref() == Some("25006") => {
            Err(Error::Refused(UNHEARD.to_owned()))
        }
        Ok(Err(e)) => Err(explain_connect_error(e, ServerAddress::ListenUrl)),
        Err(_) => Err(Error::Refused(UNHEARD.to_owned())),
    }
}

/// None when the server refuses for a reason that the pools report themselves.
async fn open_plain(options: &PgConnectOptions, address: ServerAddress) -> Result<Option<PgConnection>> {
    let why = match tokio::time::timeout(PATIENCE, options.connect()).await {
        Ok(Ok(conn)) => return Ok(Some(conn)),
        Ok(Err(sqlx::Error::Io(e))) => e.to_string(),
        Ok(Err(sqlx::Error::Database(cause))) if cause.code().as_deref() == Some(TOO_MANY_CONNECTIONS) => {
            return Err(Error::Unavailable(exhausted_message(options, cause.message())));
        }
        Ok(Err(e)) => {
            return match explain_connect_error(e, address) {
                refused @ Error::Refused(_) => Err(refused),
                _ => Ok(None),
            };
        }
        Err(_) => "it does not answer".to_owned(),
    };
    let advice = format!("start it, or correct the host and the port in {}", address.variable());
    Err(Error::Unavailable(format!("PostgreSQL at {} cannot be reached: {why}; {advice}", place(options))))
}

fn exhausted_message(options: &PgConnectOptions, why: &str) -> String {
    format!(
        "PostgreSQL at {} has no free connection: {why}; lower DATABASE_WRITE_CONNECTIONS and DATABASE_READ_CONNECTIONS, \
         raise max_connections there, or use a pooler (docs/operations.md)",
        place(options)
    )
}

fn place(options: &PgConnectOptions) -> String {
    let at = |socket: &PathBuf| socket.display().to_string();
    options.get_socket().map_or_else(|| format!("{}:{}", options.get_host(), options.get_port()), at)
}
