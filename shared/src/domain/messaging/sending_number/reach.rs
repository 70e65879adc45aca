//! Whom a STOP or a START reaches: every business that sends, or has written to that person, from the number it was
//! said to. What may have meant STOP pauses all of them; the words stay at the one that was written to.

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use super::contact;
use crate::{
    domain::messaging::{
        message::{self, Channel},
        opt_out::store::{self, Said, State},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, one_at_a_time, q},
        error::Result,
        id::OrgId,
    },
};

/// Parts these locks from others.
const LOCK: &str = "sender:";
/// What the others are told of words that they do not see.
const ASKED: &str = "they asked at this number not to be texted";

/// Holds what was written to until the transaction ends. Whoever stores a STOP and whoever gets the sender take turns, so
/// that one of them sees the other. Taken before any row of an opt-out, by all of them.
pub(crate) async fn hold(tx: &mut Tx, org: OrgId, to: &str) -> Result<()> {
    for sender in senders(&mut *tx, org, to).await? {
        hold_sender(tx, &sender).await?;
    }
    Ok(())
}

/// The same by the sender's name.
pub(super) async fn hold_sender(tx: &mut Tx, sender: &str) -> Result<()> {
    let hash = Sha256::digest(format!("{LOCK}{sender}"));
    let lock = hash.iter().take(8).fold(0_i64, |sum, byte| (sum << 8) | i64::from(*byte));
    one_at_a_time(tx, lock).await
}

/// The other businesses: those that share the service which `org` shares, and those that ever wrote to this person from
/// the same sender.
pub async fn others(conn: &mut dyn AsConn, org: OrgId, to: &str, person: &str) -> Result<Vec<OrgId>> {
    let mut others = Vec::new();
    for sender in senders(&mut *conn, org, to).await? {
        others.extend(others_of(&mut *conn, org, &sender, person).await?);
    }
    others.sort_unstable();
    others.dedup();
    Ok(others)
}

/// What was written to: a number that belongs to a business; else the number, where `org` wrote from it before it was
/// given up, and the service that `org` shares or wrote by. Always in this order: each is held.
async fn senders(conn: &mut dyn AsConn, org: OrgId, to: &str) -> Result<Vec<String>> {
    if super::holder(&mut *conn, to).await?.is_some() {
        return Ok(vec![to.to_owned()]);
    }
    let wrote =
        "SELECT EXISTS (SELECT 1 FROM sending_contact WHERE org_id = $1 AND sender = $2 AND wrote_at IS NOT NULL)";
    let wrote_from_it = q!(&mut *conn, fetch_one scalar bool, wrote, org, to)?;
    // Numbers begin with a plus, services do not.
    let service = "SELECT COALESCE(messaging_service, (SELECT c.sender FROM sending_contact c
             WHERE c.org_id = $1 AND c.sender NOT LIKE '+%' AND c.wrote_at IS NOT NULL ORDER BY c.wrote_at DESC LIMIT 1))
         FROM org WHERE id = $1";
    let service = q!(conn, fetch_optional scalar Option<String>, service, org)?.flatten();
    Ok(wrote_from_it.then(|| to.to_owned()).into_iter().chain(service).collect())
}

async fn others_of(conn: &mut dyn AsConn, org: OrgId, sender: &str, person: &str) -> Result<Vec<OrgId>> {
    Ok(q!(
        conn,
        fetch_all scalar OrgId,
        "SELECT n.org_id FROM sending_number n WHERE n.sender = $1 AND n.org_id <> $3
         UNION SELECT c.org_id FROM sending_contact c WHERE c.sender = $1 AND c.address = $2 AND c.org_id <> $3",
        sender,
        person,
        org
    )?)
}

/// STOP holds for every business on that number, in the transaction that stores it, and for those that get it later. The
/// words stay at the one that was written to.
pub(crate) async fn stop(tx: &mut Tx, origin: &Origin, (org, to): (OrgId, &str), person: &str) -> Result<()> {
    let said = Said { state: State::Stopped, source: "text", matched: None };
    for sender in senders(&mut *tx, org, to).await? {
        stop_others(&mut *tx, origin, (org, &sender), person, (&said, "they said STOP")).await?;
    }
    Ok(())
}

