//! Signing in with a second factor: the code after the password, and setting one up where the business wants it.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::{Deserialize, Serialize};
use shared::{
    domain::tenancy::{
        account::{
            self, Account,
            one_time_token::{self, Purpose},
            second_factor::{self, Passed, SetUp},
            security_email::{self, SecurityEvent},
        },
        audit::{self, Action},
        security::{self, device},
    },
    platform::{
        error::{Error, FieldErrors},
        text, throttle,
    },
};
use utoipa::ToSchema;

use super::{CurrentUser, SignIn, enter};
use crate::{
    auth::Visitor,
    client_info::Who,
    error::{ApiError, ApiResult, ErrorCode},
    extract::Json,
    openapi::{self, fields},
    state::AppState,
};

const TOO_LATE: &str = "This sign-in took too long. Please start again.";

/// The ticket of a sign-in.
#[derive(Deserialize, ToSchema)]
pub struct TicketRequest {
    #[schema(required, schema_with = fields::filled::<100>)]
    ticket: Option<String>,
}

/// The ticket of a sign-in, and the code that it asks for.
#[derive(Deserialize, ToSchema)]
pub struct CodeRequest {
    #[schema(required, schema_with = fields::filled::<100>)]
    ticket: Option<String>,
    /// Six digits of the app, or a code for a lost phone.
    #[schema(required, schema_with = fields::filled::<40>)]
    code: Option<String>,
}

impl CodeRequest {
    fn check(self) -> ApiResult<(String, String)> {
        let mut errors = FieldErrors::default();
        let ticket = text::line("ticket", self.ticket.as_deref(), 100).required("The ticket is missing", &mut errors);
        let code = text::line("code", self.code.as_deref(), 40).required("Enter the code", &mut errors);
        errors.finish()?;
        Ok((ticket, code))
    }
}

impl TicketRequest {
    fn check(self) -> ApiResult<String> {
        let mut errors = FieldErrors::default();
        let ticket = text::line("ticket", self.ticket.as_deref(), 100).required("The ticket is missing", &mut errors);
        errors.finish()?;
        Ok(ticket)
    }
}

/// Whose sign-in this is.
async fn holder(state: &AppState, token: &str, purpose: Purpose) -> ApiResult<Account> {
    let mut conn = state.db()?.read().await?;
    let found = one_time_token::find(&mut conn, state.origin.now(), token, purpose).await?;
    let ticket = found.ok_or_else(too_late)?;
    Ok(account::get(&mut conn, ticket.org_id, ticket.account_id).await?)
}

fn too_late() -> ApiError {
    ApiError::new(ErrorCode::NotFound, TOO_LATE)
}

/// Who has set one up meanwhile signs in with its code: this sign-in began before it.
fn enrolled(error: Error) -> ApiError {
    match error {
        Error::NotFound => too_late(),
        other => other.into(),
    }
}

/// Counts a code as wrong before it is looked at, so that parallel ones cannot slip through together.
async fn reserve(state: &AppState, who: &Who, account: &Account) -> ApiResult<[throttle::Keys; 2]> {
    let code = who.tries_at_code(state, &account.email).await?;
    let mut tx = state.db()?.begin().await?;
    throttle::reserve(&mut tx, &state.origin, &code).await?;
    tx.commit().await?;
    Ok([code, who.tries(state, &account.email).await?])
}

async fn note_refusal(state: &AppState, who: &Who, account: &Account) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    let (actor, subject) = (who.visitor(), Some(account.id.0));
    audit::record(&mut tx, &state.origin, &actor, account.org_id, Action::CodeRefused, subject).await?;
    // A guesser of codes knows the password already.
    let known = Some((account.id, account.email.as_str()));
    security::note_failure(&mut tx, &state.origin, &state.settings.public_url, account.org_id, known).await?;
    tx.commit().await?;
    state.wake();
    Ok(())
}

