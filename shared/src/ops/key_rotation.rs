//! Rotation of the install's secret: all sealed values are sealed again with the key in force, while both programs run.
//! It goes business by business, so it can be aborted and repeated; docs/data-protection.md has the operator's side.

use chrono::{DateTime, Utc};

use crate::{
    domain::tenancy::{
        account::second_factor,
        audit::{anchor, verify},
        install_mail,
        org::keys,
        session::store_key,
    },
    ops::webhooks,
    platform::{
        access_link::{self, SupersededLinks},
        clock::ClockRng,
        db::{AsConn, Db, Tx, q, tenant_scope},
        encryption::{
            renewal::{self, Reencryption, ReencryptionCount, SecretRenewal},
            retired::{MARK_NAME, PURPOSE},
        },
        error::Result,
        id::OrgId,
        secret::SecretKey,
    },
};

pub mod lost_key;
pub mod mark;
pub mod old_keys;

/// Every column with sealed values. A story compares the list with the calls that seal.
pub const ENCRYPTED_COLUMNS: [(&str, &str); 9] = [
    ("org_secret", "sealed"),
    ("second_factor", "sealed"),
    ("second_factor", "pending"),
    ("webhook", "secret"),
    ("webhook", "old_secret"),
    ("retired_key", "sealed"),
    ("session", "store_key"),
    ("offline_store_key", "sealed"),
    ("install_mail", "sealed"),
];

#[derive(Clone, Debug, Default)]
pub struct KeyRotationReport {
    pub provider_keys: ReencryptionCount,
    pub second_factors: ReencryptionCount,
    pub webhook_secrets: ReencryptionCount,
    pub audit_seals: ReencryptionCount,
    pub retired_keys: ReencryptionCount,
    pub offline_keys: ReencryptionCount,
    pub install_mails: ReencryptionCount,
    pub old: Vec<String>,
    pub links: SupersededLinks,
}

impl KeyRotationReport {
    /// Each count with its tables, and with what they hold.
    #[must_use]
    pub fn counts_by_table(&self) -> [(&'static str, &'static str, ReencryptionCount); 7] {
        [
            ("org_secret", "keys at payment providers", self.provider_keys),
            ("second_factor", "second factors", self.second_factors),
            ("webhook", "webhook secrets", self.webhook_secrets),
            ("session, offline_store_key", "keys of offline stores", self.offline_keys),
            ("install_mail", "mails of the install", self.install_mails),
            ("audit_anchor", "seals of audit logs", self.audit_seals),
            ("retired_key", "earlier keys", self.retired_keys),
        ]
    }

    /// Sealed values that no key of the ring opens.
    #[must_use]
    pub fn lost_count(&self) -> u64 {
        self.counts_by_table().iter().map(|(.., count)| count.lost).sum()
    }

    /// Sealed values that the key in force opens.
    #[must_use]
    pub fn current_count(&self) -> u64 {
        self.counts_by_table().iter().map(|(.., count)| count.renewed + count.current).sum()
    }
}

/// Whether a rotation was begun and not finished, or an old key was never rotated out.
pub async fn is_unfinished(conn: &mut dyn AsConn, ring: &SecretKey) -> Result<bool> {
    let sql = "SELECT name FROM retired_key WHERE finished_at IS NOT NULL";
    let finished = q!(conn, fetch_all scalar String, sql)?;
    Ok(ring.list_old_keys().iter().any(|(name, _)| !finished.contains(name)))
}

/// Seals everything again. Values sealed meanwhile by another process with an old key are found by the next call.
pub async fn rotate_secret_key(db: &Db, origin: &ClockRng, ring: &SecretKey) -> Result<KeyRotationReport> {
    let mut report = KeyRotationReport {
        old: ring.list_old_keys().into_iter().map(|(name, _)| name).collect(),
        ..KeyRotationReport::default()
    };
    let mut tx = tenant_scope::across_tenants(db.begin()).await?;
    let retired_at = store_retired_keys(&mut tx, origin, ring).await?;
    report.retired_keys = reencrypt_retired_keys(&mut tx, origin, ring).await?;
    report.install_mails = install_mail::reencrypt_queued_mail(&mut tx, origin, ring).await?;
    tx.commit().await?;
    for org in list_businesses(db).await? {
        tenant_scope::with_tenant(org, rotate_org_secrets(db, origin, ring, org, retired_at, &mut report)).await?;
    }
    for org in list_audited_orgs(db).await? {
        report.audit_seals.merge_from(tenant_scope::with_tenant(org, rotate_org_anchors(db, ring, org)).await?);
    }
    if report.lost_count() == 0 {
        mark_rotation_finished(db, origin, ring).await?;
    }
    Ok(report)
}

