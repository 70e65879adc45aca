//! What goes by itself about a job: which switches are on, what was sent, and what still waits.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::{
        growth::review::{self, standing::AskView},
        messaging::message::{Channel, Direction, Kind, MessageView},
        tenancy::org::Profile,
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
#[schema(as = JobAutomation)]
pub struct Automation {
    pub name: &'static str,
    pub is_on: bool,
    pub detail: String,
}

/// A message to the customer, as the job's page lists it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobMessage)]
pub struct Told {
    pub kind: Kind,
    /// When it was sent, else when it was written.
    pub at: DateTime<Utc>,
    pub channel: Channel,
    /// How it stands, in plain words.
    pub status_text: String,
}

/// What was written to the customer about the job's lead, newest first.
#[must_use]
pub fn told(messages: &[MessageView]) -> Vec<Told> {
    let ours = messages.iter().rev().filter(|m| m.direction == Direction::Out && m.kind.is_for_customers());
    ours.map(|m| Told {
        kind: m.kind,
        at: m.sent_at.unwrap_or(m.created_at),
        channel: m.channel,
        status_text: m.status_text.clone(),
    })
    .collect()
}

/// When the reminders of a lead are due that still wait, the next one first.
pub async fn waiting(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<DateTime<Utc>>> {
    Ok(q!(
        conn,
        fetch_all scalar DateTime<Utc>,
        "SELECT due_at FROM follow_up WHERE org_id = $1 AND lead_id = $2 AND state = 'waiting' AND about <> 'review'
         ORDER BY due_at, id",
        org,
        lead
    )?)
}

/// How the product's parts stand to this job.
#[must_use]
pub fn status(
    profile: &Profile,
    messages: &[MessageView],
    waiting: &[DateTime<Utc>],
    ask: Option<&AskView>,
) -> Vec<Automation> {
    let answers = [Kind::AutoReply, Kind::MissedCall, Kind::TextReply];
    let answer = messages.iter().rev().find(|m| m.direction == Direction::Out && answers.contains(&m.kind));
    let answered = match answer {
        Some(m) => {
            format!("The answer by {}: {}.", if m.channel == Channel::Sms { "text" } else { "email" }, m.status_text)
        }
        None => "Nothing was answered by itself.".to_owned(),
    };
    let reminders = match waiting {
        [] => "No reminder waits.".to_owned(),
        [next] => format!("1 reminder waits: {}.", shown(profile, *next)),
        [next, ..] => format!("{} reminders wait, the next: {}.", waiting.len(), shown(profile, *next)),
    };
    vec![
        Automation { name: "Auto-reply", is_on: profile.switches.automated_communications, detail: answered },
        Automation { name: "Job tracking", is_on: profile.switches.job_tracking, detail: reminders },
        Automation { name: "Reviews", is_on: profile.switches.review_collection, detail: asked(profile, ask) },
    ]
}

/// Whether the customer was asked for a review, and why not.
fn asked(profile: &Profile, ask: Option<&AskView>) -> String {
    let reason = |ask: &AskView| ask.reason.clone().unwrap_or_default();
    match ask {
        None => "They are asked for a review when the work is done.".to_owned(),
        Some(ask) => match (ask.asked_at, ask.state, ask.planned_at) {
            (Some(at), ..) => format!("Asked for a review: {}.", shown(profile, at)),
            (None, review::State::Waiting, Some(at)) => format!("They are asked for a review: {}.", shown(profile, at)),
            (None, review::State::Waiting, None) => "They are asked for a review when it is paid.".to_owned(),
            (None, ..) => format!("Not asked for a review. {}.", reason(ask)),
        },
    }
}

/// "Tue, Nov 24, 10:00 AM".
fn shown(profile: &Profile, at: DateTime<Utc>) -> String {
    at.with_timezone(&profile.org.zone()).format("%a, %b %-d, %-I:%M %p").to_string()
}
