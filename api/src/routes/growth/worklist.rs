//! The worklist: who waits, how many, and what a person did about it.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use shared::{
    domain::{
        growth::worklist::{self, WorkItem, WorkItemKey, WorklistAssignee, WorklistCount, WorklistQuery, WorklistView},
        intake::lead::owner,
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
        },
    },
    platform::{
        db::Tx,
        error::{Error, FieldErrors},
        id::AccountId,
        live::{self, Topic},
    },
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::{Json, PathWord, QueryParams},
    openapi, pagination,
    routes::tenancy::org::load_profile,
    state::AppState,
};

const PATH: &str = "/api/worklist";

/// Everybody who waits for the business
///
/// Emergencies come first, then promised answers by their time, then the others by how long they wait; money comes
/// after people, the largest amounts first. The total counts at most 2,000. Who is snoozed or done has a view of its own.
#[utoipa::path(get, path = "/api/worklist", operation_id = "listWorklist", tag = "worklist",
    security(("session" = ["owner", "office"])),
    params(("view" = inline(Option<WorklistView>), Query, description = "Which items; `next` when absent"),
        ("assignee" = inline(Option<WorklistAssignee>), Query, description = "Whose items; `all` when absent"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 200, description = "At most so many; 50 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]_-?[0-9]{1,18}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header")),
    responses((status = 200, description = "Who waits", body = Vec<WorkItem>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn list_worklist(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<(HeaderMap, axum::Json<Vec<WorkItem>>)> {
    let asked = WorklistQuery {
        view: query.parse_choice("view")?.unwrap_or_default(),
        assignee: query.parse_choice("assignee")?.unwrap_or_default(),
        account: member.account(),
        limit: query.parse_number("limit", 1..=200, 50)?,
        cursor: query.parse_text("cursor", 200)?,
        now: state.origin.now(),
    };
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    let page = worklist::load_page(&mut conn, &profile, &asked).await?;
    let words = ["view", "assignee", "limit"];
    let next = page.next.map(|next| pagination::next_page_link(PATH, &query, &words, &next));
    Ok((pagination::pagination_headers(page.total, next), axum::Json(page.items)))
}

/// How many wait
///
/// The number of the badges: the same as the total of the list.
#[utoipa::path(get, path = "/api/worklist/count", operation_id = "countWorklist", tag = "worklist",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "How many", body = WorklistCount),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn count_worklist(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<WorklistCount>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    Ok(axum::Json(worklist::load_count(&mut conn, &profile, state.origin.now()).await?))
}

/// An item as it was shown.
#[derive(Deserialize, ToSchema)]
pub struct WorkItemShown {
    /// Its `since`: when something newer waits, nothing is changed.
    since: DateTime<Utc>,
}

/// An item as it was shown, and when it comes back.
#[derive(Deserialize, ToSchema)]
pub struct WorkItemSnooze {
    /// Its `since`: when something newer waits, nothing is changed.
    since: DateTime<Utc>,
    /// From 1 minute to 60 days ahead.
    until: DateTime<Utc>,
}

/// Whose an item is from now on.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkItemOwner {
    /// Somebody of the business who is active; null: nobody.
    // With this serde requires the field: an omitted field must not unassign a lead.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required = true, value_type = Option<uuid::Uuid>)]
    account_id: Option<AccountId>,
}

/// Mark an item as done
///
/// It disappears until something newer than `since` waits. The customer's conversation counts as answered, an emergency
/// as seen. An invoice, a job or a review stays as it is.
#[utoipa::path(post, path = "/api/worklist/{key}/done", operation_id = "finishWorkItem", tag = "worklist",
    security(("session" = ["owner", "office"])), request_body = WorkItemShown,
    params(("key" = String, Path, description = "The item's key")),
    responses((status = 204, description = "Done"), openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden,
        openapi::NotFound, openapi::Conflict, openapi::TooLarge, openapi::WrongMedia, openapi::Invalid,
        openapi::Unavailable))]
