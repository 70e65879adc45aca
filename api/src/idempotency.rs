//! Idempotency keys: a request repeated under one `Idempotency-Key` is done once and answered alike.

use axum::http::HeaderMap;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use sha2::{Digest, Sha256};
use shared::platform::{
    db::Tx,
    id::OrgId,
    idempotency::{self, IdempotentRequest},
};

use crate::{
    error::{ApiError, ApiResult},
    extract::bad_request,
    state::AppState,
};

/// In characters.
const MAX_KEY: usize = 255;

/// Errors: 400 when the key is longer than 255 characters or holds characters that are not allowed.
pub fn idempotency_key(headers: &HeaderMap) -> ApiResult<Option<String>> {
    let Some(given) = headers.get("idempotency-key") else { return Ok(None) };
    let key = given.to_str().ok().filter(|key| !key.is_empty() && key.len() <= MAX_KEY);
    key.map(|key| Some(key.to_owned())).ok_or_else(|| bad_request("The Idempotency-Key does not fit."))
}

/// One operation with its idempotency key, if any. Without a key every request is carried out.
#[derive(Clone, Debug)]
pub struct IdempotentOperation {
    operation: &'static str,
    key: Option<String>,
    body_hash: [u8; 32],
}

impl IdempotentOperation {
    /// `asked` is everything that tells one request from another. Errors: 400 when the key does not fit.
    pub fn new(operation: &'static str, headers: &HeaderMap, asked: &str) -> ApiResult<Self> {
        Ok(Self::with_body_hash(operation, idempotency_key(headers)?, Sha256::digest(asked.as_bytes()).into()))
    }

    /// With a ready hash, where the request is more than text.
    #[must_use]
    pub fn with_body_hash(operation: &'static str, key: Option<String>, body_hash: [u8; 32]) -> Self {
        Self { operation, key, body_hash }
    }

    /// Whether both may be one request, sent twice.
    #[must_use]
    pub fn has_key_of(&self, other: &Self) -> bool {
        self.key.is_some() && (self.operation, &self.key) == (other.operation, &other.key)
    }

    /// Where several are claimed in one transaction, they are claimed in this order.
    #[must_use]
    pub fn lock_order(&self) -> (&'static str, Option<&str>) {
        (self.operation, self.key.as_deref())
    }

    #[must_use]
    pub fn has_key(&self) -> bool {
        self.key.is_some()
    }

    fn to_request(&self) -> Option<IdempotentRequest<'_>> {
        let (operation, body_hash) = (self.operation, self.body_hash);
        self.key.as_deref().map(|key| IdempotentRequest { operation, key, body_hash })
    }

    /// The answer of the first request; `None` when this is the first, which locks the key until the transaction ends.
    /// Errors: 422 when the key was used for another request.
    pub async fn find_stored_response<T: DeserializeOwned>(
        &self,
        tx: &mut Tx,
        state: &AppState,
        org: OrgId,
    ) -> ApiResult<Option<T>> {
        let Some(keyed) = self.to_request() else { return Ok(None) };
        let answer = idempotency::claim_or_load_response(tx, &state.origin, org, &keyed).await?;
        let read = answer.map(serde_json::from_value).transpose();
        read.map_err(|e| ApiError::internal(format!("kept answer: {e}")))
    }

    /// Stores the answer for a repeat, in the transaction of the work.
    pub async fn store_response<T: Serialize>(&self, tx: &mut Tx, org: OrgId, answer: &T) -> ApiResult<Value> {
        let answer = serde_json::to_value(answer).map_err(|e| ApiError::internal(e.to_string()))?;
        if let Some(keyed) = self.to_request() {
            idempotency::store_response(tx, org, &keyed, &answer).await?;
        }
        Ok(answer)
    }
}
