//! For how long each kind of data is kept. Each business sets it within a floor and a ceiling; [`purge`] removes by night
//! what is older. docs/data-protection.md has the table, and what is kept whatever its age.

use std::ops::RangeInclusive;

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    ops::demo_seed,
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::OrgId,
        live,
    },
};

pub mod files;
pub mod purge;

/// A shorter period can be taken back for so long before anything is removed by it.
pub const GRACE: Duration = Duration::hours(24);

/// What has a period of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = RetentionKind)]
pub enum Kind {
    /// Photos of requests and jobs, since the work ended.
    Photos,
    /// People who asked and for whom nothing was ever estimated, done or billed, since they were last heard of.
    Requests,
    /// The words of texts and emails.
    Messages,
    /// Network address and browser beside a consent.
    Traces,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Photos, Self::Requests, Self::Messages, Self::Traces];

    /// Days, unless the business says otherwise.
    #[must_use]
    pub fn default_days(self) -> i64 {
        match self {
            Self::Requests => 3 * 365,
            // Claims about texts can be made for four years (28 U.S.C. § 1658).
            Self::Photos | Self::Messages | Self::Traces => 5 * 365,
        }
    }

    /// From the floor to the ceiling, in days.
    #[must_use]
    pub fn range(self) -> RangeInclusive<i64> {
        match self {
            Self::Photos => 90..=10 * 365,
            Self::Requests => 30..=5 * 365,
            Self::Messages => 180..=10 * 365,
            Self::Traces => 4 * 365..=10 * 365,
        }
    }
}

#[derive(Clone, Debug, FromRow)]
struct Row {
    kind: Kind,
    days: i64,
    effective_at: Option<DateTime<Utc>>,
    before_days: Option<i64>,
}

/// A shorter period that does not hold yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RetentionChange)]
pub struct Change {
    pub days: i64,
    /// Until then it can be taken back.
    pub effective_at: DateTime<Utc>,
}

/// One kind and its period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RetentionPeriod)]
pub struct Period {
    pub kind: Kind,
    /// The period in force.
    pub days: i64,
    pub default_days: i64,
    pub min_days: i64,
    pub max_days: i64,
    pub change: Option<Change>,
}

/// What one night removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RetentionNight)]
pub struct Night {
    pub started_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
    pub photos: i64,
    pub requests: i64,
    pub messages: i64,
    pub traces: i64,
}

/// What would be removed by a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RetentionPreview)]
pub struct Preview {
    pub kind: Kind,
    pub days: i64,
    /// How many the first night under it removes.
    pub count: i64,
}

impl Period {
    fn new(kind: Kind, row: Option<&Row>, now: DateTime<Utc>) -> Self {
        let set = row.map_or(kind.default_days(), |row| row.days);
        let waits = row.and_then(|row| Some((row.effective_at.filter(|at| *at > now)?, row.before_days?)));
        let (days, change) = match waits {
            Some((effective_at, before)) => (before, Some(Change { days: set, effective_at })),
            None => (set, None),
        };
        let range = kind.range();
        let (min_days, max_days) = (*range.start(), *range.end());
        Self { kind, days, default_days: kind.default_days(), min_days, max_days, change }
    }
}

