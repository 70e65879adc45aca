//! Recovery of texts and calls that came during downtime: Twilio does not repeat a failed webhook but keeps lists,
//! which are scanned from the end of the last scan.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Duration, Utc};

use crate::platform::{
    db::{AsConn, Tx, q, qb},
    error::Result,
    id::OrgId,
};

/// Overlap with the last scan: a text may enter the list a little after its own date.
const OVERLAP: Duration = Duration::minutes(5);
/// Older texts and calls need no answer any more; they are found at the provider by hand.
const LONGEST_LOOK: Duration = Duration::days(7);

pub async fn list_watched_numbers(conn: &mut dyn AsConn) -> Result<Vec<String>> {
    Ok(q!(conn, fetch_all scalar String, "SELECT sender FROM sending_number WHERE kind = 'number' ORDER BY sender")?)
}

/// End of the last scan of this number, and start of the next. None if it was never scanned: what came before the
/// number was ours must not be answered.
pub async fn find_catch_up_window(
    conn: &mut dyn AsConn,
    number: &str,
    now: DateTime<Utc>,
) -> Result<Option<(DateTime<Utc>, DateTime<Utc>)>> {
    let sql = "SELECT looked_until, since FROM inbound_sync_cursor WHERE number = $1";
    let watched = q!(conn, fetch_optional as (DateTime<Utc>, DateTime<Utc>), sql, number)?;
    Ok(watched.map(|(last, since)| (last, (last - OVERLAP).max(now - LONGEST_LOOK).max(since))))
}

pub async fn record_catch_up(tx: &mut Tx, number: &str, until: DateTime<Utc>) -> Result<()> {
    let sql = "INSERT INTO inbound_sync_cursor (number, since, looked_until) VALUES ($1, $2, $2)
         ON CONFLICT (number) DO UPDATE SET looked_until = $2 WHERE inbound_sync_cursor.looked_until < $2";
    q!(tx, execute, sql, number, until)?;
    Ok(())
}

/// The number changed owners: what came to it before is not looked for.
pub async fn delete_cursor(tx: &mut Tx, number: Option<&str>) -> Result<()> {
    q!(tx, execute, "DELETE FROM inbound_sync_cursor WHERE number = $1", number)?;
    Ok(())
}

/// Provider ids of texts that are stored already, for any business.
pub async fn find_known_texts(conn: &mut dyn AsConn, ids: &[&str]) -> Result<HashSet<String>> {
    let mut stored = HashSet::new();
    for few in ids.chunks(200) {
        let found = qb!(conn, fetch_all scalar String, |b| {
            b.push("SELECT provider_id FROM message WHERE direction = 'in' AND provider_id IN (");
            for (n, id) in few.iter().enumerate() {
                b.push(if n == 0 { "" } else { ", " }).push_bind(*id);
            }
            b.push(")");
        })?;
        stored.extend(found);
    }
    Ok(stored)
}

/// Provider ids of stored calls, and whether their end is stored.
pub async fn find_known_calls(conn: &mut dyn AsConn, ids: &[&str]) -> Result<HashMap<String, bool>> {
    let mut calls = HashMap::new();
    for few in ids.chunks(200) {
        let found = qb!(conn, fetch_all as (String, bool), |b| {
            b.push("SELECT provider_id, ended_at IS NOT NULL FROM call WHERE provider_id IN (");
            for (n, id) in few.iter().enumerate() {
                b.push(if n == 0 { "" } else { ", " }).push_bind(*id);
            }
            b.push(")");
        })?;
        calls.extend(found);
    }
    Ok(calls)
}

/// Judged by an earlier call to this number: a number may ring elsewhere and use us only for texts.
pub async fn has_received_calls(conn: &mut dyn AsConn, org: OrgId, number: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM call WHERE org_id = $1 AND to_address = $2)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, number)?)
}
