//! What a text costs: its segments, and the letters that double the price.

/// The letters of the GSM 7-bit alphabet (3GPP 23.038), besides the digits and A to Z.
const BASIC: &str = " @£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ!\"#¤%&'()*+,-./:;<=>?¡ÄÖÑÜ§¿äöñüà\n\r";
/// They take two places each.
const EXTENDED: &str = "^{}\\[~]|€\u{c}";

/// Whether this letter leaves a text in the alphabet of 160 letters.
pub(super) fn is_cheap(c: char) -> bool {
    c.is_ascii_alphanumeric() || BASIC.contains(c) || EXTENDED.contains(c)
}

/// How many segments this text is paid as.
pub(super) fn segments(text: &str) -> usize {
    let (units, alone, joined) = if text.chars().all(is_cheap) {
        (text.chars().map(|c| if EXTENDED.contains(c) { 2 } else { 1 }).sum::<usize>(), 160, 153)
    } else {
        (text.encode_utf16().count(), 70, 67)
    };
    if units <= alone { usize::from(units > 0) } else { units.div_ceil(joined) }
}
