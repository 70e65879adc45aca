//! Business logic, independent of HTTP.
//!
//! Layers, each importing only those below it: `ops`, `views`, `domain`. Below them are crates: `providers` and
//! `documents`, which do not import each other, and `platform`.

pub mod domain;
pub mod ops;
#[cfg(test)]
mod tests;
pub mod views;

pub use documents;
pub use platform::{self, conflicts, q, qb};
pub use providers;
