//! Sign-in with a second factor: the code after the password, and enrolment where the business requires it.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        messaging::{
            account_email::security_email::{self, SecurityEvent},
            security_alert,
        },
        tenancy::{
            account::{
                self, Account,
                one_time_token::{self, TokenPurpose},
                second_factor::{self, SecondFactorMethod, SecondFactorSetUp},
            },
            audit::{self, AuditAction},
            security::device,
        },
    },
    platform::{
        error::{Error, FieldErrors},
        text, throttle,
    },
};
use utoipa::ToSchema;

use super::{CurrentUser, SignInOutcome, open_session};
use crate::{
    auth::Visitor,
    client_info::RequestContext,
    error::{ApiError, ApiResult, ErrorCode},
    extract::Json,
    openapi::{self, fields},
    state::AppState,
};

const TOO_LATE: &str = "This sign-in took too long. Please start again.";

/// The ticket of a sign-in.
#[derive(Deserialize, ToSchema)]
pub struct TicketRequest {
    #[schema(required, schema_with = fields::required_line::<100>)]
    ticket: Option<String>,
}

/// The ticket of a sign-in, and the code that it asks for.
#[derive(Deserialize, ToSchema)]
pub struct CodeRequest {
    #[schema(required, schema_with = fields::required_line::<100>)]
    ticket: Option<String>,
    /// Six digits of the app, or a code for a lost phone.
    #[schema(required, schema_with = fields::required_line::<40>)]
    code: Option<String>,
}

impl CodeRequest {
    fn validate_form(self) -> ApiResult<(String, String)> {
        let mut errors = FieldErrors::default();
        let ticket = text::single_line("ticket", self.ticket.as_deref(), 100)
            .parse_required("The ticket is missing", &mut errors);
        let code = text::single_line("code", self.code.as_deref(), 40).parse_required("Enter the code", &mut errors);
        errors.into_result()?;
        Ok((ticket, code))
    }
}

impl TicketRequest {
    fn validate_form(self) -> ApiResult<String> {
        let mut errors = FieldErrors::default();
        let ticket = text::single_line("ticket", self.ticket.as_deref(), 100)
            .parse_required("The ticket is missing", &mut errors);
        errors.into_result()?;
        Ok(ticket)
    }
}

/// Account of a sign-in in progress.
async fn find_ticket_holder(state: &AppState, token: &str, purpose: TokenPurpose) -> ApiResult<Account> {
    let mut conn = state.db()?.acquire_reader().await?;
    let found = one_time_token::find_by_token(&mut conn, state.origin.now(), token, purpose).await?;
    let ticket = found.ok_or_else(expired_ticket_error)?;
    Ok(account::get(&mut conn, ticket.org_id, ticket.account_id).await?)
}

fn expired_ticket_error() -> ApiError {
    ApiError::new(ErrorCode::NotFound, TOO_LATE)
}

/// A factor was enrolled meanwhile: this older sign-in must use its code.
fn to_enrollment_error(error: Error) -> ApiError {
    match error {
        Error::NotFound => expired_ticket_error(),
        other => other.into(),
    }
}

/// Counts a code as wrong before it is checked, so that parallel ones cannot exceed the limit.
async fn reserve_attempt(
    state: &AppState,
    who: &RequestContext,
    account: &Account,
) -> ApiResult<[throttle::sign_in::SignInKeys; 2]> {
    let code = who.code_attempt_keys(state, account.email.as_str()).await?;
    let mut tx = state.db()?.begin().await?;
    throttle::sign_in::reserve_attempt(&mut tx, &state.origin, &code).await?;
    tx.commit().await?;
    Ok([code, who.password_attempt_keys(state, account.email.as_str()).await?])
}

async fn record_refusal(state: &AppState, who: &RequestContext, account: &Account) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    let (actor, subject) = (who.anonymous_actor(), Some(account.id.0));
    audit::record(&mut tx, &state.origin, &actor, account.org_id, AuditAction::CodeRefused, subject).await?;
    // A code guesser knows the password already.
    let person = Some((account.id, &account.email));
    security_alert::record_sign_in_failure(&mut tx, &state.origin, &state.settings.public_url, account.org_id, person)
        .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}

