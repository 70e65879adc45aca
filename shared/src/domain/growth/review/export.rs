//! Reviews as files: CSV for a spreadsheet, JSON with a summary.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use super::{
    intake,
    list::{ReviewListFilter, ReviewView, list_reviews},
};
use crate::platform::{
    csv_cell::escape_csv_formula,
    db::AsConn,
    error::{Error, Result},
    id::OrgId,
};

const COLUMNS: [&str; 5] = ["Date", "Customer", "Rating", "Review", "Source"];
const PAGE: i64 = 500;

/// `reviews-2026-11-21.csv`, with the day as the org's zone has it.
#[must_use]
pub fn file_name(ending: &str, now: DateTime<Utc>, zone: Tz) -> String {
    format!("reviews-{}.{ending}", now.with_timezone(&zone).format("%Y-%m-%d"))
}

pub async fn list_all_reviews(conn: &mut dyn AsConn, org: OrgId, filter: &ReviewListFilter) -> Result<Vec<ReviewView>> {
    let mut all = Vec::new();
    let mut filter = ReviewListFilter { limit: PAGE, cursor: None, ..filter.clone() };
    loop {
        let page = list_reviews(conn, org, &filter).await?;
        all.extend(page.reviews);
        match page.next {
            Some(next) => filter.cursor = Some(next),
            None => return Ok(all),
        }
    }
}

/// RFC 4180; cells that a spreadsheet would run as a formula are escaped.
pub fn render_csv(reviews: &[ReviewView]) -> Result<String> {
    let rows = reviews.iter().map(|review| {
        let date = review.date.map(|day| day.to_string()).unwrap_or_default();
        let (name, words) = (review.customer_name.clone(), review.review_text.clone());
        let rating = intake::format_tenths(review.rating.0);
        [date, name.unwrap_or_default(), rating, words.unwrap_or_default(), review.source.clone()]
    });
    write_csv_table(&COLUMNS, rows)
}

pub(super) fn write_csv_table<const N: usize>(
    columns: &[&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("csv: {e}"));
    writer.write_record(columns).map_err(|e| failed(&e))?;
    for row in rows {
        writer.write_record(row.iter().map(|cell| escape_csv_formula(cell).into_owned())).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

#[must_use]
pub fn render_json(reviews: &[ReviewView], now: DateTime<Utc>) -> Value {
    let mut by_source: BTreeMap<&str, usize> = BTreeMap::new();
    for review in reviews {
        *by_source.entry(&review.source).or_default() += 1;
    }
    let total = i64::try_from(reviews.len()).unwrap_or(i64::MAX);
    let stars = reviews.iter().map(|review| review.rating.0).sum();
    let plain = |review: &ReviewView| {
        json!({
            "date": review.date, "customer_name": review.customer_name, "rating": review.rating,
            "review_text": review.review_text, "source": review.source,
        })
    };
    json!({
        "exportedAt": now,
        "summary": {"total": total, "average": super::list::mean_to_two_decimals(stars, total), "bySource": by_source},
        "reviews": reviews.iter().map(plain).collect::<Vec<_>>(),
    })
}
