//! Addresses that open something without an account: an estimate, an invoice, a visit, an invitation, a
//! crew's calendar, the page for a review.
//!
//! The token is the link's id and a keyed hash of it, so a copy of the table opens nothing, and a token can only be made
//! by who has the install's secret. What it opens stands in the table, where it can be taken back.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use crate::platform::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::Result,
    id::{LinkId, OrgId},
    secret::{SecretKey, TAG},
};

pub mod copy;

/// The length of a token.
const TOKEN_CHARS: usize = 43;

/// How long a paper can still be read once nothing more can come of it.
const OPEN_ONCE_SETTLED: Duration = Duration::days(180);

/// What a link opens. The token's hash covers it: the token of one kind is none of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum Kind {
    Estimate,
    Invoice,
    Visit,
    Invite,
    CrewFeed,
    Review,
    /// A visit that was asked for and waits for one tap.
    Booking,
}

impl Kind {
    pub const ALL: [Self; 7] =
        [Self::Estimate, Self::Invoice, Self::Visit, Self::Invite, Self::CrewFeed, Self::Review, Self::Booking];

    fn name(self) -> &'static str {
        match self {
            Self::Estimate => "estimate",
            Self::Invoice => "invoice",
            Self::Visit => "visit",
            Self::Invite => "invite",
            Self::CrewFeed => "crew_feed",
            Self::Review => "review",
            Self::Booking => "booking",
        }
    }
}

/// Links that were handed out before the key was replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OldLinks {
    /// When the last of those ends that have an end.
    pub last_end: Option<DateTime<Utc>>,
    /// How many have none: papers that are still open, calendars of crews.
    pub endless: i64,
}

impl OldLinks {
    pub fn and(&mut self, other: Self) {
        self.last_end = self.last_end.max(other.last_end);
        self.endless += other.endless;
    }
}

/// A link that was found by its token.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Link {
    pub id: LinkId,
    pub org_id: OrgId,
    pub kind: Kind,
    /// The estimate, invoice, job, invitation, crew or request for a review.
    pub subject_id: Uuid,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub first_seen_at: Option<DateTime<Utc>>,
    pub last_seen_at: Option<DateTime<Utc>>,
    /// How often it was looked at.
    pub seen: i64,
    /// How this copy of it reached its holder; none when the token is that of the link itself.
    pub copy_way: Option<copy::Way>,
    /// The address that the copy was sent to.
    pub copy_value: Option<String>,
}

/// What a token opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    Here(Link),
    /// It was good once, and its time is over: who holds it may be told so.
    Expired(Link),
    /// Forged, cut off, of another kind, unknown or taken back: from outside all of these are the same.
    Gone,
}

