//! Proof that the papers in the store are those that were sent and signed.

use axum::extract::State;
use shared::{
    domain::money::estimate::verify::{self, Proof},
    platform::id::EstimateId,
};

use crate::{auth::OrgOffice, error::ApiResult, extract::Id, openapi, state::AppState};

/// Whether the papers of an estimate are still those that were sent and signed
///
/// Reckoned now from the bytes that lie in the store.
#[utoipa::path(get, path = "/api/estimates/{id}/verify", operation_id = "verifyEstimate", tag = "estimates",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The estimate")),
    responses((status = 200, description = "The hashes side by side", body = Proof),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn verify_estimate(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    Id(id): Id,
) -> ApiResult<axum::Json<Proof>> {
    let mut conn = state.db()?.read().await?;
    let papers = verify::papers(&mut conn, member.org(), EstimateId(id)).await?;
    // Nothing is held while the store is asked.
    drop(conn);
    Ok(axum::Json(papers.prove(&state.storage).await?))
}
