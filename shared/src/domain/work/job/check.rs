//! Job checklist. When two phones tick the same line, the later choice applies.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{find, status::clamp_event_time};
use crate::{
    domain::tenancy::activity_log::{self, ActivityActor, EventKind, NewEvent},
    platform::{
        clock::ClockRng,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_rows, values},
            q,
        },
        error::{Error, Result},
        id::{CheckId, JobId, OrgId},
    },
};

/// A tick, or its taking away.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobTick)]
pub struct ChecklistTick {
    pub done: bool,
    /// When it was chosen on the device, within the last three days: the later choice applies.
    pub chosen_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobCheck {
    pub id: CheckId,
    pub label: String,
    pub done_at: Option<DateTime<Utc>>,
    /// Who ticked it, by name.
    pub done_by: Option<String>,
}

pub async fn list(conn: &mut dyn AsConn, org: OrgId, job: JobId) -> Result<Vec<JobCheck>> {
    let sql =
        "SELECT id, label, done_at, done_by FROM job_check WHERE org_id = $1 AND job_id = $2 ORDER BY position, id";
    Ok(q!(conn, fetch_all as JobCheck, sql, org, job)?)
}

pub async fn set_check_done(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (job, check): (JobId, CheckId),
    tick: ChecklistTick,
    by: &ActivityActor,
) -> Result<()> {
    let lead = find(&mut *tx, org, job).await?.lead_id;
    let sql = "SELECT label FROM job_check WHERE org_id = $1 AND job_id = $2 AND id = $3";
    let label = q!(&mut *tx, fetch_optional scalar String, sql, org, job, check)?.ok_or(Error::NotFound)?;
    let at = clamp_event_time(tick.chosen_at, origin.now());
    let changed = q!(
        &mut *tx,
        execute,
        "UPDATE job_check SET done_at = $4, done_by = $5, chosen_at = $6
         WHERE org_id = $1 AND job_id = $2 AND id = $3 AND (chosen_at IS NULL OR chosen_at <= $6)",
        org,
        job,
        check,
        tick.done.then_some(at),
        tick.done.then(|| by.display_name()),
        at
    )?;
    if changed == 0 {
        return Ok(());
    }
    let event = NewEvent {
        job: Some(job),
        detail: json!({"label": label, "done": tick.done}),
        ..NewEvent::new(lead, EventKind::Checked, at, by.clone())
    };
    activity_log::record_event(tx, origin, org, event).await?;
    Ok(())
}

/// Replaces the lines, in this order. A line that stays keeps its tick.
pub(super) async fn replace_checklist(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    job: JobId,
    labels: &[String],
) -> Result<()> {
    let mut there = list(&mut *tx, org, job).await?;
    let mut added = Vec::new();
    for (position, label) in (0_i64..).zip(labels) {
        match there.iter().position(|check| check.label == *label) {
            Some(at) => {
                let kept = there.swap_remove(at);
                let sql = "UPDATE job_check SET position = $3 WHERE org_id = $1 AND id = $2";
                q!(&mut *tx, execute, sql, org, kept.id, position)?;
            }
            None => added.push((position, label)),
        }
    }
    for gone in there {
        q!(&mut *tx, execute, "DELETE FROM job_check WHERE org_id = $1 AND id = $2", org, gone.id)?;
    }
    let rows = added
        .into_iter()
        .map(|(position, label)| values![org, CheckId(origin.uuid_v7()), job, position, label.as_str()]);
    insert_rows(tx, &Insert::into("job_check (org_id, id, job_id, position, label)").with_rows(rows)).await?;
    Ok(())
}
