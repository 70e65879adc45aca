//! Files of a lead or a job: upload, download by session or signed address, archive, removal.

use axum::{
    extract::{Multipart, State, multipart::MultipartRejection},
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    conflicts::ConflictCode,
    domain::{
        tenancy::{
            audit::{self, AuditAction},
            org,
        },
        work::{
            file::{self, FileVariant, FileView, StoredFile, address},
            job::{self, JobScope},
        },
    },
    platform::{
        db::AsConn,
        error::Error,
        id::{FileId, JobId, LeadId},
        live::{self, Topic},
    },
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgMember, OrgOffice, Visitor},
    client_info::RequestContext,
    csp, disposition,
    error::{ApiError, ApiResult},
    extract::{PathId, PathWord, QueryParams},
    idempotency::idempotency_key,
    openapi,
    routes::intake::lead::{PhotoSize, upload::require_multipart},
    state::AppState,
};

mod archive;
mod store;
mod upload;

use store::UploadTarget;
use upload::ValidatedFiles;

/// Body limit: five documents of 10 MB and some text.
pub const LIMIT: usize = 51 * 1024 * 1024;

/// A stored file never changes: a new one has another id.
const FOR_GOOD: &str = "private, max-age=31536000, immutable";

/// Adds photos or documents to a job
///
/// Photos are redrawn, so nothing of where and with what they were taken is kept. Documents are the office's. Refused
/// files are named under `files`, and nothing is stored then.
#[utoipa::path(post, path = "/api/jobs/{id}/files", operation_id = "addJobFiles", tag = "files",
    security(("session" = ["owner", "office", "crew"])),
    request_body(content = ValidatedFiles, content_type = "multipart/form-data",
        encoding(("files" = (content_type = "image/png, image/jpeg, image/webp, application/pdf")))),
    params(("id" = uuid::Uuid, Path, description = "The job"),
        openapi::IdempotencyKey),
    responses((status = 201, description = "Added", body = Vec<FileView>),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable, openapi::NoSpace))]
pub async fn add_job_files(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    multipart: Result<Multipart, MultipartRejection>,
) -> ApiResult<(StatusCode, axum::Json<Vec<FileView>>)> {
    let key = idempotency_key(&headers)?;
    let mut conn = state.db()?.acquire_reader().await?;
    let sight = job::find_visible_scope(&mut conn, &member.session, JobId(id)).await?;
    let lead = job::find(&mut conn, member.org(), JobId(id)).await?.lead_id;
    drop(conn);
    let sent = upload::read_form(&state, require_multipart(multipart)?).await?.validate_form(sight.is_office())?;
    let target = UploadTarget { lead, job: Some(JobId(id)), operation: "job_files" };
    let files = store::store_files(&state, &who, &member, target, key, sent).await?;
    Ok((StatusCode::CREATED, axum::Json(files)))
}

/// Adds photos or documents to a lead
///
/// As with a job.
#[utoipa::path(post, path = "/api/leads/{id}/files", operation_id = "addLeadFiles", tag = "files",
    security(("session" = ["owner", "office"])),
    request_body(content = ValidatedFiles, content_type = "multipart/form-data",
        encoding(("files" = (content_type = "image/png, image/jpeg, image/webp, application/pdf")))),
    params(("id" = uuid::Uuid, Path, description = "The lead"),
        openapi::IdempotencyKey),
    responses((status = 201, description = "Added", body = Vec<FileView>),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable, openapi::NoSpace))]
pub async fn add_lead_files(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    multipart: Result<Multipart, MultipartRejection>,
) -> ApiResult<(StatusCode, axum::Json<Vec<FileView>>)> {
    let key = idempotency_key(&headers)?;
    let lead = LeadId(id);
    file::check_lead_exists(&mut state.db()?.acquire_reader().await?, member.org(), lead).await?;
    let sent = upload::read_form(&state, require_multipart(multipart)?).await?.validate_form(true)?;
    let target = UploadTarget { lead, job: None, operation: "lead_files" };
    let files = store::store_files(&state, &who, &member, target, key, sent).await?;
    Ok((StatusCode::CREATED, axum::Json(files)))
}

