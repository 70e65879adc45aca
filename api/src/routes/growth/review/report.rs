//! Report that shows whether every customer was asked for a review.

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use shared::domain::{
    growth::review::report::{self, ReviewReport},
    tenancy::{audit::AuditAction, org},
};
use utoipa::ToSchema;

use crate::{
    auth::OrgOffice,
    client_info::RequestContext,
    error::ApiResult,
    extract::QueryParams,
    openapi,
    report_export::{build_file_response, read_report},
    state::AppState,
};

#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReviewReportFormat {
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
        ("format" = inline(Option<ReviewReportFormat>), Query, description = "json when absent")),
    responses((status = 200, description = "The month", content((ReviewReport = "application/json"), (String = "text/csv"))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn review_report(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    query: QueryParams,
) -> ApiResult<Response> {
    let zone = org::zone_named(&member.session.org_timezone);
    let format = query.parse_choice::<ReviewReportFormat>("format")?.unwrap_or_default();
    let first = report::parse_month(query.parse_text("month", 20)?.as_deref(), zone, state.origin.now())?;
    let rows = read_report!(state, |reader| report::list_month_rows(reader, member.org(), first, zone));
    match format {
        ReviewReportFormat::Json => Ok(axum::Json(report::build_report(first, rows)).into_response()),
        ReviewReportFormat::Csv => {
            who.record_data_export(&state, &member, AuditAction::ReviewsExported, None).await?;
            Ok(build_file_response(
                "text/csv; charset=utf-8",
                &report::file_name(first),
                report::render_csv(&rows, zone)?,
            ))
        }
    }
}
