//! Keys that were in force before, encrypted under the one that is.

use crate::platform::{
    db::{AsConn, q},
    error::{Error, Result},
    secret::SecretKey,
};

/// The purpose under which old keys are encrypted.
pub const PURPOSE: &str = "retired key";
/// The row of `retired_key` that holds no key but the mark of the one in force. Names of keys are hexadecimal.
pub const MARK_NAME: &str = "in force";

/// The ring with every key that ever was in force: for hashes that are looked up for years. It opens nothing that it must
/// not, because nothing but such hashes is asked of it.
pub async fn for_lookups(conn: &mut dyn AsConn, ring: &SecretKey) -> Result<SecretKey> {
    let sql = "SELECT name, sealed FROM retired_key WHERE name <> $1 ORDER BY name";
    let rows = q!(conn, fetch_all as (String, Vec<u8>), sql, MARK_NAME)?;
    let mut keys = Vec::with_capacity(rows.len());
    for (name, sealed) in rows {
        let opened = ring.open(PURPOSE, &[name.as_bytes()], &sealed);
        let key: Option<[u8; 32]> = opened.and_then(|bytes| bytes.try_into().ok());
        keys.push(key.ok_or_else(|| Error::Internal(format!("the retired key {name} does not open")))?);
    }
    Ok(ring.with_old(keys))
}