async fn stop_others(
    tx: &mut Tx,
    origin: &Origin,
    (org, sender): (OrgId, &str),
    person: &str,
    (said, why): (&Said<'_>, &str),
) -> Result<()> {
    contact::heard(&mut *tx, org, sender, person).await?;
    for other in others_of(&mut *tx, org, sender, person).await? {
        store::record(tx, origin, other, Channel::Sms, person, said).await?;
        message::stop_all_to(tx, origin, other, person, why).await?;
    }
    Ok(())
}

/// What may have meant STOP holds for every business on that number, until each has decided for its own texts.
pub(crate) async fn pause(tx: &mut Tx, origin: &Origin, there: (OrgId, &str), person: &str) -> Result<()> {
    tell_others(tx, origin, there, person, (State::Paused, origin.now())).await.map(|_| ())
}

/// A person of the business that was written to says that it meant STOP. Where it holds from now on.
pub(crate) async fn stop_elsewhere(
    tx: &mut Tx,
    origin: &Origin,
    there: (OrgId, &str),
    person: &str,
    said_at: DateTime<Utc>,
) -> Result<Vec<OrgId>> {
    tell_others(tx, origin, there, person, (State::Stopped, said_at)).await
}

async fn tell_others(
    tx: &mut Tx,
    origin: &Origin,
    (org, to): (OrgId, &str),
    person: &str,
    said: (State, DateTime<Utc>),
) -> Result<Vec<OrgId>> {
    for sender in senders(&mut *tx, org, to).await? {
        contact::heard(&mut *tx, org, &sender, person).await?;
    }
    let mut told = Vec::new();
    for other in others(&mut *tx, org, to, person).await? {
        if store::record_elsewhere(&mut *tx, origin, other, person, said).await? {
            message::stop_all_to(&mut *tx, origin, other, person, ASKED).await?;
            told.push(other);
        }
    }
    Ok(told)
}

/// The provider says that this person has opted out of the sender: it holds for every business on it, as STOP does.
pub(crate) async fn refused(
    tx: &mut Tx,
    origin: &Origin,
    (org, sender): (OrgId, &str),
    person: &str,
    reason: &str,
) -> Result<()> {
    hold_sender(&mut *tx, sender).await?;
    let said = Said { state: State::Stopped, source: "provider", matched: None };
    store::record(&mut *tx, origin, org, Channel::Sms, person, &said).await?;
    stop_others(tx, origin, (org, sender), person, (&said, reason)).await
}

/// START takes it back wherever they said it themselves, also what was only paused. True when it stood anywhere.
pub(crate) async fn start(
    tx: &mut Tx,
    origin: &Origin,
    (org, to): (OrgId, &str),
    person: &str,
    matched: Option<&str>,
) -> Result<bool> {
    let mut stood = false;
    for other in others(&mut *tx, org, to, person).await? {
        stood |= store::take_back(&mut *tx, origin, other, person, matched).await?;
    }
    Ok(stood)
}

/// A person who said STOP to this sender stays stopped at a business that gets it; one who may have meant it is paused there.
/// What they wrote stays where it was said.
pub(super) async fn inherit(tx: &mut Tx, origin: &Origin, sender: &str, org: OrgId) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO opt_out (org_id, channel, address, state, source, matched, at, lifted_at)
             SELECT $2, 'sms', u.address, MAX(u.state),
                 COALESCE(MIN(CASE WHEN u.state = 'stopped' AND u.source IN ('text', 'provider') THEN u.source END), 'elsewhere'),
                 NULL, $3, NULL
             FROM sending_contact c JOIN opt_out u ON u.org_id = c.org_id AND u.channel = 'sms' AND u.address = c.address
             WHERE c.sender = $1 AND c.org_id <> $2 AND u.state IN ('stopped', 'paused')
                 AND u.source IN ('text', 'provider', 'confirmed', 'elsewhere')
             GROUP BY u.address
         ON CONFLICT (org_id, channel, address) DO UPDATE SET state = excluded.state, source = excluded.source,
             matched = excluded.matched, at = excluded.at, lifted_at = NULL
         WHERE opt_out.state = 'lifted' OR (opt_out.state = 'paused' AND excluded.state = 'stopped')",
        sender,
        org,
        origin.now()
    )?;
    Ok(())
}
