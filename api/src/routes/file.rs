//! Files: adding photos and documents to a lead or a job, serving them with a session or by signed address, the archive
//! of a job, and removing one.

use axum::{
    extract::{Multipart, State, multipart::MultipartRejection},
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        tenancy::{
            audit::{self, Action},
            org,
        },
        work::{
            file::{self, AutomatedFile, Stored, Variant, address},
            job::{self, Sight},
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

use super::lead::{PhotoSize, upload::opened};
use crate::{
    auth::{OrgMember, OrgOffice, Visitor},
    client_info::Who,
    csp, disposition,
    error::{ApiError, ApiResult},
    extract::{Id, Query, Word},
    idempotency::idempotency_key,
    openapi,
    state::AppState,
};

mod archive;
mod store;
mod upload;

use store::Target;
use upload::FilesDoc;

/// The body of a request with files: five documents of 10 MB and some text.
pub const LIMIT: usize = 51 * 1024 * 1024;

/// A stored file never changes: another one has another id.
const FOR_GOOD: &str = "private, max-age=31536000, immutable";

/// Adds photos or documents to a job
///
/// Photos are redrawn, so nothing of where and with what they were taken is kept. Documents are the office's. Refused
/// files are named under `files`, and nothing is stored then.
#[utoipa::path(post, path = "/api/jobs/{id}/files", operation_id = "addJobFiles", tag = "files",
    security(("session" = ["owner", "office", "crew"])),
    request_body(content = FilesDoc, content_type = "multipart/form-data",
        encoding(("files" = (content_type = "image/png, image/jpeg, image/webp, application/pdf")))),
    params(("id" = uuid::Uuid, Path, description = "The job"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
        description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 201, description = "Added", body = Vec<AutomatedFile>),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable, openapi::NoSpace))]
pub async fn add_job_files(
    member: OrgMember,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    headers: HeaderMap,
    multipart: Result<Multipart, MultipartRejection>,
) -> ApiResult<(StatusCode, axum::Json<Vec<AutomatedFile>>)> {
    let key = idempotency_key(&headers)?;
    let mut conn = state.db()?.read().await?;
    let sight = job::visible(&mut conn, &member.session, JobId(id)).await?;
    let lead = job::find(&mut conn, member.org(), JobId(id)).await?.lead_id;
    drop(conn);
    let sent = upload::read(&state, opened(multipart)?).await?.check(sight.is_office())?;
    let target = Target { lead, job: Some(JobId(id)), operation: "job_files" };
    let files = store::take_in(&state, &who, &member, target, key, sent).await?;
    Ok((StatusCode::CREATED, axum::Json(files)))
}

/// Adds photos or documents to a lead
///
/// As with a job.
#[utoipa::path(post, path = "/api/leads/{id}/files", operation_id = "addLeadFiles", tag = "files",
    security(("session" = ["owner", "office"])),
    request_body(content = FilesDoc, content_type = "multipart/form-data",
        encoding(("files" = (content_type = "image/png, image/jpeg, image/webp, application/pdf")))),
    params(("id" = uuid::Uuid, Path, description = "The lead"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
        description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 201, description = "Added", body = Vec<AutomatedFile>),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable, openapi::NoSpace))]
pub async fn add_lead_files(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    headers: HeaderMap,
    multipart: Result<Multipart, MultipartRejection>,
) -> ApiResult<(StatusCode, axum::Json<Vec<AutomatedFile>>)> {
    let key = idempotency_key(&headers)?;
    let lead = LeadId(id);
    file::has_lead(&mut state.db()?.read().await?, member.org(), lead).await?;
    let sent = upload::read(&state, opened(multipart)?).await?.check(true)?;
    let target = Target { lead, job: None, operation: "lead_files" };
    let files = store::take_in(&state, &who, &member, target, key, sent).await?;
    Ok((StatusCode::CREATED, axum::Json(files)))
}

