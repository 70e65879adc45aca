//! Erasure of one person's data at their request. An owner asks for it; it waits for [`GRACE`] and can be undone until
//! then. What forbids it is asked again at that time ([`postponement`]). Then the data is removed from every place of the
//! [`catalogue`], from the files and from emails written as files. Legally required records stay without the person:
//! numbers, dates and sums of papers, lines of the audit log, keyed hashes of opt-outs.
//!
//! Every step does nothing when repeated, so a crash loses nothing. docs/data-protection.md says what goes and what
//! stays.

use std::path::Path;

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    domain::{intake::contact_point, messaging::message::send_budget, money::reconciliation, tenancy::org},
    platform::{
        clock::ClockRng,
        db::{AsConn, ConnRef, Db, Tx, q},
        error::Result,
        id::{CustomerId, LeadId, OrgId},
        live::{self, Topic},
        secret::SecretKey,
        storage::Storage,
    },
};

mod activity;
mod addresses;
pub mod catalogue;
pub mod copy;
mod document_redaction;
mod file_removal;
pub mod list;
mod notices;
mod open_pages;
pub mod opt_outs;
pub mod postponement;
mod reapply;
pub mod request;
mod row_erasure;

use addresses::{assign_unmatched_reviews, clear_unknown_callers, delete_sending_contacts, list_addresses};
use catalogue::ERASURE_TARGETS;
use file_removal::{discard_pending_uploads, remove_files};
pub(crate) use reapply::{part_unlisted_merges, reapply_erasures};
use row_erasure::erase_table_rows;

/// Time in which an erasure can be undone.
pub const GRACE: Duration = Duration::days(3);
const BATCH_SIZE: i64 = 20;
/// Waiting erasures that are looked over at once for what the person did since, those of the next days first.
const WATCHED_ERASURES: i64 = 500;

/// An erasure that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Erasure)]
pub struct CustomerErasure {
    #[serde(skip)]
    pub org_id: OrgId,
    pub id: Uuid,
    pub customer_id: CustomerId,
    pub asked_at: DateTime<Utc>,
    /// Until then it can be cancelled.
    pub due_at: DateTime<Utc>,
}

/// Why a person is erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErasureCause {
    /// The person asked. Digests, reports and notes of the business that may name them are emptied too.
    Request,
    /// The retention period is over. Digests and reports have a shorter one of their own.
    RetentionPeriod,
}

#[derive(Clone, Copy, Debug)]
pub struct ErasureContext<'a> {
    pub db: &'a Db,
    pub storage: &'a Storage,
    pub data_dir: &'a Path,
    pub origin: &'a ClockRng,
    pub secret: &'a SecretKey,
    /// Folder of the backups: the list of erasures is kept beside them, so that a restore finds it.
    pub backups: &'a Path,
}

/// Returns how many erasures were due, and how many owners were told that the person did something since: each that was
/// due was carried out, or put off where something forbids it.
/// Errors: the first of those that failed, after all others. They are put off too, so that they hold up nobody.
pub async fn run_due_erasures(ctx: &ErasureContext<'_>) -> Result<usize> {
    let sql = "SELECT org_id, id, customer_id, asked_at, due_at FROM erasure
        WHERE state = 'waiting' AND due_at <= $1 ORDER BY due_at LIMIT $2";
    let due = q!(&mut ctx.db.acquire_reader().await?, fetch_all as CustomerErasure, sql, ctx.origin.now(), BATCH_SIZE)?;
    let sql = "SELECT org_id, id, customer_id, asked_at, due_at FROM erasure
        WHERE state = 'waiting' AND due_at > $1 AND ended_at IS NULL ORDER BY due_at LIMIT $2";
    let (now, limit) = (ctx.origin.now(), WATCHED_ERASURES);
    let waiting = q!(&mut ctx.db.acquire_reader().await?, fetch_all as CustomerErasure, sql, now, limit)?;
    let (mut failed, mut told) = (None, 0);
    for erasure in &waiting {
        match activity::tell_of_activity(ctx, erasure).await {
            Ok(is_told) => told += usize::from(is_told),
            Err(e) => failed = failed.or(Some(e)),
        }
    }
    for erasure in &due {
        if let Err(e) = run_due_erasure(ctx, erasure).await {
            tracing::warn!(org = %erasure.org_id, erasure = %erasure.id, error = %e, "an erasure failed; it is tried again");
            failed = failed.or(Some(e));
        }
    }
    failed.map_or(Ok(due.len() + told), Err)
}

