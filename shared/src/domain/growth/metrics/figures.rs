//! Figures as shown: one query for the dashboard, the pulse report and the API.
//!
//! All come from sums of days, except receivables, which come from the open invoices: their age changes every midnight.
//! Each figure names the list of its rows.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    measure::{Measure, MeasureSums},
    recompute::{FiguresCheck, find_last_check, is_counted},
};
use crate::{
    domain::{
        growth::{
            attribution,
            worklist::{self, WorklistCount},
        },
        tenancy::org::OrgProfile,
    },
    platform::{
        db::AsConn,
        error::Result,
        id::OrgId,
        money::{Cents, rounded_quotient},
        period::Period,
    },
};

mod daily;
mod margin;
mod read;
mod receivables;
mod response_times;
mod rows;
mod source;
mod time_saved;

pub use daily::{DayFigures, load_day_figures};
pub use margin::{MarginFigures, MonthFigures};
pub use receivables::{Receivables, ReceivablesAging};
pub use response_times::{ResponseTimeFigures, ResponseTimes};
pub use source::{SourceFigures, load_sources};
pub use time_saved::{ActionTimeSaved, TimeSavedFigures};

use read::FigureInputs;

pub const MONTHS: u32 = 12;

/// A number, and the list it is the length of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CountFigure {
    pub value: i64,
    /// Where its rows are.
    pub rows: String,
}

/// An amount, and the list it is the sum of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AmountFigure {
    /// US dollars.
    pub value: Cents,
    /// Where its rows are.
    pub rows: String,
}

/// Missed calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CallFigures {
    pub missed: CountFigure,
    /// Of these, those whose caller wrote, was spoken to, or got a visit afterwards.
    pub recovered: CountFigure,
}

/// Estimates: of several versions of one the last counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuoteFigures {
    pub sent: CountFigure,
    pub sent_total: AmountFigure,
    /// Approved within the period, whenever they were sent.
    pub won: CountFigure,
    pub won_total: AmountFigure,
    pub lost: CountFigure,
}

/// Promises of an answer, by the day they were due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PromiseFigures)]
pub struct ResponseSlaFigures {
    /// A person answered in time.
    pub kept: CountFigure,
    pub broken: CountFigure,
}

/// Reviews.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ReviewFigures {
    pub asked: CountFigure,
    pub received: CountFigure,
    /// Stars, to two decimals; null without a review.
    pub average: Option<f64>,
}

/// Everything about some days.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpanFigures {
    #[serde(flatten)]
    pub period: Period,
    pub new_leads: CountFigure,
    pub auto_replied: CountFigure,
    /// Requests that were answered automatically in whole percent of all; 0 without any.
    #[schema(minimum = 0, maximum = 100)]
    pub auto_reply_rate: i64,
    pub answers: ResponseTimeFigures,
    pub calls: CallFigures,
    pub promises: ResponseSlaFigures,
    /// Requests that got a visit within the period.
    pub booked: CountFigure,
    pub quotes: QuoteFigures,
    pub jobs_done: CountFigure,
    /// What these jobs are worth.
    pub job_revenue: AmountFigure,
    /// Requests whose money was settled within the period.
    pub paid_jobs: CountFigure,
    /// Invoices issued within the period that are still to be paid.
    pub unpaid_jobs: CountFigure,
    pub unpaid_total: AmountFigure,
    pub collected: AmountFigure,
    pub refunded: AmountFigure,
    /// What was collected, less what was given back.
    pub revenue: AmountFigure,
    /// Of it, what came after an automatic message had brought its customer back.
    pub recovered: AmountFigure,
    pub margin: MarginFigures,
    pub time_saved: TimeSavedFigures,
    pub reviews: ReviewFigures,
}

