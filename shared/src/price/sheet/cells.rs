//! What the cells of a row say.

use super::{Column, Sheet};
use crate::{
    error::FieldErrors,
    money::{Cents, Ppm, Typed},
    price::form::{BAD_COST, BAD_PRICE, BAD_TAX, MAX_CODE, MAX_DESCRIPTION, MAX_NAME, MAX_UNIT, cost_fits, price_fits},
    text::{Field, line, lines},
};

/// What a cell says. Outer none: the file has no such column; inner none: the cell is empty.
pub(in crate::price) type Said<T> = Option<Option<T>>;

/// What one row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::price) struct Cells {
    pub code: Option<String>,
    pub name: String,
    pub description: Said<String>,
    pub unit: Option<String>,
    pub price: Cents,
    pub cost: Said<Cents>,
    pub tax: Said<Ppm>,
}

/// What is wrong with a row: under which heading, and what.
pub(in crate::price) type Fault = (String, String);

/// One row while it is read.
pub(super) struct Reading<'a> {
    pub sheet: &'a Sheet,
    pub record: &'a csv::StringRecord,
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
        // How numbers with leading noughts are kept from being shortened.
        let cell = cell.strip_prefix("=\"").and_then(|rest| rest.strip_suffix('"')).unwrap_or(cell);
        if cell.starts_with(['=', '\u{ff1d}']) {
            return Err(self.fault(column, "This is a formula. Please save the file with its values"));
        }
        let mut errors = FieldErrors::default();
        let read = field(cell).optional(&mut errors);
        match errors.0.into_values().next() {
            None => Ok(Some(read)),
            Some(words) => Err(self.fault(column, words)),
        }
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

    pub fn cells(&self) -> Result<Cells, Fault> {
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
