//! The price book.

use serde_json::json;

use super::Wants;
use crate::authorization::fixtures::Fixtures;

pub(super) fn of(operation: &str, _: &Fixtures, serial: usize) -> Option<Wants> {
    Some(match operation {
        "addPriceItem" => Wants::Json(json!({"name": format!("Valve {serial}"), "price": 12.5})),
        "changePriceItem" => Wants::Json(json!({"price": 13})),
        "importPriceItems" => Wants::Csv("Name,Price\nPipe,5\n"),
        _ => return None,
    })
}
