//! Task handlers of work.

pub mod notify_crew;
