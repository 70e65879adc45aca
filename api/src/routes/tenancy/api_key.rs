//! API keys: create, list, revoke.

use axum::{
    extract::{FromRequestParts, State},
    http::{StatusCode, request::Parts},
};
use shared::{
    domain::{
        messaging::account_email::security_email::{self, SecurityEvent},
        tenancy::{
            account,
            api_key::{self, ApiKey, ApiKeyForm, NewApiKey},
            audit::AuditAction,
        },
    },
    platform::id::ApiKeyId,
};

use super::org::{OwnOrgAccess, path_choice, record_change};
use crate::{
    auth::{OrgOwner, RecentlyVerified},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::Json,
    openapi,
    state::AppState,
};

pub struct ApiKeyParam(ApiKeyId);

impl FromRequestParts<AppState> for ApiKeyParam {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        path_choice(parts, state, "id").await.map(Self)
    }
}

/// The keys of the business
#[utoipa::path(get, path = "/api/org/{orgId}/api-keys", operation_id = "listApiKeys", tag = "settings",
    security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "Valid ones, by name, without keys", body = Vec<ApiKey>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn list_api_keys(
    _owner: OrgOwner,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<ApiKey>>> {
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(axum::Json(api_key::list(&mut conn, member.org()).await?))
}

/// Makes a key for another program
///
/// Shown once. The key acts as an office member under its own name, within its scopes. Its creator gets a mail. It
/// takes no `Idempotency-Key`: only a hash of the key is stored, so a repeat could not answer the same again; anyone
/// who lost the answer deletes that key and makes another.
#[utoipa::path(post, path = "/api/org/{orgId}/api-keys", operation_id = "makeApiKey", tag = "settings",
    security(("session" = ["owner"])), request_body = ApiKeyForm,
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 201, description = "The key", body = NewApiKey), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn create_api_key(
    _owner: RecentlyVerified<OrgOwner>,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    Json(form): Json<ApiKeyForm>,
) -> ApiResult<(StatusCode, axum::Json<NewApiKey>)> {
    let owner = (member.account(), member.session.name.as_str());
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, &state).await?;
    let made = api_key::create(&mut tx, &state.origin, member.org(), owner, &form).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::ApiKeyMade, made.made.id.0)).await?;
    let account = account::get(&mut tx, member.org(), member.account()).await?;
    security_email::notify_account(
        &mut tx,
        &state.origin,
        &state.settings.public_url,
        &account,
        SecurityEvent::ApiKeyMade,
    )
    .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, axum::Json(made)))
}

/// Takes a key away: it opens nothing any more
#[utoipa::path(delete, path = "/api/org/{orgId}/api-keys/{id}", operation_id = "revokeApiKey", tag = "settings",
    security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("id" = uuid::Uuid, Path, description = "The key")),
    responses((status = 204, description = "Taken away"), openapi::Unauthenticated, openapi::Forbidden,
        openapi::NotFound, openapi::Unavailable))]
pub async fn revoke_api_key(
    _owner: OrgOwner,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    ApiKeyParam(id): ApiKeyParam,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    api_key::revoke(&mut tx, &state.origin, member.org(), id).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::ApiKeyRevoked, id.0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}
