//! What is said, with which words, when, and whether it may leave.

pub mod alert;
pub mod automation;
pub mod canned_reply;
pub mod conversation;
pub mod followup;
pub mod inbound;
pub mod message;
pub mod opt_out;
pub mod phone_call;
pub mod reminder;
pub mod response_sla;
pub mod sending_number;
