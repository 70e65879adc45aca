//! The last week: requests answered in seconds, calls won back, visits booked online, and work in progress. Sixteen
//! answers, fifteen reminders and six bookings of five, four and ten minutes each are 40, 30 and 30 percent of the time
//! saved (decisions 18).

use chrono::{DateTime, Utc};

use super::{
    DemoLeadSource, DemoVisit, REVIEW_ASK, SeedAction, SeedEvent, SeedPlan, dollars, owed::nth_workday, to_instant,
};
use crate::ops::demo_seed::work_catalog::REQUEST_TEXTS;

/// Reminders and requests for reviews in a week, beside the automatic one to the silent caller.
const MAX_REMINDERS: usize = 14;

/// Requests by the form: days from today, hour and minute; and the outcome.
const FORMS: [((i64, u32, u32), DemoRequestOutcome); 12] = [
    ((-1, 19, 14), DemoRequestOutcome::Reply),
    ((-1, 18, 41), DemoRequestOutcome::Conversation),
    ((-1, 12, 7), DemoRequestOutcome::NoReply),
    ((-2, 17, 22), DemoRequestOutcome::Conversation),
    ((-2, 8, 33), DemoRequestOutcome::Estimate(4_890)),
    ((-3, 10, 16), DemoRequestOutcome::Estimate(7_260)),
    ((-4, 13, 2), DemoRequestOutcome::Approved(3_975)),
    ((-3, 15, 45), DemoRequestOutcome::Visit(0, 15, 0, 1_120)),
    ((-4, 9, 9), DemoRequestOutcome::Visit(1, 13, 1, 2_340)),
    ((-5, 11, 28), DemoRequestOutcome::Visit(1, 8, 2, 890)),
    ((-5, 16, 55), DemoRequestOutcome::Visit(2, 13, 0, 1_384)),
    ((-6, 8, 48), DemoRequestOutcome::Visit(3, 8, 1, 2_180)),
];
/// Days from today, hour and minute.
type RelativeTime = (i64, u32, u32);
/// Days from today, hour and crew.
type RelativeSlot = (i64, u32, usize);

/// Visits booked online: when, and for when.
const BOOKED: [(RelativeTime, RelativeSlot); 6] = [
    ((-1, 22, 3), (1, 10, 1)),
    ((-2, 20, 47), (0, 15, 2)),
    ((-3, 6, 52), (0, 10, 1)),
    ((-4, 21, 30), (2, 8, 2)),
    ((-5, 7, 15), (3, 13, 0)),
    ((-6, 19, 11), (5, 8, 1)),
];

#[derive(Clone, Copy)]
enum DemoRequestOutcome {
    /// It waits on the worklist.
    NoReply,
    Reply,
    /// The office has the last word.
    Conversation,
    /// An estimate of so many dollars waits for an answer.
    Estimate(i64),
    /// Such an estimate, approved yesterday: it waits on the worklist to be scheduled.
    Approved(i64),
    /// Days from today, hour, crew, and value in dollars.
    Visit(i64, u32, usize, i64),
}

pub fn add_jobs_in_progress(plan: &mut SeedPlan) {
    for (n, (value, hour, crew)) in [(11_300, 13, 1), (3_950, 15, 2)].into_iter().enumerate() {
        let matter = plan.add_case([2, 9][n]);
        let visit = DemoVisit { starts_at: plan.local_instant(-1, hour, 0), crew, minutes: 180 };
        plan.add_event(
            matter,
            plan.local_instant(-12, 11, 5),
            SeedAction::LeadEntered { visit, value: dollars(value) },
        );
        plan.add_event(matter, plan.local_instant(-1, hour, 9), SeedAction::JobStarted);
    }
}

/// The last seven days, including today's first instant.
pub fn add_last_week(plan: &mut SeedPlan) {
    for (n, (asked, then)) in FORMS.into_iter().enumerate() {
        add_form_request(plan, n, asked, then);
    }
    add_missed_calls(plan);
    let matter = plan.add_case(13);
    plan.add_event(
        matter,
        plan.local_instant(-3, 14, 20),
        SeedAction::TextReceived("Hi, do you also service water softeners? Ours is beeping since this morning"),
    );
    plan.add_event(
        matter,
        plan.local_instant(-3, 14, 31),
        SeedAction::TextSent("We do! Can you text me a picture of the display? Most of the time it is just the clock."),
    );
    for (n, (booked, (ahead, hour, crew))) in BOOKED.into_iter().enumerate() {
        let matter = plan.add_case([5, 13, 10, 7, 12, 9][n]);
        let at = plan.local_instant(booked.0, booked.1, booked.2);
        let starts_at = to_instant(nth_workday(plan, ahead), hour, 0);
        let words = REQUEST_TEXTS[(n * 3 + 1) % REQUEST_TEXTS.len()];
        plan.add_event(
            matter,
            at,
            SeedAction::VisitBooked { words, visit: DemoVisit { starts_at, crew, minutes: 120 } },
        );
        plan.add_event(matter, at + chrono::Duration::minutes(2), SeedAction::FollowUpSent("booked"));
    }
}

