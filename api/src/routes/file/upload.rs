//! Taking in files of the business's own people: read off the wire while they are counted, checked by what they hold,
//! put in place, and stored with what happened in one transaction.

use axum::extract::{Multipart, multipart::Field};
use chrono::{DateTime, Duration, Utc};
use serde_json::json;
use sha2::{Digest, Sha256};
use shared::{
    audit::{self, Action},
    clock::Origin,
    db::Tx,
    error::{Error, FieldErrors},
    file::{
        self, AutomatedFile, Category, Moment, NewFile,
        document::{self, MAX_DOCUMENT_BYTES},
        quota,
    },
    id::{FileId, JobId, LeadId, OrgId},
    idempotency::{self, Keyed},
    photo::{MAX_PHOTO_BYTES, PhotoError, Processed},
    text,
    work::{self, Doer, EventKind, NewEvent},
};
use tokio::sync::OwnedSemaphorePermit;
use utoipa::ToSchema;

use super::refusal;
use crate::{
    auth::OrgMember,
    describe::fields,
    error::{ApiError, ApiResult},
    routes::lead::{
        intake::press_one,
        upload::{RawPhoto, broken, refused_words, reserve, tidy_name},
    },
    state::AppState,
    who::Who,
};

/// Files one request may hold.
const MAX_FILES: usize = 5;
const MAX_CAPTION: usize = 200;
/// One text field, in bytes.
const MAX_TEXT: usize = 2_000;
/// What happened longer ago than this, by the clock of somebody's phone, is not believed.
const LATEST: Duration = Duration::hours(72);

/// The form as the description shows it.
#[derive(ToSchema)]
#[schema(as = FilesForm, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; the form is read field by field")]
pub struct FilesDoc {
    /// PNG, JPG or WebP pictures of at most 5 MB, PDF documents of at most 10 MB.
    #[schema(value_type = Vec<String>, format = Binary, min_items = 1, max_items = 5)]
    files: Vec<u8>,
    /// When photos were taken, seen from the work.
    #[schema(value_type = Moment, required = false)]
    moment: Option<Moment>,
    /// What documents are; estimate when absent.
    #[schema(value_type = Paper, required = false)]
    category: Option<Paper>,
    #[schema(schema_with = fields::lines::<200>)]
    caption: Option<String>,
    /// When photos were taken; now when absent.
    #[schema(value_type = DateTime<Utc>, required = false)]
    taken_at: Option<DateTime<Utc>>,
}

/// What a document that somebody adds can be.
#[derive(ToSchema)]
#[schema(as = PaperCategory, rename_all = "snake_case")]
#[expect(dead_code, reason = "only described")]
enum Paper {
    Estimate,
    Invoice,
}

/// Where files go, and under which name their requests are repeated.
#[derive(Clone, Copy)]
pub struct Target {
    pub lead: LeadId,
    pub job: Option<JobId>,
    pub operation: &'static str,
}

struct Raw {
    name: String,
    bytes: Vec<u8>,
    /// Its share of the memory that all uploads together may use.
    room: Vec<OwnedSemaphorePermit>,
}

/// Everything that came in, not yet looked at.
#[derive(Default)]
pub struct Sent {
    files: Vec<Raw>,
    texts: Vec<(&'static str, String)>,
    faults: FieldErrors,
    refused: Vec<String>,
}

/// A form that fits, its files not decoded yet.
pub struct Checked {
    files: Vec<Raw>,
    moment: Option<Moment>,
    category: Category,
    caption: Option<String>,
    taken_at: Option<DateTime<Utc>>,
}

/// Reads the form to its end.
pub async fn read(state: &AppState, mut multipart: Multipart) -> ApiResult<Sent> {
    let mut sent = Sent::default();
    while let Some(field) = multipart.next_field().await.map_err(|e| broken(&e))? {
        match field.name().map(ToOwned::to_owned).as_deref() {
            Some("files") => sent.read_file(state, field).await?,
            Some(name) => sent.read_text(name, field).await?,
            None => {}
        }
    }
    Ok(sent)
}

impl Sent {
    async fn read_file(&mut self, state: &AppState, mut field: Field<'_>) -> ApiResult<()> {
        let number = self.files.len() + self.refused.len() + 1;
        let given = tidy_name(field.file_name().unwrap_or_default(), number);
        let (mut bytes, mut room) = (Vec::new(), Vec::new());
        while let Some(chunk) = field.chunk().await.map_err(|e| broken(&e))? {
            if self.files.len() == MAX_FILES {
                self.refused.push(format!("“{given}” is one too many: at most {MAX_FILES} files"));
                return Ok(());
            }
            room.push(reserve(state, chunk.len())?);
            bytes.extend_from_slice(&chunk);
            if let Some(words) = too_large(&given, &bytes) {
                self.refused.push(words);
                return Ok(());
            }
        }
        // A file field that was left empty comes as a file without a byte.
        if !bytes.is_empty() {
            self.files.push(Raw { name: given, bytes, room });
        }
        Ok(())
    }

