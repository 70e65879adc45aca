//! Price list as a spreadsheet file: detection of columns and parsing of cells.

use super::form::{
    BAD_COST, BAD_PRICE, BAD_TAX, MAX_CODE, MAX_DESCRIPTION, MAX_NAME, MAX_UNIT, is_valid_cost, is_valid_price,
};
use crate::platform::{
    csv_table::{self, CsvTable},
    error::Result,
    money::{Cents, DecimalInput, Ppm},
    text::{InputField, multi_line, single_line},
};

pub(super) const MAX_ROWS: usize = 5_000;
/// Recognised headings of each column, in the order of [`PriceColumn`].
const COLUMN_NAMES: [&[&str]; 7] = [
    &["code", "sku", "item code", "item number", "item no", "part number"],
    &["name", "item", "item name", "product service", "product service name", "service"],
    &["description", "sales description"],
    &["unit", "unit of measure", "uom", "u m"],
    &["price", "rate", "unit price", "sales price", "sales price rate", "price rate"],
    &["cost", "unit cost", "purchase cost"],
    &["tax", "tax rate", "sales tax"],
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PriceColumn {
    Code,
    Name,
    Description,
    Unit,
    Price,
    Cost,
    Tax,
}

pub(super) struct PriceSheet {
    /// Position and heading of each [`PriceColumn`].
    columns: [Option<(usize, String)>; COLUMN_NAMES.len()],
    ignored: Vec<String>,
    /// Row number as the spreadsheet shows it, and the cells.
    rows: Vec<(i64, csv::StringRecord)>,
}

/// Value of a cell. Outer none: the file has no such column; inner none: the cell is empty.
pub(super) type PriceCell<T> = Option<Option<T>>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PriceSheetRow {
    pub code: Option<String>,
    pub name: String,
    pub description: PriceCell<String>,
    pub unit: Option<String>,
    pub price: Cents,
    pub cost: PriceCell<Cents>,
    pub tax: PriceCell<Ppm>,
}

pub(super) type PriceSheetError = (String, String);

impl PriceSheet {
    /// Errors: [`crate::platform::error::Error::Invalid`] on `file` when it is no price list: nothing in it, unknown or
    /// doubled headings, too many rows.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let CsvTable { head, rows } = csv_table::parse_csv(bytes, MAX_ROWS)?;
        Ok(Self {
            columns: find_columns(&head)?,
            ignored: csv_table::list_unmatched_columns(&head, &COLUMN_NAMES),
            rows,
        })
    }

    pub fn rows(&self) -> impl Iterator<Item = (i64, Result<PriceSheetRow, PriceSheetError>)> {
        self.rows.iter().map(|(number, record)| (*number, PriceRowParser { sheet: self, record }.parse_row()))
    }

    /// Heading of a column, or its default name where there is none.
    fn heading(&self, column: PriceColumn) -> String {
        self.columns[column as usize]
            .as_ref()
            .map_or_else(|| COLUMN_NAMES[column as usize][0].to_owned(), |(_, own)| own.clone())
    }

    pub fn ignored_columns(&self) -> &[String] {
        &self.ignored
    }

    /// Heading of the column that items are matched by.
    pub fn key_heading(&self, has_code: bool) -> String {
        self.heading(if has_code { PriceColumn::Code } else { PriceColumn::Name })
    }
}

fn find_columns(head: &csv::StringRecord) -> Result<[Option<(usize, String)>; COLUMN_NAMES.len()]> {
    let found = csv_table::match_columns(head, &COLUMN_NAMES)?;
    let missing = |column: PriceColumn| found[column as usize].is_none();
    if missing(PriceColumn::Name) || missing(PriceColumn::Price) {
        return Err(csv_table::file_error(
            "The first row must name the columns, and Name and Price must be among them",
        ));
    }
    Ok(found)
}

struct PriceRowParser<'a> {
    sheet: &'a PriceSheet,
    record: &'a csv::StringRecord,
}

