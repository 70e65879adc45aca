//! "Send Reminder": the next reminder for a customer, worded as it would be sent, and sent by a person.
//!
//! A person checks the words first. A rule's message due about the same subject is then left out.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    conflicts::{ConflictCode, ConflictReason},
    documents::template::{self, WordingValues},
    domain::{
        intake::lead::PipelineStage,
        messaging::{
            automation::{self, RuleDecision},
            conversation::{self, ConversationEvent},
            followup::{self, FollowUpRecipient},
            message::{self, MessageChannel, OwnPhoneText, REMINDER_KEY_PREFIX, SendOutlook},
        },
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent, SendingDetail},
            org::OrgContext,
        },
        work::pipeline,
    },
    platform::{
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{EventId, JobId, LeadId, MessageId, OrgId},
        recipient::Recipient,
    },
};

mod estimate;
mod payment;
mod visit;

const RULE: &str = "send_reminder";
const EVENT: &str = "reminder_asked";
const BY_HAND: &str = "someone sent the reminder themselves";

/// What a customer is reminded of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ReminderOf)]
pub enum ReminderSubject {
    /// The estimate that waits for an answer.
    Estimate,
    /// The visit that is coming.
    Visit,
    /// The invoice that is open.
    Payment,
}

impl ReminderSubject {
    /// A rule's message about it within this time is left out.
    fn rule_suppression_period(self) -> Duration {
        match self {
            Self::Estimate | Self::Payment => Duration::hours(24),
            // After a reminder on the evening before, the one an hour before is still useful.
            Self::Visit => Duration::hours(12),
        }
    }
}

/// Priority by the stage of the lead.
fn reminder_priority(stage: PipelineStage) -> [ReminderSubject; 3] {
    match stage {
        PipelineStage::New | PipelineStage::Quoted => {
            [ReminderSubject::Estimate, ReminderSubject::Visit, ReminderSubject::Payment]
        }
        PipelineStage::Scheduled => [ReminderSubject::Visit, ReminderSubject::Payment, ReminderSubject::Estimate],
        PipelineStage::Done | PipelineStage::Paid => {
            [ReminderSubject::Payment, ReminderSubject::Visit, ReminderSubject::Estimate]
        }
    }
}

/// The reminder as it would go out now.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reminder {
    /// Null when there is nothing to remind of.
    pub what: Option<ReminderSubject>,
    pub channel: Option<MessageChannel>,
    /// As people write it.
    pub to: Option<String>,
    pub text: Option<String>,
    /// What it is about, or why there is nothing; a sentence.
    pub why: String,
    /// Why it cannot go out; null when it can.
    pub cannot: Option<String>,
    /// When they were last reminded of it.
    pub last_at: Option<DateTime<Utc>>,
    /// The reminder for one's own phone, where only the set-up of texting stops it.
    pub own_phone: Option<OwnPhoneText>,
}

/// A reminder that is on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReminderSent {
    pub what: ReminderSubject,
    pub channel: MessageChannel,
    /// As people write it.
    pub to: String,
    pub message_id: MessageId,
    /// Whether it leaves, is held or is stopped, as the send policy decides now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlook: Option<SendOutlook>,
}

/// Detail of the event of a reminder that a person sent.
#[derive(Serialize)]
struct ManualReminderDetail {
    about: ReminderSubject,
    #[serde(flatten)]
    sending: SendingDetail,
}

struct NextReminder {
    what: ReminderSubject,
    id: Uuid,
    job: Option<JobId>,
    why: String,
    decision: RuleDecision,
    expires_at: Option<DateTime<Utc>>,
}

struct ReminderWording<'a> {
    wording: template::TemplateKindName,
    kind: message::MessageKind,
    subject: &'a str,
    variables: &'a WordingValues,
}

struct ReminderContext<'a> {
    intake: &'a OrgContext<'a>,
    lead: LeadId,
    partner: FollowUpRecipient,
    /// Distinguishes this press of the button from others.
    turn: &'a str,
}

