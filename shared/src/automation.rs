//! The rule room: every "when X then Y" of the product, one function per event.
//!
//! A rule is a pure function from what it sees to decisions. Each decision, to send or not to send, leaves a row that
//! says which rule decided and what it saw: that is what "why was this sent" and "why not" show. Whether a message may
//! leave is asked again at send time, in `message::send::may_send`.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    alert::{self, Due, Raised},
    clock::Origin,
    db::{
        AsConn, Tx,
        batch::{Insert, insert_all, values},
        q,
    },
    error::Result,
    id::{CustomerId, DecisionId, EventId, FileId, LeadId, MessageId, OrgId, TouchId},
    lead::{self, NewLead},
    message::{self, Channel, NewMessage},
    org::Profile,
    settings::PublicUrl,
    tasks,
    template::{Language, Page},
};

pub mod emergency;
pub mod phone;
pub mod told;
pub mod words;

pub use told::Told;

/// A person who asks again is not answered by itself again before this has passed.
const ANSWER_ONCE_IN: Duration = Duration::hours(24);

/// What the rules look at.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    pub profile: &'a Profile,
    pub public_url: &'a PublicUrl,
    pub lead: LeadId,
    pub customer: CustomerId,
    pub touch: TouchId,
    pub new: &'a NewLead,
    pub photo_count: usize,
    /// What the person reads: as they were spoken to before, else as they write.
    pub language: Language,
    pub now: DateTime<Utc>,
    /// Why this request waits for a person, if it does.
    pub held: Option<&'static str>,
    /// Why no text can leave to them although a person may text them; none when texts leave.
    pub by_hand: Option<&'static str>,
}

/// A text that rules would have sent, for somebody's own phone.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ByHand {
    why: &'static str,
    link: String,
}

impl ByHand {
    /// The text among these decisions, if it cannot leave.
    fn of(facts: &Facts<'_>, decisions: &[Decision]) -> Option<Self> {
        let why = facts.by_hand?;
        let text =
            decisions.iter().filter_map(|decision| decision.message.as_ref()).find(|m| m.channel == Channel::Sms)?;
        Some(Self { why, link: message::by_hand::link(&text.to, &text.body) })
    }
}

/// One outcome of a rule: a message to send, or none, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    pub rule: &'static str,
    pub channel: Option<Channel>,
    pub reason: String,
    /// What the rule saw, without personal data.
    pub saw: Value,
    pub message: Option<Draft>,
    /// What the devices of the business show.
    pub alert: Option<Raised>,
}

/// A message as the rules word it; ids come when it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The person it goes to, when it goes to a customer.
    pub customer: Option<CustomerId>,
    pub channel: Channel,
    pub kind: message::Kind,
    pub to: String,
    pub subject: Option<String>,
    pub body: String,
    /// What the HTML of an email shows beside the text.
    pub page: Option<Page>,
    pub dedupe_key: String,
    /// Not sent before then; none is at once.
    pub not_before: Option<DateTime<Utc>>,
    /// The estimate, job, invoice or visit to the pay page it is about.
    pub about: Option<Uuid>,
    /// What it follows from: undone, it is not sent.
    pub event: Option<EventId>,
    /// Said later than this, it would be of no use; none is what its kind says.
    pub give_up_at: Option<DateTime<Utc>>,
    /// What goes out with it, and whether as an attachment or behind its link.
    pub files: Vec<(FileId, bool)>,
}

impl Draft {
    /// Words for one address, to be sent at once.
    #[must_use]
    pub fn new(channel: Channel, kind: message::Kind, to: String, body: String, dedupe_key: String) -> Self {
        Self {
            customer: None,
            channel,
            kind,
            to,
            subject: None,
            body,
            page: None,
            dedupe_key,
            not_before: None,
            about: None,
            event: None,
            give_up_at: None,
            files: Vec::new(),
        }
    }
}

/// A stored decision as a person reads it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Decision)]
pub struct DecisionView {
    pub id: DecisionId,
    pub at: DateTime<Utc>,
    pub rule: String,
    pub event: String,
    pub channel: Option<Channel>,
    /// Whether it led to a message.
    pub sent: bool,
    pub reason: String,
    pub message_id: Option<MessageId>,
    /// What the rule saw.
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    pub saw: Value,
}

