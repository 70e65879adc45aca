//! Readiness: proves by a small write that the database and the file store take writes. The result is reused for some
//! seconds; one write is made at a time, however many ask.

use std::time::Duration;

use shared::{
    ops::system_status::WriteState,
    platform::{
        clock::ClockRng,
        db::{Db, Engine, write_probe},
        error::{Error, Result},
        storage::Storage,
    },
};
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};

use crate::{
    error::{ApiError, ApiResult, ErrorCode},
    state::AppState,
};

/// How long a success is reused.
const FRESH: Duration = Duration::from_secs(3);
/// For a bucket, where each write costs money.
const FRESH_IN_BUCKET: Duration = Duration::from_mins(1);
/// How long a failure is reused: short, so that a recovery shows soon.
const FRESH_FAILURE: Duration = Duration::from_secs(1);
/// A write that takes longer counts as failed.
const LIMIT: Duration = Duration::from_secs(3);

#[derive(Debug, Default)]
pub struct Readiness {
    database: WriteProbe,
    storage: WriteProbe,
}

impl Readiness {
    /// Writes to each store, or returns the last results. Errors: 507 when there is no space, 503 on other failures or
    /// a timeout.
    pub async fn check_writable(&self, db: &Db, origin: &ClockRng, storage: &Storage) -> ApiResult<()> {
        self.check_database(db, origin).await?;
        self.check_storage(storage).await
    }

    /// The result for `/metrics` and the system status too: all share one write.
    pub async fn check_database(&self, db: &Db, origin: &ClockRng) -> ApiResult<()> {
        self.database.check_cached("the database", FRESH, write_probe::prove_writable(db, origin)).await
    }

    pub async fn check_storage(&self, storage: &Storage) -> ApiResult<()> {
        let fresh = if storage.is_bucket() { FRESH_IN_BUCKET } else { FRESH };
        let stored = async { storage.prove_write().await.map_err(Error::from) };
        self.storage.check_cached("the file store", fresh, stored).await
    }
}

/// The result of a write, as the system status takes it.
#[must_use]
pub fn to_write_state(probed: &ApiResult<()>) -> WriteState {
    match probed {
        Ok(()) => WriteState::Writable,
        Err(e) if e.code == ErrorCode::StorageFull => WriteState::Full,
        Err(_) => WriteState::Refused,
    }
}

/// Interval of signs of life: a worker compares its clock with them.
const SIGN_EVERY: Duration = Duration::from_secs(10);

/// Writes signs of life on `SQLite`, which has no clock of its own, until the process stops.
pub async fn emit_heartbeats(state: &AppState) {
    let Some(db) = state.db_if_ready().filter(|db| db.engine() == Engine::Sqlite) else { return };
    loop {
        if let Err(e) = write_probe::prove_writable(db, &state.origin).await {
            tracing::debug!(error = %e, "no sign of life could be given");
        }
        tokio::select! {
            () = tokio::time::sleep(SIGN_EVERY) => {}
            () = state.wait_for_shutdown() => return,
        }
    }
}

#[derive(Debug)]
struct WriteProbe {
    last: Mutex<Option<(Instant, WriteOutcome)>>,
    limit: Duration,
}

impl Default for WriteProbe {
    fn default() -> Self {
        Self { last: Mutex::default(), limit: LIMIT }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum WriteOutcome {
    Written,
    Full,
    Failed(String),
}

impl WriteProbe {
    async fn check_cached(
        &self,
        what: &str,
        fresh: Duration,
        write: impl Future<Output = Result<()>>,
    ) -> ApiResult<()> {
        let mut last = self.last.lock().await;
        if let Some((at, outcome)) = &*last
            && at.elapsed() < outcome.cache_duration(fresh)
        {
            return outcome.to_result();
        }
        let outcome = match timeout(self.limit, write).await {
            Ok(Ok(())) => WriteOutcome::Written,
            Ok(Err(Error::StorageFull)) => WriteOutcome::Full,
            Ok(Err(e)) => WriteOutcome::Failed(format!("a write to {what} failed: {e}")),
            Err(_) => WriteOutcome::Failed(format!("a write to {what} took longer than {:?}", self.limit)),
        };
        let answer = outcome.to_result();
        *last = Some((Instant::now(), outcome));
        answer
    }
}

impl WriteOutcome {
    fn cache_duration(&self, fresh: Duration) -> Duration {
        match self {
            Self::Written => fresh,
            Self::Full | Self::Failed(_) => fresh.min(FRESH_FAILURE),
        }
    }

    fn to_result(&self) -> ApiResult<()> {
        match self {
            Self::Written => Ok(()),
            Self::Full => Err(ApiError::storage_full()),
            Self::Failed(why) => Err(ApiError::unavailable(why.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::pending,
        sync::atomic::{AtomicUsize, Ordering},
    };

    use futures::future::join_all;

    use super::*;

    #[tokio::test]
    async fn concurrent_probes_share_one_write_until_it_is_stale() {
        let (proof, writes) = (WriteProbe::default(), AtomicUsize::new(0));
        let write = || async {
            writes.fetch_add(1, Ordering::SeqCst);
            Ok(())
        };
        let hour = Duration::from_hours(1);
        let crowd = (0..50).map(|_| proof.check_cached("the database", hour, write()));
        for answer in join_all(crowd).await {
            assert!(answer.is_ok());
        }
        assert_eq!(writes.load(Ordering::SeqCst), 1);
        assert!(proof.check_cached("the database", Duration::ZERO, write()).await.is_ok());
        assert_eq!(writes.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn hanging_write_is_503_for_all_waiting_probes() {
        let proof = WriteProbe { limit: Duration::ZERO, ..WriteProbe::default() };
        let crowd = (0..50).map(|_| proof.check_cached("the database", FRESH, pending()));
        for answer in join_all(crowd).await {
            assert_eq!(answer.unwrap_err().code, ErrorCode::Unavailable);
        }
    }

    #[tokio::test]
    async fn probe_without_space_is_507_and_is_repeated_soon() {
        let proof = WriteProbe::default();
        let full = proof.check_cached("the file store", FRESH, async { Err(Error::StorageFull) }).await;
        assert_eq!(to_write_state(&full), WriteState::Full);
        assert_eq!(full.unwrap_err().code, ErrorCode::StorageFull);
        assert_eq!(WriteOutcome::Full.cache_duration(FRESH), FRESH_FAILURE);
        assert!(proof.check_cached("the file store", Duration::ZERO, async { Ok(()) }).await.is_ok());
    }
}
