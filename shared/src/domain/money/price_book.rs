//! The price book: what the business does and sells, with unit and price, ready to be put on a paper.
//!
//! Lines of papers are copies: changing a price changes no estimate that is out. What is not sold any more is set aside
//! and never deleted, since papers name it.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::platform::{
    clock::Origin,
    db::{
        AsConn, Tx,
        batch::{Insert, insert, values},
        like_anywhere, q, qb,
    },
    error::{Error, FieldErrors, Result},
    id::{OrgId, PriceItemId},
    live::{self, Topic},
    money::{Cents, Ppm},
};

mod form;
pub mod import;
mod sheet;

pub use form::PriceForm;

/// More than any business of this kind has.
const MOST: i64 = 20_000;
const FULL: Error = Error::Conflict("The price book is full: it holds 20,000 items.");

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

/// Which items, and how many.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Searched in name, code and description, without regard to case.
    pub q: Option<String>,
    pub is_active: Option<bool>,
    pub limit: i64,
    /// Where the last page ended: an opaque text from [`PricePage::next`].
    pub cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct PricePage {
    pub items: Vec<PriceItem>,
    /// The cursor of the next page; none on the last.
    pub next: Option<String>,
}

/// What an item says, without what the book adds to it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
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
struct Row {
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

impl Row {
    fn said(&self) -> Said {
        Said {
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

impl From<Row> for PriceItem {
    fn from(row: Row) -> Self {
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

impl Said {
    /// What the search looks in, and what the list is sorted by: it begins with the name.
    fn search(&self) -> String {
        let rest = [self.code.as_deref(), self.description.as_deref()].map(Option::unwrap_or_default);
        format!("{}\n{}", self.name, rest.join("\n")).to_lowercase()
    }
}

/// The conditions of a filter, the same for the page and for its count.
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

/// One page, by name.
///
/// # Errors
/// [`Error::Invalid`] on the field `cursor` when it is not one of ours.
pub async fn list(conn: &mut dyn AsConn, org: OrgId, filter: &Filter) -> Result<PricePage> {
    let cursor = filter.cursor.as_deref().map(read_cursor).transpose()?;
    let mut rows = qb!(conn, fetch_all as Row, |b| {
        b.push("SELECT ").push(COLUMNS);
        narrow!(b, org, filter);
        if let Some(last) = cursor {
            // Items are never deleted: where the last page ended is there still.
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

fn read_cursor(text: &str) -> Result<PriceItemId> {
    text.parse::<Uuid>().map(PriceItemId).map_err(|_| {
        let mut errors = FieldErrors::default();
        errors.add("cursor", "This is not a cursor of this list");
        Error::Invalid(errors)
    })
}

/// How many items the filter finds on all its pages.
pub async fn count(conn: &mut dyn AsConn, org: OrgId, filter: &Filter) -> Result<i64> {
    Ok(qb!(conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*)");
        narrow!(b, org, filter);
    })?)
}

async fn find(conn: &mut dyn AsConn, org: OrgId, id: PriceItemId) -> Result<Row> {
    let row = qb!(conn, fetch_optional as Row, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM price_item WHERE org_id = ").push_bind(org);
        b.push(" AND id = ").push_bind(id);
    })?;
    row.ok_or(Error::NotFound)
}

/// # Errors
/// [`Error::NotFound`] when the org has no such item.
pub async fn get(conn: &mut dyn AsConn, org: OrgId, id: PriceItemId) -> Result<PriceItem> {
    find(conn, org, id).await.map(PriceItem::from)
}

/// # Errors
/// [`Error::Invalid`] on the fields that do not fit or are taken; [`Error::Conflict`] when the book is full.
pub async fn add(tx: &mut Tx, origin: &Origin, org: OrgId, form: &PriceForm) -> Result<PriceItem> {
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    let said = form.read(None)?;
    let id = PriceItemId(origin.uuid());
    is_free(&mut *tx, org, id, &said).await?;
    let count = q!(&mut *tx, fetch_one scalar i64, "SELECT COUNT(*) FROM price_item WHERE org_id = $1", org)?;
    if count >= MOST {
        return Err(FULL);
    }
    store(tx, origin, org, &[(id, said)]).await?;
    changed(tx, origin, org, id).await
}

/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] on the fields that do not fit or are taken.
pub async fn edit(tx: &mut Tx, origin: &Origin, org: OrgId, id: PriceItemId, form: &PriceForm) -> Result<PriceItem> {
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    let stands = find(&mut *tx, org, id).await?.said();
    let said = form.read(Some(&stands))?;
    is_free(&mut *tx, org, id, &said).await?;
    replace(tx, origin, org, id, &said).await?;
    changed(tx, origin, org, id).await
}

/// Sets an item aside: it stays on papers and is not offered any more.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such item.
pub async fn set_aside(tx: &mut Tx, origin: &Origin, org: OrgId, id: PriceItemId) -> Result<()> {
    let sql = "UPDATE price_item SET is_active = FALSE, updated_at = $3 WHERE org_id = $1 AND id = $2";
    if q!(&mut *tx, execute, sql, org, id, origin.now())? == 0 {
        return Err(Error::NotFound);
    }
    live::announce(tx, origin, org, Topic::Price, id.0, None).await
}

async fn changed(tx: &mut Tx, origin: &Origin, org: OrgId, id: PriceItemId) -> Result<PriceItem> {
    live::announce(&mut *tx, origin, org, Topic::Price, id.0, None).await?;
    get(tx, org, id).await
}

/// An import knows an item by its code, and one without by its name: neither may be there twice.
async fn is_free(conn: &mut dyn AsConn, org: OrgId, but: PriceItemId, said: &Said) -> Result<()> {
    let mut errors = FieldErrors::default();
    let taken = if let Some(code) = &said.code {
        let sql = "SELECT name, is_active FROM price_item WHERE org_id = $1 AND id <> $2 AND code = $3";
        q!(conn, fetch_optional as (String, bool), sql, org, but, code)?.map(|(name, active)| ("code", name, active))
    } else {
        let name = like_anywhere(&format!("{}\n", said.name.to_lowercase()));
        let sql = "SELECT is_active FROM price_item WHERE org_id = $1 AND id <> $2 AND code IS NULL
            AND search LIKE $3 ESCAPE '\\' LIMIT 1";
        let active = q!(conn, fetch_optional scalar bool, sql, org, but, &name[1..])?;
        // Its name is what was just sent: an error says nothing back.
        active.map(|active| ("name", "Another item".to_owned(), active))
    };
    if let Some((field, name, is_active)) = taken {
        let was = if is_active { "" } else { ", which was set aside," };
        errors.add(field, format!("{name}{was} has it already"));
    }
    errors.finish()
}

/// Puts new items into the book.
async fn store(tx: &mut Tx, origin: &Origin, org: OrgId, items: &[(PriceItemId, Said)]) -> Result<()> {
    let now = origin.now();
    // Well below the number of values that one statement may carry.
    for some in items.chunks(500) {
        let rows = some.iter().map(|(id, said)| {
            values![
                org,
                *id,
                said.code.as_deref(),
                said.name.as_str(),
                said.description.as_deref(),
                said.unit.as_str(),
                said.price,
                said.cost,
                said.tax.map(|tax| tax.0),
                said.is_active,
                said.search(),
                now,
                now
            ]
        });
        let into = Insert::into(
            "price_item (org_id, id, code, name, description, unit, price_cents, cost_cents, tax_ppm, is_active, search,
                 created_at, updated_at)",
        );
        insert(&mut *tx, &into.rows(rows)).await?;
    }
    Ok(())
}

async fn replace(tx: &mut Tx, origin: &Origin, org: OrgId, id: PriceItemId, said: &Said) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE price_item SET code = $3, name = $4, description = $5, unit = $6, price_cents = $7, cost_cents = $8,
             tax_ppm = $9, is_active = $10, search = $11, updated_at = $12 WHERE org_id = $1 AND id = $2",
        org,
        id,
        said.code.as_deref(),
        &said.name,
        said.description.as_deref(),
        &said.unit,
        said.price,
        said.cost,
        said.tax.map(|tax| tax.0),
        said.is_active,
        said.search(),
        origin.now()
    )?;
    Ok(())
}
