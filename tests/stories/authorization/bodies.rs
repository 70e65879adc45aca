//! The request bodies of each operation, one file per noun.

use serde_json::Value;
use tests::http::Multipart;

use super::fixtures::Fixtures;

mod account;
mod billing;
mod booking;
mod conversation;
mod crew;
mod customer;
mod estimate;
mod file;
mod invoice;
mod job;
mod money;
mod pipeline;
mod price;
mod public;
mod review;
mod settings;
mod worklist;

pub(super) enum Wants {
    Json(Value),
    Form(Multipart),
    Csv(&'static str),
    Query(String),
    Nothing,
}

/// The serial number makes created records distinct.
pub(super) fn of(operation: &str, fixtures: &Fixtures, serial: usize) -> Wants {
    let nouns = [
        public::of,
        account::of,
        settings::of,
        conversation::of,
        money::of,
        estimate::of,
        job::of,
        file::of,
        invoice::of,
        price::of,
        customer::of,
        pipeline::of,
        crew::of,
        booking::of,
        review::of,
        billing::of,
        worklist::of,
    ];
    nouns.into_iter().find_map(|noun| noun(operation, fixtures, serial)).unwrap_or(Wants::Nothing)
}

fn email(serial: usize) -> String {
    format!("new-{serial}@customer.example")
}
