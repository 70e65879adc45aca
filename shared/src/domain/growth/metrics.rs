//! The owner's numbers, as sums of facts.
//!
//! A **fact** is what one record (a subject: a lead, a payment, ...) contributes to one day of the business's own
//! calendar. [`rules`] say it from the record's rows alone. What a subject contributes now is stored (`metric_fact`), and
//! the sum of all facts of a day is one row (`metric_day`): no figure is counted when it is looked at.
//!
//! A change of a record marks it dirty on its transaction ([`crate::platform::dirty`]), mostly by the live event that
//! names it. A commit hook settles what is dirty: it holds
//! each subject's row, reads the subject anew, and adds the difference to the days. Facts that a list of requests asks for
//! are kept by day as well (`metric_row`), so that a figure and the list behind it are one ([`Behind`]). Each night
//! everything is counted anew ([`recount`]); a difference is mended, and told.

pub mod drilldown;
mod fact;
pub mod figures;
mod load;
mod measure;
pub mod recount;
mod row;
pub mod rules;
mod settle;
mod store;

pub use drilldown::Behind;
pub(crate) use fact::day_of;
pub use fact::{Answer, Contribution, Fact};
pub use measure::{Day, Measure, Sums};

pub(crate) use settle::settle;
