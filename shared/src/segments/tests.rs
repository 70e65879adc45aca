//! The table that `web/src/lib/segments.test.ts` holds too, and a slower way of cutting that must agree.

use super::*;
use proptest::prelude::*;

fn of(text: &str) -> (Encoding, usize, usize, usize, usize) {
    let s = count(text);
    (s.encoding, s.units, s.segments, s.per_segment, s.left)
}

#[test]
fn lengths_at_every_boundary() {
    use Encoding::{Gsm7, Ucs2};
    let rows = [
        (String::new(), (Gsm7, 0, 0, 160, 160)),
        ("a".into(), (Gsm7, 1, 1, 160, 159)),
        ("a".repeat(160), (Gsm7, 160, 1, 160, 0)),
        ("a".repeat(161), (Gsm7, 161, 2, 153, 145)),
        ("a".repeat(306), (Gsm7, 306, 2, 153, 0)),
        ("a".repeat(307), (Gsm7, 307, 3, 153, 152)),
        ("a".repeat(459), (Gsm7, 459, 3, 153, 0)),
        ("€".repeat(80), (Gsm7, 160, 1, 160, 0)),
        // 76 pairs fill 152 of 153: the pair that would be parted opens the next segment.
        ("€".repeat(81), (Gsm7, 162, 2, 153, 143)),
        (format!("{}€{}", "a".repeat(152), "a".repeat(10)), (Gsm7, 164, 2, 153, 141)),
        (format!("{}€{}", "a".repeat(151), "a".repeat(153)), (Gsm7, 306, 2, 153, 0)),
        // One unit lost to the pair makes the text need a third.
        (format!("{}€{}", "a".repeat(152), "a".repeat(152)), (Gsm7, 306, 3, 153, 152)),
        ("ж".into(), (Ucs2, 1, 1, 70, 69)),
        ("ж".repeat(70), (Ucs2, 70, 1, 70, 0)),
        ("ж".repeat(71), (Ucs2, 71, 2, 67, 63)),
        ("ж".repeat(134), (Ucs2, 134, 2, 67, 0)),
        ("ж".repeat(135), (Ucs2, 135, 3, 67, 66)),
        ("👍".into(), (Ucs2, 2, 1, 70, 68)),
        ("👍".repeat(35), (Ucs2, 70, 1, 70, 0)),
        ("👍".repeat(36), (Ucs2, 72, 2, 67, 61)),
        ("👨‍👩‍👧‍👦".into(), (Ucs2, 11, 1, 70, 59)),
        // In UCS-2 the extension characters count one.
        ("€{}ж".into(), (Ucs2, 4, 1, 70, 66)),
        ("Hi, it’s us".into(), (Ucs2, 11, 1, 70, 59)),
        ("ç".into(), (Ucs2, 1, 1, 70, 69)),
        ("Ç".into(), (Gsm7, 1, 1, 160, 159)),
        ("ñ¿¡Ñüé".into(), (Gsm7, 6, 1, 160, 154)),
        ("á".into(), (Ucs2, 1, 1, 70, 69)),
        ("`".into(), (Ucs2, 1, 1, 70, 69)),
        ("a\tb".into(), (Ucs2, 3, 1, 70, 67)),
        ("a\r\nb".into(), (Gsm7, 4, 1, 160, 156)),
    ];
    for (text, expected) in rows {
        assert_eq!(of(&text), expected, "{text}");
    }
}

#[test]
fn the_basic_table_has_127_characters_and_each_extension_counts_two() {
    assert_eq!(BASIC.chars().count(), 127);
    for c in BASIC.chars() {
        assert_eq!(of(&c.to_string()), (Encoding::Gsm7, 1, 1, 160, 159), "{c:?}");
    }
    assert_eq!(EXTENSION.chars().count(), 10);
    for c in EXTENSION.chars() {
        assert_eq!(of(&c.to_string()), (Encoding::Gsm7, 2, 1, 160, 158), "{c:?}");
    }
}

#[test]
fn typographic_marks_become_plain_when_that_is_enough() {
    let dear = "“Hi”\u{a0}– it’s done… bye — •";
    assert_eq!(cheaper(dear).as_deref(), Some("\"Hi\" - it's done... bye - -"));
    assert_eq!(cheaper("cafe\u{301} it’s").as_deref(), Some("café it's"));
    for unchanged in ["plain", "", "it’s done 👍", "“ж”"] {
        assert_eq!(cheaper(unchanged), None, "{unchanged}");
    }
}

/// Writes the text out unit by unit, then cuts it with a knife that steps back from the middle of a pair.
fn oracle(text: &str) -> usize {
    let is_plain = text.chars().all(|c| BASIC.contains(c) || EXTENSION.contains(c));
    let mut units: Vec<u16> = Vec::new();
    for c in text.chars() {
        if !is_plain {
            units.extend(c.encode_utf16(&mut [0; 2]).iter());
        } else if EXTENSION.contains(c) {
            units.extend([0x1b, 0]);
        } else {
            units.push(1);
        }
    }
    let opens_pair = |unit: u16| if is_plain { unit == 0x1b } else { (0xd800..0xdc00).contains(&unit) };
    let (alone, joined) = if is_plain { (160, 153) } else { (70, 67) };
    if units.len() <= alone {
        return usize::from(!units.is_empty());
    }
    let mut rest = units.as_slice();
    let mut segments = 0;
    while !rest.is_empty() {
        let mut end = joined.min(rest.len());
        if opens_pair(rest[end - 1]) {
            end -= 1;
        }
        rest = &rest[end..];
        segments += 1;
    }
    segments
}

proptest! {
    #[test]
    fn counting_agrees_with_cutting(text in prop_oneof!["[a-z €\\[\\]{}~^|é]{0,700}", "[a-zж👍’ €]{0,400}", ".{0,300}"]) {
        let counted = count(&text);
        prop_assert_eq!(counted.segments, oracle(&text));
        prop_assert!(counted.left < counted.per_segment || text.is_empty());
        // One more than is left opens a segment; exactly what is left does not.
        let one = if counted.encoding == Encoding::Gsm7 { "a" } else { "ж" };
        let full = format!("{text}{}", one.repeat(counted.left));
        if !text.is_empty() {
            prop_assert_eq!(count(&full).segments, counted.segments);
            let fuller = format!("{full}{one}");
            prop_assert!(count(&fuller).segments > counted.segments);
        }
    }

    #[test]
    fn cheaper_is_always_gsm7_and_never_more_segments(text in "[a-z“”’…—é \u{a0}👍]{0,200}") {
        if let Some(plain) = cheaper(&text) {
            prop_assert_eq!(count(&plain).encoding, Encoding::Gsm7);
            prop_assert!(count(&plain).segments <= count(&text).segments);
        }
    }
}
