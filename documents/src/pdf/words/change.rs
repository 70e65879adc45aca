//! Words of a change order that differ from those of an estimate.

use platform::language::Language;

use super::{ENGLISH, PdfLabels, SPANISH};

static IN_ENGLISH: PdfLabels = PdfLabels {
    estimate: "Change order",
    total: "This change order",
    approval_of: "Approval of change order",
    all_of_it: "Everything in the change order on the pages before.",
    fingerprint_hint: "Of the PDF of the change order as shown. Anyone with that file can check that it is the one that was signed.",
    ..ENGLISH
};

static IN_SPANISH: PdfLabels = PdfLabels {
    estimate: "Orden de cambio",
    issued: "Emitida",
    valid_until: "Válida hasta",
    total: "Esta orden de cambio",
    approval_of: "Aprobación de la orden de cambio",
    all_of_it: "Todo lo de la orden de cambio de las páginas anteriores.",
    fingerprint_hint: "Del PDF de la orden de cambio tal como se mostró. Quien tenga ese archivo puede comprobar que es el que se firmó.",
    ..SPANISH
};

impl PdfLabels {
    pub(in crate::pdf) fn for_change_order(language: Language) -> &'static Self {
        match language {
            Language::En => &IN_ENGLISH,
            Language::Es => &IN_SPANISH,
        }
    }
}
