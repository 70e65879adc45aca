//! Booked jobs: board, tiles, CSV file, single job.

use axum::{extract::State, http::HeaderMap, response::Response};
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use serde::Deserialize;
use shared::{
    domain::{
        tenancy::{
            audit::AuditAction,
            org::{self, OrgProfile},
        },
        work::job::{
            self, JobScope, JobState,
            tiles::{self, JobTiles},
        },
    },
    platform::{
        db::AsConn,
        error::Error,
        id::{CrewId, JobId, LeadId},
    },
    views::job::{
        detail::{self, JobDetail},
        export,
        list::{self, JobListFilter, JobSummary},
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::{PathId, QueryParams},
    openapi, pagination,
    report_export::{ExportFormat, build_export_response, read_report},
    state::AppState,
};

pub mod change;
pub mod dispatch_notice;
pub mod field;

const MOST: i64 = 500;

pub(super) async fn load_profile(conn: &mut dyn AsConn, member: &OrgMember) -> ApiResult<OrgProfile> {
    let org = org::find(&mut *conn, member.org()).await?.ok_or(Error::NotFound)?;
    Ok(org::load_profile(conn, org).await?)
}

/// The job as visible to this user.
async fn load_job_view(
    conn: &mut dyn AsConn,
    state: &AppState,
    profile: &OrgProfile,
    sight: JobScope,
    id: JobId,
) -> ApiResult<axum::Json<JobDetail>> {
    Ok(axum::Json(detail::get(conn, &state.org_context(profile), sight, id).await?))
}

/// An old address names the business; another business's is a 404.
fn check_own_business(member: &OrgMember, query: &QueryParams) -> ApiResult<()> {
    let Some(asked) = query.parse_text("orgId", 100)? else { return Ok(()) };
    let is_own = asked
        .parse::<Uuid>()
        .map_or_else(|_| asked.eq_ignore_ascii_case(&member.session.org_slug), |id| id == member.org().0);
    if is_own { Ok(()) } else { Err(ApiError::not_found()) }
}

fn org_zone(member: &OrgMember) -> Tz {
    org::zone_named(&member.session.org_timezone)
}

/// An instant, or a day: its start in the business's time zone.
fn parse_instant(query: &QueryParams, name: &str, zone: Tz, is_end: bool) -> ApiResult<Option<DateTime<Utc>>> {
    let Some(text) = query.parse_text(name, 40)? else { return Ok(None) };
    if let Ok(at) = DateTime::parse_from_rfc3339(&text) {
        return Ok(Some(at.to_utc()));
    }
    let refused = || ApiError::invalid_field(name, "Write a time such as 2026-11-24T15:00:00Z, or a date");
    let day: NaiveDate = text.parse().map_err(|_| refused())?;
    let day = if is_end { day.succ_opt().ok_or_else(refused)? } else { day };
    Ok(Some(tiles::day_start(zone, day)))
}

fn parse_filter(member: &OrgMember, query: &QueryParams, limit: i64) -> ApiResult<JobListFilter> {
    Ok(JobListFilter {
        status: query.parse_choice::<JobState>("status")?,
        crew: query.parse_id::<CrewId>("crewId")?,
        lead: query.parse_id::<LeadId>("leadId")?,
        q: query.parse_text("q", 200)?,
        from: parse_instant(query, "from", org_zone(member), false)?,
        to: parse_instant(query, "to", org_zone(member), true)?,
        done: parse_flag(query, "done")?,
        tray: parse_flag(query, "tray")?,
        cursor: query.parse_text("cursor", 200)?,
        ..JobListFilter::for_scope(JobScope::from_session(&member.session), limit)
    })
}

fn parse_flag(query: &QueryParams, name: &str) -> ApiResult<bool> {
    Ok(query.parse_choice::<JobBooleanParam>(name)?.is_some_and(|flag| matches!(flag, JobBooleanParam::True)))
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobBooleanParam {
    True,
    False,
}

/// The booked jobs, newest first
///
/// Crew members get the jobs of their crews, without amounts.
#[utoipa::path(get, path = "/api/jobs", operation_id = "listJobs", tag = "jobs",
    security(("session" = ["owner", "office", "crew"])),
    params(("orgId" = Option<String>, Query, max_length = 100, description = "One's own business by id or slug; may be left out"),
        ("status" = Option<JobState>, Query, description = "Only these"),
        ("crewId" = Option<Uuid>, Query, description = "Only this crew's"),
        ("leadId" = Option<Uuid>, Query, description = "Only this lead's"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for in customer, service and location"),
        ("from" = Option<String>, Query, description = "Only what continues after this instant or from this date on"),
        ("to" = Option<String>, Query, description = "Only what begins before this instant or up to this date"),
        ("done" = inline(Option<JobBooleanParam>), Query, description = "Only what is completed; `from` and `to` are about when it was"),
        ("tray" = inline(Option<JobBooleanParam>), Query, description = "Only what is to be done and has no time yet"),
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
    query: QueryParams,
) -> ApiResult<(HeaderMap, axum::Json<Vec<JobSummary>>)> {
    check_own_business(&member, &query)?;
    let filter = parse_filter(&member, &query, query.parse_number("limit", 1..=MOST, 100)?)?;
    let mut conn = state.db()?.acquire_reader().await?;
    let page = list::list(&mut conn, member.org(), &filter).await?;
    let what = format!("jobs {:?}", JobListFilter { limit: 0, cursor: None, ..filter.clone() });
    let total = pagination::load_total(&state, &mut conn, member.org(), what, async |conn| {
        list::load_total(conn, member.org(), &filter).await
    })
    .await?;
    let next = page.next.map(|next| {
        pagination::next_page_link(
            "/api/jobs",
            &query,
            &["orgId", "status", "crewId", "leadId", "q", "from", "to", "done", "tray", "limit"],
            &next,
        )
    });
    Ok((pagination::pagination_headers(total, next), axum::Json(page.jobs)))
}

/// The four tiles above the board
#[utoipa::path(get, path = "/api/jobs/summary", operation_id = "jobTiles", tag = "jobs",
    security(("session" = ["owner", "office", "crew"])),
    responses((status = 200, description = "Counted now", body = JobTiles),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn job_tiles(member: OrgMember, State(state): State<AppState>) -> ApiResult<axum::Json<JobTiles>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let (sight, now) = (JobScope::from_session(&member.session), state.origin.now());
    Ok(axum::Json(tiles::load_tiles(&mut conn, member.org(), sight, org_zone(&member), now).await?))
}

/// Jobs as a file
#[utoipa::path(get, path = "/api/jobs/export", operation_id = "exportJobs", tag = "jobs",
    security(("session" = ["owner", "office"])),
    params(("format" = inline(Option<ExportFormat>), Query, description = "csv when absent"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for"),
        ("crewId" = Option<Uuid>, Query, description = "Only this crew's"),
        ("from" = Option<String>, Query, description = "Only what continues after this instant or from this date on"),
        ("to" = Option<String>, Query, description = "Only what begins before this instant or up to this date"),
        ("done" = inline(Option<JobBooleanParam>), Query, description = "Only what is completed; `from` and `to` are about when it was"),
        ("status" = Option<JobState>, Query, description = "Only these")),
    responses((status = 200, description = "The file", content((String = "text/csv"), (serde_json::Value = "application/json"))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn export_jobs(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    query: QueryParams,
) -> ApiResult<Response> {
    let format = query.parse_choice::<ExportFormat>("format")?.unwrap_or(ExportFormat::Csv);
    let filter = parse_filter(&member, &query, MOST)?;
    let (now, zone) = (state.origin.now(), org_zone(&member));
    let jobs = read_report!(state, |reader| export::load_export_rows(reader, member.org(), &filter));
    who.record_data_export(&state, &member, AuditAction::JobsExported, None).await?;
    build_export_response(
        format,
        |ending| export::export_file_name(ending, now, zone),
        || export::render_csv(&jobs, zone),
        || export::build_json(&jobs, now),
    )
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
    PathId(id): PathId,
    query: QueryParams,
) -> ApiResult<axum::Json<JobDetail>> {
    check_own_business(&member, &query)?;
    let mut conn = state.db()?.acquire_reader().await?;
    let sight = job::find_visible_scope(&mut conn, &member.session, JobId(id)).await?;
    let profile = load_profile(&mut conn, &member).await?;
    load_job_view(&mut conn, &state, &profile, sight, JobId(id)).await
}
