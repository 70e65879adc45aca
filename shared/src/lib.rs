//! Business logic, independent of HTTP.
//!
//! Layers, each importing only those below it: `ops`, `views`, `domain`, `conflicts`, `providers` and `documents`, `platform`.

pub mod conflicts;
pub mod documents;
pub mod domain;
pub mod ops;
pub mod platform;
pub mod providers;
pub mod views;
