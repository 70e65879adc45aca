//! STOPs that outlive a removed business: a keyed hash of sender and address stays, and holds for the business that sends
//! from that sender later. The address cannot be derived from the hash.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use crate::platform::{
    db::{Tx, q},
    encryption::retired,
    error::Result,
    id::{MessageId, OrgId},
    secret::SecretKey,
};

const PURPOSE: &str = "opt-out of a removed business";

fn hash_input(sender: &str, address: &str) -> String {
    format!("sender:{sender}:{address}")
}

/// Hashes of what people said to the senders of a business that is removed: what `inherit_opt_outs` would pass on.
pub(super) async fn store_sender_hashes(tx: &mut Tx, secret: &SecretKey, org: OrgId) -> Result<()> {
    let said = q!(
        &mut *tx,
        fetch_all as (String, String, DateTime<Utc>),
        "SELECT c.sender, c.address, u.at FROM sending_contact c
             JOIN opt_out u ON u.org_id = c.org_id AND u.channel = 'sms' AND u.address = c.address
         WHERE c.org_id = $1 AND u.state = 'stopped' AND u.source IN ('text', 'provider', 'confirmed', 'elsewhere')",
        org
    )?;
    // A STOP that was repeated after a START has the time of the last one.
    let mut hashes: BTreeMap<Vec<u8>, DateTime<Utc>> = BTreeMap::new();
    for (sender, address, at) in said {
        for hash in [secret.keyed_hash(PURPOSE, &hash_input(&sender, &address)), sender_mark(&sender)] {
            let latest = hashes.entry(hash).or_insert(at);
            *latest = at.max(*latest);
        }
    }
    for (hash, at) in hashes {
        let sql = "INSERT INTO suppression_hash (address_hash, at) VALUES ($1, $2)
            ON CONFLICT (address_hash) DO UPDATE SET at = excluded.at WHERE suppression_hash.at < excluded.at";
        q!(&mut *tx, execute, sql, hash, at)?;
    }
    Ok(())
}

/// Stored beside the hashes of a sender. Texts of other senders need no look-up, also where a key does not open: so it is
/// made without a key. A sender belongs to the install and names no person.
fn sender_mark(sender: &str) -> Vec<u8> {
    Sha256::digest(format!("{PURPOSE}: {sender}")).to_vec()
}

/// Whether the receiver of this text said STOP to its sender when that was a removed business's: then the STOP is restored
/// before anything is sent. A START since then stays in force. False when it is not known, because a key that may be that
/// of the hash does not open: the text must not be sent. Most installs have no such hash.
pub async fn restore_sender_opt_out(tx: &mut Tx, secret: &SecretKey, message: MessageId) -> Result<bool> {
    let sql = "SELECT m.org_id, m.to_address, COALESCE(o.sms_number, o.messaging_service)
         FROM message m JOIN org o ON o.id = m.org_id
         WHERE m.id = $1 AND m.status IN ('queued', 'held') AND m.channel = 'sms'
             AND COALESCE(o.sms_number, o.messaging_service) IS NOT NULL AND EXISTS (SELECT 1 FROM suppression_hash)";
    let found = q!(&mut *tx, fetch_optional as (OrgId, String, String), sql, message)?;
    let Some((org, address, sender)) = found else { return Ok(true) };
    if find_hash(&mut *tx, sender_mark(&sender)).await?.is_none() {
        return Ok(true);
    }
    let (ring, is_whole) = retired::with_opened_keys(&mut *tx, secret).await?;
    let mut said_at: Option<DateTime<Utc>> = None;
    for hash in ring.keyed_hashes(PURPOSE, &hash_input(&sender, &address)) {
        said_at = said_at.max(find_hash(&mut *tx, hash).await?);
    }
    match said_at {
        Some(at) => restore_stop(tx, org, &address, at).await?,
        None if !is_whole => return Ok(false),
        None => {}
    }
    Ok(true)
}

async fn find_hash(tx: &mut Tx, hash: Vec<u8>) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT at FROM suppression_hash WHERE address_hash = $1";
    Ok(q!(tx, fetch_optional scalar DateTime<Utc>, sql, hash)?)
}

async fn restore_stop(tx: &mut Tx, org: OrgId, address: &str, said_at: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO opt_out (org_id, channel, address, state, source, at) VALUES ($1, 'sms', $2, 'stopped', 'text', $3)
         ON CONFLICT (org_id, channel, address) DO UPDATE SET state = 'stopped', source = 'text', matched = NULL,
             at = excluded.at, lifted_at = NULL
         WHERE opt_out.state = 'paused' OR (opt_out.state = 'lifted' AND opt_out.lifted_at < excluded.at)",
        org,
        address,
        said_at
    )?;
    Ok(())
}
