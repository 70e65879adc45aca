//! The end of a business here: every row and every file of it goes (trust requirement 85). What stays names nobody: that
//! it was removed, and keyed hashes of the numbers and addresses that may not be written to, which the law wants kept for
//! ten years (trust requirement 26).

use std::{collections::HashSet, io::ErrorKind, path::Path};

use uuid::Uuid;

use super::{export::broken, owned};
use crate::{
    domain::tenancy::security,
    ops::{
        demo_seed,
        subscription::{self, Subscribed},
    },
    platform::{
        clock::Origin,
        db::{
            AsConn, Tx,
            batch::{Insert, insert, values},
            q, rows,
        },
        encryption::retired,
        error::{Error, Result},
        id::OrgId,
        secret::SecretKey,
        storage::Storage,
    },
};

/// The purpose under which addresses are blurred.
const OPT_OUT: &str = "opt-out of a removed business";
/// Where letters lie that were written while no mail server was set up, each under its id.
const LETTERS: &str = "mail";
/// Nobody would be there any more to end it.
const STILL_PAID: &str = "Its subscription still goes on at Stripe. End it there first.";

/// What went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    pub name: String,
    pub rows: u64,
    pub files: usize,
    /// How many addresses are remembered, as hashes, as not to be written to.
    pub opt_outs: u64,
}

/// Where it is removed from: what is backed up is what it lies in.
pub use crate::ops::backup::House;

/// Removes a business with all it has. Files go after the rows: a process that dies in between leaves files that no row
/// names, and those are swept away within a day.
///
/// # Errors
/// [`Error::NotFound`] when there is no such business, [`Error::DemoReadOnly`] for the demonstration, [`Error::Conflict`]
/// while Stripe still charges it.
pub async fn remove(house: &House<'_>, org: OrgId) -> Result<Removed> {
    demo_seed::refuse(org)?;
    let mut tx = house.db.begin_long().await?;
    let business = crate::domain::tenancy::org::find(&mut tx, org).await?.ok_or(Error::NotFound)?;
    if subscription::of_org(&mut tx, org).await?.iter().any(Subscribed::goes_on) {
        return Err(Error::Conflict(STILL_PAID));
    }
    let opt_outs = remember_opt_outs(&mut tx, house.secret, org).await?;
    let letters = letters(&mut tx, org).await?;
    let gone = remove_rows(&mut tx, org).await?;
    leave_a_stub(&mut tx, house.origin, org).await?;
    tx.commit().await?;
    let late = remove_late_rows(house, org).await?;
    remove_letters(house.data_dir, &letters).await?;
    let files = remove_files(house.storage, org).await?;
    Ok(Removed { name: business.name, rows: gone + late, files, opt_outs })
}

async fn remove_rows(tx: &mut Tx, org: OrgId) -> Result<u64> {
    let mut gone = 0;
    for belonging in owned().rev() {
        let shape = rows::shape(&mut *tx, belonging.table).await?;
        gone += rows::remove(&mut *tx, &shape, org).await?;
    }
    Ok(gone)
}

/// On PostgreSQL others commit while the rows go: what was begun for the business before it went, and is bound to nothing
/// that is gone, may have come in behind the broom.
async fn remove_late_rows(house: &House<'_>, org: OrgId) -> Result<u64> {
    let mut tx = house.db.begin_long().await?;
    let gone = remove_rows(&mut tx, org).await?;
    tx.commit().await?;
    Ok(gone)
}

/// The ids of letters that may lie as files: the business's own, and the install's to its people or about them, whose rows
/// go here.
async fn letters(tx: &mut Tx, org: OrgId) -> Result<Vec<Uuid>> {
    let own = "SELECT id FROM message WHERE org_id = $1 AND stored_as IS NOT NULL";
    let mut ids = q!(&mut *tx, fetch_all scalar Uuid, own, org)?;
    let installs = "DELETE FROM install_mail WHERE LOWER(to_address) IN
        (SELECT LOWER(email) FROM account WHERE org_id = $1) OR dedupe_key LIKE $2 RETURNING id";
    let alerts = format!("{}%", security::key_of_business(Some(org)));
    ids.extend(q!(tx, fetch_all scalar Uuid, installs, org, alerts)?);
    Ok(ids)
}

