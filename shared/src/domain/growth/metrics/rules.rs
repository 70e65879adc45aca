//! Facts per kind of record, pure: no database, clock or randomness.

pub(crate) mod billing_document;
pub(crate) mod job;
pub(crate) mod lead;
pub(crate) mod payment;
pub mod review;
pub(crate) mod source;

/// Increase with every change of these rules: facts of older versions are counted again when a worker starts.
pub const VERSION: i64 = 3;
