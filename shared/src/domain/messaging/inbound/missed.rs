//! Texts and calls that came while nobody of us could be told: Twilio does not repeat a webhook that failed, but it
//! keeps what came. Its lists are looked through from where the last look ended.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Duration, Utc};

use crate::platform::{
    db::{AsConn, Tx, q, qb},
    error::Result,
    id::OrgId,
};

/// A look goes back this far behind the last one: a text may enter the list a little after its own date.
const OVERLAP: Duration = Duration::minutes(5);
/// Further back than this nobody waits for an answer of ours; what is older is found at the provider by hand.
const LONGEST_LOOK: Duration = Duration::days(7);

/// The numbers people can text: those that belong to a business.
pub async fn numbers(conn: &mut dyn AsConn) -> Result<Vec<String>> {
    Ok(q!(conn, fetch_all scalar String, "SELECT sender FROM sending_number WHERE kind = 'number' ORDER BY sender")?)
}

/// When the lists of this number were last looked through, and from when on they must be now. None for one that never
/// was: what came before it was ours is nobody's to answer.
pub async fn since(
    conn: &mut dyn AsConn,
    number: &str,
    now: DateTime<Utc>,
) -> Result<Option<(DateTime<Utc>, DateTime<Utc>)>> {
    let sql = "SELECT looked_until, since FROM number_watch WHERE number = $1";
    let watched = q!(conn, fetch_optional as (DateTime<Utc>, DateTime<Utc>), sql, number)?;
    Ok(watched.map(|(last, since)| (last, (last - OVERLAP).max(now - LONGEST_LOOK).max(since))))
}

/// The list of this number is looked through up to `until`.
pub async fn looked(tx: &mut Tx, number: &str, until: DateTime<Utc>) -> Result<()> {
    let sql = "INSERT INTO number_watch (number, since, looked_until) VALUES ($1, $2, $2)
         ON CONFLICT (number) DO UPDATE SET looked_until = $2 WHERE number_watch.looked_until < $2";
    q!(tx, execute, sql, number, until)?;
    Ok(())
}

/// The number is no longer whose it was: nothing that came to it before is looked for.
pub async fn forget(tx: &mut Tx, number: Option<&str>) -> Result<()> {
    q!(tx, execute, "DELETE FROM number_watch WHERE number = $1", number)?;
    Ok(())
}

/// Of the provider's ids of texts, those that are stored already, whoever's they are.
pub async fn known(conn: &mut dyn AsConn, ids: &[&str]) -> Result<HashSet<String>> {
    let mut known = HashSet::new();
    for few in ids.chunks(200) {
        let found = qb!(conn, fetch_all scalar String, |b| {
            b.push("SELECT provider_id FROM message WHERE direction = 'in' AND provider_id IN (");
            for (n, id) in few.iter().enumerate() {
                b.push(if n == 0 { "" } else { ", " }).push_bind(*id);
            }
            b.push(")");
        })?;
        known.extend(found);
    }
    Ok(known)
}

/// Of the provider's ids of calls, those that are stored, and whether their end is.
pub async fn known_calls(conn: &mut dyn AsConn, ids: &[&str]) -> Result<HashMap<String, bool>> {
    let mut known = HashMap::new();
    for few in ids.chunks(200) {
        let found = qb!(conn, fetch_all as (String, bool), |b| {
            b.push("SELECT provider_id, ended_at IS NOT NULL FROM call WHERE provider_id IN (");
            for (n, id) in few.iter().enumerate() {
                b.push(if n == 0 { "" } else { ", " }).push_bind(*id);
            }
            b.push(")");
        })?;
        known.extend(found);
    }
    Ok(known)
}

/// Whether calls to this number are led to us: one was, before. The number may ring elsewhere and only its texts be ours.
pub async fn rings_here(conn: &mut dyn AsConn, org: OrgId, number: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM call WHERE org_id = $1 AND to_address = $2)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, number)?)
}
