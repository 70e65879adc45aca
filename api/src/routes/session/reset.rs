//! A password that was forgotten: asking for the mail, and choosing another one with its link.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::{Deserialize, Serialize};
use shared::{
    domain::tenancy::{
        account::{
            self, Account, passkey,
            password::Lane,
            reset::{self, ResetForm},
            security_email::{self, SecurityEvent},
        },
        audit::{self, Action},
        trust_level::{self, Reach},
    },
    platform::{
        db::Tx,
        error::{Error, FieldErrors},
        id::OrgId,
        text, throttle,
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::chosen;
use crate::{
    auth::Visitor,
    client_info::Who,
    error::{ApiError, ApiResult, ErrorCode},
    extract::Json,
    min_response_time::Floor,
    openapi::{self, fields},
    state::AppState,
};

/// Asked for by one network in an hour, and links that were tried.
const ASKED: i64 = 20;
const TRIED: i64 = 60;
/// What counts the mails to an address that nobody has proven, by the day alone.
const UNPROVEN: (&str, i64) = ("reset mails to unproven", throttle::MAILS_TO_UNPROVEN);
const NO_MORE: &str = "This link is not valid any more. Ask for a new one.";

#[derive(Deserialize, ToSchema)]
pub struct ForgottenRequest {
    #[schema(required, schema_with = fields::email)]
    email: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct ForgottenAnswer {
    /// Always `sent`: whether the address is known is nobody's business.
    status: &'static str,
}

/// Asks for a mail to choose a new password with
///
/// Answered alike, and as late, for an address that nobody has. The link works once, for half an hour.
#[utoipa::path(post, path = "/api/auth/reset", operation_id = "askForReset", tag = "auth",
    request_body = ForgottenRequest,
    responses((status = 202, description = "Sent, if the address is known", body = ForgottenAnswer),
        openapi::BadRequest, openapi::Forbidden, openapi::TooLarge, openapi::WrongMedia, openapi::Invalid,
        openapi::TooMany, openapi::Unavailable))]
pub async fn ask_for_reset(
    _: Visitor,
    State(state): State<AppState>,
    who: Who,
    Json(form): Json<ForgottenRequest>,
) -> ApiResult<(StatusCode, axum::Json<ForgottenAnswer>)> {
    let mut errors = FieldErrors::default();
    let typed = text::line("email", form.email.as_deref(), 254).required("Email is required", &mut errors);
    let email = text::email(&typed).unwrap_or_default();
    if email.is_empty() {
        errors.add("email", text::why_no_email(&typed));
    }
    errors.finish()?;
    let is_one_too_many = count(&state, &who, &email).await?;
    let floor = Floor::from_now(state.config.floor);
    let known = account::find_by_email(&mut state.db()?.read().await?, &email).await?;
    let known = known.filter(|account| account.is_active && !is_one_too_many);
    let org = known.as_ref().map_or(OrgId(Uuid::nil()), |account| account.org_id);
    let subject = known.as_ref().map(|account| account.id.0);
    let mut tx = state.db()?.begin().await?;
    if let Some(account) = &known
        && has_mails_left(&mut tx, &state, account).await?
    {
        let (secret, url) = (&state.settings.secret, &state.settings.public_url);
        reset::send(&mut tx, &state.origin, secret, url, account).await?;
    }
    // An address that is not registered belongs to no business; the line is written all the same, under no org.
    let action = Action::PasswordResetAsked;
    audit::record(&mut tx, &state.origin, &who.visitor(), org, action, subject).await?;
    tx.commit().await?;
    state.wake();
    floor.wait().await;
    Ok((StatusCode::ACCEPTED, axum::Json(ForgottenAnswer { status: "sent" })))
}

/// Counts it, before anybody is looked for. Whether this address was mailed often enough, which nobody is told: the mails
/// it got are no less good.
async fn count(state: &AppState, who: &Who, email: &str) -> ApiResult<bool> {
    let (origin, secret) = (&state.origin, &state.settings.secret);
    let device = who.known_device(state, email).await?;
    let mut tx = state.db()?.begin().await?;
    // A known browser has an allowance of its own, so strangers on a shared network use up nobody else's.
    if !who.is_exempt && device.is_none() {
        throttle::count_by_network(&mut tx, origin, secret, "reset asked", who.ip, ASKED).await?;
    }
    let may_be_mailed = throttle::may_mail_reset(&mut tx, origin, secret, (email, who.ip), device).await?;
    tx.commit().await?;
    Ok(!may_be_mailed)
}

/// Whether the account may be mailed one more link today. A person who has proven the address always may: no stranger
/// uses up theirs. Else the person who asks may be the one who registered somebody else's address.
async fn has_mails_left(tx: &mut Tx, state: &AppState, account: &Account) -> ApiResult<bool> {
    if trust_level::reach(&mut *tx, account.org_id, &account.email, true).await? == Reach::Own {
        return Ok(true);
    }
    Ok(throttle::may_mail(tx, &state.origin, &state.settings.secret, UNPROVEN, &account.email).await?)
}

/// A new password.
#[derive(ToSchema)]
#[schema(as = ResetRequest)]
#[expect(dead_code, reason = "only described; `ResetForm` is what is read")]
pub struct ResetDoc {
    /// What stands behind the `#` of the link.
    #[schema(schema_with = fields::filled::<100>)]
    token: String,
    #[schema(schema_with = fields::new_password)]
    password: String,
}

/// Sets the password that was forgotten
///
/// Nobody is signed in by it, and everybody who was is out: the second factor is asked for as ever.
#[utoipa::path(post, path = "/api/auth/reset/confirm", operation_id = "resetPassword", tag = "auth",
    request_body = ResetDoc,
    responses((status = 204, description = "The new password signs in from now on"),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn reset_password(
    _: Visitor,
    State(state): State<AppState>,
    who: Who,
    Json(form): Json<ResetForm>,
) -> ApiResult<(StatusCode, HeaderMap)> {
    let mut errors = FieldErrors::default();
    let token = text::line("token", form.token.as_deref(), 100).required("The link is not whole", &mut errors);
    errors.finish()?;
    let password = form.password.unwrap_or_default();
    let account = match holder(&state, &token, &password).await {
        Ok(account) => account,
        Err(refused) => {
            // A good link is never refused for what others of its network tried.
            count_try(&state, &who).await?;
            return Err(refused);
        }
    };
    // Only who holds a good link takes a place: no flood of forged ones keeps its holder out.
    let place = state.hasher.turn(who.asker(Lane::Reset, &account.id)).await?;
    let hash = place.hash(password).await?;
    drop(place);
    let mut tx = state.db()?.begin().await?;
    reset::set(&mut tx, &state.origin, &token, &account, &hash).await.map_err(gone)?;
    let cookie = chosen(&mut tx, &state, &who, &account).await?;
    let url = &state.settings.public_url;
    let passkeys = passkey::count(&mut tx, account.org_id, account.id).await?;
    security_email::tell(&mut tx, &state.origin, url, &account, SecurityEvent::PasswordReset { passkeys }).await?;
    let (actor, subject) = (who.visitor(), Some(account.id.0));
    audit::record(&mut tx, &state.origin, &actor, account.org_id, Action::PasswordReset, subject).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::NO_CONTENT, cookie))
}

/// Whose link it is, when the password can be theirs.
async fn holder(state: &AppState, token: &str, password: &str) -> ApiResult<Account> {
    let mut conn = state.db()?.read().await?;
    let account = reset::holder(&mut conn, state.origin.now(), token).await.map_err(gone)?;
    reset::check(&mut conn, &account, password, "password").await?;
    Ok(account)
}

fn gone(error: Error) -> ApiError {
    match error {
        Error::NotFound => ApiError::new(ErrorCode::NotFound, NO_MORE),
        other => other.into(),
    }
}

async fn count_try(state: &AppState, who: &Who) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let counted =
        throttle::count_by_network(&mut tx, &state.origin, &state.settings.secret, "reset tried", who.ip, TRIED).await;
    tx.commit().await?;
    Ok(counted?)
}
