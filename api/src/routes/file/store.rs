//! Files of the business's own people on their way into the store: checked by what they hold, put in place, and kept with
//! what happened in one transaction.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    domain::{
        tenancy::audit::{self, Action},
        work::{
            activity::{self, Doer, EventKind, NewEvent},
            file::{self, AutomatedFile, NewFile, document, quota},
        },
    },
    platform::{
        db::Tx,
        error::Error,
        id::{FileId, JobId, LeadId, OrgId},
        photo::{PhotoError, Processed},
    },
};

use super::{
    refusal,
    upload::{Checked, Raw},
};
use crate::{
    auth::OrgMember,
    client_info::Who,
    error::{ApiError, ApiResult},
    idempotency::Once,
    routes::lead::{
        intake::press_one,
        upload::{RawPhoto, refused_words},
    },
    state::AppState,
};

/// What happened longer ago than this, by the clock of somebody's phone, is not believed.
const LATEST: Duration = Duration::hours(72);

/// Where files go, and under which name their requests are repeated.
#[derive(Clone, Copy)]
pub struct Target {
    pub lead: LeadId,
    pub job: Option<JobId>,
    pub operation: &'static str,
}

/// A file on its way into the store.
struct Ready {
    new: NewFile,
    full: Vec<u8>,
    thumb: Option<Vec<u8>>,
}

/// Stores the files and everything that follows from them, once.
pub async fn take_in(
    state: &AppState,
    who: &Who,
    member: &OrgMember,
    target: Target,
    key: Option<String>,
    mut sent: Checked,
) -> ApiResult<Vec<AutomatedFile>> {
    let (org, once) = (member.org(), Once::of(target.operation, key, sent.hash(target)));
    if once.has_key() {
        let mut tx = state.db()?.begin().await?;
        if let Some(Added { file_ids }) = once.earlier(&mut tx, state, org).await? {
            return Ok(file::with_ids(&mut tx, org, target.lead, &file_ids).await?);
        }
    }
    let mut conn = state.db()?.read().await?;
    quota::check(&mut conn, org, state.settings.storage_quota).await?;
    if let Some(original) = sent.made_from
        && !file::was_photo_of(&mut conn, org, target.lead, target.job, original).await?
    {
        return Err(ApiError::field("madeFrom", "This photo is not here"));
    }
    drop(conn);
    let now = state.origin.now();
    let raw = std::mem::take(&mut sent.files);
    let mut ready = press(state, org, target.lead, &sent, raw).await?;
    for file in &mut ready {
        sent.describe(&mut file.new, target, member, now);
    }
    keep(state, &ready).await?;
    let new: Vec<NewFile> = ready.into_iter().map(|file| file.new).collect();
    let work = Work { state, who, member, target, once, new: &new, at: happened(now, sent.taken_at) };
    let (tx, files, is_new) = match work.run().await {
        Ok(done) => done,
        Err(e) => {
            discard(state, keys(&new)).await;
            return Err(e);
        }
    };
    if !is_new {
        drop(tx);
        discard(state, keys(&new)).await;
        return Ok(files);
    }
    // When a commit fails nobody knows whether it happened: the files stay, and the sweep removes them if no row has
    // their names.
    tx.commit().await?;
    state.wake();
    Ok(files)
}

/// When it happened: by the device that was there, as far as that can be.
fn happened(now: DateTime<Utc>, said: Option<DateTime<Utc>>) -> DateTime<Utc> {
    said.filter(|at| *at <= now && now - *at <= LATEST).unwrap_or(now)
}

struct Work<'a> {
    state: &'a AppState,
    who: &'a Who,
    member: &'a OrgMember,
    target: Target,
    once: Once,
    new: &'a [NewFile],
    at: DateTime<Utc>,
}

