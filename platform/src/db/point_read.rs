//! Read connection for key lookups, used at the start of every request.

use super::{Conn, Db, postgres};
use crate::error::Result;

impl Db {
    /// On PostgreSQL this connection caches plans, unlike [`Db::acquire_reader`]: for key lookups the plan is always
    /// the same, and planning takes longer than the query.
    pub async fn acquire_point_reader(&self) -> Result<Conn> {
        match self {
            Self::Sqlite { .. } => self.acquire_reader().await,
            Self::Postgres { write, sessions, schema, .. } => {
                Ok(Conn { driver: postgres::acquire_in(write, *sessions, postgres::POINT_READER).await?, schema })
            }
        }
    }
}
