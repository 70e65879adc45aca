//! What one screen shows of several domains. Nothing is changed here.

pub mod contact_proposal;
pub mod crew_calendar;
pub mod customer;
pub mod job;
pub mod lead;
pub mod pipeline_board;
pub mod schedule;
pub mod search;
pub mod setup;
pub mod switch_preview;
