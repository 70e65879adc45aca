//! Where promises stand: made when words go out, reckoned anew with whatever touches their lead.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::{
    By, Outcome, PromiseView, Said, State, due_by, evaluate,
    history::{history, is_owed},
    quote_form_words, warn_at,
};
use crate::{
    documents::template::Language,
    domain::{
        messaging::automation::answer_time::Moment,
        tenancy::org::{self, Profile},
        work::activity::{self, Doer, EventKind, NewEvent},
    },
    platform::{
        clock::Origin,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_all, values},
            q, qb,
        },
        error::{Error, Result},
        id::{LeadId, MessageId, OrgId, PromiseId},
        tasks,
    },
};

/// Said by the page itself.
const QUOTE_FORM_NAME: &str = "quote_form";

/// Words that promise something, as they go out.
struct New<'a> {
    lead: LeadId,
    message: Option<MessageId>,
    said_in: &'a str,
    words: &'a str,
    asked_at: DateTime<Utc>,
    made_at: DateTime<Utc>,
    due_at: DateTime<Utc>,
}

impl New<'_> {
    fn row<'r>(&self, org: OrgId, id: PromiseId, state: State) -> Insert<'r> {
        Insert::into(
            "promise (org_id, id, lead_id, message_id, said_in, words, asked_at, made_at, due_at, warn_at, state)",
        )
        .row(values![
            org,
            id,
            self.lead,
            self.message,
            self.said_in.to_owned(),
            self.words.to_owned(),
            self.asked_at,
            self.made_at,
            self.due_at,
            warn_at(self.made_at, self.due_at),
            state
        ])
        .unless_there("org_id, message_id")
    }
}

/// What the quote form has just promised, with the task that watches over it: a quote within the hours that the business
/// has set by now, out of hours from when the request is read.
///
/// Of a request that is held nothing is owed until somebody lets it through. Where no way is on by which the business
/// hears of it (`told_from`), the page has promised nothing.
pub(crate) async fn quote_form<'a>(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    lead: LeadId,
    is_held: bool,
    told_from: Option<DateTime<Utc>>,
) -> Result<Vec<Insert<'a>>> {
    let (org, now) = (profile.org.id, origin.now());
    let Some(words) = quote_words(profile, now, told_from) else { return Ok(Vec::new()) };
    let new = New {
        lead,
        message: None,
        said_in: QUOTE_FORM_NAME,
        words: &words,
        asked_at: now,
        made_at: now,
        due_at: due(profile, now, Duration::hours(profile.settings.estimates.quote_hours), told_from),
    };
    let id = PromiseId(origin.uuid());
    let watch = super::due::watch(org, id, warn_at(now, new.due_at), "warn");
    let state = if is_held { State::Released } else { State::Open };
    Ok(vec![new.row(org, id, state), tasks::rows(tx, origin, vec![watch])])
}

/// What the quote page says of a request that comes in at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuoteTime {
    /// Within so many hours a quote is promised; none out of hours, and where nobody of the business could be told of the
    /// request.
    pub hours: Option<i64>,
    /// Out of hours: when the request is read, in a sentence.
    pub reading: Option<String>,
}

/// When a quote comes, as the page says it of a request of `now`.
#[must_use]
pub fn quote_time(profile: &Profile, now: DateTime<Utc>, told_from: Option<DateTime<Utc>>) -> QuoteTime {
    let moment = Moment::new(profile, now, told_from, Language::En);
    let hours = told_from.filter(|_| moment.is_open()).map(|_| profile.settings.estimates.quote_hours);
    QuoteTime { hours, reading: moment.reading_time() }
}

/// The words of the promise that the page makes.
fn quote_words(profile: &Profile, now: DateTime<Utc>, told_from: Option<DateTime<Utc>>) -> Option<String> {
    let moment = Moment::new(profile, now, Some(told_from?), Language::En);
    if moment.is_open() {
        return Some(quote_form_words(profile.settings.estimates.quote_hours));
    }
    moment.after_hours_words()
}

/// By when an answer is due: in the hours of the business, and after somebody could have been told of the request.
fn due(profile: &Profile, made_at: DateTime<Utc>, within: Duration, told_from: Option<DateTime<Utc>>) -> DateTime<Utc> {
    due_by(&profile.settings.hours, profile.org.zone(), (made_at, told_from), within)
}

/// A message that has left, if it promises anything.
#[derive(FromRow)]
struct Left {
    lead_id: LeadId,
    kind: String,
    created_at: DateTime<Utc>,
    sent_at: DateTime<Utc>,
    promise_minutes: i64,
    promise_words: String,
    promise_told_from: Option<DateTime<Utc>>,
}

