//! The last step of every way in: a session is opened and handed to the browser, or what is left to do is said.

use axum::{
    Json,
    http::{HeaderMap, HeaderValue, StatusCode, header::SET_COOKIE},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use shared::{
    domain::tenancy::{
        account::{Account, one_time_token::Purpose},
        audit::{self, Action, Actor},
        security::device,
        session,
    },
    platform::{db::Tx, throttle},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::CurrentUser;
use crate::{
    auth,
    client_info::Who,
    error::{ApiError, ApiResult, ErrorCode},
    state::AppState,
};

/// What a sign-in still needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SignInStep)]
pub enum Step {
    /// The code of the authenticator app, or one for a lost phone.
    Code,
    /// A second factor, which the business wants of everybody.
    SetUp,
    /// A link was mailed to the address that was typed. There is no ticket.
    ConfirmEmail,
}

/// The password is right, and a step is left.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NextSignInStep)]
pub struct NextStep {
    step: Step,
    /// Goes with the next step; good for a few minutes, and for this sign-in alone. Empty where the step has none.
    ticket: String,
}

impl NextStep {
    pub fn of(left: Purpose, ticket: String) -> Self {
        let step = if left == Purpose::Code { Step::Code } else { Step::SetUp };
        Self { step, ticket }
    }

    /// The same for every address that was not proved.
    pub fn confirm_email() -> Self {
        Self { step: Step::ConfirmEmail, ticket: String::new() }
    }
}

/// Somebody who is in: the cookie and who they are.
pub struct Entry {
    cookie: HeaderMap,
    pub user: CurrentUser,
}

impl Entry {
    pub fn with(self, status: StatusCode) -> SignIn {
        SignIn::In(status, Box::new(self))
    }

    /// The cookie, beside another body.
    pub fn parts(self) -> (HeaderMap, CurrentUser) {
        (self.cookie, self.user)
    }
}

/// How a sign-in ended.
pub enum SignIn {
    In(StatusCode, Box<Entry>),
    Next(NextStep),
    /// The same with what the browser is known by from now on.
    NextInProved(HeaderMap, NextStep),
}

impl IntoResponse for SignIn {
    fn into_response(self) -> Response {
        match self {
            Self::In(status, entry) => (status, entry.cookie, Json(entry.user)).into_response(),
            Self::Next(next) => (StatusCode::ACCEPTED, Json(next)).into_response(),
            Self::NextInProved(cookie, next) => (StatusCode::ACCEPTED, cookie, Json(next)).into_response(),
        }
    }
}

/// Opens a session for somebody who has proved who they are, and writes down how they came in: `by` is the deed and its
/// subject. The session that this browser had before does not outlive it.
pub async fn enter(
    tx: &mut Tx,
    state: &AppState,
    who: &Who,
    headers: &HeaderMap,
    account: &Account,
    by: (Action, Uuid),
) -> ApiResult<Entry> {
    let is_https = state.settings.public_url.is_https();
    if let Some(old) = auth::token_of(headers, auth::cookie_name(is_https)) {
        session::end(&mut *tx, old).await?;
    }
    let token = session::open(&mut *tx, &state.origin, account, &who.visitor()).await?;
    let opened = session::find(&mut *tx, state.origin.now(), &token).await?;
    let actor = Actor { account: Some(account.id), ..who.visitor() };
    audit::record(tx, &state.origin, &actor, account.org_id, by.0, Some(by.1)).await?;
    let session = opened.ok_or_else(|| ApiError::internal("a session that was just opened is not there"))?;
    let mut cookie = cookie(state, &token)?;
    cookie.append(SET_COOKIE, known_device(tx, state, who, account).await?);
    Ok(Entry { cookie, user: CurrentUser::of(session, state) })
}

/// What the browser is known again by. One that was never used is told of.
async fn known_device(tx: &mut Tx, state: &AppState, who: &Who, account: &Account) -> ApiResult<HeaderValue> {
    let is_https = state.settings.public_url.is_https();
    let shown = who.device.as_deref();
    let (origin, url, agent) = (&state.origin, &state.settings.public_url, who.user_agent.as_deref());
    let token = device::seen(tx, origin, url, account, shown, agent).await?;
    auth::set_device_cookie(is_https, &token)
}

/// Somebody has chosen a password by a link that was mailed to them: wrong ones from before hold them no more, and later
/// ones of strangers do not hold this browser. Returns the cookie that it is known by.
pub async fn chosen(tx: &mut Tx, state: &AppState, who: &Who, account: &Account) -> ApiResult<HeaderMap> {
    throttle::start_anew(&mut *tx, &state.settings.secret, &account.email, who.ip).await?;
    let token = device::proved(tx, &state.origin, account).await?;
    let cookie = auth::set_device_cookie(state.settings.public_url.is_https(), &token)?;
    Ok(HeaderMap::from_iter([(SET_COOKIE, cookie)]))
}

/// The same session under a new token, after its person changed what they sign in with: the old one is dead at once
/// (trust requirement 53). Two changes at once, as by a double click: the second one finds nobody signed in.
pub async fn renewed(tx: &mut Tx, state: &AppState, token: &str) -> ApiResult<HeaderMap> {
    let renewed = session::renew(tx, &state.origin, token).await?;
    cookie(state, &renewed.ok_or_else(|| ApiError::new(ErrorCode::Unauthenticated, "Please sign in."))?)
}

fn cookie(state: &AppState, token: &str) -> ApiResult<HeaderMap> {
    let cookie = auth::set_cookie(state.settings.public_url.is_https(), Some(token))?;
    Ok(HeaderMap::from_iter([(SET_COOKIE, cookie)]))
}
