//! Alerts for users of the business: list and acknowledgement.

use axum::{extract::State, http::StatusCode};
use serde::Deserialize;
use shared::{
    domain::{
        messaging::alert::{
            self, AlertView,
            alert_channels::{self, AlertChannels},
        },
        tenancy::{
            audit::{self, AuditAction},
            org,
        },
    },
    platform::{error::Error, id::AlertId},
};

use utoipa::ToSchema;

use crate::{
    auth::OrgOffice,
    client_info::RequestContext,
    error::ApiResult,
    extract::{Json, PathId},
    openapi,
    state::AppState,
};

/// The business's alerts
///
/// Unseen ones first, then the newest; at most 200.
#[utoipa::path(get, path = "/api/alerts", operation_id = "listAlerts", tag = "alerts",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "Alerts", body = Vec<AlertView>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn list_alerts(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<AlertView>>> {
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(axum::Json(alert::list(&mut conn, member.org()).await?))
}

/// How the business is notified of a new request
///
/// Each channel with the reason why it reaches no one, or not at once, by the current settings, hours, trust level,
/// sending number and provider. Where none is on, customers are promised no time for an answer.
#[utoipa::path(get, path = "/api/alerts/ways", operation_id = "alertWays", tag = "alerts",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "The ways", body = AlertChannels),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn alert_ways(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<AlertChannels>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let org = org::find(&mut conn, member.org()).await?.ok_or(Error::NotFound)?;
    let profile = org::load_profile(&mut conn, org).await?;
    Ok(axum::Json(
        alert_channels::list_alert_channels(&mut conn, &state.origin, &profile, state.send_channels()).await?,
    ))
}

/// Say that an alert was seen
///
/// It climbs no further. Saying it again changes nothing.
#[utoipa::path(post, path = "/api/alerts/{id}/seen", operation_id = "seeAlert", tag = "alerts",
    security(("session" = ["owner", "office"])),
    params(("id" = uuid::Uuid, Path, description = "The alert")),
    responses((status = 200, description = "Seen", body = AlertView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn acknowledge_alert(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<axum::Json<AlertView>> {
    let mut tx = state.db()?.begin().await?;
    let (seen, is_first) =
        alert::mark_seen(&mut tx, &state.origin, member.org(), AlertId(id), member.account()).await?;
    if is_first {
        let actor = who.actor_for(&member);
        audit::record(&mut tx, &state.origin, &actor, member.org(), AuditAction::AlertSeen, Some(id)).await?;
    }
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(seen))
}

/// Alerts that a person has seen.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = SeenAlerts)]
pub struct SeenAlertsForm {
    #[schema(max_items = 200)]
    ids: Vec<AlertId>,
}

/// Say that several alerts were seen
///
/// They climb no further. Those that are not known, or were seen before, are passed over.
#[utoipa::path(post, path = "/api/alerts/seen", operation_id = "seeAlerts", tag = "alerts",
    security(("session" = ["owner", "office"])), request_body = SeenAlertsForm,
    responses((status = 204, description = "Seen"),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn acknowledge_alerts(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    Json(form): Json<SeenAlertsForm>,
) -> ApiResult<StatusCode> {
    let (org, actor) = (member.org(), who.actor_for(&member));
    let mut tx = state.db()?.begin().await?;
    for id in alert::mark_several_seen(&mut tx, &state.origin, org, &form.ids, member.account()).await? {
        audit::record(&mut tx, &state.origin, &actor, org, AuditAction::AlertSeen, Some(id.0)).await?;
    }
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}
