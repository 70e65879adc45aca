//! Sign-in, sign-out, current user.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header::SET_COOKIE},
};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        messaging::security_alert,
        tenancy::{
            account::{
                self, Account, Role,
                one_time_token::{self, TokenPurpose},
                password::{HashingLane, PasswordCheck},
                second_factor,
            },
            audit::{self, AuditAction},
            session::{self, Session},
        },
    },
    platform::{
        db::{Db, Tx},
        email_address::EmailAddress,
        error::{Error, FieldErrors},
        id::{AccountId, DEMO_ORG, OrgId},
        language::Language,
        text, throttle,
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    auth::{self, OrgMember, Visitor},
    client_info::RequestContext,
    error::ApiResult,
    extract::Json,
    min_response_time::MinResponseTime,
    openapi::{self, fields},
    state::AppState,
};

pub mod account_registration;
pub mod passkey;
pub mod password_reset;
pub mod reauthentication;
pub mod second_factor_sign_in;
mod session_opening;

pub use session_opening::{NextSignInStep, SignInOutcome};
pub(super) use session_opening::{clear_attempts_after_reset, open_session, renew_session};

/// The signed-in person.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CurrentUser {
    id: AccountId,
    name: String,
    email: String,
    role: Role,
    org_id: OrgId,
    org_slug: String,
    org_name: String,
    /// IANA name.
    org_timezone: String,
    /// Whether this is one of the install's operators.
    is_platform_admin: bool,
    two_factor_enabled: bool,
    /// Of the app, for this person on every device; null until they choose.
    language: Option<Language>,
    /// Whether they proved that they read the mail of their address.
    is_email_proven: bool,
    /// Whether this is the viewer of the demonstration, who changes nothing.
    is_demo: bool,
}

impl CurrentUser {
    pub(super) fn from_session(session: Session, state: &AppState) -> Self {
        Self {
            is_platform_admin: state.is_operator(&session),
            is_demo: session.org_id == DEMO_ORG,
            is_email_proven: session.is_email_proved,
            id: session.account_id,
            name: session.name,
            email: session.email.into_string(),
            role: session.role,
            org_id: session.org_id,
            org_slug: session.org_slug,
            org_name: session.org_name,
            org_timezone: session.org_timezone,
            two_factor_enabled: session.two_factor_enabled,
            language: session.language,
        }
    }
}

/// The signed-in person
#[utoipa::path(get, path = "/api/auth/me", operation_id = "me", tag = "auth",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "Who is signed in", body = CurrentUser),
        openapi::Unauthenticated, openapi::Unavailable))]
pub async fn get_current_user(member: OrgMember, State(state): State<AppState>) -> axum::Json<CurrentUser> {
    axum::Json(CurrentUser::from_session(member.session, &state))
}

#[derive(Deserialize, ToSchema)]
pub struct LoginRequest {
    #[schema(required, schema_with = fields::email_address)]
    email: Option<String>,
    #[schema(value_type = String, required, format = Password, min_length = 1)]
    password: Option<String>,
}

impl LoginRequest {
    /// The normalized address, and the password.
    fn validate_form(self) -> ApiResult<(EmailAddress, String)> {
        let mut errors = FieldErrors::default();
        let typed =
            text::single_line("email", self.email.as_deref(), 254).parse_required("Email is required", &mut errors);
        let email = EmailAddress::parse(&typed);
        if email.is_none() {
            errors.add("email", text::invalid_email_reason(&typed));
        }
        let password = self.password.unwrap_or_default();
        if password.is_empty() {
            errors.add("password", "Password is required");
        }
        Ok((errors.require(email)?, password))
    }
}

