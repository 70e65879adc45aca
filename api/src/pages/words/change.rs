//! Texts of the change order page where they differ from the estimate's.

use shared::documents::template::Language;

use super::{ENGLISH, PageText, SPANISH};

static IN_ENGLISH: PageText = PageText {
    estimate: "Change order",
    included: "What changes",
    total: "This change order",
    approve: "Approve this change order",
    decline: "Decline this change order",
    declined: "You declined this change order",
    expired: "This change order has expired",
    withdrawn: "This change order was withdrawn",
    replaced: "There is a newer version of this change order",
    ..ENGLISH
};

static IN_SPANISH: PageText = PageText {
    estimate: "Orden de cambio",
    valid_until: "Válida hasta",
    included: "Qué cambia",
    total: "Esta orden de cambio",
    approve: "Aprobar esta orden de cambio",
    decline: "Rechazar esta orden de cambio",
    declined: "Usted rechazó esta orden de cambio",
    declined_hint: "¿Cambió de idea? Pídanos una nueva abajo.",
    approved_by: "Aprobada por",
    expired: "Esta orden de cambio venció",
    expired_hint: "Los precios cambian. Pídanos una nueva abajo.",
    withdrawn: "Esta orden de cambio fue retirada",
    replaced: "Hay una versión más nueva de esta orden de cambio",
    ..SPANISH
};

pub(super) fn change_order_text(language: Language) -> &'static PageText {
    match language {
        Language::En => &IN_ENGLISH,
        Language::Es => &IN_SPANISH,
    }
}
