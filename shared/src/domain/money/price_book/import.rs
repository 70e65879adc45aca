//! Price list import: previewed first, then applied at once. Importing the same file again changes nothing.
//!
//! A row is matched by code, else by name. Columns missing from the file, and items missing from it, stay unchanged.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::{BOOK_FULL, COLUMNS, MAX_ITEMS, PriceItemData, PriceItemRow, form::DEFAULT_UNIT, sheet};
use crate::platform::{
    clock::ClockRng,
    csv_table::ImportRowError,
    db::{AsConn, Tx, qb},
    error::Result,
    id::{OrgId, PriceItemId},
    live::{self, Topic},
    money::{Cents, Ppm},
};

/// Rows that the answer shows.
const MAX_PREVIEW_ROWS: usize = 50;
/// Errors that one answer lists.
const MAX_ERRORS: usize = 500;

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
    pub errors: Vec<ImportRowError>,
    /// The first fifty of the others, as they were read.
    pub rows: Vec<PriceRow>,
    /// The columns that say nothing to the price book, as the file calls them.
    pub ignored: Vec<String>,
}

/// What becomes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PriceRowOutcome {
    Added,
    Changed,
    Same,
}

/// A row as it was read.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceRow {
    pub row: i64,
    pub outcome: PriceRowOutcome,
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

/// An item, and the row that already named it.
struct IndexedPriceItem {
    id: PriceItemId,
    item: PriceItemData,
    by: Option<i64>,
}

/// Items of the book and of the rows so far, by code and by name.
#[derive(Default)]
struct PriceItemIndex {
    items: Vec<IndexedPriceItem>,
    by_code: HashMap<String, usize>,
    /// In lower case.
    by_name: HashMap<String, Vec<usize>>,
}

impl PriceItemIndex {
    fn insert(&mut self, indexed: IndexedPriceItem) {
        self.add_to_index(self.items.len(), &indexed.item);
        self.items.push(indexed);
    }

    fn add_to_index(&mut self, at: usize, item: &PriceItemData) {
        self.by_name.entry(item.name.to_lowercase()).or_default().push(at);
        if let Some(code) = &item.code {
            self.by_code.insert(code.clone(), at);
        }
    }

    fn replace_item(&mut self, at: usize, item: PriceItemData) {
        if let Some(named) = self.by_name.get_mut(&self.items[at].item.name.to_lowercase()) {
            named.retain(|other| *other != at);
        }
        self.add_to_index(at, &item);
        self.items[at].item = item;
    }

    /// The item that a row refers to: none for a new one, an error when it is ambiguous.
    fn match_row(&self, row: &sheet::PriceSheetRow) -> Result<Option<usize>, &'static str> {
        let named = self.by_name.get(&row.name.to_lowercase()).map_or(&[][..], Vec::as_slice);
        let without_code = named.iter().copied().find(|at| self.items[*at].item.code.is_none());
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

struct PriceImportPlan {
    report: PriceImport,
    added: Vec<(PriceItemId, PriceItemData)>,
    changed: Vec<(PriceItemId, PriceItemData)>,
}

/// Stores nothing.
/// Errors: [`crate::platform::error::Error::Invalid`] on `file` when it is no price list.
pub async fn preview_import(conn: &mut dyn AsConn, origin: &ClockRng, org: OrgId, file: &[u8]) -> Result<PriceImport> {
    Ok(build_plan(conn, origin, org, file).await?.report)
}

/// Applies the valid rows.
/// Errors: [`crate::platform::error::Error::Invalid`] on `file` when it is no price list;
/// [`crate::platform::error::Error::Conflict`] when the book would be too full.
pub async fn import_items(tx: &mut Tx, origin: &ClockRng, org: OrgId, file: &[u8]) -> Result<PriceImport> {
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    let plan = build_plan(&mut *tx, origin, org, file).await?;
    super::insert_items(&mut *tx, origin, org, &plan.added).await?;
    for (id, item) in &plan.changed {
        super::update_row(&mut *tx, origin, org, *id, item).await?;
    }
    if plan.report.added + plan.report.changed > 0 {
        live::publish_event(tx, origin, org, Topic::Price, org.0, None).await?;
    }
    Ok(plan.report)
}

async fn build_plan(conn: &mut dyn AsConn, origin: &ClockRng, org: OrgId, file: &[u8]) -> Result<PriceImportPlan> {
    let sheet = sheet::PriceSheet::parse(file)?;
    let rows = qb!(conn, fetch_all as PriceItemRow, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM price_item WHERE org_id = ").push_bind(org);
        b.push(" ORDER BY created_at, id");
    })?;
    let there = rows.len();
    let mut book = PriceItemIndex::default();
    for row in rows {
        book.insert(IndexedPriceItem { id: row.id, item: row.to_data(), by: None });
    }
    let ignored = sheet.ignored_columns().to_vec();
    let (errors, rows) = (Vec::new(), Vec::new());
    let report = PriceImport { added: 0, changed: 0, same: 0, failed: 0, errors, rows, ignored };
    let mut plan = PriceImportPlan { report, added: Vec::new(), changed: Vec::new() };
    // Rows with a code first: they are unambiguous, and a match by name must not depend on the order of rows.
    let (coded, named): (Vec<_>, Vec<_>) =
        sheet.rows().partition(|(_, read)| read.as_ref().is_ok_and(|row| row.code.is_some()));
    for (number, read) in coded.into_iter().chain(named) {
        let taken = read.and_then(|row| {
            let key = sheet.key_heading(row.code.is_some());
            plan.add_row(&mut book, origin, number, row).map_err(|words| (key, words))
        });
        if let Err((column, message)) = taken {
            plan.report.errors.push(ImportRowError { row: number, column, message });
        }
    }
    plan.report.sort_rows();
    let most = usize::try_from(MAX_ITEMS).unwrap_or(usize::MAX);
    if there + plan.added.len() > most { Err(BOOK_FULL) } else { Ok(plan) }
}

