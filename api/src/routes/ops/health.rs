//! Liveness and readiness checks.

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    error::{ApiError, ApiResult},
    maintenance_mode::refuse_moved_database,
    openapi,
    state::AppState,
};

#[derive(Serialize, ToSchema)]
#[schema(as = Health)]
pub struct HealthStatus {
    /// Always `ok`.
    status: &'static str,
}

const OK: HealthStatus = HealthStatus { status: "ok" };

/// Answers while the process lives
#[utoipa::path(get, path = "/healthz", operation_id = "healthz", tag = "health",
    responses((status = 200, description = "The process lives", body = HealthStatus)))]
pub async fn check_liveness() -> axum::Json<HealthStatus> {
    axum::Json(OK)
}

/// Answers while the database and the file store take writes, and the schema is the newest
///
/// A database that was left for another (`api move`) answers 503, and so does a machine whose clock is off.
#[utoipa::path(get, path = "/readyz", operation_id = "readyz", tag = "health",
    responses((status = 200, description = "Requests can be served", body = HealthStatus), openapi::Unavailable, openapi::NoSpace))]
pub async fn check_readiness(State(state): State<AppState>) -> ApiResult<axum::Json<HealthStatus>> {
    let db = state.db()?;
    if !db.is_schema_current().await? {
        return Err(ApiError::unavailable("the database's schema is not the newest"));
    }
    refuse_moved_database(&state, db).await?;
    state.clock_offset.require_right_clock()?;
    state.readiness.check_writable(db, &state.origin, &state.storage).await?;
    Ok(axum::Json(OK))
}
