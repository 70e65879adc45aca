//! Access links that need no account: estimates, invoices, visits, invitations, crew calendars, review pages.
//!
//! A token is the link's id and a keyed hash of it: a copy of the table opens nothing, and only a holder of the
//! install's secret can make one. The target is stored in the table, so a link can be revoked.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    clock::ClockRng,
    db::{AsConn, Tx, q},
    error::Result,
    id::{LinkId, OrgId},
    secret::{SecretKey, TAG_LEN},
    text_enum::display_serialized,
};

pub mod copy;

const TOKEN_CHARS: usize = 43;

/// Validity after the subject is settled.
const SETTLED_LINK_TTL: Duration = Duration::days(180);

/// Target of a link. The token's hash covers it, so a token is valid for one kind only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum LinkKind {
    Estimate,
    Invoice,
    Visit,
    Invite,
    CrewFeed,
    Review,
    /// A requested visit, waiting for the customer's confirmation.
    Booking,
    /// The free times that are offered after one request.
    FreeTimes,
}

impl LinkKind {
    pub const ALL: [Self; 8] = [
        Self::Estimate,
        Self::Invoice,
        Self::Visit,
        Self::Invite,
        Self::CrewFeed,
        Self::Review,
        Self::Booking,
        Self::FreeTimes,
    ];
}

// The tag of a token covers it.
display_serialized!(LinkKind);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SupersededLinks {
    pub last_end: Option<DateTime<Utc>>,
    pub endless: i64,
}

