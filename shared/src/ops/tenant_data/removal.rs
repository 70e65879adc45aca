//! Removal of a business with every row and file (trust requirement 85). The remains name no person: the fact of the
//! removal, and keyed hashes of numbers and addresses with an opt-out, which the law requires for ten years (trust
//! requirement 26).

use std::{collections::HashSet, io::ErrorKind, path::Path};

use uuid::Uuid;

use super::{export::map_io_error, sender_opt_outs, tenant_tables};
use crate::{
    conflicts::ConflictCode,
    domain::{
        messaging::{security_alert, sending_number},
        money::checkout,
        tenancy::trust_level,
    },
    ops::{
        demo_seed,
        subscription::{self, SubscriptionRecord},
    },
    platform::{
        clock::ClockRng,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_rows, values},
            q, rows,
        },
        encryption::retired,
        error::{Error, Result},
        id::OrgId,
        secret::SecretKey,
        storage::Storage,
    },
};

/// Purpose of the keyed hashes.
const OPT_OUT_PURPOSE: &str = "opt-out of a removed business";
const OPT_OUTS_UNKNOWN_MESSAGE: &str = "a business was removed here, and a former key that its opt-outs were kept with does \
not open. Put that key into SECRET_KEY_OLD and run: api rotate-key. If the key is lost, api rotate-key --lost-key goes on \
without those opt-outs. Then import again";
/// Folder of emails written while no mail server was set up, each under its id.
const MAIL_DIR: &str = "mail";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovalReport {
    pub name: String,
    pub rows: u64,
    pub files: usize,
    /// Addresses with an opt-out, kept as hashes.
    pub opt_outs: u64,
}

pub use crate::ops::backup::InstallContext;

/// Removes a business with everything it has. Files go after the rows: a crash in between leaves files that no row
/// names, and those are swept away within a day.
/// Errors: [`Error::NotFound`] when there is no such business, [`Error::DemoReadOnly`] for the demonstration,
/// [`Error::Conflict`] while Stripe still charges it, or while money of its customers is on its way at Stripe.
pub async fn remove_org(ctx: &InstallContext<'_>, org: OrgId) -> Result<RemovalReport> {
    demo_seed::ensure_not_demo(org)?;
    let mut tx = ctx.db.begin_long().await?;
    let business = crate::domain::tenancy::org::find(&mut tx, org).await?.ok_or(Error::NotFound)?;
    if subscription::list_for_org(&mut tx, org).await?.iter().any(SubscriptionRecord::is_ongoing) {
        return Err(ConflictCode::SubscriptionActive.into_error());
    }
    if let Some(open) = checkout::find_removal_blocker(&mut tx, ctx.origin, org).await? {
        return Err(open.into());
    }
    if !trust_level::load_trust_facts(&mut tx, org).await?.is_proven {
        sending_number::return_install_sender(&mut tx, org).await?;
    }
    let opt_outs = store_opt_out_hashes(&mut tx, ctx.secret, org).await?;
    sender_opt_outs::store_sender_hashes(&mut tx, ctx.secret, org).await?;
    let letters = collect_email_ids(&mut tx, org).await?;
    let gone = remove_rows(&mut tx, org).await?;
    record_removed_org(&mut tx, ctx.origin, org).await?;
    tx.commit().await?;
    let late = remove_late_rows(ctx, org).await?;
    remove_email_files(ctx.data_dir, &letters).await?;
    let files = remove_files(ctx.storage, org).await?;
    Ok(RemovalReport { name: business.name, rows: gone + late, files, opt_outs })
}

async fn remove_rows(tx: &mut Tx, org: OrgId) -> Result<u64> {
    let mut gone = 0;
    for belonging in tenant_tables().rev() {
        let shape = rows::load_table_shape(&mut *tx, belonging.table).await?;
        gone += rows::delete_by_org(&mut *tx, &shape, org).await?;
    }
    Ok(gone)
}

/// On PostgreSQL others commit while the rows are deleted: rows of work that began before, and without a foreign key to
/// a deleted row, may have been added meanwhile.
async fn remove_late_rows(ctx: &InstallContext<'_>, org: OrgId) -> Result<u64> {
    let mut tx = ctx.db.begin_long().await?;
    let gone = remove_rows(&mut tx, org).await?;
    tx.commit().await?;
    Ok(gone)
}

/// Ids of emails that may exist as files: the business's own, and the install's to its people or about them, whose rows
/// are deleted here.
async fn collect_email_ids(tx: &mut Tx, org: OrgId) -> Result<Vec<Uuid>> {
    let own = "SELECT id FROM message WHERE org_id = $1 AND stored_as IS NOT NULL";
    let mut ids = q!(&mut *tx, fetch_all scalar Uuid, own, org)?;
    let installs = "DELETE FROM install_mail WHERE LOWER(to_address) IN
        (SELECT LOWER(email) FROM account WHERE org_id = $1) OR dedupe_key LIKE $2 RETURNING id";
    let alerts = format!("{}%", security_alert::dedupe_key_prefix(Some(org)));
    ids.extend(q!(tx, fetch_all scalar Uuid, installs, org, alerts)?);
    Ok(ids)
}

