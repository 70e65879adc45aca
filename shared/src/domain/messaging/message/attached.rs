//! The files that go out with an email, as its sender fetches them from the file store.

use sqlx::FromRow;

use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{MessageId, OrgId},
};

/// A file to be attached; its bytes lie in the file store.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Attached {
    pub name: String,
    pub content_type: String,
    pub full_key: String,
    /// Somebody removed it since: the words that speak of it would no longer be true.
    pub is_removed: bool,
}

/// What is attached to a message, by name.
pub async fn of(conn: &mut dyn AsConn, org: OrgId, message: MessageId) -> Result<Vec<Attached>> {
    Ok(q!(
        conn,
        fetch_all as Attached,
        "SELECT f.name, f.content_type, f.full_key, f.removed_at IS NOT NULL AS is_removed
         FROM message_file m JOIN file f ON f.org_id = m.org_id AND f.id = m.file_id
         WHERE m.org_id = $1 AND m.message_id = $2 AND m.is_attached = TRUE ORDER BY f.name, f.id",
        org,
        message
    )?)
}
