//! Personal data of a customer: overview, copy, and erasure, which can be cancelled for three days.

use axum::{
    body::Body,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use shared::{
    domain::tenancy::{audit::AuditAction, org},
    ops::erasure::{self, CustomerErasure, copy, request::ErasurePreview},
    platform::id::CustomerId,
};
use tokio::sync::mpsc::channel;
use tokio_stream::wrappers::ReceiverStream;
use utoipa::ToSchema;

use super::record_change;
use crate::{
    auth::{OrgOwner, RecentlyVerified},
    client_info::RequestContext,
    disposition,
    error::{ApiResult, request_language},
    extract::{Json, PathId},
    openapi::{self, fields},
    state::AppState,
};

/// Chunks buffered for a slow reader.
const AHEAD: usize = 1;

/// What there is of a customer, and what an erasure would leave
#[utoipa::path(get, path = "/api/customers/{id}/personal-data", operation_id = "getPersonalData", tag = "customers",
    security(("session" = ["owner"])),
    params(("id" = Uuid, Path, description = "The customer")),
    responses((status = 200, description = "Counts, and the erasure that waits", body = ErasurePreview),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_personal_data(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<axum::Json<ErasurePreview>> {
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(axum::Json(
        erasure::request::preview_erasure(&mut conn, member.org(), CustomerId(id), request_language()).await?,
    ))
}

/// A copy of a customer's data, as a zip: `data.json` and their files
#[utoipa::path(get, path = "/api/customers/{id}/personal-data/export", operation_id = "exportPersonalData",
    tag = "customers", security(("session" = ["owner"])),
    params(("id" = Uuid, Path, description = "The customer")),
    responses((status = 200, description = "The archive", content_type = "application/zip", body = Vec<u8>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn export_personal_data(
    RecentlyVerified(OrgOwner(member)): RecentlyVerified<OrgOwner>,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<Response> {
    let (now, zone) = (state.origin.now(), org::zone_named(&member.session.org_timezone));
    let taken =
        copy::load_personal_data(&mut state.db()?.begin_snapshot().await?, member.org(), CustomerId(id), now).await?;
    who.record_data_export(&state, &member, AuditAction::PersonalDataExported, Some(id)).await?;
    let (pieces, body) = channel(AHEAD);
    let storage = state.storage.clone();
    tokio::spawn(async move {
        if let Err(e) = copy::stream_personal_data(taken, &storage, (now, zone), &pieces).await {
            tracing::warn!(cause = %e, "a copy of personal data was broken off");
            drop(pieces.send(Err(e)).await);
        }
    });
    let name = format!("customer-{}-{}.zip", id.simple(), now.with_timezone(&zone).format("%Y-%m-%d"));
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_DISPOSITION, disposition::content_disposition(&name, false)),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, Body::from_stream(ReceiverStream::new(body))).into_response())
}

/// The wish to erase a customer, with the name as a proof that this one is meant.
#[derive(Deserialize, ToSchema)]
#[schema(as = ErasureWish)]
pub struct ErasureForm {
    #[serde(default)]
    #[schema(required, schema_with = fields::required_line::<120>)]
    name: String,
}

/// Erases a customer three days from now
///
/// Until then it can be cancelled. The name must be typed exactly as stored.
#[utoipa::path(post, path = "/api/customers/{id}/erasure", operation_id = "eraseCustomer", tag = "customers",
    security(("session" = ["owner"])), request_body = ErasureForm,
    params(("id" = Uuid, Path, description = "The customer")),
    responses((status = 202, description = "It will be done", body = CustomerErasure), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn erase_customer(
    RecentlyVerified(OrgOwner(member)): RecentlyVerified<OrgOwner>,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(form): Json<ErasureForm>,
) -> ApiResult<(StatusCode, axum::Json<CustomerErasure>)> {
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, &state).await?;
    let by = Some(member.account());
    let asked =
        erasure::request::request_erasure(&mut tx, &state.origin, member.org(), CustomerId(id), &form.name, by).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::ErasureAsked, asked.customer_id.0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, axum::Json(asked)))
}

/// Takes the erasure of a customer back, as long as it has not begun
#[utoipa::path(delete, path = "/api/customers/{id}/erasure", operation_id = "keepCustomer", tag = "customers",
    security(("session" = ["owner"])),
    params(("id" = Uuid, Path, description = "The customer")),
    responses((status = 204, description = "Nothing is erased"), openapi::Unauthenticated, openapi::Forbidden,
        openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn keep_customer(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    erasure::request::cancel_erasure(&mut tx, &state.origin, member.org(), CustomerId(id)).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::ErasureUndone, id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}
