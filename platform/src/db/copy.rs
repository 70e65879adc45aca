//! Online copy of a `SQLite` database into one file, and the check of such a copy.

use std::path::Path;

use sqlx::{ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};

use super::{AsConn, ConnRef, Db, Engine, Handlers, q};
use crate::{
    error::{Error, Result},
    private_file,
};

impl Db {
    /// Copies all committed data as an ordinary reader. Returns false on PostgreSQL, which has no file to copy. Errors:
    /// when the file exists or the disk is full.
    pub async fn vacuum_into(&self, path: &Path) -> Result<bool> {
        let mut conn = self.acquire_reader().await?;
        match self.engine() {
            Engine::Postgres => Ok(false),
            Engine::Sqlite => {
                let path = path.to_str().ok_or_else(|| Error::Internal("the backup's path is no text".to_owned()))?;
                // `VACUUM INTO` accepts an empty file; a file it creates would have umask permissions.
                private_file::ensure_private_file(Path::new(path))
                    .map_err(|e| Error::Unavailable(format!("the copy: {e}")))?;
                q!(&mut conn, execute, "VACUUM INTO $1", path)?;
                Ok(true)
            }
        }
    }
}

/// A `SQLite` file without writers, opened read-only.
pub struct SqliteCopy(SqliteConnection);

impl AsConn for SqliteCopy {
    fn as_conn(&mut self) -> ConnRef<'_> {
        ConnRef::Sqlite(&mut self.0)
    }

    fn handlers(&self) -> Handlers {
        Handlers::NONE
    }
}

impl SqliteCopy {
    pub async fn open(path: &Path) -> Result<Self> {
        let options = SqliteConnectOptions::new().filename(path).read_only(true).immutable(true);
        let options = options.disable_statement_logging();
        Ok(Self(options.connect().await?))
    }

    /// Checks every page, index and foreign key. Errors: [`Error::Refused`] with the first fault.
    pub async fn check_integrity(&mut self) -> Result<()> {
        let faults = q!(&mut *self, fetch_all scalar String, "PRAGMA integrity_check(10)")?;
        if faults != ["ok"] {
            let first = faults.into_iter().next().unwrap_or_default();
            return Err(Error::Refused(format!("the database's copy is damaged: {first}")));
        }
        let strays = q!(&mut *self, fetch_all scalar String, "SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1")?;
        match strays.first() {
            None => Ok(()),
            Some(table) => {
                Err(Error::Refused(format!("the database's copy is damaged: a row of {table} hangs on nothing")))
            }
        }
    }

    pub async fn schema_version(&mut self) -> Result<i64> {
        let sql = "SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations WHERE success = TRUE";
        Ok(q!(&mut *self, fetch_one scalar i64, sql)?)
    }

    pub async fn close(self) -> Result<()> {
        Ok(self.0.close().await?)
    }
}
