//! Stored promises: made when words leave, recomputed with every change to their lead.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::{
    MIN_TIME_AFTER_NOTICE, PromiseAnswer, PromiseInput, PromiseOutcome, PromiseState, PromiseView, due_by,
    evaluate_promises,
    history::{is_answer_owed, load_promise_history},
    quote_form_text, warn_at,
};
use crate::{
    documents::template::Language,
    domain::{
        intake::lead::LeadFormKind,
        messaging::{alert, automation::answer_time::ReplyTiming, conversation},
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent},
            org::{self, OrgProfile},
        },
    },
    platform::{
        clock::ClockRng,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_all},
            batch_row, q, qb,
        },
        error::{Error, Result},
        id::{CustomerId, EventId, LeadId, MessageId, OrgId, SlaId},
        tasks,
    },
};

const QUOTE_FORM_NAME: &str = "quote_form";
const LEAD_FORM_NAME: &str = "lead_form";

struct NewPromise<'a> {
    lead: LeadId,
    message: Option<MessageId>,
    source: &'a str,
    words: &'a str,
    asked_at: DateTime<Utc>,
    made_at: DateTime<Utc>,
    due_at: DateTime<Utc>,
}

impl NewPromise<'_> {
    fn to_insert<'r>(&self, org: OrgId, id: SlaId, state: PromiseState) -> Insert<'r> {
        batch_row!(sla {
            org_id: org,
            id,
            lead_id: self.lead,
            message_id: self.message,
            source: self.source.to_owned(),
            words: self.words.to_owned(),
            asked_at: self.asked_at,
            made_at: self.made_at,
            due_at: self.due_at,
            warn_at: warn_at(self.made_at, self.due_at),
            state,
        })
        .on_conflict_do_nothing("org_id, message_id")
    }
}

/// Promise that the page of a form showed, with its task. A quarantined request is owed nothing until it is
/// released.
pub(crate) async fn build_form_promise<'a>(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    (lead, form): (LeadId, LeadFormKind),
    is_held: bool,
    told_from: Option<DateTime<Utc>>,
) -> Result<Vec<Insert<'a>>> {
    let (org, now) = (profile.org.id, origin.now());
    let Some(shown) = find_form_promise(profile, form, now, told_from) else { return Ok(Vec::new()) };
    let new = NewPromise {
        lead,
        message: None,
        source: shown.source,
        words: &shown.words,
        asked_at: now,
        made_at: now,
        due_at: answer_due_at(profile, now, shown.within, shown.starts_at),
    };
    let id = SlaId(origin.uuid_v7());
    let watch = super::due::build_check_task(org, id, warn_at(now, new.due_at), "warn");
    let state = if is_held { PromiseState::Released } else { PromiseState::Open };
    Ok(vec![new.to_insert(org, id, state), tasks::build_task_insert(tx, origin, vec![watch])])
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuoteResponseTime {
    /// Hours within which a quote is promised; none out of hours, and when the business cannot be notified at once.
    pub hours: Option<i64>,
    /// In place of the hours: a sentence saying when the request is read; none when the business cannot be notified.
    pub reading: Option<String>,
}

#[must_use]
pub fn quote_response_time(
    profile: &OrgProfile,
    now: DateTime<Utc>,
    told_from: Option<DateTime<Utc>>,
) -> QuoteResponseTime {
    let moment = ReplyTiming::new(profile, now, told_from, Language::En);
    let hours = moment.can_state_time().then_some(profile.settings.estimates.quote_hours);
    QuoteResponseTime { hours, reading: told_from.and_then(|_| moment.reading_time_text()) }
}

struct FormPromise {
    source: &'static str,
    words: String,
    within: Duration,
    starts_at: Option<DateTime<Utc>>,
}

/// The quote page promises a quote within the hours of the settings; these run from when the request is read, if that
/// is later. The lead page names no time, except when the request is read: an answer is due within the first hour from
/// then. With every channel to the business off (`told_from`), no page promises anything.
fn find_form_promise(
    profile: &OrgProfile,
    form: LeadFormKind,
    now: DateTime<Utc>,
    told_from: Option<DateTime<Utc>>,
) -> Option<FormPromise> {
    let moment = ReplyTiming::new(profile, now, Some(told_from?), Language::En);
    let read_later = if moment.can_state_time() { None } else { Some(moment.after_hours_promise_text()?) };
    let starts_at = moment.form_promise_starts_at();
    match form {
        LeadFormKind::Quote => {
            let hours = profile.settings.estimates.quote_hours;
            let words = read_later.unwrap_or_else(|| quote_form_text(hours));
            Some(FormPromise { source: QUOTE_FORM_NAME, words, within: Duration::hours(hours), starts_at })
        }
        LeadFormKind::Lead => {
            Some(FormPromise { source: LEAD_FORM_NAME, words: read_later?, within: MIN_TIME_AFTER_NOTICE, starts_at })
        }
        LeadFormKind::Booking | LeadFormKind::Call | LeadFormKind::Text | LeadFormKind::Typed => None,
    }
}

