//! Idempotency keys: the first response to a keyed request is replayed to its repeats.

use serde_json::Value;
use sha2::{Digest, Sha256};
use sqlx::types::Json;

use crate::{
    clock::ClockRng,
    db::{Tx, q},
    error::{Error, Result},
    id::OrgId,
};

#[derive(Clone, Debug)]
pub struct IdempotentRequest<'a> {
    pub operation: &'static str,
    pub key: &'a str,
    /// SHA-256 of the request content without transport detail (a multipart boundary changes with every retry).
    pub body_hash: [u8; 32],
}

/// The stored response. For a new request, reserves the key until the transaction ends. A concurrent equal request
/// waits here for the first one's commit and gets its response. Errors: [`Error::IdempotencyMismatch`] when the key was
/// used for another body.
pub async fn claim_or_load_response(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    keyed: &IdempotentRequest<'_>,
) -> Result<Option<Value>> {
    tx.guard_writable(org);
    let taken = q!(
        &mut *tx,
        execute,
        "INSERT INTO idempotency (org_id, operation, key_hash, body_hash, answer, created_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (org_id, operation, key_hash) DO NOTHING",
        org,
        keyed.operation,
        hash_key(keyed),
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
        hash_key(keyed)
    )?;
    if hash == keyed.body_hash { Ok(Some(answer.0)) } else { Err(Error::IdempotencyMismatch) }
}

/// Stores the response under the key reserved by [`claim_or_load_response`] in this transaction.
pub async fn store_response(tx: &mut Tx, org: OrgId, keyed: &IdempotentRequest<'_>, answer: &Value) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE idempotency SET answer = $4 WHERE org_id = $1 AND operation = $2 AND key_hash = $3",
        org,
        keyed.operation,
        hash_key(keyed),
        Json(answer)
    )?;
    Ok(())
}

fn hash_key(keyed: &IdempotentRequest<'_>) -> Vec<u8> {
    Sha256::digest(keyed.key.as_bytes()).to_vec()
}
