//! What is measured, and the sums of one day.

use chrono::NaiveDate;
use sqlx::{ColumnIndex, Decode, FromRow, Row, Type};

macro_rules! measures {
    ($($(#[$doc:meta])* $name:ident = $column:literal,)*) => {
        /// One thing that is counted or summed, by day. Its name is its column of `metric_day`, and how it stands in
        /// stored facts: add, never rename.
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

            /// None for what this version of the program does not measure.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($column => Some(Self::$name),)*
                    _ => None,
                }
            }
        }

        /// The columns of `metric_day` beside its key, in the order of [`Measure::ALL`].
        pub(super) const COLUMNS: &[&str] = &[$($column,)*];
        /// The table with all its columns, as an insert names them.
        pub(super) const TABLE: &str = concat!("metric_day (org_id, day" $(, ", ", $column)*, ")");
        /// What a [`Day`] is read by.
        pub(super) const DAYS: &str = concat!("SELECT day" $(, ", ", $column)*, " FROM metric_day WHERE org_id = ");
    };
}

measures! {
    /// Requests for work that were not held, by the day they came in.
    Leads = "leads",
    /// Of these, those that a rule answered.
    AutoReplied = "auto_replied",
    /// Of these, those that anybody answered, and how long they waited for the first word.
    Answered = "answered",
    AnswerMs = "answer_ms",
    /// Requests that got a visit, by the day it was planned.
    Booked = "booked",
    /// Requests whose money is settled, by the day it was.
    PaidLeads = "paid_leads",
    MissedCalls = "missed_calls",
    /// Of these, those whose caller was heard again or got a visit.
    RecoveredCalls = "recovered_calls",
    /// What was done without a person, by the day.
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
    /// Jobs by the day they were completed, and what they are worth.
    JobsDone = "jobs_done",
    JobCents = "job_cents",
    /// Of these, those whose costs are known, what they are worth, and what they have cost.
    CostedJobs = "costed_jobs",
    CostedCents = "costed_cents",
    CostCents = "cost_cents",
    /// By the day they were issued, and what of them is still to be paid.
    Invoices = "invoices",
    InvoicedCents = "invoiced_cents",
    OpenInvoices = "open_invoices",
    OpenCents = "open_cents",
    /// Money that came in, by the day it was received.
    Payments = "payments",
    CollectedCents = "collected_cents",
    /// Money that went back, by the day it did.
    RefundedCents = "refunded_cents",
    ReviewsAsked = "reviews_asked",
    Reviews = "reviews",
    /// Their stars in tenths.
    Stars = "stars",
    /// Promises of an answer that were kept, and those that were not, by the day they were due.
    PromisesKept = "promises_kept",
    PromisesBroken = "promises_broken",
    /// Money that came after an automatic message, less what of it went back, each on its own day; see
    /// [`crate::domain::growth::attribution`].
    RecoveredCallCents = "recovered_call_cents",
    RecoveredReplyCents = "recovered_reply_cents",
    RecoveredFollowUpCents = "recovered_follow_up_cents",
    RecoveredReminderCents = "recovered_reminder_cents",
    RecoveredReviewCents = "recovered_review_cents",
    /// Requests with a call that nobody took, by the day of their first such call.
    MissedCallers = "missed_callers",
    /// Of these, those that a rule texted back; those that came back before anybody spoke; those of these that got a
    /// visit, and those whose money stayed.
    TextedCallers = "texted_callers",
    ReturnedCallers = "returned_callers",
    BookedCallers = "booked_callers",
    PayingCallers = "paying_callers",
}

/// One number for each measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sums([i64; COLUMNS.len()]);

impl Default for Sums {
    fn default() -> Self {
        Self([0; COLUMNS.len()])
    }
}

impl Sums {
    #[must_use]
    pub fn get(&self, measure: Measure) -> i64 {
        self.0[measure as usize]
    }

    pub fn add(&mut self, measure: Measure, amount: i64) {
        let sum = &mut self.0[measure as usize];
        *sum = sum.saturating_add(amount);
    }

    pub fn add_all(&mut self, other: &Self) {
        for measure in Measure::ALL {
            self.add(measure, other.get(measure));
        }
    }

    /// What has to be added to `other` so that it is this.
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

/// One day of a business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    pub day: NaiveDate,
    pub sums: Sums,
}

impl<'r, R: Row> FromRow<'r, R> for Day
where
    &'r str: ColumnIndex<R>,
    NaiveDate: Decode<'r, R::Database> + Type<R::Database>,
    i64: Decode<'r, R::Database> + Type<R::Database>,
{
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let mut sums = Sums::default();
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
    fn every_measure_is_found_by_its_name_and_has_a_place_of_its_own() {
        let mut sums = Sums::default();
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
    fn the_migrations_have_a_column_for_each_measure_and_no_other() {
        let sql = include_str!("../../../../../migrations/0028_metrics.sql");
        let table = sql.split("CREATE TABLE metric_day (").nth(1).and_then(|rest| rest.split(");").next()).unwrap();
        let columns = table.lines().map(str::trim).filter(|line| line.ends_with("BIGINT NOT NULL DEFAULT 0,"));
        let added = [
            include_str!("../../../../../migrations/0033_promise_clock.sql"),
            include_str!("../../../../../migrations/0034_recovered_money.sql"),
        ];
        let added = added.into_iter().flat_map(str::lines);
        let added = added.filter_map(|line| line.strip_prefix("ALTER TABLE metric_day ADD COLUMN "));
        let columns: Vec<&str> = columns.chain(added).filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(columns, Measure::ALL.map(Measure::name));
    }
}
