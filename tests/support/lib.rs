//! What the stories stand on: providers that answer like the real ones, and remember what truly arrived.

pub mod fake_smtp;
pub mod fake_twilio;
