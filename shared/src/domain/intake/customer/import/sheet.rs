//! Customers as other programs write them: which column is which, and what a cell says.

use super::{Outcome, ReadRow};
use crate::{
    domain::intake::lead::{NewCustomer, NewLead},
    platform::{
        csv_table::{self, Table},
        error::{Error, Result},
        phone::Phone,
        text::{Field, line, lines},
    },
};

/// Rows of one file.
pub(super) const MOST_ROWS: usize = 5_000;
/// What stands in the first row over each column, in the order of [`Column`]: of Jobber, Housecall Pro, `ServiceTitan`
/// and `QuickBooks`, and what people write themselves.
const NAMES: [&[&str]; 14] = [
    &["name", "customer", "customer name", "full name", "display name", "client", "client name", "contact name"],
    &["first name", "given name", "first"],
    &["last name", "surname", "family name", "last"],
    &["company", "company name", "organization", "business name"],
    &[
        "phone",
        "phone number",
        // As our own export has it.
        "phone e164",
        "mobile",
        "mobile phone",
        "mobile number",
        "main phone",
        "primary phone",
        "cell",
        "cell phone",
        "telephone",
        "main phone s",
    ],
    &[
        "home phone",
        "home number",
        "work phone",
        "work number",
        "other phone",
        "alternate phone",
        "additional phone",
        "phone 2",
    ],
    &["email", "email address", "e mail", "main email", "primary email", "e mails", "emails"],
    &[
        "address",
        "street",
        "street address",
        "service address",
        "service street 1",
        "street 1",
        "address line 1",
        "address 1",
    ],
    &["city", "town", "service city"],
    &["state", "province", "service state", "service province"],
    &["zip", "zip code", "postal code", "postcode", "service zip code", "service postal code"],
    &["notes", "note", "customer notes", "comments"],
    &["source", "lead source", "referred by", "how did they hear"],
    &["service", "request", "service requested", "work requested", "job type", "job description"],
];
const NEEDED: &str = "The first row must name the columns: a name, and Phone or Email must be among them";
const UNKNOWABLE: &str = "A phone number or an email is needed, to know them again";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Name,
    First,
    Last,
    Company,
    Phone,
    OtherPhone,
    Email,
    Address,
    City,
    State,
    Zip,
    Notes,
    Source,
    Service,
}

/// What is wrong with a row: under which heading, and what.
pub(super) type Fault = (String, String);

/// A row that can be taken in.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    pub typed: NewCustomer,
    pub other_phone: Option<Phone>,
    pub notes: Option<String>,
    /// As they are stored: what the person is known by.
    phone: Option<Phone>,
    email: Option<String>,
}

impl Cells {
    /// What the person is known by.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let phones = [self.phone.as_ref(), self.other_phone.as_ref()].into_iter().flatten().map(Phone::as_e164);
        phones.chain(self.email.as_deref())
    }

    pub fn has_request(&self) -> bool {
        self.typed.service.is_some()
    }

    pub fn shown(&self, row: i64, outcome: Outcome) -> ReadRow {
        ReadRow {
            row,
            outcome,
            name: self.typed.name.clone().unwrap_or_default(),
            phone_shown: self.phone.as_ref().map(|phone| phone.shown().into_owned()),
            email: self.email.clone(),
            address: self.typed.address.clone(),
            zip: self.typed.zip.clone(),
            service: self.typed.service.clone(),
        }
    }
}

/// A file that can be read as customers.
pub(super) struct Sheet {
    columns: [Option<(usize, String)>; NAMES.len()],
    pub ignored: Vec<String>,
    rows: Vec<(i64, csv::StringRecord)>,
}

