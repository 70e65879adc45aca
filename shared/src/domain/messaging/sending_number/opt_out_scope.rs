//! Scope of a STOP or a START: every business that sends, or has written to that person, from the number it was said
//! to. A possible STOP pauses all of them; the words stay at the business that was written to.

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use super::contact;
use crate::{
    domain::messaging::{
        message::{self, MessageChannel},
        opt_out::store::{self, OptOutRecord, OptOutState},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, acquire_advisory_lock, q},
        error::Result,
        id::OrgId,
    },
};

/// Where a person spoke of being texted: the business that got it, the number, and the install's service where Twilio
/// names it.
#[derive(Clone, Copy, Debug)]
pub struct OptOutScope<'a> {
    pub org: OrgId,
    pub to: &'a str,
    pub service: Option<&'a str>,
}

/// Prefix that separates these locks from others.
const LOCK: &str = "sender:";
/// Reason for the other businesses, which do not see the words.
const ASKED: &str = "they asked at this number not to be texted";

/// Locks the senders until the transaction ends. Storing a STOP and assigning a sender take turns, so that one of them
/// sees the other. All of them take this lock before any row of an opt-out, once, for all that the transaction is about.
pub(crate) async fn lock_senders(tx: &mut Tx, scopes: &[OptOutScope<'_>]) -> Result<()> {
    let mut senders = Vec::new();
    for there in scopes {
        senders.extend(list_senders_written_to(&mut *tx, *there).await?);
    }
    for sender in in_lock_order(senders) {
        lock_sender(tx, &sender).await?;
    }
    Ok(())
}

/// Numbers first, services last, each once: two transactions never wait for each other.
fn in_lock_order(mut senders: Vec<String>) -> Vec<String> {
    // A plus sorts before the letters of a service.
    senders.sort_unstable();
    senders.dedup();
    senders
}

pub(super) async fn lock_sender(tx: &mut Tx, sender: &str) -> Result<()> {
    let hash = Sha256::digest(format!("{LOCK}{sender}"));
    let lock = hash.iter().take(8).fold(0_i64, |sum, byte| (sum << 8) | i64::from(*byte));
    acquire_advisory_lock(tx, lock).await
}

/// Businesses that share the service of the one written to, or ever wrote to this person from the same sender.
pub async fn list_other_orgs(conn: &mut dyn AsConn, there: OptOutScope<'_>, person: &str) -> Result<Vec<OrgId>> {
    let mut others = Vec::new();
    for sender in list_senders_written_to(&mut *conn, there).await? {
        others.extend(list_orgs_of_sender(&mut *conn, there.org, &sender, person).await?);
    }
    others.sort_unstable();
    others.dedup();
    Ok(others)
}

/// Senders behind the address: a number that belongs to a business, and the service where the number may send for it;
/// else the number, where `org` wrote from it before it was given up, and the service that `org` shares or wrote by.
async fn list_senders_written_to(conn: &mut dyn AsConn, there: OptOutScope<'_>) -> Result<Vec<String>> {
    let OptOutScope { org, to, service: named } = there;
    if let Some(holder) = super::find_holder(&mut *conn, to).await? {
        let service = match named {
            Some(named) => Some(named.to_owned()),
            None if holder.org_id == org => super::find_service_shared_by(conn, org).await?,
            // Twilio named the service, and the text was another business's than the holder's: that one wrote by it.
            None => find_service_written_by(conn, org).await?,
        };
        return Ok([to.to_owned()].into_iter().chain(service).collect());
    }
    let wrote =
        "SELECT EXISTS (SELECT 1 FROM sending_contact WHERE org_id = $1 AND sender = $2 AND last_sent_at IS NOT NULL)";
    let wrote_from_it = q!(&mut *conn, fetch_one scalar bool, wrote, org, to)?;
    let service = find_service_written_by(conn, org).await?;
    Ok(wrote_from_it.then(|| to.to_owned()).into_iter().chain(service).collect())
}

/// The service that the business shares, or last wrote by.
async fn find_service_written_by(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<String>> {
    // Numbers begin with a plus, services do not.
    let service = "SELECT COALESCE(messaging_service, (SELECT c.sender FROM sending_contact c
             WHERE c.org_id = $1 AND c.sender NOT LIKE '+%' AND c.last_sent_at IS NOT NULL ORDER BY c.last_sent_at DESC LIMIT 1))
         FROM org WHERE id = $1";
    Ok(q!(conn, fetch_optional scalar Option<String>, service, org)?.flatten())
}