/// When a lead has come in: answer the person by text and email, and tell the business.
///
/// `emailed` is when a rule last answered them by email, if that was about this lead: while it was held, in a flood.
pub fn lead_created(facts: &Facts<'_>, emailed: Option<DateTime<Utc>>) -> Result<Vec<Decision>> {
    let mut decisions = auto_replies(facts, [None, emailed])?;
    let by_hand = ByHand::of(facts, &decisions);
    decisions.extend(owner_notices(facts, false, is_emergency(facts), by_hand.as_ref())?);
    Ok(decisions)
}

/// When a person with an open lead asks again: no second answer, and the business is told if it is a new visit.
///
/// `answered` is when a rule last answered them by text and by email.
pub fn lead_touched(facts: &Facts<'_>, answered: [Option<DateTime<Utc>>; 2], told: &Told) -> Result<Vec<Decision>> {
    let mut decisions = auto_replies(facts, answered)?;
    let is_urgent = is_emergency(facts);
    if told.covers(is_urgent, facts.now) {
        decisions.push(told_already());
    } else {
        let by_hand = ByHand::of(facts, &decisions);
        decisions.extend(owner_notices(facts, true, is_urgent, by_hand.as_ref())?);
    }
    Ok(decisions)
}

/// The same visit: nobody is told again.
fn told_already() -> Decision {
    let saw = json!({"oneVisitMinutes": told::ONE_VISIT.num_minutes()});
    Decision { channel: None, ..not_sent("owner_notice", Channel::Email, told::WHY_NOT, saw) }
}

/// The answers by text and by email, unless they were `answered` so lately.
fn auto_replies(facts: &Facts<'_>, answered: [Option<DateTime<Utc>>; 2]) -> Result<Vec<Decision>> {
    let why = "this person was answered within the last 24 hours";
    let channels = [Channel::Sms, Channel::Email].into_iter().zip(answered);
    let decided = channels.map(|(channel, answered)| match answered.filter(|at| facts.now - *at < ANSWER_ONCE_IN) {
        Some(_) => Ok(not_sent("auto_reply", channel, why, json!({"repeatWindowHours": 24}))),
        None => auto_reply(facts, channel),
    });
    decided.collect()
}

fn auto_reply(facts: &Facts<'_>, channel: Channel) -> Result<Decision> {
    let (kind, rule) = (words::template_of(channel), "auto_reply");
    let wording = facts.profile.wording(kind, facts.language);
    let is_on = facts.profile.switches.automated_communications;
    let address = match channel {
        Channel::Sms => facts.new.phone_e164.as_ref().map(|p| p.as_e164().to_owned()),
        Channel::Email => facts.new.email.clone(),
    };
    let textable = facts.new.phone_e164.as_ref().is_some_and(crate::phone::Phone::is_textable);
    let saw = json!({
        "switchAutomatedCommunications": is_on, "templateEnabled": wording.enabled, "hasAddress": address.is_some(),
        "heldForAPerson": facts.held.is_some(), "language": facts.language,
    });
    let no = |why: &str| Ok(not_sent(rule, channel, why, saw.clone()));
    if let Some(why) = facts.held.filter(|why| channel == Channel::Sms || *why != lead::FLOODED) {
        return no(&format!("held for a person to look at: {why}"));
    }
    if !is_on {
        return no("automated communications are switched off");
    }
    if !wording.enabled {
        return no("this template is switched off");
    }
    let Some(to) = address else {
        return no(if channel == Channel::Sms { "no phone number was given" } else { "no email address was given" });
    };
    if channel == Channel::Sms && !textable {
        return no("texts go to numbers in the United States and Canada only");
    }
    let draft = words::auto_reply(facts, channel, &wording, to)?;
    Ok(sends(rule, channel, "a new request is answered at once", saw, draft))
}

