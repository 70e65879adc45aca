//! Revenue after automatic messages: sums, message chains, CSV file.

use axum::{extract::State, http::HeaderMap, response::Response};
use shared::{
    domain::{
        growth::attribution::{
            self, AttributionCategory, RecoveredRevenue,
            attribution_path::{self, AttributionPath, AttributionPathFilter},
            export,
        },
        tenancy::{audit::AuditAction, org},
    },
    platform::period::Period,
};

use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::ApiResult,
    extract::QueryParams,
    openapi, pagination,
    report_export::{build_file_response, read_report},
    routes::tenancy::org::load_profile,
    state::AppState,
};

/// Chains per page: each is read with its whole history.
const MOST: i64 = 200;
/// Default period in days.
const USUAL_DAYS: u64 = 30;

/// The requested period, else the last thirty days in the business's time zone.
fn parse_period(query: &QueryParams, state: &AppState, member: &OrgMember) -> ApiResult<Period> {
    let zone = org::zone_named(&member.session.org_timezone);
    let usual = || Period::days_ending(state.origin.now().with_timezone(&zone).date_naive(), USUAL_DAYS);
    Ok(query.parse_period()?.unwrap_or_else(usual))
}

fn parse_filter(
    query: &QueryParams,
    state: &AppState,
    member: &OrgMember,
    limit: i64,
) -> ApiResult<AttributionPathFilter> {
    Ok(AttributionPathFilter {
        category: query.parse_choice::<AttributionCategory>("category")?,
        period: parse_period(query, state, member)?,
        limit,
        cursor: query.parse_text("cursor", 200)?,
    })
}

/// What came after automatic messages on some days
///
/// Each payment counts in one category at most, on the day it was received; what goes back is taken from where its
/// payment counted, on the day it went. That money came after a message does not say that it would have been lost
/// without it: that is what `holdOut` measures, since it began and whatever the days.
#[utoipa::path(get, path = "/api/recovered", operation_id = "getRecovered", tag = "figures",
    security(("session" = ["owner", "office"])),
    params(("from" = Option<String>, Query, format = Date, description = "From this date on; with `to`. The last 30 days when absent"),
        ("to" = Option<String>, Query, format = Date, description = "Up to this date; with `from`")),
    responses((status = 200, description = "The sums", body = RecoveredRevenue),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn get_recovered(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<axum::Json<RecoveredRevenue>> {
    let period = parse_period(&query, &state, &member)?;
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    let found = attribution::load_recovered_revenue(&mut conn, member.org(), period, &profile.settings.holdout).await?;
    Ok(axum::Json(found))
}

/// The requests behind it, each with its chain of events, the newest money first
#[utoipa::path(get, path = "/api/recovered/chains", operation_id = "listRecoveredChains", tag = "figures",
    security(("session" = ["owner", "office"])),
    params(("category" = inline(Option<AttributionCategory>), Query, description = "Only what came after this"),
        ("from" = Option<String>, Query, format = Date, description = "Money from this date on; with `to`. The last 30 days when absent"),
        ("to" = Option<String>, Query, format = Date, description = "Money up to this date; with `from`"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 200, description = "At most so many; 50 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]{1,13}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header")),
    responses((status = 200, description = "One page", body = Vec<AttributionPath>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("X-Total-Amount" = f64, description = "What they come to on these days, in US dollars"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn list_recovered_chains(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<(HeaderMap, axum::Json<Vec<AttributionPath>>)> {
    let filter = parse_filter(&query, &state, &member, query.parse_number("limit", 1..=MOST, 50)?)?;
    let zone = org::zone_named(&member.session.org_timezone);
    let mut conn = state.db()?.acquire_reader().await?;
    let page = attribution_path::list_attribution_paths(&mut conn, member.org(), zone, &filter).await?;
    let what = format!("recovered {:?}", AttributionPathFilter { limit: 0, cursor: None, ..filter.clone() });
    let total = pagination::load_total(&state, &mut conn, member.org(), what, async |conn| {
        attribution_path::count_attribution_paths(conn, member.org(), &filter).await
    })
    .await?;
    let words = ["category", "from", "to", "limit"];
    let next = page.next.map(|next| pagination::next_page_link("/api/recovered/chains", &query, &words, &next));
    Ok((pagination::pagination_headers(total, next), axum::Json(page.chains)))
}

/// The chains as a file
#[utoipa::path(get, path = "/api/recovered/export", operation_id = "exportRecovered", tag = "figures",
    security(("session" = ["owner", "office"])),
    params(("category" = inline(Option<AttributionCategory>), Query, description = "Only what came after this"),
        ("from" = Option<String>, Query, format = Date, description = "Money from this date on; with `to`. The last 30 days when absent"),
        ("to" = Option<String>, Query, format = Date, description = "Money up to this date; with `from`")),
    responses((status = 200, description = "The file", body = String, content_type = "text/csv"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn export_recovered(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    query: QueryParams,
) -> ApiResult<Response> {
    let filter = parse_filter(&query, &state, &member, MOST)?;
    let (now, zone) = (state.origin.now(), org::zone_named(&member.session.org_timezone));
    let chains = read_report!(state, |reader| export::list_all_attribution_paths(reader, member.org(), zone, &filter));
    who.record_data_export(&state, &member, AuditAction::RecoveredExported, None).await?;
    Ok(build_file_response(
        "text/csv; charset=utf-8",
        &export::file_name(now, zone),
        export::render_csv(&chains, zone)?,
    ))
}
