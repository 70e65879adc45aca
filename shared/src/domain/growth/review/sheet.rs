//! Reviews from a spreadsheet: headings and cell formats.

use chrono::NaiveDate;
use chrono_tz::Tz;

use super::intake::{
    self, BAD_DATE, BAD_RATING, FIRST, LONGEST_NAME, LONGEST_SOURCE, LONGEST_TEXT, ReviewContent, ReviewIntakeChannel,
};
use crate::platform::{
    csv_table::{self, CsvTable},
    email_address::EmailAddress,
    error::Result,
    phone::Phone,
    text::{InputField, multi_line, single_line},
};

pub(super) const MOST_ROWS: usize = 5_000;
/// Accepted headings, in the order of [`ReviewColumn`].
const COLUMN_NAMES: [&[&str]; 7] = [
    &["date", "review date", "created", "created at", "posted"],
    &["customer", "customer name", "name", "reviewer", "author", "reviewer name"],
    &["rating", "stars", "star rating", "score"],
    &["review", "review text", "text", "comment", "comments", "content"],
    &["source", "site", "platform", "website"],
    &["phone", "phone number", "mobile"],
    &["email", "email address", "e mail"],
];
/// Date formats, the American ones first.
const DATE_FORMATS: [&str; 6] = ["%Y-%m-%d", "%m/%d/%Y", "%m/%d/%y", "%B %d, %Y", "%b %d, %Y", "%d %b %Y"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReviewColumn {
    Date,
    Customer,
    Rating,
    Review,
    Source,
    Phone,
    Email,
}

/// Heading and message.
pub(super) type CellError = (String, String);

pub(super) struct ReviewSheet {
    columns: [Option<(usize, String)>; COLUMN_NAMES.len()],
    pub ignored: Vec<String>,
    rows: Vec<(i64, csv::StringRecord)>,
    zone: Tz,
    today: NaiveDate,
}

impl ReviewSheet {
    /// # Errors
    /// [`crate::platform::error::Error::Invalid`] on `file` when it is not a list of reviews.
    pub fn parse(bytes: &[u8], zone: Tz, today: NaiveDate) -> Result<Self> {
        let CsvTable { head, rows } = csv_table::parse_csv(bytes, MOST_ROWS)?;
        let columns = csv_table::match_columns(&head, &COLUMN_NAMES)?;
        if columns[ReviewColumn::Rating as usize].is_none() {
            return Err(csv_table::file_error("The first row must name the columns, and Rating must be among them"));
        }
        Ok(Self { columns, ignored: csv_table::list_unmatched_columns(&head, &COLUMN_NAMES), rows, zone, today })
    }

    pub fn parse_rows(&self) -> impl Iterator<Item = (i64, Result<ReviewContent, CellError>)> {
        self.rows.iter().map(|(number, record)| (*number, SheetRowReader { sheet: self, record }.parse_content()))
    }
}

struct SheetRowReader<'a> {
    sheet: &'a ReviewSheet,
    record: &'a csv::StringRecord,
}