impl ReminderContext<'_> {
    fn org_id(&self) -> OrgId {
        self.intake.profile.org.id
    }

    /// No reminder of a document that the customer does not have yet.
    fn refuse_unsent_document(&self, number: &str, waits: &str) -> RuleDecision {
        let channel = if self.partner.no_text.is_none() { MessageChannel::Sms } else { MessageChannel::Email };
        let why = format!("{number} has not left yet: {waits}");
        automation::decide_skip(RULE, channel, &why, json!({"hasLeft": false}))
    }

    fn compose_decision(&self, words: &ReminderWording<'_>) -> Result<RuleDecision> {
        let reminder = followup::FollowUpWording {
            rule: RULE,
            why: "someone at the business sent a reminder",
            wording: words.wording,
            kind: words.kind,
            subject: words.subject,
            key: &format!("{REMINDER_KEY_PREFIX}{}:{}", self.lead, self.turn),
        };
        followup::compose_message(self.intake, &self.partner, reminder, words.variables)
    }
}

/// # Errors
/// [`Error::NotFound`] when the org has no such lead.
pub async fn preview_reminder(conn: &mut dyn AsConn, intake: &OrgContext<'_>, lead: LeadId) -> Result<Reminder> {
    let Some(next) = find_next_reminder(&mut *conn, intake, lead, "preview").await? else {
        let why = ConflictCode::NothingToRemindOf.english_text().to_owned();
        return Ok(Reminder {
            what: None,
            channel: None,
            to: None,
            text: None,
            why,
            cannot: None,
            last_at: None,
            own_phone: None,
        });
    };
    let draft = next.decision.message.as_ref();
    let own_phone = if draft.is_none() { find_text_for_own_phone(&mut *conn, intake, lead).await? } else { None };
    Ok(Reminder {
        what: Some(next.what),
        channel: draft.map(automation::MessageDraft::channel),
        to: draft.map(|draft| format_recipient(&draft.to)),
        text: draft.map(|draft| draft.body.clone()),
        cannot: draft.is_none().then(|| next.decision.reason.clone()),
        last_at: last_reminded_at(conn, intake.profile.org.id, lead, next.id).await?,
        why: next.why,
        own_phone,
    })
}

async fn find_text_for_own_phone(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    lead: LeadId,
) -> Result<Option<OwnPhoneText>> {
    let partner = followup::load_recipient(&mut *conn, intake, lead).await?;
    let Some(partner) = partner.for_own_phone(intake) else { return Ok(None) };
    let customer = partner.customer;
    let look = ReminderContext { intake, lead, partner, turn: "preview" };
    let draft = find_first_reminder(&mut *conn, &look).await?.and_then(|next| next.decision.message);
    match draft {
        Some(draft) => message::load_own_phone_text(conn, look.org_id(), (customer, lead), &draft).await,
        None => Ok(None),
    }
}

/// Sends what comes next at this moment. `turn` distinguishes this press from others.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] with why there is nothing to send, or no way.
pub async fn send_reminder(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    lead: LeadId,
    turn: &str,
    by: &ActivityActor,
) -> Result<ReminderSent> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    pipeline::lock_stage(tx, org, lead).await?;
    let next =
        find_next_reminder(&mut *tx, intake, lead, turn).await?.ok_or(ConflictCode::NothingToRemindOf.into_error())?;
    let NextReminder { what, id, job, mut decision, expires_at, .. } = next;
    let Some(draft) = decision.message.as_mut() else {
        return Err(ConflictReason::reminder_not_sendable(&decision.reason).into());
    };
    let (channel, to, words) = (draft.channel(), format_recipient(&draft.to), draft.body.clone());
    let sending = SendingDetail { channels: Some(vec![channel]), ..SendingDetail::default() };
    let new_event = NewEvent {
        job,
        subject: Some(id),
        detail: json!(ManualReminderDetail { about: what, sending }),
        ..NewEvent::new(lead, EventKind::ReminderSent, origin.now(), by.clone())
    };
    let event = activity_log::record_event(tx, origin, org, new_event).await?;
    (draft.event, draft.about, draft.expires_at) = (Some(event), Some(id), expires_at);
    let customer = draft.customer;
    automation::apply_decisions(tx, origin, org, lead, EVENT, vec![decision]).await?;
    if let Some(customer) = customer {
        conversation::record_event(tx, origin, org, customer, Some(lead), ConversationEvent::Out, &words).await?;
    }
    followup::skip_next_step(tx, org, id, BY_HAND, origin.now() + what.rule_suppression_period()).await?;
    let message_id = find_message_of_event(tx, org, event).await?;
    message::replace_waiting_reminders(tx, origin, (org, id), message_id).await?;
    Ok(ReminderSent { what, channel, to, message_id, outlook: None })
}

