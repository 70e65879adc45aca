//! Retention periods: settings, what a shorter one would remove, and its undo within a day.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use shared::{
    domain::tenancy::audit::{self, AuditAction},
    ops::retention::{self, RetentionKind, RetentionNight, RetentionPeriod, RetentionPreview},
    platform::error::FieldErrors,
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgOwner, RecentlyVerified},
    client_info::RequestContext,
    error::ApiResult,
    extract::{Json, QueryParams},
    openapi,
    state::AppState,
};

/// Retention periods.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Retention {
    periods: Vec<RetentionPeriod>,
    /// The latest nights, the newest first.
    nights: Vec<RetentionNight>,
}

#[derive(Deserialize, ToSchema)]
#[schema(as = RetentionWish)]
pub struct RetentionRequest {
    #[schema(value_type = RetentionKind, required)]
    kind: Option<String>,
    /// Whole days.
    #[schema(value_type = i64, required)]
    days: Option<i64>,
}

#[derive(Deserialize, ToSchema)]
pub struct RetentionUndo {
    #[schema(value_type = RetentionKind, required)]
    kind: Option<String>,
}

fn parse_kind(name: Option<&str>, errors: &mut FieldErrors) -> Option<RetentionKind> {
    let kind = name.and_then(|name| serde_json::from_value(serde_json::Value::from(name)).ok());
    if kind.is_none() {
        errors.add("kind", "Choose photos, requests, contacts, messages or traces");
    }
    kind
}

/// For how long data is kept
#[utoipa::path(get, path = "/api/retention", operation_id = "getRetention", tag = "settings",
    security(("session" = ["owner"])),
    responses((status = 200, description = "The periods, and what the latest nights removed", body = Retention),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn get_retention(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Retention>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let periods = retention::list_periods(&mut conn, member.org(), state.origin.now()).await?;
    let nights = retention::list_nights(&mut conn, member.org()).await?;
    Ok(axum::Json(Retention { periods, nights }))
}

/// What a period would remove
#[utoipa::path(get, path = "/api/retention/preview", operation_id = "previewRetention", tag = "settings",
    security(("session" = ["owner"])), 
    params(("kind" = RetentionKind, Query, description = "Which kind"), ("days" = i64, Query, description = "The period in question")),
    responses((status = 200, description = "How many the first night under it removes", body = RetentionPreview),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn preview_retention(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<axum::Json<RetentionPreview>> {
    let mut errors = FieldErrors::default();
    let kind = parse_kind(query.parse_text("kind", 20)?.as_deref(), &mut errors);
    errors.into_result()?;
    let kind = kind.unwrap_or(RetentionKind::Photos);
    let days = query.parse_number("days", kind.allowed_days(), kind.default_days())?;
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(axum::Json(retention::preview_period(&mut conn, member.org(), kind, days, state.origin.now()).await?))
}

/// Sets a period
///
/// A longer period applies at once. A shorter one applies a day later and can be cancelled until then.
#[utoipa::path(put, path = "/api/retention", operation_id = "setRetention", tag = "settings",
    security(("session" = ["owner"])), request_body = RetentionRequest,
    responses((status = 200, description = "The period, and the change that waits", body = RetentionPeriod), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::TooLarge, openapi::WrongMedia, openapi::Invalid,
        openapi::Unavailable))]
pub async fn set_retention(
    RecentlyVerified(OrgOwner(member)): RecentlyVerified<OrgOwner>,
    State(state): State<AppState>,
    who: RequestContext,
    Json(wish): Json<RetentionRequest>,
) -> ApiResult<axum::Json<RetentionPeriod>> {
    let mut errors = FieldErrors::default();
    let kind = parse_kind(wish.kind.as_deref(), &mut errors);
    if wish.days.is_none() {
        errors.add("days", "Must be a whole number");
    }
    errors.into_result()?;
    let (kind, days) = (kind.unwrap_or(RetentionKind::Photos), wish.days.unwrap_or_default());
    let mut tx = state.db()?.begin().await?;
    let period = retention::set_period(&mut tx, &state.origin, member.org(), kind, days).await?;
    let actor = who.actor_for(&member);
    audit::record(&mut tx, &state.origin, &actor, member.org(), AuditAction::RetentionChanged, None).await?;
    tx.commit().await?;
    Ok(axum::Json(period))
}

/// Takes a shorter period back before it holds
#[utoipa::path(post, path = "/api/retention/undo", operation_id = "undoRetention", tag = "settings",
    security(("session" = ["owner"])), request_body = RetentionUndo,
    responses((status = 200, description = "The period of before", body = RetentionPeriod), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn undo_retention(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: RequestContext,
    Json(wish): Json<RetentionUndo>,
) -> ApiResult<axum::Json<RetentionPeriod>> {
    let mut errors = FieldErrors::default();
    let kind = parse_kind(wish.kind.as_deref(), &mut errors);
    errors.into_result()?;
    let mut tx = state.db()?.begin().await?;
    let period =
        retention::cancel_change(&mut tx, &state.origin, member.org(), kind.unwrap_or(RetentionKind::Photos)).await?;
    let actor = who.actor_for(&member);
    audit::record(&mut tx, &state.origin, &actor, member.org(), AuditAction::RetentionUndone, None).await?;
    tx.commit().await?;
    Ok(axum::Json(period))
}