async fn run_due_erasure(ctx: &ErasureContext<'_>, erasure: &CustomerErasure) -> Result<()> {
    // The list beside the backups is the last that is written before the first step. An unreadable one is a failure.
    let begun = list::find_begun_at(ctx.backups, erasure.id).await;
    let begun_at = begun.as_ref().ok().copied().flatten();
    let run = async {
        if postponement::postpone_if_blocked(ctx, erasure, begun?.is_some()).await? || !mark_begun(ctx, erasure).await?
        {
            return Ok(());
        }
        run_erasure(ctx, erasure, ErasureCause::Request).await
    };
    let ended = run.await;
    if ended.is_err() {
        postponement::postpone_failed(ctx, erasure, begun_at).await?;
    }
    ended
}

/// From here on it cannot be undone, because a part of the data goes: the row that waits gets the time of its last step.
/// False when it was undone or asked for again meanwhile.
async fn mark_begun(ctx: &ErasureContext<'_>, erasure: &CustomerErasure) -> Result<bool> {
    let mut tx = ctx.db.begin().await?;
    tx.guard_writable(erasure.org_id);
    let sql = "UPDATE erasure SET ended_at = $3 WHERE org_id = $1 AND id = $2 AND state = 'waiting' AND asked_at = $4";
    let marked = q!(&mut tx, execute, sql, erasure.org_id, erasure.id, ctx.origin.now(), erasure.asked_at)?;
    // An open screen offers no undo any more.
    live::publish_event(&mut tx, ctx.origin, erasure.org_id, Topic::Customer, erasure.customer_id.0, None).await?;
    tx.commit().await?;
    Ok(marked > 0)
}

/// Checks neither the due time nor what forbids it.
pub async fn run_erasure(ctx: &ErasureContext<'_>, erasure: &CustomerErasure, cause: ErasureCause) -> Result<()> {
    let org = erasure.org_id;
    let records = list_customer_records(&mut ctx.db.acquire_reader().await?, org, erasure.customer_id).await?;
    // Listed outside the database first: a backup restored during this run repeats the erasure.
    list::append_erasure(ctx.backups, ctx.data_dir, (erasure, &records), ctx.origin.now()).await?;
    erase_records(ctx, erasure, cause, &records).await
}

/// The part of an erasure that is repeated. `records`: all of the person.
async fn erase_records(
    ctx: &ErasureContext<'_>,
    erasure: &CustomerErasure,
    cause: ErasureCause,
    records: &[CustomerId],
) -> Result<()> {
    let (org, mut files, mut rows) = (erasure.org_id, 0, 0);
    release_shared_keys(ctx, org, records).await?;
    for &customer in records {
        files += discard_pending_uploads(ctx, org, customer).await?;
        files += remove_files(ctx, org, customer).await?;
        rows += erase_record(ctx, org, customer, records).await?;
        if cause == ErasureCause::Request {
            // After the alerts and the leads: a digest that is made meanwhile names nobody.
            rows += notices::erase_notices(ctx, org, customer).await?;
        }
    }
    if cause == ErasureCause::Request {
        erase_unknown_payment_notes(ctx, org).await?;
    }
    let mut tx = ctx.db.begin_long().await?;
    tx.guard_writable(org);
    q!(
        &mut tx,
        execute,
        "UPDATE erasure SET state = 'done', ended_at = $3, rows = $4, files = $5
         WHERE org_id = $1 AND id = $2 AND state = 'waiting'",
        org,
        erasure.id,
        ctx.origin.now(),
        i64::try_from(rows).unwrap_or(i64::MAX),
        files
    )?;
    postponement::withdraw_notices(&mut tx, erasure, ctx.origin.now()).await?;
    end_merged_erasures(&mut tx, ctx.origin, org, records).await?;
    live::publish_event(&mut tx, ctx.origin, org, Topic::Customer, erasure.customer_id.0, None).await?;
    set_secure_delete(&mut tx, "PRAGMA secure_delete = FAST").await?;
    tx.commit().await
}

/// First: an address that another customer's request names is not the person's alone, and keeps its opt-out.
async fn release_shared_keys(ctx: &ErasureContext<'_>, org: OrgId, records: &[CustomerId]) -> Result<()> {
    let mut tx = ctx.db.begin_long().await?;
    tx.guard_writable(org);
    contact_point::return_named_keys(&mut tx, org, records).await?;
    tx.commit().await
}

/// Ends those that wait for a record that an older version merged into this one: its data is gone too.
async fn end_merged_erasures(tx: &mut Tx, origin: &ClockRng, org: OrgId, records: &[CustomerId]) -> Result<()> {
    let sql = "UPDATE erasure SET state = 'done', ended_at = $3
        WHERE org_id = $1 AND customer_id = $2 AND state = 'waiting'
        RETURNING org_id, id, customer_id, asked_at, due_at";
    for &record in records {
        let ended = q!(&mut *tx, fetch_optional as CustomerErasure, sql, org, record, origin.now())?;
        if let Some(ended) = ended {
            postponement::withdraw_notices(&mut *tx, &ended, origin.now()).await?;
        }
    }
    Ok(())
}

