//! A request: when it came, how long it waited, what it became, and what was done for it without a person.

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;

use crate::{
    domain::{
        growth::{
            attribution::{rule, timeline::Story},
            metrics::{
                fact::{Answer, Contribution, Fact, day_of},
                measure::Measure,
            },
        },
        intake::lead::Form,
        messaging::message::Kind,
    },
    platform::live,
};

/// What is said later than this answers something else.
const ANSWERS_WITHIN: Duration = Duration::days(30);
/// A request is decided on in the transaction that stores it: what was decided within this time is no second beginning.
const SAME_MOMENT: Duration = live::OVERLAP;
/// Nobody is answered in no time: what counts as an answer counts for something in a mean.
const SHORTEST_MS: i64 = 1;

/// A message of ours that the provider took, and that nobody reported as lost.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    pub kind: Kind,
    pub at: DateTime<Utc>,
    /// When it was written: what goes out by text and by email in one breath is written at one instant.
    pub made_at: DateTime<Utc>,
}

/// A request with what happened to it.
#[derive(Clone, Debug)]
pub struct Lead {
    pub created_at: DateTime<Utc>,
    pub form: Form,
    /// Where it first came from.
    pub source: String,
    /// It waits for a person, and counts for nothing until they let it through.
    pub is_held: bool,
    /// When its money was settled; none while it is not.
    pub paid_at: Option<DateTime<Utc>>,
    /// When the rules were last asked about it as about a new one.
    pub decided_at: Option<DateTime<Utc>>,
    pub sent: Vec<Sent>,
    /// When the customer last wrote.
    pub heard_at: Option<DateTime<Utc>>,
    /// When a call of theirs was taken, or somebody noted that they have spoken.
    pub spoken_at: Vec<DateTime<Utc>>,
    /// When a call of theirs that belongs to it was missed.
    pub missed_at: Vec<DateTime<Utc>>,
    /// When the first of its visits that stand was planned.
    pub booked_at: Option<DateTime<Utc>>,
    /// When promises of an answer were due, and whether they were kept.
    pub promised: Vec<(DateTime<Utc>, bool)>,
    /// When the customer booked, moved or cancelled a visit by themselves.
    pub by_themselves_at: Vec<DateTime<Utc>>,
    /// Its whole story, where it says what brought money or a missed caller back; none without either.
    pub story: Option<Story>,
}

impl Lead {
    /// One that has just come in, before anything else happened.
    #[must_use]
    pub fn new(created_at: DateTime<Utc>, form: Form, source: String) -> Self {
        Self {
            created_at,
            form,
            source,
            is_held: false,
            paid_at: None,
            decided_at: None,
            sent: Vec::new(),
            heard_at: None,
            spoken_at: Vec::new(),
            missed_at: Vec::new(),
            booked_at: None,
            promised: Vec::new(),
            by_themselves_at: Vec::new(),
            story: None,
        }
    }

    #[must_use]
    pub fn contribution(&self, zone: Tz) -> Contribution {
        if self.is_held {
            return Contribution::default();
        }
        let day = day_of(zone, self.created_at);
        let answer = self.answer(zone);
        let waited = answer.and_then(|answer| [answer.auto_ms, answer.human_ms].into_iter().flatten().min());
        let mut facts = vec![Fact::one(day, Measure::Leads).from(&self.source)];
        if answer.is_some_and(|answer| answer.auto_ms.is_some()) {
            facts.push(Fact::one(day, Measure::AutoReplied));
        }
        if let Some(ms) = waited {
            facts.extend([Fact::one(day, Measure::Answered), Fact::new(day, Measure::AnswerMs, ms)]);
        }
        if let Some(at) = self.booked_at {
            facts.push(Fact::one(day_of(zone, at), Measure::Booked).from(&self.source));
        }
        facts.extend(self.paid_at.map(|at| Fact::one(day_of(zone, at), Measure::PaidLeads)));
        facts.extend(self.promised.iter().map(|(due_at, is_kept)| {
            let measure = if *is_kept { Measure::PromisesKept } else { Measure::PromisesBroken };
            Fact::one(day_of(zone, *due_at), measure)
        }));
        facts.extend(self.calls(zone));
        facts.extend(self.deeds(zone));
        facts.extend(self.story.iter().flat_map(|story| rule::facts(story, zone, self.booked_at)));
        Contribution::new(facts, answer)
    }

