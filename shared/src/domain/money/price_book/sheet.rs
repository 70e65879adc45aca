//! A price list as a spreadsheet saves it: which column is which, and what a cell says.

use super::form::{BAD_COST, BAD_PRICE, BAD_TAX, MAX_CODE, MAX_DESCRIPTION, MAX_NAME, MAX_UNIT, cost_fits, price_fits};
use crate::platform::{
    csv_table::{self, Table},
    error::Result,
    money::{Cents, Ppm, Typed},
    text::{Field, line, lines},
};

/// Rows of one file.
pub(super) const MOST_ROWS: usize = 5_000;
/// What stands in the first row over each column, in the order of [`Column`].
const NAMES: [&[&str]; 7] = [
    &["code", "sku", "item code", "item number", "item no", "part number"],
    &["name", "item", "item name", "product service", "product service name", "service"],
    &["description", "sales description"],
    &["unit", "unit of measure", "uom", "u m"],
    &["price", "rate", "unit price", "sales price", "sales price rate", "price rate"],
    &["cost", "unit cost", "purchase cost"],
    &["tax", "tax rate", "sales tax"],
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Code,
    Name,
    Description,
    Unit,
    Price,
    Cost,
    Tax,
}

/// A file that can be read as a price list.
pub(super) struct Sheet {
    /// What stands over the column of each [`Column`], and where it is.
    columns: [Option<(usize, String)>; NAMES.len()],
    /// What stands over the columns that say nothing to us.
    ignored: Vec<String>,
    /// The number of each row as the spreadsheet shows it, and its cells.
    rows: Vec<(i64, csv::StringRecord)>,
}

/// What a cell says. Outer none: the file has no such column; inner none: the cell is empty.
pub(super) type Said<T> = Option<Option<T>>;

/// What one row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cells {
    pub code: Option<String>,
    pub name: String,
    pub description: Said<String>,
    pub unit: Option<String>,
    pub price: Cents,
    pub cost: Said<Cents>,
    pub tax: Said<Ppm>,
}

/// What is wrong with a row: under which heading, and what.
pub(super) type Fault = (String, String);

impl Sheet {
    /// # Errors
    /// [`Error::Invalid`] on `file` when it is no price list: nothing in it, unknown or doubled headings, too many rows.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let Table { head, rows } = csv_table::read(bytes, MOST_ROWS)?;
        Ok(Self { columns: columns(&head)?, ignored: csv_table::ignored(&head, &NAMES), rows })
    }

    /// Each row's number, and what it says or what is wrong with it.
    pub fn rows(&self) -> impl Iterator<Item = (i64, Result<Cells, Fault>)> {
        self.rows.iter().map(|(number, record)| (*number, Reading { sheet: self, record }.cells()))
    }

    /// What stands over a column; what it would be called where there is none.
    fn heading(&self, column: Column) -> String {
        self.columns[column as usize]
            .as_ref()
            .map_or_else(|| NAMES[column as usize][0].to_owned(), |(_, own)| own.clone())
    }

    /// The columns that are not read, as they are called.
    pub fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// What stands over the column that items are recognised by.
    pub fn key(&self, has_code: bool) -> String {
        self.heading(if has_code { Column::Code } else { Column::Name })
    }
}

fn columns(head: &csv::StringRecord) -> Result<[Option<(usize, String)>; NAMES.len()]> {
    let found = csv_table::columns(head, &NAMES)?;
    let missing = |column: Column| found[column as usize].is_none();
    if missing(Column::Name) || missing(Column::Price) {
        return Err(csv_table::refused("The first row must name the columns, and Name and Price must be among them"));
    }
    Ok(found)
}

/// One row while it is read.
struct Reading<'a> {
    sheet: &'a Sheet,
    record: &'a csv::StringRecord,
}

