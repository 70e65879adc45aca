//! SMS segment count: GSM 03.38 (3GPP TS 23.038) where every character is in its table, else UTF-16.
//!
//! A single message carries 140 octets: 160 septets, or 70 UTF-16 units. In a longer text 6 octets of every segment
//! hold the joining header (3GPP TS 23.040, 9.2.3.24.1), which leaves 153 septets or 67 units.
//! `web/src/lib/segments.ts` implements the same; the tests of both read `sms_segments/vectors.json`.

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;
use utoipa::ToSchema;

/// The basic table of 3GPP TS 23.038, section 6.2.1, without the escape.
const BASIC: &str = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?\
                     ¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/// Its extension, section 6.2.1.1: an escape septet and one more.
const EXTENSION: &str = "\u{c}^{}\\[~]|€";

/// How the characters of a text travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Encoding)]
pub enum SmsEncoding {
    /// Seven bits each.
    #[serde(rename = "GSM-7")]
    Gsm7,
    /// Sixteen bits each; an emoji takes two or more.
    #[serde(rename = "UCS-2")]
    Ucs2,
}

/// What a text costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Segments)]
pub struct SegmentCount {
    pub encoding: SmsEncoding,
    /// Septets in GSM-7, UTF-16 units in UCS-2.
    pub units: usize,
    /// None for an empty text.
    pub segments: usize,
    /// What one segment holds at this length.
    pub per_segment: usize,
    /// Units that still fit before another segment is needed.
    pub left: usize,
}

/// Counts segments as carriers split them: never between an escape and its character or inside a surrogate pair, so a
/// segment may end one unit early.
#[must_use]
pub fn count_segments(text: &str) -> SegmentCount {
    if let Some(sizes) = text.chars().map(septet_count).collect::<Option<Vec<_>>>() {
        split_sizes(SmsEncoding::Gsm7, &sizes, 160, 153)
    } else {
        let sizes: Vec<_> = text.chars().map(char::len_utf16).collect();
        split_sizes(SmsEncoding::Ucs2, &sizes, 70, 67)
    }
}

/// The text converted to GSM-7 by plain quotes, dashes, dots and spaces, to need fewer segments. None when it is GSM-7
/// already or cannot become so.
#[must_use]
pub fn to_gsm7(text: &str) -> Option<String> {
    if is_gsm7(text) {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    // NFC first: a decomposed accented letter is one character in the table.
    for c in text.nfc() {
        match gsm7_substitute(c) {
            Some(other) => plain.push_str(other),
            None => plain.push(c),
        }
    }
    is_gsm7(&plain).then_some(plain)
}

fn is_gsm7(text: &str) -> bool {
    text.chars().all(|c| septet_count(c).is_some())
}

/// None for a character outside GSM-7.
fn septet_count(c: char) -> Option<usize> {
    if BASIC.contains(c) { Some(1) } else { EXTENSION.contains(c).then_some(2) }
}

fn split_sizes(encoding: SmsEncoding, sizes: &[usize], alone: usize, joined: usize) -> SegmentCount {
    let units = sizes.iter().sum();
    if units <= alone {
        return SegmentCount {
            encoding,
            units,
            segments: usize::from(units > 0),
            per_segment: alone,
            left: alone - units,
        };
    }
    let (mut segments, mut used) = (1, 0);
    for size in sizes {
        if used + size > joined {
            segments += 1;
            used = 0;
        }
        used += size;
    }
    SegmentCount { encoding, units, segments, per_segment: joined, left: joined - used }
}

/// Plain equivalents of typographic characters.
fn gsm7_substitute(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '\u{2bc}' | '\u{b4}' | '`' => "'",
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' => "\"",
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2022}' | '\u{b7}' => "-",
        '\u{2026}' => "...",
        '\t' | '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => " ",
        '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => "",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
