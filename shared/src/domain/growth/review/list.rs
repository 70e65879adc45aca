//! Lists of reviews for the business.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Serialize, Serializer};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{
    intake::ReviewIntakeChannel,
    matching::{self, ReviewMatch, ReviewMatchSuggestion},
};
use crate::platform::{
    db::{AsConn, cursor::PageCursor, like_anywhere, q, qb},
    error::{Error, Result},
    id::{CustomerId, JobId, LeadId, OrgId, ReviewId},
};

/// A rating in tenths; a number with one decimal to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, sqlx::Type, ToSchema)]
#[sqlx(transparent)]
#[schema(value_type = f64, minimum = 1, maximum = 5)]
#[schema(as = Stars)]
pub struct StarRating(pub i64);

impl Serialize for StarRating {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        #[expect(clippy::cast_precision_loss, reason = "at most fifty")]
        to.serialize_f64(self.0 as f64 / 10.0)
    }
}

/// What was kept as the answer to a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewReply {
    pub text: String,
    pub kept_at: DateTime<Utc>,
    /// Who kept it, by name.
    pub by: String,
}

/// A review. The first five fields are the product's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Review)]
pub struct ReviewView {
    pub id: ReviewId,
    /// The day it is dated, in the business's zone.
    pub date: Option<NaiveDate>,
    pub customer_name: Option<String>,
    pub rating: StarRating,
    pub review_text: Option<String>,
    /// Where it was published: "Google".
    pub source: String,
    /// When it was given.
    #[serde(rename = "receivedAt")]
    pub received_at: DateTime<Utc>,
    /// How it came in.
    pub way: ReviewIntakeChannel,
    #[serde(rename = "customerId")]
    pub customer_id: Option<CustomerId>,
    /// As their record says it.
    #[serde(rename = "customerName")]
    pub customer: Option<String>,
    #[serde(rename = "leadId")]
    pub lead_id: Option<LeadId>,
    #[serde(rename = "jobId")]
    pub job_id: Option<JobId>,
    #[serde(rename = "jobNumber")]
    pub job_number: Option<i64>,
    /// How its customer was found; null while unknown.
    pub matched: Option<ReviewMatch>,
    /// Perhaps theirs: their name is the same, and a person has to say.
    pub suggestion: Option<ReviewMatchSuggestion>,
    pub reply: Option<ReviewReply>,
}

#[derive(Clone, Debug, Default)]
pub struct ReviewListFilter {
    /// Searched in name, words and source, without regard to case.
    pub q: Option<String>,
    pub source: Option<String>,
    /// Only reviews without a customer.
    pub unmatched: bool,
    /// From inclusive, to exclusive.
    pub from: Option<DateTime<Utc>>,
    pub to: Option<DateTime<Utc>>,
    pub limit: i64,
    pub cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct ReviewListPage {
    pub reviews: Vec<ReviewView>,
    pub next: Option<String>,
}

#[derive(FromRow)]
struct ReviewListRow {
    id: ReviewId,
    reviewed_on: Option<NaiveDate>,
    customer_name: Option<String>,
    stars: StarRating,
    body: Option<String>,
    source: String,
    received_at: DateTime<Utc>,
    way: ReviewIntakeChannel,
    customer_id: Option<CustomerId>,
    customer: Option<String>,
    lead_id: Option<LeadId>,
    job_id: Option<JobId>,
    job_number: Option<i64>,
    matched: Option<ReviewMatch>,
    reply: Option<String>,
    replied_at: Option<DateTime<Utc>>,
    replied_by: Option<String>,
}

const COLUMNS: &str = "SELECT r.id, r.reviewed_on, r.customer_name, r.stars, r.body, r.source, r.received_at, r.way,
    r.customer_id, c.name AS customer, r.lead_id, r.job_id, j.number AS job_number, r.matched, r.reply, r.replied_at,
    r.replied_by
    FROM review r LEFT JOIN customer c ON c.org_id = r.org_id AND c.id = r.customer_id
    LEFT JOIN job j ON j.org_id = r.org_id AND j.id = r.job_id WHERE r.org_id = ";

impl ReviewListRow {
    fn into_view(self, suggestion: Option<ReviewMatchSuggestion>) -> ReviewView {
        let kept = self.replied_at.zip(self.replied_by);
        ReviewView {
            id: self.id,
            date: self.reviewed_on,
            customer_name: self.customer_name,
            rating: self.stars,
            review_text: self.body,
            source: self.source,
            received_at: self.received_at,
            way: self.way,
            customer_id: self.customer_id,
            customer: self.customer,
            lead_id: self.lead_id,
            job_id: self.job_id,
            job_number: self.job_number,
            matched: self.matched,
            suggestion,
            reply: self.reply.zip(kept).map(|(text, (kept_at, by))| ReviewReply { text, kept_at, by }),
        }
    }
}

macro_rules! narrow {
    ($b:ident, $filter:expr) => {
        if let Some(text) = &$filter.q {
            $b.push(" AND r.search LIKE ").push_bind(like_anywhere(&text.to_lowercase())).push(" ESCAPE '\\'");
        }
        if let Some(source) = &$filter.source {
            $b.push(" AND r.source = ").push_bind(source.clone());
        }
        if $filter.unmatched {
            $b.push(" AND r.matched IS NULL");
        }
        if let Some(from) = $filter.from {
            $b.push(" AND r.received_at >= ").push_bind(from);
        }
        if let Some(to) = $filter.to {
            $b.push(" AND r.received_at < ").push_bind(to);
        }
    };
}

/// # Errors
/// [`Error::Invalid`] on the field `cursor` when it cannot be read.
pub async fn list_reviews(conn: &mut dyn AsConn, org: OrgId, filter: &ReviewListFilter) -> Result<ReviewListPage> {
    let cursor = filter.cursor.as_deref().map(PageCursor::parse_param).transpose()?;
    let mut rows = qb!(&mut *conn, fetch_all as ReviewListRow, |b| {
        b.push(COLUMNS).push_bind(org);
        narrow!(b, filter);
        if let Some(PageCursor(at, id)) = cursor {
            b.push(" AND (r.received_at, r.id) < (").push_bind(at).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY r.received_at DESC, r.id DESC LIMIT ").push_bind(filter.limit.saturating_add(1));
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|row| PageCursor::encode_after(row.received_at, row.id.0));
    Ok(ReviewListPage { reviews: build_views(conn, org, rows).await?, next })
}

async fn build_views(conn: &mut dyn AsConn, org: OrgId, rows: Vec<ReviewListRow>) -> Result<Vec<ReviewView>> {
    let open = rows.iter().filter(|row| row.matched.is_none());
    let names: Vec<&str> = open.filter_map(|row| row.customer_name.as_deref()).collect();
    let suggested = matching::suggest_customers(conn, org, &names).await?;
    let of = |row: &ReviewListRow| {
        let name = row.customer_name.as_deref().filter(|_| row.matched.is_none())?;
        suggested.get(&name.to_lowercase()).cloned()
    };
    Ok(rows.into_iter().map(|row| (of(&row), row)).map(|(suggestion, row)| row.into_view(suggestion)).collect())
}

pub async fn count_reviews(conn: &mut dyn AsConn, org: OrgId, filter: &ReviewListFilter) -> Result<i64> {
    Ok(qb!(conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*) FROM review r WHERE r.org_id = ").push_bind(org);
        narrow!(b, filter);
    })?)
}

pub async fn get_review(conn: &mut dyn AsConn, org: OrgId, id: ReviewId) -> Result<ReviewView> {
    let found = qb!(&mut *conn, fetch_optional as ReviewListRow, |b| {
        b.push(COLUMNS).push_bind(org).push(" AND r.id = ").push_bind(id);
    })?;
    let mut views = build_views(conn, org, vec![found.ok_or(Error::NotFound)?]).await?;
    views.pop().ok_or(Error::NotFound)
}

/// All of them in a few numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct ReviewSummary {
    pub total: i64,
    /// Two decimals; null while there is none.
    pub average: Option<f64>,
    /// Customers who were asked.
    pub requested: i64,
    /// Reviews that came in, asked for or not.
    pub received: i64,
}