impl PriceImport {
    /// In the order of the file, cut to a readable length.
    fn sort_rows(&mut self) {
        self.failed = self.errors.len();
        self.errors.sort_by_key(|error| error.row);
        self.errors.truncate(MAX_ERRORS);
        self.rows.sort_by_key(|row| row.row);
        self.rows.truncate(MAX_PREVIEW_ROWS);
    }
}

impl PriceImportPlan {
    fn add_row(
        &mut self,
        book: &mut PriceItemIndex,
        origin: &ClockRng,
        number: i64,
        row: sheet::PriceSheetRow,
    ) -> Result<(), String> {
        let matched = book.match_row(&row)?;
        if let Some(by) = matched.and_then(|at| book.items[at].by) {
            return Err(format!("Row {by} is about the same item"));
        }
        let stored = matched.map(|at| &book.items[at].item);
        let item = merge_row(row, stored);
        let outcome = match stored {
            None => PriceRowOutcome::Added,
            Some(stored) if *stored == item => PriceRowOutcome::Same,
            Some(_) => PriceRowOutcome::Changed,
        };
        self.push_preview(number, outcome, &item);
        match matched {
            None => {
                let id = PriceItemId(origin.uuid_v7());
                self.report.added += 1;
                self.added.push((id, item.clone()));
                book.insert(IndexedPriceItem { id, item, by: Some(number) });
            }
            Some(at) => {
                book.items[at].by = Some(number);
                if outcome == PriceRowOutcome::Same {
                    self.report.same += 1;
                } else {
                    self.report.changed += 1;
                    self.changed.push((book.items[at].id, item.clone()));
                    book.replace_item(at, item);
                }
            }
        }
        Ok(())
    }

    fn push_preview(&mut self, row: i64, outcome: PriceRowOutcome, item: &PriceItemData) {
        self.report.rows.push(PriceRow {
            row,
            outcome,
            code: item.code.clone(),
            name: item.name.clone(),
            description: item.description.clone(),
            unit: item.unit.clone(),
            price: item.price,
            cost: item.cost,
            tax_rate: item.tax,
        });
    }
}

/// The row's values, and the stored ones for the rest. An item named in a list becomes active again.
fn merge_row(row: sheet::PriceSheetRow, stored: Option<&PriceItemData>) -> PriceItemData {
    let kept = |pick: fn(&PriceItemData) -> Option<String>| stored.and_then(pick);
    PriceItemData {
        code: row.code.or_else(|| kept(|stored| stored.code.clone())),
        name: row.name,
        description: row.description.unwrap_or_else(|| kept(|stored| stored.description.clone())),
        unit: row.unit.or_else(|| kept(|stored| Some(stored.unit.clone()))).unwrap_or_else(|| DEFAULT_UNIT.to_owned()),
        price: row.price,
        cost: row.cost.unwrap_or_else(|| stored.and_then(|stored| stored.cost)),
        tax: row.tax.unwrap_or_else(|| stored.and_then(|stored| stored.tax)),
        is_active: true,
    }
}
