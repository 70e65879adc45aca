//! Booking by customers.

use serde_json::json;

use super::Wants;
use crate::authorization::fixtures::{Fixtures, booking::STARTS};

pub(super) fn of(operation: &str, fixtures: &Fixtures, serial: usize) -> Option<Wants> {
    Some(match operation {
        "publicSlots" => Wants::Query("org=acme-plumbing&service=plumbing&zip=78701".to_owned()),
        "publicTimes" => Wants::Query(format!("link={}", fixtures.times_token)),
        "holdSlot" => {
            Wants::Json(json!({"org": "acme-plumbing", "service": "plumbing", "zip": "78701", "startsAt": STARTS[0]}))
        }
        "bookVisit" => Wants::Json(json!({
            "org": "acme-plumbing", "holdId": fixtures.other, "name": "Ann", "phone": format!("51255501{:02}", serial % 100),
            "address": "12 Elm St", "zip": "78701", "service": "plumbing",
        })),
        _ => return None,
    })
}
