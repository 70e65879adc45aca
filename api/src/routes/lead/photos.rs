//! The photos of a form on their way into the file store, and the look at them before their lead is answered.

use std::sync::Arc;

use shared::platform::photo::{self, PhotoError};

use super::upload::{refusal, refused_words};
use crate::{
    error::{ApiError, ApiResult},
    spool::Part,
    state::AppState,
};

/// A photo of a form, as it came in.
pub struct SentPhoto {
    pub name: String,
    pub part: Part,
}

/// The photos of a form.
#[derive(Default)]
pub struct Photos {
    pub kept: Vec<SentPhoto>,
    /// Of all that were sent, in their order.
    pub hashes: Vec<[u8; 32]>,
    /// Those for which there was no room.
    pub left_out: usize,
}

impl Photos {
    /// In bytes.
    pub fn size(&self) -> i64 {
        self.kept.iter().map(|photo| photo.part.bytes()).fold(0, i64::saturating_add)
    }
}

/// Looks at what the first bytes of each photo say, and names all that are refused.
///
/// # Errors
/// 422 when one is no picture, is cut off, or would not fit into the memory.
pub async fn inspect(state: &AppState, photos: &[SentPhoto]) -> ApiResult<()> {
    let mut refused = Vec::new();
    for SentPhoto { name, part } in photos {
        let slot = Arc::clone(&state.spool.inspections).acquire_owned().await;
        let slot = slot.map_err(|e| ApiError::unavailable(e.to_string()))?;
        let path = part.path().to_owned();
        let work = tokio::task::spawn_blocking(move || {
            let seen = std::fs::read(path).map(|bytes| photo::inspect(&bytes));
            drop(slot);
            seen
        });
        // A decoder that panics on a strange file has refused it.
        match work.await.unwrap_or(Ok(Err(PhotoError::Damaged))) {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => refused.push(refused_words(name, fault)),
            Err(e) => return Err(ApiError::unavailable(format!("the folder of photos: {e}"))),
        }
    }
    if refused.is_empty() { Ok(()) } else { Err(refusal(&refused)) }
}