impl Work<'_> {
    /// Everything up to the commit. The flag is false when the answer is that of an earlier request.
    async fn run(&self) -> ApiResult<(Tx, Vec<AutomatedFile>, bool)> {
        let (state, target, org) = (self.state, self.target, self.member.org());
        let mut tx = state.db()?.begin().await?;
        if let Some(Added { file_ids }) = self.once.earlier(&mut tx, state, org).await? {
            let files = file::with_ids(&mut tx, org, target.lead, &file_ids).await?;
            return Ok((tx, files, false));
        }
        let added = Added { file_ids: self.new.iter().map(|file| file.id).collect() };
        activity::record(&mut tx, &state.origin, org, self.event(&added.file_ids)).await?;
        let actor = self.who.actor(self.member);
        for id in &added.file_ids {
            audit::record(&mut tx, &state.origin, &actor, org, Action::FileAdded, Some(id.0)).await?;
        }
        self.once.keep(&mut tx, org, &added).await?;
        file::add_uploads(&mut tx, &state.origin, org, state.settings.storage_quota, self.new).await?;
        let files = file::with_ids(&mut tx, org, target.lead, &added.file_ids).await?;
        Ok((tx, files, true))
    }

    fn event(&self, ids: &[FileId]) -> NewEvent {
        let moment = self.new.iter().find_map(|file| file.moment);
        let names: Vec<&str> = self.new.iter().map(|file| file.name.as_str()).collect();
        NewEvent {
            job: self.target.job,
            subject: ids.first().filter(|_| ids.len() == 1).map(|id| id.0),
            detail: json!({"files": ids.len(), "moment": moment, "names": names}),
            ..NewEvent::new(self.target.lead, EventKind::FilesAdded, self.at, Doer::of(&self.member.session))
        }
    }
}

/// What is kept of a request: the files that it stored.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Added {
    file_ids: Vec<FileId>,
}

/// Redraws photos and looks through documents, one at a time, and names all that are refused.
async fn press(state: &AppState, org: OrgId, lead: LeadId, sent: &Checked, raw: Vec<Raw>) -> ApiResult<Vec<Ready>> {
    let (mut ready, mut refused) = (Vec::new(), Vec::new());
    for Raw { name, bytes, room } in raw {
        if document::is_pdf(&bytes) {
            match document::check(&bytes) {
                Ok(()) => {
                    let new = NewFile::paper(&state.origin, org, lead, sent.category, &name, &bytes);
                    ready.push(Ready { new, full: bytes, thumb: None });
                }
                Err(fault) => refused.push(format!("“{name}” {fault}")),
            }
            continue;
        }
        match press_one(state, RawPhoto::new(bytes, room)).await? {
            Ok(picture) => {
                let new = NewFile::photo(&state.origin, org, lead, &name, &picture);
                let Processed { full, thumb, .. } = picture;
                ready.push(Ready { new, full, thumb: Some(thumb) });
            }
            Err(PhotoError::NotAPicture) => {
                refused.push(format!("“{name}” is not a PNG, JPG or WebP picture and not a PDF"));
            }
            Err(fault) => refused.push(refused_words(&name, fault)),
        }
    }
    if refused.is_empty() { Ok(ready) } else { Err(refusal(&refused)) }
}

/// Puts the files in place before the rows that name them.
async fn keep(state: &AppState, ready: &[Ready]) -> ApiResult<()> {
    for (count, file) in ready.iter().enumerate() {
        let stored = async {
            state.storage.put(&file.new.full_key, &file.full).await?;
            match (&file.new.thumb_key, &file.thumb) {
                (Some(key), Some(thumb)) => state.storage.put(key, thumb).await,
                _ => Ok(()),
            }
        };
        if let Err(e) = stored.await {
            discard(state, keys(ready[..=count].iter().map(|file| &file.new))).await;
            return Err(Error::from(e).into());
        }
    }
    Ok(())
}

fn keys<'a>(files: impl IntoIterator<Item = &'a NewFile>) -> Vec<String> {
    files.into_iter().flat_map(NewFile::keys).map(ToOwned::to_owned).collect()
}

/// Removes files that no row will name. One that stays behind is found by the sweep.
async fn discard(state: &AppState, keys: Vec<String>) {
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
    fn the_clock_of_a_phone_is_believed_for_three_days() {
        let now = "2026-11-21T15:00:00Z".parse().unwrap();
        let ago = |time: Duration| Some(now - time);
        assert_eq!(happened(now, ago(Duration::hours(2))), now - Duration::hours(2));
        assert_eq!(happened(now, ago(Duration::hours(73))), now);
        assert_eq!(happened(now, ago(Duration::hours(-1))), now);
        assert_eq!(happened(now, None), now);
    }
}
