//! Quarantine: requests that a person reviews before they are answered automatically, for bots and floods.

use chrono::Duration;

use super::{FormSender, NewLead};
use crate::{
    domain::{
        intake::contact_point::{self, ContactPointKind},
        tenancy::org::OrgContext,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::OrgId,
        secret::SecretKey,
        throttle::{self, WindowLimit},
    },
};

/// A public form submitted sooner than this after opening was filled in by a bot (trust requirement 61).
const MIN_FILL_TIME: Duration = Duration::seconds(3);
/// Reason for the quarantine of a form that was never opened: its token is forged, or missing on one of our own pages.
const UNOPENED_FORM_REASON: &str = "its form was not opened before it was sent, as robots do";
/// Hourly limits of automatically answered requests per network, per business and IPv6 /48, and per business; more are
/// held. What a /48 sends to other businesses does not count: it has many customers.
const HOURLY_PER_SOURCE: i64 = 10;
const HOURLY_AROUND_SOURCE: i64 = HOURLY_PER_SOURCE * throttle::WIDER_LIMIT_FACTOR;
const HOURLY_PER_ORG: i64 = 100;
/// Share in it of one IPv6 /32, so that a single provider cannot use up the limit. Millions may share one: customers who
/// are known are not held for it.
const HOURLY_PER_PROVIDER: i64 = 60;
/// Requests per business and hour that still get an email reply.
const HOURLY_EMAILED: i64 = 400;
const FORM_NETWORK: &str = "form network";
/// Reason for the quarantine of a request in a flood. Email is free, so it gets an email reply, without any typed text:
/// otherwise strangers could send their own words through us.
pub(crate) const FLOOD_REASON: &str = "more than 100 requests came in within an hour";
/// Reason for sending not even an email reply.
const EXTREME_FLOOD_REASON: &str = "more than 400 requests came in within an hour";

/// The reason why this request is quarantined; none when it is not. Requests of one network, and to one business, are
/// serialised here, so it must run first in an intake transaction.
pub(crate) async fn find_quarantine_reason(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    new: &NewLead,
    sender: &FormSender,
) -> Result<Option<&'static str>> {
    Ok(find_quarantine_reasons(tx, intake, &[(new, sender)]).await?.pop().flatten())
}

/// The same for several requests to one business, which the transaction then stores. Each counts for those after it, by
/// the order of their networks. Every transaction locks the counters in this order.
pub(crate) async fn find_quarantine_reasons(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    requests: &[(&NewLead, &FormSender)],
) -> Result<Vec<Option<&'static str>>> {
    let checked = requests.iter().enumerate().map(|(nth, (new, sender))| CheckedRequest::new(intake, nth, new, sender));
    let mut checked: Vec<CheckedRequest<'_>> = checked.collect();
    checked.sort_by_cached_key(|one| throttle::network_key(one.sender.ip));
    check_networks(&mut *tx, intake, &mut checked).await?;
    checked.sort_by_cached_key(|one| throttle::wider_network_key(one.sender.ip));
    for one in checked.iter_mut().filter(|one| !one.is_settled) {
        if is_over_wider_limit(&mut *tx, intake, one.sender).await? {
            one.settle(Some("more than 40 requests came from neighboring networks within an hour"));
        }
    }
    checked.sort_by_cached_key(|one| throttle::provider_network_key(one.sender.ip));
    for one in checked.iter_mut().filter(|one| !one.is_settled) {
        if is_over_provider_share(&mut *tx, intake, one.sender).await? {
            let is_known = names_proven_customer(&mut *tx, intake.profile.org.id, one.new).await?;
            one.settle((!is_known).then_some("more than 60 requests came from one provider within an hour"));
        }
    }
    check_org(tx, intake, &mut checked).await?;
    checked.sort_by_key(|one| one.nth);
    Ok(checked.into_iter().map(|one| one.reason).collect())
}

struct CheckedRequest<'a> {
    nth: usize,
    new: &'a NewLead,
    sender: &'a FormSender,
    /// None for an exempt sender, and without an address.
    source: Option<Vec<u8>>,
    reason: Option<&'static str>,
    /// No further limit applies.
    is_settled: bool,
}

impl<'a> CheckedRequest<'a> {
    /// With what the form says by itself.
    fn new(intake: &OrgContext<'_>, nth: usize, new: &'a NewLead, sender: &'a FormSender) -> Self {
        let source = hash_source(intake.secret, sender).filter(|_| !sender.is_exempt);
        let reason = if new.filled_honeypot {
            Some("a field that people cannot see was filled in, as robots do")
        } else if sender.is_exempt {
            None
        } else {
            form_token_reason(intake, new)
        };
        Self { nth, new, sender, source, reason, is_settled: reason.is_some() || sender.is_exempt }
    }

