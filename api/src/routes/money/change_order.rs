//! Change orders of a job: create and send, preview, list. Later steps use the estimate routes.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use shared::{
    domain::money::estimate::{
        self, DocumentSendResult, EstimateForm, EstimateTarget, EstimateView,
        change::{self, ChangeOrderPreview},
    },
    platform::id::JobId,
};
use utoipa::ToSchema;

use super::estimate::{PreviewFormat, creation::EstimateCreation, load_profile, pdf_response, with_outlooks};
use crate::{
    auth::OrgOffice,
    client_info::RequestContext,
    error::ApiResult,
    extract::{Json, PathId, QueryParams},
    openapi,
    state::AppState,
};

/// A change order that was made, and what became of it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChangeOrderMade)]
pub struct CreatedChangeOrder {
    pub change_order: EstimateView,
    pub delivery: DocumentSendResult,
}

/// Makes a change order, and sends it
///
/// What is added to a job, or taken off it, beside what was agreed before. The customer gets it by email with the file
/// and by text with the link, as far as these ways are open and asked for. It moves the lead nowhere and takes the place
/// of nothing; approved, it adds to what is agreed, billed and done. It has no options; a price below nothing is a
/// credit, and the whole may take something off. With an `Idempotency-Key` a repeated request gets the same one.
#[utoipa::path(post, path = "/api/jobs/{id}/change-orders", operation_id = "makeChangeOrder", tag = "jobs",
    security(("session" = ["owner", "office"])), request_body = EstimateForm,
    params(("id" = Uuid, Path, description = "The job"),
        openapi::IdempotencyKey),
    responses((status = 201, description = "The change order, and by which ways it goes out", body = CreatedChangeOrder),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable, openapi::NoSpace))]
pub async fn create_change_order(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(form): Json<EstimateForm>,
) -> ApiResult<(StatusCode, axum::Json<CreatedChangeOrder>)> {
    let profile = load_profile(&state, &member).await?;
    let (operation, of) = ("change_order", EstimateTarget::Job(JobId(id)));
    let wish =
        EstimateCreation { state: &state, who: &who, member: &member, operation, headers: &headers, of, form: &form };
    let made = wish.create_once(&profile).await?;
    let mut conn = state.db()?.acquire_reader().await?;
    let change_order = estimate::load_view(&mut conn, &state.org_context(&profile), made).await?;
    let delivery = estimate::load_first_delivery(&mut conn, member.org(), made).await?;
    drop(conn);
    let delivery = with_outlooks(&state, member.org(), delivery).await?;
    Ok((StatusCode::CREATED, axum::Json(CreatedChangeOrder { change_order, delivery })))
}

/// Totals of a change order preview
///
/// With what is agreed in all before and after it; or as a PDF that says it is a draft. Nothing is stored.
#[utoipa::path(post, path = "/api/jobs/{id}/change-orders/preview", operation_id = "previewChangeOrder", tag = "jobs",
    security(("session" = ["owner", "office"])), request_body = EstimateForm,
    params(("id" = Uuid, Path, description = "The job"),
        ("format" = inline(Option<PreviewFormat>), Query, description = "json when absent")),
    responses((status = 200, description = "The amounts, or the draft",
            content((ChangeOrderPreview = "application/json"), (String = "application/pdf"))),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn preview_change_order(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
    query: QueryParams,
    Json(form): Json<EstimateForm>,
) -> ApiResult<Response> {
    let format = query.parse_choice::<PreviewFormat>("format")?.unwrap_or(PreviewFormat::Json);
    let profile = load_profile(&state, &member).await?;
    let mut conn = state.db()?.acquire_reader().await?;
    let read = change::build_draft(&mut conn, &state.org_context(&profile), JobId(id), &form).await?;
    drop(conn);
    match format {
        PreviewFormat::Json => Ok(axum::Json(read.to_view()).into_response()),
        PreviewFormat::Pdf => {
            pdf_response("Change order draft.pdf", read.render_draft(&state.storage, &profile).await?)
        }
    }
}

/// The change orders of a job, newest first
#[utoipa::path(get, path = "/api/jobs/{id}/change-orders", operation_id = "listChangeOrders", tag = "jobs",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The job")),
    responses((status = 200, description = "Every version", body = Vec<EstimateView>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn list_change_orders(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<axum::Json<Vec<EstimateView>>> {
    let profile = load_profile(&state, &member).await?;
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(axum::Json(change::view::list_versions(&mut conn, &state.org_context(&profile), JobId(id)).await?))
}
