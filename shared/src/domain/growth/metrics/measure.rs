//! Measures, and their sums of one day.

use chrono::NaiveDate;
use sqlx::{ColumnIndex, Decode, FromRow, Row, Type};

macro_rules! measures {
    ($($(#[$doc:meta])* $name:ident = $column:literal,)*) => {
        /// A number counted or summed by day. Its name is its column of `metric_day` and is part of stored facts: add,
        /// never rename.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Measure {
            $($(#[$doc])* $name,)*
        }

        impl Measure {
            pub const ALL: [Self; COLUMNS.len()] = [$(Self::$name,)*];

            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $column,)*
                }
            }

            /// None for a measure unknown to this version.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($column => Some(Self::$name),)*
                    _ => None,
                }
            }
        }

        const COLUMNS: &[&str] = &[$($column,)*];
        pub(super) const DAYS: &str = concat!("SELECT day" $(, ", ", $column)*, " FROM metric_day WHERE org_id = ");
    };
}

measures! {
    /// Leads that were not held, by the day they came in.
    Leads = "leads",
    /// Of these, answered by a rule.
    AutoReplied = "auto_replied",
    /// Of these, answered at all, and milliseconds until the first answer.
    Answered = "answered",
    AnswerMs = "answer_ms",
    /// Leads that got a visit, by the day it was planned.
    Booked = "booked",
    /// Leads whose money is settled, by the day it was.
    PaidLeads = "paid_leads",
    MissedCalls = "missed_calls",
    /// Of these, the caller came back or got a visit.
    RecoveredCalls = "recovered_calls",
    /// Automatic actions, by day.
    AutoReplies = "auto_replies",
    FollowUps = "follow_ups",
    Schedulings = "schedulings",
    /// Estimates by the day they were issued, each number once.
    QuotesSent = "quotes_sent",
    QuotedCents = "quoted_cents",
    /// By the day the customer approved.
    QuotesWon = "quotes_won",
    WonCents = "won_cents",
    /// By the day the customer declined.
    QuotesLost = "quotes_lost",
    /// Jobs by the day of completion, and their value.
    JobsDone = "jobs_done",
    JobCents = "job_cents",
    /// Of these, those with known costs: number, value and cost.
    CostedJobs = "costed_jobs",
    CostedCents = "costed_cents",
    CostCents = "cost_cents",
    /// Invoices by the day of issue, and what is still to be paid.
    Invoices = "invoices",
    InvoicedCents = "invoiced_cents",
    OpenInvoices = "open_invoices",
    OpenCents = "open_cents",
    Payments = "payments",
    CollectedCents = "collected_cents",
    /// Money that went back, by the day it did.
    RefundedCents = "refunded_cents",
    ReviewsAsked = "reviews_asked",
    Reviews = "reviews",
    /// In tenths.
    Stars = "stars",
    /// Promised answers by the day they were due.
    PromisesKept = "promises_kept",
    PromisesBroken = "promises_broken",
    /// Money after an automatic message, less its refunds, each on its own day; see
    /// [`crate::domain::growth::attribution`].
    RecoveredCallCents = "recovered_call_cents",
    RecoveredReplyCents = "recovered_reply_cents",
    RecoveredFollowUpCents = "recovered_follow_up_cents",
    RecoveredReminderCents = "recovered_reminder_cents",
    RecoveredReviewCents = "recovered_review_cents",
    /// Leads with a missed call, by the day of the first one.
    MissedCallers = "missed_callers",
    /// Of these: texted back by a rule; returned before a person spoke; of the returned: with a visit, with money kept.
    TextedCallers = "texted_callers",
    ReturnedCallers = "returned_callers",
    BookedCallers = "booked_callers",
    PayingCallers = "paying_callers",
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasureSums([i64; COLUMNS.len()]);

impl Default for MeasureSums {
    fn default() -> Self {
        Self([0; COLUMNS.len()])
    }
}

impl MeasureSums {
    #[must_use]
    pub fn get(&self, measure: Measure) -> i64 {
        self.0[measure as usize]
    }

    pub fn add(&mut self, measure: Measure, amount: i64) {
        let sum = &mut self.0[measure as usize];
        *sum = sum.saturating_add(amount);
    }

    pub fn add_sums(&mut self, other: &Self) {
        for measure in Measure::ALL {
            self.add(measure, other.get(measure));
        }
    }

    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        let mut left = *self;
        for measure in Measure::ALL {
            left.add(measure, other.get(measure).saturating_neg());
        }
        left
    }

    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|sum| *sum == 0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricDay {
    pub day: NaiveDate,
    pub sums: MeasureSums,
}

impl<'r, R: Row> FromRow<'r, R> for MetricDay
where
    &'r str: ColumnIndex<R>,
    NaiveDate: Decode<'r, R::Database> + Type<R::Database>,
    i64: Decode<'r, R::Database> + Type<R::Database>,
{
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let mut sums = MeasureSums::default();
        for measure in Measure::ALL {
            sums.add(measure, row.try_get(measure.name())?);
        }
        Ok(Self { day: row.try_get("day")?, sums })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measure_is_found_by_name_and_has_own_slot() {
        let mut sums = MeasureSums::default();
        for (n, measure) in (1..).zip(Measure::ALL) {
            assert_eq!(Measure::named(measure.name()), Some(measure));
            sums.add(measure, n);
        }
        for (n, measure) in (1..).zip(Measure::ALL) {
            assert_eq!(sums.get(measure), n, "{measure:?}");
        }
        assert_eq!(Measure::named("what a newer program measures"), None);
        assert!(sums.minus(&sums).is_zero());
    }

    #[test]
    fn migrations_have_exactly_one_column_per_measure() {
        let sql = include_str!("../../../../../migrations/0009_growth.sql");
        let table = sql.split("CREATE TABLE metric_day (").nth(1).and_then(|rest| rest.split(");").next()).unwrap();
        let columns = table.lines().map(str::trim).filter(|line| line.ends_with("BIGINT NOT NULL DEFAULT 0,"));
        let columns: Vec<&str> = columns.filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(columns, Measure::ALL.map(Measure::name));
    }
}
