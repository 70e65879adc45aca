//! Crews: who goes out together.

use axum::{extract::State, http::StatusCode};
use shared::{
    audit::{self, Action},
    crew::{self, Crew, CrewForm, feed},
    hours::Hours,
    id::{AccountId, CrewId},
    job::Sight,
    link,
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgMember, OrgOffice},
    describe::{self, fields},
    error::ApiResult,
    extract::{Id, Json},
    state::AppState,
    who::Who,
};

/// With the address of its calendar, for those who see it.
pub(super) fn with_feed(state: &AppState, crew: Crew) -> Crew {
    let path = crew.feed.map(|link| link::path(&state.settings.secret, link, link::Kind::CrewFeed));
    Crew { feed_url: path.map(|path| state.settings.public_url.join(&path)), ..crew }
}

/// The crews, in their order
///
/// Somebody of a crew gets those they belong to.
#[utoipa::path(get, path = "/api/crews", operation_id = "listCrews", tag = "crews",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "All of them", body = Vec<Crew>),
        describe::Unauthenticated, describe::Forbidden, describe::Unavailable))]
pub async fn list_crews(member: OrgMember, State(state): State<AppState>) -> ApiResult<axum::Json<Vec<Crew>>> {
    let (org, sight) = (member.org(), Sight::of(&member.session));
    let mut crews = crew::list(&mut state.db()?.read().await?, org, sight).await?;
    if sight.is_office() && crews.iter().any(|crew| crew.feed.is_none()) {
        let mut tx = state.db()?.begin().await?;
        feed::complete(&mut tx, &state.origin, org).await?;
        crews = crew::list(&mut tx, org, sight).await?;
        tx.commit().await?;
    }
    Ok(axum::Json(crews.into_iter().map(|crew| with_feed(&state, crew)).collect()))
}

/// A crew, or a change of one: what is absent stays.
#[derive(ToSchema)]
#[schema(as = CrewChange, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; `CrewForm` is what is read")]
pub struct CrewDoc {
    /// A new crew needs one.
    #[schema(schema_with = fields::filled::<60>)]
    name: Option<String>,
    /// One of eight tones of the palette.
    #[schema(minimum = 0, maximum = 7)]
    tone: Option<i64>,
    /// Null: those of the business.
    hours: Option<Hours>,
    is_bookable: Option<bool>,
    is_active: Option<bool>,
    #[schema(minimum = 0, maximum = 49)]
    position: Option<i64>,
    #[schema(value_type = Option<Vec<uuid::Uuid>>, max_items = 30)]
    member_ids: Option<Vec<AccountId>>,
}

/// Adds a crew
#[utoipa::path(post, path = "/api/crews", operation_id = "addCrew", tag = "crews",
    security(("session" = ["owner", "office"])), request_body = CrewDoc,
    responses((status = 201, description = "Added", body = Crew),
        describe::BadRequest, describe::Unauthenticated, describe::Forbidden, describe::Conflict, describe::TooLarge,
        describe::WrongMedia, describe::Invalid, describe::Unavailable))]
pub async fn add_crew(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Json(form): Json<CrewForm>,
) -> ApiResult<(StatusCode, axum::Json<Crew>)> {
    let mut tx = state.db()?.begin().await?;
    let crew = crew::add(&mut tx, &state.origin, member.org(), &form).await?;
    let (actor, id) = (who.actor(&member), Some(crew.id.0));
    audit::record(&mut tx, &state.origin, &actor, member.org(), Action::CrewChanged, id).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::CREATED, axum::Json(with_feed(&state, crew))))
}

/// Changes a crew
///
/// One that gets no work any more is made inactive, once its coming jobs are another's.
#[utoipa::path(patch, path = "/api/crews/{crewId}", operation_id = "changeCrew", tag = "crews",
    security(("session" = ["owner", "office"])), request_body = CrewDoc,
    params(("crewId" = uuid::Uuid, Path, description = "The crew")),
    responses((status = 200, description = "The crew as it is now", body = Crew),
        describe::BadRequest, describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Conflict,
        describe::TooLarge, describe::WrongMedia, describe::Invalid, describe::Unavailable))]
pub async fn change_crew(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    Json(form): Json<CrewForm>,
) -> ApiResult<axum::Json<Crew>> {
    let mut tx = state.db()?.begin().await?;
    let crew = crew::edit(&mut tx, &state.origin, member.org(), CrewId(id), &form).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::CrewChanged, Some(id)).await?;
    tx.commit().await?;
    state.wake();
    Ok(axum::Json(with_feed(&state, crew)))
}
