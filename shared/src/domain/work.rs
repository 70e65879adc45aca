//! Jobs, visits, crews, bookings and files.

pub mod activity;
pub mod booking;
pub mod crew;
pub mod file;
pub mod job;
pub mod listener;
pub mod pipeline;
pub mod visit;
