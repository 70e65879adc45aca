//! Storing uploaded files of users: content check, file store, then rows and events in one transaction.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    domain::{
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent},
            audit::{self, AuditAction},
            storage_quota,
        },
        work::file::{self, FileView, NewFile, document},
    },
    platform::{
        db::Tx,
        error::Error,
        id::{FileId, JobId, LeadId, OrgId},
        photo::{PhotoError, ProcessedPhoto},
    },
};

use super::{
    refused_files_error,
    upload::{RawFile, ValidatedFiles},
};
use crate::{
    auth::OrgMember,
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    idempotency::IdempotentOperation,
    routes::intake::lead::{
        intake::reencode_photo,
        upload::{RawPhoto, refusal_message},
    },
    state::AppState,
};

/// Oldest time of an event that is accepted from a phone's clock.
const LATEST: Duration = Duration::hours(72);

/// Destination of the files, and the operation name for idempotency.
#[derive(Clone, Copy)]
pub struct UploadTarget {
    pub lead: LeadId,
    pub job: Option<JobId>,
    pub operation: &'static str,
}

struct ReadyFile {
    new: NewFile,
    full: Vec<u8>,
    thumb: Option<Vec<u8>>,
}

/// Stores the files and all that follows from them, once.
pub async fn store_files(
    state: &AppState,
    who: &RequestContext,
    member: &OrgMember,
    target: UploadTarget,
    key: Option<String>,
    mut sent: ValidatedFiles,
) -> ApiResult<Vec<FileView>> {
    let (org, once) =
        (member.org(), IdempotentOperation::with_body_hash(target.operation, key, sent.request_hash(target)));
    if once.has_key() {
        let mut tx = state.db()?.begin().await?;
        if let Some(StoredFiles { file_ids }) = once.find_stored_response(&mut tx, state, org).await? {
            return Ok(file::list_files_by_ids(&mut tx, org, target.lead, &file_ids).await?);
        }
    }
    let mut conn = state.db()?.acquire_reader().await?;
    storage_quota::check_quota(&mut conn, org, state.settings.storage_quota).await?;
    if let Some(original) = sent.made_from
        && !file::was_photo_of(&mut conn, org, target.lead, target.job, original).await?
    {
        return Err(ApiError::invalid_field("madeFrom", "This photo is not here"));
    }
    drop(conn);
    let now = state.origin.now();
    let raw = std::mem::take(&mut sent.files);
    let mut ready = reencode_files(state, org, target.lead, &sent, raw).await?;
    for file in &mut ready {
        sent.describe_file(&mut file.new, target, member, now);
    }
    write_files(state, &ready).await?;
    let new: Vec<NewFile> = ready.into_iter().map(|file| file.new).collect();
    let work = FileUploadWork { state, who, member, target, once, new: &new, at: event_time(now, sent.taken_at) };
    let (tx, files, is_new) = match work.run_in_tx().await {
        Ok(done) => done,
        Err(e) => {
            discard_files(state, storage_keys(&new)).await;
            return Err(e);
        }
    };
    if !is_new {
        drop(tx);
        discard_files(state, storage_keys(&new)).await;
        return Ok(files);
    }
    // A failed commit may have happened: the files stay, and the sweep removes those without a row.
    tx.commit().await?;
    state.notify_committed();
    Ok(files)
}

/// Time of the event by the device's clock, if plausible.
fn event_time(now: DateTime<Utc>, reported: Option<DateTime<Utc>>) -> DateTime<Utc> {
    reported.filter(|at| *at <= now && now - *at <= LATEST).unwrap_or(now)
}

struct FileUploadWork<'a> {
    state: &'a AppState,
    who: &'a RequestContext,
    member: &'a OrgMember,
    target: UploadTarget,
    once: IdempotentOperation,
    new: &'a [NewFile],
    at: DateTime<Utc>,
}

