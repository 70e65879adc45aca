//! Money that came after automatic messages: the sums, the chains behind them, and their file.

use axum::{
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use shared::domain::{
    growth::{
        attribution::{
            self, Category, Recovered,
            chain::{self, Chain, ListFilter},
            export,
        },
        metrics::figures::Period,
    },
    tenancy::{audit::Action, org},
};

use super::org::profile_of;
use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::Who,
    error::ApiResult,
    extract::Query,
    openapi, pagination,
    state::AppState,
};

/// Chains that one page may have: each is read with all that happened to it.
const MOST: i64 = 200;
/// How many days are looked at unless somebody says which.
const USUAL_DAYS: u64 = 30;

/// The days that are asked for, else the last thirty of the business's own calendar.
fn period(query: &Query, state: &AppState, member: &OrgMember) -> ApiResult<Period> {
    let zone = org::zone_named(&member.session.org_timezone);
    let usual = || Period::days(state.origin.now().with_timezone(&zone).date_naive(), USUAL_DAYS);
    Ok(query.period()?.unwrap_or_else(usual))
}

fn filter(query: &Query, state: &AppState, member: &OrgMember, limit: i64) -> ApiResult<ListFilter> {
    Ok(ListFilter {
        category: query.choice::<Category>("category")?,
        period: period(query, state, member)?,
        limit,
        cursor: query.text("cursor", 200)?,
    })
}

/// What came after automatic messages on some days
///
/// Each payment counts in one category at most, on the day it was received; what goes back is taken from where its payment
/// counted, on the day it went. That money came after a message does not say that it would have been lost without it: that
/// is what `holdOut` measures, since it began and whatever the days.
#[utoipa::path(get, path = "/api/recovered", operation_id = "getRecovered", tag = "figures",
    security(("session" = ["owner", "office"])),
    params(("from" = Option<String>, Query, format = Date, description = "From this date on; with `to`. The last 30 days when absent"),
        ("to" = Option<String>, Query, format = Date, description = "Up to this date; with `from`")),
    responses((status = 200, description = "The sums", body = Recovered),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn get_recovered(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: Query,
) -> ApiResult<axum::Json<Recovered>> {
    let period = period(&query, &state, &member)?;
    let mut conn = state.db()?.read().await?;
    let profile = profile_of(&mut conn, &member).await?;
    let found = attribution::recovered(&mut conn, member.org(), period, &profile.settings.hold_out).await?;
    Ok(axum::Json(found))
}

/// The requests behind it, each with its chain of events, the newest money first
#[utoipa::path(get, path = "/api/recovered/chains", operation_id = "listRecoveredChains", tag = "figures",
    security(("session" = ["owner", "office"])),
    params(("category" = inline(Option<Category>), Query, description = "Only what came after this"),
        ("from" = Option<String>, Query, format = Date, description = "Money from this date on; with `to`. The last 30 days when absent"),
        ("to" = Option<String>, Query, format = Date, description = "Money up to this date; with `from`"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 200, description = "At most so many; 50 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]{1,13}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header")),
    responses((status = 200, description = "One page", body = Vec<Chain>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("X-Total-Amount" = f64, description = "What they come to on these days, in US dollars"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn list_recovered_chains(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: Query,
) -> ApiResult<(HeaderMap, axum::Json<Vec<Chain>>)> {
    let filter = filter(&query, &state, &member, query.number("limit", 1..=MOST, 50)?)?;
    let zone = org::zone_named(&member.session.org_timezone);
    let mut conn = state.db()?.read().await?;
    let page = chain::list(&mut conn, member.org(), zone, &filter).await?;
    let what = format!("recovered {:?}", ListFilter { limit: 0, cursor: None, ..filter.clone() });
    let total = pagination::total(&state, &mut conn, member.org(), what, async |conn| {
        chain::total(conn, member.org(), &filter).await
    })
    .await?;
    let words = ["category", "from", "to", "limit"];
    let next = page.next.map(|next| pagination::link("/api/recovered/chains", &query, &words, &next));
    Ok((pagination::headers(total, next), axum::Json(page.chains)))
}

/// The chains as a file
#[utoipa::path(get, path = "/api/recovered/export", operation_id = "exportRecovered", tag = "figures",
    security(("session" = ["owner", "office"])),
    params(("category" = inline(Option<Category>), Query, description = "Only what came after this"),
        ("from" = Option<String>, Query, format = Date, description = "Money from this date on; with `to`. The last 30 days when absent"),
        ("to" = Option<String>, Query, format = Date, description = "Money up to this date; with `from`")),
    responses((status = 200, description = "The file", body = String, content_type = "text/csv"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn export_recovered(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    query: Query,
) -> ApiResult<Response> {
    let filter = filter(&query, &state, &member, MOST)?;
    let (now, zone) = (state.origin.now(), org::zone_named(&member.session.org_timezone));
    // Read outside the transaction: a long export must not keep the one writer from its work.
    let mut conn = state.db()?.read().await?;
    let chains = export::rows(&mut conn, member.org(), zone, &filter).await?;
    drop(conn);
    who.took(&state, &member, Action::RecoveredExported, None).await?;
    let disposition = format!("attachment; filename=\"{}\"", export::file_name(now, zone));
    let headers =
        [(header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()), (header::CONTENT_DISPOSITION, disposition)];
    Ok((headers, export::csv(&chains, zone)?).into_response())
}
