//! What turning a switch on will cause: the exact messages of the coming days, and how many old records it leaves alone.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{Profile, Switches};
use crate::{
    domain::{
        growth::kpi_pulse,
        intake::lead::Intake,
        messaging::{
            automation, followup,
            message::{self, Channel, Draft, Kind, NewMessage, Status, foresee::Foresight, send_policy::SetUp},
        },
        money::invoice,
    },
    platform::{
        db::{AsConn, Tx, q, qb},
        error::Result,
        id::{LeadId, MessageId, OrgId},
    },
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
    /// The kinds of messages that it stops. Some tools send nothing yet.
    fn kinds(self) -> &'static [Kind] {
        match self {
            Self::LeadIntake => &[Kind::OwnerNotice, Kind::Digest],
            Self::AutomatedCommunications => &[Kind::AutoReply, Kind::MissedCall, Kind::Nudge, Kind::TextReply],
            Self::JobTracking => {
                &[Kind::EstimateFollowUp, Kind::ChangeOrderFollowUp, Kind::Visit, Kind::OnTheWay, Kind::Dunning]
            }
            Self::ReviewCollection => &[Kind::ReviewRequest],
            Self::KpiReporting => &[Kind::Pulse],
        }
    }

    /// The reason that messages and decisions carry which it stopped.
    fn reason(self) -> Option<&'static str> {
        match self {
            Self::LeadIntake => Some("lead intake is switched off"),
            Self::AutomatedCommunications => Some("automated communications are switched off"),
            Self::JobTracking => Some("job tracking is switched off"),
            Self::ReviewCollection => Some("review collection is switched off"),
            Self::KpiReporting => None,
        }
    }

    /// The switches with this one on.
    fn turned_on(self, mut switches: Switches) -> Switches {
        match self {
            Self::LeadIntake => switches.lead_intake = true,
            Self::AutomatedCommunications => switches.automated_communications = true,
            Self::JobTracking => switches.job_tracking = true,
            Self::ReviewCollection => switches.review_collection = true,
            Self::KpiReporting => switches.kpi_reporting = true,
        }
        switches
    }
}

/// Which switch, for how long, and what can be sent at all.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub switch: Switch,
    pub until: DateTime<Utc>,
    pub set_up: SetUp,
}

/// The coming days of one switch.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SwitchPreview)]
pub struct Preview {
    /// In the order in which they will leave.
    pub messages: Vec<Planned>,
    /// Requests that came while it was off: they are not answered now. With job tracking, open invoices that nobody is
    /// reminded of too: nor are they chased.
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
    id: MessageId,
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
    fn planned(self, at: DateTime<Utc>) -> Planned {
        let why = match (self.reason, self.kind, self.status) {
            (Some(reason), ..) => reason,
            (None, Kind::Nudge, _) => "one reminder, unless you are in touch before".to_owned(),
            (None, Kind::EstimateFollowUp | Kind::ChangeOrderFollowUp, Status::Queued) => {
                "one question, unless something happens before".to_owned()
            }
            (None, Kind::Dunning, Status::Queued) => "one reminder, unless it is paid before".to_owned(),
            (None, Kind::ReviewRequest, Status::Queued) => {
                "a request for a review, unless something happens before".to_owned()
            }
            (None, _, Status::Held) => "held".to_owned(),
            (None, ..) => "its time has not come yet".to_owned(),
        };
        Planned {
            at,
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

/// The messages that will leave while the switch is on, judged by the gate itself. What is planned and not worded yet is
/// stored for the gate to look at, so the transaction must not be committed.
pub async fn of(tx: &mut Tx, intake: &Intake<'_>, asked: &Asked) -> Result<Preview> {
    let (org, switch) = (intake.profile.org.id, asked.switch);
    let mut ahead = Foresight::new(switch.turned_on(intake.profile.switches), asked.set_up, asked.until);
    let mut messages = Vec::new();
    if matches!(switch, Switch::JobTracking | Switch::ReviewCollection) {
        word_what_is_planned(&mut *tx, intake, asked).await?;
    }
    for row in waiting(&mut *tx, org, asked).await? {
        if let Some(at) = ahead.leaves_at(&mut *tx, intake.origin, row.id).await? {
            messages.push(row.planned(at));
        }
    }
    if switch == Switch::KpiReporting {
        messages.extend(kpi_pulse::ahead(&mut *tx, intake.profile, intake.origin.now(), asked.until).await?);
    }
    messages.sort_by_key(|message| message.at);
    let mut old_records = old_records(&mut *tx, org, switch).await?;
    if switch == Switch::JobTracking {
        old_records += invoice::dunning::count_unticked(tx, org).await?;
    }
    Ok(Preview { messages, old_records })
}

/// Stores the steps of all plans as they would be worded now, with the switch on.
async fn word_what_is_planned(tx: &mut Tx, intake: &Intake<'_>, asked: &Asked) -> Result<()> {
    let profile = intake.profile;
    let on = Profile { switches: asked.switch.turned_on(profile.switches), ..profile.clone() };
    let intake = Intake { profile: &on, ..*intake };
    let foreseen = followup::preview(&mut *tx, &intake, asked.until).await?;
    let worded: Vec<NewMessage> = foreseen
        .iter()
        .map(|step| {
            let draft = Draft { not_before: Some(step.due_at), ..step.draft.clone() };
            automation::stored(MessageId(intake.origin.uuid()), step.lead, &draft)
        })
        .collect();
    message::store(tx, intake.origin, on.org.id, &worded).await.map(|_| ())
}

async fn waiting(conn: &mut dyn AsConn, org: OrgId, asked: &Asked) -> Result<Vec<Row>> {
    let kinds = asked.switch.kinds();
    if kinds.is_empty() {
        return Ok(Vec::new());
    }
    Ok(qb!(conn, fetch_all as Row, |b| {
        b.push(
            "SELECT m.id, m.to_address, c.name, m.channel, m.kind, m.status, m.subject, m.body, m.lead_id, m.reason
             FROM message m LEFT JOIN customer c ON c.org_id = m.org_id AND c.id = m.customer_id
             WHERE m.status IN ('queued', 'held') AND m.direction = 'out' AND m.org_id = ",
        );
        b.push_bind(org).push(" AND m.next_attempt_at <= ").push_bind(asked.until).push(" AND m.kind IN (");
        let mut list = b.separated(", ");
        for kind in kinds {
            list.push_bind(*kind);
        }
        b.push(") ORDER BY m.next_attempt_at, m.id LIMIT ").push_bind(MOST);
    })?)
}

async fn old_records(conn: &mut dyn AsConn, org: OrgId, switch: Switch) -> Result<i64> {
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
