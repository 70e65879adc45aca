//! Tables that people send: a spreadsheet saved as CSV, whichever program saved it, with its rows counted as that
//! program shows them.

use std::borrow::Cow;

use crate::platform::{
    error::{Error, FieldErrors, Result},
    text::Field,
};

/// More columns than this nobody wants named.
const MOST_IGNORED: usize = 20;
/// As much of a heading as anybody reads.
const LONGEST_HEADING: usize = 200;
/// Of Windows-1252 what differs from Latin-1: the places from 0x80 on. The five that are none stand for themselves.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// A table as it was sent.
pub(crate) struct Table {
    /// The first row, which names the columns.
    pub head: csv::StringRecord,
    /// The number of each other row as the spreadsheet shows it, and its cells. Empty rows are left out.
    pub rows: Vec<(i64, csv::StringRecord)>,
}

/// The names that a column may have, in small letters.
pub(crate) type Names<'a> = &'a [&'a str];

pub(crate) fn refused(words: impl Into<String>) -> Error {
    let mut errors = FieldErrors::default();
    errors.add("file", words);
    Error::Invalid(errors)
}

/// The letters of a file: UTF-8, UTF-16 by its mark, else Windows-1252, which is what Excel writes on Windows.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
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
fn separator(text: &str) -> u8 {
    let head = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |mark: u8| head.bytes().filter(|byte| *byte == mark).count();
    // Of equal ones the last: a comma when there is none of them.
    [b'\t', b';', b','].into_iter().max_by_key(|mark| count(*mark)).unwrap_or(b',')
}

/// A heading in small letters, with one blank for whatever stands between its words.
fn plain(heading: &str) -> String {
    let words = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Reads a table of at most `most` rows beside its head.
///
/// # Errors
/// [`Error::Invalid`] on `file` when it is no table, empty, or has too many rows.
pub(crate) fn read(bytes: &[u8], most: usize) -> Result<Table> {
    // Old spreadsheets end their lines with a carriage return alone, and some do not end the last one.
    let mut text = decoded(bytes).replace("\r\n", "\n").replace('\r', "\n");
    text.push('\n');
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator(&text))
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    // Lines that lie within cells: a spreadsheet counts its rows without them.
    let mut within = 0;
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| refused(format!("This is no table: {e}")))? {
        within += record.iter().map(|cell| cell.matches('\n').count() as u64).sum::<u64>();
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        if rows.len() > most {
            return Err(refused(format!("This file has more than {most} rows. Please send it in parts")));
        }
        // The reader stands behind the line end.
        let at = reader.position().line().saturating_sub(1 + within);
        rows.push((i64::try_from(at).unwrap_or_default(), record.clone()));
    }
    if rows.is_empty() {
        return Err(refused("This file is empty"));
    }
    let (_, head) = rows.remove(0);
    Ok(Table { head, rows })
}

/// Where each column of `names` is, and what stands over it.
///
/// # Errors
/// [`Error::Invalid`] on `file` when two columns say the same.
pub(crate) fn columns<const N: usize>(
    head: &csv::StringRecord,
    names: &[Names<'_>; N],
) -> Result<[Option<(usize, String)>; N]> {
    let mut found: [Option<(usize, String)>; N] = std::array::from_fn(|_| None);
    for (at, heading) in head.iter().enumerate() {
        let said = plain(heading);
        let Some(column) = names.iter().position(|names| names.contains(&said.as_str())) else { continue };
        if let Some((_, other)) = &found[column] {
            let words =
                format!("\"{other}\" and \"{}\" say the same. Please keep one of these columns", heading.trim());
            return Err(refused(words));
        }
        found[column] = Some((at, heading.trim().to_owned()));
    }
    Ok(found)
}

/// The columns that say nothing to us: whoever sends one should hear that it was not read.
pub(crate) fn ignored(head: &csv::StringRecord, names: &[Names<'_>]) -> Vec<String> {
    let unknown = |heading: &&str| {
        let said = plain(heading);
        !said.is_empty() && !names.iter().any(|names| names.contains(&said.as_str()))
    };
    let names = head.iter().filter(unknown).take(MOST_IGNORED);
    names.map(|heading| heading.trim().chars().take(LONGEST_HEADING).collect()).collect()
}

/// A cell of text; none when it is empty. One that a spreadsheet would reckon says nothing that could be meant: its result
/// was not saved.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn words(cell: &str, field: fn(&str) -> Field<'_>) -> Result<Option<String>, String> {
    // How numbers with leading noughts are kept from being shortened.
    let cell = cell.strip_prefix("=\"").and_then(|rest| rest.strip_suffix('"')).unwrap_or(cell);
    if cell.starts_with(['=', '\u{ff1d}']) {
        return Err("This is a formula. Please save the file with its values".to_owned());
    }
    let mut errors = FieldErrors::default();
    let read = field(cell).optional(&mut errors);
    errors.0.into_values().next().map_or(Ok(read), Err)
}
