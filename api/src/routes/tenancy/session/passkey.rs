//! Sign-in with a passkey alone.

use axum::{
    Json as Body,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header::SET_COOKIE},
};
use serde::Deserialize;
use serde_json::Value;
use shared::{
    domain::tenancy::{
        account::{
            self,
            passkey::{self, PasskeyChallenge, PublicKeyCredential, RelyingParty, challenge},
        },
        audit::{self, AuditAction},
    },
    platform::{
        error::{Error, FieldErrors},
        id::OrgId,
        text,
        throttle::{self, WindowLimit},
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{CurrentUser, SignInOutcome, open_session};
use crate::{
    auth::{self, Visitor},
    client_info::RequestContext,
    error::{ApiError, ApiResult, ErrorCode},
    extract::Json,
    openapi::{self, fields},
    state::AppState,
};

/// Challenges begun, and refusals, per hour of a network or a known browser: a page begins one whenever it opens.
const BEGUN: WindowLimit = WindowLimit::per_hour(600);
const REFUSED: WindowLimit = WindowLimit::per_hour(60);

/// Cookie that binds a challenge to the browser that asked for it.
fn challenge_cookie_name(is_https: bool) -> &'static str {
    if is_https { "__Host-pkc" } else { "pkc" }
}

fn challenge_holder(state: &AppState, headers: &HeaderMap) -> Option<String> {
    auth::cookie_token(headers, challenge_cookie_name(state.settings.public_url.is_https())).map(ToOwned::to_owned)
}

fn set_challenge_cookie(state: &AppState, holder: &str) -> ApiResult<HeaderMap> {
    let is_https = state.settings.public_url.is_https();
    let (name, secure) = (challenge_cookie_name(is_https), if is_https { "; Secure" } else { "" });
    let age = challenge::LIFE.num_seconds();
    let text = format!("{name}={holder}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}{secure}");
    let value = HeaderValue::from_str(&text).map_err(|e| ApiError::internal(format!("cookie: {e}")))?;
    Ok(HeaderMap::from_iter([(SET_COOKIE, value)]))
}

/// A known browser has its own allowance: strangers on a shared network cannot use it up.
async fn count_begun(state: &AppState, who: &RequestContext) -> ApiResult<()> {
    let device = if who.is_exempt { None } else { who.any_known_device_token(state).await? };
    let place = device.map_or_else(|| throttle::network_key(who.ip), |token| format!("device|{token}"));
    count_request(state, who, ("passkey begun", &place), BEGUN).await
}

/// By network alone: a count over the IPv6 /48 around it would keep its other customers from signing in.
async fn count_request(
    state: &AppState,
    who: &RequestContext,
    (what, place): (&'static str, &str),
    limit: WindowLimit,
) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let counted = throttle::count_action(&mut tx, &state.origin, &state.settings.secret, what, place, limit).await;
    tx.commit().await?;
    Ok(counted?)
}

/// Begins a sign-in with a passkey
#[utoipa::path(post, path = "/api/auth/passkey/challenge", operation_id = "beginPasskeySignIn", tag = "auth",
    responses((status = 201, description = "What the browser is asked; a cookie is set", body = PasskeyChallenge),
        openapi::Forbidden, openapi::Conflict, openapi::TooMany, openapi::Unavailable))]
pub async fn begin_passkey_sign_in(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
) -> ApiResult<(StatusCode, HeaderMap, Body<PasskeyChallenge>)> {
    let party = RelyingParty::from_public_url(&state.settings.public_url)?;
    count_begun(&state, &who).await?;
    // One cookie for all tabs: a second tab must not end the first one's sign-in.
    let holder = challenge_holder(&state, &headers).unwrap_or_else(|| passkey::new_token(&state.origin));
    let mut tx = state.db()?.begin().await?;
    let begun = passkey::begin_sign_in(&mut tx, &state.origin, &party, &holder).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, set_challenge_cookie(&state, &holder)?, Body(begun)))
}

/// What the browser answered.
#[derive(Deserialize, ToSchema)]
pub struct PasskeySignIn {
    #[schema(required, schema_with = fields::required_line::<100>)]
    challenge: Option<String>,
    /// `AuthenticationResponseJSON` (`WebAuthn`, Level 3).
    #[schema(value_type = std::collections::HashMap<String, Value>, required)]
    credential: Option<Value>,
}

impl PasskeySignIn {
    /// Errors: 422 on a missing field or an invalid passkey.
    pub(super) fn validate_form(self) -> ApiResult<(String, PublicKeyCredential)> {
        let mut errors = FieldErrors::default();
        let challenge =
            text::single_line("challenge", self.challenge.as_deref(), 100).parse_required("Start again", &mut errors);
        errors.into_result()?;
        let credential = self.credential.and_then(|credential| serde_json::from_value(credential).ok());
        Ok((challenge, credential.ok_or_else(|| ApiError::invalid_field("credential", "This is not a passkey"))?))
    }
}

/// Signs in with a passkey
///
/// It counts as password and code: its device was there, and knew its user.
#[utoipa::path(post, path = "/api/auth/passkey", operation_id = "signInWithPasskey", tag = "auth",
    request_body = PasskeySignIn,
    responses((status = 200, description = "Signed in; the cookie is set", body = CurrentUser),
        openapi::BadRequest, openapi::WrongCredentials, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn sign_in_with_passkey(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(form): Json<PasskeySignIn>,
) -> ApiResult<SignInOutcome> {
    let (challenge, credential) = form.validate_form()?;
    let party = RelyingParty::from_public_url(&state.settings.public_url)?;
    let holder = challenge_holder(&state, &headers).unwrap_or_default();
    let mut tx = state.db()?.begin().await?;
    let of = (challenge.as_str(), holder.as_str());
    let found = passkey::verify_sign_in(&mut tx, &state.origin, &party, of, &credential).await?;
    tx.commit().await?;
    let Some(found) = found else {
        return Err(record_refusal(&state, &who).await?);
    };
    let keys = who.password_attempt_keys(&state, found.email.as_str()).await?;
    let mut tx = state.db()?.begin().await?;
    // The user may have been dismissed meanwhile.
    let account = account::recheck_credentials(&mut tx, &found).await.map_err(|e| match e {
        Error::WrongCredentials => unknown_passkey_error(),
        other => other.into(),
    })?;
    let by = (AuditAction::SignedInWithPasskey, account.id.0);
    let entry = open_session(&mut tx, &state, &who, &headers, &account, by).await?;
    throttle::sign_in::record_trusted_sign_in(&mut tx, state.origin.now(), &keys).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(entry.with_status(StatusCode::OK))
}

/// The same answer for every cause.
async fn record_refusal(state: &AppState, who: &RequestContext) -> ApiResult<ApiError> {
    count_request(state, who, ("passkey refused", &throttle::network_key(who.ip)), REFUSED).await?;
    let mut tx = state.db()?.begin().await?;
    let action = AuditAction::PasskeyRefused;
    audit::record(&mut tx, &state.origin, &who.anonymous_actor(), OrgId(Uuid::nil()), action, None).await?;
    tx.commit().await?;
    Ok(unknown_passkey_error())
}

fn unknown_passkey_error() -> ApiError {
    ApiError::new(ErrorCode::InvalidCredentials, "This passkey does not sign in here. Use your password.")
}
