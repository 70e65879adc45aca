//! Bodies about jobs and crews.

use serde_json::json;

use super::Wants;
use crate::authorization::fixtures::Fixtures;

pub(super) fn of(operation: &str, _: &Fixtures, serial: usize) -> Option<Wants> {
    Some(Wants::Json(match operation {
        "createJob" => json!({"customer": {"name": format!("Customer {serial}")}, "service": "Roof Repair"}),
        "changeJob" => json!({"version": 1, "address": "1 Main St"}),
        "scheduleJob" => json!({"version": 1, "startsAt": "2026-09-21T15:00:00Z"}),
        "changeJobStatus" => json!({"to": "in_progress"}),
        "addJobCost" => json!({"kind": "labor", "quantity": 2, "rate": 45}),
        "addJobNote" => json!({"body": "The gate code is 4711"}),
        "tickJobCheck" => json!({"done": true}),
        "addCrew" => json!({"name": format!("Crew {serial}")}),
        "changeCrew" => json!({"tone": 3}),
        _ => return None,
    }))
}
