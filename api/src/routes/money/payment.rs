//! Payments of a lead: "Mark as Paid", list, undo, refunds and receipts.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::Value;
use shared::{
    conflicts::ConflictReason,
    domain::{
        money::{
            estimate::DocumentSendResult,
            ledger::{self, LeadMoney, PaymentForm, PaymentView, RefundForm, receipt::PaymentReceipt},
        },
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
            org::{self, OrgProfile},
        },
    },
    platform::{
        db::AsConn,
        error::Error,
        id::{LeadId, PaymentId},
    },
    views::lead::{self as view, LeadSummary},
};
use utoipa::ToSchema;

use super::estimate::with_outlooks;
use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::{Json, PathId},
    idempotency::IdempotentOperation,
    openapi,
    routes::tenancy::org::load_profile,
    state::AppState,
};

pub mod list;
pub mod refund_resolution;
mod refundable_amount;

/// The recorded payment, and the lead's stage.
#[derive(Serialize, ToSchema)]
#[schema(as = LeadPaid)]
pub struct RecordedPayment {
    #[serde(flatten)]
    money: LeadMoney,
    payment: PaymentView,
    lead: LeadSummary,
}

/// The refund, and the lead's amounts after it.
#[derive(Serialize, ToSchema)]
#[schema(as = LeadRefunded)]
pub struct RecordedRefund {
    #[serde(flatten)]
    money: LeadMoney,
    payment: PaymentView,
}

async fn load_lead_money(
    conn: &mut dyn AsConn,
    state: &AppState,
    profile: &OrgProfile,
    lead: LeadId,
) -> ApiResult<LeadMoney> {
    let now = state.origin.now();
    Ok(ledger::load_lead_money(conn, profile.org.id, lead, now, ledger::org_today(profile, now)).await?)
}

/// Marks a lead as paid
///
/// Records what was paid. Unless it is a part, the lead becomes Paid, and what was agreed beyond it is written off in a
/// row of its own; a part leaves the rest owed, and the lead becomes Paid when nothing is. With an `Idempotency-Key` a
/// repeated request records nothing twice.
#[utoipa::path(post, path = "/api/leads/{id}/paid", operation_id = "markPaid", tag = "money",
    security(("session" = ["owner", "office"])), request_body = PaymentForm,
    params(("id" = Uuid, Path, description = "The lead"),
        openapi::IdempotencyKey),
    responses((status = 200, description = "The recorded payment, and the lead's stage", body = RecordedPayment),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn mark_paid(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(form): Json<PaymentForm>,
) -> ApiResult<axum::Json<Value>> {
    let (org, lead) = (member.org(), LeadId(id));
    let once = IdempotentOperation::new("paid", &headers, &format!("{id} {form:?}"))?;
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = once.find_stored_response(&mut tx, &state, org).await? {
        return Ok(axum::Json(answer));
    }
    let profile = load_profile(&mut tx, &member).await?;
    let new = form.to_new_payment(lead, ledger::org_today(&profile, state.origin.now()))?;
    let payment =
        ledger::record_payment(&mut tx, &state.origin, &profile, &new, &ActivityActor::from_session(&member.session))
            .await?;
    let subject = Some(payment.id.0);
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::PaymentRecorded, subject).await?;
    let money = load_lead_money(&mut tx, &state, &profile, lead).await?;
    let lead = view::get(&mut tx, &state.origin, org, lead).await?.summary;
    let answer = once.store_response(&mut tx, org, &RecordedPayment { money, payment, lead }).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(answer))
}

