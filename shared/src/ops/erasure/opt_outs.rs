//! Opt-outs outlive the person: a keyed hash of the address stays, and stops new messages to it. The address cannot be
//! derived from the hash.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::ErasureContext;
use crate::{
    domain::{
        intake::{contact_point, customer},
        messaging::message::MessageKind,
    },
    platform::{
        clock::ClockRng,
        contact_hours::ContactClass,
        db::{Tx, q},
        encryption::retired,
        error::Result,
        id::{CustomerId, MessageId, OrgId},
        secret::SecretKey,
    },
};

const PURPOSE: &str = "opt-out of an erased person";

fn hash_input(org: OrgId, channel: &str, address: &str) -> String {
    format!("{org}:{channel}:{address}")
}

/// Replaces the opt-outs at the person's addresses with hashes, and removes the addresses.
pub(super) async fn store_opt_out_hashes(
    tx: &mut Tx,
    ctx: &ErasureContext<'_>,
    org: OrgId,
    addresses: &[String],
) -> Result<()> {
    for address in addresses {
        let sql = "DELETE FROM opt_out WHERE org_id = $1 AND channel IN ('sms', 'email') AND address = $2
            RETURNING channel, at, state";
        let removed = q!(&mut *tx, fetch_all as (String, DateTime<Utc>, String), sql, org, address)?;
        for (channel, at, _) in removed.into_iter().filter(|(.., state)| state != "lifted") {
            let sql = "INSERT INTO erased_opt_out (org_id, address_hash, at) VALUES ($1, $2, $3)
                ON CONFLICT (org_id, address_hash) DO NOTHING";
            q!(&mut *tx, execute, sql, org, ctx.secret.keyed_hash(PURPOSE, &hash_input(org, &channel, address)), at)?;
        }
    }
    Ok(())
}

#[derive(FromRow)]
struct OptOutMessageRow {
    org_id: OrgId,
    channel: String,
    to_address: String,
    kind: MessageKind,
    class: ContactClass,
}

impl OptOutMessageRow {
    /// Whether an opt-out of the receiver would stop the message (`send_policy`).
    fn is_stopped_by_opt_out(&self) -> bool {
        let is_concerned = self.channel == "sms" || self.class == ContactClass::Promotional;
        is_concerned && self.kind.is_for_customers() && self.kind != MessageKind::StopConfirmation
    }
}

/// Whether an erased person had opted out at the address of this message: then the opt-out is restored before anything
/// is sent. False when it is not known, because a key that may be that of the hash does not open: a message that the
/// opt-out would stop must not be sent. A worker finds the message by its id alone; most businesses have no such hash.
pub async fn restore_opt_out(tx: &mut Tx, origin: &ClockRng, secret: &SecretKey, message: MessageId) -> Result<bool> {
    let sql = "SELECT m.org_id, m.channel, m.to_address, m.kind, m.class FROM message m
        WHERE m.id = $1 AND m.status IN ('queued', 'held')
            AND EXISTS (SELECT 1 FROM erased_opt_out e WHERE e.org_id = m.org_id)";
    let Some(row) = q!(&mut *tx, fetch_optional as OptOutMessageRow, sql, message)? else { return Ok(true) };
    let (ring, is_whole) = retired::with_opened_keys(&mut *tx, secret).await?;
    let address = (row.org_id, row.channel.as_str(), row.to_address.as_str());
    Ok(restore_hashed_opt_out(tx, origin, &ring, address).await? || is_whole || !row.is_stopped_by_opt_out())
}

/// The same for the number at which a person is about to text this customer, so that the answer says STOP at once. True
/// when an opt-out was restored.
pub async fn restore_customer_opt_out(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    org: OrgId,
    customer: CustomerId,
) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM erased_opt_out WHERE org_id = $1)";
    if !q!(&mut *tx, fetch_one scalar bool, sql, org)? {
        return Ok(false);
    }
    let customer = customer::resolve_merged(&mut *tx, org, customer).await?;
    let Some(phone) = contact_point::load_customer_recipient(&mut *tx, org, customer).await?.phone else {
        return Ok(false);
    };
    let (ring, _) = retired::with_opened_keys(&mut *tx, secret).await?;
    restore_hashed_opt_out(tx, origin, &ring, (org, "sms", phone.as_e164())).await
}

async fn restore_hashed_opt_out(
    tx: &mut Tx,
    origin: &ClockRng,
    ring: &SecretKey,
    (org, channel, address): (OrgId, &str, &str),
) -> Result<bool> {
    for hash in ring.keyed_hashes(PURPOSE, &hash_input(org, channel, address)) {
        let sql = "DELETE FROM erased_opt_out WHERE org_id = $1 AND address_hash = $2";
        if q!(&mut *tx, execute, sql, org, hash)? > 0 {
            let sql = "INSERT INTO opt_out (org_id, channel, address, state, source, at)
                VALUES ($1, $2, $3, 'stopped', 'import', $4) ON CONFLICT (org_id, channel, address) DO NOTHING";
            q!(tx, execute, sql, org, channel, address, origin.now())?;
            return Ok(true);
        }
    }
    Ok(false)
}
