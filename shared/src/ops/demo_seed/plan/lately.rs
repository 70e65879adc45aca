//! The last week: requests that were answered in seconds, calls that were won back, visits that customers booked by
//! themselves, and what is under way.
//!
//! Sixteen answers, fifteen reminders and six bookings of five, four and ten minutes each: of the time that was saved
//! 40, 30 and 30 percent (decisions 18).

use super::{Act, Cue, Plan, REVIEW_ASK, Source, Visit, dollars, instant, owed::workday};
use crate::ops::demo_seed::works::ASKED;

/// So many reminders and requests for reviews a week, beside the one that a silent caller gets by itself.
const SAID: usize = 14;

/// When somebody asked by the form: days from today, hour and minute; and what came of it.
const FORMS: [((i64, u32, u32), Then); 12] = [
    ((-1, 21, 14), Then::Nothing),
    ((-1, 18, 41), Then::Talk),
    ((-1, 12, 7), Then::Nothing),
    ((-2, 17, 22), Then::Talk),
    ((-2, 8, 33), Then::Offer(4_890)),
    ((-3, 10, 16), Then::Offer(7_260)),
    ((-4, 13, 2), Then::Offer(3_975)),
    ((-3, 15, 45), Then::Visit(0, 15, 0, 1_120)),
    ((-4, 9, 9), Then::Visit(1, 13, 1, 2_340)),
    ((-5, 11, 28), Then::Visit(1, 8, 2, 890)),
    ((-5, 16, 55), Then::Visit(2, 13, 0, 1_384)),
    ((-6, 8, 48), Then::Visit(3, 8, 1, 2_180)),
];
/// Days from today, hour and minute.
type Moment = (i64, u32, u32);
/// Days from today, hour and crew.
type Slot = (i64, u32, usize);

/// Visits that were booked online: when, and for when.
const BOOKED: [(Moment, Slot); 6] = [
    ((-1, 22, 3), (1, 10, 1)),
    ((-2, 20, 47), (0, 15, 2)),
    ((-3, 6, 52), (0, 10, 1)),
    ((-4, 21, 30), (2, 8, 2)),
    ((-5, 7, 15), (3, 13, 0)),
    ((-6, 19, 11), (5, 8, 1)),
];

/// What becomes of a request.
#[derive(Clone, Copy)]
enum Then {
    Nothing,
    /// They talk.
    Talk,
    /// An estimate over so many dollars waits for their answer.
    Offer(i64),
    /// The day from today, the hour, the crew, and its worth in dollars.
    Visit(i64, u32, usize, i64),
}

/// Two jobs that crews are at.
pub fn under_way(plan: &mut Plan) {
    for (n, (value, hour, crew)) in [(11_300, 13, 1), (3_950, 15, 2)].into_iter().enumerate() {
        let matter = plan.matter([2, 9][n]);
        let visit = Visit { starts_at: plan.at(-1, hour, 0), crew, minutes: 180 };
        plan.cue(matter, plan.at(-12, 11, 5), Act::TypedIn { visit, value: dollars(value) });
        plan.cue(matter, plan.at(-1, hour, 9), Act::Starts);
    }
}

/// The last seven days, today's first instant among them.
pub fn week(plan: &mut Plan) {
    for (n, (asked, then)) in FORMS.into_iter().enumerate() {
        form(plan, n, asked, then);
    }
    calls(plan);
    let matter = plan.matter(13);
    plan.cue(
        matter,
        plan.at(-3, 14, 20),
        Act::Texts("Hi, do you also service water softeners? Ours is beeping since this morning"),
    );
    plan.cue(
        matter,
        plan.at(-3, 14, 31),
        Act::Writes("We do! Can you text me a picture of the display? Most of the time it is just the clock."),
    );
    for (n, (booked, (ahead, hour, crew))) in BOOKED.into_iter().enumerate() {
        let matter = plan.matter([5, 13, 10, 7, 12, 9][n]);
        let at = plan.at(booked.0, booked.1, booked.2);
        let starts_at = instant(workday(plan, ahead), hour, 0);
        let words = ASKED[(n * 3 + 1) % ASKED.len()];
        plan.cue(matter, at, Act::Books { words, visit: Visit { starts_at, crew, minutes: 120 } });
        plan.cue(matter, at + chrono::Duration::minutes(2), Act::Told("booked"));
    }
}

