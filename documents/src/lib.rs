//! Documents and messages for people: line items and totals, PDF papers, message templates, colors of a business.

pub mod brand_color;
pub mod line_items;
pub mod pdf;
pub mod recipient_name;
pub mod response_time;
pub mod template;

pub use platform::date_format;
