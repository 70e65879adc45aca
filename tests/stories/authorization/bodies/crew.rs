//! Bodies about the people of a business and from the road.

use serde_json::json;

use super::{Wants, email};
use crate::authorization::{PASSWORD, fixtures::Fixtures};

pub(super) fn of(operation: &str, _: &Fixtures, serial: usize) -> Option<Wants> {
    let email = email(serial);
    Some(Wants::Json(match operation {
        "changeTeamMember" => json!({"isActive": true}),
        "inviteMember" => json!({"name": "Dave", "email": email, "role": "crew"}),
        "acceptInvite" => json!({"name": "Dave", "email": email, "password": PASSWORD}),
        "sayOnMyWay" => json!({"etaMinutes": 20}),
        "sayLate" => json!({"minutes": 15}),
        _ => return None,
    }))
}
