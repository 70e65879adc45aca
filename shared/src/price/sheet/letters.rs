//! Which bytes of a file are which letters, and which letter parts its cells.

use std::borrow::Cow;

/// Of Windows-1252 what differs from Latin-1: the places from 0x80 on. The five that are none stand for themselves.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The letters of a file: UTF-8, UTF-16 by its mark, else Windows-1252, which is what Excel writes on Windows.
pub(super) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let pairs = |bytes: &[u8], of: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| of([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    let bytes = match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => rest,
        [0xff, 0xfe, rest @ ..] => return pairs(rest, u16::from_le_bytes).into(),
        [0xfe, 0xff, rest @ ..] => return pairs(rest, u16::from_be_bytes).into(),
        all => all,
    };
    std::str::from_utf8(bytes).map_or_else(|_| bytes.iter().map(|byte| western(*byte)).collect(), Cow::Borrowed)
}

fn western(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// What parts the cells: whatever the first row has most of.
pub(super) fn separator(text: &str) -> u8 {
    let head = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |mark: u8| head.bytes().filter(|byte| *byte == mark).count();
    // Of equal ones the last: a comma when there is none of them.
    [b'\t', b';', b','].into_iter().max_by_key(|mark| count(*mark)).unwrap_or(b',')
}
