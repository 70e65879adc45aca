//! What is written for people: line items and their sums, PDF pages, templates and their words.

pub mod date_format;
pub mod line_items;
pub mod pdf;
pub mod response_time;
pub mod template;
