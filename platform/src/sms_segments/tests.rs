//! Test vectors of `vectors.json`, shared with `web/src/lib/segments.ts`, and a slower reference implementation.

use super::*;
use proptest::prelude::*;

/// Its text is a list of pieces with repeat counts.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct SegmentVector {
    text: Vec<(String, usize)>,
    encoding: String,
    units: usize,
    segments: usize,
    per_segment: usize,
    left: usize,
}

fn of(text: &str) -> (SmsEncoding, usize, usize, usize, usize) {
    let s = count_segments(text);
    (s.encoding, s.units, s.segments, s.per_segment, s.left)
}

#[test]
fn units_and_segments_match_the_vectors_at_every_boundary() {
    let table: Vec<SegmentVector> = serde_json::from_str(include_str!("vectors.json")).unwrap();
    assert!(table.len() >= 30);
    for row in table {
        let text: String = row.text.iter().map(|(piece, times)| piece.repeat(*times)).collect();
        let encoding = if row.encoding == "GSM-7" { SmsEncoding::Gsm7 } else { SmsEncoding::Ucs2 };
        assert_eq!(of(&text), (encoding, row.units, row.segments, row.per_segment, row.left), "{text}");
    }
}

#[test]
fn gsm7_basic_characters_count_one_and_extensions_two() {
    assert_eq!(BASIC.chars().count(), 127);
    for c in BASIC.chars() {
        assert_eq!(of(&c.to_string()), (SmsEncoding::Gsm7, 1, 1, 160, 159), "{c:?}");
    }
    assert_eq!(EXTENSION.chars().count(), 10);
    for c in EXTENSION.chars() {
        assert_eq!(of(&c.to_string()), (SmsEncoding::Gsm7, 2, 1, 160, 158), "{c:?}");
    }
}

#[test]
fn typographic_marks_are_replaced_when_that_makes_the_text_gsm7() {
    let dear = "“Hi”\u{a0}– it’s done… bye — •";
    assert_eq!(to_gsm7(dear).as_deref(), Some("\"Hi\" - it's done... bye - -"));
    assert_eq!(to_gsm7("cafe\u{301} it’s").as_deref(), Some("café it's"));
    for unchanged in ["plain", "", "it’s done 👍", "“ж”"] {
        assert_eq!(to_gsm7(unchanged), None, "{unchanged}");
    }
}

/// Writes out all units, then splits them, stepping back from the middle of a pair.
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
    fn counted_segments_agree_with_the_splitting_oracle(text in prop_oneof!["[a-z €\\[\\]{}~^|é]{0,700}", "[a-zж👍’ €]{0,400}", ".{0,300}"]) {
        let counted = count_segments(&text);
        prop_assert_eq!(counted.segments, oracle(&text));
        prop_assert!(counted.left < counted.per_segment || text.is_empty());
        let one = if counted.encoding == SmsEncoding::Gsm7 { "a" } else { "ж" };
        let full = format!("{text}{}", one.repeat(counted.left));
        if !text.is_empty() {
            prop_assert_eq!(count_segments(&full).segments, counted.segments);
            let fuller = format!("{full}{one}");
            prop_assert!(count_segments(&fuller).segments > counted.segments);
        }
    }

    #[test]
    fn cheaper_text_is_always_gsm7_and_never_more_segments(text in "[a-z“”’…—é \u{a0}👍]{0,200}") {
        if let Some(plain) = to_gsm7(&text) {
            prop_assert_eq!(count_segments(&plain).encoding, SmsEncoding::Gsm7);
            prop_assert!(count_segments(&plain).segments <= count_segments(&text).segments);
        }
    }
}