async fn remove_letters(data_dir: &Path, ids: &[Uuid]) -> Result<()> {
    for id in ids {
        match tokio::fs::remove_file(data_dir.join(LETTERS).join(format!("{id}.eml"))).await {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(broken(&e)),
            _ => {}
        }
    }
    Ok(())
}

/// The rows are gone; what was being written while they went is swept away with the next sweep.
async fn remove_files(storage: &Storage, org: OrgId) -> Result<usize> {
    let files = storage.list_under(&org.to_string()).await?;
    for (key, _) in &files {
        storage.delete(key).await?;
    }
    Ok(files.len())
}

/// Under every key that ever was in force.
fn opt_out_hashes(ring: &SecretKey, org: OrgId, channel: &str, address: &str) -> Vec<Vec<u8>> {
    ring.blurs(OPT_OUT, &format!("{org}:{channel}:{address}"))
}

fn opt_out_hash(secret: &SecretKey, org: OrgId, channel: &str, address: &str) -> Vec<u8> {
    secret.blur(OPT_OUT, &format!("{org}:{channel}:{address}"))
}

/// Whoever asked a business not to be written to before it was removed here is still not written to when it comes back,
/// though the archive it comes from is older. Returns how many of the archive's addresses these are.
pub(super) async fn recall_opt_outs(tx: &mut Tx, origin: &Origin, secret: &SecretKey, org: OrgId) -> Result<u64> {
    if !q!(&mut *tx, fetch_one scalar bool, "SELECT EXISTS (SELECT 1 FROM removed_opt_out)")? {
        return Ok(0);
    }
    let ring = retired::for_lookups(&mut *tx, secret).await?;
    let known: HashSet<Vec<u8>> =
        q!(&mut *tx, fetch_all scalar Vec<u8>, "SELECT address_hash FROM removed_opt_out")?.into_iter().collect();
    let sql = "SELECT CASE WHEN kind = 'phone' THEN 'sms' ELSE 'email' END, value FROM customer_key
        WHERE org_id = $1 ORDER BY kind, value";
    let mut recalled = 0;
    for (channel, address) in q!(&mut *tx, fetch_all as (String, String), sql, org)? {
        if opt_out_hashes(&ring, org, &channel, &address).iter().any(|hash| known.contains(hash)) {
            recalled += recall(&mut *tx, origin, org, (&channel, &address)).await?;
        }
    }
    Ok(recalled)
}

async fn recall(tx: &mut Tx, origin: &Origin, org: OrgId, (channel, address): (&str, &str)) -> Result<u64> {
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

/// Keeps who must not be written to, so that nobody can read who it is.
async fn remember_opt_outs(tx: &mut Tx, secret: &SecretKey, org: OrgId) -> Result<u64> {
    let there = q!(
        &mut *tx,
        fetch_all as (String, String, chrono::DateTime<chrono::Utc>),
        "SELECT channel, address, at FROM opt_out WHERE org_id = $1 AND lifted_at IS NULL",
        org
    )?;
    let rows =
        there.into_iter().map(|(channel, address, at)| values![opt_out_hash(secret, org, &channel, &address), at]);
    let stubs = Insert::into("removed_opt_out (address_hash, at)").rows(rows).unless_there("address_hash");
    insert(tx, &stubs).await
}

/// That there was one: its id, which leads nowhere any more, and when it went.
async fn leave_a_stub(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    let sql = "INSERT INTO removed_org (id, at) VALUES ($1, $2)";
    q!(tx, execute, sql, org, origin.now())?;
    Ok(())
}

/// A business by its slug or its id, as an operator names it.
///
/// # Errors
/// [`Error::NotFound`]
pub async fn named(conn: &mut dyn AsConn, text: &str) -> Result<crate::domain::tenancy::org::Org> {
    let found = match text.parse::<Uuid>() {
        Ok(id) => crate::domain::tenancy::org::find(conn, OrgId(id)).await?,
        Err(_) => crate::domain::tenancy::org::find_by_slug(conn, text).await?,
    };
    found.ok_or(Error::NotFound)
}
