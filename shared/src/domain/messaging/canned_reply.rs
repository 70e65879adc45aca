//! Canned replies: reusable texts of a business under short titles.

use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    conflicts::ConflictCode,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        field_schemas,
        id::{CannedReplyId, OrgId},
        text::{multi_line, single_line},
    },
};

/// Longer lists take too long to look through while a customer waits.
const MOST: i64 = 50;
const MAX_TITLE: usize = 60;
/// Ten SMS segments.
pub const MAX_BODY: usize = 1530;

#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
pub struct CannedReply {
    pub id: CannedReplyId,
    pub title: String,
    pub body: String,
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = CannedReplyRequest)]
pub struct NewCannedReply {
    #[schema(required, schema_with = field_schemas::required_line::<60>)]
    pub title: Option<String>,
    #[schema(required, schema_with = field_schemas::required_text::<1530>)]
    pub body: Option<String>,
}

pub async fn list(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<CannedReply>> {
    let sql = "SELECT id, title, body FROM canned_reply WHERE org_id = $1 ORDER BY title, id";
    Ok(q!(conn, fetch_all as CannedReply, sql, org)?)
}

/// # Errors
/// [`Error::Invalid`] on the fields that do not fit, [`Error::Conflict`] when there are fifty already.
pub async fn create(tx: &mut Tx, origin: &ClockRng, org: OrgId, new: &NewCannedReply) -> Result<CannedReply> {
    tx.guard_writable(org);
    let mut errors = FieldErrors::default();
    let title =
        single_line("title", new.title.as_deref(), MAX_TITLE).parse_required("Give it a short title", &mut errors);
    let body = multi_line("body", new.body.as_deref(), MAX_BODY).parse_required("Write something first", &mut errors);
    errors.into_result()?;
    let count = q!(&mut *tx, fetch_one scalar i64, "SELECT COUNT(*) FROM canned_reply WHERE org_id = $1", org)?;
    if count >= MOST {
        return Err(ConflictCode::CannedRepliesFull.into_error());
    }
    let reply = CannedReply { id: CannedReplyId(origin.uuid_v7()), title, body };
    q!(
        tx,
        execute,
        "INSERT INTO canned_reply (org_id, id, title, body, created_at) VALUES ($1, $2, $3, $4, $5)",
        org,
        reply.id,
        &reply.title,
        &reply.body,
        origin.now()
    )?;
    Ok(reply)
}

/// # Errors
/// [`Error::NotFound`] when the org has no such reply.
pub async fn delete(tx: &mut Tx, org: OrgId, id: CannedReplyId) -> Result<()> {
    tx.guard_writable(org);
    let sql = "DELETE FROM canned_reply WHERE org_id = $1 AND id = $2";
    if q!(tx, execute, sql, org, id)? == 0 { Err(Error::NotFound) } else { Ok(()) }
}