    fn settle(&mut self, reason: Option<&'static str>) {
        (self.reason, self.is_settled) = (reason, true);
    }
}

/// Each network is locked and counted once. Requests of one network follow each other.
async fn check_networks(tx: &mut Tx, intake: &OrgContext<'_>, checked: &mut [CheckedRequest<'_>]) -> Result<()> {
    let (mut network, mut stored, mut earlier) = (None, None, 0);
    for one in checked.iter_mut().filter(|one| one.source.is_some()) {
        if network != one.source {
            (network, stored, earlier) = (one.source.clone(), None, 0);
        }
        if !one.is_settled {
            let count = match stored {
                Some(count) => count,
                None => count_network_requests(&mut *tx, intake, one.sender).await?,
            };
            stored = Some(count);
            if count + earlier >= HOURLY_PER_SOURCE {
                one.settle(Some("more than 10 requests came from one network within an hour"));
            }
        }
        earlier += 1;
    }
    Ok(())
}

async fn check_org(tx: &mut Tx, intake: &OrgContext<'_>, checked: &mut [CheckedRequest<'_>]) -> Result<()> {
    let (mut stored, mut earlier) = (None, 0);
    for one in checked {
        if !one.is_settled {
            let count = match stored {
                Some(count) => count,
                None => count_org_requests(&mut *tx, intake).await?,
            };
            stored = Some(count);
            let why = match count + earlier {
                HOURLY_EMAILED.. => Some(EXTREME_FLOOD_REASON),
                HOURLY_PER_ORG.. => Some(FLOOD_REASON),
                _ => None,
            };
            if why.is_some() && !names_proven_customer(&mut *tx, intake.profile.org.id, one.new).await? {
                one.settle(why);
            }
        }
        earlier += i64::from(counts_toward_limit(one.new, one.reason));
    }
    Ok(())
}