pub async fn finish_work_item(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathWord(key): PathWord,
    Json(form): Json<WorkItemShown>,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    let profile = load_profile(&mut tx, &member).await?;
    let (ctx, by) = (state.org_context(&profile), ActivityActor::from_session(&member.session));
    let key = worklist::mark_done(&mut tx, &ctx, &key, form.since, &by).await?;
    finish(&state, &member, &who, tx, (AuditAction::WorkItemDone, key)).await
}

/// Snooze an item
///
/// It comes back at that time, or earlier with something newer than `since`.
#[utoipa::path(post, path = "/api/worklist/{key}/snooze", operation_id = "snoozeWorkItem", tag = "worklist",
    security(("session" = ["owner", "office"])), request_body = WorkItemSnooze,
    params(("key" = String, Path, description = "The item's key")),
    responses((status = 204, description = "Snoozed"), openapi::BadRequest, openapi::Unauthenticated,
        openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn snooze_work_item(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathWord(key): PathWord,
    Json(form): Json<WorkItemSnooze>,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    let profile = load_profile(&mut tx, &member).await?;
    let (ctx, by) = (state.org_context(&profile), ActivityActor::from_session(&member.session));
    let key = worklist::snooze_item(&mut tx, &ctx, &key, (form.since, form.until), &by).await?;
    finish(&state, &member, &who, tx, (AuditAction::WorkItemSnoozed, key)).await
}

/// Assign an item
///
/// Its lead gets this owner: an item and its lead have one owner.
#[utoipa::path(post, path = "/api/worklist/{key}/assign", operation_id = "assignWorkItem", tag = "worklist",
    security(("session" = ["owner", "office"])), request_body = WorkItemOwner,
    params(("key" = String, Path, description = "The item's key")),
    responses((status = 204, description = "Assigned"), openapi::BadRequest, openapi::Unauthenticated,
        openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia, openapi::Invalid,
        openapi::Unavailable))]
pub async fn assign_work_item(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathWord(key): PathWord,
    Json(form): Json<WorkItemOwner>,
) -> ApiResult<StatusCode> {
    let (org, by) = (member.org(), ActivityActor::from_session(&member.session));
    let mut tx = state.db()?.begin().await?;
    let profile = load_profile(&mut tx, &member).await?;
    let lead = worklist::find_lead_of_item(&mut tx, &profile, state.origin.now(), &key).await?;
    let assigned = owner::assign_owner(&mut tx, &state.origin, org, lead, form.account_id, &by).await;
    assigned.map_err(name_account_field)?;
    let key = WorkItemKey::parse_key(&key).ok_or_else(ApiError::not_found)?;
    live::publish_event(&mut tx, &state.origin, org, Topic::Worklist, key.subject, None).await?;
    finish(&state, &member, &who, tx, (AuditAction::WorkItemAssigned, key)).await
}

/// The owner of a lead is `ownerUserId` there, and `accountId` here.
fn name_account_field(error: Error) -> Error {
    let Error::Invalid(FieldErrors(fields)) = error else { return error };
    let mut named = FieldErrors::default();
    for message in fields.into_values() {
        named.add("accountId", message);
    }
    Error::Invalid(named)
}

/// Undo the last mark of an item
///
/// Takes back that it was done or snoozed, and nothing else.
#[utoipa::path(post, path = "/api/worklist/{key}/undo", operation_id = "undoWorkItem", tag = "worklist",
    security(("session" = ["owner", "office"])),
    params(("key" = String, Path, description = "The item's key")),
    responses((status = 204, description = "Undone"), openapi::Unauthenticated, openapi::Forbidden,
        openapi::NotFound, openapi::Unavailable))]
pub async fn undo_work_item(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathWord(key): PathWord,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    let profile = load_profile(&mut tx, &member).await?;
    let key = worklist::undo_mark(&mut tx, &state.org_context(&profile), &key).await?;
    finish(&state, &member, &who, tx, (AuditAction::WorkItemUndone, key)).await
}

async fn finish(
    state: &AppState,
    member: &OrgMember,
    who: &RequestContext,
    mut tx: Tx,
    (action, key): (AuditAction, WorkItemKey),
) -> ApiResult<StatusCode> {
    let actor = who.actor_for(member);
    audit::record(&mut tx, &state.origin, &actor, member.org(), action, Some(key.subject)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}
