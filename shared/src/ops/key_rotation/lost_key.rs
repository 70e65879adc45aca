//! Continuation without a lost key. What only the program needs is removed, because nothing opens it any more; what a
//! person can enter again is marked as abandoned. After that no rotation waits for the lost key.

use super::{list_audited_orgs, list_businesses, mark};
use crate::{
    domain::tenancy::{account::second_factor, audit::anchor, install_mail, org::keys, session::store_key},
    ops::webhooks,
    platform::{
        clock::ClockRng,
        db::{Db, Tx, q, tenant_scope},
        encryption::{
            renewal::SecretRenewal,
            retired::{MARK_NAME, PURPOSE},
        },
        error::Result,
        id::OrgId,
        secret::SecretKey,
    },
};

/// How many values did not open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LostKeyReport {
    /// Old keys for lookups by keyed hash, removed.
    pub retired_keys: u64,
    /// Keys of offline stores, removed.
    pub offline_keys: u64,
    /// Seals of audit logs, removed.
    pub audit_seals: u64,
    /// Queued mails of the install, given up.
    pub install_mails: u64,
    /// To be entered again, from here on.
    pub provider_keys: u64,
    pub second_factors: u64,
    pub webhook_secrets: u64,
}

impl LostKeyReport {
    /// What was removed or given up.
    #[must_use]
    pub fn removed_counts(&self) -> [(&'static str, u64); 4] {
        [
            ("earlier keys, by which recovery codes and opt-outs of erased people are found", self.retired_keys),
            ("keys of offline stores", self.offline_keys),
            ("seals of audit logs", self.audit_seals),
            ("queued mails of the install", self.install_mails),
        ]
    }

    /// What people must enter again, also of earlier times.
    #[must_use]
    pub fn to_enter_again(&self) -> [(&'static str, u64); 3] {
        [
            ("keys at payment providers", self.provider_keys),
            ("second factors", self.second_factors),
            ("webhook secrets", self.webhook_secrets),
        ]
    }
}

/// Makes the current key of the ring that of this database, and abandons what no key of the ring opens. Repeating it
/// after an error continues; the mark is replaced last.
pub async fn abandon_lost_key(db: &Db, origin: &ClockRng, ring: &SecretKey) -> Result<LostKeyReport> {
    let mut report = LostKeyReport::default();
    for org in list_businesses(db).await? {
        tenant_scope::with_tenant(org, abandon_org_secrets(db, origin, ring, org, &mut report)).await?;
    }
    for org in list_audited_orgs(db).await? {
        report.audit_seals += tenant_scope::with_tenant(org, delete_org_anchors(db, ring, org)).await?;
    }
    let mut tx = tenant_scope::across_tenants(db.begin()).await?;
    report.retired_keys = delete_lost_retired_keys(&mut tx, ring).await?;
    report.install_mails = install_mail::fail_lost_mail(&mut tx, origin, ring).await?;
    mark::replace_key_mark(&mut tx, origin, ring).await?;
    tx.commit().await?;
    Ok(report)
}

async fn abandon_org_secrets(
    db: &Db,
    origin: &ClockRng,
    ring: &SecretKey,
    org: OrgId,
    report: &mut LostKeyReport,
) -> Result<()> {
    let renewal = SecretRenewal { ring, entropy: &origin.entropy, abandons_lost: true };
    let mut tx = db.begin().await?;
    report.provider_keys += keys::encrypted_keys::reencrypt_stripe_keys(&mut tx, &renewal, org).await?.abandoned;
    report.second_factors += second_factor::reencrypt_secrets(&mut tx, &renewal, org).await?.abandoned;
    report.webhook_secrets += webhooks::reencrypt_secrets(&mut tx, &renewal, org).await?.abandoned;
    report.offline_keys += store_key::delete_lost_keys(&mut tx, ring, org).await?;
    tx.commit().await
}

async fn delete_org_anchors(db: &Db, ring: &SecretKey, org: OrgId) -> Result<u64> {
    let mut tx = db.begin().await?;
    let removed = anchor::delete_lost_anchors(&mut tx, ring, org).await?;
    tx.commit().await?;
    Ok(removed)
}

/// Without the mark, which is replaced.
async fn delete_lost_retired_keys(tx: &mut Tx, ring: &SecretKey) -> Result<u64> {
    let mut removed = 0;
    let sql = "SELECT name, sealed FROM retired_key WHERE name <> $1 ORDER BY name";
    for (name, sealed) in q!(&mut *tx, fetch_all as (String, Vec<u8>), sql, MARK_NAME)? {
        if ring.decrypt_bytes(PURPOSE, &[name.as_bytes()], &sealed).is_none() {
            removed += q!(&mut *tx, execute, "DELETE FROM retired_key WHERE name = $1", &name)?;
        }
    }
    Ok(removed)
}
