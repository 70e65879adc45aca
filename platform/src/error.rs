//! Domain errors, independent of HTTP. `api/src/error.rs` maps them to responses.

use std::{borrow::Cow, collections::BTreeMap};

use crate::conflicts::ConflictReason;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Messages keyed by request field name (`lines[3].unitPrice`), shown in a 422 response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors(pub BTreeMap<Cow<'static, str>, String>);

impl FieldErrors {
    /// The first message for a field wins.
    pub fn add(&mut self, field: impl Into<Cow<'static, str>>, message: impl Into<String>) {
        self.0.entry(field.into()).or_insert_with(|| message.into());
    }

    /// Errors: [`Error::Invalid`] when anything was recorded.
    pub fn into_result(self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::Invalid(self)) }
    }

    /// The value of a required field. Errors: [`Error::Invalid`] when anything was recorded, as it is without the value.
    pub fn require<T>(self, read: Option<T>) -> Result<T> {
        read.filter(|_| self.0.is_empty()).ok_or(Error::Invalid(self))
    }

    #[cfg(test)]
    pub(crate) fn into_messages(self) -> Vec<(&'static str, String)> {
        let name = |field: Cow<'static, str>| match field {
            Cow::Borrowed(name) => name,
            Cow::Owned(name) => name.leak(),
        };
        self.0.into_iter().map(|(field, message)| (name(field), message)).collect()
    }
}

pub const DEMO_READ_ONLY: &str = "This is a demonstration: nothing is sent and nothing is changed here.";

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Missing, or owned by another org: indistinguishable to the caller.
    #[error("not found")]
    NotFound,
    #[error("some fields do not fit")]
    Invalid(FieldErrors),
    /// Conflicts with the current state; the reason is shown to the user.
    #[error("{0}")]
    Conflict(ConflictReason),
    #[error("this Idempotency-Key was used for a different request")]
    IdempotencyMismatch,
    #[error("too many tries")]
    RateLimited { retry_after_seconds: i64 },
    /// Password attempts for this address are suspended; a passkey, a known browser or a mailed link still works.
    #[error("too many wrong passwords for this address")]
    SignInLocked { retry_after_seconds: i64 },
    /// Never tells which of the two is wrong.
    #[error("Invalid email or password")]
    WrongCredentials,
    /// A new business has reached its limit; the text says what raises it.
    #[error("{0}")]
    TrustLimit(String),
    /// The install takes no new businesses; the text says so.
    #[error("{0}")]
    RegistrationClosed(&'static str),
    /// Registration needs an invitation; the text says so.
    #[error("{0}")]
    RegistrationByInvitation(&'static str),
    /// No business is registered yet, so a public form has no recipient.
    #[error("this business is not set up yet")]
    NoBusiness,
    #[error("{DEMO_READ_ONLY}")]
    DemoReadOnly,
    /// Temporary failure of database or disk: retryable.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// The program must not use this database, backup or archive; the text tells the operator why and what to do.
    #[error("{0}")]
    Refused(String),
    #[error("no space left")]
    StorageFull,
    #[error("this business's file space is full")]
    QuotaFull,
    #[error("internal: {0}")]
    Internal(String),
}

/// Primary result codes of `SQLite` (sqlite.org/rescode.html).
mod sqlite_code {
    pub const BUSY: i64 = 5;
    pub const LOCKED: i64 = 6;
    pub const READONLY: i64 = 8;
    pub const IOERR: i64 = 10;
    pub const CORRUPT: i64 = 11;
    pub const FULL: i64 = 13;
    pub const CANTOPEN: i64 = 14;
    pub const NOTADB: i64 = 26;
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Self::from_driver(&error)
    }
}

impl Error {
    pub(crate) fn from_driver(error: &sqlx::Error) -> Self {
        match error {
            sqlx::Error::RowNotFound => Self::NotFound,
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::Protocol(_) => Self::Unavailable(error.to_string()),
            sqlx::Error::Database(cause) => from_code(error, cause.code().as_deref().unwrap_or_default()),
            _ => Self::Internal(error.to_string()),
        }
    }
}

const RESTORE: &str = "put the last backup back: api restore <folder> --replace";
const WRITABLE: &str = "the user that runs Toolbox must be able to write the database file and its folder: look at their \
owner and rights, and whether the disk is mounted read-only";

