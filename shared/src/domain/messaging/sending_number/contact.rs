//! Contacts of a business per sender: whom it wrote to and when last, and who said STOP there, even if it never wrote.

use chrono::{DateTime, Utc};

use crate::platform::{
    db::{AsConn, Tx, q},
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

/// An accepted attempt did not arrive: the business has not written to them by it. From whichever sender it left.
pub(crate) async fn undo_undelivered_contact(
    tx: &mut Tx,
    (org, message, attempt): (OrgId, MessageId, i64),
    phone: &Phone,
) -> Result<()> {
    let sql = "SELECT started_at FROM message_attempt WHERE org_id = $1 AND message_id = $2 AND number = $3";
    let started = q!(&mut *tx, fetch_optional scalar DateTime<Utc>, sql, org, message, attempt)?;
    let Some(started) = started else { return Ok(()) };
    q!(
        tx,
        execute,
        "UPDATE sending_contact SET last_sent_at = CASE WHEN last_sent_at = $3 THEN previous_sent_at ELSE last_sent_at END,
             previous_sent_at = CASE WHEN previous_sent_at = $3 THEN NULL ELSE previous_sent_at END
         WHERE org_id = $1 AND address = $2 AND (last_sent_at = $3 OR previous_sent_at = $3)",
        org,
        phone.as_e164(),
        started
    )?;
    Ok(())
}

/// The sender that an attempt left from, unless the business has written to them from it since.
pub(crate) async fn find_sender_of_attempt(
    conn: &mut dyn AsConn,
    (org, message, attempt): (OrgId, MessageId, i64),
    phone: &Phone,
) -> Result<Option<String>> {
    let sql = "SELECT c.sender FROM sending_contact c JOIN message_attempt a ON a.org_id = c.org_id
         WHERE c.org_id = $1 AND c.address = $2 AND a.message_id = $3 AND a.number = $4
             AND (c.last_sent_at = a.started_at OR c.previous_sent_at = a.started_at) ORDER BY c.sender LIMIT 1";
    Ok(q!(conn, fetch_optional scalar String, sql, org, phone.as_e164(), message, attempt)?)
}

/// Whether an attempt left from another sender than `sender`, the present one: the business got that one later, or
/// another one is the last that wrote to this person then. In doubt it counts as another.
pub(crate) async fn is_of_former_sender(
    conn: &mut dyn AsConn,
    (org, message, attempt): (OrgId, MessageId, i64),
    sender: &str,
    phone: &Phone,
) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message_attempt a WHERE a.org_id = $1 AND a.message_id = $2 AND a.number = $3
             AND (EXISTS (SELECT 1 FROM sending_number n WHERE n.org_id = $1 AND n.sender = $4
                     AND n.assigned_at > a.started_at)
                 OR EXISTS (SELECT 1 FROM sending_contact c WHERE c.org_id = $1 AND c.address = $5 AND c.sender <> $4
                     AND c.last_sent_at >= a.started_at)))",
        org,
        message,
        attempt,
        sender,
        phone.as_e164()
    )?)
}
