//! A person's own account: how it is kept safe, where they are signed in, and their password.

use axum::{
    Json as Body,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    domain::tenancy::{
        account::{
            self, reset, second_factor,
            security_email::{self, SecurityEvent},
        },
        api_key,
        audit::{self, Action},
        security::device,
        session::{self, Device},
    },
    platform::{db::Tx, error::FieldErrors},
};
use utoipa::ToSchema;

use super::session::{prove, renewed};
use crate::{
    auth::OrgMember,
    client_info::Who,
    error::ApiResult,
    extract::{Id, Json},
    openapi::{self, fields},
    state::AppState,
};

pub mod offline;
pub mod passkeys;
pub mod second_step;

/// How somebody's account is kept safe.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccountSafety {
    password_changed_at: DateTime<Utc>,
    second_factor: second_factor::View,
    /// Keys for other programs that they made.
    keys: i64,
    /// Whether they proved who they are a short while ago: what asks for that is allowed now.
    is_fresh: bool,
}

/// How one's account is kept safe
#[utoipa::path(get, path = "/api/account", operation_id = "getAccount", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "The password's age, and the second factor", body = AccountSafety),
        openapi::Unauthenticated, openapi::Unavailable))]
pub async fn get_account(member: OrgMember, State(state): State<AppState>) -> ApiResult<Body<AccountSafety>> {
    let mut conn = state.db()?.read().await?;
    let (org, account) = (member.org(), member.account());
    Ok(Body(AccountSafety {
        password_changed_at: account::password_changed_at(&mut conn, org, account).await?,
        second_factor: second_factor::view(&mut conn, org, account).await?,
        keys: api_key::count_of(&mut conn, org, account).await?,
        is_fresh: member.is_fresh(state.origin.now()).is_ok(),
    }))
}

/// The devices one is signed in on
#[utoipa::path(get, path = "/api/account/devices", operation_id = "listSignedInDevices", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "This one first, then the latest", body = Vec<Device>),
        openapi::Unauthenticated, openapi::Unavailable))]
pub async fn list_signed_in_devices(member: OrgMember, State(state): State<AppState>) -> ApiResult<Body<Vec<Device>>> {
    // Who looks at the demonstration is signed in nowhere, and sees nobody's devices.
    if member.is_demo() {
        return Ok(Body(Vec::new()));
    }
    let mut conn = state.db()?.read().await?;
    let (org, account) = (member.org(), member.account());
    Ok(Body(session::list(&mut conn, state.origin.now(), org, account, &member.token).await?))
}

/// Signs one of one's devices out
#[utoipa::path(delete, path = "/api/account/devices/{id}", operation_id = "signOutDevice", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    params(("id" = uuid::Uuid, Path, description = "The device")),
    responses((status = 204, description = "It is signed out, and gets no alerts any more"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn sign_out_device(
    member: OrgMember,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    session::end_device(&mut tx, &state.origin, member.org(), member.account(), id).await?;
    let (actor, action) = (who.actor(&member), Action::DeviceSignedOut);
    audit::record(&mut tx, &state.origin, &actor, member.org(), action, Some(member.account().0)).await?;
    tx.commit().await?;
    state.wake();
    Ok(StatusCode::NO_CONTENT)
}

/// Signs all of one's other devices out
#[utoipa::path(delete, path = "/api/account/devices", operation_id = "signOutOtherDevices", tag = "account",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 204, description = "Only this one is signed in, and gets alerts"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn sign_out_other_devices(
    member: OrgMember,
    State(state): State<AppState>,
    who: Who,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    session::end_others(&mut tx, &state.origin, member.org(), member.account(), &member.token).await?;
    let (actor, action) = (who.actor(&member), Action::OtherDevicesSignedOut);
    audit::record(&mut tx, &state.origin, &actor, member.org(), action, Some(member.account().0)).await?;
    tx.commit().await?;
    state.wake();
    Ok(StatusCode::NO_CONTENT)
}

/// One's password, and the one that takes its place.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasswordChange {
    #[schema(value_type = String, required, format = Password, min_length = 1)]
    current_password: Option<String>,
    #[schema(required, schema_with = fields::new_password)]
    new_password: Option<String>,
    /// Whether the keys that they made for other programs are taken away too: for who thinks that somebody else knows the
    /// password. Absent is no.
    #[serde(default)]
    #[schema(required = false)]
    takes_keys_away: bool,
}

