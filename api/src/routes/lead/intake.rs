//! From a checked form to a stored lead: photos put in place as they came, then one transaction, then the answer. The
//! photos are redrawn afterwards, by the worker.

use std::sync::Arc;

use shared::{
    domain::{
        intake::{
            lead::{self, Foreseen, NewLead, Receipt},
            photo_upload::{self, NewUpload},
        },
        tenancy::org::{self, Org, Profile},
        work::file::quota,
    },
    platform::{
        db::{Tx, flush},
        error::Error,
        id::{OrgId, PhotoId},
        photo::{self, PhotoError, Processed},
    },
};

use super::{
    photos::{self, Photos, SentPhoto},
    room,
    upload::RawPhoto,
};
use crate::{
    client_info::Who,
    error::{ApiError, ApiResult, ErrorCode},
    idempotency::Once,
    state::AppState,
};

pub use crate::idempotency::idempotency_key;

/// A checked form.
pub struct Submission {
    /// `lead` or `quote`.
    pub operation: &'static str,
    pub key: Option<String>,
    pub new: NewLead,
    pub photos: Photos,
}

/// Stores the request and everything that follows from it, once.
pub async fn take_in(state: &AppState, who: &Who, org: Org, submission: Submission) -> ApiResult<Receipt> {
    let has_photos = !submission.photos.kept.is_empty();
    let taken = store(state, who, org, submission).await;
    if has_photos { taken.map_err(ApiError::or_without_photos) } else { taken }
}

async fn store(state: &AppState, who: &Who, org: Org, submission: Submission) -> ApiResult<Receipt> {
    let Submission { operation, key, new, photos: mut sent } = submission;
    let once = Once::of(operation, key, new.body_hash(&sent.hashes));
    let mut conn = state.db()?.look_up().await?;
    let profile = org::profile(&mut conn, org).await?;
    let foreseen = lead::foresee(&mut conn, &state.intake(&profile), &new).await?;
    drop(conn);
    let org = profile.org.id;
    // Photos are not looked at for a request that was answered before.
    if once.has_key()
        && !sent.kept.is_empty()
        && let Some(earlier) = once.earlier(&mut state.db()?.begin().await?, state, org).await?
    {
        return Ok(earlier);
    }
    if !sent.kept.is_empty() {
        room::fit(state, who, org, &mut sent).await?;
    }
    if !sent.kept.is_empty() {
        look_at(state, org, &sent).await?;
    }
    let photos = keep(state, org, &sent.kept).await?;
    let left_out = sent.left_out;
    let work = Work { state, who, profile: &profile, new: &new, once, photos: &photos, left_out, foreseen };
    let (tx, receipt, is_new) = match work.run().await {
        Ok(done) => done,
        Err(e) => {
            discard(state, org, &photos).await;
            return Err(e);
        }
    };
    if !is_new {
        drop(tx);
        discard(state, org, &photos).await;
        return Ok(receipt);
    }
    // When a commit fails nobody knows whether it happened: the files stay, and the sweep removes them if no row has
    // their names.
    flush::commit(state.db()?, tx).await?;
    state.wake();
    if photos.iter().any(|photo| !photo.is_stored) {
        state.spool.tell(photos.iter().map(|photo| photo.id));
    }
    Ok(receipt)
}

/// Whether the business has space for the photos, and whether they are pictures.
async fn look_at(state: &AppState, org: OrgId, sent: &Photos) -> ApiResult<()> {
    let limit = state.settings.storage_quota;
    let mut conn = state.db()?.read().await?;
    quota::check(&mut conn, org, limit).await.map_err(no_room)?;
    photo_upload::check_room(&mut conn, org, sent.size(), limit).await.map_err(no_room)?;
    drop(conn);
    photos::inspect(state, &sent.kept).await
}

struct Work<'a> {
    state: &'a AppState,
    who: &'a Who,
    profile: &'a Profile,
    new: &'a NewLead,
    once: Once,
    photos: &'a [NewUpload],
    left_out: usize,
    foreseen: Foreseen,
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
        let receipt =
            lead::accept_foreseen(&mut tx, &intake, self.new, &sender, self.photos, &actor, self.foreseen).await?;
        let receipt = Receipt { photos_left_out: left_out(self.left_out), ..receipt };
        self.once.keep(&mut tx, org, &receipt).await?;
        Ok((tx, receipt, true))
    }
}

/// What the visitor is told when there was no room for photos.
fn left_out(photos: usize) -> Option<String> {
    let which = match photos {
        0 => return None,
        1 => "one of your photos".to_owned(),
        more => format!("{more} of your photos"),
    };
    Some(format!("We have your request, but there was no room for {which} right now. Please show us when we call."))
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

/// Redraws one photo of the business's own people, off the threads that answer requests.
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

/// Puts the files in place before the rows that name them: into the file store, or into the folder of this machine where
/// the store is a bucket that may be away or slow.
async fn keep(state: &AppState, org: OrgId, sent: &[SentPhoto]) -> ApiResult<Vec<NewUpload>> {
    let mut kept = Vec::new();
    for SentPhoto { name, part } in sent {
        let id = PhotoId(state.origin.uuid());
        let photo = NewUpload {
            id,
            original_name: name.clone(),
            bytes: part.bytes(),
            raw_key: photo_upload::raw_key(org, id),
            is_stored: !state.storage.is_bucket(),
        };
        let done = if photo.is_stored {
            state.storage.adopt(&photo.raw_key, part.path()).await.map_err(Error::from)
        } else {
            state.spool.keep(part, org, id).await
        };
        kept.push(photo);
        if let Err(e) = done {
            discard(state, org, &kept).await;
            return Err(e.into());
        }
    }
    Ok(kept)
}

/// Removes files that no row will name. One that stays behind is found by the sweep.
async fn discard(state: &AppState, org: OrgId, photos: &[NewUpload]) {
    for photo in photos {
        let done = if photo.is_stored {
            state.storage.delete(&photo.raw_key).await.map_err(Error::from)
        } else {
            state.spool.discard(org, photo.id).await
        };
        if let Err(e) = done {
            tracing::warn!(cause = %e, "a file that nothing names could not be removed yet");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn left_out_names_how_many_photos_and_nothing_when_there_are_none() {
        assert_eq!(left_out(0), None);
        assert!(left_out(1).unwrap().contains("no room for one of your photos right now"));
        assert!(left_out(3).unwrap().contains("no room for 3 of your photos right now"));
    }
}
