//! Whose a text or a call is that comes in.

use chrono::{DateTime, Utc};

use super::claim;
use crate::{
    db::{AsConn, q},
    error::Result,
    id::OrgId,
    org::{self, Org},
    secret::SecretKey,
};

/// What came in: from whom, and to which number of ours.
#[derive(Clone, Copy, Debug)]
pub struct Arrived<'a> {
    pub from: &'a str,
    pub to: &'a str,
    pub now: DateTime<Utc>,
    /// The install's Messaging Service, if it has one: numbers that belong to no business are its numbers.
    pub service: Option<&'a str>,
    /// What a text says; none of a call.
    pub words: Option<&'a str>,
}

/// The business that something is for: the holder of the number; of a number that was given up the business that last
/// wrote to this person from it; of a service the business that last wrote to this person by it, else the one that has
/// shared it longest. None for a number that is nobody's.
pub async fn business(conn: &mut impl AsConn, secret: &SecretKey, arrived: Arrived<'_>) -> Result<Option<Org>> {
    let found = match super::holder(&mut *conn, arrived.to).await? {
        Some(holder) => Some(holder.org_id),
        None => match last_from(&mut *conn, arrived.to, arrived.from).await? {
            Some(writer) => Some(writer),
            None => by_service(&mut *conn, secret, arrived).await?,
        },
    };
    match found {
        Some(id) => org::find(conn, id).await,
        None => Ok(None),
    }
}

async fn by_service(conn: &mut impl AsConn, secret: &SecretKey, arrived: Arrived<'_>) -> Result<Option<OrgId>> {
    let Some(service) = arrived.service else { return Ok(None) };
    let said = (arrived.to, arrived.words.unwrap_or_default());
    // A code of ours that proves a number is no customer's text.
    if claim::is_own_code(&mut *conn, secret, said, arrived.now).await? {
        return Ok(None);
    }
    last_writer(conn, service, arrived.from).await
}

async fn last_writer(conn: &mut impl AsConn, service: &str, person: &str) -> Result<Option<OrgId>> {
    Ok(q!(
        conn,
        fetch_optional scalar OrgId,
        "SELECT n.org_id FROM sending_number n
             LEFT JOIN sending_contact c ON c.org_id = n.org_id AND c.sender = n.sender AND c.address = $2
         WHERE n.sender = $1 AND n.kind = 'service'
         ORDER BY CASE WHEN c.wrote_at IS NULL THEN 1 ELSE 0 END, c.wrote_at DESC, n.assigned_at, n.org_id LIMIT 1",
        service,
        person
    )?)
}

/// A reply, or a STOP, to a number that has changed or been given up is for whoever wrote from it.
async fn last_from(conn: &mut impl AsConn, number: &str, person: &str) -> Result<Option<OrgId>> {
    let sql = "SELECT org_id FROM sending_contact WHERE sender = $1 AND address = $2 AND wrote_at IS NOT NULL
         ORDER BY wrote_at DESC, org_id LIMIT 1";
    Ok(q!(conn, fetch_optional scalar OrgId, sql, number, person)?)
}

/// The business that took a call which is known already: it stays theirs, whoever writes meanwhile.
pub async fn business_of_call(conn: &mut impl AsConn, call: &str) -> Result<Option<Org>> {
    let sql = "SELECT o.* FROM call c JOIN org o ON o.id = c.org_id WHERE c.provider_id = $1";
    Ok(q!(conn, fetch_optional as Org, sql, call)?)
}
