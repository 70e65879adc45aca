//! Multipart reading of the public lead form: text fields, and photos streamed to the disk.

use std::{borrow::Cow, sync::Arc};

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
        db::tenant_scope::across_tenants,
        error::{Error, FieldErrors},
        photo::{MAX_PHOTO_BYTES, MAX_PHOTOS, PhotoError},
        throttle,
    },
};
use tokio::sync::OwnedSemaphorePermit;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ArrayBuilder, KnownFormat, ObjectBuilder, RefOr, Schema, SchemaFormat, schema::Type},
};

use super::photos::{ReceivedPhoto, ReceivedPhotos};
use crate::{
    client_info::RequestContext,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{SENT_TWICE, incomplete_body_error},
    openapi::fields,
    state::AppState,
};

/// Body limit: five photos of 5 MB and the fields.
pub const LIMIT: usize = 26 * 1024 * 1024;
/// Limit of a text field, in bytes.
const MAX_TEXT: usize = 20_000;
const MAX_NAME_CHARS: usize = 100;

pub struct RawPhoto {
    pub bytes: Vec<u8>,
    /// Its share of the memory limit of all uploads.
    _room: Vec<OwnedSemaphorePermit>,
}

impl RawPhoto {
    pub fn new(bytes: Vec<u8>, room: Vec<OwnedSemaphorePermit>) -> Self {
        Self { bytes, _room: room }
    }
}

#[derive(Default)]
pub struct ReceivedLeadForm {
    form: LeadForm,
    photos: ReceivedPhotos,
    faults: FieldErrors,
    /// Text fields that have come.
    received: Vec<&'static str>,
    refused: Vec<String>,
    /// Sender's network; `None` for a request from this machine.
    network: Option<String>,
    /// Size of all waiting photos when the first photo of this form began, in bytes.
    waiting: Option<i64>,
}

impl PartialSchema for ReceivedLeadForm {
    fn schema() -> RefOr<Schema> {
        let mut form = LeadForm::schema();
        if let RefOr::T(Schema::Object(object)) = &mut form {
            object.description = None;
            object.properties.insert("photos".to_owned(), photos_schema().into());
            // A multipart field name travels in a header.
            object.property_names = Some(Box::new(fields::header_text()));
        }
        form
    }
}

impl ToSchema for ReceivedLeadForm {
    fn name() -> Cow<'static, str> {
        "LeadForm".into()
    }
}

fn photos_schema() -> Schema {
    let photo =
        ObjectBuilder::new().schema_type(Type::String).format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)));
    ArrayBuilder::new()
        .items(photo)
        .max_items(Some(MAX_PHOTOS))
        .description(Some("PNG, JPG or WebP pictures of at most 5 MB."))
        .into()
}

pub fn refused_photos_error(refused: &[String]) -> ApiError {
    let mut error = ApiError::invalid_field("photos", refused.join("; "));
    error.code = ErrorCode::PhotoRejected;
    error
}

pub fn refusal_message(name: &str, fault: PhotoError) -> String {
    format!("“{name}” {fault}")
}

/// Errors: 415 when it is no multipart form.
pub fn require_multipart(multipart: Result<Multipart, MultipartRejection>) -> ApiResult<Multipart> {
    multipart
        .map_err(|_| ApiError::new(ErrorCode::UnsupportedMediaType, "Please send this form as multipart/form-data."))
}

/// `limit`: of the route's body, in bytes.
pub fn broken_form_error(error: &MultipartError, limit: usize) -> ApiError {
    incomplete_body_error(error.status(), error, "The form broke off or cannot be read.", limit)
}

pub async fn read_form(
    state: &AppState,
    who: &RequestContext,
    mut multipart: Multipart,
) -> ApiResult<ReceivedLeadForm> {
    let network = (!who.is_exempt).then(|| throttle::network_key(who.ip));
    let mut sent = ReceivedLeadForm { network, ..ReceivedLeadForm::default() };
    while let Some(field) = multipart.next_field().await.map_err(|e| broken_form_error(&e, LIMIT))? {
        match field.name().map(ToOwned::to_owned).as_deref() {
            Some("photos") => sent.read_photo(state, field).await.map_err(ApiError::suggest_without_photos)?,
            Some(name) => sent.read_text(name, field).await?,
            None => {}
        }
    }
    Ok(sent)
}

impl ReceivedLeadForm {
    async fn read_text(&mut self, name: &str, mut field: Field<'_>) -> ApiResult<()> {
        // An unknown field is ignored; the next call to the form skips the rest of it.
        let Some(part) = KNOWN.iter().find(|k| **k == name) else { return Ok(()) };
        // The same business may be named twice (`set_field`).
        if self.received.contains(part) && *part != "orgId" {
            self.faults.add(*part, SENT_TWICE);
            return Ok(());
        }
        self.received.push(*part);
        let mut bytes = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(|e| broken_form_error(&e, LIMIT))? {
            if bytes.len() + chunk.len() > MAX_TEXT {
                if BESIDE.contains(part) {
                    bytes.extend_from_slice(&chunk[..MAX_TEXT - bytes.len()]);
                    break;
                }
                self.faults.add(*part, "This is too long");
                return Ok(());
            }
            bytes.extend_from_slice(&chunk);
        }
        match String::from_utf8(bytes) {
            Ok(text) => self.set_field(part, text),
            Err(e) if BESIDE.contains(part) => {
                self.set_field(part, String::from_utf8_lossy(e.as_bytes()).into_owned());
            }
            Err(_) => self.faults.add(*part, "This contains characters that cannot be used"),
        }
        Ok(())
    }

