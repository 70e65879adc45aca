//! Invoices without reminders: list with the effect of enabling each, and enabling.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        money::invoice::dunning::{self, InvoiceReminder},
        tenancy::audit::{self, AuditAction},
    },
    platform::id::InvoiceId,
};
use utoipa::ToSchema;

use super::read_profile;
use crate::{
    auth::OrgOffice,
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::Json,
    openapi,
    routes::tenancy::org::load_profile,
    state::AppState,
};

/// Open invoices without reminders
///
/// With what ticking each would cause: when they would be reminded, by which way, and in which words.
#[utoipa::path(get, path = "/api/invoices/reminders", operation_id = "previewInvoiceReminders", tag = "invoices",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "What is due first comes first", body = Vec<InvoiceReminder>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn preview_invoice_reminders(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<InvoiceReminder>>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    Ok(axum::Json(dunning::list_unreminded(&mut conn, &state.org_context(&profile)).await?))
}

/// Invoices to be reminded of.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InvoiceTicks)]
pub struct InvoiceReminderSwitches {
    #[schema(max_items = 500)]
    invoice_ids: Vec<InvoiceId>,
}

/// How many of them will be reminded of.
#[derive(Serialize, ToSchema)]
#[schema(as = InvoicesTicked)]
pub struct InvoiceRemindersChanged {
    planned: usize,
}

/// Has invoices reminded of that were there before reminders were turned on
#[utoipa::path(post, path = "/api/invoices/reminders", operation_id = "tickInvoiceReminders", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = InvoiceReminderSwitches,
    responses((status = 200, description = "How many of them will be reminded of", body = InvoiceRemindersChanged),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn tick_invoice_reminders(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    Json(ticks): Json<InvoiceReminderSwitches>,
) -> ApiResult<axum::Json<InvoiceRemindersChanged>> {
    if ticks.invoice_ids.len() > 500 {
        return Err(ApiError::invalid_field("invoiceIds", "Please choose at most 500 at a time"));
    }
    let profile = read_profile(&state, &member).await?;
    let mut tx = state.db()?.begin().await?;
    let planned = dunning::enable_reminders(&mut tx, &state.org_context(&profile), &ticks.invoice_ids).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::DunningTicked, None)
        .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(InvoiceRemindersChanged { planned }))
}
