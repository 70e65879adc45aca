//! Changes of an invoice other than sending: draft edits and deletion; voiding, promises and disputes.

use axum::{extract::State, http::StatusCode};
use serde::Deserialize;
use shared::{
    domain::{
        money::invoice::{self, InvoicePatch, InvoiceView},
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
            org::OrgContext,
        },
    },
    platform::{db::Tx, id::InvoiceId},
};
use utoipa::ToSchema;

use super::read_profile;
use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::ApiResult,
    extract::{Json, PathId},
    openapi,
    routes::money::estimate::change::{LinkRequest, WithdrawalForm},
    state::AppState,
};

async fn commit_change(
    mut tx: Tx,
    (state, who, member): (&AppState, &RequestContext, &OrgMember),
    ctx: &OrgContext<'_>,
    action: AuditAction,
    id: InvoiceId,
) -> ApiResult<axum::Json<InvoiceView>> {
    audit::record(&mut tx, &state.origin, &who.actor_for(member), member.org(), action, Some(id.0)).await?;
    let shown = invoice::load_view(&mut tx, ctx, id).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(shown))
}

/// Changes a draft
///
/// What is absent stays. What has gone out is never changed.
#[utoipa::path(patch, path = "/api/invoices/{id}", operation_id = "changeInvoice", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = InvoicePatch,
    params(("id" = Uuid, Path, description = "The invoice")),
    responses((status = 200, description = "The draft as it is now", body = InvoiceView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn change_invoice(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(patch): Json<InvoicePatch>,
) -> ApiResult<axum::Json<InvoiceView>> {
    let profile = read_profile(&state, &member).await?;
    let ctx = state.org_context(&profile);
    let mut tx = state.db()?.begin().await?;
    invoice::update_draft(&mut tx, &ctx, InvoiceId(id), &patch).await?;
    commit_change(tx, (&state, &who, &member), &ctx, AuditAction::InvoiceChanged, InvoiceId(id)).await
}

/// Throws a draft away
///
/// It had no number, so none is missing. What has gone out is voided instead.
#[utoipa::path(delete, path = "/api/invoices/{id}", operation_id = "removeInvoice", tag = "invoices",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The invoice")),
    responses((status = 204, description = "It is gone"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn remove_invoice(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<StatusCode> {
    let profile = read_profile(&state, &member).await?;
    let mut tx = state.db()?.begin().await?;
    invoice::delete_draft(&mut tx, &state.org_context(&profile), InvoiceId(id)).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::InvoiceRemoved, Some(id))
        .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}

/// Takes an invoice back
///
/// It keeps its number and asks for nothing; messages about it that still wait are not sent. What was paid of it is
/// the customer's credit: it pays what else is open of their work or the next invoice, or is refunded.
#[utoipa::path(post, path = "/api/invoices/{id}/void", operation_id = "voidInvoice", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = WithdrawalForm,
    params(("id" = Uuid, Path, description = "The invoice")),
    responses((status = 200, description = "The invoice as it is now", body = InvoiceView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn void_invoice(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(asked): Json<WithdrawalForm>,
) -> ApiResult<axum::Json<InvoiceView>> {
    let profile = read_profile(&state, &member).await?;
    let (ctx, by) = (state.org_context(&profile), ActivityActor::from_session(&member.session));
    let mut tx = state.db()?.begin().await?;
    invoice::void_invoice(&mut tx, &ctx, InvoiceId(id), asked.reason.as_deref(), &by).await?;
    commit_change(tx, (&state, &who, &member), &ctx, AuditAction::InvoiceVoided, InvoiceId(id)).await
}

/// By when they promised to pay.
#[derive(Debug, Deserialize, ToSchema)]
pub struct PromiseRequest {
    /// Null takes the promise away.
    #[serde(default)]
    #[schema(value_type = Option<chrono::NaiveDate>)]
    on: Option<String>,
}

/// Notes by when the customer promised to pay
///
/// Reminders rest until then, and begin anew after it.
#[utoipa::path(post, path = "/api/invoices/{id}/promise", operation_id = "promiseInvoice", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = PromiseRequest,
    params(("id" = Uuid, Path, description = "The invoice")),
    responses((status = 200, description = "The invoice as it is now", body = InvoiceView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn promise_invoice(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(asked): Json<PromiseRequest>,
) -> ApiResult<axum::Json<InvoiceView>> {
    let profile = read_profile(&state, &member).await?;
    let (ctx, by) = (state.org_context(&profile), ActivityActor::from_session(&member.session));
    let mut tx = state.db()?.begin().await?;
    invoice::set_promised_date(&mut tx, &ctx, InvoiceId(id), asked.on.as_deref(), &by).await?;
    commit_change(tx, (&state, &who, &member), &ctx, AuditAction::PromiseSet, InvoiceId(id)).await
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DisputeRequest)]
pub struct DisputeForm {
    is_disputed: bool,
    #[schema(schema_with = openapi::fields::nullable_text::<1000>)]
    reason: Option<String>,
}

/// Notes that the customer disputes an invoice, or does so no more
///
/// Reminders pause until it is settled.
#[utoipa::path(post, path = "/api/invoices/{id}/dispute", operation_id = "disputeInvoice", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = DisputeForm,
    params(("id" = Uuid, Path, description = "The invoice")),
    responses((status = 200, description = "The invoice as it is now", body = InvoiceView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn dispute_invoice(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(asked): Json<DisputeForm>,
) -> ApiResult<axum::Json<InvoiceView>> {
    let profile = read_profile(&state, &member).await?;
    let (ctx, by) = (state.org_context(&profile), ActivityActor::from_session(&member.session));
    let mut tx = state.db()?.begin().await?;
    let asked = (asked.is_disputed, asked.reason.as_deref());
    invoice::set_disputed(&mut tx, &ctx, InvoiceId(id), asked, &by).await?;
    commit_change(tx, (&state, &who, &member), &ctx, AuditAction::DisputeSet, InvoiceId(id)).await
}

/// Gives an invoice a new address
///
/// The previous address stops working.
#[utoipa::path(post, path = "/api/invoices/{id}/link", operation_id = "renewInvoiceLink", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = LinkRequest,
    params(("id" = Uuid, Path, description = "The invoice")),
    responses((status = 200, description = "The invoice with its new address", body = InvoiceView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn renew_invoice_link(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(asked): Json<LinkRequest>,
) -> ApiResult<axum::Json<InvoiceView>> {
    asked.validate_form()?;
    let profile = read_profile(&state, &member).await?;
    let mut tx = state.db()?.begin().await?;
    invoice::rotate_link(&mut tx, &state.origin, member.org(), InvoiceId(id)).await?;
    commit_change(tx, (&state, &who, &member), &state.org_context(&profile), AuditAction::LinkRevoked, InvoiceId(id))
        .await
}
