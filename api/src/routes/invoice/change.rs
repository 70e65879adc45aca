//! What is done to an invoice beside sending it: a draft changed or thrown away; one that went out taken back, promised,
//! disputed.

use axum::{extract::State, http::StatusCode};
use serde::Deserialize;
use shared::{
    domain::{
        intake::lead::Intake,
        money::invoice::{self, InvoicePatch, InvoiceView},
        tenancy::audit::{self, Action},
        work::activity::Doer,
    },
    platform::{db::Tx, id::InvoiceId},
};
use utoipa::ToSchema;

use super::profile;
use crate::routes::estimate::change::LinkChange;
use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::Who,
    error::ApiResult,
    extract::{Id, Json},
    openapi,
    state::AppState,
};

/// The line of the log, the commit, and the invoice as it is now.
async fn done(
    mut tx: Tx,
    (state, who, member): (&AppState, &Who, &OrgMember),
    house: &Intake<'_>,
    action: Action,
    id: InvoiceId,
) -> ApiResult<axum::Json<InvoiceView>> {
    audit::record(&mut tx, &state.origin, &who.actor(member), member.org(), action, Some(id.0)).await?;
    let shown = invoice::view(&mut tx, house, id).await?;
    tx.commit().await?;
    state.wake();
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
    who: Who,
    Id(id): Id,
    Json(patch): Json<InvoicePatch>,
) -> ApiResult<axum::Json<InvoiceView>> {
    let profile = profile(&state, &member).await?;
    let house = state.intake(&profile);
    let mut tx = state.db()?.begin().await?;
    invoice::change(&mut tx, &house, InvoiceId(id), &patch).await?;
    done(tx, (&state, &who, &member), &house, Action::InvoiceChanged, InvoiceId(id)).await
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
    who: Who,
    Id(id): Id,
) -> ApiResult<StatusCode> {
    let profile = profile(&state, &member).await?;
    let mut tx = state.db()?.begin().await?;
    invoice::remove(&mut tx, &state.intake(&profile), InvoiceId(id)).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::InvoiceRemoved, Some(id)).await?;
    tx.commit().await?;
    state.wake();
    Ok(StatusCode::NO_CONTENT)
}

/// Why it is taken back.
#[derive(Debug, Deserialize)]
pub struct Voiding {
    #[serde(default)]
    reason: Option<String>,
}

#[derive(ToSchema)]
#[schema(as = VoidRequest)]
#[expect(dead_code, reason = "only described; `Voiding` is what is read")]
pub struct VoidingDoc {
    #[schema(schema_with = openapi::fields::filled_lines::<1000>)]
    reason: String,
}

/// Takes an invoice back
///
/// It keeps its number, asks for nothing any more, and what was still to leave about it does not. What was paid of it is
/// the customer's credit: it pays what else is open of their work or the next invoice, or is refunded.
#[utoipa::path(post, path = "/api/invoices/{id}/void", operation_id = "voidInvoice", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = VoidingDoc,
    params(("id" = Uuid, Path, description = "The invoice")),
    responses((status = 200, description = "The invoice as it is now", body = InvoiceView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn void_invoice(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    Json(asked): Json<Voiding>,
) -> ApiResult<axum::Json<InvoiceView>> {
    let profile = profile(&state, &member).await?;
    let (house, by) = (state.intake(&profile), Doer::of(&member.session));
    let mut tx = state.db()?.begin().await?;
    invoice::void(&mut tx, &house, InvoiceId(id), asked.reason.as_deref(), &by).await?;
    done(tx, (&state, &who, &member), &house, Action::InvoiceVoided, InvoiceId(id)).await
}

/// By when they promised to pay.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = PromiseRequest)]
pub struct Promise {
    /// Null takes the promise away.
    #[serde(default)]
    #[schema(value_type = Option<chrono::NaiveDate>)]
    on: Option<String>,
}

/// Notes by when the customer promised to pay
///
/// Reminders rest until then, and begin anew after it.
#[utoipa::path(post, path = "/api/invoices/{id}/promise", operation_id = "promiseInvoice", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = Promise,
    params(("id" = Uuid, Path, description = "The invoice")),
    responses((status = 200, description = "The invoice as it is now", body = InvoiceView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn promise_invoice(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    Json(asked): Json<Promise>,
) -> ApiResult<axum::Json<InvoiceView>> {
    let profile = profile(&state, &member).await?;
    let (house, by) = (state.intake(&profile), Doer::of(&member.session));
    let mut tx = state.db()?.begin().await?;
    invoice::promise(&mut tx, &house, InvoiceId(id), asked.on.as_deref(), &by).await?;
    done(tx, (&state, &who, &member), &house, Action::PromiseSet, InvoiceId(id)).await
}

/// Whether they dispute it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dispute {
    is_disputed: bool,
    #[serde(default)]
    reason: Option<String>,
}

#[derive(ToSchema)]
#[schema(as = DisputeRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; `Dispute` is what is read")]
pub struct DisputeDoc {
    is_disputed: bool,
    #[schema(schema_with = openapi::fields::lines_or_null::<1000>)]
    reason: Option<String>,
}

/// Notes that the customer disputes an invoice, or does so no more
///
/// Reminders rest meanwhile.
#[utoipa::path(post, path = "/api/invoices/{id}/dispute", operation_id = "disputeInvoice", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = DisputeDoc,
    params(("id" = Uuid, Path, description = "The invoice")),
    responses((status = 200, description = "The invoice as it is now", body = InvoiceView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn dispute_invoice(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    Json(asked): Json<Dispute>,
) -> ApiResult<axum::Json<InvoiceView>> {
    let profile = profile(&state, &member).await?;
    let (house, by) = (state.intake(&profile), Doer::of(&member.session));
    let mut tx = state.db()?.begin().await?;
    let asked = (asked.is_disputed, asked.reason.as_deref());
    invoice::dispute(&mut tx, &house, InvoiceId(id), asked, &by).await?;
    done(tx, (&state, &who, &member), &house, Action::DisputeSet, InvoiceId(id)).await
}

/// Gives an invoice a new address
///
/// The one that was given away opens nothing any more.
#[utoipa::path(post, path = "/api/invoices/{id}/link", operation_id = "renewInvoiceLink", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = LinkChange,
    params(("id" = Uuid, Path, description = "The invoice")),
    responses((status = 200, description = "The invoice with its new address", body = InvoiceView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn renew_invoice_link(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    Json(asked): Json<LinkChange>,
) -> ApiResult<axum::Json<InvoiceView>> {
    asked.check()?;
    let profile = profile(&state, &member).await?;
    let mut tx = state.db()?.begin().await?;
    invoice::new_link(&mut tx, &state.origin, member.org(), InvoiceId(id)).await?;
    done(tx, (&state, &who, &member), &state.intake(&profile), Action::LinkRevoked, InvoiceId(id)).await
}
