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
    let rows = list_retired_rows(conn).await?;
    let mut keys = Vec::with_capacity(rows.len());
    for (name, sealed) in rows.into_iter().filter(|(name, _)| name != MARK_NAME) {
        let key = open_key(ring, &name, &sealed);
        keys.push(key.ok_or_else(|| Error::Internal(format!("the retired key {name} does not open")))?);
    }
    Ok(ring.with_old_keys(keys))
}

/// As [`with_retired_keys`], with those that open. Also whether all of them do: otherwise a hash that is not found may
/// still be there.
pub async fn with_opened_keys(conn: &mut dyn AsConn, ring: &SecretKey) -> Result<(SecretKey, bool)> {
    let (mut keys, mut is_whole) = (Vec::new(), true);
    for (name, sealed) in list_retired_rows(conn).await?.into_iter().filter(|(name, _)| name != MARK_NAME) {
        if let Some(key) = open_key(ring, &name, &sealed) {
            keys.push(key);
        } else {
            tracing::warn!(key = %name, "a retired key does not open: was SECRET_KEY changed?");
            is_whole = false;
        }
    }
    Ok((ring.with_old_keys(keys), is_whole))
}

fn open_key(ring: &SecretKey, name: &str, sealed: &[u8]) -> Option<[u8; 32]> {
    ring.decrypt_bytes(PURPOSE, &[name.as_bytes()], sealed)?.try_into().ok()
}

/// Whether the ring opens the mark, so that it holds the key in force. True without a mark.
pub async fn is_key_in_force(conn: &mut dyn AsConn, ring: &SecretKey) -> Result<bool> {
    let rows = list_retired_rows(conn).await?;
    let mark = rows.into_iter().find(|(name, _)| name == MARK_NAME);
    Ok(mark.is_none_or(|(name, sealed)| ring.decrypt_bytes(PURPOSE, &[name.as_bytes()], &sealed).is_some()))
}

async fn list_retired_rows(conn: &mut dyn AsConn) -> Result<Vec<(String, Vec<u8>)>> {
    Ok(q!(conn, fetch_all as (String, Vec<u8>), "SELECT name, sealed FROM retired_key ORDER BY name")?)
}
