//! Signing in with a passkey, without an address, a password or a code.

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
            passkey::{self, Begun, PublicKeyCredential, RelyingParty, challenge},
        },
        audit::{self, Action},
    },
    platform::{
        error::{Error, FieldErrors},
        id::OrgId,
        text, throttle,
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{CurrentUser, SignIn, enter};
use crate::{
    auth::{self, Visitor},
    client_info::Who,
    error::{ApiError, ApiResult, ErrorCode},
    extract::Json,
    openapi::{self, fields},
    state::AppState,
};

/// Begun and refused in one network within an hour: a page begins one whenever it is opened.
const BEGUN: i64 = 600;
const REFUSED: i64 = 60;

/// Binds a challenge to the browser that asked for it.
fn cookie_name(is_https: bool) -> &'static str {
    if is_https { "__Host-pkc" } else { "pkc" }
}

fn holder_of(state: &AppState, headers: &HeaderMap) -> Option<String> {
    auth::token_of(headers, cookie_name(state.settings.public_url.is_https())).map(ToOwned::to_owned)
}

fn set_cookie(state: &AppState, holder: &str) -> ApiResult<HeaderMap> {
    let is_https = state.settings.public_url.is_https();
    let (name, secure) = (cookie_name(is_https), if is_https { "; Secure" } else { "" });
    let age = challenge::LIFE.num_seconds();
    let text = format!("{name}={holder}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}{secure}");
    let value = HeaderValue::from_str(&text).map_err(|e| ApiError::internal(format!("cookie: {e}")))?;
    Ok(HeaderMap::from_iter([(SET_COOKIE, value)]))
}

async fn count(state: &AppState, who: &Who, what: &'static str, limit: i64) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let counted = throttle::count_by_network(&mut tx, &state.origin, &state.settings.secret, what, who.ip, limit).await;
    tx.commit().await?;
    Ok(counted?)
}

/// Begins a sign-in with a passkey
#[utoipa::path(post, path = "/api/auth/passkey/challenge", operation_id = "beginPasskeySignIn", tag = "auth",
    responses((status = 201, description = "What the browser is asked; a cookie is set", body = Begun),
        openapi::Forbidden, openapi::Conflict, openapi::TooMany, openapi::Unavailable))]
pub async fn begin_passkey_sign_in(
    _: Visitor,
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
) -> ApiResult<(StatusCode, HeaderMap, Body<Begun>)> {
    let party = RelyingParty::of(&state.settings.public_url)?;
    count(&state, &who, "passkey begun", BEGUN).await?;
    // One cookie for all tabs of the browser: a second tab does not end the first one's sign-in.
    let holder = holder_of(&state, &headers).unwrap_or_else(|| passkey::token(&state.origin));
    let mut tx = state.db()?.begin().await?;
    let begun = passkey::begin_sign_in(&mut tx, &state.origin, &party, &holder).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, set_cookie(&state, &holder)?, Body(begun)))
}

/// What the browser answered.
#[derive(Deserialize, ToSchema)]
pub struct PasskeySignIn {
    #[schema(required, schema_with = fields::filled::<100>)]
    challenge: Option<String>,
    /// `AuthenticationResponseJSON` (`WebAuthn`, Level 3).
    #[schema(value_type = std::collections::HashMap<String, Value>, required)]
    credential: Option<Value>,
}

impl PasskeySignIn {
    /// # Errors
    /// 422 on what is missing or is no passkey.
    pub(super) fn check(self) -> ApiResult<(String, PublicKeyCredential)> {
        let mut errors = FieldErrors::default();
        let challenge = text::line("challenge", self.challenge.as_deref(), 100).required("Start again", &mut errors);
        errors.finish()?;
        let credential = self.credential.and_then(|credential| serde_json::from_value(credential).ok());
        Ok((challenge, credential.ok_or_else(|| ApiError::field("credential", "This is not a passkey"))?))
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
    who: Who,
    headers: HeaderMap,
    Json(form): Json<PasskeySignIn>,
) -> ApiResult<SignIn> {
    let (challenge, credential) = form.check()?;
    let party = RelyingParty::of(&state.settings.public_url)?;
    let holder = holder_of(&state, &headers).unwrap_or_default();
    let mut tx = state.db()?.begin().await?;
    let of = (challenge.as_str(), holder.as_str());
    let found = passkey::signs_in(&mut tx, &state.origin, &party, of, &credential).await?;
    tx.commit().await?;
    let Some(found) = found else {
        return Err(refused(&state, &who).await?);
    };
    let keys = who.tries(&state, &found.email).await?;
    let mut tx = state.db()?.begin().await?;
    // They may have been let go meanwhile.
    let account = account::still_stands(&mut tx, &found).await.map_err(|e| match e {
        Error::WrongCredentials => nobody(),
        other => other.into(),
    })?;
    let by = (Action::SignedInWithPasskey, account.id.0);
    let entry = enter(&mut tx, &state, &who, &headers, &account, by).await?;
    throttle::belongs(&mut tx, state.origin.now(), &keys).await?;
    tx.commit().await?;
    state.wake();
    Ok(entry.with(StatusCode::OK))
}

/// Says no, the same whatever was wrong.
async fn refused(state: &AppState, who: &Who) -> ApiResult<ApiError> {
    count(state, who, "passkey refused", REFUSED).await?;
    let mut tx = state.db()?.begin().await?;
    let action = Action::PasskeyRefused;
    audit::record(&mut tx, &state.origin, &who.visitor(), OrgId(Uuid::nil()), action, None).await?;
    tx.commit().await?;
    Ok(nobody())
}

fn nobody() -> ApiError {
    ApiError::new(ErrorCode::InvalidCredentials, "This passkey does not sign in here. Use your password.")
}
