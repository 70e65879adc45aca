//! Rotation of the install's secret: everything that is sealed is sealed anew with the key in force, while both programs
//! work. It goes business by business, so it can be broken off and said again; docs/data-protection.md has the operator's
//! side.

use chrono::{DateTime, Utc};

use crate::{
    domain::tenancy::{account::second_factor, audit::anchor, org::keys, session::store_key},
    ops::webhooks,
    platform::{
        access_link::{self, OldLinks},
        clock::Origin,
        db::{AsConn, Db, Tx, q, tenant_scope},
        encryption::{
            renewal::{self, Count, Renewed},
            retired::{MARK_NAME, PURPOSE},
        },
        error::Result,
        id::OrgId,
        secret::SecretKey,
    },
};

pub mod mark;

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
    pub links: OldLinks,
}

impl Report {
    /// How many sealed things no key of the ring opens.
    #[must_use]
    pub fn lost(&self) -> u64 {
        let counts = [self.provider_keys, self.second_factors, self.webhook_secrets, self.audit_seals];
        counts.iter().chain([&self.retired_keys, &self.offline_keys]).map(|count| count.lost).sum()
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
    let mut tx = tenant_scope::across_businesses(db.begin()).await?;
    let retired_at = retire(&mut tx, origin, ring).await?;
    report.retired_keys = renew_retired(&mut tx, origin, ring).await?;
    tx.commit().await?;
    let businesses = async { crate::domain::tenancy::org::all_ids(&mut db.read().await?).await };
    for org in tenant_scope::across_businesses(businesses).await? {
        tenant_scope::within(org, of_business(db, origin, ring, org, retired_at, &mut report)).await?;
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
    let newest = q!(tx, fetch_one scalar Option<DateTime<Utc>>, sql, MARK_NAME)?;
    Ok(newest.unwrap_or_else(|| origin.now()))
}

async fn renew_retired(tx: &mut Tx, origin: &Origin, ring: &SecretKey) -> Result<Count> {
    let mut count = Count::default();
    let rows = q!(&mut *tx, fetch_all as (String, Vec<u8>), "SELECT name, sealed FROM retired_key ORDER BY name")?;
    for (name, sealed) in rows {
        let renewed = renewal::renew(ring, &origin.entropy, (PURPOSE, &[name.as_bytes()]), &sealed);
        count.add(&renewed);
        if let Renewed::Anew(sealed) = renewed {
            q!(&mut *tx, execute, "UPDATE retired_key SET sealed = $2 WHERE name = $1", &name, sealed)?;
        }
    }
    Ok(count)
}

async fn finish(db: &Db, origin: &Origin, ring: &SecretKey) -> Result<()> {
    let mut tx = tenant_scope::across_businesses(db.begin()).await?;
    for (name, _) in ring.old() {
        let sql = "UPDATE retired_key SET finished_at = $2 WHERE name = $1 AND finished_at IS NULL";
        q!(&mut tx, execute, sql, name, origin.now())?;
    }
    tx.commit().await
}