/// The money of a lead
#[utoipa::path(get, path = "/api/leads/{id}/money", operation_id = "getLeadMoney", tag = "money",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The lead")),
    responses((status = 200, description = "What was agreed, paid and is owed, with every payment", body = LeadMoney),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_lead_money(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<axum::Json<LeadMoney>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    Ok(axum::Json(load_lead_money(&mut conn, &state, &profile, LeadId(id)).await?))
}

/// Takes a payment back
///
/// Within a minute after it was recorded, with what followed from it: the stage, what was written off, the receipt.
#[utoipa::path(post, path = "/api/payments/{id}/undo", operation_id = "undoPayment", tag = "money",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The payment or refund")),
    responses((status = 200, description = "The money of the lead without it", body = LeadMoney),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn undo_payment(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<axum::Json<LeadMoney>> {
    let (org, by) = (member.org(), ActivityActor::from_session(&member.session));
    let mut tx = state.db()?.begin().await?;
    let lead = ledger::undo_payment(&mut tx, &state.origin, org, PaymentId(id), &by).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::PaymentUndone, Some(id)).await?;
    let profile = load_profile(&mut tx, &member).await?;
    let money = load_lead_money(&mut tx, &state, &profile, lead).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(money))
}

/// Records a refund
///
/// Of one payment, all or a part of it. What goes back to a card is never more than Stripe says is left. With an
/// `Idempotency-Key` a repeated request records nothing twice.
#[utoipa::path(post, path = "/api/payments/{id}/refund", operation_id = "refundPayment", tag = "money",
    security(("session" = ["owner", "office"])), request_body = RefundForm,
    params(("id" = Uuid, Path, description = "The payment"),
        openapi::IdempotencyKey),
    responses((status = 200, description = "The refund, and the lead's amounts after it", body = RecordedRefund),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn refund_payment(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(form): Json<RefundForm>,
) -> ApiResult<axum::Json<Value>> {
    let org = member.org();
    let once = IdempotentOperation::new("refund", &headers, &format!("{id} {form:?}"))?;
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = once.find_stored_response(&mut tx, &state, org).await? {
        return Ok(axum::Json(answer));
    }
    drop(tx);
    let new = form.to_new_refund()?;
    refundable_amount::check_refundable(&state, &member, PaymentId(id), &new).await?;
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = once.find_stored_response(&mut tx, &state, org).await? {
        return Ok(axum::Json(answer));
    }
    let (profile, by) = (load_profile(&mut tx, &member).await?, ActivityActor::from_session(&member.session));
    let payment = ledger::record_refund(&mut tx, &state.origin, &profile, PaymentId(id), &new, &by).await?;
    let subject = Some(payment.id.0);
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::PaymentRefunded, subject).await?;
    let money = load_lead_money(&mut tx, &state, &profile, payment.lead_id).await?;
    let answer = once.store_response(&mut tx, org, &RecordedRefund { money, payment }).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(answer))
}

async fn load_receipt(state: &AppState, member: &OrgMember, id: PaymentId) -> ApiResult<(OrgProfile, PaymentReceipt)> {
    let mut conn = state.db()?.acquire_reader().await?;
    let org = org::find(&mut conn, member.org()).await?.ok_or(Error::NotFound)?;
    let profile = org::load_profile(&mut conn, org).await?;
    let receipt = PaymentReceipt::for_payment(&mut conn, &profile, id, state.origin.now()).await?;
    Ok((profile, receipt))
}

/// The receipt of a payment or a refund
///
/// Only of what is settled: a 409 says why there is none.
#[utoipa::path(get, path = "/api/payments/{id}/receipt", operation_id = "getReceipt", tag = "money",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The payment or refund")),
    responses((status = 200, description = "The file", body = String, content_type = "application/pdf"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn get_receipt(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<Response> {
    let (_, receipt) = load_receipt(&state, &member, PaymentId(id)).await?;
    let pdf = receipt.render_pdf(&state.storage).await?;
    let named = HeaderValue::from_str(&format!("attachment; filename=\"{}\"", receipt.file_name()));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
        (header::CONTENT_DISPOSITION, named.map_err(|e| ApiError::internal(format!("file name: {e}")))?),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
    ];
    Ok((headers, pdf).into_response())
}

/// Sends the receipt of a payment or a refund by email
///
/// Only of what is settled: a 409 says why there is none. With an `Idempotency-Key` a repeated request sends nothing
/// twice.
#[utoipa::path(post, path = "/api/payments/{id}/receipt", operation_id = "sendReceipt", tag = "money",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The payment or refund"),
        openapi::IdempotencyKey),
    responses((status = 202, description = "It is on its way", body = DocumentSendResult),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::Invalid, openapi::Unavailable, openapi::NoSpace))]
pub async fn send_receipt(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
) -> ApiResult<(StatusCode, axum::Json<DocumentSendResult>)> {
    let org = member.org();
    let once = IdempotentOperation::new("receipt", &headers, &id.to_string())?;
    let (profile, receipt) = load_receipt(&state, &member, PaymentId(id)).await?;
    let pdf = receipt.render_pdf(&state.storage).await?;
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = once.find_stored_response(&mut tx, &state, org).await? {
        return Ok((StatusCode::ACCEPTED, axum::Json(with_outlooks(&state, org, answer).await?)));
    }
    drop(tx);
    let file = receipt.to_file(&state.origin, &pdf);
    state.storage.put(&file.full_key, &pdf).await.map_err(Error::from)?;
    tx = state.db()?.begin().await?;
    if let Some(answer) = once.find_stored_response(&mut tx, &state, org).await? {
        return Ok((StatusCode::ACCEPTED, axum::Json(with_outlooks(&state, org, answer).await?)));
    }
    let turn = state.origin.uuid_v7().to_string();
    let sent = receipt.send_email(&mut tx, &state.origin, &profile, file, &turn).await?;
    if let Some(refused) = sent.not_sent.first() {
        return Err(ConflictReason::receipt_not_sendable(&refused.reason).into());
    }
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::ReceiptSent, Some(id)).await?;
    once.store_response(&mut tx, org, &sent).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, axum::Json(with_outlooks(&state, org, sent).await?)))
}
