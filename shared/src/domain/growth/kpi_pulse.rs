//! The owner's report of the figures: every morning or every week, in the business's own zone, once for each period.
//!
//! When its time comes, a row of its period is stored with a task ([`plan`]): the row's key is the period's, so no restart,
//! no second worker and no change of the time makes a second one. The task reads the figures that the dashboard shows
//! ([`report`]), and stores the messages in the transaction that ends the row ([`send`]). What comes late says so; what
//! would come too late is left out, and says why.

use chrono::{DateTime, Duration, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use crate::{
    domain::{
        growth::metrics::figures::Period,
        messaging::message::{Channel, outlook::Outlook},
        tenancy::org::settings::{Pulse as Settings, PulseFrequency},
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{AccountId, MessageId, OrgId, PulseId},
    },
};

mod ahead;
pub mod backlog;
mod brief;
mod email;
pub mod failure;
pub mod plan;
mod report;
mod send;
mod todo;
mod words;

pub use ahead::ahead;
pub use email::Letter;
pub use report::{Report, read};
pub use send::{Asked, NotSent, Sent, by_hand, decide, leave_out, send};
pub use todo::{Todo, What};

/// Why a report does not leave whose switch is off.
pub(crate) const SWITCHED_OFF: &str = "KPI reporting is switched off";
/// Later than this after its time it is marked as late: the minute's tick and a busy queue take less.
const LATE: Duration = Duration::minutes(5);

/// What became of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = PulseOutcome)]
pub enum Outcome {
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
pub struct Receiver {
    pub channel: Channel,
    /// An email address, or a phone number as E.164.
    pub to: String,
    pub message_id: MessageId,
    /// What becomes of it, as the gate decides now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlook: Option<Outlook>,
}

/// A report whose time has come.
#[derive(Clone, Debug, FromRow)]
pub struct Due {
    pub org_id: OrgId,
    pub id: PulseId,
    pub due_at: DateTime<Utc>,
    pub account_id: Option<AccountId>,
}

/// The report behind a task; none when it is done.
pub async fn due(conn: &mut dyn AsConn, id: PulseId) -> Result<Option<Due>> {
    let sql = "SELECT org_id, id, due_at, account_id FROM pulse WHERE id = $1 AND outcome = 'waiting'";
    Ok(q!(conn, fetch_optional as Due, sql, id)?)
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
    pub outcome: Outcome,
    /// Why it was left out.
    pub reason: Option<String>,
    pub made_at: Option<DateTime<Utc>>,
    /// The first and the last day it is about.
    pub from: Option<NaiveDate>,
    pub to: Option<NaiveDate>,
    pub sent_to: Vec<Receiver>,
}

#[derive(FromRow)]
struct Row {
    id: PulseId,
    period_key: String,
    due_at: DateTime<Utc>,
    outcome: Outcome,
    reason: Option<String>,
    made_at: Option<DateTime<Utc>>,
    from_day: Option<NaiveDate>,
    to_day: Option<NaiveDate>,
    sent_to: Json<Vec<Receiver>>,
}

/// The last reports of a business, the newest first.
pub async fn list(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<PulseView>> {
    const MOST: i64 = 30;
    let rows = q!(
        conn,
        fetch_all as Row,
        "SELECT id, period_key, due_at, outcome, reason, made_at, from_day, to_day, sent_to FROM pulse
         WHERE org_id = $1 ORDER BY due_at DESC, id DESC LIMIT $2",
        org,
        MOST
    )?;
    let shown = |row: Row| PulseView {
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

/// After so long a report is of no use any more: a daily one has been overtaken by the next.
fn worth(frequency: PulseFrequency) -> Duration {
    match frequency {
        PulseFrequency::Daily => Duration::hours(24),
        PulseFrequency::Weekly => Duration::days(3),
    }
}

/// The days that the report due on `day` is about.
#[must_use]
pub fn period(settings: &Settings, day: NaiveDate) -> Period {
    Period::days(day.pred_opt().unwrap_or(day), settings.days_before(day))
}

/// What is to become of a report that was due on `day`, so long ago.
///
/// # Errors
/// Why it is left out.
fn outcome(settings: &Settings, is_on: bool, day: NaiveDate, ago: Duration) -> Result<Outcome, &'static str> {
    if !is_on {
        Err(SWITCHED_OFF)
    } else if settings.is_quiet_on(day) {
        Err("it is a quiet day")
    } else if ago > worth(settings.frequency) {
        Err("no worker ran in time for it to be of use")
    } else if ago > LATE {
        Ok(Outcome::Late)
    } else {
        Ok(Outcome::Sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::tenancy::org::settings::Weekday;

    #[test]
    fn a_report_is_sent_sent_late_or_left_out_and_says_why() {
        let thursday: NaiveDate = "2026-09-17".parse().unwrap();
        let told = |settings: &Settings, is_on, minutes| outcome(settings, is_on, thursday, Duration::minutes(minutes));
        let daily = Settings::default();
        let weekly = Settings { frequency: PulseFrequency::Weekly, ..daily.clone() };
        assert_eq!(told(&daily, true, 5), Ok(Outcome::Sent));
        assert_eq!(told(&daily, true, 6), Ok(Outcome::Late));
        assert_eq!(told(&daily, true, 24 * 60), Ok(Outcome::Late));
        assert!(told(&daily, true, 24 * 60 + 1).is_err() && told(&weekly, true, 24 * 60 + 1).is_ok());
        assert_eq!(told(&daily, false, 0), Err(SWITCHED_OFF));
        let quiet = Settings { quiet_days: vec![Weekday::Thu], ..daily };
        assert_eq!(told(&quiet, true, 0), Err("it is a quiet day"));
    }
}
