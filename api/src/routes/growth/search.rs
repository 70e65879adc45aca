//! The search over customers, leads, papers and jobs.

use axum::extract::State;
use shared::{
    domain::work::job::JobScope,
    views::search::{self, SearchResults},
};

use crate::{auth::OrgMember, error::ApiResult, extract::QueryParams, openapi, state::AppState};

/// Finds customers, leads, papers and jobs
///
/// By name, by any part of a phone number with at least four digits at its beginning or end, and by the number of an
/// estimate, change order, invoice or job. Other words are found in the newest records. At most five of each group, the
/// best first. Crew members find the jobs of their crews only. A text of one character finds nothing.
#[utoipa::path(get, path = "/api/search", operation_id = "searchRecords", tag = "customers",
    security(("session" = ["owner", "office", "crew"])),
    params(("q" = Option<String>, Query, max_length = 100, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
        description = "What to look for")),
    responses((status = 200, description = "What was found", body = SearchResults),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn search_records(
    member: OrgMember,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<axum::Json<SearchResults>> {
    let text = query.parse_text("q", search::MAX_SEARCH_TEXT)?.unwrap_or_default();
    let mut conn = state.db()?.acquire_reader().await?;
    let scope = JobScope::from_session(&member.session);
    Ok(axum::Json(search::load_search_results(&mut conn, member.org(), scope, &text).await?))
}
