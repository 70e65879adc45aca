//! Contacts of a business per sender: whom it wrote to and when last, and who said STOP there, even if it never wrote.

use chrono::{DateTime, Utc};

use crate::platform::{
    db::{Tx, q},
    error::Result,
    id::{MessageId, OrgId},
    phone::Phone,
};

/// Called when an attempt begins: the answer to it may come before its outcome is recorded.
pub(crate) async fn record_outbound_contact(
    tx: &mut Tx,
    org: OrgId,
    sender: &str,
    phone: &Phone,
    now: DateTime<Utc>,
) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO sending_contact (org_id, sender, address, last_sent_at, previous_sent_at) VALUES ($1, $2, $3, $4, NULL)
         ON CONFLICT (org_id, sender, address) DO UPDATE SET previous_sent_at = sending_contact.last_sent_at, last_sent_at = excluded.last_sent_at",
        org,
        sender,
        phone.as_e164(),
        now
    )?;
    Ok(())
}

/// A STOP to this sender that the business received. It may never have written to the person.
pub(super) async fn record_stop_contact(tx: &mut Tx, org: OrgId, sender: &str, address: &str) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO sending_contact (org_id, sender, address, last_sent_at, previous_sent_at) VALUES ($1, $2, $3, NULL, NULL)
         ON CONFLICT (org_id, sender, address) DO NOTHING",
        org,
        sender,
        address
    )?;
    Ok(())
}

/// The attempt ended, and nothing has left.
pub(crate) async fn undo_outbound_contact(
    tx: &mut Tx,
    (org, message, attempt): (OrgId, MessageId, i64),
    sender: &str,
    phone: &Phone,
) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE sending_contact SET last_sent_at = previous_sent_at WHERE org_id = $1 AND sender = $2 AND address = $3
             AND last_sent_at = (SELECT a.started_at FROM message_attempt a
                 WHERE a.org_id = $1 AND a.message_id = $4 AND a.number = $5)",
        org,
        sender,
        phone.as_e164(),
        message,
        attempt
    )?;
    Ok(())
}
