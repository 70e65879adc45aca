//! Figures of a day as product.md names them.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Measure, MeasureSums, net_revenue, read, response_times, time_saved};
use crate::{
    domain::tenancy::org::{FigureSettings as Settings, OrgProfile},
    platform::{db::AsConn, error::Result, money::Cents, period::Period},
};

/// One day, as the business's own calendar has it (product §3).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DailyMetrics)]
pub struct DayFigures {
    pub date: NaiveDate,
    pub new_leads: i64,
    pub auto_replied_leads: i64,
    /// Requests whose money was settled on that day.
    pub paid_jobs: i64,
    /// Invoices issued on that day that are still to be paid.
    pub unpaid_jobs: i64,
    /// What is still to be paid of them, in US dollars.
    pub unpaid_total: Cents,
    /// The mean of first answers to that day's requests, with decimals; 0 when none was answered.
    pub avg_response_minutes: f64,
    pub reviews_requested: i64,
    pub reviews_received: i64,
    pub time_saved_hours: f64,
    /// Promises of an answer that were due on that day.
    pub promises_kept: i64,
    pub promises_broken: i64,
    /// US dollars: what came in on that day, less what went back.
    pub paid_jobs_revenue: Cents,
}

impl DayFigures {
    fn from_sums(date: NaiveDate, sums: &MeasureSums, settings: &Settings) -> Self {
        let get = |measure| sums.get(measure);
        Self {
            date,
            new_leads: get(Measure::Leads),
            auto_replied_leads: get(Measure::AutoReplied),
            paid_jobs: get(Measure::PaidLeads),
            unpaid_jobs: get(Measure::OpenInvoices),
            unpaid_total: Cents(get(Measure::OpenCents)),
            avg_response_minutes: response_times::mean_minutes_of_day(sums).unwrap_or_default(),
            reviews_requested: get(Measure::ReviewsAsked),
            reviews_received: get(Measure::Reviews),
            time_saved_hours: time_saved::minutes_to_hours(time_saved::saved_minutes(sums, settings)),
            promises_kept: get(Measure::PromisesKept),
            promises_broken: get(Measure::PromisesBroken),
            paid_jobs_revenue: net_revenue(sums),
        }
    }
}

/// The last `count` days, oldest first, today last; days without events are included.
pub async fn load_day_figures(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    now: DateTime<Utc>,
    count: u64,
) -> Result<Vec<DayFigures>> {
    let period = Period::days_ending(now.with_timezone(&profile.org.zone()).date_naive(), count);
    let days = read::load_metric_days(conn, profile.org.id, period).await?;
    let of = |date: NaiveDate| {
        let found = days.binary_search_by_key(&date, |day| day.day).ok().map(|at| days[at].sums);
        DayFigures::from_sums(date, &found.unwrap_or_default(), &profile.settings.figures)
    };
    Ok(period.from.iter_days().take_while(|date| *date <= period.to).map(of).collect())
}