/// Whether what they wrote in the form holds one of the business's emergency words.
fn is_emergency(facts: &Facts<'_>) -> bool {
    let words = &facts.profile.settings.calls.emergency_words;
    let said = [facts.new.notes.as_deref(), facts.new.timeline.as_deref()];
    said.into_iter().flatten().any(|text| emergency::is_emergency(words, text))
}

/// The business is told: its devices at once, the list of recipients when its frequency and schedule allow.
fn owner_notices(facts: &Facts<'_>, again: bool, is_urgent: bool, by_hand: Option<&ByHand>) -> Result<Vec<Decision>> {
    let (rule, profile) = ("owner_notice", facts.profile);
    let is_on = profile.switches.lead_intake;
    let mut saw = alert::saw(profile, is_urgent);
    saw["switchLeadIntake"] = json!(is_on);
    saw["recipients"] = json!(profile.recipients.len());
    saw["heldForAPerson"] = json!(facts.held.is_some());
    let none = |why: &str| Decision { channel: None, ..not_sent(rule, Channel::Email, why, saw.clone()) };
    if let Some(why) = facts.held {
        return Ok(vec![none(&format!("held for a person to look at: {why}"))]);
    }
    if !is_on {
        return Ok(vec![none("lead intake is switched off")]);
    }
    let raised = |is_told| {
        words::alert(facts, again, is_urgent, by_hand).map(|new| Raised::new(profile, new, facts.now, is_told))
    };
    if profile.recipients.is_empty() {
        let alert = Some(raised(true)?);
        return Ok(vec![Decision { alert, ..none("nobody is on the list of people to tell") }]);
    }
    let why = if again { "a person with an open lead asked again" } else { "a new lead came in" };
    if let Due::Later { why: kept, .. } = alert::due::due(&profile.settings, profile.org.zone(), is_urgent, facts.now) {
        let alert = Some(raised(false)?);
        return Ok(vec![Decision { alert, ..none(&kept) }]);
    }
    let mut decisions = Vec::with_capacity(profile.recipients.len());
    for (step, recipient) in profile.recipients.iter().enumerate() {
        let draft = words::owner_notice(facts, recipient, again, step, by_hand)?;
        decisions.push(sends(rule, recipient.channel, why, saw.clone(), draft));
    }
    if let Some(first) = decisions.first_mut() {
        first.alert = Some(raised(true)?);
    }
    Ok(decisions)
}

/// To be sent, and why.
#[must_use]
pub fn sends(rule: &'static str, channel: Channel, why: &str, saw: Value, draft: Draft) -> Decision {
    Decision { rule, channel: Some(channel), reason: why.to_owned(), saw, message: Some(draft), alert: None }
}

/// Not to be sent, and why.
#[must_use]
pub fn not_sent(rule: &'static str, channel: Channel, why: &str, saw: Value) -> Decision {
    Decision { rule, channel: Some(channel), reason: why.to_owned(), saw, message: None, alert: None }
}

/// Stores decisions and queues their messages, in the open transaction.
pub async fn carry_out(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    lead: LeadId,
    event: &str,
    decisions: Vec<Decision>,
) -> Result<()> {
    let now = origin.now();
    let (rows, messages) = (in_order(origin, decisions.len()), in_order(origin, decisions.len()));
    let numbered: Vec<(DecisionId, Option<MessageId>, Decision)> = decisions
        .into_iter()
        .zip(rows.into_iter().zip(messages))
        .map(|(d, (row, message))| (DecisionId(row), d.message.as_ref().map(|_| MessageId(message)), d))
        .collect();
    let messages: Vec<NewMessage> = numbered
        .iter()
        .filter_map(|(_, id, decision)| Some(stored((*id)?, lead, decision.message.as_ref()?)))
        .collect();
    let queued = message::store(tx, origin, org, &messages).await?;
    let tasks = tasks::rows(tx, origin, message::wakeups(origin, org, &messages, &queued)).await?;
    let decided = Insert::into(
        "decision (org_id, id, lead_id, at, event, rule, channel, sent, reason, saw, message_id)",
    )
    .rows(numbered.iter().map(|(id, message, decision)| {
        let sent = message.filter(|m| queued.contains(m));
        let repeated = message.is_some() && sent.is_none();
        let reason = if repeated { "this message has already been queued" } else { decision.reason.as_str() };
        values![
            org,
            *id,
            lead,
            now,
            event,
            decision.rule,
            decision.channel,
            sent.is_some(),
            reason,
            Json(decision.saw.clone()),
            sent
        ]
    }));
    insert_all(tx, &[tasks, decided]).await?;
    for (.., decision) in &numbered {
        if let Some(alert) = &decision.alert {
            alert::store(tx, origin, org, alert).await?;
        }
    }
    Ok(())
}

