//! Export of all data of a business as one archive, for its owner.

use axum::{
    body::Body,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use shared::{
    conflicts::ConflictCode,
    domain::tenancy::{audit::AuditAction, org},
    ops::tenant_data::{archive, export},
    platform::error::Error,
};
use tokio::sync::mpsc::channel;
use tokio_stream::wrappers::ReceiverStream;

use crate::{
    auth::{OrgOwner, RecentlyVerified},
    client_info::RequestContext,
    disposition,
    error::ApiResult,
    openapi,
    state::AppState,
};

/// Chunks buffered for a slow reader.
const AHEAD: usize = 1;
const BUSY: Error = ConflictCode::ExportInProgress.into_error();

/// All data of the business in one archive
///
/// A zip of every record as JSON lines and as spreadsheets (CSV), and every file, with a manifest of counts, sums and
/// SHA-256; docs/export.md describes each part. It goes into an empty install of Toolbox as it is. Secrets stay behind:
/// passwords, second factors, and keys of other services. Asks for a sign-in that is not older than 15 minutes.
#[utoipa::path(get, path = "/api/organization/export", operation_id = "exportBusiness", tag = "settings",
    security(("session" = ["owner"])),
    responses((status = 200, description = "The archive", body = String, content_type = "application/zip"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable,
        openapi::NoSpace))]
pub async fn export_business(
    RecentlyVerified(OrgOwner(member)): RecentlyVerified<OrgOwner>,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<Response> {
    let member = member.reject_demo()?;
    let turn = state.exports.try_acquire(member.org()).ok_or(BUSY)?;
    let (now, zone) = (state.origin.now(), org::zone_named(&member.session.org_timezone));
    who.record_data_export(&state, &member, AuditAction::BusinessExported, None).await?;
    let of = (state.origin.uuid_v7(), now);
    let spool = export::write_spool(state.db()?, &state.settings.data_dir, of, member.org()).await?;
    let name = export::archive_file_name(&member.session.org_slug, now, zone);
    let (pieces, body) = channel(AHEAD);
    let storage = state.storage.clone();
    tokio::spawn(async move {
        if let Err(e) = archive::stream_archive(spool, &storage, zone, &pieces).await {
            tracing::warn!(cause = %e, "an export was broken off");
            // Fails only when the reader has gone.
            drop(pieces.send(Err(e)).await);
        }
        drop(turn);
    });
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_DISPOSITION, disposition::content_disposition(&name, false)),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, Body::from_stream(ReceiverStream::new(body))).into_response())
}
