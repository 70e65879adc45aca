//! Copy of all rows of an install into another database of the same or the other kind: for moving from `SQLite` to
//! PostgreSQL, for a backup of PostgreSQL into a file, and for restoring that file.

use std::time::Duration;

use crate::{
    domain::tenancy::audit::AuditAction,
    ops::{
        key_rotation::mark,
        send_freeze::{self, FreezeReason, SendFreeze},
        system_status,
        tenant_data::{self, digest::TableChecksum},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, disable_idle_timeout, rows},
        error::{Error, Result},
    },
};

const PAGE_ROWS: i64 = 500;

const MOVE_UNFINISHED_MESSAGE: &str =
    "an earlier move has frozen this database. If it did not end: api release-outbox, then api move again";
const WORKER_RUNNING_MESSAGE: &str =
    "a worker runs on this database, or was killed less than two minutes ago. Stop both programs first";

pub type TransferChecksums = Vec<(&'static str, TableChecksum)>;

/// Copies everything as of now into a migrated, empty database, in one transaction, and compares every table.
/// Errors: [`Error::Refused`] when the other database is not empty, has another schema, or does not come to the same.
pub async fn copy_all_rows(from: &Db, to: &Db) -> Result<TransferChecksums> {
    let mut source = from.begin_snapshot().await?;
    let mut tx = to.begin_long().await?;
    // One side is idle while the other hashes or writes a whole table.
    disable_idle_timeout(&mut source).await?;
    disable_idle_timeout(&mut tx).await?;
    let compared = copy_all_tables(&mut source, &mut tx).await?;
    tx.commit().await?;
    Ok(compared)
}

async fn copy_all_tables(source: &mut dyn AsConn, tx: &mut Tx) -> Result<TransferChecksums> {
    mark::remove_key_mark(&mut *tx).await?;
    ensure_empty(tx).await?;
    let mut compared = Vec::new();
    for belonging in tenant_data::all_tables() {
        let worth = copy_table(&mut *source, &mut *tx, belonging.table).await?;
        compared.push((belonging.table, worth));
    }
    Ok(compared)
}

async fn ensure_empty(tx: &mut Tx) -> Result<()> {
    for belonging in tenant_data::all_tables() {
        let shape = rows::load_table_shape(&mut *tx, belonging.table).await?;
        if rows::count_rows(&mut *tx, &shape, None).await? > 0 {
            let words = "this database is not empty: it has rows of";
            return Err(Error::Refused(format!("{words} {}", belonging.table)));
        }
    }
    Ok(())
}

async fn copy_table(source: &mut dyn AsConn, tx: &mut Tx, table: &'static str) -> Result<TableChecksum> {
    let (theirs, ours) =
        (rows::load_table_shape(&mut *source, table).await?, rows::load_table_shape(&mut *tx, table).await?);
    if theirs != ours {
        return Err(Error::Refused(format!("{table} looks different in the two databases: migrate both first")));
    }
    let mut last: Option<rows::RowCells> = None;
    loop {
        let page = rows::load_page(&mut *source, &theirs, None, last.as_deref(), PAGE_ROWS).await?;
        last = page.last().cloned();
        if last.is_none() {
            break;
        }
        rows::write_rows(&mut *tx, &ours, page).await?;
    }
    let (was, is) = (
        TableChecksum::compute_from_db(source, &theirs, None).await?,
        TableChecksum::compute_from_db(tx, &ours, None).await?,
    );
    match was.describe_difference(&is) {
        None => Ok(is),
        Some(why) => Err(Error::Refused(format!("{table} did not arrive as it was: {why}"))),
    }
}

/// Moves an install to another database. From the start the old one sends and accepts nothing, afterwards only the new
/// one does; on failure all is as before. `settle` is the wait between the two, in which running work of a program that
/// was not stopped can end.
/// Errors: as for [`copy_all_rows`]; and [`Error::Refused`] while a worker runs, or after a move that did not end.
pub async fn move_install(from: &Db, to: &Db, origin: &ClockRng, settle: Duration) -> Result<TransferChecksums> {
    let before = send_freeze::find_freeze(&mut from.acquire_reader().await?).await?;
    if before.as_ref().is_some_and(|frozen| frozen.why == FreezeReason::Moved) {
        return Err(Error::Refused(MOVE_UNFINISHED_MESSAGE.to_owned()));
    }
    if system_status::is_worker_alive(&mut from.acquire_reader().await?, origin.now()).await? {
        return Err(Error::Refused(WORKER_RUNNING_MESSAGE.to_owned()));
    }
    freeze_source(from, origin, before.as_ref()).await?;
    tokio::time::sleep(settle).await;
    let copied = copy_all_rows(from, to).await;
    // Exactly one of the two resumes, in the previous state of the old one.
    let goes_on = if copied.is_ok() { to } else { from };
    unfreeze_after_move(goes_on, origin, before.as_ref(), copied.is_ok()).await?;
    copied
}

/// The old database stops sending, and its API accepts nothing.
async fn freeze_source(from: &Db, origin: &ClockRng, before: Option<&SendFreeze>) -> Result<()> {
    let mut tx = from.begin().await?;
    if before.is_some() {
        send_freeze::clear_freeze(&mut tx).await?;
    }
    send_freeze::freeze_sending(&mut tx, origin, FreezeReason::Moved, origin.now()).await?;
    tx.commit().await
}

/// The freeze of a restored backup stays, in either database.
async fn unfreeze_after_move(db: &Db, origin: &ClockRng, before: Option<&SendFreeze>, has_moved: bool) -> Result<()> {
    let mut tx = db.begin().await?;
    send_freeze::clear_freeze(&mut tx).await?;
    if let Some(before) = before {
        send_freeze::insert_freeze(&mut tx, before).await?;
    }
    if has_moved {
        send_freeze::audit_all_orgs(&mut tx, origin, AuditAction::InstallMoved).await?;
    }
    tx.commit().await
}
