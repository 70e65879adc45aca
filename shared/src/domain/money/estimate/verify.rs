//! Integrity of an estimate's papers: hashes of the bytes in the store now against those sent and signed.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sha2::{Digest, Sha256};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::view::to_hex;
use crate::platform::{
    db::{AsConn, q},
    error::{Error, Result},
    id::{EstimateId, OrgId},
    storage::{Storage, StorageError},
};

#[derive(Clone, Debug, FromRow)]
pub struct DocumentHashes {
    sent_key: Option<String>,
    sent_sha256: Option<Vec<u8>>,
    signed_key: Option<String>,
    signed_sha256: Option<Vec<u8>>,
    approved_sha256: Option<Vec<u8>>,
    at: Option<DateTime<Utc>>,
    name: Option<String>,
}

/// What the store holds of them now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EstimateProof {
    /// Whether every paper is there and unchanged, and the approved one is the one that was approved.
    pub ok: bool,
    /// Hash of the stored PDF, in hexadecimal digits; null without one.
    pub stored_sha256: Option<String>,
    /// The same of the signed copy.
    pub signed_sha256: Option<String>,
    /// Hash of the PDF that the customer approved; null without an approval.
    pub approved_sha256: Option<String>,
    /// When it was approved.
    pub at: Option<DateTime<Utc>>,
    /// By whom.
    pub name: Option<String>,
}

/// Errors: [`Error::NotFound`] when the org has no such estimate.
pub async fn load_hashes(conn: &mut dyn AsConn, org: OrgId, id: EstimateId) -> Result<DocumentHashes> {
    q!(
        conn,
        fetch_optional as DocumentHashes,
        "SELECT f.full_key AS sent_key, f.sha256 AS sent_sha256, s.full_key AS signed_key, s.sha256 AS signed_sha256,
             a.pdf_sha256 AS approved_sha256, a.at, a.name
         FROM estimate e
         LEFT JOIN file f ON f.org_id = e.org_id AND f.id = e.file_id
         LEFT JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         LEFT JOIN file s ON s.org_id = a.org_id AND s.id = a.file_id
         WHERE e.org_id = $1 AND e.id = $2",
        org,
        id
    )?
    .ok_or(Error::NotFound)
}

/// None when nothing is stored under the key.
async fn hash_stored(storage: &Storage, key: Option<&str>) -> Result<Option<Vec<u8>>> {
    let Some(key) = key else { return Ok(None) };
    match storage.get(key).await {
        Ok(bytes) => Ok(Some(Sha256::digest(&bytes).to_vec())),
        Err(StorageError::NotFound) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

impl DocumentHashes {
    /// Errors: [`Error::Unavailable`] when the store does not answer.
    pub async fn verify_stored(self, storage: &Storage) -> Result<EstimateProof> {
        let stored = hash_stored(storage, self.sent_key.as_deref()).await?;
        let signed = hash_stored(storage, self.signed_key.as_deref()).await?;
        let is_as_sent = stored.is_some() && stored == self.sent_sha256;
        let is_as_signed = self.signed_key.is_none() || signed == self.signed_sha256;
        let is_as_approved = self.approved_sha256.is_none() || self.approved_sha256 == stored;
        let shown = |hash: Option<Vec<u8>>| hash.as_deref().map(to_hex);
        Ok(EstimateProof {
            ok: is_as_sent && is_as_signed && is_as_approved,
            stored_sha256: shown(stored),
            signed_sha256: shown(signed),
            approved_sha256: shown(self.approved_sha256),
            at: self.at,
            name: self.name,
        })
    }
}
