//! What a report says: the figures of the dashboard, read by the dashboard's own query, and what is to be done today.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};

use super::{
    failure::{self, Failure},
    todo::{self, Todo},
};
use crate::{
    domain::{
        growth::metrics::figures::{self, DayFigures, Figures, Period, SourceFigures, Span},
        tenancy::org::Profile,
    },
    platform::{
        business_hours,
        db::{AsConn, q},
        error::Result,
    },
};

/// How many days the chart has.
pub(super) const CHART_DAYS: u64 = 14;

/// Everything a report says, before it is worded.
#[derive(Clone, Debug)]
pub struct Report {
    /// What the dashboard shows at this instant.
    pub figures: Figures,
    /// The days that the report is about.
    pub of: Span,
    /// As many days before them.
    pub before: Span,
    /// Where the requests of these days came from.
    pub sources: Vec<SourceFigures>,
    /// The days of the chart, oldest first; the last is the last that the report is about.
    pub days: Vec<DayFigures>,
    /// Jobs that begin today, and tomorrow.
    pub jobs_today: i64,
    pub jobs_tomorrow: i64,
    /// The most pressing first.
    pub todos: Vec<Todo>,
    /// What has stopped quietly.
    pub failures: Vec<Failure>,
}

/// Reads a report about some days. On a snapshot all of it is of one instant.
pub async fn read(conn: &mut dyn AsConn, profile: &Profile, now: DateTime<Utc>, of: Period) -> Result<Report> {
    let figures = figures::figures(&mut *conn, profile, now).await?;
    let today = figures.today;
    let tomorrow = today.checked_add_days(Days::new(1)).unwrap_or(today);
    Ok(Report {
        of: figures::span(&mut *conn, profile, now, of).await?,
        before: figures::span(&mut *conn, profile, now, of.before()).await?,
        sources: figures::sources(&mut *conn, profile.org.id, of).await?,
        days: days(&mut *conn, profile, now, (of.to, today)).await?,
        jobs_today: jobs_on(&mut *conn, profile, today).await?,
        jobs_tomorrow: jobs_on(&mut *conn, profile, tomorrow).await?,
        todos: todo::read(&mut *conn, profile, &figures, now).await?,
        failures: failure::now(conn, profile, now).await?,
        figures,
    })
}

async fn days(
    conn: &mut dyn AsConn,
    profile: &Profile,
    now: DateTime<Utc>,
    (last, today): (NaiveDate, NaiveDate),
) -> Result<Vec<DayFigures>> {
    let since = u64::try_from((today - last).num_days()).unwrap_or_default();
    let days = figures::days(conn, profile, now, CHART_DAYS + since).await?;
    Ok(days.into_iter().filter(|day| day.date <= last).collect())
}

/// The bounds of a day of the business.
pub(super) fn bounds(profile: &Profile, day: NaiveDate) -> (DateTime<Utc>, DateTime<Utc>) {
    let midnight = |day: NaiveDate| business_hours::instant(profile.org.zone(), day.and_time(NaiveTime::MIN));
    (midnight(day), midnight(day.checked_add_days(Days::new(1)).unwrap_or(day)))
}

async fn jobs_on(conn: &mut dyn AsConn, profile: &Profile, day: NaiveDate) -> Result<i64> {
    let (from, to) = bounds(profile, day);
    Ok(q!(
        conn,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM job WHERE org_id = $1 AND starts_at >= $2 AND starts_at < $3 AND status <> 'cancelled'",
        profile.org.id,
        from,
        to
    )?)
}
