//! Rotation of the install's secret: everything that is sealed is sealed anew with the key in force, while both programs
//! work. It goes business by business, so it can be broken off and said again; docs/data-protection.md has the operator's
//! side.

use chrono::{DateTime, Utc};

use crate::{
    domain::tenancy::{account::second_factor, audit::anchor, org::keys, session::store_key},
    ops::webhooks,
    platform::{
        access_link,
        clock::{Entropy, Origin},
        db::{AsConn, Db, Tx, q, second_wall},
        encryption,
        error::{Error, Result},
        id::OrgId,
        secret::SecretKey,
    },
};

pub mod mark;

/// The purpose under which old keys are sealed.
const PURPOSE: &str = "retired key";

/// Every column that holds something sealed. A story compares the list with the calls that seal.
pub const SEALED: [(&str, &str); 8] = [
    ("org_secret", "sealed"),
    ("second_factor", "sealed"),
    ("second_factor", "pending"),
    ("hook", "secret"),
    ("hook", "old_secret"),
    ("retired_key", "sealed"),
    ("session", "store_key"),
    ("unsent_key", "sealed"),
];

/// What became of one kind of sealed things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Sealed anew.
    pub renewed: u64,
    /// Sealed with the key in force before.
    pub current: u64,
    /// No key of the ring opens it. It stays as it is.
    pub lost: u64,
}

/// One sealed thing under the key in force.
pub enum Renewed<T> {
    Current,
    Anew(T),
    Lost,
}

/// What a rotation did, and what still needs an old key.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub provider_keys: Count,
    pub second_factors: Count,
    pub webhook_secrets: Count,
    pub audit_seals: Count,
    pub retired_keys: Count,
    pub offline_keys: Count,
    /// The names of the old keys on the ring.
    pub old: Vec<String>,
    pub links: Links,
}

/// Links that were handed out before the key was replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// When the last of those ends that have an end.
    pub last_end: Option<DateTime<Utc>>,
    /// How many have none: papers that are still open, calendars of crews.
    pub endless: i64,
}

impl Links {
    fn and(&mut self, other: Self) {
        self.last_end = self.last_end.max(other.last_end);
        self.endless += other.endless;
    }
}

impl Count {
    pub fn add<T>(&mut self, one: &Renewed<T>) {
        match one {
            Renewed::Current => self.current += 1,
            Renewed::Anew(_) => self.renewed += 1,
            Renewed::Lost => self.lost += 1,
        }
    }

    pub fn and(&mut self, other: Self) {
        self.renewed += other.renewed;
        self.current += other.current;
        self.lost += other.lost;
    }
}

impl Report {
    /// How many sealed things no key of the ring opens.
    #[must_use]
    pub fn lost(&self) -> u64 {
        let counts = [self.provider_keys, self.second_factors, self.webhook_secrets, self.audit_seals];
        counts.iter().chain([&self.retired_keys, &self.offline_keys]).map(|count| count.lost).sum()
    }
}

/// Bytes that were sealed, under the key in force.
#[must_use]
pub fn renew(ring: &SecretKey, entropy: &Entropy, about: (&str, &[&[u8]]), sealed: &[u8]) -> Renewed<Vec<u8>> {
    let (purpose, of) = about;
    if ring.is_current(purpose, of, sealed) {
        return Renewed::Current;
    }
    match ring.open(purpose, of, sealed) {
        Some(plain) => Renewed::Anew(ring.seal(entropy, purpose, of, &plain)),
        None => Renewed::Lost,
    }
}

/// The same for what stands as text.
#[must_use]
pub fn renew_text(ring: &SecretKey, entropy: &Entropy, about: (&str, &[&[u8]]), sealed: &str) -> Renewed<String> {
    let (purpose, of) = about;
    if encryption::open(&ring.alone(), purpose, of, sealed).is_ok() {
        return Renewed::Current;
    }
    match encryption::open(ring, purpose, of, sealed) {
        Ok(plain) => Renewed::Anew(encryption::seal(ring, entropy, purpose, of, &plain)),
        Err(_) => Renewed::Lost,
    }
}

/// Whether a rotation was begun and not brought to its end, or an old key was never rotated away from.
pub async fn is_unfinished(conn: &mut dyn AsConn, ring: &SecretKey) -> Result<bool> {
    let sql = "SELECT name FROM retired_key WHERE finished_at IS NOT NULL";
    let finished = q!(conn, fetch_all scalar String, sql)?;
    Ok(ring.old().iter().any(|(name, _)| !finished.contains(name)))
}