/// In the hours of the business, from when the request is read.
fn answer_due_at(
    profile: &OrgProfile,
    made_at: DateTime<Utc>,
    within: Duration,
    starts_at: Option<DateTime<Utc>>,
) -> DateTime<Utc> {
    due_by(&profile.settings.hours, profile.org.zone(), (made_at, starts_at), within)
}

#[derive(FromRow)]
struct SentPromiseMessage {
    lead_id: LeadId,
    kind: String,
    created_at: DateTime<Utc>,
    sent_at: DateTime<Utc>,
    sla_minutes: i64,
    sla_text: String,
    sla_starts_at: Option<DateTime<Utc>>,
}

/// Records the promise of a message that left. Idempotent.
pub(crate) async fn record_sent_promise(tx: &mut Tx, origin: &ClockRng, org: OrgId, message: MessageId) -> Result<()> {
    let left = q!(
        &mut *tx,
        fetch_optional as SentPromiseMessage,
        "SELECT lead_id, kind, created_at, sent_at, sla_minutes, sla_text, sla_starts_at FROM message
         WHERE org_id = $1 AND id = $2 AND sla_minutes IS NOT NULL AND sla_text IS NOT NULL
             AND lead_id IS NOT NULL AND sent_at IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM sla p WHERE p.org_id = $1 AND p.message_id = $2)",
        org,
        message
    )?;
    let Some(left) = left else { return Ok(()) };
    let Some(business) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::load_profile(&mut *tx, business).await?;
    let new = NewPromise {
        lead: left.lead_id,
        message: Some(message),
        source: &left.kind,
        words: &left.sla_text,
        // Anything said after the message was decided on answers it; provider clocks that are behind change nothing.
        asked_at: left.created_at.min(left.sent_at),
        made_at: left.sent_at,
        due_at: answer_due_at(&profile, left.sent_at, Duration::minutes(left.sla_minutes), left.sla_starts_at),
    };
    let id = SlaId(origin.uuid_v7());
    let watch = super::due::build_check_task(org, id, warn_at(new.made_at, new.due_at), "warn");
    let watch = tasks::build_task_insert(&mut *tx, origin, vec![watch]);
    insert_all(tx, &[new.to_insert(org, id, PromiseState::Open), watch]).await
}

#[derive(Clone, Debug, FromRow)]
pub(super) struct PromiseRow {
    pub id: SlaId,
    pub words: String,
    asked_at: DateTime<Utc>,
    pub made_at: DateTime<Utc>,
    pub due_at: DateTime<Utc>,
    pub warn_at: DateTime<Utc>,
    pub state: PromiseState,
    settled_at: Option<DateTime<Utc>>,
    settled_by: Option<PromiseAnswer>,
    answered_at: Option<DateTime<Utc>>,
    pub warned_at: Option<DateTime<Utc>>,
}

/// Recomputes the promises of every changed lead. A commit hook before the figures, which count the outcomes.
pub(crate) async fn settle_promises(tx: &mut Tx) -> Result<()> {
    for (org, leads, customers) in tx.dirty_set().changed_leads() {
        let mut leads: BTreeSet<LeadId> = leads;
        for customer in customers {
            let sql = "SELECT DISTINCT p.lead_id FROM sla p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id
                 WHERE l.org_id = $1 AND l.customer_id = $2";
            leads.extend(q!(&mut *tx, fetch_all scalar LeadId, sql, org, customer)?);
        }
        // In one order, so that of two transactions one waits.
        for lead in leads {
            settle_lead_promises(&mut *tx, org, lead).await?;
        }
    }
    Ok(())
}

