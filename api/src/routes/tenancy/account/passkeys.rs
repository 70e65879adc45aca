//! A user's own passkeys: add, rename, remove.

use axum::{
    Json as Body,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Deserialize;
use serde_json::Value;
use shared::{
    domain::{
        messaging::account_email::security_email::{self, SecurityEvent},
        tenancy::{
            account::{
                self,
                passkey::{self, PasskeyChallenge, PasskeyView, RelyingParty},
            },
            audit::{self, AuditAction},
        },
    },
    platform::{error::FieldErrors, text},
};
use utoipa::ToSchema;

use super::end_other_sessions;
use crate::{
    auth::{OrgMember, RecentlyVerified},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::{Json, PathId},
    openapi::{self, fields},
    state::AppState,
};

const LONGEST_NAME: usize = 60;

/// One's passkeys, the oldest first
#[utoipa::path(get, path = "/api/account/passkeys", operation_id = "listPasskeys", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "What signs in without a password", body = Vec<PasskeyView>),
        openapi::Unauthenticated, openapi::Unavailable))]
pub async fn list_passkeys(member: OrgMember, State(state): State<AppState>) -> ApiResult<Body<Vec<PasskeyView>>> {
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(Body(passkey::list(&mut conn, member.org(), member.account()).await?))
}

/// Begins to add a passkey
#[utoipa::path(post, path = "/api/account/passkeys/challenge", operation_id = "beginPasskey", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 201, description = "What the browser is asked", body = PasskeyChallenge),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::Unavailable))]
pub async fn begin_passkey(
    RecentlyVerified(member): RecentlyVerified<OrgMember>,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<(StatusCode, Body<PasskeyChallenge>)> {
    let party = RelyingParty::from_public_url(&state.settings.public_url)?;
    let mut tx = state.db()?.begin().await?;
    let account = account::get(&mut tx, member.org(), member.account()).await?;
    let begun = passkey::begin_registration(&mut tx, &state.origin, &party, &account, &member.token).await?;
    let (actor, subject) = (who.actor_for(&member), Some(account.id.0));
    audit::record(&mut tx, &state.origin, &actor, account.org_id, AuditAction::PasskeyBegun, subject).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Body(begun)))
}

/// A passkey that the browser made.
#[derive(Deserialize, ToSchema)]
pub struct NewPasskey {
    /// Of the challenge that it answers.
    #[schema(required, schema_with = fields::required_line::<100>)]
    challenge: Option<String>,
    /// How its owner tells it from others.
    #[schema(required, schema_with = fields::required_line::<60>)]
    name: Option<String>,
    /// The browser's answer: `RegistrationResponseJSON` (`WebAuthn`, Level 3).
    #[schema(value_type = std::collections::HashMap<String, Value>, required)]
    credential: Option<Value>,
}

/// Adds a passkey
///
/// From now on it signs in without a password or a code. The account gets a mail.
#[utoipa::path(post, path = "/api/account/passkeys", operation_id = "addPasskey", tag = "account",
    security(("session" = ["owner", "office", "crew"])), request_body = NewPasskey,
    responses((status = 201, description = "It signs in from now on", body = PasskeyView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn add_passkey(
    RecentlyVerified(member): RecentlyVerified<OrgMember>,
    State(state): State<AppState>,
    who: RequestContext,
    Json(form): Json<NewPasskey>,
) -> ApiResult<(StatusCode, Body<PasskeyView>)> {
    let mut errors = FieldErrors::default();
    let name = validate_name(form.name.as_deref(), &mut errors);
    let challenge =
        text::single_line("challenge", form.challenge.as_deref(), 100).parse_required("Start again", &mut errors);
    errors.into_result()?;
    let credential = form.credential.and_then(|credential| serde_json::from_value(credential).ok());
    let credential = credential.ok_or_else(|| ApiError::invalid_field("credential", "This is not a passkey"))?;
    let party = RelyingParty::from_public_url(&state.settings.public_url)?;
    let (org, id, origin) = (member.org(), member.account(), &state.origin);
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, &state).await?;
    let account = account::get(&mut tx, org, id).await?;
    let of = (challenge.as_str(), member.token.as_str());
    let added = passkey::finish_registration(&mut tx, origin, &party, &account, of, (&credential, &name)).await?;
    security_email::notify_account(
        &mut tx,
        origin,
        &state.settings.public_url,
        &account,
        SecurityEvent::PasskeyAdded { name: &name },
    )
    .await?;
    audit::record(&mut tx, origin, &who.actor_for(&member), org, AuditAction::PasskeyAdded, Some(added.id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, Body(added)))
}

fn validate_name(typed: Option<&str>, errors: &mut FieldErrors) -> String {
    text::single_line("name", typed, LONGEST_NAME).parse_required("Name it, such as \"Work phone\"", errors)
}

#[derive(Deserialize, ToSchema)]
pub struct PasskeyName {
    #[schema(required, schema_with = fields::required_line::<60>)]
    name: Option<String>,
}

/// Gives a passkey another name
#[utoipa::path(put, path = "/api/account/passkeys/{id}", operation_id = "renamePasskey", tag = "account",
    security(("session" = ["owner", "office", "crew"])), request_body = PasskeyName,
    params(("id" = uuid::Uuid, Path, description = "The passkey")),
    responses((status = 200, description = "Its new name", body = PasskeyView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn rename_passkey(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(form): Json<PasskeyName>,
) -> ApiResult<Body<PasskeyView>> {
    let mut errors = FieldErrors::default();
    let name = validate_name(form.name.as_deref(), &mut errors);
    errors.into_result()?;
    let mut tx = state.db()?.begin().await?;
    let renamed = passkey::rename(&mut tx, member.org(), member.account(), id, &name).await?;
    let (actor, action) = (who.actor_for(&member), AuditAction::PasskeyRenamed);
    audit::record(&mut tx, &state.origin, &actor, member.org(), action, Some(id)).await?;
    tx.commit().await?;
    Ok(Body(renamed))
}

/// Removes a passkey
///
/// Every other device is signed out, and the account gets a mail.
#[utoipa::path(delete, path = "/api/account/passkeys/{id}", operation_id = "removePasskey", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    params(("id" = uuid::Uuid, Path, description = "The passkey")),
    responses((status = 204, description = "It opens nothing from now on; the cookie is a new one"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn remove_passkey(
    RecentlyVerified(member): RecentlyVerified<OrgMember>,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<(StatusCode, HeaderMap)> {
    let mut tx = state.db()?.begin().await?;
    let name = passkey::remove_passkey(&mut tx, member.org(), member.account(), id).await?;
    let done = (AuditAction::PasskeyRemoved, SecurityEvent::PasskeyRemoved { name: &name });
    let cookie = end_other_sessions(&mut tx, &state, &who, &member, done).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::NO_CONTENT, cookie))
}
