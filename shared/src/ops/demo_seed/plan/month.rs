//! Work that is done and paid: this month's, which comes to the same on each of its days, and eleven months before it.

use chrono::{DateTime, Datelike, Months, NaiveDate, Utc};

use super::{Act, Bill, Plan, REVIEW_ASK, Source, Visit, Way, cost, dollars, instant, shifted};
use crate::{
    ops::demo_seed::works::{ASKED, MONTH, PRAISE},
    platform::money::Cents,
};

/// What came in in the eleven months before this one, the oldest first, in dollars: a firm that grows.
const EARLIER: [i64; 11] = [51_400, 53_900, 49_800, 56_200, 60_100, 58_700, 64_300, 68_900, 73_500, 78_200, 83_600];
/// Each month's works, with their share of it in percent; the last takes the rest. And the day they were done on.
const WORKS: [(usize, i64, u32); 4] = [(4, 38, 6), (2, 30, 12), (0, 21, 18), (6, 0, 24)];
/// Of so many works this one is paid after a reminder: the last of each third month, last month's among them.
const REMINDED: (usize, usize) = (12, 7);
/// How long before the work is done somebody asks for it: long enough that nothing of it falls into the last week.
const ASKED_BEFORE: i64 = 15;
/// Reviews that came in these days: so many days ago, as early as that the older ones are not.
const FRESH: [i64; 3] = [1, 3, 5];

/// Customers who come again this month, by their matter of an earlier one: the first was asked for a review too long ago
/// to be left alone now, the others have left one within half a year.
const AGAIN: [(usize, bool); 3] = [(9, true), (26, false), (33, false)];

/// Estimates that were declined: in how many months one, and in which words.
const LOST: u32 = 8;
const WHY_NOT: [&str; 4] = [
    "We decided to wait until spring",
    "Another company was a bit cheaper, thank you for the quick estimate",
    "We are selling the house instead",
    "My brother-in-law will do it",
];

/// The first day of the month so many months ago.
fn first(today: NaiveDate, months_ago: u32) -> NaiveDate {
    let first = today.with_day(1).unwrap_or(today);
    first.checked_sub_months(Months::new(months_ago)).unwrap_or(first)
}

/// One piece of work, from the question to the money.
struct Done {
    matter: usize,
    begun: NaiveDate,
    on: NaiveDate,
    value: Cents,
    crew: usize,
    way: Way,
    /// Nothing is paid on its day; an automatic reminder brings the money.
    is_reminded: bool,
}

impl Done {
    /// Two weeks before, with an estimate that they approve.
    fn asks(&self, plan: &mut Plan) {
        let at = |days: i64, hour, minute| instant(shifted(self.on, days), hour, minute);
        let (n, matter) = (self.matter, self.matter);
        let source = [Source::Website, Source::Google, Source::Website, Source::Neighbours][n % 4];
        let service = plan.matters[matter].work.service;
        let minute = u32::try_from(n * 7 % 50).unwrap_or_default();
        plan.cue(matter, at(-ASKED_BEFORE, 9, minute), Act::Asks { words: ASKED[n % ASKED.len()], service, source });
        plan.cue(
            matter,
            at(-ASKED_BEFORE, 9, minute + 8),
            Act::Writes(
                "Thanks for reaching out! I can send somebody by tomorrow morning to take a look, would 9:30 work?",
            ),
        );
        plan.cue(matter, at(1 - ASKED_BEFORE, 15, minute), Act::Offers { value: self.value });
        plan.cue(matter, at(2 - ASKED_BEFORE, 8, minute), Act::Approves);
        plan.cue(matter, at(2 - ASKED_BEFORE, 10, minute), Act::Schedules { visit: self.visit(), value: None });
        plan.cue(matter, at(2 - ASKED_BEFORE, 10, minute + 2), Act::Told("booked"));
    }

    /// The office types it in.
    fn rang(&self, plan: &mut Plan) {
        let at = instant(shifted(self.on, 2 - ASKED_BEFORE), 11, 20);
        plan.cue(self.matter, at, Act::TypedIn { visit: self.visit(), value: self.value });
    }

    fn visit(&self) -> Visit {
        Visit { starts_at: instant(self.begun, 8, 0), crew: self.crew, minutes: 360 }
    }

    fn works(&self, plan: &mut Plan) {
        let at = |days: i64, hour, minute| instant(shifted(self.on, days), hour, minute);
        plan.cue(self.matter, instant(self.begun, 8, 6), Act::Starts);
        plan.cue(self.matter, at(0, 14, 40), Act::Finishes { cost: cost(self.value) });
        let due_on = self.is_reminded.then_some(self.on);
        plan.cue(self.matter, at(0, 14, 52), Act::Bills { due_on, what: Bill::Job });
        if self.is_reminded {
            plan.cue(self.matter, at(3, 10, 5), Act::Told("due_3"));
            plan.cue(self.matter, at(4, 9, 40), Act::Pays(self.way));
        } else {
            plan.cue(self.matter, at(0, 16, 5), Act::Pays(self.way));
        }
    }

