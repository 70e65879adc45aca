//! The business and its settings: name, phone numbers, switches, hours, calls, alert recipients.

use axum::{
    extract::{FromRequestParts, RawPathParams, State},
    http::{HeaderMap, StatusCode, request::Parts},
};
use chrono::Duration;
use serde::{Serialize, de::DeserializeOwned};
use shared::{
    domain::tenancy::{
        audit::{self, AuditAction},
        org::{
            self, OrgPatch, OrgProfile, OrgRecipients, Organization, SettingsPatch, SettingsView, form,
            recipients::{self, NewRecipient},
        },
        storage_quota::{self, StorageUsage},
    },
    platform::{
        db::{AsConn, Tx},
        id::{OrgId, RecipientId},
        live::{self, Topic},
        recipient::Recipient,
    },
    views::switch_preview,
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::{Json, QueryParams},
    idempotency::IdempotentOperation,
    openapi,
    state::AppState,
};

/// Owner or office of the business that the path names as `{orgId}`, by id or slug.
pub struct OwnOrgAccess(pub OrgMember);

impl FromRequestParts<AppState> for OwnOrgAccess {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let OrgOffice(member) = OrgOffice::from_request_parts(parts, state).await?;
        let asked = path_param(parts, state, "orgId").await?;
        let is_own = asked
            .parse::<Uuid>()
            .map_or_else(|_| asked.eq_ignore_ascii_case(&member.session.org_slug), |id| OrgId(id) == member.org());
        if is_own { Ok(Self(member)) } else { Err(ApiError::not_found()) }
    }
}

pub(in crate::routes) async fn path_param(parts: &mut Parts, state: &AppState, name: &str) -> ApiResult<String> {
    let found = RawPathParams::from_request_parts(parts, state).await.map_err(|_| ApiError::not_found())?;
    let part = found.iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_owned());
    part.ok_or_else(ApiError::not_found)
}

/// A path word of type `T`; 404 for any other.
pub(in crate::routes) async fn path_choice<T: DeserializeOwned>(
    parts: &mut Parts,
    state: &AppState,
    name: &str,
) -> ApiResult<T> {
    let word = path_param(parts, state, name).await?;
    serde_json::from_value(serde_json::Value::String(word)).map_err(|_| ApiError::not_found())
}

/// The `{id}` of a recipient.
pub struct RecipientParam(RecipientId);

impl FromRequestParts<AppState> for RecipientParam {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        path_choice(parts, state, "id").await.map(|id| Self(RecipientId(id)))
    }
}

impl RecipientParam {
    #[must_use]
    pub fn id(&self) -> RecipientId {
        self.0
    }
}

/// Writes the audit line and announces the change to open pages.
pub(in crate::routes) async fn record_change(
    tx: &mut Tx,
    state: &AppState,
    who: &RequestContext,
    member: &OrgMember,
    (action, subject): (AuditAction, Uuid),
) -> ApiResult<()> {
    let org = member.org();
    audit::record(tx, &state.origin, &who.actor_for(member), org, action, Some(subject)).await?;
    Ok(live::publish_event(tx, &state.origin, org, Topic::Settings, org.0, None).await?)
}

pub(in crate::routes) async fn load_profile(conn: &mut dyn AsConn, member: &OrgMember) -> ApiResult<OrgProfile> {
    let org = org::find(conn, member.org()).await?.ok_or_else(ApiError::not_found)?;
    Ok(org::load_profile(conn, org).await?)
}

/// The business, and how much of its file space is used.
#[derive(Serialize, ToSchema)]
#[schema(as = OrganizationShown)]
pub struct OrganizationView {
    #[serde(flatten)]
    organization: Organization,
    storage: StorageUsage,
}

/// The business
#[utoipa::path(get, path = "/api/org/{orgId}", operation_id = "getOrganization", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "The business", body = OrganizationView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_organization(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<OrganizationView>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let org = org::find(&mut conn, member.org()).await?.ok_or_else(ApiError::not_found)?;
    let storage = storage_quota::load_usage(&mut conn, member.org(), state.settings.storage_quota).await?;
    Ok(axum::Json(OrganizationView { organization: org.into(), storage }))
}

/// Changes what the business says about itself
#[utoipa::path(patch, path = "/api/org/{orgId}", operation_id = "changeOrganization", tag = "settings",
    security(("session" = ["owner", "office"])), request_body = OrgPatch,
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "The business as it is now", body = Organization),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn change_organization(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    Json(patch): Json<OrgPatch>,
) -> ApiResult<axum::Json<Organization>> {
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    let changed = form::update_org(&mut tx, &state.origin, member.org(), &patch).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::OrgChanged, member.org().0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(changed.into()))
}

/// What the business has set
#[utoipa::path(get, path = "/api/org/{orgId}/settings", operation_id = "getSettings", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "The settings", body = SettingsView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_settings(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<SettingsView>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    let recipients = recipients::list_recipients(&mut conn, member.org()).await?;
    Ok(axum::Json(SettingsView::new(profile, recipients)))
}

