//! The owner's figures: every tile of the dashboard, and the days they are made of.

use axum::{
    extract::{FromRequestParts, State},
    http::request::Parts,
};
use serde::Serialize;
use shared::{
    domain::growth::metrics::{
        figures::{self, DayFigures, Figures},
        recount,
    },
    platform::id::OrgId,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::org::{named, profile_of};
use crate::{
    auth::{OrgMember, OrgOffice},
    demo,
    error::{ApiError, ApiResult, ErrorCode},
    extract::Query,
    openapi,
    state::AppState,
};

/// Whose figures are meant by this word: one's own, and the demonstration's for who has none (decisions 1).
const DEMO: &str = "demo";
/// How many days are told unless somebody asks for more, and how many there are at most.
const USUAL_DAYS: i64 = 30;
const MOST_DAYS: i64 = 400;

/// The owner or the office, asking for the figures of their own business, which the path names as `{businessId}`: by
/// id, by slug, or as `demo`.
pub struct OwnFigures(OrgMember);

impl FromRequestParts<AppState> for OwnFigures {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let asked = named(parts, state, "businessId").await?;
        let member = match OrgOffice::from_request_parts(parts, state).await {
            Ok(OrgOffice(member)) => member,
            // Who is nobody yet is shown the demonstration.
            Err(refused) if refused.code == ErrorCode::Unauthenticated && asked.eq_ignore_ascii_case(DEMO) => {
                return demo::viewer(state).await.map(Self);
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
    responses((status = 200, description = "The figures", body = Figures),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_kpis(OwnFigures(member): OwnFigures, State(state): State<AppState>) -> ApiResult<axum::Json<Figures>> {
    let mut conn = state.db()?.read().await?;
    let profile = profile_of(&mut conn, &member).await?;
    Ok(axum::Json(figures::figures(&mut conn, &profile, state.origin.now()).await?))
}

/// Some days of a business.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DailyMetricsShown {
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
    responses((status = 200, description = "The days", body = DailyMetricsShown),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn get_daily_metrics(
    OwnFigures(member): OwnFigures,
    State(state): State<AppState>,
    query: Query,
) -> ApiResult<axum::Json<DailyMetricsShown>> {
    let count = u64::try_from(query.number("days", 1..=MOST_DAYS, USUAL_DAYS)?).unwrap_or_default();
    let mut conn = state.db()?.read().await?;
    let profile = profile_of(&mut conn, &member).await?;
    let days = figures::days(&mut conn, &profile, state.origin.now(), count).await?;
    let is_counted = recount::is_counted(&mut conn, member.org()).await?;
    let timezone = profile.org.zone().name().to_owned();
    Ok(axum::Json(DailyMetricsShown { days, business_id: member.org(), timezone, is_counted }))
}
