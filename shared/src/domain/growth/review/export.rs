//! Reviews as files: CSV for a spreadsheet, JSON with a summary.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use super::{
    intake,
    list::{Filter, ReviewView, list},
};
use crate::{
    domain::intake::lead::export::harmless,
    platform::{
        db::AsConn,
        error::{Error, Result},
        id::OrgId,
    },
};

const COLUMNS: [&str; 5] = ["Date", "Customer", "Rating", "Review", "Source"];
const PAGE: i64 = 500;

/// `reviews-2026-11-21.csv`, with the day as the org's zone has it.
#[must_use]
pub fn file_name(ending: &str, now: DateTime<Utc>, zone: Tz) -> String {
    format!("reviews-{}.{ending}", now.with_timezone(&zone).format("%Y-%m-%d"))
}

/// All reviews that the filter finds, newest first.
pub async fn rows(conn: &mut dyn AsConn, org: OrgId, filter: &Filter) -> Result<Vec<ReviewView>> {
    let mut all = Vec::new();
    let mut filter = Filter { limit: PAGE, cursor: None, ..filter.clone() };
    loop {
        let page = list(conn, org, &filter).await?;
        all.extend(page.reviews);
        match page.next {
            Some(next) => filter.cursor = Some(next),
            None => return Ok(all),
        }
    }
}

/// RFC 4180, with cells that a spreadsheet would run as a formula made harmless.
///
/// # Errors
/// [`Error::Internal`] only if memory cannot be written.
pub fn csv(reviews: &[ReviewView]) -> Result<String> {
    let rows = reviews.iter().map(|review| {
        let date = review.date.map(|day| day.to_string()).unwrap_or_default();
        let (name, words) = (review.customer_name.clone(), review.review_text.clone());
        let rating = intake::shown(review.rating.0);
        [date, name.unwrap_or_default(), rating, words.unwrap_or_default(), review.source.clone()]
    });
    table(&COLUMNS, rows)
}

/// A table as text.
pub(super) fn table<const N: usize>(columns: &[&str; N], rows: impl Iterator<Item = [String; N]>) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("csv: {e}"));
    writer.write_record(columns).map_err(|e| failed(&e))?;
    for row in rows {
        writer.write_record(row.iter().map(|cell| harmless(cell).into_owned())).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

/// The list with how many there are of each source, and their average.
#[must_use]
pub fn json(reviews: &[ReviewView], now: DateTime<Utc>) -> Value {
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
        "summary": {"total": total, "average": super::list::average(stars, total), "bySource": by_source},
        "reviews": reviews.iter().map(plain).collect::<Vec<_>>(),
    })
}
