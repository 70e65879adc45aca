//! Calls that providers make to us. Each proves by a signature who it is; nobody is signed in.

pub mod stripe;
pub mod stripe_billing;
pub mod stripe_connect;
pub mod twilio;
