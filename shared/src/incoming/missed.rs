//! Texts and calls that came while nobody of us could be told: Twilio does not repeat a webhook that failed, but it
//! keeps what came. Its lists are looked through from where the last look ended.

use std::collections::HashSet;

use chrono::{DateTime, Duration, Utc};

use crate::{
    db::{AsConn, Tx, q, qb},
    error::Result,
    id::OrgId,
};

/// A look goes back this far behind the last one: a text may enter the list a little after its own date.
const OVERLAP: Duration = Duration::minutes(5);
/// Further back than this nobody waits for an answer of ours; what is older is found at the provider by hand.
const LONGEST_LOOK: Duration = Duration::days(7);

/// The numbers people can text: each business's own, and the install's.
pub async fn numbers(conn: &mut impl AsConn, install_number: Option<&str>) -> Result<Vec<String>> {
    let sql = "SELECT DISTINCT sms_number FROM org WHERE sms_number IS NOT NULL";
    let mut numbers = q!(conn, fetch_all scalar String, sql)?;
    if let Some(own) = install_number.filter(|own| !numbers.iter().any(|number| number == own)) {
        numbers.push(own.to_owned());
    }
    Ok(numbers)
}

/// From when on the list of this number must be looked through. None for one that was never looked through: what came
/// before it was ours is nobody's to answer.
pub async fn since(conn: &mut impl AsConn, number: &str, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT looked_until FROM number_watch WHERE number = $1";
    let last = q!(conn, fetch_optional scalar DateTime<Utc>, sql, number)?;
    Ok(last.map(|last| (last - OVERLAP).max(now - LONGEST_LOOK)))
}

/// The list of this number is looked through up to `until`.
pub async fn looked(tx: &mut Tx, number: &str, until: DateTime<Utc>) -> Result<()> {
    let sql = "INSERT INTO number_watch (number, looked_until) VALUES ($1, $2)
         ON CONFLICT (number) DO UPDATE SET looked_until = $2 WHERE number_watch.looked_until < $2";
    q!(tx, execute, sql, number, until)?;
    Ok(())
}

/// Of the provider's ids of texts, those that are stored already.
pub async fn known(conn: &mut impl AsConn, org: OrgId, ids: &[&str]) -> Result<HashSet<String>> {
    let mut known = HashSet::new();
    for few in ids.chunks(200) {
        let found = qb!(conn, fetch_all scalar String, |b| {
            b.push("SELECT provider_id FROM message WHERE org_id = ").push_bind(org);
            b.push(" AND direction = 'in' AND dedupe_key IN (");
            for (n, id) in few.iter().enumerate() {
                b.push(if n == 0 { "" } else { ", " }).push_bind(super::key(id));
            }
            b.push(")");
        })?;
        known.extend(found);
    }
    Ok(known)
}

/// Of the provider's ids of calls, those whose end is stored already.
pub async fn ended_calls(conn: &mut impl AsConn, org: OrgId, ids: &[&str]) -> Result<HashSet<String>> {
    let mut ended = HashSet::new();
    for few in ids.chunks(200) {
        let found = qb!(conn, fetch_all scalar String, |b| {
            b.push("SELECT provider_id FROM call WHERE org_id = ").push_bind(org);
            b.push(" AND ended_at IS NOT NULL AND provider_id IN (");
            for (n, id) in few.iter().enumerate() {
                b.push(if n == 0 { "" } else { ", " }).push_bind(*id);
            }
            b.push(")");
        })?;
        ended.extend(found);
    }
    Ok(ended)
}
