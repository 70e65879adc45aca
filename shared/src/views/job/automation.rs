//! Automation of a job: switches, sent messages and waiting ones.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::{
        growth::review::{self, request_list::ReviewRequestView},
        messaging::{
            automation::DecisionView,
            followup::{FollowUpSubject, compose},
            message::{MessageChannel, MessageDirection, MessageKind, MessageStatus, MessageView, status_text},
        },
        tenancy::org::{OrgContext, OrgProfile},
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{JobId, LeadId, OrgId},
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

/// Sent and unsent messages. A message about the visit that found no recipient is a decision only.
#[must_use]
pub fn list_customer_messages(messages: &[MessageView], decisions: &[DecisionView]) -> Vec<JobMessage> {
    let ours = messages.iter().rev().filter(|m| m.direction == MessageDirection::Out && m.kind.is_for_customers());
    let with_recipient = ours.map(|m| JobMessage {
        kind: m.kind,
        at: m.sent_at.unwrap_or(m.created_at),
        channel: m.channel,
        status_text: m.status_text.clone(),
    });
    let mut listed: Vec<JobMessage> = with_recipient.collect();
    let unsent: Vec<JobMessage> = decisions.iter().filter_map(describe_unsent_notice).collect();
    if !unsent.is_empty() {
        listed.extend(unsent);
        listed.sort_by_key(|message| std::cmp::Reverse(message.at));
    }
    listed
}

/// None where somebody could be written to, or the wording is off.
fn describe_unsent_notice(made: &DecisionView) -> Option<JobMessage> {
    let kind = match made.rule.as_str() {
        "visit_booked" | "visit_moved" | "visit_cancelled" | "visit_reminder" => MessageKind::Visit,
        "visit_on_the_way" | "visit_late" | "visit_done" => MessageKind::OnTheWay,
        _ => return None,
    };
    let saw = |what: &str| made.evidence.get(what);
    let is_on = saw("templateEnabled").and_then(serde_json::Value::as_bool) == Some(true);
    let has_email = saw("hasEmail").and_then(serde_json::Value::as_bool) != Some(false);
    let has_text = saw("noText").is_none_or(serde_json::Value::is_null);
    let status_text = status_text(MessageStatus::NotSent, Some(&made.reason));
    (!made.sent && is_on && !has_email && !has_text).then(|| JobMessage {
        kind,
        at: made.at,
        channel: made.channel.unwrap_or(MessageChannel::Sms),
        status_text,
    })
}

/// When a planned reminder is due, and what it is about.
pub type WaitingReminder = (DateTime<Utc>, FollowUpSubject);

/// The next one first.
pub async fn list_waiting_reminders(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<WaitingReminder>> {
    Ok(q!(
        conn,
        fetch_all as WaitingReminder,
        "SELECT due_at, about FROM follow_up WHERE org_id = $1 AND lead_id = $2 AND state = 'waiting'
             AND about <> 'review' ORDER BY due_at, id",
        org,
        lead
    )?)
}

/// Why planned messages cannot reach the customer, neither by text nor by email, with what is left to do: those about
/// the visit, and all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReminderObstacles {
    pub of_visit: Option<String>,
    pub of_lead: Option<String>,
}

pub async fn load_obstacles(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    (lead, job): (LeadId, JobId),
) -> Result<ReminderObstacles> {
    let partner = compose::load_recipient_of_visit(&mut *conn, ctx, (lead, job)).await?;
    let Some(of_visit) = partner.unreachable_advice(ctx) else { return Ok(ReminderObstacles::default()) };
    // The addresses for messages about the visit are among those of the lead.
    let of_lead = compose::load_recipient(conn, ctx, lead).await?.unreachable_advice(ctx);
    Ok(ReminderObstacles { of_visit: Some(of_visit), of_lead })
}

impl ReminderObstacles {
    fn find_obstacle(&self, about: FollowUpSubject) -> Option<&str> {
        if about == FollowUpSubject::Job { self.of_visit.as_deref() } else { self.of_lead.as_deref() }
    }
}

