//! The four tiles above the board, counted from the jobs themselves.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use utoipa::ToSchema;

use super::Sight;
use crate::platform::{
    business_hours,
    db::{AsConn, qb},
    error::Result,
    id::OrgId,
    money::Cents,
};

/// The four tiles above the board.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobTiles {
    /// Completed this month, by the business's own calendar.
    pub jobs_done: i64,
    /// In progress now.
    pub working_now: i64,
    /// Scheduled, and not begun.
    pub coming_up: i64,
    /// What the jobs completed this month are worth with their change orders, in US dollars; null for who sees no money.
    pub revenue: Option<Cents>,
}

/// Only the jobs of their crews, for somebody who goes out.
macro_rules! seen {
    ($b:ident, $org:expr, $sight:expr) => {
        if let Sight::Crew(account) = $sight {
            $b.push(" AND j.crew_id IN (SELECT m.crew_id FROM crew_member m WHERE m.org_id = ").push_bind($org);
            $b.push(" AND m.account_id = ").push_bind(account).push(")");
        }
    };
}

/// # Errors
/// Those of the database only.
pub async fn tiles(conn: &mut dyn AsConn, org: OrgId, sight: Sight, zone: Tz, now: DateTime<Utc>) -> Result<JobTiles> {
    let (from, to) = month(zone, now);
    // Each by itself: together they would be looked for among all jobs that ever were.
    let (jobs_done, revenue) = qb!(&mut *conn, fetch_one as (i64, Cents), |b| {
        b.push(
            "SELECT COUNT(*), CAST(COALESCE(SUM(j.value_cents + j.changes_cents), 0) AS BIGINT) FROM job j
             WHERE j.org_id = ",
        );
        b.push_bind(org).push(" AND j.status = 'completed' AND j.completed_at >= ").push_bind(from);
        b.push(" AND j.completed_at < ").push_bind(to);
        seen!(b, org, sight);
    })?;
    let working_now = qb!(&mut *conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*) FROM job j WHERE j.org_id = ").push_bind(org).push(" AND j.status = 'in_progress'");
        seen!(b, org, sight);
    })?;
    let coming_up = qb!(conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*) FROM job j WHERE j.org_id = ").push_bind(org);
        b.push(" AND j.status = 'scheduled' AND j.starts_at >= ").push_bind(now);
        seen!(b, org, sight);
    })?;
    Ok(JobTiles { jobs_done, working_now, coming_up, revenue: sight.money(Some(revenue)) })
}

/// The first instant of this month and of the next, as the business's clocks have it.
fn month(zone: Tz, now: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
    let today = now.with_timezone(&zone).date_naive();
    let first = today.with_day(1).unwrap_or(today);
    let next = first.checked_add_months(chrono::Months::new(1)).unwrap_or(first);
    (begins(zone, first), begins(zone, next))
}

/// The first instant of a date.
#[must_use]
pub fn begins(zone: Tz, date: NaiveDate) -> DateTime<Utc> {
    business_hours::instant(zone, date.and_time(NaiveTime::MIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_month_is_the_businesss_own() {
        let late = "2026-11-01T04:30:00Z".parse().unwrap();
        let (from, to) = month(chrono_tz::America::Chicago, late);
        assert_eq!(from.to_rfc3339(), "2026-10-01T05:00:00+00:00");
        assert_eq!(to.to_rfc3339(), "2026-11-01T05:00:00+00:00");
        let (from, to) = month(chrono_tz::America::Chicago, "2026-12-31T23:00:00Z".parse().unwrap());
        assert_eq!(
            (from.to_rfc3339(), to.to_rfc3339()),
            ("2026-12-01T06:00:00+00:00".to_owned(), "2027-01-01T06:00:00+00:00".to_owned())
        );
    }
}
