//! What happens in the year of the demonstration: pure, from its today alone.
//!
//! A **matter** is one customer's piece of work, a **cue** something that happens to it at an instant. All of it lies
//! before the first instant of today, so that the figures stand on every day of a month from its first minute on; only
//! visits lie ahead.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};

use super::{
    ZONE,
    works::{MONTH, Work},
};
use crate::{
    domain::intake::lead::Stage,
    platform::{business_hours, money::Cents},
};

mod lately;
mod month;
mod owed;
#[cfg(test)]
mod tests;

/// Something that happens.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// They fill in the form.
    Asks {
        words: &'static str,
        service: &'static str,
        source: Source,
    },
    /// They ring, and nobody takes it.
    Rings,
    /// They text: the first word of a matter, or another.
    Texts(&'static str),
    /// They book a visit by themselves.
    Books {
        words: &'static str,
        visit: Visit,
    },
    /// The office types them in, with a job for them.
    TypedIn {
        visit: Visit,
        value: Cents,
    },
    /// Somebody of the office writes a text.
    Writes(&'static str),
    Offers {
        value: Cents,
    },
    Approves,
    Declines(&'static str),
    /// The office plans the visit; its worth is what was approved, or this.
    Schedules {
        visit: Visit,
        value: Option<Cents>,
    },
    /// What was planned to be said is said by itself: a step by its name.
    Told(&'static str),
    /// The time of such a step comes, and there is a reason not to say it.
    PassedOver(&'static str),
    Starts,
    /// Done, with what it has cost.
    Finishes {
        cost: Cents,
    },
    /// An invoice: of the job, or of a part.
    Bills {
        due_on: Option<NaiveDate>,
        what: Bill,
    },
    /// All of the invoice.
    Pays(Way),
    /// By hand, where no job says how far it is.
    Moves(Stage),
    /// What was said of the firm, by its number in [`super::works::PRAISE`].
    Reviews(usize),
    /// The firm's answer to it.
    Thanks,
}

/// Where a request came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Website,
    Google,
    Neighbours,
}

/// How it was paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Card,
    Check,
    Bank,
}

/// What an invoice is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bill {
    Job,
    /// So much of what was agreed.
    Share(Cents),
    /// This, over so much.
    Line(&'static str, Cents),
}

/// When, by which crew, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    pub starts_at: DateTime<Utc>,
    pub crew: usize,
    pub minutes: i64,
}

/// One customer's piece of work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matter {
    /// By their number in the cast.
    pub person: usize,
    pub work: Work,
}

/// Something that happens to a matter.
#[derive(Clone, Debug, PartialEq)]
pub struct Cue {
    pub at: DateTime<Utc>,
    /// The matter, by its place in the plan.
    pub matter: usize,
    pub act: Act,
}

/// A year of the firm, in the order in which it happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub today: NaiveDate,
    /// What chance makes of it.
    pub chance: u64,
    pub matters: Vec<Matter>,
    pub cues: Vec<Cue>,
}

impl Plan {
    /// The plan of this day.
    #[must_use]
    pub fn of(today: NaiveDate, chance: u64) -> Self {
        let mut plan = Self { today, chance, matters: Vec::new(), cues: Vec::new() };
        month::earlier(&mut plan);
        month::this(&mut plan);
        month::lost(&mut plan);
        owed::owed(&mut plan);
        owed::coming(&mut plan);
        lately::under_way(&mut plan);
        lately::week(&mut plan);
        lately::level(&mut plan);
        // What happens at one instant happens in the order in which it was written down.
        plan.cues.sort_by_key(|cue| cue.at);
        plan
    }

    /// Another matter, of the next person; returns its place.
    fn matter(&mut self, work: usize) -> usize {
        let person = self.matters.len();
        self.matter_of(person, work)
    }

    fn matter_of(&mut self, person: usize, work: usize) -> usize {
        self.matters.push(Matter { person, work: MONTH[work % MONTH.len()] });
        self.matters.len() - 1
    }

    /// Never after the first instant of today.
    fn cue(&mut self, matter: usize, at: DateTime<Utc>, act: Act) {
        let at = at.min(self.at(0, 0, 0));
        self.cues.push(Cue { at, matter, act });
    }

    /// So many days from today, at this time of the firm's clocks.
    fn at(&self, days: i64, hour: u32, minute: u32) -> DateTime<Utc> {
        instant(self.day(days), hour, minute)
    }

    fn day(&self, days: i64) -> NaiveDate {
        shifted(self.today, days)
    }
}

/// The step by which somebody is asked for a review.
const REVIEW_ASK: &str = "review_ask";

/// Another day of the calendar.
fn shifted(day: NaiveDate, days: i64) -> NaiveDate {
    let by = Days::new(days.unsigned_abs());
    let other = if days < 0 { day.checked_sub_days(by) } else { day.checked_add_days(by) };
    other.unwrap_or(day)
}

/// This time of the firm's clocks on this day.
fn instant(day: NaiveDate, hour: u32, minute: u32) -> DateTime<Utc> {
    let time = NaiveTime::from_hms_opt(hour, minute, 0).unwrap_or(NaiveTime::MIN);
    business_hours::instant(ZONE, day.and_time(time))
}

/// Whole dollars.
const fn dollars(dollars: i64) -> Cents {
    Cents(dollars * 100)
}

/// What work of this worth has cost: 35 percent (decisions: a margin of 65).
const fn cost(value: Cents) -> Cents {
    Cents(value.0 * 35 / 100)
}
