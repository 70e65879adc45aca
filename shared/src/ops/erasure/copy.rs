//! Copy of one person's data: every row of the catalogue's places as JSON, and their files, in one archive. The rows
//! are read before sending begins, so that a slow reader holds no connection.

use std::{collections::BTreeSet, io};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::Sender;

use super::{
    addresses::list_addresses,
    catalogue::{ERASURE_TARGETS, ErasureTarget},
    notices::list_alerts_by_key,
};
use crate::{
    domain::intake::customer,
    ops::tenant_data::digest,
    platform::{
        db::{
            AsConn,
            rows::{self, Cell, RowCells, TableShape},
        },
        error::{Error, Result},
        id::{CustomerId, OrgId},
        storage::{Storage, StorageError},
        zip_stream::{ZipChunk, ZipStream},
    },
};

/// Limit of rows of one table, above any real number.
const MAX_ROWS: i64 = 20_000;
/// Places whose rows stay on erasure and belong to the person all the same.
const ADDITIONAL_TABLES: [(&str, &str); 2] = [
    ("invoice", "lead_id IN (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)"),
    ("erasure", "customer_id = $2"),
];
/// Rows that know the person by their addresses alone.
const TABLES_BY_ADDRESS: [(&str, &str); 4] = [
    ("opt_out", "address = $2"),
    ("sending_contact", "address = $2"),
    ("call", "customer_id IS NULL AND lead_id IS NULL AND from_address = $2"),
    ("review", "customer_id IS NULL AND lead_id IS NULL AND (phone_e164 = $2 OR email = $2)"),
];
/// Internal columns that are left out.
const HIDDEN_COLUMNS: [&str; 4] = ["org_id", "search", "last_word", "phone_end"];

#[derive(Clone, Debug)]
pub struct PersonalDataCopy {
    pub document: Vec<u8>,
    /// Files of the store: name of the entry, and key.
    pub files: Vec<(String, String)>,
}

/// Errors: [`crate::platform::error::Error::NotFound`] without such a customer.
pub async fn load_personal_data(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: CustomerId,
    now: DateTime<Utc>,
) -> Result<PersonalDataCopy> {
    let id = customer::resolve_merged(&mut *conn, org, id).await?;
    let people = super::list_customer_records(&mut *conn, org, id).await?;
    let listed = ERASURE_TARGETS.iter().map(|ErasureTarget { table, of, .. }| (*table, *of)).chain(ADDITIONAL_TABLES);
    let (mut tables, mut keys) = (Map::new(), BTreeSet::new());
    for (table, of) in listed {
        let shape = rows::load_table_shape(&mut *conn, table).await?;
        let mut found = Vec::new();
        for person in &people {
            found.extend(rows::load_matching(&mut *conn, &shape, of, (org, person.0), MAX_ROWS).await?);
            if table == "alert" {
                found.extend(load_alerts_by_key(&mut *conn, &shape, org, *person).await?);
            }
        }
        tables.insert(table.to_owned(), Value::Array(to_json_rows(&shape, &found, &mut keys)?));
    }
    let mut addresses = BTreeSet::new();
    for person in &people {
        addresses.extend(list_addresses(&mut *conn, org, *person, &people).await?);
    }
    for (table, of) in TABLES_BY_ADDRESS {
        let shape = rows::load_table_shape(&mut *conn, table).await?;
        let mut found = Vec::new();
        for address in &addresses {
            let whose = (org, address.as_str());
            found.extend(rows::load_matching_text(&mut *conn, &shape, of, whose, MAX_ROWS).await?);
        }
        append_rows(&mut tables, table, to_json_rows(&shape, &found, &mut keys)?);
    }
    let document = json!({"customerId": id, "takenAt": now, "tables": tables});
    let document = serde_json::to_vec_pretty(&document).map_err(|e| json_error(&e))?;
    let files = keys.into_iter().map(|key| (format!("files/{}", key.rsplit('/').next().unwrap_or(&key)), key));
    Ok(PersonalDataCopy { document, files: files.collect() })
}

async fn load_alerts_by_key(
    conn: &mut dyn AsConn,
    shape: &TableShape,
    org: OrgId,
    person: CustomerId,
) -> Result<Vec<RowCells>> {
    let mut found = Vec::new();
    for alert in list_alerts_by_key(&mut *conn, org, person).await? {
        found.extend(rows::load_matching(&mut *conn, shape, "id = $2", (org, alert.0), 1).await?);
    }
    Ok(found)
}

/// Without hidden columns. `keys` receives the keys of files.
fn to_json_rows(shape: &TableShape, found: &[RowCells], keys: &mut BTreeSet<String>) -> Result<Vec<Value>> {
    let file_key = shape.column_index("full_key");
    let mut list = Vec::with_capacity(found.len());
    for cells in found {
        let line = digest::to_json_line(shape, cells);
        let mut row: Map<String, Value> = serde_json::from_str(&line).map_err(|e| json_error(&e))?;
        if let Some(Cell::Text(Some(key))) = file_key.map(|at| &cells[at]) {
            keys.insert(key.clone());
        }
        row.retain(|name, _| !HIDDEN_COLUMNS.contains(&name.as_str()));
        list.push(Value::Object(row));
    }
    Ok(list)
}

/// A row that two addresses lead to is listed once.
fn append_rows(tables: &mut Map<String, Value>, table: &str, found: Vec<Value>) {
    let Value::Array(listed) = tables.entry(table).or_insert_with(|| json!([])) else { return };
    for row in found {
        if !listed.contains(&row) {
            listed.push(row);
        }
    }
}

fn json_error(e: &serde_json::Error) -> Error {
    Error::Internal(format!("a copy of personal data: {e}"))
}

/// Sends one archive. Fails when a file cannot be read, or the receiver is gone.
pub async fn stream_personal_data(
    taken: PersonalDataCopy,
    storage: &Storage,
    (at, zone): (DateTime<Utc>, Tz),
    to: &Sender<ZipChunk>,
) -> io::Result<()> {
    let mut packing = ZipStream::default();
    let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
    to.send(Ok(packing.add_file("data.json", (at, zone), &taken.document)?)).await.map_err(gone)?;
    for (name, key) in taken.files {
        let bytes = match storage.get(&key).await {
            Ok(bytes) => bytes,
            // A row names the file, and it is lost already.
            Err(StorageError::NotFound) => continue,
            Err(e) => return Err(io::Error::other(e)),
        };
        to.send(Ok(packing.add_file(&name, (at, zone), &bytes)?)).await.map_err(gone)?;
    }
    to.send(Ok(packing.finish()?)).await.map_err(gone)
}
