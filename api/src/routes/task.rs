//! Queued work as the owner sees it.

use axum::{
    extract::State,
    http::{HeaderName, StatusCode},
};
use shared::{
    audit::{self, Action},
    id::TaskId,
    tasks::{
        Status,
        view::{self, TaskView},
    },
};

use crate::{
    auth::OrgOwner,
    describe,
    error::ApiResult,
    extract::{Id, Query},
    state::AppState,
    who::Who,
};

pub const TOTAL: HeaderName = HeaderName::from_static("x-total-count");

/// Queued work, newest first
#[utoipa::path(get, path = "/api/tasks", operation_id = "listTasks", tag = "tasks",
    security(("session" = ["owner"])),
    params(("status" = Option<Status>, Query, description = "Only these"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "At most so many; 100 when absent")),
    responses((status = 200, description = "Tasks", body = Vec<TaskView>,
            headers(("X-Total-Count" = i64, description = "How many there are in all"))),
        describe::Unauthenticated, describe::Forbidden, describe::Invalid, describe::Unavailable))]
pub async fn list_tasks(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    query: Query,
) -> ApiResult<([(HeaderName, String); 1], axum::Json<Vec<TaskView>>)> {
    let status = query.choice::<Status>("status")?;
    let limit = query.number("limit", 1..=500, 100)?;
    let mut conn = state.db()?.read().await?;
    let tasks = view::list(&mut conn, member.org(), status, limit).await?;
    let total = view::count(&mut conn, member.org(), status).await?;
    Ok(([(TOTAL, total.to_string())], axum::Json(tasks)))
}

/// Starts work again that has stopped for good
#[utoipa::path(post, path = "/api/tasks/{id}/retry", operation_id = "retryTask", tag = "tasks",
    security(("session" = ["owner"])),
    params(("id" = uuid::Uuid, Path, description = "The task")),
    responses((status = 202, description = "Ready again", body = TaskView),
        describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Conflict, describe::Unavailable))]
pub async fn retry_task(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
) -> ApiResult<(StatusCode, axum::Json<TaskView>)> {
    let mut tx = state.db()?.begin().await?;
    let task = view::revive(&mut tx, &state.origin, member.org(), TaskId(id)).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::TaskRevived, Some(id)).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::ACCEPTED, axum::Json(task)))
}
