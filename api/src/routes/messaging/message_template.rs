//! Message templates: texts, saving with fault positions, previews, history.

use axum::{
    extract::{FromRequestParts, State},
    http::request::Parts,
};
use shared::{
    documents::template::{Language, TemplateKindName},
    domain::{
        messaging::{
            alert::alert_channels,
            automation::wording_preview::{self, TemplateDraft},
            message::sms_link,
        },
        tenancy::{
            audit::AuditAction,
            org::{
                self,
                editor::{self, EditableTemplate, TemplateChangeError, TemplatePatch},
                wordings::WordingVersion,
            },
        },
    },
};

use crate::{
    client_info::RequestContext,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Json, QueryParams},
    openapi,
    routes::tenancy::org::{OwnOrgAccess, load_profile, path_choice, record_change},
    state::AppState,
};

pub struct TemplateKindParam(TemplateKindName);

impl FromRequestParts<AppState> for TemplateKindParam {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        path_choice(parts, state, "kind").await.map(Self)
    }
}

/// Every template
#[utoipa::path(get, path = "/api/org/{orgId}/templates", operation_id = "listTemplates", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "In the order of the editors", body = Vec<EditableTemplate>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn list_templates(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<EditableTemplate>>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    Ok(axum::Json(editor::list(&mut conn, &profile).await?))
}

/// Changes a template
///
/// A wording is saved as a new version. One with faults is not saved: `faults` of the 422 tells each with its place.
#[utoipa::path(patch, path = "/api/org/{orgId}/templates/{kind}", operation_id = "changeTemplate", tag = "settings",
    security(("session" = ["owner", "office"])), request_body = TemplatePatch,
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("kind" = TemplateKindName, Path, description = "The template")),
    responses((status = 200, description = "The template as it is now", body = EditableTemplate),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn change_template(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    TemplateKindParam(kind): TemplateKindParam,
    Json(patch): Json<TemplatePatch>,
) -> ApiResult<axum::Json<EditableTemplate>> {
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    let profile = load_profile(&mut tx, &member).await?;
    let done = editor::update_template(&mut tx, &state.origin, &profile, kind, &patch, member.account()).await;
    done.map_err(to_api_error)?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::TemplateChanged, member.org().0)).await?;
    let profile = load_profile(&mut tx, &member).await?;
    let template = editor::get(&mut tx, &profile, kind).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(template))
}

fn to_api_error(refused: TemplateChangeError) -> ApiError {
    match refused {
        TemplateChangeError::Other(error) => error.into(),
        TemplateChangeError::Faults(faults) => {
            let mut error = ApiError::new(ErrorCode::ValidationFailed, "This wording cannot be saved yet.");
            let fields = TemplateChangeError::first_fault_by_field(&faults).into_iter();
            error.errors = fields.map(|(name, message)| (name.to_owned(), message)).collect();
            error.faults = faults;
            error
        }
    }
}

/// Shows a wording filled in
///
/// With the newest real request of the business, or with example values while there is none. Answers to a form are
/// rendered as sent now and after hours. Nothing is saved; faults are listed.
#[utoipa::path(post, path = "/api/org/{orgId}/templates/{kind}/preview", operation_id = "previewTemplate", tag = "settings",
    security(("session" = ["owner", "office"])), request_body = TemplateDraft,
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("kind" = TemplateKindName, Path, description = "The template")),
    responses((status = 200, description = "Its text, cost and faults", body = wording_preview::WordingPreview),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn preview_template(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    TemplateKindParam(kind): TemplateKindParam,
    Json(draft): Json<TemplateDraft>,
) -> ApiResult<axum::Json<wording_preview::WordingPreview>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    let set_up = state.send_channels();
    let now = wording_preview::PreviewContext {
        at: state.origin.now(),
        told_from: alert_channels::reachable_from(&mut conn, &state.origin, &profile, set_up).await?,
        texts_leave: sms_link::why_texts_blocked(set_up.sms, &profile).is_none(),
    };
    Ok(axum::Json(wording_preview::preview_wording(&mut conn, &profile, kind, &draft, now).await?))
}

/// The history of a wording
#[utoipa::path(get, path = "/api/org/{orgId}/templates/{kind}/versions", operation_id = "listTemplateVersions",
    tag = "settings", security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("kind" = TemplateKindName, Path, description = "The template"),
        ("language" = Option<Language>, Query, description = "Of the wording in this language; English when absent")),
    responses((status = 200, description = "Every version, newest first", body = Vec<WordingVersion>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn list_template_versions(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    TemplateKindParam(kind): TemplateKindParam,
    query: QueryParams,
) -> ApiResult<axum::Json<Vec<WordingVersion>>> {
    let language = query.parse_choice::<Language>("language")?.unwrap_or_default();
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(axum::Json(editor::list_versions(&mut conn, member.org(), kind, language).await?))
}