    fn set_field(&mut self, name: &str, text: String) {
        // Ambiguous: refused.
        if name == "orgId" && self.form.org_id.as_ref().is_some_and(|first| first.trim() != text.trim()) {
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
            "orgId" => &mut form.org_id,
            _ => {
                form.marketing_consent = matches!(text.trim(), "true" | "on" | "1");
                return;
            }
        };
        *place = Some(text);
    }

    async fn read_photo(&mut self, state: &AppState, mut field: Field<'_>) -> ApiResult<()> {
        let number = self.photos.hashes.len() + self.refused.len() + 1;
        let name = sanitize_file_name(field.file_name().unwrap_or_default(), number);
        let mut photo =
            ReceivedPhoto { name, part: state.spool.begin_part(state.origin.uuid_v7(), self.network.as_deref()) };
        let (mut bytes, mut has_room) = (0, true);
        while let Some(chunk) = field.chunk().await.map_err(|e| broken_form_error(&e, LIMIT))? {
            bytes += chunk.len();
            if let Some(fault) = self.excess_photo_message(&photo.name, bytes) {
                self.refused.push(fault);
                return Ok(());
            }
            if has_room && !self.has_upload_room(state, chunk.len()).await? {
                has_room = false;
                photo.part.discard_content().await?;
            }
            if has_room {
                photo.part.write_chunk(&chunk).await?;
            } else {
                photo.part.hash_only(&chunk);
            }
        }
        // An empty file field arrives as a file of zero bytes.
        if bytes > 0 {
            self.add_photo(photo, has_room).await?;
        }
        Ok(())
    }

    fn excess_photo_message(&self, name: &str, bytes: usize) -> Option<String> {
        if self.photos.hashes.len() == MAX_PHOTOS {
            return Some(format!("“{name}” is one too many: at most {MAX_PHOTOS} photos"));
        }
        (bytes > MAX_PHOTO_BYTES).then(|| refusal_message(name, PhotoError::TooLarge))
    }

    async fn add_photo(&mut self, mut photo: ReceivedPhoto, has_room: bool) -> ApiResult<()> {
        self.photos.hashes.push(photo.part.content_hash());
        if has_room {
            photo.part.sync_to_disk().await?;
            self.photos.kept.push(photo);
        } else {
            self.photos.left_out += 1;
        }
        Ok(())
    }

    /// Whether `more` bytes fit beside all waiting and arriving photos. A single network may not use up what is left.
    /// Errors: 507 when the disk has no space to spare.
    async fn has_upload_room(&mut self, state: &AppState, more: usize) -> ApiResult<bool> {
        if self.waiting.is_none() {
            state.storage.check_free_space(0).await.map_err(Error::from)?;
            let mut conn = across_tenants(state.db()?.acquire_reader()).await?;
            self.waiting = Some(photo_upload::pending_bytes::load_total_bytes(&mut conn).await?);
        }
        let waiting = self.waiting.unwrap_or_default();
        let more = i64::try_from(more).unwrap_or(i64::MAX);
        let all = waiting.saturating_add(state.spool.receiving_bytes()).saturating_add(more);
        let limit = state.settings.photo_spool;
        let network = self.network.as_deref().map_or(0, |network| state.spool.receiving_bytes_from(network));
        let has_share =
            self.network.is_none() || network.saturating_add(more) <= photo_upload::network_share_bytes(limit);
        Ok(all <= limit && has_share)
    }

    /// The request, the business it names, and its photos (not decoded). Errors: 422 with all faults of all fields.
    pub fn validate_form(self) -> ApiResult<(NewLead, Option<String>, ReceivedPhotos)> {
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
            Some(new) if faults.0.is_empty() && self.refused.is_empty() => Ok((new, self.form.org_id, self.photos)),
            Some(_) if faults.0.is_empty() => Err(refused_photos_error(&self.refused)),
            _ => {
                if !self.refused.is_empty() {
                    faults.add("photos", self.refused.join("; "));
                }
                Err(faults.into())
            }
        }
    }
}

/// Text fields read, by their form names.
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

/// Fields that the page fills in itself: invalid values are cut or dropped, since the visitor cannot correct them and
/// they must not cost a lead.
const BESIDE: [&str; 6] = ["pageUrl", "referrer", "formToken", "company", "orgId", "marketingConsent"];

/// Reserves memory for an upload. Errors: 503 when all uploads together use the limit.
pub fn reserve_memory(state: &AppState, bytes: usize) -> ApiResult<OwnedSemaphorePermit> {
    let kib = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
    let room = Arc::clone(&state.upload_memory).try_acquire_many_owned(kib);
    room.map_err(|_| ApiError::unavailable("too many photos are being uploaded right now"))
}

/// The file name without folders and unprintable characters.
pub fn sanitize_file_name(given: &str, number: usize) -> String {
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
    fn file_name_is_stripped_of_path_and_control_characters() {
        assert_eq!(sanitize_file_name("C:\\pics\\leak.jpg", 1), "leak.jpg");
        assert_eq!(sanitize_file_name("../../etc/passwd", 1), "passwd");
        assert_eq!(sanitize_file_name("a\u{0}b\u{202e}.png", 1), "ab.png");
        assert_eq!(sanitize_file_name("", 2), "photo 2");
    }

    #[test]
    fn upload_faults_are_reported_together() {
        let sent = ReceivedLeadForm {
            refused: vec![refusal_message("a.jpg", PhotoError::TooLarge)],
            ..ReceivedLeadForm::default()
        };
        let error = sent.validate_form().err().unwrap();
        assert_eq!(error.code, ErrorCode::ValidationFailed);
        assert_eq!(error.errors["name"], "Name is required");
        assert_eq!(error.errors["photos"], "“a.jpg” is larger than 5 MB");
    }
}
