//! What is kept for a person to look at instead of being answered by itself: robots, and floods.

use chrono::Duration;

use super::{Intake, NewLead, Sender};
use crate::{
    domain::intake::contact_point::{self, Kind},
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::OrgId,
        secret::SecretKey,
        throttle,
    },
};

/// A public form sent sooner than this after it was opened was not filled in by a person (trust requirement 61).
const FASTEST_PERSON: Duration = Duration::seconds(3);
/// Why a request is held whose form was never opened: its token is missing where our own pages send one, or made up.
const UNOPENED: &str = "its form was not opened before it was sent, as robots do";
/// Requests an hour from one network, from the /48 around an IPv6 one, and to one org, that are answered by themselves;
/// more are held for a person.
const HOURLY_PER_SOURCE: i64 = 10;
const HOURLY_AROUND_SOURCE: i64 = HOURLY_PER_SOURCE * throttle::WIDER;
const HOURLY_PER_ORG: i64 = 100;
/// Requests an hour to one org that are answered by email at least.
const HOURLY_EMAILED: i64 = 400;
/// What a network's requests are counted under.
const FORM_NETWORK: &str = "form network";
/// Why a request is held that came with too many others. An email costs nothing, so it is answered by email, in words
/// that hold nothing of what was typed: or strangers could have us send their own words to anybody.
pub(crate) const FLOODED: &str = "more than 100 requests came in within an hour";
/// Why it is not even answered by email.
const DROWNED: &str = "more than 400 requests came in within an hour";

/// Why this request is kept for a person to look at instead of being answered by itself; none when it is not. Requests of
/// one network, and to one org, wait for each other here: it comes before anything else of a transaction that takes one
/// in.
pub(super) async fn why_held(
    tx: &mut Tx,
    intake: &Intake<'_>,
    new: &NewLead,
    sender: &Sender,
) -> Result<Option<&'static str>> {
    if new.filled_honeypot {
        return Ok(Some("a field that people cannot see was filled in, as robots do"));
    }
    if sender.is_exempt {
        return Ok(None);
    }
    if let Some(why) = by_token(intake, new) {
        return Ok(Some(why));
    }
    if of_one_network(&mut *tx, intake, sender).await? >= HOURLY_PER_SOURCE {
        return Ok(Some("more than 10 requests came from one network within an hour"));
    }
    if are_too_many_around(&mut *tx, intake, sender).await? {
        return Ok(Some("more than 40 requests came from neighboring networks within an hour"));
    }
    let why = match of_the_org(&mut *tx, intake).await? {
        HOURLY_EMAILED.. => DROWNED,
        HOURLY_PER_ORG.. => FLOODED,
        _ => return Ok(None),
    };
    Ok((!is_of_a_customer(tx, intake.profile.org.id, new).await?).then_some(why))
}

