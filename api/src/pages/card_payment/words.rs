//! Texts about card payment in both languages.

use serde::Serialize;
use shared::{documents::template::Language, domain::money::checkout::PaymentOffer};

use crate::pages::words::PageText;

pub(super) struct PaymentPageText {
    button: &'static str,
    hint: &'static str,
    underway: &'static str,
    pub leaving: &'static str,
    pub leaving_hint: &'static str,
    pub go_on: &'static str,
}

static ENGLISH: PaymentPageText = PaymentPageText {
    button: "Pay by card",
    hint: "You pay on a page of Stripe's. We never see your card.",
    underway: "Your payment is on its way. Your bank may take a few days; we will confirm it then.",
    leaving: "To the payment",
    leaving_hint: "If nothing happens by itself:",
    go_on: "Go on to the payment",
};

static SPANISH: PaymentPageText = PaymentPageText {
    button: "Pagar con tarjeta",
    hint: "Paga en una página de Stripe. Nunca vemos su tarjeta.",
    underway: "Su pago está en camino. Su banco puede tardar unos días; entonces se lo confirmaremos.",
    leaving: "Al pago",
    leaving_hint: "Si no pasa nada por sí solo:",
    go_on: "Continuar al pago",
};

impl PaymentPageText {
    pub fn matching(words: &PageText) -> &'static Self {
        match words.language {
            Language::En => &ENGLISH,
            Language::Es => &SPANISH,
        }
    }
}

#[derive(Debug, Serialize)]
pub(in crate::pages) struct PayButtonView {
    is_underway: bool,
    /// Due, but not payable here.
    is_owed: bool,
    amount: String,
    button: &'static str,
    hint: &'static str,
    underway: &'static str,
}

impl PayButtonView {
    /// `None` where nothing is due.
    pub fn from_offer(offered: &PaymentOffer, words: &PageText) -> Option<Self> {
        let page_text = PaymentPageText::matching(words);
        let amount = match offered {
            PaymentOffer::Nothing => return None,
            PaymentOffer::Owed(amount) | PaymentOffer::Pay(amount) => amount.format_usd(),
            PaymentOffer::Underway => String::new(),
        };
        let (is_underway, is_owed) = (*offered == PaymentOffer::Underway, matches!(offered, PaymentOffer::Owed(_)));
        Some(Self {
            is_underway,
            is_owed,
            amount,
            button: page_text.button,
            hint: page_text.hint,
            underway: page_text.underway,
        })
    }
}
