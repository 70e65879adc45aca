//! What wakes the queue, and what tells the API that something changed. Never a busy loop.
//!
//! On one machine the API sends a datagram after its commit; beside it `PRAGMA data_version` on SQLite and
//! LISTEN/NOTIFY on PostgreSQL say that another process committed; a slow poll is the net under all of them.

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
use tokio::{net::UnixDatagram, sync::Notify};

/// The net: work that no signal told of starts at most this late.
const POLL: Duration = Duration::from_millis(250);
/// How often SQLite is asked whether another process committed. The API's datagram is quicker; this is for what other
/// processes write, and at this pace it costs well under 1 % of a core.
const DATA_VERSION: Duration = Duration::from_millis(50);
/// After the database went away, before the listener tries again.
const RECONNECT: Duration = Duration::from_secs(1);

/// A poll strategy for apalis.
///
/// The stock strategies of apalis-core 1.0 can fire in the very poll in which a fetch comes back empty; then no waker
/// is left and the worker sleeps until its heartbeat. This one always leaves a waker behind.
pub struct Wake {
    tick: tokio::time::Interval,
    hints: Option<Mutex<BoxStream<'static, ()>>>,
}

impl Wake {
    /// Only the net.
    #[must_use]
    pub fn polling() -> Self {
        let mut tick = tokio::time::interval(POLL);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        Self { tick, hints: None }
    }

    /// The net and every signal there is: the database's, the worker's own, and the datagrams that the API on this
    /// machine sends to `socket`.
    #[must_use]
    pub fn on(worker: &crate::Context, socket: &Path) -> Self {
        let notify = worker.ended.notify.clone();
        match &worker.db {
            Db::Sqlite { read, .. } => tokio::spawn(watch_commits(read.clone(), notify.clone())),
            Db::Postgres { write, .. } => tokio::spawn(listen(write.clone(), notify.clone())),
        };
        tokio::spawn(hear_nudges(socket.to_owned(), notify.clone()));
        let hints = futures::stream::unfold(notify, |notify| async move {
            notify.notified().await;
            Some(((), notify))
        });
        Self::polling().or_on(hints)
    }

    fn or_on(mut self, hints: impl Stream<Item = ()> + Send + 'static) -> Self {
        self.hints = Some(Mutex::new(hints.boxed()));
        self
    }
}

impl PollStrategy for Wake {
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

/// What has run and is over. apalis takes note of an end only when something makes it look at its loop, and until then
/// the business of that task cannot have its next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ended {
    runs: Arc<AtomicU64>,
    notify: Arc<Notify>,
}

impl Ended {
    pub(crate) fn runs(&self) -> u64 {
        self.runs.load(Ordering::Acquire)
    }

    pub(crate) fn one_more(&self) {
        self.runs.fetch_add(1, Ordering::AcqRel);
        self.notify.notify_one();
    }

    /// Makes apalis look again, if something ended since there were `before`: while it waits for a claim it sees
    /// neither ends nor signals.
    pub(crate) fn look_again_if_more_than(&self, before: u64) {
        if self.runs() != before {
            self.notify.notify_one();
        }
    }
}

/// `PRAGMA data_version` changes on a connection whenever another connection commits (sqlite.org/pragma.html).
async fn watch_commits(pool: sqlx::SqlitePool, notify: Arc<Notify>) {
    let mut tick = tokio::time::interval(DATA_VERSION);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut last = None;
    let mut conn = None;
    loop {
        tick.tick().await;
        if pool.is_closed() {
            // A pool closes when its last connection is back, and this one would never come.
            return;
        }
        if conn.is_none() {
            conn = pool.acquire().await.ok();
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
async fn listen(pool: sqlx::PgPool, notify: Arc<Notify>) {
    loop {
        let heard = async {
            let mut listener = sqlx::postgres::PgListener::connect_with(&pool).await?;
            listener.listen("toolbox_task").await?;
            loop {
                listener.recv().await?;
                notify.notify_one();
            }
        };
        let lost: Result<(), sqlx::Error> = heard.await;
        tracing::debug!(error = ?lost.err(), "the listener lost its connection");
        tokio::time::sleep(RECONNECT).await;
    }
}

/// One datagram, one nudge. A worker that starts later takes the socket over; the others keep their polls.
async fn hear_nudges(path: std::path::PathBuf, notify: Arc<Notify>) {
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
    if let Err(e) = private_file::restrict(&path, 0o600) {
        tracing::warn!(error = %e, "the nudge socket cannot be made private");
    }
    let mut byte = [0_u8; 1];
    while socket.recv(&mut byte).await.is_ok() {
        notify.notify_one();
    }
}

/// Tells API processes, after a commit, that browsers have something to fetch. Bursts become one signal.
///
/// On SQLite the API sees the commit by itself; PostgreSQL has to be told.
#[derive(Clone, Debug)]
pub struct Announcer(Option<Arc<Notify>>);

impl Announcer {
    /// Starts the loop that sends the signals.
    #[must_use]
    pub fn start(db: Db) -> Self {
        let Db::Postgres { write: pool, .. } = db else { return Self(None) };
        let notify = Arc::new(Notify::new());
        let asked = notify.clone();
        tokio::spawn(async move {
            loop {
                asked.notified().await;
                if let Err(e) = sqlx::query("SELECT pg_notify('toolbox_live', '')").execute(&pool).await {
                    tracing::debug!(error = %e, "could not announce a change; the API's own poll will find it");
                }
            }
        });
        Self(Some(notify))
    }

    /// Call after the commit.
    pub fn changed(&self) {
        if let Some(notify) = &self.0 {
            notify.notify_one();
        }
    }
}
