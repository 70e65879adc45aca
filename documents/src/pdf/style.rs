//! Text styles and measurement.

use super::fonts::{FontWeight, to_printable};

const CAPITAL: f32 = 0.7275;

#[derive(Clone, Copy, Debug)]
pub(super) struct TextStyle {
    pub(super) size: f32,
    pub(super) weight: FontWeight,
    /// 0 is black.
    pub(super) grey: f32,
    /// Line distance in points.
    pub(super) leading: f32,
}

const fn text_style(size: f32, weight: FontWeight, grey: f32, leading: f32) -> TextStyle {
    TextStyle { size, weight, grey, leading }
}

pub(super) const TITLE: TextStyle = text_style(23.0, FontWeight::Bold, 0.0, 28.0);
pub(super) const NAME: TextStyle = text_style(13.0, FontWeight::Bold, 0.0, 17.0);
pub(super) const HEADING: TextStyle = text_style(10.5, FontWeight::Bold, 0.0, 15.0);
pub(super) const BODY: TextStyle = text_style(9.5, FontWeight::Regular, 0.0, 13.5);
pub(super) const STRONG: TextStyle = text_style(9.5, FontWeight::Bold, 0.0, 13.5);
pub(super) const SMALL: TextStyle = text_style(8.5, FontWeight::Regular, 0.32, 12.0);
pub(super) const LABEL: TextStyle = text_style(7.5, FontWeight::Bold, 0.32, 11.0);
pub(super) const STAMP: TextStyle = text_style(110.0, FontWeight::Bold, 0.93, 110.0);

pub(super) fn baseline_y(top: f32, style: TextStyle) -> f32 {
    top + f32::midpoint(style.leading, style.size * CAPITAL)
}

pub(super) fn to_single_line(text: &str) -> String {
    to_printable(&text.replace('\n', " "))
}

pub(super) fn text_width(style: TextStyle, text: &str) -> f32 {
    style.weight.text_width(&to_single_line(text), style.size)
}

/// Truncated with an ellipsis when too wide. `text` must already be printable.
pub(super) fn truncate_to_width(style: TextStyle, text: &str, room: f32) -> String {
    if style.weight.text_width(text, style.size) <= room {
        return text.to_owned();
    }
    let mut kept = text.to_owned();
    while !kept.is_empty() && style.weight.text_width(&format!("{kept}…"), style.size) > room {
        kept.pop();
    }
    format!("{}…", kept.trim_end())
}

/// Lines broken at blanks, and within a word that alone is too long. Line breaks in the text are kept; a trailing empty
/// line is dropped.
pub(super) fn wrap_lines(style: TextStyle, text: &str, room: f32) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in to_printable(text).trim_end().split('\n') {
        let mut line = String::new();
        for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if style.weight.text_width(&longer, style.size) <= room {
                line = longer;
                continue;
            }
            if !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line = break_long_word(style, word, room, &mut lines);
        }
        lines.push(line);
    }
    lines
}

fn break_long_word(style: TextStyle, word: &str, room: f32, lines: &mut Vec<String>) -> String {
    let mut line = String::new();
    let mut width = 0.0;
    for letter in word.chars() {
        let wide = style.weight.text_width(letter.encode_utf8(&mut [0; 4]), style.size);
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
    fn text_wraps_at_spaces_and_inside_overlong_words() {
        let lines = wrap_lines(BODY, "one two three\n\nfour", text_width(BODY, "one two"));
        assert_eq!(lines, ["one two", "three", "", "four"]);
        let lines = wrap_lines(BODY, "aaaaaaaaaa b", text_width(BODY, "aaaa"));
        assert_eq!(lines, ["aaaa", "aaaa", "aa b"]);
    }

    proptest! {
        #[test]
        fn wrapped_lines_fit_width_and_keep_every_character(text in "[ a-zA-Z0-9łñ.\n]{0,200}", room in 40.0_f32..300.0) {
            let lines = wrap_lines(BODY, &text, room);
            for line in &lines {
                prop_assert!(text_width(BODY, line) <= room + 0.01, "{line:?}");
            }
            let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }

        #[test]
        fn truncated_text_fits_width_and_ends_with_ellipsis(text in "[a-z ]{1,80}", room in 20.0_f32..200.0) {
            let cut = truncate_to_width(SMALL, &text, room);
            prop_assert!(text_width(SMALL, &cut) <= room);
            prop_assert!(cut == text || cut.ends_with('…'));
        }
    }
}
