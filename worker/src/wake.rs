//! Wake-up signals for the queue, and change signals to the API. Never a busy loop.
//!
//! On one machine the API sends a datagram after its commit; commits of other processes show by `PRAGMA data_version`
//! on SQLite and LISTEN/NOTIFY on PostgreSQL; a slow poll is the fallback.

use std::{
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use apalis::prelude::{PollSnapshot, PollStrategy};
use futures::{Stream, StreamExt, stream::BoxStream};
use shared::platform::{db::Db, private_file};
use sqlx::Executor as _;
use tokio::{net::UnixDatagram, sync::Notify};

/// Fallback: work without a signal starts at most this late.
const POLL: Duration = Duration::from_millis(250);
/// Interval of the `data_version` check on SQLite. The API's datagram is quicker; this is for writes of other
/// processes, and costs well under 1 % of a core.
const DATA_VERSION: Duration = Duration::from_millis(50);
/// Pause before the listener reconnects to the database.
const RECONNECT: Duration = Duration::from_secs(1);

/// A poll strategy for apalis. The stock strategies of apalis-core 1.0 can fire in the very poll in which a fetch comes
/// back empty; then no waker is left and the worker sleeps until its heartbeat. This one always leaves a waker.
pub struct QueueWakeup {
    tick: tokio::time::Interval,
    hints: Option<Mutex<BoxStream<'static, ()>>>,
}

impl QueueWakeup {
    /// The fallback poll alone.
    #[must_use]
    pub fn polling_only() -> Self {
        let mut tick = tokio::time::interval(POLL);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        Self { tick, hints: None }
    }

    /// The poll and all signals: database, own ended runs, and datagrams of the local API to `socket`.
    #[must_use]
    pub fn with_signals(worker: &crate::Context, socket: &Path) -> Self {
        let notify = worker.ended.notify.clone();
        match &worker.db {
            Db::Sqlite { read, .. } => tokio::spawn(watch_commits_sqlite(read.clone(), notify.clone())),
            Db::Postgres { direct, .. } => tokio::spawn(listen_postgres(direct.clone(), notify.clone())),
        };
        tokio::spawn(listen_nudge_socket(socket.to_owned(), notify.clone()));
        let hints = futures::stream::unfold(notify, |notify| async move {
            notify.notified().await;
            Some(((), notify))
        });
        Self::polling_only().with_hints(hints)
    }

    fn with_hints(mut self, hints: impl Stream<Item = ()> + Send + 'static) -> Self {
        self.hints = Some(Mutex::new(hints.boxed()));
        self
    }
}

impl PollStrategy for QueueWakeup {
    fn poll_drive(&mut self, cx: &mut Context<'_>, _: &PollSnapshot) -> Poll<Option<()>> {
        let mut fired = false;
        while self.tick.poll_tick(cx).is_ready() {
            fired = true;
        }
        if let Some(hints) = &self.hints {
            let mut hints = hints.lock().unwrap_or_else(PoisonError::into_inner);
            while let Poll::Ready(Some(())) = hints.poll_next_unpin(cx) {
                fired = true;
            }
        }
        if !fired {
            return Poll::Pending;
        }
        cx.waker().wake_by_ref();
        Poll::Ready(Some(()))
    }
}

/// Count of ended runs. apalis registers an end only when something makes it poll its loop; until then the business of
/// that task cannot have its next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct FinishedRuns {
    runs: Arc<AtomicU64>,
    notify: Arc<Notify>,
}

impl FinishedRuns {
    pub(crate) fn run_count(&self) -> u64 {
        self.runs.load(Ordering::Acquire)
    }

    pub(crate) fn record_finished(&self) {
        self.runs.fetch_add(1, Ordering::AcqRel);
        self.notify.notify_one();
    }

    /// Makes apalis poll again if a run ended since there were `before`: while it waits for a claim it sees neither
    /// ends nor signals.
    pub(crate) fn notify_if_more_than(&self, before: u64) {
        if self.run_count() != before {
            self.notify.notify_one();
        }
    }
}

/// `PRAGMA data_version` changes on a connection whenever another connection commits (sqlite.org/pragma.html).
async fn watch_commits_sqlite(pool: sqlx::SqlitePool, notify: Arc<Notify>) {
    let mut tick = tokio::time::interval(DATA_VERSION);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut last = None;
    let mut conn = None;
    loop {
        tick.tick().await;
        if pool.is_closed() {
            // Closing the pool waits for its last connection, which would otherwise never be returned.
            return;
        }
        if conn.is_none() {
            conn = pool
                .acquire()
                .await
                .inspect_err(|e| tracing::debug!(error = %e, "the commit watch has no connection"))
                .ok();
        }
        let Some(open) = conn.as_mut() else { continue };
        match sqlx::query_scalar::<_, i64>("PRAGMA data_version").fetch_one(&mut **open).await {
            Ok(version) if last != Some(version) => {
                last = Some(version);
                notify.notify_one();
            }
            Ok(_) => {}
            Err(e) => {
                tracing::debug!(error = %e, "the commit watch lost its connection");
                conn = None;
            }
        }
    }
}

/// The API notifies after its commits; NOTIFY inside a lead's transaction would halve the commits per second.
async fn listen_postgres(pool: sqlx::PgPool, notify: Arc<Notify>) {
    loop {
        let listening = async {
            let mut listener = sqlx::postgres::PgListener::connect_with(&pool).await?;
            listener.listen("toolbox_task").await?;
            loop {
                listener.recv().await?;
                notify.notify_one();
            }
        };
        let lost: Result<(), sqlx::Error> = listening.await;
        tracing::debug!(error = ?lost.err(), "the listener lost its connection");
        tokio::time::sleep(RECONNECT).await;
    }
}

/// Each datagram wakes the queue. A worker that starts later takes over the socket; the others keep polling.
async fn listen_nudge_socket(path: std::path::PathBuf, notify: Arc<Notify>) {
    if let Err(e) = std::fs::remove_file(&path)
        && e.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(error = %e, "the old nudge socket is in the way; this worker polls");
        return;
    }
    let socket = match UnixDatagram::bind(&path) {
        Ok(socket) => socket,
        Err(e) => {
            tracing::warn!(error = %e, "no nudge socket; this worker polls");
            return;
        }
    };
    if let Err(e) = private_file::restrict_mode(&path, 0o600) {
        tracing::warn!(error = %e, "the nudge socket cannot be made private");
    }
    let mut byte = [0_u8; 1];
    while socket.recv(&mut byte).await.is_ok() {
        notify.notify_one();
    }
}

/// Signals to API processes, after a commit, that browsers have something to fetch; bursts become one signal. Needed on
/// PostgreSQL only: on SQLite the API sees the commit by itself.
#[derive(Clone, Debug)]
pub struct ChangeNotifier(Option<Arc<Notify>>);

impl ChangeNotifier {
    #[must_use]
    pub fn start_notifier(db: Db) -> Self {
        let Db::Postgres { write: pool, .. } = db else { return Self(None) };
        let notify = Arc::new(Notify::new());
        let asked = notify.clone();
        tokio::spawn(async move {
            loop {
                asked.notified().await;
                // In one round trip: a pooler may answer the second from another server connection.
                if let Err(e) = pool.execute("SELECT pg_notify('toolbox_live', '')").await {
                    tracing::debug!(error = %e, "could not announce a change; the API's own poll will find it");
                }
            }
        });
        Self(Some(notify))
    }

    /// To be called after the commit.
    pub fn notify_changed(&self) {
        if let Some(notify) = &self.0 {
            notify.notify_one();
        }
    }
}
