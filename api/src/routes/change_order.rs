//! Change orders of a job: made and sent, looked at before they are, and listed. Whatever becomes of one afterwards goes
//! through the routes of estimates.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use shared::{
    domain::money::estimate::{
        self, Delivery, EstimateForm, EstimateView, Of,
        change::{self, PreviewView},
    },
    platform::id::JobId,
};
use utoipa::ToSchema;

use super::estimate::{PreviewFormat, foreseen, make::Wish, pdf, profile};
use crate::{
    auth::OrgOffice,
    client_info::Who,
    error::ApiResult,
    extract::{Id, Json, Query},
    openapi,
    state::AppState,
};

/// A change order that was made, and what became of it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeOrderMade {
    pub change_order: EstimateView,
    pub delivery: Delivery,
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
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 201, description = "The change order, and by which ways it goes out", body = ChangeOrderMade),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable, openapi::NoSpace))]
pub async fn make_change_order(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    headers: HeaderMap,
    Json(form): Json<EstimateForm>,
) -> ApiResult<(StatusCode, axum::Json<ChangeOrderMade>)> {
    let profile = profile(&state, &member).await?;
    let (operation, of) = ("change_order", Of::Job(JobId(id)));
    let wish = Wish { state: &state, who: &who, member: &member, operation, headers: &headers, of, form: &form };
    let made = wish.make(&profile).await?;
    let mut conn = state.db()?.read().await?;
    let change_order = estimate::view(&mut conn, &state.intake(&profile), made).await?;
    let delivery = estimate::first_delivery(&mut conn, member.org(), made).await?;
    drop(conn);
    let delivery = foreseen(&state, member.org(), delivery).await?;
    Ok((StatusCode::CREATED, axum::Json(ChangeOrderMade { change_order, delivery })))
}

/// What a change order would come to
///
/// With what is agreed in all before and after it; or as a PDF that says it is a draft. Nothing is stored.
#[utoipa::path(post, path = "/api/jobs/{id}/change-orders/preview", operation_id = "previewChangeOrder", tag = "jobs",
    security(("session" = ["owner", "office"])), request_body = EstimateForm,
    params(("id" = Uuid, Path, description = "The job"),
        ("format" = inline(Option<PreviewFormat>), Query, description = "json when absent")),
    responses((status = 200, description = "The amounts, or the draft",
            content((PreviewView = "application/json"), (String = "application/pdf"))),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn preview_change_order(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    Id(id): Id,
    query: Query,
    Json(form): Json<EstimateForm>,
) -> ApiResult<Response> {
    let format = query.choice::<PreviewFormat>("format")?.unwrap_or(PreviewFormat::Json);
    let profile = profile(&state, &member).await?;
    let mut conn = state.db()?.read().await?;
    let read = change::read(&mut conn, &state.intake(&profile), JobId(id), &form).await?;
    drop(conn);
    match format {
        PreviewFormat::Json => Ok(axum::Json(read.totals()).into_response()),
        PreviewFormat::Pdf => pdf("Change order draft.pdf", read.draft(&state.storage, &profile).await?),
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
    Id(id): Id,
) -> ApiResult<axum::Json<Vec<EstimateView>>> {
    let profile = profile(&state, &member).await?;
    let mut conn = state.db()?.read().await?;
    Ok(axum::Json(change::view::list(&mut conn, &state.intake(&profile), JobId(id)).await?))
}
