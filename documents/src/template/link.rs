//! Links in emails: shared parsing for the HTML part, the plain part and the button.

use serde::Serialize;

use super::{Language, TemplateKindName, WordingValues, WordingVariable};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct LinePiece {
    pub text: String,
    pub is_link: bool,
}

impl LinePiece {
    fn new(text: &str, is_link: bool) -> Self {
        Self { text: text.to_owned(), is_link }
    }
}

/// Splits a line at its `http` and `https` addresses. Trailing sentence punctuation is not part of an address.
pub(super) fn split_at_links(line: &str) -> Vec<LinePiece> {
    let (mut found, mut rest) = (Vec::new(), line);
    while let Some((before, address, after)) = next_address(rest) {
        if !before.is_empty() {
            found.push(LinePiece::new(before, false));
        }
        found.push(LinePiece::new(address, true));
        rest = after;
    }
    if !rest.is_empty() {
        found.push(LinePiece::new(rest, false));
    }
    found
}

fn next_address(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find("http")?;
        let tail = &text[at..];
        let scheme = ["https://", "http://"].into_iter().find(|scheme| tail.starts_with(scheme));
        let end = tail.find(|c: char| c.is_whitespace() || c.is_control() || "<>\"".contains(c)).unwrap_or(tail.len());
        let address = trim_punctuation(&tail[..end]);
        match scheme {
            Some(scheme) if address.len() > scheme.len() => {
                return Some((&text[..at], address, &tail[address.len()..]));
            }
            _ => from = at + "http".len(),
        }
    }
}

/// A closing bracket stays when the address contains its opening one.
fn trim_punctuation(address: &str) -> &str {
    let mut kept = address;
    while let Some(last) = kept.chars().last() {
        let is_loose = match last {
            ')' => kept.matches('(').count() < kept.matches(')').count(),
            other => ".,;:!?'*»”’…]}".contains(other),
        };
        if !is_loose {
            break;
        }
        kept = &kept[..kept.len() - last.len_utf8()];
    }
    kept
}

pub(super) fn shows_address(text: &str, address: &str) -> bool {
    text.lines().any(|line| split_at_links(line).iter().any(|piece| piece.is_link && piece.text == address))
}

/// The plain part: each address goes on its own line, where every mail program makes it a link.
pub(super) fn with_links_on_own_lines(text: &str) -> String {
    text.lines().map(split_plain_line).collect::<Vec<_>>().join("\n")
}

fn split_plain_line(line: &str) -> String {
    let found = split_at_links(line);
    if !found.iter().any(|piece| piece.is_link) {
        return line.to_owned();
    }
    let mut lines: Vec<String> = Vec::with_capacity(found.len());
    for piece in &found {
        let mut words = piece.text.as_str();
        let is_quoted = lines.iter().map(|line| line.matches('"').count()).sum::<usize>() % 2 == 1;
        if is_quoted
            && !piece.is_link
            && let Some(address) = lines.last_mut()
            && let Some(after) = words.strip_prefix('"')
        {
            // A quotation ends with the address; the quotation mark is never part of the address.
            address.push('"');
            words = after;
        }
        if piece.is_link || words.chars().any(char::is_alphanumeric) {
            lines.push(trim_own_line(words, piece.is_link).to_owned());
        }
    }
    lines.join("\n")
}

/// Drops the punctuation that followed an address.
fn trim_own_line(words: &str, is_link: bool) -> &str {
    let trimmed = words.trim();
    if is_link { trimmed } else { trimmed.trim_start_matches(['.', ',', ';', ')', ' ']) }
}

/// Label and address of the email's button: the first link variable of the wording that its text shows.
#[must_use]
pub fn find_button(kind: TemplateKindName, variables: &WordingValues, body: &str) -> Option<(String, String)> {
    let links = kind.allowed_variables().iter().filter_map(|variable| {
        let label = button_label(kind, *variable, variables.language)?;
        let address = variables.printed_value(*variable)?;
        let at = body.find(&address)?;
        Some((at, label.to_owned(), address))
    });
    links.min_by_key(|(at, ..)| *at).map(|(_, label, address)| (label, address))
}

