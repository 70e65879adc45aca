//! Retention periods of each kind of data. Each business sets them between a minimum and a maximum; [`purge`] removes
//! older data by night. docs/data-protection.md has the table, and the data kept at any age.

use std::ops::RangeInclusive;

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    conflicts::ConflictCode,
    ops::demo_seed,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{FieldErrors, Result},
        id::OrgId,
        live,
    },
};

pub mod files;
pub mod install_mail;
pub mod purge;

/// Time in which a shorter period can be undone before it removes anything.
pub const GRACE: Duration = Duration::hours(24);

/// What has a period of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum RetentionKind {
    /// Photos of requests and jobs, since the work ended.
    Photos,
    /// People who asked without estimate, job or invoice, by the time of their last contact.
    Requests,
    /// Customers on file without a request, by the last change of their record, text, email or call.
    Contacts,
    /// The words of texts and emails.
    Messages,
    /// Network address and browser beside a consent.
    Traces,
}

impl RetentionKind {
    pub const ALL: [Self; 5] = [Self::Photos, Self::Requests, Self::Contacts, Self::Messages, Self::Traces];

    #[must_use]
    pub fn default_days(self) -> i64 {
        match self {
            Self::Requests => 3 * 365,
            // Claims about texts can be made for four years (28 U.S.C. § 1658). Imported customers often had work done
            // before the import.
            Self::Photos | Self::Contacts | Self::Messages | Self::Traces => 5 * 365,
        }
    }

    /// Minimum to maximum, in days.
    #[must_use]
    pub fn allowed_days(self) -> RangeInclusive<i64> {
        match self {
            Self::Photos => 90..=10 * 365,
            Self::Requests => 30..=5 * 365,
            Self::Contacts | Self::Messages => 180..=10 * 365,
            Self::Traces => 4 * 365..=10 * 365,
        }
    }
}

#[derive(Clone, Debug, FromRow)]
struct RetentionRow {
    kind: RetentionKind,
    days: i64,
    effective_at: Option<DateTime<Utc>>,
    before_days: Option<i64>,
}

/// A shorter period that does not hold yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetentionChange {
    pub days: i64,
    /// Until then it can be cancelled.
    pub effective_at: DateTime<Utc>,
}

/// One kind and its period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetentionPeriod {
    pub kind: RetentionKind,
    /// The period in force.
    pub days: i64,
    pub default_days: i64,
    pub min_days: i64,
    pub max_days: i64,
    pub change: Option<RetentionChange>,
}

/// What one night removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetentionNight {
    pub started_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
    pub photos: i64,
    pub requests: i64,
    pub contacts: i64,
    pub messages: i64,
    pub traces: i64,
}

/// What would be removed by a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetentionPreview {
    pub kind: RetentionKind,
    pub days: i64,
    /// How many the first night under it removes.
    pub count: i64,
}

impl RetentionPeriod {
    fn new(kind: RetentionKind, row: Option<&RetentionRow>, now: DateTime<Utc>) -> Self {
        let set = row.map_or(kind.default_days(), |row| row.days);
        let waits = row.and_then(|row| Some((row.effective_at.filter(|at| *at > now)?, row.before_days?)));
        let (days, change) = match waits {
            Some((effective_at, before)) => (before, Some(RetentionChange { days: set, effective_at })),
            None => (set, None),
        };
        let range = kind.allowed_days();
        let (min_days, max_days) = (*range.start(), *range.end());
        Self { kind, days, default_days: kind.default_days(), min_days, max_days, change }
    }
}