async fn remove_email_files(data_dir: &Path, ids: &[Uuid]) -> Result<()> {
    for id in ids {
        match tokio::fs::remove_file(data_dir.join(MAIL_DIR).join(format!("{id}.eml"))).await {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(map_io_error(&e)),
            _ => {}
        }
    }
    Ok(())
}

/// Files written during the removal go with the next sweep.
async fn remove_files(storage: &Storage, org: OrgId) -> Result<usize> {
    let files = storage.list_folder(&org.to_string()).await?;
    for (key, _) in &files {
        storage.delete(key).await?;
    }
    Ok(files.len())
}

/// Under every key that was ever in force.
fn opt_out_hashes(ring: &SecretKey, org: OrgId, channel: &str, address: &str) -> Vec<Vec<u8>> {
    ring.keyed_hashes(OPT_OUT_PURPOSE, &format!("{org}:{channel}:{address}"))
}

fn opt_out_hash(secret: &SecretKey, org: OrgId, channel: &str, address: &str) -> Vec<u8> {
    secret.keyed_hash(OPT_OUT_PURPOSE, &format!("{org}:{channel}:{address}"))
}

/// Restores opt-outs from before an earlier removal here when the business returns from an older archive. Returns how
/// many of the archive's addresses are affected.
/// Errors: [`Error::Refused`] while a key that may be that of a hash does not open. Nothing would restore it later.
pub(super) async fn restore_opt_outs(tx: &mut Tx, origin: &ClockRng, secret: &SecretKey, org: OrgId) -> Result<u64> {
    if !q!(&mut *tx, fetch_one scalar bool, "SELECT EXISTS (SELECT 1 FROM suppression_hash)")? {
        return Ok(0);
    }
    let (ring, is_whole) = retired::with_opened_keys(&mut *tx, secret).await?;
    if !is_whole {
        return Err(Error::Refused(OPT_OUTS_UNKNOWN_MESSAGE.to_owned()));
    }
    let hashes: HashSet<Vec<u8>> =
        q!(&mut *tx, fetch_all scalar Vec<u8>, "SELECT address_hash FROM suppression_hash")?.into_iter().collect();
    let sql = "SELECT CASE WHEN kind = 'phone' THEN 'sms' ELSE 'email' END, value FROM customer_key
        WHERE org_id = $1 ORDER BY kind, value";
    let mut recalled = 0;
    for (channel, address) in q!(&mut *tx, fetch_all as (String, String), sql, org)? {
        if opt_out_hashes(&ring, org, &channel, &address).iter().any(|hash| hashes.contains(hash)) {
            recalled += restore_opt_out(&mut *tx, origin, org, (&channel, &address)).await?;
        }
    }
    Ok(recalled)
}

async fn restore_opt_out(tx: &mut Tx, origin: &ClockRng, org: OrgId, (channel, address): (&str, &str)) -> Result<u64> {
    Ok(q!(
        tx,
        execute,
        "INSERT INTO opt_out (org_id, channel, address, state, source, at) VALUES ($1, $2, $3, 'stopped', 'import', $4)
         ON CONFLICT (org_id, channel, address) DO UPDATE SET state = 'stopped', source = 'import', at = excluded.at,
             lifted_at = NULL
         WHERE opt_out.lifted_at IS NOT NULL",
        org,
        channel,
        address,
        origin.now()
    )?)
}

/// Keeps opt-outs as hashes, from which the address cannot be derived.
async fn store_opt_out_hashes(tx: &mut Tx, secret: &SecretKey, org: OrgId) -> Result<u64> {
    let there = q!(
        &mut *tx,
        fetch_all as (String, String, chrono::DateTime<chrono::Utc>),
        "SELECT channel, address, at FROM opt_out WHERE org_id = $1 AND lifted_at IS NULL",
        org
    )?;
    let rows =
        there.into_iter().map(|(channel, address, at)| values![opt_out_hash(secret, org, &channel, &address), at]);
    let stubs =
        Insert::into("suppression_hash (address_hash, at)").with_rows(rows).on_conflict_do_nothing("address_hash");
    insert_rows(tx, &stubs).await
}

/// Records the id, which refers to nothing any more, and the time of the removal.
async fn record_removed_org(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    let sql = "INSERT INTO removed_org (id, at) VALUES ($1, $2)";
    q!(tx, execute, sql, org, origin.now())?;
    Ok(())
}

/// By slug or id, as an operator names it. [`Error::NotFound`] otherwise.
pub async fn find_org_by_slug_or_id(conn: &mut dyn AsConn, text: &str) -> Result<crate::domain::tenancy::org::Org> {
    let found = match text.parse::<Uuid>() {
        Ok(id) => crate::domain::tenancy::org::find(conn, OrgId(id)).await?,
        Err(_) => crate::domain::tenancy::org::find_by_slug(conn, text).await?,
    };
    found.ok_or(Error::NotFound)
}
