//! Facts of a lead: arrival, waiting time, outcome, and automatic actions.

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;

use crate::{
    domain::{
        growth::{
            attribution::{rule, timeline::LeadTimeline},
            metrics::{
                fact::{FirstResponse, MetricContribution, MetricFact, local_day},
                measure::Measure,
            },
        },
        intake::lead::LeadFormKind,
        messaging::message::MessageKind,
    },
    platform::live,
};

/// A later message is not an answer.
const ANSWERS_WITHIN: Duration = Duration::days(30);
/// A lead is decided on in the transaction that stores it; a decision within this time is no second start.
const SAME_MOMENT: Duration = live::OVERLAP;
/// Minimum of an answer time, so that an immediate answer counts in a mean.
const SHORTEST_MS: i64 = 1;

/// A message that the provider took and did not report as lost.
#[derive(Clone, Copy, Debug)]
pub struct SentMessage {
    pub kind: MessageKind,
    pub at: DateTime<Utc>,
    /// When it was written; the text and the email of one action have the same instant.
    pub made_at: DateTime<Utc>,
}

#[derive(Clone, Debug)]
pub struct LeadMetricInput {
    pub created_at: DateTime<Utc>,
    pub form: LeadFormKind,
    pub source: String,
    /// Waits for a person, and counts for nothing until released.
    pub is_held: bool,
    pub paid_at: Option<DateTime<Utc>>,
    /// When the rules last treated it as new.
    pub decided_at: Option<DateTime<Utc>>,
    pub sent: Vec<SentMessage>,
    pub heard_at: Option<DateTime<Utc>>,
    /// Answered calls, and conversations recorded by a person.
    pub spoken_at: Vec<DateTime<Utc>>,
    pub missed_at: Vec<DateTime<Utc>>,
    /// When the first valid visit was planned.
    pub booked_at: Option<DateTime<Utc>>,
    /// Due times of promised answers, and whether they were kept.
    pub promised: Vec<(DateTime<Utc>, bool)>,
    /// When the customer booked, moved or cancelled a visit online.
    pub by_themselves_at: Vec<DateTime<Utc>>,
    /// Story for attribution of money or of a missed caller; none without either.
    pub story: Option<LeadTimeline>,
}

