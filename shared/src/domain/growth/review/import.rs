//! Spreadsheet import of reviews: a preview, then one transaction. A repeated file, or one that overlaps with other
//! sources, changes nothing that is known.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::{
    intake::{self, NewReview, ReviewContent, ReviewIntakeChannel},
    list::StarRating,
    sheet::ReviewSheet,
};
use crate::{
    domain::tenancy::org::{self, OrgContext},
    platform::{
        csv_table::{ImportRowError, ImportRowOutcome},
        db::{AsConn, Tx, q},
        error::Result,
        id::OrgId,
    },
};

const SHOWN: usize = 50;
/// At most so many faults in the answer.
const LISTED: usize = 500;

/// What a file brings in, or would.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct ReviewImport {
    pub added: usize,
    /// Reviews that are there already.
    pub same: usize,
    /// Rows that were left out.
    pub failed: usize,
    /// Why, for the first five hundred of them.
    pub errors: Vec<ImportRowError>,
    /// The first fifty of the others, as they were read.
    pub rows: Vec<ReviewRow>,
    /// The columns that say nothing to us, as the file calls them.
    pub ignored: Vec<String>,
}

/// A row as it was read.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ReviewRow {
    pub row: i64,
    pub outcome: ImportRowOutcome,
    pub date: Option<chrono::NaiveDate>,
    pub customer_name: Option<String>,
    pub rating: StarRating,
    pub review_text: Option<String>,
    pub source: String,
}

/// # Errors
/// [`crate::platform::error::Error::Invalid`] on `file` when it is not a list of reviews.
pub async fn preview_import(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, file: &[u8]) -> Result<ReviewImport> {
    Ok(plan_import(conn, ctx, file).await?.0)
}

/// # Errors
/// [`crate::platform::error::Error::Invalid`] on `file` when it is not a list of reviews.
pub async fn import_reviews(tx: &mut Tx, ctx: &OrgContext<'_>, file: &[u8]) -> Result<ReviewImport> {
    // Locked: two concurrent imports could store the same row twice.
    org::lock(&mut *tx, ctx.profile.org.id).await?;
    let (report, new) = plan_import(&mut *tx, ctx, file).await?;
    for review in new {
        intake::insert_review(&mut *tx, ctx, &review).await?;
    }
    Ok(report)
}

async fn plan_import(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    file: &[u8],
) -> Result<(ReviewImport, Vec<NewReview>)> {
    let zone = ctx.profile.org.zone();
    let sheet = ReviewSheet::parse(file, zone, ctx.origin.now().with_timezone(&zone).date_naive())?;
    let (mut report, mut new) =
        (ReviewImport { ignored: sheet.ignored.clone(), ..ReviewImport::default() }, Vec::new());
    let mut seen: HashMap<String, i64> = HashMap::new();
    for (row, read) in sheet.parse_rows() {
        let content = match read {
            Ok(content) => content,
            Err((column, message)) => {
                report.errors.push(ImportRowError { row, column, message });
                continue;
            }
        };
        let key = content.content_key();
        // Two equal rows are two reviews, and both are known after the first import.
        let nth = seen.entry(key.clone()).and_modify(|n| *n += 1).or_insert(1);
        let outcome = if count_same_content(&mut *conn, ctx.profile.org.id, &key).await? >= *nth {
            report.same += 1;
            ImportRowOutcome::Same
        } else {
            report.added += 1;
            let key = format!("content:{key}:{nth}");
            let content = content.clone();
            new.push(NewReview { content, way: ReviewIntakeChannel::Csv, key, ask: None, customer: None, job: None });
            ImportRowOutcome::Added
        };
        if report.rows.len() < SHOWN {
            report.rows.push(to_read_row(row, outcome, content));
        }
    }
    report.failed = report.errors.len();
    report.errors.truncate(LISTED);
    Ok((report, new))
}

async fn count_same_content(conn: &mut dyn AsConn, org: OrgId, key: &str) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM review WHERE org_id = $1 AND content_key = $2";
    Ok(q!(conn, fetch_one scalar i64, sql, org, key)?)
}

fn to_read_row(row: i64, outcome: ImportRowOutcome, content: ReviewContent) -> ReviewRow {
    ReviewRow {
        row,
        outcome,
        date: content.reviewed_on,
        customer_name: content.customer_name,
        rating: StarRating(content.stars),
        review_text: content.body,
        source: content.source,
    }
}
