//! Texts of the visit page in both languages.

use serde::Serialize;
use shared::documents::template::Language;

use crate::pages::words::translate_with;

#[derive(Debug, Serialize)]
pub(super) struct VisitPageText {
    title: &'static str,
    when: &'static str,
    place: &'static str,
    crew: &'static str,
    confirm: &'static str,
    confirmed: &'static str,
    calendar: &'static str,
    ask_title: &'static str,
    ask_hint: &'static str,
    ask: &'static str,
    asked: &'static str,
    cancel_title: &'static str,
    cancel_hint: &'static str,
    cancel: &'static str,
    too_close: &'static str,
    cancelled: &'static str,
    cancelled_hint: &'static str,
    book_again: &'static str,
    unplanned: &'static str,
    unplanned_hint: &'static str,
    on_the_way: &'static str,
    about: &'static str,
    begun: &'static str,
    done: &'static str,
    done_hint: &'static str,
    past: &'static str,
    past_hint: &'static str,
    booked: &'static str,
    booked_hint: &'static str,
    has_visit: &'static str,
    has_visit_hint: &'static str,
    moved: &'static str,
    move_title: &'static str,
    later: &'static str,
    no_move: &'static str,
    #[serde(skip)]
    sentences: &'static [(&'static str, &'static str)],
}

static ENGLISH: VisitPageText = VisitPageText {
    title: "Your visit",
    when: "We arrive",
    place: "Where",
    crew: "Who comes",
    confirm: "Yes, I will be there",
    confirmed: "You confirmed this visit on",
    calendar: "Add to my calendar",
    ask_title: "Need another time?",
    ask_hint: "Write when it would suit you. We get back to you.",
    ask: "Ask for another time",
    asked: "Thank you. We have your message and will answer soon.",
    cancel_title: "Cancel this visit?",
    cancel_hint: "Why? It helps us, and you may leave it empty.",
    cancel: "Cancel this visit",
    too_close: "It is less than 12 hours away. To cancel, please call us.",
    cancelled: "This visit was cancelled",
    cancelled_hint: "Write to us below if you want a new time.",
    book_again: "Book a new time",
    unplanned: "There is no time for this visit yet",
    unplanned_hint: "We tell you as soon as there is one.",
    on_the_way: "On the way",
    about: "about",
    begun: "We are at work",
    done: "The work is done",
    done_hint: "Thank you for choosing us. Is something not right? Write to us below.",
    past: "The time of this visit has passed",
    past_hint: "Did we miss each other? Write to us below.",
    booked: "Your visit is booked",
    booked_hint: "Keep this page: here you can move or cancel it.",
    has_visit: "You already have a visit",
    has_visit_hint: "The time you just picked is not booked. We come at the time below. To move your visit, see “Need another time?”.",
    moved: "Your visit has its new time.",
    move_title: "Choose another time",
    later: "Later days",
    no_move: "Nothing else is free right now. Write to us below.",
    sentences: &[],
};

static SPANISH: VisitPageText = VisitPageText {
    title: "Su visita",
    when: "Llegamos",
    place: "Dónde",
    crew: "Quién va",
    confirm: "Sí, estaré ahí",
    confirmed: "Usted confirmó esta visita el",
    calendar: "Agregar a mi calendario",
    ask_title: "¿Necesita otra hora?",
    ask_hint: "Escriba cuándo le conviene. Le respondemos.",
    ask: "Pedir otra hora",
    asked: "Gracias. Tenemos su mensaje y responderemos pronto.",
    cancel_title: "¿Cancelar esta visita?",
    cancel_hint: "¿Por qué? Nos ayuda, y puede dejarlo vacío.",
    cancel: "Cancelar esta visita",
    too_close: "Faltan menos de 12 horas. Para cancelar, llámenos por favor.",
    cancelled: "Esta visita fue cancelada",
    cancelled_hint: "Escríbanos abajo si quiere una nueva hora.",
    book_again: "Reservar otra hora",
    unplanned: "Esta visita todavía no tiene hora",
    unplanned_hint: "Le avisaremos en cuanto la tenga.",
    on_the_way: "En camino",
    about: "hacia las",
    begun: "Estamos trabajando",
    done: "El trabajo está terminado",
    done_hint: "Gracias por elegirnos. ¿Falta algo? Escríbanos abajo.",
    past: "La hora de esta visita ya pasó",
    past_hint: "¿No nos encontramos? Escríbanos abajo.",
    booked: "Su visita está reservada",
    booked_hint: "Guarde esta página: aquí puede cambiarla o cancelarla.",
    has_visit: "Usted ya tiene una visita",
    has_visit_hint: "La hora que acaba de elegir no está reservada. Vamos a la hora de abajo. Para cambiar su visita, vea «¿Necesita otra hora?».",
    moved: "Su visita tiene su nueva hora.",
    move_title: "Elegir otra hora",
    later: "Días siguientes",
    no_move: "No hay otra hora libre ahora. Escríbanos abajo.",
    sentences: &[
        ("Please choose a time", "Elija una hora"),
        ("Please write when it would suit you", "Escriba cuándo le conviene"),
        (
            "Too many tries. Please wait a moment and try again.",
            "Demasiados intentos. Espere un momento y pruebe otra vez.",
        ),
        ("Please check the marked fields.", "Revise los campos marcados."),
    ],
};

impl VisitPageText {
    pub(super) fn for_language(language: Language) -> &'static Self {
        match language {
            Language::En => &ENGLISH,
            Language::Es => &SPANISH,
        }
    }

    /// Translates a message of the visit rules; unknown ones stay as they are.
    pub(super) fn translate(&self, english: &str) -> String {
        translate_with(self.sentences, english)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_complete_in_both_languages() {
        let words = |language| serde_json::to_value(VisitPageText::for_language(language)).unwrap();
        let (english, spanish) = (words(Language::En), words(Language::Es));
        for (name, english_text) in english.as_object().unwrap() {
            assert!(
                !english_text.as_str().unwrap().is_empty() && !spanish[name].as_str().unwrap().is_empty(),
                "{name}"
            );
            assert_ne!(english_text, &spanish[name], "{name} is not translated");
        }
    }
}
