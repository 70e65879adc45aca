//! A copy of a `SQLite` database in one file, made while it is at work, and whether such a file is whole.

use std::path::Path;

use sqlx::{ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};

use super::{AsConn, Conn, ConnRef, Db, q};
use crate::platform::{
    error::{Error, Result},
    private_file,
};

impl Db {
    /// Writes everything that is committed into a new file, as one reader among others. False on PostgreSQL, which has
    /// no file to copy.
    ///
    /// # Errors
    /// When the file is there already or the disk is full.
    pub async fn copy_into(&self, path: &Path) -> Result<bool> {
        let mut conn = self.read().await?;
        match conn {
            Conn::Postgres(_) => Ok(false),
            Conn::Sqlite(_) => {
                let path = path.to_str().ok_or_else(|| Error::Internal("the backup's path is no text".to_owned()))?;
                // It fills an empty file, and makes one with the rights that the umask leaves.
                private_file::prepare(Path::new(path)).map_err(|e| Error::Unavailable(format!("the copy: {e}")))?;
                q!(&mut conn, execute, "VACUUM INTO $1", path)?;
                Ok(true)
            }
        }
    }
}

/// A `SQLite` file that nobody writes to, opened for reading.
pub struct Copy(SqliteConnection);

impl AsConn for Copy {
    fn as_conn(&mut self) -> ConnRef<'_> {
        ConnRef::Sqlite(&mut self.0)
    }
}

impl Copy {
    /// # Errors
    /// When the file cannot be opened.
    pub async fn open(path: &Path) -> Result<Self> {
        let options = SqliteConnectOptions::new().filename(path).read_only(true).immutable(true);
        Ok(Self(options.connect().await?))
    }

    /// Whether every page, index and foreign key of it is as it should be.
    ///
    /// # Errors
    /// [`Error::Clash`] with the first fault.
    pub async fn check(&mut self) -> Result<()> {
        let said = q!(&mut *self, fetch_all scalar String, "PRAGMA integrity_check(10)")?;
        if said != ["ok"] {
            let first = said.into_iter().next().unwrap_or_default();
            return Err(Error::Clash(format!("the database's copy is damaged: {first}")));
        }
        let strays = q!(&mut *self, fetch_all scalar String, "SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1")?;
        match strays.first() {
            None => Ok(()),
            Some(table) => {
                Err(Error::Clash(format!("the database's copy is damaged: a row of {table} hangs on nothing")))
            }
        }
    }

    /// The version of its newest migration.
    pub async fn schema(&mut self) -> Result<i64> {
        let sql = "SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations WHERE success = TRUE";
        Ok(q!(&mut *self, fetch_one scalar i64, sql)?)
    }

    pub async fn close(self) -> Result<()> {
        Ok(self.0.close().await?)
    }
}
