//! Task handlers of growth.

pub mod recompute_metrics;
pub mod send_kpi_pulse;
