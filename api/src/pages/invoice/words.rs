//! Texts of the invoice page, beside those of all pages, in both languages.

use serde::Serialize;
use shared::{documents::template::Language, domain::money::ledger::PaymentMethod};

use crate::pages::words::PageText;

#[derive(Debug, Serialize)]
pub(super) struct InvoicePageText {
    pub invoice: &'static str,
    pub due: &'static str,
    pub for_work: &'static str,
    pub amount_due: &'static str,
    pub due_on: &'static str,
    pub overdue: &'static str,
    pub overdue_hint: &'static str,
    pub paid: &'static str,
    pub paid_hint: &'static str,
    pub void: &'static str,
    pub void_hint: &'static str,
    pub payments: &'static str,
    pub receipt: &'static str,
    pub refund: &'static str,
    pub how_to_pay: &'static str,
    pub ask_how: &'static str,
    pub lines: &'static str,
    pub not_ready: &'static str,
    #[serde(skip)]
    means: [&'static str; 6],
}

static ENGLISH: InvoicePageText = InvoicePageText {
    invoice: "Invoice",
    due: "Due",
    for_work: "About",
    amount_due: "Still to be paid",
    due_on: "Please pay by",
    overdue: "This invoice is overdue",
    overdue_hint: "It was due on",
    paid: "Paid in full",
    paid_hint: "Thank you. Nothing is left to pay.",
    void: "This invoice was voided",
    void_hint: "There is nothing to pay on it.",
    payments: "Payments",
    receipt: "Receipt",
    refund: "refund",
    how_to_pay: "How to pay",
    ask_how: "Call us and we will tell you how to pay.",
    lines: "What was done",
    not_ready: "This invoice is being made right now. Reload this page in a few seconds.",
    means: ["Cash", "Check", "Card", "Bank transfer", "Payment", "Written off"],
};

static SPANISH: InvoicePageText = InvoicePageText {
    invoice: "Factura",
    due: "Vence",
    for_work: "Por",
    amount_due: "Falta por pagar",
    due_on: "Pague antes del",
    overdue: "Esta factura está vencida",
    overdue_hint: "Venció el",
    paid: "Pagada por completo",
    paid_hint: "Gracias. No queda nada por pagar.",
    void: "Esta factura fue anulada",
    void_hint: "No hay nada que pagar.",
    payments: "Pagos",
    receipt: "Recibo",
    refund: "reembolso",
    how_to_pay: "Cómo pagar",
    ask_how: "Llámenos y le diremos cómo pagar.",
    lines: "Qué se hizo",
    not_ready: "Estamos preparando esta factura. Recargue esta página en unos segundos.",
    means: ["Efectivo", "Cheque", "Tarjeta", "Transferencia", "Pago", "Condonado"],
};

impl InvoicePageText {
    pub(super) fn matching(words: &PageText) -> &'static Self {
        match words.language {
            Language::En => &ENGLISH,
            Language::Es => &SPANISH,
        }
    }

    pub(super) fn payment_method_name(&self, method: PaymentMethod) -> &'static str {
        let at = match method {
            PaymentMethod::Cash => 0,
            PaymentMethod::Check => 1,
            PaymentMethod::Card => 2,
            PaymentMethod::Bank => 3,
            PaymentMethod::Other => 4,
            PaymentMethod::None => 5,
        };
        self.means[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_complete_in_both_languages() {
        let (english, spanish) = (serde_json::to_value(&ENGLISH).unwrap(), serde_json::to_value(&SPANISH).unwrap());
        for (name, english_text) in english.as_object().unwrap() {
            let other = spanish[name].as_str().unwrap();
            assert!(!english_text.as_str().unwrap().is_empty() && !other.is_empty() && english_text != other, "{name}");
        }
        assert!(ENGLISH.means.iter().zip(SPANISH.means).all(|(english, spanish)| *english != spanish));
    }
}
