//! Import of customers and requests from another program's list: first a plan without changes, then batches of a
//! hundred rows so that other work goes on. It can be undone for a day where nothing has happened since.
//!
//! Customers are matched by number or email, so importing a file again adds no one. Known customers stay unchanged
//! because the file may be older; but where only forms made a customer known, the row proves its addresses. Imports
//! trigger no automatic messages, and an opted-out number stays opted out.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::property::{self, PropertyForm};
use crate::{
    conflicts::ConflictCode,
    domain::{
        intake::{
            contact_point::ContactPointKind,
            lead::{self, NewLead},
        },
        tenancy::org::OrgProfile,
    },
    platform::{
        clock::ClockRng,
        csv_table::ImportRowError,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_rows, values},
            q,
        },
        email_address::EmailAddress,
        error::{Error, Result},
        id::{AccountId, CustomerId, CustomerImportId, LeadId, OrgId},
        live::{self, Topic},
    },
};

mod known_contacts;
mod sheet;
mod undo;

pub use undo::{CustomerImportUndone, undo_import};

use known_contacts::{KnownContactKeys, NamedCustomer};
use sheet::{CustomerImportCells, CustomerSheet};

/// Rows in one transaction.
pub const ROWS_PER_BATCH: usize = 100;
const MAX_PREVIEW_ROWS: usize = 50;
pub(super) const IMPORT_UNDO_WINDOW: Duration = Duration::hours(24);

/// What a file brings in, or would.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerImport {
    /// Event by which the import can be undone; none for a dry run and for an empty import.
    pub id: Option<CustomerImportId>,
    /// Customers that were not known.
    pub added: usize,
    /// Of these, with a request.
    pub leads: usize,
    /// Customers whom only forms made known: the row confirms its phones and email.
    pub updated: usize,
    /// Rows of known customers, and repeated rows of the same file.
    pub same: usize,
    /// Rows that were left out.
    pub failed: usize,
    /// Why, for each of them.
    pub errors: Vec<ImportRowError>,
    /// The first fifty of the others, as they were read.
    pub rows: Vec<CustomerRow>,
    /// The columns that say nothing to us, as the file calls them.
    pub ignored: Vec<String>,
}

/// What becomes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CustomerRowOutcome {
    Added,
    /// Only forms made them known: the row confirms its phones and email.
    Updated,
    /// They are here already.
    Same,
}

/// A row as it was read.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerRow {
    pub row: i64,
    pub outcome: CustomerRowOutcome,
    pub name: String,
    /// As people read it.
    pub phone_shown: Option<String>,
    pub email: Option<String>,
    pub address: Option<String>,
    pub zip: Option<String>,
    /// What they want done: then the row is a request too.
    pub service: Option<String>,
}

/// An import as the list shows it. One that added no one is not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerImportEntry {
    pub id: CustomerImportId,
    pub at: DateTime<Utc>,
    pub customers: i64,
    pub leads: i64,
    pub undone_at: Option<DateTime<Utc>>,
}

#[derive(Debug)]
pub struct CustomerImportPlan {
    pub report: CustomerImport,
    rows: Vec<CustomerImportCells>,
}

impl CustomerImportPlan {
    pub fn iter_batches(&self) -> impl Iterator<Item = CustomerImportBatch<'_>> {
        self.rows.chunks(ROWS_PER_BATCH).map(CustomerImportBatch)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

#[derive(Clone, Copy, Debug)]
pub struct CustomerImportBatch<'a>(&'a [CustomerImportCells]);

/// What the file would import. Stores nothing.
///
/// # Errors
/// [`Error::Invalid`] on `file` when it is no list of customers.
pub async fn plan_import(conn: &mut dyn AsConn, org: OrgId, file: &[u8]) -> Result<CustomerImportPlan> {
    let sheet = CustomerSheet::parse(file)?;
    let mut known = KnownContactKeys::load_for_org(conn, org).await?;
    let report = CustomerImport { ignored: sheet.ignored.clone(), ..CustomerImport::default() };
    let mut plan = CustomerImportPlan { report, rows: Vec::new() };
    for (row, read) in sheet.iter_rows() {
        let cells = match read {
            Ok(cells) => cells,
            Err((column, message)) => {
                plan.report.errors.push(ImportRowError { row, column, message });
                continue;
            }
        };
        let outcome = known.classify_row(&cells);
        plan.add_row(row, cells, outcome);
    }
    plan.report.failed = plan.report.errors.len();
    Ok(plan)
}

impl CustomerImportPlan {
    fn add_row(&mut self, row: i64, cells: CustomerImportCells, outcome: CustomerRowOutcome) {
        if self.report.rows.len() < MAX_PREVIEW_ROWS {
            self.report.rows.push(cells.to_preview_row(row, outcome));
        }
        match outcome {
            CustomerRowOutcome::Same => {
                self.report.same += 1;
                return;
            }
            CustomerRowOutcome::Updated => self.report.updated += 1,
            CustomerRowOutcome::Added => {
                self.report.added += 1;
                self.report.leads += usize::from(cells.has_request());
            }
        }
        self.rows.push(cells);
    }
}

