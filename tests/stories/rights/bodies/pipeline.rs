//! A lead that is moved by hand.

use serde_json::json;

use super::Wants;
use crate::rights::things::Things;

pub(super) fn of(operation: &str, _: &Things, _: usize) -> Option<Wants> {
    match operation {
        "moveLead" => Some(Wants::Json(json!({"stage": "Quoted"}))),
        "noteAnswer" => Some(Wants::Json(json!({"how": "answered"}))),
        _ => None,
    }
}
