//! Signals after a commit: work to the worker, changes to the other API processes.
//!
//! Only a hint: the worker and the event streams also look by themselves; a lost hint costs milliseconds.

use std::{path::Path, time::Duration};

use shared::platform::db::Db;
use sqlx::Executor as _;

use crate::state::AppState;

/// Pause after a hint: commits meanwhile share the next one. A hint costs about as much as a statement of the lead that
/// it announces.
const PAUSE: Duration = Duration::from_millis(5);

/// Coalesces many commits into one hint; the first after a pause is sent at once. Runs until the process stops.
pub async fn run_notifier(state: &AppState) {
    let Some(db) = state.db_if_ready() else { return };
    let socket = state.settings.worker_socket_path();
    loop {
        tokio::select! {
            () = state.wake.notified() => notify_listeners(db, &socket).await,
            () = state.wait_for_shutdown() => return,
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn notify_listeners(db: &Db, socket: &Path) {
    match db {
        Db::Postgres { write: pool, .. } => {
            // In one round trip: a pooler may answer the second from another server connection.
            let sent = pool.execute("SELECT pg_notify('toolbox_task', ''), pg_notify('toolbox_live', '')");
            if let Err(e) = sent.await {
                tracing::debug!(cause = %e, "the other processes were not told of a commit; they look by themselves");
            }
        }
        Db::Sqlite { .. } => nudge(socket),
    }
}

/// Sends one byte to the worker's socket without waiting. No listener is no fault: the worker may not be running.
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
