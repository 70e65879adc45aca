//! Estimates and invoices of an erased person. Number, date, lines and sums belong to the business's books and stay;
//! the addressee and the PDFs are removed.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sqlx::types::Json;
use uuid::Uuid;

use crate::{
    domain::money::estimate::content::Addressee,
    platform::{
        db::{Tx, q},
        error::Result,
        id::{CustomerId, OrgId},
    },
};

const ERASED: &str = "Erased";

/// Removes the addressee and the notes from the person's papers. Returns how many there were.
pub(super) async fn anonymize_documents(tx: &mut Tx, org: OrgId, customer: CustomerId) -> Result<u64> {
    let mut changed = 0;
    for (select, update) in DOCUMENT_QUERIES {
        for (id, content) in q!(&mut *tx, fetch_all as (Uuid, Json<PersonalDocument>), select, org, customer)? {
            changed += q!(&mut *tx, execute, update, org, id, Json(content.0.without_person()))?;
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

/// What an estimate or an invoice holds of a person, and the rest.
#[derive(Serialize, Deserialize)]
struct PersonalDocument {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<Addressee>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paper: Option<PersonalDocumentContent>,
    #[serde(flatten)]
    kept: Map<String, Value>,
}

#[derive(Serialize, Deserialize)]
struct PersonalDocumentContent {
    #[serde(default)]
    notes: Option<String>,
    #[serde(flatten)]
    kept: Map<String, Value>,
}

impl PersonalDocument {
    fn without_person(self) -> Self {
        let nobody = Addressee { name: ERASED.to_owned(), phone: None, email: None, address: None };
        Self {
            to: self.to.map(|_| nobody),
            paper: self.paper.map(|paper| PersonalDocumentContent { notes: None, ..paper }),
            kept: self.kept,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn erased_paper_keeps_amounts_and_number_without_personal_data() {
        let before = json!({
            "number": "EST-1001",
            "to": {"name": "Ann Lee", "phone": "+15125550142", "email": "ann@example.com", "address": "1 Main St"},
            "paper": {"lines": [{"name": "Pipe", "cents": 12_500}], "notes": "For Ann"},
        });
        let read: PersonalDocument = serde_json::from_value(before.clone()).unwrap();
        let after = json!(read.without_person());
        assert_eq!((&after["number"], &after["paper"]["lines"]), (&before["number"], &before["paper"]["lines"]));
        let text = after.to_string();
        for word in ["Ann", "+1512", "example.com", "Main"] {
            assert!(!text.contains(word), "{text}");
        }
    }
}
