//! Whether this install sends: a restored one does not until its operator releases it (`api release-outbox`).

use axum::extract::State;
use serde::Serialize;
use shared::ops::send_freeze::{self, SendFreeze};
use utoipa::ToSchema;

use crate::{auth::OrgOffice, error::ApiResult, openapi, state::AppState};

/// Whether anything is sent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Outbox)]
pub struct OutboxStatus {
    /// Since when nothing is; none when all is as usual.
    pub frozen: Option<SendFreeze>,
}

/// Whether anything is sent
///
/// After it was put back from a backup or took a business in, an install sends nothing: what waited may have left before.
/// Its operator releases it with `api release-outbox`.
#[utoipa::path(get, path = "/api/outbox", operation_id = "getOutbox", tag = "settings",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "Whether it is frozen", body = OutboxStatus),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn get_outbox(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<OutboxStatus>> {
    if member.is_demo() {
        // The status of the install is not shown to others.
        return Ok(axum::Json(OutboxStatus { frozen: None }));
    }
    let frozen = send_freeze::find_freeze(&mut state.db()?.acquire_reader().await?).await?;
    Ok(axum::Json(OutboxStatus { frozen }))
}
