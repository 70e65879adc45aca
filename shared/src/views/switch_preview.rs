//! Preview of turning a switch on: the messages of the coming days, and the number of old records not affected.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    domain::{
        growth::kpi_pulse,
        messaging::{
            automation, followup,
            message::{
                self, MessageDraft, MessageKind, MessageStatus, NewMessage, PlannedMessage, send_forecast::SendForecast,
            },
        },
        money::invoice,
        tenancy::org::{FeatureSwitches, OrgContext, OrgProfile, SendChannels},
    },
    platform::{
        db::{AsConn, Tx, q, qb},
        error::Result,
        id::{LeadId, MessageId, OrgId},
        message_channel::MessageChannel,
    },
};

const MOST: i64 = 500;

/// One of the five switches of the settings page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum SwitchName {
    LeadIntake,
    AutomatedCommunications,
    JobTracking,
    ReviewCollection,
    KpiReporting,
}

impl SwitchName {
    /// The message kinds it stops. Some tools send nothing yet.
    fn message_kinds(self) -> &'static [MessageKind] {
        match self {
            Self::LeadIntake => &[MessageKind::OwnerNotice, MessageKind::Digest],
            Self::AutomatedCommunications => {
                &[MessageKind::AutoReply, MessageKind::MissedCall, MessageKind::Nudge, MessageKind::TextReply]
            }
            Self::JobTracking => &[
                MessageKind::EstimateFollowUp,
                MessageKind::ChangeOrderFollowUp,
                MessageKind::Visit,
                MessageKind::OnTheWay,
                MessageKind::Dunning,
            ],
            Self::ReviewCollection => &[MessageKind::ReviewRequest],
            Self::KpiReporting => &[MessageKind::Pulse],
        }
    }

    fn skip_reason(self) -> Option<&'static str> {
        match self {
            Self::LeadIntake => Some("lead intake is switched off"),
            Self::AutomatedCommunications => Some("automated communications are switched off"),
            Self::JobTracking => Some("job tracking is switched off"),
            Self::ReviewCollection => Some("review collection is switched off"),
            Self::KpiReporting => None,
        }
    }

    fn enable_in(self, mut switches: FeatureSwitches) -> FeatureSwitches {
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

#[derive(Clone, Copy, Debug)]
pub struct SwitchPreviewRequest {
    pub switch: SwitchName,
    pub until: DateTime<Utc>,
    pub set_up: SendChannels,
}

/// The coming days of one switch.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SwitchPreview {
    /// In the order in which they will leave.
    pub messages: Vec<PlannedMessage>,
    /// Requests that came while it was off: they are not answered now. With job tracking, also open invoices without
    /// reminders; no reminders are sent for them.
    pub old_records: i64,
}

#[derive(FromRow)]
struct PlannedMessageRow {
    id: MessageId,
    to_address: String,
    name: Option<String>,
    channel: MessageChannel,
    kind: MessageKind,
    status: MessageStatus,
    subject: Option<String>,
    body: String,
    lead_id: Option<LeadId>,
    reason: Option<String>,
}

impl PlannedMessageRow {
    fn into_planned(self, at: DateTime<Utc>) -> PlannedMessage {
        let why = match (self.reason, self.kind, self.status) {
            (Some(reason), ..) => reason,
            (None, MessageKind::Nudge, _) => "one reminder, unless you are in touch before".to_owned(),
            (None, MessageKind::EstimateFollowUp | MessageKind::ChangeOrderFollowUp, MessageStatus::Queued) => {
                "one question, unless something happens before".to_owned()
            }
            (None, MessageKind::Dunning, MessageStatus::Queued) => "one reminder, unless it is paid before".to_owned(),
            (None, MessageKind::ReviewRequest, MessageStatus::Queued) => {
                "a request for a review, unless something happens before".to_owned()
            }
            (None, _, MessageStatus::Held) => "held".to_owned(),
            (None, ..) => "its time has not come yet".to_owned(),
        };
        PlannedMessage {
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

/// The messages that will be sent with the switch on, judged by the gate. Planned messages are stored for the gate to
/// read, so the transaction must be rolled back.
pub async fn preview_switch(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    asked: &SwitchPreviewRequest,
) -> Result<SwitchPreview> {
    let (org, switch) = (intake.profile.org.id, asked.switch);
    let mut ahead = SendForecast::new(switch.enable_in(intake.profile.switches), asked.set_up, asked.until);
    let mut messages = Vec::new();
    if matches!(switch, SwitchName::JobTracking | SwitchName::ReviewCollection) {
        store_planned_messages(&mut *tx, intake, asked).await?;
    }
    for row in list_queued_messages(&mut *tx, org, asked).await? {
        if let Some(at) = ahead.forecast_send_time(&mut *tx, intake.origin, row.id).await? {
            messages.push(row.into_planned(at));
        }
    }
    if switch == SwitchName::KpiReporting {
        messages.extend(kpi_pulse::preview_upcoming(&mut *tx, intake.profile, intake.origin.now(), asked.until).await?);
    }
    messages.sort_by_key(|message| message.at);
    let mut old_records = count_unaffected_records(&mut *tx, org, switch).await?;
    if switch == SwitchName::JobTracking {
        old_records += invoice::dunning::count_unreminded(tx, org).await?;
    }
    Ok(SwitchPreview { messages, old_records })
}

async fn store_planned_messages(tx: &mut Tx, intake: &OrgContext<'_>, asked: &SwitchPreviewRequest) -> Result<()> {
    let profile = intake.profile;
    let on = OrgProfile { switches: asked.switch.enable_in(profile.switches), ..profile.clone() };
    let intake = OrgContext { profile: &on, ..*intake };
    let foreseen = followup::preview_upcoming_steps(&mut *tx, &intake, asked.until).await?;
    let worded: Vec<NewMessage> = foreseen
        .iter()
        .map(|step| {
            let draft = MessageDraft { not_before: Some(step.due_at), ..step.draft.clone() };
            automation::draft_to_new_message(MessageId(intake.origin.uuid_v7()), step.lead, &draft)
        })
        .collect();
    message::store_queued(tx, intake.origin, on.org.id, &worded).await.map(|_| ())
}

async fn list_queued_messages(
    conn: &mut dyn AsConn,
    org: OrgId,
    asked: &SwitchPreviewRequest,
) -> Result<Vec<PlannedMessageRow>> {
    let kinds = asked.switch.message_kinds();
    if kinds.is_empty() {
        return Ok(Vec::new());
    }
    Ok(qb!(conn, fetch_all as PlannedMessageRow, |b| {
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

async fn count_unaffected_records(conn: &mut dyn AsConn, org: OrgId, switch: SwitchName) -> Result<i64> {
    let Some(reason) = switch.skip_reason() else { return Ok(0) };
    Ok(q!(
        conn,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM (
             SELECT lead_id FROM automation_decision WHERE org_id = $1 AND NOT sent AND reason = $2
             UNION SELECT lead_id FROM message WHERE org_id = $1 AND status = 'not_sent' AND reason = $2
                 AND lead_id IS NOT NULL) AS old",
        org,
        reason
    )?)
}
