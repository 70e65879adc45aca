//! How a paper is called on which something is paid.

use crate::{documents::template::Language, domain::money::estimate::Sort};

/// As much of a paper's content as names it.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Named {
    /// Of an estimate, whole: `EST-1001-2`.
    number: Option<String>,
    /// Of an invoice, whose number stands beside it.
    prefix: String,
    /// Of a change order.
    change: Option<serde::de::IgnoredAny>,
}

impl Named {
    /// Of which sort it is; none of an invoice.
    pub(crate) fn sort(&self) -> Option<Sort> {
        self.number.as_ref()?;
        Some(if self.change.is_some() { Sort::ChangeOrder } else { Sort::Estimate })
    }

    pub(crate) fn shown(&self, number: Option<i64>) -> String {
        match (&self.number, number) {
            (Some(whole), _) => whole.clone(),
            (None, Some(number)) => format!("{}{number}", self.prefix),
            (None, None) => String::new(),
        }
    }

    pub(super) fn called(&self, number: Option<i64>) -> Called {
        Called { sort: self.sort(), number: self.shown(number) }
    }
}

/// A paper as what is paid for it is called.
pub(super) struct Called {
    /// None: it is an invoice.
    sort: Option<Sort>,
    number: String,
}

impl Called {
    /// "Invoice INV-1001", "Deposit for estimate EST-1001".
    pub fn title(&self, language: Language) -> String {
        let number = &self.number;
        match (self.sort, language) {
            (None, Language::En) => format!("Invoice {number}"),
            (None, Language::Es) => format!("Factura {number}"),
            (Some(sort), Language::En) => format!("Deposit for {} {number}", sort.word(language)),
            (Some(Sort::Estimate), Language::Es) => format!("Anticipo del presupuesto {number}"),
            (Some(Sort::ChangeOrder), Language::Es) => format!("Anticipo de la orden de cambio {number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_paid_is_named_in_the_language_of_the_paper() {
        let (estimate, change) = (Some(Sort::Estimate), Some(Sort::ChangeOrder));
        let table = [
            (None, Language::En, "Invoice 1001"),
            (None, Language::Es, "Factura 1001"),
            (estimate, Language::En, "Deposit for estimate 1001"),
            (estimate, Language::Es, "Anticipo del presupuesto 1001"),
            (change, Language::En, "Deposit for change order 1001"),
            (change, Language::Es, "Anticipo de la orden de cambio 1001"),
        ];
        for (sort, language, wanted) in table {
            assert_eq!(Called { sort, number: "1001".into() }.title(language), wanted);
        }
    }

    #[test]
    fn a_paper_says_by_itself_of_which_sort_it_is() {
        let sort = |content: serde_json::Value| serde_json::from_value::<Named>(content).unwrap().sort();
        assert_eq!(sort(serde_json::json!({"prefix": "INV-"})), None);
        assert_eq!(sort(serde_json::json!({"number": "EST-1001", "change": null})), Some(Sort::Estimate));
        let change = serde_json::json!({"number": "CO-1001", "change": {"job": 1007, "before": []}});
        assert_eq!(sort(change), Some(Sort::ChangeOrder));
    }
}
