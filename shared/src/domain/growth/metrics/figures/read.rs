//! What the figures are made of, read once for all of them.

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::FromRow;

use super::period::Period;
use crate::{
    domain::{
        growth::metrics::measure::{DAYS, Day, Sums},
        tenancy::org::Profile,
    },
    platform::{
        business_hours::Hours,
        db::{AsConn, q, qb},
        error::Result,
        id::OrgId,
    },
};

/// How long one request has waited.
#[derive(Clone, Copy, Debug, FromRow)]
pub(super) struct Waited {
    pub day: NaiveDate,
    pub asked_at: DateTime<Utc>,
    pub auto_ms: Option<i64>,
    pub human_ms: Option<i64>,
}

/// Sums of days, and what requests waited.
pub(super) struct Known<'a> {
    pub profile: &'a Profile,
    pub now: DateTime<Utc>,
    pub today: NaiveDate,
    days: Vec<Day>,
    pub waited: Vec<Waited>,
    /// When the business was open, in order.
    open: Vec<(DateTime<Utc>, DateTime<Utc>)>,
}

impl<'a> Known<'a> {
    /// The sums of `all`, and what requests of `waiting` have waited.
    pub async fn read(
        conn: &mut dyn AsConn,
        profile: &'a Profile,
        now: DateTime<Utc>,
        all: Period,
        waiting: Period,
    ) -> Result<Self> {
        let (org, zone) = (profile.org.id, profile.org.zone());
        let days = days(&mut *conn, org, all).await?;
        let waited = q!(
            conn,
            fetch_all as Waited,
            "SELECT day, asked_at, auto_ms, human_ms FROM metric_answer WHERE org_id = $1 AND day >= $2 AND day <= $3",
            org,
            waiting.from,
            waiting.to
        )?;
        // A held request waits from when it was let through, at most some days after its day.
        let hours: &Hours = &profile.settings.hours;
        let until = waited.iter().map(|waited| waited.asked_at.with_timezone(&zone).date_naive()).max();
        let open = until.map(|until| hours.between(zone, waiting.from, (until - waiting.from).num_days().max(0) + 1));
        let today = now.with_timezone(&zone).date_naive();
        Ok(Self { profile, now, today, days, waited, open: open.unwrap_or_default() })
    }

    pub fn sums(&self, period: Period) -> Sums {
        let mut sums = Sums::default();
        for day in self.days_of(period) {
            sums.add_all(day);
        }
        sums
    }

    /// The sums of each day of a period that has anything, oldest first.
    pub fn days_of(&self, period: Period) -> impl Iterator<Item = &Sums> {
        self.days.iter().filter(move |day| period.holds(day.day)).map(|day| &day.sums)
    }

    /// Whether the business was open then.
    pub fn was_open(&self, at: DateTime<Utc>) -> bool {
        let begun = self.open.partition_point(|(from, _)| *from <= at);
        // Openings may overlap: an earlier one may go on longer.
        self.open[..begun].iter().rev().take(4).any(|(_, to)| at < *to)
    }
}

/// The days of a period that have anything, oldest first.
pub(super) async fn days(conn: &mut dyn AsConn, org: OrgId, period: Period) -> Result<Vec<Day>> {
    Ok(qb!(conn, fetch_all as Day, |b| {
        b.push(DAYS).push_bind(org);
        b.push(" AND day >= ").push_bind(period.from).push(" AND day <= ").push_bind(period.to).push(" ORDER BY day");
    })?)
}
