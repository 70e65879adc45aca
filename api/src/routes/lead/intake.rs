//! From a checked form to a stored lead: photos pressed and kept, then one transaction, then the answer.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use shared::{
    db::Tx,
    error::Error,
    file::quota,
    id::{OrgId, PhotoId},
    lead::{self, NewLead, NewPhoto, Receipt},
    org::{self, Org, Profile},
    photo::{self, PhotoError, Processed},
};

use super::upload::{self, RawPhoto};
use crate::{
    error::{ApiError, ApiResult, ErrorCode},
    once::Once,
    state::AppState,
    who::Who,
};

pub use crate::once::idempotency_key;

/// A checked form.
pub struct Submission {
    /// `lead` or `quote`.
    pub operation: &'static str,
    pub key: Option<String>,
    pub new: NewLead,
    pub photos: Vec<RawPhoto>,
}

/// Stores the request and everything that follows from it, once.
pub async fn take_in(state: &AppState, who: &Who, org: Org, submission: Submission) -> ApiResult<Receipt> {
    let hashes: Vec<[u8; 32]> = submission.photos.iter().map(|p| Sha256::digest(&p.bytes).into()).collect();
    let body_hash = submission.new.body_hash(&hashes);
    let once = Once::of(submission.operation, submission.key, body_hash);
    let profile = org::profile(&mut state.db()?.read().await?, org).await?;
    let org = profile.org.id;
    // Photos are not worked on for a request that was answered before.
    if once.has_key()
        && !submission.photos.is_empty()
        && let Some(earlier) = once.earlier(&mut state.db()?.begin().await?, state, org).await?
    {
        return Ok(earlier);
    }
    if !submission.photos.is_empty() {
        let limit = state.settings.storage_quota;
        quota::check(&mut state.db()?.read().await?, org, limit).await.map_err(no_room)?;
    }
    let pressed = press(state, submission.photos).await?;
    let photos = keep(state, org, pressed).await?;
    let work = Work { state, who, profile: &profile, new: &submission.new, once, photos: &photos };
    let (tx, receipt, is_new) = match work.run().await {
        Ok(done) => done,
        Err(e) => {
            discard(state, &photos).await;
            return Err(e);
        }
    };
    if !is_new {
        drop(tx);
        discard(state, &photos).await;
        return Ok(receipt);
    }
    // When a commit fails nobody knows whether it happened: the files stay, and the sweep removes them if no row has
    // their names.
    tx.commit().await?;
    state.wake();
    Ok(receipt)
}

struct Work<'a> {
    state: &'a AppState,
    who: &'a Who,
    profile: &'a Profile,
    new: &'a NewLead,
    once: Once,
    photos: &'a [NewPhoto],
}

impl Work<'_> {
    /// Everything up to the commit. The flag is false when the answer is that of an earlier request.
    async fn run(&self) -> ApiResult<(Tx, Receipt, bool)> {
        let state = self.state;
        let org = self.profile.org.id;
        let mut tx = state.db()?.begin().await?;
        if let Some(receipt) = self.once.earlier(&mut tx, state, org).await? {
            return Ok((tx, receipt, false));
        }
        let intake = state.intake(self.profile);
        let (sender, actor) = (self.who.sender(), self.who.visitor());
        let receipt = lead::accept(&mut tx, &intake, self.new, &sender, self.photos, &actor).await?;
        let (bytes, limit) = (lead::photo_bytes(self.photos), state.settings.storage_quota);
        quota::take(&mut tx, org, bytes, limit).await.map_err(no_room)?;
        self.once.keep(&mut tx, org, &receipt).await?;
        Ok((tx, receipt, true))
    }
}

/// A visitor cannot make room in the business's file space, but can ask without photos.
fn no_room(error: Error) -> ApiError {
    match error {
        Error::QuotaFull => {
            let words = "There is no room for photos here right now. Please send your request without photos.";
            ApiError::new(ErrorCode::StorageFull, words)
        }
        other => other.into(),
    }
}

/// Redraws every photo, one at a time in the whole process, and names all that are refused.
async fn press(state: &AppState, photos: Vec<RawPhoto>) -> ApiResult<Vec<(String, Processed)>> {
    let (mut pressed, mut refused) = (Vec::new(), Vec::new());
    for raw in photos {
        let name = raw.name.clone();
        match press_one(state, raw).await? {
            Ok(processed) => pressed.push((name, processed)),
            Err(fault) => refused.push(upload::refused_words(&name, fault)),
        }
    }
    if refused.is_empty() { Ok(pressed) } else { Err(upload::refusal(&refused)) }
}

/// Redraws one photo, off the threads that answer requests.
pub async fn press_one(state: &AppState, raw: RawPhoto) -> ApiResult<Result<Processed, PhotoError>> {
    let slot = Arc::clone(&state.press).acquire_owned().await.map_err(|e| ApiError::unavailable(e.to_string()))?;
    let work = tokio::task::spawn_blocking(move || {
        let done = photo::process(&raw.bytes);
        drop(slot);
        done
    });
    // A decoder that panics on a strange file has refused it.
    Ok(work.await.unwrap_or(Err(PhotoError::Damaged)))
}

/// Puts the files in place before the rows that name them.
async fn keep(state: &AppState, org: OrgId, pressed: Vec<(String, Processed)>) -> ApiResult<Vec<NewPhoto>> {
    let mut kept = Vec::new();
    for (original_name, picture) in pressed {
        let id = PhotoId(state.origin.uuid());
        let photo = NewPhoto {
            id,
            original_name,
            width: picture.width,
            height: picture.height,
            bytes: picture.full.len() as u64,
            full_key: format!("{org}/{id}.jpg"),
            thumb_key: format!("{org}/{id}-thumb.jpg"),
        };
        let (full_key, thumb_key) = (photo.full_key.clone(), photo.thumb_key.clone());
        kept.push(photo);
        let stored = async {
            state.storage.put(&full_key, &picture.full).await?;
            state.storage.put(&thumb_key, &picture.thumb).await
        };
        if let Err(e) = stored.await {
            discard(state, &kept).await;
            return Err(Error::from(e).into());
        }
    }
    Ok(kept)
}

/// Removes files that no row will name. One that stays behind is found by the sweep.
async fn discard(state: &AppState, photos: &[NewPhoto]) {
    for key in photos.iter().flat_map(|p| [&p.full_key, &p.thumb_key]) {
        if let Err(e) = state.storage.delete(key).await {
            tracing::warn!(cause = %e, "a file that nothing names could not be removed yet");
        }
    }
}
