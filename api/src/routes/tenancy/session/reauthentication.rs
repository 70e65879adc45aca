//! Re-authentication, required for what a stolen phone or cookie must not allow (trust requirement 54).

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use shared::{
    conflicts::ConflictCode,
    domain::{
        messaging::security_alert,
        tenancy::{
            account::{
                self, Account,
                passkey::{self, PasskeyChallenge, RelyingParty},
                password::{HashingLane, HashingPermit, PasswordCheck},
                second_factor::{self, SecondFactorMethod},
            },
            audit::{self, AuditAction},
            session,
        },
    },
    platform::{
        db::Tx,
        error::{Error, FieldErrors},
        text, throttle,
    },
};
use utoipa::ToSchema;

use super::passkey::PasskeySignIn;
use crate::{
    auth::OrgMember,
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::Json,
    openapi::{self, fields},
    state::AppState,
};

/// The password of the signed-in account, and the code where the account has a second factor.
#[derive(Deserialize, ToSchema)]
pub struct ProofRequest {
    #[schema(value_type = String, required, format = Password, min_length = 1)]
    password: Option<String>,
    /// Six digits of the app, or a code for a lost phone.
    #[schema(schema_with = fields::nullable_line::<40>)]
    code: Option<String>,
}

/// User whose password was just verified.
pub struct VerifiedPassword {
    pub account: Account,
    keys: throttle::sign_in::SignInKeys,
}

impl VerifiedPassword {
    /// Uncounts the try. Call in the transaction that the password was needed for. Errors: 503 when the database is
    /// away.
    pub async fn clear_attempts(&self, tx: &mut Tx, now: DateTime<Utc>) -> ApiResult<()> {
        Ok(throttle::sign_in::record_success(tx, now, &self.keys).await?)
    }
}

/// Takes a turn at hashing for the signed-in user; refused first if too many tries were made. Errors: 429 after too
/// many tries, or with too many waiting.
pub async fn acquire_hashing_permit(
    state: &AppState,
    who: &RequestContext,
    member: &OrgMember,
) -> ApiResult<HashingPermit> {
    let keys = who.password_attempt_keys(state, member.session.email.as_str()).await?;
    throttle::sign_in::check_allowed(&mut state.db()?.acquire_reader().await?, state.origin.now(), &keys).await?;
    Ok(state.hasher.acquire_permit(who.hashing_requester(HashingLane::SignedIn, &member.account())).await?)
}