    async fn read_text(&mut self, name: &str, mut field: Field<'_>) -> ApiResult<()> {
        // A field that is not ours is passed over; the next call to the form skips what is left of it.
        let known = ["moment", "category", "caption", "takenAt"];
        let Some(known) = known.into_iter().find(|known| *known == name) else { return Ok(()) };
        let mut bytes = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(|e| broken(&e))? {
            if bytes.len() + chunk.len() > MAX_TEXT {
                self.faults.add(known, "This is too long");
                return Ok(());
            }
            bytes.extend_from_slice(&chunk);
        }
        match String::from_utf8(bytes) {
            Ok(text) => self.texts.push((known, text)),
            Err(_) => self.faults.add(known, "This contains characters that cannot be used"),
        }
        Ok(())
    }

    /// # Errors
    /// 422 with every fault at once.
    pub fn check(mut self, may_add_documents: bool) -> ApiResult<Checked> {
        let said = |name| self.texts.iter().rev().find(|(known, _)| *known == name).map(|(_, text)| text.trim());
        let filled = |name| said(name).filter(|text| !text.is_empty());
        let mut faults = std::mem::take(&mut self.faults);
        let moment = filled("moment").and_then(|word| choice::<Moment>("moment", word, &mut faults));
        let category = filled("category").and_then(|word| choice::<Category>("category", word, &mut faults));
        if category.is_some_and(|category| !matches!(category, Category::Estimate | Category::Invoice)) {
            faults.add("category", "A document is an estimate or an invoice");
        }
        let taken_at = filled("takenAt").and_then(|at| {
            let read = DateTime::parse_from_rfc3339(at).map(|at| at.to_utc());
            read.map_err(|_| faults.add("takenAt", "This is not a time such as 2026-11-21T15:04:05Z")).ok()
        });
        let caption = text::lines("caption", said("caption"), MAX_CAPTION).optional(&mut faults);
        let mut refused = std::mem::take(&mut self.refused);
        for file in self.files.iter().filter(|file| !may_add_documents && document::is_pdf(&file.bytes)) {
            refused.push(format!("“{}” is a document: the office adds those", file.name));
        }
        if self.files.is_empty() && refused.is_empty() {
            faults.add("files", "Choose at least one file");
        }
        match (faults.0.is_empty(), refused.is_empty()) {
            (true, true) => {}
            (true, false) => return Err(refusal(&refused)),
            (false, _) => {
                if !refused.is_empty() {
                    faults.add("files", refused.join("; "));
                }
                return Err(faults.into());
            }
        }
        let category = category.unwrap_or(Category::Estimate);
        Ok(Checked { files: self.files, moment, category, caption, taken_at })
    }
}

/// Why a file that is still coming in is refused already: a picture ends sooner than a document.
fn too_large(name: &str, bytes: &[u8]) -> Option<String> {
    if document::is_pdf(bytes) {
        let fault = document::DocumentError::TooLarge;
        (bytes.len() > MAX_DOCUMENT_BYTES).then(|| format!("“{name}” {fault}"))
    } else {
        (bytes.len() > MAX_PHOTO_BYTES).then(|| refused_words(name, PhotoError::TooLarge))
    }
}

fn choice<T: serde::de::DeserializeOwned>(name: &'static str, word: &str, faults: &mut FieldErrors) -> Option<T> {
    let known = serde_json::from_value(serde_json::Value::String(word.to_owned()));
    known.map_err(|_| faults.add(name, "This is not one of the possible values")).ok()
}

impl Checked {
    /// What was asked, without transport detail.
    fn hash(&self, target: Target) -> [u8; 32] {
        let mut hash = Sha256::new();
        let said = json!([target.lead, target.job, self.moment, self.category, self.caption, self.taken_at]);
        hash.update(said.to_string());
        for file in &self.files {
            hash.update((file.name.len() as u64).to_le_bytes());
            hash.update(&file.name);
            hash.update(Sha256::digest(&file.bytes));
        }
        hash.finalize().into()
    }

