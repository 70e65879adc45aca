//! Retired keys, encrypted under the current one.

use crate::{
    db::{AsConn, q},
    error::{Error, Result},
    secret::SecretKey,
};

pub const PURPOSE: &str = "retired key";
/// Row of `retired_key` without a key: it marks the current one. Key names are hexadecimal, so it cannot collide.
pub const MARK_NAME: &str = "in force";

/// The ring with all retired keys, only for comparing hashes that are kept for years; it is never used to decrypt.
pub async fn with_retired_keys(conn: &mut dyn AsConn, ring: &SecretKey) -> Result<SecretKey> {
    let sql = "SELECT name, sealed FROM retired_key WHERE name <> $1 ORDER BY name";
    let rows = q!(conn, fetch_all as (String, Vec<u8>), sql, MARK_NAME)?;
    let mut keys = Vec::with_capacity(rows.len());
    for (name, sealed) in rows {
        let opened = ring.decrypt_bytes(PURPOSE, &[name.as_bytes()], &sealed);
        let key: Option<[u8; 32]> = opened.and_then(|bytes| bytes.try_into().ok());
        keys.push(key.ok_or_else(|| Error::Internal(format!("the retired key {name} does not open")))?);
    }
    Ok(ring.with_old_keys(keys))
}
