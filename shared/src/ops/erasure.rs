//! One person's data, erased at their wish. An owner asks for it, it waits for [`GRACE`] and can be taken back until then;
//! then it goes from every place of the [`catalogue`], from the files and the letters. What the law wants kept stays
//! without the person: numbers, dates and sums of papers, the lines of the audit log, keyed hashes of opt-outs.
//!
//! Every step is a statement that finds nothing when it is repeated, so a process that dies in between loses nothing.
//! docs/data-protection.md says what goes and what stays.

use std::{io::ErrorKind, path::Path};

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    domain::intake::{customer, photo_upload::waiting},
    ops::{demo_seed, tenant_data::export::broken},
    platform::{
        clock::Origin,
        db::{AsConn, ConnRef, Db, Tx, q, qb},
        error::{Error, Result},
        id::{AccountId, CustomerId, OrgId},
        live::{self, Topic},
        secret::SecretKey,
        storage::Storage,
    },
};

pub mod catalogue;
pub mod copy;
pub mod list;
pub mod opt_outs;
mod papers;

use catalogue::{How, PLACES, Place};

/// How long an erasure can be taken back.
pub const GRACE: Duration = Duration::days(3);
/// Erasures that one look takes up.
const AT_ONCE: i64 = 20;
/// Where letters lie that were written while no mail server was set up, each under its id.
const LETTERS: &str = "mail";

/// An erasure that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Erasure {
    #[serde(skip)]
    pub org_id: OrgId,
    pub id: Uuid,
    pub customer_id: CustomerId,
    pub asked_at: DateTime<Utc>,
    /// Until then it can be taken back.
    pub due_at: DateTime<Utc>,
}

/// What an erasure would take, and what it would leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErasurePreview {
    pub customer_id: CustomerId,
    /// The name to type.
    pub name: String,
    pub requests: i64,
    pub messages: i64,
    pub photos_and_files: i64,
    /// Papers whose numbers, lines and sums stay without the name.
    pub papers: i64,
    pub payments: i64,
    /// Why it cannot be asked for now.
    pub blocked_by: Option<String>,
    /// The one that waits.
    pub waiting: Option<Erasure>,
    /// When it was done.
    pub erased_at: Option<DateTime<Utc>>,
}

/// Where it erases.
#[derive(Clone, Copy, Debug)]
pub struct House<'a> {
    pub db: &'a Db,
    pub storage: &'a Storage,
    pub data_dir: &'a Path,
    pub origin: &'a Origin,
    pub secret: &'a SecretKey,
    /// Where backups lie: the list of erasures lies beside them, so that a restore finds it.
    pub backups: &'a Path,
}