impl SupersededLinks {
    pub fn merge_from(&mut self, other: Self) {
        self.last_end = self.last_end.max(other.last_end);
        self.endless += other.endless;
    }
}

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct AccessLink {
    pub id: LinkId,
    pub org_id: OrgId,
    pub kind: LinkKind,
    /// Id of the estimate, invoice, job, invitation, crew, review request or inquiry.
    pub subject_id: Uuid,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub first_seen_at: Option<DateTime<Utc>>,
    pub last_seen_at: Option<DateTime<Utc>>,
    pub seen: i64,
    /// Delivery channel of this copy; none for the link's own token.
    pub copy_way: Option<copy::LinkCopyChannel>,
    pub copy_value: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkLookup {
    Active(AccessLink),
    /// Valid once, now expired; the holder may be told so.
    Expired(AccessLink),
    /// Forged, truncated, of another kind, unknown or revoked: indistinguishable to the holder.
    Gone,
}

/// The link in force to `subject`, created when there is none; it now lasts until `expires`.
pub async fn ensure_link(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    kind: LinkKind,
    subject: Uuid,
    expires: Option<DateTime<Utc>>,
) -> Result<LinkId> {
    Ok(q!(
        tx,
        fetch_one scalar LinkId,
        "INSERT INTO access_link (org_id, id, kind, subject_id, created_at, expires_at, seen) VALUES ($1, $2, $3, $4, $5, $6, 0)
         ON CONFLICT (org_id, kind, subject_id) WHERE revoked_at IS NULL DO UPDATE SET expires_at = excluded.expires_at
         RETURNING id",
        org,
        LinkId(origin.random_uuid()),
        kind,
        subject,
        origin.now(),
        expires
    )?)
}

pub async fn find_active(conn: &mut dyn AsConn, org: OrgId, kind: LinkKind, subject: Uuid) -> Result<Option<LinkId>> {
    let sql = "SELECT id FROM access_link WHERE org_id = $1 AND kind = $2 AND subject_id = $3 AND revoked_at IS NULL";
    Ok(q!(conn, fetch_optional scalar LinkId, sql, org, kind, subject)?)
}

/// Limits the link to another half a year; after that it reports as expired.
pub async fn schedule_expiry(tx: &mut Tx, origin: &ClockRng, org: OrgId, kind: LinkKind, subject: Uuid) -> Result<()> {
    let sql = "UPDATE access_link SET expires_at = $4 WHERE org_id = $1 AND kind = $2 AND subject_id = $3 AND revoked_at IS NULL";
    q!(tx, execute, sql, org, kind, subject, origin.now() + SETTLED_LINK_TTL)?;
    Ok(())
}

/// Revokes the link in force. Returns whether there was one.
pub async fn revoke_link(tx: &mut Tx, origin: &ClockRng, org: OrgId, kind: LinkKind, subject: Uuid) -> Result<bool> {
    let revoked = q!(
        tx,
        execute,
        "UPDATE access_link SET revoked_at = $4 WHERE org_id = $1 AND kind = $2 AND subject_id = $3 AND revoked_at IS NULL",
        org,
        kind,
        subject,
        origin.now()
    )?;
    Ok(revoked > 0)
}

pub async fn rotate_link(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    kind: LinkKind,
    subject: Uuid,
    expires: Option<DateTime<Utc>>,
) -> Result<LinkId> {
    revoke_link(&mut *tx, origin, org, kind, subject).await?;
    ensure_link(tx, origin, org, kind, subject, expires).await
}

/// Links in force made before `limit`: their tokens may carry a tag of an older key.
pub async fn count_issued_before(
    conn: &mut dyn AsConn,
    org: OrgId,
    limit: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<SupersededLinks> {
    let sql = "SELECT MAX(expires_at), COUNT(*) FILTER (WHERE expires_at IS NULL) FROM access_link
        WHERE org_id = $1 AND created_at <= $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)";
    let (last_end, endless) = q!(conn, fetch_one as (Option<DateTime<Utc>>, i64), sql, org, limit, now)?;
    Ok(SupersededLinks { last_end, endless })
}

/// The URL token: 43 characters that messengers do not break.
#[must_use]
pub fn build_token(secret: &SecretKey, id: LinkId, kind: LinkKind) -> String {
    let tag = secret.mac_tag("link", &[kind.to_string().as_bytes(), id.0.as_bytes()]);
    URL_SAFE_NO_PAD.encode([id.0.as_bytes().as_slice(), &tag].concat())
}

#[must_use]
pub fn build_path(secret: &SecretKey, id: LinkId, kind: LinkKind) -> String {
    let token = build_token(secret, id, kind);
    match kind {
        LinkKind::Estimate | LinkKind::Invoice | LinkKind::Visit | LinkKind::Booking | LinkKind::FreeTimes => {
            format!("/p/{token}")
        }
        LinkKind::Invite => format!("/join/{token}"),
        LinkKind::CrewFeed => format!("/feeds/crew/{token}.ics"),
        LinkKind::Review => format!("/r/{token}"),
    }
}

/// Looks up a token of one of `kinds`. Only tokens with a valid hash reach the database.
pub async fn resolve_token(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    now: DateTime<Utc>,
    token: &str,
    kinds: &[LinkKind],
) -> Result<LinkLookup> {
    let Some((id, kind)) = verify_token(secret, token, kinds) else { return Ok(LinkLookup::Gone) };
    let found = q!(
        conn,
        fetch_optional as AccessLink,
        "SELECT l.id, l.org_id, l.kind, l.subject_id, l.created_at, l.expires_at, l.first_seen_at, l.last_seen_at, l.seen,
             c.kind AS copy_way, c.value AS copy_value
         FROM (SELECT o.link_id AS id FROM access_link_copy o WHERE o.id = $1 UNION ALL SELECT $1) named
         JOIN access_link l ON l.id = named.id
         LEFT JOIN access_link_copy c ON c.id = $1 AND c.org_id = l.org_id AND c.link_id = l.id
         WHERE l.kind = $2 AND l.revoked_at IS NULL",
        id,
        kind
    )?;
    Ok(match found {
        Some(link) if link.expires_at.is_some_and(|end| end <= now) => LinkLookup::Expired(link),
        Some(link) => LinkLookup::Active(link),
        None => LinkLookup::Gone,
    })
}

/// Records a view. Returns true the first time.
pub async fn record_view(tx: &mut Tx, now: DateTime<Utc>, link: &AccessLink) -> Result<bool> {
    tx.guard_writable(link.org_id);
    let sql = "UPDATE access_link SET last_seen_at = $3, seen = seen + 1 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, link.org_id, link.id, now)?;
    let sql = "UPDATE access_link SET first_seen_at = $3 WHERE org_id = $1 AND id = $2 AND first_seen_at IS NULL";
    Ok(q!(tx, execute, sql, link.org_id, link.id, now)? > 0)
}

fn verify_token(secret: &SecretKey, token: &str, kinds: &[LinkKind]) -> Option<(LinkId, LinkKind)> {
    // The decoder refuses non-zero trailing bits, so a token has only one spelling.
    let bytes: [u8; 16 + TAG_LEN] = URL_SAFE_NO_PAD.decode(token).ok()?.try_into().ok()?;
    let (id, tag) = bytes.split_first_chunk::<16>()?;
    let made = |kind: &&LinkKind| secret.verify_tag("link", &[kind.to_string().as_bytes(), id.as_slice()], tag);
    let kind = kinds.iter().find(made)?;
    Some((LinkId(Uuid::from_bytes(*id)), *kind))
}

/// Revokes all links of a kind and returns what they lead to.
pub async fn revoke_kind(tx: &mut Tx, org: OrgId, kind: LinkKind, at: DateTime<Utc>) -> Result<Vec<Uuid>> {
    let sql = "UPDATE access_link SET revoked_at = $3 WHERE org_id = $1 AND kind = $2 AND revoked_at IS NULL
         RETURNING subject_id";
    Ok(q!(tx, fetch_all scalar Uuid, sql, org, kind, at)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: LinkId = LinkId(Uuid::from_u128(0x0123_4567_89ab_4def_8123_4567_89ab_cdef));

    #[test]
    fn token_has_43_characters_and_encodes_its_link_kind() {
        let secret = SecretKey::new([7; 32]);
        for kind in LinkKind::ALL {
            let token = build_token(&secret, ID, kind);
            assert_eq!(token.len(), 43);
            assert_eq!(verify_token(&secret, &token, &LinkKind::ALL), Some((ID, kind)));
            assert_eq!(verify_token(&secret, &token, &[kind]), Some((ID, kind)));
        }
    }

    #[test]
    fn token_is_rejected_for_other_kind_or_other_secret() {
        let (secret, other) = (SecretKey::new([7; 32]), SecretKey::new([8; 32]));
        for kind in LinkKind::ALL {
            let token = build_token(&secret, ID, kind);
            let others: Vec<LinkKind> = LinkKind::ALL.into_iter().filter(|k| *k != kind).collect();
            assert_eq!(verify_token(&secret, &token, &others), None, "{kind:?}");
            assert_eq!(verify_token(&other, &token, &LinkKind::ALL), None);
        }
    }

    #[test]
    fn token_with_changed_bit_or_added_character_is_rejected() {
        let secret = SecretKey::new([7; 32]);
        let good = build_token(&secret, ID, LinkKind::Estimate);
        let bytes = URL_SAFE_NO_PAD.decode(&good).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut forged = bytes.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(verify_token(&secret, &URL_SAFE_NO_PAD.encode(forged), &LinkKind::ALL), None, "bit {bit}");
        }
        let last = good.chars().last().unwrap();
        let alphabet = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['-', '_']);
        for other in alphabet.filter(|c| *c != last) {
            let respelled = format!("{}{other}", &good[..42]);
            assert_eq!(verify_token(&secret, &respelled, &LinkKind::ALL), None, "a second spelling with {other}");
        }
        for bad in ["", "A", &good[..42], &format!("{good}A"), &format!("{good}="), &format!(" {good}")] {
            assert_eq!(verify_token(&secret, bad, &LinkKind::ALL), None, "{bad:?}");
        }
    }

    #[test]
    fn link_path_prefix_follows_its_kind() {
        let secret = SecretKey::new([7; 32]);
        let place = |kind| build_path(&secret, ID, kind).split('/').nth(1).unwrap().to_owned();
        assert_eq!(LinkKind::ALL.map(place), ["p", "p", "p", "join", "feeds", "r", "p", "p"]);
        let feed = build_path(&secret, ID, LinkKind::CrewFeed);
        assert!(std::path::Path::new(&feed).extension().is_some_and(|kind| kind == "ics"));
    }
}
