//! Reviews: the list, typed in, imported, exported, put to their customers, and answered.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::{
    audit::{self, Action},
    id::ReviewId,
    lead::Intake,
    org::{self, Profile},
    review::{
        export,
        import::{self, Imported},
        intake::{self, ReviewForm},
        list::{self, Filter, ReviewView, Summary},
        matching::{self, MatchForm},
        reply,
    },
    total::Known,
    work::Doer,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    lead::{ExportFormat, intake::idempotency_key},
    org::profile_of,
    payment::{earlier, kept, keyed},
    price::{Csv, Flag},
    task::TOTAL,
};
use crate::{
    auth::OrgOffice,
    describe::{self, fields},
    error::{ApiError, ApiResult},
    extract::{Id, Json, Query},
    state::AppState,
    who::Who,
};

pub mod ask;
pub mod report;
pub mod webhook;

/// Reviews and asks that one page may have.
const MOST: i64 = 500;

fn filter(query: &Query, limit: i64) -> ApiResult<Filter> {
    Ok(Filter {
        q: query.text("q", 200)?,
        source: query.text("source", 40)?,
        unmatched: query.choice::<Flag>("unmatched")?.is_some_and(Flag::is_true),
        limit,
        cursor: query.text("cursor", 200)?,
    })
}

/// The same question, one page further.
fn next_link(path: &str, names: &[&str], query: &Query, cursor: &str) -> Option<HeaderValue> {
    let mut next = url::form_urlencoded::Serializer::new(String::new());
    for name in names {
        // What could not be read was refused before.
        if let Ok(Some(value)) = query.text(name, 200) {
            next.append_pair(name, &value);
        }
    }
    next.append_pair("cursor", cursor);
    HeaderValue::from_str(&format!("<{path}?{}>; rel=\"next\"", next.finish())).ok()
}

/// The reviews, the newest first
#[utoipa::path(get, path = "/api/reviews", operation_id = "listReviews", tag = "reviews",
    security(("session" = ["owner", "office"])),
    params(("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for in name, review and source"),
        ("source" = Option<String>, Query, max_length = 40, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Only those that stand there"),
        ("unmatched" = inline(Option<Flag>), Query, description = "Only those of which nobody has said whose they are"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "At most so many; 100 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]{1,13}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header")),
    responses((status = 200, description = "One page", body = Vec<ReviewView>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        describe::Unauthenticated, describe::Forbidden, describe::Invalid, describe::Unavailable))]
pub async fn list_reviews(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: Query,
) -> ApiResult<(HeaderMap, axum::Json<Vec<ReviewView>>)> {
    let filter = filter(&query, query.number("limit", 1..=MOST, 100)?)?;
    let mut conn = state.db()?.read().await?;
    let page = list::list(&mut conn, member.org(), &filter).await?;
    let what = format!("reviews {:?}", Filter { limit: 0, cursor: None, ..filter.clone() });
    let total = match state.totals.known(&mut conn, state.origin.now(), member.org(), what).await? {
        Known::Still(total) => total,
        Known::Not(asked) => {
            let total = list::count(&mut conn, member.org(), &filter).await?;
            state.totals.keep(asked, total, total)
        }
    };
    let mut headers = HeaderMap::from_iter([(TOTAL, HeaderValue::from(total))]);
    let names = ["q", "source", "unmatched", "limit"];
    let link = page.next.and_then(|next| next_link("/api/reviews", &names, &query, &next));
    headers.extend(link.map(|value| (header::LINK, value)));
    Ok((headers, axum::Json(page.reviews)))
}

/// All reviews in a few numbers
#[utoipa::path(get, path = "/api/reviews/summary", operation_id = "reviewSummary", tag = "reviews",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "Counted now", body = Summary),
        describe::Unauthenticated, describe::Forbidden, describe::Unavailable))]
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
            description = "Only those that stand there")),
    responses((status = 200, description = "The file", content((String = "text/csv"), (serde_json::Value = "application/json"))),
        describe::Unauthenticated, describe::Forbidden, describe::Invalid, describe::Unavailable))]
