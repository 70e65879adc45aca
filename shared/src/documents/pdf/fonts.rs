//! The typeface of the papers: what it has, how wide it is, and its file as it lies in a PDF.
//!
//! `fonts/toolbox-text-*.ttf` are cut from Inter (SIL Open Font Licence, `fonts/OFL.txt`): Latin with Vietnamese, Greek,
//! Cyrillic, punctuation, currency signs, arrows and check marks, without hinting and layout tables, its figures all of
//! one width, so that amounts stand under each other.

use std::sync::OnceLock;

use printpdf::{FontId, ParsedFont};
use unicode_normalization::UnicodeNormalization as _;

/// The two weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    Regular,
    Bold,
}

/// One weight, read once in the life of a process.
pub(super) struct Face {
    pub(super) parsed: ParsedFont,
    /// The file as a PDF holds it, deflated: doing that anew for every paper would be most of the work.
    packed: OnceLock<Option<Vec<u8>>>,
}

static REGULAR: OnceLock<Face> = OnceLock::new();
static BOLD: OnceLock<Face> = OnceLock::new();

impl Weight {
    pub(super) const ALL: [Self; 2] = [Self::Regular, Self::Bold];

    /// By which name a page calls it. Fixed, unlike the ones that printpdf makes up: the same paper is the same bytes.
    pub(super) fn id(self) -> FontId {
        FontId(match self {
            Self::Regular => "Text".to_owned(),
            Self::Bold => "TextBold".to_owned(),
        })
    }

    pub(super) fn face(self) -> &'static Face {
        match self {
            Self::Regular => REGULAR
                .get_or_init(|| Face::read(include_bytes!("fonts/toolbox-text-regular.ttf"), "ToolboxText-Regular")),
            Self::Bold => BOLD
                .get_or_init(|| Face::read(include_bytes!("fonts/toolbox-text-semibold.ttf"), "ToolboxText-SemiBold")),
        }
    }

    /// How wide a text is, as viewers advance it: each glyph in whole thousandths of the size.
    pub(super) fn width(self, text: &str, size: f32) -> f32 {
        let face = self.face();
        let thousandths: u32 = text.chars().map(|letter| face.advance(letter)).sum();
        #[expect(clippy::cast_precision_loss, reason = "the width of a line")]
        let width = thousandths as f32 * size / 1000.0;
        width
    }
}

impl Face {
    fn read(file: &[u8], name: &str) -> Self {
        let mut parsed =
            ParsedFont::from_bytes(file, 0, &mut Vec::new()).expect("the embedded typeface is read by its tests");
        parsed.font_name = Some(name.to_owned());
        Self { parsed, packed: OnceLock::new() }
    }

    fn has(&self, letter: char) -> bool {
        self.parsed.lookup_glyph_index(u32::from(letter)).is_some_and(|glyph| glyph != 0)
    }

    /// In thousandths of the size, rounded down as printpdf writes it for the viewer.
    fn advance(&self, letter: char) -> u32 {
        let glyph = self.parsed.lookup_glyph_index(u32::from(letter)).unwrap_or_default();
        let units = self.parsed.get_glyph_width(glyph).unwrap_or_default();
        u32::from(units) * 1000 / u32::from(self.parsed.units_per_em.max(1))
    }

    /// The deflated file, made by `deflate` the first time.
    pub(super) fn packed(&self, deflate: impl FnOnce() -> Option<Vec<u8>>) -> Option<&[u8]> {
        self.packed.get_or_init(deflate).as_deref()
    }
}

/// A text as it can be printed: composed (NFC), every blank a plain one, marks that show nothing left out, and `?` for what
/// the typeface does not have.
pub(super) fn printable(text: &str) -> String {
    let face = Weight::Regular.face();
    let shown = |letter: char| match letter {
        '\n' => letter,
        _ if letter.is_whitespace() => ' ',
        _ if face.has(letter) => letter,
        _ => '?',
    };
    text.chars().filter(|letter| !shows_nothing(*letter)).nfc().map(shown).collect()
}

/// Controls, joiners, direction marks, variation selectors, a soft hyphen.
fn shows_nothing(letter: char) -> bool {
    let is_mark = matches!(letter,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}');
    is_mark || (letter.is_control() && !letter.is_whitespace()) || letter == '\r'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_from_everywhere_are_printed_as_they_are_written() {
        for name in ["Łukasz Żółć", "Nguyễn Văn Ánh", "José Ñandú", "Zoë", "Ελένη", "Юлія", "O’Brien", "½″ × 3⁄4″ ✓ →"]
        {
            assert_eq!(printable(name), name.nfc().collect::<String>());
            for weight in Weight::ALL {
                assert!(name.nfc().all(|letter| weight.face().has(letter)), "{name} {weight:?}");
            }
        }
        assert_eq!(printable("Zoe\u{308}"), "Zoë", "a mark of its own joins its letter");
    }

    #[test]
    fn what_the_typeface_lacks_is_a_question_mark_and_what_shows_nothing_is_nothing() {
        assert_eq!(printable("水 🚰\u{fe0f}\tpipe\u{a0}a\u{200b}b\u{7}\r\nx"), "? ? pipe ab\nx");
    }

    #[test]
    fn figures_are_of_one_width_in_both_weights() {
        for weight in Weight::ALL {
            let widths: Vec<u32> = ('0'..='9').map(|figure| weight.face().advance(figure)).collect();
            assert!(widths.iter().all(|width| *width == widths[0] && *width > 0), "{weight:?}: {widths:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_written_can_be_printed(text in any::<String>()) {
            let clean = printable(&text);
            prop_assert!(clean.chars().all(|letter| letter == '\n' || Weight::Regular.face().has(letter)));
            prop_assert!(Weight::Bold.width(&clean, 9.0) >= 0.0);
            prop_assert_eq!(printable(&clean), clean);
        }
    }
}
