//! Bodies about a lead's stage and owner.

use serde_json::json;

use super::Wants;
use crate::authorization::fixtures::Things;

pub(super) fn of(operation: &str, things: &Things, _: usize) -> Option<Wants> {
    match operation {
        "moveLead" => Some(Wants::Json(json!({"stage": "Quoted"}))),
        "setLeadOwner" => Some(Wants::Json(json!({"ownerUserId": things.shop.owner().id}))),
        "noteAnswer" => Some(Wants::Json(json!({"how": "answered"}))),
        _ => None,
    }
}