/// What would go and what would stay.
///
/// # Errors
/// [`Error::NotFound`] without such a customer.
pub async fn outlook(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<ErasurePreview> {
    let customer = customer::standing_for(&mut *conn, org, customer).await?;
    let sql = "SELECT c.name,
        (SELECT COUNT(*) FROM lead l WHERE l.org_id = $1 AND l.customer_id = $2),
        (SELECT COUNT(*) FROM message m WHERE m.org_id = $1 AND m.customer_id = $2),
        (SELECT COUNT(*) FROM photo p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id
            WHERE p.org_id = $1 AND l.customer_id = $2)
        + (SELECT COUNT(*) FROM photo_upload u JOIN lead l ON l.org_id = u.org_id AND l.id = u.lead_id
            WHERE u.org_id = $1 AND l.customer_id = $2)
        + (SELECT COUNT(*) FROM file f JOIN lead l ON l.org_id = f.org_id AND l.id = f.lead_id
            WHERE f.org_id = $1 AND f.removed_at IS NULL AND l.customer_id = $2),
        (SELECT COUNT(*) FROM estimate e JOIN lead l ON l.org_id = e.org_id AND l.id = e.lead_id
            WHERE e.org_id = $1 AND l.customer_id = $2)
        + (SELECT COUNT(*) FROM invoice i JOIN lead l ON l.org_id = i.org_id AND l.id = i.lead_id
            WHERE i.org_id = $1 AND l.customer_id = $2),
        (SELECT COUNT(*) FROM payment p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id
            WHERE p.org_id = $1 AND l.customer_id = $2)
        FROM customer c WHERE c.org_id = $1 AND c.id = $2";
    let row = q!(&mut *conn, fetch_optional as (String, i64, i64, i64, i64, i64), sql, org, customer)?;
    let (name, requests, messages, photos_and_files, papers, payments) = row.ok_or(Error::NotFound)?;
    let sql = "SELECT MAX(ended_at) FROM erasure WHERE org_id = $1 AND customer_id = $2 AND state = 'done'";
    let erased_at = q!(&mut *conn, fetch_one scalar Option<DateTime<Utc>>, sql, org, customer)?;
    let blocked_by = blocked(&mut *conn, org, customer).await?.map(ToOwned::to_owned);
    let waiting = waiting(conn, org, customer).await?;
    Ok(ErasurePreview {
        customer_id: customer,
        name,
        requests,
        messages,
        photos_and_files,
        papers,
        payments,
        blocked_by,
        waiting,
        erased_at,
    })
}

/// The erasure that waits, if one does.
pub async fn waiting(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Option<Erasure>> {
    let sql = "SELECT org_id, id, customer_id, asked_at, due_at FROM erasure
        WHERE org_id = $1 AND customer_id = $2 AND state = 'waiting'";
    Ok(q!(conn, fetch_optional as Erasure, sql, org, customer)?)
}

/// Why a person cannot be erased now: somebody is to come to them, or owes money.
async fn blocked(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Option<&'static str>> {
    let sql = "SELECT EXISTS (SELECT 1 FROM job j JOIN lead l ON l.org_id = j.org_id AND l.id = j.lead_id
        WHERE j.org_id = $1 AND l.customer_id = $2 AND j.status IN ('scheduled', 'in_progress'))";
    if q!(&mut *conn, fetch_one scalar bool, sql, org, customer)? {
        return Ok(Some("A job is still scheduled. Finish or cancel it first."));
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM invoice i JOIN lead l ON l.org_id = i.org_id AND l.id = i.lead_id
        WHERE i.org_id = $1 AND l.customer_id = $2 AND i.status IN ('preparing', 'open'))";
    if q!(conn, fetch_one scalar bool, sql, org, customer)? {
        return Ok(Some("An invoice is still open. Settle or void it first."));
    }
    Ok(None)
}

/// Asks for an erasure. `typed` is the customer's name, as a proof that this one is meant.
///
/// # Errors
/// [`Error::Invalid`] on `name` when another name was typed; [`Error::Conflict`] while work or money is open, or one waits.
pub async fn ask(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    customer: CustomerId,
    typed: &str,
    by: Option<AccountId>,
) -> Result<Erasure> {
    demo_seed::refuse(org)?;
    tx.guard_writable(org);
    let outlook = outlook(&mut *tx, org, customer).await?;
    if typed.trim() != outlook.name.trim() {
        let mut errors = crate::platform::error::FieldErrors::default();
        errors.add("name", "Type the name exactly as it stands here");
        return Err(Error::Invalid(errors));
    }
    if outlook.waiting.is_some() {
        return Err(Error::Conflict("This customer is already about to be erased."));
    }
    if let Some(why) = blocked(&mut *tx, org, outlook.customer_id).await? {
        return Err(Error::Conflict(why));
    }
    let now = origin.now();
    let erasure = Erasure {
        org_id: org,
        id: origin.uuid(),
        customer_id: outlook.customer_id,
        asked_at: now,
        due_at: now + GRACE,
    };
    q!(
        &mut *tx,
        execute,
        "INSERT INTO erasure (org_id, id, customer_id, asked_at, account_id, due_at, state, rows, files)
         VALUES ($1, $2, $3, $4, $5, $6, 'waiting', 0, 0)",
        org,
        erasure.id,
        erasure.customer_id,
        erasure.asked_at,
        by,
        erasure.due_at
    )?;
    live::announce(tx, origin, org, Topic::Customer, customer.0, None).await?;
    Ok(erasure)
}

/// Takes an erasure back that has not been done.
///
/// # Errors
/// [`Error::NotFound`] when none waits.
pub async fn undo(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId) -> Result<()> {
    tx.guard_writable(org);
    let sql = "UPDATE erasure SET state = 'undone', ended_at = $3
        WHERE org_id = $1 AND customer_id = $2 AND state = 'waiting'";
    if q!(&mut *tx, execute, sql, org, customer, origin.now())? == 0 {
        return Err(Error::NotFound);
    }
    live::announce(tx, origin, org, Topic::Customer, customer.0, None).await
}

/// Carries out what is due. Returns how many people were erased.
pub async fn run_due(house: &House<'_>) -> Result<usize> {
    let sql = "SELECT org_id, id, customer_id, asked_at, due_at FROM erasure
        WHERE state = 'waiting' AND due_at <= $1 ORDER BY due_at LIMIT $2";
    let due = q!(&mut house.db.read().await?, fetch_all as Erasure, sql, house.origin.now(), AT_ONCE)?;
    for erasure in &due {
        run(house, erasure).await?;
    }
    Ok(due.len())
}

/// Carries out one, whatever its time.
pub async fn run(house: &House<'_>, erasure: &Erasure) -> Result<()> {
    let (org, mut files, mut rows) = (erasure.org_id, 0, 0);
    // First of all it stands in the list outside: a backup that is put back in the middle of this erases anew.
    list::note(house.backups, house.data_dir, erasure, house.origin.now()).await?;
    for customer in records(&mut house.db.read().await?, org, erasure.customer_id).await? {
        files += end_uploads(house, org, customer).await?;
        files += remove_files(house, org, customer).await?;
        let mut tx = begin(house).await?;
        tx.guard_writable(org);
        opt_outs::keep_hashes(&mut tx, house, org, customer).await?;
        rows += papers::scrub(&mut tx, org, customer).await?;
        tx.commit().await?;
        for place in PLACES {
            rows += clear(house, place, org, customer).await?;
        }
    }
    let mut tx = house.db.begin_long().await?;
    tx.guard_writable(org);
    q!(
        &mut tx,
        execute,
        "UPDATE erasure SET state = 'done', ended_at = $3, rows = $4, files = $5
         WHERE org_id = $1 AND id = $2 AND state = 'waiting'",
        org,
        erasure.id,
        house.origin.now(),
        i64::try_from(rows).unwrap_or(i64::MAX),
        files
    )?;
    live::announce(&mut tx, house.origin, org, Topic::Customer, erasure.customer_id.0, None).await?;
    overwrite(&mut tx, "PRAGMA secure_delete = FAST").await?;
    tx.commit().await
}

/// A transaction in which `SQLite` overwrites what it deletes, also on pages that become free.
async fn begin(house: &House<'_>) -> Result<Tx> {
    let mut tx = house.db.begin_long().await?;
    overwrite(&mut tx, "PRAGMA secure_delete = ON").await?;
    Ok(tx)
}

/// How what is deleted is overwritten from here on, by the writer of this process. `SQLite` follows when the statement is
/// prepared: one that is kept would do nothing the second time.
async fn overwrite(tx: &mut Tx, pragma: &'static str) -> Result<()> {
    if let ConnRef::Sqlite(conn) = tx.as_conn() {
        sqlx::query::<sqlx::Sqlite>(pragma).persistent(false).execute(conn).await?;
    }
    Ok(())
}

/// The person's record, and those that were merged into it.
async fn records(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Vec<CustomerId>> {
    let sql = "SELECT id FROM customer WHERE org_id = $1 AND (id = $2 OR merged_into = $2) ORDER BY id";
    Ok(q!(conn, fetch_all scalar CustomerId, sql, org, customer)?)
}

/// One table in one transaction: none waits long for it.
async fn clear(house: &House<'_>, place: &Place, org: OrgId, customer: CustomerId) -> Result<u64> {
    let mut tx = begin(house).await?;
    tx.guard_writable(org);
    if place.table == "property" {
        own_key(&mut tx, org, customer).await?;
    }
    let now = house.origin.now();
    let needs_now = matches!(place.how, How::Clear(columns) if columns.iter().any(|(_, fate)| fate.sql() == "$3"));
    let sql = statement(place);
    let changed = if needs_now {
        q!(&mut tx, execute, sqlx::AssertSqlSafe(sql), org, customer, now)?
    } else {
        q!(&mut tx, execute, sqlx::AssertSqlSafe(sql), org, customer)?
    };
    tx.commit().await?;
    Ok(changed)
}

fn statement(place: &Place) -> String {
    let Place { table, of, how } = place;
    match how {
        How::Remove => format!("DELETE FROM {table} WHERE org_id = $1 AND {of}"),
        How::Clear(columns) => {
            let set: Vec<String> = columns.iter().map(|(column, fate)| format!("{column} = {}", fate.sql())).collect();
            format!("UPDATE {table} SET {} WHERE org_id = $1 AND {of}", set.join(", "))
        }
    }
}

/// Places of one person differ by the key of their address: it becomes their id.
async fn own_key(tx: &mut Tx, org: OrgId, customer: CustomerId) -> Result<()> {
    let sql = "SELECT id FROM property WHERE org_id = $1 AND customer_id = $2";
    for id in q!(&mut *tx, fetch_all scalar Uuid, sql, org, customer)? {
        let sql = "UPDATE property SET address_key = $3 WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, sql, org, id, id.to_string())?;
    }
    let sql = "DELETE FROM customer_merge WHERE org_id = $1 AND (kept_id = $2 OR gone_id = $2)";
    q!(tx, execute, sql, org, customer)?;
    Ok(())
}

/// Ends the wait of photos that are not redrawn yet, before the photos are listed: none becomes a photo after that. A worker
/// that has one finds its row gone, and removes what it wrote.
async fn end_uploads(house: &House<'_>, org: OrgId, customer: CustomerId) -> Result<i64> {
    let sql = "SELECT u.raw_key FROM photo_upload u JOIN lead l ON l.org_id = u.org_id AND l.id = u.lead_id
        WHERE u.org_id = $1 AND l.customer_id = $2";
    let keys = q!(&mut house.db.read().await?, fetch_all scalar String, sql, org, customer)?;
    for key in keys {
        house.storage.delete(&key).await?;
    }
    let mut tx = begin(house).await?;
    tx.guard_writable(org);
    let sql = "DELETE FROM photo_upload WHERE org_id = $1
        AND lead_id IN (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2) RETURNING raw_key, bytes";
    let ended = q!(&mut tx, fetch_all as (String, i64), sql, org, customer)?;
    waiting::remove(&mut tx, org, ended.iter().map(|(_, bytes)| bytes).sum()).await?;
    tx.commit().await?;
    // The file store may have been given one in between.
    for (key, _) in &ended {
        house.storage.delete(key).await?;
    }
    Ok(i64::try_from(ended.len()).unwrap_or(i64::MAX))
}

/// Removes photos, documents and letters. The rows that name them follow; one that could not be removed is tried again.
async fn remove_files(house: &House<'_>, org: OrgId, customer: CustomerId) -> Result<i64> {
    let mut conn = house.db.read().await?;
    let sql = "SELECT p.full_key, p.thumb_key FROM photo p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id
        WHERE p.org_id = $1 AND l.customer_id = $2
        UNION ALL SELECT f.full_key, f.thumb_key FROM file f JOIN lead l ON l.org_id = f.org_id AND l.id = f.lead_id
        WHERE f.org_id = $1 AND l.customer_id = $2";
    let keys = q!(&mut conn, fetch_all as (String, Option<String>), sql, org, customer)?;
    let sql = "SELECT m.id FROM message m WHERE m.org_id = $1 AND m.customer_id = $2 AND m.channel = 'email'
        UNION SELECT m.id FROM message m JOIN lead l ON l.org_id = m.org_id AND l.id = m.lead_id
        WHERE m.org_id = $1 AND l.customer_id = $2 AND m.channel = 'email'";
    let letters = q!(&mut conn, fetch_all scalar Uuid, sql, org, customer)?;
    drop(conn);
    for id in letters {
        match tokio::fs::remove_file(house.data_dir.join(LETTERS).join(format!("{id}.eml"))).await {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(broken(&e)),
            _ => {}
        }
    }
    let mut removed = 0;
    for (full, thumb) in keys {
        for key in std::iter::once(full).chain(thumb) {
            house.storage.delete(&key).await?;
        }
        removed += 1;
    }
    Ok(removed)
}

/// Erases people whom an older state of the database still knows. Returns how many it knew.
pub(crate) async fn again(house: &House<'_>, erasures: &[Erasure]) -> Result<usize> {
    let mut known = 0;
    for erasure in erasures {
        let mut tx = house.db.begin_long().await?;
        tx.guard_writable(erasure.org_id);
        let is_known = put_down(&mut tx, erasure).await?;
        tx.commit().await?;
        if !is_known {
            continue;
        }
        let Some(waits) = waiting(&mut house.db.read().await?, erasure.org_id, erasure.customer_id).await? else {
            continue;
        };
        run(house, &waits).await?;
        known += 1;
    }
    Ok(known)
}

/// Marks a person as erased whom an older state of the database still knows: what a restore does. Whether it knows them.
pub(crate) async fn put_down(tx: &mut Tx, erasure: &Erasure) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM customer WHERE org_id = $1 AND id = $2)";
    if !q!(&mut *tx, fetch_one scalar bool, sql, erasure.org_id, erasure.customer_id)? {
        return Ok(false);
    }
    // An older state may know the wish already, and wait.
    let waits = q!(
        &mut *tx,
        execute,
        "UPDATE erasure SET due_at = $3 WHERE org_id = $1 AND customer_id = $2 AND state = 'waiting'",
        erasure.org_id,
        erasure.customer_id,
        erasure.due_at
    )?;
    let put = qb!(tx, execute, |b| {
        b.push("INSERT INTO erasure (org_id, id, customer_id, asked_at, due_at, state, rows, files) SELECT ")
            .push_bind(erasure.org_id)
            .push(", ")
            .push_bind(erasure.id)
            .push(", ")
            .push_bind(erasure.customer_id)
            .push(", ")
            .push_bind(erasure.asked_at)
            .push(", ")
            .push_bind(erasure.due_at)
            .push(", 'waiting', 0, 0 WHERE NOT EXISTS (SELECT 1 FROM erasure WHERE org_id = ")
            .push_bind(erasure.org_id)
            .push(" AND customer_id = ")
            .push_bind(erasure.customer_id)
            .push(" AND state IN ('waiting', 'done'))");
    })?;
    Ok(waits + put > 0)
}