/// The link in force to `subject`, made when there is none; from now on it lasts until `expires`.
pub async fn ensure(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    kind: Kind,
    subject: Uuid,
    expires: Option<DateTime<Utc>>,
) -> Result<LinkId> {
    Ok(q!(
        tx,
        fetch_one scalar LinkId,
        "INSERT INTO link (org_id, id, kind, subject_id, created_at, expires_at, seen) VALUES ($1, $2, $3, $4, $5, $6, 0)
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

/// The link in force to `subject`, if there is one.
pub async fn in_force(conn: &mut dyn AsConn, org: OrgId, kind: Kind, subject: Uuid) -> Result<Option<LinkId>> {
    let sql = "SELECT id FROM link WHERE org_id = $1 AND kind = $2 AND subject_id = $3 AND revoked_at IS NULL";
    Ok(q!(conn, fetch_optional scalar LinkId, sql, org, kind, subject)?)
}

/// What it opens is settled: it opens for another half a year, then it says that it has expired.
pub async fn settled(tx: &mut Tx, origin: &Origin, org: OrgId, kind: Kind, subject: Uuid) -> Result<()> {
    let sql =
        "UPDATE link SET expires_at = $4 WHERE org_id = $1 AND kind = $2 AND subject_id = $3 AND revoked_at IS NULL";
    q!(tx, execute, sql, org, kind, subject, origin.now() + OPEN_ONCE_SETTLED)?;
    Ok(())
}

/// Takes back the link in force to `subject`: it opens nothing from now on. Whether there was one.
pub async fn revoke(tx: &mut Tx, origin: &Origin, org: OrgId, kind: Kind, subject: Uuid) -> Result<bool> {
    let revoked = q!(
        tx,
        execute,
        "UPDATE link SET revoked_at = $4 WHERE org_id = $1 AND kind = $2 AND subject_id = $3 AND revoked_at IS NULL",
        org,
        kind,
        subject,
        origin.now()
    )?;
    Ok(revoked > 0)
}

/// A new link in place of the one in force.
pub async fn rotate(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    kind: Kind,
    subject: Uuid,
    expires: Option<DateTime<Utc>>,
) -> Result<LinkId> {
    revoke(&mut *tx, origin, org, kind, subject).await?;
    ensure(tx, origin, org, kind, subject, expires).await
}

/// The links in force that were made before `limit`: their tokens may carry a tag of an older key.
pub(crate) async fn handed_out_before(
    conn: &mut dyn AsConn,
    org: OrgId,
    limit: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<OldLinks> {
    let sql = "SELECT MAX(expires_at), COUNT(*) FILTER (WHERE expires_at IS NULL) FROM link
        WHERE org_id = $1 AND created_at <= $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)";
    let (last_end, endless) = q!(conn, fetch_one as (Option<DateTime<Utc>>, i64), sql, org, limit, now)?;
    Ok(OldLinks { last_end, endless })
}

/// What goes into the address: 43 characters that every messenger leaves whole.
#[must_use]
pub fn token(secret: &SecretKey, id: LinkId, kind: Kind) -> String {
    let tag = secret.tag("link", &[kind.name().as_bytes(), id.0.as_bytes()]);
    URL_SAFE_NO_PAD.encode([id.0.as_bytes().as_slice(), &tag].concat())
}

/// The address of a link on this install.
#[must_use]
pub fn path(secret: &SecretKey, id: LinkId, kind: Kind) -> String {
    let token = token(secret, id, kind);
    match kind {
        Kind::Estimate | Kind::Invoice | Kind::Visit | Kind::Booking => format!("/p/{token}"),
        Kind::Invite => format!("/join/{token}"),
        Kind::CrewFeed => format!("/feeds/crew/{token}.ics"),
        Kind::Review => format!("/r/{token}"),
    }
}

/// What this token opens among `kinds`. The database is asked only about tokens that we made.
pub async fn open(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    now: DateTime<Utc>,
    token: &str,
    kinds: &[Kind],
) -> Result<Opened> {
    let Some((id, kind)) = read(secret, token, kinds) else { return Ok(Opened::Gone) };
    let found = q!(
        conn,
        fetch_optional as Link,
        "SELECT l.id, l.org_id, l.kind, l.subject_id, l.created_at, l.expires_at, l.first_seen_at, l.last_seen_at, l.seen,
             c.kind AS copy_way, c.value AS copy_value
         FROM (SELECT o.link_id AS id FROM link_copy o WHERE o.id = $1 UNION ALL SELECT $1) named
         JOIN link l ON l.id = named.id
         LEFT JOIN link_copy c ON c.id = $1 AND c.org_id = l.org_id AND c.link_id = l.id
         WHERE l.kind = $2 AND l.revoked_at IS NULL",
        id,
        kind
    )?;
    Ok(match found {
        Some(link) if link.expires_at.is_some_and(|end| end <= now) => Opened::Expired(link),
        Some(link) => Opened::Here(link),
        None => Opened::Gone,
    })
}

/// Notes that a person looked at it. True the first time.
pub async fn note_seen(tx: &mut Tx, now: DateTime<Utc>, link: &Link) -> Result<bool> {
    tx.guard_writable(link.org_id);
    let sql = "UPDATE link SET last_seen_at = $3, seen = seen + 1 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, link.org_id, link.id, now)?;
    let sql = "UPDATE link SET first_seen_at = $3 WHERE org_id = $1 AND id = $2 AND first_seen_at IS NULL";
    Ok(q!(tx, execute, sql, link.org_id, link.id, now)? > 0)
}

fn read(secret: &SecretKey, token: &str, kinds: &[Kind]) -> Option<(LinkId, Kind)> {
    // The decoder refuses loose bits at the end, so no token has a second spelling.
    let bytes: [u8; 16 + TAG] = URL_SAFE_NO_PAD.decode(token).ok()?.try_into().ok()?;
    let (id, tag) = bytes.split_first_chunk::<16>()?;
    let made = |kind: &&Kind| secret.is_tag("link", &[kind.name().as_bytes(), id.as_slice()], tag);
    let kind = kinds.iter().find(made)?;
    Some((LinkId(Uuid::from_bytes(*id)), *kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: LinkId = LinkId(Uuid::from_u128(0x0123_4567_89ab_4def_8123_4567_89ab_cdef));

    #[test]
    fn a_token_has_43_characters_and_says_which_link_it_is() {
        let secret = SecretKey::new([7; 32]);
        for kind in Kind::ALL {
            let token = token(&secret, ID, kind);
            assert_eq!(token.len(), 43);
            assert_eq!(read(&secret, &token, &Kind::ALL), Some((ID, kind)));
            assert_eq!(read(&secret, &token, &[kind]), Some((ID, kind)));
        }
    }

    #[test]
    fn a_token_opens_no_other_kind_and_under_no_other_secret() {
        let (secret, other) = (SecretKey::new([7; 32]), SecretKey::new([8; 32]));
        for kind in Kind::ALL {
            let token = token(&secret, ID, kind);
            let others: Vec<Kind> = Kind::ALL.into_iter().filter(|k| *k != kind).collect();
            assert_eq!(read(&secret, &token, &others), None, "{kind:?}");
            assert_eq!(read(&other, &token, &Kind::ALL), None);
        }
    }

    #[test]
    fn no_bit_can_be_flipped_and_no_character_added() {
        let secret = SecretKey::new([7; 32]);
        let good = token(&secret, ID, Kind::Estimate);
        let bytes = URL_SAFE_NO_PAD.decode(&good).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut forged = bytes.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(read(&secret, &URL_SAFE_NO_PAD.encode(forged), &Kind::ALL), None, "bit {bit}");
        }
        let last = good.chars().last().unwrap();
        let alphabet = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['-', '_']);
        for other in alphabet.filter(|c| *c != last) {
            let respelled = format!("{}{other}", &good[..42]);
            assert_eq!(read(&secret, &respelled, &Kind::ALL), None, "a second spelling with {other}");
        }
        for bad in ["", "A", &good[..42], &format!("{good}A"), &format!("{good}="), &format!(" {good}")] {
            assert_eq!(read(&secret, bad, &Kind::ALL), None, "{bad:?}");
        }
    }

    #[test]
    fn every_kind_has_its_own_place() {
        let secret = SecretKey::new([7; 32]);
        let place = |kind| path(&secret, ID, kind).split('/').nth(1).unwrap().to_owned();
        assert_eq!(Kind::ALL.map(place), ["p", "p", "p", "join", "feeds", "r", "p"]);
        let feed = path(&secret, ID, Kind::CrewFeed);
        assert!(std::path::Path::new(&feed).extension().is_some_and(|kind| kind == "ics"));
    }
}
