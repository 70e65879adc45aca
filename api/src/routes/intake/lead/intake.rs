//! From a checked form to a stored lead: photos stored as received, one transaction, answer. The worker redraws the
//! photos later.

use std::sync::Arc;

use shared::{
    domain::{
        intake::{
            lead::{LeadReceipt, NewLead},
            photo_upload::{self, NewPhotoUpload},
        },
        messaging::lead_response::ResponseForecast,
        tenancy::storage_quota,
    },
    platform::{
        error::Error,
        id::{OrgId, PhotoId},
        photo::{self, PhotoError, ProcessedPhoto},
        request_id::current_request,
    },
};

use super::{
    photo_space,
    photos::{self, ReceivedPhoto, ReceivedPhotos},
    upload::RawPhoto,
};
use crate::{
    client_info::RequestContext,
    error::{ApiError, ApiResult, ErrorCode},
    form_queue::{self, PendingForm},
    form_subject::{FormSubject, load_form_subject},
    idempotency::IdempotentOperation,
    state::AppState,
};

pub struct LeadSubmission {
    /// `lead` or `quote`.
    pub operation: &'static str,
    pub key: Option<String>,
    /// The business by its slug or id; the install's own where none is named.
    pub org_asked: Option<String>,
    pub new: NewLead,
    pub photos: ReceivedPhotos,
}

/// Stores the request and all that follows from it, once.
pub async fn submit_lead(state: &AppState, who: &RequestContext, submission: LeadSubmission) -> ApiResult<LeadReceipt> {
    let has_photos = !submission.photos.kept.is_empty();
    let taken = store_submission(state, who, submission).await;
    if has_photos { taken.map_err(ApiError::suggest_without_photos) } else { taken }
}

async fn store_submission(
    state: &AppState,
    who: &RequestContext,
    submission: LeadSubmission,
) -> ApiResult<LeadReceipt> {
    let LeadSubmission { operation, key, org_asked, new, photos: mut sent } = submission;
    let once = IdempotentOperation::with_body_hash(operation, key, new.body_hash(&sent.hashes));
    let subject = load_form_subject(state, org_asked.as_deref()).await?;
    let foreseen = forecast_response(state, &subject, &new).await?;
    let org = subject.profile.org.id;
    // A repeated request skips the photo check.
    if once.has_key()
        && !sent.kept.is_empty()
        && let Some(earlier) = once.find_stored_response(&mut state.db()?.begin().await?, state, org).await?
    {
        return Ok(earlier);
    }
    if !sent.kept.is_empty() {
        photo_space::drop_photos_over_limit(state, who, org, &mut sent).await?;
    }
    if !sent.kept.is_empty() {
        check_photos(state, org, &sent).await?;
    }
    let photos = store_photos(state, org, &sent.kept).await?;
    let (sender, actor, request_id) = (who.form_sender(), who.anonymous_actor(), current_request());
    let left_out = left_out_notice(sent.left_out);
    let form = PendingForm { subject, new, sender, actor, request_id, once, photos, left_out, foreseen };
    if form.can_be_grouped(state.db()?) {
        return form_queue::store_in_group(state, form).await;
    }
    let (tx, receipt, is_new) = match form.store_in_tx(state).await {
        Ok(done) => done,
        Err(e) => {
            discard_photos(state, org, &form.photos).await;
            return Err(e);
        }
    };
    if !is_new {
        drop(tx);
        discard_photos(state, org, &form.photos).await;
        return Ok(receipt);
    }
    // A failed commit may have happened: the files stay, and the sweep removes those without a row.
    tx.commit().await?;
    state.notify_committed();
    if form.photos.iter().any(|photo| !photo.is_stored) {
        state.spool.announce_photos(form.photos.iter().map(|photo| photo.id));
    }
    Ok(receipt)
}

