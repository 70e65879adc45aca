//! The schedule: a day, a week or a month of jobs.

use axum::extract::State;
use shared::{
    domain::work::job::JobScope,
    views::schedule::{self, ScheduleView},
};

use super::job::load_profile;
use crate::{auth::OrgMember, error::ApiResult, extract::QueryParams, openapi, state::AppState};

/// Six weeks: the most that a month view touches.
const MOST_DAYS: i64 = 42;

/// Some days of work, with the crews and what has no time yet
///
/// Crew members get the jobs of their crews, without amounts.
#[utoipa::path(get, path = "/api/schedule", operation_id = "getSchedule", tag = "jobs",
    security(("session" = ["owner", "office", "crew"])),
    params(("from" = Option<NaiveDate>, Query, description = "The first day; today, by the business's calendar, when absent"),
        ("days" = Option<i64>, Query, minimum = 1, maximum = 42, description = "How many days; 7 when absent")),
    responses((status = 200, description = "These days", body = ScheduleView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn get_schedule(
    member: OrgMember,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<axum::Json<ScheduleView>> {
    let days = query.parse_number("days", 1..=MOST_DAYS, 7)?;
    let asked = query.parse_day("from")?;
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    let now = state.origin.now();
    let today = now.with_timezone(&profile.org.zone()).date_naive();
    let from = asked.unwrap_or(today);
    let sight = JobScope::from_session(&member.session);
    Ok(axum::Json(schedule::load_schedule(&mut conn, &profile, sight, (from, days.unsigned_abs()), now).await?))
}
