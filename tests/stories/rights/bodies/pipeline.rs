//! A lead that is moved by hand.

use serde_json::json;

use super::Wants;
use crate::rights::things::Things;

pub(super) fn of(operation: &str, _: &Things, _: usize) -> Option<Wants> {
    (operation == "moveLead").then(|| Wants::Json(json!({"stage": "Quoted"})))
}
