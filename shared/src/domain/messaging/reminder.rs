//! "Send Reminder": what a customer should be reminded of next, worded as it would go out, and sent by a person.
//!
//! A person looks at the words first. What a rule was about to say of the same thing anyway is left out then.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    documents::template::{self, Variables},
    domain::{
        intake::lead::{Intake, Stage},
        messaging::{
            automation::{self, Decision},
            conversation::{self, Moved},
            followup::compose::{self, Partner},
            message::{
                self, Channel,
                outlook::Outlook,
                paper::{self, REMINDER},
            },
        },
        work::{
            activity::{self, Doer, EventKind, NewEvent},
            pipeline,
        },
    },
    platform::{
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{EventId, JobId, LeadId, MessageId, OrgId},
        phone::Phone,
    },
};

mod estimate;
mod payment;
mod visit;

const RULE: &str = "send_reminder";
const EVENT: &str = "reminder_asked";
const NOTHING: &str = "No estimate waits for an answer, no visit is coming, and no invoice is open.";
const BY_HAND: &str = "somebody sent the reminder by hand";

/// What a customer is reminded of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ReminderOf)]
pub enum What {
    /// The estimate that waits for an answer.
    Estimate,
    /// The visit that is coming.
    Visit,
    /// The invoice that is open.
    Payment,
}

impl What {
    /// What a rule would say of it within this time, a person has said.
    fn said_for(self) -> Duration {
        match self {
            Self::Estimate | Self::Payment => Duration::hours(24),
            // The evening before, the hour before is still worth a word.
            Self::Visit => Duration::hours(12),
        }
    }
}

/// What matters first where a lead stands.
fn order(stage: Stage) -> [What; 3] {
    match stage {
        Stage::New | Stage::Quoted => [What::Estimate, What::Visit, What::Payment],
        Stage::Scheduled => [What::Visit, What::Payment, What::Estimate],
        Stage::Done | Stage::Paid => [What::Payment, What::Visit, What::Estimate],
    }
}

/// The reminder as it would go out now.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Reminder)]
pub struct Reminder {
    /// Null when there is nothing to remind of.
    pub what: Option<What>,
    pub channel: Option<Channel>,
    /// As people write it.
    pub to: Option<String>,
    pub text: Option<String>,
    /// What it is about, or why there is nothing; a sentence.
    pub why: String,
    /// Why it cannot go out; null when it can.
    pub cannot: Option<String>,
    /// When they were last reminded of it.
    pub last_at: Option<DateTime<Utc>>,
}

/// A reminder that is on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReminderSent)]
pub struct Sent {
    pub what: What,
    pub channel: Channel,
    /// As people write it.
    pub to: String,
    pub message_id: MessageId,
    /// What becomes of it, as the gate decides now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlook: Option<Outlook>,
}

/// What comes next, with the words for it.
struct Next {
    what: What,
    id: Uuid,
    job: Option<JobId>,
    why: String,
    decision: Decision,
    give_up_at: Option<DateTime<Utc>>,
}

/// What one kind of reminder says, and as what.
struct Words<'a> {
    wording: template::Kind,
    kind: message::Kind,
    subject: &'a str,
    variables: &'a Variables,
}

/// One look at a lead: whose it is, and where it stands.
struct Look<'a> {
    intake: &'a Intake<'a>,
    lead: LeadId,
    partner: Partner,
    /// Tells this press from others.
    turn: &'a str,
}

impl Look<'_> {
    fn org(&self) -> OrgId {
        self.intake.profile.org.id
    }

    /// Nobody is reminded of a paper that they do not have yet.
    fn too_soon(&self, number: &str, waits: &str) -> Decision {
        let channel = if self.partner.no_text.is_none() { Channel::Sms } else { Channel::Email };
        let why = format!("{number} has not left yet: {waits}");
        automation::not_sent(RULE, channel, &why, json!({"hasLeft": false}))
    }

    fn worded(&self, words: &Words<'_>) -> Result<Decision> {
        let said = compose::Words {
            rule: RULE,
            why: "somebody of the business sent a reminder",
            wording: words.wording,
            kind: words.kind,
            subject: words.subject,
            key: &format!("{REMINDER}{}:{}", self.lead, self.turn),
        };
        compose::to(self.intake, &self.partner, said, words.variables)
    }
}

/// What would be said if somebody sent the reminder now.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such lead.
pub async fn preview(conn: &mut dyn AsConn, intake: &Intake<'_>, lead: LeadId) -> Result<Reminder> {
    let Some(next) = next(&mut *conn, intake, lead, "preview").await? else {
        let why = NOTHING.to_owned();
        return Ok(Reminder { what: None, channel: None, to: None, text: None, why, cannot: None, last_at: None });
    };
    let draft = next.decision.message.as_ref();
    Ok(Reminder {
        what: Some(next.what),
        channel: draft.map(|draft| draft.channel),
        to: draft.map(|draft| shown(draft.channel, &draft.to)),
        text: draft.map(|draft| draft.body.clone()),
        cannot: draft.is_none().then(|| next.decision.reason.clone()),
        last_at: last(conn, intake.profile.org.id, lead, next.id).await?,
        why: next.why,
    })
}