/// Ids of one instant, in the order they will be read in.
fn in_order(origin: &Origin, count: usize) -> Vec<Uuid> {
    let mut ids: Vec<Uuid> = (0..count).map(|_| origin.uuid()).collect();
    ids.sort_unstable();
    ids
}

pub(crate) fn stored(id: MessageId, lead: LeadId, draft: &Draft) -> NewMessage {
    NewMessage {
        lead: Some(lead),
        customer: draft.customer,
        subject: draft.subject.clone(),
        page: draft.page.clone(),
        not_before: draft.not_before,
        about: draft.about,
        event: draft.event,
        give_up_at: draft.give_up_at,
        files: draft.files.clone(),
        ..NewMessage::new(id, draft.channel, draft.kind, draft.to.clone(), draft.body.clone(), draft.dedupe_key.clone())
    }
}

#[derive(FromRow)]
struct DecisionRow {
    id: DecisionId,
    at: DateTime<Utc>,
    rule: String,
    event: String,
    channel: Option<Channel>,
    sent: bool,
    reason: String,
    message_id: Option<Uuid>,
    saw: Json<Value>,
}

/// The decisions about one lead, in the order they were taken.
pub async fn of_lead(conn: &mut impl AsConn, org: OrgId, lead: LeadId) -> Result<Vec<DecisionView>> {
    let rows = q!(
        conn,
        fetch_all as DecisionRow,
        "SELECT id, at, rule, event, channel, sent, reason, message_id, saw FROM decision
         WHERE org_id = $1 AND lead_id = $2 ORDER BY at, id",
        org,
        lead
    )?;
    let made = rows.into_iter().map(|row| DecisionView {
        id: row.id,
        at: row.at,
        rule: row.rule,
        event: row.event,
        channel: row.channel,
        sent: row.sent,
        reason: row.reason,
        message_id: row.message_id.map(MessageId),
        saw: row.saw.0,
    });
    Ok(made.collect())
}

/// Every rule by the event that asks it: the README's table says the same, and a story compares both with what happens.
pub const RULES: [(&str, &str); 30] = [
    ("lead_created", "auto_reply"),
    ("lead_created", "owner_notice"),
    ("lead_touched", "auto_reply"),
    ("lead_touched", "owner_notice"),
    ("lead_released", "auto_reply"),
    ("lead_released", "owner_notice"),
    ("call_missed", "missed_call_text"),
    ("call_missed", "missed_call_nudge"),
    ("call_missed", "owner_notice"),
    ("text_received", "text_reply"),
    ("text_received", "owner_notice"),
    ("alert_due", "owner_notice"),
    ("alert_unseen", "escalation"),
    ("estimate_sent", "estimate_delivery"),
    ("estimate_due", "estimate_follow_up"),
    ("estimate_approved", "signed_copy"),
    ("estimate_approved", "owner_notice"),
    ("payment_recorded", "receipt"),
    ("job_completed", "invoice_draft"),
    ("invoice_sent", "invoice_delivery"),
    ("invoice_due", "dunning"),
    ("payment_failed", "payment_failed_notice"),
    ("reminder_asked", "send_reminder"),
    ("job_scheduled", "visit_booked"),
    ("job_moved", "visit_moved"),
    ("job_cancelled", "visit_cancelled"),
    ("visit_due", "visit_reminder"),
    ("crew_on_the_way", "visit_on_the_way"),
    ("crew_late", "visit_late"),
    ("job_completed", "visit_done"),
];

#[cfg(test)]
mod tests;