impl Sheet {
    /// # Errors
    /// [`Error::Invalid`] on `file` when it is no list of customers.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let Table { head, rows } = csv_table::read(bytes, MOST_ROWS)?;
        let columns = csv_table::columns(&head, &NAMES)?;
        let has = |column: Column| columns[column as usize].is_some();
        let is_named = has(Column::Name) || has(Column::First) || has(Column::Last) || has(Column::Company);
        if !is_named || !(has(Column::Phone) || has(Column::OtherPhone) || has(Column::Email)) {
            return Err(csv_table::refused(NEEDED));
        }
        Ok(Self { columns, ignored: csv_table::ignored(&head, &NAMES), rows })
    }

    /// Each row's number, and what it says or what is wrong with it.
    pub fn rows(&self) -> impl Iterator<Item = (i64, Result<Cells, Fault>)> {
        self.rows.iter().map(|(number, record)| (*number, Reading { sheet: self, record }.cells()))
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

    fn words(&self, column: Column, field: fn(&str) -> Field<'_>) -> Result<Option<String>, Fault> {
        let Some((at, _)) = self.sheet.columns[column as usize].as_ref() else { return Ok(None) };
        let Some(cell) = self.record.get(*at).map(str::trim).filter(|cell| !cell.is_empty()) else { return Ok(None) };
        // An export of ours marks what would run in a spreadsheet.
        let cell = cell.strip_prefix('\'').filter(|rest| rest.starts_with(['=', '+', '-', '@'])).unwrap_or(cell);
        csv_table::words(cell, field).map_err(|words| self.fault(column, words))
    }

    fn short(&self, column: Column) -> Result<Option<String>, Fault> {
        self.words(column, |cell| line("cell", Some(cell), 120))
    }

    /// The name as it stands, else first and last, else the company's.
    fn name(&self) -> Result<String, Fault> {
        if let Some(name) = self.short(Column::Name)? {
            return Ok(name);
        }
        let parts = [self.short(Column::First)?, self.short(Column::Last)?];
        let name = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let name = if name.is_empty() { self.short(Column::Company)? } else { Some(name) };
        name.ok_or_else(|| self.fault(Column::Name, "Name is required"))
    }

    fn phone(&self, column: Column) -> Result<Option<Phone>, Fault> {
        let Some(number) = self.words(column, |cell| line("cell", Some(cell), 40))? else { return Ok(None) };
        let wrong = || self.fault(column, "Please enter a phone number with its area code");
        Phone::parse(&number).map(Some).ok_or_else(wrong)
    }

    /// Street, city and state as one line.
    fn address(&self) -> Result<Option<String>, Fault> {
        let Some(street) = self.words(Column::Address, |cell| line("cell", Some(cell), 200))? else { return Ok(None) };
        let rest = [self.short(Column::City)?, self.short(Column::State)?];
        let parts: Vec<String> = std::iter::once(street).chain(rest.into_iter().flatten()).collect();
        Ok(Some(parts.join(", ")))
    }

    fn cells(&self) -> Result<Cells, Fault> {
        let (first, other) = (self.phone(Column::Phone)?, self.phone(Column::OtherPhone)?);
        let (phone, other_phone) = if first.is_some() { (first, other) } else { (other, None) };
        let source = self.words(Column::Source, |cell| line("cell", Some(cell), 60))?;
        let typed = NewCustomer {
            name: Some(self.name()?),
            phone: phone.as_ref().map(|phone| phone.as_e164().to_owned()),
            email: self.words(Column::Email, |cell| line("cell", Some(cell), 254))?,
            address: self.address()?,
            zip: self.words(Column::Zip, |cell| line("cell", Some(cell), 12))?,
            source: Some(source.unwrap_or_else(|| "Imported".to_owned())),
            service: self.words(Column::Service, |cell| line("cell", Some(cell), 80))?,
        };
        let read = NewLead::from_typed(&typed).map_err(|e| self.refusal(e))?;
        if phone.is_none() && read.email.is_none() {
            return Err(self.fault(Column::Phone, UNKNOWABLE));
        }
        let notes = self.words(Column::Notes, |cell| lines("cell", Some(cell), 2_000))?;
        let other_phone = other_phone.filter(|other| phone.as_ref() != Some(other));
        Ok(Cells { typed, other_phone, notes, phone, email: read.email })
    }

    /// What is wrong with somebody who was typed in, under the file's own heading.
    fn refusal(&self, error: Error) -> Fault {
        let Error::Invalid(errors) = error else { return self.fault(Column::Name, error.to_string()) };
        let Some((field, message)) = errors.0.into_iter().next() else {
            return self.fault(Column::Name, "Name is required");
        };
        let column = match field.as_ref() {
            "customer.phone" => Column::Phone,
            "customer.email" => Column::Email,
            "customer.address" => Column::Address,
            "customer.zip" => Column::Zip,
            "customer.source" => Column::Source,
            "customer.service" => Column::Service,
            _ => Column::Name,
        };
        self.fault(column, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &str) -> Vec<(i64, Result<Cells, Fault>)> {
        Sheet::read(file.as_bytes()).unwrap().rows().collect()
    }

    #[test]
    fn lists_of_other_programs_are_read() {
        for file in [
            "First name,Last name,Main Phone #s,E-mails,Service Street 1,Service City,Service State,Service Zip code\n\
             Ann,Lee,(512) 555-0142,Ann@Customer.example,12 Oak St,Austin,TX,78701\n",
            "Customer Name;Mobile Number;Email;Address;City;State;Zip\nAnn Lee;512-555-0142;ann@customer.example;12 Oak St;Austin;TX;78701\n",
            "\u{feff}Display Name\tPhone\tEmail Address\tStreet\tCity\tState\tPostal Code\nAnn Lee\t5125550142\tann@customer.example\t12 Oak St\tAustin\tTX\t78701\n",
        ] {
            let rows = read(file);
            let cells = rows[0].1.as_ref().unwrap();
            assert_eq!(cells.keys().collect::<Vec<_>>(), ["+15125550142", "ann@customer.example"], "{file}");
            assert_eq!(cells.typed.name.as_deref(), Some("Ann Lee"));
            assert_eq!(cells.typed.address.as_deref(), Some("12 Oak St, Austin, TX"));
            assert_eq!(cells.typed.zip.as_deref(), Some("78701"));
            assert!(!cells.has_request());
        }
    }

    #[test]
    fn a_row_that_does_not_fit_names_its_column_as_the_file_does() {
        let file =
            "Client,Cell,E-mail,Job type\n,5125550142,,\nBob,pizza,,\nCat,,cat@,\nDan,,,Leak\nEve,5125550143,,Leak\n";
        let rows = read(file);
        let faults: Vec<_> =
            rows.iter().filter_map(|(row, read)| Some((*row, read.as_ref().err()?.0.clone()))).collect();
        let wanted = [(2, "Client"), (3, "Cell"), (4, "E-mail"), (5, "Cell")];
        assert_eq!(faults, wanted.map(|(row, column)| (row, column.to_owned())));
        assert!(rows[4].1.as_ref().unwrap().has_request(), "who wants something done is a request too");
    }

    #[test]
    fn a_file_without_names_or_ways_to_know_people_is_refused() {
        for file in ["Phone,Email\n5125550142,a@b.example\n", "Name,City\nAnn,Austin\n", ""] {
            assert!(matches!(Sheet::read(file.as_bytes()), Err(Error::Invalid(_))), "{file}");
        }
    }
}
