//! The demonstration: a plumbing firm that does not exist, with a year of work behind it, for whoever looks at the
//! product before they have one of their own.
//!
//! It is a business like any other, with a fixed id. Its rows are made by the domain's own functions, with a clock that
//! is set to the past, so that its figures come out of the same reckoning as everybody's. It is seeded anew each night
//! of its own zone, for its days move with today ([`is_due`], [`seed`]). Nobody but its seeder changes it: a
//! transaction that has touched it does not commit ([`crate::platform::db::Tx::guard_writable`]), the gate refuses its messages, and the
//! worker plans nothing of it.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;

use crate::{
    domain::tenancy::{org::DEFAULT_TIMEZONE, session::Session},
    platform::{
        clock::Origin,
        db::{AsConn, Db, one_at_a_time, q},
        error::{Error, Result},
        id::{DEMO_ORG, DEMO_SLUG, OrgId},
        public_url::PublicUrl,
        secret::SecretKey,
        storage::Storage,
        tasks::{self, NewTask},
    },
};

mod cast;
mod clear;
mod close;
mod firm;
pub mod plan;
mod stage;
mod tools;
mod works;

pub use tools::tools;

/// Whose days it lives by.
pub const ZONE: Tz = DEFAULT_TIMEZONE;
/// Of several who seed at once one waits for the other here.
const SEEDING: i64 = 0x6465_6d6f;
/// What chance makes of it is the same on every install and every day: so that it can be tested.
const CHANCE: u64 = 0x6465_6d6f;

/// What seeding needs to know about the install.
#[derive(Clone, Copy, Debug)]
pub struct House<'a> {
    pub origin: &'a Origin,
    pub secret: &'a SecretKey,
    pub public_url: &'a PublicUrl,
    pub storage: &'a Storage,
}

/// The demonstration's today.
#[must_use]
pub fn today(now: DateTime<Utc>) -> NaiveDate {
    now.with_timezone(&ZONE).date_naive()
}

/// Who looks at the demonstration: its owner, without a session. None while it is not seeded.
pub async fn viewer(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<Option<Session>> {
    Ok(q!(
        conn,
        fetch_optional as Session,
        "SELECT a.id AS account_id, a.org_id, a.role, a.name, a.email, a.two_factor_enabled, o.slug AS org_slug,
             o.name AS org_name, o.timezone AS org_timezone, $2 AS last_seen_at, $2 AS proved_at,
             FALSE AS is_email_proved
         FROM account a JOIN org o ON o.id = a.org_id
         WHERE a.org_id = $1 AND a.role = 'owner' ORDER BY a.created_at, a.id LIMIT 1",
        DEMO_ORG,
        now
    )?)
}

/// Whether there is none, or one of another day.
pub async fn is_due(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM demo_seed WHERE org_id = $1 AND day = $2)";
    Ok(!q!(conn, fetch_one scalar bool, sql, DEMO_ORG, today(now))?)
}

/// Has it seeded once it is due: once at a time, however many workers ask, and where it stopped for good again in the
/// next hour. True when this call planned it.
pub async fn plan_seed(db: &Db, origin: &Origin) -> Result<bool> {
    let now = origin.now();
    let mut conn = db.read().await?;
    if !is_due(&mut conn, now).await? || is_planned(&mut conn).await? {
        return Ok(false);
    }
    drop(conn);
    let task = NewTask {
        org: None,
        kind: tasks::Kind::SeedDemo,
        subject: Some(DEMO_ORG.0),
        run_at: now,
        unique_key: format!("seed_demo:{}:{}", today(now), now.format("%H")),
    };
    let mut tx = db.begin_long().await?;
    let planned = tasks::enqueue(&mut tx, origin, vec![task]).await?;
    tx.commit().await?;
    Ok(planned > 0)
}

async fn is_planned(conn: &mut dyn AsConn) -> Result<bool> {
    // In the words of `task_live_by_subject`: SQLite takes a partial index for no others.
    let sql = "SELECT EXISTS (SELECT 1 FROM task WHERE subject_id = $1 AND kind = $2
        AND status IN ('ready', 'running', 'dead') AND status <> 'dead')";
    Ok(q!(conn, fetch_one scalar bool, sql, DEMO_ORG.0, tasks::Kind::SeedDemo)?)
}

/// Seeds it anew as of today: its rows in one transaction, then its files. Whoever looks meanwhile sees the old one, or
/// the new one. Run again on the same day it makes the same rows; where it died it is still due.
///
/// # Errors
/// Those of the database and of the file store; nothing is changed then, or it is still due.
pub async fn seed(db: &Db, house: &House<'_>) -> Result<()> {
    let (now, files) = (house.origin.now(), Storage::in_memory());
    let day = today(now);
    let mut tx = db.begin_long().await?;
    one_at_a_time(&mut tx, SEEDING).await?;
    tx.seeds_demo();
    clear::clear(&mut tx).await?;
    let plan = plan::Plan::of(day, CHANCE);
    stage::play(&mut tx, house, &plan, &files).await?;
    close::close(&mut tx, house.origin).await?;
    tx.commit().await?;
    files.move_into(house.storage).await?;
    let mut tx = db.begin_long().await?;
    tx.seeds_demo();
    let sql = "INSERT INTO demo_seed (org_id, day, seeded_at) VALUES ($1, $2, $3)
         ON CONFLICT (org_id) DO UPDATE SET day = $2, seeded_at = $3";
    q!(&mut tx, execute, sql, DEMO_ORG, day, now)?;
    tx.commit().await
}

/// Nothing is sent for it, nor changed.
///
/// # Errors
/// [`Error::DemoReadOnly`] for the demonstration's business.
pub fn refuse(org: OrgId) -> Result<()> {
    if org == DEMO_ORG { Err(Error::DemoReadOnly) } else { Ok(()) }
}
