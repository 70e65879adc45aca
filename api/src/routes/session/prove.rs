//! Proving again who one is: what a stolen phone or cookie must not do asks for it (trust requirement 54).

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use shared::{
    domain::tenancy::{
        account::{
            self, Account,
            passkey::{self, Begun, RelyingParty},
            password::{Lane, Place, Verdict},
            second_factor::{self, Passed},
        },
        audit::{self, Action},
        security, session,
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
    client_info::Who,
    error::{ApiError, ApiResult},
    extract::Json,
    openapi::{self, fields},
    state::AppState,
};

/// The password of whoever is signed in, and the code where their sign-in asks for one.
#[derive(Deserialize, ToSchema)]
pub struct ProofRequest {
    #[schema(value_type = String, required, format = Password, min_length = 1)]
    password: Option<String>,
    /// Six digits of the app, or a code for a lost phone.
    #[schema(schema_with = fields::line_or_null::<40>)]
    code: Option<String>,
}

/// Somebody whose password was right a moment ago.
pub struct Proved {
    pub account: Account,
    keys: throttle::Keys,
}

impl Proved {
    /// The try was none. To be called in the transaction of what it was made for.
    ///
    /// # Errors
    /// 503 when the database is away.
    pub async fn clear(&self, tx: &mut Tx, now: DateTime<Utc>) -> ApiResult<()> {
        Ok(throttle::clear(tx, now, &self.keys).await?)
    }
}

/// Waits for a turn at looking at the password of whoever is signed in. Whoever has to wait for their tries takes none.
///
/// # Errors
/// 429 when it was tried too often, or too many wait.
pub async fn turn(state: &AppState, who: &Who, member: &OrgMember) -> ApiResult<Place> {
    let keys = who.tries(state, &member.session.email).await?;
    throttle::look(&mut state.db()?.read().await?, state.origin.now(), &keys).await?;
    Ok(state.hasher.turn(who.asker(Lane::SignedIn, &member.account())).await?)
}

/// Looks at the password of whoever is signed in, as slowly as a sign-in does, in the place that was taken before;
/// `field` is what the form calls it.
///
/// # Errors
/// 422 on `field` when it is wrong; 429 when it was tried too often.
pub async fn password(
    state: &AppState,
    who: &Who,
    member: &OrgMember,
    place: &Place,
    (typed, field): (String, &'static str),
) -> ApiResult<Proved> {
    let db = state.db()?;
    let account = account::get(&mut db.read().await?, member.org(), member.account()).await?;
    let keys = who.tries(state, &account.email).await?;
    let mut tx = db.begin().await?;
    throttle::reserve(&mut tx, &state.origin, &keys).await?;
    tx.commit().await?;
    let verdict = place.verify(typed, Some(account.password_hash.clone())).await?;
    if verdict == Verdict::Wrong {
        note_failure(state, who, member).await?;
        return Err(ApiError::field(field, "This password is not right"));
    }
    Ok(Proved { account, keys })
}

async fn note_failure(state: &AppState, who: &Who, member: &OrgMember) -> ApiResult<()> {
    let (actor, subject) = (who.actor(member), Some(member.account().0));
    let mut tx = state.db()?.begin().await?;
    audit::record(&mut tx, &state.origin, &actor, member.org(), Action::IdentityNotProved, subject).await?;
    // Whoever has the cookie and guesses the password is told of as one who guesses at the door.
    let account = (member.account(), member.session.email.as_str());
    security::note_failure(&mut tx, &state.origin, &state.settings.public_url, member.org(), Some(account)).await?;
    tx.commit().await?;
    state.wake();
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
    who: Who,
    Json(form): Json<ProofRequest>,
) -> ApiResult<StatusCode> {
    let mut errors = FieldErrors::default();
    let code = text::line("code", form.code.as_deref(), 40).optional(&mut errors);
    let typed = form.password.unwrap_or_default();
    if typed.is_empty() {
        errors.add("password", "Password is required");
    }
    if member.session.two_factor_enabled && code.is_none() {
        errors.add("code", "Enter the code");
    }
    errors.finish()?;
    let place = turn(&state, &who, &member).await?;
    let proved = password(&state, &who, &member, &place, (typed, "password")).await?;
    drop(place);
    if let Some(code) = code.filter(|_| proved.account.two_factor_enabled) {
        check_code(&state, &who, &member, &proved.account, &code).await?;
    }
    let mut tx = state.db()?.begin().await?;
    proved.clear(&mut tx, state.origin.now()).await?;
    note_proved(&mut tx, &state, &who, &member).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Begins to prove again who one is, with a passkey
#[utoipa::path(post, path = "/api/auth/prove/passkey/challenge", operation_id = "beginPasskeyProof", tag = "auth",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 201, description = "What the browser is asked", body = Begun),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::Unavailable))]
pub async fn begin_passkey_proof(
    member: OrgMember,
    State(state): State<AppState>,
) -> ApiResult<(StatusCode, axum::Json<Begun>)> {
    let party = RelyingParty::of(&state.settings.public_url)?;
    let mut tx = state.db()?.begin().await?;
    if passkey::count(&mut tx, member.org(), member.account()).await? == 0 {
        return Err(Error::Conflict("You have no passkey yet. Use your password.").into());
    }
    let begun = passkey::begin_proof(&mut tx, &state.origin, &party, &member.token).await?;
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
    who: Who,
    Json(form): Json<PasskeySignIn>,
) -> ApiResult<StatusCode> {
    let (challenge, credential) = form.check()?;
    let party = RelyingParty::of(&state.settings.public_url)?;
    let mut tx = state.db()?.begin().await?;
    let of = (member.account(), challenge.as_str(), member.token.as_str());
    let is_proved = passkey::proves(&mut tx, &state.origin, &party, of, &credential).await?;
    tx.commit().await?;
    if !is_proved {
        note_failure(&state, &who, &member).await?;
        return Err(ApiError::field("credential", "This passkey does not prove who you are. Use your password."));
    }
    let mut tx = state.db()?.begin().await?;
    note_proved(&mut tx, &state, &who, &member).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// From now on what asks for a proof is allowed in this session.
async fn note_proved(tx: &mut Tx, state: &AppState, who: &Who, member: &OrgMember) -> ApiResult<()> {
    // Another password, a reset or the end of their time here has ended it meanwhile.
    member.still_in(&mut *tx, state).await?;
    session::prove(&mut *tx, state.origin.now(), &member.token).await?;
    let (actor, subject) = (who.actor(member), Some(member.account().0));
    audit::record(tx, &state.origin, &actor, member.org(), Action::IdentityProved, subject).await?;
    Ok(())
}

/// Uses the code up.
async fn check_code(state: &AppState, who: &Who, member: &OrgMember, account: &Account, code: &str) -> ApiResult<()> {
    let keys = who.tries_at_code(state, &account.email).await?;
    let mut tx = state.db()?.begin().await?;
    throttle::reserve(&mut tx, &state.origin, &keys).await?;
    tx.commit().await?;
    let mut tx = state.db()?.begin().await?;
    let passed = second_factor::pass(&mut tx, &state.origin, &state.settings.secret, account, code).await;
    match passed {
        Ok(Passed::App | Passed::Recovery { .. }) => {
            throttle::clear(&mut tx, state.origin.now(), &keys).await?;
            Ok(tx.commit().await?)
        }
        Err(wrong @ Error::Invalid(_)) => {
            drop(tx);
            note_failure(state, who, member).await?;
            Err(wrong.into())
        }
        Err(other) => Err(other.into()),
    }
}
