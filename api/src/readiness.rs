//! Whether a write reaches the database and the file store now. A small one is made, and what came of it is the answer
//! for some seconds: however many ask, one write is made at a time.

use std::time::Duration;

use shared::platform::{
    clock::Origin,
    db::{Db, Engine, write_proof},
    error::{Error, Result},
    storage::Storage,
};
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};

use crate::{
    error::{ApiError, ApiResult},
    state::AppState,
};

/// How long an answer is good.
const FRESH: Duration = Duration::from_secs(3);
/// The same for a bucket, where each write is paid for.
const FRESH_IN_BUCKET: Duration = Duration::from_mins(1);
/// How long a failure is good: short, so that a recovery shows soon.
const FRESH_FAILURE: Duration = Duration::from_secs(1);
/// A write that takes longer has failed.
const LIMIT: Duration = Duration::from_secs(3);

/// What was tried last.
#[derive(Debug, Default)]
pub struct Readiness {
    database: Proof,
    storage: Proof,
}

impl Readiness {
    /// Makes a write of each kind, or says what came of the last ones.
    ///
    /// # Errors
    /// 507 when there is no space for it, 503 when it failed in another way or took too long.
    pub async fn prove(&self, db: &Db, origin: &Origin, storage: &Storage) -> ApiResult<()> {
        self.database.ask("the database", FRESH, write_proof::prove(db, origin)).await?;
        let fresh = if storage.is_bucket() { FRESH_IN_BUCKET } else { FRESH };
        let stored = async { storage.prove_write().await.map_err(Error::from) };
        self.storage.ask("the file store", fresh, stored).await
    }
}

/// Between two signs of life: a worker compares its clock with them.
const SIGN_EVERY: Duration = Duration::from_secs(10);

/// Gives signs of life on `SQLite`, which has no clock of its own, until the process stops.
pub async fn give_signs(state: &AppState) {
    let Some(db) = state.db_if_ready().filter(|db| db.engine() == Engine::Sqlite) else { return };
    loop {
        if let Err(e) = write_proof::prove(db, &state.origin).await {
            tracing::debug!(error = %e, "no sign of life could be given");
        }
        tokio::select! {
            () = tokio::time::sleep(SIGN_EVERY) => {}
            () = state.until_stopped() => return,
        }
    }
}

#[derive(Debug)]
struct Proof {
    last: Mutex<Option<(Instant, Outcome)>>,
    limit: Duration,
}

impl Default for Proof {
    fn default() -> Self {
        Self { last: Mutex::default(), limit: LIMIT }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Written,
    Full,
    Failed(String),
}

impl Proof {
    async fn ask(&self, what: &str, fresh: Duration, write: impl Future<Output = Result<()>>) -> ApiResult<()> {
        let mut last = self.last.lock().await;
        if let Some((at, outcome)) = &*last
            && at.elapsed() < outcome.is_good_for(fresh)
        {
            return outcome.answer();
        }
        let outcome = match timeout(self.limit, write).await {
            Ok(Ok(())) => Outcome::Written,
            Ok(Err(Error::StorageFull)) => Outcome::Full,
            Ok(Err(e)) => Outcome::Failed(format!("a write to {what} failed: {e}")),
            Err(_) => Outcome::Failed(format!("a write to {what} took longer than {:?}", self.limit)),
        };
        let answer = outcome.answer();
        *last = Some((Instant::now(), outcome));
        answer
    }
}

impl Outcome {
    fn is_good_for(&self, fresh: Duration) -> Duration {
        match self {
            Self::Written => fresh,
            Self::Full | Self::Failed(_) => fresh.min(FRESH_FAILURE),
        }
    }

    fn answer(&self) -> ApiResult<()> {
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
    use crate::error::ErrorCode;

    #[tokio::test]
    async fn proof_asked_by_a_crowd_writes_once_and_again_when_it_is_old() {
        let (proof, writes) = (Proof::default(), AtomicUsize::new(0));
        let write = || async {
            writes.fetch_add(1, Ordering::SeqCst);
            Ok(())
        };
        let hour = Duration::from_hours(1);
        let crowd = (0..50).map(|_| proof.ask("the database", hour, write()));
        for answer in join_all(crowd).await {
            assert!(answer.is_ok());
        }
        assert_eq!(writes.load(Ordering::SeqCst), 1);
        assert!(proof.ask("the database", Duration::ZERO, write()).await.is_ok());
        assert_eq!(writes.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn proof_of_a_write_that_never_ends_is_503_for_all_who_wait() {
        let proof = Proof { limit: Duration::ZERO, ..Proof::default() };
        let crowd = (0..50).map(|_| proof.ask("the database", FRESH, pending()));
        for answer in join_all(crowd).await {
            assert_eq!(answer.unwrap_err().code, ErrorCode::Unavailable);
        }
    }

    #[tokio::test]
    async fn proof_without_space_is_507_and_is_made_again_soon() {
        let proof = Proof::default();
        let full = proof.ask("the file store", FRESH, async { Err(Error::StorageFull) }).await;
        assert_eq!(full.unwrap_err().code, ErrorCode::StorageFull);
        assert_eq!(Outcome::Full.is_good_for(FRESH), FRESH_FAILURE);
        assert!(proof.ask("the file store", Duration::ZERO, async { Ok(()) }).await.is_ok());
    }
}
