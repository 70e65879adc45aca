//! What the owner sees of it: figures, where work came from, reviews, the morning report.

pub mod attribution;
pub mod kpi_pulse;
pub mod metrics;
pub mod review;
