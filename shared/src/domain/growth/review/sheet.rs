//! Reviews as a spreadsheet saves them: which column is which, and what a cell says.

use chrono::NaiveDate;
use chrono_tz::Tz;

use super::intake::{self, BAD_DATE, BAD_RATING, FIRST, LONGEST_NAME, LONGEST_SOURCE, LONGEST_TEXT, Said, Way};
use crate::platform::{
    csv_table::{self, Table},
    error::Result,
    phone::Phone,
    text::{self, Field, line, lines},
};

/// Rows of one file.
pub(super) const MOST_ROWS: usize = 5_000;
/// What stands in the first row over each column, in the order of [`Column`].
const NAMES: [&[&str]; 7] = [
    &["date", "review date", "created", "created at", "posted"],
    &["customer", "customer name", "name", "reviewer", "author", "reviewer name"],
    &["rating", "stars", "star rating", "score"],
    &["review", "review text", "text", "comment", "comments", "content"],
    &["source", "site", "platform", "website"],
    &["phone", "phone number", "mobile"],
    &["email", "email address", "e mail"],
];
/// Ways in which spreadsheets write a day, the American ones first.
const DAYS: [&str; 6] = ["%Y-%m-%d", "%m/%d/%Y", "%m/%d/%y", "%B %d, %Y", "%b %d, %Y", "%d %b %Y"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Date,
    Customer,
    Rating,
    Review,
    Source,
    Phone,
    Email,
}

/// What is wrong with a row: under which heading, and what.
pub(super) type Fault = (String, String);

/// A file that can be read as reviews.
pub(super) struct Sheet {
    columns: [Option<(usize, String)>; NAMES.len()],
    pub ignored: Vec<String>,
    rows: Vec<(i64, csv::StringRecord)>,
    zone: Tz,
    today: NaiveDate,
}

impl Sheet {
    /// # Errors
    /// [`crate::platform::error::Error::Invalid`] on `file` when it is no list of reviews.
    pub fn read(bytes: &[u8], zone: Tz, today: NaiveDate) -> Result<Self> {
        let Table { head, rows } = csv_table::read(bytes, MOST_ROWS)?;
        let columns = csv_table::columns(&head, &NAMES)?;
        if columns[Column::Rating as usize].is_none() {
            return Err(csv_table::refused("The first row must name the columns, and Rating must be among them"));
        }
        Ok(Self { columns, ignored: csv_table::ignored(&head, &NAMES), rows, zone, today })
    }

    /// Each row's number, and what it says or what is wrong with it.
    pub fn rows(&self) -> impl Iterator<Item = (i64, Result<Said, Fault>)> {
        self.rows.iter().map(|(number, record)| (*number, Reading { sheet: self, record }.said()))
    }
}

/// One row while it is read.
struct Reading<'a> {
    sheet: &'a Sheet,
    record: &'a csv::StringRecord,
}

