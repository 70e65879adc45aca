//! What the stories stand on: a whole install in one process, its people, and providers that answer like the real ones.
#![expect(clippy::missing_panics_doc, reason = "a broken stage ends the story, and the message says what broke")]

pub mod app;
pub mod authenticator;
pub mod database;
pub mod demo;
pub mod fake_bucket;
pub mod fake_hook;
pub mod fake_push;
pub mod fake_smtp;
pub mod fake_stripe;
pub mod fake_twilio;
pub mod figures;
pub mod ground;
pub mod http;
pub mod log;
pub mod papers;
pub mod people;
pub mod phone;
pub mod plan;
pub mod processes;
pub mod pulse;

/// How many a story of faults takes: `few` in every run, `all` that the requirement names with `CROWDS=full`, as
/// `make bench` has it.
#[must_use]
pub fn crowd(few: usize, all: usize) -> usize {
    let asked = shared::platform::config::Vars::from_process().get("CROWDS");
    if asked.as_deref() == Some("full") { all } else { few }
}
