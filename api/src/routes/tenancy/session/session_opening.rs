//! Last step of every sign-in: opens a session, or names the next step.

use axum::{
    Json,
    http::{HeaderMap, HeaderValue, StatusCode, header::SET_COOKIE},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use shared::{
    domain::{
        messaging::security_alert,
        tenancy::{
            account::{Account, one_time_token::TokenPurpose},
            audit::{self, AuditAction, AuditActor},
            security::device,
            session,
        },
    },
    platform::{db::Tx, throttle},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::CurrentUser;
use crate::{
    auth,
    client_info::RequestContext,
    error::{ApiError, ApiResult, ErrorCode},
    state::AppState,
};

/// What a sign-in still needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignInStep {
    /// The code of the authenticator app, or one for a lost phone.
    Code,
    /// A second factor, which the business wants of everybody.
    SetUp,
    /// A link was mailed to the address that was typed. There is no ticket.
    ConfirmEmail,
}

/// The password is right, and a step is left.
#[derive(Debug, Serialize, ToSchema)]
pub struct NextSignInStep {
    step: SignInStep,
    /// Goes with the next step; good for a few minutes, and for this sign-in alone. Empty where the step has none.
    ticket: String,
}

impl NextSignInStep {
    pub fn from_purpose(left: TokenPurpose, ticket: String) -> Self {
        let step = if left == TokenPurpose::Code { SignInStep::Code } else { SignInStep::SetUp };
        Self { step, ticket }
    }

    /// The same for every unproven address.
    pub fn confirm_email() -> Self {
        Self { step: SignInStep::ConfirmEmail, ticket: String::new() }
    }
}

pub struct OpenedSession {
    cookie: HeaderMap,
    pub user: CurrentUser,
}

impl OpenedSession {
    pub fn with_status(self, status: StatusCode) -> SignInOutcome {
        SignInOutcome::Completed(status, Box::new(self))
    }

    pub fn into_parts(self) -> (HeaderMap, CurrentUser) {
        (self.cookie, self.user)
    }
}

pub enum SignInOutcome {
    Completed(StatusCode, Box<OpenedSession>),
    StepRequired(NextSignInStep),
    /// A next step, with the known-browser cookie.
    StepRequiredKnownDevice(HeaderMap, NextSignInStep),
}

impl IntoResponse for SignInOutcome {
    fn into_response(self) -> Response {
        match self {
            Self::Completed(status, entry) => (status, entry.cookie, Json(entry.user)).into_response(),
            Self::StepRequired(next) => (StatusCode::ACCEPTED, Json(next)).into_response(),
            Self::StepRequiredKnownDevice(cookie, next) => (StatusCode::ACCEPTED, cookie, Json(next)).into_response(),
        }
    }
}

/// Opens a session for an authenticated user; `by` is the audit action and its subject. The browser's previous session
/// ends.
pub async fn open_session(
    tx: &mut Tx,
    state: &AppState,
    who: &RequestContext,
    headers: &HeaderMap,
    account: &Account,
    by: (AuditAction, Uuid),
) -> ApiResult<OpenedSession> {
    let is_https = state.settings.public_url.is_https();
    if let Some(old) = auth::cookie_token(headers, auth::cookie_name(is_https)) {
        session::revoke_session(&mut *tx, old).await?;
    }
    let token = session::create_session(&mut *tx, &state.origin, account, &who.anonymous_actor()).await?;
    let opened = session::find_by_token(&mut *tx, state.origin.now(), &token).await?;
    let actor = AuditActor { account: Some(account.id), ..who.anonymous_actor() };
    audit::record(tx, &state.origin, &actor, account.org_id, by.0, Some(by.1)).await?;
    let session = opened.ok_or_else(|| ApiError::internal("a session that was just opened is not there"))?;
    let mut cookie = session_cookie(state, &token)?;
    cookie.append(SET_COOKIE, remember_device(tx, state, who, account).await?);
    Ok(OpenedSession { cookie, user: CurrentUser::from_session(session, state) })
}

/// Known-browser cookie. A sign-in from a new browser is reported to the user.
async fn remember_device(
    tx: &mut Tx,
    state: &AppState,
    who: &RequestContext,
    account: &Account,
) -> ApiResult<HeaderValue> {
    let is_https = state.settings.public_url.is_https();
    let shown = who.device.as_deref();
    let (origin, url, agent) = (&state.origin, &state.settings.public_url, who.user_agent.as_deref());
    let token = security_alert::record_sign_in_device(tx, origin, url, account, shown, agent).await?;
    auth::set_device_cookie(is_https, &token)
}

/// After a password was chosen by a mailed link: earlier wrong tries no longer block the account, and later ones of
/// strangers do not block this browser. Returns its known-browser cookie.
pub async fn clear_attempts_after_reset(
    tx: &mut Tx,
    state: &AppState,
    who: &RequestContext,
    account: &Account,
) -> ApiResult<HeaderMap> {
    throttle::sign_in::reset_account(&mut *tx, &state.settings.secret, account.email.as_str(), who.ip).await?;
    let token = device::record_password_reset_device(tx, &state.origin, account).await?;
    let cookie = auth::set_device_cookie(state.settings.public_url.is_https(), &token)?;
    Ok(HeaderMap::from_iter([(SET_COOKIE, cookie)]))
}

/// Renews the session token after a change of credentials; the old one is invalid at once (trust requirement 53). Of
/// two concurrent changes, as by a double click, the second finds no session.
pub async fn renew_session(tx: &mut Tx, state: &AppState, token: &str) -> ApiResult<HeaderMap> {
    let renewed = session::rotate_token(tx, &state.origin, token).await?;
    session_cookie(state, &renewed.ok_or_else(|| ApiError::new(ErrorCode::Unauthenticated, "Please sign in."))?)
}

fn session_cookie(state: &AppState, token: &str) -> ApiResult<HeaderMap> {
    let cookie = auth::set_cookie(state.settings.public_url.is_https(), Some(token))?;
    Ok(HeaderMap::from_iter([(SET_COOKIE, cookie)]))
}
