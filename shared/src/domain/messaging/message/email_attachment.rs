//! Files attached to an email, as its sender fetches them from the file store.

use sqlx::FromRow;

use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{MessageId, OrgId},
};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct EmailAttachment {
    pub name: String,
    pub content_type: String,
    pub full_key: String,
    /// Removed since: the words that mention it would no longer be true.
    pub is_removed: bool,
}

pub async fn list_attachments(conn: &mut dyn AsConn, org: OrgId, message: MessageId) -> Result<Vec<EmailAttachment>> {
    Ok(q!(
        conn,
        fetch_all as EmailAttachment,
        "SELECT f.name, f.content_type, f.full_key, f.removed_at IS NOT NULL AS is_removed
         FROM message_file m JOIN file f ON f.org_id = m.org_id AND f.id = m.file_id
         WHERE m.org_id = $1 AND m.message_id = $2 AND m.is_attached = TRUE ORDER BY f.name, f.id",
        org,
        message
    )?)
}
