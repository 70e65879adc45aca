//! A copy of one person's data: every row of the catalogue's places as JSON, and their files, in one archive. It is read
//! before anything leaves, so that a slow reader holds no connection.

use std::{collections::BTreeSet, io};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::Sender;

use super::catalogue::{PLACES, Place};
use crate::{
    domain::intake::customer,
    ops::tenant_data::digest,
    platform::{
        db::{AsConn, rows},
        error::{Error, Result},
        id::{CustomerId, OrgId},
        storage::{Storage, StorageError},
        zip_stream::{Packing, Piece},
    },
};

/// Rows of one table that are taken along. Nobody has as many.
const MOST: i64 = 20_000;
/// Places whose rows stay when a person is erased, and are theirs all the same.
const ALSO: [(&str, &str); 3] = [
    ("invoice", "lead_id IN (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)"),
    ("opt_out", "address IN (SELECT value FROM customer_key WHERE org_id = $1 AND customer_id = $2)"),
    ("erasure", "customer_id = $2"),
];
/// What the database keeps for itself: searching, and the office's own counting.
const NOT_SHOWN: [&str; 2] = ["org_id", "search"];

/// What a person is handed.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The document with all rows, by table.
    pub document: Vec<u8>,
    /// Files of the store: the entry's name, and the key.
    pub files: Vec<(String, String)>,
}

/// Reads all rows of a person.
///
/// # Errors
/// [`crate::platform::error::Error::NotFound`] without such a customer.
pub async fn take(conn: &mut dyn AsConn, org: OrgId, id: CustomerId, now: DateTime<Utc>) -> Result<Taken> {
    let id = customer::standing_for(&mut *conn, org, id).await?;
    let people = super::records(&mut *conn, org, id).await?;
    let listed = PLACES.iter().map(|Place { table, of, .. }| (*table, *of)).chain(ALSO);
    let (mut tables, mut keys) = (Map::new(), BTreeSet::new());
    for (table, of) in listed {
        let shape = rows::shape(&mut *conn, table).await?;
        let mut found = Vec::new();
        for person in &people {
            for cells in rows::matching(&mut *conn, &shape, of, (org, person.0), MOST).await? {
                let line = digest::line(&shape, &cells);
                let mut row: Map<String, Value> = serde_json::from_str(&line).map_err(|e| odd(&e))?;
                if let Some(key) = row.get("full_key").and_then(Value::as_str) {
                    keys.insert(key.to_owned());
                }
                row.retain(|name, _| !NOT_SHOWN.contains(&name.as_str()));
                found.push(Value::Object(row));
            }
        }
        tables.insert(table.to_owned(), Value::Array(found));
    }
    let document = json!({"customerId": id, "takenAt": now, "tables": tables});
    let document = serde_json::to_vec_pretty(&document).map_err(|e| odd(&e))?;
    let files = keys.into_iter().map(|key| (format!("files/{}", key.rsplit('/').next().unwrap_or(&key)), key));
    Ok(Taken { document, files: files.collect() })
}

fn odd(e: &serde_json::Error) -> Error {
    Error::Internal(format!("a copy of personal data: {e}"))
}

/// Sends it as one archive.
///
/// # Errors
/// When a file cannot be read, or nobody listens any more.
pub async fn pack(
    taken: Taken,
    storage: &Storage,
    (at, zone): (DateTime<Utc>, Tz),
    to: &Sender<Piece>,
) -> io::Result<()> {
    let mut packing = Packing::default();
    let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
    to.send(Ok(packing.add("data.json", (at, zone), &taken.document)?)).await.map_err(gone)?;
    for (name, key) in taken.files {
        let bytes = match storage.get(&key).await {
            Ok(bytes) => bytes,
            // A row names it, and it is lost already.
            Err(StorageError::NotFound) => continue,
            Err(e) => return Err(io::Error::other(e)),
        };
        to.send(Ok(packing.add(&name, (at, zone), &bytes)?)).await.map_err(gone)?;
    }
    to.send(Ok(packing.finish()?)).await.map_err(gone)
}
