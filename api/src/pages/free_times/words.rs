//! Texts of the free times in both languages.

use serde::Serialize;
use shared::documents::template::Language;

#[derive(Debug, Serialize)]
pub(super) struct FreeTimesText {
    title: &'static str,
    hint: &'static str,
    next: &'static str,
    other_times: &'static str,
    later: &'static str,
    first: &'static str,
    address: &'static str,
    address_hint: &'static str,
    none: &'static str,
    none_hint: &'static str,
    off: &'static str,
    off_hint: &'static str,
    write_us: &'static str,
    pub(super) taken: &'static str,
    office_copy: &'static str,
    office_copy_hint: &'static str,
    work_title: &'static str,
    planned: &'static str,
    #[serde(skip)]
    language: Language,
}

static ENGLISH: FreeTimesText = FreeTimesText {
    title: "Pick a time",
    hint: "Here are the next free times. We arrive within the time that is shown.",
    next: "Next free times",
    other_times: "Other times",
    later: "Later days",
    first: "First free days",
    address: "Where should we come?",
    address_hint: "Street, number, city",
    none: "Nothing is free right now",
    none_hint: "Please call us or write to us. We will find a time.",
    off: "You can't pick a time here right now",
    off_hint: "Please call us or write to us. We will find a time.",
    write_us: "Write to us",
    taken: "That time was just taken. Here are the next ones.",
    office_copy: "This is your copy of the customer's link",
    office_copy_hint: "Only the customer can pick a time here, with the link in their message. To book for them, use your schedule.",
    work_title: "Pick a time for the work",
    planned: "Your visit",
    language: Language::En,
};

static SPANISH: FreeTimesText = FreeTimesText {
    title: "Elija una hora",
    hint: "Estas son las próximas horas libres. Llegamos dentro del horario que se muestra.",
    next: "Próximas horas libres",
    other_times: "Otras horas",
    later: "Días siguientes",
    first: "Primeros días libres",
    address: "¿A dónde debemos ir?",
    address_hint: "Calle, número, ciudad",
    none: "Ahora no hay nada libre",
    none_hint: "Llámenos o escríbanos. Encontraremos una hora.",
    off: "Ahora no se puede elegir una hora aquí",
    off_hint: "Llámenos o escríbanos. Encontraremos una hora.",
    write_us: "Escríbanos",
    taken: "Esa hora se acaba de ocupar. Estas son las siguientes.",
    office_copy: "Esta es su copia del enlace del cliente",
    office_copy_hint: "Solo el cliente puede elegir una hora aquí, con el enlace de su mensaje. Para reservarla por él, use su agenda.",
    work_title: "Elija una hora para el trabajo",
    planned: "Su visita",
    language: Language::Es,
};

impl FreeTimesText {
    pub(super) fn for_language(language: Language) -> &'static Self {
        match language {
            Language::En => &ENGLISH,
            Language::Es => &SPANISH,
        }
    }

    /// Where the time can be chosen before the deposit.
    pub(super) fn deposit_beside(&self, amount: &str) -> String {
        match self.language {
            Language::En => format!("Pay the {amount} deposit to keep this time."),
            Language::Es => format!("Pague el anticipo de {amount} para conservar esta hora."),
        }
    }

    /// The same before a time is chosen.
    pub(super) fn deposit_after(&self, amount: &str) -> String {
        match self.language {
            Language::En => format!("Pick a time, then pay the {amount} deposit to keep it."),
            Language::Es => format!("Elija una hora y pague después el anticipo de {amount} para conservarla."),
        }
    }

    /// Where the deposit comes first.
    pub(super) fn deposit_first(&self, amount: &str) -> String {
        match self.language {
            Language::En => format!("Pay the {amount} deposit first. Then you can pick a time."),
            Language::Es => format!("Pague primero el anticipo de {amount}. Después puede elegir una hora."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deposit_is_named_with_its_amount_in_both_languages() {
        assert_eq!(ENGLISH.deposit_beside("$200.00"), "Pay the $200.00 deposit to keep this time.");
        assert!(ENGLISH.deposit_first("$200.00").starts_with("Pay the $200.00 deposit first."));
        for said in [SPANISH.deposit_beside("$5.00"), SPANISH.deposit_after("$5.00"), SPANISH.deposit_first("$5.00")] {
            assert!(said.contains("$5.00"), "{said}");
        }
    }
}
