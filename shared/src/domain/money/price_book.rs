//! Price book: services and goods of the business, with unit and price, for use on papers.
//!
//! Lines of papers are copies: a price change alters no issued estimate. Items are deactivated, never deleted, since
//! papers refer to them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    conflicts::ConflictCode,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, batch::insert_rows, batch_rows, like_anywhere, q, qb},
        error::{Error, FieldErrors, Result},
        id::{OrgId, PriceItemId},
        live::{self, Topic},
        money::{Cents, Ppm},
    },
};

mod form;
pub mod import;
mod sheet;

pub use form::PriceForm;

/// More than any business of this kind has.
const MAX_ITEMS: i64 = 20_000;
const BOOK_FULL: Error = ConflictCode::PriceBookFull.into_error();

/// Something the business does or sells.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceItem {
    pub id: PriceItemId,
    /// The business's own number for it.
    pub code: Option<String>,
    pub name: String,
    pub description: Option<String>,
    pub unit: String,
    /// US dollars for one unit, without tax. Below 0 it is a credit.
    pub price: Cents,
    /// US dollars; what it costs the business.
    pub cost: Option<Cents>,
    /// In percent; null is whatever the settings say.
    pub tax_rate: Option<Ppm>,
    /// What is not is kept, and not offered any more.
    pub is_active: bool,
    pub updated_at: DateTime<Utc>,
}

#[derive(Clone, Debug, Default)]
pub struct PriceItemFilter {
    /// Searched in name, code and description, ignoring case.
    pub q: Option<String>,
    pub is_active: Option<bool>,
    pub limit: i64,
    /// End of the last page: an opaque text from [`PricePage::next`].
    pub cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct PricePage {
    pub items: Vec<PriceItem>,
    pub next: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct PriceItemData {
    code: Option<String>,
    name: String,
    description: Option<String>,
    unit: String,
    price: Cents,
    cost: Option<Cents>,
    tax: Option<Ppm>,
    is_active: bool,
}

#[derive(Clone, Debug, FromRow)]
struct PriceItemRow {
    id: PriceItemId,
    code: Option<String>,
    name: String,
    description: Option<String>,
    unit: String,
    price_cents: Cents,
    cost_cents: Option<Cents>,
    tax_ppm: Option<i64>,
    is_active: bool,
    updated_at: DateTime<Utc>,
}

const COLUMNS: &str = "id, code, name, description, unit, price_cents, cost_cents, tax_ppm, is_active, updated_at";

impl PriceItemRow {
    fn to_data(&self) -> PriceItemData {
        PriceItemData {
            code: self.code.clone(),
            name: self.name.clone(),
            description: self.description.clone(),
            unit: self.unit.clone(),
            price: self.price_cents,
            cost: self.cost_cents,
            tax: self.tax_ppm.map(Ppm),
            is_active: self.is_active,
        }
    }
}

impl From<PriceItemRow> for PriceItem {
    fn from(row: PriceItemRow) -> Self {
        Self {
            id: row.id,
            code: row.code,
            name: row.name,
            description: row.description,
            unit: row.unit,
            price: row.price_cents,
            cost: row.cost_cents,
            tax_rate: row.tax_ppm.map(Ppm),
            is_active: row.is_active,
            updated_at: row.updated_at,
        }
    }
}

impl PriceItemData {
    /// Search text and sort key: it begins with the name.
    fn search_text(&self) -> String {
        let rest = [self.code.as_deref(), self.description.as_deref()].map(Option::unwrap_or_default);
        format!("{}\n{}", self.name, rest.join("\n")).to_lowercase()
    }
}

/// Conditions of a filter, shared by the page and its count.
macro_rules! narrow {
    ($b:ident, $org:expr, $filter:expr) => {
        $b.push(" FROM price_item p WHERE p.org_id = ").push_bind($org);
        if let Some(is_active) = $filter.is_active {
            $b.push(" AND p.is_active = ").push_bind(is_active);
        }
        if let Some(text) = &$filter.q {
            $b.push(" AND p.search LIKE ").push_bind(like_anywhere(&text.to_lowercase())).push(" ESCAPE '\\'");
        }
    };
}

/// Errors: [`Error::Invalid`] on the field `cursor` when it is not one of ours.
pub async fn list(conn: &mut dyn AsConn, org: OrgId, filter: &PriceItemFilter) -> Result<PricePage> {
    let cursor = filter.cursor.as_deref().map(parse_cursor).transpose()?;
    let mut rows = qb!(conn, fetch_all as PriceItemRow, |b| {
        b.push("SELECT ").push(COLUMNS);
        narrow!(b, org, filter);
        if let Some(last) = cursor {
            // Items are never deleted, so the last row of the previous page still exists.
            b.push(" AND (p.search, p.id) > (SELECT search, id FROM price_item WHERE org_id = ").push_bind(org);
            b.push(" AND id = ").push_bind(last).push(")");
        }
        b.push(" ORDER BY p.search, p.id LIMIT ").push_bind(filter.limit.saturating_add(1));
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|row| row.id.0.simple().to_string());
    Ok(PricePage { items: rows.into_iter().map(PriceItem::from).collect(), next })
}

fn parse_cursor(text: &str) -> Result<PriceItemId> {
    text.parse::<Uuid>().map(PriceItemId).map_err(|_| {
        let mut errors = FieldErrors::default();
        errors.add("cursor", "This is not a cursor of this list");
        Error::Invalid(errors)
    })
}

/// Count over all pages.
pub async fn count_items(conn: &mut dyn AsConn, org: OrgId, filter: &PriceItemFilter) -> Result<i64> {
    Ok(qb!(conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*)");
        narrow!(b, org, filter);
    })?)
}

async fn find_row(conn: &mut dyn AsConn, org: OrgId, id: PriceItemId) -> Result<PriceItemRow> {
    let row = qb!(conn, fetch_optional as PriceItemRow, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM price_item WHERE org_id = ").push_bind(org);
        b.push(" AND id = ").push_bind(id);
    })?;
    row.ok_or(Error::NotFound)
}

