//! A user's own account: sign-in security, sessions and devices, password.

use axum::{
    Json as Body,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        messaging::account_email::security_email::{self, SecurityEvent},
        tenancy::{
            account::{self, reset, second_factor},
            api_key,
            audit::{self, AuditAction},
            security::device,
            session::{self, SignedInDevice},
        },
    },
    platform::{db::Tx, error::FieldErrors, language::Language},
};
use utoipa::ToSchema;

use super::session::{reauthentication, renew_session};
use crate::{
    auth::OrgMember,
    client_info::RequestContext,
    error::ApiResult,
    extract::{Json, PathId},
    openapi::{self, fields},
    state::AppState,
};

pub mod offline;
pub mod passkeys;
pub mod second_factor_setup;

/// Sign-in security of an account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccountSafety {
    password_changed_at: DateTime<Utc>,
    second_factor: second_factor::SecondFactor,
    /// Keys for other programs that they made.
    keys: i64,
    /// Whether they proved who they are a short while ago: what asks for that is allowed now.
    is_fresh: bool,
}

/// How one's account is kept safe
#[utoipa::path(get, path = "/api/account", operation_id = "getAccount", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "The password's age, and the second factor", body = AccountSafety),
        openapi::Unauthenticated, openapi::Unavailable))]
pub async fn get_account(member: OrgMember, State(state): State<AppState>) -> ApiResult<Body<AccountSafety>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let (org, account) = (member.org(), member.account());
    Ok(Body(AccountSafety {
        password_changed_at: account::password_changed_at(&mut conn, org, account).await?,
        second_factor: second_factor::load_second_factor(&mut conn, org, account).await?,
        keys: api_key::count_by_account(&mut conn, org, account).await?,
        is_fresh: member.require_fresh(state.origin.now()).is_ok(),
    }))
}

/// The devices one is signed in on
#[utoipa::path(get, path = "/api/account/devices", operation_id = "listSignedInDevices", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "This one first, then the latest", body = Vec<SignedInDevice>),
        openapi::Unauthenticated, openapi::Unavailable))]
pub async fn list_signed_in_devices(
    member: OrgMember,
    State(state): State<AppState>,
) -> ApiResult<Body<Vec<SignedInDevice>>> {
    // A viewer of the demonstration has no session, and must see no devices.
    if member.is_demo() {
        return Ok(Body(Vec::new()));
    }
    let mut conn = state.db()?.acquire_reader().await?;
    let (org, account) = (member.org(), member.account());
    Ok(Body(session::list(&mut conn, state.origin.now(), org, account, &member.token).await?))
}