/// Sends it: whatever comes next at this moment. `turn` tells this press from others.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] and [`Error::Clash`] with why there is nothing to send, or no way.
pub async fn send(tx: &mut Tx, intake: &Intake<'_>, lead: LeadId, turn: &str, by: &Doer) -> Result<Sent> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    pipeline::hold(tx, org, lead).await?;
    let next = next(&mut *tx, intake, lead, turn).await?.ok_or(Error::Conflict(NOTHING))?;
    let Next { what, id, job, mut decision, give_up_at, .. } = next;
    let Some(draft) = decision.message.as_mut() else {
        return Err(Error::Clash(format!("The reminder cannot be sent: {}.", decision.reason)));
    };
    let (channel, to, words) = (draft.channel, shown(draft.channel, &draft.to), draft.body.clone());
    let told = NewEvent {
        job,
        subject: Some(id),
        detail: json!({"about": what, "channels": [channel]}),
        ..NewEvent::new(lead, EventKind::ReminderSent, origin.now(), by.clone())
    };
    let event = activity::record(tx, origin, org, told).await?;
    (draft.event, draft.about, draft.give_up_at) = (Some(event), Some(id), give_up_at);
    let customer = draft.customer;
    automation::carry_out(tx, origin, org, lead, EVENT, vec![decision]).await?;
    if let Some(customer) = customer {
        conversation::note(tx, origin, org, customer, Some(lead), Moved::Out, &words).await?;
    }
    leave_out(tx, org, id, origin.now() + what.said_for()).await?;
    let message_id = message_of(tx, org, event).await?;
    paper::replace_reminder(tx, origin, (org, id), message_id).await?;
    Ok(Sent { what, channel, to, message_id, outlook: None })
}

/// The first thing there is, in the order that fits where the lead stands.
async fn next(conn: &mut dyn AsConn, intake: &Intake<'_>, lead: LeadId, turn: &str) -> Result<Option<Next>> {
    let org = intake.profile.org.id;
    let sql = "SELECT stage FROM lead WHERE org_id = $1 AND id = $2";
    let stage = q!(&mut *conn, fetch_optional scalar Stage, sql, org, lead)?.ok_or(Error::NotFound)?;
    let look = Look { intake, lead, partner: compose::partner(&mut *conn, intake, lead).await?, turn };
    for what in order(stage) {
        let found = match what {
            What::Estimate => estimate::waiting(&mut *conn, &look).await?,
            What::Visit => visit::coming(&mut *conn, &look).await?,
            What::Payment => payment::open(&mut *conn, &look).await?,
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

pub(crate) fn shown(channel: Channel, to: &str) -> String {
    match channel {
        Channel::Sms => Phone::parse(to).map_or_else(|| to.to_owned(), |phone| phone.shown().into_owned()),
        Channel::Email => to.to_owned(),
    }
}

async fn last(conn: &mut dyn AsConn, org: OrgId, lead: LeadId, about: Uuid) -> Result<Option<DateTime<Utc>>> {
    Ok(q!(
        conn,
        fetch_one scalar Option<DateTime<Utc>>,
        "SELECT MAX(at) FROM work_event WHERE org_id = $1 AND lead_id = $2 AND subject_id = $3 AND kind = 'reminder_sent'",
        org,
        lead,
        about
    )?)
}

/// The next step of the thing's own plan, if its time comes before then.
async fn leave_out(tx: &mut Tx, org: OrgId, about: Uuid, until: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE follow_up SET state = 'skipped', reason = $3 WHERE org_id = $1 AND due_at <= $4 AND id = (
             SELECT f.id FROM follow_up f WHERE f.org_id = $1 AND f.about_id = $2 AND f.state = 'waiting'
             ORDER BY f.due_at, f.id LIMIT 1)",
        org,
        about,
        BY_HAND,
        until
    )?;
    Ok(())
}

async fn message_of(tx: &mut Tx, org: OrgId, event: EventId) -> Result<MessageId> {
    #[derive(FromRow)]
    struct Row {
        id: MessageId,
    }
    let sql = "SELECT id FROM message WHERE org_id = $1 AND event_id = $2";
    let row = q!(tx, fetch_optional as Row, sql, org, event)?;
    row.map(|row| row.id).ok_or_else(|| Error::Internal(format!("event {event} sent a reminder without a message")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_lead_stands_says_what_comes_first_and_nothing_is_forgotten() {
        for stage in Stage::ALL {
            let order = order(stage);
            let all = [What::Estimate, What::Visit, What::Payment].iter().all(|what| order.contains(what));
            assert!(all, "{stage:?}");
            let first = match stage {
                Stage::New | Stage::Quoted => What::Estimate,
                Stage::Scheduled => What::Visit,
                Stage::Done | Stage::Paid => What::Payment,
            };
            assert_eq!(order[0], first, "{stage:?}");
        }
    }
}
