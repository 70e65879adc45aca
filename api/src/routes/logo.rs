//! The logo of a business: put in place, taken away, and shown to whoever gets its papers.

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
    domain::{
        tenancy::{
            audit::Action,
            org::{self, Organization, logo},
        },
        work::file::quota,
    },
    platform::{
        error::Error,
        id::OrgId,
        photo::{MAX_PHOTO_BYTES, PhotoError},
    },
};
use utoipa::ToSchema;

use super::{
    lead::upload::reserve,
    org::{Own, noted},
};
use crate::{
    auth::{OrgMember, Visitor},
    client_info::Who,
    csp,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Id, incomplete, too_large},
    openapi,
    state::AppState,
};

/// A logo to be put in place.
#[derive(ToSchema)]
#[schema(as = LogoForm)]
#[expect(dead_code, reason = "only described; the form is read field by field")]
pub struct LogoDoc {
    /// A PNG, JPG or WebP picture of at most 5 MB.
    #[schema(value_type = String, format = Binary)]
    logo: Vec<u8>,
}

fn refused(fault: PhotoError) -> ApiError {
    let mut error = ApiError::field("logo", format!("The file {fault}"));
    error.code = ErrorCode::PhotoRejected;
    error
}

fn broken(error: &MultipartError) -> ApiError {
    incomplete(error.status(), error, "The form broke off or cannot be read.")
}

/// The picture that was sent, redrawn.
async fn read(state: &AppState, multipart: Result<Multipart, MultipartRejection>) -> ApiResult<Vec<u8>> {
    let mut form = multipart
        .map_err(|_| ApiError::new(ErrorCode::UnsupportedMediaType, "Please send this form as multipart/form-data."))?;
    while let Some(mut field) = form.next_field().await.map_err(|e| broken(&e))? {
        if field.name() != Some("logo") {
            continue;
        }
        // Its share of the memory that all uploads together may use, held until it is redrawn.
        let (mut bytes, mut room) = (Vec::new(), Vec::new());
        while let Some(chunk) = field.chunk().await.map_err(|e| broken(&e))? {
            if bytes.len() + chunk.len() > MAX_PHOTO_BYTES {
                return Err(refused(PhotoError::TooLarge));
            }
            room.push(reserve(state, chunk.len())?);
            bytes.extend_from_slice(&chunk);
        }
        if !bytes.is_empty() {
            let pressed = press(state, bytes).await;
            drop(room);
            return pressed;
        }
    }
    Err(ApiError::field("logo", "Please choose a picture"))
}

/// Redraws it, one picture at a time in the whole process.
async fn press(state: &AppState, bytes: Vec<u8>) -> ApiResult<Vec<u8>> {
    let slot = Arc::clone(&state.press).acquire_owned().await.map_err(|e| ApiError::unavailable(e.to_string()))?;
    let work = tokio::task::spawn_blocking(move || {
        let done = logo::process(&bytes);
        drop(slot);
        done
    });
    // A decoder that panics on a strange file has refused it.
    work.await.unwrap_or(Err(PhotoError::Damaged)).map_err(refused)
}

/// Writes down which logo it is now. The old picture is removed by the sweep, which leaves it a day.
async fn change(
    state: &AppState,
    who: &Who,
    member: &OrgMember,
    logo: Option<&logo::Stored>,
) -> ApiResult<Organization> {
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    let changed = logo::set(&mut tx, member.org(), logo, state.settings.storage_quota).await?;
    noted(&mut tx, state, who, member, (Action::LogoChanged, member.org().0)).await?;
    tx.commit().await?;
    state.wake();
    Ok(changed.into())
}

/// Puts a logo on the business's papers and pages
#[utoipa::path(post, path = "/api/org/{orgId}/logo", operation_id = "setLogo", tag = "settings",
    security(("session" = ["owner", "office"])),
    request_body(content = LogoDoc, content_type = "multipart/form-data",
        encoding(("logo" = (content_type = "image/png, image/jpeg, image/webp")))),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "The business as it is now", body = Organization),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable, openapi::NoSpace))]
pub async fn set_logo(
    Own(member): Own,
    State(state): State<AppState>,
    who: Who,
    multipart: Result<Multipart, MultipartRejection>,
) -> ApiResult<axum::Json<Organization>> {
    let picture = read(&state, multipart).await?;
    quota::check(&mut state.db()?.read().await?, member.org(), state.settings.storage_quota).await?;
    let bytes = i64::try_from(picture.len()).map_err(|_| too_large())?;
    let stored = logo::Stored { key: logo::new_key(&state.origin, member.org()), bytes };
    state.storage.put(&stored.key, &picture).await.map_err(Error::from)?;
    // Should this fail, no row names the picture, and the sweep removes it.
    Ok(axum::Json(change(&state, &who, &member, Some(&stored)).await?))
}

/// Takes the logo away
#[utoipa::path(delete, path = "/api/org/{orgId}/logo", operation_id = "removeLogo", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "The business as it is now", body = Organization),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn remove_logo(
    Own(member): Own,
    State(state): State<AppState>,
    who: Who,
) -> ApiResult<axum::Json<Organization>> {
    Ok(axum::Json(change(&state, &who, &member, None).await?))
}

/// The logo of a business
///
/// As its papers and pages show it. The address that the business itself is told names the version.
#[utoipa::path(get, path = "/api/public/logo/{orgId}", operation_id = "getLogo", tag = "public",
    params(("orgId" = uuid::Uuid, Path, description = "The business"),
        ("v" = Option<String>, Query, description = "Which version; whatever it says, the newest is shown")),
    responses((status = 200, description = "The picture", body = String, content_type = "image/png"),
        openapi::NotFound, openapi::Unavailable))]
pub async fn get_logo(_: Visitor, State(state): State<AppState>, Id(id): Id) -> ApiResult<Response> {
    let mut conn = state.db()?.read().await?;
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
