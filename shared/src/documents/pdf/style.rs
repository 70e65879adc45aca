//! How text looks, and how much room it takes.

use super::fonts::{Weight, printable};

/// How high a capital stands, of the size.
const CAPITAL: f32 = 0.7275;

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) size: f32,
    pub(super) weight: Weight,
    /// 0 is black.
    pub(super) grey: f32,
    /// From line to line.
    pub(super) leading: f32,
}

const fn style(size: f32, weight: Weight, grey: f32, leading: f32) -> Style {
    Style { size, weight, grey, leading }
}

pub(super) const TITLE: Style = style(23.0, Weight::Bold, 0.0, 28.0);
pub(super) const NAME: Style = style(13.0, Weight::Bold, 0.0, 17.0);
pub(super) const HEADING: Style = style(10.5, Weight::Bold, 0.0, 15.0);
pub(super) const BODY: Style = style(9.5, Weight::Regular, 0.0, 13.5);
pub(super) const STRONG: Style = style(9.5, Weight::Bold, 0.0, 13.5);
pub(super) const SMALL: Style = style(8.5, Weight::Regular, 0.32, 12.0);
pub(super) const LABEL: Style = style(7.5, Weight::Bold, 0.32, 11.0);
pub(super) const STAMP: Style = style(110.0, Weight::Bold, 0.93, 110.0);

pub(super) fn baseline(top: f32, style: Style) -> f32 {
    top + f32::midpoint(style.leading, style.size * CAPITAL)
}

pub(super) fn one_line(text: &str) -> String {
    printable(&text.replace('\n', " "))
}

/// How wide a text will be.
pub(super) fn width(style: Style, text: &str) -> f32 {
    style.weight.width(&one_line(text), style.size)
}

/// The text, or so much of its beginning that it fits with an ellipsis. Takes what is already printable.
pub(super) fn fitted(style: Style, text: &str, room: f32) -> String {
    if style.weight.width(text, style.size) <= room {
        return text.to_owned();
    }
    let mut kept = text.to_owned();
    while !kept.is_empty() && style.weight.width(&format!("{kept}…"), style.size) > room {
        kept.pop();
    }
    format!("{}…", kept.trim_end())
}

/// The text in lines that fit, broken at blanks, and within a word where it alone is too long. Its own line breaks stay;
/// an empty line at the end does not.
pub(super) fn wrapped(style: Style, text: &str, room: f32) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in printable(text).trim_end().split('\n') {
        let mut line = String::new();
        for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if style.weight.width(&longer, style.size) <= room {
                line = longer;
                continue;
            }
            if !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line = last_of(style, word, room, &mut lines);
        }
        lines.push(line);
    }
    lines
}

/// Pushes the full lines of a word that is wider than a line; returns its rest.
fn last_of(style: Style, word: &str, room: f32, lines: &mut Vec<String>) -> String {
    let mut line = String::new();
    let mut width = 0.0;
    for letter in word.chars() {
        let wide = style.weight.width(letter.encode_utf8(&mut [0; 4]), style.size);
        if width + wide > room && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
            width = 0.0;
        }
        line.push(letter);
        width += wide;
    }
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_are_broken_at_blanks_and_long_words_where_they_must() {
        let lines = wrapped(BODY, "one two three\n\nfour", width(BODY, "one two"));
        assert_eq!(lines, ["one two", "three", "", "four"]);
        let lines = wrapped(BODY, "aaaaaaaaaa b", width(BODY, "aaaa"));
        assert_eq!(lines, ["aaaa", "aaaa", "aa b"]);
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_its_room_and_no_letter_is_lost(text in "[ a-zA-Z0-9łñ.\n]{0,200}", room in 40.0_f32..300.0) {
            let lines = wrapped(BODY, &text, room);
            for line in &lines {
                prop_assert!(width(BODY, line) <= room + 0.01, "{line:?}");
            }
            let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }

        #[test]
        fn what_is_cut_short_fits_and_says_so(text in "[a-z ]{1,80}", room in 20.0_f32..200.0) {
            let cut = fitted(SMALL, &text, room);
            prop_assert!(width(SMALL, &cut) <= room);
            prop_assert!(cut == text || cut.ends_with('…'));
        }
    }
}