    /// From when on it waited: since it came, or since it was let through.
    fn asked_at(&self) -> DateTime<Utc> {
        self.decided_at.filter(|at| *at > self.created_at + SAME_MOMENT).unwrap_or(self.created_at)
    }

    /// None for whom the office typed in: they are being talked to.
    fn answer(&self, zone: Tz) -> Option<Answer> {
        if self.form == Form::Typed {
            return None;
        }
        let asked_at = self.asked_at();
        let first = |found: Option<DateTime<Utc>>| {
            let in_time = found.filter(|at| *at <= asked_at + ANSWERS_WITHIN);
            in_time.map(|at| (at - asked_at).num_milliseconds().max(SHORTEST_MS))
        };
        let said = |by: fn(Kind, Form) -> bool| {
            self.sent.iter().filter(move |sent| by(sent.kind, self.form)).map(|sent| sent.at)
        };
        let spoken = self.spoken_at.iter().copied().filter(|at| *at >= self.created_at);
        Some(Answer {
            day: day_of(zone, self.created_at),
            asked_at,
            auto_ms: first(said(is_automatic_answer).min()),
            human_ms: first(said(is_by_a_person).chain(spoken).min()),
        })
    }

    /// A missed call is recovered when its caller wrote, was spoken to, or got a visit after it.
    fn calls(&self, zone: Tz) -> impl Iterator<Item = Fact> {
        let later = |at: DateTime<Utc>| {
            let again = [self.heard_at, self.booked_at].into_iter().flatten();
            again.chain(self.spoken_at.iter().copied()).any(|then| then > at)
        };
        self.missed_at.iter().flat_map(move |at| {
            let day = day_of(zone, *at);
            let recovered = later(*at).then(|| Fact::one(day, Measure::RecoveredCalls));
            [Some(Fact::one(day, Measure::MissedCalls)), recovered].into_iter().flatten()
        })
    }

    /// What a person did not have to do. What was said by text and by email in one breath is one deed.
    fn deeds(&self, zone: Tz) -> impl Iterator<Item = Fact> {
        let mut said: BTreeMap<(Measure, DateTime<Utc>), DateTime<Utc>> = BTreeMap::new();
        for sent in &self.sent {
            let Some(measure) = deed(sent.kind) else { continue };
            said.entry((measure, sent.made_at)).and_modify(|at| *at = sent.at.min(*at)).or_insert(sent.at);
        }
        let said = said.into_iter().map(move |((measure, _), at)| Fact::one(day_of(zone, at), measure));
        let planned = self.by_themselves_at.iter();
        said.chain(planned.map(move |at| Fact::one(day_of(zone, *at), Measure::Schedulings)))
    }
}

/// What spares a person's time, and which kind of it; nothing for what a person wrote, for notices to the business, and
/// for papers that go along with what somebody did.
fn deed(kind: Kind) -> Option<Measure> {
    match kind {
        Kind::AutoReply | Kind::MissedCall | Kind::TextReply => Some(Measure::AutoReplies),
        Kind::Nudge
        | Kind::EstimateFollowUp
        | Kind::ChangeOrderFollowUp
        | Kind::Dunning
        | Kind::Visit
        | Kind::ReviewRequest => Some(Measure::FollowUps),
        Kind::OwnerNotice
        | Kind::AccountNotice
        | Kind::HelpReply
        | Kind::StopConfirmation
        | Kind::Manual
        | Kind::Incoming
        | Kind::Test
        | Kind::Digest
        | Kind::Pulse
        | Kind::Estimate
        | Kind::ChangeOrder
        | Kind::Signed
        | Kind::OnTheWay
        | Kind::Invoice
        | Kind::Receipt => None,
    }
}

/// Who booked a visit by themselves is answered by its confirmation.
fn is_automatic_answer(kind: Kind, form: Form) -> bool {
    deed(kind) == Some(Measure::AutoReplies) || (kind == Kind::Visit && form == Form::Booking)
}

fn is_by_a_person(kind: Kind, _: Form) -> bool {
    matches!(kind, Kind::Manual | Kind::Estimate | Kind::ChangeOrder)
}

/// Whether a message of this kind counts as something in the figures: then it must be read for them.
#[cfg(test)]
pub(crate) fn is_counted(kind: Kind) -> bool {
    deed(kind).is_some() || is_by_a_person(kind, Form::Lead)
}

#[cfg(test)]
mod tests;
