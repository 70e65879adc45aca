//! What can go wrong in the business, without a word of HTTP. `api/src/error.rs` turns it into answers.

use std::{borrow::Cow, collections::BTreeMap};

/// Shorthand used everywhere in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Messages by field, in the request's own field names (`lines[3].unitPrice`): what a 422 shows beside the inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors(pub BTreeMap<Cow<'static, str>, String>);

impl FieldErrors {
    /// Notes what is wrong with `field`; the first message for a field stands.
    pub fn add(&mut self, field: impl Into<Cow<'static, str>>, message: impl Into<String>) {
        self.0.entry(field.into()).or_insert_with(|| message.into());
    }

    /// # Errors
    /// [`Error::Invalid`] when anything was noted.
    pub fn finish(self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::Invalid(self)) }
    }

    /// What was said of which field.
    #[cfg(test)]
    pub(crate) fn said(self) -> Vec<(&'static str, String)> {
        let name = |field: Cow<'static, str>| match field {
            Cow::Borrowed(name) => name,
            Cow::Owned(name) => name.leak(),
        };
        self.0.into_iter().map(|(field, message)| (name(field), message)).collect()
    }
}

/// Said to anyone who tries to change something of the demonstration.
pub const DEMO_READ_ONLY: &str = "This is a demonstration: nothing is sent and nothing is changed here.";

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The thing does not exist, or belongs to another org: from outside the two must look alike.
    #[error("not found")]
    NotFound,
    /// What was sent does not fit; every field is named.
    #[error("some fields do not fit")]
    Invalid(FieldErrors),
    /// The wish collides with the present state; the text says how, for a person.
    #[error("{0}")]
    Conflict(&'static str),
    /// The same, in words of the moment: a name, a number.
    #[error("{0}")]
    Clash(String),
    /// The same idempotency key came with another body.
    #[error("this Idempotency-Key was used for a different request")]
    IdempotencyMismatch,
    /// Too many tries; how long to wait, in seconds.
    #[error("too many tries")]
    TooMany { retry_after_seconds: i64 },
    /// So many wrong passwords were tried for an address that no more are looked at: a passkey, a known browser or a mailed
    /// link still lets its person in.
    #[error("too many wrong passwords for this address")]
    SignInHeld { retry_after_seconds: i64 },
    /// The email or password is wrong; never says which.
    #[error("Invalid email or password")]
    WrongCredentials,
    /// A business that is not known well enough yet has used up what it may do; the text says what opens more.
    #[error("{0}")]
    TrustLimit(String),
    /// Nobody may register here without an invitation; the text says how things stand.
    #[error("{0}")]
    RegistrationClosed(&'static str),
    /// No business is registered yet, so a public form has nowhere to go.
    #[error("this business is not set up yet")]
    NoBusiness,
    /// It would have changed the demonstration, which nobody may.
    #[error("{DEMO_READ_ONLY}")]
    DemoReadOnly,
    /// The database or the disk is away for now: worth trying again.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// This program must not work with the database that is there; the text tells the operator why, and what to do.
    #[error("{0}")]
    Refused(String),
    /// The disk is full.
    #[error("no space left")]
    StorageFull,
    /// The business has used up its share of the file store.
    #[error("this business's file space is full")]
    QuotaFull,
    /// A row holds what no version of this program could have written, or the program is wrong.
    #[error("internal: {0}")]
    Internal(String),
}

/// `SQLite`'s own result codes (sqlite.org/rescode.html), primary part.
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
    /// What an error of the database's driver means.
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

/// What the operator does about an answer of `PostgreSQL` that stays the same however often it is asked.
fn advice(code: &str) -> Option<&'static str> {
    match code {
        "28000" | "28P01" => Some("look at the user and the password in DATABASE_URL"),
        "3D000" => Some("make the database, or correct its name in DATABASE_URL"),
        "42501" => Some("this role has too few rights: set DATABASE_MIGRATE_URL to the owner's and say api migrate"),
        _ => None,
    }
}

fn advised(error: &sqlx::Error, advice: Option<&str>) -> String {
    let said = said(error);
    if let Some(advice) = advice { format!("{said}; {advice}") } else { said }
}

/// What the database said, without the line of PostgreSQL's own source that its driver adds.
fn said(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(cause) if cause.code().is_some_and(|code| code.len() == 5) => {
            format!("error returned from database: {}", cause.message())
        }
        _ => error.to_string(),
    }
}

/// `PostgreSQL` answers with five characters (postgresql.org, appendix A), `SQLite` with a number.
fn from_code(error: &sqlx::Error, code: &str) -> Error {
    if code.len() == 5 {
        return match code {
            "53100" => Error::StorageFull,
            // read_only_sql_transaction: a standby, or a server that an operator set so.
            "25006" => Error::Unavailable(said(error)),
            _ if ["08", "53", "55", "57", "58", "40"].iter().any(|class| code.starts_with(class)) => {
                Error::Unavailable(said(error))
            }
            // A row of another business is no matter of rights.
            _ => Error::Internal(advised(error, advice(code).filter(|_| !error.to_string().contains("row-level")))),
        };
    }
    match code.parse::<i64>().unwrap_or_default() & 0xff {
        sqlite_code::FULL => Error::StorageFull,
        sqlite_code::BUSY | sqlite_code::LOCKED | sqlite_code::IOERR => Error::Unavailable(error.to_string()),
        sqlite_code::READONLY | sqlite_code::CANTOPEN => Error::Unavailable(advised(error, Some(WRITABLE))),
        sqlite_code::NOTADB | sqlite_code::CORRUPT => Error::Internal(advised(error, Some(RESTORE))),
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

impl From<crate::platform::storage::StorageError> for Error {
    fn from(error: crate::platform::storage::StorageError) -> Self {
        match error {
            crate::platform::storage::StorageError::Full => Self::StorageFull,
            crate::platform::storage::StorageError::NotFound => Self::NotFound,
            other => Self::Unavailable(format!("file store: {other}")),
        }
    }
}
