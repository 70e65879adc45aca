//! Hears of commits made elsewhere: by the worker, and by other API processes. Only while somebody listens.

use std::time::Duration;

use shared::platform::{db::Db, error::Result};
use sqlx::{PgPool, SqlitePool, postgres::PgListener};

use crate::state::AppState;

/// How often `SQLite` is asked whether another connection has written; the question touches no page of the file.
const SQLITE_STEP: Duration = Duration::from_millis(50);
/// A notification that was lost is made up for within this time.
const POSTGRES_NET: Duration = Duration::from_secs(1);
const AFTER_FAULT: Duration = Duration::from_secs(1);

/// Runs until the process stops.
pub async fn run(state: &AppState) {
    tokio::select! {
        () = listen_for_ever(state) => {}
        () = state.until_stopped() => {}
    }
}

async fn listen_for_ever(state: &AppState) {
    loop {
        while !state.hub.has_listeners() {
            state.hub.listened.notified().await;
        }
        let Some(db) = state.db_if_ready() else { return };
        let ended = match db {
            Db::Sqlite { read, .. } => watch_file(state, read).await,
            Db::Postgres { read, .. } => listen(state, read).await,
        };
        if let Err(e) = ended {
            tracing::debug!(cause = %e, "live events cannot be heard for now");
            // The streams ask by themselves meanwhile, so that nobody waits for what has come.
            state.hub.tell();
            tokio::time::sleep(AFTER_FAULT).await;
        }
    }
}

/// `data_version` changes when any other connection, of this process or another, has committed.
async fn watch_file(state: &AppState, pool: &SqlitePool) -> Result<()> {
    let mut conn = pool.acquire().await?;
    let mut seen = None;
    while state.hub.has_listeners() {
        let version: i64 = sqlx::query_scalar("PRAGMA data_version").fetch_one(&mut *conn).await?;
        if seen.replace(version) != Some(version) {
            state.hub.tell();
        }
        tokio::time::sleep(SQLITE_STEP).await;
    }
    Ok(())
}

async fn listen(state: &AppState, pool: &PgPool) -> Result<()> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen("toolbox_live").await?;
    while state.hub.has_listeners() {
        // Both a notification and its absence for a second are a reason to look.
        if let Ok(heard) = tokio::time::timeout(POSTGRES_NET, listener.recv()).await {
            heard?;
        }
        state.hub.tell();
    }
    Ok(())
}