/// Signs in
///
/// Where a second factor is asked for, the password alone opens no session: 202 names the step that is left, and its
/// ticket.
#[utoipa::path(post, path = "/api/auth/login", operation_id = "login", tag = "auth", request_body = LoginRequest,
    responses((status = 200, description = "Signed in; the cookie is set", body = CurrentUser),
        (status = 202, description = "The password is right, and a step is left", body = NextSignInStep),
        openapi::BadRequest, openapi::WrongCredentials, openapi::Forbidden, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn login(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(form): Json<LoginRequest>,
) -> ApiResult<SignInOutcome> {
    let (email, password) = form.validate_form()?;
    let db = state.db()?;
    let keys = who.password_attempt_keys(&state, email.as_str()).await?;
    throttle::sign_in::check_allowed(&mut db.acquire_reader().await?, state.origin.now(), &keys).await?;
    let lane = if keys.is_known_device() { HashingLane::KnownDevice } else { HashingLane::SignIn };
    // Taken before anything is counted: a caller who must come back later has used up no try.
    let place = state.hasher.acquire_permit(who.hashing_requester(lane, &email)).await?;
    let mut tx = db.begin().await?;
    throttle::sign_in::reserve_attempt(&mut tx, &state.origin, &keys).await?;
    tx.commit().await?;

    let found = find_active_account(db, email.as_str()).await?;
    let verdict = place.verify_password(password, found.as_ref().map(|a| a.password_hash.clone())).await?;
    drop(place);
    let floor = MinResponseTime::from_now(state.config.floor);
    let Some((mut tx, account, rehashed)) = begin_verified_login(db, found.as_ref(), verdict).await? else {
        record_failure(&state, &who, found.as_ref()).await?;
        floor.wait_until_due().await;
        return Err(Error::WrongCredentials.into());
    };
    if let Some(hash) = rehashed {
        account::replace_password_hash(&mut tx, &account, &hash).await?;
    }
    let answer = if let Some(left) = second_factor::required_step(&mut tx, &account).await? {
        SignInOutcome::StepRequired(issue_next_step(&mut tx, &state, &who, &account, left).await?)
    } else {
        throttle::sign_in::record_success(&mut tx, state.origin.now(), &keys).await?;
        let entry =
            open_session(&mut tx, &state, &who, &headers, &account, (AuditAction::SignedIn, account.id.0)).await?;
        entry.with_status(StatusCode::OK)
    };
    tx.commit().await?;
    state.notify_committed();
    Ok(answer)
}

/// Transaction of the sign-in, the current account, and a new hash where the stored one is weak; `None` when the
/// password is wrong, or the account changed or was dismissed meanwhile.
async fn begin_verified_login(
    db: &Db,
    found: Option<&Account>,
    verdict: PasswordCheck,
) -> ApiResult<Option<(Tx, Account, Option<String>)>> {
    let (Some(account), PasswordCheck::Right { rehashed }) = (found, verdict) else { return Ok(None) };
    let mut tx = db.begin().await?;
    match account::recheck_credentials(&mut tx, account).await {
        Ok(account) => Ok(Some((tx, account, rehashed))),
        Err(Error::WrongCredentials) => Ok(None),
        Err(other) => Err(other.into()),
    }
}

/// The last step resets the count of tries: the password alone grants no access.
async fn issue_next_step(
    tx: &mut Tx,
    state: &AppState,
    who: &RequestContext,
    account: &Account,
    left: TokenPurpose,
) -> ApiResult<NextSignInStep> {
    let token = one_time_token::create_token(&mut *tx, &state.origin, account, left).await?;
    let (actor, subject) = (who.anonymous_actor(), Some(account.id.0));
    audit::record(tx, &state.origin, &actor, account.org_id, AuditAction::PasswordAccepted, subject).await?;
    Ok(NextSignInStep::from_purpose(left, token))
}

async fn find_active_account(db: &Db, email: &str) -> ApiResult<Option<Account>> {
    let found = account::find_by_email(&mut db.acquire_reader().await?, email).await?;
    Ok(found.filter(|account| account.is_active))
}

/// An unregistered address belongs to no business; its line is written under no org, so that timing is the same.
async fn record_failure(state: &AppState, who: &RequestContext, found: Option<&Account>) -> ApiResult<()> {
    let org = found.map_or(OrgId(Uuid::nil()), |account| account.org_id);
    let subject = found.map(|account| account.id.0);
    let mut tx = state.db()?.begin().await?;
    audit::record(&mut tx, &state.origin, &who.anonymous_actor(), org, AuditAction::SignInFailed, subject).await?;
    let account = found.map(|account| (account.id, &account.email));
    security_alert::record_sign_in_failure(&mut tx, &state.origin, &state.settings.public_url, org, account).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}

/// Signs out
///
/// Without a session there is nothing to do, and that is fine.
#[utoipa::path(post, path = "/api/auth/logout", operation_id = "logout", tag = "auth",
    security(("session" = ["owner", "office", "crew"]), ()),
    responses((status = 204, description = "Signed out; the cookie is gone"), openapi::Forbidden, openapi::Unavailable))]
pub async fn logout(
    member: Option<OrgMember>,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<(StatusCode, HeaderMap)> {
    if let Some(member) = member {
        let mut tx = state.db()?.begin().await?;
        session::revoke_session(&mut tx, &member.token).await?;
        let subject = Some(member.account().0);
        audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::SignedOut, subject)
            .await?;
        tx.commit().await?;
    }
    let cookie = auth::set_cookie(state.settings.public_url.is_https(), None)?;
    let mut headers = HeaderMap::from_iter([(SET_COOKIE, cookie)]);
    // Only the cache: the app removes its own copies, and its appearance setting is not private.
    headers.insert("clear-site-data", HeaderValue::from_static("\"cache\""));
    Ok((StatusCode::NO_CONTENT, headers))
}
