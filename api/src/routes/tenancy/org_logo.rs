//! The logo of a business: set, remove, and show publicly.

use std::sync::Arc;

use axum::{
    extract::{
        Multipart, State,
        multipart::{MultipartError, MultipartRejection},
    },
    http::{HeaderName, header},
    response::{IntoResponse, Response},
};
use shared::{
    domain::tenancy::{
        audit::AuditAction,
        org::{self, Organization, logo},
        storage_quota,
    },
    platform::{
        error::Error,
        id::OrgId,
        photo::{MAX_PHOTO_BYTES, PhotoError},
    },
};
use utoipa::ToSchema;

use super::org::{OwnOrgAccess, record_change};
use crate::{
    auth::{OrgMember, Visitor},
    client_info::RequestContext,
    csp,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{PathId, incomplete_body_error, too_large},
    openapi,
    routes::intake::lead::upload::reserve_memory,
    state::AppState,
};

/// Body limit: one picture of 5 MB and its form.
pub const LIMIT: usize = 6 * 1024 * 1024;

/// A logo to be put in place.
#[derive(ToSchema)]
pub struct LogoForm {
    /// A PNG, JPG or WebP picture of at most 5 MB.
    #[schema(value_type = String, format = Binary)]
    logo: Vec<u8>,
}

fn refused_logo_error(fault: PhotoError) -> ApiError {
    let mut error = ApiError::invalid_field("logo", format!("The file {fault}"));
    error.code = ErrorCode::PhotoRejected;
    error
}

fn broken_form_error(error: &MultipartError) -> ApiError {
    incomplete_body_error(error.status(), error, "The form broke off or cannot be read.", LIMIT)
}

async fn read_logo(state: &AppState, multipart: Result<Multipart, MultipartRejection>) -> ApiResult<LogoForm> {
    let mut form = multipart
        .map_err(|_| ApiError::new(ErrorCode::UnsupportedMediaType, "Please send this form as multipart/form-data."))?;
    while let Some(mut field) = form.next_field().await.map_err(|e| broken_form_error(&e))? {
        if field.name() != Some("logo") {
            continue;
        }
        // Its share of the memory limit of all uploads, held until the picture is redrawn.
        let (mut bytes, mut room) = (Vec::new(), Vec::new());
        while let Some(chunk) = field.chunk().await.map_err(|e| broken_form_error(&e))? {
            if bytes.len() + chunk.len() > MAX_PHOTO_BYTES {
                return Err(refused_logo_error(PhotoError::TooLarge));
            }
            room.push(reserve_memory(state, chunk.len())?);
            bytes.extend_from_slice(&chunk);
        }
        if !bytes.is_empty() {
            let pressed = reencode_logo(state, bytes).await;
            drop(room);
            return pressed.map(|logo| LogoForm { logo });
        }
    }
    Err(ApiError::invalid_field("logo", "Please choose a picture"))
}

/// Redraws it; one picture at a time per process.
async fn reencode_logo(state: &AppState, bytes: Vec<u8>) -> ApiResult<Vec<u8>> {
    let slot = Arc::clone(&state.press).acquire_owned().await.map_err(|e| ApiError::unavailable(e.to_string()))?;
    let work = tokio::task::spawn_blocking(move || {
        let done = logo::reencode_logo(&bytes);
        drop(slot);
        done
    });
    // A decoder panic counts as a refusal of the file.
    work.await.unwrap_or(Err(PhotoError::Damaged)).map_err(refused_logo_error)
}

/// Records the logo. The sweep removes the old picture after a day.
async fn replace_logo(
    state: &AppState,
    who: &RequestContext,
    member: &OrgMember,
    logo: Option<&logo::StoredLogo>,
) -> ApiResult<Organization> {
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    let changed = logo::set_logo(&mut tx, member.org(), logo, state.settings.storage_quota).await?;
    record_change(&mut tx, state, who, member, (AuditAction::LogoChanged, member.org().0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(changed.into())
}

/// Puts a logo on the business's papers and pages
#[utoipa::path(post, path = "/api/org/{orgId}/logo", operation_id = "setLogo", tag = "settings",
    security(("session" = ["owner", "office"])),
    request_body(content = LogoForm, content_type = "multipart/form-data",
        encoding(("logo" = (content_type = "image/png, image/jpeg, image/webp")))),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "The business as it is now", body = Organization),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable, openapi::NoSpace))]
pub async fn set_logo(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    multipart: Result<Multipart, MultipartRejection>,
) -> ApiResult<axum::Json<Organization>> {
    let LogoForm { logo: picture } = read_logo(&state, multipart).await?;
    storage_quota::check_quota(&mut state.db()?.acquire_reader().await?, member.org(), state.settings.storage_quota)
        .await?;
    let bytes = i64::try_from(picture.len()).map_err(|_| too_large(LIMIT))?;
    let stored = logo::StoredLogo { key: logo::new_storage_key(&state.origin, member.org()), bytes };
    state.storage.put(&stored.key, &picture).await.map_err(Error::from)?;
    // If this fails, no row names the picture, and the sweep removes it.
    Ok(axum::Json(replace_logo(&state, &who, &member, Some(&stored)).await?))
}

/// Takes the logo away
#[utoipa::path(delete, path = "/api/org/{orgId}/logo", operation_id = "removeLogo", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "The business as it is now", body = Organization),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn remove_logo(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<axum::Json<Organization>> {
    Ok(axum::Json(replace_logo(&state, &who, &member, None).await?))
}

/// The logo of a business
///
/// As its documents and pages show it. The address given to the business names the version.
#[utoipa::path(get, path = "/api/public/logo/{orgId}", operation_id = "getLogo", tag = "public",
    params(("orgId" = uuid::Uuid, Path, description = "The business"),
        ("v" = Option<String>, Query, description = "Which version; whatever it says, the newest is shown")),
    responses((status = 200, description = "The picture", body = String, content_type = "image/png"),
        openapi::NotFound, openapi::Unavailable))]
pub async fn get_logo(_: Visitor, State(state): State<AppState>, PathId(id): PathId) -> ApiResult<Response> {
    let mut conn = state.db()?.acquire_reader().await?;
    let found = org::find(&mut conn, OrgId(id)).await?.ok_or(Error::NotFound)?;
    drop(conn);
    let key = found.logo_key.ok_or(Error::NotFound)?;
    let picture = state.storage.get(&key).await.map_err(Error::from)?;
    let headers = [
        (header::CONTENT_TYPE, "image/png"),
        (header::CACHE_CONTROL, "public, max-age=86400"),
        (header::CONTENT_SECURITY_POLICY, csp::STORED),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    Ok((headers, picture).into_response())
}
