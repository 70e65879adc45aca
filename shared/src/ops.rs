//! The install: its settings, backups, exports, removal, subscriptions and webhooks. Also
//! what changes a customer in all domains: merge and erasure.

pub mod backup;
pub mod customer_merge;
pub mod db_transfer;
pub mod demo_seed;
pub mod erasure;
mod handlers;
pub mod key_rotation;
pub mod lost_payment_keys;
pub mod queue_metrics;
pub mod retention;
pub mod schema;
pub mod send_freeze;
pub mod settings;
pub mod subscription;
pub mod system_status;
pub mod tenant_data;
pub mod webhooks;
