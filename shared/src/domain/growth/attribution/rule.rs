//! Attribution rules, pure: no database, clock or randomness.
//!
//! An [`AttributionLink`] is an automatic message (or a clicked link) with the customer's next action. A payment
//! recorded at or after the end of its link counts for the first link that holds for it, in the order of
//! [`AttributionCategory`].

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use uuid::Uuid;

use super::{
    AttributionCategory,
    timeline::{LeadTimeline, MoneyMovement, TimelineEvent, TimelineEventKind},
};
use crate::domain::{
    growth::metrics::{Measure, MetricFact, local_day},
    money::ledger::PaymentKind,
};

/// Longest delay of an automatic reply that counts; later, a person could have answered as well.
const PROMPT_REPLY_WINDOW: Duration = Duration::minutes(5);
const RETURN_WINDOW: Duration = Duration::days(7);
/// An answer to a follow-up counts if an approval, a visit or a payment follows within this time.
const CONFIRMATION_WINDOW: Duration = Duration::days(14);
const PAYMENT_WINDOW: Duration = Duration::days(14);
/// Longest time from a click to new work that counts for it.
const REPEAT_REQUEST_WINDOW: Duration = Duration::days(90);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributionLink {
    pub category: AttributionCategory,
    /// Shown events in order: what was missed, the message, the customer's next action.
    pub events: Vec<TimelineEvent>,
    /// Money recorded from here on counts; before `until` where a limit applies.
    from: DateTime<Utc>,
    until: Option<DateTime<Utc>>,
    /// Invoice of a reminder. Payments of other invoices do not count.
    about: Option<Uuid>,
}

impl AttributionLink {
    fn attributable_cents(&self, money: &MoneyMovement) -> i64 {
        let Some(invoice) = self.about else { return money.amount.0 };
        money.parts.iter().filter(|(paid, _)| *paid == invoice).map(|(_, cents)| cents.abs()).sum()
    }

    fn applies_to(&self, money: &MoneyMovement, zone: Tz) -> bool {
        money.at >= self.from
            && self.until.is_none_or(|until| money.at < until)
            // Money received earlier but recorded later does not count.
            && money.received_on >= local_day(zone, self.from)
    }
}

/// A counted payment, or part of a refund (negative cents).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributedPayment {
    pub money: MoneyMovement,
    pub cents: i64,
    pub link: AttributionLink,
}

/// Each cent of a payment counts at most once.
#[must_use]
pub fn attribute_payments(story: &LeadTimeline, zone: Tz) -> Vec<AttributedPayment> {
    let links = find_links(story, zone);
    let mut all: Vec<AttributedPayment> = Vec::new();
    for money in story.money.iter().filter(|money| money.kind == PaymentKind::Payment) {
        let mut rest = money.amount.0;
        for link in links.iter().filter(|link| link.applies_to(money, zone)) {
            let cents = link.attributable_cents(money).min(rest);
            if cents > 0 {
                all.push(AttributedPayment { money: money.clone(), cents, link: link.clone() });
                rest -= cents;
            }
        }
    }
    let back = attribute_refunds(story, &all);
    all.extend(back);
    all
}

/// Refunds, subtracted where their payment counted and by no more than counted there.
fn attribute_refunds(story: &LeadTimeline, paid: &[AttributedPayment]) -> Vec<AttributedPayment> {
    let mut stays: Vec<i64> = paid.iter().map(|one| one.cents).collect();
    let mut all = Vec::new();
    for back in story.money.iter().filter(|money| money.kind == PaymentKind::Refund) {
        let mut rest = back.amount.0;
        for (one, stays) in paid.iter().zip(&mut stays).filter(|(one, _)| Some(one.money.id) == back.refund_of) {
            let cents = one.link.attributable_cents(back).min(rest).min(*stays);
            if cents > 0 {
                all.push(AttributedPayment { money: back.clone(), cents: -cents, link: one.link.clone() });
                (rest, *stays) = (rest - cents, *stays - cents);
            }
        }
    }
    all
}

/// In order of precedence.
fn find_links(story: &LeadTimeline, zone: Tz) -> Vec<AttributionLink> {
    let mut all: Vec<AttributionLink> = find_intake_link(story).into_iter().chain(find_follow_up_link(story)).collect();
    all.extend(find_reminder_links(story, zone));
    all.extend(find_review_click_link(story));
    all
}

/// First automatic answer after which the customer acted; none if a person wrote, sent, planned or spoke before that.
#[must_use]
pub fn find_intake_link(story: &LeadTimeline) -> Option<AttributionLink> {
    let (mut missed, mut automatic_message): (Option<TimelineEvent>, Option<(AttributionCategory, TimelineEvent)>) =
        (None, None);
    for event in &story.events {
        match event.what {
            TimelineEventKind::Missed => missed = missed.or(Some(*event)),
            TimelineEventKind::AutoReply if event.at - story.asked_at <= PROMPT_REPLY_WINDOW => {
                automatic_message = Some((AttributionCategory::AutoReply, *event));
            }
            TimelineEventKind::CallText | TimelineEventKind::Nudge if missed.is_some() => {
                automatic_message = Some((AttributionCategory::MissedCall, *event));
            }
            what if what.is_by_staff() => return None,
            what if what.is_by_customer() => match automatic_message {
                Some((category, text)) if is_timely_reply(&text, event) => {
                    let missed = missed.filter(|_| category == AttributionCategory::MissedCall);
                    let events = missed.into_iter().chain([text, *event]).collect();
                    return Some(AttributionLink { category, events, from: event.at, until: None, about: None });
                }
                // The call was taken before any automatic message.
                None if what == TimelineEventKind::Spoken => return None,
                _ => {}
            },
            _ => {}
        }
    }
    None
}

