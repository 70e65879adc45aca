//! Proof that the stored documents are those that were sent and signed.

use axum::extract::State;
use shared::{
    domain::money::estimate::verify::{self, EstimateProof},
    platform::id::EstimateId,
};

use crate::{auth::OrgOffice, error::ApiResult, extract::PathId, openapi, state::AppState};

/// Whether the papers of an estimate are still those that were sent and signed
///
/// Computed now from the stored bytes.
#[utoipa::path(get, path = "/api/estimates/{id}/verify", operation_id = "verifyEstimate", tag = "estimates",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The estimate")),
    responses((status = 200, description = "The hashes side by side", body = EstimateProof),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn verify_estimate(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<axum::Json<EstimateProof>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let papers = verify::load_hashes(&mut conn, member.org(), EstimateId(id)).await?;
    // No connection is held while the store is read.
    drop(conn);
    Ok(axum::Json(papers.verify_stored(&state.storage).await?))
}
