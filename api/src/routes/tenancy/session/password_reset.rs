//! Forgotten password: request of the mail, and the new password by its link.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        messaging::account_email::{
            password_reset,
            security_email::{self, SecurityEvent},
        },
        tenancy::{
            account::{
                self, Account, passkey,
                password::HashingLane,
                reset::{self, ResetForm},
            },
            audit::{self, AuditAction},
            trust_level::context::{RecipientScope, classify_recipient},
        },
    },
    platform::{
        db::Tx,
        email_address::EmailAddress,
        error::{Error, FieldErrors},
        id::OrgId,
        text,
        throttle::{self, ResetMailAllowance, WindowLimit},
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::clear_attempts_after_reset;
use crate::{
    auth::Visitor,
    client_info::RequestContext,
    error::{ApiError, ApiResult, ErrorCode},
    extract::Json,
    min_response_time::MinResponseTime,
    openapi::{self, fields},
    state::AppState,
};

/// Requests, and tries at links, per network and hour.
const ASKED: WindowLimit = WindowLimit::per_hour(20);
const TRIED: i64 = 60;
/// Daily limit of mails to an address that is not proven, and how many more a known browser or network may ask for, so
/// that strangers cannot use up all of them.
const UNPROVEN: (&str, i64) = ("reset mails to unproven", throttle::MAILS_TO_UNPROVEN);
const UNPROVEN_AT_HOME: WindowLimit = WindowLimit::per_day(3);
const NO_MORE: &str = "This link is no longer valid. Ask for a new one.";

#[derive(Deserialize, ToSchema)]
#[schema(as = ForgottenRequest)]
pub struct PasswordResetRequest {
    #[schema(required, schema_with = fields::email_address)]
    email: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = ForgottenAnswer)]
pub struct PasswordResetResponse {
    /// Always `sent`, whether or not the address is known.
    status: &'static str,
}

/// Asks for a mail to choose a new password with
///
/// Unknown addresses get the same answer after the same time. The link works once, for half an hour.
#[utoipa::path(post, path = "/api/auth/reset", operation_id = "askForReset", tag = "auth",
    request_body = PasswordResetRequest,
    responses((status = 202, description = "Sent, if the address is known", body = PasswordResetResponse),
        openapi::BadRequest, openapi::Forbidden, openapi::TooLarge, openapi::WrongMedia, openapi::Invalid,
        openapi::TooMany, openapi::Unavailable))]
pub async fn ask_for_reset(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    Json(form): Json<PasswordResetRequest>,
) -> ApiResult<(StatusCode, axum::Json<PasswordResetResponse>)> {
    let mut errors = FieldErrors::default();
    let typed = text::single_line("email", form.email.as_deref(), 254).parse_required("Email is required", &mut errors);
    let email = EmailAddress::parse(&typed);
    if email.is_none() {
        errors.add("email", text::invalid_email_reason(&typed));
    }
    let email = errors.require(email)?;
    let allowance = count_request(&state, &who, email.as_str()).await?;
    let floor = MinResponseTime::from_now(state.config.floor);
    let found = account::find_by_email(&mut state.db()?.acquire_reader().await?, email.as_str()).await?;
    let found = found.filter(|account| account.is_active && allowance != ResetMailAllowance::UsedUp);
    let org = found.as_ref().map_or(OrgId(Uuid::nil()), |account| account.org_id);
    let subject = found.as_ref().map(|account| account.id.0);
    let mut tx = state.db()?.begin().await?;
    if let Some(account) = &found
        && can_mail_link(&mut tx, &state, account, allowance).await?
    {
        let (secret, url) = (&state.settings.secret, &state.settings.public_url);
        password_reset::send_reset_mail(&mut tx, &state.origin, secret, url, account).await?;
    }
    // An unregistered address belongs to no business; its line is written under no org.
    let action = AuditAction::PasswordResetAsked;
    audit::record(&mut tx, &state.origin, &who.anonymous_actor(), org, action, subject).await?;
    tx.commit().await?;
    state.notify_committed();
    floor.wait_until_due().await;
    Ok((StatusCode::ACCEPTED, axum::Json(PasswordResetResponse { status: "sent" })))
}

