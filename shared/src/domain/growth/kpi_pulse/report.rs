//! Content of a report: the dashboard's figures, read by the same query, and the open tasks of the day.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};

use super::{
    failure::{self, Incident},
    todo::{self, PulseTodo},
};
use crate::{
    domain::{
        growth::metrics::figures::{self, DayFigures, KpiFigures, SourceFigures, SpanFigures},
        tenancy::org::OrgProfile,
    },
    platform::{
        business_hours,
        db::{AsConn, q},
        error::Result,
        period::Period,
    },
};

pub(super) const CHART_DAYS: u64 = 14;

#[derive(Clone, Debug)]
pub struct PulseReport {
    pub figures: KpiFigures,
    pub of: SpanFigures,
    pub before: SpanFigures,
    pub sources: Vec<SourceFigures>,
    /// Days of the chart, oldest first; the last is the last day of the report.
    pub days: Vec<DayFigures>,
    pub jobs_today: i64,
    pub jobs_tomorrow: i64,
    pub todos: Vec<PulseTodo>,
    pub failures: Vec<Incident>,
}

/// On a snapshot all values are of one instant.
pub async fn load_report(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    now: DateTime<Utc>,
    of: Period,
) -> Result<PulseReport> {
    let figures = figures::load_figures(&mut *conn, profile, now).await?;
    let today = figures.today;
    let tomorrow = today.checked_add_days(Days::new(1)).unwrap_or(today);
    Ok(PulseReport {
        of: figures::load_span(&mut *conn, profile, now, of).await?,
        before: figures::load_span(&mut *conn, profile, now, of.preceding_period()).await?,
        sources: figures::load_sources(&mut *conn, profile.org.id, of).await?,
        days: load_chart_days(&mut *conn, profile, now, (of.to, today)).await?,
        jobs_today: count_jobs_on(&mut *conn, profile, today).await?,
        jobs_tomorrow: count_jobs_on(&mut *conn, profile, tomorrow).await?,
        todos: todo::load_todos(&mut *conn, profile, &figures, now).await?,
        failures: failure::detect_incidents(conn, profile, now).await?,
        figures,
    })
}

async fn load_chart_days(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    now: DateTime<Utc>,
    (last, today): (NaiveDate, NaiveDate),
) -> Result<Vec<DayFigures>> {
    let since = u64::try_from((today - last).num_days()).unwrap_or_default();
    let days = figures::load_day_figures(conn, profile, now, CHART_DAYS + since).await?;
    Ok(days.into_iter().filter(|day| day.date <= last).collect())
}

fn day_bounds(profile: &OrgProfile, day: NaiveDate) -> (DateTime<Utc>, DateTime<Utc>) {
    let midnight = |day: NaiveDate| business_hours::local_to_utc(profile.org.zone(), day.and_time(NaiveTime::MIN));
    (midnight(day), midnight(day.checked_add_days(Days::new(1)).unwrap_or(day)))
}

async fn count_jobs_on(conn: &mut dyn AsConn, profile: &OrgProfile, day: NaiveDate) -> Result<i64> {
    let (from, to) = day_bounds(profile, day);
    Ok(q!(
        conn,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM job WHERE org_id = $1 AND starts_at >= $2 AND starts_at < $3 AND status <> 'cancelled'",
        profile.org.id,
        from,
        to
    )?)
}