async fn list_orgs_of_sender(conn: &mut dyn AsConn, org: OrgId, sender: &str, person: &str) -> Result<Vec<OrgId>> {
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

/// STOP applies for every business on that number, in the transaction that stores it, and for those that get it later.
/// The words stay at the business that was written to.
pub(crate) async fn propagate_stop(tx: &mut Tx, origin: &ClockRng, there: OptOutScope<'_>, person: &str) -> Result<()> {
    let record = OptOutRecord { state: OptOutState::Stopped, source: "text", matched: None };
    for sender in list_senders_written_to(&mut *tx, there).await? {
        stop_other_orgs(&mut *tx, origin, (there.org, &sender), person, (&record, "they said STOP")).await?;
    }
    Ok(())
}

async fn stop_other_orgs(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, sender): (OrgId, &str),
    person: &str,
    (record, why): (&OptOutRecord<'_>, &str),
) -> Result<()> {
    contact::record_stop_contact(&mut *tx, org, sender, person).await?;
    for other in list_orgs_of_sender(&mut *tx, org, sender, person).await? {
        store::record_opt_out(tx, origin, other, MessageChannel::Sms, person, record).await?;
        message::cancel_texts_to_address(tx, origin, other, person, why).await?;
    }
    Ok(())
}

/// A possible STOP pauses every business on that number, until each has decided for its own texts.
pub(crate) async fn propagate_pause(
    tx: &mut Tx,
    origin: &ClockRng,
    there: OptOutScope<'_>,
    person: &str,
) -> Result<()> {
    update_other_orgs(tx, origin, there, person, (OptOutState::Paused, origin.now())).await.map(|_| ())
}

/// A person of the business that was written to confirms a STOP. Returns the businesses where it applies from now on.
pub(crate) async fn confirm_stop_elsewhere(
    tx: &mut Tx,
    origin: &ClockRng,
    there: OptOutScope<'_>,
    person: &str,
    said_at: DateTime<Utc>,
) -> Result<Vec<OrgId>> {
    update_other_orgs(tx, origin, there, person, (OptOutState::Stopped, said_at)).await
}

async fn update_other_orgs(
    tx: &mut Tx,
    origin: &ClockRng,
    there: OptOutScope<'_>,
    person: &str,
    record: (OptOutState, DateTime<Utc>),
) -> Result<Vec<OrgId>> {
    for sender in list_senders_written_to(&mut *tx, there).await? {
        contact::record_stop_contact(&mut *tx, there.org, &sender, person).await?;
    }
    let mut notified = Vec::new();
    for other in list_other_orgs(&mut *tx, there, person).await? {
        if store::record_opt_out_elsewhere(&mut *tx, origin, other, person, record).await? {
            message::cancel_texts_to_address(&mut *tx, origin, other, person, ASKED).await?;
            notified.push(other);
        }
    }
    Ok(notified)
}

/// An opt-out from the sender that the provider reports applies for every business on it, as STOP does.
pub(crate) async fn record_provider_stop(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, sender): (OrgId, &str),
    person: &str,
    reason: &str,
) -> Result<()> {
    lock_sender(&mut *tx, sender).await?;
    let record = OptOutRecord { state: OptOutState::Stopped, source: "provider", matched: None };
    store::record_opt_out(&mut *tx, origin, org, MessageChannel::Sms, person, &record).await?;
    stop_other_orgs(tx, origin, (org, sender), person, (&record, reason)).await
}

/// START lifts every opt-out and pause that the person caused, at all businesses on the sender. True when there was one.
pub(crate) async fn propagate_start(
    tx: &mut Tx,
    origin: &ClockRng,
    there: OptOutScope<'_>,
    person: &str,
    matched: Option<&str>,
) -> Result<bool> {
    let mut stood = false;
    for other in list_other_orgs_to_lift(&mut *tx, there, person).await? {
        stood |= store::lift_own_opt_out(&mut *tx, origin, other, person, matched).await?;
    }
    Ok(stood)
}

/// A number that a business has is that business's alone for a START, unless Twilio names the service: a consent to
/// the holder is none to those that share the service with it.
async fn list_other_orgs_to_lift(conn: &mut dyn AsConn, there: OptOutScope<'_>, person: &str) -> Result<Vec<OrgId>> {
    if there.service.is_none() && super::find_holder(&mut *conn, there.to).await?.is_some() {
        return list_orgs_of_sender(conn, there.org, there.to, person).await;
    }
    list_other_orgs(conn, there, person).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senders_of_several_texts_lock_sorted_numbers_before_services() {
        let senders = ["+15125550702", "MG5e", "+15125550701", "MG5e"].map(ToOwned::to_owned);
        assert_eq!(in_lock_order(senders.to_vec()), ["+15125550701", "+15125550702", "MG5e"]);
    }
}
