//! Owner figures, as sums of facts.
//!
//! A **fact** is what one record (a lead, a payment, ...) contributes to one day in the business's time zone. [`rules`]
//! derive it from the record's rows alone. Current facts are stored (`metric_fact`), and the sum of a day is one row
//! (`metric_day`), so reads never count.
//!
//! A change marks its record dirty on the transaction ([`crate::platform::dirty`]), mostly through its live event. A
//! commit hook settles dirty records: it locks each record's row, reads the record again and adds the difference to the
//! days. Facts needed by lists of leads are also kept by day (`metric_row`), so a figure and its list agree
//! ([`DrilldownFilter`]). [`recompute`] counts everything again each night, and corrects and reports differences.

pub mod drilldown;
mod fact;
pub mod figures;
mod incremental;
mod load;
mod measure;
pub mod recompute;
mod row;
pub mod rules;
mod store;

pub use drilldown::DrilldownFilter;
pub(crate) use fact::local_day;
pub use fact::{FirstResponse, MetricContribution, MetricFact};
pub use measure::{Measure, MeasureSums, MetricDay};

pub(crate) use incremental::{apply_at_commit, apply_dirty_records};