/// The first reminder available, in the order of the lead's stage.
async fn find_next_reminder(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    lead: LeadId,
    turn: &str,
) -> Result<Option<NextReminder>> {
    let partner = followup::load_recipient(&mut *conn, intake, lead).await?;
    find_first_reminder(conn, &ReminderContext { intake, lead, partner, turn }).await
}

async fn find_first_reminder(conn: &mut dyn AsConn, look: &ReminderContext<'_>) -> Result<Option<NextReminder>> {
    let sql = "SELECT stage FROM lead WHERE org_id = $1 AND id = $2";
    let stage =
        q!(&mut *conn, fetch_optional scalar PipelineStage, sql, look.org_id(), look.lead)?.ok_or(Error::NotFound)?;
    for what in reminder_priority(stage) {
        let found = match what {
            ReminderSubject::Estimate => estimate::find_waiting_estimate(&mut *conn, look).await?,
            ReminderSubject::Visit => visit::find_upcoming_visit(&mut *conn, look).await?,
            ReminderSubject::Payment => payment::find_open_invoice(&mut *conn, look).await?,
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

pub(crate) fn format_recipient(to: &Recipient) -> String {
    match to {
        Recipient::Phone(phone) => phone.format_display().into_owned(),
        Recipient::Email(email) => email.to_string(),
    }
}

async fn last_reminded_at(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    about: Uuid,
) -> Result<Option<DateTime<Utc>>> {
    Ok(q!(
        conn,
        fetch_one scalar Option<DateTime<Utc>>,
        "SELECT MAX(at) FROM work_event WHERE org_id = $1 AND lead_id = $2 AND subject_id = $3 AND kind = 'reminder_sent'",
        org,
        lead,
        about
    )?)
}

async fn find_message_of_event(tx: &mut Tx, org: OrgId, event: EventId) -> Result<MessageId> {
    #[derive(FromRow)]
    struct EventMessageRow {
        id: MessageId,
    }
    let sql = "SELECT id FROM message WHERE org_id = $1 AND event_id = $2";
    let row = q!(tx, fetch_optional as EventMessageRow, sql, org, event)?;
    row.map(|row| row.id).ok_or_else(|| Error::Internal(format!("event {event} sent a reminder without a message")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reminder_order_starts_with_task_of_lead_stage_and_omits_none() {
        for stage in PipelineStage::ALL {
            let order = reminder_priority(stage);
            let all = [ReminderSubject::Estimate, ReminderSubject::Visit, ReminderSubject::Payment]
                .iter()
                .all(|what| order.contains(what));
            assert!(all, "{stage:?}");
            let first = match stage {
                PipelineStage::New | PipelineStage::Quoted => ReminderSubject::Estimate,
                PipelineStage::Scheduled => ReminderSubject::Visit,
                PipelineStage::Done | PipelineStage::Paid => ReminderSubject::Payment,
            };
            assert_eq!(order[0], first, "{stage:?}");
        }
    }
}
