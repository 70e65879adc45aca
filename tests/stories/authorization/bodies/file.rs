//! Files that are added to leads and jobs.

use tests::http::{Multipart, pixel};

use super::Wants;
use crate::authorization::fixtures::Things;

pub(super) fn of(operation: &str, _: &Things, _: usize) -> Option<Wants> {
    match operation {
        "addJobFiles" | "addLeadFiles" => Some(Wants::Form(Multipart::default().file("files", "leak.png", &pixel()))),
        _ => None,
    }
}
