//! Changes of a sent estimate or change order: resend, revise, withdraw, new link.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use shared::{
    domain::{
        money::estimate::{self, DeliveryChannelsForm, DocumentSendResult, EstimateForm, EstimateTarget, EstimateView},
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
        },
    },
    platform::{
        id::EstimateId,
        idempotency::{self, IdempotentRequest},
    },
};
use utoipa::ToSchema;

use super::{creation::EstimateCreation, delivery_headers, load_profile, with_outlooks};
use crate::{
    auth::OrgOffice,
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::{Json, PathId},
    idempotency::idempotency_key,
    openapi,
    state::AppState,
};

/// Sends an estimate again
///
/// By email with the file and by text with the link, unless one of them is refused. With an `Idempotency-Key` a repeated
/// request sends nothing twice.
#[utoipa::path(post, path = "/api/estimates/{id}/send", operation_id = "sendEstimate", tag = "estimates",
    security(("session" = ["owner", "office"])), request_body = DeliveryChannelsForm,
    params(("id" = Uuid, Path, description = "The estimate"),
        openapi::IdempotencyKey),
    responses((status = 202, description = "What is on its way, and what is not", body = DocumentSendResult),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn send_estimate(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(ways): Json<DeliveryChannelsForm>,
) -> ApiResult<(StatusCode, axum::Json<DocumentSendResult>)> {
    let (org, key) = (member.org(), idempotency_key(&headers)?);
    let profile = load_profile(&state, &member).await?;
    let body_hash = Sha256::digest(format!("{id} {ways:?}").as_bytes()).into();
    let keyed = key.as_deref().map(|key| IdempotentRequest { operation: "paper_send", key, body_hash });
    let mut tx = state.db()?.begin().await?;
    if let Some(keyed) = &keyed
        && let Some(earlier) = idempotency::claim_or_load_response(&mut tx, &state.origin, org, keyed).await?
    {
        let sent = serde_json::from_value(earlier).map_err(|e| ApiError::internal(format!("kept answer: {e}")))?;
        return Ok((StatusCode::ACCEPTED, axum::Json(with_outlooks(&state, org, sent).await?)));
    }
    let by = ActivityActor::from_session(&member.session);
    let sent =
        estimate::resend_estimate(&mut tx, &state.org_context(&profile), EstimateId(id), ways.into(), &by).await?;
    if let Some(keyed) = &keyed {
        let answer = serde_json::to_value(&sent).map_err(|e| ApiError::internal(e.to_string()))?;
        idempotency::store_response(&mut tx, org, keyed, &answer).await?;
    }
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::EstimateSent, Some(id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, axum::Json(with_outlooks(&state, org, sent).await?)))
}

/// Makes a new version of an estimate, and sends it
///
/// An open or declined version gives way to it. One that was approved stays as it was signed, until the new one is
/// approved.
#[utoipa::path(post, path = "/api/estimates/{id}/revise", operation_id = "reviseEstimate", tag = "estimates",
    security(("session" = ["owner", "office"])), request_body = EstimateForm,
    params(("id" = Uuid, Path, description = "The estimate"),
        openapi::IdempotencyKey),
    responses((status = 201, description = "The new version", body = EstimateView, headers(
            ("X-Estimate-Id" = Uuid, description = "The estimate"),
            ("X-Estimate-Number" = String, description = "As it is shown: EST-1001"),
            ("X-Sent" = String, description = "By which ways it goes out now: email, sms; empty when by none"),
            ("X-Waiting" = String, description = "Messages that are held, queued or saved as a file, and why: sms: held until 8:00 AM"),
            ("X-Not-Sent" = String, description = "Why not by the others"))),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable, openapi::NoSpace))]
pub async fn revise_estimate(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(form): Json<EstimateForm>,
) -> ApiResult<(StatusCode, HeaderMap, axum::Json<EstimateView>)> {
    let profile = load_profile(&state, &member).await?;
    let (operation, of) = ("estimate_revise", EstimateTarget::Version(EstimateId(id)));
    let wish =
        EstimateCreation { state: &state, who: &who, member: &member, operation, headers: &headers, of, form: &form };
    let made = wish.create_once(&profile).await?;
    let mut conn = state.db()?.acquire_reader().await?;
    let delivery = estimate::load_first_delivery(&mut conn, member.org(), made).await?;
    let shown = estimate::load_view(&mut conn, &state.org_context(&profile), made).await?;
    drop(conn);
    let delivery = with_outlooks(&state, member.org(), delivery).await?;
    Ok((StatusCode::CREATED, delivery_headers(made, &shown.number, &delivery)?, axum::Json(shown)))
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = WithdrawalRequest)]
pub struct WithdrawalForm {
    #[schema(required, schema_with = openapi::fields::required_text::<1000>)]
    pub reason: Option<String>,
}

/// Takes an open estimate back
///
/// Its address says so, what was still to leave about it does not, and the lead is New again where nothing else is open.
#[utoipa::path(post, path = "/api/estimates/{id}/withdraw", operation_id = "withdrawEstimate", tag = "estimates",
    security(("session" = ["owner", "office"])), request_body = WithdrawalForm,
    params(("id" = Uuid, Path, description = "The estimate")),
    responses((status = 200, description = "The estimate as it is now", body = EstimateView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn withdraw_estimate(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(asked): Json<WithdrawalForm>,
) -> ApiResult<axum::Json<EstimateView>> {
    let profile = load_profile(&state, &member).await?;
    let (ctx, by) = (state.org_context(&profile), ActivityActor::from_session(&member.session));
    let mut tx = state.db()?.begin().await?;
    estimate::withdraw_estimate(&mut tx, &ctx, EstimateId(id), asked.reason.as_deref(), &by).await?;
    let (actor, org) = (who.actor_for(&member), member.org());
    audit::record(&mut tx, &state.origin, &actor, org, AuditAction::EstimateWithdrawn, Some(id)).await?;
    let shown = estimate::load_view(&mut tx, &ctx, EstimateId(id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(shown))
}

/// What is to become of the address.
#[derive(Debug, Deserialize, ToSchema)]
pub struct LinkRequest {
    /// Always true: the former address no longer works.
    revoke: bool,
}

impl LinkRequest {
    /// Errors: when nothing is asked for.
    pub fn validate_form(&self) -> ApiResult<()> {
        if self.revoke {
            Ok(())
        } else {
            Err(ApiError::invalid_field("revoke", "Say true to take the old address back"))
        }
    }
}

/// Gives an estimate a new address
#[utoipa::path(post, path = "/api/estimates/{id}/link", operation_id = "renewEstimateLink", tag = "estimates",
    security(("session" = ["owner", "office"])), request_body = LinkRequest,
    params(("id" = Uuid, Path, description = "The estimate")),
    responses((status = 200, description = "The estimate with its new address", body = EstimateView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn renew_estimate_link(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(asked): Json<LinkRequest>,
) -> ApiResult<axum::Json<EstimateView>> {
    asked.validate_form()?;
    let profile = load_profile(&state, &member).await?;
    let mut tx = state.db()?.begin().await?;
    estimate::rotate_link(&mut tx, &state.origin, member.org(), EstimateId(id)).await?;
    let (actor, org) = (who.actor_for(&member), member.org());
    audit::record(&mut tx, &state.origin, &actor, org, AuditAction::LinkRevoked, Some(id)).await?;
    let shown = estimate::load_view(&mut tx, &state.org_context(&profile), EstimateId(id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(shown))
}
