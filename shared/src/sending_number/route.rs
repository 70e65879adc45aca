//! Whose a text or a call is that comes in.

use chrono::{DateTime, Utc};

use super::claim;
use crate::{
    db::{AsConn, q},
    error::Result,
    id::OrgId,
    org::{self, Org},
};

/// What came in: from whom, and to which number of ours.
#[derive(Clone, Copy, Debug)]
pub struct Arrived<'a> {
    pub from: &'a str,
    pub to: &'a str,
    pub now: DateTime<Utc>,
    /// The install's Messaging Service, if it has one: numbers that belong to no business are its numbers.
    pub service: Option<&'a str>,
}

/// The business that something is for: the holder of the number; of a service the business that last wrote to this
/// person by it, else the one that has shared it longest. None for a number that is nobody's.
pub async fn business(conn: &mut impl AsConn, arrived: Arrived<'_>) -> Result<Option<Org>> {
    let found = match super::holder(&mut *conn, arrived.to).await? {
        Some(holder) => Some(holder.org_id),
        None => match arrived.service {
            // A code of ours that proves a number is no customer's text.
            Some(_) if claim::is_open(&mut *conn, arrived.to, arrived.now).await? => None,
            Some(service) => last_writer(&mut *conn, service, arrived.from).await?,
            None => None,
        },
    };
    match found {
        Some(id) => org::find(conn, id).await,
        None => Ok(None),
    }
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

/// The business that took a call which is known already: it stays theirs, whoever writes meanwhile.
pub async fn business_of_call(conn: &mut impl AsConn, call: &str) -> Result<Option<Org>> {
    let sql = "SELECT o.* FROM call c JOIN org o ON o.id = c.org_id WHERE c.provider_id = $1";
    Ok(q!(conn, fetch_optional as Org, sql, call)?)
}
