//! Creating a draft and sending an invoice.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        money::{
            estimate::{DeliveryChannelsForm, DocumentSendResult},
            invoice::{self, InvoiceForm, InvoiceView, finish, send},
        },
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
            org::OrgContext,
        },
    },
    platform::id::InvoiceId,
};

use super::{super::estimate::with_outlooks, read_profile};
use crate::{
    auth::OrgOffice,
    client_info::RequestContext,
    error::ApiResult,
    extract::{Json, PathId},
    idempotency::IdempotentOperation,
    openapi,
    state::AppState,
};

/// Makes a draft of an invoice
///
/// Of a job, an estimate or a lead: what is left of what was agreed, a part of it, or lines. It has no number before it
/// is sent. With an `Idempotency-Key` a repeated request is not a second draft.
#[utoipa::path(post, path = "/api/invoices", operation_id = "makeInvoice", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = InvoiceForm,
    params(openapi::IdempotencyKey),
    responses((status = 201, description = "The draft", body = InvoiceView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn create_invoice(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(form): Json<InvoiceForm>,
) -> ApiResult<(StatusCode, axum::Json<InvoiceView>)> {
    let org = member.org();
    let once = IdempotentOperation::new("invoice", &headers, &format!("{form:?}"))?;
    let profile = read_profile(&state, &member).await?;
    let ctx = state.org_context(&profile);
    let mut tx = state.db()?.begin().await?;
    let id = if let Some(CreatedInvoice { invoice_id }) = once.find_stored_response(&mut tx, &state, org).await? {
        invoice_id
    } else {
        let id = invoice::create_draft(&mut tx, &ctx, &form, &ActivityActor::from_session(&member.session)).await?;
        once.store_response(&mut tx, org, &CreatedInvoice { invoice_id: id }).await?;
        audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::InvoiceMade, Some(id.0))
            .await?;
        id
    };
    let made = invoice::load_view(&mut tx, &ctx, id).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, axum::Json(made)))
}

/// Stored answer of a request that created an invoice, or issued it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreatedInvoice {
    invoice_id: InvoiceId,
}

/// Stored answer of a sending request: issued now (deliveries are read from the invoice), or sent again.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum InvoiceSendOutcome {
    Issued(CreatedInvoice),
    Again(DocumentSendResult),
}

/// Second half of issuing. If it fails here, the queued task does it.
async fn render_pending(state: &AppState, ctx: &OrgContext<'_>, id: InvoiceId) -> ApiResult<()> {
    let mut conn = state.db()?.acquire_reader().await?;
    let left = invoice::find_unrendered(&mut conn, ctx, id).await?;
    drop(conn);
    let Some(left) = left else { return Ok(()) };
    let drawn = invoice::render_pdf(&state.storage, ctx, left).await?;
    let mut tx = state.db()?.begin().await?;
    invoice::finish_issue(&mut tx, ctx, &drawn).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}

/// Sends an invoice
///
/// A draft gets its number and its PDF, takes what was paid ahead, and is reminded of from then on if the settings say
/// so; one that has gone out before goes out again. By email with the file and by text with the link, unless one of them
/// is refused; with both refused it is issued only. With an `Idempotency-Key` a repeated request sends nothing twice.
#[utoipa::path(post, path = "/api/invoices/{id}/send", operation_id = "sendInvoice", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = DeliveryChannelsForm,
    params(("id" = Uuid, Path, description = "The invoice"),
        openapi::IdempotencyKey),
    responses((status = 202, description = "What is on its way, and what is not", body = DocumentSendResult),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable, openapi::NoSpace))]
pub async fn send_invoice(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(ways): Json<DeliveryChannelsForm>,
) -> ApiResult<(StatusCode, axum::Json<DocumentSendResult>)> {
    let (org, invoice) = (member.org(), InvoiceId(id));
    let once = IdempotentOperation::new("paper_send", &headers, &format!("invoice {id} {ways:?}"))?;
    let profile = read_profile(&state, &member).await?;
    let (ctx, by) = (state.org_context(&profile), ActivityActor::from_session(&member.session));
    let mut tx = state.db()?.begin().await?;
    let answer = if let Some(earlier) = once.find_stored_response(&mut tx, &state, org).await? {
        earlier
    } else {
        let answer = if finish::is_draft(&mut tx, org, invoice).await? {
            invoice::begin_issue(&mut tx, &ctx, invoice, ways.into(), &by).await?;
            InvoiceSendOutcome::Issued(CreatedInvoice { invoice_id: invoice })
        } else {
            InvoiceSendOutcome::Again(invoice::resend_invoice(&mut tx, &ctx, invoice, ways.into(), &by).await?)
        };
        once.store_response(&mut tx, org, &answer).await?;
        audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::InvoiceSent, Some(id)).await?;
        answer
    };
    tx.commit().await?;
    state.notify_committed();
    let sent = match answer {
        InvoiceSendOutcome::Issued(_) => {
            render_pending(&state, &ctx, invoice).await?;
            send::load_first_delivery(&mut state.db()?.acquire_reader().await?, org, invoice).await?
        }
        InvoiceSendOutcome::Again(sent) => sent,
    };
    Ok((StatusCode::ACCEPTED, axum::Json(with_outlooks(&state, org, sent).await?)))
}
