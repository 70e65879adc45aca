//! The operator's decisions: businesses that may send without payment, and invitations to register.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Deserialize;
use shared::{
    domain::tenancy::{
        audit::{self, AuditAction},
        registration, trust_level,
    },
    platform::{
        db::tenant_scope::across_tenants,
        email_address::EmailAddress,
        id::OrgId,
        live::{self, Topic},
        text, throttle,
    },
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgMember, RecentlyVerified},
    client_info::RequestContext,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Json as Typed, PathId},
    idempotency::IdempotentOperation,
    openapi::{self, fields},
    routes::tenancy::account_mail_status,
    state::AppState,
};

/// Invitations per address and hour.
const INVITED: i64 = 5;

/// Errors: 403 for other callers, 404 for the demonstration's viewer.
fn require_operator(member: OrgMember, state: &AppState) -> ApiResult<OrgMember> {
    let member = member.reject_demo()?;
    if !state.is_operator(&member.session) {
        return Err(ApiError::new(ErrorCode::Forbidden, "This is for the operator of this install."));
    }
    Ok(member)
}

/// Lets a business send without payment
///
/// For the operator of the install. Written into the log of that business.
#[utoipa::path(put, path = "/api/admin/businesses/{id}/let-through", operation_id = "letBusinessThrough",
    tag = "security", security(("session" = ["operator"])),
    params(("id" = uuid::Uuid, Path, description = "The business")),
    responses((status = 204, description = "It may send without payment"), openapi::Unauthenticated, openapi::Forbidden,
        openapi::NotFound, openapi::Unavailable))]
pub async fn approve_business(
    RecentlyVerified(member): RecentlyVerified<OrgMember>,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<StatusCode> {
    set_approval(&state, &who, member, (OrgId(id), true)).await
}

/// Takes back that a business may send without payment
///
/// From now on the budgets of its step hold again.
#[utoipa::path(delete, path = "/api/admin/businesses/{id}/let-through", operation_id = "undoLetBusinessThrough",
    tag = "security", security(("session" = ["operator"])),
    params(("id" = uuid::Uuid, Path, description = "The business")),
    responses((status = 204, description = "It can no longer send without payment"), openapi::Unauthenticated,
        openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn undo_approve_business(
    RecentlyVerified(member): RecentlyVerified<OrgMember>,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<StatusCode> {
    set_approval(&state, &who, member, (OrgId(id), false)).await
}

async fn set_approval(
    state: &AppState,
    who: &RequestContext,
    member: OrgMember,
    (org, is_let): (OrgId, bool),
) -> ApiResult<StatusCode> {
    let member = require_operator(member, state)?;
    let mut tx = across_tenants(state.db()?.begin()).await?;
    if trust_level::set_operator_approval(&mut tx, &state.origin, org, is_let).await? {
        let action = if is_let { AuditAction::BusinessLetThrough } else { AuditAction::BusinessLetThroughUndone };
        audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, action, Some(org.0)).await?;
        live::publish_event(&mut tx, &state.origin, org, Topic::Settings, org.0, None).await?;
    }
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}

/// Whom the operator invites.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct BusinessInvitation {
    #[schema(required, schema_with = fields::email_address)]
    email: Option<String>,
}

/// Invites a person to register a business
///
/// For the operator of the install. The link goes to that address, is good for 14 days and for that address alone, and
/// works whatever `REGISTRATION` says. With an `Idempotency-Key` a repeated request sends nothing twice.
#[utoipa::path(post, path = "/api/admin/businesses/invite", operation_id = "inviteBusiness", tag = "security",
    security(("session" = ["operator"])), request_body = BusinessInvitation,
    params(openapi::IdempotencyKey),
    responses((status = 202, description = "The mail is on its way", headers(
            ("X-Waiting" = String, description = "Why it does not leave now: email: saved as a file"))),
        openapi::BadRequest, openapi::Unauthenticated,
        openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn invite_business(
    RecentlyVerified(member): RecentlyVerified<OrgMember>,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Typed(form): Typed<BusinessInvitation>,
) -> ApiResult<(StatusCode, HeaderMap)> {
    let member = require_operator(member, &state)?;
    let once = IdempotentOperation::new("business_invite", &headers, &format!("{form:?}"))?;
    let typed = form.email.as_deref().unwrap_or_default();
    let email = EmailAddress::parse(typed)
        .ok_or_else(|| ApiError::invalid_field("email", text::invalid_email_reason(typed)))?;
    let (origin, secret, org) = (&state.origin, &state.settings.secret, member.org());
    let mut tx = state.db()?.begin().await?;
    if once.find_stored_response::<OrgId>(&mut tx, &state, org).await?.is_some() {
        return Ok((StatusCode::ACCEPTED, account_mail_status::waiting_headers(&state).await?));
    }
    once.store_response(&mut tx, org, &org).await?;
    throttle::count_mail(&mut tx, origin, secret, ("business invites", INVITED), email.as_str()).await?;
    registration::send_invitation(&mut tx, origin, secret, &state.settings.public_url, &email).await?;
    audit::record(&mut tx, origin, &who.actor_for(&member), org, AuditAction::BusinessInvited, None).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, account_mail_status::waiting_headers(&state).await?))
}
