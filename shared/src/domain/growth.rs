//! Figures, attribution of money, reviews, the worklist and the owner's report.

pub mod attribution;
pub mod kpi_pulse;
pub mod metrics;
pub mod review;
pub mod worklist;
