//! Customers, their places, and two of them made one.

use serde_json::json;

use super::Wants;
use crate::rights::things::Things;

pub(super) fn of(operation: &str, things: &Things, serial: usize) -> Option<Wants> {
    Some(Wants::Json(match operation {
        // The other record of the walk.
        "previewMerge" => return Some(Wants::Query("with=00000000-0000-0000-0000-000000000063")),
        "importCustomers" => return Some(Wants::Csv("Name,Phone\nZoe Ray,5125550177\n")),
        // Nobody is to come to this record, and it owes nothing.
        "eraseCustomer" => json!({"name": "Zed Ray"}),
        "changeCustomer" => json!({"language": "es"}),
        "addProperty" => json!({"address": format!("{serial} Main St")}),
        "changeProperty" => json!({"label": "Rental"}),
        "mergeCustomers" => json!({ "otherId": things.other }),
        _ => return None,
    }))
}
