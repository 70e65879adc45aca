//! What brought the money of a request: rules without a database, a clock or chance.
//!
//! A [`Link`] is an automatic message (or a pressed link) with what the customer did next. A payment that was noted at
//! its link's end or later counts for the first link that holds for it, in the order of [`Category`].

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use uuid::Uuid;

use super::{
    Category,
    timeline::{Event, Money, Story, What},
};
use crate::domain::{
    growth::metrics::{Fact, Measure, day_of},
    money::ledger::Kind,
};

/// A request is answered at once within this time; what comes later a person could have said as well.
const PROMPT: Duration = Duration::minutes(5);
/// Whoever comes back later than this does so for another reason.
const COMES_BACK_WITHIN: Duration = Duration::days(7);
/// A word after a follow-up brought something when it was followed by a yes, a visit or money within this time.
const FIRM_WITHIN: Duration = Duration::days(14);
/// An invoice that is paid later than this after a reminder is paid for another reason.
const PAYS_WITHIN: Duration = Duration::days(14);
/// New work that is asked for later than this after a press has another reason.
const ASKS_AGAIN_WITHIN: Duration = Duration::days(90);

/// What brought a customer back, with what they did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub category: Category,
    /// What is shown of it, in order: what was missed, what was said, and what the customer did next.
    pub events: Vec<Event>,
    /// Money from then on counts, and until then where it must come soon.
    from: DateTime<Utc>,
    until: Option<DateTime<Utc>>,
    /// Of a reminder: its invoice. What paid another one did not come after it.
    about: Option<Uuid>,
}

impl Link {
    /// What of a payment may count, or of what went back.
    fn part_of(&self, money: &Money) -> i64 {
        let Some(invoice) = self.about else { return money.amount.0 };
        money.parts.iter().filter(|(paid, _)| *paid == invoice).map(|(_, cents)| cents.abs()).sum()
    }

    fn holds_for(&self, money: &Money, zone: Tz) -> bool {
        money.at >= self.from
            && self.until.is_none_or(|until| money.at < until)
            // What was received before, and only noted later, came without it.
            && money.received_on >= day_of(zone, self.from)
    }
}

/// A payment that counts, or what of one went back: below nothing then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    pub money: Money,
    pub cents: i64,
    pub link: Link,
}

/// What of a request's money came after what; no cent of a payment more than once.
#[must_use]
pub fn counted(story: &Story, zone: Tz) -> Vec<Counted> {
    let links = links(story, zone);
    let mut all: Vec<Counted> = Vec::new();
    for money in story.money.iter().filter(|money| money.kind == Kind::Payment) {
        let mut rest = money.amount.0;
        for link in links.iter().filter(|link| link.holds_for(money, zone)) {
            let cents = link.part_of(money).min(rest);
            if cents > 0 {
                all.push(Counted { money: money.clone(), cents, link: link.clone() });
                rest -= cents;
            }
        }
    }
    let back = gone_back(story, &all);
    all.extend(back);
    all
}

/// What of it went back: taken from where its payment counted, and no more than counted there.
fn gone_back(story: &Story, paid: &[Counted]) -> Vec<Counted> {
    let mut stays: Vec<i64> = paid.iter().map(|one| one.cents).collect();
    let mut all = Vec::new();
    for back in story.money.iter().filter(|money| money.kind == Kind::Refund) {
        let mut rest = back.amount.0;
        for (one, stays) in paid.iter().zip(&mut stays).filter(|(one, _)| Some(one.money.id) == back.refund_of) {
            let cents = one.link.part_of(back).min(rest).min(*stays);
            if cents > 0 {
                all.push(Counted { money: back.clone(), cents: -cents, link: one.link.clone() });
                (rest, *stays) = (rest - cents, *stays - cents);
            }
        }
    }
    all
}

/// Everything that may have brought its money, the first that counts first.
fn links(story: &Story, zone: Tz) -> Vec<Link> {
    let mut all: Vec<Link> = intake(story).into_iter().chain(follow_up(story)).collect();
    all.extend(reminders(story, zone));
    all.extend(review_click(story));
    all
}