async fn list_businesses(db: &Db) -> Result<Vec<OrgId>> {
    let businesses = async { crate::domain::tenancy::org::all_ids(&mut db.acquire_reader().await?).await };
    tenant_scope::across_tenants(businesses).await
}

/// Whose logs may have anchors: also removed businesses, and the nil id for lines without a business.
async fn list_audited_orgs(db: &Db) -> Result<Vec<OrgId>> {
    let audited = async { verify::list_orgs(&mut db.acquire_reader().await?).await };
    Ok(tenant_scope::across_tenants(audited).await?.into_iter().map(|(org, _)| org).collect())
}

async fn rotate_org_anchors(db: &Db, ring: &SecretKey, org: OrgId) -> Result<ReencryptionCount> {
    let mut tx = db.begin().await?;
    let count = anchor::rotate_anchor_tags(&mut tx, ring, org).await?;
    tx.commit().await?;
    Ok(count)
}

async fn rotate_org_secrets(
    db: &Db,
    origin: &ClockRng,
    ring: &SecretKey,
    org: OrgId,
    retired_at: DateTime<Utc>,
    report: &mut KeyRotationReport,
) -> Result<()> {
    let renewal = SecretRenewal { ring, entropy: &origin.entropy, abandons_lost: false };
    let mut tx = db.begin().await?;
    report.provider_keys.merge_from(keys::encrypted_keys::reencrypt_stripe_keys(&mut tx, &renewal, org).await?);
    report.second_factors.merge_from(second_factor::reencrypt_secrets(&mut tx, &renewal, org).await?);
    report.webhook_secrets.merge_from(webhooks::reencrypt_secrets(&mut tx, &renewal, org).await?);
    report.offline_keys.merge_from(store_key::reencrypt_store_keys(&mut tx, origin, ring, org).await?);
    report.links.merge_from(access_link::count_issued_before(&mut tx, org, retired_at, origin.now()).await?);
    tx.commit().await
}

/// Keeps the old keys of the ring for lookups by keyed hash. Returns since when the newest of them is old.
async fn store_retired_keys(tx: &mut Tx, origin: &ClockRng, ring: &SecretKey) -> Result<DateTime<Utc>> {
    for (name, key) in ring.list_old_keys() {
        q!(
            &mut *tx,
            execute,
            "INSERT INTO retired_key (name, sealed, retired_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING",
            &name,
            ring.encrypt_bytes(&origin.entropy, PURPOSE, &[name.as_bytes()], &key),
            origin.now()
        )?;
    }
    let sql = "SELECT MAX(retired_at) FROM retired_key WHERE name <> $1";
    let newest = q!(tx, fetch_one scalar Option<DateTime<Utc>>, sql, MARK_NAME)?;
    Ok(newest.unwrap_or_else(|| origin.now()))
}

async fn reencrypt_retired_keys(tx: &mut Tx, origin: &ClockRng, ring: &SecretKey) -> Result<ReencryptionCount> {
    let mut count = ReencryptionCount::default();
    let rows = q!(&mut *tx, fetch_all as (String, Vec<u8>), "SELECT name, sealed FROM retired_key ORDER BY name")?;
    for (name, sealed) in rows {
        let renewed = renewal::reencrypt_bytes(ring, &origin.entropy, (PURPOSE, &[name.as_bytes()]), &sealed);
        count.record_result(&renewed);
        if let Reencryption::Reencrypted(sealed) = renewed {
            q!(&mut *tx, execute, "UPDATE retired_key SET sealed = $2 WHERE name = $1", &name, sealed)?;
        }
    }
    Ok(count)
}

async fn mark_rotation_finished(db: &Db, origin: &ClockRng, ring: &SecretKey) -> Result<()> {
    let mut tx = tenant_scope::across_tenants(db.begin()).await?;
    for (name, _) in ring.list_old_keys() {
        let sql = "UPDATE retired_key SET finished_at = $2 WHERE name = $1 AND finished_at IS NULL";
        q!(&mut tx, execute, sql, name, origin.now())?;
    }
    tx.commit().await
}