/// Whether a request names a customer's proven phone or email and no unknown address: these are answered even in a
/// flood, at most once a day each.
async fn names_proven_customer(conn: &mut dyn AsConn, org: OrgId, new: &NewLead) -> Result<bool> {
    let phone = new.phone_e164.as_ref().map(|phone| (ContactPointKind::Phone, phone.as_e164()));
    let email = new.email.as_ref().map(|email| (ContactPointKind::Email, email.as_str()));
    let named: Vec<(ContactPointKind, &str)> = phone.into_iter().chain(email).collect();
    let mut customer = None;
    for point in &named {
        if customer.is_none() {
            customer = contact_point::find_proven_owner(&mut *conn, org, *point).await?;
        }
    }
    let Some(customer) = customer else { return Ok(false) };
    for point in named {
        if !contact_point::is_known_contact(&mut *conn, org, customer, point).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The form token's evidence of a bot. Our own forms always carry a token, however long the page was open; a form on
/// the business's site, or a program, may have none.
fn form_token_reason(intake: &OrgContext<'_>, new: &NewLead) -> Option<&'static str> {
    let Some(token) = &new.form_token else {
        let page = new.attribution.landing_page.as_deref();
        return page.is_some_and(|page| intake.public_url.contains_url(page)).then_some(UNOPENED_FORM_REASON);
    };
    let Some(opened) = intake.secret.verify_form_token(&intake.profile.org.slug, token) else {
        return Some(UNOPENED_FORM_REASON);
    };
    let age = intake.origin.now() - opened.at;
    (Duration::zero()..MIN_FILL_TIME).contains(&age).then_some("it was sent within 3 seconds of opening the form")
}

async fn count_network_requests(tx: &mut Tx, intake: &OrgContext<'_>, sender: &FormSender) -> Result<i64> {
    let Some(source) = hash_source(intake.secret, sender) else { return Ok(0) };
    lock_request_counter(&mut *tx, intake, FORM_NETWORK, &throttle::network_key(sender.ip)).await?;
    count_recent_from_source(tx, intake.origin, source).await
}

async fn is_over_wider_limit(tx: &mut Tx, intake: &OrgContext<'_>, sender: &FormSender) -> Result<bool> {
    let Some(place) = throttle::wider_network_key(sender.ip) else { return Ok(false) };
    let (origin, secret) = (intake.origin, intake.secret);
    let (place, limit) = (format!("{}|{place}", intake.profile.org.id), WindowLimit::per_hour(HOURLY_AROUND_SOURCE));
    Ok(!throttle::try_count_action(tx, origin, secret, FORM_NETWORK, &place, limit).await?)
}

async fn is_over_provider_share(tx: &mut Tx, intake: &OrgContext<'_>, sender: &FormSender) -> Result<bool> {
    let Some(place) = throttle::provider_network_key(sender.ip) else { return Ok(false) };
    let (origin, secret) = (intake.origin, intake.secret);
    let (place, limit) = (format!("{}|{place}", intake.profile.org.id), WindowLimit::per_hour(HOURLY_PER_PROVIDER));
    Ok(!throttle::try_count_action(tx, origin, secret, "form provider", &place, limit).await?)
}

/// Whether the sender's network, or the one around it at this business, is over the limit. Does not wait for requests in
/// progress.
pub async fn is_network_over_limit(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    secret: &SecretKey,
    org: OrgId,
    sender: &FormSender,
) -> Result<bool> {
    let Some(source) = hash_source(secret, sender).filter(|_| !sender.is_exempt) else { return Ok(false) };
    if count_recent_from_source(&mut *conn, origin, source).await? >= HOURLY_PER_SOURCE {
        return Ok(true);
    }
    let Some(place) = throttle::wider_network_key(sender.ip) else { return Ok(false) };
    throttle::is_at_limit(conn, origin, secret, FORM_NETWORK, &format!("{org}|{place}"), HOURLY_AROUND_SOURCE).await
}

async fn count_recent_from_source(conn: &mut dyn AsConn, origin: &ClockRng, source: Vec<u8>) -> Result<i64> {
    let since = origin.now() - Duration::hours(1);
    let sql = "SELECT COUNT(*) FROM lead_inquiry WHERE source_hash = $1 AND at > $2";
    Ok(q!(conn, fetch_one scalar i64, sql, source, since)?)
}

/// Public forms to the business, without those held because of their sender: one network or bot cannot silence the
/// business for everyone.
async fn count_org_requests(tx: &mut Tx, intake: &OrgContext<'_>) -> Result<i64> {
    let (org, since) = (intake.profile.org.id, intake.origin.now() - Duration::hours(1));
    lock_request_counter(&mut *tx, intake, "form org", &org.to_string()).await?;
    let sql = "SELECT COUNT(*) FROM lead_inquiry WHERE org_id = $1 AND at > $2 AND is_counted = TRUE";
    Ok(q!(tx, fetch_one scalar i64, sql, org, since)?)
}

/// Waits until other transactions counted under the same name have ended, and then sees their rows, so that a burst is
/// counted one by one.
async fn lock_request_counter(tx: &mut Tx, intake: &OrgContext<'_>, what: &str, place: &str) -> Result<()> {
    throttle::lock_counter(tx, &intake.secret.keyed_hash(what, place), intake.origin.now()).await
}

/// Whether it counts toward the business's hourly limit: only a public form, which anyone can fill in. Texts and calls
/// come from a number of their own and are never held for the limit.
pub(crate) fn counts_toward_limit(new: &NewLead, quarantine_reason: Option<&str>) -> bool {
    new.is_public() && quarantine_reason.is_none_or(is_flood_reason)
}

pub(crate) fn is_flood_reason(why: &str) -> bool {
    [FLOOD_REASON, EXTREME_FLOOD_REASON].contains(&why)
}

/// Keyed hash of the network: tells networks apart without storing addresses.
pub(crate) fn hash_source(secret: &SecretKey, sender: &FormSender) -> Option<Vec<u8>> {
    let ip = sender.ip?;
    Some(secret.keyed_hash("source", &throttle::network_key(Some(ip))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::intake::lead::LeadFormKind;

    #[test]
    fn only_public_form_that_is_not_held_for_its_sender_counts_against_business() {
        let sent = |form| NewLead { form, ..NewLead::from_hidden_call() };
        for form in [LeadFormKind::Lead, LeadFormKind::Quote, LeadFormKind::Booking] {
            let is_counted = |why| counts_toward_limit(&sent(form), why);
            assert!([None, Some(FLOOD_REASON), Some(EXTREME_FLOOD_REASON)].into_iter().all(is_counted));
            assert!(!is_counted(Some(UNOPENED_FORM_REASON)));
        }
        for form in [LeadFormKind::Text, LeadFormKind::Call, LeadFormKind::Typed] {
            assert!(!counts_toward_limit(&sent(form), None), "{form:?}");
        }
    }

    #[test]
    fn household_addresses_share_one_source_hash() {
        let secret = SecretKey::new([1; 32]);
        let hash =
            |ip: &str| hash_source(&secret, &FormSender { ip: Some(ip.parse().unwrap()), ..FormSender::default() });
        assert_eq!(hash("2001:db8:1:200::1"), hash("2001:db8:1:2ff:ffff::9"));
        assert_ne!(hash("2001:db8:1:200::1"), hash("2001:db8:1:300::1"));
        assert_eq!(hash("::ffff:203.0.113.9"), hash("203.0.113.9"));
    }
}
