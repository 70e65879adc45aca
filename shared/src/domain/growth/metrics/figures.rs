//! The figures as they are shown: one query for the dashboard, for the pulse and for whoever asks the API.
//!
//! Everything is read from the sums of days; what is owed, and for how long, is read from the open invoices, because it
//! is another every midnight. Each figure names the list whose rows it is made of.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    measure::{Measure, Sums},
    recount::{Check, is_counted, last_check},
};
use crate::{
    domain::{growth::attribution, tenancy::org::Profile},
    platform::{db::AsConn, error::Result, id::OrgId, money::Cents},
};

mod daily;
mod margin;
mod owed;
mod period;
mod read;
mod rows;
mod source;
mod spared;
mod waits;

pub use daily::{DayFigures, days};
pub use margin::{Margin, MonthFigures, of_job};
pub use owed::{Ageing, Receivables};
pub use period::Period;
pub use source::{SourceFigures, sources};
pub use spared::{Spared, TimeSaved};
pub use waits::{Answers, Waits};

use read::Known;

/// How many months the chart has.
pub const MONTHS: u32 = 12;

/// A number, and the list it is the length of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = CountFigure)]
pub struct Count {
    pub value: i64,
    /// Where its rows are.
    pub rows: String,
}

/// An amount, and the list it is the sum of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = AmountFigure)]
pub struct Amount {
    /// US dollars.
    pub value: Cents,
    /// Where its rows are.
    pub rows: String,
}

/// Calls that nobody took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = CallFigures)]
pub struct Calls {
    pub missed: Count,
    /// Of these, those whose caller wrote, was spoken to, or got a visit afterwards.
    pub recovered: Count,
}

/// Estimates: of several versions of one the last counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = QuoteFigures)]
pub struct Quotes {
    pub sent: Count,
    pub sent_total: Amount,
    /// Approved within the period, whenever they were sent.
    pub won: Count,
    pub won_total: Amount,
    pub lost: Count,
}

/// Promises of an answer, by the day they were due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PromiseFigures)]
pub struct Promises {
    /// A person answered in time.
    pub kept: Count,
    pub broken: Count,
}

/// Reviews.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = ReviewFigures)]
pub struct Reviews {
    pub asked: Count,
    pub received: Count,
    /// Stars, to two decimals; null without a review.
    pub average: Option<f64>,
}

/// Everything about some days.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SpanFigures)]
pub struct Span {
    #[serde(flatten)]
    pub period: Period,
    pub new_leads: Count,
    pub auto_replied: Count,
    /// Requests that were answered automatically in whole percent of all; 0 without any.
    #[schema(minimum = 0, maximum = 100)]
    pub auto_reply_rate: i64,
    pub answers: Answers,
    pub calls: Calls,
    pub promises: Promises,
    /// Requests that got a visit within the period.
    pub booked: Count,
    pub quotes: Quotes,
    pub jobs_done: Count,
    /// What these jobs are worth.
    pub job_revenue: Amount,
    /// Requests whose money was settled within the period.
    pub paid_jobs: Count,
    /// Invoices issued within the period that are still to be paid.
    pub unpaid_jobs: Count,
    pub unpaid_total: Amount,
    pub collected: Amount,
    pub refunded: Amount,
    /// What was collected, less what was given back.
    pub revenue: Amount,
    /// Of it, what came after an automatic message had brought its customer back.
    pub recovered: Amount,
    pub margin: Margin,
    pub time_saved: TimeSaved,
    pub reviews: Reviews,
}

/// All figures of a business.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Kpis)]
pub struct Figures {
    pub business_id: OrgId,
    /// IANA name: whose days these are.
    pub timezone: String,
    pub as_of: DateTime<Utc>,
    pub today: NaiveDate,
    /// False while what was there before this program counted is still being counted.
    pub is_counted: bool,
    /// What the last recount has found; null while there was none.
    pub last_check: Option<Check>,
    /// The last seven days, today among them.
    pub week: Span,
    /// The seven before.
    pub prior_week: Span,
    /// This calendar month until today.
    pub month: Span,
    /// The whole month before.
    pub prior_month: Span,
    pub receivables: Receivables,
    /// Twelve calendar months, oldest first; the last is this one.
    #[schema(min_items = 12, max_items = 12)]
    pub months: Vec<MonthFigures>,
    /// This month by where requests first came from, the most money first.
    pub sources: Vec<SourceFigures>,
}

/// The figures of a business now.
pub async fn figures(conn: &mut dyn AsConn, profile: &Profile, now: DateTime<Utc>) -> Result<Figures> {
    let (org, today) = (profile.org.id, now.with_timezone(&profile.org.zone()).date_naive());
    let (week, month) = (Period::week(today), Period::month_of(today));
    let (prior_week, prior_month) = (week.before(), month.month_before());
    let months = Period::months(today, MONTHS);
    let waiting = Period { from: prior_month.from.min(prior_week.from), to: today };
    let all = Period { from: months.first().map_or(waiting.from, |first| first.from.min(waiting.from)), to: today };
    let known = Known::read(&mut *conn, profile, now, all, waiting).await?;
    Ok(Figures {
        business_id: org,
        timezone: profile.org.zone().name().to_owned(),
        as_of: now,
        today,
        is_counted: is_counted(&mut *conn, org).await?,
        last_check: last_check(&mut *conn, org).await?,
        week: known.span(week),
        prior_week: known.span(prior_week),
        month: known.span(month),
        prior_month: known.span(prior_month),
        receivables: owed::receivables(&mut *conn, org, today).await?,
        months: months.into_iter().map(|month| known.month(month)).collect(),
        sources: sources(conn, org, month).await?,
    })
}