/// Button to a visit's page for an email whose text does not show the address.
#[must_use]
pub fn build_visit_button(kind: TemplateKindName, language: Language, address: String) -> Option<(String, String)> {
    button_label(kind, WordingVariable::VisitLink, language).map(|label| (label.to_owned(), address))
}

/// None for a variable that is no link.
fn button_label(kind: TemplateKindName, variable: WordingVariable, language: Language) -> Option<&'static str> {
    let (en, es) = match (variable, kind) {
        (WordingVariable::EstimateLink, _) => ("Open the estimate", "Ver el presupuesto"),
        (WordingVariable::ChangeOrderLink, _) => ("Open the change order", "Ver la orden de cambio"),
        (WordingVariable::InvoiceLink, TemplateKindName::InvoiceEmail | TemplateKindName::InvoiceText) => {
            ("See the invoice", "Ver la factura")
        }
        (WordingVariable::InvoiceLink, _) => ("See and pay", "Ver y pagar"),
        (WordingVariable::VisitLink, TemplateKindName::BookingQuestion | TemplateKindName::BookingQuestionEmail) => {
            ("Keep this time", "Confirmar esta hora")
        }
        (
            WordingVariable::VisitLink,
            TemplateKindName::VisitCancelled
            | TemplateKindName::VisitOnTheWay
            | TemplateKindName::VisitLate
            | TemplateKindName::VisitDone,
        ) => ("See the visit", "Ver la visita"),
        (WordingVariable::VisitLink, _) => ("Confirm or change", "Confirmar o cambiar"),
        (WordingVariable::ReviewLink, _) => ("Leave a review", "Escribir una reseña"),
        (WordingVariable::BookingLink, _) => ("Choose a time", "Elegir una hora"),
        (WordingVariable::TimesLink, _) => ("Pick a time", "Elegir una hora"),
        _ => return None,
    };
    Some(match language {
        Language::En => en,
        Language::Es => es,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(line: &str) -> Vec<String> {
        split_at_links(line).into_iter().filter(|piece| piece.is_link).map(|piece| piece.text).collect()
    }

    #[test]
    fn link_ends_before_sentence_punctuation() {
        for (line, wanted) in [
            ("To change it: https://a.example/v/x.", vec!["https://a.example/v/x"]),
            ("(see https://a.example/v/x)", vec!["https://a.example/v/x"]),
            (
                "https://a.example/w_(x) and http://b.example/?a=1&b=2!",
                vec!["https://a.example/w_(x)", "http://b.example/?a=1&b=2"],
            ),
            ("\"https://a.example/<b>\"", vec!["https://a.example/"]),
            ("https:// http://. httpx://a ftp://b.example javascript:alert(1)", vec![]),
            ("añhttps://a.example/ñ…", vec!["https://a.example/ñ"]),
        ] {
            assert_eq!(addresses(line), wanted, "{line}");
            assert_eq!(split_at_links(line).iter().map(|piece| piece.text.as_str()).collect::<String>(), line);
        }
    }

    #[test]
    fn plain_text_part_puts_each_link_on_its_own_line() {
        let link = "https://a.example/v/x";
        for (text, wanted) in [
            (format!("Set for 9. To change it: {link}"), format!("Set for 9. To change it:\n{link}")),
            (format!("See {link}. Thank you."), format!("See\n{link}\nThank you.")),
            (format!("See {link} for all of it.\n\nAcme"), format!("See\n{link}\nfor all of it.\n\nAcme")),
            (format!("Hi,\n\n{link}\n\nAcme"), format!("Hi,\n\n{link}\n\nAcme")),
            (format!("They wrote \"call me at {link}\". Look."), format!("They wrote \"call me at\n{link}\"\nLook.")),
            (format!("\"{link}\""), link.to_owned()),
            (format!("See ({link})."), format!("See (\n{link}")),
            ("No link. At all.".to_owned(), "No link. At all.".to_owned()),
        ] {
            assert_eq!(with_links_on_own_lines(&text), wanted);
        }
    }
}
