//! What turning a switch on will cause: the exact messages of the coming days, and how many old records it leaves alone.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    db::{AsConn, q},
    error::Result,
    id::{LeadId, OrgId},
    message::{Channel, Kind, Status},
};

/// More than this nobody reads.
const MOST: i64 = 500;

/// One of the five switches of the settings page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SwitchName)]
pub enum Switch {
    LeadIntake,
    AutomatedCommunications,
    JobTracking,
    ReviewCollection,
    KpiReporting,
}

impl Switch {
    /// The switch that stops messages of this kind; none for those that no switch stops.
    #[must_use]
    pub fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::AutoReply | Kind::MissedCall | Kind::Nudge | Kind::TextReply => Some(Self::AutomatedCommunications),
            Kind::OwnerNotice | Kind::Digest => Some(Self::LeadIntake),
            Kind::AccountNotice
            | Kind::HelpReply
            | Kind::StopConfirmation
            | Kind::Manual
            | Kind::Incoming
            | Kind::Test => None,
        }
    }

    /// The reason that messages and decisions carry which it stopped.
    fn reason(self) -> Option<&'static str> {
        match self {
            Self::LeadIntake => Some("lead intake is switched off"),
            Self::AutomatedCommunications => Some("automated communications are switched off"),
            Self::JobTracking | Self::ReviewCollection | Self::KpiReporting => None,
        }
    }
}

/// The coming days of one switch.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SwitchPreview)]
pub struct Preview {
    /// In the order in which they will leave.
    pub messages: Vec<Planned>,
    /// Requests that came while it was off: they are not answered now.
    pub old_records: i64,
}

/// One message that will leave while the switch is on.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PlannedMessage)]
pub struct Planned {
    pub at: DateTime<Utc>,
    pub to: String,
    pub to_name: Option<String>,
    pub channel: Channel,
    pub kind: Kind,
    pub subject: Option<String>,
    pub text: String,
    pub lead_id: Option<LeadId>,
    /// Why it waits.
    pub why: String,
}

#[derive(FromRow)]
struct Row {
    next_attempt_at: DateTime<Utc>,
    to_address: String,
    name: Option<String>,
    channel: Channel,
    kind: Kind,
    status: Status,
    subject: Option<String>,
    body: String,
    lead_id: Option<LeadId>,
    reason: Option<String>,
}

impl Row {
    fn planned(self, now: DateTime<Utc>) -> Planned {
        let why = match (self.reason, self.kind, self.status) {
            (Some(reason), ..) => reason,
            (None, Kind::Nudge, _) => "one reminder, unless you are in touch before".to_owned(),
            (None, _, Status::Held) => "held".to_owned(),
            (None, ..) => "its time has not come yet".to_owned(),
        };
        Planned {
            at: self.next_attempt_at.max(now),
            to: self.to_address,
            to_name: self.name,
            channel: self.channel,
            kind: self.kind,
            subject: self.subject,
            text: self.body,
            lead_id: self.lead_id,
            why,
        }
    }
}

/// The messages of the coming `days` that `switch` gates.
pub async fn of(conn: &mut impl AsConn, org: OrgId, switch: Switch, now: DateTime<Utc>, days: i64) -> Result<Preview> {
    let rows = q!(
        &mut *conn,
        fetch_all as Row,
        "SELECT m.next_attempt_at, m.to_address, c.name, m.channel, m.kind, m.status, m.subject, m.body, m.lead_id, m.reason
         FROM message m LEFT JOIN customer c ON c.org_id = m.org_id AND c.id = m.customer_id
         WHERE m.org_id = $1 AND m.status IN ('queued', 'held') AND m.next_attempt_at <= $2
         ORDER BY m.next_attempt_at, m.id LIMIT $3",
        org,
        now + Duration::days(days),
        MOST
    )?;
    let gated = rows.into_iter().filter(|row| Switch::of(row.kind) == Some(switch));
    let messages = gated.map(|row| row.planned(now)).collect();
    Ok(Preview { messages, old_records: old_records(conn, org, switch).await? })
}

async fn old_records(conn: &mut impl AsConn, org: OrgId, switch: Switch) -> Result<i64> {
    let Some(reason) = switch.reason() else { return Ok(0) };
    Ok(q!(
        conn,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM (
             SELECT lead_id FROM decision WHERE org_id = $1 AND NOT sent AND reason = $2
             UNION SELECT lead_id FROM message WHERE org_id = $1 AND status = 'not_sent' AND reason = $2
                 AND lead_id IS NOT NULL) AS old",
        org,
        reason
    )?)
}
