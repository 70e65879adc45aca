//! Automation of a job: switches, sent messages and waiting ones.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::{
        growth::review::{self, request_list::ReviewRequestView},
        messaging::message::{MessageChannel, MessageDirection, MessageKind, MessageView},
        tenancy::org::OrgProfile,
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{LeadId, OrgId},
    },
};

/// One part of the product, and what it did or will do for this job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobAutomation {
    pub name: &'static str,
    pub is_on: bool,
    pub detail: String,
}

/// A message to the customer, as the job's page lists it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobMessage {
    pub kind: MessageKind,
    /// When it was sent, else when it was written.
    pub at: DateTime<Utc>,
    pub channel: MessageChannel,
    /// Its state in plain words.
    pub status_text: String,
}

#[must_use]
pub fn list_customer_messages(messages: &[MessageView]) -> Vec<JobMessage> {
    let ours = messages.iter().rev().filter(|m| m.direction == MessageDirection::Out && m.kind.is_for_customers());
    ours.map(|m| JobMessage {
        kind: m.kind,
        at: m.sent_at.unwrap_or(m.created_at),
        channel: m.channel,
        status_text: m.status_text.clone(),
    })
    .collect()
}

/// Due times of waiting reminders, the next one first.
pub async fn list_waiting_reminders(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<DateTime<Utc>>> {
    Ok(q!(
        conn,
        fetch_all scalar DateTime<Utc>,
        "SELECT due_at FROM follow_up WHERE org_id = $1 AND lead_id = $2 AND state = 'waiting' AND about <> 'review'
         ORDER BY due_at, id",
        org,
        lead
    )?)
}

#[must_use]
pub fn build_automation_status(
    profile: &OrgProfile,
    messages: &[MessageView],
    waiting: &[DateTime<Utc>],
    ask: Option<&ReviewRequestView>,
) -> Vec<JobAutomation> {
    let answers = [MessageKind::AutoReply, MessageKind::MissedCall, MessageKind::TextReply];
    let answer = messages.iter().rev().find(|m| m.direction == MessageDirection::Out && answers.contains(&m.kind));
    let answered = match answer {
        Some(m) => {
            format!(
                "The answer by {}: {}.",
                if m.channel == MessageChannel::Sms { "text" } else { "email" },
                m.status_text
            )
        }
        None => "Nothing was answered by itself.".to_owned(),
    };
    let reminders = match waiting {
        [] => "No reminder waits.".to_owned(),
        [next] => format!("1 reminder waits: {}.", format_time(profile, *next)),
        [next, ..] => format!("{} reminders wait, the next: {}.", waiting.len(), format_time(profile, *next)),
    };
    vec![
        JobAutomation { name: "Auto-reply", is_on: profile.switches.automated_communications, detail: answered },
        JobAutomation { name: "Job tracking", is_on: profile.switches.job_tracking, detail: reminders },
        JobAutomation {
            name: "Reviews",
            is_on: profile.switches.review_collection,
            detail: review_detail(profile, ask),
        },
    ]
}

fn review_detail(profile: &OrgProfile, ask: Option<&ReviewRequestView>) -> String {
    let reason = |ask: &ReviewRequestView| ask.reason.clone().unwrap_or_default();
    match ask {
        None => "They are asked for a review when the work is done.".to_owned(),
        Some(ask) => match (ask.asked_at, ask.state, ask.planned_at) {
            (Some(at), ..) => format!("Asked for a review: {}.", format_time(profile, at)),
            (None, review::ReviewRequestState::Waiting, Some(at)) => {
                format!("They are asked for a review: {}.", format_time(profile, at))
            }
            (None, review::ReviewRequestState::Waiting, None) => {
                "They are asked for a review when it is paid.".to_owned()
            }
            (None, ..) => format!("Not asked for a review. {}.", reason(ask)),
        },
    }
}

fn format_time(profile: &OrgProfile, at: DateTime<Utc>) -> String {
    at.with_timezone(&profile.org.zone()).format("%a, %b %-d, %-I:%M %p").to_string()
}
