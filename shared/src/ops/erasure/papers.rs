//! Estimates and invoices of an erased person. Number, date, lines and sums belong to the business's books and stay;
//! the addressee and the PDFs are removed.

use serde_json::{Value, json};
use sqlx::types::Json;
use uuid::Uuid;

use crate::platform::{
    db::{Tx, q},
    error::Result,
    id::{CustomerId, OrgId},
};

const ERASED: &str = "Erased";

/// Removes the addressee and the notes from the person's papers. Returns how many there were.
pub(super) async fn anonymize_documents(tx: &mut Tx, org: OrgId, customer: CustomerId) -> Result<u64> {
    let mut changed = 0;
    for (select, update) in DOCUMENT_QUERIES {
        for (id, content) in q!(&mut *tx, fetch_all as (Uuid, Json<Value>), select, org, customer)? {
            changed += q!(&mut *tx, execute, update, org, id, Json(redact_person(content.0)))?;
        }
    }
    Ok(changed)
}

const DOCUMENT_QUERIES: [(&str, &str); 2] = [
    (
        "SELECT e.id, e.content FROM estimate e JOIN lead l ON l.org_id = e.org_id AND l.id = e.lead_id
         WHERE e.org_id = $1 AND l.customer_id = $2",
        "UPDATE estimate SET content = $3 WHERE org_id = $1 AND id = $2",
    ),
    (
        "SELECT i.id, i.content FROM invoice i JOIN lead l ON l.org_id = i.org_id AND l.id = i.lead_id
         WHERE i.org_id = $1 AND l.customer_id = $2",
        "UPDATE invoice SET content = $3 WHERE org_id = $1 AND id = $2",
    ),
];

fn redact_person(mut content: Value) -> Value {
    if let Some(paper) = content.as_object_mut() {
        if paper.contains_key("to") {
            paper.insert("to".to_owned(), json!({"name": ERASED, "phone": null, "email": null, "address": null}));
        }
        if let Some(notes) = paper.get_mut("paper").and_then(|paper| paper.get_mut("notes")) {
            *notes = Value::Null;
        }
    }
    content
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn erased_paper_keeps_amounts_and_number_without_personal_data() {
        let before = json!({
            "number": "EST-1001",
            "to": {"name": "Ann Lee", "phone": "+15125550142", "email": "ann@example.com", "address": "1 Main St"},
            "paper": {"lines": [{"name": "Pipe", "cents": 12_500}], "notes": "For Ann"},
        });
        let after = redact_person(before.clone());
        assert_eq!((&after["number"], &after["paper"]["lines"]), (&before["number"], &before["paper"]["lines"]));
        let text = after.to_string();
        for word in ["Ann", "+1512", "example.com", "Main"] {
            assert!(!text.contains(word), "{text}");
        }
    }
}
