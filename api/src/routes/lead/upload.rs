//! Reading the public lead form off the wire: text fields, and photos that are written to the disk while they stream in.

use std::sync::Arc;

use axum::extract::{
    Multipart,
    multipart::{Field, MultipartError, MultipartRejection},
};
use shared::{
    domain::intake::{
        lead::{LeadForm, NewLead},
        photo_upload,
    },
    platform::{
        db::tenant_scope::across_businesses,
        error::{Error, FieldErrors},
        photo::{MAX_PHOTO_BYTES, MAX_PHOTOS, PhotoError},
        throttle,
    },
};
use tokio::sync::OwnedSemaphorePermit;

use super::photos::{Photos, SentPhoto};
use crate::{
    client_info::Who,
    error::{ApiError, ApiResult, ErrorCode},
    extract::incomplete,
    state::AppState,
};

mod described;

pub use described::LeadFormDoc;

/// One text field, in bytes.
const MAX_TEXT: usize = 20_000;
const MAX_NAME_CHARS: usize = 100;

/// A photo of the business's own people, as it came in.
pub struct RawPhoto {
    pub bytes: Vec<u8>,
    /// Its share of the memory that all uploads together may use.
    _room: Vec<OwnedSemaphorePermit>,
}

impl RawPhoto {
    pub fn new(bytes: Vec<u8>, room: Vec<OwnedSemaphorePermit>) -> Self {
        Self { bytes, _room: room }
    }
}

/// Everything that came in, not yet looked at.
#[derive(Default)]
pub struct Sent {
    form: LeadForm,
    org: Option<String>,
    photos: Photos,
    faults: FieldErrors,
    refused: Vec<String>,
    /// Where it comes from; none for a request of this machine.
    network: Option<String>,
    /// What all photos that wait came to when the first photo of this form began, in bytes.
    waiting: Option<i64>,
}

/// What was refused by name, as one message for the field `photos`.
pub fn refusal(refused: &[String]) -> ApiError {
    let mut error = ApiError::field("photos", refused.join("; "));
    error.code = ErrorCode::PhotoRejected;
    error
}

pub fn refused_words(name: &str, fault: PhotoError) -> String {
    format!("“{name}” {fault}")
}

/// # Errors
/// 415 when it is no multipart form at all.
pub fn opened(multipart: Result<Multipart, MultipartRejection>) -> ApiResult<Multipart> {
    multipart
        .map_err(|_| ApiError::new(ErrorCode::UnsupportedMediaType, "Please send this form as multipart/form-data."))
}

/// The form broke off, or is larger than its route takes.
pub fn broken(error: &MultipartError) -> ApiError {
    incomplete(error.status(), error, "The form broke off or cannot be read.")
}

/// Reads the form to its end.
pub async fn read(state: &AppState, who: &Who, mut multipart: Multipart) -> ApiResult<Sent> {
    let network = (!who.is_exempt).then(|| throttle::network(who.ip));
    let mut sent = Sent { network, ..Sent::default() };
    while let Some(field) = multipart.next_field().await.map_err(|e| broken(&e))? {
        match field.name().map(ToOwned::to_owned).as_deref() {
            Some("photos") => sent.read_photo(state, field).await.map_err(ApiError::or_without_photos)?,
            Some(name) => sent.read_text(name, field).await?,
            None => {}
        }
    }
    Ok(sent)
}

impl Sent {
    async fn read_text(&mut self, name: &str, mut field: Field<'_>) -> ApiResult<()> {
        // A field that is not ours is passed over; the next call to the form skips what is left of it.
        let Some(known) = KNOWN.iter().find(|k| **k == name) else { return Ok(()) };
        let mut bytes = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(|e| broken(&e))? {
            if bytes.len() + chunk.len() > MAX_TEXT {
                if BESIDE.contains(known) {
                    bytes.extend_from_slice(&chunk[..MAX_TEXT - bytes.len()]);
                    break;
                }
                self.faults.add(*known, "This is too long");
                return Ok(());
            }
            bytes.extend_from_slice(&chunk);
        }
        match String::from_utf8(bytes) {
            Ok(text) => self.put(known, text),
            Err(e) if BESIDE.contains(known) => self.put(known, String::from_utf8_lossy(e.as_bytes()).into_owned()),
            Err(_) => self.faults.add(*known, "This contains characters that cannot be used"),
        }
        Ok(())
    }

    fn put(&mut self, name: &str, text: String) {
        // Which of two is meant nobody can tell.
        if name == "orgId" && self.org.as_ref().is_some_and(|first| first.trim() != text.trim()) {
            self.faults.add("orgId", "This form names two businesses. Please name one");
        }
        let form = &mut self.form;
        let place = match name {
            "name" => &mut form.name,
            "phone" => &mut form.phone,
            "email" => &mut form.email,
            "service" => &mut form.service,
            "zip" => &mut form.zip,
            "notes" => &mut form.notes,
            "source" => &mut form.source,
            "pageUrl" => &mut form.page_url,
            "referrer" => &mut form.referrer,
            "formToken" => &mut form.form_token,
            "company" => &mut form.company,
            "orgId" => &mut self.org,
            _ => {
                form.marketing_consent = matches!(text.trim(), "true" | "on" | "1");
                return;
            }
        };
        *place = Some(text);
    }

