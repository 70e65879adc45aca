//! Estimates and change orders.

use serde_json::json;

use super::Wants;
use crate::authorization::fixtures::Fixtures;

pub(super) fn of(operation: &str, fixtures: &Fixtures, _: usize) -> Option<Wants> {
    Some(Wants::Json(match operation {
        "makeEstimate" | "reviseEstimate" | "makeChangeOrder" | "previewChangeOrder" => json!({"quotedTotal": 350}),
        "previewEstimate" => json!({"quotedTotal": 350, "leadId": fixtures.lead}),
        "sendEstimate" => json!({"text": false}),
        "withdrawEstimate" => json!({"reason": "The wrong house"}),
        "renewEstimateLink" => json!({"revoke": true}),
        _ => return None,
    }))
}
