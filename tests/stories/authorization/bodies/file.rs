//! Files that are added to leads and jobs.

use tests::http::{Multipart, pixel};

use super::Wants;
use crate::authorization::fixtures::Fixtures;

pub(super) fn of(operation: &str, _: &Fixtures, _: usize) -> Option<Wants> {
    match operation {
        "addJobFiles" | "addLeadFiles" => Some(Wants::Form(Multipart::default().file("files", "leak.png", &pixel()))),
        _ => None,
    }
}
