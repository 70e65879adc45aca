//! Webhook endpoints for providers, authenticated by signature instead of a session.

pub mod stripe;
pub mod stripe_billing;
pub mod stripe_connect;
pub mod twilio;
