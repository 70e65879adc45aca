//! The report that shows whether everybody was asked.

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use shared::domain::{
    growth::review::report::{self, Report},
    tenancy::{audit::Action, org},
};
use utoipa::ToSchema;

use crate::{auth::OrgOffice, client_info::Who, error::ApiResult, extract::Query, openapi, state::AppState};

#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    #[default]
    Json,
    Csv,
}

/// Was everybody asked?
///
/// Of the jobs that were done in a month: who was asked for a review, and of everybody else why not. As a file it has
/// every row.
#[utoipa::path(get, path = "/api/reviews/report", operation_id = "reviewReport", tag = "reviews",
    security(("session" = ["owner", "office"])),
    params(("month" = Option<String>, Query, pattern = "^([0-9]{4}-(0[1-9]|1[0-2]))?$",
            description = "`2026-11`; this month of the business's when absent"),
        ("format" = inline(Option<Format>), Query, description = "json when absent")),
    responses((status = 200, description = "The month", content((Report = "application/json"), (String = "text/csv"))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn review_report(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    query: Query,
) -> ApiResult<Response> {
    let zone = org::zone_named(&member.session.org_timezone);
    let format = query.choice::<Format>("format")?.unwrap_or_default();
    let first = report::month(query.text("month", 20)?.as_deref(), zone, state.origin.now())?;
    let mut conn = state.db()?.read().await?;
    let rows = report::rows(&mut conn, member.org(), first, zone).await?;
    drop(conn);
    match format {
        Format::Json => Ok(axum::Json(report::report(first, rows)).into_response()),
        Format::Csv => {
            who.took(&state, &member, Action::ReviewsExported, None).await?;
            let disposition = format!("attachment; filename=\"{}\"", report::file_name(first));
            let headers = [
                (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
                (header::CONTENT_DISPOSITION, disposition),
            ];
            Ok((headers, report::csv(&rows, zone)?).into_response())
        }
    }
}