/// Rows of one record of the person. What the addresses lead to goes first: afterwards nothing tells the addresses.
async fn erase_record(
    ctx: &ErasureContext<'_>,
    org: OrgId,
    customer: CustomerId,
    records: &[CustomerId],
) -> Result<u64> {
    let addresses = list_addresses(&mut ctx.db.acquire_reader().await?, org, customer, records).await?;
    erase_settlement_notes(ctx, org, customer).await?;
    let mut tx = begin_secure_delete(ctx).await?;
    tx.guard_writable(org);
    send_budget::anonymize_recipients(&mut tx, ctx.origin, org, &addresses).await?;
    opt_outs::store_opt_out_hashes(&mut tx, ctx, org, &addresses).await?;
    delete_sending_contacts(&mut tx, org, &addresses).await?;
    let mut rows = clear_unknown_callers(&mut tx, org, &addresses).await?;
    assign_unmatched_reviews(&mut tx, org, customer, &addresses).await?;
    open_pages::expire_open_pages(&mut tx, ctx.origin, org, customer).await?;
    rows += document_redaction::anonymize_documents(&mut tx, org, customer).await?;
    tx.commit().await?;
    for place in ERASURE_TARGETS {
        rows += erase_table_rows(ctx, place, org, customer).await?;
    }
    // A message that was on its way has been counted meanwhile.
    let mut tx = begin_secure_delete(ctx).await?;
    tx.guard_writable(org);
    send_budget::anonymize_recipients(&mut tx, ctx.origin, org, &addresses).await?;
    delete_sending_contacts(&mut tx, org, &addresses).await?;
    tx.commit().await?;
    Ok(rows)
}

/// Notes of settled money differences about their leads and payments. In a transaction of its own, because it locks the
/// business.
async fn erase_settlement_notes(ctx: &ErasureContext<'_>, org: OrgId, customer: CustomerId) -> Result<()> {
    let mut tx = begin_secure_delete(ctx).await?;
    org::lock(&mut tx, org).await?;
    let sql = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2";
    let leads = q!(&mut tx, fetch_all scalar LeadId, sql, org, customer)?;
    let sql = "SELECT p.provider_id FROM lead l CROSS JOIN payment p WHERE l.org_id = $1 AND l.customer_id = $2
         AND p.org_id = $1 AND p.lead_id = l.id AND p.provider_id IS NOT NULL";
    let payments = q!(&mut tx, fetch_all scalar String, sql, org, customer)?;
    reconciliation::erase_settlement_notes(&mut tx, ctx.origin, org, (&leads, &payments)).await?;
    tx.commit().await
}

/// Notes of settled differences about payments whose payer is not known.
async fn erase_unknown_payment_notes(ctx: &ErasureContext<'_>, org: OrgId) -> Result<()> {
    let mut tx = begin_secure_delete(ctx).await?;
    org::lock(&mut tx, org).await?;
    reconciliation::erase_unknown_payment_notes(&mut tx, ctx.origin, org).await?;
    tx.commit().await
}

/// `SQLite` overwrites what this transaction deletes, also on pages that become free.
async fn begin_secure_delete(ctx: &ErasureContext<'_>) -> Result<Tx> {
    let mut tx = ctx.db.begin_long().await?;
    set_secure_delete(&mut tx, "PRAGMA secure_delete = ON").await?;
    Ok(tx)
}

/// Sets how this process's writer overwrites deleted data. `SQLite` applies it when the statement is prepared: a cached
/// one would do nothing the second time.
async fn set_secure_delete(tx: &mut Tx, pragma: &'static str) -> Result<()> {
    if let ConnRef::Sqlite(conn) = tx.as_conn() {
        sqlx::query::<sqlx::Sqlite>(pragma).persistent(false).execute(conn).await?;
    }
    Ok(())
}

/// The person's record, those merged into it, and those merged into these before.
async fn list_customer_records(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Vec<CustomerId>> {
    let sql = "SELECT id FROM customer WHERE org_id = $1 AND merged_into = $2 ORDER BY id";
    let (mut records, mut next) = (vec![customer], 0);
    // Terminates: a record is only merged into an older one.
    while let Some(into) = records.get(next).copied() {
        let merged = q!(&mut *conn, fetch_all scalar CustomerId, sql, org, into)?;
        records.extend(merged);
        next += 1;
    }
    Ok(records)
}
