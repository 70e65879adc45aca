//! Bodies of settings.

use serde_json::json;

use super::{Wants, email};
use crate::authorization::{DEVICE, fixtures::Fixtures};

pub(super) fn of(operation: &str, fixtures: &Fixtures, serial: usize) -> Option<Wants> {
    Some(Wants::Json(match operation {
        "previewSwitch" => return Some(Wants::Query("switch=leadIntake".to_owned())),
        "addCannedReply" => json!({"title": format!("Reply {serial}"), "body": "We open at 8."}),
        "addPushDevice" => {
            let endpoint = format!("https://fcm.googleapis.com/fcm/send/{serial}");
            json!({"endpoint": endpoint, "keys": {"p256dh": DEVICE.0, "auth": DEVICE.1}, "label": "A phone"})
        }
        // Off: these stories have no receiver.
        "addWebhook" => json!({"url": "https://hooks.example.com/toolbox", "events": ["lead.created"], "isOn": false}),
        "previewRetention" => return Some(Wants::Query("kind=photos&days=365".to_owned())),
        "setRetention" => json!({"kind": "photos", "days": 365}),
        "undoRetention" => json!({"kind": "photos"}),
        "changeWebhook" => json!({"events": ["review.received"], "isOn": false}),
        "makeApiKey" => json!({"name": format!("Program {serial}"), "scopes": ["leads:read"]}),
        "changeOrganization" => json!({"industry": "Roofing"}),
        "changeSettings" => json!({"calls": {"nudge": true}}),
        "addRecipient" | "inviteBusiness" => json!({ "email": email(serial) }),
        "claimSendingNumber" => json!({"number": "(512) 555-0701", "way": "text"}),
        "searchNumbers" => return Some(Wants::Query("kind=local&areaCode=512".to_owned())),
        "orderNumber" => json!({"number": "(512) 555-0702"}),
        "takeOverNumber" => json!({"number": "(512) 555-0701"}),
        "submitTextingRegistration" => json!({
            "legalName": "Acme Plumbing LLC", "legalForm": "private_company", "ein": "12-3456789",
            "website": "www.acme.example", "street": "1 Main St", "city": "Austin", "state": "TX", "zip": "78701",
            "contactFirstName": "Olive", "contactLastName": "Owner", "contactEmail": "olive@acme.example",
            "contactPhone": "512-555-0100", "monthlyTexts": "up_to_thousand",
        }),
        "confirmSendingNumber" => json!({ "code": fixtures.number_code }),
        "giveUpSendingNumber" => json!({"number": "+15125550788"}),
        "assignSendingNumber" => json!({"orgId": null}),
        "shareSendingService" => json!({"orgId": uuid::Uuid::from_u128(9), "shares": false}),
        "changeTemplate" | "switchSecurityAlert" => json!({"enabled": true}),
        "sendKpiPulse" => json!({"period": "manual"}),
        "verifyAuditLog" => json!({}),
        "previewTemplate" => json!({"body": "Hi"}),
        _ => return None,
    }))
}