impl LeadMetricInput {
    #[must_use]
    pub fn new(created_at: DateTime<Utc>, form: LeadFormKind, source: String) -> Self {
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
    pub fn build_contribution(&self, zone: Tz) -> MetricContribution {
        if self.is_held {
            return MetricContribution::default();
        }
        let day = local_day(zone, self.created_at);
        let answer = self.first_response(zone);
        let waited = answer.and_then(|answer| [answer.auto_ms, answer.human_ms].into_iter().flatten().min());
        let mut facts = vec![MetricFact::count_one(day, Measure::Leads).with_source(&self.source)];
        if answer.is_some_and(|answer| answer.auto_ms.is_some()) {
            facts.push(MetricFact::count_one(day, Measure::AutoReplied));
        }
        if let Some(ms) = waited {
            facts.extend([MetricFact::count_one(day, Measure::Answered), MetricFact::new(day, Measure::AnswerMs, ms)]);
        }
        if let Some(at) = self.booked_at {
            facts.push(MetricFact::count_one(local_day(zone, at), Measure::Booked).with_source(&self.source));
        }
        facts.extend(self.paid_at.map(|at| MetricFact::count_one(local_day(zone, at), Measure::PaidLeads)));
        facts.extend(self.promised.iter().map(|(due_at, is_kept)| {
            let measure = if *is_kept { Measure::PromisesKept } else { Measure::PromisesBroken };
            MetricFact::count_one(local_day(zone, *due_at), measure)
        }));
        facts.extend(self.call_facts(zone));
        facts.extend(self.time_saved_facts(zone));
        facts.extend(self.story.iter().flat_map(|story| rule::build_facts(story, zone, self.booked_at)));
        MetricContribution::new(facts, answer)
    }

    /// Start of the wait: arrival or release.
    fn waiting_since(&self) -> DateTime<Utc> {
        self.decided_at.filter(|at| *at > self.created_at + SAME_MOMENT).unwrap_or(self.created_at)
    }

    /// None for leads typed in by the office: a conversation is under way.
    fn first_response(&self, zone: Tz) -> Option<FirstResponse> {
        if self.form == LeadFormKind::Typed {
            return None;
        }
        let asked_at = self.waiting_since();
        let first = |found: Option<DateTime<Utc>>| {
            let in_time = found.filter(|at| *at <= asked_at + ANSWERS_WITHIN);
            in_time.map(|at| (at - asked_at).num_milliseconds().max(SHORTEST_MS))
        };
        let sent_times = |by: fn(MessageKind, LeadFormKind) -> bool| {
            self.sent.iter().filter(move |sent| by(sent.kind, self.form)).map(|sent| sent.at)
        };
        let spoken = self.spoken_at.iter().copied().filter(|at| *at >= self.created_at);
        Some(FirstResponse {
            day: local_day(zone, self.created_at),
            asked_at,
            auto_ms: first(sent_times(is_automatic_answer).min()),
            human_ms: first(sent_times(is_staff_message).chain(spoken).min()),
        })
    }

    /// A missed call is recovered when its caller wrote, was spoken to, or got a visit after it.
    fn call_facts(&self, zone: Tz) -> impl Iterator<Item = MetricFact> {
        let later = |at: DateTime<Utc>| {
            let again = [self.heard_at, self.booked_at].into_iter().flatten();
            again.chain(self.spoken_at.iter().copied()).any(|then| then > at)
        };
        self.missed_at.iter().flat_map(move |at| {
            let day = local_day(zone, *at);
            let recovered = later(*at).then(|| MetricFact::count_one(day, Measure::RecoveredCalls));
            [Some(MetricFact::count_one(day, Measure::MissedCalls)), recovered].into_iter().flatten()
        })
    }

    /// Automatic actions. A text and an email written at one instant count once.
    fn time_saved_facts(&self, zone: Tz) -> impl Iterator<Item = MetricFact> {
        let mut earliest_at: BTreeMap<(Measure, DateTime<Utc>), DateTime<Utc>> = BTreeMap::new();
        for sent in &self.sent {
            let Some(measure) = time_saved_measure(sent.kind) else { continue };
            earliest_at.entry((measure, sent.made_at)).and_modify(|at| *at = sent.at.min(*at)).or_insert(sent.at);
        }
        let message_facts =
            earliest_at.into_iter().map(move |((measure, _), at)| MetricFact::count_one(local_day(zone, at), measure));
        let planned = self.by_themselves_at.iter();
        message_facts.chain(planned.map(move |at| MetricFact::count_one(local_day(zone, *at), Measure::Schedulings)))
    }
}

/// Measure of an automatic action; none for messages by people, notices to the business, and documents sent along with
/// a person's action.
fn time_saved_measure(kind: MessageKind) -> Option<Measure> {
    match kind {
        MessageKind::AutoReply | MessageKind::MissedCall | MessageKind::TextReply => Some(Measure::AutoReplies),
        MessageKind::Nudge
        | MessageKind::EstimateFollowUp
        | MessageKind::ChangeOrderFollowUp
        | MessageKind::Dunning
        | MessageKind::Visit
        | MessageKind::ReviewRequest => Some(Measure::FollowUps),
        MessageKind::OwnerNotice
        | MessageKind::AccountNotice
        | MessageKind::HelpReply
        | MessageKind::StopConfirmation
        | MessageKind::Manual
        | MessageKind::Incoming
        | MessageKind::Test
        | MessageKind::Digest
        | MessageKind::Pulse
        | MessageKind::Estimate
        | MessageKind::ChangeOrder
        | MessageKind::Signed
        | MessageKind::OnTheWay
        | MessageKind::Invoice
        | MessageKind::Receipt => None,
    }
}

/// A visit that the customer booked is answered by its confirmation.
fn is_automatic_answer(kind: MessageKind, form: LeadFormKind) -> bool {
    time_saved_measure(kind) == Some(Measure::AutoReplies)
        || (kind == MessageKind::Visit && form == LeadFormKind::Booking)
}

fn is_staff_message(kind: MessageKind, _: LeadFormKind) -> bool {
    matches!(kind, MessageKind::Manual | MessageKind::Estimate | MessageKind::ChangeOrder)
}

#[cfg(test)]
pub(crate) fn is_counted(kind: MessageKind) -> bool {
    time_saved_measure(kind).is_some() || is_staff_message(kind, LeadFormKind::Lead)
}

#[cfg(test)]
mod tests;