/// Changes what the business has set
///
/// Each part holds what changes; what is absent stays as it is. `errors` of a 422 names every field that does not fit
/// by its path: `calls.ringSeconds`, `hours.week.mon[0].closes`.
#[utoipa::path(patch, path = "/api/org/{orgId}/settings", operation_id = "changeSettings", tag = "settings",
    security(("session" = ["owner", "office"])), request_body = SettingsPatch,
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "The settings as they are now", body = SettingsView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn change_settings(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    Json(patch): Json<SettingsPatch>,
) -> ApiResult<axum::Json<SettingsView>> {
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    let profile = org::change_settings(&mut tx, &state.origin, member.org(), &patch).await?;
    let recipients = recipients::list_recipients(&mut tx, member.org()).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::SettingsChanged, member.org().0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(SettingsView::new(profile, recipients)))
}

/// Adds a recipient
///
/// Nothing typed, and an address that is there already, change nothing. Asks for a sign-in that is not older than 15
/// minutes. With an `Idempotency-Key` a repeated request adds nothing that was removed since.
#[utoipa::path(post, path = "/api/org/{orgId}/recipients", operation_id = "addRecipient", tag = "settings",
    security(("session" = ["owner", "office"])), request_body = NewRecipient,
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        openapi::IdempotencyKey),
    responses((status = 201, description = "Added; all recipients", body = OrgRecipients),
        (status = 200, description = "Nothing was added; all recipients", body = OrgRecipients),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn add_recipient(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(new): Json<NewRecipient>,
) -> ApiResult<(StatusCode, axum::Json<OrgRecipients>)> {
    let (wanted, once) =
        (new.validate_recipient()?, IdempotentOperation::new("recipient", &headers, &format!("{new:?}"))?);
    // A recipient goes on receiving customer data whichever sessions are ended.
    member.require_fresh(state.origin.now())?;
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, &state).await?;
    let is_added = match once.find_stored_response(&mut tx, &state, member.org()).await? {
        Some(was_added) => was_added,
        None => add_recipient_once(&mut tx, &state, (&who, &member), &once, wanted.as_ref()).await?,
    };
    let all = recipients::list_recipients(&mut tx, member.org()).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((if is_added { StatusCode::CREATED } else { StatusCode::OK }, axum::Json(all)))
}

/// Adds a recipient once per idempotency key. True when it was added now.
async fn add_recipient_once(
    tx: &mut Tx,
    state: &AppState,
    (who, member): (&RequestContext, &OrgMember),
    once: &IdempotentOperation,
    wanted: Option<&Recipient>,
) -> ApiResult<bool> {
    let added = match wanted {
        Some(recipient) => recipients::add_recipient(&mut *tx, &state.origin, member.org(), recipient).await?,
        None => None,
    };
    if let Some(id) = added {
        record_change(&mut *tx, state, who, member, (AuditAction::RecipientAdded, id.0)).await?;
    }
    once.store_response(tx, member.org(), &added.is_some()).await?;
    Ok(added.is_some())
}

/// Removes a recipient
#[utoipa::path(delete, path = "/api/org/{orgId}/recipients/{id}", operation_id = "removeRecipient", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("id" = Uuid, Path, description = "The recipient to remove")),
    responses((status = 200, description = "All remaining recipients", body = OrgRecipients),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn remove_recipient(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    recipient: RecipientParam,
) -> ApiResult<axum::Json<OrgRecipients>> {
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    recipients::remove_recipient(&mut tx, member.org(), recipient.id()).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::RecipientRemoved, recipient.id().0)).await?;
    let left = recipients::list_recipients(&mut tx, member.org()).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(left))
}

/// What a switch will cause
///
/// The very messages that will leave while it is on, as far as they are known today: those that wait, with the hours,
/// the opt-outs and the budget they will meet.
#[utoipa::path(get, path = "/api/org/{orgId}/preview", operation_id = "previewSwitch", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("switch" = switch_preview::SwitchName, Query, description = "Which switch"),
        ("days" = Option<i64>, Query, minimum = 1, maximum = 90, description = "How many days; 30 when absent")),
    responses((status = 200, description = "The messages, in the order in which they will leave", body = switch_preview::SwitchPreview),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn preview_switch(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<axum::Json<switch_preview::SwitchPreview>> {
    let switch = query.parse_choice::<switch_preview::SwitchName>("switch")?;
    let switch = switch.ok_or_else(|| ApiError::invalid_field("switch", "Please name a switch"))?;
    let days = Duration::days(query.parse_number("days", 1..=90, 30)?);
    // Never committed: planned messages are rendered in it for the preview.
    let mut tx = state.db()?.begin().await?;
    let profile = load_profile(&mut tx, &member).await?;
    let asked = switch_preview::SwitchPreviewRequest {
        switch,
        until: state.origin.now() + days,
        set_up: state.send_channels(),
    };
    Ok(axum::Json(switch_preview::preview_switch(&mut tx, &state.org_context(&profile), &asked).await?))
}
