//! The template editors: every wording, saving with the place of each fault, previews, and the history.

use axum::{
    extract::{FromRequestParts, State},
    http::request::Parts,
};
use shared::{
    documents::template::{Kind, Language},
    domain::{
        messaging::{alert::ways, message::sms_link},
        tenancy::{
            audit::Action,
            org::{
                self,
                editor::{self, Refused, Template, TemplateDraft, TemplatePatch},
                wordings::Version,
            },
        },
    },
};

use super::org::{Own, known, noted, profile_of};
use crate::{
    client_info::Who,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Json, Query},
    openapi,
    state::AppState,
};

/// The `{kind}` of a template.
pub struct Which(Kind);

impl FromRequestParts<AppState> for Which {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        known(parts, state, "kind").await.map(Self)
    }
}

/// Every template
#[utoipa::path(get, path = "/api/org/{orgId}/templates", operation_id = "listTemplates", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "In the order of the editors", body = Vec<Template>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn list_templates(Own(member): Own, State(state): State<AppState>) -> ApiResult<axum::Json<Vec<Template>>> {
    let mut conn = state.db()?.read().await?;
    let profile = profile_of(&mut conn, &member).await?;
    Ok(axum::Json(editor::list(&mut conn, &profile).await?))
}

/// Changes a template
///
/// A wording is saved as a new version. One with faults is not saved: `faults` of the 422 tells each with its place.
#[utoipa::path(patch, path = "/api/org/{orgId}/templates/{kind}", operation_id = "changeTemplate", tag = "settings",
    security(("session" = ["owner", "office"])), request_body = TemplatePatch,
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("kind" = Kind, Path, description = "The template")),
    responses((status = 200, description = "The template as it is now", body = Template),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn change_template(
    Own(member): Own,
    State(state): State<AppState>,
    who: Who,
    Which(kind): Which,
    Json(patch): Json<TemplatePatch>,
) -> ApiResult<axum::Json<Template>> {
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    let profile = profile_of(&mut tx, &member).await?;
    let done = editor::change(&mut tx, &state.origin, &profile, kind, &patch, member.account()).await;
    done.map_err(refused)?;
    noted(&mut tx, &state, &who, &member, (Action::TemplateChanged, member.org().0)).await?;
    let profile = profile_of(&mut tx, &member).await?;
    let template = editor::get(&mut tx, &profile, kind).await?;
    tx.commit().await?;
    state.wake();
    Ok(axum::Json(template))
}

fn refused(refused: Refused) -> ApiError {
    match refused {
        Refused::Other(error) => error.into(),
        Refused::Faults(faults) => {
            let mut error = ApiError::new(ErrorCode::ValidationFailed, "This wording cannot be saved yet.");
            let fields = Refused::by_field(&faults).into_iter();
            error.errors = fields.map(|(name, message)| (name.to_owned(), message)).collect();
            error.faults = faults;
            error
        }
    }
}

/// Shows a wording filled in
///
/// With the newest real request of the business, or with example values while there is none. The answers to a form read
/// as they would be sent now, and after hours. Nothing is saved, and what is wrong stands beside it.
#[utoipa::path(post, path = "/api/org/{orgId}/templates/{kind}/preview", operation_id = "previewTemplate", tag = "settings",
    security(("session" = ["owner", "office"])), request_body = TemplateDraft,
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("kind" = Kind, Path, description = "The template")),
    responses((status = 200, description = "How it reads, what it costs, and what is wrong with it", body = editor::Preview),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn preview_template(
    Own(member): Own,
    State(state): State<AppState>,
    Which(kind): Which,
    Json(draft): Json<TemplateDraft>,
) -> ApiResult<axum::Json<editor::Preview>> {
    let mut conn = state.db()?.read().await?;
    let profile = profile_of(&mut conn, &member).await?;
    let set_up = state.set_up();
    let now = editor::Now {
        at: state.origin.now(),
        told_from: ways::told_from(&mut conn, &state.origin, &profile, set_up).await?,
        texts_leave: sms_link::why(set_up.sms, &profile).is_none(),
    };
    Ok(axum::Json(editor::preview(&mut conn, &profile, kind, &draft, now).await?))
}

/// The history of a wording
#[utoipa::path(get, path = "/api/org/{orgId}/templates/{kind}/versions", operation_id = "listTemplateVersions",
    tag = "settings", security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("kind" = Kind, Path, description = "The template"),
        ("language" = Option<Language>, Query, description = "Of the wording in this language; English when absent")),
    responses((status = 200, description = "Every version, newest first", body = Vec<Version>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn list_template_versions(
    Own(member): Own,
    State(state): State<AppState>,
    Which(kind): Which,
    query: Query,
) -> ApiResult<axum::Json<Vec<Version>>> {
    let language = query.choice::<Language>("language")?.unwrap_or_default();
    let mut conn = state.db()?.read().await?;
    Ok(axum::Json(editor::versions(&mut conn, member.org(), kind, language).await?))
}
