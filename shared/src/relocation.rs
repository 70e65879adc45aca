//! All rows of an install from one database into another, of the same kind or the other one: how an install moves from
//! `SQLite` to PostgreSQL, how a PostgreSQL database is backed up into a file, and how that file is put back.

use chrono::{DateTime, Utc};

use crate::{
    belongings::{self, digest::Worth},
    db::{AsConn, Db, Tx, rows},
    error::{Error, Result},
    outbox::{self, Why},
};

/// Rows that lie in memory at once.
const PAGE: i64 = 500;

/// A table, and what it comes to in both databases.
pub type Compared = Vec<(&'static str, Worth)>;

/// Copies everything as it stands at this instant into a database that is migrated and empty, and compares every table.
/// The copy is there as a whole, or not at all.
///
/// # Errors
/// [`Error::Clash`] when the other database is not empty, has another schema, or does not come to the same.
pub async fn copy(from: &Db, to: &Db) -> Result<Compared> {
    let mut source = from.snapshot().await?;
    let mut tx = to.begin().await?;
    let compared = copy_all(&mut source, &mut tx).await?;
    tx.commit().await?;
    Ok(compared)
}

async fn copy_all(source: &mut impl AsConn, tx: &mut Tx) -> Result<Compared> {
    refuse_unless_empty(tx).await?;
    let mut compared = Vec::new();
    for belonging in belongings::all() {
        let worth = copy_table(&mut *source, &mut *tx, belonging.table).await?;
        compared.push((belonging.table, worth));
    }
    Ok(compared)
}

async fn refuse_unless_empty(tx: &mut Tx) -> Result<()> {
    for belonging in belongings::all() {
        let shape = rows::shape(&mut *tx, belonging.table).await?;
        if rows::count(&mut *tx, &shape, None).await? > 0 {
            let words = "this database is not empty: it has rows of";
            return Err(Error::Clash(format!("{words} {}", belonging.table)));
        }
    }
    Ok(())
}

async fn copy_table(source: &mut impl AsConn, tx: &mut Tx, table: &'static str) -> Result<Worth> {
    let (theirs, ours) = (rows::shape(&mut *source, table).await?, rows::shape(&mut *tx, table).await?);
    if theirs != ours {
        return Err(Error::Clash(format!("{table} looks different in the two databases: migrate both first")));
    }
    let mut last: Option<rows::Cells> = None;
    loop {
        let page = rows::page(&mut *source, &theirs, None, last.as_deref(), PAGE).await?;
        last = page.last().cloned();
        if last.is_none() {
            break;
        }
        rows::write(&mut *tx, &ours, page).await?;
    }
    let (was, is) = (Worth::of(source, &theirs, None).await?, Worth::of(tx, &ours, None).await?);
    match was.difference(&is) {
        None => Ok(is),
        Some(why) => Err(Error::Clash(format!("{table} did not arrive as it was: {why}"))),
    }
}

/// Moves an install to another database. From its beginning on the old one sends nothing any more, and only the new one
/// does; when it fails, all is as before.
///
/// # Errors
/// As for [`copy`].
pub async fn relocate(from: &Db, to: &Db, now: DateTime<Utc>) -> Result<Compared> {
    let was_frozen = outbox::frozen(&mut from.read().await?).await?.is_some();
    let mut tx = from.begin().await?;
    outbox::freeze(&mut tx, now, Why::Moved, now).await?;
    tx.commit().await?;
    let copied = copy(from, to).await;
    if !was_frozen {
        // Exactly one of the two may speak.
        let speaks = if copied.is_ok() { to } else { from };
        let mut tx = speaks.begin().await?;
        outbox::release(&mut tx).await?;
        tx.commit().await?;
    }
    copied
}
