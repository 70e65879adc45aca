//! A person's passkeys: added, named and removed by themselves.

use axum::{
    Json as Body,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Deserialize;
use serde_json::Value;
use shared::{
    domain::tenancy::{
        account::{
            self,
            passkey::{self, Begun, RelyingParty, View},
            security_email::{self, SecurityEvent},
        },
        audit::{self, Action},
    },
    platform::{error::FieldErrors, text},
};
use utoipa::ToSchema;

use super::ends_elsewhere;
use crate::{
    auth::{Fresh, OrgMember},
    client_info::Who,
    error::{ApiError, ApiResult},
    extract::{Id, Json},
    openapi::{self, fields},
    state::AppState,
};

const LONGEST_NAME: usize = 60;

/// One's passkeys, the oldest first
#[utoipa::path(get, path = "/api/account/passkeys", operation_id = "listPasskeys", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "What signs in without a password", body = Vec<View>),
        openapi::Unauthenticated, openapi::Unavailable))]
pub async fn list_passkeys(member: OrgMember, State(state): State<AppState>) -> ApiResult<Body<Vec<View>>> {
    let mut conn = state.db()?.read().await?;
    Ok(Body(passkey::list(&mut conn, member.org(), member.account()).await?))
}

/// Begins to add a passkey
#[utoipa::path(post, path = "/api/account/passkeys/challenge", operation_id = "beginPasskey", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 201, description = "What the browser is asked", body = Begun),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::Unavailable))]
pub async fn begin_passkey(
    Fresh(member): Fresh<OrgMember>,
    State(state): State<AppState>,
    who: Who,
) -> ApiResult<(StatusCode, Body<Begun>)> {
    let party = RelyingParty::of(&state.settings.public_url)?;
    let mut tx = state.db()?.begin().await?;
    let account = account::get(&mut tx, member.org(), member.account()).await?;
    let begun = passkey::begin_adding(&mut tx, &state.origin, &party, &account, &member.token).await?;
    let (actor, subject) = (who.actor(&member), Some(account.id.0));
    audit::record(&mut tx, &state.origin, &actor, account.org_id, Action::PasskeyBegun, subject).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Body(begun)))
}

/// A passkey that the browser made.
#[derive(Deserialize, ToSchema)]
pub struct NewPasskey {
    /// Of the challenge that it answers.
    #[schema(required, schema_with = fields::filled::<100>)]
    challenge: Option<String>,
    /// How its owner tells it from others.
    #[schema(required, schema_with = fields::filled::<60>)]
    name: Option<String>,
    /// The browser's answer: `RegistrationResponseJSON` (`WebAuthn`, Level 3).
    #[schema(value_type = std::collections::HashMap<String, Value>, required)]
    credential: Option<Value>,
}

/// Adds a passkey
///
/// From now on it signs in without a password or a code. A mail tells of it.
#[utoipa::path(post, path = "/api/account/passkeys", operation_id = "addPasskey", tag = "account",
    security(("session" = ["owner", "office", "crew"])), request_body = NewPasskey,
    responses((status = 201, description = "It signs in from now on", body = View),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn add_passkey(
    Fresh(member): Fresh<OrgMember>,
    State(state): State<AppState>,
    who: Who,
    Json(form): Json<NewPasskey>,
) -> ApiResult<(StatusCode, Body<View>)> {
    let mut errors = FieldErrors::default();
    let name = name(form.name.as_deref(), &mut errors);
    let challenge = text::line("challenge", form.challenge.as_deref(), 100).required("Start again", &mut errors);
    errors.finish()?;
    let credential = form.credential.and_then(|credential| serde_json::from_value(credential).ok());
    let credential = credential.ok_or_else(|| ApiError::field("credential", "This is not a passkey"))?;
    let party = RelyingParty::of(&state.settings.public_url)?;
    let (org, id, origin) = (member.org(), member.account(), &state.origin);
    let mut tx = state.db()?.begin().await?;
    member.still_in(&mut tx, &state).await?;
    let account = account::get(&mut tx, org, id).await?;
    let of = (challenge.as_str(), member.token.as_str());
    let added = passkey::add(&mut tx, origin, &party, &account, of, (&credential, &name)).await?;
    security_email::tell(
        &mut tx,
        origin,
        &state.settings.public_url,
        &account,
        SecurityEvent::PasskeyAdded { name: &name },
    )
    .await?;
    audit::record(&mut tx, origin, &who.actor(&member), org, Action::PasskeyAdded, Some(added.id)).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::CREATED, Body(added)))
}

fn name(typed: Option<&str>, errors: &mut FieldErrors) -> String {
    text::line("name", typed, LONGEST_NAME).required("Name it, such as \"Work phone\"", errors)
}

#[derive(Deserialize, ToSchema)]
pub struct PasskeyName {
    #[schema(required, schema_with = fields::filled::<60>)]
    name: Option<String>,
}

/// Gives a passkey another name
#[utoipa::path(put, path = "/api/account/passkeys/{id}", operation_id = "renamePasskey", tag = "account",
    security(("session" = ["owner", "office", "crew"])), request_body = PasskeyName,
    params(("id" = uuid::Uuid, Path, description = "The passkey")),
    responses((status = 200, description = "Its new name", body = View),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn rename_passkey(
    member: OrgMember,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    Json(form): Json<PasskeyName>,
) -> ApiResult<Body<View>> {
    let mut errors = FieldErrors::default();
    let name = name(form.name.as_deref(), &mut errors);
    errors.finish()?;
    let mut tx = state.db()?.begin().await?;
    let renamed = passkey::rename(&mut tx, member.org(), member.account(), id, &name).await?;
    let (actor, action) = (who.actor(&member), Action::PasskeyRenamed);
    audit::record(&mut tx, &state.origin, &actor, member.org(), action, Some(id)).await?;
    tx.commit().await?;
    Ok(Body(renamed))
}

/// Removes a passkey
///
/// Every other device is signed out; a mail tells of it.
#[utoipa::path(delete, path = "/api/account/passkeys/{id}", operation_id = "removePasskey", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    params(("id" = uuid::Uuid, Path, description = "The passkey")),
    responses((status = 204, description = "It opens nothing from now on; the cookie is a new one"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn remove_passkey(
    Fresh(member): Fresh<OrgMember>,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
) -> ApiResult<(StatusCode, HeaderMap)> {
    let mut tx = state.db()?.begin().await?;
    let name = passkey::remove(&mut tx, member.org(), member.account(), id).await?;
    let done = (Action::PasskeyRemoved, SecurityEvent::PasskeyRemoved { name: &name });
    let cookie = ends_elsewhere(&mut tx, &state, &who, &member, done).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::NO_CONTENT, cookie))
}
