//! The spend brake: how many texts left on a day of the business. A form that strangers fill in can be made to text the
//! whole country (Twilio, "Preventing messaging fraud").

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::{
    db::{AsConn, Tx, q},
    error::Result,
    id::OrgId,
    segments,
};

/// The day in the org's zone: `2026-11-21`.
#[must_use]
pub fn day(zone: Tz, now: DateTime<Utc>) -> String {
    now.with_timezone(&zone).format("%Y-%m-%d").to_string()
}

/// How many texts to customers left on that day.
pub async fn texts_on(conn: &mut impl AsConn, org: OrgId, day: &str) -> Result<i64> {
    let sql = "SELECT texts FROM text_count WHERE org_id = $1 AND day = $2";
    Ok(q!(conn, fetch_optional scalar i64, sql, org, day)?.unwrap_or_default())
}

/// Counts one that is about to leave, unless so many have left already. Of two at the same instant the second sees the
/// first.
pub(super) async fn take(tx: &mut Tx, org: OrgId, day: &str, body: &str, budget: Option<i64>) -> Result<bool> {
    let segments = i64::try_from(segments::count(body).segments).unwrap_or(i64::MAX);
    let counted = q!(
        tx,
        execute,
        "INSERT INTO text_count (org_id, day, texts, segments) VALUES ($1, $2, 1, $3)
         ON CONFLICT (org_id, day) DO UPDATE SET texts = text_count.texts + 1, segments = text_count.segments + excluded.segments
         WHERE text_count.texts < $4",
        org,
        day,
        segments,
        budget.unwrap_or(i64::MAX)
    )?;
    Ok(counted == 1)
}
