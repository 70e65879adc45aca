//! Bodies about conversations and their opt-outs.

use serde_json::json;

use super::Wants;
use crate::authorization::fixtures::Fixtures;

pub(super) fn of(operation: &str, fixtures: &Fixtures, _: usize) -> Option<Wants> {
    Some(Wants::Json(match operation {
        "writeMessage" => json!({"channel": "sms", "body": "On our way"}),
        "seeAlerts" => json!({"ids": [fixtures.other]}),
        "decideOptOut" => json!({"state": "stopped"}),
        "changeThread" => json!({"isClosed": false}),
        _ => return None,
    }))
}