const TOO_MANY_CONNECTIONS: &str = "lower DATABASE_WRITE_CONNECTIONS and DATABASE_READ_CONNECTIONS, raise max_connections of \
PostgreSQL, or use a pooler";

/// Advice for the operator on permanent `PostgreSQL` errors.
fn advice_for_code(code: &str) -> Option<&'static str> {
    match code {
        "28000" | "28P01" => Some("look at the user and the password in DATABASE_URL"),
        "3D000" => Some("make the database, or correct its name in DATABASE_URL"),
        "42501" => Some("this role has too few rights: set DATABASE_MIGRATE_URL to the owner's and say api migrate"),
        _ => None,
    }
}

fn with_advice(error: &sqlx::Error, advice: Option<&str>) -> String {
    let text = driver_message(error);
    if let Some(advice) = advice { format!("{text}; {advice}") } else { text }
}

/// The message without the PostgreSQL source line that the driver adds.
fn driver_message(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(cause) if cause.code().is_some_and(|code| code.len() == 5) => {
            format!("error returned from database: {}", cause.message())
        }
        _ => error.to_string(),
    }
}

/// `PostgreSQL` codes have five characters (postgresql.org, appendix A); `SQLite` codes are numbers.
fn from_code(error: &sqlx::Error, code: &str) -> Error {
    if code.len() == 5 {
        return match code {
            "53100" => Error::StorageFull,
            "53300" => Error::Unavailable(with_advice(error, Some(TOO_MANY_CONNECTIONS))),
            // read_only_sql_transaction: a standby, or a server set read-only. idle_in_transaction_session_timeout and
            // transaction_timeout: the server has ended the connection of a process that stalled.
            "25006" | "25P03" | "25P04" => Error::Unavailable(driver_message(error)),
            // 57 has idle_session_timeout (57P05) and query_canceled (57014).
            _ if ["08", "53", "55", "57", "58", "40"].iter().any(|class| code.starts_with(class)) => {
                Error::Unavailable(driver_message(error))
            }
            // A row-level security violation is no question of grants.
            _ => Error::Internal(with_advice(
                error,
                advice_for_code(code).filter(|_| !error.to_string().contains("row-level")),
            )),
        };
    }
    match code.parse::<i64>().unwrap_or_default() & 0xff {
        sqlite_code::FULL => Error::StorageFull,
        sqlite_code::BUSY | sqlite_code::LOCKED | sqlite_code::IOERR => Error::Unavailable(error.to_string()),
        sqlite_code::READONLY | sqlite_code::CANTOPEN => Error::Unavailable(with_advice(error, Some(WRITABLE))),
        sqlite_code::NOTADB | sqlite_code::CORRUPT => Error::Internal(with_advice(error, Some(RESTORE))),
        _ => Error::Internal(error.to_string()),
    }
}

impl From<sqlx::migrate::MigrateError> for Error {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        match error {
            sqlx::migrate::MigrateError::Execute(e) => e.into(),
            other => Self::Internal(format!(
                "migration: {other}; start the version of Toolbox that migrated this database, or {RESTORE}"
            )),
        }
    }
}

impl From<crate::storage::StorageError> for Error {
    fn from(error: crate::storage::StorageError) -> Self {
        match error {
            crate::storage::StorageError::Full => Self::StorageFull,
            crate::storage::StorageError::NotFound => Self::NotFound,
            other => Self::Unavailable(format!("file store: {other}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code decides; of the driver's error only the text is used.
    fn error_of(code: &str) -> Error {
        from_code(&sqlx::Error::PoolClosed, code)
    }

    #[test]
    fn connection_ended_by_a_postgres_timeout_is_unavailable() {
        for code in ["25P03", "25P04", "57P05", "57014", "57P01", "08006"] {
            assert!(matches!(error_of(code), Error::Unavailable(_)), "{code}");
        }
    }

    #[test]
    fn postgres_error_of_the_statement_itself_is_internal() {
        for code in ["25001", "25P01", "25P02", "42601", "23505"] {
            assert!(matches!(error_of(code), Error::Internal(_)), "{code}");
        }
    }
}