/// In the order of [`RetentionKind::ALL`].
pub async fn list_periods(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<Vec<RetentionPeriod>> {
    let sql = "SELECT kind, days, effective_at, before_days FROM retention WHERE org_id = $1";
    let rows = q!(conn, fetch_all as RetentionRow, sql, org)?;
    let row = |kind| rows.iter().find(|row| row.kind == kind);
    Ok(RetentionKind::ALL.iter().map(|&kind| RetentionPeriod::new(kind, row(kind), now)).collect())
}

pub async fn load_period(
    conn: &mut dyn AsConn,
    org: OrgId,
    kind: RetentionKind,
    now: DateTime<Utc>,
) -> Result<RetentionPeriod> {
    let sql = "SELECT kind, days, effective_at, before_days FROM retention WHERE org_id = $1 AND kind = $2";
    let row = q!(conn, fetch_optional as RetentionRow, sql, org, kind)?;
    Ok(RetentionPeriod::new(kind, row.as_ref(), now))
}

fn validate_days(kind: RetentionKind, days: i64) -> Result<()> {
    let range = kind.allowed_days();
    let mut errors = FieldErrors::default();
    if !range.contains(&days) {
        errors.add("days", format!("Choose {} to {} days", range.start(), range.end()));
    }
    errors.into_result()
}

/// A shorter period takes effect after [`GRACE`], a longer one at once.
/// Errors: `Error::Invalid` on `days`.
pub async fn set_period(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    kind: RetentionKind,
    days: i64,
) -> Result<RetentionPeriod> {
    demo_seed::ensure_not_demo(org)?;
    validate_days(kind, days)?;
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    let now = origin.now();
    let before = load_period(&mut *tx, org, kind, now).await?.days;
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
    load_period(tx, org, kind, now).await
}

/// Errors: `Error::Conflict` when none waits.
pub async fn cancel_change(tx: &mut Tx, origin: &ClockRng, org: OrgId, kind: RetentionKind) -> Result<RetentionPeriod> {
    let sql = "UPDATE retention SET days = before_days, effective_at = NULL, before_days = NULL
         WHERE org_id = $1 AND kind = $2 AND effective_at > $3 AND before_days IS NOT NULL";
    if q!(&mut *tx, execute, sql, org, kind, origin.now())? == 0 {
        return Err(ConflictCode::RetentionInForce.into_error());
    }
    load_period(tx, org, kind, origin.now()).await
}

/// The latest nights with removals, and the one in progress.
pub async fn list_nights(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<RetentionNight>> {
    let sql = "SELECT started_at, finished_at, photos, requests, contacts, messages, traces FROM retention_run
         WHERE org_id = $1 ORDER BY started_at DESC LIMIT 7";
    Ok(q!(conn, fetch_all as RetentionNight, sql, org)?)
}

/// Errors: `Error::Invalid` on `days`.
pub async fn preview_period(
    conn: &mut dyn AsConn,
    org: OrgId,
    kind: RetentionKind,
    days: i64,
    now: DateTime<Utc>,
) -> Result<RetentionPreview> {
    validate_days(kind, days)?;
    let cutoff = now - Duration::days(days);
    let count = match kind {
        RetentionKind::Photos => purge::photos::count_photos(&mut *conn, org, cutoff).await?,
        RetentionKind::Requests => purge::requests::count_requests(&mut *conn, org, cutoff).await?,
        RetentionKind::Contacts => purge::contacts::count_contacts(&mut *conn, org, cutoff).await?,
        RetentionKind::Messages => {
            let mark = load_purge_mark(&mut *conn, org, kind).await?;
            let sql = "SELECT COUNT(*) FROM message WHERE org_id = $1 AND id > $2 AND id < $3 AND opt_out_type IS NULL
                 AND status NOT IN ('queued', 'held', 'sending')";
            q!(conn, fetch_one scalar i64, sql, org, mark, live::min_id_at(cutoff))?
        }
        RetentionKind::Traces => {
            let mark = load_purge_mark(&mut *conn, org, kind).await?;
            let sql = "SELECT COUNT(*) FROM consent WHERE org_id = $1 AND id > $2 AND id < $3
                 AND (ip IS NOT NULL OR user_agent IS NOT NULL)";
            q!(conn, fetch_one scalar i64, sql, org, mark, live::min_id_at(cutoff))?
        }
    };
    Ok(RetentionPreview { kind, days, count })
}

/// Last id up to which the kind was removed; ids sort by time.
async fn load_purge_mark(conn: &mut dyn AsConn, org: OrgId, kind: RetentionKind) -> Result<Uuid> {
    let sql = "SELECT up_to FROM retention_mark WHERE org_id = $1 AND kind = $2";
    Ok(q!(conn, fetch_optional scalar Uuid, sql, org, kind)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{platform::error::Error, tests::IntoMessages};

    #[test]
    fn default_retention_is_within_range_and_values_outside_are_refused() {
        for kind in RetentionKind::ALL {
            let range = kind.allowed_days();
            assert!(range.contains(&kind.default_days()), "{kind:?}");
            for days in [*range.start() - 1, *range.end() + 1, 0, -1] {
                let Err(Error::Invalid(errors)) = validate_days(kind, days) else { panic!("{kind:?} {days}") };
                assert_eq!(errors.into_messages()[0].0, "days");
            }
        }
    }

    #[test]
    fn shorter_retention_takes_effect_after_grace_period() {
        let now = DateTime::UNIX_EPOCH + Duration::days(20_000);
        let row = RetentionRow {
            kind: RetentionKind::Photos,
            days: 90,
            effective_at: Some(now + GRACE),
            before_days: Some(1825),
        };
        let before = RetentionPeriod::new(RetentionKind::Photos, Some(&row), now);
        assert_eq!((before.days, before.change.map(|change| change.days)), (1825, Some(90)));
        let after = RetentionPeriod::new(RetentionKind::Photos, Some(&row), now + GRACE);
        assert_eq!((after.days, after.change), (90, None));
    }
}
