//! Data behind the figures, read once for all of them.

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::FromRow;

use crate::{
    domain::{
        growth::metrics::measure::{DAYS, MeasureSums, MetricDay},
        tenancy::org::OrgProfile,
    },
    platform::{
        business_hours::BusinessHours,
        db::{AsConn, q, qb},
        error::Result,
        id::OrgId,
        period::Period,
    },
};

#[derive(Clone, Copy, Debug, FromRow)]
pub(super) struct FirstResponseRow {
    pub day: NaiveDate,
    pub asked_at: DateTime<Utc>,
    pub auto_ms: Option<i64>,
    pub human_ms: Option<i64>,
}

pub(super) struct FigureInputs<'a> {
    pub profile: &'a OrgProfile,
    pub now: DateTime<Utc>,
    pub today: NaiveDate,
    days: Vec<MetricDay>,
    pub waited: Vec<FirstResponseRow>,
    open: Vec<(DateTime<Utc>, DateTime<Utc>)>,
}

impl<'a> FigureInputs<'a> {
    pub async fn load_inputs(
        conn: &mut dyn AsConn,
        profile: &'a OrgProfile,
        now: DateTime<Utc>,
        all: Period,
        waiting: Period,
    ) -> Result<Self> {
        let (org, zone) = (profile.org.id, profile.org.zone());
        let days = load_metric_days(&mut *conn, org, all).await?;
        let waited = q!(
            conn,
            fetch_all as FirstResponseRow,
            "SELECT day, asked_at, auto_ms, human_ms FROM metric_answer WHERE org_id = $1 AND day >= $2 AND day <= $3",
            org,
            waiting.from,
            waiting.to
        )?;
        // A held lead waits from its release, at most some days after its day.
        let hours: &BusinessHours = &profile.settings.hours;
        let until = waited.iter().map(|waited| waited.asked_at.with_timezone(&zone).date_naive()).max();
        let open =
            until.map(|until| hours.list_openings(zone, waiting.from, (until - waiting.from).num_days().max(0) + 1));
        let today = now.with_timezone(&zone).date_naive();
        Ok(Self { profile, now, today, days, waited, open: open.unwrap_or_default() })
    }

    pub fn sum_period(&self, period: Period) -> MeasureSums {
        let mut sums = MeasureSums::default();
        for day in self.sums_by_day(period) {
            sums.add_sums(day);
        }
        sums
    }

    pub fn sums_by_day(&self, period: Period) -> impl Iterator<Item = &MeasureSums> {
        self.days.iter().filter(move |day| period.contains_day(day.day)).map(|day| &day.sums)
    }

    pub fn was_business_open(&self, at: DateTime<Utc>) -> bool {
        let begun = self.open.partition_point(|(from, _)| *from <= at);
        // Openings may overlap: an earlier one may last longer.
        self.open[..begun].iter().rev().take(4).any(|(_, to)| at < *to)
    }
}

pub(super) async fn load_metric_days(conn: &mut dyn AsConn, org: OrgId, period: Period) -> Result<Vec<MetricDay>> {
    Ok(qb!(conn, fetch_all as MetricDay, |b| {
        b.push(DAYS).push_bind(org);
        b.push(" AND day >= ").push_bind(period.from).push(" AND day <= ").push_bind(period.to).push(" ORDER BY day");
    })?)
}
