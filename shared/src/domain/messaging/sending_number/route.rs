//! Routing of an incoming text or call to its business.

use chrono::{DateTime, Duration, Utc};

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

/// How far the clocks of the worker, the API and Twilio may differ: an answer can seem to come before its question
/// left.
const CLOCK_DIFFERENCE: Duration = Duration::seconds(5);
/// How long an answer may be about the text of another business.
const MAY_ANSWER_OTHERS: Duration = Duration::hours(48);

#[derive(Clone, Copy, Debug)]
pub struct InboundRoute<'a> {
    pub from: &'a str,
    pub to: &'a str,
    /// When it came, which may be hours ago: what a business wrote later does not count.
    pub now: DateTime<Utc>,
    /// The install's Messaging Service, if it has one: numbers that belong to no business belong to it.
    pub service: Option<&'a str>,
    /// Whether Twilio names that service for the text.
    pub names_service: bool,
    /// Words of a text; none for a call.
    pub words: Option<&'a str>,
}

impl InboundRoute<'_> {
    /// The latest moment at which a text to which this one is an answer was sent.
    fn answers_until(&self) -> DateTime<Utc> {
        self.now + CLOCK_DIFFERENCE
    }
}

/// The holder of the number, unless Twilio names the service (`find_assigned_org`). Without a holder the business
/// that by then had last written to this person from the number or by the service; else the one that has shared the
/// service longest, or last had a message from them there. None for an unknown number. A number that a business had
/// counts as one of the service only where Twilio names it (`may_be_in_service`).
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
    // A former holder wrote from the number when it was no other's. Times: as in `find_last_writer`.
    let sql = "SELECT org_id FROM sending_contact WHERE sender IN ($1, $2) AND address = $3
             AND (sender = $1 OR org_id = $4) AND (last_sent_at <= $5 OR previous_sent_at IS NOT NULL)
         ORDER BY CASE WHEN last_sent_at <= $5 OR previous_sent_at <= $5 THEN 0 ELSE 1 END,
             CASE WHEN last_sent_at <= $5 THEN last_sent_at ELSE previous_sent_at END DESC, org_id LIMIT 1";
    let until = arrived.answers_until();
    let writer = q!(conn, fetch_optional scalar OrgId, sql, service, arrived.to, arrived.from, holder, until)?;
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
    let service = if may_be_in_service(&mut *conn, arrived).await? { arrived.service } else { None };
    let arrived = InboundRoute { service, ..arrived };
    if let Some(writer) = find_last_writer(&mut *conn, arrived).await? {
        return Ok(Some(writer));
    }
    match arrived.service {
        Some(service) => find_longest_sharing(conn, service).await,
        None => find_last_reader(conn, arrived).await,
    }
}

/// A number that was given up, or whose business was removed, is not another's to answer because that one shares the
/// service.
async fn may_be_in_service(conn: &mut dyn AsConn, arrived: InboundRoute<'_>) -> Result<bool> {
    Ok(arrived.names_service || !super::was_held(conn, arrived.to).await?)
}

/// The business that wrote from a number given up since, or by the service shared then, gets the answer and the call.
async fn find_last_writer(conn: &mut dyn AsConn, arrived: InboundRoute<'_>) -> Result<Option<OrgId>> {
    // A business that has written twice since may have written before, and is the last choice.
    let sql = "SELECT org_id FROM sending_contact WHERE sender IN ($1, $2) AND address = $3
             AND (last_sent_at <= $4 OR previous_sent_at IS NOT NULL)
         ORDER BY CASE WHEN last_sent_at <= $4 OR previous_sent_at <= $4 THEN 0 ELSE 1 END,
             CASE WHEN last_sent_at <= $4 THEN last_sent_at ELSE previous_sent_at END DESC, org_id LIMIT 1";
    let (sender, until) = (arrived.service.unwrap_or(arrived.to), arrived.answers_until());
    Ok(q!(conn, fetch_optional scalar OrgId, sql, sender, arrived.to, arrived.from, until)?)
}

/// When another business last wrote to this person, within the 48 hours before the text, from the number that the text
/// came to or from a sender by which `org` wrote to them too: an answer may then be meant for that business. Needs a
/// connection that sees all businesses.
pub async fn find_other_writer_time(
    conn: &mut dyn AsConn,
    org: OrgId,
    (from, to): (&str, &str),
    at: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    // A business that has written twice since may have written before.
    let sql = "SELECT MAX(CASE WHEN c.last_sent_at <= $4 THEN c.last_sent_at ELSE c.previous_sent_at END)
         FROM sending_contact c WHERE c.address = $2 AND c.org_id <> $1
             AND c.sender IN (SELECT o.sender FROM sending_contact o WHERE o.org_id = $1 AND o.address = $2
                 UNION SELECT $3)";
    let wrote = q!(conn, fetch_one scalar Option<DateTime<Utc>>, sql, org, from, to, at + CLOCK_DIFFERENCE)?;
    Ok(wrote.filter(|wrote| *wrote >= at - MAY_ANSWER_OTHERS))
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
    let sql = "SELECT org_id FROM call WHERE provider_id = $1";
    match q!(&mut *conn, fetch_optional scalar OrgId, sql, call)? {
        Some(found) => org::find(conn, found).await,
        None => Ok(None),
    }
}

/// A text that Twilio delivers again stays with the business that has it, whichever wrote meanwhile.
pub async fn find_business_of_text(conn: &mut dyn AsConn, text: &str) -> Result<Option<Org>> {
    let sql = "SELECT org_id FROM message WHERE provider_id = $1 AND direction = 'in' AND channel = 'sms'";
    match q!(&mut *conn, fetch_optional scalar OrgId, sql, text)? {
        Some(found) => org::find(conn, found).await,
        None => Ok(None),
    }
}