async fn forecast_response(state: &AppState, subject: &FormSubject, new: &NewLead) -> ApiResult<ResponseForecast> {
    let FormSubject { profile, conditions, .. } = subject;
    let intake = state.org_context(profile);
    if let Some(foreseen) = conditions.forecast_at_once(&intake, new) {
        return Ok(foreseen);
    }
    let mut conn = state.db()?.acquire_point_reader().await?;
    Ok(conditions.forecast_with_budget(&mut conn, &intake, new).await?)
}

/// Checks the storage quota and that the photos are pictures.
async fn check_photos(state: &AppState, org: OrgId, sent: &ReceivedPhotos) -> ApiResult<()> {
    let limit = state.settings.storage_quota;
    let mut conn = state.db()?.acquire_reader().await?;
    storage_quota::check_quota(&mut conn, org, limit).await.map_err(no_room_error)?;
    photo_upload::check_upload_quota(&mut conn, org, sent.total_bytes(), limit).await.map_err(no_room_error)?;
    drop(conn);
    photos::inspect_photos(state, &sent.kept).await
}

/// Note to the visitor about photos for which there was no room.
fn left_out_notice(photos: usize) -> Option<String> {
    let which = match photos {
        0 => return None,
        1 => "one of your photos".to_owned(),
        more => format!("{more} of your photos"),
    };
    Some(format!("We have your request, but there was no room for {which} right now. Please show us when we call."))
}

/// A visitor cannot free space of the business, but can send without photos.
fn no_room_error(error: Error) -> ApiError {
    match error {
        Error::QuotaFull => {
            let words = "There is no room for photos here right now. Please send your request without photos.";
            ApiError::new(ErrorCode::StorageFull, words)
        }
        other => other.into(),
    }
}

/// Redraws one photo of a user, off the request threads.
pub async fn reencode_photo(state: &AppState, raw: RawPhoto) -> ApiResult<Result<ProcessedPhoto, PhotoError>> {
    let slot = Arc::clone(&state.press).acquire_owned().await.map_err(|e| ApiError::unavailable(e.to_string()))?;
    let work = tokio::task::spawn_blocking(move || {
        let done = photo::reencode_photo(&raw.bytes);
        drop(slot);
        done
    });
    // A decoder panic counts as a refusal of the file.
    Ok(work.await.unwrap_or(Err(PhotoError::Damaged)))
}

/// Stores the files before the rows that name them: in the file store, or in the local folder where the store is a
/// bucket, which may be away or slow.
async fn store_photos(state: &AppState, org: OrgId, sent: &[ReceivedPhoto]) -> ApiResult<Vec<NewPhotoUpload>> {
    let mut kept = Vec::new();
    for ReceivedPhoto { name, part } in sent {
        let id = PhotoId(state.origin.uuid_v7());
        let photo = NewPhotoUpload {
            id,
            original_name: name.clone(),
            bytes: part.byte_count(),
            raw_key: photo_upload::raw_storage_key(org, id),
            is_stored: !state.storage.is_bucket(),
        };
        let done = if photo.is_stored {
            state.storage.put_file(&photo.raw_key, part.path()).await.map_err(Error::from)
        } else {
            state.spool.store_photo(part, org, id).await
        };
        kept.push(photo);
        if let Err(e) = done {
            discard_photos(state, org, &kept).await;
            return Err(e.into());
        }
    }
    Ok(kept)
}

/// Removes files that no row will name. The sweep finds any that stay behind.
async fn discard_photos(state: &AppState, org: OrgId, photos: &[NewPhotoUpload]) {
    for photo in photos {
        let done = if photo.is_stored {
            state.storage.delete(&photo.raw_key).await.map_err(Error::from)
        } else {
            state.spool.discard_photo(org, photo.id).await
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
    fn left_out_states_the_photo_count_and_is_none_for_zero() {
        assert_eq!(left_out_notice(0), None);
        assert!(left_out_notice(1).unwrap().contains("no room for one of your photos right now"));
        assert!(left_out_notice(3).unwrap().contains("no room for 3 of your photos right now"));
    }
}