/// Counts the request before the account is looked for. The caller is not told whether the allowance is used up, and
/// links sent before stay valid.
async fn count_request(state: &AppState, who: &RequestContext, email: &str) -> ApiResult<ResetMailAllowance> {
    let (origin, secret) = (&state.origin, &state.settings.secret);
    let device = who.known_device_token(state, email).await?;
    let mut tx = state.db()?.begin().await?;
    // A known browser has its own allowance: strangers on a shared network cannot use it up.
    if !who.is_exempt && device.is_none() {
        // Not by the IPv6 /48 around it, whose other customers would have to wait.
        throttle::count_action(&mut tx, origin, secret, "reset asked", &throttle::network_key(who.ip), ASKED).await?;
    }
    let allowance = throttle::try_count_reset_mail(&mut tx, origin, secret, (email, who.ip), device).await?;
    tx.commit().await?;
    Ok(allowance)
}

/// Whether the account may be mailed another link today. Always for a proven address, so that strangers cannot use up
/// the allowance. Otherwise the requester may have registered another person's address.
async fn can_mail_link(
    tx: &mut Tx,
    state: &AppState,
    account: &Account,
    allowance: ResetMailAllowance,
) -> ApiResult<bool> {
    if classify_recipient(&mut *tx, account.org_id, &account.email, true).await? == RecipientScope::Own {
        return Ok(true);
    }
    let (origin, secret) = (&state.origin, &state.settings.secret);
    if allowance == ResetMailAllowance::KnownPlace {
        let (what, mailbox) = ("reset mails to unproven at home", text::normalize_mailbox(account.email.as_str()));
        if throttle::try_count_action(&mut *tx, origin, secret, what, &mailbox, UNPROVEN_AT_HOME).await? {
            return Ok(true);
        }
    }
    Ok(throttle::try_count_mail(tx, origin, secret, UNPROVEN, account.email.as_str()).await?)
}

/// Sets the password that was forgotten
///
/// The reset creates no session, ends all others and removes passkeys; the second factor is still required.
#[utoipa::path(post, path = "/api/auth/reset/confirm", operation_id = "resetPassword", tag = "auth",
    request_body = ResetForm,
    responses((status = 204, description = "The new password signs in from now on"),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn reset_password(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    Json(form): Json<ResetForm>,
) -> ApiResult<(StatusCode, HeaderMap)> {
    let mut errors = FieldErrors::default();
    let token =
        text::single_line("token", form.token.as_deref(), 100).parse_required("The link is not whole", &mut errors);
    errors.into_result()?;
    let password = form.password.unwrap_or_default();
    let account = match find_link_holder(&state, &token, &password).await {
        Ok(account) => account,
        Err(refused) => {
            // A valid link is never refused for other tries of its network.
            count_try(&state, &who).await?;
            return Err(refused);
        }
    };
    // Only valid links take a turn at hashing: a flood of forged ones blocks no holder.
    let place = state.hasher.acquire_permit(who.hashing_requester(HashingLane::Reset, &account.id)).await?;
    let hash = place.hash_password(password).await?;
    drop(place);
    let mut tx = state.db()?.begin().await?;
    let passkeys = passkey::count_by_account(&mut tx, account.org_id, account.id).await?;
    reset::reset_password(&mut tx, &state.origin, &token, &account, &hash).await.map_err(expired_link_error)?;
    let cookie = clear_attempts_after_reset(&mut tx, &state, &who, &account).await?;
    let url = &state.settings.public_url;
    security_email::notify_account(&mut tx, &state.origin, url, &account, SecurityEvent::PasswordReset { passkeys })
        .await?;
    let (actor, subject) = (who.anonymous_actor(), Some(account.id.0));
    audit::record(&mut tx, &state.origin, &actor, account.org_id, AuditAction::PasswordReset, subject).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::NO_CONTENT, cookie))
}

/// Account of a link, if the password is suitable.
async fn find_link_holder(state: &AppState, token: &str, password: &str) -> ApiResult<Account> {
    let mut conn = state.db()?.acquire_reader().await?;
    let account =
        reset::find_account_by_token(&mut conn, state.origin.now(), token).await.map_err(expired_link_error)?;
    reset::validate_new_password(&mut conn, &account, password, "password").await?;
    Ok(account)
}

fn expired_link_error(error: Error) -> ApiError {
    match error {
        Error::NotFound => ApiError::new(ErrorCode::NotFound, NO_MORE),
        other => other.into(),
    }
}

async fn count_try(state: &AppState, who: &RequestContext) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let counted =
        throttle::count_by_network(&mut tx, &state.origin, &state.settings.secret, "reset tried", who.ip, TRIED).await;
    tx.commit().await?;
    Ok(counted?)
}