    /// Two days later.
    fn asked_for_a_review(&self) -> DateTime<Utc> {
        instant(shifted(self.on, 2), 11, 30)
    }
}

const WAYS: [Way; 4] = [Way::Card, Way::Check, Way::Card, Way::Bank];

/// Four works in each of eleven months, with what was said of the later ones.
pub fn earlier(plan: &mut Plan) {
    let mut reviewed = 0;
    let all = EARLIER.len() * WORKS.len();
    for (ago, target) in (1..).zip(EARLIER.iter().rev()).collect::<Vec<_>>().into_iter().rev() {
        let mut left = *target;
        for (work, share, day) in WORKS {
            let value = if share == 0 { left } else { target * share / 100 };
            left -= value;
            let n = plan.matters.len();
            let matter = plan.matter(work + usize::try_from(ago).unwrap_or_default());
            let on = first(plan.today, ago).with_day(day).unwrap_or(plan.today);
            let (way, is_reminded) = (WAYS[n % WAYS.len()], n % REMINDED.0 == REMINDED.1);
            let done = Done { matter, begun: on, on, value: dollars(value), crew: n % 3, way, is_reminded };
            if n % 3 == 1 {
                done.asks(plan);
            } else {
                done.rang(plan);
            }
            done.works(plan);
            if all - n <= PRAISE.len() {
                reviews(plan, &done, reviewed);
                reviewed += 1;
            } else {
                plan.cue(matter, done.asked_for_a_review(), Act::Told(REVIEW_ASK));
            }
        }
    }
}

/// Estimates that somebody else got, one in each of the last months.
pub fn lost(plan: &mut Plan) {
    for ago in 1..=LOST {
        let index = usize::try_from(ago).unwrap_or_default();
        let matter = plan.matter(index * 3);
        let asked = first(plan.today, ago).with_day(9).unwrap_or(plan.today);
        let at = |days: i64, hour| instant(shifted(asked, days), hour, 25);
        let service = plan.matters[matter].work.service;
        let words = ASKED[(index * 5 + 3) % ASKED.len()];
        plan.cue(matter, at(0, 13), Act::Asks { words, service, source: Source::Google });
        plan.cue(matter, at(1, 10), Act::Offers { value: dollars(plan.matters[matter].work.price) });
        plan.cue(matter, at(4, 18), Act::Declines(WHY_NOT[index % WHY_NOT.len()]));
    }
}

/// They are asked, and write it two days later, or in these days on the next one; half of them are answered.
fn reviews(plan: &mut Plan, done: &Done, number: usize) {
    let late = (PRAISE.len() - number).checked_sub(1).and_then(|left| FRESH.get(left));
    let (asked, at) = match late {
        Some(ago) => (plan.at(-ago - 1, 10, 30), plan.at(-ago, 18, 25)),
        None => (done.asked_for_a_review(), instant(shifted(done.on, 4), 19, 10)),
    };
    plan.cue(done.matter, asked, Act::Told(REVIEW_ASK));
    plan.cue(done.matter, at, Act::Reviews(number));
    if number.is_multiple_of(2) {
        plan.cue(done.matter, at + chrono::Duration::hours(2), Act::Thanks);
    }
}

/// This month's works, spread over the days that are over; on the first of a month they are all of its first instant,
/// when the books of the night are closed.
pub fn this(plan: &mut Plan) {
    let days = plan.today.day();
    for (n, work) in MONTH.iter().enumerate() {
        let index = u32::try_from(n).unwrap_or_default();
        let count = u32::try_from(MONTH.len()).unwrap_or(1);
        let day = if days == 1 { 1 } else { 1 + index * (days - 1) / count };
        let on = plan.today.with_day(day).unwrap_or(plan.today);
        let again = if n % 4 == 3 { AGAIN.get(n / 4) } else { None };
        let matter = match again {
            Some((person, _)) => plan.matter_of(*person, n),
            None => plan.matter(n),
        };
        // Early in a month what is done was begun in the one before: three crews are at three works a day.
        let begun = if days < 6 { shifted(on, -1 - i64::from(index / 3)) } else { on };
        let way = WAYS[n % WAYS.len()];
        let done = Done { matter, begun, on, value: dollars(work.price), crew: n % 3, way, is_reminded: false };
        if work.price < 2_000 {
            done.rang(plan);
        } else {
            done.asks(plan);
        }
        done.works(plan);
        // Who had their work done yesterday or the day before is asked in the days to come.
        let asked = done.asked_for_a_review();
        if asked < plan.at(0, 0, 0) {
            let is_asked = again.is_none_or(|(_, is_asked)| *is_asked);
            let act = if is_asked { Act::Told(REVIEW_ASK) } else { Act::PassedOver(REVIEW_ASK) };
            plan.cue(matter, asked, act);
        }
    }
}
