//! Estimates and change orders.

use serde_json::json;

use super::Wants;
use crate::authorization::fixtures::Things;

pub(super) fn of(operation: &str, things: &Things, _: usize) -> Option<Wants> {
    Some(Wants::Json(match operation {
        "makeEstimate" | "reviseEstimate" | "makeChangeOrder" | "previewChangeOrder" => json!({"quotedTotal": 350}),
        "previewEstimate" => json!({"quotedTotal": 350, "leadId": things.lead}),
        "sendEstimate" => json!({"text": false}),
        "withdrawEstimate" => json!({"reason": "The wrong house"}),
        "renewEstimateLink" => json!({"revoke": true}),
        _ => return None,
    }))
}