/// Whether a request names a proven phone or email of a customer, and no address that was never theirs: a flood of
/// strangers does not keep the business from answering its customers. One answer within a day is all that it brings.
async fn is_of_a_customer(conn: &mut dyn AsConn, org: OrgId, new: &NewLead) -> Result<bool> {
    let phone = new.phone_e164.as_ref().map(|phone| (Kind::Phone, phone.as_e164()));
    let email = new.email.as_deref().map(|email| (Kind::Email, email));
    let named: Vec<(Kind, &str)> = phone.into_iter().chain(email).collect();
    let mut customer = None;
    for point in &named {
        if customer.is_none() {
            customer = contact_point::proven_holder(&mut *conn, org, *point).await?;
        }
    }
    let Some(customer) = customer else { return Ok(false) };
    for point in named {
        if !contact_point::is_known(&mut *conn, org, customer, point).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What the form's token tells against a person. A form of ours carries one, however long its page lay open; a form on
/// the business's own site, or a program, need not.
fn by_token(intake: &Intake<'_>, new: &NewLead) -> Option<&'static str> {
    let Some(token) = &new.form_token else {
        let page = new.attribution.landing_page.as_deref();
        return page.is_some_and(|page| intake.public_url.covers(page)).then_some(UNOPENED);
    };
    let Some(opened) = intake.secret.form_opened(&intake.profile.org.slug, token) else { return Some(UNOPENED) };
    let age = intake.origin.now() - opened;
    (Duration::zero()..FASTEST_PERSON).contains(&age).then_some("it was sent within 3 seconds of opening the form")
}

/// How many requests of the last hour came from the sender's network, to whichever business.
async fn of_one_network(tx: &mut Tx, intake: &Intake<'_>, sender: &Sender) -> Result<i64> {
    let Some(source) = source_hash(intake.secret, sender) else { return Ok(0) };
    one_by_one(&mut *tx, intake, FORM_NETWORK, &throttle::network(sender.ip)).await?;
    lately(tx, intake.origin, source).await
}

/// Counts the request for the /48 around the sender's network, and says whether it is one too many.
async fn are_too_many_around(tx: &mut Tx, intake: &Intake<'_>, sender: &Sender) -> Result<bool> {
    let Some(place) = throttle::wider(sender.ip) else { return Ok(false) };
    let (origin, secret) = (intake.origin, intake.secret);
    Ok(!throttle::is_within(tx, origin, secret, FORM_NETWORK, &place, HOURLY_AROUND_SOURCE).await?)
}

/// Whether the sender's network sends more requests than are answered by themselves. Those that are under way are not
/// waited for.
pub async fn sends_too_many(
    conn: &mut dyn AsConn,
    origin: &Origin,
    secret: &SecretKey,
    sender: &Sender,
) -> Result<bool> {
    let Some(source) = source_hash(secret, sender).filter(|_| !sender.is_exempt) else { return Ok(false) };
    if lately(&mut *conn, origin, source).await? >= HOURLY_PER_SOURCE {
        return Ok(true);
    }
    match throttle::wider(sender.ip) {
        Some(place) => throttle::is_at(conn, origin, secret, FORM_NETWORK, &place, HOURLY_AROUND_SOURCE).await,
        None => Ok(false),
    }
}

/// How many requests of the last hour came from a network, to whichever business.
async fn lately(conn: &mut dyn AsConn, origin: &Origin, source: Vec<u8>) -> Result<i64> {
    let since = origin.now() - Duration::hours(1);
    let sql = "SELECT COUNT(*) FROM lead_touch WHERE source_hash = $1 AND at > $2";
    Ok(q!(conn, fetch_one scalar i64, sql, source, since)?)
}

/// How many the business got, besides those that were held for their sender: what one network or robots send does not
/// silence the business for everybody else.
async fn of_the_org(tx: &mut Tx, intake: &Intake<'_>) -> Result<i64> {
    let (org, since) = (intake.profile.org.id, intake.origin.now() - Duration::hours(1));
    one_by_one(&mut *tx, intake, "form org", &org.to_string()).await?;
    let sql = "SELECT COUNT(*) FROM lead_touch WHERE org_id = $1 AND at > $2 AND is_counted = TRUE";
    Ok(q!(tx, fetch_one scalar i64, sql, org, since)?)
}

/// Waits until whoever was counted under the same name has ended their transaction: what they wrote is seen from then on,
/// so that a burst counts itself one by one.
async fn one_by_one(tx: &mut Tx, intake: &Intake<'_>, what: &str, place: &str) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO sign_in_throttle (key_hash, failures, window_start, blocked_until) VALUES ($1, 1, $2, $2)
         ON CONFLICT (key_hash) DO UPDATE SET window_start = $2",
        intake.secret.blur(what, place),
        intake.origin.now()
    )?;
    Ok(())
}

/// Whether a request uses up those that the business answers by itself in an hour.
pub(super) fn is_counted(held: Option<&str>) -> bool {
    held.is_none_or(is_flood)
}

/// Whether so many requests came in that the business must hear of it.
pub(super) fn is_flood(why: &str) -> bool {
    [FLOODED, DROWNED].contains(&why)
}

/// Tells networks apart without keeping their addresses.
pub(super) fn source_hash(secret: &SecretKey, sender: &Sender) -> Option<Vec<u8>> {
    let ip = sender.ip?;
    Some(secret.blur("source", &throttle::network(Some(ip))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_for_its_sender_is_not_counted_against_the_business() {
        assert!([None, Some(FLOODED), Some(DROWNED)].into_iter().all(is_counted));
        assert!(!is_counted(Some(UNOPENED)));
    }

    #[test]
    fn one_household_is_one_source() {
        let secret = SecretKey::new([1; 32]);
        let hash = |ip: &str| source_hash(&secret, &Sender { ip: Some(ip.parse().unwrap()), ..Sender::default() });
        assert_eq!(hash("2001:db8:1:200::1"), hash("2001:db8:1:2ff:ffff::9"));
        assert_ne!(hash("2001:db8:1:200::1"), hash("2001:db8:1:300::1"));
        assert_eq!(hash("::ffff:203.0.113.9"), hash("203.0.113.9"));
    }
}
