//! Owner report of the figures: daily or weekly, in the business's time zone, once per period.
//!
//! [`plan`] stores a row with a task when a period is due. The period is the row's key, so a restart, a second worker
//! or a changed time cannot add a second report. The task reads the dashboard's figures (`report`) and stores the
//! messages in the transaction that ends the row (`send`). A late report says so; one that would be too late is left
//! out with a reason.

use chrono::{DateTime, Duration, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use crate::{
    domain::{
        messaging::message::{KPI_REPORTING_OFF, MessageChannel, SendOutlook},
        tenancy::org::{PulseFrequency, PulseSettings as Settings},
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{AccountId, MessageId, OrgId, PulseId},
        period::Period,
    },
};

pub mod backlog;
mod brief;
mod email;
pub mod failure;
pub mod plan;
mod report;
mod send;
mod todo;
mod upcoming;
mod words;

pub use email::PulseMessage;
pub use report::{PulseReport, load_report};
pub use send::{ManualSendRequest, SentPulse, UnsentPulse, decide_outcome, mark_left_out, send_manual, send_report};
pub use todo::{PulseTodo, TodoKind};
pub use upcoming::preview_upcoming;

/// Later than this, a report is marked as late; the minute tick and a busy queue take less.
const LATE_AFTER: Duration = Duration::minutes(5);

/// What became of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum PulseOutcome {
    /// Its time has come; the worker is about to make it.
    Waiting,
    Sent,
    /// Sent after its time, and it says so.
    Late,
    LeftOut,
}

/// One who was sent a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PulseReceiver)]
pub struct PulseRecipient {
    pub channel: MessageChannel,
    /// An email address, or a phone number as E.164.
    pub to: String,
    pub message_id: MessageId,
    /// Whether it leaves, is held or is stopped, as the send policy decides now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlook: Option<SendOutlook>,
}

#[derive(Clone, Debug, FromRow)]
pub struct DuePulse {
    pub org_id: OrgId,
    pub id: PulseId,
    pub due_at: DateTime<Utc>,
    pub account_id: Option<AccountId>,
}

pub async fn find_due_pulse(conn: &mut dyn AsConn, id: PulseId) -> Result<Option<DuePulse>> {
    let sql = "SELECT org_id, id, due_at, account_id FROM pulse WHERE id = $1 AND outcome = 'waiting'";
    Ok(q!(conn, fetch_optional as DuePulse, sql, id)?)
}

/// A report as the people of the business see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Pulse)]
pub struct PulseView {
    pub id: PulseId,
    /// The period that has no second one: `daily:2026-09-17`.
    pub period: String,
    pub due_at: DateTime<Utc>,
    pub outcome: PulseOutcome,
    /// Why it was left out.
    pub reason: Option<String>,
    pub made_at: Option<DateTime<Utc>>,
    /// The first and the last day it is about.
    pub from: Option<NaiveDate>,
    pub to: Option<NaiveDate>,
    pub sent_to: Vec<PulseRecipient>,
}

#[derive(FromRow)]
struct PulseRow {
    id: PulseId,
    period_key: String,
    due_at: DateTime<Utc>,
    outcome: PulseOutcome,
    reason: Option<String>,
    made_at: Option<DateTime<Utc>>,
    from_day: Option<NaiveDate>,
    to_day: Option<NaiveDate>,
    sent_to: Json<Vec<PulseRecipient>>,
}

pub async fn list_recent(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<PulseView>> {
    const MOST: i64 = 30;
    let rows = q!(
        conn,
        fetch_all as PulseRow,
        "SELECT id, period_key, due_at, outcome, reason, made_at, from_day, to_day, sent_to FROM pulse
         WHERE org_id = $1 ORDER BY due_at DESC, id DESC LIMIT $2",
        org,
        MOST
    )?;
    let shown = |row: PulseRow| PulseView {
        id: row.id,
        period: row.period_key,
        due_at: row.due_at,
        outcome: row.outcome,
        reason: row.reason,
        made_at: row.made_at,
        from: row.from_day,
        to: row.to_day,
        sent_to: row.sent_to.0,
    };
    Ok(rows.into_iter().map(shown).collect())
}

/// Age at which a report is left out; the next daily one has replaced it.
fn max_delay(frequency: PulseFrequency) -> Duration {
    match frequency {
        PulseFrequency::Daily => Duration::hours(24),
        PulseFrequency::Weekly => Duration::days(3),
    }
}

#[must_use]
pub fn reporting_period(settings: &Settings, day: NaiveDate) -> Period {
    Period::days_ending(day.pred_opt().unwrap_or(day), settings.days_covered(day))
}

/// `Err` is the reason it is left out.
fn outcome_after_delay(
    settings: &Settings,
    is_on: bool,
    day: NaiveDate,
    ago: Duration,
) -> Result<PulseOutcome, &'static str> {
    if !is_on {
        Err(KPI_REPORTING_OFF)
    } else if settings.is_quiet_on(day) {
        Err("it is a quiet day")
    } else if ago > max_delay(settings.frequency) {
        Err("it could not be sent in time")
    } else if ago > LATE_AFTER {
        Ok(PulseOutcome::Late)
    } else {
        Ok(PulseOutcome::Sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::tenancy::org::settings::Weekday;

    #[test]
    fn report_is_on_time_late_or_skipped_with_reason() {
        let thursday: NaiveDate = "2026-09-17".parse().unwrap();
        let outcome = |settings: &Settings, is_on, minutes| {
            outcome_after_delay(settings, is_on, thursday, Duration::minutes(minutes))
        };
        let daily = Settings::default();
        let weekly = Settings { frequency: PulseFrequency::Weekly, ..daily.clone() };
        assert_eq!(outcome(&daily, true, 5), Ok(PulseOutcome::Sent));
        assert_eq!(outcome(&daily, true, 6), Ok(PulseOutcome::Late));
        assert_eq!(outcome(&daily, true, 24 * 60), Ok(PulseOutcome::Late));
        assert!(outcome(&daily, true, 24 * 60 + 1).is_err() && outcome(&weekly, true, 24 * 60 + 1).is_ok());
        assert_eq!(outcome(&daily, false, 0), Err(KPI_REPORTING_OFF));
        let quiet = Settings { quiet_days: vec![Weekday::Thu], ..daily };
        assert_eq!(outcome(&quiet, true, 0), Err("it is a quiet day"));
    }
}
