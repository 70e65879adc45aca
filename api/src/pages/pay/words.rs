//! What is said about paying by card, in both languages.

use serde::Serialize;
use shared::{documents::template::Language, domain::money::checkout::Offered};

use crate::pages::words::Words;

pub(super) struct Said {
    button: &'static str,
    hint: &'static str,
    underway: &'static str,
    pub leaving: &'static str,
    pub leaving_hint: &'static str,
    pub go_on: &'static str,
}

static ENGLISH: Said = Said {
    button: "Pay by card",
    hint: "You pay on a page of Stripe's. We never see your card.",
    underway: "Your payment is on its way. Your bank may take a few days; we will confirm it then.",
    leaving: "To the payment",
    leaving_hint: "If nothing happens by itself:",
    go_on: "Go on to the payment",
};

static SPANISH: Said = Said {
    button: "Pagar con tarjeta",
    hint: "Paga en una página de Stripe. Nunca vemos su tarjeta.",
    underway: "Su pago está en camino. Su banco puede tardar unos días; entonces se lo confirmaremos.",
    leaving: "Al pago",
    leaving_hint: "Si no pasa nada por sí solo:",
    go_on: "Continuar al pago",
};

impl Said {
    pub fn of(words: &Words) -> &'static Self {
        match words.language {
            Language::En => &ENGLISH,
            Language::Es => &SPANISH,
        }
    }
}

/// What a page shows of it.
#[derive(Debug, Serialize)]
pub(in crate::pages) struct PayView {
    is_underway: bool,
    /// Something is due that cannot be paid here.
    is_owed: bool,
    amount: String,
    button: &'static str,
    hint: &'static str,
    underway: &'static str,
}

impl PayView {
    /// None where nothing is due.
    pub fn of(offered: &Offered, words: &Words) -> Option<Self> {
        let said = Said::of(words);
        let amount = match offered {
            Offered::Nothing => return None,
            Offered::Owed(amount) | Offered::Pay(amount) => amount.shown(),
            Offered::Underway => String::new(),
        };
        let (is_underway, is_owed) = (*offered == Offered::Underway, matches!(offered, Offered::Owed(_)));
        Some(Self { is_underway, is_owed, amount, button: said.button, hint: said.hint, underway: said.underway })
    }
}