/// The first answer of a rule after which the customer went on by themselves. A word of a person before that, written,
/// sent, planned or on the telephone, and it was the person.
#[must_use]
pub fn intake(story: &Story) -> Option<Link> {
    let (mut missed, mut said): (Option<Event>, Option<(Category, Event)>) = (None, None);
    for event in &story.events {
        match event.what {
            What::Missed => missed = missed.or(Some(*event)),
            What::AutoReply if event.at - story.asked_at <= PROMPT => said = Some((Category::AutoReply, *event)),
            What::CallText | What::Nudge if missed.is_some() => said = Some((Category::MissedCall, *event)),
            what if what.is_by_a_person() => return None,
            what if what.is_theirs() => match said {
                Some((category, text)) if is_answer(&text, event) => {
                    let missed = missed.filter(|_| category == Category::MissedCall);
                    let events = missed.into_iter().chain([text, *event]).collect();
                    return Some(Link { category, events, from: event.at, until: None, about: None });
                }
                // Somebody took their call before any rule had said anything.
                None if what == What::Spoken => return None,
                _ => {}
            },
            _ => {}
        }
    }
    None
}

fn is_answer(said: &Event, theirs: &Event) -> bool {
    theirs.at > said.at && theirs.at - said.at <= COMES_BACK_WITHIN
}

/// A question after an estimate that was the last word before the customer's, when a yes came of it.
fn follow_up(story: &Story) -> Option<Link> {
    let mut asked: Option<Event> = None;
    for event in &story.events {
        match event.what {
            What::FollowUp => asked = Some(*event),
            what if what.is_by_a_person() => asked = None,
            what if what.is_theirs() => {
                let answered = asked.take().filter(|asked| is_answer(asked, event) && is_firm(story, event));
                if let Some(asked) = answered {
                    let events = vec![asked, *event];
                    return Some(Link {
                        category: Category::FollowUp,
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

/// Whether the customer's word was a yes, or was followed by one before long.
fn is_firm(story: &Story, word: &Event) -> bool {
    let soon = |at: DateTime<Utc>| at >= word.at && at - word.at <= FIRM_WITHIN;
    let says_yes = |what: What| matches!(what, What::Approved | What::BookedThemselves | What::Planned);
    story.events.iter().any(|event| says_yes(event.what) && soon(event.at))
        || story.money.iter().any(|money| money.kind == Kind::Payment && soon(money.at))
}

/// Each reminder of an invoice that was overdue, until the next one of it, or until a person spoke.
fn reminders(story: &Story, zone: Tz) -> Vec<Link> {
    let is_overdue = |event: &Event| event.due_on.is_some_and(|due| day_of(zone, event.at) > due);
    let mut all: Vec<Link> = Vec::new();
    for event in &story.events {
        let speaks = event.what.is_by_a_person() || event.what == What::Spoken;
        if event.what != What::Reminder && !speaks {
            continue;
        }
        for before in all.iter_mut().filter(|before| speaks || before.about == event.about) {
            before.until = before.until.map(|until| until.min(event.at));
        }
        if event.what == What::Reminder && is_overdue(event) {
            let (from, until, about) = (event.at, Some(event.at + PAYS_WITHIN), event.about);
            all.push(Link { category: Category::Reminder, events: vec![*event], from, until, about });
        }
    }
    all
}

/// The last press before they asked.
fn review_click(story: &Story) -> Option<Link> {
    let lately = |event: &&Event| event.at <= story.asked_at && story.asked_at - event.at <= ASKS_AGAIN_WITHIN;
    let click = story.events.iter().rev().filter(|event| event.what == What::ReviewClick).find(lately)?;
    Some(Link { category: Category::ReviewClick, events: vec![*click], from: story.asked_at, until: None, about: None })
}

/// What a request contributes to the days: its money, and how far its caller has come when it began with a call that
/// nobody took. `booked_at` is when the first visit that stands was planned.
#[must_use]
pub fn facts(story: &Story, zone: Tz, booked_at: Option<DateTime<Utc>>) -> Vec<Fact> {
    let counted = counted(story, zone);
    let money = counted.iter().map(|one| Fact::new(one.money.received_on, one.link.category.measure(), one.cents));
    let mut facts: Vec<Fact> = money.collect();
    let Some(missed) = story.events.iter().find(|event| event.what == What::Missed) else { return facts };
    let back = intake(story).filter(|link| link.category == Category::MissedCall);
    let kept: i64 = counted.iter().filter(|one| one.link.category == Category::MissedCall).map(|one| one.cents).sum();
    let came = [
        (Measure::MissedCallers, true),
        (Measure::TextedCallers, story.events.iter().any(|event| event.what == What::CallText)),
        (Measure::ReturnedCallers, back.is_some()),
        (Measure::BookedCallers, back.is_some_and(|link| booked_at.is_some_and(|at| at >= link.from))),
        (Measure::PayingCallers, kept > 0),
    ];
    let day = day_of(zone, missed.at);
    facts.extend(came.into_iter().filter(|(_, is_so)| *is_so).map(|(measure, _)| Fact::one(day, measure)));
    facts
}

#[cfg(test)]
mod tests;