impl Reading<'_> {
    fn fault(&self, column: Column, words: impl Into<String>) -> Fault {
        (self.sheet.heading(column), words.into())
    }

    /// What stands in a cell; none when the file has no such column.
    fn cell(&self, column: Column) -> Option<&str> {
        let (at, _) = self.sheet.columns[column as usize].as_ref()?;
        Some(self.record.get(*at).unwrap_or_default().trim())
    }

    /// A cell of text. One that a spreadsheet would reckon says nothing that could be meant: its result was not saved.
    fn words(&self, column: Column, field: fn(&str) -> Field<'_>) -> Result<Said<String>, Fault> {
        let Some(cell) = self.cell(column) else { return Ok(None) };
        csv_table::words(cell, field).map(Some).map_err(|words| self.fault(column, words))
    }

    /// A cell of money.
    fn money(&self, column: Column, fits: fn(Cents) -> bool, words: &str) -> Result<Said<Cents>, Fault> {
        match self.cell(column) {
            None => Ok(None),
            Some("") => Ok(Some(None)),
            Some(cell) => {
                let read = Cents::parse(cell).filter(|cents| fits(*cents));
                read.map(|cents| Some(Some(cents))).ok_or_else(|| self.fault(column, words))
            }
        }
    }

    fn tax(&self) -> Result<Said<Ppm>, Fault> {
        match self.cell(Column::Tax) {
            None => Ok(None),
            Some("") => Ok(Some(None)),
            Some(cell) => {
                let number = cell.strip_suffix('%').unwrap_or(cell).trim().to_owned();
                let read = Ppm::read(&Typed::Text(number));
                read.map(|rate| Some(Some(rate))).ok_or_else(|| self.fault(Column::Tax, BAD_TAX))
            }
        }
    }

    fn cells(&self) -> Result<Cells, Fault> {
        let name = self.words(Column::Name, |cell| line("name", Some(cell), MAX_NAME))?.flatten();
        let price = self.money(Column::Price, price_fits, BAD_PRICE)?.flatten();
        Ok(Cells {
            name: name.ok_or_else(|| self.fault(Column::Name, "Say what it is"))?,
            code: self.words(Column::Code, |cell| line("code", Some(cell), MAX_CODE))?.flatten(),
            description: self.words(Column::Description, |cell| lines("description", Some(cell), MAX_DESCRIPTION))?,
            unit: self.words(Column::Unit, |cell| line("unit", Some(cell), MAX_UNIT))?.flatten(),
            price: price.ok_or_else(|| self.fault(Column::Price, BAD_PRICE))?,
            cost: self.money(Column::Cost, cost_fits, BAD_COST)?,
            tax: self.tax()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::error::Error;

    fn read(bytes: &[u8]) -> Vec<(i64, Result<Cells, Fault>)> {
        Sheet::read(bytes).unwrap().rows().collect()
    }

    fn refusal(bytes: &[u8]) -> String {
        match Sheet::read(bytes) {
            Err(Error::Invalid(fields)) => fields.said().remove(0).1,
            other => panic!("{:?}", other.map(|sheet| sheet.rows.len())),
        }
    }

    fn names(bytes: &[u8]) -> Vec<String> {
        read(bytes).into_iter().map(|(_, row)| row.unwrap().name).collect()
    }

    #[test]
    fn headings_are_found_whatever_their_letters_and_order() {
        let file = b"  SALES PRICE/RATE ,item,Tax %,Sku,nothing of ours\n\"$1,250.50\",Boiler,8.25%,B-1,x\n";
        let (_, row) = read(file).remove(0);
        let row = row.unwrap();
        assert_eq!((row.name.as_str(), row.price, row.code.as_deref()), ("Boiler", Cents(125_050), Some("B-1")));
        assert_eq!((row.tax, row.cost, row.description), (Some(Some(Ppm(82_500))), None, None));
        let (_, row) = read(b"name;price;TAX RATE\nBoiler;5;8.25 %\n").remove(0);
        assert_eq!(row.unwrap().tax, Some(Some(Ppm(82_500))));
    }

    #[test]
    fn letters_are_read_as_their_spreadsheet_wrote_them() {
        let utf16: Vec<u8> = [0xfeff_u16]
            .into_iter()
            .chain("Name\tPrice\nCafé\t5\n".encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        let files: [&[u8]; 4] = [
            "Name,Price\nCafé,5\n".as_bytes(),
            "\u{feff}Name,Price\r\nCafé,5\r\n".as_bytes(),
            b"Name,Price\rCaf\xe9,5\r",
            &utf16,
        ];
        for file in files {
            assert_eq!(names(file), ["Café"], "{file:?}");
        }
        assert_eq!(names(b"Name,Price\n3\x94 pipe \x96 5\x92,5\n"), ["3” pipe – 5’"]);
    }

    #[test]
    fn rows_are_counted_as_the_spreadsheet_does() {
        let file = b"Name,Description,Price\nA,\"two\nlines\",1\n\n,,\nB,,x\nC,,=1+1\n";
        let faults: Vec<_> =
            read(file).into_iter().filter_map(|(at, row)| row.err().map(|fault| (at, fault.0))).collect();
        assert_eq!(faults, [(5, "Price".to_owned()), (6, "Price".to_owned())]);
    }

    #[test]
    fn a_formula_is_no_name_and_a_kept_nought_is_no_formula() {
        let file = b"Code,Name,Price\n\"=\"\"0012\"\"\",Valve,5\n,\"=HYPERLINK(\"\"http://x\"\")\",5\n,- Removal,-5\n";
        let rows = read(file);
        assert_eq!(rows[0].1.as_ref().unwrap().code.as_deref(), Some("0012"));
        assert_eq!(rows[1].1.as_ref().unwrap_err().0, "Name");
        let credit = rows[2].1.as_ref().unwrap();
        assert_eq!((credit.name.as_str(), credit.price), ("- Removal", Cents(-500)));
    }

    #[test]
    fn what_is_no_price_list_says_why() {
        assert_eq!(refusal(b" \n\n"), "This file is empty");
        assert!(refusal(b"Name,Cost\nA,1\n").contains("Name and Price"));
        assert!(refusal(b"Name,Item,Price\nA,B,1\n").contains("\"Name\" and \"Item\""));
        assert!(refusal(b"%PDF-1.4\n\x00\x01").contains("Name and Price"));
        let long = format!("Name,Price\n{}", "A,1\n".repeat(MOST_ROWS + 1));
        assert!(refusal(long.as_bytes()).contains("5000 rows"));
        assert_eq!(read(format!("Name,Price\n{}", "A,1\n".repeat(MOST_ROWS)).as_bytes()).len(), MOST_ROWS);
    }
}