/// Signs in with the code that follows the password
///
/// A code works once. Whoever signs in with one for a lost phone is told by mail.
#[utoipa::path(post, path = "/api/auth/login/code", operation_id = "signInWithCode", tag = "auth",
    request_body = CodeRequest,
    responses((status = 200, description = "Signed in; the cookie is set", body = CurrentUser),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn sign_in_with_code(
    _: Visitor,
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Json(form): Json<CodeRequest>,
) -> ApiResult<SignIn> {
    let (token, code) = form.check()?;
    let account = holder(&state, &token, Purpose::Code).await?;
    let keys = reserve(&state, &who, &account).await?;
    let mut tx = state.db()?.begin().await?;
    let passed = second_factor::pass(&mut tx, &state.origin, &state.settings.secret, &account, &code).await;
    let passed = match passed {
        Ok(passed) => passed,
        Err(wrong @ Error::Invalid(_)) => {
            drop(tx);
            note_refusal(&state, &who, &account).await?;
            return Err(wrong.into());
        }
        Err(other) => return Err(other.into()),
    };
    if !one_time_token::take(&mut tx, state.origin.now(), &token, Purpose::Code).await? {
        return Err(too_late());
    }
    for keys in &keys {
        throttle::clear(&mut tx, state.origin.now(), keys).await?;
    }
    let mut by = Action::SignedIn;
    if let Passed::Recovery { left } = passed {
        let event = SecurityEvent::RecoveryCodeUsed { left };
        security_email::tell(&mut tx, &state.origin, &state.settings.public_url, &account, event).await?;
        by = Action::RecoveryCodeUsed;
    }
    let entry = enter(&mut tx, &state, &who, &headers, &account, (by, account.id.0)).await?;
    tx.commit().await?;
    state.wake();
    Ok(entry.with(StatusCode::OK))
}

/// Begins to set up the second factor that the business wants
#[utoipa::path(post, path = "/api/auth/login/set-up", operation_id = "setUpAtSignIn", tag = "auth",
    request_body = TicketRequest,
    responses((status = 200, description = "What the authenticator app needs", body = SetUp),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn set_up_at_sign_in(
    _: Visitor,
    State(state): State<AppState>,
    who: Who,
    Json(form): Json<TicketRequest>,
) -> ApiResult<axum::Json<SetUp>> {
    let token = form.check()?;
    let account = holder(&state, &token, Purpose::SetUp).await?;
    let mut tx = state.db()?.begin().await?;
    second_factor::is_still_none(&mut tx, &account).await.map_err(enrolled)?;
    let made = second_factor::begin(&mut tx, &state.origin, &state.settings.secret, &account).await?;
    let (actor, subject) = (who.visitor(), Some(account.id.0));
    audit::record(&mut tx, &state.origin, &actor, account.org_id, Action::SecondFactorBegun, subject).await?;
    tx.commit().await?;
    Ok(axum::Json(made))
}

/// Who is signed in, and the codes for a lost phone, which are shown this once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FirstSignIn {
    user: CurrentUser,
    recovery_codes: Vec<String>,
}

/// Signs in with the first code of a second factor that was just set up
#[utoipa::path(post, path = "/api/auth/login/set-up/confirm", operation_id = "confirmAtSignIn", tag = "auth",
    request_body = CodeRequest,
    responses((status = 200, description = "Signed in; the cookie is set", body = FirstSignIn),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn confirm_at_sign_in(
    _: Visitor,
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Json(form): Json<CodeRequest>,
) -> ApiResult<(HeaderMap, axum::Json<FirstSignIn>)> {
    let (token, code) = form.check()?;
    let account = holder(&state, &token, Purpose::SetUp).await?;
    let keys = reserve(&state, &who, &account).await?;
    let mut tx = state.db()?.begin().await?;
    second_factor::is_still_none(&mut tx, &account).await.map_err(enrolled)?;
    let codes = second_factor::confirm(&mut tx, &state.origin, &state.settings.secret, &account, &code).await?;
    if !one_time_token::take(&mut tx, state.origin.now(), &token, Purpose::SetUp).await? {
        return Err(too_late());
    }
    // Half sign-ins that began before this stand on the password alone, and so do the browsers known by it.
    one_time_token::end_all(&mut tx, account.org_id, account.id).await?;
    device::forget(&mut tx, &state.origin, account.org_id, account.id, who.device.as_deref()).await?;
    for keys in &keys {
        throttle::clear(&mut tx, state.origin.now(), keys).await?;
    }
    let origin = &state.origin;
    security_email::tell(&mut tx, origin, &state.settings.public_url, &account, SecurityEvent::SecondFactorOn).await?;
    let by = (Action::SecondFactorOn, account.id.0);
    let (cookie, user) = enter(&mut tx, &state, &who, &headers, &account, by).await?.parts();
    tx.commit().await?;
    state.wake();
    Ok((cookie, axum::Json(FirstSignIn { user, recovery_codes: codes })))
}
