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
    attempt: (OrgId, MessageId, i64),
    sender: &str,
    phone: &Phone,
) -> Result<()> {
    undo_contact(tx, attempt, Some(sender), phone).await
}

/// An accepted attempt did not arrive: the business has not written to them by it. From whichever sender it left.
pub(crate) async fn undo_undelivered_contact(
    tx: &mut Tx,
    attempt: (OrgId, MessageId, i64),
    phone: &Phone,
) -> Result<()> {
    undo_contact(tx, attempt, None, phone).await
}

async fn undo_contact(
    tx: &mut Tx,
    (org, message, attempt): (OrgId, MessageId, i64),
    sender: Option<&str>,
    phone: &Phone,
) -> Result<()> {
    let sql = "SELECT started_at FROM message_attempt WHERE org_id = $1 AND message_id = $2 AND number = $3";
    let started = q!(&mut *tx, fetch_optional scalar DateTime<Utc>, sql, org, message, attempt)?;
    let Some(started) = started else { return Ok(()) };
    // The update locks the rows: an attempt that begins meanwhile waits for the new times.
    let sql = "UPDATE sending_contact SET previous_sent_at = previous_sent_at WHERE org_id = $1 AND address = $2
             AND (last_sent_at = $3 OR previous_sent_at = $3) RETURNING sender";
    let senders = q!(&mut *tx, fetch_all scalar String, sql, org, phone.as_e164(), started)?;
    for one in senders.iter().filter(|one| sender.is_none_or(|only| only == one.as_str())) {
        refresh_contact_times(&mut *tx, (org, message, attempt), one, phone).await?;
    }
    Ok(())
}

/// The two newest attempts that may have reached them. The sender of an attempt is not stored: one from before the last
/// text of another sender counts only where it was the previous one here.
async fn refresh_contact_times(
    tx: &mut Tx,
    (org, message, attempt): (OrgId, MessageId, i64),
    sender: &str,
    phone: &Phone,
) -> Result<()> {
    let sql = "SELECT a.started_at FROM sending_contact c
         JOIN message m ON m.org_id = c.org_id AND m.to_address = c.address AND m.direction = 'out' AND m.channel = 'sms'
         JOIN message_attempt a ON a.org_id = m.org_id AND a.message_id = m.id
         WHERE c.org_id = $1 AND c.sender = $2 AND c.address = $3 AND a.started_at <= c.last_sent_at
             AND NOT (a.message_id = $4 AND a.number = $5) AND a.outcome IN ('started', 'accepted', 'unknown')
             AND CASE WHEN a.number = m.attempts THEN m.status IN ('sending', 'sent', 'delivered', 'unknown')
                 ELSE a.outcome <> 'accepted' END
             AND (a.started_at = c.previous_sent_at OR NOT EXISTS (SELECT 1 FROM sending_contact o
                 WHERE o.org_id = c.org_id AND o.address = c.address AND o.sender <> c.sender
                     AND o.last_sent_at >= a.started_at))
         ORDER BY a.started_at DESC LIMIT 2";
    let times = q!(&mut *tx, fetch_all scalar DateTime<Utc>, sql, org, sender, phone.as_e164(), message, attempt)?;
    q!(
        tx,
        execute,
        "UPDATE sending_contact SET last_sent_at = $4, previous_sent_at = $5
         WHERE org_id = $1 AND sender = $2 AND address = $3",
        org,
        sender,
        phone.as_e164(),
        times.first().copied(),
        times.get(1).copied()
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
