//! A photo while it is received.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use shared::platform::{error::Result, id::OrgId, private_file};
use tokio::{fs::File, io::AsyncWriteExt};

use super::{
    blocking, failed,
    held::{Held, Holder},
    remove,
};
use crate::error::ApiResult;

/// A photo while it is received. Its file goes with it, unless it was moved on.
pub struct Part {
    path: PathBuf,
    file: Option<File>,
    bytes: i64,
    held: Held,
    holders: Vec<Holder>,
    hash: Sha256,
}

impl Part {
    pub(super) fn new(path: PathBuf, held: Held, holders: Vec<Holder>) -> Self {
        Self { path, file: None, bytes: 0, held, holders, hash: Sha256::new() }
    }

    /// Whose photo it is: from now on it counts for them too.
    pub fn is_for(&mut self, org: OrgId) {
        let business = Holder::Business(org);
        self.held.add(std::slice::from_ref(&business), self.bytes);
        self.holders.push(business);
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    #[must_use]
    pub fn bytes(&self) -> i64 {
        self.bytes
    }

    /// Adds what came to the hash alone: a photo that is left out is still part of what was asked.
    pub fn pass_over(&mut self, chunk: &[u8]) {
        self.hash.update(chunk);
    }

    /// # Errors
    /// 507 when the disk is full.
    pub async fn write(&mut self, chunk: &[u8]) -> ApiResult<()> {
        self.hash.update(chunk);
        let more = i64::try_from(chunk.len()).unwrap_or(i64::MAX);
        self.bytes = self.bytes.saturating_add(more);
        self.held.add(&self.holders, more);
        if self.file.is_none() {
            self.file = Some(create(self.path.clone()).await?);
        }
        if let Some(file) = &mut self.file {
            file.write_all(chunk).await.map_err(|e| failed(&e))?;
        }
        Ok(())
    }

    /// Everything has come. When it returns, a power cut loses nothing of it.
    ///
    /// # Errors
    /// 507 when the disk is full.
    pub async fn finish(&mut self) -> ApiResult<()> {
        if let Some(mut file) = self.file.take() {
            file.flush().await.map_err(|e| failed(&e))?;
            file.sync_all().await.map_err(|e| failed(&e))?;
        }
        Ok(())
    }

    /// Of everything that came.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        self.hash.clone().finalize().into()
    }

    /// Gives its room back and removes its file; the hash stays.
    pub async fn leave_out(&mut self) -> Result<()> {
        self.file = None;
        self.held.add(&self.holders, -self.bytes);
        self.bytes = 0;
        remove(&self.path).await
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.held.add(&self.holders, -self.bytes);
        // One that was moved on is not there any more; one that stays behind goes after an hour.
        let _ = std::fs::remove_file(&self.path);
    }
}

async fn create(path: PathBuf) -> Result<File> {
    let made = blocking(move || {
        if let Some(folder) = path.parent() {
            private_file::folder(folder)?;
        }
        private_file::create(&path, true)
    });
    Ok(File::from_std(made.await?))
}
