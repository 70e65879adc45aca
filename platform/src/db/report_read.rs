//! Reads for reports: they may be some seconds old, so a replica can answer them.

use super::{AsConn, Conn, ConnRef, Db, Handlers, PooledConn};
use crate::error::{Error, Result};

/// A connection to the replica of `DATABASE_REPORTS_URL`, else to the primary.
pub struct ReportReader<'a> {
    db: &'a Db,
    conn: Conn,
    is_replica: bool,
}

impl AsConn for ReportReader<'_> {
    fn as_conn(&mut self) -> ConnRef<'_> {
        self.conn.as_conn()
    }

    fn handlers(&self) -> Handlers {
        self.conn.handlers()
    }
}

impl ReportReader<'_> {
    /// Goes on with the primary after an error of the replica: a lost connection, or a query that it ended because it
    /// hindered its recovery. Errors: `cause`, when the primary would answer the same.
    pub async fn use_primary_after(&mut self, cause: Error) -> Result<()> {
        match cause {
            Error::Unavailable(why) if self.is_replica => {
                tracing::warn!(cause = %why, "the replica did not answer a report; the primary does");
                self.conn = self.db.acquire_reader().await?;
                self.is_replica = false;
                Ok(())
            }
            other => Err(other),
        }
    }
}

impl Db {
    /// For reads in which a change just made need not show. See [`ReportReader::use_primary_after`].
    pub async fn acquire_report_reader(&self) -> Result<ReportReader<'_>> {
        if let Some(conn) = self.acquire_replica().await {
            return Ok(ReportReader { db: self, conn, is_replica: true });
        }
        Ok(ReportReader { db: self, conn: self.acquire_reader().await?, is_replica: false })
    }

    /// `None` without a replica, and while it cannot be reached.
    pub(super) async fn acquire_replica(&self) -> Option<Conn> {
        let Self::Postgres { reports: Some(reports), schema, .. } = self else { return None };
        match reports.acquire().await {
            Ok(conn) => Some(Conn { driver: PooledConn::Postgres(conn), schema }),
            Err(e) => {
                tracing::warn!(cause = %e, "the replica of DATABASE_REPORTS_URL cannot be reached; the primary answers");
                None
            }
        }
    }
}
