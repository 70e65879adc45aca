//! The business: one file per noun, and the few things every noun stands on. Nothing here knows HTTP.

pub mod clock;
pub mod config;
pub mod photo;
pub mod providers;
pub mod storage;
