//! The owner's figures: dashboard tiles, and daily values.

use axum::{
    extract::{FromRequestParts, State},
    http::request::Parts,
};
use serde::Serialize;
use shared::{
    domain::growth::metrics::{
        figures::{self, DayFigures, KpiFigures},
        recompute,
    },
    platform::id::OrgId,
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    auth::{OrgMember, OrgOffice},
    demo,
    error::{ApiError, ApiResult, ErrorCode},
    extract::QueryParams,
    openapi,
    report_export::read_report,
    routes::tenancy::org::{load_profile, path_param},
    state::AppState,
};

/// Path word: the caller's own figures, or the demonstration's without an account (decisions 1).
const DEMO: &str = "demo";
/// Default and maximum number of days.
const USUAL_DAYS: i64 = 30;
const MOST_DAYS: i64 = 400;

/// Owner or office, for the figures of their own business: `{businessId}` is its id, its slug, or `demo`.
pub struct BusinessMetricsAccess(OrgMember);

impl FromRequestParts<AppState> for BusinessMetricsAccess {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let asked = path_param(parts, state, "businessId").await?;
        let member = match OrgOffice::from_request_parts(parts, state).await {
            Ok(OrgOffice(member)) => member,
            // A visitor without a session gets the demonstration.
            Err(refused) if refused.code == ErrorCode::Unauthenticated && asked.eq_ignore_ascii_case(DEMO) => {
                return demo::load_demo_viewer(state).await.map(Self);
            }
            Err(refused) => return Err(refused),
        };
        let is_own = match asked.parse::<Uuid>() {
            Ok(id) => OrgId(id) == member.org(),
            Err(_) => asked.eq_ignore_ascii_case(&member.session.org_slug) || asked.eq_ignore_ascii_case(DEMO),
        };
        if is_own { Ok(Self(member)) } else { Err(ApiError::not_found()) }
    }
}

/// All figures of the dashboard
///
/// Days begin and end in the business's own time zone. `rows` of a figure is the list in the app whose rows it is made
/// of. A figure that rests on an estimate says so by `isEstimate`.
#[utoipa::path(get, path = "/api/kpis/{businessId}", operation_id = "getKpis", tag = "figures",
    security(("session" = ["owner", "office"])),
    params(("businessId" = String, Path, min_length = 1, description = "One's own business, by id or slug; or `demo`, without a session the demonstration")),
    responses((status = 200, description = "The figures", body = KpiFigures),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_kpis(
    BusinessMetricsAccess(member): BusinessMetricsAccess,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<KpiFigures>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    drop(conn);
    let shown = read_report!(state, |reader| figures::load_figures(reader, &profile, state.origin.now()));
    Ok(axum::Json(shown))
}

/// Some days of a business.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DailyMetricsShown)]
pub struct DailyMetricsView {
    /// Oldest first; the last is today.
    days: Vec<DayFigures>,
    business_id: OrgId,
    /// IANA name: whose days these are.
    timezone: String,
    /// False while what was there before this program counted is still being counted.
    is_counted: bool,
}

/// Figures by day
///
/// One entry for each day, also for one on which nothing happened, in the business's own time zone.
#[utoipa::path(get, path = "/api/daily-metrics/{businessId}", operation_id = "getDailyMetrics", tag = "figures",
    security(("session" = ["owner", "office"])),
    params(("businessId" = String, Path, min_length = 1, description = "One's own business, by id or slug; or `demo`, without a session the demonstration"),
        ("days" = Option<i64>, Query, minimum = 1, maximum = 400, description = "The last so many; 30 when absent")),
    responses((status = 200, description = "The days", body = DailyMetricsView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn get_daily_metrics(
    BusinessMetricsAccess(member): BusinessMetricsAccess,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<axum::Json<DailyMetricsView>> {
    let count = u64::try_from(query.parse_number("days", 1..=MOST_DAYS, USUAL_DAYS)?).unwrap_or_default();
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    let is_counted = recompute::is_counted(&mut conn, member.org()).await?;
    drop(conn);
    let days = read_report!(state, |reader| figures::load_day_figures(reader, &profile, state.origin.now(), count));
    let timezone = profile.org.zone().name().to_owned();
    Ok(axum::Json(DailyMetricsView { days, business_id: member.org(), timezone, is_counted }))
}