    async fn read_photo(&mut self, state: &AppState, mut field: Field<'_>) -> ApiResult<()> {
        let number = self.photos.hashes.len() + self.refused.len() + 1;
        let name = tidy_name(field.file_name().unwrap_or_default(), number);
        let mut photo = SentPhoto { name, part: state.spool.part(state.origin.uuid(), self.network.as_deref()) };
        let (mut bytes, mut has_room) = (0, true);
        while let Some(chunk) = field.chunk().await.map_err(|e| broken(&e))? {
            bytes += chunk.len();
            if let Some(fault) = self.too_much(&photo.name, bytes) {
                self.refused.push(fault);
                return Ok(());
            }
            if has_room && !self.has_room(state, chunk.len()).await? {
                has_room = false;
                photo.part.leave_out().await?;
            }
            if has_room {
                photo.part.write(&chunk).await?;
            } else {
                photo.part.pass_over(&chunk);
            }
        }
        // A file field that was left empty comes as a file without a byte.
        if bytes > 0 {
            self.take_photo(photo, has_room).await?;
        }
        Ok(())
    }

    /// Why this photo is not taken, if it is one too many or too large.
    fn too_much(&self, name: &str, bytes: usize) -> Option<String> {
        if self.photos.hashes.len() == MAX_PHOTOS {
            return Some(format!("“{name}” is one too many: at most {MAX_PHOTOS} photos"));
        }
        (bytes > MAX_PHOTO_BYTES).then(|| refused_words(name, PhotoError::TooLarge))
    }

    async fn take_photo(&mut self, mut photo: SentPhoto, has_room: bool) -> ApiResult<()> {
        self.photos.hashes.push(photo.part.hash());
        if has_room {
            photo.part.finish().await?;
            self.photos.kept.push(photo);
        } else {
            self.photos.left_out += 1;
        }
        Ok(())
    }

    /// Whether so many more bytes may wait beside all others: those in the rows, and those that are being received. One
    /// network does not take up what is left for all.
    ///
    /// # Errors
    /// 507 when the disk has no room to spare.
    async fn has_room(&mut self, state: &AppState, more: usize) -> ApiResult<bool> {
        if self.waiting.is_none() {
            state.storage.check_room(0).await.map_err(Error::from)?;
            let mut conn = across_businesses(state.db()?.read()).await?;
            self.waiting = Some(photo_upload::waiting::bytes(&mut conn).await?);
        }
        let waiting = self.waiting.unwrap_or_default();
        let more = i64::try_from(more).unwrap_or(i64::MAX);
        let all = waiting.saturating_add(state.spool.receiving()).saturating_add(more);
        let limit = state.settings.photo_spool;
        let network = self.network.as_deref().map_or(0, |network| state.spool.receiving_from(network));
        let has_share = self.network.is_none() || network.saturating_add(more) <= photo_upload::share_of_network(limit);
        Ok(all <= limit && has_share)
    }

    /// The request as the business understands it, the business it names, and its photos, not decoded yet.
    ///
    /// # Errors
    /// 422 with every fault of every field at once.
    pub fn check(self) -> ApiResult<(NewLead, Option<String>, Photos)> {
        let mut faults = self.faults;
        let new = match NewLead::from_lead_form(&self.form) {
            Ok(new) => Some(new),
            Err(Error::Invalid(found)) => {
                for (field, message) in found.0 {
                    faults.add(field, message);
                }
                None
            }
            Err(other) => return Err(other.into()),
        };
        match new {
            Some(new) if faults.0.is_empty() && self.refused.is_empty() => Ok((new, self.org, self.photos)),
            Some(_) if faults.0.is_empty() => Err(refusal(&self.refused)),
            _ => {
                if !self.refused.is_empty() {
                    faults.add("photos", self.refused.join("; "));
                }
                Err(faults.into())
            }
        }
    }
}

/// The text fields we read, by the names they are sent under.
const KNOWN: [&str; 13] = [
    "name",
    "phone",
    "email",
    "service",
    "zip",
    "notes",
    "source",
    "pageUrl",
    "referrer",
    "formToken",
    "company",
    "orgId",
    "marketingConsent",
];

/// Those the page fills in by itself, of which nothing can be told to a person: what is too long or unreadable in them
/// is cut off, and costs no lead.
const BESIDE: [&str; 6] = ["pageUrl", "referrer", "formToken", "company", "orgId", "marketingConsent"];

/// Memory for so many more bytes.
///
/// # Errors
/// 503 when all uploads together hold as much as they may.
pub fn reserve(state: &AppState, bytes: usize) -> ApiResult<OwnedSemaphorePermit> {
    let kib = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
    let room = Arc::clone(&state.upload_memory).try_acquire_many_owned(kib);
    room.map_err(|_| ApiError::unavailable("too many photos are being uploaded at once"))
}

/// The file's own name without its folders and without what cannot be shown.
pub fn tidy_name(given: &str, number: usize) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let shown = |c: &char| !c.is_control() && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let name: String = last.chars().filter(shown).take(MAX_NAME_CHARS).collect();
    let name = name.trim();
    if name.is_empty() { format!("photo {number}") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_what_a_person_calls_it() {
        assert_eq!(tidy_name("C:\\pics\\leak.jpg", 1), "leak.jpg");
        assert_eq!(tidy_name("../../etc/passwd", 1), "passwd");
        assert_eq!(tidy_name("a\u{0}b\u{202e}.png", 1), "ab.png");
        assert_eq!(tidy_name("", 2), "photo 2");
    }

    #[test]
    fn all_faults_are_told_together() {
        let sent = Sent { refused: vec![refused_words("a.jpg", PhotoError::TooLarge)], ..Sent::default() };
        let error = sent.check().err().unwrap();
        assert_eq!(error.code, ErrorCode::ValidationFailed);
        assert_eq!(error.errors["name"], "Name is required");
        assert_eq!(error.errors["photos"], "“a.jpg” is larger than 5 MB");
    }
}