pub async fn load_summary(conn: &mut dyn AsConn, org: OrgId) -> Result<ReviewSummary> {
    let (total, stars, requested) = q!(
        conn,
        fetch_one as (i64, i64, i64),
        "SELECT (SELECT COUNT(*) FROM review WHERE org_id = $1),
             CAST((SELECT COALESCE(SUM(stars), 0) FROM review WHERE org_id = $1) AS BIGINT),
             (SELECT COUNT(*) FROM review_request WHERE org_id = $1 AND asked_at IS NOT NULL)",
        org
    )?;
    Ok(ReviewSummary { total, average: mean_to_two_decimals(stars, total), requested, received: total })
}

/// Minimum number of reviews before their mean is shown (decisions 10).
const ENOUGH: i64 = 5;

/// Public rating: the mean of all reviews to one decimal; none of fewer than five.
pub async fn load_public_rating(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<f64>> {
    let (total, stars) = q!(
        conn,
        fetch_one as (i64, i64),
        "SELECT COUNT(*), CAST(COALESCE(SUM(stars), 0) AS BIGINT) FROM review WHERE org_id = $1",
        org
    )?;
    Ok((total >= ENOUGH).then(|| mean_to_one_decimal(stars, total)))
}

/// Mean to one decimal; `stars` is the sum in tenths.
fn mean_to_one_decimal(stars: i64, total: i64) -> f64 {
    // Rounded half up in whole numbers.
    let tenths = (stars * 2 + total) / (total * 2);
    #[expect(clippy::cast_precision_loss, reason = "at most fifty")]
    let shown = tenths as f64;
    shown / 10.0
}

/// Mean to two decimals; `stars` is the sum in tenths.
pub(super) fn mean_to_two_decimals(stars: i64, total: i64) -> Option<f64> {
    if total == 0 {
        return None;
    }
    // Hundredths, rounded half up in whole numbers.
    let hundredths = (stars * 20 + total) / (total * 2);
    #[expect(clippy::cast_precision_loss, reason = "at most five hundred")]
    Some(hundredths as f64 / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn average_rating_has_two_decimals() {
        assert_eq!(mean_to_two_decimals(0, 0), None);
        assert_eq!(mean_to_two_decimals(50 + 45, 2), Some(4.75));
        assert_eq!(mean_to_two_decimals(50 + 50 + 40, 3), Some(4.67));
        assert_eq!(
            (
                mean_to_one_decimal(50 + 50 + 40, 3),
                mean_to_one_decimal(50 * 3 + 45 * 2, 5),
                mean_to_one_decimal(50 + 45, 2)
            ),
            (4.7, 4.8, 4.8)
        );
        assert_eq!(serde_json::to_value(StarRating(45)).unwrap(), serde_json::json!(4.5));
        assert_eq!(serde_json::to_string(&StarRating(50)).unwrap(), "5.0");
    }
}
