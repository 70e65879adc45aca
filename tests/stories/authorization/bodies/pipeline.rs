//! Bodies of leads that the office adds, and about a lead's stage and owner.

use serde_json::json;

use super::Wants;
use crate::authorization::fixtures::Fixtures;

pub(super) fn of(operation: &str, fixtures: &Fixtures, serial: usize) -> Option<Wants> {
    match operation {
        "addLead" => Some(Wants::Json(json!({"customer": {"name": format!("Caller {serial}")}, "notes": "A leak"}))),
        "moveLead" => Some(Wants::Json(json!({"stage": "Quoted"}))),
        "setLeadOwner" => Some(Wants::Json(json!({"ownerUserId": fixtures.shop.owner().id}))),
        "noteAnswer" => Some(Wants::Json(json!({"how": "answered"}))),
        _ => None,
    }
}
