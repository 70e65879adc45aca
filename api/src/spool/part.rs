//! A photo while it is received.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use shared::platform::{error::Result, id::OrgId, private_file};
use tokio::{fs::File, io::AsyncWriteExt};

use super::{
    receiving::{ByteOwner, ReceivingBytes},
    remove_if_exists, run_blocking, to_storage_error,
};
use crate::error::ApiResult;

/// Removes its file on drop, unless the file was moved.
pub struct UploadPart {
    path: PathBuf,
    file: Option<File>,
    bytes: i64,
    held: ReceivingBytes,
    holders: Vec<ByteOwner>,
    hash: Sha256,
}

impl UploadPart {
    pub(super) fn new(path: PathBuf, held: ReceivingBytes, holders: Vec<ByteOwner>) -> Self {
        Self { path, file: None, bytes: 0, held, holders, hash: Sha256::new() }
    }

    /// Sets the business: the bytes now count for it too.
    pub fn assign_business(&mut self, org: OrgId) {
        let business = ByteOwner::Business(org);
        self.held.add_bytes(std::slice::from_ref(&business), self.bytes);
        self.holders.push(business);
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    #[must_use]
    pub fn byte_count(&self) -> i64 {
        self.bytes
    }

    /// Only hashes a chunk: a photo that is left out is still part of the request's hash.
    pub fn hash_only(&mut self, chunk: &[u8]) {
        self.hash.update(chunk);
    }

    /// Errors: 507 when the disk is full.
    pub async fn write_chunk(&mut self, chunk: &[u8]) -> ApiResult<()> {
        self.hash.update(chunk);
        let more = i64::try_from(chunk.len()).unwrap_or(i64::MAX);
        self.bytes = self.bytes.saturating_add(more);
        self.held.add_bytes(&self.holders, more);
        if self.file.is_none() {
            self.file = Some(create_file(self.path.clone()).await?);
        }
        if let Some(file) = &mut self.file {
            file.write_all(chunk).await.map_err(|e| to_storage_error(&e))?;
        }
        Ok(())
    }

    /// Ends the file. Durable against power loss when it returns. Errors: 507 when the disk is full.
    pub async fn sync_to_disk(&mut self) -> ApiResult<()> {
        if let Some(mut file) = self.file.take() {
            file.flush().await.map_err(|e| to_storage_error(&e))?;
            file.sync_all().await.map_err(|e| to_storage_error(&e))?;
        }
        Ok(())
    }

    #[must_use]
    pub fn content_hash(&self) -> [u8; 32] {
        self.hash.clone().finalize().into()
    }

    /// Removes the file and frees its bytes; the hash stays.
    pub async fn discard_content(&mut self) -> Result<()> {
        self.file = None;
        self.held.add_bytes(&self.holders, -self.bytes);
        self.bytes = 0;
        remove_if_exists(&self.path).await
    }
}

impl Drop for UploadPart {
    fn drop(&mut self) {
        self.held.add_bytes(&self.holders, -self.bytes);
        // A moved file is not there any more; one that could not be removed goes after an hour.
        let _ = std::fs::remove_file(&self.path);
    }
}

async fn create_file(path: PathBuf) -> Result<File> {
    let made = run_blocking(move || {
        if let Some(folder) = path.parent() {
            private_file::create_private_dir(folder)?;
        }
        private_file::create_private_file(&path, true)
    });
    Ok(File::from_std(made.await?))
}