/// The number of review requests in the week depends on the day of the month: surplus reminders are left out, those of
/// visits booked online last, since they answer the booking.
pub fn limit_reminders(plan: &mut SeedPlan) {
    let begins = plan.local_instant(-6, 0, 0);
    let is_said = |cue: &SeedEvent| cue.at >= begins && matches!(cue.act, SeedAction::FollowUpSent(_));
    let mut over = plan.cues.iter().filter(|cue| is_said(cue)).count().saturating_sub(MAX_REMINDERS);
    plan.cues.retain(|cue| {
        let goes = over > 0 && is_said(cue) && cue.act != SeedAction::FollowUpSent(REVIEW_ASK);
        over -= usize::from(goes);
        !goes
    });
}

fn add_form_request(plan: &mut SeedPlan, n: usize, (day, hour, minute): (i64, u32, u32), then: DemoRequestOutcome) {
    let matter = plan.add_case(n + 3);
    let at = plan.local_instant(day, hour, minute);
    let after = |minutes| at + chrono::Duration::minutes(minutes);
    let source = [DemoLeadSource::Google, DemoLeadSource::Website, DemoLeadSource::Neighbours][n % 3];
    let service = plan.matters[matter].work.service;
    plan.add_event(
        matter,
        at,
        SeedAction::FormSubmitted { words: REQUEST_TEXTS[n % REQUEST_TEXTS.len()], service, source },
    );
    match then {
        DemoRequestOutcome::NoReply => {}
        DemoRequestOutcome::Reply => plan.add_event(
            matter,
            after(9),
            SeedAction::TextSent("Hi, this is Denise from Northside. I will call you at 8 to find a time."),
        ),
        DemoRequestOutcome::Conversation => {
            plan.add_event(
                matter,
                after(4),
                SeedAction::TextSent(
                    "Hi, this is Denise from Northside. Could you send a picture of the label on the unit?",
                ),
            );
            plan.add_event(
                matter,
                after(16),
                SeedAction::TextReceived("Sure, here is what it says: installed 2012, 40 gal. When could you come?"),
            );
            plan.add_event(
                matter,
                after(24),
                SeedAction::TextSent("Thank you! This week still. I will call you in the morning to settle the time."),
            );
        }
        DemoRequestOutcome::Estimate(value) => add_estimate(plan, matter, at, value),
        DemoRequestOutcome::Approved(value) => {
            add_estimate(plan, matter, at, value);
            plan.add_event(matter, plan.local_instant(-1, 17, 10), SeedAction::EstimateApproved);
        }
        DemoRequestOutcome::Visit(ahead, hour, crew, value) => {
            let starts_at = to_instant(nth_workday(plan, ahead), hour, 0);
            add_visit(plan, matter, at, (DemoVisit { starts_at, crew, minutes: 120 }, value));
        }
    }
}

/// Announced, and sent on the same day.
fn add_estimate(plan: &mut SeedPlan, matter: usize, asked_at: DateTime<Utc>, value: i64) {
    let after = |minutes| asked_at + chrono::Duration::minutes(minutes);
    plan.add_event(
        matter,
        after(11),
        SeedAction::TextSent("Thanks for the details. You will have our estimate in writing within the day."),
    );
    plan.add_event(matter, after(150), SeedAction::EstimateSent { value: dollars(value) });
}

/// With its value in dollars.
fn add_visit(plan: &mut SeedPlan, matter: usize, asked_at: DateTime<Utc>, (visit, value): (DemoVisit, i64)) {
    let after = |minutes| asked_at + chrono::Duration::minutes(minutes);
    plan.add_event(
        matter,
        after(7),
        SeedAction::TextSent("We can come this week. I will ring you in a moment about the time."),
    );
    plan.add_event(matter, after(35), SeedAction::VisitScheduled { visit, value: Some(dollars(value)) });
    plan.add_event(matter, after(37), SeedAction::FollowUpSent("booked"));
}

/// Three unanswered calls: two were won back by the text, one of them is on the board; the third gets the automatic
/// reminder and waits on the worklist.
fn add_missed_calls(plan: &mut SeedPlan) {
    let burst = plan.add_case(11);
    plan.add_event(burst, plan.local_instant(-1, 22, 38), SeedAction::CallMissed);
    plan.add_event(
        burst,
        plan.local_instant(-1, 22, 41),
        SeedAction::TextReceived(
            "Yes please!! Pipe burst in the garage, I turned off the main. How soon can someone come?",
        ),
    );
    plan.add_event(
        burst,
        plan.local_instant(-1, 22, 44),
        SeedAction::TextSent(
            "You did the right thing. Eddie is at your door at 7:30. Leave the main closed until then.",
        ),
    );
    let visit = DemoVisit { starts_at: to_instant(plan.today, 7, 30), crew: 2, minutes: 90 };
    plan.add_event(
        burst,
        plan.local_instant(-1, 22, 46),
        SeedAction::VisitScheduled { visit, value: Some(dollars(1_384)) },
    );
    plan.add_event(burst, plan.local_instant(-1, 22, 48), SeedAction::FollowUpSent("booked"));
    let remodel = plan.add_case(3);
    plan.add_event(remodel, plan.local_instant(-2, 16, 10), SeedAction::CallMissed);
    plan.add_event(
        remodel,
        plan.local_instant(-2, 16, 13),
        SeedAction::TextReceived(
            "Hi, remodeling a kitchen and need someone for the plumbing side. Best to reach me after 5",
        ),
    );
    plan.add_event(
        remodel,
        plan.local_instant(-2, 16, 22),
        SeedAction::TextSent("Congratulations on the kitchen! I will call you at 5:15 today."),
    );
    let silent = plan.add_case(6);
    plan.add_event(silent, plan.local_instant(-4, 11, 52), SeedAction::CallMissed);
}
