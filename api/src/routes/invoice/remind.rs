//! Invoices that nobody is reminded of: listed with what ticking each would cause, and ticked.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        money::invoice::dunning::{self, Reminder},
        tenancy::audit::{self, Action},
    },
    platform::id::InvoiceId,
};
use utoipa::ToSchema;

use super::profile;
use crate::{
    auth::OrgOffice,
    client_info::Who,
    error::{ApiError, ApiResult},
    extract::Json,
    openapi,
    routes::org::profile_of,
    state::AppState,
};

/// The open invoices that nobody is reminded of
///
/// With what ticking each would cause: when they would be reminded, by which way, and in which words.
#[utoipa::path(get, path = "/api/invoices/reminders", operation_id = "previewInvoiceReminders", tag = "invoices",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "What is due first comes first", body = Vec<Reminder>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn preview_invoice_reminders(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<Reminder>>> {
    let mut conn = state.db()?.read().await?;
    let profile = profile_of(&mut conn, &member).await?;
    Ok(axum::Json(dunning::unticked(&mut conn, &state.intake(&profile)).await?))
}

/// Invoices to be reminded of.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InvoiceTicks)]
pub struct Ticks {
    #[schema(max_items = 500)]
    invoice_ids: Vec<InvoiceId>,
}

/// How many of them will be reminded of.
#[derive(Serialize, ToSchema)]
#[schema(as = InvoicesTicked)]
pub struct Ticked {
    planned: usize,
}

/// Has invoices reminded of that were there before reminders were turned on
#[utoipa::path(post, path = "/api/invoices/reminders", operation_id = "tickInvoiceReminders", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = Ticks,
    responses((status = 200, description = "How many of them will be reminded of", body = Ticked),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn tick_invoice_reminders(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Json(ticks): Json<Ticks>,
) -> ApiResult<axum::Json<Ticked>> {
    if ticks.invoice_ids.len() > 500 {
        return Err(ApiError::field("invoiceIds", "Please tick at most 500 at once"));
    }
    let profile = profile(&state, &member).await?;
    let mut tx = state.db()?.begin().await?;
    let planned = dunning::tick(&mut tx, &state.intake(&profile), &ticks.invoice_ids).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::DunningTicked, None).await?;
    tx.commit().await?;
    state.wake();
    Ok(axum::Json(Ticked { planned }))
}