/// Changes one's password
///
/// Every other device is signed out and gets no alerts any more; a mail tells of it. Who signs in with a code too has to
/// have proved it within the last fifteen minutes.
#[utoipa::path(post, path = "/api/account/password", operation_id = "changePassword", tag = "account",
    security(("session" = ["owner", "office", "crew"])), request_body = PasswordChange,
    responses((status = 204, description = "Changed; the cookie is a new one"),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn change_password(
    member: OrgMember,
    State(state): State<AppState>,
    who: Who,
    Json(form): Json<PasswordChange>,
) -> ApiResult<(StatusCode, HeaderMap)> {
    let takes_keys = form.takes_keys_away;
    let (typed, new) = form.check()?;
    // The password is half of what they sign in with: it does not stand for the other half.
    if member.session.two_factor_enabled {
        member.is_fresh(state.origin.now())?;
    }
    fits(&state, &member, &new).await?;
    let place = prove::turn(&state, &who, &member).await?;
    let proved = prove::password(&state, &who, &member, &place, (typed, "currentPassword")).await?;
    let hash = place.hash(new).await?;
    drop(place);
    let mut tx = state.db()?.begin().await?;
    proved.clear(&mut tx, state.origin.now()).await?;
    account::set_password(&mut tx, &state.origin, &proved.account, &hash).await?;
    let done = (Action::PasswordChanged, SecurityEvent::PasswordChanged);
    let cookie = ends_elsewhere(&mut tx, &state, &who, &member, done).await?;
    if takes_keys {
        // After their sessions, which wait for a key that is being made.
        api_key::revoke_of(&mut tx, &state.origin, member.org(), member.account()).await?;
    }
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::NO_CONTENT, cookie))
}

/// Looked at first: a new password that does not fit is no try at guessing the old one.
async fn fits(state: &AppState, member: &OrgMember, new: &str) -> ApiResult<()> {
    let mut conn = state.db()?.read().await?;
    let account = account::get(&mut conn, member.org(), member.account()).await?;
    Ok(reset::check(&mut conn, &account, new, "newPassword").await?)
}

impl PasswordChange {
    fn check(self) -> ApiResult<(String, String)> {
        let mut errors = FieldErrors::default();
        let (typed, new) = (self.current_password.unwrap_or_default(), self.new_password.unwrap_or_default());
        if typed.is_empty() {
            errors.add("currentPassword", "Password is required");
        }
        if new.is_empty() {
            errors.add("newPassword", "Choose a new password");
        } else if new == typed {
            errors.add("newPassword", "This is the password you have. Choose another one");
        }
        errors.finish()?;
        Ok((typed, new))
    }
}

/// What follows every change of what somebody signs in with: all their other devices are out and known no more, this one
/// has a new session, a mail tells of it, and it is written down (trust requirements 53 and 55).
async fn ends_elsewhere(
    tx: &mut Tx,
    state: &AppState,
    who: &Who,
    member: &OrgMember,
    (action, event): (Action, SecurityEvent<'_>),
) -> ApiResult<HeaderMap> {
    let (org, id) = (member.org(), member.account());
    let account = account::get(&mut *tx, org, id).await?;
    session::end_others(&mut *tx, &state.origin, org, id, &member.token).await?;
    device::forget(&mut *tx, &state.origin, org, id, who.device.as_deref()).await?;
    security_email::tell(&mut *tx, &state.origin, &state.settings.public_url, &account, event).await?;
    audit::record(&mut *tx, &state.origin, &who.actor(member), org, action, Some(id.0)).await?;
    renewed(tx, state, &member.token).await
}