/// How many are asked for a review in the week depends on the day of the month: so many reminders are left out, those
/// of visits that customers booked by themselves last, for they are the answer to them.
pub fn level(plan: &mut Plan) {
    let begins = plan.at(-6, 0, 0);
    let is_said = |cue: &Cue| cue.at >= begins && matches!(cue.act, Act::Told(_));
    let mut over = plan.cues.iter().filter(|cue| is_said(cue)).count().saturating_sub(SAID);
    plan.cues.retain(|cue| {
        let goes = over > 0 && is_said(cue) && cue.act != Act::Told(REVIEW_ASK);
        over -= usize::from(goes);
        !goes
    });
}

fn form(plan: &mut Plan, n: usize, (day, hour, minute): (i64, u32, u32), then: Then) {
    let matter = plan.matter(n + 3);
    let at = plan.at(day, hour, minute);
    let after = |minutes| at + chrono::Duration::minutes(minutes);
    let source = [Source::Google, Source::Website, Source::Neighbours][n % 3];
    let service = plan.matters[matter].work.service;
    plan.cue(matter, at, Act::Asks { words: ASKED[n % ASKED.len()], service, source });
    match then {
        Then::Nothing => {}
        Then::Talk => {
            plan.cue(
                matter,
                after(4),
                Act::Writes("Hi, this is Denise from Northside. Could you send a picture of the label on the unit?"),
            );
            plan.cue(
                matter,
                after(16),
                Act::Texts("Sure, here is what it says: installed 2012, 40 gal. When could you come?"),
            );
        }
        Then::Offer(value) => {
            plan.cue(
                matter,
                after(11),
                Act::Writes("Thanks for the details. You will have our estimate in writing within the day."),
            );
            plan.cue(matter, after(150), Act::Offers { value: dollars(value) });
        }
        Then::Visit(ahead, hour, crew, value) => {
            plan.cue(
                matter,
                after(7),
                Act::Writes("We can come this week. I will ring you in a moment about the time."),
            );
            let starts_at = instant(workday(plan, ahead), hour, 0);
            let visit = Visit { starts_at, crew, minutes: 120 };
            plan.cue(matter, after(35), Act::Schedules { visit, value: Some(dollars(value)) });
            plan.cue(matter, after(37), Act::Told("booked"));
        }
    }
}

/// Three calls that nobody took: two were won back by the text, one of them is on the board; the third is reminded by
/// itself.
fn calls(plan: &mut Plan) {
    let burst = plan.matter(11);
    plan.cue(burst, plan.at(-1, 22, 38), Act::Rings);
    plan.cue(
        burst,
        plan.at(-1, 22, 41),
        Act::Texts("Yes please!! Pipe burst in the garage, I turned off the main. How soon can somebody come?"),
    );
    plan.cue(
        burst,
        plan.at(-1, 22, 44),
        Act::Writes("You did the right thing. Eddie is at your door at 7:30. Leave the main closed until then."),
    );
    let visit = Visit { starts_at: instant(plan.today, 7, 30), crew: 2, minutes: 90 };
    plan.cue(burst, plan.at(-1, 22, 46), Act::Schedules { visit, value: Some(dollars(1_384)) });
    plan.cue(burst, plan.at(-1, 22, 48), Act::Told("booked"));
    let remodel = plan.matter(3);
    plan.cue(remodel, plan.at(-2, 16, 10), Act::Rings);
    plan.cue(
        remodel,
        plan.at(-2, 16, 13),
        Act::Texts("Hi, remodeling a kitchen and need somebody for the plumbing side. Best to reach me after 5"),
    );
    let silent = plan.matter(6);
    plan.cue(silent, plan.at(-4, 11, 52), Act::Rings);
}
