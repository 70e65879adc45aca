//! Demonstration: a fictional plumbing firm with a year of work, for evaluating the product.
//!
//! It is an ordinary business with a fixed id. Its rows are made by the domain's own functions with a clock set to the
//! past, so that its figures are calculated like all others. It is seeded again each night of its own time zone, since
//! its days move with today ([`is_due`], [`seed_demo`]). Only its seeder changes it: a transaction that has touched it
//! does not commit ([`crate::platform::db::Tx::guard_writable`]), the gate refuses its messages, and the worker plans
//! nothing of it.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;

use crate::{
    domain::tenancy::{org::DEFAULT_TIMEZONE, session::Session},
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, acquire_advisory_lock, q},
        error::{Error, Result},
        id::{DEMO_ORG, DEMO_SLUG, OrgId},
        public_url::PublicUrl,
        secret::SecretKey,
        storage::Storage,
        tasks::{self, NewTask},
    },
};

mod clear;
mod close;
mod demo_business;
mod demo_people;
mod demo_tools;
pub mod plan;
mod seed_runner;
mod work_catalog;

pub use demo_tools::demo_tool_statuses;

pub const DEMO_TIMEZONE: Tz = DEFAULT_TIMEZONE;
/// Lock by which concurrent seeders wait for each other.
const SEED_LOCK_ID: i64 = 0x6465_6d6f;
/// Random seed, the same on every install and every day, so that the result can be tested.
const RANDOM_SEED: u64 = 0x6465_6d6f;

#[derive(Clone, Copy, Debug)]
pub struct SeedContext<'a> {
    pub origin: &'a ClockRng,
    pub secret: &'a SecretKey,
    pub public_url: &'a PublicUrl,
    pub storage: &'a Storage,
}

/// In the demonstration's time zone.
#[must_use]
pub fn demo_today(now: DateTime<Utc>) -> NaiveDate {
    now.with_timezone(&DEMO_TIMEZONE).date_naive()
}

/// The session of a visitor: that of its owner, without a stored session. None while it is not seeded.
pub async fn load_viewer_session(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<Option<Session>> {
    Ok(q!(
        conn,
        fetch_optional as Session,
        "SELECT a.id AS account_id, a.org_id, a.role, a.name, a.email, a.two_factor_enabled, a.language, o.slug AS org_slug,
             o.name AS org_name, o.timezone AS org_timezone, $2 AS last_seen_at, $2 AS proved_at,
             FALSE AS is_email_proved
         FROM account a JOIN org o ON o.id = a.org_id
         WHERE a.org_id = $1 AND a.role = 'owner' ORDER BY a.created_at, a.id LIMIT 1",
        DEMO_ORG,
        now
    )?)
}

/// True also when it was seeded for another day.
pub async fn is_due(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM demo_seed WHERE org_id = $1 AND day = $2)";
    Ok(!q!(conn, fetch_one scalar bool, sql, DEMO_ORG, demo_today(now))?)
}

/// Plans the seeding when it is due: one at a time, however many workers ask, and again in the next hour after a final
/// failure. True when this call planned it.
pub async fn schedule_seed(db: &Db, origin: &ClockRng) -> Result<bool> {
    let now = origin.now();
    let mut conn = db.acquire_reader().await?;
    if !is_due(&mut conn, now).await? || is_seed_scheduled(&mut conn).await? {
        return Ok(false);
    }
    drop(conn);
    let task = NewTask {
        org: None,
        kind: tasks::TaskKind::SeedDemo,
        subject: Some(DEMO_ORG.0),
        run_at: now,
        unique_key: format!("seed_demo:{}:{}", demo_today(now), now.format("%H")),
    };
    let mut tx = db.begin_long().await?;
    let planned = tasks::enqueue(&mut tx, origin, vec![task]).await?;
    tx.commit().await?;
    Ok(planned > 0)
}

async fn is_seed_scheduled(conn: &mut dyn AsConn) -> Result<bool> {
    // Worded as in `task_live_by_subject`: SQLite uses a partial index only for the same condition.
    let sql = "SELECT EXISTS (SELECT 1 FROM task WHERE subject_id = $1 AND kind = $2
        AND status IN ('ready', 'running', 'dead') AND status <> 'dead')";
    Ok(q!(conn, fetch_one scalar bool, sql, DEMO_ORG.0, tasks::TaskKind::SeedDemo)?)
}

/// Seeds it as of today: the rows in one transaction, then the files. Readers see either the old one or the new one.
/// Repeated on the same day it makes the same rows; after a crash it is still due.
/// Errors: those of the database and of the file store; nothing is changed then, or it is still due.
pub async fn seed_demo(db: &Db, ctx: &SeedContext<'_>) -> Result<()> {
    let (now, files) = (ctx.origin.now(), Storage::in_memory());
    let day = demo_today(now);
    let mut tx = db.begin_long().await?;
    acquire_advisory_lock(&mut tx, SEED_LOCK_ID).await?;
    tx.allow_demo_seeding();
    clear::delete_demo_rows(&mut tx).await?;
    let plan = plan::SeedPlan::build_for_day(day, RANDOM_SEED);
    seed_runner::run_plan(&mut tx, ctx, &plan, &files).await?;
    close::finalize_seed(&mut tx, ctx.origin).await?;
    tx.commit().await?;
    files.move_into(ctx.storage).await?;
    let mut tx = db.begin_long().await?;
    tx.allow_demo_seeding();
    let sql = "INSERT INTO demo_seed (org_id, day, seeded_at) VALUES ($1, $2, $3)
         ON CONFLICT (org_id) DO UPDATE SET day = $2, seeded_at = $3";
    q!(&mut tx, execute, sql, DEMO_ORG, day, now)?;
    tx.commit().await
}

/// Errors: [`Error::DemoReadOnly`] for the demonstration's business.
pub fn ensure_not_demo(org: OrgId) -> Result<()> {
    if org == DEMO_ORG { Err(Error::DemoReadOnly) } else { Ok(()) }
}
