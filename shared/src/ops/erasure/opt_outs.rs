//! Opt-outs outlive the person: a keyed hash of the address stays, and whoever writes to that address again is stopped by
//! it. Nobody reads the address from the hash.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::House;
use crate::platform::{
    clock::Origin,
    db::{Tx, q},
    encryption::retired,
    error::Result,
    id::{CustomerId, MessageId, OrgId},
    secret::SecretKey,
};

/// The purpose under which addresses are blurred.
const PURPOSE: &str = "opt-out of an erased person";

fn named(org: OrgId, channel: &str, address: &str) -> String {
    format!("{org}:{channel}:{address}")
}

/// Turns what the person asked for into hashes, and removes the addresses.
pub(super) async fn keep_hashes(tx: &mut Tx, house: &House<'_>, org: OrgId, customer: CustomerId) -> Result<()> {
    let sql = "SELECT o.channel, o.address, o.at, o.state FROM opt_out o JOIN customer_key k ON k.org_id = o.org_id
            AND k.value = o.address
        WHERE o.org_id = $1 AND k.customer_id = $2";
    for (channel, address, at, state) in
        q!(&mut *tx, fetch_all as (String, String, DateTime<Utc>, String), sql, org, customer)?
    {
        if state != "lifted" {
            let sql = "INSERT INTO erased_opt_out (org_id, address_hash, at) VALUES ($1, $2, $3)
                ON CONFLICT (org_id, address_hash) DO NOTHING";
            q!(&mut *tx, execute, sql, org, house.secret.blur(PURPOSE, &named(org, &channel, &address)), at)?;
        }
        let sql = "DELETE FROM opt_out WHERE org_id = $1 AND channel = $2 AND address = $3";
        q!(&mut *tx, execute, sql, org, channel, address)?;
    }
    Ok(())
}

/// Where a message goes, and whose it is.
#[derive(FromRow)]
struct Goes {
    org_id: OrgId,
    channel: String,
    to_address: String,
}

/// Whether an erased person had asked for no messages at the address of this one: then the opt-out stands again before
/// anything is sent. A worker finds the message by its id alone; most businesses have no such hash.
pub async fn recall(tx: &mut Tx, origin: &Origin, secret: &SecretKey, message: MessageId) -> Result<bool> {
    let sql = "SELECT m.org_id, m.channel, m.to_address FROM message m WHERE m.id = $1 AND m.status = 'queued'
        AND EXISTS (SELECT 1 FROM erased_opt_out e WHERE e.org_id = m.org_id)";
    let Some(Goes { org_id: org, channel, to_address }) = q!(&mut *tx, fetch_optional as Goes, sql, message)? else {
        return Ok(false);
    };
    let ring = retired::for_lookups(&mut *tx, secret).await?;
    for hash in ring.blurs(PURPOSE, &named(org, &channel, &to_address)) {
        let sql = "DELETE FROM erased_opt_out WHERE org_id = $1 AND address_hash = $2";
        if q!(&mut *tx, execute, sql, org, hash)? > 0 {
            let sql = "INSERT INTO opt_out (org_id, channel, address, state, source, at)
                VALUES ($1, $2, $3, 'stopped', 'import', $4) ON CONFLICT (org_id, channel, address) DO NOTHING";
            q!(tx, execute, sql, org, &channel, &to_address, origin.now())?;
            return Ok(true);
        }
    }
    Ok(false)
}
