//! Messaging: texts, emails, calls and alerts, with their wording, timing and send policy.

pub mod account_email;
pub(crate) mod affirmative_reply;
pub mod alert;
pub mod automation;
pub mod canned_reply;
pub mod conversation;
pub mod followup;
pub mod inbound;
pub mod lead_response;
pub mod message;
pub mod opt_out;
pub mod phone_call;
pub(crate) mod request_denial;
pub mod response_sla;
pub mod security_alert;
pub mod sending_number;
pub mod texting_registration;
