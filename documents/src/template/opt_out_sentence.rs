//! The opt-out sentence: removed when a text is reused as an email, and kept last when a sentence is added.

use std::ops::Range;

use super::lint::tells_how_to_stop;

/// Removes the last sentence that says how to stop. A text of only that sentence stays.
#[must_use]
pub fn strip_opt_out_sentence(text: &str) -> String {
    let Some(at) = sentence_ranges(text).into_iter().rev().find(|at| tells_how_to_stop(&text[at.clone()])) else {
        return text.to_owned();
    };
    let rest = format!("{}{}", text[..at.start].trim_end_matches(' '), &text[at.end..]);
    let tidy = rest.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned();
    if tidy.is_empty() { text.to_owned() } else { tidy }
}

/// Adds a sentence at the end, before a last sentence that says how to stop.
#[must_use]
pub fn add_before_opt_out(text: &str, sentence: &str) -> String {
    match sentence_ranges(text).pop().filter(|at| tells_how_to_stop(&text[at.clone()])) {
        Some(at) => format!("{}{sentence} {}", &text[..at.start], &text[at.start..]),
        None => format!("{text} {sentence}"),
    }
}

/// Ranges of sentences. One ends at its full stop, at the line end, and after an address.
fn sentence_ranges(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut begun) = (Vec::new(), None);
    let mut words = text.split_inclusive(char::is_whitespace).scan(0, |at, word| {
        let start = *at;
        *at += word.len();
        Some((start, word))
    });
    let mut end = 0;
    for (start, word) in words.by_ref() {
        let bare = word.trim_end();
        if !bare.is_empty() {
            begun.get_or_insert(start);
            end = start + bare.len();
        }
        let is_over = bare.ends_with(['.', '!', '?']) || bare.contains("://") || word.ends_with('\n');
        if is_over && let Some(begin) = begun.take() {
            found.push(begin..end);
        }
    }
    found.extend(begun.map(|begin| begin..end));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_sentence_comes_before_a_last_opt_out_sentence() {
        for (text, wanted) in [
            ("Acme got it. Reply STOP to opt out.", "Acme got it. We open at 8. Reply STOP to opt out."),
            ("Acme.\nReply STOP to opt out.", "Acme.\nWe open at 8. Reply STOP to opt out."),
            ("Text STOP to end. Acme got it.", "Text STOP to end. Acme got it. We open at 8."),
            ("Acme got it.", "Acme got it. We open at 8."),
        ] {
            assert_eq!(add_before_opt_out(text, "We open at 8."), wanted);
        }
    }

    #[test]
    fn opt_out_sentence_is_removed_and_other_text_is_kept() {
        let link = "https://acme.example/p/abc";
        for (text, wanted) in [
            ("Hi Ann. Any question? Reply STOP to opt out.".to_owned(), "Hi Ann. Any question?".to_owned()),
            (format!("Ask or approve: {link} Reply STOP to opt out."), format!("Ask or approve: {link}")),
            ("Don't want texts? Text STOP. Thanks!".into(), "Don't want texts? Thanks!".into()),
            ("STOP ends these texts. Acme here, all done.".into(), "Acme here, all done.".into()),
            ("Hola Ann. Responda ALTO si no quiere más mensajes.".into(), "Hola Ann.".into()),
            ("Hola.\nEnvíe STOP para darse de baja\nGracias".into(), "Hola.\n\nGracias".into()),
            ("We stop by at 9. See you.".into(), "We stop by at 9. See you.".into()),
            ("Reply STOP to opt out.".into(), "Reply STOP to opt out.".into()),
            ("¿Preguntas? Para dejar de recibir mensajes responda STOP".into(), "¿Preguntas?".into()),
        ] {
            assert_eq!(strip_opt_out_sentence(&text), wanted, "{text}");
        }
    }
}