#[must_use]
pub fn build_automation_status(
    profile: &OrgProfile,
    messages: &[MessageView],
    (waiting, obstacles): (&[WaitingReminder], &ReminderObstacles),
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
    let reminders = reminder_detail(profile, waiting, obstacles);
    vec![
        JobAutomation { name: "Auto-reply", is_on: profile.switches.automated_communications, detail: answered },
        JobAutomation { name: "Job tracking", is_on: profile.switches.job_tracking, detail: reminders },
        JobAutomation {
            name: "Reviews",
            is_on: profile.switches.review_collection,
            detail: review_detail(profile, ask, obstacles.of_lead.as_deref()),
        },
    ]
}

/// Reminders that can reach the customer are counted; for the others it says why not.
fn reminder_detail(profile: &OrgProfile, waiting: &[WaitingReminder], obstacles: &ReminderObstacles) -> String {
    let (lost, due): (Vec<_>, Vec<_>) =
        waiting.iter().partition(|(_, about)| obstacles.find_obstacle(*about).is_some());
    let counted = match &due[..] {
        [] if lost.is_empty() => "No reminder waits.".to_owned(),
        [] => String::new(),
        [(next, _)] => format!("1 reminder waits: {}.", format_time(profile, *next)),
        [(next, _), ..] => format!("{} reminders wait, the next: {}.", due.len(), format_time(profile, *next)),
    };
    match lost.iter().find_map(|(_, about)| obstacles.find_obstacle(*about)) {
        Some(why) if due.is_empty() => format!("No reminder can reach them: {why}"),
        Some(why) => format!("{counted} No reminder of the visit can reach them: {why}"),
        None => counted,
    }
}

fn review_detail(profile: &OrgProfile, ask: Option<&ReviewRequestView>, obstacle: Option<&str>) -> String {
    let reason = |ask: &ReviewRequestView| ask.reason.clone().unwrap_or_default();
    let may_follow = ask.is_none_or(|ask| ask.asked_at.is_none() && ask.state == review::ReviewRequestState::Waiting);
    if let Some(why) = obstacle.filter(|_| may_follow) {
        let why = why.trim_end_matches(" Call them.");
        return format!("They cannot be asked for a review: {why}");
    }
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

#[cfg(test)]
mod tests {
    use chrono::Duration;
    use serde_json::json;

    use super::*;
    use crate::platform::id::DecisionId;

    fn decision(rule: &str, evidence: serde_json::Value) -> DecisionView {
        DecisionView {
            id: DecisionId(uuid::Uuid::nil()),
            at: DateTime::UNIX_EPOCH + Duration::hours(1),
            rule: rule.to_owned(),
            event: "visit_due".to_owned(),
            channel: Some(MessageChannel::Sms),
            sent: false,
            reason: "they said STOP, and no email address is known".to_owned(),
            message_id: None,
            evidence,
        }
    }

    #[test]
    fn reminder_without_recipient_is_listed_as_not_sent_with_its_reason() {
        let nobody = json!({"templateEnabled": true, "noText": "they said STOP", "hasEmail": false});
        let listed = list_customer_messages(&[], &[decision("visit_reminder", nobody.clone())]);
        let [one] = &listed[..] else { panic!("{listed:?}") };
        assert_eq!(one.status_text, "not sent: they said STOP, and no email address is known");
        let off = json!({"templateEnabled": false, "noText": "they said STOP", "hasEmail": false});
        let by_email = json!({"templateEnabled": true, "noText": "they said STOP", "hasEmail": true});
        let switched_off = json!({"switchJobTracking": false, "step": "day_before"});
        let others = [off, by_email, switched_off].map(|evidence| decision("visit_reminder", evidence));
        assert!(list_customer_messages(&[], &others).is_empty(), "these had a recipient or were switched off");
        assert!(list_customer_messages(&[], &[decision("dunning", nobody)]).is_empty(), "not about the visit");
    }
}
