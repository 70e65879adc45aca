//! Booked jobs: the board, its tiles and files, and one job with everything that belongs to it.

use axum::{
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use serde::Deserialize;
use shared::{
    domain::{
        tenancy::{
            audit::Action,
            org::{self, Profile},
        },
        work::job::{
            self, Sight, Status, export,
            list::{self, JobSummary, ListFilter},
            tiles::{self, JobTiles},
            view::{self, JobDetail},
        },
    },
    platform::{
        db::AsConn,
        error::Error,
        id::{CrewId, JobId, LeadId},
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::lead::ExportFormat;
use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::Who,
    error::{ApiError, ApiResult},
    extract::{Id, Query},
    openapi, pagination,
    state::AppState,
};

pub mod change;
pub mod dispatch_notice;
pub mod field;

/// Jobs that one page may have.
const MOST: i64 = 500;

/// The business as the rules look at it.
pub(super) async fn profile(conn: &mut dyn AsConn, member: &OrgMember) -> ApiResult<Profile> {
    let org = org::find(&mut *conn, member.org()).await?.ok_or(Error::NotFound)?;
    Ok(org::profile(conn, org).await?)
}

/// The job as this person may see it.
async fn shown(
    conn: &mut dyn AsConn,
    state: &AppState,
    profile: &Profile,
    sight: Sight,
    id: JobId,
) -> ApiResult<axum::Json<JobDetail>> {
    Ok(axum::Json(view::get(conn, &state.intake(profile), sight, id).await?))
}

/// An old address names the business; one of another business is not there.
fn is_own(member: &OrgMember, query: &Query) -> ApiResult<()> {
    let Some(asked) = query.text("orgId", 100)? else { return Ok(()) };
    let is_own = asked
        .parse::<Uuid>()
        .map_or_else(|_| asked.eq_ignore_ascii_case(&member.session.org_slug), |id| id == member.org().0);
    if is_own { Ok(()) } else { Err(ApiError::not_found()) }
}

fn zone(member: &OrgMember) -> Tz {
    org::zone_named(&member.session.org_timezone)
}

/// An instant, or the first one of a day of the business's.
fn instant(query: &Query, name: &str, zone: Tz, is_end: bool) -> ApiResult<Option<DateTime<Utc>>> {
    let Some(text) = query.text(name, 40)? else { return Ok(None) };
    if let Ok(at) = DateTime::parse_from_rfc3339(&text) {
        return Ok(Some(at.to_utc()));
    }
    let refused = || ApiError::field(name, "Write a time such as 2026-11-24T15:00:00Z, or a date");
    let day: NaiveDate = text.parse().map_err(|_| refused())?;
    let day = if is_end { day.succ_opt().ok_or_else(refused)? } else { day };
    Ok(Some(tiles::begins(zone, day)))
}

fn filter(member: &OrgMember, query: &Query, limit: i64) -> ApiResult<ListFilter> {
    Ok(ListFilter {
        status: query.choice::<Status>("status")?,
        crew: query.id::<CrewId>("crewId")?,
        lead: query.id::<LeadId>("leadId")?,
        q: query.text("q", 200)?,
        from: instant(query, "from", zone(member), false)?,
        to: instant(query, "to", zone(member), true)?,
        done: flag(query, "done")?,
        tray: flag(query, "tray")?,
        cursor: query.text("cursor", 200)?,
        ..ListFilter::all(Sight::of(&member.session), limit)
    })
}

fn flag(query: &Query, name: &str) -> ApiResult<bool> {
    Ok(query.choice::<Flag>(name)?.is_some_and(|flag| matches!(flag, Flag::True)))
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Flag {
    True,
    False,
}

/// The booked jobs, newest first
///
/// Somebody of a crew gets the jobs of their crews, without money.
#[utoipa::path(get, path = "/api/jobs", operation_id = "listJobs", tag = "jobs",
    security(("session" = ["owner", "office", "crew"])),
    params(("orgId" = Option<String>, Query, max_length = 100, description = "One's own business by id or slug; may be left out"),
        ("status" = Option<Status>, Query, description = "Only these"),
        ("crewId" = Option<Uuid>, Query, description = "Only this crew's"),
        ("leadId" = Option<Uuid>, Query, description = "Only this lead's"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for in customer, service and location"),
        ("from" = Option<String>, Query, description = "Only what goes on after this instant or from this date on"),
        ("to" = Option<String>, Query, description = "Only what begins before this instant or up to this date"),
        ("done" = inline(Option<Flag>), Query, description = "Only what is completed; `from` and `to` are about when it was"),
        ("tray" = inline(Option<Flag>), Query, description = "Only what is to be done and has no time yet"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "At most so many; 100 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]{1,13}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header")),
    responses((status = 200, description = "One page", body = Vec<JobSummary>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("X-Total-Amount" = f64, description = "With `done`, what they are worth in US dollars; not for a crew"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn list_jobs(
    member: OrgMember,
    State(state): State<AppState>,
    query: Query,
) -> ApiResult<(HeaderMap, axum::Json<Vec<JobSummary>>)> {
    is_own(&member, &query)?;
    let filter = filter(&member, &query, query.number("limit", 1..=MOST, 100)?)?;
    let mut conn = state.db()?.read().await?;
    let page = list::list(&mut conn, member.org(), &filter).await?;
    let what = format!("jobs {:?}", ListFilter { limit: 0, cursor: None, ..filter.clone() });
    let total = pagination::total(&state, &mut conn, member.org(), what, async |conn| {
        list::total(conn, member.org(), &filter).await
    })
    .await?;
    let next = page.next.map(|next| {
        pagination::link(
            "/api/jobs",
            &query,
            &["orgId", "status", "crewId", "leadId", "q", "from", "to", "done", "tray", "limit"],
            &next,
        )
    });
    Ok((pagination::headers(total, next), axum::Json(page.jobs)))
}

/// The four tiles above the board
#[utoipa::path(get, path = "/api/jobs/summary", operation_id = "jobTiles", tag = "jobs",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "Counted now", body = JobTiles),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn job_tiles(member: OrgMember, State(state): State<AppState>) -> ApiResult<axum::Json<JobTiles>> {
    let mut conn = state.db()?.read().await?;
    let (sight, now) = (Sight::of(&member.session), state.origin.now());
    Ok(axum::Json(tiles::tiles(&mut conn, member.org(), sight, zone(&member), now).await?))
}

/// Jobs as a file
#[utoipa::path(get, path = "/api/jobs/export", operation_id = "exportJobs", tag = "jobs",
    security(("session" = ["owner", "office"])),
    params(("format" = inline(Option<ExportFormat>), Query, description = "csv when absent"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for"),
        ("crewId" = Option<Uuid>, Query, description = "Only this crew's"),
        ("from" = Option<String>, Query, description = "Only what goes on after this instant or from this date on"),
        ("to" = Option<String>, Query, description = "Only what begins before this instant or up to this date"),
        ("done" = inline(Option<Flag>), Query, description = "Only what is completed; `from` and `to` are about when it was"),
        ("status" = Option<Status>, Query, description = "Only these")),
    responses((status = 200, description = "The file", content((String = "text/csv"), (serde_json::Value = "application/json"))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn export_jobs(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    query: Query,
) -> ApiResult<Response> {
    let format = query.choice::<ExportFormat>("format")?.unwrap_or(ExportFormat::Csv);
    let filter = filter(&member, &query, MOST)?;
    let (now, zone) = (state.origin.now(), zone(&member));
    // Read outside the transaction: a long export must not keep the one writer from its work.
    let mut conn = state.db()?.read().await?;
    let jobs = export::rows(&mut conn, member.org(), &filter).await?;
    drop(conn);
    who.took(&state, &member, Action::JobsExported, None).await?;
    let (kind, ending, body) = match format {
        ExportFormat::Csv => ("text/csv; charset=utf-8", "csv", export::csv(&jobs, zone)?),
        ExportFormat::Json => ("application/json", "json", format!("{:#}", export::json(&jobs, now))),
    };
    let disposition = format!("attachment; filename=\"{}\"", export::file_name(ending, now, zone));
    Ok(([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, disposition)], body).into_response())
}

/// One job with everything that belongs to it
#[utoipa::path(get, path = "/api/jobs/{id}", operation_id = "getJob", tag = "jobs",
    security(("session" = ["owner", "office", "crew"])),
    params(("id" = Uuid, Path, description = "The job"),
        ("orgId" = Option<String>, Query, max_length = 100, description = "One's own business by id or slug; may be left out")),
    responses((status = 200, description = "The job", body = JobDetail),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn get_job(
    member: OrgMember,
    State(state): State<AppState>,
    Id(id): Id,
    query: Query,
) -> ApiResult<axum::Json<JobDetail>> {
    is_own(&member, &query)?;
    let mut conn = state.db()?.read().await?;
    let sight = job::visible(&mut conn, &member.session, JobId(id)).await?;
    let profile = profile(&mut conn, &member).await?;
    shown(&mut conn, &state, &profile, sight, JobId(id)).await
}