impl Reading<'_> {
    fn fault(&self, column: Column, words: impl Into<String>) -> Fault {
        let own = self.sheet.columns[column as usize].as_ref().map(|(_, own)| own.clone());
        (own.unwrap_or_else(|| NAMES[column as usize][0].to_owned()), words.into())
    }

    /// What stands in a cell; none when it is empty or the file has no such column.
    fn cell(&self, column: Column) -> Option<&str> {
        let (at, _) = self.sheet.columns[column as usize].as_ref()?;
        self.record.get(*at).map(str::trim).filter(|cell| !cell.is_empty())
    }

    fn words(&self, column: Column, field: fn(&str) -> Field<'_>) -> Result<Option<String>, Fault> {
        let Some(cell) = self.cell(column) else { return Ok(None) };
        // An export of ours marks what would run in a spreadsheet.
        let cell = cell.strip_prefix('\'').filter(|rest| rest.starts_with(['=', '+', '-', '@'])).unwrap_or(cell);
        csv_table::words(cell, field).map_err(|words| self.fault(column, words))
    }

    fn day(&self) -> Result<Option<NaiveDate>, Fault> {
        let Some(cell) = self.cell(Column::Date) else { return Ok(None) };
        let day = || cell.split_once([' ', 'T']).map_or(cell, |(day, _)| day);
        let plain = || DAYS.iter().find_map(|way| NaiveDate::parse_from_str(cell, way).ok());
        let with_time = || DAYS.iter().find_map(|way| NaiveDate::parse_from_str(day(), way).ok());
        let read = intake::day(cell, self.sheet.zone).or_else(plain).or_else(with_time);
        let fits = read.filter(|day| *day <= self.sheet.today && *day >= FIRST);
        fits.map(Some).ok_or_else(|| self.fault(Column::Date, BAD_DATE))
    }

    /// "4.5", "4,5", "5 stars", "★★★★", "5/5".
    fn stars(&self) -> Result<i64, Fault> {
        let bad = || self.fault(Column::Rating, BAD_RATING);
        let cell = self.cell(Column::Rating).ok_or_else(bad)?;
        let drawn = cell.chars().filter(|c| matches!(c, '★' | '⭐')).count();
        if drawn > 0 && cell.chars().all(|c| matches!(c, '★' | '⭐' | '☆' | '\u{fe0f}' | ' ')) {
            return i64::try_from(drawn * 10).ok().filter(|tenths| *tenths <= 50).ok_or_else(bad);
        }
        let number = cell.to_lowercase().replace(',', ".");
        let number = number.trim_end_matches("stars").trim_end_matches("star").trim();
        let number = number.strip_suffix("/5").unwrap_or(number).trim();
        number.parse().ok().and_then(intake::tenths).ok_or_else(bad)
    }

    fn said(&self) -> Result<Said, Fault> {
        let source = self.words(Column::Source, |cell| line("source", Some(cell), LONGEST_SOURCE))?;
        let phone = self.words(Column::Phone, |cell| line("phone", Some(cell), 40))?;
        let email = self.words(Column::Email, |cell| line("email", Some(cell), 254))?;
        Ok(Said {
            reviewed_on: self.day()?,
            customer_name: self.words(Column::Customer, |cell| line("customer", Some(cell), LONGEST_NAME))?,
            stars: self.stars()?,
            body: self.words(Column::Review, |cell| lines("review", Some(cell), LONGEST_TEXT))?,
            source: source.unwrap_or_else(|| Way::Csv.source().to_owned()),
            phone: phone.as_deref().and_then(Phone::parse).map(|phone| phone.as_e164().to_owned()),
            email: email.as_deref().and_then(text::email),
        })
    }
}

#[cfg(test)]
mod tests {
    use chrono_tz::America::Chicago;

    use super::*;

    fn read(file: &[u8]) -> Vec<(i64, Result<Said, Fault>)> {
        let today = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
        Sheet::read(file, Chicago, today).unwrap().rows().collect()
    }

    #[test]
    fn days_and_stars_are_read_as_people_write_them() {
        let file = "Date,Customer,Rating,Review,Source\n\
            2026-11-20,Ann,5,Great,Google\n11/19/2026,Bob,4.5,,\n\"Nov 3, 2026\",,★★★☆☆,Fine,Yelp\n\
            2026-11-18 14:30,Dan,\"4,5\",x,y\n2026-11-21T03:00:00Z,Eve,3 stars,,\n,Fay,1/5,,\n";
        let said: Vec<(Option<String>, i64)> = read(file.as_bytes())
            .into_iter()
            .map(|(_, row)| row.unwrap())
            .map(|said| (said.reviewed_on.map(|day| day.to_string()), said.stars))
            .collect();
        let day = |day: &str| Some(format!("2026-11-{day}"));
        let wanted = [(day("20"), 50), (day("19"), 45), (day("03"), 30), (day("18"), 45), (day("20"), 30), (None, 10)];
        assert_eq!(said, wanted);
    }

    #[test]
    fn a_fault_names_its_column_as_the_file_does() {
        let file = b"When,Stars,Date\nx,6,2026-11-20\ny,5,someday\nz,5,2026-11-22\nw,,\n";
        let faults: Vec<_> = read(file).into_iter().map(|(row, said)| (row, said.unwrap_err().0)).collect();
        let wanted = [(2, "Stars"), (3, "Date"), (4, "Date"), (5, "Stars")];
        assert_eq!(faults, wanted.map(|(row, column)| (row, column.to_owned())));
    }

    #[test]
    fn an_export_of_ours_reads_as_it_was() {
        let rows = read(b"Date,Customer,Rating,Review,Source\r\n2026-11-20,'=Ann,4.5,'- fine,Google\r\n");
        let said = rows[0].1.as_ref().unwrap_err();
        assert_eq!(said.0, "Customer", "what was a formula is none that could be meant");
        let rows = read(b"Customer,Rating,Review\r\nAnn,4.5,'- fine\r\n");
        assert_eq!(rows[0].1.as_ref().unwrap().body.as_deref(), Some("- fine"));
    }
}
