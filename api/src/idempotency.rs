//! A request that may come twice under one `Idempotency-Key`: it is done once, and answered alike.

use axum::http::HeaderMap;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use sha2::{Digest, Sha256};
use shared::platform::{
    db::Tx,
    id::OrgId,
    idempotency::{self, Keyed},
};

use crate::{
    error::{ApiError, ApiResult},
    extract::bad_request,
    state::AppState,
};

/// The longest key, in characters.
const MAX_KEY: usize = 255;

/// The client's own key for this request.
///
/// # Errors
/// 400 when it is longer than 255 characters or holds what a key does not.
pub fn idempotency_key(headers: &HeaderMap) -> ApiResult<Option<String>> {
    let Some(given) = headers.get("idempotency-key") else { return Ok(None) };
    let key = given.to_str().ok().filter(|key| !key.is_empty() && key.len() <= MAX_KEY);
    key.map(|key| Some(key.to_owned())).ok_or_else(|| bad_request("The Idempotency-Key does not fit."))
}

/// One operation with the key it came under, if any. Without a key it is done whenever it is asked for.
#[derive(Clone, Debug)]
pub struct Once {
    operation: &'static str,
    key: Option<String>,
    body_hash: [u8; 32],
}

impl Once {
    /// `asked` is everything that tells one request from another.
    ///
    /// # Errors
    /// 400 when the key does not fit.
    pub fn new(operation: &'static str, headers: &HeaderMap, asked: &str) -> ApiResult<Self> {
        Ok(Self::of(operation, idempotency_key(headers)?, Sha256::digest(asked.as_bytes()).into()))
    }

    /// The same with a hash of what was asked, where that is more than words.
    #[must_use]
    pub fn of(operation: &'static str, key: Option<String>, body_hash: [u8; 32]) -> Self {
        Self { operation, key, body_hash }
    }

    #[must_use]
    pub fn has_key(&self) -> bool {
        self.key.is_some()
    }

    fn keyed(&self) -> Option<Keyed<'_>> {
        let (operation, body_hash) = (self.operation, self.body_hash);
        self.key.as_deref().map(|key| Keyed { operation, key, body_hash })
    }

    /// The answer that the first request had; none when this is the first, and then its key is taken until the
    /// transaction ends.
    ///
    /// # Errors
    /// 422 when the key was used for something else.
    pub async fn earlier<T: DeserializeOwned>(
        &self,
        tx: &mut Tx,
        state: &AppState,
        org: OrgId,
    ) -> ApiResult<Option<T>> {
        let Some(keyed) = self.keyed() else { return Ok(None) };
        let answer = idempotency::earlier_answer(tx, &state.origin, org, &keyed).await?;
        let read = answer.map(serde_json::from_value).transpose();
        read.map_err(|e| ApiError::internal(format!("kept answer: {e}")))
    }

    /// Keeps the answer for a repeat, in the transaction of what was done.
    pub async fn keep<T: Serialize>(&self, tx: &mut Tx, org: OrgId, answer: &T) -> ApiResult<Value> {
        let answer = serde_json::to_value(answer).map_err(|e| ApiError::internal(e.to_string()))?;
        if let Some(keyed) = self.keyed() {
            idempotency::keep_answer(tx, org, &keyed, &answer).await?;
        }
        Ok(answer)
    }
}
