//! Whether this install sends anything: it does not after it was put back from a backup, until its operator releases it
//! (`api release-outbox`).

use axum::extract::State;
use serde::Serialize;
use shared::ops::send_freeze::{self, Frozen};
use utoipa::ToSchema;

use crate::{auth::OrgOffice, error::ApiResult, openapi, state::AppState};

/// Whether anything is sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct Outbox {
    /// Since when nothing is; none when all is as usual.
    pub frozen: Option<Frozen>,
}

/// Whether anything is sent
///
/// After it was put back from a backup or took a business in, an install sends nothing: what waited may have left before.
/// Its operator releases it with `api release-outbox`.
#[utoipa::path(get, path = "/api/outbox", operation_id = "getOutbox", tag = "settings",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "Whether it is frozen", body = Outbox),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn get_outbox(OrgOffice(member): OrgOffice, State(state): State<AppState>) -> ApiResult<axum::Json<Outbox>> {
    if member.is_demo() {
        // How this install does is nobody's business.
        return Ok(axum::Json(Outbox { frozen: None }));
    }
    let frozen = send_freeze::frozen(&mut state.db()?.read().await?).await?;
    Ok(axum::Json(Outbox { frozen }))
}
