//! Bodies about a lead's stage and owner.

use serde_json::json;

use super::Wants;
use crate::authorization::fixtures::Fixtures;

pub(super) fn of(operation: &str, fixtures: &Fixtures, _: usize) -> Option<Wants> {
    match operation {
        "moveLead" => Some(Wants::Json(json!({"stage": "Quoted"}))),
        "setLeadOwner" => Some(Wants::Json(json!({"ownerUserId": fixtures.shop.owner().id}))),
        "noteAnswer" => Some(Wants::Json(json!({"how": "answered"}))),
        _ => None,
    }
}
