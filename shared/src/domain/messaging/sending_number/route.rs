//! Whose a text or a call is that comes in.

use chrono::{DateTime, Utc};

use super::claim;
use crate::{
    domain::tenancy::org::{self, Org},
    platform::{
        db::{AsConn, q},
        error::Result,
        id::OrgId,
        secret::SecretKey,
    },
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

/// The business that something is for: the holder of the number; of any other number the business that last wrote to this
/// person from it or by the service; else the one that has shared the service longest, or that last heard from them there.
/// None for a number that is nobody's.
pub async fn business(conn: &mut dyn AsConn, secret: &SecretKey, arrived: Arrived<'_>) -> Result<Option<Org>> {
    let found = match super::holder(&mut *conn, arrived.to).await? {
        Some(holder) => Some(holder.org_id),
        None => of_unassigned(&mut *conn, secret, arrived).await?,
    };
    match found {
        Some(id) => org::find(conn, id).await,
        None => Ok(None),
    }
}

async fn of_unassigned(conn: &mut dyn AsConn, secret: &SecretKey, arrived: Arrived<'_>) -> Result<Option<OrgId>> {
    let said = (arrived.to, arrived.words.unwrap_or_default());
    // A code of ours that proves a number is no customer's text.
    if claim::is_own_code(&mut *conn, secret, said, arrived.now).await? {
        return Ok(None);
    }
    if let Some(writer) = last_writer(&mut *conn, arrived).await? {
        return Ok(Some(writer));
    }
    match arrived.service {
        Some(service) => longest_sharing(conn, service).await,
        None => last_reader(conn, arrived).await,
    }
}

/// Who wrote from a number that was given up since, or by the service that was shared then, is who gets the answer.
async fn last_writer(conn: &mut dyn AsConn, arrived: Arrived<'_>) -> Result<Option<OrgId>> {
    let sql = "SELECT org_id FROM sending_contact WHERE sender IN ($1, $2) AND address = $3 AND wrote_at IS NOT NULL
         ORDER BY wrote_at DESC, org_id LIMIT 1";
    // A call is no answer: to a number that was given up it is turned away.
    let number = arrived.words.map(|_| arrived.to);
    let Some(one) = arrived.service.or(number) else { return Ok(None) };
    Ok(q!(conn, fetch_optional scalar OrgId, sql, one, number.unwrap_or(one), arrived.from)?)
}

async fn longest_sharing(conn: &mut dyn AsConn, service: &str) -> Result<Option<OrgId>> {
    let sql = "SELECT org_id FROM sending_number WHERE sender = $1 AND kind = 'service'
         ORDER BY assigned_at, org_id LIMIT 1";
    Ok(q!(conn, fetch_optional scalar OrgId, sql, service)?)
}

/// Nobody wrote to them from it, but a business got their texts there before it gave the number up: their STOP is for it.
async fn last_reader(conn: &mut dyn AsConn, arrived: Arrived<'_>) -> Result<Option<OrgId>> {
    if arrived.words.is_none() {
        return Ok(None);
    }
    let sql = "SELECT m.org_id FROM customer_key k CROSS JOIN message m
         WHERE k.kind = 'phone' AND k.value = $2 AND m.org_id = k.org_id
             AND m.customer_id = k.customer_id AND m.direction = 'in' AND m.from_address = $2 AND m.to_address = $1
         ORDER BY m.created_at DESC, m.org_id LIMIT 1";
    Ok(q!(conn, fetch_optional scalar OrgId, sql, arrived.to, arrived.from)?)
}

/// The business that took a call which is known already: it stays theirs, whoever writes meanwhile.
pub async fn business_of_call(conn: &mut dyn AsConn, call: &str) -> Result<Option<Org>> {
    let sql = "SELECT o.* FROM call c JOIN org o ON o.id = c.org_id WHERE c.provider_id = $1";
    Ok(q!(conn, fetch_optional as Org, sql, call)?)
}
