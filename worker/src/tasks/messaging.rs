//! Task handlers of messaging.

pub mod alert_digest;
pub mod buy_number;
pub mod check_sla;
pub mod escalate_alert;
pub mod fetch_media;
pub mod inbound_sync;
pub mod process_inbound_sms;
pub mod push_alert;
pub mod reconcile_delivery;
pub mod register_ten_dlc;
pub mod register_texting;
pub mod send_follow_up;
pub mod send_message;
pub mod send_number_code;
