//! Crews.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use shared::{
    domain::{
        tenancy::audit::{self, AuditAction},
        work::{
            crew::{self, Crew, CrewForm, feed},
            job::JobScope,
        },
    },
    platform::{access_link, id::CrewId},
};

use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::ApiResult,
    extract::{Json, PathId},
    idempotency::IdempotentOperation,
    openapi,
    state::AppState,
};

/// Adds the calendar address, for those who may see it.
pub(super) fn with_feed_url(state: &AppState, crew: Crew) -> Crew {
    let path =
        crew.feed.map(|link| access_link::build_path(&state.settings.secret, link, access_link::LinkKind::CrewFeed));
    Crew { feed_url: path.map(|path| state.settings.public_url.join(&path)), ..crew }
}

/// The crews, in their order
///
/// Somebody of a crew gets those they belong to.
#[utoipa::path(get, path = "/api/crews", operation_id = "listCrews", tag = "crews",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "All of them", body = Vec<Crew>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn list_crews(member: OrgMember, State(state): State<AppState>) -> ApiResult<axum::Json<Vec<Crew>>> {
    let (org, sight) = (member.org(), JobScope::from_session(&member.session));
    let mut crews = crew::list(&mut state.db()?.acquire_reader().await?, org, sight).await?;
    if sight.is_office() && crews.iter().any(|crew| crew.feed.is_none()) {
        let mut tx = state.db()?.begin().await?;
        feed::create_missing_feeds(&mut tx, &state.origin, org).await?;
        crews = crew::list(&mut tx, org, sight).await?;
        tx.commit().await?;
    }
    Ok(axum::Json(crews.into_iter().map(|crew| with_feed_url(&state, crew)).collect()))
}

/// Adds a crew
///
/// With an `Idempotency-Key` a repeated request gets the same crew.
#[utoipa::path(post, path = "/api/crews", operation_id = "addCrew", tag = "crews",
    security(("session" = ["owner", "office"])), request_body = CrewForm,
    params(openapi::IdempotencyKey),
    responses((status = 201, description = "Added", body = Crew),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn add_crew(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(form): Json<CrewForm>,
) -> ApiResult<(StatusCode, axum::Json<Crew>)> {
    let (org, once) = (member.org(), IdempotentOperation::new("crew", &headers, &format!("{form:?}"))?);
    let mut tx = state.db()?.begin().await?;
    // The calendar address grants access, so only the crew's id is kept for a repeat.
    if let Some(id) = once.find_stored_response(&mut tx, &state, org).await? {
        return Ok((StatusCode::CREATED, axum::Json(with_feed_url(&state, crew::get(&mut tx, org, id).await?))));
    }
    let crew = crew::add_crew(&mut tx, &state.origin, org, &form).await?;
    once.store_response(&mut tx, org, &crew.id).await?;
    let (actor, id) = (who.actor_for(&member), Some(crew.id.0));
    audit::record(&mut tx, &state.origin, &actor, org, AuditAction::CrewChanged, id).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, axum::Json(with_feed_url(&state, crew))))
}

/// Changes a crew
///
/// One that gets no work any more is made inactive, once its coming jobs are another's.
#[utoipa::path(patch, path = "/api/crews/{crewId}", operation_id = "changeCrew", tag = "crews",
    security(("session" = ["owner", "office"])), request_body = CrewForm,
    params(("crewId" = uuid::Uuid, Path, description = "The crew")),
    responses((status = 200, description = "The crew as it is now", body = Crew),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn change_crew(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(form): Json<CrewForm>,
) -> ApiResult<axum::Json<Crew>> {
    let mut tx = state.db()?.begin().await?;
    let crew = crew::update_crew(&mut tx, &state.origin, member.org(), CrewId(id), &form).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::CrewChanged, Some(id))
        .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(with_feed_url(&state, crew)))
}
