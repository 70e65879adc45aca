//! A request that is held again leaves the conversation that its release put it into.

use chrono::DateTime;

use super::entries;
use crate::platform::{
    clock::ClockRng,
    db::{Tx, q},
    error::Result,
    id::{CustomerId, LeadId, OrgId},
};

/// The last word is again the one before the request, which is held by now. A conversation that holds nothing else ends.
/// Whether it was closed or snoozed before the release is not known: it stays open.
pub(crate) async fn remove_held_form(tx: &mut Tx, origin: &ClockRng, org: OrgId, lead: LeadId) -> Result<()> {
    let sql =
        "SELECT l.customer_id FROM lead l JOIN conversation t ON t.org_id = l.org_id AND t.customer_id = l.customer_id
         WHERE l.org_id = $1 AND l.id = $2 AND t.last_kind = 'form'";
    let Some(customer) = q!(&mut *tx, fetch_optional scalar CustomerId, sql, org, lead)? else { return Ok(()) };
    let since_ever = (DateTime::UNIX_EPOCH, origin.now());
    let mut entries = entries::list_entries_since(&mut *tx, org, customer, since_ever).await?;
    let about = entries.iter().rev().find_map(|entry| entry.lead);
    let Some(last) = entries.pop() else { return end_conversation(tx, org, customer).await };
    q!(
        tx,
        execute,
        "UPDATE conversation SET last_at = $3, last_preview = $4, last_kind = $5,
             lead_id = CASE WHEN lead_id = $7 THEN $6 ELSE lead_id END,
             unread = CASE WHEN unread > 0 THEN unread - 1 ELSE 0 END
         WHERE org_id = $1 AND customer_id = $2",
        org,
        customer,
        last.at,
        last.preview,
        last.moved.last_kind(),
        about,
        lead
    )?;
    Ok(())
}

/// A conversation that somebody has taken, or with words that are no longer stored, stays without the request.
async fn end_conversation(tx: &mut Tx, org: OrgId, customer: CustomerId) -> Result<()> {
    let sql = "DELETE FROM conversation WHERE org_id = $1 AND customer_id = $2 AND last_in_at IS NULL
         AND last_by_person_at IS NULL AND assigned_account_id IS NULL";
    q!(&mut *tx, execute, sql, org, customer)?;
    let sql = "UPDATE conversation SET last_preview = '', lead_id = NULL, is_closed = TRUE, unread = 0
         WHERE org_id = $1 AND customer_id = $2";
    q!(tx, execute, sql, org, customer)?;
    Ok(())
}