/// Signs in with the code that follows the password
///
/// A code works once. The account gets a mail when a recovery code is used.
#[utoipa::path(post, path = "/api/auth/login/code", operation_id = "signInWithCode", tag = "auth",
    request_body = CodeRequest,
    responses((status = 200, description = "Signed in; the cookie is set", body = CurrentUser),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn sign_in_with_code(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(form): Json<CodeRequest>,
) -> ApiResult<SignInOutcome> {
    let (token, code) = form.validate_form()?;
    let account = find_ticket_holder(&state, &token, TokenPurpose::Code).await?;
    let keys = reserve_attempt(&state, &who, &account).await?;
    let mut tx = state.db()?.begin().await?;
    let passed = second_factor::verify_code(&mut tx, &state.origin, &state.settings.secret, &account, &code).await;
    let passed = match passed {
        Ok(passed) => passed,
        Err(wrong @ Error::Invalid(_)) => {
            drop(tx);
            record_refusal(&state, &who, &account).await?;
            return Err(wrong.into());
        }
        Err(other) => return Err(other.into()),
    };
    if !one_time_token::consume_token(&mut tx, state.origin.now(), &token, TokenPurpose::Code).await? {
        return Err(expired_ticket_error());
    }
    for keys in &keys {
        throttle::sign_in::record_success(&mut tx, state.origin.now(), keys).await?;
    }
    let mut by = AuditAction::SignedIn;
    if let SecondFactorMethod::Recovery { left } = passed {
        let event = SecurityEvent::RecoveryCodeUsed { left };
        security_email::notify_account(&mut tx, &state.origin, &state.settings.public_url, &account, event).await?;
        by = AuditAction::RecoveryCodeUsed;
    }
    let entry = open_session(&mut tx, &state, &who, &headers, &account, (by, account.id.0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(entry.with_status(StatusCode::OK))
}

/// Begins to set up the second factor that the business wants
#[utoipa::path(post, path = "/api/auth/login/set-up", operation_id = "setUpAtSignIn", tag = "auth",
    request_body = TicketRequest,
    responses((status = 200, description = "What the authenticator app needs", body = SecondFactorSetUp),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn set_up_at_sign_in(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    Json(form): Json<TicketRequest>,
) -> ApiResult<axum::Json<SecondFactorSetUp>> {
    let token = form.validate_form()?;
    let account = find_ticket_holder(&state, &token, TokenPurpose::SetUp).await?;
    let mut tx = state.db()?.begin().await?;
    second_factor::ensure_not_set_up(&mut tx, &account).await.map_err(to_enrollment_error)?;
    let made = second_factor::begin_setup(&mut tx, &state.origin, &state.settings.secret, &account).await?;
    let (actor, subject) = (who.anonymous_actor(), Some(account.id.0));
    audit::record(&mut tx, &state.origin, &actor, account.org_id, AuditAction::SecondFactorBegun, subject).await?;
    tx.commit().await?;
    Ok(axum::Json(made))
}

/// Who is signed in, and the codes for a lost phone, which are shown this once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FirstSignIn)]
pub struct SecondFactorSetupSignIn {
    user: CurrentUser,
    recovery_codes: Vec<String>,
}

/// Signs in with the first code of a second factor that was just set up
#[utoipa::path(post, path = "/api/auth/login/set-up/confirm", operation_id = "confirmAtSignIn", tag = "auth",
    request_body = CodeRequest,
    responses((status = 200, description = "Signed in; the cookie is set", body = SecondFactorSetupSignIn),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn confirm_at_sign_in(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(form): Json<CodeRequest>,
) -> ApiResult<(HeaderMap, axum::Json<SecondFactorSetupSignIn>)> {
    let (token, code) = form.validate_form()?;
    let account = find_ticket_holder(&state, &token, TokenPurpose::SetUp).await?;
    let keys = reserve_attempt(&state, &who, &account).await?;
    let mut tx = state.db()?.begin().await?;
    second_factor::ensure_not_set_up(&mut tx, &account).await.map_err(to_enrollment_error)?;
    let codes = second_factor::confirm_setup(&mut tx, &state.origin, &state.settings.secret, &account, &code).await?;
    if !one_time_token::consume_token(&mut tx, state.origin.now(), &token, TokenPurpose::SetUp).await? {
        return Err(expired_ticket_error());
    }
    // Sign-ins and known browsers from before rest on the password alone.
    one_time_token::revoke_all_tokens(&mut tx, account.org_id, account.id).await?;
    device::forget_other_devices(&mut tx, &state.origin, account.org_id, account.id, who.device.as_deref()).await?;
    for keys in &keys {
        throttle::sign_in::record_success(&mut tx, state.origin.now(), keys).await?;
    }
    let origin = &state.origin;
    security_email::notify_account(
        &mut tx,
        origin,
        &state.settings.public_url,
        &account,
        SecurityEvent::SecondFactorOn,
    )
    .await?;
    let by = (AuditAction::SecondFactorOn, account.id.0);
    let (cookie, user) = open_session(&mut tx, &state, &who, &headers, &account, by).await?.into_parts();
    tx.commit().await?;
    state.notify_committed();
    Ok((cookie, axum::Json(SecondFactorSetupSignIn { user, recovery_codes: codes })))
}
