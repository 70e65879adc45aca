//! A connection for a few rows by their keys, as every request looks up before it does anything.

use super::{Conn, Db};
use crate::platform::error::Result;

impl Db {
    /// A connection for reading single rows: on PostgreSQL one that keeps its plans, where [`Db::read`] makes one for each
    /// question. For these it is the same plan, and making it takes longer than the question.
    pub async fn look_up(&self) -> Result<Conn> {
        match self {
            Self::Sqlite { .. } => self.read().await,
            Self::Postgres { write, .. } => Ok(Conn::Postgres(write.acquire().await?)),
        }
    }
}