/// All figures of a business.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Kpis)]
pub struct KpiFigures {
    pub business_id: OrgId,
    /// IANA name: whose days these are.
    pub timezone: String,
    pub as_of: DateTime<Utc>,
    pub today: NaiveDate,
    /// False while what was there before this program counted is still being counted.
    pub is_counted: bool,
    /// What the last recount has found; null while there was none.
    pub last_check: Option<FiguresCheck>,
    /// The last seven days, today among them.
    pub week: SpanFigures,
    /// The seven before.
    pub prior_week: SpanFigures,
    /// This calendar month until today.
    pub month: SpanFigures,
    /// The whole month before.
    pub prior_month: SpanFigures,
    pub receivables: Receivables,
    /// How many wait for the business: the number of the worklist.
    #[schema(required = false)]
    pub waiting: WorklistCount,
    /// Twelve calendar months, oldest first; the last is this one.
    #[schema(min_items = 12, max_items = 12)]
    pub months: Vec<MonthFigures>,
    /// This month by where requests first came from, the most money first.
    pub sources: Vec<SourceFigures>,
}

pub async fn load_figures(conn: &mut dyn AsConn, profile: &OrgProfile, now: DateTime<Utc>) -> Result<KpiFigures> {
    let (org, today) = (profile.org.id, now.with_timezone(&profile.org.zone()).date_naive());
    let (week, month) = (Period::week_ending(today), Period::month_to_date(today));
    let (prior_week, prior_month) = (week.preceding_period(), month.preceding_month());
    let months = Period::months_to_date(today, MONTHS);
    let waiting = Period { from: prior_month.from.min(prior_week.from), to: today };
    let all = Period { from: months.first().map_or(waiting.from, |first| first.from.min(waiting.from)), to: today };
    let inputs = FigureInputs::load_inputs(&mut *conn, profile, now, all, waiting).await?;
    Ok(KpiFigures {
        business_id: org,
        timezone: profile.org.zone().name().to_owned(),
        as_of: now,
        today,
        is_counted: is_counted(&mut *conn, org).await?,
        last_check: find_last_check(&mut *conn, org).await?,
        week: inputs.build_span(week),
        prior_week: inputs.build_span(prior_week),
        month: inputs.build_span(month),
        prior_month: inputs.build_span(prior_month),
        receivables: receivables::load_receivables(&mut *conn, org, today).await?,
        waiting: worklist::load_count(&mut *conn, profile, now).await?,
        months: months.into_iter().map(|month| inputs.build_month(month)).collect(),
        sources: load_sources(conn, org, month).await?,
    })
}

pub async fn load_span(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    now: DateTime<Utc>,
    period: Period,
) -> Result<SpanFigures> {
    Ok(FigureInputs::load_inputs(conn, profile, now, period, period).await?.build_span(period))
}

pub(crate) async fn load_sums(conn: &mut dyn AsConn, org: OrgId, period: Period) -> Result<MeasureSums> {
    let mut sums = MeasureSums::default();
    for day in read::load_metric_days(conn, org, period).await? {
        sums.add_sums(&day.sums);
    }
    Ok(sums)
}

