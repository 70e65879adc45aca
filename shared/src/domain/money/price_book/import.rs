//! A price list from a spreadsheet: what it would change, said first; then taken in one go. The same file again changes
//! nothing.
//!
//! A row is known by its code, else by its name. What a file has no column for stays as it is, and what the book has
//! beside the file stays too.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::{COLUMNS, FULL, MOST, Row, Said, form::UNIT, sheet};
use crate::platform::{
    clock::Origin,
    db::{AsConn, Tx, qb},
    error::Result,
    id::{OrgId, PriceItemId},
    live::{self, Topic},
    money::{Cents, Ppm},
};

/// Rows of the answer that show how the file was read.
const SHOWN: usize = 50;
/// Faults that one answer lists.
const LISTED: usize = 500;

/// What a file does to the book, or would do.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceImport {
    /// Items that were not there.
    pub added: usize,
    /// Items that the file says something else of.
    pub changed: usize,
    /// Items that are as the file says.
    pub same: usize,
    /// Rows that were left out.
    pub failed: usize,
    /// Why, for the first five hundred of them.
    pub errors: Vec<RowError>,
    /// The first fifty of the others, as they were read.
    pub rows: Vec<ReadRow>,
    /// The columns that say nothing to the price book, as the file calls them.
    pub ignored: Vec<String>,
}

/// Why a row was left out.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = PriceRowError)]
pub struct RowError {
    /// As the spreadsheet counts; its first row names the columns.
    pub row: i64,
    /// What stands over the column.
    pub column: String,
    pub message: String,
}

/// What becomes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = PriceRowOutcome)]
pub enum Outcome {
    Added,
    Changed,
    Same,
}

/// A row as it was read.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PriceRow)]
pub struct ReadRow {
    pub row: i64,
    pub outcome: Outcome,
    pub code: Option<String>,
    pub name: String,
    pub description: Option<String>,
    pub unit: String,
    /// US dollars.
    pub price: Cents,
    /// US dollars.
    pub cost: Option<Cents>,
    /// In percent.
    pub tax_rate: Option<Ppm>,
}

/// An item of the book, and the row that already spoke of it.
struct Known {
    id: PriceItemId,
    said: Said,
    by: Option<i64>,
}

/// The book and the rows so far, by what items are recognised by.
#[derive(Default)]
struct Book {
    items: Vec<Known>,
    by_code: HashMap<String, usize>,
    /// In small letters.
    by_name: HashMap<String, Vec<usize>>,
}

impl Book {
    fn put(&mut self, known: Known) {
        self.index(self.items.len(), &known.said);
        self.items.push(known);
    }

    fn index(&mut self, at: usize, said: &Said) {
        self.by_name.entry(said.name.to_lowercase()).or_default().push(at);
        if let Some(code) = &said.code {
            self.by_code.insert(code.clone(), at);
        }
    }

    /// From now on the item says this.
    fn change(&mut self, at: usize, said: Said) {
        if let Some(named) = self.by_name.get_mut(&self.items[at].said.name.to_lowercase()) {
            named.retain(|other| *other != at);
        }
        self.index(at, &said);
        self.items[at].said = said;
    }

    /// The item that a row means: none when it is a new one, an error when it might be several.
    fn meant(&self, row: &sheet::Cells) -> Result<Option<usize>, &'static str> {
        let named = self.by_name.get(&row.name.to_lowercase()).map_or(&[][..], Vec::as_slice);
        let without_code = named.iter().copied().find(|at| self.items[*at].said.code.is_none());
        match &row.code {
            Some(code) => {
                let free = without_code.filter(|at| self.items[*at].by.is_none());
                Ok(self.by_code.get(code).copied().or(free))
            }
            None if without_code.is_some() || named.len() < 2 => Ok(without_code.or(named.first().copied())),
            None => Err("Several items have this name. Please say which by its code"),
        }
    }
}

/// What is to be written.
struct Plan {
    told: PriceImport,
    added: Vec<(PriceItemId, Said)>,
    changed: Vec<(PriceItemId, Said)>,
}

/// What the file would change. Nothing is stored.
///
/// # Errors
/// [`crate::platform::error::Error::Invalid`] on `file` when it is no price list.
pub async fn preview(conn: &mut dyn AsConn, origin: &Origin, org: OrgId, file: &[u8]) -> Result<PriceImport> {
    Ok(plan(conn, origin, org, file).await?.told)
}

