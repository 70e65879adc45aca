//! Why there is no receipt, and the words that a refund's has of its own.

use crate::{
    documents::template::Language,
    domain::money::ledger::{Kind, Status},
};

/// Why nothing is receipted; none once the money has moved.
pub(super) fn why_none(kind: Kind, status: Status) -> Option<&'static str> {
    match (kind, status) {
        (_, Status::Settled) => None,
        (_, Status::Test) => Some("This payment is a test. No money moved, so there is no receipt."),
        (Kind::Refund, Status::Pending) => {
            Some("This refund is on its way. There is a receipt once the money has gone back.")
        }
        (Kind::Refund, Status::Unknown) => {
            Some("Stripe has not confirmed this refund. There is no receipt while it is in doubt.")
        }
        (Kind::Refund, Status::Failed) => Some("This refund failed. No money went back, so there is no receipt."),
        (_, Status::Pending | Status::Unknown | Status::Failed) => {
            Some("This payment has not come in, so there is no receipt.")
        }
    }
}

/// `Receipt RCP-1001.pdf`.
pub(super) fn file_name(number: &str, is_refund: bool, language: Language) -> String {
    let what = match (language, is_refund) {
        (Language::En, false) => "Receipt",
        (Language::En, true) => "Refund",
        (Language::Es, false) => "Recibo",
        (Language::Es, true) => "Reembolso",
    };
    format!("{what} {number}.pdf")
}

/// Why somebody gets the email.
pub(super) fn footer(business: &str, is_refund: bool, language: Language) -> String {
    match (language, is_refund) {
        (Language::En, false) => format!("You get this email because you paid {business}."),
        (Language::En, true) => format!("You get this email because {business} gave you money back."),
        (Language::Es, false) => format!("Recibe este correo porque pagó a {business}."),
        (Language::Es, true) => format!("Recibe este correo porque {business} le devolvió dinero."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receipt_of_what_is_not_settled_is_refused_with_its_reason() {
        for kind in [Kind::Payment, Kind::Refund] {
            assert_eq!(why_none(kind, Status::Settled), None);
            for status in [Status::Pending, Status::Unknown, Status::Failed, Status::Test] {
                assert!(why_none(kind, status).is_some_and(|why| why.contains("receipt")), "{kind:?} {status:?}");
            }
        }
        let failed = why_none(Kind::Refund, Status::Failed).unwrap();
        assert_eq!(failed, "This refund failed. No money went back, so there is no receipt.");
    }

    #[test]
    fn refund_is_called_one_in_both_languages() {
        assert_eq!(file_name("RCP-1001", false, Language::En), "Receipt RCP-1001.pdf");
        assert_eq!(file_name("RCP-1003", true, Language::En), "Refund RCP-1003.pdf");
        assert_eq!(file_name("RCP-1003", true, Language::Es), "Reembolso RCP-1003.pdf");
        assert!(!footer("Acme", true, Language::En).contains("you paid"));
        assert!(!footer("Acme", true, Language::Es).contains("pagó"));
    }
}