impl FileUploadWork<'_> {
    /// Everything up to the commit. The flag is false for a repeated request.
    async fn run_in_tx(&self) -> ApiResult<(Tx, Vec<FileView>, bool)> {
        let (state, target, org) = (self.state, self.target, self.member.org());
        let mut tx = state.db()?.begin().await?;
        if let Some(StoredFiles { file_ids }) = self.once.find_stored_response(&mut tx, state, org).await? {
            let files = file::list_files_by_ids(&mut tx, org, target.lead, &file_ids).await?;
            return Ok((tx, files, false));
        }
        let added = StoredFiles { file_ids: self.new.iter().map(|file| file.id).collect() };
        activity_log::record_event(&mut tx, &state.origin, org, self.build_event(&added.file_ids)).await?;
        let actor = self.who.actor_for(self.member);
        for id in &added.file_ids {
            audit::record(&mut tx, &state.origin, &actor, org, AuditAction::FileAdded, Some(id.0)).await?;
        }
        self.once.store_response(&mut tx, org, &added).await?;
        file::insert_uploads(&mut tx, &state.origin, org, state.settings.storage_quota, self.new).await?;
        let files = file::list_files_by_ids(&mut tx, org, target.lead, &added.file_ids).await?;
        Ok((tx, files, true))
    }

    fn build_event(&self, ids: &[FileId]) -> NewEvent {
        let moment = self.new.iter().find_map(|file| file.moment);
        let names: Vec<&str> = self.new.iter().map(|file| file.name.as_str()).collect();
        NewEvent {
            job: self.target.job,
            subject: ids.first().filter(|_| ids.len() == 1).map(|id| id.0),
            detail: json!({"files": ids.len(), "moment": moment, "names": names}),
            ..NewEvent::new(
                self.target.lead,
                EventKind::FilesAdded,
                self.at,
                ActivityActor::from_session(&self.member.session),
            )
        }
    }
}

/// Stored answer for a repeat: the ids of the files.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredFiles {
    file_ids: Vec<FileId>,
}

/// Redraws photos and checks documents, one at a time, and collects all that are refused.
async fn reencode_files(
    state: &AppState,
    org: OrgId,
    lead: LeadId,
    sent: &ValidatedFiles,
    raw: Vec<RawFile>,
) -> ApiResult<Vec<ReadyFile>> {
    let (mut ready, mut refused) = (Vec::new(), Vec::new());
    for RawFile { name, bytes, room } in raw {
        if document::is_pdf(&bytes) {
            match document::validate_pdf(&bytes) {
                Ok(()) => {
                    let new = NewFile::from_pdf(&state.origin, org, lead, sent.category.into(), &name, &bytes);
                    ready.push(ReadyFile { new, full: bytes, thumb: None });
                }
                Err(fault) => refused.push(format!("“{name}” {fault}")),
            }
            continue;
        }
        match reencode_photo(state, RawPhoto::new(bytes, room)).await? {
            Ok(picture) => {
                let new = NewFile::from_photo(&state.origin, org, lead, &name, &picture);
                let ProcessedPhoto { full, thumb, .. } = picture;
                ready.push(ReadyFile { new, full, thumb: Some(thumb) });
            }
            Err(PhotoError::NotAPicture) => {
                refused.push(format!("“{name}” is not a PNG, JPG or WebP picture and not a PDF"));
            }
            Err(fault) => refused.push(refusal_message(&name, fault)),
        }
    }
    if refused.is_empty() { Ok(ready) } else { Err(refused_files_error(&refused)) }
}

/// Stores the files before the rows that name them.
async fn write_files(state: &AppState, ready: &[ReadyFile]) -> ApiResult<()> {
    for (count, file) in ready.iter().enumerate() {
        let stored = async {
            state.storage.put(&file.new.full_key, &file.full).await?;
            match (&file.new.thumb_key, &file.thumb) {
                (Some(key), Some(thumb)) => state.storage.put(key, thumb).await,
                _ => Ok(()),
            }
        };
        if let Err(e) = stored.await {
            discard_files(state, storage_keys(ready[..=count].iter().map(|file| &file.new))).await;
            return Err(Error::from(e).into());
        }
    }
    Ok(())
}

fn storage_keys<'a>(files: impl IntoIterator<Item = &'a NewFile>) -> Vec<String> {
    files.into_iter().flat_map(NewFile::storage_keys).map(ToOwned::to_owned).collect()
}

/// Removes files that no row will name. The sweep finds any that stay behind.
async fn discard_files(state: &AppState, keys: Vec<String>) {
    for key in keys {
        if let Err(e) = state.storage.delete(&key).await {
            tracing::warn!(cause = %e, "a file that nothing names could not be removed yet");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phone_clock_is_trusted_for_the_past_three_days_only() {
        let now = "2026-11-21T15:00:00Z".parse().unwrap();
        let ago = |time: Duration| Some(now - time);
        assert_eq!(event_time(now, ago(Duration::hours(2))), now - Duration::hours(2));
        assert_eq!(event_time(now, ago(Duration::hours(73))), now);
        assert_eq!(event_time(now, ago(Duration::hours(-1))), now);
        assert_eq!(event_time(now, None), now);
    }
}