pub async fn export_reviews(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    query: Query,
) -> ApiResult<Response> {
    let format = query.choice::<ExportFormat>("format")?.unwrap_or(ExportFormat::Csv);
    let filter = filter(&query, MOST)?;
    let (now, zone) = (state.origin.now(), org::zone_named(&member.session.org_timezone));
    // Read outside the transaction: a long export must not keep the one writer from its work.
    let mut conn = state.db()?.read().await?;
    let reviews = export::rows(&mut conn, member.org(), &filter).await?;
    drop(conn);
    let mut tx = state.db()?.begin().await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::ReviewsExported, None).await?;
    tx.commit().await?;
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
        describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Unavailable))]
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

/// A review that somebody types in.
#[derive(ToSchema)]
#[schema(as = ReviewRequest)]
#[expect(dead_code, reason = "only described; `ReviewForm` is what is read")]
pub struct ReviewDoc {
    /// `2026-11-21`, today at the latest.
    #[schema(schema_with = fields::line_or_null::<40>)]
    date: Option<String>,
    #[schema(schema_with = fields::line_or_null::<120>)]
    customer_name: Option<String>,
    /// With one decimal at most.
    #[schema(minimum = 1, maximum = 5)]
    rating: f64,
    #[schema(schema_with = fields::lines_or_null::<5000>)]
    review_text: Option<String>,
    /// "Google".
    #[schema(schema_with = fields::line_or_null::<40>)]
    source: Option<String>,
    /// Whose it is; found by phone or email when absent.
    #[schema(rename = "customerId")]
    customer_id: Option<Uuid>,
    #[schema(rename = "jobId")]
    job_id: Option<Uuid>,
    #[schema(schema_with = fields::line_or_null::<40>)]
    phone: Option<String>,
    #[schema(schema_with = fields::line_or_null::<254>)]
    email: Option<String>,
}

/// Types a review in
///
/// With an `Idempotency-Key` a repeated request adds nothing twice.
#[utoipa::path(post, path = "/api/reviews", operation_id = "addReview", tag = "reviews",
    security(("session" = ["owner", "office"])), request_body = ReviewDoc,
    params(("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 201, description = "Added", body = ReviewView),
        describe::BadRequest, describe::Unauthenticated, describe::Forbidden, describe::TooLarge, describe::WrongMedia,
        describe::Invalid, describe::Unavailable))]
pub async fn add_review(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Json(form): Json<ReviewForm>,
) -> ApiResult<(StatusCode, axum::Json<Value>)> {
    let key = idempotency_key(&headers)?;
    let keyed = keyed("review", key.as_deref(), &format!("{form:?}"));
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = earlier(&mut tx, &state, &member, keyed.as_ref()).await? {
        return Ok((StatusCode::CREATED, axum::Json(answer)));
    }
    let profile = profile_of(&mut tx, &member).await?;
    let id = intake::by_hand(&mut tx, &state.intake(&profile), &form).await?;
    let (actor, org) = (who.actor(&member), member.org());
    audit::record(&mut tx, &state.origin, &actor, org, Action::ReviewAdded, Some(id.0)).await?;
    let review = list::get(&mut tx, org, id).await?;
    let answer = kept(&mut tx, &member, keyed.as_ref(), &review).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::CREATED, axum::Json(answer)))
}

/// Takes away a review that was typed in or imported
///
/// What customers said by the page, or another program brought, stays.
#[utoipa::path(delete, path = "/api/reviews/{id}", operation_id = "removeReview", tag = "reviews",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The review")),
    responses((status = 204, description = "Removed"), describe::Unauthenticated, describe::Forbidden,
        describe::NotFound, describe::Conflict, describe::Unavailable))]
pub async fn remove_review(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    let profile = profile_of(&mut tx, &member).await?;
    intake::remove(&mut tx, &state.intake(&profile), ReviewId(id)).await?;
    let (actor, org) = (who.actor(&member), member.org());
    audit::record(&mut tx, &state.origin, &actor, org, Action::ReviewRemoved, Some(id)).await?;
    tx.commit().await?;
    state.wake();
    Ok(StatusCode::NO_CONTENT)
}

/// Takes reviews over from a spreadsheet
///
/// A CSV file of at most 2 MB and 5,000 rows whose first row names the columns: Rating, and if there are any Date,
/// Customer, Review, Source, Phone and Email. A row that does not fit is left out and named in `errors`. The same file
/// again changes nothing.
#[utoipa::path(post, path = "/api/reviews/import", operation_id = "importReviews", tag = "reviews",
    security(("session" = ["owner", "office"])),
    request_body(content = String, content_type = "text/csv"),
    params(("dryRun" = inline(Option<Flag>), Query, description = "Only say what the file would bring in")),
    responses((status = 200, description = "What it brought in, or would", body = Imported),
        describe::BadRequest, describe::Unauthenticated, describe::Forbidden, describe::TooLarge, describe::WrongMedia,
        describe::Invalid, describe::Unavailable))]