/// Signs one of one's devices out
#[utoipa::path(delete, path = "/api/account/devices/{id}", operation_id = "signOutDevice", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    params(("id" = uuid::Uuid, Path, description = "The device")),
    responses((status = 204, description = "It is signed out and no longer gets alerts"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn sign_out_device(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    session::revoke_device(&mut tx, &state.origin, member.org(), member.account(), id).await?;
    let (actor, action) = (who.actor_for(&member), AuditAction::DeviceSignedOut);
    audit::record(&mut tx, &state.origin, &actor, member.org(), action, Some(member.account().0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}

/// Signs all of one's other devices out
#[utoipa::path(delete, path = "/api/account/devices", operation_id = "signOutOtherDevices", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 204, description = "Only this one is signed in, and gets alerts"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn sign_out_other_devices(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    session::revoke_other_sessions(&mut tx, &state.origin, member.org(), member.account(), &member.token).await?;
    let (actor, action) = (who.actor_for(&member), AuditAction::OtherDevicesSignedOut);
    audit::record(&mut tx, &state.origin, &actor, member.org(), action, Some(member.account().0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}

/// The language that a person chooses for the app.
#[derive(Deserialize, ToSchema)]
pub struct LanguageChoice {
    #[schema(value_type = Language, required)]
    language: Option<Language>,
}

/// Chooses one's language
///
/// The app is in it on every device that one signs in on. Customers are written to in their own.
#[utoipa::path(put, path = "/api/account/language", operation_id = "setLanguage", tag = "account",
    security(("session" = ["owner", "office", "crew"])), request_body = LanguageChoice,
    responses((status = 204, description = "Chosen"),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn set_language(
    member: OrgMember,
    State(state): State<AppState>,
    Json(form): Json<LanguageChoice>,
) -> ApiResult<StatusCode> {
    let mut errors = FieldErrors::default();
    if form.language.is_none() {
        errors.add("language", "Choose a language");
    }
    let language = errors.require(form.language)?;
    let mut tx = state.db()?.begin().await?;
    account::set_language(&mut tx, member.org(), member.account(), language).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// One's password, and the one that takes its place.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasswordChange {
    #[schema(value_type = String, required, format = Password, min_length = 1)]
    current_password: Option<String>,
    #[schema(required, schema_with = fields::new_password)]
    new_password: Option<String>,
    /// Whether the account's API keys are revoked too, in case another person knows the password. No when absent.
    #[serde(default)]
    #[schema(required = false)]
    takes_keys_away: bool,
}

/// Changes one's password
///
/// Every other device is signed out and no longer gets alerts; an email reports it. Who signs in with a code too has to
/// have proved it within the last fifteen minutes.
#[utoipa::path(post, path = "/api/account/password", operation_id = "changePassword", tag = "account",
    security(("session" = ["owner", "office", "crew"])), request_body = PasswordChange,
    responses((status = 204, description = "Changed; the cookie is a new one"),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn change_password(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    Json(form): Json<PasswordChange>,
) -> ApiResult<(StatusCode, HeaderMap)> {
    let takes_keys = form.takes_keys_away;
    let (typed, new) = form.validate_form()?;
    // The password is one of the two factors: it does not replace the other.
    if member.session.two_factor_enabled {
        member.require_fresh(state.origin.now())?;
    }
    check_password_fits(&state, &member, &new).await?;
    let place = reauthentication::acquire_hashing_permit(&state, &who, &member).await?;
    let proved = reauthentication::verify_password(&state, &who, &member, &place, (typed, "currentPassword")).await?;
    let hash = place.hash_password(new).await?;
    drop(place);
    let mut tx = state.db()?.begin().await?;
    proved.clear_attempts(&mut tx, state.origin.now()).await?;
    account::set_password(&mut tx, &state.origin, &proved.account, &hash).await?;
    let done = (AuditAction::PasswordChanged, SecurityEvent::PasswordChanged);
    let cookie = end_other_sessions(&mut tx, &state, &who, &member, done).await?;
    if takes_keys {
        // After the sessions: ending them waits for a key that is being made.
        api_key::revoke_by_account(&mut tx, &state.origin, member.org(), member.account()).await?;
    }
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::NO_CONTENT, cookie))
}

/// Checked first: an unsuitable new password must not count as a try at the old one.
async fn check_password_fits(state: &AppState, member: &OrgMember, new: &str) -> ApiResult<()> {
    let mut conn = state.db()?.acquire_reader().await?;
    let account = account::get(&mut conn, member.org(), member.account()).await?;
    Ok(reset::validate_new_password(&mut conn, &account, new, "newPassword").await?)
}

impl PasswordChange {
    fn validate_form(self) -> ApiResult<(String, String)> {
        let mut errors = FieldErrors::default();
        let (typed, new) = (self.current_password.unwrap_or_default(), self.new_password.unwrap_or_default());
        if typed.is_empty() {
            errors.add("currentPassword", "Password is required");
        }
        if new.is_empty() {
            errors.add("newPassword", "Choose a new password");
        } else if new == typed {
            errors.add("newPassword", "This is the password you have. Choose another one");
        }
        errors.into_result()?;
        Ok((typed, new))
    }
}

/// To follow every change of credentials: ends all other devices and forgets them, renews this session, mails the user
/// and writes the audit line (trust requirements 53 and 55).
async fn end_other_sessions(
    tx: &mut Tx,
    state: &AppState,
    who: &RequestContext,
    member: &OrgMember,
    (action, event): (AuditAction, SecurityEvent<'_>),
) -> ApiResult<HeaderMap> {
    let (org, id) = (member.org(), member.account());
    let account = account::get(&mut *tx, org, id).await?;
    session::revoke_other_sessions(&mut *tx, &state.origin, org, id, &member.token).await?;
    device::forget_other_devices(&mut *tx, &state.origin, org, id, who.device.as_deref()).await?;
    security_email::notify_account(&mut *tx, &state.origin, &state.settings.public_url, &account, event).await?;
    audit::record(&mut *tx, &state.origin, &who.actor_for(member), org, action, Some(id.0)).await?;
    renew_session(tx, state, &member.token).await
}
