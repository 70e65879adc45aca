//! The tasks, one file each, named by what they do.

pub mod bill_job;
pub mod call_hook;
pub mod catch_up;
pub mod climb_alert;
pub mod digest;
pub mod drop_attempt;
pub mod fetch_media;
pub mod finish_paper;
pub mod follow_up;
pub mod push_alert;
pub mod recount;
pub mod refund_card;
pub mod seed_demo;
pub mod send_install_mail;
pub mod send_message;
pub mod send_number_code;
pub mod send_pulse;
pub mod send_receipt;
pub mod settle_checkout;
pub mod settle_doubt;
pub mod settle_subscription;
pub mod sign_copy;
pub mod take_text;
pub mod tell_crew;
pub mod watch_promise;
