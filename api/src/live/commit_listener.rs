//! Signals commits of the worker and of other API processes, while streams are open.

use std::time::Duration;

use shared::platform::{db::Db, error::Result};
use sqlx::{PgPool, SqlitePool, postgres::PgListener};

use crate::state::AppState;

/// Interval at which `SQLite` is asked whether another connection has written; the query reads no page of the file.
const SQLITE_STEP: Duration = Duration::from_millis(50);
/// A lost notification is made up for within this time.
const POSTGRES_NET: Duration = Duration::from_secs(1);
const AFTER_FAULT: Duration = Duration::from_secs(1);

pub async fn run(state: &AppState) {
    tokio::select! {
        () = listen_with_retry(state) => {}
        () = state.wait_for_shutdown() => {}
    }
}

async fn listen_with_retry(state: &AppState) {
    loop {
        while !state.hub.has_listeners() {
            state.hub.listened.notified().await;
        }
        let Some(db) = state.db_if_ready() else { return };
        let ended = match db {
            Db::Sqlite { read, .. } => watch_sqlite(state, read).await,
            Db::Postgres { direct, .. } => listen_postgres(state, direct).await,
        };
        if let Err(e) = ended {
            tracing::debug!(cause = %e, "live events cannot be heard for now");
            // The streams query by themselves meanwhile, so that no event waits.
            state.hub.notify_all();
            tokio::time::sleep(AFTER_FAULT).await;
        }
    }
}

/// `data_version` changes when any other connection, of this or another process, has committed.
async fn watch_sqlite(state: &AppState, pool: &SqlitePool) -> Result<()> {
    let mut conn = pool.acquire().await?;
    let mut seen = None;
    while state.hub.has_listeners() {
        let version: i64 = sqlx::query_scalar("PRAGMA data_version").fetch_one(&mut *conn).await?;
        if seen.replace(version) != Some(version) {
            state.hub.notify_all();
        }
        tokio::time::sleep(SQLITE_STEP).await;
    }
    Ok(())
}

async fn listen_postgres(state: &AppState, pool: &PgPool) -> Result<()> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen("toolbox_live").await?;
    while state.hub.has_listeners() {
        // A notification, and one second without any, both trigger a look.
        if let Ok(notification) = tokio::time::timeout(POSTGRES_NET, listener.recv()).await {
            notification?;
        }
        state.hub.notify_all();
    }
    Ok(())
}