impl PriceRowParser<'_> {
    fn error_at(&self, column: PriceColumn, words: impl Into<String>) -> PriceSheetError {
        (self.sheet.heading(column), words.into())
    }

    /// None when the file has no such column.
    fn cell_text(&self, column: PriceColumn) -> Option<&str> {
        let (at, _) = self.sheet.columns[column as usize].as_ref()?;
        Some(self.record.get(*at).unwrap_or_default().trim())
    }

    /// A text cell. A formula is an error: its result was not saved.
    fn parse_text(
        &self,
        column: PriceColumn,
        field: fn(&str) -> InputField<'_>,
    ) -> Result<PriceCell<String>, PriceSheetError> {
        let Some(cell) = self.cell_text(column) else { return Ok(None) };
        csv_table::parse_cell(cell, field).map(Some).map_err(|words| self.error_at(column, words))
    }

    fn parse_money(
        &self,
        column: PriceColumn,
        fits: fn(Cents) -> bool,
        words: &str,
    ) -> Result<PriceCell<Cents>, PriceSheetError> {
        match self.cell_text(column) {
            None => Ok(None),
            Some("") => Ok(Some(None)),
            Some(cell) => {
                let read = Cents::parse(cell).filter(|cents| fits(*cents));
                read.map(|cents| Some(Some(cents))).ok_or_else(|| self.error_at(column, words))
            }
        }
    }

    fn parse_tax(&self) -> Result<PriceCell<Ppm>, PriceSheetError> {
        match self.cell_text(PriceColumn::Tax) {
            None => Ok(None),
            Some("") => Ok(Some(None)),
            Some(cell) => {
                let number = cell.strip_suffix('%').unwrap_or(cell).trim().to_owned();
                let read = Ppm::from_input(&DecimalInput::Text(number));
                read.map(|rate| Some(Some(rate))).ok_or_else(|| self.error_at(PriceColumn::Tax, BAD_TAX))
            }
        }
    }

    fn parse_row(&self) -> Result<PriceSheetRow, PriceSheetError> {
        let name = self.parse_text(PriceColumn::Name, |cell| single_line("name", Some(cell), MAX_NAME))?.flatten();
        let price = self.parse_money(PriceColumn::Price, is_valid_price, BAD_PRICE)?.flatten();
        Ok(PriceSheetRow {
            name: name.ok_or_else(|| self.error_at(PriceColumn::Name, "Say what it is"))?,
            code: self.parse_text(PriceColumn::Code, |cell| single_line("code", Some(cell), MAX_CODE))?.flatten(),
            description: self
                .parse_text(PriceColumn::Description, |cell| multi_line("description", Some(cell), MAX_DESCRIPTION))?,
            unit: self.parse_text(PriceColumn::Unit, |cell| single_line("unit", Some(cell), MAX_UNIT))?.flatten(),
            price: price.ok_or_else(|| self.error_at(PriceColumn::Price, BAD_PRICE))?,
            cost: self.parse_money(PriceColumn::Cost, is_valid_cost, BAD_COST)?,
            tax: self.parse_tax()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{platform::error::Error, tests::IntoMessages};

    fn read(bytes: &[u8]) -> Vec<(i64, Result<PriceSheetRow, PriceSheetError>)> {
        PriceSheet::parse(bytes).unwrap().rows().collect()
    }

    fn refusal(bytes: &[u8]) -> String {
        match PriceSheet::parse(bytes) {
            Err(Error::Invalid(fields)) => fields.into_messages().remove(0).1,
            other => panic!("{:?}", other.map(|sheet| sheet.rows.len())),
        }
    }

    fn names(bytes: &[u8]) -> Vec<String> {
        read(bytes).into_iter().map(|(_, row)| row.unwrap().name).collect()
    }

    #[test]
    fn headings_match_regardless_of_case_and_order() {
        let file = b"  SALES PRICE/RATE ,item,Tax %,Sku,nothing of ours\n\"$1,250.50\",Boiler,8.25%,B-1,x\n";
        let (_, row) = read(file).remove(0);
        let row = row.unwrap();
        assert_eq!((row.name.as_str(), row.price, row.code.as_deref()), ("Boiler", Cents(125_050), Some("B-1")));
        assert_eq!((row.tax, row.cost, row.description), (Some(Some(Ppm(82_500))), None, None));
        let (_, row) = read(b"name;price;TAX RATE\nBoiler;5;8.25 %\n").remove(0);
        assert_eq!(row.unwrap().tax, Some(Some(Ppm(82_500))));
    }

    #[test]
    fn utf8_utf16_and_windows_1252_sheets_are_decoded() {
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
    fn row_numbers_match_the_spreadsheet() {
        let file = b"Name,Description,Price\nA,\"two\nlines\",1\n\n,,\nB,,x\nC,,=1+1\n";
        let faults: Vec<_> =
            read(file).into_iter().filter_map(|(at, row)| row.err().map(|fault| (at, fault.0))).collect();
        assert_eq!(faults, [(5, "Price".to_owned()), (6, "Price".to_owned())]);
    }

    #[test]
    fn formula_as_name_is_refused_but_leading_zero_code_is_kept() {
        let file = b"Code,Name,Price\n\"=\"\"0012\"\"\",Valve,5\n,\"=HYPERLINK(\"\"http://x\"\")\",5\n,- Removal,-5\n";
        let rows = read(file);
        assert_eq!(rows[0].1.as_ref().unwrap().code.as_deref(), Some("0012"));
        assert_eq!(rows[1].1.as_ref().unwrap_err().0, "Name");
        let credit = rows[2].1.as_ref().unwrap();
        assert_eq!((credit.name.as_str(), credit.price), ("- Removal", Cents(-500)));
    }

    #[test]
    fn unusable_price_list_is_refused_with_reason() {
        assert_eq!(refusal(b" \n\n"), "This file is empty");
        assert!(refusal(b"Name,Cost\nA,1\n").contains("Name and Price"));
        assert!(refusal(b"Name,Item,Price\nA,B,1\n").contains("\"Name\" and \"Item\""));
        assert!(refusal(b"%PDF-1.4\n\x00\x01").contains("Name and Price"));
        let long = format!("Name,Price\n{}", "A,1\n".repeat(MAX_ROWS + 1));
        assert!(refusal(long.as_bytes()).contains("5000 rows"));
        assert_eq!(read(format!("Name,Price\n{}", "A,1\n".repeat(MAX_ROWS)).as_bytes()).len(), MAX_ROWS);
    }
}
