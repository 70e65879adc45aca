//! Photos of a form before storage, and their check before the lead is answered.

use std::sync::Arc;

use shared::platform::photo::{self, PhotoError};

use super::upload::{refusal_message, refused_photos_error};
use crate::{
    error::{ApiError, ApiResult},
    spool::UploadPart,
    state::AppState,
};

pub struct ReceivedPhoto {
    pub name: String,
    pub part: UploadPart,
}

#[derive(Default)]
pub struct ReceivedPhotos {
    pub kept: Vec<ReceivedPhoto>,
    /// Hashes of all photos sent, in order.
    pub hashes: Vec<[u8; 32]>,
    /// Photos for which there was no room.
    pub left_out: usize,
}

impl ReceivedPhotos {
    /// In bytes.
    pub fn total_bytes(&self) -> i64 {
        self.kept.iter().map(|photo| photo.part.byte_count()).fold(0, i64::saturating_add)
    }
}

/// Checks the first bytes of each photo and collects all refusals. Errors: 422 when one is no picture, truncated, or
/// too large to decode in memory.
pub async fn inspect_photos(state: &AppState, photos: &[ReceivedPhoto]) -> ApiResult<()> {
    let mut refused = Vec::new();
    for ReceivedPhoto { name, part } in photos {
        let slot = Arc::clone(&state.spool.inspections).acquire_owned().await;
        let slot = slot.map_err(|e| ApiError::unavailable(e.to_string()))?;
        let path = part.path().to_owned();
        let work = tokio::task::spawn_blocking(move || {
            let seen = std::fs::read(path).map(|bytes| photo::validate_photo(&bytes));
            drop(slot);
            seen
        });
        // A decoder panic counts as a refusal of the file.
        match work.await.unwrap_or(Ok(Err(PhotoError::Damaged))) {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => refused.push(refusal_message(name, fault)),
            Err(e) => return Err(ApiError::unavailable(format!("the folder of photos: {e}"))),
        }
    }
    if refused.is_empty() { Ok(()) } else { Err(refused_photos_error(&refused)) }
}
