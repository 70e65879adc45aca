//! After a commit: tells the worker that there is work, and the other API processes that something changed.
//!
//! Only a hint. The worker looks by itself too, and so do the event streams; a hint that is lost costs milliseconds.

use std::path::Path;

use shared::platform::db::Db;

use crate::state::AppState;

/// Passes hints on, many commits in one, until the process stops.
pub async fn run(state: &AppState) {
    let Some(db) = state.db_if_ready() else { return };
    let socket = state.settings.nudge_socket();
    loop {
        tokio::select! {
            () = state.wake.notified() => tell(db, &socket).await,
            () = state.until_stopped() => return,
        }
    }
}

async fn tell(db: &Db, socket: &Path) {
    match db {
        Db::Postgres { write: pool, .. } => {
            let told = sqlx::query("SELECT pg_notify('toolbox_task', ''), pg_notify('toolbox_live', '')").execute(pool);
            if let Err(e) = told.await {
                tracing::debug!(cause = %e, "the other processes were not told of a commit; they look by themselves");
            }
        }
        Db::Sqlite { .. } => nudge(socket),
    }
}

/// One byte to the worker's socket, without waiting. Nobody listening is no fault: the worker may not run now.
#[cfg(unix)]
fn nudge(socket: &Path) {
    let sent = std::os::unix::net::UnixDatagram::unbound().and_then(|from| {
        from.set_nonblocking(true)?;
        from.send_to(&[1], socket)
    });
    if let Err(e) = sent {
        tracing::trace!(cause = %e, "no worker listens");
    }
}

#[cfg(not(unix))]
fn nudge(_socket: &Path) {}
