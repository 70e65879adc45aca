//! Reasons for no receipt, and the wording of refund receipts.

use crate::{
    conflicts::ConflictCode,
    documents::template::Language,
    domain::money::ledger::{PaymentKind, PaymentStatus},
};

/// None once the money has moved.
pub(super) fn no_receipt_reason(kind: PaymentKind, status: PaymentStatus) -> Option<ConflictCode> {
    match (kind, status) {
        (_, PaymentStatus::Settled) => None,
        (_, PaymentStatus::Test) => Some(ConflictCode::ReceiptOfTestPayment),
        (PaymentKind::Refund, PaymentStatus::Pending) => Some(ConflictCode::ReceiptOfPendingRefund),
        (PaymentKind::Refund, PaymentStatus::Unknown) => Some(ConflictCode::ReceiptOfRefundInDoubt),
        (PaymentKind::Refund, PaymentStatus::Failed) => Some(ConflictCode::ReceiptOfFailedRefund),
        (_, PaymentStatus::Pending | PaymentStatus::Unknown | PaymentStatus::Failed) => {
            Some(ConflictCode::ReceiptOfUnpaidPayment)
        }
    }
}

pub(super) fn file_name(number: &str, is_refund: bool, language: Language) -> String {
    let what = match (language, is_refund) {
        (Language::En, false) => "Receipt",
        (Language::En, true) => "Refund",
        (Language::Es, false) => "Recibo",
        (Language::Es, true) => "Reembolso",
    };
    format!("{what} {number}.pdf")
}

pub(super) fn email_footer(business: &str, is_refund: bool, language: Language) -> String {
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
    fn receipt_of_unsettled_payment_or_refund_is_refused_with_reason() {
        for kind in [PaymentKind::Payment, PaymentKind::Refund] {
            assert_eq!(no_receipt_reason(kind, PaymentStatus::Settled), None);
            for status in [PaymentStatus::Pending, PaymentStatus::Unknown, PaymentStatus::Failed, PaymentStatus::Test] {
                assert!(
                    no_receipt_reason(kind, status).is_some_and(|why| why.english_text().contains("receipt")),
                    "{kind:?} {status:?}"
                );
            }
        }
        let failed = no_receipt_reason(PaymentKind::Refund, PaymentStatus::Failed).unwrap();
        assert_eq!(failed.english_text(), "This refund failed. No money went back, so there is no receipt.");
    }

    #[test]
    fn refund_receipt_is_named_a_refund_in_both_languages() {
        assert_eq!(file_name("RCP-1001", false, Language::En), "Receipt RCP-1001.pdf");
        assert_eq!(file_name("RCP-1003", true, Language::En), "Refund RCP-1003.pdf");
        assert_eq!(file_name("RCP-1003", true, Language::Es), "Reembolso RCP-1003.pdf");
        assert!(!email_footer("Acme", true, Language::En).contains("you paid"));
        assert!(!email_footer("Acme", true, Language::Es).contains("pagó"));
    }
}
