//! Customers and their requests from another program's list: what the file would bring in, said first; then taken a
//! hundred at a time, so that others' work goes on; and taken back within a day where nothing has come of it.
//!
//! A person is known by a number or an email, so the same file again brings in nobody. Who is known already stays as they
//! are: the file may be older than what we know. No rule answers what comes this way, and a number that asked for no
//! messages stays stopped whoever brings it in.

use std::collections::HashSet;

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::property::{self, PropertyForm};
use crate::{
    domain::{
        intake::{
            contact_point::{self, Proof},
            lead::{self, NewLead},
        },
        tenancy::org::Profile,
    },
    platform::{
        clock::Origin,
        db::{
            AsConn, Tx,
            batch::{Insert, insert, values},
            q,
        },
        error::{Error, Result},
        id::{AccountId, CustomerId, CustomerImportId, LeadId, OrgId},
        live::{self, Topic},
        phone::Phone,
    },
};

mod sheet;
mod undo;

pub use undo::{Undone, undo};

use sheet::{Cells, Sheet};

/// Rows that are taken in one transaction.
pub const AT_ONCE: usize = 100;
/// Rows of the answer that show how the file was read.
const SHOWN: usize = 50;
/// So long what came in can be taken back.
pub(super) const UNDOABLE: Duration = Duration::hours(24);

/// What a file brings in, or would.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerImport {
    /// What it is taken back by; none for a dry run, and when nobody came in.
    pub id: Option<CustomerImportId>,
    /// Customers that were not known.
    pub added: usize,
    /// Of these, with a request.
    pub leads: usize,
    /// Rows of people who are known, or stand above in the same file.
    pub same: usize,
    /// Rows that were left out.
    pub failed: usize,
    /// Why, for each of them.
    pub errors: Vec<RowError>,
    /// The first fifty of the others, as they were read.
    pub rows: Vec<ReadRow>,
    /// The columns that say nothing to us, as the file calls them.
    pub ignored: Vec<String>,
}

/// Why a row was left out.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = CustomerRowError)]
pub struct RowError {
    /// As the spreadsheet counts; its first row names the columns.
    pub row: i64,
    /// What stands over the column.
    pub column: String,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = CustomerRowOutcome)]
pub enum Outcome {
    Added,
    Same,
}

/// A row as it was read.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CustomerRow)]
pub struct ReadRow {
    pub row: i64,
    pub outcome: Outcome,
    pub name: String,
    /// As people read it.
    pub phone_shown: Option<String>,
    pub email: Option<String>,
    pub address: Option<String>,
    pub zip: Option<String>,
    /// What they want done: then the row is a request too.
    pub service: Option<String>,
}

/// An import as the list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CustomerImportEntry)]
pub struct Entry {
    pub id: CustomerImportId,
    pub at: DateTime<Utc>,
    pub customers: i64,
    pub leads: i64,
    pub undone_at: Option<DateTime<Utc>>,
}

/// What is to be taken in.
#[derive(Debug)]
pub struct Plan {
    pub told: CustomerImport,
    rows: Vec<Cells>,
}

impl Plan {
    /// The rows in pieces, each for a transaction of its own.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        self.rows.chunks(AT_ONCE).map(Piece)
    }

    /// Whether anybody comes in.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Some rows of a file.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a>(&'a [Cells]);

/// What the file would bring in. Nothing is stored.
///
/// # Errors
/// [`Error::Invalid`] on `file` when it is no list of customers.
pub async fn plan(conn: &mut dyn AsConn, org: OrgId, file: &[u8]) -> Result<Plan> {
    let sheet = Sheet::read(file)?;
    // As `contact_point::identifies` has it, for all at once.
    let sql = "SELECT k.value FROM customer_key k WHERE k.org_id = $1 AND (k.proof NOT IN ('form', 'answered')
         OR (k.proof = 'form' AND NOT EXISTS (SELECT 1 FROM customer_key o WHERE o.org_id = $1
             AND o.customer_id = k.customer_id AND o.proof NOT IN ('form', 'answered'))))";
    let mut known: HashSet<String> = q!(conn, fetch_all scalar String, sql, org)?.into_iter().collect();
    let told = CustomerImport { ignored: sheet.ignored.clone(), ..CustomerImport::default() };
    let mut plan = Plan { told, rows: Vec::new() };
    for (row, read) in sheet.rows() {
        let cells = match read {
            Ok(cells) => cells,
            Err((column, message)) => {
                plan.told.errors.push(RowError { row, column, message });
                continue;
            }
        };
        let is_known = cells.keys().any(|key| known.contains(key));
        // The numbers of a row whose person is known are not another's because a file says so.
        known.extend(cells.keys().filter(|_| !is_known).map(ToOwned::to_owned));
        plan.take(row, cells, is_known);
    }
    plan.told.failed = plan.told.errors.len();
    Ok(plan)
}

impl Plan {
    fn take(&mut self, row: i64, cells: Cells, is_known: bool) {
        if self.told.rows.len() < SHOWN {
            let outcome = if is_known { Outcome::Same } else { Outcome::Added };
            self.told.rows.push(cells.shown(row, outcome));
        }
        if is_known {
            self.told.same += 1;
            return;
        }
        self.told.added += 1;
        self.told.leads += usize::from(cells.has_request());
        self.rows.push(cells);
    }
}

