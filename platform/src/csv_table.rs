//! Parser of uploaded CSV tables from any spreadsheet program, with row numbers as the spreadsheet shows them.

use std::borrow::Cow;

use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    error::{Error, FieldErrors, Result},
    text::InputField,
};

/// Maximum number of ignored columns reported.
const MAX_IGNORED: usize = 20;
/// In characters.
const MAX_HEADING_CHARS: usize = 200;
/// Windows-1252 from 0x80 on, where it differs from Latin-1. The five undefined bytes map to themselves.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

pub struct CsvTable {
    pub head: csv::StringRecord,
    /// Row number as the spreadsheet shows it, and the cells. Empty rows are omitted.
    pub rows: Vec<(i64, csv::StringRecord)>,
}

/// Why a row was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ImportRowError {
    /// As the spreadsheet counts; its first row names the columns.
    pub row: i64,
    /// Title of the column.
    pub column: String,
    pub message: String,
}

/// What becomes of a row of a list that only adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImportRowOutcome {
    Added,
    /// It is there already.
    Same,
}

pub type ColumnNames<'a> = &'a [&'a str];

pub fn file_error(words: impl Into<String>) -> Error {
    let mut errors = FieldErrors::default();
    errors.add("file", words);
    Error::Invalid(errors)
}

/// UTF-8, UTF-16 with a byte order mark, else Windows-1252 (Excel on Windows).
fn decode_text(bytes: &[u8]) -> Cow<'_, str> {
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
    std::str::from_utf8(bytes)
        .map_or_else(|_| bytes.iter().map(|byte| decode_windows_1252(*byte)).collect(), Cow::Borrowed)
}

fn decode_windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

fn detect_delimiter(text: &str) -> u8 {
    let head = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |mark: u8| head.bytes().filter(|byte| *byte == mark).count();
    // Ties go to the last: a comma when none occurs.
    [b'\t', b';', b','].into_iter().max_by_key(|mark| count(*mark)).unwrap_or(b',')
}

/// Lower case, with one blank between words.
fn normalize_heading(heading: &str) -> String {
    let words = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// `most` excludes the head row. Errors: [`Error::Invalid`] on `file` when it is no table, empty, or has too many rows.
pub fn parse_csv(bytes: &[u8], most: usize) -> Result<CsvTable> {
    // Old spreadsheets end lines with a carriage return alone; some do not end the last line.
    let mut text = decode_text(bytes).replace("\r\n", "\n").replace('\r', "\n");
    text.push('\n');
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(detect_delimiter(&text))
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    // Line breaks inside cells, which a spreadsheet does not count as rows.
    let mut within = 0;
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| file_error(format!("This is no table: {e}")))? {
        within += record.iter().map(|cell| cell.matches('\n').count() as u64).sum::<u64>();
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        if rows.len() > most {
            return Err(file_error(format!("This file has more than {most} rows. Please send it in parts")));
        }
        // The reader is positioned after the line end.
        let at = reader.position().line().saturating_sub(1 + within);
        rows.push((i64::try_from(at).unwrap_or_default(), record.clone()));
    }
    if rows.is_empty() {
        return Err(file_error("This file is empty"));
    }
    let (_, head) = rows.remove(0);
    Ok(CsvTable { head, rows })
}

/// Index and heading of each column of `names`. Errors: [`Error::Invalid`] on `file` for two columns of one name.
pub fn match_columns<const N: usize>(
    head: &csv::StringRecord,
    names: &[ColumnNames<'_>; N],
) -> Result<[Option<(usize, String)>; N]> {
    let mut found: [Option<(usize, String)>; N] = std::array::from_fn(|_| None);
    for (at, heading) in head.iter().enumerate() {
        let normalized = normalize_heading(heading);
        let Some(column) = names.iter().position(|names| names.contains(&normalized.as_str())) else { continue };
        if let Some((_, other)) = &found[column] {
            let words =
                format!("\"{other}\" and \"{}\" say the same. Please keep one of these columns", heading.trim());
            return Err(file_error(words));
        }
        found[column] = Some((at, heading.trim().to_owned()));
    }
    Ok(found)
}

/// Headings of unknown columns, to tell the sender that they were not read.
#[must_use]
pub fn list_unmatched_columns(head: &csv::StringRecord, names: &[ColumnNames<'_>]) -> Vec<String> {
    let unknown = |heading: &&str| {
        let normalized = normalize_heading(heading);
        !normalized.is_empty() && !names.iter().any(|names| names.contains(&normalized.as_str()))
    };
    let names = head.iter().filter(unknown).take(MAX_IGNORED);
    names.map(|heading| heading.trim().chars().take(MAX_HEADING_CHARS).collect()).collect()
}

/// Text of a cell; none when it is empty. A formula is refused: its result was not saved. Errors: a message for the
/// user.
pub fn parse_cell(cell: &str, field: fn(&str) -> InputField<'_>) -> Result<Option<String>, String> {
    // `="0123"` is how spreadsheets keep leading zeros.
    let cell = cell.strip_prefix("=\"").and_then(|rest| rest.strip_suffix('"')).unwrap_or(cell);
    if cell.starts_with(['=', '\u{ff1d}']) {
        return Err("This is a formula. Please save the file with its values".to_owned());
    }
    let mut errors = FieldErrors::default();
    let read = field(cell).parse_optional(&mut errors);
    errors.0.into_values().next().map_or(Ok(read), Err)
}
