//! A draft made, and what goes out.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        intake::lead::Intake,
        money::{
            estimate::{Delivery, WaysForm},
            invoice::{self, InvoiceForm, InvoiceView, finish, send},
        },
        tenancy::audit::{self, Action},
        work::activity::Doer,
    },
    platform::id::InvoiceId,
};

use super::{super::estimate::foreseen, profile};
use crate::{
    auth::OrgOffice,
    client_info::Who,
    error::ApiResult,
    extract::{Id, Json},
    idempotency::Once,
    openapi,
    state::AppState,
};

/// Makes a draft of an invoice
///
/// Of a job, an estimate or a lead: what is left of what was agreed, a part of it, or lines. It has no number before it
/// is sent. With an `Idempotency-Key` a repeated request is not a second draft.
#[utoipa::path(post, path = "/api/invoices", operation_id = "makeInvoice", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = InvoiceForm,
    params(("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
        description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 201, description = "The draft", body = InvoiceView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn make_invoice(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Json(form): Json<InvoiceForm>,
) -> ApiResult<(StatusCode, axum::Json<InvoiceView>)> {
    let org = member.org();
    let once = Once::new("invoice", &headers, &format!("{form:?}"))?;
    let profile = profile(&state, &member).await?;
    let house = state.intake(&profile);
    let mut tx = state.db()?.begin().await?;
    let id = if let Some(Made { invoice_id }) = once.earlier(&mut tx, &state, org).await? {
        invoice_id
    } else {
        let id = invoice::make(&mut tx, &house, &form, &Doer::of(&member.session)).await?;
        once.keep(&mut tx, org, &Made { invoice_id: id }).await?;
        audit::record(&mut tx, &state.origin, &who.actor(&member), org, Action::InvoiceMade, Some(id.0)).await?;
        id
    };
    let made = invoice::view(&mut tx, &house, id).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::CREATED, axum::Json(made)))
}

/// What is kept of a request that made an invoice, or gave one its number.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    invoice_id: InvoiceId,
}

/// What is kept of a request that sent one: it was issued, and what went out is read from there, or it went out again.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WentOut {
    Issued(Made),
    Again(Delivery),
}

/// The second half of what is issued. Should it fail here, the task does it.
async fn complete(state: &AppState, house: &Intake<'_>, id: InvoiceId) -> ApiResult<()> {
    let mut conn = state.db()?.read().await?;
    let left = invoice::unfinished(&mut conn, house, id).await?;
    drop(conn);
    let Some(left) = left else { return Ok(()) };
    let drawn = invoice::draw(&state.storage, house, left).await?;
    let mut tx = state.db()?.begin().await?;
    invoice::finish(&mut tx, house, &drawn).await?;
    tx.commit().await?;
    state.wake();
    Ok(())
}

/// Sends an invoice
///
/// A draft gets its number and its PDF, takes what was paid ahead, and is reminded of from then on if the settings say
/// so; one that has gone out before goes out again. By email with the file and by text with the link, unless one of them
/// is refused; with both refused it is issued only. With an `Idempotency-Key` a repeated request sends nothing twice.
#[utoipa::path(post, path = "/api/invoices/{id}/send", operation_id = "sendInvoice", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = WaysForm,
    params(("id" = Uuid, Path, description = "The invoice"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 202, description = "What is on its way, and what is not", body = Delivery),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable, openapi::NoSpace))]
pub async fn send_invoice(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    headers: HeaderMap,
    Json(ways): Json<WaysForm>,
) -> ApiResult<(StatusCode, axum::Json<Delivery>)> {
    let (org, invoice) = (member.org(), InvoiceId(id));
    let once = Once::new("paper_send", &headers, &format!("invoice {id} {ways:?}"))?;
    let profile = profile(&state, &member).await?;
    let (house, by) = (state.intake(&profile), Doer::of(&member.session));
    let mut tx = state.db()?.begin().await?;
    let answer = if let Some(earlier) = once.earlier(&mut tx, &state, org).await? {
        earlier
    } else {
        let answer = if finish::is_draft(&mut tx, org, invoice).await? {
            invoice::begin(&mut tx, &house, invoice, ways.into(), &by).await?;
            WentOut::Issued(Made { invoice_id: invoice })
        } else {
            WentOut::Again(invoice::send_again(&mut tx, &house, invoice, ways.into(), &by).await?)
        };
        once.keep(&mut tx, org, &answer).await?;
        audit::record(&mut tx, &state.origin, &who.actor(&member), org, Action::InvoiceSent, Some(id)).await?;
        answer
    };
    tx.commit().await?;
    state.wake();
    let sent = match answer {
        WentOut::Issued(_) => {
            complete(&state, &house, invoice).await?;
            send::first_delivery(&mut state.db()?.read().await?, org, invoice).await?
        }
        WentOut::Again(sent) => sent,
    };
    Ok((StatusCode::ACCEPTED, axum::Json(foreseen(&state, org, sent).await?)))
}