pub async fn start_import(tx: &mut Tx, origin: &ClockRng, org: OrgId, by: AccountId) -> Result<CustomerImportId> {
    tx.guard_writable(org);
    let id = CustomerImportId(origin.uuid_v7());
    let sql =
        "INSERT INTO customer_import (org_id, id, at, account_id, customers, leads) VALUES ($1, $2, $3, $4, 0, 0)";
    q!(tx, execute, sql, org, id, origin.now(), by)?;
    Ok(id)
}

/// Imports some rows. Customers who became known since the plan are skipped.
pub async fn import_batch(
    tx: &mut Tx,
    origin: &ClockRng,
    (profile, id): (&OrgProfile, CustomerImportId),
    piece: CustomerImportBatch<'_>,
) -> Result<()> {
    let org = profile.org.id;
    // Serializes batches: two concurrent files must not import the same person twice.
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    let mut came = Vec::with_capacity(piece.0.len());
    for cells in piece.0 {
        match known_contacts::find_named_customer(&mut *tx, org, cells).await? {
            NamedCustomer::Unknown => came.extend(import_row(&mut *tx, origin, profile, cells).await?),
            NamedCustomer::Typed(customer) => {
                known_contacts::confirm_typed_customer(&mut *tx, origin, org, customer, cells).await?;
            }
            NamedCustomer::Proven => {}
        }
    }
    let leads = came.iter().filter(|(_, lead)| lead.is_some()).count();
    let rows = came.iter().map(|(customer, lead)| values![org, id, *customer, *lead]);
    let rows = Insert::into("customer_import_row (org_id, import_id, customer_id, lead_id)").with_rows(rows);
    insert_rows(&mut *tx, &rows).await?;
    let sql = "UPDATE customer_import SET customers = customers + $3, leads = leads + $4
         WHERE org_id = $1 AND id = $2 AND undone_at IS NULL";
    let whole = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    if q!(&mut *tx, execute, sql, org, id, whole(came.len()), whole(leads))? == 0 {
        return Err(ConflictCode::ImportUndoneMeanwhile.into_error());
    }
    live::publish_event(tx, origin, org, Topic::Customer, org.0, None).await
}

/// None where a form made the customer known at the same instant: the row then confirms its addresses and adds nothing.
async fn import_row(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    cells: &CustomerImportCells,
) -> Result<Option<(CustomerId, Option<LeadId>)>> {
    let org = profile.org.id;
    let new = NewLead::from_typed(&cells.typed)?;
    // The customer first, for both cases: the request then finds the record.
    let who = lead::customer::match_or_create_customer(&mut *tx, origin, org, &new).await?;
    let customer = who.id;
    // Only the row's own addresses, not those of a customer that a form created at the same instant.
    let imported = "UPDATE customer_key SET proof = 'imported', proved_at = $3 WHERE org_id = $1 AND customer_id = $2
         AND proof = 'office' AND value IN ($4, $5)";
    let phone = new.phone_e164.as_ref().map_or("", |phone| phone.as_e164());
    let email = new.email.as_ref().map_or("", EmailAddress::as_str);
    q!(&mut *tx, execute, imported, org, customer, origin.now(), phone, email)?;
    if !who.is_new {
        known_contacts::confirm_typed_customer(tx, origin, org, customer, cells).await?;
        return Ok(None);
    }
    if let Some(phone) = &cells.other_phone {
        let point = (ContactPointKind::Phone, phone.as_e164());
        known_contacts::claim_imported_key(&mut *tx, origin, org, customer, point).await?;
    }
    if let Some(address) = &cells.typed.address {
        let place = PropertyForm {
            address: Some(address.clone()),
            zip: Some(cells.typed.zip.clone()),
            notes: Some(cells.notes.clone()),
            ..PropertyForm::default()
        };
        property::add_property(&mut *tx, origin, org, customer, &place).await?;
    }
    let lead = if cells.has_request() {
        Some(lead::create_imported_lead(tx, origin, profile, &cells.typed).await?)
    } else {
        None
    };
    Ok(Some((customer, lead)))
}

pub async fn list(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<CustomerImportEntry>> {
    let sql = "SELECT id, at, customers, leads, undone_at FROM customer_import WHERE org_id = $1 AND customers > 0
         ORDER BY at DESC, id LIMIT 20";
    Ok(q!(conn, fetch_all as CustomerImportEntry, sql, org)?)
}

pub async fn find(conn: &mut dyn AsConn, org: OrgId, id: CustomerImportId) -> Result<CustomerImportEntry> {
    let sql = "SELECT id, at, customers, leads, undone_at FROM customer_import WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional as CustomerImportEntry, sql, org, id)?.ok_or(Error::NotFound)
}
