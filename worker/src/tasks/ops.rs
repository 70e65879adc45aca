//! Task handlers of operation: webhooks, subscriptions, the demonstration.

pub mod cancel_subscription_attempt;
pub mod deliver_webhook;
pub mod seed_demo;
pub mod settle_subscription;
