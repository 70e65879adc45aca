//! Commits that release their row locks before the flush, and return after it.
//!
//! Writers of one business contend for the same rows (daily figures, end of the audit log) from their last statements
//! to their commit. A PostgreSQL commit normally holds them until its flush ends. Here it releases them without waiting
//! for the flush, and a small second commit waits for the disk; transactions that wait at one moment share it. The WAL
//! is sequential, so the first commits are on disk with the second. A process that acts on what it sees in between is
//! covered too: it commits its claim and waits for that flush before any outside call.
//!
//! The second commit runs on a connection that was open before the first: a server that crashed in between has lost
//! the first commit, and has ended that connection. A connection opened later would confirm what is gone. For the same
//! reason it never leads through a pooler, which keeps its clients when the server restarts.
//!
//! `SQLite` has one writer and shares the flush by [`super::group_commit`].

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use sqlx::{Connection as _, PgConnection, PgPool};
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};

use super::statement_timer::StatementTimer;
use crate::error::{Error, Result};

/// Commits a WAL record that touches no row, so that there is a flush to wait for.
const FLUSH: &str = "SELECT CAST(pg_logical_emit_message(TRUE, 'toolbox', '') AS TEXT)";
const PATIENCE: Duration = Duration::from_secs(10);
/// A connection that has rested longer is looked at before a commit counts on it: a firewall may have ended it.
const MAX_REST: Duration = Duration::from_secs(10);
const LOOK_PATIENCE: Duration = Duration::from_secs(2);
const NO_CONNECTION: u64 = 0;
const LOST: &str = "the connection that waits for the disk was lost";

/// The flushes of one process.
#[derive(Clone, Debug)]
pub struct SharedFlush(Arc<Flusher>);

#[derive(Debug)]
struct Flusher {
    pool: PgPool,
    /// Of the open connection, or [`NO_CONNECTION`].
    number: AtomicU64,
    /// When it answered last, in milliseconds since `started`.
    answered_ms: AtomicU64,
    started: Instant,
    state: Mutex<FlushState>,
}

#[derive(Debug, Default)]
struct FlushState {
    conn: Option<PgConnection>,
    opened: u64,
    /// When the last flush that succeeded began.
    last: Option<Instant>,
}

/// A flush still to come, on a connection that is open.
#[derive(Debug)]
pub(super) struct PendingFlush {
    flusher: Arc<Flusher>,
    number: u64,
}

impl SharedFlush {
    /// Connects with the options of `pool`, when the first flush is announced.
    pub(super) fn for_pool(pool: PgPool) -> Self {
        Self(Arc::new(Flusher {
            pool,
            number: AtomicU64::new(NO_CONNECTION),
            answered_ms: AtomicU64::new(0),
            started: Instant::now(),
            state: Mutex::default(),
        }))
    }

    /// To be called before the commit that it is for.
    pub(super) async fn prepare_flush(&self) -> Result<PendingFlush> {
        let number = match self.0.number.load(Ordering::Acquire) {
            number if number != NO_CONNECTION && self.0.rest() <= MAX_REST => number,
            _ => self.0.check_or_open().await?,
        };
        Ok(PendingFlush { flusher: Arc::clone(&self.0), number })
    }

    pub(super) async fn close_connection(&self) {
        self.0.number.store(NO_CONNECTION, Ordering::Release);
        if let Some(conn) = self.0.state.lock().await.conn.take()
            && let Err(e) = conn.close().await
        {
            tracing::debug!(error = %e, "a connection was gone before it was closed");
        }
    }
}

impl PendingFlush {
    /// Everything committed before this call is on disk when it returns. After an error that is unknown.
    pub(super) async fn wait_for_disk(self) -> Result<()> {
        let asked = Instant::now();
        // A task of its own: a caller that goes away must not leave the connection amid an answer.
        let flushed = tokio::spawn(async move { self.flusher.flush_since(self.number, asked).await });
        flushed.await.map_err(|e| Error::Internal(format!("a flush: {e}")))?
    }
}

impl Flusher {
    /// How long the connection has not answered.
    fn rest(&self) -> Duration {
        let answered = Duration::from_millis(self.answered_ms.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(answered)
    }

    fn note_answer(&self) {
        let ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.answered_ms.store(ms, Ordering::Relaxed);
    }

    async fn check_or_open(&self) -> Result<u64> {
        let mut state = self.state.lock().await;
        let rested = if self.rest() > MAX_REST { state.conn.take() } else { None };
        if let Some(mut conn) = rested
            && matches!(timeout(LOOK_PATIENCE, conn.ping()).await, Ok(Ok(())))
        {
            state.conn = Some(conn);
        }
        if state.conn.is_none() {
            let options = self.pool.connect_options();
            let opening = timeout(PATIENCE, PgConnection::connect_with(&options)).await;
            state.conn = Some(opening.map_err(|_| sqlx::Error::PoolTimedOut)??);
            state.opened += 1;
            self.number.store(state.opened, Ordering::Release);
        }
        self.note_answer();
        Ok(state.opened)
    }

    /// Flushes on connection `number`, unless a flush has begun since `asked` and succeeded.
    async fn flush_since(&self, number: u64, asked: Instant) -> Result<()> {
        let mut state = self.state.lock().await;
        let is_same = state.opened == number;
        let FlushState { conn, last, .. } = &mut *state;
        let Some(open) = conn.as_mut().filter(|_| is_same) else { return Err(Error::Unavailable(LOST.to_owned())) };
        if last.is_some_and(|began| began >= asked) {
            return Ok(());
        }
        let began = Instant::now();
        let _timer = StatementTimer::start_timer(FLUSH);
        let done = timeout(PATIENCE, sqlx::query(FLUSH).execute(open)).await;
        match done {
            Ok(Ok(_)) => {
                *last = Some(began);
                self.note_answer();
                Ok(())
            }
            failed => {
                self.number.store(NO_CONNECTION, Ordering::Release);
                *conn = None;
                Err(match failed {
                    Ok(Err(e)) => e.into(),
                    _ => Error::Unavailable(LOST.to_owned()),
                })
            }
        }
    }
}
