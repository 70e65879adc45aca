//! Text that sends a caller to the booking page, on the office's request.

use crate::documents::{recipient_name::first_name, template::Language};

#[must_use]
pub fn booking_invitation_text(business: &str, customer: &str, link: &str, language: Language) -> String {
    let name = first_name(customer);
    match (language, name.is_empty()) {
        (Language::En, true) => format!("Hi, this is {business}. Pick a time that works for you: {link}"),
        (Language::En, false) => format!("Hi {name}, this is {business}. Pick a time that works for you: {link}"),
        (Language::Es, true) => format!("Hola, le escribe {business}. Elija la hora que le convenga: {link}"),
        (Language::Es, false) => format!("Hola {name}, le escribe {business}. Elija la hora que le convenga: {link}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn booking_text_has_first_name_only_where_the_name_has_one() {
        let text = |name| booking_invitation_text("Acme", name, "https://a.example/book/acme", Language::En);
        assert_eq!(
            text("Ann Lee"),
            "Hi Ann, this is Acme. Pick a time that works for you: https://a.example/book/acme"
        );
        assert!(text("(512) 555-0142").starts_with("Hi, this is Acme."));
        let spanish = booking_invitation_text("Acme", "Ana", "https://a.example/book/acme", Language::Es);
        assert!(spanish.starts_with("Hola Ana, le escribe Acme."));
    }
}
