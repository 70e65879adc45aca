//! Invoices: single invoice and its PDF here; list, drafts, sending and changes in the submodules.

use axum::{
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use shared::{
    domain::{
        money::invoice::{self, InvoiceView, render::InvoiceFile},
        tenancy::org::OrgProfile,
        work::file,
    },
    platform::{error::Error, id::InvoiceId},
};

use crate::{
    auth::{OrgMember, OrgOffice},
    disposition,
    error::{ApiError, ApiResult},
    extract::PathId,
    openapi,
    routes::tenancy::org::load_profile,
    state::AppState,
};

pub mod change;
pub mod list;
pub mod reminders;
pub mod send;

async fn read_profile(state: &AppState, member: &OrgMember) -> ApiResult<OrgProfile> {
    let mut conn = state.db()?.acquire_reader().await?;
    load_profile(&mut conn, member).await
}

/// One invoice with everything about it
#[utoipa::path(get, path = "/api/invoices/{id}", operation_id = "getInvoice", tag = "invoices",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The invoice")),
    responses((status = 200, description = "The invoice", body = InvoiceView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_invoice(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<axum::Json<InvoiceView>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    Ok(axum::Json(invoice::load_view(&mut conn, &state.org_context(&profile), InvoiceId(id)).await?))
}

/// The PDF of an invoice
///
/// The exact bytes that were sent. A draft or a withdrawn one is rendered now and is marked as such.
#[utoipa::path(get, path = "/api/invoices/{id}/pdf", operation_id = "invoicePdf", tag = "invoices",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The invoice")),
    responses((status = 200, description = "The file", body = String, content_type = "application/pdf"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn invoice_pdf(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<Response> {
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    let ctx = state.org_context(&profile);
    let (name, bytes) = match invoice::render::find_invoice_file(&mut conn, &ctx, InvoiceId(id)).await? {
        InvoiceFile::Stored(stored) => {
            let file = file::find(&mut conn, member.org(), stored).await?;
            drop(conn);
            (file.name, state.storage.get(&file.full_key).await.map_err(Error::from)?.into())
        }
        InvoiceFile::Fresh(fresh) => {
            drop(conn);
            (fresh.file_name(), fresh.load_bytes(&state.storage, &ctx).await?)
        }
    };
    let named = HeaderValue::from_str(&disposition::content_disposition(&name, false))
        .map_err(|e| ApiError::internal(format!("file name: {e}")))?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
        (header::CONTENT_DISPOSITION, named),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
    ];
    let bytes: Vec<u8> = bytes;
    Ok((headers, bytes).into_response())
}
