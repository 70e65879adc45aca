//! What is kept for a person to look at instead of being answered by itself: robots, and floods.

use std::net::IpAddr;

use chrono::Duration;

use super::{Intake, NewLead, Sender};
use crate::{
    db::{Tx, q},
    error::Result,
    secret::SecretKey,
};

/// A public form sent sooner than this after it was opened was not filled in by a person (trust requirement 61).
const FASTEST_PERSON: Duration = Duration::seconds(3);
/// Requests an hour from one network, and to one org, that are answered by themselves; more are held for a person.
const HOURLY_PER_SOURCE: i64 = 10;
const HOURLY_PER_ORG: i64 = 100;
/// Requests an hour to one org that are answered by email at least.
const HOURLY_EMAILED: i64 = 400;
/// Why a request is held that came with too many others. An email costs nothing, so it is answered by email, in words
/// that hold nothing of what was typed: or strangers could have us send their own words to anybody.
pub(crate) const FLOODED: &str = "more than 100 requests came in within an hour";
/// Why it is not even answered by email.
const DROWNED: &str = "more than 400 requests came in within an hour";

/// Why this request is kept for a person to look at instead of being answered by itself; none when it is not.
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
    let now = intake.origin.now();
    let org = &intake.profile.org;
    let age = new.form_token.as_deref().and_then(|t| intake.secret.form_age(&org.slug, t, now));
    if age.is_some_and(|age| age < FASTEST_PERSON) {
        return Ok(Some("it was sent within 3 seconds of opening the form"));
    }
    if let Some(source) = source_hash(intake.secret, sender) {
        let sent = q!(
            &mut *tx,
            fetch_one scalar i64,
            "SELECT COUNT(*) FROM lead_touch WHERE source_hash = $1 AND at > $2",
            source,
            now - Duration::hours(1)
        )?;
        if sent >= HOURLY_PER_SOURCE {
            return Ok(Some("more than 10 requests came from one network within an hour"));
        }
    }
    let sent = q!(
        tx,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM lead_touch WHERE org_id = $1 AND at > $2",
        org.id,
        now - Duration::hours(1)
    )?;
    Ok(match sent {
        HOURLY_EMAILED.. => Some(DROWNED),
        HOURLY_PER_ORG.. => Some(FLOODED),
        _ => None,
    })
}

/// Whether so many requests came in that the business must hear of it.
pub(super) fn is_flood(why: &str) -> bool {
    [FLOODED, DROWNED].contains(&why)
}

/// Tells networks apart without keeping their addresses: IPv6 by its /64, which is one household.
pub(super) fn source_hash(secret: &SecretKey, sender: &Sender) -> Option<Vec<u8>> {
    let network = match sender.ip?.to_canonical() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("{:x?}", &ip.segments()[..4]),
    };
    Some(secret.blur("source", &network))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_household_is_one_source() {
        let secret = SecretKey::new([1; 32]);
        let hash = |ip: &str| source_hash(&secret, &Sender { ip: Some(ip.parse().unwrap()), ..Sender::default() });
        assert_eq!(hash("2001:db8:1:2::1"), hash("2001:db8:1:2:ffff::9"));
        assert_ne!(hash("2001:db8:1:2::1"), hash("2001:db8:1:3::1"));
        assert_eq!(hash("::ffff:203.0.113.9"), hash("203.0.113.9"));
    }
}
