//! One file per noun: parse, begin, call the business, write the audit line, commit, wake, answer.

pub mod alert;
pub mod canned;
pub mod crew;
pub mod estimate;
pub mod events;
pub mod file;
pub mod form;
pub mod health;
pub mod inbox;
pub mod job;
pub mod lead;
pub mod logo;
pub mod message;
pub mod org;
pub mod payment;
pub mod push;
pub mod quote;
pub mod session;
pub mod system;
pub mod task;
pub mod template;
pub mod test_send;
pub mod webhooks;
