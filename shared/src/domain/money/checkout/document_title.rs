//! Name of the paper that a payment is for.

use sqlx::types::Json;
use uuid::Uuid;

use crate::{
    documents::template::Language,
    domain::money::estimate::EstimateKind,
    platform::{
        db::{Tx, q},
        error::Result,
        id::OrgId,
    },
};

/// The fields of a paper's content that name it.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct DocumentName {
    /// Estimate: the full number, `EST-1001-2`.
    number: Option<String>,
    /// Invoice: the prefix; the number is a column.
    prefix: String,
    /// Present on change orders only.
    change: Option<serde::de::IgnoredAny>,
}

impl DocumentName {
    /// None for an invoice.
    pub(crate) fn kind(&self) -> Option<EstimateKind> {
        self.number.as_ref()?;
        Some(if self.change.is_some() { EstimateKind::ChangeOrder } else { EstimateKind::Estimate })
    }

    pub(crate) fn display_number(&self, number: Option<i64>) -> String {
        match (&self.number, number) {
            (Some(whole), _) => whole.clone(),
            (None, Some(number)) => format!("{}{number}", self.prefix),
            (None, None) => String::new(),
        }
    }

    pub(super) fn to_label(&self, number: Option<i64>) -> DocumentLabel {
        DocumentLabel { sort: self.kind(), number: self.display_number(number) }
    }
}

pub(super) struct DocumentLabel {
    /// None for an invoice.
    sort: Option<EstimateKind>,
    number: String,
}

impl DocumentLabel {
    /// "Invoice INV-1001", "Deposit for estimate EST-1001".
    pub fn title(&self, language: Language) -> String {
        let number = &self.number;
        match (self.sort, language) {
            (None, Language::En) => format!("Invoice {number}"),
            (None, Language::Es) => format!("Factura {number}"),
            (Some(sort), Language::En) => format!("Deposit for {} {number}", sort.display_noun(language)),
            (Some(EstimateKind::Estimate), Language::Es) => format!("Anticipo del presupuesto {number}"),
            (Some(EstimateKind::ChangeOrder), Language::Es) => format!("Anticipo de la orden de cambio {number}"),
        }
    }
}

/// "Invoice INV-1001", "Estimate EST-1001".
pub(crate) async fn load_document_title(
    tx: &mut Tx,
    org: OrgId,
    about: Uuid,
    language: Language,
) -> Result<Option<String>> {
    let sql = "SELECT content, number FROM invoice WHERE org_id = $1 AND id = $2
         UNION ALL SELECT content, number FROM estimate WHERE org_id = $1 AND id = $2";
    let found = q!(tx, fetch_optional as (Json<DocumentName>, Option<i64>), sql, org, about)?;
    Ok(found.map(|(content, number)| {
        let what = match (content.0.kind(), language) {
            (Some(sort), language) => sort.display_title(language),
            (None, Language::En) => "Invoice",
            (None, Language::Es) => "Factura",
        };
        format!("{what} {}", content.0.display_number(number))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payment_title_names_document_in_its_language() {
        let (estimate, change) = (Some(EstimateKind::Estimate), Some(EstimateKind::ChangeOrder));
        let table = [
            (None, Language::En, "Invoice 1001"),
            (None, Language::Es, "Factura 1001"),
            (estimate, Language::En, "Deposit for estimate 1001"),
            (estimate, Language::Es, "Anticipo del presupuesto 1001"),
            (change, Language::En, "Deposit for change order 1001"),
            (change, Language::Es, "Anticipo de la orden de cambio 1001"),
        ];
        for (sort, language, wanted) in table {
            assert_eq!(DocumentLabel { sort, number: "1001".into() }.title(language), wanted);
        }
    }

    #[test]
    fn document_kind_is_derived_from_its_content() {
        let sort = |content: serde_json::Value| serde_json::from_value::<DocumentName>(content).unwrap().kind();
        assert_eq!(sort(serde_json::json!({"prefix": "INV-"})), None);
        assert_eq!(sort(serde_json::json!({"number": "EST-1001", "change": null})), Some(EstimateKind::Estimate));
        let change = serde_json::json!({"number": "CO-1001", "change": {"job": 1007, "before": []}});
        assert_eq!(sort(change), Some(EstimateKind::ChangeOrder));
    }
}
