//! All rows of an install from one database into another, of the same kind or the other one: how an install moves from
//! `SQLite` to PostgreSQL, how a PostgreSQL database is backed up into a file, and how that file is put back.

use std::time::Duration;

use crate::{
    domain::tenancy::audit::Action,
    ops::{
        key_rotation::mark,
        send_freeze::{self, Frozen, Why},
        system_status,
        tenant_data::{self, digest::Worth},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Db, Tx, may_wait, rows},
        error::{Error, Result},
    },
};

/// Rows that lie in memory at once.
const PAGE: i64 = 500;

const MOVED_BEFORE: &str =
    "an earlier move has frozen this database. If it did not end: api release-outbox, then api move again";
const AT_WORK: &str = "a worker is at work on this database. Stop both programs first";

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
    // While one side hashes or writes a whole table, the other one has nothing to do.
    may_wait(&mut source).await?;
    may_wait(&mut tx).await?;
    let compared = copy_all(&mut source, &mut tx).await?;
    tx.commit().await?;
    Ok(compared)
}

async fn copy_all(source: &mut dyn AsConn, tx: &mut Tx) -> Result<Compared> {
    mark::remove(&mut *tx).await?;
    refuse_unless_empty(tx).await?;
    let mut compared = Vec::new();
    for belonging in tenant_data::all() {
        let worth = copy_table(&mut *source, &mut *tx, belonging.table).await?;
        compared.push((belonging.table, worth));
    }
    Ok(compared)
}

async fn refuse_unless_empty(tx: &mut Tx) -> Result<()> {
    for belonging in tenant_data::all() {
        let shape = rows::shape(&mut *tx, belonging.table).await?;
        if rows::count(&mut *tx, &shape, None).await? > 0 {
            let words = "this database is not empty: it has rows of";
            return Err(Error::Clash(format!("{words} {}", belonging.table)));
        }
    }
    Ok(())
}

async fn copy_table(source: &mut dyn AsConn, tx: &mut Tx, table: &'static str) -> Result<Worth> {
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

/// Moves an install to another database. From its beginning on the old one sends and takes in nothing any more, and only
/// the new one does; when it fails, all is as before. `settle` is how long to wait between the two: what is under way in a
/// program that was not stopped ends meanwhile.
///
/// # Errors
/// As for [`copy`]; and [`Error::Clash`] while a worker is at work, or after a move that did not end.
pub async fn relocate(from: &Db, to: &Db, origin: &Origin, settle: Duration) -> Result<Compared> {
    let before = send_freeze::frozen(&mut from.read().await?).await?;
    if before.as_ref().is_some_and(|frozen| frozen.why == Why::Moved) {
        return Err(Error::Clash(MOVED_BEFORE.to_owned()));
    }
    if system_status::is_at_work(&mut from.read().await?, origin.now()).await? {
        return Err(Error::Clash(AT_WORK.to_owned()));
    }
    leave(from, origin, before.as_ref()).await?;
    tokio::time::sleep(settle).await;
    let copied = copy(from, to).await;
    // Exactly one of the two goes on, as the old one did before.
    let goes_on = if copied.is_ok() { to } else { from };
    go_on(goes_on, origin, before.as_ref(), copied.is_ok()).await?;
    copied
}

/// From here on the old one is left: it says nothing, and its API takes nothing in.
async fn leave(from: &Db, origin: &Origin, before: Option<&Frozen>) -> Result<()> {
    let mut tx = from.begin().await?;
    if before.is_some() {
        send_freeze::thaw(&mut tx).await?;
    }
    send_freeze::freeze(&mut tx, origin, Why::Moved, origin.now()).await?;
    tx.commit().await
}

/// One that was put back from a backup is still to be looked at, wherever it lies.
async fn go_on(db: &Db, origin: &Origin, before: Option<&Frozen>, has_moved: bool) -> Result<()> {
    let mut tx = db.begin().await?;
    send_freeze::thaw(&mut tx).await?;
    if let Some(before) = before {
        send_freeze::freeze_again(&mut tx, before).await?;
    }
    if has_moved {
        send_freeze::write_down(&mut tx, origin, Action::InstallMoved).await?;
    }
    tx.commit().await
}
