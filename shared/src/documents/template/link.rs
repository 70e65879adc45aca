//! Links in emails: one reading of them for the HTML part, the plain part and the button.

use serde::Serialize;

use super::{Kind, Language, Variable, Variables};

/// A piece of one line of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Piece {
    pub text: String,
    pub is_link: bool,
}

impl Piece {
    fn new(text: &str, is_link: bool) -> Self {
        Self { text: text.to_owned(), is_link }
    }
}

/// Cuts a line at its `http` and `https` addresses. Punctuation that ends a sentence is no part of an address.
pub(super) fn pieces(line: &str) -> Vec<Piece> {
    let (mut found, mut rest) = (Vec::new(), line);
    while let Some((before, address, after)) = next_address(rest) {
        if !before.is_empty() {
            found.push(Piece::new(before, false));
        }
        found.push(Piece::new(address, true));
        rest = after;
    }
    if !rest.is_empty() {
        found.push(Piece::new(rest, false));
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
        let address = without_punctuation(&tail[..end]);
        match scheme {
            Some(scheme) if address.len() > scheme.len() => {
                return Some((&text[..at], address, &tail[address.len()..]));
            }
            _ => from = at + "http".len(),
        }
    }
}

/// A closing bracket stays where the address opens one.
fn without_punctuation(address: &str) -> &str {
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

/// Whether `text` shows this address.
pub(super) fn shows(text: &str, address: &str) -> bool {
    text.lines().any(|line| pieces(line).iter().any(|piece| piece.is_link && piece.text == address))
}

/// The plain part: each address stands on a line of its own, where every mail program makes it a link.
pub(super) fn plain(text: &str) -> String {
    text.lines().map(plain_line).collect::<Vec<_>>().join("\n")
}

fn plain_line(line: &str) -> String {
    let found = pieces(line);
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
            // The quotation ends with the address, of which the mark is never a part.
            address.push('"');
            words = after;
        }
        if piece.is_link || words.chars().any(char::is_alphanumeric) {
            lines.push(own_line(words, piece.is_link).to_owned());
        }
    }
    lines.join("\n")
}

/// Words after an address do not begin with the punctuation that followed it.
fn own_line(words: &str, is_link: bool) -> &str {
    let trimmed = words.trim();
    if is_link { trimmed } else { trimmed.trim_start_matches(['.', ',', ';', ')', ' ']) }
}

/// What the email of this wording asks for: the label and the address of its button. The first link of the wording
/// that its words show.
#[must_use]
pub fn button(kind: Kind, variables: &Variables, body: &str) -> Option<(String, String)> {
    let known = kind.variables().iter().filter_map(|variable| {
        let label = label(kind, *variable, variables.language)?;
        let address = variables.value(*variable)?;
        let at = body.find(&address)?;
        Some((at, label.to_owned(), address))
    });
    known.min_by_key(|(at, ..)| *at).map(|(_, label, address)| (label, address))
}

/// The words on the button; none for a variable that is no link.
fn label(kind: Kind, variable: Variable, language: Language) -> Option<&'static str> {
    let (en, es) = match (variable, kind) {
        (Variable::EstimateLink, _) => ("Open the estimate", "Ver el presupuesto"),
        (Variable::ChangeOrderLink, _) => ("Open the change order", "Ver la orden de cambio"),
        (Variable::InvoiceLink, Kind::InvoiceEmail | Kind::InvoiceText) => ("See the invoice", "Ver la factura"),
        (Variable::InvoiceLink, _) => ("See and pay", "Ver y pagar"),
        (Variable::VisitLink, Kind::BookingQuestion | Kind::BookingQuestionEmail) => {
            ("Keep this time", "Confirmar esta hora")
        }
        (Variable::VisitLink, Kind::VisitCancelled) => ("See the visit", "Ver la visita"),
        (Variable::VisitLink, _) => ("Confirm or change", "Confirmar o cambiar"),
        (Variable::ReviewLink, _) => ("Leave a review", "Escribir una reseña"),
        (Variable::BookingLink, _) => ("Choose a time", "Elegir una hora"),
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
        pieces(line).into_iter().filter(|piece| piece.is_link).map(|piece| piece.text).collect()
    }

    #[test]
    fn an_address_ends_where_the_sentence_does() {
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
            assert_eq!(pieces(line).iter().map(|piece| piece.text.as_str()).collect::<String>(), line);
        }
    }

    #[test]
    fn the_plain_part_has_each_address_on_its_own_line() {
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
            assert_eq!(plain(&text), wanted);
        }
    }
}
