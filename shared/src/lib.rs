//! The business: one file per noun, and the few things every noun stands on. Nothing here knows HTTP.

// Who.
pub mod account;
pub mod billing;
pub mod demo;
pub mod demo_request;
pub mod org;
pub mod session;
pub mod throttle;
// The work.
pub mod checkout;
pub mod crew;
pub mod customer;
pub mod estimate;
pub mod file;
pub mod invoice;
pub mod job;
pub mod lead;
pub mod ledger;
pub mod pipeline;
pub mod price;
pub mod reminder;
pub mod schedule;
pub mod visit;
pub mod work;
// What is said, with which words, when.
pub mod automation;
pub mod booking;
pub mod calendar;
pub mod call;
pub mod canned;
pub mod follow;
pub mod incoming;
pub mod install_mail;
pub mod message;
pub mod opt_out;
pub mod promise;
pub mod quiet;
pub mod review;
pub mod segments;
pub mod template;
pub mod thread;
// What happened.
pub mod alert;
pub mod audit;
pub mod live;
pub mod metrics;
pub mod pulse;
pub mod push_device;
pub mod recovered;
pub mod security;
pub mod system;
pub mod webhook;
// Everything at once: out, in, and kept safe.
pub mod backup;
pub mod belongings;
pub mod outbox;
pub mod relocation;
// What every noun stands on.
pub mod clock;
pub mod config;
pub mod db;
pub mod error;
pub mod hours;
mod ical;
pub mod id;
pub mod idempotency;
pub mod link;
pub mod money;
pub mod number;
pub mod packing;
pub mod paper;
pub mod pdf;
pub mod phone;
pub mod photo;
pub mod private_file;
pub mod providers;
pub mod seal;
pub mod secret;
pub mod settings;
pub mod storage;
mod table;
pub mod tasks;
pub mod text;
pub mod total;
pub mod twiml;