/// Takes the rows that fit into the book.
///
/// # Errors
/// [`crate::platform::error::Error::Invalid`] on `file` when it is no price list; [`crate::platform::error::Error::Conflict`] when the book
/// would be too full.
pub async fn import(tx: &mut Tx, origin: &Origin, org: OrgId, file: &[u8]) -> Result<PriceImport> {
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    let plan = plan(&mut *tx, origin, org, file).await?;
    super::store(&mut *tx, origin, org, &plan.added).await?;
    for (id, said) in &plan.changed {
        super::replace(&mut *tx, origin, org, *id, said).await?;
    }
    if plan.told.added + plan.told.changed > 0 {
        live::announce(tx, origin, org, Topic::Price, org.0, None).await?;
    }
    Ok(plan.told)
}

async fn plan(conn: &mut dyn AsConn, origin: &Origin, org: OrgId, file: &[u8]) -> Result<Plan> {
    let sheet = sheet::Sheet::read(file)?;
    let rows = qb!(conn, fetch_all as Row, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM price_item WHERE org_id = ").push_bind(org);
        b.push(" ORDER BY created_at, id");
    })?;
    let there = rows.len();
    let mut book = Book::default();
    for row in rows {
        book.put(Known { id: row.id, said: row.said(), by: None });
    }
    let ignored = sheet.ignored().to_vec();
    let told = PriceImport { added: 0, changed: 0, same: 0, failed: 0, errors: Vec::new(), rows: Vec::new(), ignored };
    let mut plan = Plan { told, added: Vec::new(), changed: Vec::new() };
    // Rows with a code first: they leave no doubt, and what is known by its name must not depend on where it stands.
    let (coded, named): (Vec<_>, Vec<_>) =
        sheet.rows().partition(|(_, read)| read.as_ref().is_ok_and(|row| row.code.is_some()));
    for (number, read) in coded.into_iter().chain(named) {
        let taken = read.and_then(|row| {
            let key = sheet.key(row.code.is_some());
            plan.take(&mut book, origin, number, row).map_err(|words| (key, words))
        });
        if let Err((column, message)) = taken {
            plan.told.errors.push(RowError { row: number, column, message });
        }
    }
    plan.told.sort();
    let most = usize::try_from(MOST).unwrap_or(usize::MAX);
    if there + plan.added.len() > most { Err(FULL) } else { Ok(plan) }
}

impl PriceImport {
    /// In the order of the file, and no longer than somebody reads.
    fn sort(&mut self) {
        self.failed = self.errors.len();
        self.errors.sort_by_key(|error| error.row);
        self.errors.truncate(LISTED);
        self.rows.sort_by_key(|row| row.row);
        self.rows.truncate(SHOWN);
    }
}

impl Plan {
    /// Takes one row, or says why it cannot.
    fn take(&mut self, book: &mut Book, origin: &Origin, number: i64, row: sheet::Cells) -> Result<(), String> {
        let meant = book.meant(&row)?;
        if let Some(by) = meant.and_then(|at| book.items[at].by) {
            return Err(format!("Row {by} is about the same item"));
        }
        let stands = meant.map(|at| &book.items[at].said);
        let said = said(row, stands);
        let outcome = match stands {
            None => Outcome::Added,
            Some(stands) if *stands == said => Outcome::Same,
            Some(_) => Outcome::Changed,
        };
        self.show(number, outcome, &said);
        match meant {
            None => {
                let id = PriceItemId(origin.uuid());
                self.told.added += 1;
                self.added.push((id, said.clone()));
                book.put(Known { id, said, by: Some(number) });
            }
            Some(at) => {
                book.items[at].by = Some(number);
                if outcome == Outcome::Same {
                    self.told.same += 1;
                } else {
                    self.told.changed += 1;
                    self.changed.push((book.items[at].id, said.clone()));
                    book.change(at, said);
                }
            }
        }
        Ok(())
    }

    fn show(&mut self, row: i64, outcome: Outcome, said: &Said) {
        self.told.rows.push(ReadRow {
            row,
            outcome,
            code: said.code.clone(),
            name: said.name.clone(),
            description: said.description.clone(),
            unit: said.unit.clone(),
            price: said.price,
            cost: said.cost,
            tax_rate: said.tax,
        });
    }
}

/// What an item is to say: what the row says, and for the rest what stands. Whatever a list names is sold again.
fn said(row: sheet::Cells, stands: Option<&Said>) -> Said {
    let kept = |pick: fn(&Said) -> Option<String>| stands.and_then(pick);
    Said {
        code: row.code.or_else(|| kept(|stands| stands.code.clone())),
        name: row.name,
        description: row.description.unwrap_or_else(|| kept(|stands| stands.description.clone())),
        unit: row.unit.or_else(|| kept(|stands| Some(stands.unit.clone()))).unwrap_or_else(|| UNIT.to_owned()),
        price: row.price,
        cost: row.cost.unwrap_or_else(|| stands.and_then(|stands| stands.cost)),
        tax: row.tax.unwrap_or_else(|| stands.and_then(|stands| stands.tax)),
        is_active: true,
    }
}
