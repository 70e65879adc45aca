//! Invoices.

use serde_json::json;

use super::Wants;
use crate::authorization::fixtures::Fixtures;

pub(super) fn of(operation: &str, fixtures: &Fixtures, _: usize) -> Option<Wants> {
    Some(Wants::Json(match operation {
        "makeInvoice" => json!({"leadId": fixtures.lead, "lines": [{"name": "A new valve", "unitPrice": 85}]}),
        "changeInvoice" => json!({"notes": "Thank you"}),
        "sendInvoice" => json!({"text": false}),
        "voidInvoice" => json!({"reason": "The wrong house"}),
        "promiseInvoice" => json!({"on": "2026-10-15"}),
        "disputeInvoice" => json!({"isDisputed": true}),
        "renewInvoiceLink" => json!({"revoke": true}),
        "tickInvoiceReminders" => json!({"invoiceIds": []}),
        _ => return None,
    }))
}