fn is_timely_reply(reply: &TimelineEvent, theirs: &TimelineEvent) -> bool {
    theirs.at > reply.at && theirs.at - reply.at <= RETURN_WINDOW
}

/// Follow-up that was the last message before the customer's answer, if an approval, visit or payment came of it.
fn find_follow_up_link(story: &LeadTimeline) -> Option<AttributionLink> {
    let mut asked: Option<TimelineEvent> = None;
    for event in &story.events {
        match event.what {
            TimelineEventKind::FollowUp => asked = Some(*event),
            what if what.is_by_staff() => asked = None,
            what if what.is_by_customer() => {
                let answered = asked.take().filter(|asked| is_timely_reply(asked, event) && is_confirmed(story, event));
                if let Some(asked) = answered {
                    let events = vec![asked, *event];
                    return Some(AttributionLink {
                        category: AttributionCategory::FollowUp,
                        events,
                        from: event.at,
                        until: None,
                        about: None,
                    });
                }
            }
            _ => {}
        }
    }
    None
}

fn is_confirmed(story: &LeadTimeline, word: &TimelineEvent) -> bool {
    let soon = |at: DateTime<Utc>| at >= word.at && at - word.at <= CONFIRMATION_WINDOW;
    let says_yes = |what: TimelineEventKind| {
        matches!(what, TimelineEventKind::Approved | TimelineEventKind::BookedThemselves | TimelineEventKind::Planned)
    };
    story.events.iter().any(|event| says_yes(event.what) && soon(event.at))
        || story.money.iter().any(|money| money.kind == PaymentKind::Payment && soon(money.at))
}

/// One link per reminder of an overdue invoice, until the invoice's next reminder or until a person spoke.
fn find_reminder_links(story: &LeadTimeline, zone: Tz) -> Vec<AttributionLink> {
    let is_overdue = |event: &TimelineEvent| event.due_on.is_some_and(|due| local_day(zone, event.at) > due);
    let mut all: Vec<AttributionLink> = Vec::new();
    for event in &story.events {
        let speaks = event.what.is_by_staff() || event.what == TimelineEventKind::Spoken;
        if event.what != TimelineEventKind::Reminder && !speaks {
            continue;
        }
        for before in all.iter_mut().filter(|before| speaks || before.about == event.about) {
            before.until = before.until.map(|until| until.min(event.at));
        }
        if event.what == TimelineEventKind::Reminder && is_overdue(event) {
            let (from, until, about) = (event.at, Some(event.at + PAYMENT_WINDOW), event.about);
            all.push(AttributionLink {
                category: AttributionCategory::Reminder,
                events: vec![*event],
                from,
                until,
                about,
            });
        }
    }
    all
}

fn find_review_click_link(story: &LeadTimeline) -> Option<AttributionLink> {
    let lately =
        |event: &&TimelineEvent| event.at <= story.asked_at && story.asked_at - event.at <= REPEAT_REQUEST_WINDOW;
    let click = story.events.iter().rev().filter(|event| event.what == TimelineEventKind::ReviewClick).find(lately)?;
    Some(AttributionLink {
        category: AttributionCategory::ReviewClick,
        events: vec![*click],
        from: story.asked_at,
        until: None,
        about: None,
    })
}

/// Counted money of a lead, and the steps of a missed caller. `booked_at` is when the first valid visit was planned.
#[must_use]
pub fn build_facts(story: &LeadTimeline, zone: Tz, booked_at: Option<DateTime<Utc>>) -> Vec<MetricFact> {
    let counted = attribute_payments(story, zone);
    let money =
        counted.iter().map(|one| MetricFact::new(one.money.received_on, one.link.category.measure(), one.cents));
    let mut facts: Vec<MetricFact> = money.collect();
    let Some(missed) = story.events.iter().find(|event| event.what == TimelineEventKind::Missed) else { return facts };
    let back = find_intake_link(story).filter(|link| link.category == AttributionCategory::MissedCall);
    let kept: i64 =
        counted.iter().filter(|one| one.link.category == AttributionCategory::MissedCall).map(|one| one.cents).sum();
    let came = [
        (Measure::MissedCallers, true),
        (Measure::TextedCallers, story.events.iter().any(|event| event.what == TimelineEventKind::CallText)),
        (Measure::ReturnedCallers, back.is_some()),
        (Measure::BookedCallers, back.is_some_and(|link| booked_at.is_some_and(|at| at >= link.from))),
        (Measure::PayingCallers, kept > 0),
    ];
    let day = local_day(zone, missed.at);
    facts.extend(came.into_iter().filter(|(_, is_so)| *is_so).map(|(measure, _)| MetricFact::count_one(day, measure)));
    facts
}

#[cfg(test)]
mod tests;
