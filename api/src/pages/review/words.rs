//! Texts of the review request page in both languages, the same for every customer.

use serde::Serialize;
use shared::documents::template::Language;

#[derive(Debug, Serialize)]
pub(super) struct ReviewPageText {
    title: &'static str,
    hint: &'static str,
    public_title: &'static str,
    public_hint: &'static str,
    /// Followed by the name of the site.
    public_go: &'static str,
    stars: &'static str,
    words: &'static str,
    name: &'static str,
    name_hint: &'static str,
    send: &'static str,
    change: &'static str,
    thanks: &'static str,
    no_more: &'static str,
    stop_title: &'static str,
    stop_hint: &'static str,
    stop: &'static str,
    stopped: &'static str,
    stopped_hint: &'static str,
    leaving: &'static str,
    leaving_hint: &'static str,
    #[serde(skip)]
    star: [&'static str; 2],
    #[serde(skip)]
    sentences: &'static [(&'static str, &'static str)],
}

#[derive(Debug, Serialize)]
pub(super) struct StarOption {
    value: i64,
    label: String,
    is_chosen: bool,
}

static ENGLISH: ReviewPageText = ReviewPageText {
    title: "Your review",
    hint: "Good or bad, we read every word. What you write here goes to us.",
    public_title: "Tell others too",
    public_hint: "You can leave your review where everyone can read it.",
    public_go: "Review us on",
    stars: "How many stars do you give us?",
    words: "In your words",
    name: "Your name",
    name_hint: "You may leave it empty.",
    send: "Send my review",
    change: "Change my review",
    thanks: "Thank you for your review",
    no_more: "No more review requests",
    stop_title: "No more review requests?",
    stop_hint: "We will no longer ask you for reviews or send you offers. Messages about your own visits, estimates \
        and invoices still come.",
    stop: "Do not ask me again",
    stopped: "We will not ask you again",
    stopped_hint: "Messages about your own visits, estimates and invoices still come.",
    leaving: "On to",
    leaving_hint: "If nothing happens, press the button.",
    star: ["star", "stars"],
    sentences: &[],
};

static SPANISH: ReviewPageText = ReviewPageText {
    title: "Su reseña",
    hint: "Buena o mala, leemos cada palabra. Lo que escriba aquí nos llega a nosotros.",
    public_title: "Cuénteselo también a otros",
    public_hint: "Puede dejar su reseña donde todos puedan leerla.",
    public_go: "Dejar la reseña en",
    stars: "¿Cuántas estrellas nos da?",
    words: "Con sus palabras",
    name: "Su nombre",
    name_hint: "Puede dejarlo vacío.",
    send: "Enviar mi reseña",
    change: "Cambiar mi reseña",
    thanks: "Gracias por su reseña",
    no_more: "No quiero más solicitudes de reseña",
    stop_title: "¿Ninguna solicitud de reseña más?",
    stop_hint: "Ya no le pediremos reseñas ni le enviaremos ofertas. Los mensajes sobre sus visitas, presupuestos y facturas \
        siguen llegando.",
    stop: "No me pregunten más",
    stopped: "Ya no le preguntaremos",
    stopped_hint: "Los mensajes sobre sus visitas, presupuestos y facturas siguen llegando.",
    leaving: "Vamos a",
    leaving_hint: "Si no pasa nada, pulse el botón.",
    star: ["estrella", "estrellas"],
    sentences: &[
        ("Please choose how many stars", "Elija cuántas estrellas"),
        ("Please keep this to 5000 characters", "No más de 5000 letras, por favor"),
        ("Please keep this to 120 characters", "No más de 120 letras, por favor"),
        ("This contains characters that cannot be used", "Contiene signos que no se pueden usar"),
        (
            "Too many tries. Please wait a moment and try again.",
            "Demasiados intentos. Espere un momento y pruebe otra vez.",
        ),
        ("Please check the marked fields.", "Revise los campos marcados."),
    ],
};

impl ReviewPageText {
    pub(super) fn for_language(language: Language) -> &'static Self {
        match language {
            Language::En => &ENGLISH,
            Language::Es => &SPANISH,
        }
    }

    pub(super) fn star_options(&self, chosen: Option<i64>) -> Vec<StarOption> {
        let label = |n: i64| format!("{n} {}", self.star[usize::from(n != 1)]);
        (1..=5).map(|n| StarOption { value: n, label: label(n), is_chosen: chosen == Some(n) }).collect()
    }

    /// "On to Google".
    pub(super) fn leaving_text(&self, site: &str) -> String {
        format!("{} {site}", self.leaving)
    }

    pub(super) fn leaving_hint(&self) -> &'static str {
        self.leaving_hint
    }

    /// Translates a message of the review rules; unknown ones stay as they are.
    pub(super) fn translate(&self, english: &str) -> String {
        let known = self.sentences.iter().find(|(sentence, _)| *sentence == english);
        known.map_or(english, |(_, translation)| translation).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_complete_in_both_languages() {
        let words = |language| serde_json::to_value(ReviewPageText::for_language(language)).unwrap();
        let (english, spanish) = (words(Language::En), words(Language::Es));
        for (name, english_text) in english.as_object().unwrap() {
            assert!(
                !english_text.as_str().unwrap().is_empty() && !spanish[name].as_str().unwrap().is_empty(),
                "{name}"
            );
            assert_ne!(english_text, &spanish[name], "{name} is not translated");
        }
        assert_eq!(ReviewPageText::for_language(Language::Es).star_options(Some(1))[0].label, "1 estrella");
    }
}