/// After a message went out: what its words promise is promised from now on. The same message again changes nothing.
pub(crate) async fn made(tx: &mut Tx, origin: &Origin, org: OrgId, message: MessageId) -> Result<()> {
    let left = q!(
        &mut *tx,
        fetch_optional as Left,
        "SELECT lead_id, kind, created_at, sent_at, promise_minutes, promise_words, promise_told_from FROM message
         WHERE org_id = $1 AND id = $2 AND promise_minutes IS NOT NULL AND promise_words IS NOT NULL
             AND lead_id IS NOT NULL AND sent_at IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM promise p WHERE p.org_id = $1 AND p.message_id = $2)",
        org,
        message
    )?;
    let Some(left) = left else { return Ok(()) };
    let Some(business) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::profile(&mut *tx, business).await?;
    let new = New {
        lead: left.lead_id,
        message: Some(message),
        said_in: &left.kind,
        words: &left.promise_words,
        // What is said after it was decided upon answers it; what the clocks of providers say of the past changes nothing.
        asked_at: left.created_at.min(left.sent_at),
        made_at: left.sent_at,
        due_at: due(&profile, left.sent_at, Duration::minutes(left.promise_minutes), left.promise_told_from),
    };
    let id = PromiseId(origin.uuid());
    let watch = super::due::watch(org, id, warn_at(new.made_at, new.due_at), "warn");
    let watch = tasks::rows(&mut *tx, origin, vec![watch]);
    insert_all(tx, &[new.row(org, id, State::Open), watch]).await
}

/// A promise as it is held.
#[derive(Clone, Debug, FromRow)]
pub(super) struct Row {
    pub id: PromiseId,
    pub words: String,
    asked_at: DateTime<Utc>,
    pub made_at: DateTime<Utc>,
    pub due_at: DateTime<Utc>,
    pub warn_at: DateTime<Utc>,
    pub state: State,
    settled_at: Option<DateTime<Utc>>,
    settled_by: Option<By>,
    answered_at: Option<DateTime<Utc>>,
    pub warned_at: Option<DateTime<Utc>>,
}

/// Reckons the promises of every lead that the transaction has changed. A commit hook, before the figures: what became of a
/// promise is counted.
pub(crate) async fn settle(tx: &mut Tx) -> Result<()> {
    for (org, leads, customers) in tx.dirty().leads() {
        let mut leads: BTreeSet<LeadId> = leads;
        for customer in customers {
            let sql = "SELECT DISTINCT p.lead_id FROM promise p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id
                 WHERE l.org_id = $1 AND l.customer_id = $2";
            leads.extend(q!(&mut *tx, fetch_all scalar LeadId, sql, org, customer)?);
        }
        // In one order, so that of two transactions one waits.
        for lead in leads {
            settle_lead(&mut *tx, org, lead).await?;
        }
    }
    Ok(())
}

