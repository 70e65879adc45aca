//! Reviews: list, figures, CSV file, single review.

use axum::{extract::State, http::HeaderMap, response::Response};
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use shared::{
    domain::{
        growth::review::{
            export,
            list::{self, ReviewListFilter, ReviewSummary, ReviewView},
            reply,
        },
        tenancy::{audit::AuditAction, org},
        work::job::tiles::day_start,
    },
    platform::{count_cache::ListTotal, id::ReviewId},
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::{BooleanParam, PathId, QueryParams},
    openapi, pagination,
    report_export::{ExportFormat, build_export_response, read_report},
    routes::tenancy::org::load_profile,
    state::AppState,
};

pub mod change;
pub mod inbound_webhook;
pub mod report;
pub mod review_request;

const MOST: i64 = 500;

fn org_zone(member: &OrgMember) -> Tz {
    org::zone_named(&member.session.org_timezone)
}

/// From the start of day `from` to the end of day `to`, in the business's time zone.
fn parse_span(member: &OrgMember, query: &QueryParams) -> ApiResult<InstantRange> {
    let begins = |day: NaiveDate| day_start(org_zone(member), day);
    let (from, to) = (query.parse_day("from")?, query.parse_day("to")?);
    if from.zip(to).is_some_and(|(from, to)| to < from) {
        return Err(ApiError::invalid_field("to", "This comes before the first day"));
    }
    Ok((from.map(begins), to.and_then(|day| day.succ_opt()).map(begins)))
}

/// Start inclusive, end exclusive; either may be open.
type InstantRange = (Option<DateTime<Utc>>, Option<DateTime<Utc>>);

fn parse_filter(member: &OrgMember, query: &QueryParams, limit: i64) -> ApiResult<ReviewListFilter> {
    let (from, to) = parse_span(member, query)?;
    Ok(ReviewListFilter {
        q: query.parse_text("q", 200)?,
        source: query.parse_text("source", 40)?,
        unmatched: query.parse_choice::<BooleanParam>("unmatched")?.is_some_and(BooleanParam::is_true),
        from,
        to,
        limit,
        cursor: query.parse_text("cursor", 200)?,
    })
}

/// The reviews, the newest first
#[utoipa::path(get, path = "/api/reviews", operation_id = "listReviews", tag = "reviews",
    security(("session" = ["owner", "office"])),
    params(("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for in name, review and source"),
        ("source" = Option<String>, Query, max_length = 40, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Only published ones"),
        ("unmatched" = inline(Option<BooleanParam>), Query, description = "Only those without a customer"),
        ("from" = Option<String>, Query, description = "Only what was given on this date or later"),
        ("to" = Option<String>, Query, description = "Only what was given on this date or earlier"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "At most so many; 100 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]{1,13}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header")),
    responses((status = 200, description = "One page", body = Vec<ReviewView>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn list_reviews(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<(HeaderMap, axum::Json<Vec<ReviewView>>)> {
    let filter = parse_filter(&member, &query, query.parse_number("limit", 1..=MOST, 100)?)?;
    let mut conn = state.db()?.acquire_reader().await?;
    let page = list::list_reviews(&mut conn, member.org(), &filter).await?;
    let what = format!("reviews {:?}", ReviewListFilter { limit: 0, cursor: None, ..filter.clone() });
    let whole = pagination::total_if_complete(filter.cursor.as_deref(), page.next.as_deref(), page.reviews.len());
    let total = match whole {
        Some(total) => total,
        None => {
            pagination::load_total(&state, &mut conn, member.org(), what, async |conn| {
                Ok(ListTotal::from_row_count(list::count_reviews(conn, member.org(), &filter).await?))
            })
            .await?
        }
    };
    let names = ["q", "source", "unmatched", "from", "to", "limit"];
    let next = page.next.map(|next| pagination::next_page_link("/api/reviews", &query, &names, &next));
    Ok((pagination::pagination_headers(total, next), axum::Json(page.reviews)))
}

/// All reviews in a few numbers
#[utoipa::path(get, path = "/api/reviews/summary", operation_id = "reviewSummary", tag = "reviews",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "Counted now", body = ReviewSummary),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn review_summary(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<ReviewSummary>> {
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(axum::Json(list::load_summary(&mut conn, member.org()).await?))
}

/// Reviews as a file
#[utoipa::path(get, path = "/api/reviews/export", operation_id = "exportReviews", tag = "reviews",
    security(("session" = ["owner", "office"])),
    params(("format" = inline(Option<ExportFormat>), Query, description = "csv when absent"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for"),
        ("source" = Option<String>, Query, max_length = 40, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Only published ones"),
        ("from" = Option<String>, Query, description = "Only what was given on this date or later"),
        ("to" = Option<String>, Query, description = "Only what was given on this date or earlier")),
    responses((status = 200, description = "The file", content((String = "text/csv"), (serde_json::Value = "application/json"))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn export_reviews(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    query: QueryParams,
) -> ApiResult<Response> {
    let format = query.parse_choice::<ExportFormat>("format")?.unwrap_or(ExportFormat::Csv);
    let filter = parse_filter(&member, &query, MOST)?;
    let (now, zone) = (state.origin.now(), org_zone(&member));
    let reviews = read_report!(state, |reader| export::list_all_reviews(reader, member.org(), &filter));
    who.record_data_export(&state, &member, AuditAction::ReviewsExported, None).await?;
    build_export_response(
        format,
        |ending| export::file_name(ending, now, zone),
        || export::render_csv(&reviews),
        || export::render_json(&reviews, now),
    )
}

/// A review with the draft of an answer.
#[derive(Serialize, ToSchema)]
pub struct ReviewDetail {
    #[serde(flatten)]
    review: ReviewView,
    /// In the business's own words; it is posted nowhere.
    draft: String,
}

/// One review with the draft of an answer
#[utoipa::path(get, path = "/api/reviews/{id}", operation_id = "getReview", tag = "reviews",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The review")),
    responses((status = 200, description = "The review", body = ReviewDetail),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_review(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<axum::Json<ReviewDetail>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    let review = list::get_review(&mut conn, member.org(), ReviewId(id)).await?;
    let draft = reply::draft_reply(&mut conn, &state.org_context(&profile), ReviewId(id)).await?;
    Ok(axum::Json(ReviewDetail { review, draft }))
}
