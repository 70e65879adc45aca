//! Routing of an incoming text or call to its business.

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

#[derive(Clone, Copy, Debug)]
pub struct InboundRoute<'a> {
    pub from: &'a str,
    pub to: &'a str,
    pub now: DateTime<Utc>,
    /// The install's Messaging Service, if it has one: numbers that belong to no business belong to it.
    pub service: Option<&'a str>,
    /// Whether Twilio names that service for the text.
    pub names_service: bool,
    /// Words of a text; none for a call.
    pub words: Option<&'a str>,
}

/// The holder of the number, unless Twilio names the service (`find_assigned_org`). Without a holder the business
/// that last wrote to this person from the number or by the service; else the one that has shared the service longest,
/// or last had a message from them there. None for an unknown number.
pub async fn find_business(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    arrived: InboundRoute<'_>,
) -> Result<Option<Org>> {
    let found = match super::find_holder(&mut *conn, arrived.to).await? {
        Some(holder) => Some(find_assigned_org(&mut *conn, holder.org_id, arrived).await?),
        None => find_org_for_unassigned(&mut *conn, secret, arrived).await?,
    };
    match found {
        Some(id) => org::find(conn, id).await,
        None => Ok(None),
    }
}

/// A text for which Twilio names the shared service came to its sender pool, which carries the texts of all that share
/// it: the business that wrote last gets the answer. Every other text, and every call, is the holder's.
async fn find_assigned_org(conn: &mut dyn AsConn, holder: OrgId, arrived: InboundRoute<'_>) -> Result<OrgId> {
    let Some(service) = arrived.service.filter(|_| arrived.names_service) else { return Ok(holder) };
    // A former holder wrote from the number when it was no other's.
    let sql =
        "SELECT org_id FROM sending_contact WHERE sender IN ($1, $2) AND address = $3 AND last_sent_at IS NOT NULL
             AND (sender = $1 OR org_id = $4)
         ORDER BY last_sent_at DESC, org_id LIMIT 1";
    let writer = q!(conn, fetch_optional scalar OrgId, sql, service, arrived.to, arrived.from, holder)?;
    Ok(writer.unwrap_or(holder))
}

async fn find_org_for_unassigned(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    arrived: InboundRoute<'_>,
) -> Result<Option<OrgId>> {
    let inbound = (arrived.to, arrived.words.unwrap_or_default());
    // A proof code of ours is no customer's text.
    if claim::is_verification_text(&mut *conn, secret, inbound, arrived.now).await? {
        return Ok(None);
    }
    if let Some(writer) = find_last_writer(&mut *conn, arrived).await? {
        return Ok(Some(writer));
    }
    match arrived.service {
        Some(service) => find_longest_sharing(conn, service).await,
        None => find_last_reader(conn, arrived).await,
    }
}

/// The business that wrote from a number given up since, or by the service shared then, gets the answer.
async fn find_last_writer(conn: &mut dyn AsConn, arrived: InboundRoute<'_>) -> Result<Option<OrgId>> {
    let sql =
        "SELECT org_id FROM sending_contact WHERE sender IN ($1, $2) AND address = $3 AND last_sent_at IS NOT NULL
         ORDER BY last_sent_at DESC, org_id LIMIT 1";
    // A call is no answer: calls to a number that was given up are turned away.
    let number = arrived.words.map(|_| arrived.to);
    let Some(one) = arrived.service.or(number) else { return Ok(None) };
    Ok(q!(conn, fetch_optional scalar OrgId, sql, one, number.unwrap_or(one), arrived.from)?)
}

async fn find_longest_sharing(conn: &mut dyn AsConn, service: &str) -> Result<Option<OrgId>> {
    let sql = "SELECT org_id FROM sending_number WHERE sender = $1 AND kind = 'service'
         ORDER BY assigned_at, org_id LIMIT 1";
    Ok(q!(conn, fetch_optional scalar OrgId, sql, service)?)
}

/// No business wrote to them from it, but one got their texts there before it gave the number up: their STOP is for it.
async fn find_last_reader(conn: &mut dyn AsConn, arrived: InboundRoute<'_>) -> Result<Option<OrgId>> {
    if arrived.words.is_none() {
        return Ok(None);
    }
    let sql = "SELECT m.org_id FROM customer_key k CROSS JOIN message m
         WHERE k.kind = 'phone' AND k.value = $2 AND m.org_id = k.org_id
             AND m.customer_id = k.customer_id AND m.direction = 'in' AND m.from_address = $2 AND m.to_address = $1
         ORDER BY m.created_at DESC, m.org_id LIMIT 1";
    Ok(q!(conn, fetch_optional scalar OrgId, sql, arrived.to, arrived.from)?)
}

/// A known call stays with its business, whichever writes meanwhile.
pub async fn find_business_of_call(conn: &mut dyn AsConn, call: &str) -> Result<Option<Org>> {
    let sql = "SELECT o.* FROM call c JOIN org o ON o.id = c.org_id WHERE c.provider_id = $1";
    Ok(q!(conn, fetch_optional as Org, sql, call)?)
}