/// The files of a lead, newest first
///
/// Those of its jobs, and the photos that came with a form or a text, too.
#[utoipa::path(get, path = "/api/leads/{id}/files", operation_id = "listLeadFiles", tag = "files",
    security(("session" = ["owner", "office"])),
    params(("id" = uuid::Uuid, Path, description = "The lead")),
    responses((status = 200, description = "All of them", body = Vec<AutomatedFile>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn list_lead_files(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    Id(id): Id,
) -> ApiResult<axum::Json<Vec<AutomatedFile>>> {
    let mut conn = state.db()?.read().await?;
    file::has_lead(&mut conn, member.org(), LeadId(id)).await?;
    Ok(axum::Json(file::of_lead(&mut conn, member.org(), LeadId(id)).await?))
}

/// A yes that is said by being there.
#[derive(Clone, Copy, Deserialize, ToSchema)]
pub enum Flag {
    #[serde(rename = "1")]
    Yes,
}

fn variant(query: &Query) -> ApiResult<Variant> {
    let size = query.choice::<PhotoSize>("size")?;
    Ok(match (query.choice::<Flag>("download")?, size) {
        (_, Some(PhotoSize::Thumb)) => Variant::Thumb,
        (Some(Flag::Yes), _) => Variant::Download,
        (None, _) => Variant::Full,
    })
}

/// The file as this person may see it: a crew gets photos of its own jobs.
async fn find(conn: &mut dyn AsConn, member: &OrgMember, id: FileId) -> ApiResult<Stored> {
    Ok(match Sight::of(&member.session) {
        Sight::Office => file::find(conn, member.org(), id).await?,
        Sight::Crew(account) => file::find_for_crew(conn, member.org(), account, id).await?,
    })
}

/// A file
#[utoipa::path(get, path = "/api/files/{id}", operation_id = "getFile", tag = "files",
    security(("session" = ["owner", "office", "crew"])),
    params(("id" = uuid::Uuid, Path, description = "The file"),
        ("size" = inline(Option<PhotoSize>), Query, description = "full when absent; thumb is of photos only"),
        ("download" = inline(Option<Flag>), Query, description = "To be kept under its name and not shown")),
    responses((status = 200, description = "Its bytes", content((String = "image/jpeg"), (String = "application/pdf"))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn get_file(
    member: OrgMember,
    State(state): State<AppState>,
    Id(id): Id,
    query: Query,
) -> ApiResult<Response> {
    let variant = variant(&query)?;
    let found = find(&mut state.db()?.read().await?, &member, FileId(id)).await?;
    serve(&state, &found, variant, FOR_GOOD).await
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
/// It opens for at most 15 minutes, for whoever has it.
#[utoipa::path(get, path = "/api/files/{id}/address", operation_id = "getFileAddress", tag = "files",
    security(("session" = ["owner", "office", "crew"])),
    params(("id" = uuid::Uuid, Path, description = "The file"),
        ("size" = inline(Option<PhotoSize>), Query, description = "full when absent; thumb is of photos only"),
        ("download" = inline(Option<Flag>), Query, description = "To be kept under its name and not shown")),
    responses((status = 200, description = "The address", body = FileAddress),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn get_file_address(
    member: OrgMember,
    State(state): State<AppState>,
    Id(id): Id,
    query: Query,
) -> ApiResult<axum::Json<FileAddress>> {
    let variant = variant(&query)?;
    let found = find(&mut state.db()?.read().await?, &member, FileId(id)).await?;
    found.key(variant)?;
    let now = state.origin.now();
    let path = address::address(&state.settings.secret, member.org(), found.id, variant, now);
    let url = state.settings.public_url.join(&path);
    Ok(axum::Json(FileAddress { url, expires_at: address::until(now) }))
}

/// A file by its signed address. Whatever is wrong with the address, the answer is the same.
pub async fn get_by_address(_: Visitor, State(state): State<AppState>, Word(token): Word) -> ApiResult<Response> {
    let now = state.origin.now();
    let aim = address::read(&state.settings.secret, &token, now).ok_or(Error::NotFound)?;
    let found = file::find(&mut state.db()?.read().await?, aim.org, aim.file).await?;
    let cached = format!("private, max-age={}", (aim.until - now).num_seconds());
    serve(&state, &found, aim.variant, &cached).await
}

/// Its bytes, as what they are and nothing else. Only pictures are shown in the page's own origin.
async fn serve(state: &AppState, file: &Stored, variant: Variant, cached: &str) -> ApiResult<Response> {
    let bytes = state.storage.get(file.key(variant)?).await.map_err(Error::from)?;
    let is_shown = file.kind == file::Kind::Photo && variant != Variant::Download;
    let headers = [
        (header::CONTENT_TYPE, file.content_type.clone()),
        (header::CONTENT_DISPOSITION, disposition::of(&file.name, is_shown)),
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
    who: Who,
    Id(id): Id,
) -> ApiResult<StatusCode> {
    let (origin, org) = (&state.origin, member.org());
    let mut tx = state.db()?.begin().await?;
    let removed = file::remove(&mut tx, origin, org, FileId(id)).await?;
    audit::record(&mut tx, origin, &who.actor(&member), org, Action::FileRemoved, Some(id)).await?;
    live::announce(&mut tx, origin, org, Topic::Lead, removed.lead.0, None).await?;
    if let Some(job) = removed.job {
        live::announce(&mut tx, origin, org, Topic::Job, job.0, Some(removed.lead.0)).await?;
    }
    tx.commit().await?;
    state.wake();
    Ok(StatusCode::NO_CONTENT)
}

/// All files of a job in one archive
///
/// The bytes are those of the files, one by one; a crew gets the photos.
#[utoipa::path(get, path = "/api/jobs/{id}/files.zip", operation_id = "downloadJobFiles", tag = "files",
    security(("session" = ["owner", "office", "crew"])),
    params(("id" = uuid::Uuid, Path, description = "The job"),
        ("type" = inline(Option<file::Kind>), Query, description = "Both when absent")),
    responses((status = 200, description = "The archive", body = String, content_type = "application/zip"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::Unavailable))]
pub async fn download_job_files(
    member: OrgMember,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    query: Query,
) -> ApiResult<Response> {
    let asked = query.choice::<file::Kind>("type")?;
    let mut conn = state.db()?.read().await?;
    let sight = job::visible(&mut conn, &member.session, JobId(id)).await?;
    let job = job::find(&mut conn, member.org(), JobId(id)).await?;
    let only = if sight.is_office() { asked } else { Some(file::Kind::Photo) };
    let files = match (asked, only) {
        (Some(asked), Some(only)) if asked != only => Vec::new(),
        _ => file::pack::to_pack(&mut conn, member.org(), job.id, job.lead_id, only).await?,
    };
    drop(conn);
    if files.is_empty() {
        return Err(Error::Conflict("There is nothing to download yet.").into());
    }
    who.took(&state, &member, Action::FilesDownloaded, Some(id)).await?;
    let zone = org::zone_named(&member.session.org_timezone);
    let name = archive::name(job.number, asked, state.origin.now(), zone);
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_DISPOSITION, disposition::of(&name, false)),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, archive::stream(state.storage.clone(), files, zone)).into_response())
}

/// What was refused by name, as one message for the field `files`.
fn refusal(refused: &[String]) -> ApiError {
    let mut error = ApiError::field("files", refused.join("; "));
    error.code = crate::error::ErrorCode::PhotoRejected;
    error
}