/// Locks the promises of a lead until the transaction ends, and updates them from its events.
pub(super) async fn settle_lead_promises(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<Vec<PromiseRow>> {
    let mut rows = q!(
        &mut *tx,
        fetch_all as PromiseRow,
        "UPDATE sla SET state = state WHERE org_id = $1 AND lead_id = $2
         RETURNING id, words, asked_at, made_at, due_at, warn_at, state, settled_at, settled_by, answered_at,
             warned_at",
        org,
        lead
    )?;
    if rows.is_empty() {
        return Ok(rows);
    }
    // A fixed order for promises of one request.
    rows.sort_by_key(|row| row.id);
    let history = load_promise_history(&mut *tx, org, lead).await?;
    let owes = is_answer_owed(&mut *tx, org, lead, history.done_at).await?;
    let promises: Vec<PromiseInput> = rows
        .iter()
        .map(|row| PromiseInput {
            asked_at: row.asked_at,
            due_at: row.due_at,
            is_lost: history.lost.contains(&row.id),
            is_over: row.is_settled(),
            state: row.state,
        })
        .collect();
    for (row, outcome) in rows.iter_mut().zip(evaluate_promises(&promises, &history.answers, owes)) {
        let was_broken = row.state == PromiseState::Broken;
        if row.apply_outcome(outcome) {
            update_promise(&mut *tx, org, row).await?;
        }
        if was_broken && row.state != PromiseState::Broken {
            revert_breach(&mut *tx, org, lead, row).await?;
        }
    }
    Ok(rows)
}

/// The promise was not broken after all: undoes the entry on the timeline.
async fn revert_breach(tx: &mut Tx, org: OrgId, lead: LeadId, row: &PromiseRow) -> Result<()> {
    let of = (EventKind::PromiseBroken, row.id.0);
    activity_log::withdraw_entries(tx, org, lead, of, row.settled_at.unwrap_or(row.due_at)).await
}

impl PromiseRow {
    fn apply_outcome(&mut self, outcome: PromiseOutcome) -> bool {
        let (before, was_over) = (self.clone(), self.is_settled());
        let PromiseOutcome { state, answer } = outcome;
        let by_answer = match state {
            PromiseState::Kept => answer,
            PromiseState::Released => answer.filter(|answer| answer.by == PromiseAnswer::Waived),
            PromiseState::Open | PromiseState::Broken | PromiseState::Covered => None,
        };
        self.state = state;
        self.answered_at = answer.map(|answer| answer.at);
        self.settled_by = by_answer.map(|answer| answer.by);
        let ran_out = state == PromiseState::Broken || (was_over && state == PromiseState::Released);
        self.settled_at = by_answer.map(|answer| answer.at).or(ran_out.then_some(self.due_at));
        (before.state, before.settled_at, before.settled_by, before.answered_at)
            != (self.state, self.settled_at, self.settled_by, self.answered_at)
    }

    pub(super) fn mark_broken(&mut self) {
        (self.state, self.settled_at) = (PromiseState::Broken, Some(self.due_at));
    }

    /// No answer is owed, but one may be again before the time has passed.
    pub(super) fn is_released_but_pending(&self) -> bool {
        self.state == PromiseState::Released && self.settled_at.is_none()
    }

    /// The time passed while no answer was owed: none is owed any more.
    pub(super) fn close_released(&mut self) {
        self.settled_at = Some(self.due_at);
    }

    fn is_settled(&self) -> bool {
        self.state == PromiseState::Released && self.settled_at.is_some() && self.settled_by.is_none()
    }
}

pub(super) async fn update_promise(tx: &mut Tx, org: OrgId, row: &PromiseRow) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE sla SET state = $3, settled_at = $4, settled_by = $5, answered_at = $6, warned_at = $7
         WHERE org_id = $1 AND id = $2",
        org,
        row.id,
        row.state,
        row.settled_at,
        row.settled_by,
        row.answered_at,
        row.warned_at
    )?;
    // An answered promise needs no warning.
    if let Some(at) = row.answered_at.filter(|_| row.warned_at.is_some()) {
        alert::withdraw_alert(tx, org, &super::due::warning_alert_key(row.id), at).await?;
    }
    Ok(())
}

/// The business has answered outside of Toolbox, or the customer wants no answer. Counts as a person's answer, and nobody
/// waits in the conversation any longer. Returns the entry of the history, for the undo.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such lead.
pub async fn record_manual_answer(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    lead: LeadId,
    is_waived: bool,
    who: ActivityActor,
) -> Result<EventId> {
    let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
    let customer = q!(&mut *tx, fetch_optional scalar CustomerId, sql, org, lead)?.ok_or(Error::NotFound)?;
    let kind = if is_waived { EventKind::AnswerWaived } else { EventKind::Answered };
    let event = activity_log::record_event(&mut *tx, origin, org, NewEvent::new(lead, kind, origin.now(), who)).await?;
    conversation::settle_by_person(&mut *tx, origin, org, customer).await?;
    // Settled now, so that reads in this transaction see it.
    settle_lead_promises(tx, org, lead).await?;
    Ok(event)
}

/// The promise shown for each lead: the open one that is due first, else the last one.
pub async fn list_promises_of_leads(
    conn: &mut dyn AsConn,
    org: OrgId,
    leads: &[LeadId],
) -> Result<BTreeMap<LeadId, PromiseView>> {
    let mut shown: BTreeMap<LeadId, PromiseView> = BTreeMap::new();
    for some in leads.chunks(500) {
        let found = qb!(&mut *conn, fetch_all as PromiseView, |b| {
            b.push("SELECT id, lead_id, state, words, made_at, due_at, warn_at, answered_at FROM sla WHERE org_id = ");
            b.push_bind(org).push(" AND state <> 'covered' AND lead_id IN (");
            let mut ids = b.separated(", ");
            for id in some {
                ids.push_bind(*id);
            }
            b.push(") ORDER BY asked_at, due_at, id");
        })?;
        for promise in found {
            let is_open = promise.state == PromiseState::Open;
            let is_kept = shown
                .get(&promise.lead_id)
                .is_some_and(|shown| shown.state == PromiseState::Open && (!is_open || shown.due_at <= promise.due_at));
            if !is_kept {
                shown.insert(promise.lead_id, promise);
            }
        }
    }
    Ok(shown)
}

/// The promise of a message that is sent again counts from its new arrival.
pub(crate) async fn delete_message_promise(tx: &mut Tx, org: OrgId, message: MessageId) -> Result<()> {
    q!(tx, execute, "DELETE FROM sla WHERE org_id = $1 AND message_id = $2", org, message)?;
    Ok(())
}