impl SheetRowReader<'_> {
    fn cell_error(&self, column: ReviewColumn, words: impl Into<String>) -> CellError {
        let own = self.sheet.columns[column as usize].as_ref().map(|(_, own)| own.clone());
        (own.unwrap_or_else(|| COLUMN_NAMES[column as usize][0].to_owned()), words.into())
    }

    fn cell_text(&self, column: ReviewColumn) -> Option<&str> {
        let (at, _) = self.sheet.columns[column as usize].as_ref()?;
        self.record.get(*at).map(str::trim).filter(|cell| !cell.is_empty())
    }

    fn parse_text(&self, column: ReviewColumn, field: fn(&str) -> InputField<'_>) -> Result<Option<String>, CellError> {
        let Some(cell) = self.cell_text(column) else { return Ok(None) };
        // Our own export prefixes formula cells with an apostrophe.
        let cell = cell.strip_prefix('\'').filter(|rest| rest.starts_with(['=', '+', '-', '@'])).unwrap_or(cell);
        csv_table::parse_cell(cell, field).map_err(|words| self.cell_error(column, words))
    }

    fn parse_date(&self) -> Result<Option<NaiveDate>, CellError> {
        let Some(cell) = self.cell_text(ReviewColumn::Date) else { return Ok(None) };
        let day = || cell.split_once([' ', 'T']).map_or(cell, |(day, _)| day);
        let plain = || DATE_FORMATS.iter().find_map(|way| NaiveDate::parse_from_str(cell, way).ok());
        let with_time = || DATE_FORMATS.iter().find_map(|way| NaiveDate::parse_from_str(day(), way).ok());
        let read = intake::parse_day(cell, self.sheet.zone).or_else(plain).or_else(with_time);
        let fits = read.filter(|day| *day <= self.sheet.today && *day >= FIRST);
        fits.map(Some).ok_or_else(|| self.cell_error(ReviewColumn::Date, BAD_DATE))
    }

    /// "4.5", "4,5", "5 stars", "★★★★", "5/5".
    fn parse_stars(&self) -> Result<i64, CellError> {
        let bad = || self.cell_error(ReviewColumn::Rating, BAD_RATING);
        let cell = self.cell_text(ReviewColumn::Rating).ok_or_else(bad)?;
        let drawn = cell.chars().filter(|c| matches!(c, '★' | '⭐')).count();
        if drawn > 0 && cell.chars().all(|c| matches!(c, '★' | '⭐' | '☆' | '\u{fe0f}' | ' ')) {
            return i64::try_from(drawn * 10).ok().filter(|tenths| *tenths <= 50).ok_or_else(bad);
        }
        let number = cell.to_lowercase().replace(',', ".");
        let number = number.trim_end_matches("stars").trim_end_matches("star").trim();
        let number = number.strip_suffix("/5").unwrap_or(number).trim();
        number.parse().ok().and_then(intake::rating_to_tenths).ok_or_else(bad)
    }

    fn parse_content(&self) -> Result<ReviewContent, CellError> {
        let source = self.parse_text(ReviewColumn::Source, |cell| single_line("source", Some(cell), LONGEST_SOURCE))?;
        let phone = self.parse_text(ReviewColumn::Phone, |cell| single_line("phone", Some(cell), 40))?;
        let email = self.parse_text(ReviewColumn::Email, |cell| single_line("email", Some(cell), 254))?;
        Ok(ReviewContent {
            reviewed_on: self.parse_date()?,
            customer_name: self
                .parse_text(ReviewColumn::Customer, |cell| single_line("customer", Some(cell), LONGEST_NAME))?,
            stars: self.parse_stars()?,
            body: self.parse_text(ReviewColumn::Review, |cell| multi_line("review", Some(cell), LONGEST_TEXT))?,
            source: source.unwrap_or_else(|| ReviewIntakeChannel::Csv.default_source().to_owned()),
            phone: phone.as_deref().and_then(Phone::parse),
            email: email.as_deref().and_then(EmailAddress::parse),
        })
    }
}

#[cfg(test)]
mod tests {
    use chrono_tz::America::Chicago;

    use super::*;

    fn read(file: &[u8]) -> Vec<(i64, Result<ReviewContent, CellError>)> {
        let today = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
        ReviewSheet::parse(file, Chicago, today).unwrap().parse_rows().collect()
    }

    #[test]
    fn dates_and_ratings_are_parsed_in_common_formats() {
        let file = "Date,Customer,Rating,Review,Source\n\
            2026-11-20,Ann,5,Great,Google\n11/19/2026,Bob,4.5,,\n\"Nov 3, 2026\",,★★★☆☆,Fine,Yelp\n\
            2026-11-18 14:30,Dan,\"4,5\",x,y\n2026-11-21T03:00:00Z,Eve,3 stars,,\n,Fay,1/5,,\n";
        let parsed: Vec<(Option<String>, i64)> = read(file.as_bytes())
            .into_iter()
            .map(|(_, row)| row.unwrap())
            .map(|review| (review.reviewed_on.map(|day| day.to_string()), review.stars))
            .collect();
        let day = |day: &str| Some(format!("2026-11-{day}"));
        let wanted = [(day("20"), 50), (day("19"), 45), (day("03"), 30), (day("18"), 45), (day("20"), 30), (None, 10)];
        assert_eq!(parsed, wanted);
    }

    #[test]
    fn row_fault_names_column_as_in_file() {
        let file = b"When,Stars,Date\nx,6,2026-11-20\ny,5,someday\nz,5,2026-11-22\nw,,\n";
        let faults: Vec<_> = read(file).into_iter().map(|(row, parsed)| (row, parsed.unwrap_err().0)).collect();
        let wanted = [(2, "Stars"), (3, "Date"), (4, "Date"), (5, "Stars")];
        assert_eq!(faults, wanted.map(|(row, column)| (row, column.to_owned())));
    }

    #[test]
    fn export_escaping_is_reverted_and_formula_is_rejected() {
        let rows = read(b"Date,Customer,Rating,Review,Source\r\n2026-11-20,'=Ann,4.5,'- fine,Google\r\n");
        let fault = rows[0].1.as_ref().unwrap_err();
        assert_eq!(fault.0, "Customer", "what was a formula is none that could be meant");
        let rows = read(b"Customer,Rating,Review\r\nAnn,4.5,'- fine\r\n");
        assert_eq!(rows[0].1.as_ref().unwrap().body.as_deref(), Some("- fine"));
    }
}
