//! A user's own second factor, and the owner's setting that requires one of all users.

use axum::{
    Json as Body,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::{Deserialize, Serialize};
use shared::{
    conflicts::ConflictCode,
    domain::{
        messaging::account_email::security_email::{self, SecurityEvent},
        tenancy::{
            account::{
                self, one_time_token,
                second_factor::{self, SecondFactorSetUp},
            },
            audit::{self, AuditAction},
        },
    },
    platform::{error::FieldErrors, text, throttle},
};
use utoipa::ToSchema;

use super::end_other_sessions;
use crate::{
    auth::{OrgMember, OrgOwner, RecentlyVerified},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::Json,
    openapi::{self, fields},
    state::AppState,
};

/// Begins to set up an authenticator app
///
/// The one in force, if there is one, stays in force until the new one's first code came.
#[utoipa::path(post, path = "/api/account/second-factor", operation_id = "beginSecondFactor", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 201, description = "What the app needs", body = SecondFactorSetUp),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn begin_second_factor(
    RecentlyVerified(member): RecentlyVerified<OrgMember>,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<(StatusCode, Body<SecondFactorSetUp>)> {
    let (org, id) = (member.org(), member.account());
    let mut tx = state.db()?.begin().await?;
    let account = account::get(&mut tx, org, id).await?;
    let made = second_factor::begin_setup(&mut tx, &state.origin, &state.settings.secret, &account).await?;
    let actor = who.actor_for(&member);
    audit::record(&mut tx, &state.origin, &actor, org, AuditAction::SecondFactorBegun, Some(id.0)).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Body(made)))
}

#[derive(Deserialize, ToSchema)]
pub struct FirstCodeRequest {
    /// Six digits of the app that is being set up.
    #[schema(required, schema_with = fields::required_line::<40>)]
    code: Option<String>,
}

/// Codes for a lost phone. They are shown this once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryCodes {
    recovery_codes: Vec<String>,
}

/// Puts an authenticator app in force by its first code
///
/// Every other device is signed out, and the account gets a mail. The ten codes for a lost phone are shown this once.
#[utoipa::path(post, path = "/api/account/second-factor/confirm", operation_id = "confirmSecondFactor",
    tag = "account", security(("session" = ["owner", "office", "crew"])), request_body = FirstCodeRequest,
    responses((status = 200, description = "In force; the cookie is a new one", body = RecoveryCodes),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn confirm_second_factor(
    RecentlyVerified(member): RecentlyVerified<OrgMember>,
    State(state): State<AppState>,
    who: RequestContext,
    Json(form): Json<FirstCodeRequest>,
) -> ApiResult<(HeaderMap, Body<RecoveryCodes>)> {
    let mut errors = FieldErrors::default();
    let code = text::single_line("code", form.code.as_deref(), 40).parse_required("Enter the code", &mut errors);
    errors.into_result()?;
    let (origin, secret) = (&state.origin, &state.settings.secret);
    let keys = who.code_attempt_keys(&state, member.session.email.as_str()).await?;
    let mut tx = state.db()?.begin().await?;
    throttle::sign_in::reserve_attempt(&mut tx, origin, &keys).await?;
    tx.commit().await?;
    let mut tx = state.db()?.begin().await?;
    let account = account::get(&mut tx, member.org(), member.account()).await?;
    let codes = second_factor::confirm_setup(&mut tx, origin, secret, &account, &code).await?;
    throttle::sign_in::record_success(&mut tx, origin.now(), &keys).await?;
    one_time_token::revoke_all_tokens(&mut tx, account.org_id, account.id).await?;
    let done = (AuditAction::SecondFactorOn, SecurityEvent::SecondFactorOn);
    let cookie = end_other_sessions(&mut tx, &state, &who, &member, done).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((cookie, Body(RecoveryCodes { recovery_codes: codes })))
}

/// Turns the second factor off
#[utoipa::path(delete, path = "/api/account/second-factor", operation_id = "removeSecondFactor", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 204, description = "The password alone signs in; the cookie is a new one"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::Unavailable))]
pub async fn remove_second_factor(
    RecentlyVerified(member): RecentlyVerified<OrgMember>,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<(StatusCode, HeaderMap)> {
    let mut tx = state.db()?.begin().await?;
    let account = account::get(&mut tx, member.org(), member.account()).await?;
    second_factor::disable_second_factor(&mut tx, &account).await?;
    let done = (AuditAction::SecondFactorOff, SecurityEvent::SecondFactorOff);
    let cookie = end_other_sessions(&mut tx, &state, &who, &member, done).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::NO_CONTENT, cookie))
}

/// Makes ten new codes for a lost phone
///
/// Earlier ones stop working, and the account gets a mail.
#[utoipa::path(post, path = "/api/account/recovery-codes", operation_id = "renewRecoveryCodes", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 201, description = "Shown this once", body = RecoveryCodes),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::Unavailable))]
pub async fn renew_recovery_codes(
    RecentlyVerified(member): RecentlyVerified<OrgMember>,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<(StatusCode, Body<RecoveryCodes>)> {
    let (org, id, origin) = (member.org(), member.account(), &state.origin);
    let mut tx = state.db()?.begin().await?;
    let account = account::get(&mut tx, org, id).await?;
    if !account.two_factor_enabled {
        return Err(ConflictCode::SecondFactorOff.into());
    }
    let codes = second_factor::regenerate_recovery_codes(&mut tx, origin, &state.settings.secret, &account).await?;
    let url = &state.settings.public_url;
    security_email::notify_account(&mut tx, origin, url, &account, SecurityEvent::RecoveryCodesRenewed).await?;
    audit::record(&mut tx, origin, &who.actor_for(&member), org, AuditAction::RecoveryCodesRenewed, Some(id.0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, Body(RecoveryCodes { recovery_codes: codes })))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Requirement)]
pub struct SecondFactorRequirement {
    #[schema(value_type = bool, required)]
    is_required: Option<bool>,
}

/// Wants a second factor of everybody in the business, or does not any more
///
/// Members without one are signed out and set it up at the next sign-in. The caller needs one.
#[utoipa::path(put, path = "/api/team/second-factor", operation_id = "requireSecondFactor", tag = "team",
    security(("session" = ["owner"])), request_body = SecondFactorRequirement,
    responses((status = 204, description = "So it is from now on"),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn require_second_factor(
    RecentlyVerified(OrgOwner(member)): RecentlyVerified<OrgOwner>,
    State(state): State<AppState>,
    who: RequestContext,
    Json(form): Json<SecondFactorRequirement>,
) -> ApiResult<StatusCode> {
    let is_required = form.is_required.ok_or_else(|| ApiError::invalid_field("isRequired", "Say yes or no"))?;
    let (org, by) = (member.org(), member.account());
    let mut tx = state.db()?.begin().await?;
    second_factor::set_required(&mut tx, &state.origin, org, by, is_required).await?;
    let action = if is_required { AuditAction::SecondFactorRequired } else { AuditAction::SecondFactorNotRequired };
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, action, Some(org.0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}
