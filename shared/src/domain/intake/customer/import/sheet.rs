//! Import columns: mapping of headings to fields, and parsing of cells.

use super::{CustomerRow, CustomerRowOutcome};
use crate::{
    domain::intake::{
        contact_point::ContactPointKind,
        lead::{NewCustomer, NewLead},
    },
    platform::{
        csv_table::{self, CsvTable},
        email_address::EmailAddress,
        error::{Error, Result},
        phone::Phone,
        text::{InputField, multi_line, single_line},
    },
};

pub(super) const MAX_ROWS: usize = 5_000;
/// Headings for each [`ImportColumn`], in its order: those of Jobber, Housecall Pro, `ServiceTitan` and `QuickBooks`, and
/// common hand-written ones.
const COLUMN_NAMES: [&[&str]; 14] = [
    &["name", "customer", "customer name", "full name", "display name", "client", "client name", "contact name"],
    &["first name", "given name", "first"],
    &["last name", "surname", "family name", "last"],
    &["company", "company name", "organization", "business name"],
    &[
        "phone",
        "phone number",
        // The heading of our own export.
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
enum ImportColumn {
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

pub(super) type CustomerCellError = (String, String);

#[derive(Clone, Debug)]
pub(super) struct CustomerImportCells {
    pub typed: NewCustomer,
    pub other_phone: Option<Phone>,
    pub notes: Option<String>,
    /// Normalised; used as keys.
    pub phone: Option<Phone>,
    pub email: Option<EmailAddress>,
}

impl CustomerImportCells {
    pub fn contact_keys(&self) -> impl Iterator<Item = &str> {
        self.contact_points().map(|(_, value)| value)
    }

    /// The phones before the email.
    pub fn contact_points(&self) -> impl Iterator<Item = (ContactPointKind, &str)> {
        let phones = [self.phone.as_ref(), self.other_phone.as_ref()].into_iter().flatten();
        let email = self.email.as_ref().map(|email| (ContactPointKind::Email, email.as_str()));
        phones.map(|phone| (ContactPointKind::Phone, phone.as_e164())).chain(email)
    }

    pub fn has_request(&self) -> bool {
        self.typed.service.is_some()
    }

    pub fn to_preview_row(&self, row: i64, outcome: CustomerRowOutcome) -> CustomerRow {
        CustomerRow {
            row,
            outcome,
            name: self.typed.name.clone().unwrap_or_default(),
            phone_shown: self.phone.as_ref().map(|phone| phone.format_display().into_owned()),
            email: self.email.clone().map(EmailAddress::into_string),
            address: self.typed.address.clone(),
            zip: self.typed.zip.clone(),
            service: self.typed.service.clone(),
        }
    }
}

pub(super) struct CustomerSheet {
    columns: [Option<(usize, String)>; COLUMN_NAMES.len()],
    pub ignored: Vec<String>,
    rows: Vec<(i64, csv::StringRecord)>,
}

impl CustomerSheet {
    /// # Errors
    /// [`Error::Invalid`] on `file` when it is no list of customers.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let CsvTable { head, rows } = csv_table::parse_csv(bytes, MAX_ROWS)?;
        let columns = csv_table::match_columns(&head, &COLUMN_NAMES)?;
        let has = |column: ImportColumn| columns[column as usize].is_some();
        let is_named = has(ImportColumn::Name)
            || has(ImportColumn::First)
            || has(ImportColumn::Last)
            || has(ImportColumn::Company);
        if !is_named || !(has(ImportColumn::Phone) || has(ImportColumn::OtherPhone) || has(ImportColumn::Email)) {
            return Err(csv_table::file_error(NEEDED));
        }
        Ok(Self { columns, ignored: csv_table::list_unmatched_columns(&head, &COLUMN_NAMES), rows })
    }

    pub fn iter_rows(&self) -> impl Iterator<Item = (i64, Result<CustomerImportCells, CustomerCellError>)> {
        self.rows.iter().map(|(number, record)| (*number, CustomerRowReader { sheet: self, record }.read_cells()))
    }
}

struct CustomerRowReader<'a> {
    sheet: &'a CustomerSheet,
    record: &'a csv::StringRecord,
}

impl CustomerRowReader<'_> {
    fn cell_error(&self, column: ImportColumn, words: impl Into<String>) -> CustomerCellError {
        let own = self.sheet.columns[column as usize].as_ref().map(|(_, own)| own.clone());
        (own.unwrap_or_else(|| COLUMN_NAMES[column as usize][0].to_owned()), words.into())
    }

    fn read_cell(
        &self,
        column: ImportColumn,
        field: fn(&str) -> InputField<'_>,
    ) -> Result<Option<String>, CustomerCellError> {
        let Some((at, _)) = self.sheet.columns[column as usize].as_ref() else { return Ok(None) };
        let Some(cell) = self.record.get(*at).map(str::trim).filter(|cell| !cell.is_empty()) else { return Ok(None) };
        // Our own export prefixes formula-like cells with an apostrophe.
        let cell = cell.strip_prefix('\'').filter(|rest| rest.starts_with(['=', '+', '-', '@'])).unwrap_or(cell);
        csv_table::parse_cell(cell, field).map_err(|words| self.cell_error(column, words))
    }

    fn read_short_cell(&self, column: ImportColumn) -> Result<Option<String>, CustomerCellError> {
        self.read_cell(column, |cell| single_line("cell", Some(cell), 120))
    }

    /// The full name, else first and last name, else the company.
    fn read_name(&self) -> Result<String, CustomerCellError> {
        if let Some(name) = self.read_short_cell(ImportColumn::Name)? {
            return Ok(name);
        }
        let parts = [self.read_short_cell(ImportColumn::First)?, self.read_short_cell(ImportColumn::Last)?];
        let name = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let name = if name.is_empty() { self.read_short_cell(ImportColumn::Company)? } else { Some(name) };
        name.ok_or_else(|| self.cell_error(ImportColumn::Name, "Name is required"))
    }

    fn read_phone(&self, column: ImportColumn) -> Result<Option<Phone>, CustomerCellError> {
        let Some(number) = self.read_cell(column, |cell| single_line("cell", Some(cell), 40))? else { return Ok(None) };
        let wrong = || self.cell_error(column, "Please enter a phone number with its area code");
        Phone::parse(&number).map(Some).ok_or_else(wrong)
    }

    fn read_address(&self) -> Result<Option<String>, CustomerCellError> {
        let Some(street) = self.read_cell(ImportColumn::Address, |cell| single_line("cell", Some(cell), 200))? else {
            return Ok(None);
        };
        let rest = [self.read_short_cell(ImportColumn::City)?, self.read_short_cell(ImportColumn::State)?];
        let parts: Vec<String> = std::iter::once(street).chain(rest.into_iter().flatten()).collect();
        Ok(Some(parts.join(", ")))
    }

    fn read_cells(&self) -> Result<CustomerImportCells, CustomerCellError> {
        let (first, other) = (self.read_phone(ImportColumn::Phone)?, self.read_phone(ImportColumn::OtherPhone)?);
        let (phone, other_phone) = if first.is_some() { (first, other) } else { (other, None) };
        let source = self.read_cell(ImportColumn::Source, |cell| single_line("cell", Some(cell), 60))?;
        let typed = NewCustomer {
            name: Some(self.read_name()?),
            phone: phone.as_ref().map(|phone| phone.as_e164().to_owned()),
            email: self.read_cell(ImportColumn::Email, |cell| single_line("cell", Some(cell), 254))?,
            address: self.read_address()?,
            zip: self.read_cell(ImportColumn::Zip, |cell| single_line("cell", Some(cell), 12))?,
            source: Some(source.unwrap_or_else(|| "Imported".to_owned())),
            service: self.read_cell(ImportColumn::Service, |cell| single_line("cell", Some(cell), 80))?,
        };
        let read = NewLead::from_typed(&typed).map_err(|e| self.to_cell_error(e))?;
        if phone.is_none() && read.email.is_none() {
            return Err(self.cell_error(ImportColumn::Phone, UNKNOWABLE));
        }
        let notes = self.read_cell(ImportColumn::Notes, |cell| multi_line("cell", Some(cell), 2_000))?;
        let other_phone = other_phone.filter(|other| phone.as_ref() != Some(other));
        Ok(CustomerImportCells { typed, other_phone, notes, phone, email: read.email })
    }

    /// The validation error of a typed customer, under the file's own heading.
    fn to_cell_error(&self, error: Error) -> CustomerCellError {
        let Error::Invalid(errors) = error else { return self.cell_error(ImportColumn::Name, error.to_string()) };
        let Some((field, message)) = errors.0.into_iter().next() else {
            return self.cell_error(ImportColumn::Name, "Name is required");
        };
        let column = match field.as_ref() {
            "customer.phone" => ImportColumn::Phone,
            "customer.email" => ImportColumn::Email,
            "customer.address" => ImportColumn::Address,
            "customer.zip" => ImportColumn::Zip,
            "customer.source" => ImportColumn::Source,
            "customer.service" => ImportColumn::Service,
            _ => ImportColumn::Name,
        };
        self.cell_error(column, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &str) -> Vec<(i64, Result<CustomerImportCells, CustomerCellError>)> {
        CustomerSheet::parse(file.as_bytes()).unwrap().iter_rows().collect()
    }

    #[test]
    fn exports_of_other_programs_are_read() {
        for file in [
            "First name,Last name,Main Phone #s,E-mails,Service Street 1,Service City,Service State,Service Zip code\n\
             Ann,Lee,(512) 555-0142,Ann@Customer.example,12 Oak St,Austin,TX,78701\n",
            "Customer Name;Mobile Number;Email;Address;City;State;Zip\nAnn Lee;512-555-0142;ann@customer.example;12 Oak St;Austin;TX;78701\n",
            "\u{feff}Display Name\tPhone\tEmail Address\tStreet\tCity\tState\tPostal Code\nAnn Lee\t5125550142\tann@customer.example\t12 Oak St\tAustin\tTX\t78701\n",
        ] {
            let rows = read(file);
            let cells = rows[0].1.as_ref().unwrap();
            assert_eq!(cells.contact_keys().collect::<Vec<_>>(), ["+15125550142", "ann@customer.example"], "{file}");
            assert_eq!(cells.typed.name.as_deref(), Some("Ann Lee"));
            assert_eq!(cells.typed.address.as_deref(), Some("12 Oak St, Austin, TX"));
            assert_eq!(cells.typed.zip.as_deref(), Some("78701"));
            assert!(!cells.has_request());
        }
    }

    #[test]
    fn row_fault_names_column_as_in_file() {
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
    fn file_without_names_or_contact_columns_is_rejected() {
        for file in ["Phone,Email\n5125550142,a@b.example\n", "Name,City\nAnn,Austin\n", ""] {
            assert!(matches!(CustomerSheet::parse(file.as_bytes()), Err(Error::Invalid(_))), "{file}");
        }
    }
}
