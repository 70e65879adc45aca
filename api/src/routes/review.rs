//! Reviews: the list, its figures, its file, and one of them.

use axum::{
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use shared::{
    domain::{
        growth::review::{
            export,
            list::{self, Filter, ReviewView, Summary},
            reply,
        },
        tenancy::{audit::Action, org},
        work::job::tiles::begins,
    },
    platform::{count_cache::Total, id::ReviewId},
};
use utoipa::ToSchema;

use super::{lead::ExportFormat, org::profile_of, price::Flag};
use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::Who,
    error::{ApiError, ApiResult},
    extract::{Id, Query},
    openapi, pagination,
    state::AppState,
};

pub mod ask;
pub mod change;
pub mod report;
pub mod webhook;

/// Reviews and asks that one page may have.
const MOST: i64 = 500;

fn zone(member: &OrgMember) -> Tz {
    org::zone_named(&member.session.org_timezone)
}

/// From the first instant of the day `from` until the last one of the day `to`, in the business's zone.
fn span(member: &OrgMember, query: &Query) -> ApiResult<Span> {
    let begins = |day: NaiveDate| begins(zone(member), day);
    let (from, to) = (query.day("from")?, query.day("to")?);
    if from.zip(to).is_some_and(|(from, to)| to < from) {
        return Err(ApiError::field("to", "This comes before the first day"));
    }
    Ok((from.map(begins), to.and_then(|day| day.succ_opt()).map(begins)))
}

/// From the first instant until before the second; either may be open.
type Span = (Option<DateTime<Utc>>, Option<DateTime<Utc>>);

fn filter(member: &OrgMember, query: &Query, limit: i64) -> ApiResult<Filter> {
    let (from, to) = span(member, query)?;
    Ok(Filter {
        q: query.text("q", 200)?,
        source: query.text("source", 40)?,
        unmatched: query.choice::<Flag>("unmatched")?.is_some_and(Flag::is_true),
        from,
        to,
        limit,
        cursor: query.text("cursor", 200)?,
    })
}

/// The reviews, the newest first
#[utoipa::path(get, path = "/api/reviews", operation_id = "listReviews", tag = "reviews",
    security(("session" = ["owner", "office"])),
    params(("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for in name, review and source"),
        ("source" = Option<String>, Query, max_length = 40, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Only those that stand there"),
        ("unmatched" = inline(Option<Flag>), Query, description = "Only those of which nobody has said whose they are"),
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
    query: Query,
) -> ApiResult<(HeaderMap, axum::Json<Vec<ReviewView>>)> {
    let filter = filter(&member, &query, query.number("limit", 1..=MOST, 100)?)?;
    let mut conn = state.db()?.read().await?;
    let page = list::list(&mut conn, member.org(), &filter).await?;
    let what = format!("reviews {:?}", Filter { limit: 0, cursor: None, ..filter.clone() });
    let whole = pagination::whole(filter.cursor.as_deref(), page.next.as_deref(), page.reviews.len());
    let total = match whole {
        Some(total) => total,
        None => {
            pagination::total(&state, &mut conn, member.org(), what, async |conn| {
                Ok(Total::of(list::count(conn, member.org(), &filter).await?))
            })
            .await?
        }
    };
    let names = ["q", "source", "unmatched", "from", "to", "limit"];
    let next = page.next.map(|next| pagination::link("/api/reviews", &query, &names, &next));
    Ok((pagination::headers(total, next), axum::Json(page.reviews)))
}

/// All reviews in a few numbers
#[utoipa::path(get, path = "/api/reviews/summary", operation_id = "reviewSummary", tag = "reviews",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "Counted now", body = Summary),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn review_summary(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Summary>> {
    let mut conn = state.db()?.read().await?;
    Ok(axum::Json(list::summary(&mut conn, member.org()).await?))
}

/// Reviews as a file
#[utoipa::path(get, path = "/api/reviews/export", operation_id = "exportReviews", tag = "reviews",
    security(("session" = ["owner", "office"])),
    params(("format" = inline(Option<ExportFormat>), Query, description = "csv when absent"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for"),
        ("source" = Option<String>, Query, max_length = 40, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Only those that stand there"),
        ("from" = Option<String>, Query, description = "Only what was given on this date or later"),
        ("to" = Option<String>, Query, description = "Only what was given on this date or earlier")),
    responses((status = 200, description = "The file", content((String = "text/csv"), (serde_json::Value = "application/json"))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn export_reviews(
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
    let reviews = export::rows(&mut conn, member.org(), &filter).await?;
    drop(conn);
    who.took(&state, &member, Action::ReviewsExported, None).await?;
    let (kind, ending, body) = match format {
        ExportFormat::Csv => ("text/csv; charset=utf-8", "csv", export::csv(&reviews)?),
        ExportFormat::Json => ("application/json", "json", format!("{:#}", export::json(&reviews, now))),
    };
    let disposition = format!("attachment; filename=\"{}\"", export::file_name(ending, now, zone));
    Ok(([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, disposition)], body).into_response())
}

/// A review with the draft of an answer.
#[derive(Serialize, ToSchema)]
#[schema(as = ReviewDetail)]
pub struct ReviewShown {
    #[serde(flatten)]
    review: ReviewView,
    /// In the business's own words; it is posted nowhere.
    draft: String,
}

/// One review with the draft of an answer
#[utoipa::path(get, path = "/api/reviews/{id}", operation_id = "getReview", tag = "reviews",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The review")),
    responses((status = 200, description = "The review", body = ReviewShown),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_review(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    Id(id): Id,
) -> ApiResult<axum::Json<ReviewShown>> {
    let mut conn = state.db()?.read().await?;
    let profile = profile_of(&mut conn, &member).await?;
    let review = list::get(&mut conn, member.org(), ReviewId(id)).await?;
    let draft = reply::draft(&mut conn, &state.intake(&profile), ReviewId(id)).await?;
    Ok(axum::Json(ReviewShown { review, draft }))
}
