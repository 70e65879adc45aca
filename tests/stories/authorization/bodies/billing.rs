//! Bodies about a business's subscription.

use serde_json::json;

use super::{Wants, email};
use crate::authorization::fixtures::Fixtures;

pub(super) fn of(operation: &str, fixtures: &Fixtures, serial: usize) -> Option<Wants> {
    Some(Wants::Json(match operation {
        "createSubscription" => json!({"email": email(serial), "name": "New", "orgName": "New Business",
            "phone": "512-555-0142", "industry": "Roofing"}),
        "createPortalSession" => json!({"customerId": "cus_of_somebody_else"}),
        "claimSubscription" => json!({"token": fixtures.claim}),
        "inviteDemoRequest" => json!({"email": email(serial)}),
        _ => return None,
    }))
}