/// Writes down that a file comes in: what it brings can be taken back by this.
pub async fn begin(tx: &mut Tx, origin: &Origin, org: OrgId, by: AccountId) -> Result<CustomerImportId> {
    tx.guard_writable(org);
    let id = CustomerImportId(origin.uuid());
    let sql =
        "INSERT INTO customer_import (org_id, id, at, account_id, customers, leads) VALUES ($1, $2, $3, $4, 0, 0)";
    q!(tx, execute, sql, org, id, origin.now(), by)?;
    Ok(id)
}

/// Takes some rows in. Whoever became known since the plan was made is passed over.
pub async fn take(
    tx: &mut Tx,
    origin: &Origin,
    (profile, id): (&Profile, CustomerImportId),
    piece: Piece<'_>,
) -> Result<()> {
    let org = profile.org.id;
    // One piece at a time: two files at once must not bring in the same person twice.
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    let mut came = Vec::with_capacity(piece.0.len());
    for cells in piece.0 {
        if !is_known(&mut *tx, org, cells).await? {
            came.push(take_one(&mut *tx, origin, profile, cells).await?);
        }
    }
    let leads = came.iter().filter(|(_, lead)| lead.is_some()).count();
    let rows = came.iter().map(|(customer, lead)| values![org, id, *customer, *lead]);
    let columns = "customer_import_row (org_id, import_id, customer_id, lead_id)";
    insert(&mut *tx, &Insert::into(columns).rows(rows)).await?;
    let sql = "UPDATE customer_import SET customers = customers + $3, leads = leads + $4
         WHERE org_id = $1 AND id = $2 AND undone_at IS NULL";
    let whole = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    if q!(&mut *tx, execute, sql, org, id, whole(came.len()), whole(leads))? == 0 {
        return Err(Error::Conflict("This list was taken back while it came in. The rest of it was left out."));
    }
    live::announce(tx, origin, org, Topic::Customer, org.0, None).await
}

/// Whether somebody is known by one of the row's numbers or its email.
async fn is_known(conn: &mut dyn AsConn, org: OrgId, cells: &Cells) -> Result<bool> {
    let sql = "SELECT customer_id, proof FROM customer_key WHERE org_id = $1 AND kind IN ('phone', 'email')
         AND value = $2";
    for key in cells.keys() {
        let found = q!(&mut *conn, fetch_optional as (CustomerId, Proof), sql, org, key)?;
        let Some((customer, proof)) = found else { continue };
        if contact_point::identifies(&mut *conn, org, customer, proof).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A new customer with their numbers and their place, and the request where the row names one.
async fn take_one(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    cells: &Cells,
) -> Result<(CustomerId, Option<LeadId>)> {
    let org = profile.org.id;
    let new = NewLead::from_typed(&cells.typed)?;
    // The customer first, for both: the request then finds them.
    let customer = lead::customer::meet(&mut *tx, origin, org, &new).await?;
    // What the row says, and nothing else of somebody who became known by a form at the same instant.
    let imported = "UPDATE customer_key SET proof = 'imported', proved_at = $3 WHERE org_id = $1 AND customer_id = $2
         AND proof = 'office' AND value IN ($4, $5)";
    let phone = new.phone_e164.as_ref().map_or("", |phone| phone.as_e164());
    let email = new.email.as_deref().unwrap_or_default();
    q!(&mut *tx, execute, imported, org, customer, origin.now(), phone, email)?;
    if let Some(phone) = &cells.other_phone {
        keep_number(&mut *tx, origin, org, customer, phone).await?;
    }
    if let Some(address) = &cells.typed.address {
        let place = PropertyForm {
            address: Some(address.clone()),
            zip: Some(cells.typed.zip.clone()),
            notes: Some(cells.notes.clone()),
            ..PropertyForm::default()
        };
        property::add(&mut *tx, origin, org, customer, &place).await?;
    }
    let lead = if cells.has_request() { Some(lead::listed(tx, origin, profile, &cells.typed).await?) } else { None };
    Ok((customer, lead))
}

async fn keep_number(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId, phone: &Phone) -> Result<()> {
    let sql = "INSERT INTO customer_key (org_id, kind, value, customer_id, proof, proved_at)
         VALUES ($1, 'phone', $2, $3, 'imported', $4) ON CONFLICT (org_id, kind, value) DO NOTHING";
    q!(tx, execute, sql, org, phone.as_e164(), customer, origin.now())?;
    Ok(())
}

/// The last ones, the newest first.
pub async fn list(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<Entry>> {
    let sql = "SELECT id, at, customers, leads, undone_at FROM customer_import WHERE org_id = $1
         ORDER BY at DESC, id LIMIT 20";
    Ok(q!(conn, fetch_all as Entry, sql, org)?)
}

/// # Errors
/// [`Error::NotFound`] when the business has none of this id.
pub async fn find(conn: &mut dyn AsConn, org: OrgId, id: CustomerImportId) -> Result<Entry> {
    let sql = "SELECT id, at, customers, leads, undone_at FROM customer_import WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional as Entry, sql, org, id)?.ok_or(Error::NotFound)
}