impl FigureInputs<'_> {
    fn build_span(&self, period: Period) -> SpanFigures {
        let sums = self.sum_period(period);
        let count = |measure: Measure, rows: String| CountFigure { value: sums.get(measure), rows };
        let amount = |measure: Measure, rows: String| AmountFigure { value: Cents(sums.get(measure)), rows };
        SpanFigures {
            period,
            new_leads: count(Measure::Leads, rows::leads_path(period, "")),
            auto_replied: count(Measure::AutoReplied, rows::leads_path(period, "&answered=auto")),
            auto_reply_rate: auto_reply_rate(&sums),
            answers: response_times::compute_response_times(self, period),
            calls: CallFigures {
                missed: count(Measure::MissedCalls, rows::leads_path(period, "&calls=missed")),
                recovered: count(Measure::RecoveredCalls, rows::leads_path(period, "&calls=recovered")),
            },
            promises: ResponseSlaFigures {
                kept: count(Measure::PromisesKept, rows::leads_path(period, "&promise=kept")),
                broken: count(Measure::PromisesBroken, rows::leads_path(period, "&promise=broken")),
            },
            booked: count(Measure::Booked, rows::leads_path(period, "&by=booked")),
            quotes: QuoteFigures {
                sent: count(Measure::QuotesSent, rows::quotes_path(period, "sent")),
                sent_total: amount(Measure::QuotedCents, rows::quotes_path(period, "sent")),
                won: count(Measure::QuotesWon, rows::quotes_path(period, "won")),
                won_total: amount(Measure::WonCents, rows::quotes_path(period, "won")),
                lost: count(Measure::QuotesLost, rows::quotes_path(period, "lost")),
            },
            jobs_done: count(Measure::JobsDone, rows::completed_jobs_path(period)),
            job_revenue: amount(Measure::JobCents, rows::completed_jobs_path(period)),
            paid_jobs: count(Measure::PaidLeads, rows::leads_path(period, "&by=paid")),
            unpaid_jobs: count(Measure::OpenInvoices, rows::unpaid_invoices_path(period)),
            unpaid_total: amount(Measure::OpenCents, rows::unpaid_invoices_path(period)),
            collected: amount(Measure::CollectedCents, rows::payments_path(period, "&kind=payment")),
            refunded: amount(Measure::RefundedCents, rows::payments_path(period, "&kind=refund")),
            revenue: AmountFigure { value: net_revenue(&sums), rows: rows::payments_path(period, "") },
            recovered: AmountFigure { value: attribution::total_recovered(&sums), rows: rows::recovered_path(period) },
            margin: margin::compute_margin(&sums, &self.profile.settings.figures, period, self.today),
            time_saved: time_saved::compute_time_saved(&sums, &self.profile.settings.figures, period),
            reviews: review_figures(&sums, period),
        }
    }

    fn build_month(&self, period: Period) -> MonthFigures {
        margin::month_figures(&self.sum_period(period), &self.profile.settings.figures, period, self.today)
    }
}

pub(super) fn net_revenue(sums: &MeasureSums) -> Cents {
    Cents(sums.get(Measure::CollectedCents) - sums.get(Measure::RefundedCents))
}

/// Rounded, at most 100 (decisions 25).
fn auto_reply_rate(sums: &MeasureSums) -> i64 {
    let (some, all) = (sums.get(Measure::AutoReplied), sums.get(Measure::Leads));
    if all <= 0 { 0 } else { ((200 * some + all) / (2 * all)).clamp(0, 100) }
}

fn review_figures(sums: &MeasureSums, period: Period) -> ReviewFigures {
    let (tenths, count) = (sums.get(Measure::Stars), sums.get(Measure::Reviews));
    ReviewFigures {
        asked: CountFigure { value: sums.get(Measure::ReviewsAsked), rows: rows::review_requests_path(period) },
        received: CountFigure { value: count, rows: rows::reviews_path(period) },
        average: (count > 0).then(|| rounded_quotient(tenths * 10, count) / 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reply_rate_is_rounded_and_at_most_100_percent() {
        let of = |some: i64, all: i64| {
            let mut sums = MeasureSums::default();
            sums.add(Measure::AutoReplied, some);
            sums.add(Measure::Leads, all);
            auto_reply_rate(&sums)
        };
        for (some, all, wanted) in [(0, 0, 0), (1, 3, 33), (2, 3, 67), (1, 8, 13), (1, 2, 50), (4, 3, 100), (1, 0, 0)] {
            assert_eq!(of(some, all), wanted, "{some} of {all}");
        }
    }

    #[test]
    fn average_rating_has_two_decimals_and_is_none_without_reviews() {
        let of = |tenths: i64, count: i64| {
            let mut sums = MeasureSums::default();
            sums.add(Measure::Stars, tenths);
            sums.add(Measure::Reviews, count);
            review_figures(&sums, Period::week_ending(NaiveDate::default())).average
        };
        assert_eq!((of(0, 0), of(45, 1), of(145, 3), of(50 + 45, 2)), (None, Some(4.5), Some(4.83), Some(4.75)));
    }
}
