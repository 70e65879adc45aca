//! The first answer to a request that carried an `Idempotency-Key`, given again to its repeats.

use serde_json::Value;
use sha2::{Digest, Sha256};
use sqlx::types::Json;

use crate::platform::{
    clock::Origin,
    db::{Tx, q},
    error::{Error, Result},
    id::OrgId,
};

/// One keyed request within an org.
#[derive(Clone, Debug)]
pub struct Keyed<'a> {
    /// Which operation: `lead`, `quote`.
    pub operation: &'static str,
    /// The client's key, any text.
    pub key: &'a str,
    /// SHA-256 of what was asked, without transport detail (a multipart boundary changes with every try).
    pub body_hash: [u8; 32],
}

/// The answer this request already had; when it is new, its key is taken until the transaction ends.
///
/// Of two equal requests at the same instant the second waits here for the first one's commit, and gets its answer.
///
/// # Errors
/// [`Error::IdempotencyMismatch`] when the key was used for another body.
pub async fn earlier_answer(tx: &mut Tx, origin: &Origin, org: OrgId, keyed: &Keyed<'_>) -> Result<Option<Value>> {
    tx.guard_writable(org);
    let taken = q!(
        &mut *tx,
        execute,
        "INSERT INTO idempotency (org_id, operation, key_hash, body_hash, answer, created_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (org_id, operation, key_hash) DO NOTHING",
        org,
        keyed.operation,
        key_hash(keyed),
        keyed.body_hash.to_vec(),
        Json(Value::Null),
        origin.now()
    )?;
    if taken == 1 {
        return Ok(None);
    }
    let (hash, answer) = q!(
        tx,
        fetch_one as (Vec<u8>, Json<Value>),
        "SELECT body_hash, answer FROM idempotency WHERE org_id = $1 AND operation = $2 AND key_hash = $3",
        org,
        keyed.operation,
        key_hash(keyed)
    )?;
    if hash == keyed.body_hash { Ok(Some(answer.0)) } else { Err(Error::IdempotencyMismatch) }
}

/// Keeps the answer under the key that [`earlier_answer`] took in this transaction.
pub async fn keep_answer(tx: &mut Tx, org: OrgId, keyed: &Keyed<'_>, answer: &Value) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE idempotency SET answer = $4 WHERE org_id = $1 AND operation = $2 AND key_hash = $3",
        org,
        keyed.operation,
        key_hash(keyed),
        Json(answer)
    )?;
    Ok(())
}

fn key_hash(keyed: &Keyed<'_>) -> Vec<u8> {
    Sha256::digest(keyed.key.as_bytes()).to_vec()
}
