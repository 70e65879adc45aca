//! What is owed: deposits of work that is coming, and invoices past their day. Thirty percent of it is overdue, three of
//! them for more than thirty days and one of these for more than sixty (decisions 20).

use super::{Act, Bill, Plan, Source, Visit, dollars, shifted};
use crate::{domain::intake::lead::Stage, ops::demo_seed::works::ASKED, platform::money::Cents};

/// For how many days, and how many dollars.
pub(super) const OVERDUE: [(i64, i64); 5] = [(75, 1_240), (44, 1_860), (36, 960), (11, 1_540), (4, 400)];
/// Deposits of work that is coming: so much is asked for, of so much, within so many days.
pub(super) const DEPOSITS: [(Cents, i64, i64); 6] = [
    (dollars(2_850), 9_500, 6),
    (Cents(197_550), 6_585, 8),
    (dollars(3_420), 11_400, 9),
    (Cents(68_450), 2_282, 5),
    (dollars(3_150), 10_500, 12),
    (dollars(1_920), 6_400, 10),
];
/// How long a customer has to pay.
const TERMS: i64 = 14;
/// What those who manage houses pay for.
const AGREEMENTS: [&str; 5] = [
    "Maintenance agreement, spring visit, 12 units",
    "Boiler room service, quarterly",
    "Backflow testing, four devices",
    "Drain maintenance, restaurant kitchen",
    "Annual water heater flush, 4 units",
];

/// Agreements that were billed and are not paid.
pub fn owed(plan: &mut Plan) {
    for (n, (days, amount)) in OVERDUE.into_iter().enumerate() {
        let matter = plan.matter(n * 3);
        let issued = -days - TERMS;
        let words = "We manage the building and would like to renew the service agreement for this year.";
        plan.cue(
            matter,
            plan.at(issued - 3, 10, 12),
            Act::Asks { words, service: "plumbing", source: Source::Website },
        );
        plan.cue(
            matter,
            plan.at(issued - 3, 10, 31),
            Act::Writes("Happy to. Same terms as last year, the invoice follows with the visit."),
        );
        plan.cue(matter, plan.at(issued - 2, 9, 0), Act::Moves(Stage::Scheduled));
        plan.cue(matter, plan.at(issued, 15, 0), Act::Moves(Stage::Done));
        let due_on = Some(plan.day(-days));
        plan.cue(
            matter,
            plan.at(issued, 15, 5),
            Act::Bills { due_on, what: Bill::Line(AGREEMENTS[n], dollars(amount)) },
        );
    }
}

/// Work that was agreed to and comes these days, with a deposit that is not due yet. Three of them come today, and two of
/// these are reminded of it, as far as the week has room for it.
pub fn coming(plan: &mut Plan) {
    // Which day from today, at which hour, and by which crew.
    let slots = [(0, 8, 0), (0, 9, 2), (0, 13, 1), (1, 8, 0), (2, 8, 1), (4, 8, 2)];
    for (n, (amount, worth, days)) in DEPOSITS.into_iter().enumerate() {
        let matter = plan.matter([0, 4, 2, 7, 8, 1][n]);
        let (ahead, hour, crew) = slots[n];
        let service = plan.matters[matter].work.service;
        let minute = u32::try_from(n * 8).unwrap_or_default();
        let words = ASKED[(n * 5 + 2) % ASKED.len()];
        plan.cue(matter, plan.at(-14, 9, minute), Act::Asks { words, service, source: Source::Google });
        plan.cue(
            matter,
            plan.at(-14, 9, minute + 6),
            Act::Writes("Got it, thank you. Denise here from the office. I am putting the estimate together today."),
        );
        plan.cue(matter, plan.at(-13, 14, minute), Act::Offers { value: dollars(worth) });
        plan.cue(matter, plan.at(-12, 19, minute), Act::Approves);
        let starts_at = super::instant(workday(plan, ahead), hour, 0);
        let visit = Visit { starts_at, crew, minutes: 240 };
        plan.cue(matter, plan.at(-11, 8, minute), Act::Schedules { visit, value: None });
        plan.cue(matter, plan.at(-11, 8, minute + 2), Act::Told("booked"));
        let due_on = Some(plan.day(days));
        plan.cue(matter, plan.at(-11, 9, minute), Act::Bills { due_on, what: Bill::Share(amount) });
        if ahead == 0 && hour < 12 {
            plan.cue(matter, plan.at(-1, 9, minute), Act::Told("day_before"));
        }
    }
}

/// Today, or the so manieth day after it that is no Sunday.
pub(super) fn workday(plan: &Plan, ahead: i64) -> chrono::NaiveDate {
    use chrono::{Datelike, Weekday};
    let mut day = plan.today;
    for _ in 0..ahead {
        day = shifted(day, 1);
        if day.weekday() == Weekday::Sun {
            day = shifted(day, 1);
        }
    }
    day
}