/// Everything about some days, of any length and any time ago.
pub async fn span(conn: &mut dyn AsConn, profile: &Profile, now: DateTime<Utc>, period: Period) -> Result<Span> {
    Ok(Known::read(conn, profile, now, period, period).await?.span(period))
}

/// The sums of some days.
pub(crate) async fn sums(conn: &mut dyn AsConn, org: OrgId, period: Period) -> Result<Sums> {
    let mut sums = Sums::default();
    for day in read::days(conn, org, period).await? {
        sums.add_all(&day.sums);
    }
    Ok(sums)
}

impl Known<'_> {
    fn span(&self, period: Period) -> Span {
        let sums = self.sums(period);
        let count = |measure: Measure, rows: String| Count { value: sums.get(measure), rows };
        let amount = |measure: Measure, rows: String| Amount { value: Cents(sums.get(measure)), rows };
        Span {
            period,
            new_leads: count(Measure::Leads, rows::leads(period, "")),
            auto_replied: count(Measure::AutoReplied, rows::leads(period, "&answered=auto")),
            auto_reply_rate: rate(&sums),
            answers: waits::answers(self, period),
            calls: Calls {
                missed: count(Measure::MissedCalls, rows::leads(period, "&calls=missed")),
                recovered: count(Measure::RecoveredCalls, rows::leads(period, "&calls=recovered")),
            },
            promises: Promises {
                kept: count(Measure::PromisesKept, rows::leads(period, "&promise=kept")),
                broken: count(Measure::PromisesBroken, rows::leads(period, "&promise=broken")),
            },
            booked: count(Measure::Booked, rows::leads(period, "&by=booked")),
            quotes: Quotes {
                sent: count(Measure::QuotesSent, rows::quotes(period, "sent")),
                sent_total: amount(Measure::QuotedCents, rows::quotes(period, "sent")),
                won: count(Measure::QuotesWon, rows::quotes(period, "won")),
                won_total: amount(Measure::WonCents, rows::quotes(period, "won")),
                lost: count(Measure::QuotesLost, rows::quotes(period, "lost")),
            },
            jobs_done: count(Measure::JobsDone, rows::jobs_done(period)),
            job_revenue: amount(Measure::JobCents, rows::jobs_done(period)),
            paid_jobs: count(Measure::PaidLeads, rows::leads(period, "&by=paid")),
            unpaid_jobs: count(Measure::OpenInvoices, rows::unpaid(period)),
            unpaid_total: amount(Measure::OpenCents, rows::unpaid(period)),
            collected: amount(Measure::CollectedCents, rows::payments(period, "&kind=payment")),
            refunded: amount(Measure::RefundedCents, rows::payments(period, "&kind=refund")),
            revenue: Amount { value: revenue(&sums), rows: rows::payments(period, "") },
            recovered: Amount { value: attribution::total(&sums), rows: rows::recovered(period) },
            margin: margin::of(&sums, &self.profile.settings.figures, period, self.today),
            time_saved: spared::of(&sums, &self.profile.settings.figures, period),
            reviews: reviews(&sums, period),
        }
    }

    fn month(&self, period: Period) -> MonthFigures {
        margin::month(&self.sums(period), &self.profile.settings.figures, period, self.today)
    }
}

/// What was collected, less what was given back.
pub(super) fn revenue(sums: &Sums) -> Cents {
    Cents(sums.get(Measure::CollectedCents) - sums.get(Measure::RefundedCents))
}

/// Rounded, and never above the whole (decisions 25).
fn rate(sums: &Sums) -> i64 {
    let (some, all) = (sums.get(Measure::AutoReplied), sums.get(Measure::Leads));
    if all <= 0 { 0 } else { ((200 * some + all) / (2 * all)).clamp(0, 100) }
}

fn reviews(sums: &Sums, period: Period) -> Reviews {
    let (tenths, count) = (sums.get(Measure::Stars), sums.get(Measure::Reviews));
    Reviews {
        asked: Count { value: sums.get(Measure::ReviewsAsked), rows: rows::asks(period) },
        received: Count { value: count, rows: rows::reviews(period) },
        average: (count > 0).then(|| decimals(tenths * 10, count) / 100.0),
    }
}

/// A quotient rounded half up, as a number that JSON shows.
fn decimals(numerator: i64, denominator: i64) -> f64 {
    let whole = crate::platform::money::half_up(i128::from(numerator), i128::from(denominator));
    #[expect(clippy::cast_precision_loss, reason = "figures stay far below 2^53")]
    let shown = whole as f64;
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_rounded_and_never_above_the_whole() {
        let of = |some: i64, all: i64| {
            let mut sums = Sums::default();
            sums.add(Measure::AutoReplied, some);
            sums.add(Measure::Leads, all);
            rate(&sums)
        };
        for (some, all, wanted) in [(0, 0, 0), (1, 3, 33), (2, 3, 67), (1, 8, 13), (1, 2, 50), (4, 3, 100), (1, 0, 0)] {
            assert_eq!(of(some, all), wanted, "{some} of {all}");
        }
    }

    #[test]
    fn stars_have_two_decimals_and_nobody_has_none() {
        let of = |tenths: i64, count: i64| {
            let mut sums = Sums::default();
            sums.add(Measure::Stars, tenths);
            sums.add(Measure::Reviews, count);
            reviews(&sums, Period::week(NaiveDate::default())).average
        };
        assert_eq!((of(0, 0), of(45, 1), of(145, 3), of(50 + 45, 2)), (None, Some(4.5), Some(4.83), Some(4.75)));
    }
}