/// Holds the promises of a lead until the transaction ends, and makes them say what happened. Returns them.
pub(super) async fn settle_lead(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<Vec<Row>> {
    let mut rows = q!(
        &mut *tx,
        fetch_all as Row,
        "UPDATE promise SET state = state WHERE org_id = $1 AND lead_id = $2
         RETURNING id, words, asked_at, made_at, due_at, warn_at, state, settled_at, settled_by, answered_at,
             warned_at",
        org,
        lead
    )?;
    if rows.is_empty() {
        return Ok(rows);
    }
    // Of one request the same order every time.
    rows.sort_by_key(|row| row.id);
    let (answers, lost) = history(&mut *tx, org, lead).await?;
    let owes = is_owed(&mut *tx, org, lead).await?;
    let said: Vec<Said> = rows
        .iter()
        .map(|row| Said {
            asked_at: row.asked_at,
            due_at: row.due_at,
            is_lost: lost.contains(&row.id),
            is_over: row.is_over(),
            state: row.state,
        })
        .collect();
    for (row, outcome) in rows.iter_mut().zip(evaluate(&said, &answers, owes)) {
        let was_broken = row.state == State::Broken;
        if row.take_on(outcome) {
            write(&mut *tx, org, row).await?;
        }
        if was_broken && row.state != State::Broken {
            not_broken(&mut *tx, org, lead, row).await?;
        }
    }
    Ok(rows)
}

/// It turned out that the promise was not broken: what the timeline says of it is taken back.
async fn not_broken(tx: &mut Tx, org: OrgId, lead: LeadId, row: &Row) -> Result<()> {
    let sql = "UPDATE work_event SET undone_at = $4
         WHERE org_id = $1 AND lead_id = $2 AND kind = 'promise_broken' AND subject_id = $3 AND undone_at IS NULL";
    q!(tx, execute, sql, org, lead, row.id.0, row.settled_at.unwrap_or(row.due_at))?;
    Ok(())
}

impl Row {
    /// Takes on what was reckoned. True when that is another than before.
    fn take_on(&mut self, outcome: Outcome) -> bool {
        let (before, was_over) = (self.clone(), self.is_over());
        let Outcome { state, answer } = outcome;
        let by_answer = match state {
            State::Kept => answer,
            State::Released => answer.filter(|answer| answer.by == By::Waived),
            State::Open | State::Broken | State::Covered => None,
        };
        self.state = state;
        self.answered_at = answer.map(|answer| answer.at);
        self.settled_by = by_answer.map(|answer| answer.by);
        let ran_out = state == State::Broken || (was_over && state == State::Released);
        self.settled_at = by_answer.map(|answer| answer.at).or(ran_out.then_some(self.due_at));
        (before.state, before.settled_at, before.settled_by, before.answered_at)
            != (self.state, self.settled_at, self.settled_by, self.answered_at)
    }

    /// The time has passed.
    pub(super) fn break_it(&mut self) {
        (self.state, self.settled_at) = (State::Broken, Some(self.due_at));
    }

    /// No answer is owed, but may be again before the time has passed.
    pub(super) fn is_released_for_now(&self) -> bool {
        self.state == State::Released && self.settled_at.is_none()
    }

    /// The time has passed, and no answer was owed when it did: none is owed any more.
    pub(super) fn run_out(&mut self) {
        self.settled_at = Some(self.due_at);
    }

    fn is_over(&self) -> bool {
        self.state == State::Released && self.settled_at.is_some() && self.settled_by.is_none()
    }
}

pub(super) async fn write(tx: &mut Tx, org: OrgId, row: &Row) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE promise SET state = $3, settled_at = $4, settled_by = $5, answered_at = $6, warned_at = $7
         WHERE org_id = $1 AND id = $2",
        org,
        row.id,
        row.state,
        row.settled_at,
        row.settled_by,
        row.answered_at,
        row.warned_at
    )?;
    // Nobody need be warned any more of what is answered: what waits for the next summary is none.
    if let Some(at) = row.answered_at.filter(|_| row.warned_at.is_some()) {
        let sql = "UPDATE alert SET seen_at = $3 WHERE org_id = $1 AND dedupe_key = $2 AND seen_at IS NULL";
        q!(tx, execute, sql, org, super::due::alert_key(row.id), at)?;
    }
    Ok(())
}

/// Somebody of the business says that they have answered outside of Toolbox, or that the customer wants no answer any
/// more: it stands on the timeline, and counts as a person's answer.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such lead.
pub async fn note(tx: &mut Tx, origin: &Origin, org: OrgId, lead: LeadId, is_waived: bool, who: Doer) -> Result<()> {
    let sql = "SELECT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND id = $2)";
    if !q!(&mut *tx, fetch_one scalar bool, sql, org, lead)? {
        return Err(Error::NotFound);
    }
    let kind = if is_waived { EventKind::AnswerWaived } else { EventKind::Answered };
    activity::record(&mut *tx, origin, org, NewEvent::new(lead, kind, origin.now(), who)).await?;
    // Said to whoever asks in this very transaction, too.
    settle_lead(tx, org, lead).await.map(|_| ())
}

/// The promise that each of these leads shows: of those that are open the one that is due first, else the last one.
pub async fn of_leads(conn: &mut dyn AsConn, org: OrgId, leads: &[LeadId]) -> Result<BTreeMap<LeadId, PromiseView>> {
    let mut shown: BTreeMap<LeadId, PromiseView> = BTreeMap::new();
    for some in leads.chunks(500) {
        let found = qb!(&mut *conn, fetch_all as PromiseView, |b| {
            b.push(
                "SELECT id, lead_id, state, words, made_at, due_at, warn_at, answered_at FROM promise WHERE org_id = ",
            );
            b.push_bind(org).push(" AND state <> 'covered' AND lead_id IN (");
            let mut ids = b.separated(", ");
            for id in some {
                ids.push_bind(*id);
            }
            b.push(") ORDER BY asked_at, due_at, id");
        })?;
        for promise in found {
            let is_open = promise.state == State::Open;
            let stands = shown
                .get(&promise.lead_id)
                .is_some_and(|shown| shown.state == State::Open && (!is_open || shown.due_at <= promise.due_at));
            if !stands {
                shown.insert(promise.lead_id, promise);
            }
        }
    }
    Ok(shown)
}
