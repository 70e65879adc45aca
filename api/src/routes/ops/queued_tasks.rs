//! Queued tasks, for the owner.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Serialize;
use shared::{
    conflicts::ConflictCode,
    domain::tenancy::audit::{self, AuditAction},
    platform::{
        id::TaskId,
        tasks::{
            TaskStatus,
            view::{self, TaskListFilter, TaskView},
        },
    },
};
use utoipa::ToSchema;

use crate::{
    auth::OrgOwner,
    client_info::RequestContext,
    error::ApiResult,
    extract::{PathId, QueryParams},
    openapi, pagination,
    state::AppState,
};

/// Queued work, newest first
#[utoipa::path(get, path = "/api/tasks", operation_id = "listTasks", tag = "tasks",
    security(("session" = ["owner"])),
    params(("status" = Option<TaskStatus>, Query, description = "Only these"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 200, description = "At most so many; 50 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]{1,13}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header")),
    responses((status = 200, description = "Tasks", body = Vec<TaskView>,
            headers(("X-Total-Count" = i64, description = "How many there are on all pages"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn list_tasks(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<(HeaderMap, axum::Json<Vec<TaskView>>)> {
    let member = member.reject_demo()?;
    let filter = TaskListFilter {
        status: query.parse_choice::<TaskStatus>("status")?,
        limit: query.parse_number("limit", 1..=200, 50)?,
        cursor: query.parse_text("cursor", 200)?,
    };
    let mut conn = state.db()?.acquire_reader().await?;
    let page = view::load_page(&mut conn, member.org(), &filter).await?;
    let total = view::count_tasks(&mut conn, member.org(), filter.status).await?;
    let next = page.next.map(|next| next_link(&filter, &next));
    Ok((pagination::pagination_headers(total, next), axum::Json(page.tasks)))
}

fn next_link(filter: &TaskListFilter, cursor: &str) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("limit", &filter.limit.to_string()).append_pair("cursor", cursor);
    if let Some(status) = filter.status {
        query.append_pair("status", &status.to_string());
    }
    format!("</api/tasks?{}>; rel=\"next\"", query.finish())
}

/// Starts work again that has stopped permanently
#[utoipa::path(post, path = "/api/tasks/{id}/retry", operation_id = "retryTask", tag = "tasks",
    security(("session" = ["owner"])),
    params(("id" = uuid::Uuid, Path, description = "The task")),
    responses((status = 202, description = "Ready again", body = TaskView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn retry_task(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<(StatusCode, axum::Json<TaskView>)> {
    let mut tx = state.db()?.begin().await?;
    let task = view::retry_dead(&mut tx, &state.origin, member.org(), TaskId(id)).await?;
    let task = task.ok_or(ConflictCode::TaskNotDead)?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::TaskRevived, Some(id))
        .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, axum::Json(task)))
}

/// How many are ready again.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Revived)]
pub struct RetriedTasks {
    revived: u64,
}

/// Starts all work again that has stopped permanently, at most 500 tasks at a time
#[utoipa::path(post, path = "/api/tasks/retry", operation_id = "retryTasks", tag = "tasks",
    security(("session" = ["owner"])),
    responses((status = 202, description = "Ready again", body = RetriedTasks),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn retry_tasks(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<(StatusCode, axum::Json<RetriedTasks>)> {
    let mut tx = state.db()?.begin().await?;
    let revived = view::retry_all_dead(&mut tx, &state.origin, member.org()).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::TasksRevived, None)
        .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, axum::Json(RetriedTasks { revived })))
}
