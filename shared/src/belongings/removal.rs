//! The end of a business here: every row and every file of it goes (trust requirement 85). What stays names nobody: that
//! it was removed, and keyed hashes of the numbers and addresses that may not be written to, which the law wants kept for
//! ten years (trust requirement 26).

use uuid::Uuid;

use super::owned;
use crate::{
    billing::{self, Subscribed},
    clock::Origin,
    db::{
        AsConn, Db, Tx,
        batch::{Insert, insert, values},
        q, rows,
    },
    demo,
    error::{Error, Result},
    id::OrgId,
    secret::SecretKey,
    storage::Storage,
};

/// The purpose under which addresses are blurred.
const OPT_OUT: &str = "opt-out of a removed business";
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

/// Removes a business with all it has. Files go after the rows: a process that dies in between leaves files that no row
/// names, and those are swept away within a day.
///
/// # Errors
/// [`Error::NotFound`] when there is no such business, [`Error::DemoReadOnly`] for the demonstration, [`Error::Conflict`]
/// while Stripe still charges it.
pub async fn remove(
    db: &Db,
    storage: &Storage,
    (origin, secret): (&Origin, &SecretKey),
    org: OrgId,
) -> Result<Removed> {
    demo::refuse(org)?;
    let mut tx = db.begin().await?;
    let business = crate::org::find(&mut tx, org).await?.ok_or(Error::NotFound)?;
    if billing::of_org(&mut tx, org).await?.iter().any(Subscribed::goes_on) {
        return Err(Error::Conflict(STILL_PAID));
    }
    let opt_outs = remember_opt_outs(&mut tx, secret, org).await?;
    let mut gone = 0;
    for belonging in owned().rev() {
        let shape = rows::shape(&mut tx, belonging.table).await?;
        gone += rows::remove(&mut tx, &shape, org).await?;
    }
    leave_a_stub(&mut tx, origin, org).await?;
    tx.commit().await?;
    let files = remove_files(storage, org).await?;
    Ok(Removed { name: business.name, rows: gone, files, opt_outs })
}

/// The rows are gone; what was being written while they went is swept away with the next sweep.
async fn remove_files(storage: &Storage, org: OrgId) -> Result<usize> {
    let files = storage.list_under(&org.to_string()).await?;
    for (key, _) in &files {
        storage.delete(key).await?;
    }
    Ok(files.len())
}

/// Keeps who must not be written to, so that nobody can read who it is.
async fn remember_opt_outs(tx: &mut Tx, secret: &SecretKey, org: OrgId) -> Result<u64> {
    let there = q!(
        &mut *tx,
        fetch_all as (String, String, chrono::DateTime<chrono::Utc>),
        "SELECT channel, address, at FROM opt_out WHERE org_id = $1 AND lifted_at IS NULL",
        org
    )?;
    let rows = there.into_iter().map(|(channel, address, at)| {
        let hash = secret.blur(OPT_OUT, &format!("{org}:{channel}:{address}"));
        values![hash, at]
    });
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
pub async fn named(conn: &mut impl AsConn, text: &str) -> Result<crate::org::Org> {
    let found = match text.parse::<Uuid>() {
        Ok(id) => crate::org::find(conn, OrgId(id)).await?,
        Err(_) => crate::org::find_by_slug(conn, text).await?,
    };
    found.ok_or(Error::NotFound)
}