pub async fn import_reviews(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    query: Query,
    file: Csv,
) -> ApiResult<axum::Json<Imported>> {
    if query.choice::<Flag>("dryRun")?.is_some_and(Flag::is_true) {
        let mut conn = state.db()?.read().await?;
        let profile = profile_of(&mut conn, &member).await?;
        return Ok(axum::Json(import::preview(&mut conn, &state.intake(&profile), file.bytes()).await?));
    }
    let mut tx = state.db()?.begin().await?;
    let profile = profile_of(&mut tx, &member).await?;
    let done = import::import(&mut tx, &state.intake(&profile), file.bytes()).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::ReviewsImported, None).await?;
    tx.commit().await?;
    state.wake();
    Ok(axum::Json(done))
}

/// A change of a review by somebody of the business, and the review as it is then.
async fn changed<F>(state: &AppState, office: OrgOffice, who: &Who, id: ReviewId, change: F) -> ApiResult<ReviewView>
where
    F: AsyncFnOnce(&mut shared::db::Tx, &Intake<'_>, &Doer) -> shared::error::Result<()>,
{
    let OrgOffice(member) = office;
    let mut tx = state.db()?.begin().await?;
    let profile: Profile = profile_of(&mut tx, &member).await?;
    change(&mut tx, &state.intake(&profile), &Doer::of(&member.session)).await?;
    let (actor, org) = (who.actor(&member), member.org());
    audit::record(&mut tx, &state.origin, &actor, org, Action::ReviewChanged, Some(id.0)).await?;
    let review = list::get(&mut tx, org, id).await?;
    tx.commit().await?;
    state.wake();
    Ok(review)
}

/// Says whose a review is
///
/// With a customer it is theirs, without one it is from none of ours.
#[utoipa::path(post, path = "/api/reviews/{id}/match", operation_id = "matchReview", tag = "reviews",
    security(("session" = ["owner", "office"])), request_body = MatchForm,
    params(("id" = Uuid, Path, description = "The review")),
    responses((status = 200, description = "The review as it is now", body = ReviewView),
        describe::BadRequest, describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::TooLarge,
        describe::WrongMedia, describe::Invalid, describe::Unavailable))]
pub async fn match_review(
    office: OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    Json(form): Json<MatchForm>,
) -> ApiResult<axum::Json<ReviewView>> {
    let id = ReviewId(id);
    let decide =
        async |tx: &mut shared::db::Tx, house: &Intake<'_>, _: &Doer| matching::decide(tx, house, id, &form).await;
    changed(&state, office, &who, id, decide).await.map(axum::Json)
}

/// The answer to a review.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ReplyForm {
    text: Option<String>,
}

/// The answer to a review.
#[derive(ToSchema)]
#[schema(as = ReviewReplyRequest)]
#[expect(dead_code, reason = "only described; `ReplyForm` is what is read")]
pub struct ReplyDoc {
    /// Null takes it away.
    #[schema(schema_with = fields::lines_or_null::<4000>)]
    text: Option<String>,
}

/// Keeps the answer to a review
///
/// With who wrote it and when. It is posted nowhere.
#[utoipa::path(post, path = "/api/reviews/{id}/reply", operation_id = "replyToReview", tag = "reviews",
    security(("session" = ["owner", "office"])), request_body = ReplyDoc,
    params(("id" = Uuid, Path, description = "The review")),
    responses((status = 200, description = "The review as it is now", body = ReviewView),
        describe::BadRequest, describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::TooLarge,
        describe::WrongMedia, describe::Invalid, describe::Unavailable))]
pub async fn reply_to_review(
    office: OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    Json(form): Json<ReplyForm>,
) -> ApiResult<axum::Json<ReviewView>> {
    let id = ReviewId(id);
    let keep = async |tx: &mut shared::db::Tx, house: &Intake<'_>, by: &Doer| {
        reply::keep(tx, house, id, form.text.as_deref(), by).await
    };
    changed(&state, office, &who, id, keep).await.map(axum::Json)
}

/// No such thing, said as of anything that is not there.
pub(super) fn unknown() -> ApiError {
    ApiError::not_found()
}