/// Seals everything anew. What another process seals meanwhile with an old key is found by the next call.
pub async fn rotate(db: &Db, origin: &Origin, ring: &SecretKey) -> Result<Report> {
    let mut report = Report { old: ring.old().into_iter().map(|(name, _)| name).collect(), ..Report::default() };
    let mut tx = second_wall::across_businesses(db.begin()).await?;
    let retired_at = retire(&mut tx, origin, ring).await?;
    report.retired_keys = renew_retired(&mut tx, origin, ring).await?;
    tx.commit().await?;
    let businesses = async { crate::domain::tenancy::org::all_ids(&mut db.read().await?).await };
    for org in second_wall::across_businesses(businesses).await? {
        second_wall::within(org, of_business(db, origin, ring, org, retired_at, &mut report)).await?;
    }
    if report.lost() == 0 {
        finish(db, origin, ring).await?;
    }
    Ok(report)
}

async fn of_business(
    db: &Db,
    origin: &Origin,
    ring: &SecretKey,
    org: OrgId,
    retired_at: DateTime<Utc>,
    report: &mut Report,
) -> Result<()> {
    let mut tx = db.begin().await?;
    report.provider_keys.and(keys::renew(&mut tx, origin, ring, org).await?);
    report.second_factors.and(second_factor::renew(&mut tx, origin, ring, org).await?);
    report.webhook_secrets.and(webhooks::renew_secrets(&mut tx, origin, ring, org).await?);
    report.offline_keys.and(store_key::renew(&mut tx, origin, ring, org).await?);
    report.audit_seals.and(anchor::renew(&mut tx, ring, org).await?);
    report.links.and(access_link::handed_out_before(&mut tx, org, retired_at, origin.now()).await?);
    tx.commit().await
}

/// Keeps the old keys of the ring for what is looked up by a keyed hash. Returns since when the newest of them is old.
async fn retire(tx: &mut Tx, origin: &Origin, ring: &SecretKey) -> Result<DateTime<Utc>> {
    for (name, key) in ring.old() {
        q!(
            &mut *tx,
            execute,
            "INSERT INTO retired_key (name, sealed, retired_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING",
            &name,
            ring.seal(&origin.entropy, PURPOSE, &[name.as_bytes()], &key),
            origin.now()
        )?;
    }
    let sql = "SELECT MAX(retired_at) FROM retired_key WHERE name <> $1";
    let newest = q!(tx, fetch_one scalar Option<DateTime<Utc>>, sql, mark::NAME)?;
    Ok(newest.unwrap_or_else(|| origin.now()))
}

async fn renew_retired(tx: &mut Tx, origin: &Origin, ring: &SecretKey) -> Result<Count> {
    let mut count = Count::default();
    let rows = q!(&mut *tx, fetch_all as (String, Vec<u8>), "SELECT name, sealed FROM retired_key ORDER BY name")?;
    for (name, sealed) in rows {
        let renewed = renew(ring, &origin.entropy, (PURPOSE, &[name.as_bytes()]), &sealed);
        count.add(&renewed);
        if let Renewed::Anew(sealed) = renewed {
            q!(&mut *tx, execute, "UPDATE retired_key SET sealed = $2 WHERE name = $1", &name, sealed)?;
        }
    }
    Ok(count)
}

async fn finish(db: &Db, origin: &Origin, ring: &SecretKey) -> Result<()> {
    let mut tx = second_wall::across_businesses(db.begin()).await?;
    for (name, _) in ring.old() {
        let sql = "UPDATE retired_key SET finished_at = $2 WHERE name = $1 AND finished_at IS NULL";
        q!(&mut tx, execute, sql, name, origin.now())?;
    }
    tx.commit().await
}

/// The ring with every key that ever was in force: for hashes that are looked up for years. It opens nothing that it must
/// not, because nothing but such hashes is asked of it.
pub async fn for_lookups(conn: &mut dyn AsConn, ring: &SecretKey) -> Result<SecretKey> {
    let sql = "SELECT name, sealed FROM retired_key WHERE name <> $1 ORDER BY name";
    let rows = q!(conn, fetch_all as (String, Vec<u8>), sql, mark::NAME)?;
    let mut keys = Vec::with_capacity(rows.len());
    for (name, sealed) in rows {
        let opened = ring.open(PURPOSE, &[name.as_bytes()], &sealed);
        let key: Option<[u8; 32]> = opened.and_then(|bytes| bytes.try_into().ok());
        keys.push(key.ok_or_else(|| Error::Internal(format!("the retired key {name} does not open")))?);
    }
    Ok(ring.with_old(keys))
}