    /// Says of a file what the form says of it.
    fn describe(&self, new: &mut NewFile, target: Target, member: &OrgMember, now: DateTime<Utc>) {
        if new.kind == file::Kind::Photo {
            new.moment = self.moment;
            new.category = self.moment.map_or(Category::ProgressPhoto, Moment::category);
        }
        new.job = target.job;
        new.caption.clone_from(&self.caption);
        new.account = Some(member.account());
        new.taken_at = self.taken_at.map_or(now, |at| at.min(now));
    }
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
    key: Option<&str>,
    mut sent: Checked,
) -> ApiResult<Vec<AutomatedFile>> {
    let body_hash = sent.hash(target);
    let keyed = key.map(|key| Keyed { operation: target.operation, key, body_hash });
    let org = member.org();
    if let Some(keyed) = &keyed {
        let mut tx = state.db()?.begin().await?;
        if let Some(ids) = earlier(&mut tx, &state.origin, org, keyed).await? {
            return Ok(file::with_ids(&mut tx, org, target.lead, &ids).await?);
        }
    }
    quota::check(&mut state.db()?.read().await?, org, state.settings.storage_quota).await?;
    let now = state.origin.now();
    let raw = std::mem::take(&mut sent.files);
    let mut ready = press(state, org, target.lead, &sent, raw).await?;
    for file in &mut ready {
        sent.describe(&mut file.new, target, member, now);
    }
    keep(state, &ready).await?;
    let new: Vec<NewFile> = ready.into_iter().map(|file| file.new).collect();
    let work = Work { state, who, member, target, keyed, new: &new, at: happened(now, sent.taken_at) };
    let (tx, files, is_new) = match work.run().await {
        Ok(done) => done,
        Err(e) => {
            discard(state, &new).await;
            return Err(e);
        }
    };
    if !is_new {
        drop(tx);
        discard(state, &new).await;
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
    keyed: Option<Keyed<'a>>,
    new: &'a [NewFile],
    at: DateTime<Utc>,
}

impl Work<'_> {
    /// Everything up to the commit. The flag is false when the answer is that of an earlier request.
    async fn run(&self) -> ApiResult<(Tx, Vec<AutomatedFile>, bool)> {
        let (state, target, org) = (self.state, self.target, self.member.org());
        let mut tx = state.db()?.begin().await?;
        if let Some(keyed) = &self.keyed
            && let Some(ids) = earlier(&mut tx, &state.origin, org, keyed).await?
        {
            let files = file::with_ids(&mut tx, org, target.lead, &ids).await?;
            return Ok((tx, files, false));
        }
        let ids: Vec<FileId> = self.new.iter().map(|file| file.id).collect();
        work::record(&mut tx, &state.origin, org, self.event(&ids)).await?;
        let actor = self.who.actor(self.member);
        for id in &ids {
            audit::record(&mut tx, &state.origin, &actor, org, Action::FileAdded, Some(id.0)).await?;
        }
        if let Some(keyed) = &self.keyed {
            idempotency::keep_answer(&mut tx, org, keyed, &json!({"fileIds": ids})).await?;
        }
        file::add_uploads(&mut tx, &state.origin, org, state.settings.storage_quota, self.new).await?;
        let files = file::with_ids(&mut tx, org, target.lead, &ids).await?;
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

/// The files that this request stored before.
async fn earlier(tx: &mut Tx, origin: &Origin, org: OrgId, keyed: &Keyed<'_>) -> ApiResult<Option<Vec<FileId>>> {
    let Some(answer) = idempotency::earlier_answer(tx, origin, org, keyed).await? else { return Ok(None) };
    let ids = serde_json::from_value(answer["fileIds"].clone());
    ids.map(Some).map_err(|e| ApiError::internal(format!("kept answer: {e}")))
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
        match press_one(state, RawPhoto::new(name.clone(), bytes, room)).await? {
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
            discard(state, ready[..=count].iter().map(|file| &file.new)).await;
            return Err(Error::from(e).into());
        }
    }
    Ok(())
}

/// Removes files that no row will name. One that stays behind is found by the sweep.
async fn discard(state: &AppState, files: impl IntoIterator<Item = &NewFile>) {
    for key in files.into_iter().flat_map(NewFile::keys) {
        if let Err(e) = state.storage.delete(key).await {
            tracing::warn!(cause = %e, "a file that nothing names could not be removed yet");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(texts: &[(&'static str, &str)], files: &[(&str, &[u8])]) -> Sent {
        let raw = |(name, bytes): &(&str, &[u8])| Raw { name: (*name).into(), bytes: bytes.to_vec(), room: vec![] };
        Sent {
            texts: texts.iter().map(|(name, text)| (*name, (*text).to_owned())).collect(),
            files: files.iter().map(raw).collect(),
            ..Sent::default()
        }
    }

    #[test]
    fn all_faults_are_told_together() {
        let texts = [("moment", "later"), ("category", "review_request"), ("takenAt", "noon"), ("caption", "a\u{0}")];
        let error = sent(&texts, &[]).check(true).err().unwrap();
        let named: Vec<&str> = error.errors.keys().map(String::as_str).collect();
        assert_eq!(named, ["caption", "category", "files", "moment", "takenAt"]);
    }

    #[test]
    fn a_crew_adds_photos_only() {
        let pdf: (&str, &[u8]) = ("permit.pdf", b"%PDF-1.4");
        let error = sent(&[], &[pdf]).check(false).err().unwrap();
        assert_eq!(error.errors["files"], "“permit.pdf” is a document: the office adds those");
        assert!(sent(&[], &[pdf]).check(true).is_ok());
        assert!(sent(&[("moment", "after")], &[("a.jpg", b"x")]).check(false).is_ok());
    }

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
