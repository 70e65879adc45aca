//! Trust levels (docs/trust-levels.md): proof of an email address, limits of an unknown business, the operator's
//! decision.

use axum::{Json, extract::State, http::StatusCode};
use serde::Serialize;
use shared::domain::tenancy::{
    audit::{self, AuditAction},
    org,
    registration::{self, RegistrationMode},
    trust_level::{
        inherited,
        view::{self, TrustView},
    },
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgMember, OrgOffice, OrgOwner, RecentlyVerified, Visitor},
    client_info::RequestContext,
    error::ApiResult,
    openapi,
    state::AppState,
};

pub mod address_proof;
pub mod operator;

/// Who may register a business here.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistrationInfo {
    mode: RegistrationMode,
    /// The message for people who may not register; null where registration is open.
    notice: Option<&'static str>,
    /// Whether this install shows the demonstration.
    has_demo: bool,
}

/// Who may register
#[utoipa::path(get, path = "/api/auth/registration", operation_id = "getRegistration", tag = "auth",
    responses((status = 200, description = "State of registration", body = RegistrationInfo), openapi::Unavailable))]
pub async fn get_registration(_: Visitor, State(state): State<AppState>) -> ApiResult<Json<RegistrationInfo>> {
    let settings = &state.settings;
    let mut conn = state.db()?.acquire_reader().await?;
    let mode = registration::effective_mode(&mut conn, settings.registration, settings.billing.is_some()).await?;
    Ok(Json(RegistrationInfo { mode, notice: mode.refusal_message(), has_demo: state.config.has_demo }))
}

/// Removes what was set before the address was proven
///
/// Wordings, canned replies, prices, webhooks, settings, switches, periods of storage, links, logo and printed lines, crews,
/// the key for reviews and the addresses of crew calendars: the defaults apply instead. Asks for a sign-in that is not
/// older than 15 minutes.
#[utoipa::path(post, path = "/api/trust/inherited/reset", operation_id = "resetInheritedSetup", tag = "settings",
    security(("session" = ["owner"])),
    responses((status = 204, description = "It is removed"), openapi::Unauthenticated, openapi::Forbidden,
        openapi::Unavailable))]
pub async fn reset_inherited_setup(
    RecentlyVerified(OrgOwner(member)): RecentlyVerified<OrgOwner>,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<StatusCode> {
    decide_inherited_setup(&state, &who, &member, AuditAction::InheritedSetupReset).await
}

/// Keeps what was set before the address was proven
#[utoipa::path(post, path = "/api/trust/inherited/keep", operation_id = "keepInheritedSetup", tag = "settings",
    security(("session" = ["owner"])),
    responses((status = 204, description = "It is shown no more"), openapi::Unauthenticated, openapi::Forbidden,
        openapi::Unavailable))]
pub async fn keep_inherited_setup(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<StatusCode> {
    decide_inherited_setup(&state, &who, &member, AuditAction::InheritedSetupKept).await
}

async fn decide_inherited_setup(
    state: &AppState,
    who: &RequestContext,
    member: &OrgMember,
    action: AuditAction,
) -> ApiResult<StatusCode> {
    let (origin, org) = (&state.origin, member.org());
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, org).await?;
    if action == AuditAction::InheritedSetupReset {
        inherited::reset_inherited(&mut tx, origin, org).await?;
    } else {
        inherited::accept_inherited(&mut tx, origin, org).await?;
    }
    audit::record(&mut tx, origin, &who.actor_for(member), org, action, Some(org.0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}

/// What the business can send
///
/// Its step of trust, what opens the next, and what of each budget is used.
#[utoipa::path(get, path = "/api/trust", operation_id = "getTrust", tag = "settings",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "State of the business", body = TrustView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn get_trust(OrgOffice(member): OrgOffice, State(state): State<AppState>) -> ApiResult<Json<TrustView>> {
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(Json(view::load_trust_view(&mut conn, member.org(), state.send_channels(), state.origin.now()).await?))
}
