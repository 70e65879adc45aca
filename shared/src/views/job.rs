//! Jobs as people see them: board, page, steps and export.

pub mod automation;
pub mod detail;
pub mod export;
pub mod list;
pub mod timeline;
