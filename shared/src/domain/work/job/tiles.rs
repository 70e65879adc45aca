//! The four tiles above the board, counted from the jobs.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use utoipa::ToSchema;

use super::JobScope;
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

/// Limits crew members to the jobs of their crews.
macro_rules! seen {
    ($b:ident, $org:expr, $sight:expr) => {
        if let JobScope::Crew(account) = $sight {
            $b.push(" AND j.crew_id IN (SELECT m.crew_id FROM crew_member m WHERE m.org_id = ").push_bind($org);
            $b.push(" AND m.account_id = ").push_bind(account).push(")");
        }
    };
}

pub async fn load_tiles(
    conn: &mut dyn AsConn,
    org: OrgId,
    sight: JobScope,
    zone: Tz,
    now: DateTime<Utc>,
) -> Result<JobTiles> {
    let (from, to) = month_range(zone, now);
    // Separate queries: combined, they would scan all jobs ever made.
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
    Ok(JobTiles { jobs_done, working_now, coming_up, revenue: sight.visible_amount(Some(revenue)) })
}

/// Start of this month and of the next, in the business's time zone.
fn month_range(zone: Tz, now: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
    let today = now.with_timezone(&zone).date_naive();
    let first = today.with_day(1).unwrap_or(today);
    let next = first.checked_add_months(chrono::Months::new(1)).unwrap_or(first);
    (day_start(zone, first), day_start(zone, next))
}

#[must_use]
pub fn day_start(zone: Tz, date: NaiveDate) -> DateTime<Utc> {
    business_hours::local_to_utc(zone, date.and_time(NaiveTime::MIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn month_boundaries_follow_business_time_zone() {
        let late = "2026-11-01T04:30:00Z".parse().unwrap();
        let (from, to) = month_range(chrono_tz::America::Chicago, late);
        assert_eq!(from.to_rfc3339(), "2026-10-01T05:00:00+00:00");
        assert_eq!(to.to_rfc3339(), "2026-11-01T05:00:00+00:00");
        let (from, to) = month_range(chrono_tz::America::Chicago, "2026-12-31T23:00:00Z".parse().unwrap());
        assert_eq!(
            (from.to_rfc3339(), to.to_rfc3339()),
            ("2026-12-01T06:00:00+00:00".to_owned(), "2027-01-01T06:00:00+00:00".to_owned())
        );
    }
}