/// The periods of a business, in the order of [`Kind::ALL`].
pub async fn periods(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<Vec<Period>> {
    let sql = "SELECT kind, days, effective_at, before_days FROM retention WHERE org_id = $1";
    let rows = q!(conn, fetch_all as Row, sql, org)?;
    let row = |kind| rows.iter().find(|row| row.kind == kind);
    Ok(Kind::ALL.iter().map(|&kind| Period::new(kind, row(kind), now)).collect())
}

/// The period of one kind.
pub async fn period(conn: &mut dyn AsConn, org: OrgId, kind: Kind, now: DateTime<Utc>) -> Result<Period> {
    let sql = "SELECT kind, days, effective_at, before_days FROM retention WHERE org_id = $1 AND kind = $2";
    let row = q!(conn, fetch_optional as Row, sql, org, kind)?;
    Ok(Period::new(kind, row.as_ref(), now))
}

fn check(kind: Kind, days: i64) -> Result<()> {
    let range = kind.range();
    let mut errors = FieldErrors::default();
    if !range.contains(&days) {
        errors.add("days", format!("Choose {} to {} days", range.start(), range.end()));
    }
    errors.finish()
}

/// Sets a period. A shorter one holds after [`GRACE`], a longer one at once.
///
/// # Errors
/// [`Error::Invalid`] on `days`.
pub async fn set(tx: &mut Tx, origin: &Origin, org: OrgId, kind: Kind, days: i64) -> Result<Period> {
    demo_seed::refuse(org)?;
    check(kind, days)?;
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    let now = origin.now();
    let before = period(&mut *tx, org, kind, now).await?.days;
    let waits = (days < before).then(|| now + GRACE);
    q!(
        &mut *tx,
        execute,
        "INSERT INTO retention (org_id, kind, days, effective_at, before_days) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (org_id, kind) DO UPDATE SET days = excluded.days, effective_at = excluded.effective_at,
             before_days = excluded.before_days",
        org,
        kind,
        days,
        waits,
        waits.map(|_| before)
    )?;
    period(tx, org, kind, now).await
}

/// Takes a shorter period back that does not hold yet.
///
/// # Errors
/// [`Error::Conflict`] when none waits.
pub async fn undo(tx: &mut Tx, origin: &Origin, org: OrgId, kind: Kind) -> Result<Period> {
    let sql = "UPDATE retention SET days = before_days, effective_at = NULL, before_days = NULL
         WHERE org_id = $1 AND kind = $2 AND effective_at > $3 AND before_days IS NOT NULL";
    if q!(&mut *tx, execute, sql, org, kind, origin.now())? == 0 {
        return Err(Error::Conflict("There is nothing to undo: the shorter period is already in force."));
    }
    period(tx, org, kind, origin.now()).await
}

/// The latest nights in which something was removed, and the one under way.
pub async fn nights(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<Night>> {
    let sql = "SELECT started_at, finished_at, photos, requests, messages, traces FROM retention_run
         WHERE org_id = $1 ORDER BY started_at DESC LIMIT 7";
    Ok(q!(conn, fetch_all as Night, sql, org)?)
}

/// How many would go under a period.
///
/// # Errors
/// [`Error::Invalid`] on `days`.
pub async fn preview(conn: &mut dyn AsConn, org: OrgId, kind: Kind, days: i64, now: DateTime<Utc>) -> Result<Preview> {
    check(kind, days)?;
    let cutoff = now - Duration::days(days);
    let count = match kind {
        Kind::Photos => purge::count_photos(&mut *conn, org, cutoff).await?,
        Kind::Requests => purge::count_requests(&mut *conn, org, cutoff).await?,
        Kind::Messages => {
            let mark = mark(&mut *conn, org, kind).await?;
            let sql = "SELECT COUNT(*) FROM message WHERE org_id = $1 AND id > $2 AND id < $3 AND opt_out_type IS NULL
                 AND status NOT IN ('queued', 'held', 'sending')";
            q!(conn, fetch_one scalar i64, sql, org, mark, live::floor(cutoff))?
        }
        Kind::Traces => {
            let mark = mark(&mut *conn, org, kind).await?;
            let sql = "SELECT COUNT(*) FROM consent WHERE org_id = $1 AND id > $2 AND id < $3
                 AND (ip IS NOT NULL OR user_agent IS NOT NULL)";
            q!(conn, fetch_one scalar i64, sql, org, mark, live::floor(cutoff))?
        }
    };
    Ok(Preview { kind, days, count })
}

/// Up to where a kind was removed; ids sort by time.
async fn mark(conn: &mut dyn AsConn, org: OrgId, kind: Kind) -> Result<Uuid> {
    let sql = "SELECT up_to FROM retention_mark WHERE org_id = $1 AND kind = $2";
    Ok(q!(conn, fetch_optional scalar Uuid, sql, org, kind)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_lie_within_their_range_and_outside_is_refused_by_name() {
        for kind in Kind::ALL {
            let range = kind.range();
            assert!(range.contains(&kind.default_days()), "{kind:?}");
            for days in [*range.start() - 1, *range.end() + 1, 0, -1] {
                let Err(Error::Invalid(errors)) = check(kind, days) else { panic!("{kind:?} {days}") };
                assert_eq!(errors.said()[0].0, "days");
            }
        }
    }

    #[test]
    fn a_shorter_period_waits_and_the_former_holds_until_then() {
        let now = DateTime::UNIX_EPOCH + Duration::days(20_000);
        let row = Row { kind: Kind::Photos, days: 90, effective_at: Some(now + GRACE), before_days: Some(1825) };
        let before = Period::new(Kind::Photos, Some(&row), now);
        assert_eq!((before.days, before.change.map(|change| change.days)), (1825, Some(90)));
        let after = Period::new(Kind::Photos, Some(&row), now + GRACE);
        assert_eq!((after.days, after.change), (90, None));
    }
}
