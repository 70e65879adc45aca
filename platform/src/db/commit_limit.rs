//! Bound on the wait for a commit of PostgreSQL: a server that stalls (a full disk of its own, a stopped machine, a
//! standby that does not answer) would hold the request for ever.
//!
//! After it the outcome is unknown, as for a connection that was lost at the commit, and the error is the same: the
//! caller confirms nothing, and a repeat under the same key waits for the rows of the first and sees what became of it.
//! The driver keeps the order on the connection, so the dropped commit comes before the rollback that follows it. The
//! connection is used again once the server has answered both.

use std::time::Duration;

use super::statement_timer::StatementTimer;
use crate::error::{Error, Result};

pub(super) const COMMIT_LIMIT: Duration = Duration::from_secs(15);
/// For transactions of an import or a move, whose deferred foreign keys are checked at the commit.
pub(super) const LONG_COMMIT_LIMIT: Duration = Duration::from_mins(5);

pub(super) async fn commit_within(limit: Duration, commit: impl Future<Output = sqlx::Result<()>>) -> Result<()> {
    let _timer = StatementTimer::start_timer("COMMIT");
    match tokio::time::timeout(limit, commit).await {
        Ok(committed) => Ok(committed?),
        Err(_) => Err(Error::Unavailable(format!("the database did not confirm a commit within {limit:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn commit_that_is_not_confirmed_in_time_is_unavailable() {
        let stalled = commit_within(Duration::from_millis(1), std::future::pending()).await;
        assert!(matches!(stalled, Err(Error::Unavailable(_))), "{stalled:?}");
    }

    #[tokio::test]
    async fn commit_on_a_lost_connection_is_unavailable_and_a_confirmed_one_succeeds() {
        let lost = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
        let lost = commit_within(COMMIT_LIMIT, std::future::ready(Err(sqlx::Error::Io(lost)))).await;
        assert!(matches!(lost, Err(Error::Unavailable(_))), "{lost:?}");
        assert!(commit_within(COMMIT_LIMIT, std::future::ready(Ok(()))).await.is_ok());
    }
}