/// The files of a lead, newest first
///
/// Those of its jobs, and the photos that came with a form or a text, too.
#[utoipa::path(get, path = "/api/leads/{id}/files", operation_id = "listLeadFiles", tag = "files",
    security(("session" = ["owner", "office"])),
    params(("id" = uuid::Uuid, Path, description = "The lead")),
    responses((status = 200, description = "All of them", body = Vec<FileView>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn list_lead_files(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<axum::Json<Vec<FileView>>> {
    let mut conn = state.db()?.acquire_reader().await?;
    file::check_lead_exists(&mut conn, member.org(), LeadId(id)).await?;
    Ok(axum::Json(file::list_lead_files(&mut conn, member.org(), LeadId(id)).await?))
}

/// Consent given by the presence of the field.
#[derive(Clone, Copy, Deserialize, ToSchema)]
pub enum DownloadParam {
    #[serde(rename = "1")]
    Yes,
}

fn requested_variant(query: &QueryParams) -> ApiResult<FileVariant> {
    let size = query.parse_choice::<PhotoSize>("size")?;
    Ok(match (query.parse_choice::<DownloadParam>("download")?, size) {
        (_, Some(PhotoSize::Thumb)) => FileVariant::Thumb,
        (Some(DownloadParam::Yes), _) => FileVariant::Download,
        (None, _) => FileVariant::Full,
    })
}

/// File as visible to this user: a crew sees photos of its own jobs.
async fn find_visible_file(conn: &mut dyn AsConn, member: &OrgMember, id: FileId) -> ApiResult<StoredFile> {
    Ok(match JobScope::from_session(&member.session) {
        JobScope::Office => file::find(conn, member.org(), id).await?,
        JobScope::Crew(account) => file::find_for_crew(conn, member.org(), account, id).await?,
    })
}

/// A file
#[utoipa::path(get, path = "/api/files/{id}", operation_id = "getFile", tag = "files",
    security(("session" = ["owner", "office", "crew"])),
    params(("id" = uuid::Uuid, Path, description = "The file"),
        ("size" = inline(Option<PhotoSize>), Query, description = "full when absent; thumb is of photos only"),
        ("download" = inline(Option<DownloadParam>), Query, description = "To be kept under its name and not shown")),
    responses((status = 200, description = "Its bytes", content((String = "image/jpeg"), (String = "application/pdf"))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn get_file(
    member: OrgMember,
    State(state): State<AppState>,
    PathId(id): PathId,
    query: QueryParams,
) -> ApiResult<Response> {
    let variant = requested_variant(&query)?;
    let found = find_visible_file(&mut state.db()?.acquire_reader().await?, &member, FileId(id)).await?;
    serve_file(&state, &found, variant, FOR_GOOD).await
}

/// An address that opens a file without a session.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileAddress {
    pub url: String,
    /// From then on it opens nothing.
    pub expires_at: DateTime<Utc>,
}

/// An address of a file for another app
///
/// The address works for 15 minutes at most, for anyone who has it.
#[utoipa::path(get, path = "/api/files/{id}/address", operation_id = "getFileAddress", tag = "files",
    security(("session" = ["owner", "office", "crew"])),
    params(("id" = uuid::Uuid, Path, description = "The file"),
        ("size" = inline(Option<PhotoSize>), Query, description = "full when absent; thumb is of photos only"),
        ("download" = inline(Option<DownloadParam>), Query, description = "To be kept under its name and not shown")),
    responses((status = 200, description = "The address", body = FileAddress),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn get_file_address(
    member: OrgMember,
    State(state): State<AppState>,
    PathId(id): PathId,
    query: QueryParams,
) -> ApiResult<axum::Json<FileAddress>> {
    let variant = requested_variant(&query)?;
    let found = find_visible_file(&mut state.db()?.acquire_reader().await?, &member, FileId(id)).await?;
    found.storage_key(variant)?;
    let now = state.origin.now();
    let path = address::sign_file_url(&state.settings.secret, member.org(), found.id, variant, now);
    let url = state.settings.public_url.join(&path);
    Ok(axum::Json(FileAddress { url, expires_at: address::signed_url_expiry(now) }))
}

/// A file by its signed address. All faults of the address get the same answer.
pub async fn get_by_address(
    _: Visitor,
    State(state): State<AppState>,
    PathWord(token): PathWord,
) -> ApiResult<Response> {
    let now = state.origin.now();
    let aim = address::verify_file_token(&state.settings.secret, &token, now).ok_or(Error::NotFound)?;
    let found = file::find(&mut state.db()?.acquire_reader().await?, aim.org, aim.file).await?;
    let cached = format!("private, max-age={}", (aim.until - now).num_seconds());
    serve_file(&state, &found, aim.variant, &cached).await
}

/// Serves the bytes with their true type. Only pictures are shown in the page's origin.
async fn serve_file(state: &AppState, file: &StoredFile, variant: FileVariant, cached: &str) -> ApiResult<Response> {
    let bytes = state.storage.get(file.storage_key(variant)?).await.map_err(Error::from)?;
    let is_shown = file.kind == file::FileType::Photo && variant != FileVariant::Download;
    let headers = [
        (header::CONTENT_TYPE, file.content_type.clone()),
        (header::CONTENT_DISPOSITION, disposition::content_disposition(&file.name, is_shown)),
        (header::CACHE_CONTROL, cached.to_owned()),
        (header::CONTENT_SECURITY_POLICY, csp::STORED.to_owned()),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin".to_owned()),
    ];
    Ok((headers, bytes).into_response())
}

/// Removes a file
///
/// A paper of an estimate or an invoice stays with it.
#[utoipa::path(delete, path = "/api/files/{id}", operation_id = "removeFile", tag = "files",
    security(("session" = ["owner", "office"])),
    params(("id" = uuid::Uuid, Path, description = "The file")),
    responses((status = 204, description = "Removed"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn remove_file(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<StatusCode> {
    let (origin, org) = (&state.origin, member.org());
    let mut tx = state.db()?.begin().await?;
    let removed = file::remove_file(&mut tx, origin, org, FileId(id)).await?;
    audit::record(&mut tx, origin, &who.actor_for(&member), org, AuditAction::FileRemoved, Some(id)).await?;
    live::publish_event(&mut tx, origin, org, Topic::Lead, removed.lead.0, None).await?;
    if let Some(job) = removed.job {
        live::publish_event(&mut tx, origin, org, Topic::Job, job.0, Some(removed.lead.0)).await?;
    }
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}

/// All files of a job in one archive
///
/// The bytes are those of the files, one by one; a crew gets the photos.
#[utoipa::path(get, path = "/api/jobs/{id}/files.zip", operation_id = "downloadJobFiles", tag = "files",
    security(("session" = ["owner", "office", "crew"])),
    params(("id" = uuid::Uuid, Path, description = "The job"),
        ("type" = inline(Option<file::FileType>), Query, description = "Both when absent")),
    responses((status = 200, description = "The archive", body = String, content_type = "application/zip"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::Unavailable))]
pub async fn download_job_files(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    query: QueryParams,
) -> ApiResult<Response> {
    let asked = query.parse_choice::<file::FileType>("type")?;
    let mut conn = state.db()?.acquire_reader().await?;
    let sight = job::find_visible_scope(&mut conn, &member.session, JobId(id)).await?;
    let job = job::find(&mut conn, member.org(), JobId(id)).await?;
    let only = if sight.is_office() { asked } else { Some(file::FileType::Photo) };
    let files = match (asked, only) {
        (Some(asked), Some(only)) if asked != only => Vec::new(),
        _ => file::archive_files::list_archive_files(&mut conn, member.org(), job.id, job.lead_id, only).await?,
    };
    drop(conn);
    if files.is_empty() {
        return Err(ConflictCode::NothingToDownload.into());
    }
    who.record_data_export(&state, &member, AuditAction::FilesDownloaded, Some(id)).await?;
    let zone = org::zone_named(&member.session.org_timezone);
    let name = archive::archive_name(job.number, asked, state.origin.now(), zone);
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_DISPOSITION, disposition::content_disposition(&name, false)),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, archive::stream_archive(state.storage.clone(), files, zone)).into_response())
}

fn refused_files_error(refused: &[String]) -> ApiError {
    let mut error = ApiError::invalid_field("files", refused.join("; "));
    error.code = crate::error::ErrorCode::PhotoRejected;
    error
}
