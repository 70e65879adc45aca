//! Support of the stories: a whole install in one process, its people, and fakes of the providers.
#![expect(clippy::missing_panics_doc, reason = "a broken stage ends the story, and the message says what broke")]

pub mod addresses;
pub mod app;
pub mod authenticator;
pub mod database;
pub mod demo;
pub mod fake_bucket;
pub mod fake_collector;
pub mod fake_push;
pub mod fake_smtp;
pub mod fake_stripe;
pub mod fake_twilio;
pub mod fake_webhook_receiver;
pub mod figures;
pub mod http;
pub mod log;
pub mod long_email;
pub mod people;
pub mod phone;
pub mod plan;
pub mod processes;
pub mod pulse;
pub mod sample_documents;
pub mod test_install;

/// The size of a fault story: `few` by default; `all`, as the requirement names it, with `LOAD=full`. `make bench`
/// sets it.
#[must_use]
pub fn load_size(few: usize, all: usize) -> usize {
    let asked = shared::platform::config::EnvVars::from_process().get("LOAD");
    if asked.as_deref() == Some("full") { all } else { few }
}