/// Verifies the signed-in user's password, as slowly as at sign-in, in the turn taken before; `field` is its form name.
/// Errors: 422 on `field` when it is wrong, 429 after too many tries.
pub async fn verify_password(
    state: &AppState,
    who: &RequestContext,
    member: &OrgMember,
    place: &HashingPermit,
    (typed, field): (String, &'static str),
) -> ApiResult<VerifiedPassword> {
    let db = state.db()?;
    let account = account::get(&mut db.acquire_reader().await?, member.org(), member.account()).await?;
    let keys = who.password_attempt_keys(state, account.email.as_str()).await?;
    let mut tx = db.begin().await?;
    throttle::sign_in::reserve_attempt(&mut tx, &state.origin, &keys).await?;
    tx.commit().await?;
    let verdict = place.verify_password(typed, Some(account.password_hash.clone())).await?;
    if verdict == PasswordCheck::Wrong {
        record_failure(state, who, member).await?;
        return Err(ApiError::invalid_field(field, "This password is not right"));
    }
    Ok(VerifiedPassword { account, keys })
}

async fn record_failure(state: &AppState, who: &RequestContext, member: &OrgMember) -> ApiResult<()> {
    let (actor, subject) = (who.actor_for(member), Some(member.account().0));
    let mut tx = state.db()?.begin().await?;
    audit::record(&mut tx, &state.origin, &actor, member.org(), AuditAction::IdentityNotProved, subject).await?;
    // Reported like guesses at sign-in.
    let account = (member.account(), &member.session.email);
    security_alert::record_sign_in_failure(
        &mut tx,
        &state.origin,
        &state.settings.public_url,
        member.org(),
        Some(account),
    )
    .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}

/// Proves again who one is
///
/// For fifteen minutes what asks for it (`reauthentication_needed`) is allowed on this device.
#[utoipa::path(post, path = "/api/auth/prove", operation_id = "proveIdentity", tag = "auth",
    security(("session" = ["owner", "office", "crew"])), request_body = ProofRequest,
    responses((status = 204, description = "Proved"),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn prove_identity(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    Json(form): Json<ProofRequest>,
) -> ApiResult<StatusCode> {
    let mut errors = FieldErrors::default();
    let code = text::single_line("code", form.code.as_deref(), 40).parse_optional(&mut errors);
    let typed = form.password.unwrap_or_default();
    if typed.is_empty() {
        errors.add("password", "Password is required");
    }
    if member.session.two_factor_enabled && code.is_none() {
        errors.add("code", "Enter the code");
    }
    errors.into_result()?;
    let place = acquire_hashing_permit(&state, &who, &member).await?;
    let proved = verify_password(&state, &who, &member, &place, (typed, "password")).await?;
    drop(place);
    if let Some(code) = code.filter(|_| proved.account.two_factor_enabled) {
        verify_code(&state, &who, &member, &proved.account, &code).await?;
    }
    let mut tx = state.db()?.begin().await?;
    proved.clear_attempts(&mut tx, state.origin.now()).await?;
    record_proof(&mut tx, &state, &who, &member).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Begins to prove again who one is, with a passkey
#[utoipa::path(post, path = "/api/auth/prove/passkey/challenge", operation_id = "beginPasskeyProof", tag = "auth",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 201, description = "What the browser is asked", body = PasskeyChallenge),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::Unavailable))]
pub async fn begin_passkey_proof(
    member: OrgMember,
    State(state): State<AppState>,
) -> ApiResult<(StatusCode, axum::Json<PasskeyChallenge>)> {
    let party = RelyingParty::from_public_url(&state.settings.public_url)?;
    let mut tx = state.db()?.begin().await?;
    if passkey::count_by_account(&mut tx, member.org(), member.account()).await? == 0 {
        return Err(ConflictCode::NoPasskey.into());
    }
    let begun = passkey::begin_reauthentication(&mut tx, &state.origin, &party, &member.token).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, axum::Json(begun)))
}

/// Proves again who one is, with a passkey
///
/// It counts as password and code, as it does at sign-in: the device verified its user. The challenge is good once, for
/// this session. For fifteen minutes what asks for a proof is allowed on this device.
#[utoipa::path(post, path = "/api/auth/prove/passkey", operation_id = "proveByPasskey", tag = "auth",
    security(("session" = ["owner", "office", "crew"])), request_body = PasskeySignIn,
    responses((status = 204, description = "Proved"),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn prove_by_passkey(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    Json(form): Json<PasskeySignIn>,
) -> ApiResult<StatusCode> {
    let (challenge, credential) = form.validate_form()?;
    let party = RelyingParty::from_public_url(&state.settings.public_url)?;
    let mut tx = state.db()?.begin().await?;
    let of = (member.account(), challenge.as_str(), member.token.as_str());
    let is_proved = passkey::verify_reauthentication(&mut tx, &state.origin, &party, of, &credential).await?;
    tx.commit().await?;
    if !is_proved {
        record_failure(&state, &who, &member).await?;
        return Err(ApiError::invalid_field(
            "credential",
            "This passkey does not prove who you are. Use your password.",
        ));
    }
    let mut tx = state.db()?.begin().await?;
    record_proof(&mut tx, &state, &who, &member).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Marks the session as re-authenticated.
async fn record_proof(tx: &mut Tx, state: &AppState, who: &RequestContext, member: &OrgMember) -> ApiResult<()> {
    // The session may have ended meanwhile: another password, a reset, or dismissal.
    member.require_live_session(&mut *tx, state).await?;
    session::record_reauthentication(&mut *tx, state.origin.now(), &member.token).await?;
    let (actor, subject) = (who.actor_for(member), Some(member.account().0));
    audit::record(tx, &state.origin, &actor, member.org(), AuditAction::IdentityProved, subject).await?;
    Ok(())
}

/// Uses the code up.
async fn verify_code(
    state: &AppState,
    who: &RequestContext,
    member: &OrgMember,
    account: &Account,
    code: &str,
) -> ApiResult<()> {
    let keys = who.code_attempt_keys(state, account.email.as_str()).await?;
    let mut tx = state.db()?.begin().await?;
    throttle::sign_in::reserve_attempt(&mut tx, &state.origin, &keys).await?;
    tx.commit().await?;
    let mut tx = state.db()?.begin().await?;
    let passed = second_factor::verify_code(&mut tx, &state.origin, &state.settings.secret, account, code).await;
    match passed {
        Ok(SecondFactorMethod::App | SecondFactorMethod::Recovery { .. }) => {
            throttle::sign_in::record_success(&mut tx, state.origin.now(), &keys).await?;
            Ok(tx.commit().await?)
        }
        Err(wrong @ Error::Invalid(_)) => {
            drop(tx);
            record_failure(state, who, member).await?;
            Err(wrong.into())
        }
        Err(other) => Err(other.into()),
    }
}
