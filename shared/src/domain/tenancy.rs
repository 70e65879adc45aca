//! Tenants: businesses, accounts, sessions, API keys, the activity and audit logs, and trust levels.

pub mod account;
pub mod activity_log;
pub mod api_key;
pub mod audit;
pub mod install_mail;
pub mod org;
pub mod provider_callbacks;
pub mod push_device;
pub mod registration;
pub mod security;
pub mod session;
pub mod storage_quota;
pub mod trust_level;
