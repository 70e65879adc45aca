//! Bodies about customers, properties and merges.

use serde_json::json;

use super::Wants;
use crate::authorization::fixtures::Fixtures;

pub(super) fn of(operation: &str, fixtures: &Fixtures, serial: usize) -> Option<Wants> {
    Some(Wants::Json(match operation {
        // The second record of the walk.
        "previewMerge" => return Some(Wants::Query("with=00000000-0000-0000-0000-000000000063".to_owned())),
        "importCustomers" => return Some(Wants::Csv("Name,Phone\nZoe Ray,5125550177\n")),
        // Nothing refers to this record, and nothing is owed.
        "eraseCustomer" => json!({"name": "Zed Ray"}),
        "changeCustomer" => json!({"language": "es"}),
        "addProperty" => json!({"address": format!("{serial} Main St")}),
        "changeProperty" => json!({"label": "Rental"}),
        "mergeCustomers" => json!({ "otherId": fixtures.other }),
        _ => return None,
    }))
}