/// Errors: [`Error::NotFound`] when the org has no such item.
pub async fn get(conn: &mut dyn AsConn, org: OrgId, id: PriceItemId) -> Result<PriceItem> {
    find_row(conn, org, id).await.map(PriceItem::from)
}

/// Errors: [`Error::Invalid`] on the fields that do not fit or are taken; [`Error::Conflict`] when the book is full.
pub async fn create_item(tx: &mut Tx, origin: &ClockRng, org: OrgId, form: &PriceForm) -> Result<PriceItem> {
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    let item = form.to_item_data(None)?;
    let id = PriceItemId(origin.uuid_v7());
    check_unique(&mut *tx, org, id, &item).await?;
    let count = q!(&mut *tx, fetch_one scalar i64, "SELECT COUNT(*) FROM price_item WHERE org_id = $1", org)?;
    if count >= MAX_ITEMS {
        return Err(BOOK_FULL);
    }
    insert_items(tx, origin, org, &[(id, item)]).await?;
    announce_and_load(tx, origin, org, id).await
}

/// Errors: [`Error::NotFound`]; [`Error::Invalid`] on the fields that do not fit or are taken.
pub async fn update_item(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: PriceItemId,
    form: &PriceForm,
) -> Result<PriceItem> {
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    let stored = find_row(&mut *tx, org, id).await?.to_data();
    let item = form.to_item_data(Some(&stored))?;
    check_unique(&mut *tx, org, id, &item).await?;
    update_row(tx, origin, org, id, &item).await?;
    announce_and_load(tx, origin, org, id).await
}

/// Deactivates an item: it stays on papers and is not offered any more.
/// Errors: [`Error::NotFound`] when the org has no such item.
pub async fn archive_item(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: PriceItemId) -> Result<()> {
    let sql = "UPDATE price_item SET is_active = FALSE, updated_at = $3 WHERE org_id = $1 AND id = $2";
    if q!(&mut *tx, execute, sql, org, id, origin.now())? == 0 {
        return Err(Error::NotFound);
    }
    live::publish_event(tx, origin, org, Topic::Price, id.0, None).await
}

async fn announce_and_load(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: PriceItemId) -> Result<PriceItem> {
    live::publish_event(&mut *tx, origin, org, Topic::Price, id.0, None).await?;
    get(tx, org, id).await
}

/// An import matches items by code, and those without by name: neither may occur twice.
async fn check_unique(conn: &mut dyn AsConn, org: OrgId, but: PriceItemId, item: &PriceItemData) -> Result<()> {
    let mut errors = FieldErrors::default();
    let taken = if let Some(code) = &item.code {
        let sql = "SELECT name, is_active FROM price_item WHERE org_id = $1 AND id <> $2 AND code = $3";
        q!(conn, fetch_optional as (String, bool), sql, org, but, code)?.map(|(name, active)| ("code", name, active))
    } else {
        let name = like_anywhere(&format!("{}\n", item.name.to_lowercase()));
        let sql = "SELECT is_active FROM price_item WHERE org_id = $1 AND id <> $2 AND code IS NULL
            AND search LIKE $3 ESCAPE '\\' LIMIT 1";
        let active = q!(conn, fetch_optional scalar bool, sql, org, but, &name[1..])?;
        // The name is what was just sent; the error does not repeat it.
        active.map(|active| ("name", "Another item".to_owned(), active))
    };
    if let Some((field, name, is_active)) = taken {
        let was = if is_active { "" } else { ", which was set aside," };
        errors.add(field, format!("{name}{was} has it already"));
    }
    errors.into_result()
}

async fn insert_items(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    items: &[(PriceItemId, PriceItemData)],
) -> Result<()> {
    let now = origin.now();
    // Well below the limit of values in one statement.
    for some in items.chunks(500) {
        let rows = batch_rows!(some.iter(), |(id, item)| price_item {
            org_id: org,
            id: *id,
            code: item.code.as_deref(),
            name: item.name.as_str(),
            description: item.description.as_deref(),
            unit: item.unit.as_str(),
            price_cents: item.price,
            cost_cents: item.cost,
            tax_ppm: item.tax.map(|tax| tax.0),
            is_active: item.is_active,
            search: item.search_text(),
            created_at: now,
            updated_at: now,
        });
        insert_rows(&mut *tx, &rows).await?;
    }
    Ok(())
}

async fn update_row(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: PriceItemId, item: &PriceItemData) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE price_item SET code = $3, name = $4, description = $5, unit = $6, price_cents = $7, cost_cents = $8,
             tax_ppm = $9, is_active = $10, search = $11, updated_at = $12 WHERE org_id = $1 AND id = $2",
        org,
        id,
        item.code.as_deref(),
        &item.name,
        item.description.as_deref(),
        &item.unit,
        item.price,
        item.cost,
        item.tax.map(|tax| tax.0),
        item.is_active,
        item.search_text(),
        origin.now()
    )?;
    Ok(())
}
